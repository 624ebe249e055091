//! The neutral answer to a call that has none, in the spelling of the call itself.

use super::place::member;
use crate::json::text;
use crate::transcript::Answers;

/// What the answer says.
pub const NO_RESULT: &str = "[No result was recorded for this call; assume nothing about its effects.]";

/// The parts of a function's output: before its id, between the two, and after its text.
const FUNCTION: (&str, &str, &str) = ("{\"type\":\"function_call_output\",\"call_id\":\"", "\",\"output\":\"", "\"}");

/// An answer, written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A part of a user's message.
    Part(Vec<u8>),
    /// A message, or an item, of its own.
    Message(Vec<u8>),
}

impl Answer {
    /// What is written.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Answer::Part(bytes) | Answer::Message(bytes) => bytes,
        }
    }

    /// What is written.
    pub fn into_bytes(self) -> Vec<u8> {
        match self {
            Answer::Part(bytes) | Answer::Message(bytes) => bytes,
        }
    }
}

/// The answer to the call that is written as `call`. `id` is its id as it stands between the quotes, empty where it has
/// none; `tool` the name of its tool. Nothing where no text can answer it, as a picture of a screen is wanted.
pub fn answer(call: &[u8], id: &[u8], tool: &str, answers: &Answers) -> Option<Answer> {
    let mut name = Vec::new();
    text::encode(tool, &mut name);
    let write = |parts: &[&[u8]]| parts.concat();
    let said = NO_RESULT.as_bytes();
    if member(call, 0, "toolUse").is_some() {
        return Some(Answer::Part(write(&[b"{\"toolResult\":{\"toolUseId\":\"", id, b"\",\"content\":[{\"text\":\"", said, b"\"}]}}"])));
    }
    for (function, response) in [("functionCall", "functionResponse"), ("function_call", "function_response")] {
        if member(call, 0, function).is_some() {
            return Some(Answer::Part(function_response([response, "output"], id, tool)));
        }
    }
    if member(call, 0, "toolCallId").is_some() {
        let parts: [&[u8]; 5] = [b"{\"toolCallId\":\"", id, b"\",\"success\":false,\"error\":{\"message\":\"", said, b"\"}}"];
        return Some(Answer::Message(write(&parts)));
    }
    let kind = member(call, 0, "type").map(|m| &call[m.value]);
    let (open, between, close): (&str, &str, &str) = match kind.unwrap_or_default() {
        b"\"tool_use\"" => {
            let parts: [&[u8]; 5] = [b"{\"type\":\"tool_result\",\"tool_use_id\":\"", id, b"\",\"content\":\"", said, b"\"}"];
            return Some(Answer::Part(write(&parts)));
        }
        b"\"toolCall\"" => {
            let named = write(&[b"\",\"toolName\":\"", &name, b"\",\"content\":[{\"type\":\"text\",\"text\":\""]);
            let parts: [&[u8]; 5] = [b"{\"role\":\"toolResult\",\"toolCallId\":\"", id, &named, said, b"\"}],\"isError\":true}"];
            return Some(Answer::Message(write(&parts)));
        }
        b"\"function_call\"" => FUNCTION,
        b"\"custom_tool_call\"" => ("{\"type\":\"custom_tool_call_output\",\"call_id\":\"", "\",\"output\":\"", "\"}"),
        // Codex files what its shell printed under functions.
        b"\"local_shell_call\"" if answers.is_history => FUNCTION,
        b"\"local_shell_call\"" => ("{\"type\":\"local_shell_call_output\",\"id\":\"", "\",\"output\":\"", "\"}"),
        b"\"shell_call\"" => (
            "{\"type\":\"shell_call_output\",\"call_id\":\"",
            "\",\"output\":[{\"stdout\":\"",
            "\",\"stderr\":\"\",\"outcome\":{\"type\":\"timeout\"}}]}",
        ),
        b"\"apply_patch_call\"" => {
            ("{\"type\":\"apply_patch_call_output\",\"call_id\":\"", "\",\"status\":\"failed\",\"output\":\"", "\"}")
        }
        // Its output is a picture, and may have to say that a person acknowledged what the provider warned of.
        b"\"computer_call\"" => return None,
        // The service searches itself.
        b"\"tool_search_call\"" if member(call, 0, "execution").is_some_and(|m| call[m.value] == *b"\"server\"") => return None,
        b"\"tool_search_call\"" => {
            return Some(Answer::Message(write(&[b"{\"type\":\"tool_search_output\",\"call_id\":\"", id, b"\",\"tools\":[]}"])));
        }
        // Cohere's first interface: a result repeats its call.
        _ if kind.is_none() && ["name", "parameters"].iter().all(|name| member(call, 0, name).is_some()) => {
            return Some(Answer::Part(write(&[b"{\"call\":", call, b",\"outputs\":[{\"output\":\"", said, b"\"}]}"])));
        }
        // Calls without ids: the tool's name says whose the result is.
        _ if id.is_empty() && member(call, 0, "function").is_some() => {
            let parts: [&[u8]; 7] =
                [b"{\"role\":\"tool\",\"", answers.tool_member.as_bytes(), b"\":\"", &name, b"\",\"content\":\"", said, b"\"}"];
            return Some(Answer::Message(write(&parts)));
        }
        _ if ["function", "custom"].iter().any(|name| member(call, 0, name).is_some()) => {
            ("{\"role\":\"tool\",\"tool_call_id\":\"", "\",\"content\":\"", "\"}")
        }
        // A spelling that this program only reads.
        _ => return None,
    };
    Some(Answer::Message(write(&[open.as_bytes(), id, between.as_bytes(), said, close.as_bytes()])))
}

/// Whether the call that is written as `call` is a part of a message's content, and so is its result.
pub fn is_part(call: &[u8]) -> bool {
    let own = ["toolUse", "functionCall", "function_call"].iter().any(|name| member(call, 0, name).is_some());
    let kind = member(call, 0, "type").map(|m| &call[m.value]);
    let first_cohere = kind.is_none() && ["name", "parameters"].iter().all(|name| member(call, 0, name).is_some());
    own || kind == Some(b"\"tool_use\"") || first_cohere
}

/// A part that answers a call of Gemini's; `words` are the key of the part and that of the text in its response.
pub fn function_response([part, text]: [&str; 2], id: &[u8], tool: &str) -> Vec<u8> {
    let mut name = Vec::new();
    text::encode(tool, &mut name);
    let id = if id.is_empty() { Vec::new() } else { [b"\"id\":\"", id, b"\","].concat() };
    let (open, between) = (format!("{{\"{part}\":{{"), format!("\",\"response\":{{\"{text}\":\""));
    [open.as_bytes(), &id, b"\"name\":\"", &name, between.as_bytes(), NO_RESULT.as_bytes(), b"\"}}}"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn answers(format: &str) -> Answers {
        (crate::format::by_name(format).unwrap().interface.rules)(None, None)
    }

    #[test]
    fn every_answer_is_json_and_names_its_call() {
        for (call, block) in [
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
            let found = answer(call.to_string().as_bytes(), b"i\\\"d", "to\"ol", &answers("messages")).unwrap();
            let (is_block, bytes) = match &found {
                Answer::Part(bytes) => (true, bytes),
                Answer::Message(bytes) => (false, bytes),
            };
            let value: Value = serde_json::from_slice(bytes).unwrap();
            assert!(is_block == block && value.to_string().contains(r#""i\"d""#), "{call}: {value}");
        }
        let history = answers("codex");
        assert_eq!(answer(br#"{"type":"computer_call"}"#, b"a", "", &history), None);
        // OpenCode's parts and Gemini CLI's records hold their results.
        assert_eq!(answer(br#"{"type":"tool","callID":"a"}"#, b"a", "", &history), None);
        assert_eq!(answer(br#"{"id":"a","name":"f","args":{}}"#, b"a", "f", &history), None);
        let repeated = answer(br#"{"name":"f","parameters":{"a":1.0}}"#, b"", "f", &answers("cohere")).unwrap();
        assert!(
            String::from_utf8(repeated.into_bytes()).unwrap().starts_with(r#"{"call":{"name":"f","parameters":{"a":1.0}},"outputs":[{"#)
        );
    }
}
