//! The name of the session of an input, if the user gives none: the id in a log, the user or the
//! cache key in a body, else a digest of the beginning of the conversation.

use super::digest::{chain, digest, short};
use crate::{
    dialect::Detected,
    json::{Cursor, Kind, Scanned, text},
};

/// The name of a session, and its source.
#[derive(Debug, PartialEq, Eq)]
pub struct SessionName {
    /// The name.
    pub key: String,
    /// The source of the name, as reports say it: `flag` is `--session`, `history` the id in a log,
    /// `metadata.user_id` and `prompt_cache_key` are members of a body, and `content` is its system
    /// prompt and first user message, or the first line of a log without an id.
    pub source: &'static str,
}

/// A name of at least this many bytes is replaced by a digest.
const LONG: usize = 512;
/// Contents are read down to this depth: no provider's are deeper than four.
const DEEPEST: u32 = 8;
/// The number of lines of a history that are searched for an id.
const LINES: usize = 64;

impl SessionName {
    /// Creates a name. A very long one is replaced by a digest.
    pub fn new(key: &str, source: &'static str) -> SessionName {
        let key = if key.len() <= LONG {
            key.to_owned()
        } else {
            format!("{}…{:032x}", head(key), digest(key.as_bytes()))
        };
        SessionName { key, source }
    }

    /// Creates a name from the digest of the beginning of a conversation.
    fn of_content(beginning: u128) -> SessionName {
        SessionName {
            key: format!("content-{:016x}", short(beginning)),
            source: "content",
        }
    }

    /// Returns the session of a body, which may be in a wrapper.
    ///
    /// # Errors
    /// The body is malformed JSON.
    pub fn of_body(bytes: &[u8], found: Detected) -> Scanned<SessionName> {
        let seen = BodyMembers::of(bytes, found)?;
        Ok(seen.named().unwrap_or_else(|| {
            SessionName::of_content(chain(seen.system, seen.first.unwrap_or_default()))
        }))
    }

    /// Returns the name of the conversation of a body within a session, `named` or that of the
    /// body. An agent has several conversations in one session, with different prompts in the
    /// provider's cache: its own, its subagents', those for titles. They differ in the first
    /// message of the user; the system prompt may change from request to request.
    ///
    /// # Errors
    /// The body is malformed JSON.
    pub fn of_conversation(
        named: Option<&str>,
        bytes: &[u8],
        found: Detected,
    ) -> Scanned<SessionName> {
        let seen = BodyMembers::of(bytes, found)?;
        let first = seen.first.unwrap_or_default();
        Ok(named
            .map(|name| SessionName::new(name, "flag"))
            .or_else(|| seen.named())
            .map_or_else(
                || SessionName::of_content(chain(seen.system, first)),
                |SessionName { key, source }| SessionName {
                    key: format!("{key}/{:016x}", short(first)),
                    source,
                },
            ))
    }

    /// Returns the session of a history that begins with `head`: lines, or a document that may
    /// continue.
    pub fn of_history(head: &[u8]) -> SessionName {
        let lines = || {
            head.split(|&b| b == b'\n')
                .map(<[u8]>::trim_ascii)
                .filter(|l| l.starts_with(b"{"))
        };
        let id = lines()
            .take(LINES)
            .find_map(history_id)
            .or_else(|| history_id(head));
        if let Some(id) = id {
            return SessionName::new(&id, "history");
        }
        let mut seen = BodyMembers::default();
        // The members that name a session come early; the rest of the document may be missing.
        let _ = seen.body(&mut Cursor::new(head));
        SessionName::of_content(
            seen.first
                .map(|first| chain(seen.system, first))
                .unwrap_or_else(|| digest(lines().next().unwrap_or_default())),
        )
    }
}

fn head(key: &str) -> &str {
    &key[..key
        .char_indices()
        .map(|(i, _)| i)
        .take_while(|i| *i <= 64)
        .last()
        .unwrap_or(0)]
}

/// The members of a body that name its session.
#[derive(Default)]
struct BodyMembers {
    user: Option<String>,
    cache_key: Option<String>,
    /// Digest of the texts of the system prompt.
    system: u128,
    /// Digest of the first user message.
    first: Option<u128>,
}

impl BodyMembers {
    /// Reads a body, which may be in a wrapper.
    fn of(bytes: &[u8], found: Detected) -> Scanned<BodyMembers> {
        let mut cursor = Cursor::document(bytes);
        let mut seen = BodyMembers::default();
        match found.within {
            None => seen.body(&mut cursor)?,
            Some(within) => cursor.each_member(|key, cursor| {
                if key == within.as_bytes() && cursor.kind()? == Kind::Object {
                    seen = BodyMembers::default();
                    return seen.body(cursor);
                }
                Ok(())
            })?,
        }
        Ok(seen)
    }

    /// The session that it names.
    fn named(&self) -> Option<SessionName> {
        let named = |key: &Option<String>, source| {
            Some(SessionName::new(
                key.as_deref().filter(|key| !key.trim().is_empty())?,
                source,
            ))
        };
        named(&self.user, "metadata.user_id").or_else(|| named(&self.cache_key, "prompt_cache_key"))
    }

    fn body(&mut self, cursor: &mut Cursor<'_>) -> Scanned {
        if cursor.kind()? != Kind::Object {
            return self.messages(cursor);
        }
        cursor.each_member(|key, cursor| match key {
            b"metadata" => cursor.member(b"user_id", |cursor| string(cursor, &mut self.user)),
            b"prompt_cache_key" => string(cursor, &mut self.cache_key),
            b"system" | b"instructions" | b"systemInstruction" | b"system_instruction" => {
                texts(cursor, &mut self.system, 0)
            }
            b"messages" | b"contents" | b"input" => self.messages(cursor),
            _ => Ok(()),
        })
    }

    /// Reads an array of messages up to the first user message, and skips the rest.
    fn messages(&mut self, cursor: &mut Cursor<'_>) -> Scanned {
        match cursor.kind()? {
            Kind::Array => cursor.each_object(|_, cursor| self.message(cursor)),
            Kind::String => {
                let mut all = 0;
                texts(cursor, &mut all, 0)?;
                self.first = self.first.or(Some(all));
                Ok(())
            }
            _ => cursor.skip().map(|_| ()),
        }
    }

    fn message(&mut self, cursor: &mut Cursor<'_>) -> Scanned {
        if self.first.is_some() {
            return Ok(());
        }
        let mut role = None;
        let mut said = 0;
        cursor.each_member(|key, cursor| match key {
            b"role" => string(cursor, &mut role),
            b"content" | b"parts" => texts(cursor, &mut said, 0),
            _ => Ok(()),
        })?;
        match role.as_deref() {
            Some("system" | "developer") => self.system = chain(self.system, said),
            // Gemini's first content may have no role.
            Some("user") | None if said != 0 => self.first = Some(said),
            _ => {}
        }
        Ok(())
    }
}

/// Reads a string; `None` if there is another value.
fn string(cursor: &mut Cursor<'_>, into: &mut Option<String>) -> Scanned {
    *into = cursor.owned_string_or_skip()?;
    Ok(())
}

/// Adds the texts of a content to the digest: a string, or the `text` of blocks. Cache marks do not
/// count.
fn texts(cursor: &mut Cursor<'_>, all: &mut u128, depth: u32) -> Scanned {
    match cursor.kind()? {
        _ if depth > DEEPEST => {}
        Kind::String => *all = chain(*all, digest(&text::decode(cursor.text()?.raw))),
        Kind::Array => cursor.each_element(|_, cursor| texts(cursor, all, depth + 1))?,
        Kind::Object => cursor.each_member(|key, cursor| match (key, cursor.kind()?) {
            // Gemini's system prompt is an object with `parts`.
            (b"text", Kind::String) | (b"parts", Kind::Array) => texts(cursor, all, depth + 1),
            _ => Ok(()),
        })?,
        _ => {}
    }
    Ok(())
}

/// Returns the session id in a line or at the beginning of a document: in OpenClaw's first line,
/// Codex's `session_meta`, Copilot's `session.start`, OpenCode's `info`, or `sessionId` of Claude
/// Code and Gemini.
fn history_id(text: &[u8]) -> Option<String> {
    let mut cursor = Cursor::new(text);
    let mut kind = None;
    let mut id = None;
    let mut session = None;
    let mut inner = None;
    // The text may end before the object does.
    let _ = cursor.each_member(|key, cursor| match key {
        b"type" => string(cursor, &mut kind),
        b"id" => string(cursor, &mut id),
        b"sessionId" => string(cursor, &mut session),
        b"payload" | b"data" | b"info" => cursor.each_member(|key, cursor| match key {
            b"id" | b"sessionId" if inner.is_none() => string(cursor, &mut inner),
            _ => Ok(()),
        }),
        _ => Ok(()),
    });
    let found = match kind.as_deref() {
        Some("session") => id,
        Some("session_meta" | "session.start") => inner,
        None => session.or(inner),
        _ => session,
    };
    found.filter(|id| !id.is_empty())
}

#[cfg(test)]
#[path = "name_tests.rs"]
mod tests;
