//! The name of the session of an input, if the user gives none: the id in a log, the user or the cache key in a body, else a digest
//! of the beginning of the conversation.

use super::digest::{chain, digest, short};
use crate::dialect::Detected;
use crate::json::{Cursor, Kind, ScanError, text};

/// The name of a session, and its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionName {
    /// The name.
    pub key: String,
    /// The source of the name.
    pub source: NameSource,
}

/// The source of a session's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameSource {
    /// `--session`.
    Flag,
    /// The history's own id.
    History,
    /// `metadata.user_id` of the body.
    UserId,
    /// `prompt_cache_key` of the body.
    CacheKey,
    /// The system prompt and the first user message, or the first line of a history without an id.
    Content,
}

impl NameSource {
    /// Returns the word for reports.
    pub fn word(self) -> &'static str {
        match self {
            NameSource::Flag => "flag",
            NameSource::History => "history",
            NameSource::UserId => "metadata.user_id",
            NameSource::CacheKey => "prompt_cache_key",
            NameSource::Content => "content",
        }
    }
}

/// A name of at least this many bytes is replaced by a digest.
const LONG: usize = 512;
/// The number of lines of a history that are searched for an id.
const LINES: usize = 64;

impl SessionName {
    /// Creates a name. A very long one is replaced by a digest.
    pub fn new(key: &str, source: NameSource) -> SessionName {
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
            source: NameSource::Content,
        }
    }

    /// Returns the session of a body, which may be in a wrapper.
    ///
    /// # Errors
    /// The body is malformed JSON.
    pub fn of_body(bytes: &[u8], found: Detected) -> Result<SessionName, ScanError> {
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
        let named = |key: Option<String>, source| {
            key.filter(|k| !k.trim().is_empty())
                .map(|k| SessionName::new(&k, source))
        };
        Ok(named(seen.user, NameSource::UserId)
            .or_else(|| named(seen.cache_key, NameSource::CacheKey))
            .unwrap_or_else(|| {
                SessionName::of_content(chain(seen.system, seen.first.unwrap_or_default()))
            }))
    }

    /// Returns the session of a history that begins with `head`: lines, or a document that may continue.
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
            return SessionName::new(&id, NameSource::History);
        }
        let mut seen = BodyMembers::default();
        // The members that name a session come early; the rest of the document may be missing.
        let _ = seen.body(&mut Cursor::new(head));
        let first = seen.first.map(|first| chain(seen.system, first));
        SessionName::of_content(first.unwrap_or_else(|| digest(lines().next().unwrap_or_default())))
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
    fn body(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ScanError> {
        if cursor.kind()? != Kind::Object {
            return self.messages(cursor);
        }
        cursor.each_member(|key, cursor| match key {
            b"metadata" if cursor.kind()? == Kind::Object => {
                cursor.each_member(|key, cursor| match key {
                    b"user_id" => cursor
                        .string_or_skip()
                        .map(|id| self.user = id.map(Into::into)),
                    _ => Ok(()),
                })
            }
            b"prompt_cache_key" => cursor
                .string_or_skip()
                .map(|key| self.cache_key = key.map(Into::into)),
            b"system" | b"instructions" | b"systemInstruction" | b"system_instruction" => {
                texts(cursor, &mut self.system)
            }
            b"messages" | b"contents" | b"input" => self.messages(cursor),
            _ => Ok(()),
        })
    }

    /// Reads an array of messages up to the first user message, and skips the rest.
    fn messages(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ScanError> {
        match cursor.kind()? {
            Kind::Array => {}
            Kind::String => {
                let mut all = 0;
                texts(cursor, &mut all)?;
                self.first = self.first.or(Some(all));
                return Ok(());
            }
            _ => return cursor.skip().map(|_| ()),
        }
        let mut elements = cursor.enter_array()?;
        while cursor.element(&mut elements)? {
            if self.first.is_some() || cursor.kind()? != Kind::Object {
                continue;
            }
            let (mut role, mut said) = (None, 0);
            cursor.each_member(|key, cursor| match key {
                b"role" => cursor
                    .bytes_or_skip()
                    .map(|found| role = found.map(|r| r.into_owned())),
                b"content" | b"parts" => texts(cursor, &mut said),
                _ => Ok(()),
            })?;
            match role.as_deref() {
                Some(b"system" | b"developer") => self.system = chain(self.system, said),
                // Gemini's first content may have no role.
                Some(b"user") | None if said != 0 => self.first = Some(said),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Adds the texts of a content to the digest: a string, or the `text` of blocks. Cache marks do not count.
fn texts(cursor: &mut Cursor<'_>, all: &mut u128) -> Result<(), ScanError> {
    match cursor.kind()? {
        Kind::String => text(cursor, all),
        Kind::Array => {
            let mut elements = cursor.enter_array()?;
            while cursor.element(&mut elements)? {
                block(cursor, all)?;
            }
            Ok(())
        }
        _ => block(cursor, all),
    }
}

/// Adds a string to a digest.
fn text(cursor: &mut Cursor<'_>, all: &mut u128) -> Result<(), ScanError> {
    *all = chain(*all, digest(&text::decode(cursor.text()?.raw)));
    Ok(())
}

fn block(cursor: &mut Cursor<'_>, all: &mut u128) -> Result<(), ScanError> {
    match cursor.kind()? {
        Kind::String => text(cursor, all),
        Kind::Object => cursor.each_member(|key, cursor| match key {
            b"text" if cursor.kind()? == Kind::String => text(cursor, all),
            // Gemini's system prompt is an object with `parts`.
            b"parts" if cursor.kind()? == Kind::Array => texts(cursor, all),
            _ => Ok(()),
        }),
        _ => Ok(()),
    }
}

/// Returns the session id in a line or at the beginning of a document: in OpenClaw's first line, Codex's `session_meta`, Copilot's
/// `session.start`, OpenCode's `info`, or `sessionId` of Claude Code and Gemini.
fn history_id(text: &[u8]) -> Option<String> {
    let mut cursor = Cursor::new(text);
    let (mut kind, mut id, mut session, mut inner) = (None, None, None, None);
    // The text may end before the object does.
    let _ = cursor.each_member(|key, cursor| match key {
        b"type" => cursor
            .bytes_or_skip()
            .map(|found| kind = found.map(|k| k.into_owned())),
        b"id" => cursor
            .string_or_skip()
            .map(|found| id = found.map(|i| i.into_owned())),
        b"sessionId" => cursor
            .string_or_skip()
            .map(|found| session = found.map(|i| i.into_owned())),
        b"payload" | b"data" | b"info" if cursor.kind()? == Kind::Object => {
            cursor.each_member(|key, cursor| match key {
                b"id" | b"sessionId" if inner.is_none() => cursor
                    .string_or_skip()
                    .map(|found| inner = found.map(|i| i.into_owned())),
                _ => Ok(()),
            })
        }
        _ => Ok(()),
    });
    let found = match kind.as_deref() {
        Some(b"session") => id,
        Some(b"session_meta" | b"session.start") => inner,
        None => session.or(inner),
        _ => session,
    };
    found.filter(|id| !id.is_empty())
}

#[cfg(test)]
#[path = "name_tests.rs"]
mod tests;
