//! Spellings of calls in chat bodies, which distinguish Mistral's and Ollama's dialects from OpenAI's own.
//!
//! Ollama's arguments are an object, OpenAI's a string, Mistral's either; Mistral's ids are nine letters and digits, and
//! may be missing, as Ollama's mostly are.

use crate::dialect::Signals;
use crate::json::{Cursor, Kind, Scanned};

/// Whether a body may be of the family of OpenAI's chat: messages, and nothing of another provider's in them.
pub fn may_be_chat(signals: &Signals) -> bool {
    let alien = |t: &String| {
        matches!(
            t.as_str(),
            "toolCall" | "tool_use" | "server_tool_use" | "redacted_thinking"
        ) || t.ends_with("tool_result")
    };
    let untyped = signals.is_untyped() && signals.value("model").is_none();
    let foreign =
        signals.array && !signals.message_has("content") && !signals.message_has("tool_calls");
    signals.lists("messages") && !foreign && !signals.block_types.iter().any(alien) && !untyped
}

/// The properties of the calls seen so far.
#[derive(Debug, Default)]
pub struct Spelling {
    /// Some arguments are an object.
    pub objects: bool,
    /// Some arguments are a string.
    pub strings: bool,
    /// Some id is of nine letters and digits.
    pub nine: bool,
    /// Some id is of another kind.
    pub ids: bool,
}

impl Spelling {
    /// Reads the `tool_calls` of a message.
    ///
    /// # Errors
    /// They are malformed JSON.
    pub fn read(&mut self, cursor: &mut Cursor<'_>) -> Scanned {
        cursor.each_object(|_, cursor| {
            cursor.each_member(|key, cursor| {
                match (key, cursor.kind()?) {
                    (b"id", Kind::String) => {
                        let id = cursor.bytes_or_skip()?.unwrap_or_default();
                        // What Mistral's own library puts where there is no id.
                        let nine = id.len() == 9 && id.iter().all(u8::is_ascii_alphanumeric)
                            || &*id == b"null";
                        self.nine |= nine;
                        self.ids |= !nine;
                    }
                    (b"function", Kind::Object) => self.function(cursor)?,
                    _ => {}
                }
                Ok(())
            })
        })
    }

    fn function(&mut self, cursor: &mut Cursor<'_>) -> Scanned {
        cursor.member(b"arguments", |cursor| {
            let kind = cursor.skip()?;
            self.objects |= kind == Kind::Object;
            self.strings |= kind == Kind::String;
            Ok(())
        })
    }
}
