//! Messages made of parts without a type, which Gemini and Bedrock's Converse have: `{role,
//! parts}`, each by its own words.

use super::unread::{first_key, foreign_calls, holds_calls, no_role};
use crate::dialect::{Reader, reading::*};

/// The words of a provider.
pub struct UntypedMessages {
    /// The member with the parts.
    pub parts: &'static str,
    /// Returns the role for a name, which is empty where there is none, and whether the provider
    /// does not know that name.
    pub role: fn(&[u8]) -> (Role, bool),
    /// Reads the parts; returns whether they are an array, and whether they may be empty.
    pub read: Reader<(bool, bool)>,
}

impl UntypedMessages {
    /// Reads the object of a message.
    ///
    /// # Errors
    /// It is malformed JSON.
    pub fn message(&self, cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
        let (from, before) = (cursor.next_at(), builder.mark());
        let (first, unknown_kinds) = (before.blocks, before.unknown_kinds);
        let ((mut role, mut odd_role), mut name, mut calls) = ((self.role)(b""), None, None);
        // Without a content it may have its words under any key.
        let (mut array, mut said) = (false, false);
        cursor.each_member(|key, cursor| {
            if key == b"role" {
                name = cursor.bytes_or_skip()?;
                (role, odd_role) = (self.role)(name.as_deref().unwrap_or_default());
            } else if key == self.parts.as_bytes() {
                builder.rollback_blocks(before);
                (array, said) = (self.read)(cursor, builder)?;
            } else if key == b"tool_calls" || holds_calls(key) {
                calls = foreign_calls(cursor, key)?.or(calls.take());
            }
            Ok(())
        })?;
        if let Some(key) = calls {
            builder.unread(Level::Foreign, key);
        } else if role == Role::Other {
            let (level, what) = no_role(cursor, from, name.as_deref())?;
            builder.unread(level, what);
        } else if builder.is_empty_since(first) || builder.unknown_kinds() > unknown_kinds {
            let known = if said { self.parts } else { "" };
            let said = first_key(cursor, from, known, said)?;
            builder.judge(first, unknown_kinds, said);
        }
        builder.add(Message {
            role,
            span: cursor.span_from(from),
            blocks: first as u32,
            array,
            odd_role,
            ..Message::default()
        });
        Ok(())
    }
}
