//! What a format found in its input: the messages of the effective context as plain data, with spans into the input.
//!
//! Nothing here is text. A [`Message`] says where its record begins, a [`Block`] where its value lies in that record and
//! how long its text is; a pass that needs the text itself reads the span from the source. All formats fill the same
//! types; what differs between providers is data here ([`Rules`]) or a rule in `check`.

use std::collections::HashMap;

/// Who speaks in a message, as every provider's roles map to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    Other,
}

/// What a block is. A [`BlockKind::Result`] is followed by its children, the blocks of its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Text; in a result, a text child.
    Text,
    /// A text block whose `text` is not a string: counted by its JSON.
    Malformed,
    /// Model reasoning, with its signature counted; never edited.
    Thinking,
    /// An image, counted at a flat size.
    Image,
    /// A tool call; its chars are those of its arguments.
    Call,
    /// A tool result; its span is the content value and its size that of its children.
    Result,
    /// A block this program does not know: kept, never cut.
    Other,
}

/// A byte range of the input. For a block it is relative to its record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// Past the last byte.
    pub end: u32,
}

impl Span {
    /// Length in bytes.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether the span holds no byte.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The span's bytes in `record`.
    pub fn of(self, record: &[u8]) -> &[u8] {
        &record[self.start as usize..self.end as usize]
    }
}

/// Facts about a block that are true or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// The value of a result's content is a plain string, not an array of blocks.
    pub const STRING: Flags = Flags(1);
    /// The result is marked as an error.
    pub const ERROR: Flags = Flags(2);
    /// The text ends with the note that a trim leaves.
    pub const TRIMMED: Flags = Flags(4);
    /// The text is empty or white space only.
    pub const BLANK: Flags = Flags(8);
    /// The result has no content value at all.
    pub const ABSENT: Flags = Flags(16);
    /// The block carries a cache mark (`cache_control`).
    pub const CACHE_MARK: Flags = Flags(32);
    /// The text ends with white space.
    pub const TRAILING: Flags = Flags(64);
    /// The block carries a signature that later requests must bring back with it.
    pub const SIGNED: Flags = Flags(128);

    /// Whether all of `other` are set.
    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// These flags and `other`, if `on`.
    #[must_use]
    pub fn with(self, other: Flags, on: bool) -> Flags {
        if on { Flags(self.0 | other.0) } else { self }
    }
}

/// One block of a message.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Facts about it.
    pub flags: Flags,
    /// Position among the parts of its message, from 0; a child has its position in the result's content.
    pub part: u16,
    /// Where it is in its record: the raw string with its quotes (Text), else the whole value; for a Result that is a
    /// message of its own, that message.
    pub span: Span,
    /// Length in UTF-16 units of the decoded text; for a call, of its arguments as `JSON.stringify` prints them.
    pub chars: u32,
    /// What the estimator adds to `chars` for scripts that cost more tokens; for a Call or a Result the index into
    /// [`Transcript::links`].
    pub extra: u32,
}

impl Block {
    /// Whether `extra` is an index of [`Transcript::links`].
    pub fn is_linked(&self) -> bool {
        matches!(self.kind, BlockKind::Call | BlockKind::Result)
    }
}

/// A call's or a result's identity: what pairs them and which tool it is.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Hash of the call id; 0 where the record names none.
    pub call: u64,
    /// Where the id stands in the record, without its quotes.
    pub id: Span,
    /// Index into [`Transcript::tools`].
    pub tool: u32,
    /// For a result: how many blocks after it are its children.
    pub children: u32,
    /// For a result: the value of its content.
    pub content: Span,
}

/// One message of the effective context.
#[derive(Clone, Copy, Debug)]
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
    /// Who speaks.
    pub role: Role,
    /// Whether the blocks are an array; a string content is one Text block of its own.
    pub array: bool,
    /// Whether it has an empty `tool_calls`.
    pub empty_calls: bool,
    /// Whether the model broke off in it (`stopReason` error or aborted): its calls were never made.
    pub broken_off: bool,
    /// Whether it is an answer begun for the model to go on with (`prefix`).
    pub prefix: bool,
    /// Whether it goes on with the assistant's message before it: the log split what is one message to the provider.
    pub continues: bool,
    /// Whether a program wrote it in the user's place, as its record says.
    pub injected: bool,
    /// Whether it stands for more than itself, as a compaction's summary does for all before it: it never goes alone.
    pub fixed: bool,
    /// Whether several records make it, so that one may take back what another says: it is pruned, and not mended.
    pub pieced: bool,
}

/// What is worth knowing of a few blocks only: kept beside them, in their order, and only where it occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    /// Index into [`Transcript::blocks`].
    pub block: u32,
    /// What it is.
    pub fact: Fact,
}

/// What a [`Note`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// The block carries a cache mark, for an hour or for five minutes.
    Mark {
        /// An hour.
        long: bool,
    },
    /// A call that the provider answers itself, with the hash of its id.
    ServerCall(u64),
    /// The provider's answer to the call of this id.
    ServerResult(u64),
    /// The call was made by the server tool of this id.
    Caller(u64),
    /// Reasoning that stands as `reasoning_content` beside a message's content.
    ReasoningContent,
    /// A part that carries Gemini's signature of a thought.
    Signature,
    /// A call that only a picture of the screen answers.
    Screen,
}

/// What a request asks of thinking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thinking {
    /// Nothing: there is none.
    #[default]
    Unsaid,
    /// None.
    Disabled,
    /// Always.
    Enabled,
    /// As the model sees fit, or what this program does not know.
    Adaptive,
}

/// Another place where the log keeps what a result said. It is not part of the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mirror {
    /// Hash of the id of the result's call.
    pub call: u64,
    /// Byte of the input at which its record begins.
    pub record: u64,
    /// Its value, in its record.
    pub span: Span,
    /// What it is to the agent.
    pub kind: MirrorKind,
}

/// What a [`Mirror`] is to the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MirrorKind {
    /// The content of the result once more, which some releases of the agent send: cut whenever the result is.
    Twin {
        /// Whether it is a string; else it has the shape of a result's content.
        string: bool,
    },
    /// For the screen or for a log only, in a shape of its own.
    Shown,
}

/// What a request body says outside its messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Whether it declares a tool.
    pub tools: bool,
    /// What it says of thinking.
    pub thinking: Thinking,
    /// Its cache marks in tools: whether each is for an hour.
    pub tool_marks: Vec<bool>,
    /// Its cache marks in the system prompt: whether each is for an hour.
    pub system_marks: Vec<bool>,
    /// The mark that the provider puts behind all of it, where the body asks for that: whether it is for an hour.
    pub automatic_mark: Option<bool>,
}

/// Where the time of the last call was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastCallSource {
    /// `--last-call`.
    Flag,
    /// The state file.
    State,
    /// An `openclaw.cache-ttl` marker in the history.
    Marker,
    /// The newest assistant record that has a time.
    Assistant,
}

/// A provider's pairing and order rules, as data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// Anthropic Messages: results in the next user message, first in it.
    Anthropic,
    /// OpenAI Chat: tool messages directly after their call.
    OpenAiChat,
    /// OpenAI Responses: pairs over the whole list, wherever they stand; reasoning is tied to what follows it.
    Responses,
    /// Gemini: as many responses as calls, in the very next content.
    Gemini,
    /// Bedrock Converse: Anthropic's rules, and roles that alternate.
    Converse,
    /// Mistral: OpenAI's rules, as many results as calls, and an answer before the user speaks again.
    Mistral,
    /// Cohere: OpenAI's rules.
    Cohere,
    /// Ollama: pairs, wherever they stand; the server checks nothing.
    Ollama,
    /// Agent histories: the agent repairs order itself; only pairs count.
    History,
    /// Unknown plain messages: the stricter of the rules above that can apply.
    Generic,
}

impl Rules {
    /// The rules that hold for a body that may be under either of two.
    #[must_use]
    pub fn stricter(self, other: Rules) -> Rules {
        match (self, other) {
            (a, b) if a == b => a,
            (Rules::Ollama, rules) | (rules, Rules::Ollama) => rules,
            (Rules::Mistral, Rules::OpenAiChat | Rules::Cohere) | (Rules::OpenAiChat | Rules::Cohere, Rules::Mistral) => Rules::Mistral,
            (Rules::OpenAiChat, Rules::Cohere) | (Rules::Cohere, Rules::OpenAiChat) => Rules::OpenAiChat,
            _ => Rules::Generic,
        }
    }
}

/// How a format writes the content of a result that is not a string, and reads it again.
#[derive(Debug)]
pub struct ResultShape {
    /// What stands before the text, its opening quote included.
    pub open: &'static str,
    /// The same for a result that is marked as an error; [`ResultShape::open`] where that mark stands elsewhere.
    pub open_error: &'static str,
    /// What stands after it, its closing quote included.
    pub close: &'static str,
    /// Reads a content value: pushes its blocks into the sheet.
    pub read: fn(&mut crate::json::Cursor<'_>, &mut crate::format::sheet::Sheet) -> Result<(), crate::json::ScanError>,
}

/// The messages that the agent would send next, and what else the format learned.
#[derive(Debug)]
pub struct Transcript {
    /// Name of the format that read it.
    pub format: &'static str,
    /// Rules that `check` applies.
    pub rules: Rules,
    /// How the content of a result is written anew.
    pub shape: &'static ResultShape,
    /// Messages in the order in which they are sent.
    pub messages: Vec<Message>,
    /// Blocks of all messages, in order.
    pub blocks: Vec<Block>,
    /// Calls and results, by [`Block::extra`].
    pub links: Vec<Link>,
    /// What is known of a few blocks only. Not kept for a history.
    pub notes: Vec<Note>,
    /// What a body says outside its messages.
    pub request: Request,
    /// Where else the results stand, in any order.
    pub mirrors: Vec<Mirror>,
    /// Names of tools, by [`Link::tool`]; index 0 is the empty name.
    pub tools: Vec<String>,
    /// Model that the request will run on, where the input names one.
    pub model: Option<String>,
    /// Provider, where the input names one.
    pub provider: Option<String>,
    /// Time of the last call in milliseconds since 1970, and where it was found.
    pub last_call: Option<(i64, LastCallSource)>,
    /// Where the agent wrote down, in the input, what it cut before: bytes from and to, in order.
    pub projections: Vec<(u64, u64)>,
    /// Whether calls of results that are here may lie with the provider.
    pub calls_elsewhere: bool,
    /// Whether thinking may stay behind a cut whatever the model: the agent manages its history with the provider.
    pub thinking_is_free: bool,
    /// Whether the items of the model that follow reasoning are bound to it, and it to them.
    pub reasoning_binds: bool,
    /// Whether records are spread over lines, rather than each a line.
    pub spread: bool,
    /// Records of the input, whether in the context or not.
    pub records: u64,
    /// What the user should know about the input.
    pub warnings: Vec<crate::report::Warning>,
}

impl Transcript {
    /// The blocks of message `i`, children of results included.
    pub fn blocks_of(&self, i: usize) -> &[Block] {
        let from = self.messages[i].blocks as usize;
        let to = self.messages.get(i + 1).map_or(self.blocks.len(), |m| m.blocks as usize);
        &self.blocks[from..to]
    }

    /// Whether message `i` is nothing but results of a user's turn, as Anthropic has them.
    pub fn is_only_results(&self, i: usize) -> bool {
        let blocks = self.blocks_of(i);
        let results = blocks.iter().filter(|b| b.kind == BlockKind::Result);
        let of_results: usize = results.map(|b| 1 + self.link(b).children as usize).sum();
        self.messages[i].role == Role::User && !blocks.is_empty() && of_results == blocks.len()
    }

    /// Index of the message that message `i` goes on with, over all its pieces; `i` where it is whole.
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

/// Names kept once and referred to by number; number 0 is the empty name.
#[derive(Debug)]
pub struct Names {
    list: Vec<String>,
    index: HashMap<String, u32>,
}

impl Default for Names {
    fn default() -> Names {
        Names { list: vec![String::new()], index: HashMap::new() }
    }
}

impl Names {
    /// The number of `name`, new or known.
    pub fn intern(&mut self, name: &str) -> u32 {
        // An agent has few tools, and most logs use fewer still.
        if let Some(n) = self.list.iter().take(12).position(|known| known == name) {
            return n as u32;
        }
        if let Some(&n) = self.index.get(name) {
            return n;
        }
        let n = self.list.len() as u32;
        self.list.push(name.to_owned());
        self.index.insert(name.to_owned(), n);
        n
    }

    /// All names, by number.
    pub fn into_list(self) -> Vec<String> {
        self.list
    }
}
