//! Results that Cline writes as texts: `[read_file for 'src/a.rs'] Result:` and what the tool said,
//! in a text of the user's next message.
//!
//! Cline makes a `tool_result` where it finds the id of the call, and such a text where it does not
//! (`core/task/tools/utils/ToolResultUtils.ts`). The head names the tool and mostly what it was
//! called with (`ToolDisplayUtils.getToolDescription`): `[NAME]`, `[NAME for '…']`, `[NAME for '…'
//! in '…']`. A content that is no string comes as JSON without a head. Older releases have the head
//! in a text of its own, and what the tool said in the next.
//!
//! Such a text answers the first open call of the tool that it names, else the first that is open.
//! It becomes a result whose content is what comes after the head, so that a cut leaves the head.
//! Where the assistant's calls are text as well, as before there were native calls, nothing is
//! paired.

use crate::{
    dialect::builder::{CallId, TranscriptBuilder},
    json::{Text, text},
    transcript::{Block, BlockKind, Flags, Role, Span},
};
use memchr::memmem;

/// The text between the head and the output of the tool.
const END: &[u8] = b"] Result:";
/// The beginning of a list of blocks as Cline prints it.
const LIST: &[u8] = br#"[\n  {\n    \"type\": \""#;
/// The words of a text that says that a tool was not called.
const NOT_CALLED: &[u8] = b"not executed";
/// The beginning of the output of a tool that failed (`formatResponse.toolError`).
const FAILED: &[u8] = b"The tool execution failed with the following error:";

/// Calls that wait for the next message of the user's.
#[derive(Default)]
pub struct PendingCalls {
    /// Their links.
    calls: Vec<usize>,
    /// The message that made them.
    message: u32,
    /// Messages of which a call was never answered.
    left: Vec<u32>,
    /// Whether any text was a result.
    used: bool,
}

impl PendingCalls {
    /// Takes note of the message at `index`, the last of the builder, which is in `record`; pairs
    /// the texts in it with the calls before it.
    pub fn message(&mut self, index: u32, record: &[u8], builder: &mut TranscriptBuilder) {
        let made = builder.messages[index as usize];
        let first = made.blocks as usize;
        match made.role {
            Role::Assistant => {
                self.leave();
                let calls = builder.blocks[first..]
                    .iter()
                    .filter(|b| b.kind == BlockKind::Call);
                self.calls = calls.map(|b| b.extra as usize).collect();
                self.message = index;
            }
            Role::User if !self.calls.is_empty() => {
                let answered: Vec<_> = builder.answered_calls(index).collect();
                self.calls
                    .retain(|&call| !answered.contains(&builder.links[call].call));
                if !self.calls.is_empty() {
                    self.texts(first, record, builder);
                }
                self.leave();
            }
            _ => {}
        }
    }

    /// In a history whose results are texts, a call without one was not made, or its result is
    /// recorded in another way.
    pub fn end(mut self, builder: &mut TranscriptBuilder) {
        // The calls of the last message may still run.
        self.calls.clear();
        if self.used {
            self.left
                .iter()
                .for_each(|&message| builder.messages[message as usize].broken_off = true);
        }
    }

    fn leave(&mut self) {
        if !self.calls.is_empty() {
            self.left.push(self.message);
            self.calls.clear();
        }
    }

    /// Makes results of the texts among the blocks from `first` on.
    fn texts(&mut self, first: usize, record: &[u8], builder: &mut TranscriptBuilder) {
        let (mut at, mut headed) = (first, None);
        while let Some(&block) = builder.blocks.get(at) {
            let children = builder.inside_of(&block);
            if block.kind == BlockKind::Text && !self.calls.is_empty() {
                let raw = block.span.inside().of(record);
                let found = match (head(raw).or_else(|| refusal(raw)), headed.take()) {
                    // What the tool said is in the next text.
                    (Some((name, from)), _)
                        if from == raw.len() && is_content(builder, at + 1, record) =>
                    {
                        headed = Some(name);
                        None
                    }
                    (Some((name, from)), _) => Some((name, from)),
                    (None, Some(name)) => Some((name, 0)),
                    (None, None) if raw.starts_with(LIST) => Some((&b""[..], 0)),
                    (None, None) => None,
                };
                if let Some((name, from)) = found {
                    let call = self.answer(name, builder);
                    replace(at, block, from, raw, call, builder);
                    self.used = true;
                    at += 1;
                }
            }
            at += 1 + children;
        }
    }

    /// The call that a text with such a head answers, which is open no more.
    fn answer(&mut self, name: &[u8], builder: &TranscriptBuilder) -> usize {
        let tool = builder.names.number(name);
        let named = self
            .calls
            .iter()
            .position(|&call| Some(builder.links[call].tool) == tool);
        self.calls.remove(named.unwrap_or(0))
    }
}

/// The tool that the head of a text names, and where what the tool said begins.
pub fn head(raw: &[u8]) -> Option<(&[u8], usize)> {
    let (name, rest) = described(raw)?;
    let length = name.len();
    let begins = |at: usize| {
        let end = 1 + length + at + END.len();
        match raw[end..] {
            [] => Some(end),
            [b'\\', b'n', ..] => Some(end + 2),
            _ => None,
        }
    };
    memmem::find_iter(rest, END)
        .find_map(begins)
        .map(|from| (name, from))
}

/// The tool that a text says was not called (`formatResponse.toolAlreadyUsed`, and `ToolExecutor`
/// where the user refused another); the whole text is the result of the call.
fn refusal(raw: &[u8]) -> Option<(&[u8], usize)> {
    let inside = raw.strip_prefix(b"Skipping tool ").or_else(|| {
        raw.strip_prefix(b"Tool ")
            .filter(|_| memmem::find(raw, NOT_CALLED).is_some())
    });
    described(inside?).map(|(name, _)| (name, 0))
}

/// The tool that a description names, and what follows its name: `[NAME]`, or `[NAME for …`.
fn described(raw: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = raw.strip_prefix(b"[")?;
    let length = inside
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || b"_-.:/".contains(b))
        .count();
    let (name, rest) = inside.split_at(length);
    (length > 0 && (rest.starts_with(b" for ") || rest.starts_with(b"]"))).then_some((name, rest))
}

/// Whether the block at `at` may be the output of a tool: a text without another head, which Cline
/// does not add to messages itself.
fn is_content(builder: &TranscriptBuilder, at: usize, record: &[u8]) -> bool {
    builder
        .blocks
        .get(at)
        .filter(|b| b.kind == BlockKind::Text)
        .is_some_and(|block| {
            let raw = block.span.inside().of(record);
            let added = [
                &b"<environment_details>"[..],
                b"<task",
                b"<feedback>",
                b"<user_message>",
                b"<hook_context",
                b"[TASK RESUMPTION]",
            ];
            head(raw).is_none() && !added.iter().any(|tag| raw.starts_with(tag))
        })
}

/// Makes the text block at `at`, whose words are `raw`, a result for the call of link `call`, with
/// the words from `from` on as content.
fn replace(
    at: usize,
    block: Block,
    from: usize,
    raw: &[u8],
    call: usize,
    builder: &mut TranscriptBuilder,
) {
    let said = &raw[from..];
    // As with any text a byte comes before and behind the words: here the last one of the head, or
    // a quote.
    let span = Span {
        start: block.span.start + from as u32,
        ..block.span
    };
    let words = Text {
        raw: said,
        span,
        units: text::units(said, 0),
        plain: false,
    };
    let (answered, part) = (builder.links[call], block.part);
    let link = builder.link(
        CallId {
            hash: answered.call,
            span: Span::default(),
        },
        "",
        1,
        span.inside(),
    );
    builder.links[link].tool = answered.tool;
    let flags = Flags::default()
        .with(Flags::ERROR, said.starts_with(FAILED))
        .with(Flags::STRING, true);
    builder.blocks[at] = Block {
        kind: BlockKind::Result,
        flags,
        part,
        span: block.span,
        chars: 0,
        extra: link as u32,
    };
    builder.text(&words, 0, block.flags.has(Flags::CACHE_MARK));
    builder.blocks[at + 1..].rotate_right(1);
    builder
        .notes
        .iter_mut()
        .filter(|note| note.block as usize > at)
        .for_each(|note| note.block += 1);
}
