//! What a format writes while it reads: messages, blocks and entries of consecutive records.
//!
//! A sheet is filled record by record. A record that turns out to be damaged is taken back whole ([`Sheet::rollback`]).
//! Sheets of neighbouring parts of a file, read side by side, are joined in order ([`Sheet::append`]).

use crate::config::settings::Estimator;
use crate::json::{Cursor, ScanError};
use crate::report::Warning;
use crate::transcript::{Block, BlockKind, Fact, Flags, Link, Message, Mirror, MirrorKind, Names, Note, Request, ResultShape, Role, Span};
use std::collections::{BTreeMap, HashMap, VecDeque};

/// No index: a link or an entry that points at nothing.
pub const NONE: u32 = u32::MAX;

/// Messages, blocks and entries as they were read, not yet reduced to the effective context.
#[derive(Debug)]
pub struct Sheet {
    /// Messages in file order.
    pub messages: Vec<Message>,
    /// Their blocks.
    pub blocks: Vec<Block>,
    /// Their calls and results.
    pub links: Vec<Link>,
    /// What is known of a few of the blocks, in their order.
    pub notes: Vec<Note>,
    /// Where else their results stand.
    pub mirrors: Vec<Mirror>,
    /// Results, and records that repeat one without naming its call, in file order.
    pub echoes: Vec<Echo>,
    /// What a body says outside its messages.
    pub request: Request,
    /// Names of tools.
    pub names: Names,
    /// Nodes of a history; empty for a body.
    pub entries: Vec<Entry>,
    /// Newest model named.
    pub model: Option<String>,
    /// Newest provider named.
    pub provider: Option<String>,
    /// Time of the newest assistant message, in milliseconds since 1970.
    pub assistant_time: Option<i64>,
    /// Whether calls of results that are here may lie with the provider.
    pub calls_elsewhere: bool,
    /// How the content of a result is written anew, where that is not as the format says.
    pub shape: Option<&'static ResultShape>,
    /// Whether thinking may stay behind a cut.
    pub thinking_is_free: bool,
    /// Whether the items of the model that follow reasoning are bound to it.
    pub reasoning_binds: bool,
    /// Marks of earlier prunes, in file order.
    pub markers: Vec<Marker>,
    /// Where earlier prunes wrote down what they cut, in file order.
    pub projections: Vec<Projection>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
    /// Types of records and blocks that the format does not know, with how many there were.
    pub unknown: BTreeMap<String, u64>,
    /// Types of unknown blocks in the block that is being read.
    pub inside: Vec<String>,
    /// Records read, also those taken out since.
    pub records: u64,
    /// Lines read, blank ones included.
    pub lines: u64,
    /// Messages numbered so far.
    pub numbered: u32,
    /// Entries taken out because a boundary put them out of reach.
    pub dropped: u64,
    /// How texts are weighed.
    pub estimator: Estimator,
    record: u64,
    line: u32,
}

/// A node of a history's tree, or the boundary of a context.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Hash of its id; 0 for none.
    pub id: u64,
    /// Hash of its parent's id; 0 for none.
    pub parent: u64,
    /// What it is to the context.
    pub kind: EntryKind,
    /// Index of its message, or [`NONE`].
    pub message: u32,
    /// Hash of the first entry kept (a boundary), of the target (a leaf control), of the call that was answered or of the
    /// provider's id of the message of which this node is a piece; for [`Keep::Index`], that index. Of a message of Gemini CLI's
    /// how many of its blocks, the last, stand outside of its content.
    pub aim: u64,
}

/// What an entry is to the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// The head of the file: no node.
    Header,
    /// A node; its parent is given, or it is a root.
    Node,
    /// A node without a parent field: it follows the leaf before it.
    Following,
    /// A node that does not move the leaf.
    Side,
    /// A compaction: a summary stands for all before the first entry kept.
    Compaction(Keep),
    /// A reset: nothing stands for what came before.
    Reset,
    /// Moves the leaf to another entry.
    Leaf,
    /// Gives the node of its id another message, if it has one.
    Patch,
    /// Gives the call that is its aim, of its parent, another result, or none.
    Run,
    /// Takes the node of its id out.
    Removed,
    /// The node of its id comes last.
    Last,
}

/// How a compaction names the first entry it keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// By id.
    Id,
    /// By its index among the records, the header being 0 (session version 1).
    Index,
    /// Not at all.
    Nothing,
}

/// An `openclaw.cache-ttl` entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// Milliseconds since 1970.
    pub time: i64,
    /// Provider it was written for.
    pub provider: Option<String>,
    /// Model it was written for.
    pub model: Option<String>,
}

/// An entry in which an agent wrote down what it cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Projection {
    /// Index of the entry; none once it was let go.
    pub entry: Option<usize>,
    /// First byte of its data in the input.
    pub start: u64,
    /// Past the last byte.
    pub end: u64,
}

/// What a result says, or what repeats it, by a likeness of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Echo {
    /// Hash of a likeness of the text.
    pub likeness: u64,
    /// Hash of the id of the result's call; 0 for what repeats it.
    pub call: u64,
    /// Byte of the input at which its record begins.
    pub record: u64,
    /// What repeats the text, in its record.
    pub span: Span,
}

/// The id of a call, as a call or a result names it. By default there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallId {
    /// Its hash; 0 for none.
    pub hash: u64,
    /// Where it stands in its record, without the quotes.
    pub span: Span,
}

impl CallId {
    /// Reads the string that comes next as an id; of any other value there is none.
    ///
    /// # Errors
    /// The value is malformed JSON.
    pub fn read(cursor: &mut Cursor<'_>, origin: usize) -> Result<CallId, ScanError> {
        cursor.peek();
        let start = cursor.at() + 1 - origin;
        let Some(id) = cursor.bytes_or_skip()? else { return Ok(CallId::default()) };
        let end = cursor.at() - 1 - origin;
        Ok(CallId { hash: id_hash(&id), span: Span { start: start as u32, end: end as u32 } })
    }
}

/// How far a sheet was filled.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    messages: usize,
    blocks: usize,
    links: usize,
    entries: usize,
    markers: usize,
    projections: usize,
    mirrors: usize,
    echoes: usize,
    numbered: u32,
    records: u64,
}

impl Mark {
    /// How many blocks there were.
    pub fn blocks(self) -> usize {
        self.blocks
    }
}

impl Sheet {
    /// An empty sheet.
    pub fn new(estimator: Estimator) -> Sheet {
        Sheet {
            messages: Vec::new(),
            blocks: Vec::new(),
            links: Vec::new(),
            notes: Vec::new(),
            mirrors: Vec::new(),
            echoes: Vec::new(),
            request: Request::default(),
            names: Names::default(),
            entries: Vec::new(),
            model: None,
            provider: None,
            assistant_time: None,
            calls_elsewhere: false,
            shape: None,
            thinking_is_free: false,
            reasoning_binds: false,
            markers: Vec::new(),
            projections: Vec::new(),
            warnings: Vec::new(),
            unknown: BTreeMap::new(),
            inside: Vec::new(),
            records: 0,
            lines: 0,
            numbered: 0,
            dropped: 0,
            estimator,
            record: 0,
            line: 1,
        }
    }

    /// Makes room for `messages` messages of a block or two each.
    pub fn reserve(&mut self, messages: usize) {
        self.messages.reserve(messages);
        self.blocks.reserve(2 * messages);
        self.links.reserve(messages);
    }

    /// Begins a record at byte `start` of the input.
    pub fn begin(&mut self, start: u64, line: u64) {
        self.record = start;
        self.line = u32::try_from(line).unwrap_or(u32::MAX);
        self.records += 1;
    }

    /// Notes that the record holds, from byte `start` to `end` of it, what was cut before. Its entry is the next.
    pub fn projection(&mut self, start: usize, end: usize) {
        let (entry, start, end) = (Some(self.entries.len()), self.record + start as u64, self.record + end as u64);
        self.projections.push(Projection { entry, start, end });
    }

    /// The line of the record that is being read.
    pub fn line(&self) -> u64 {
        u64::from(self.line)
    }

    /// Where the sheet stands now.
    pub fn mark(&self) -> Mark {
        Mark {
            messages: self.messages.len(),
            blocks: self.blocks.len(),
            links: self.links.len(),
            entries: self.entries.len(),
            markers: self.markers.len(),
            projections: self.projections.len(),
            mirrors: self.mirrors.len(),
            echoes: self.echoes.len(),
            numbered: self.numbered,
            records: self.records,
        }
    }

    /// Takes back all that was read since `mark`.
    pub fn rollback(&mut self, mark: Mark) {
        self.messages.truncate(mark.messages);
        self.keep_blocks(mark.blocks);
        self.links.truncate(mark.links);
        self.inside.clear();
        self.entries.truncate(mark.entries);
        self.markers.truncate(mark.markers);
        self.projections.truncate(mark.projections);
        self.mirrors.truncate(mark.mirrors);
        self.echoes.truncate(mark.echoes);
        self.numbered = mark.numbered;
        self.records = mark.records;
    }

    /// Takes back the messages and blocks read since `mark`, but not the record.
    pub fn rollback_blocks(&mut self, mark: Mark) {
        let records = self.records;
        self.rollback(mark);
        self.records = records;
    }

    /// Notes the newest model and provider, where they are named.
    pub fn runs_on(&mut self, model: Option<&str>, provider: Option<&str>) {
        for (have, named) in [(&mut self.model, model), (&mut self.provider, provider)] {
            if let Some(named) = named.filter(|n| have.as_deref() != Some(n)) {
                *have = Some(named.to_owned());
            }
        }
    }

    /// Adds a message whose blocks were pushed since index `blocks`; returns its index.
    pub fn message(&mut self, role: Role, span: Span, blocks: usize, array: bool) -> u32 {
        self.numbered += 1;
        self.messages.push(Message {
            record: self.record,
            span,
            line: self.line,
            number: self.numbered,
            blocks: blocks as u32,
            role,
            array,
            empty_calls: false,
            broken_off: false,
            prefix: false,
            continues: false,
            injected: false,
            fixed: span.is_empty(),
            pieced: false,
        });
        self.messages.len() as u32 - 1
    }

    /// Adds a block.
    pub fn block(&mut self, kind: BlockKind, flags: Flags, part: usize, span: Span, chars: usize, extra: usize) {
        self.blocks.push(Block { kind, flags, part: part.min(usize::from(u16::MAX)) as u16, span, chars: clip(chars), extra: clip(extra) });
    }

    /// Numbers the parts from index `first` on as they stand, where a message has them in several members: its content and
    /// its calls.
    pub fn count_parts(&mut self, first: usize) {
        let (mut at, mut part) = (first, 0u16);
        while let Some(block) = self.blocks.get_mut(at) {
            block.part = part;
            part = part.saturating_add(1);
            at += 1 + if block.kind == BlockKind::Result { self.links[block.extra as usize].children as usize } else { 0 };
        }
    }

    /// Takes back the blocks from index `n` on, and what was noted of them.
    pub fn keep_blocks(&mut self, n: usize) {
        self.blocks.truncate(n);
        while self.notes.last().is_some_and(|note| note.block as usize >= n) {
            self.notes.pop();
        }
    }

    /// Notes something of the block at index `block`.
    pub fn note(&mut self, block: usize, fact: Fact) {
        self.notes.push(Note { block: block as u32, fact });
    }

    /// Adds a link and returns its index.
    pub fn link(&mut self, call: CallId, tool: &str, children: usize, content: Span) -> usize {
        let tool = self.names.intern(tool);
        self.links.push(Link { call: call.hash, id: call.span, tool, children: clip(children), content });
        self.links.len() - 1
    }

    /// Notes where else the record that is being read keeps what the result of `call` said.
    pub fn mirror(&mut self, call: u64, span: Span, kind: MirrorKind) {
        if call != 0 {
            self.mirrors.push(Mirror { call, record: self.record, span, kind });
        }
    }

    /// Notes what the result of `call` says in the record that is being read, or with no call (0) that `span` of it repeats what
    /// some result says; `raw` is the text as it is written.
    pub fn echo(&mut self, raw: &[u8], call: u64, span: Span) {
        // Its length, both ends and the middle tell a text from those that were printed about the same time.
        let (length, middle) = (raw.len(), raw.len() / 2);
        let piece = |from: usize| &raw[from.min(length)..(from + 64).min(length)];
        let parts = [&length.to_le_bytes()[..], piece(0), piece(middle), piece(length.saturating_sub(64))];
        self.echoes.push(Echo { likeness: id_hash(&parts.concat()), call, record: self.record, span });
    }

    /// Makes mirrors of what repeats a result: of the next one that says the same.
    pub fn hear(&mut self) {
        let mut waiting: HashMap<u64, VecDeque<Echo>> = HashMap::new();
        for echo in std::mem::take(&mut self.echoes) {
            if echo.call == 0 {
                waiting.entry(echo.likeness).or_default().push_back(echo);
            } else if let Some(Echo { record, span, .. }) = waiting.get_mut(&echo.likeness).and_then(VecDeque::pop_front) {
                self.mirrors.push(Mirror { call: echo.call, record, span, kind: MirrorKind::Shown });
            }
        }
    }

    /// Notes when a message of the assistant was written, in RFC 3339.
    pub fn answered(&mut self, time: Option<&str>) {
        let time = time.and_then(|t| t.parse::<jiff::Timestamp>().ok()).map(|t| t.as_millisecond());
        self.assistant_time = self.assistant_time.max(time);
    }

    /// Counts a record or block of an unknown type: it passes through as it is.
    pub fn unknown(&mut self, what: &str, name: &str) {
        let key = format!("{what} {}", name.chars().take(40).collect::<String>());
        if self.unknown.len() < 20 || self.unknown.contains_key(&key) {
            *self.unknown.entry(key).or_default() += 1;
        }
    }

    /// Takes over what `next`, a sheet of the part of the file that follows, holds.
    pub fn append(&mut self, next: Sheet) {
        let (messages, blocks, links) = (self.messages.len() as u32, self.blocks.len() as u32, self.links.len() as u32);
        let entries = self.entries.len();
        let tools: Vec<u32> = next.names.into_list().iter().map(|name| self.names.intern(name)).collect();
        let (lines, numbered) = (self.lines, self.numbered);
        self.messages.extend(next.messages.into_iter().map(|m| Message {
            line: m.line.saturating_add(clip(lines as usize)),
            number: m.number + numbered,
            blocks: m.blocks + blocks,
            ..m
        }));
        self.blocks.extend(next.blocks.into_iter().map(|b| if b.is_linked() { Block { extra: b.extra + links, ..b } } else { b }));
        self.mirrors.extend(next.mirrors);
        self.echoes.extend(next.echoes);
        self.notes.extend(next.notes.into_iter().map(|n| Note { block: n.block + blocks, ..n }));
        self.links.extend(next.links.into_iter().map(|l| Link { tool: tools[l.tool as usize], ..l }));
        self.entries
            .extend(next.entries.into_iter().map(|e| Entry { message: if e.message == NONE { NONE } else { e.message + messages }, ..e }));
        self.markers.extend(next.markers);
        self.projections.extend(next.projections.into_iter().map(|p| Projection { entry: p.entry.map(|e| e + entries), ..p }));
        self.warnings.extend(next.warnings.into_iter().map(|w| Warning { line: w.line.map(|l| l + lines), ..w }));
        for (key, n) in next.unknown {
            *self.unknown.entry(key).or_default() += n;
        }
        self.model = next.model.or(self.model.take());
        self.provider = next.provider.or(self.provider.take());
        self.assistant_time = self.assistant_time.max(next.assistant_time);
        self.calls_elsewhere |= next.calls_elsewhere;
        self.records += next.records;
        self.lines += next.lines;
        self.numbered += next.numbered;
    }
}

fn clip(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// The hash by which ids are compared: 64 bits of FNV-1a, mixed; never 0. Ids are not kept, as a log has one per line.
pub fn id_hash(id: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for chunk in id.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0000_0100_0000_01b3);
        hash ^= hash >> 29;
        hash = hash.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    hash ^= hash >> 32 ^ id.len() as u64;
    hash | 1
}
