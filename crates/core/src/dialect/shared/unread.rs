//! Members that other spellings use for the content of a message.
//!
//! They are searched only in messages of which nothing was understood, so other messages cost
//! nothing.

use crate::{
    dialect::reading::*,
    json::{IdSet, Members},
    settings::context_management::MEMBER,
};

/// Members that describe a message, in any format, and hold none of its words.
const ABOUT: &str = "role type id _id uuid name index model provider api version object status timestamp ts time date created created_at \
    createdAt updated_at updatedAt usage usage_metadata cost metrics metadata meta details modelInfo stop_reason stopReason \
    stop_sequence finish_reason finishReason errorMessage logprobs annotations citations cache_control container \
    context_management diagnostics service_tier system_fingerprint response_metadata weight prefix output_config";

/// Members in which other programs keep what a message says.
const WORDS: &str = "content parts text value kwargs items segments blocks body message messages output response data query";

/// Whether other programs keep what a message says in a member of this name, also beside an empty
/// content.
fn has_words(name: &[u8]) -> bool {
    let says = |word: &[u8]| {
        name.windows(word.len())
            .any(|part| part.eq_ignore_ascii_case(word))
    };
    let about = [&b"type"[..], b"id", b"Id", b"hash"]
        .iter()
        .any(|end| name.ends_with(end));
    is_one_of(name, WORDS)
        || !about && !name.starts_with(b"encrypted") && (says(b"content") || says(b"text"))
}

/// Whether `name` is one of these names, which a space separates.
pub fn is_one_of(name: &[u8], names: &str) -> bool {
    words(names).any(|one| one == name)
}

/// The words of a list, which a space separates.
pub fn words(list: &str) -> impl Iterator<Item = &[u8]> {
    list.as_bytes().split(|byte| *byte == b' ')
}

/// Members in which other programs keep calls and results.
const CALLS: &str = "parts toolCalls toolInvocations tool_invocations toolUses tool_uses toolRequests tool_requests toolResults tool_results \
    toolResponses tool_responses tool_returns functionCall functionCalls function_calls functionResponse functionResponses \
    invalid_tool_calls";

/// Whether other programs keep calls and results in a member of this name: whatever else a message
/// says, it is not understood without them.
///
/// It is asked of each member that the readers do not know.
#[inline]
pub fn holds_calls(key: &[u8]) -> bool {
    matches!(key.first(), Some(b'p' | b't' | b'f' | b'i')) && is_one_of(key, CALLS)
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

/// Shows each member of the object at byte `at` of the cursor: its name, and the kind and bytes of
/// its value. The cursor is left where it is.
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

/// Enters the object that a record of a history is. Anything else is noted and skipped, and has no
/// members.
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
    format!("key {}", printable(name))
}

/// Something of a message that was not understood, and its level.
pub type Odd = (Level, String);

/// Returns the name of a content whose kind is not read.
pub fn odd_content() -> Odd {
    (Level::Message, key(b"content"))
}

/// Returns the first member of the object at byte `at` of the cursor that may hold words and is not
/// `known`: members that other programs use for words come before other names, and lists and
/// objects before strings. Beside an empty content, a string under another name does not count. The
/// cursor is left where it is.
///
/// # Errors
/// The object is malformed JSON.
pub fn first_key(
    cursor: &mut Cursor<'_>,
    at: usize,
    known: &str,
    has_content: bool,
) -> Scanned<Option<Odd>> {
    first_member(cursor, at, known, |name, kind, filled| {
        if has_content {
            filled && (kind != Kind::String || has_words(name))
        } else {
            kind != Kind::Null
        }
    })
}

/// The first such member among those that `may` accepts by their name, their kind, and whether they
/// hold more than a number or an empty list.
fn first_member(
    cursor: &mut Cursor<'_>,
    at: usize,
    known: &str,
    may: impl Fn(&[u8], Kind, bool) -> bool,
) -> Scanned<Option<Odd>> {
    let mut found: Option<(u8, Odd)> = None;
    members(cursor, at, |name, kind, value| {
        let filled = if kind == Kind::String {
            value.len() > 2
        } else {
            is_filled(kind, value)
        };
        if !may(name, kind, filled) || is_one_of(name, ABOUT) || is_one_of(name, known) {
            return;
        }
        let (level, rank) = match kind {
            _ if filled && (has_words(name) || holds_calls(name)) => (Level::Foreign, 3),
            Kind::String => (Level::Message, u8::from(filled)),
            _ => (Level::Message, 2 * u8::from(filled)),
        };
        if found.as_ref().is_none_or(|(best, _)| *best < rank) {
            found = Some((rank, (level, key(name))));
        }
    })?;
    Ok(found.map(|(_, said)| said))
}

/// Whether the object at byte `at` of the cursor has any of these members. The cursor is left where
/// it is.
///
/// # Errors
/// The object is malformed JSON.
pub fn has(cursor: &mut Cursor<'_>, at: usize, names: &str) -> Scanned<bool> {
    let mut found = false;
    members(cursor, at, |name, _, _| found |= is_one_of(name, names))?;
    Ok(found)
}

/// Returns what was not understood of a message with no known role: the role or, without one, the
/// member with its text.
///
/// # Errors
/// The object at byte `at` of the cursor is malformed JSON.
pub fn no_role(cursor: &mut Cursor<'_>, at: usize, role: Option<&[u8]>) -> Scanned<Odd> {
    if let Some(role) = role {
        return Ok((Level::Message, format!("role {}", printable(role))));
    }
    let said = first_member(cursor, at, "content", |_, _, filled| filled)?;
    Ok(said.unwrap_or_else(|| (Level::Message, "message without key role".to_owned())))
}

/// The first member of the object at byte `at` of the cursor that is none of `known`, whatever it
/// holds. The cursor is left where it is.
///
/// # Errors
/// The object is malformed JSON.
pub fn foreign_key(cursor: &mut Cursor<'_>, at: usize, known: &str) -> Scanned<Option<String>> {
    let mut found = None;
    members(cursor, at, |name, _, _| {
        if found.is_none() && !is_one_of(name, known) {
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

/// Whether a key at the top of a record describes the record rather than holding content.
pub fn is_about(key: &str) -> bool {
    is_one_of(key.as_bytes(), ABOUT)
}

/// Settings whose values may look like messages or answers, and members about the request.
const SETTINGS: &str = "documents extra_body fallbacks format functions generationConfig generation_config metadata prediction response_format \
    system text toolConfig tools";

/// Members that hold an answer and its text.
const ANSWERS: &str = "answer answers candidates choices completion completions content generated_text generation generations modelOutput \
    model_output model_response output outputText output_text outputs reply response responses text";

/// Members on the way to a message or to an answer's words.
const WAY: &str = "arguments body contents data delta function input message messages parts result results tool_calls";

/// The number of nested values that are opened on the way to a message.
const DEPTH: usize = 8;

/// The members of a body that no reader reads: messages and answers may be in them, as logs of
/// gateways and tracers keep them in one row.
///
/// Such a row has the shape of a request and one more member: `output`, `response`, `choices`.
/// Vendors add settings to requests every month, so an unknown member alone is no evidence. Only a
/// member that contains a message, or the text of an answer, is noted.
#[derive(Debug, Default)]
pub struct UnreadReply {
    /// The first that contains a message or an answer.
    key: Option<String>,
    /// Whether a member holds edits for the server.
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

/// Reads over a value; returns whether it holds a message or, in an answer, `words`.
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
