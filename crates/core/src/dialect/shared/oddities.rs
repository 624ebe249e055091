//! Unknown content of messages in the common spelling.
//!
//! The reader of such messages (`blocks`) notes anything unusual while it reads, at almost no cost; it is evaluated at the end of a
//! message that has such a note, or is empty.

use crate::dialect::builder::{Level, TranscriptBuilder};
use crate::dialect::shared::content::Content;
use crate::dialect::shared::unread::{ContentState, UnreadMember, first_key, has, no_role};
use crate::json::{Cursor, Scanned};
use crate::transcript::Role;
use std::borrow::Cow;

/// Unknown or unusual content of a message.
#[derive(Default)]
pub struct Oddities<'a> {
    /// Its role.
    role: Option<Role>,
    /// A role that is not known, as it is written.
    odd: Option<Cow<'a, [u8]>>,
    /// Whether its role is that of results from before calls had ids.
    pub is_function: bool,
    /// Whether its role is `developer`.
    pub is_developer: bool,
    /// The member with calls or results of a foreign spelling, as an error names it.
    pub calls: Option<String>,
    /// Whether it has a content, empty or not.
    pub content: bool,
}

/// Members that the reader knows, beside those that say something about a message.
const MEMBERS: [&[u8]; 13] = [
    b"content",
    b"tool_calls",
    b"function_call",
    b"tool_call_id",
    b"toolCallId",
    b"toolName",
    b"tool_name",
    b"reasoning_content",
    b"reasoning",
    b"reasoning_details",
    b"thinking",
    b"tool_plan",
    b"images",
];

/// Members in which a message that an agent writes itself has its words.
const WORDS: [&[u8]; 3] = [b"command", b"summary", b"output"];

impl<'a> Oddities<'a> {
    /// Reads a role; an unknown one is [`Role::Other`].
    ///
    /// # Errors
    /// The value is malformed JSON.
    #[inline]
    pub fn role(&mut self, cursor: &mut Cursor<'a>) -> Scanned<Role> {
        let name = cursor.bytes_or_skip()?.unwrap_or_default();
        self.role = role_of(&name);
        self.is_function = &*name == b"function";
        self.is_developer = &*name == b"developer";
        self.odd = self.role.is_none().then_some(name);
        Ok(self.role.unwrap_or(Role::Other))
    }

    /// Whether anything is odd.
    #[inline]
    pub fn is_there(&self) -> bool {
        self.calls.is_some() || self.role.is_none()
    }

    /// Says what was not understood of the message of the object at byte `at`, where its blocks and what was noted of them begin
    /// at `first` and `strangers`.
    ///
    /// # Errors
    /// The object is malformed JSON.
    #[cold]
    pub fn explain(
        self,
        cursor: &mut Cursor<'a>,
        at: usize,
        first: usize,
        unknown_kinds: usize,
        content: Content,
        builder: &mut TranscriptBuilder,
    ) -> Scanned {
        if let Some(key) = self.calls {
            builder.unread(Level::Foreign, key);
            return Ok(());
        }
        if self.role.is_none() {
            let (level, what) = no_role(cursor, at, self.odd.as_deref())?;
            match self.odd {
                // The templates of a local server may know any role.
                Some(_) if builder.by_order && self.content => {
                    builder.not_understood(Level::Inside, what)
                }
                Some(_) => {
                    builder.not_understood_at(first, Level::Part, what.clone());
                    builder.unread(Level::Parts, what);
                    return Ok(());
                }
                None => {
                    builder.unread(level, what);
                    return Ok(());
                }
            }
        }
        let said = match content {
            _ if self.role == Some(Role::Other) && has(cursor, at, &WORDS)? => None,
            Content::Odd(_) => Some(UnreadMember::content()),
            _ => first_key(cursor, at, &MEMBERS, ContentState::of(self.content))?,
        };
        builder.judge(first, unknown_kinds, said);
        Ok(())
    }
}

fn role_of(role: &[u8]) -> Option<Role> {
    match role {
        b"user" => Some(Role::User),
        b"assistant" => Some(Role::Assistant),
        b"system" | b"developer" => Some(Role::System),
        b"tool" | b"toolResult" | b"function" => Some(Role::Tool),
        // Messages that OpenClaw writes itself.
        b"bashExecution" | b"compactionSummary" | b"branchSummary" | b"custom" | b"hookMessage" => {
            Some(Role::Other)
        }
        _ => None,
    }
}
