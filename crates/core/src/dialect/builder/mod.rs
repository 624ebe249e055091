//! The builder into which a format's reader writes: messages, blocks and entries of consecutive
//! records.
//!
//! A damaged record is removed again as a whole ([`TranscriptBuilder::rollback`]). Builders of
//! consecutive parts of a file, read in parallel, are joined in order
//! ([`TranscriptBuilder::append`]).

mod append;
mod copies;
mod entry;
mod model_naming;
mod not_understood;
mod rollback;

pub use copies::UnlinkedCopy;
pub use entry::{CallId, Entry, EntryKind, Keep, NONE, Projection, id_or_none, time_key};
pub use model_naming::ModelNaming;
pub use not_understood::{Level, NotUnderstood, printable};
pub use rollback::Mark;

use crate::{
    diagnostics::Warning,
    dialect::tree::ReleasedEntries,
    estimate,
    json::{GeneratedId, Id, Text, text},
    settings::Estimator,
    transcript::{
        Block, BlockKind, DamagedLine, Flags, Link, Marker, Message, MissingParents, Names, Note,
        NoteKind, OuterText, OutsideKind, Records, Request, ResultCopy, ResultCopyKind, Role, Span,
        TruncatedRecord, clip, ends_with_note,
    },
};
use std::{collections::HashSet, ops::Range};

/// Messages, blocks and entries as they were read, not yet reduced to the effective context.
#[derive(Debug, Default)]
pub struct TranscriptBuilder {
    /// Messages in file order.
    pub messages: Vec<Message>,
    /// The items of a log of which several are one message, with the same blocks.
    pub items: Vec<Message>,
    /// Their blocks.
    pub blocks: Vec<Block>,
    /// Their calls and results.
    pub links: Vec<Link>,
    /// The notes on blocks, in the order of the blocks. Only a few blocks have any.
    pub notes: Vec<Note>,
    /// Copies of results elsewhere in the log.
    pub result_copies: Vec<ResultCopy>,
    /// Results, and records that repeat one without naming its call, in file order.
    pub unlinked_copies: Vec<UnlinkedCopy>,
    /// The members of a body outside its messages.
    pub request: Request,
    /// Names of tools.
    pub names: Names,
    /// Nodes of a history; empty for a body.
    pub entries: Vec<Entry>,
    /// The models, providers and APIs that entries name, in file order.
    pub namings: Vec<ModelNaming>,
    /// Those names.
    pub named: Names,
    /// Newest model named.
    pub model: Option<String>,
    /// Newest provider named.
    pub provider: Option<String>,
    /// Newest context window named, in tokens.
    pub window: Option<u64>,
    /// Newest API named.
    pub api: Option<String>,
    /// Time of the newest assistant message, in milliseconds since 1970.
    pub assistant_time: Option<i64>,
    /// Whether calls of results that are here may lie with the provider.
    pub calls_elsewhere: bool,
    /// The index of the form in which the content of a result is written.
    pub result_form: u8,
    /// Whether the items of the model that follow reasoning are bound to it.
    pub reasoning_binds: bool,
    /// Whether other logs may name bytes of this one, up to which they begin with it.
    pub read_by_bytes: bool,
    /// The line of the boundary at which the context begins.
    pub boundary: Option<u32>,
    /// First byte of the record that names the model.
    pub model_record: Option<u64>,
    /// First byte of the newest record that holds what a request had beside its messages.
    pub request_record: Option<u64>,
    /// The log with which this one begins, by its id, and so many bytes of it.
    pub begins_with: Option<(String, u64)>,
    /// Marks of earlier prunes, in file order.
    pub markers: Vec<Marker>,
    /// Entries with the cuts of earlier prunes, in file order.
    pub projections: Vec<Projection>,
    /// The service that marks in the input show.
    pub service: Option<String>,
    /// Warnings for the user.
    pub warnings: Vec<Warning>,
    /// The places of records and their names for each other; `None` where they are not needed.
    pub table: Option<Records>,
    /// The first line that is not JSON and was written to its end.
    pub damaged: Option<DamagedLine>,
    /// Lines and bytes of records that were not written to their end, before a whole one in a line.
    pub torn_before: Vec<(u64, Range<u64>)>,
    /// The last record, if it was not written to its end.
    pub torn: Option<TruncatedRecord>,
    /// What was not understood.
    pub not_understood: NotUnderstood,
    /// What was not understood in the block being read.
    pub inside: Vec<String>,
    /// Whether results that name no call answer by their order.
    pub by_order: bool,
    /// Records read, also those taken out since.
    pub records: u64,
    /// Lines read, blank ones included.
    pub lines: u64,
    /// Messages numbered so far.
    pub numbered: u32,
    /// The entries taken out because a boundary put them out of reach.
    pub released: ReleasedEntries,
    /// Whether entries precede their parents.
    pub out_of_order: bool,
    /// First bytes of the records that are copies of later ones, and not sent.
    pub copies: HashSet<u64>,
    /// First bytes of the records of messages that the agent has taken back.
    pub taken_back: HashSet<u64>,
    /// The entries whose parents are not in the input.
    pub missing: Option<MissingParents>,
    /// The estimator that counts the chars of texts.
    pub estimator: Estimator,
    /// Whether the message that is being read was not understood.
    unread: bool,
    /// First byte of the record that is being read.
    pub record: u64,
    line: u32,
}

impl TranscriptBuilder {
    /// An empty builder.
    pub fn new(estimator: Estimator) -> TranscriptBuilder {
        TranscriptBuilder {
            estimator,
            line: 1,
            ..TranscriptBuilder::default()
        }
    }

    /// Reserves space for `messages` messages of a block or two each.
    pub fn reserve(&mut self, messages: usize) {
        self.messages.reserve(messages);
        self.blocks.reserve(2 * messages);
        self.links.reserve(messages);
    }

    /// Begins a record at byte `start` of the input.
    pub fn begin(&mut self, start: u64, line: u64) {
        self.not_understood.finish_record(self.line);
        self.record = start;
        self.line = u32::try_from(line).unwrap_or(u32::MAX);
        self.records += 1;
    }

    /// Notes that `span` of the record lists earlier cuts. Its entry is the next.
    pub fn projection(&mut self, span: Span) {
        let Range { start, end } = span.within(self.record);
        let entry = Some(self.entries.len());
        self.projections.push(Projection { entry, start, end });
    }

    /// The id of a call and its result that are together at `span` of the current record.
    pub fn place_id(&self, span: Span) -> Id {
        Id::generated(GeneratedId::Place, self.record + u64::from(span.start))
    }

    /// The record that was not written to its end, if no record follows it.
    pub fn torn(&self) -> Option<TruncatedRecord> {
        self.torn.filter(|torn| torn.start >= self.record)
    }

    /// The line of the record that is being read.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Notes the newest model and provider, where they are named.
    pub fn set_model(&mut self, model: Option<&str>, provider: Option<&str>) {
        self.set_names([model, provider, None]);
    }

    /// Notes the newest model, provider and API, where they are named.
    fn set_names(&mut self, names: [Option<&str>; 3]) {
        if names[0].is_some() {
            self.model_record = Some(self.record);
        }
        let newest = [&mut self.model, &mut self.provider, &mut self.api];
        for (newest, name) in newest.into_iter().zip(names) {
            if let Some(name) = name.filter(|name| newest.as_deref() != Some(name)) {
                *newest = Some(name.to_owned());
            }
        }
    }

    /// Adds a message whose blocks were pushed since index `blocks`; returns its index.
    pub fn message(&mut self, role: Role, span: Span, blocks: usize, array: bool) -> u32 {
        self.add(Message {
            role,
            span,
            blocks: blocks as u32,
            array,
            ..Message::default()
        })
    }

    /// Adds a message that was made but for its place; returns its index.
    pub fn add(&mut self, made: Message) -> u32 {
        self.numbered += 1;
        self.messages.push(Message {
            record: self.record,
            line: self.line,
            number: self.numbered,
            not_removable: made.span.is_empty(),
            unread: std::mem::take(&mut self.unread),
            ..made
        });
        self.messages.len() as u32 - 1
    }

    /// The blocks of a message.
    pub fn blocks_of(&self, message: u32) -> &[Block] {
        &self.blocks[self.places_of(message as usize)]
    }

    /// The indices of the blocks of message `i`.
    pub fn places_of(&self, i: usize) -> Range<usize> {
        self.messages[i].blocks as usize
            ..self
                .messages
                .get(i + 1)
                .map_or(self.blocks.len(), |m| m.blocks as usize)
    }

    /// The calls that a message answers.
    pub fn answered_calls(&self, message: u32) -> impl Iterator<Item = Id> {
        self.calls_of(self.blocks_of(message), BlockKind::Result)
    }

    /// The ids of the calls that the blocks of this kind make or answer.
    pub fn calls_of<'a>(
        &'a self,
        blocks: &'a [Block],
        kind: BlockKind,
    ) -> impl Iterator<Item = Id> + 'a {
        let linked = blocks.iter().filter(move |block| block.kind == kind);
        linked.map(|block| self.link_of(block).call)
    }

    /// The link of a call or a result.
    pub fn link_of(&self, block: &Block) -> &Link {
        &self.links[block.extra as usize]
    }

    /// The number of blocks in the content of a block.
    pub fn inside_of(&self, block: &Block) -> usize {
        match block.kind {
            BlockKind::Result => self.link_of(block).children as usize,
            _ => 0,
        }
    }

    /// Adds a block.
    pub fn block(
        &mut self,
        kind: BlockKind,
        flags: Flags,
        part: usize,
        span: Span,
        chars: usize,
        extra: usize,
    ) {
        self.blocks.push(Block {
            kind,
            flags,
            part: part.min(usize::from(u16::MAX)) as u16,
            span,
            chars: clip(chars),
            extra: clip(extra),
        });
    }

    /// Adds a call, whose arguments have so many chars.
    pub fn call(&mut self, call: CallId, tool: &str, part: usize, span: Span, arguments: usize) {
        let link = self.link(call, tool, 0, Span::default());
        self.block(
            BlockKind::Call,
            Flags::default(),
            part,
            span,
            arguments,
            link,
        );
    }

    /// Adds a block without flags and link.
    pub fn plain_block(&mut self, kind: BlockKind, part: usize, span: Span, chars: usize) {
        self.block(kind, Flags::default(), part, span, chars, 0);
    }

    /// Adds a block of a text; `mark` says whether the provider caches the prompt up to it.
    pub fn text(&mut self, found: &Text<'_>, part: usize, mark: bool) {
        let blank = found.units < 64 && text::is_blank(found.raw);
        let trimmed = &found.raw[..text::trimmed_len(found.raw)];
        // The bracket of a reminder may be escaped, and any white space may follow it.
        let end = &trimmed[trimmed.len().saturating_sub(6)..];
        let is_open = |byte: &u8| *byte == b'>' || !byte.is_ascii_graphic();
        let flags = Flags::default()
            .with(Flags::CACHE_MARK, mark)
            .with(Flags::BLANK, blank)
            .with(Flags::TRAILING, trimmed.len() < found.raw.len())
            .with(
                Flags::REMINDED,
                end.starts_with(b"\\u") || end.last().is_some_and(is_open),
            )
            .with(Flags::TRIMMED, ends_with_note(found.raw));
        let extra = estimate::extra(found, self.estimator);
        self.block(BlockKind::Text, flags, part, found.span, found.units, extra);
    }

    /// Adds a block of unknown content, which counts by its length.
    pub fn other_block(&mut self, part: usize, span: Span) {
        self.plain_block(BlockKind::Other, part, span, span.len());
    }

    /// Chars of a text, as the estimator counts them.
    pub fn chars_of(&self, text: &Text<'_>) -> usize {
        text.units + estimate::extra(text, self.estimator)
    }

    /// Chars of a signature or of encrypted reasoning, which the oldest estimator does not count.
    pub fn chars_of_signature(&self, text: &Text<'_>) -> usize {
        if self.estimator == Estimator::Utf16 {
            0
        } else {
            self.chars_of(text)
        }
    }

    /// Numbers the parts from index `first` on, of a message with parts in its content and its
    /// calls.
    pub fn count_parts(&mut self, first: usize) {
        let (mut at, mut part) = (first, 0u16);
        while at < self.blocks.len() {
            self.blocks[at].part = part;
            part = part.saturating_add(1);
            at += 1 + self.inside_of(&self.blocks[at]);
        }
    }

    /// Notes something of the block at index `block`.
    pub fn note(&mut self, block: usize, kind: NoteKind) {
        self.notes.push(Note {
            block: block as u32,
            kind,
        });
    }

    /// Adds a link and returns its index.
    pub fn link(&mut self, call: CallId, tool: &str, children: usize, content: Span) -> usize {
        let tool = self.names.intern(tool);
        self.links.push(Link {
            call: call.hash,
            id: call.span,
            tool,
            children: clip(children),
            content,
        });
        self.links.len() - 1
    }

    /// Notes where else the record that is being read keeps what the result of `call` said.
    pub fn result_copy(&mut self, call: Id, span: Span) {
        if call.is_some() {
            self.result_copies.push(ResultCopy {
                call,
                record: self.record,
                span,
                kind: ResultCopyKind::DisplayOnly,
            });
        }
    }

    /// Notes a text or a list that the body keeps outside its messages.
    pub fn outside(&mut self, kind: OutsideKind, span: Span, marked: bool) {
        self.request.outside.push(OuterText {
            record: self.record,
            span,
            kind,
            marked,
        });
    }

    /// Notes when a message of the assistant was written, in RFC 3339.
    pub fn answered(&mut self, time: Option<&str>) {
        let time = time
            .and_then(|t| t.parse::<jiff::Timestamp>().ok())
            .map(|t| t.as_millisecond());
        self.assistant_time = self.assistant_time.max(time);
    }
}
