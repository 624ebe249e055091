//! The neutral result for a call that has none, in the form that each spelling of a call requires.

use crate::{
    dialect::shared::envelope::Envelope,
    json::{
        Id,
        locate::{Member, members},
        text,
    },
    tables::table_file,
    transcript::Rules,
};
use std::{ops::Range, sync::LazyLock};

/// The text of the neutral result.
pub const NO_RESULT: &str =
    "[No result was recorded for this call; assume nothing about its effects.]";

/// The form in which a format writes missing results.
#[derive(Clone, Copy, Debug)]
pub struct Replies {
    /// Answers to spellings of its own, which come before those that all formats share.
    pub own: &'static [ReplyRow],
    /// The members that the agent writes around a message on a line of its own.
    pub line: Option<&'static Envelope>,
    /// The form of a result inside the record of its call, if the format has such results.
    pub inline: Option<&'static Inline>,
}

impl Replies {
    /// Results in a spelling that several formats share, as parts or messages.
    pub const COMMON: Replies = Replies {
        own: &[],
        line: None,
        inline: None,
    };
}

/// The signs of a call, what answers it, and the answer (`replies.tsv`).
type ReplyRow = [&'static str; 3];

/// Missing results inside the record of their calls.
#[derive(Debug)]
pub struct Inline {
    /// Returns the changes by which each of these calls gets an answer, in the record that begins
    /// at the given byte.
    pub answer: fn(&[u8], usize, &[InlineCall<'_>]) -> Vec<Set>,
    /// The member of a tool's run that lists its results, where results may be lines of their own
    /// as well.
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
#[derive(Debug, PartialEq, Eq)]
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

    /// Whether it has all of these signs.
    fn fits(&self, signs: &str) -> bool {
        signs.split(' ').all(
            |sign| match (sign.split_once('='), sign.strip_prefix('!')) {
                (Some((name, word)), _) => self
                    .value(name)
                    .is_some_and(|value| text::lossy(value) == format!("\"{word}\"")),
                (_, Some("$id")) => self.id.is_empty(),
                (_, Some(absent)) => self.value(absent).is_none(),
                _ => self.value(sign).is_some(),
            },
        )
    }

    /// Returns the form of the answer, a part or a message, and its pattern. The first row that
    /// fits counts; some rows have no answer, as no text can answer such a call.
    fn answer(&self, own: &'static [ReplyRow]) -> Option<(&'static str, &'static str)> {
        let mut rows = own.iter().chain(&*COMMON);
        let [_, what, answer] = rows.find(|[signs, ..]| self.fits(signs))?;
        Some((what, answer))
    }

    /// Whether it is a part of a message's content, and so is its result.
    pub fn is_part(&self) -> bool {
        matches!(self.answer(&[]), Some(("part", _)))
    }

    /// Returns the answer to it.
    pub fn reply(&self, replies: &Replies, rules: &Rules) -> Option<Reply> {
        match self.answer(replies.own)? {
            ("part", pattern) => Some(Reply::Part(self.fill(pattern, rules))),
            ("message", pattern) => Some(Reply::Message(self.fill(pattern, rules))),
            _ => None,
        }
    }

    /// Fills in a pattern: `$said` becomes [`NO_RESULT`], `$id` the id of this call, `$own` a
    /// member with that id (omitted where there is none), `$name` its tool, `$tool` the name of the
    /// member for the tool, and `$call` the call itself.
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
                "tool" => out.extend_from_slice(rules.tool_member.unwrap_or("name").as_bytes()),
                "call" => out.extend_from_slice(self.bytes),
                _ => {}
            }
            out.extend_from_slice(&word.as_bytes()[end..]);
        }
        out
    }
}

/// Returns an array with these elements, which commas separate.
pub fn array(elements: &[u8]) -> Vec<u8> {
    [b"[", elements, b"]"].concat()
}

/// A result of Gemini's, which says why there is none under `key`.
pub fn function_response(key: &str, call: &InlineCall<'_>) -> Vec<u8> {
    let pattern = [
        r#"{"functionResponse":{$own"name":"$name","response":{""#,
        key,
        r#"":"$said"}}}"#,
    ]
    .concat();
    WrittenCall::new(b"{}", call.id, call.tool).fill(&pattern, &Rules::default())
}

/// The spellings that formats share.
static COMMON: LazyLock<Vec<ReplyRow>> = LazyLock::new(|| table_file!("replies.tsv", 2, Ok));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::by_name;
    use serde_json::{Value, json};

    fn reply(call: &Value, id: &[u8], tool: &str, format: &str) -> Option<Reply> {
        let dialect = by_name(format).unwrap();
        WrittenCall::new(call.to_string().as_bytes(), id, tool)
            .reply(&dialect.replies, &(dialect.provider.rules)(None, None))
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
