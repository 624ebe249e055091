//! Members that other spellings use for the content of a message.
//!
//! They are searched only in messages of which nothing was understood, so other messages cost nothing.

use crate::dialect::builder::{Level, TranscriptBuilder, printable};
use crate::json::{Cursor, Id, IdSet, Kind, Members, Scanned};

/// Members that say something about a message, whoever wrote it, and hold none of its words.
const ABOUT: [&[u8]; 48] = [
    b"role",
    b"type",
    b"id",
    b"_id",
    b"uuid",
    b"name",
    b"index",
    b"model",
    b"provider",
    b"api",
    b"version",
    b"object",
    b"status",
    b"timestamp",
    b"ts",
    b"time",
    b"date",
    b"created",
    b"created_at",
    b"createdAt",
    b"updated_at",
    b"updatedAt",
    b"usage",
    b"usage_metadata",
    b"cost",
    b"metrics",
    b"metadata",
    b"meta",
    b"details",
    b"modelInfo",
    b"stop_reason",
    b"stopReason",
    b"stop_sequence",
    b"finish_reason",
    b"finishReason",
    b"errorMessage",
    b"logprobs",
    b"annotations",
    b"citations",
    b"cache_control",
    b"container",
    b"context_management",
    b"diagnostics",
    b"service_tier",
    b"system_fingerprint",
    b"response_metadata",
    b"weight",
    b"prefix",
];

/// Members in which other programs keep what a message says.
const WORDS: [&[u8]; 15] = [
    b"content",
    b"parts",
    b"text",
    b"value",
    b"kwargs",
    b"items",
    b"segments",
    b"blocks",
    b"body",
    b"message",
    b"messages",
    b"output",
    b"response",
    b"data",
    b"query",
];

/// Whether other programs keep what a message says in a member of this name, also beside an empty content.
fn has_words(name: &[u8]) -> bool {
    let says = |word: &[u8]| {
        name.windows(word.len())
            .any(|part| part.eq_ignore_ascii_case(word))
    };
    let about = [&b"type"[..], b"id", b"Id", b"hash"]
        .iter()
        .any(|end| name.ends_with(end));
    WORDS.contains(&name)
        || !about && !name.starts_with(b"encrypted") && (says(b"content") || says(b"text"))
}

/// Members in which other programs keep calls and results: whatever else a message says, it is not understood without them.
///
/// It is asked of each member that the readers do not know.
#[inline]
pub fn holds_calls(key: &[u8]) -> bool {
    matches!(key.first(), Some(b'p' | b't' | b'f' | b'i')) && is_calls(key)
}

fn is_calls(key: &[u8]) -> bool {
    matches!(
        key,
        b"parts"
            | b"toolCalls"
            | b"toolInvocations"
            | b"tool_invocations"
            | b"toolUses"
            | b"tool_uses"
            | b"toolRequests"
            | b"tool_requests"
            | b"toolResults"
            | b"tool_results"
            | b"toolResponses"
            | b"tool_responses"
            | b"tool_returns"
            | b"functionCall"
            | b"functionCalls"
            | b"function_calls"
            | b"functionResponse"
            | b"functionResponses"
            | b"invalid_tool_calls"
    )
}

/// Skips the value under such a key; says what it is if it holds any.
///
/// # Errors
/// The value is malformed JSON.
pub fn foreign_calls(cursor: &mut Cursor<'_>, name: &[u8]) -> Scanned<Option<String>> {
    let kind = cursor.kind()?;
    let from = cursor.at();
    cursor.skip()?;
    Ok(is_filled(kind, &cursor.bytes()[from..cursor.at()]).then(|| key(name)))
}

/// Whether a list or an object has anything in it.
fn is_filled(kind: Kind, value: &[u8]) -> bool {
    matches!(kind, Kind::Object | Kind::Array)
        && value.iter().filter(|b| !b.is_ascii_whitespace()).count() > 2
}

/// Shows each member of the object at byte `at` of the cursor: its name, and the kind and bytes of its value. The cursor is left where
/// it is.
///
/// # Errors
/// The object is malformed JSON.
pub fn members(
    cursor: &mut Cursor<'_>,
    at: usize,
    mut see: impl FnMut(&[u8], Kind, &[u8]),
) -> Scanned {
    cursor.read_at(at, |cursor| {
        cursor.each_member(|name, cursor| {
            let from = cursor.at();
            let kind = cursor.skip()?;
            see(name, kind, &cursor.bytes()[from..cursor.at()]);
            Ok(())
        })
    })
}

/// Returns the name of a JSON kind, as an error prints it.
pub fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Object => "an object",
        Kind::Array => "a list",
        Kind::String => "a string",
        Kind::Number => "a number",
        Kind::True | Kind::False => "true or false",
        Kind::Null => "null",
    }
}

/// Notes a value of `kind` that is where a record of a history should, and skips it.
///
/// # Errors
/// The value is malformed JSON.
#[cold]
pub fn no_record(cursor: &mut Cursor<'_>, kind: Kind, builder: &mut TranscriptBuilder) -> Scanned {
    cursor.skip()?;
    builder.not_understood(
        Level::Record,
        format!("{} in place of a record", kind_name(kind)),
    );
    Ok(())
}

/// Enters the object that a record of a history is. Anything else is noted and skipped, and has no members.
///
/// # Errors
/// The value is malformed JSON.
pub fn enter_record(
    cursor: &mut Cursor<'_>,
    builder: &mut TranscriptBuilder,
) -> Scanned<Option<Members>> {
    match cursor.kind()? {
        Kind::Object => cursor.enter_object().map(Some),
        kind => no_record(cursor, kind, builder).map(|()| None),
    }
}

/// A member as an error names it.
pub fn key(name: &[u8]) -> String {
    format!("key {}", printable(&String::from_utf8_lossy(name)))
}

/// A member, not read, in which a message may have its text.
#[derive(Clone, Debug)]
pub struct UnreadMember {
    /// The member, as an error names it.
    pub what: String,
    /// Whether other programs have their words there.
    pub foreign: bool,
    /// Whether it holds more than a number or an empty list.
    filled: bool,
}

impl UnreadMember {
    /// Its content, which is of no kind that is read.
    pub fn content() -> UnreadMember {
        UnreadMember {
            what: key(b"content"),
            foreign: false,
            filled: true,
        }
    }

    /// Notes that the message was not understood.
    pub fn note(self, builder: &mut TranscriptBuilder) {
        let (level, what) = self.level();
        builder.unread(level, what);
    }

    /// Returns the level at which the message was not understood, and the name of the member.
    pub fn level(self) -> (Level, String) {
        (
            if self.foreign {
                Level::Foreign
            } else {
                Level::Message
            },
            self.what,
        )
    }
}

/// The state of a message's content, where no content was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentState {
    /// Nothing: it has no content, so that every member may be what holds its words.
    Missing,
    /// An empty content.
    Empty,
}

impl ContentState {
    /// The state of a message of which no content was read, by whether it has one.
    pub fn of(is_there: bool) -> ContentState {
        if is_there {
            ContentState::Empty
        } else {
            ContentState::Missing
        }
    }
}

/// The first member of the object at byte `at` of the cursor that may hold words and is none of `known`: one where other programs
/// have theirs before one of another name, and a list or an object before a string. The cursor is left where it is.
///
/// # Errors
/// The object is malformed JSON.
pub fn first_key(
    cursor: &mut Cursor<'_>,
    at: usize,
    known: &[&[u8]],
    content: ContentState,
) -> Scanned<Option<UnreadMember>> {
    let mut found: Option<(u8, UnreadMember)> = None;
    members(cursor, at, |name, kind, value| {
        let filled = if kind == Kind::String {
            value.len() > 2
        } else {
            is_filled(kind, value)
        };
        let may = match content {
            ContentState::Missing => kind != Kind::Null,
            ContentState::Empty => filled && (kind != Kind::String || has_words(name)),
        };
        if !may || ABOUT.contains(&name) || known.contains(&name) {
            return;
        }
        let foreign = filled && (has_words(name) || holds_calls(name));
        let rank = if foreign {
            3
        } else {
            u8::from(filled) * (1 + u8::from(kind != Kind::String))
        };
        if found.as_ref().is_none_or(|(best, _)| *best < rank) {
            found = Some((
                rank,
                UnreadMember {
                    what: key(name),
                    foreign,
                    filled,
                },
            ));
        }
    })?;
    Ok(found.map(|(_, said)| said))
}

/// Whether the object at byte `at` of the cursor has any of these members. The cursor is left where it is.
///
/// # Errors
/// The object is malformed JSON.
pub fn has(cursor: &mut Cursor<'_>, at: usize, names: &[&[u8]]) -> Scanned<bool> {
    let mut found = false;
    members(cursor, at, |name, _, _| found |= names.contains(&name))?;
    Ok(found)
}

/// Returns the level and the error text for a message with no known role: the role or, without one, the member with its text.
///
/// # Errors
/// The object at byte `at` of the cursor is malformed JSON.
pub fn no_role(
    cursor: &mut Cursor<'_>,
    at: usize,
    role: Option<&[u8]>,
) -> Scanned<(Level, String)> {
    if let Some(role) = role {
        return Ok((
            Level::Message,
            format!("role {}", printable(&String::from_utf8_lossy(role))),
        ));
    }
    let said =
        first_key(cursor, at, &[b"content"], ContentState::Missing)?.filter(|said| said.filled);
    Ok(said.map_or_else(
        || (Level::Message, "message without key role".to_owned()),
        UnreadMember::level,
    ))
}

/// Notes that the message at byte `at` of the cursor has no known role.
///
/// # Errors
/// The message is malformed JSON.
pub fn note_no_role(
    cursor: &mut Cursor<'_>,
    at: usize,
    role: Option<&[u8]>,
    builder: &mut TranscriptBuilder,
) -> Scanned {
    let (level, what) = no_role(cursor, at, role)?;
    builder.unread(level, what);
    Ok(())
}

/// The first member of the object at byte `at` of the cursor that is none of `known`, whatever it holds. The cursor is left
/// where it is.
///
/// # Errors
/// The object is malformed JSON.
pub fn foreign_key(cursor: &mut Cursor<'_>, at: usize, known: &[&[u8]]) -> Scanned<Option<String>> {
    let mut found = None;
    members(cursor, at, |name, _, _| {
        if found.is_none() && !known.contains(&name) {
            found = Some(key(name));
        }
    })?;
    Ok(found)
}

/// Reads the ids that an object at the cursor names, its own or those of what it belongs to.
///
/// # Errors
/// The object is malformed JSON.
pub fn ids(cursor: &mut Cursor<'_>, found: &mut IdSet) -> Scanned {
    cursor.each_member(|name, cursor| {
        if [&b"id"[..], b"Id", b"ID"]
            .iter()
            .any(|end| name.ends_with(end))
        {
            found.extend(cursor.bytes_or_skip()?.map(|id| Id::of(&id)));
        }
        Ok(())
    })
}

/// Whether a key at the top of a record says what it is about, rather than what it holds.
pub fn is_about(key: &str) -> bool {
    ABOUT.contains(&key.as_bytes())
}
