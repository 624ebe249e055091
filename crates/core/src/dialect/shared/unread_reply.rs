//! Rules and messages beside those of a body, as logs of gateways and tracers keep them in one row.
//!
//! Such a row has the shape of a request and one more member: `output`, `response`, `choices`. Vendors add settings to requests
//! every month, so an unknown member alone is no evidence. Only a member that contains a message, or the text of an answer, is
//! noted.

use crate::dialect::builder::{Level, TranscriptBuilder};
use crate::dialect::shared::unread::{is_one_of, key};
use crate::json::{Cursor, Kind, Scanned};
use crate::settings::context_management::MEMBER;

/// Settings whose values may look like messages or answers, and what says something about the request.
const SETTINGS: &str = "documents extra_body fallbacks format functions generationConfig generation_config metadata prediction response_format \
    system text toolConfig tools";

/// Members that hold an answer: a text there is the answer's.
const ANSWERS: &str = "answer answers candidates choices completion completions content generated_text generation generations modelOutput \
    model_output model_response output outputText output_text outputs reply response responses text";

/// Members on the way to a message or to an answer's words.
const WAY: &str = "arguments body contents data delta function input message messages parts result results tool_calls";

/// Values that are opened, one in another, on the way to a message.
const DEPTH: usize = 8;

/// The members that no reader of bodies reads.
#[derive(Debug, Default)]
pub struct UnreadReply {
    /// The first that contains a message or an answer.
    key: Option<String>,
    /// Whether one has edits for the server.
    manages_context: bool,
}

impl UnreadReply {
    /// Looks into the value at the cursor, which is under `name` beside the messages.
    ///
    /// # Errors
    /// The value is malformed JSON.
    pub fn look_into(&mut self, cursor: &mut Cursor<'_>, name: &[u8]) -> Scanned {
        self.manages_context |= name == MEMBER.as_bytes();
        let is_known = self.key.is_some() || is_one_of(name, SETTINGS);
        if !is_known && contains_message(cursor, is_one_of(name, ANSWERS), DEPTH)? {
            self.key = Some(key(name));
        }
        Ok(())
    }

    /// Notes what was found, at the end of the body.
    pub fn note(self, builder: &mut TranscriptBuilder) {
        builder.request.manages_context |= self.manages_context;
        if let Some(key) = self.key {
            builder.not_understood(Level::Place, key);
        }
    }
}

/// Reads over a value; says whether it holds a message, or `words` where it is an answer's.
fn contains_message(cursor: &mut Cursor<'_>, words: bool, depth: usize) -> Scanned<bool> {
    let mut found = false;
    match cursor.kind()? {
        Kind::String if words => {
            found = cursor.skip_span()?.len() > 2;
        }
        Kind::Array if depth > 0 => {
            cursor.each_element(|_, cursor| {
                if !found {
                    found = contains_message(cursor, words, depth - 1)?;
                }
                Ok(())
            })?;
        }
        Kind::Object if depth > 0 => {
            let (mut role, mut content) = (false, false);
            cursor.each_member(|name, cursor| {
                let kind = cursor.kind()?;
                role |= kind == Kind::String && matches!(name, b"role" | b"from");
                content |= matches!(name, b"content" | b"parts" | b"tool_calls" | b"value");
                if !found && (is_one_of(name, ANSWERS) || is_one_of(name, WAY)) {
                    found = contains_message(cursor, words, depth - 1)?;
                }
                Ok(())
            })?;
            found |= role && content;
        }
        _ => drop(cursor.skip()?),
    }
    Ok(found)
}
