//! The transcript: the messages of the effective context as plain data, with spans into the input.
//! Every format is read into it.
//!
//! A transcript contains no text. A [`Message`] has the place of its record, a [`Block`] the place
//! of its value in that record and the length of its text; a pass that needs the text reads the
//! span from the source. All formats fill the same types; differences between providers are data
//! here ([`Provider`]) or a rule in `check`.

mod block;
mod grow;
mod metadata;
mod names;
mod pairs;
mod record_references;
mod records;
mod rules;
mod trim_note;
mod unread;

pub use crate::json::Span;
pub use block::{Block, BlockKind, Flags, Link};
pub use metadata::{
    DamagedLine, Fault, ItemFault, Marker, MissingParents, Note, NoteKind, OuterText, OutsideKind,
    Request, ResultCopy, ResultCopyKind, TextTypeMember, Thinking, TruncatedRecord,
};
pub use names::Names;
pub use pairs::Pairs;
pub use record_references::RecordReferences;
pub use records::{Name, Record, Records, clip, named};
pub use rules::{
    Arguments, EmptyContent, First, FirstMessage, IdScope, LastMessage, Letters, Precedence,
    Provider, ReasoningContentRule, RefusalRow, ResultTemplate, Results, Rules, StartAfterCut,
    Syntax, SystemPlacement, ThinkingRules,
};
pub use trim_note::{ends_with_note, trim_note};
pub use unread::{Level, UnknownKind, Unread};

use crate::{json::IdSet, read_at::ReadAt};
use std::{borrow::Cow, collections::HashSet, io, ops::Range, sync::OnceLock};

#[cfg(test)]
thread_local! {
    /// How many parts were looked at, for tests of growth.
    pub static PARTS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// The layout of a format's records in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A record is a request body: the input is one, or one a line.
    Body,
    /// All records together are one transcript.
    History,
}

/// The speaker of a message, to which the roles of every provider are mapped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// A system or developer prompt: kept, never counted.
    System,
    /// A person, or content that the provider attributes to the user (Anthropic's results, for
    /// example).
    User,
    /// The model.
    Assistant,
    /// A message that is one tool result (OpenAI `tool`, OpenClaw `toolResult`).
    Tool,
    /// Anything else that the agent sends: summaries, shell transcripts, custom messages.
    #[default]
    Other,
}

impl Role {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
            Role::Other => "other",
        }
    }
}

/// One message of the effective context.
#[derive(Clone, Copy, Debug, Default)]
pub struct Message {
    /// First byte of its record in the input (the line of a history, or the body).
    pub record: u64,
    /// The range of the message's object in the record.
    pub span: Span,
    /// The line in the input, from 1.
    pub line: u32,
    /// The number of the message in the input, from 1.
    pub number: u32,
    /// Index of its first block in [`Transcript::blocks`]; they end where those of the next message
    /// begin.
    pub blocks: u32,
    /// The speaker.
    pub role: Role,
    /// Whether the content is an array; a string content is one Text block.
    pub array: bool,
    /// Whether it has an empty `tool_calls`.
    pub empty_calls: bool,
    /// Whether it has nothing that OpenAI counts as content: no text, call, refusal or audio.
    pub no_content: bool,
    /// Whether the model was interrupted (`stopReason` error or aborted), so that its calls were
    /// never made.
    pub broken_off: bool,
    /// Whether it is an answer for the model to continue (`prefix`).
    pub prefix: bool,
    /// Whether it continues the assistant message before it: the log splits what is one message for
    /// the provider.
    pub continues: bool,
    /// Whether its record says that a program wrote it for the user.
    pub injected: bool,
    /// Whether it represents other messages, as a compaction's summary does, so that it is never
    /// removed alone.
    pub not_removable: bool,
    /// Whether it is sent only within the summary before it, which repeats its words.
    pub quoted: bool,
    /// Whether the provider does not know its role.
    pub odd_role: bool,
    /// Whether its role is `developer`.
    pub developer: bool,
    /// Whether its content is neither a string nor a list.
    pub odd_content: bool,
    /// Whether several records make it, each of which may replace what another says: it is pruned,
    /// but not repaired.
    pub multi_record: bool,
    /// Whether none of its content was understood.
    pub unread: bool,
}

impl Message {
    /// Returns the range in the input of a span of the message.
    pub fn range(&self, span: Span) -> Range<u64> {
        span.within(self.record)
    }

    /// Returns the bytes of a span of the message.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn bytes<'t>(&self, texts: &'t dyn ReadAt, span: Span) -> io::Result<Cow<'t, [u8]>> {
        let range = self.range(span);
        texts.read(range.start, range.end)
    }
}

/// The messages that the agent would send next, and their metadata.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// Name of the format that read it.
    pub format: &'static str,
    /// Whether it is a body, or all records of a log.
    pub layout: Layout,
    /// The members by which its records name each other, if they do.
    pub references: Option<&'static RecordReferences>,
    /// Its provider: the rules for requests, and the refusals.
    pub provider: &'static Provider,
    /// The form of a replaced result content.
    pub template: &'static ResultTemplate,
    /// The index of that form among the format's forms.
    pub result_form: u8,
    /// Messages in the order in which they are sent.
    pub messages: Vec<Message>,
    /// The items of which they are made, where one of them is several: with the same blocks.
    pub items: Vec<Message>,
    /// Blocks of all messages, in order.
    pub blocks: Vec<Block>,
    /// Calls and results, by [`Block::extra`].
    pub links: Vec<Link>,
    /// Notes on blocks, for facts that only a few have. Not kept for a history.
    pub notes: Vec<Note>,
    /// The parts of a body outside its messages.
    pub request: Request,
    /// Copies of results, in any order.
    pub result_copies: Vec<ResultCopy>,
    /// Names of tools, by [`Link::tool`]; index 0 is the empty name.
    pub tools: Vec<String>,
    /// The model for the next request, if the input names one.
    pub model: Option<String>,
    /// The name of the provider, if the input has one.
    pub provider_name: Option<String>,
    /// The context window of the model in tokens, if the input names it.
    pub window: Option<u64>,
    /// The line of the boundary at which the context begins, if there is one: the logged prompts of
    /// kept messages were of another context.
    pub boundary: Option<u32>,
    /// First byte of the record that names the model.
    pub model_record: Option<u64>,
    /// First byte of the newest record that holds what a request had beside its messages.
    pub request_record: Option<u64>,
    /// The log with which this one begins, by its id, and so many bytes of it.
    pub begins_with: Option<(String, u64)>,
    /// API, where the input names one or is a body for one, as agents call it.
    pub api: Option<String>,
    /// The provider that the user named. It determines the rules more exactly than the format does.
    pub service: Option<String>,
    /// The time of the newest assistant record that has one, in milliseconds since 1970: that of
    /// the last call, if no marker has it.
    pub last_call: Option<i64>,
    /// The agent's markers, in the order of the input.
    pub markers: Vec<Marker>,
    /// Byte ranges (from, to) of the input in which the agent recorded its earlier cuts, in order.
    pub projections: Vec<(u64, u64)>,
    /// Whether calls of the results here may be stored by the provider.
    pub calls_elsewhere: bool,
    /// Whether reasoning and the items of the model that follow it are bound to each other.
    pub reasoning_binds: bool,
    /// Whether records span several lines.
    pub multiline_records: bool,
    /// Whether other logs name bytes of this one, up to which they begin with it.
    pub read_by_bytes: bool,
    /// Whether records precede their parents.
    pub out_of_order: bool,
    /// First bytes of the records that are not sent because they are copies of later ones.
    pub copies: HashSet<u64>,
    /// First bytes of the records of messages that the agent has taken back, by records that name
    /// them.
    pub taken_back: HashSet<u64>,
    /// The parents that are missing from the input, if any are.
    pub missing: Option<MissingParents>,
    /// The number of records of the input, in the context or not.
    pub records: u64,
    /// The table of records, if it was asked for.
    pub table: Option<Records>,
    /// The first line that is not JSON and was written to its end.
    pub damaged: Option<DamagedLine>,
    /// The lines and the bytes of records that were not written completely, and have a whole one
    /// behind them in their line.
    pub torn_before: Vec<(u64, Range<u64>)>,
    /// The last record, if it was not written completely.
    pub torn: Option<TruncatedRecord>,
    /// Content that was not understood.
    pub unread: Unread,
    /// Warnings to the user about the input.
    pub warnings: Vec<crate::diagnostics::Warning>,
    /// Its pairs, computed when they are first needed by [`Transcript::paired_with`] and its like;
    /// empty for a new transcript.
    pub pairs: OnceLock<Pairs>,
}

impl Transcript {
    /// Returns the rules of its provider, as far as the format, the model and the named provider
    /// define them.
    pub fn rules(&self) -> Rules {
        (self.provider.rules)(self.model.as_deref(), self.service.as_deref())
    }

    /// Returns whether the provider ignores thinking that is sent back, as this request does not
    /// turn thinking on.
    pub fn ignores_thinking(&self, rules: &Rules) -> bool {
        let (thoughts, asked) = (rules.thoughts, self.request.thinking);
        let is_off =
            asked == Thinking::Disabled || asked == Thinking::Unsaid && thoughts.only_asked;
        self.layout == Layout::Body && thoughts.as_asked && is_off
    }

    /// Returns the blocks of message `i`, children of results included.
    pub fn blocks_of(&self, i: usize) -> &[Block] {
        let from = self.messages[i].blocks as usize;
        let to = self
            .messages
            .get(i + 1)
            .map_or(self.blocks.len(), |m| m.blocks as usize);
        &self.blocks[from..to]
    }

    /// Returns the blocks of message `i` with their indices, children of results included.
    pub fn numbered_blocks_of(&self, i: usize) -> impl Iterator<Item = (u32, &Block)> + Clone {
        (self.messages[i].blocks..).zip(self.blocks_of(i))
    }

    /// Returns whether message `i` has a block of a kind, children of results included.
    pub fn has(&self, i: usize, kind: BlockKind) -> bool {
        self.blocks_of(i).iter().any(|block| block.kind == kind)
    }

    /// Returns the parts of message `i` with their indices: its blocks without the children of
    /// results.
    pub fn parts(&self, i: usize) -> impl Iterator<Item = (u32, &Block)> {
        let mut at = self.messages[i].blocks;
        let end = at + self.blocks_of(i).len() as u32;
        std::iter::from_fn(move || {
            let index = at;
            let block = self.blocks.get(index as usize).filter(|_| index < end)?;
            #[cfg(test)]
            PARTS.set(PARTS.get() + 1);
            at += 1 + self.inside(index).len() as u32;
            Some((index, block))
        })
    }

    /// Returns the children of the block at index `block`, if that is a result.
    pub fn inside(&self, block: u32) -> &[Block] {
        let at = block as usize;
        let found = &self.blocks[at];
        let children = if found.kind == BlockKind::Result {
            self.link(found).children as usize
        } else {
            0
        };
        &self.blocks[at + 1..at + 1 + children]
    }

    /// Returns whether message `i` is one of the model.
    pub fn is_answer(&self, i: usize) -> bool {
        self.messages[i].role == Role::Assistant
    }

    /// Returns whether message `i` is a user message that contains only results, as Anthropic has
    /// them.
    pub fn is_only_results(&self, i: usize) -> bool {
        let blocks = self.blocks_of(i);
        let results = blocks.iter().filter(|b| b.kind == BlockKind::Result);
        let of_results: usize = results.map(|b| 1 + self.link(b).children as usize).sum();
        self.messages[i].role == Role::User && !blocks.is_empty() && of_results == blocks.len()
    }

    /// Returns the index of the message that contains the block at index `block`.
    pub fn message_of(&self, block: u32) -> usize {
        self.messages
            .partition_point(|message| message.blocks <= block)
            .saturating_sub(1)
    }

    /// Returns the message that contains the block at index `block`.
    pub fn message_with(&self, block: u32) -> &Message {
        &self.messages[self.message_of(block)]
    }

    /// Returns all blocks with their messages and indices, children of results included.
    pub fn all_blocks(&self) -> impl Iterator<Item = (usize, u32, &Block)> {
        let mut message = 0;
        (0..).zip(&self.blocks).map(move |(index, block)| {
            let begins = |next: &Message| next.blocks <= index;
            while self.messages.get(message + 1).is_some_and(begins) {
                message += 1;
            }
            (message, index, block)
        })
    }

    /// Returns the cache marks in the order in which a provider reads them: whether each is for an
    /// hour, and its block, if it is in a message.
    pub fn cache_marks(&self) -> Vec<(bool, Option<u32>)> {
        let request = &self.request;
        let mut inside: Vec<(u32, bool)> = Vec::new();
        for note in &self.notes {
            if let NoteKind::Mark { long } = note.kind {
                inside.push((note.block, long));
            }
        }
        inside.sort_by_key(|(block, _)| *block);
        let outside = request.tool_marks.iter().chain(&request.system_marks);
        let outside = outside.map(|long| (*long, None));
        let inside = inside.into_iter().map(|(block, long)| (long, Some(block)));
        let automatic = request.automatic_mark.map(|long| (long, None));
        outside.chain(inside).chain(automatic).collect()
    }

    /// Returns the ids of all blocks of a kind that has links.
    pub fn ids(&self, kind: BlockKind) -> IdSet {
        let blocks = self.blocks.iter().filter(|block| block.kind == kind);
        blocks.map(|block| self.link(block).call).collect()
    }

    /// Returns the block at index `index`.
    pub fn block(&self, index: u32) -> &Block {
        &self.blocks[index as usize]
    }

    /// Returns the link of a Call or Result block.
    pub fn link(&self, block: &Block) -> Link {
        self.links[block.extra as usize]
    }

    /// Returns the link of the Call or Result block at index `block`.
    pub fn link_at(&self, block: u32) -> Link {
        self.link(self.block(block))
    }

    /// Returns the name of the tool of a Call or Result block; empty if unknown.
    pub fn tool_of(&self, block: &Block) -> &str {
        &self.tools[self.link(block).tool as usize]
    }
}
