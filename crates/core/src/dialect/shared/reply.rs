//! The neutral result for a call that has none, in the form that each spelling of a call requires.

use crate::dialect::shared::envelope::Envelope;
use crate::json::locate::{Member, members};
use crate::json::{Id, text};
use crate::transcript::Rules;
use std::ops::Range;

/// The text of the neutral result.
pub const NO_RESULT: &str =
    "[No result was recorded for this call; assume nothing about its effects.]";

/// The form in which a format writes missing results.
#[derive(Clone, Copy, Debug)]
pub struct Replies {
    /// Spellings of its own, which come before those that all formats share.
    pub own: &'static [Spelling],
    /// The members that the agent writes around a message on a line of its own.
    pub line: Option<&'static Envelope>,
    /// The form of a result inside the record of its call, where the format has that.
    pub inline: Option<&'static Inline>,
}

impl Replies {
    /// In a spelling that several formats have, as a part or a message.
    pub const COMMON: Replies = Replies {
        own: &[],
        line: None,
        inline: None,
    };
}

/// Missing results inside the record of their calls.
#[derive(Debug)]
pub struct Inline {
    /// Returns the changes by which each of these calls gets an answer, in the record that begins at the given byte.
    pub answer: fn(&[u8], usize, &[InlineCall<'_>]) -> Vec<Set>,
    /// The member of a tool's run that lists its results, where results may be lines of their own as well.
    pub results: Option<&'static str>,
}

/// A call without a result, in a record that holds both.
#[derive(Debug)]
pub struct InlineCall<'a> {
    /// The byte of the input at which it begins.
    pub start: usize,
    /// Its id, as it is compared.
    pub call: Id,
    /// Its id, as it is written.
    pub id: &'a [u8],
    /// Its tool.
    pub tool: &'a str,
}

/// A change of a record.
#[derive(Debug)]
pub enum Set {
    /// A member of the object that begins at a byte has this value.
    Member(usize, &'static str, Vec<u8>),
    /// This comes before the element that begins at a byte.
    Before(usize, Vec<u8>),
    /// This comes behind the element that ends at a byte.
    Behind(usize, Vec<u8>),
    /// This comes in the place of a value.
    Value(Range<usize>, Vec<u8>),
}

/// An answer, written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A part of a user's message.
    Part(Vec<u8>),
    /// A message, or an item, of its own.
    Message(Vec<u8>),
}

impl Reply {
    /// Returns the JSON of the reply.
    pub fn bytes(&self) -> &[u8] {
        let (Reply::Part(bytes) | Reply::Message(bytes)) = self;
        bytes
    }
}

/// A spelling of calls: whether a call is written so, and the answer to it; nothing where no text can answer the call.
pub type Spelling = (fn(&WrittenCall<'_>) -> bool, Answer);

/// An answer, with `$id`, `$name`, `$said` and others of the kind in it; see `WrittenCall::fill`.
#[derive(Debug)]
pub enum Answer {
    /// A part of a user's message.
    Part(&'static str),
    /// A message, or an item, of its own.
    Message(&'static str),
    /// Nothing.
    None,
}

/// A call as it is written.
pub struct WrittenCall<'a> {
    bytes: &'a [u8],
    members: Vec<Member<'a>>,
    /// Its id as it is between the quotes, empty where it has none.
    id: &'a [u8],
    tool: &'a str,
}

impl<'a> WrittenCall<'a> {
    /// The call that is written as `bytes`.
    pub fn new(bytes: &'a [u8], id: &'a [u8], tool: &'a str) -> WrittenCall<'a> {
        WrittenCall {
            bytes,
            members: members(bytes, 0).unwrap_or_default(),
            id,
            tool,
        }
    }

    fn value(&self, name: &str) -> Option<&'a [u8]> {
        self.members
            .iter()
            .rfind(|m| *m.name == *name.as_bytes())
            .map(|m| &self.bytes[m.value.clone()])
    }

    fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// Whether its type is `kind`, which has its quotes.
    pub fn is(&self, kind: &str) -> bool {
        self.value("type")
            .is_some_and(|value| value == kind.as_bytes() || text::lossy(value) == kind)
    }

    fn answer(&self, own: &'static [Spelling]) -> Option<&'static Answer> {
        own.iter()
            .chain(COMMON)
            .find(|(fits, _)| fits(self))
            .map(|(_, answer)| answer)
    }

    /// Whether it is a part of a message's content, and so is its result.
    pub fn is_part(&self) -> bool {
        matches!(self.answer(&[]), Some(Answer::Part(_)))
    }

    /// The answer to it.
    pub fn reply(&self, replies: &Replies, rules: &Rules) -> Option<Reply> {
        match self.answer(replies.own)? {
            Answer::Part(pattern) => Some(Reply::Part(self.fill(pattern, rules))),
            Answer::Message(pattern) => Some(Reply::Message(self.fill(pattern, rules))),
            Answer::None => None,
        }
    }

    /// Fills in a pattern: `$said` becomes [`NO_RESULT`], `$id` the id of this call, `$own` a member with that id (omitted where there
    /// is none), `$name` its tool, `$tool` the name of the member for the tool, and `$call` the call itself.
    fn fill(&self, pattern: &str, rules: &Rules) -> Vec<u8> {
        let mut words = pattern.split('$');
        let mut out = words.next().unwrap_or_default().as_bytes().to_vec();
        for word in words {
            let end = word
                .find(|c: char| !c.is_ascii_lowercase())
                .unwrap_or(word.len());
            match &word[..end] {
                "said" => out.extend_from_slice(NO_RESULT.as_bytes()),
                "id" => out.extend_from_slice(self.id),
                "own" if !self.id.is_empty() => {
                    out.extend_from_slice(&[b"\"id\":\"", self.id, b"\","].concat())
                }
                "name" => text::encode(self.tool, &mut out),
                "tool" => out.extend_from_slice(rules.tool_member.as_bytes()),
                "call" => out.extend_from_slice(self.bytes),
                _ => {}
            }
            out.extend_from_slice(&word.as_bytes()[end..]);
        }
        out
    }
}

/// A result of Gemini's, which says why there is none under `key`.
pub fn function_response(key: &str, id: &[u8], tool: &str) -> Vec<u8> {
    let pattern = [
        r#"{"functionResponse":{$own"name":"$name","response":{""#,
        key,
        r#"":"$said"}}}"#,
    ]
    .concat();
    WrittenCall::new(b"{}", id, tool).fill(&pattern, &crate::dialect::rules::FREE)
}

/// The answer to a call of a function, as an item.
pub const FUNCTION: Answer =
    Answer::Message(r#"{"type":"function_call_output","call_id":"$id","output":"$said"}"#);

/// The spellings that formats share; the first that fits counts.
const COMMON: &[Spelling] = &[
    (
        |call| call.has("toolUse"),
        Answer::Part(r#"{"toolResult":{"toolUseId":"$id","content":[{"text":"$said"}]}}"#),
    ),
    (
        |call| call.has("functionCall"),
        Answer::Part(r#"{"functionResponse":{$own"name":"$name","response":{"output":"$said"}}}"#),
    ),
    (
        |call| call.has("function_call"),
        Answer::Part(r#"{"function_response":{$own"name":"$name","response":{"output":"$said"}}}"#),
    ),
    (
        |call| call.has("toolCallId"),
        Answer::Message(r#"{"toolCallId":"$id","success":false,"error":{"message":"$said"}}"#),
    ),
    (
        |call| call.is(r#""tool_use""#),
        Answer::Part(r#"{"type":"tool_result","tool_use_id":"$id","content":"$said"}"#),
    ),
    (
        |call| call.is(r#""toolCall""#),
        Answer::Message(
            r#"{"role":"toolResult","toolCallId":"$id","toolName":"$name","content":[{"type":"text","text":"$said"}],"isError":true}"#,
        ),
    ),
    (|call| call.is(r#""function_call""#), FUNCTION),
    (
        |call| call.is(r#""custom_tool_call""#),
        Answer::Message(r#"{"type":"custom_tool_call_output","call_id":"$id","output":"$said"}"#),
    ),
    (
        |call| call.is(r#""local_shell_call""#),
        Answer::Message(r#"{"type":"local_shell_call_output","id":"$id","output":"$said"}"#),
    ),
    (
        |call| call.is(r#""shell_call""#),
        Answer::Message(
            r#"{"type":"shell_call_output","call_id":"$id","output":[{"stdout":"$said","stderr":"","outcome":{"type":"timeout"}}]}"#,
        ),
    ),
    (
        |call| call.is(r#""apply_patch_call""#),
        Answer::Message(
            r#"{"type":"apply_patch_call_output","call_id":"$id","status":"failed","output":"$said"}"#,
        ),
    ),
    // Its output is a picture, and may have to say that a person acknowledged what the provider warned of.
    (|call| call.is(r#""computer_call""#), Answer::None),
    // The service searches itself.
    (
        |call| call.is(r#""tool_search_call""#) && call.value("execution") == Some(br#""server""#),
        Answer::None,
    ),
    (
        |call| call.is(r#""tool_search_call""#),
        Answer::Message(r#"{"type":"tool_search_output","call_id":"$id","tools":[]}"#),
    ),
    // Cohere's first interface: a result repeats its call.
    (
        |call| !call.has("type") && call.has("name") && call.has("parameters"),
        Answer::Part(r#"{"call":$call,"outputs":[{"output":"$said"}]}"#),
    ),
    // Calls without ids: the tool's name says whose the result is.
    (
        |call| call.id.is_empty() && call.has("function"),
        Answer::Message(r#"{"role":"tool","$tool":"$name","content":"$said"}"#),
    ),
    (
        |call| call.has("function") || call.has("custom"),
        Answer::Message(r#"{"role":"tool","tool_call_id":"$id","content":"$said"}"#),
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::by_name;
    use serde_json::{Value, json};

    fn reply(call: &Value, id: &[u8], tool: &str, format: &str) -> Option<Reply> {
        let dialect = by_name(format).unwrap();
        WrittenCall::new(call.to_string().as_bytes(), id, tool)
            .reply(&dialect.replies, &(dialect.interface.rules)(None, None))
    }

    #[test]
    fn every_answer_is_json_and_names_its_call() {
        for (call, is_part) in [
            (json!({"toolUse": {}}), true),
            (json!({"functionCall": {}}), true),
            (json!({"function_call": {}}), true),
            (json!({"type": "tool_use"}), true),
            (json!({"type": "toolCall"}), false),
            (json!({"toolCallId": "a"}), false),
            (json!({"type": "function", "function": {}}), false),
            (json!({"type": "function_call"}), false),
            (json!({"type": "custom_tool_call"}), false),
            (json!({"type": "local_shell_call"}), false),
            (json!({"type": "shell_call"}), false),
            (json!({"type": "apply_patch_call"}), false),
            (json!({"type": "tool_search_call"}), false),
        ] {
            let found = reply(&call, b"i\\\"d", "to\"ol", "messages").unwrap();
            let value: Value = serde_json::from_slice(found.bytes()).unwrap();
            assert!(
                matches!(found, Reply::Part(_)) == is_part
                    && value.to_string().contains(r#""i\"d""#),
                "{call}: {value}"
            );
            assert_eq!(
                WrittenCall::new(call.to_string().as_bytes(), b"", "").is_part(),
                is_part,
                "{call}"
            );
        }
        assert_eq!(
            reply(&json!({"type": "computer_call"}), b"a", "", "codex"),
            None
        );
        // OpenCode's parts and Gemini CLI's records hold their results.
        assert_eq!(
            reply(
                &json!({"type": "tool", "callID": "a"}),
                b"a",
                "",
                "opencode"
            ),
            None
        );
        assert_eq!(
            reply(
                &json!({"id": "a", "name": "f", "args": {}}),
                b"a",
                "f",
                "gemini-cli"
            ),
            None
        );
        let shell = |format: &str| {
            reply(&json!({"type": "local_shell_call"}), b"a", "", format)
                .unwrap()
                .bytes()
                .to_vec()
        };
        assert!(
            shell("codex").starts_with(b"{\"type\":\"function_call_output\"")
                && shell("codex") != shell("openai-responses")
        );
        let repeated = reply(
            &json!({"name": "f", "parameters": {"a": 1.0}}),
            b"",
            "f",
            "cohere",
        )
        .unwrap();
        assert!(
            repeated
                .bytes()
                .starts_with(br#"{"call":{"name":"f","parameters":{"a":1.0}},"outputs":[{"#)
        );
    }
}
