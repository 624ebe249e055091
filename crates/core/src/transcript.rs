//! The transcript: the messages of the effective context as plain data, with spans into the input. Every format is read into it.
//!
//! A transcript contains no text. A [`Message`] has the place of its record, a [`Block`] the place of its value in that record and
//! the length of its text; a pass that needs the text reads the span from the source. All formats fill the same types; differences
//! between providers are data here ([`Interface`]) or a rule in `check`.

mod block;
mod grow;
mod metadata;
mod names;
mod record_references;
mod records;
mod rules;
mod trim_note;
mod unread;

pub use block::{Block, BlockKind, Flags, Link, Span};
pub use metadata::{
    Fault, ItemFault, LastCallSource, Marker, MissingParents, Note, NoteKind, OuterText, OutsideKind, Request, ResultCopy, ResultCopyKind,
    TextTypeMember, Thinking, TruncatedRecord,
};
pub use names::Names;
pub use record_references::RecordReferences;
pub use records::{Name, Record, Records};
pub use rules::{
    Arguments, EmptyContent, First, FirstMessage, IdScope, Interface, LastMessage, Letters, Precedence, ReasoningContentRule,
    ResultTemplate, Results, Rules, StartAfterCut, Syntax, SystemPlacement, ThinkingRules,
};
pub use trim_note::{ends_with_note, trim_note};
pub use unread::{UnknownKind, Unread};

/// The layout of a format's records in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A record is a request body: the input is one, or one a line.
    Body,
    /// A record is a line; all lines together are one transcript.
    History,
}

/// The speaker of a message, to which the roles of every provider are mapped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// System or developer prompt: kept, never counted.
    System,
    /// A person, or what the provider files under the user (Anthropic's results among them).
    User,
    /// The model.
    Assistant,
    /// A message that is one tool result (OpenAI `tool`, OpenClaw `toolResult`).
    Tool,
    /// Anything else the agent sends: summaries, shell transcripts, custom messages.
    #[default]
    Other,
}

/// One message of the effective context.
#[derive(Clone, Copy, Debug, Default)]
pub struct Message {
    /// Byte of the input at which its record begins (the line of a history, the body itself).
    pub record: u64,
    /// The message's object, in its record.
    pub span: Span,
    /// Line of the input, from 1.
    pub line: u32,
    /// Number of the message in the input, from 1.
    pub number: u32,
    /// First of its blocks in [`Transcript::blocks`]; they end where the next message's begin.
    pub blocks: u32,
    /// The speaker.
    pub role: Role,
    /// Whether the blocks are an array; a string content is one Text block of its own.
    pub array: bool,
    /// Whether it has an empty `tool_calls`.
    pub empty_calls: bool,
    /// Whether nothing that OpenAI counts as content is in it: no text, no call, nor a refusal or a sound.
    pub no_content: bool,
    /// Whether the model broke off in it (`stopReason` error or aborted): its calls were never made.
    pub broken_off: bool,
    /// Whether it is an answer begun for the model to go on with (`prefix`).
    pub prefix: bool,
    /// Whether it continues the assistant's message before it: the log split what is one message to the provider.
    pub continues: bool,
    /// Whether a program wrote it in the user's place, as its record says.
    pub injected: bool,
    /// Whether it represents more than itself, as a compaction's summary does for all before it: it is never removed alone.
    pub not_removable: bool,
    /// Whether its role is one that the provider does not know.
    pub odd_role: bool,
    /// Whether several records make it, so that one may take back what another says: it is pruned, and not repaired.
    pub multi_record: bool,
    /// Whether nothing in it was understood.
    pub unread: bool,
}

/// The messages that the agent would send next, and what else the format learned.
#[derive(Debug)]
pub struct Transcript {
    /// Name of the format that read it.
    pub format: &'static str,
    /// Whether it is a body, or all lines of a history.
    pub layout: Layout,
    /// The members by which its records name each other, where they do.
    pub references: Option<&'static RecordReferences>,
    /// The interface of its provider: the rules for requests, and the refusals.
    pub interface: &'static Interface,
    /// The form in which the content of a result is written anew.
    pub template: &'static ResultTemplate,
    /// The index of that form among the format's forms of results.
    pub result_form: u8,
    /// Messages in the order in which they are sent.
    pub messages: Vec<Message>,
    /// Blocks of all messages, in order.
    pub blocks: Vec<Block>,
    /// Calls and results, by [`Block::extra`].
    pub links: Vec<Link>,
    /// Notes on blocks, for facts that only a few have. Not kept for a history.
    pub notes: Vec<Note>,
    /// The parts of a body outside its messages.
    pub request: Request,
    /// Other places of results, in any order.
    pub result_copies: Vec<ResultCopy>,
    /// Names of tools, by [`Link::tool`]; index 0 is the empty name.
    pub tools: Vec<String>,
    /// Model that the request will run on, where the input names one.
    pub model: Option<String>,
    /// Provider, where the input names one.
    pub provider: Option<String>,
    /// API, where the input names one or is a body for one, as agents call it.
    pub api: Option<String>,
    /// Provider that the user named, which says more of what is refused than what a format takes for granted.
    pub service: Option<String>,
    /// Time of the last call in milliseconds since 1970, and where it was found, where no marker gives it.
    pub last_call: Option<(i64, LastCallSource)>,
    /// The agent's notes on the times of calls, in the order of the input.
    pub markers: Vec<Marker>,
    /// Byte ranges (from, to) of the input in which the agent recorded its earlier cuts, in order.
    pub projections: Vec<(u64, u64)>,
    /// Whether calls of results that are here may lie with the provider.
    pub calls_elsewhere: bool,
    /// Whether thinking may stay behind a cut whatever the model: the agent manages its history with the provider.
    pub thinking_is_free: bool,
    /// Whether the items of the model that follow reasoning are bound to it, and it to them.
    pub reasoning_binds: bool,
    /// Whether records are spread over lines, rather than each a line.
    pub multiline_records: bool,
    /// Whether lines are before their parents.
    pub out_of_order: bool,
    /// The parents that are not in the input, where some are.
    pub missing: Option<MissingParents>,
    /// Records of the input, whether in the context or not.
    pub records: u64,
    /// The places of the records and their links to each other, where that was asked for.
    pub table: Option<Records>,
    /// The last record, where it was not written to its end.
    pub torn: Option<TruncatedRecord>,
    /// Content that was not understood.
    pub unread: Unread,
    /// Warnings to the user about the input.
    pub warnings: Vec<crate::diagnostics::Warning>,
}

impl Transcript {
    /// Returns the rules of its provider, as far as the interface, the model and the provider define them.
    pub fn rules(&self) -> Rules {
        (self.interface.rules)(self.model.as_deref(), self.service.as_deref())
    }

    /// Whether the provider passes over thinking that is sent back: this request does not turn thinking on.
    pub fn ignores_thinking(&self, rules: &Rules) -> bool {
        let (thoughts, asked) = (rules.thoughts, self.request.thinking);
        let is_off = asked == Thinking::Disabled || asked == Thinking::Unsaid && !thoughts.unasked;
        self.layout == Layout::Body && thoughts.as_asked && is_off
    }

    /// The blocks of message `i`, children of results included.
    pub fn blocks_of(&self, i: usize) -> &[Block] {
        let from = self.messages[i].blocks as usize;
        let to = self.messages.get(i + 1).map_or(self.blocks.len(), |m| m.blocks as usize);
        &self.blocks[from..to]
    }

    /// The same, each with its index.
    pub fn numbered_blocks_of(&self, i: usize) -> impl Iterator<Item = (u32, &Block)> + Clone {
        (self.messages[i].blocks..).zip(self.blocks_of(i))
    }

    /// The blocks of message `i` that lie side by side in it, by their indices: what is in a result is left out.
    pub fn parts(&self, i: usize) -> impl Iterator<Item = (u32, &Block)> {
        let mut at = self.messages[i].blocks;
        let end = at + self.blocks_of(i).len() as u32;
        std::iter::from_fn(move || {
            let index = at;
            let block = self.blocks.get(index as usize).filter(|_| index < end)?;
            at += 1 + self.inside(index).len() as u32;
            Some((index, block))
        })
    }

    /// The blocks of the content of the block at index `block`, if that is a result.
    pub fn inside(&self, block: u32) -> &[Block] {
        let at = block as usize;
        let found = &self.blocks[at];
        let children = if found.kind == BlockKind::Result { self.link(found).children as usize } else { 0 };
        &self.blocks[at + 1..at + 1 + children]
    }

    /// Whether message `i` is nothing but results of a user's turn, as Anthropic has them.
    pub fn is_only_results(&self, i: usize) -> bool {
        let blocks = self.blocks_of(i);
        let results = blocks.iter().filter(|b| b.kind == BlockKind::Result);
        let of_results: usize = results.map(|b| 1 + self.link(b).children as usize).sum();
        self.messages[i].role == Role::User && !blocks.is_empty() && of_results == blocks.len()
    }

    /// Index of the message that message `i` continues, over all its pieces; `i` where it is whole.
    pub fn begin_of(&self, i: usize) -> usize {
        let piece = |&j: &usize| self.messages[j].role == Role::Assistant;
        let mut at = i;
        while self.messages[at].continues {
            let Some(before) = (0..at).rev().find(piece) else { break };
            at = before;
        }
        at
    }

    /// The link of a Call or Result block.
    pub fn link(&self, block: &Block) -> Link {
        self.links[block.extra as usize]
    }

    /// The name of the tool that `block`, a Call or a Result, belongs to; empty where unknown.
    pub fn tool_of(&self, block: &Block) -> &str {
        &self.tools[self.link(block).tool as usize]
    }
}
