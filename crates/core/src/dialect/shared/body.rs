//! Request bodies whose history is `messages`, and arrays of messages in any place.

use super::declared::{cache_mark, tools};
use super::message::message;
use super::prompt::{documents, prompt};
use super::unread;
use super::unread_reply::UnreadReply;
use crate::dialect::builder::{Level, TranscriptBuilder};
use crate::json::{Cursor, Kind, Scanned};
use crate::transcript::Thinking;
use std::borrow::Cow;

/// Reads a request body whose history is `messages`, or that history alone.
///
/// # Errors
/// The body is malformed JSON, or no object.
pub fn body(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    members(cursor, builder, "messages", messages, setting)
}

/// Reads a member of a body beside its messages, where its provider's name for it is one that others use, or the like.
///
/// # Errors
/// The value is malformed JSON.
pub fn setting(key: &[u8], cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    match (key, cursor.kind()?) {
        (b"model", _) => builder.model = cursor.string_or_skip()?.map(Cow::into_owned),
        (b"tools", Kind::Array) => tools(cursor, &mut builder.request)?,
        (b"thinking", Kind::Object) => builder.request.thinking = thinking(cursor)?,
        (b"cache_control", _) => builder.request.automatic_mark = cache_mark(cursor)?,
        (
            b"system"
            | b"instructions"
            | b"systemInstruction"
            | b"system_instruction"
            | b"preamble",
            _,
        ) => builder.request.system_marks = prompt(cursor, builder)?,
        (b"documents", Kind::Array) => documents(cursor, builder)?,
        _ => {}
    }
    Ok(())
}

/// The same for a provider whose results may answer by their order.
///
/// # Errors
/// The body is malformed JSON, or no object.
pub fn body_by_order(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    builder.by_order = true;
    body(cursor, builder)
}

/// Reads a body: what is under `history` as `messages` does, and of the other members those that `member` knows. One that it leaves
/// unread may be an answer. An array is that history alone.
///
/// # Errors
/// The body is malformed JSON, or no object.
pub fn members<'a>(
    cursor: &mut Cursor<'a>,
    builder: &mut TranscriptBuilder,
    history: &str,
    messages: fn(&mut Cursor<'_>, &mut TranscriptBuilder) -> Scanned,
    mut member: impl FnMut(&[u8], &mut Cursor<'a>, &mut TranscriptBuilder) -> Scanned,
) -> Scanned {
    if cursor.kind()? == Kind::Array {
        // A list says nothing of tools: what it does not declare is not missing.
        builder.request.tools = true;
        return messages(cursor, builder);
    }
    let before = builder.mark();
    let (mut found, mut answered) = (false, UnreadReply::default());
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        if *key == *history.as_bytes() {
            found = true;
            builder.rollback_blocks(before);
            messages(cursor, builder)?;
            continue;
        }
        let value = cursor.at();
        member(&key, cursor, builder)?;
        if cursor.at() == value {
            answered.look_into(cursor, &key)?;
        }
    }
    answered.note(builder);
    if !found {
        missing(history, builder);
    }
    Ok(())
}

/// Notes that a body has no `name`, under which its messages would be.
pub fn missing(name: &str, builder: &mut TranscriptBuilder) {
    builder.not_understood(Level::Place, format!("body without key {name}"));
}

/// Reads what is asked of thinking.
fn thinking(cursor: &mut Cursor<'_>) -> Scanned<Thinking> {
    let mut found = Thinking::Unsaid;
    cursor.member(b"type", |cursor| {
        found = match cursor.bytes_or_skip()?.as_deref() {
            Some(b"enabled") => Thinking::Enabled,
            Some(b"disabled") => Thinking::Disabled,
            _ => Thinking::Adaptive,
        };
        Ok(())
    })?;
    Ok(found)
}

/// Reads an array of messages; what is no object is noted.
///
/// # Errors
/// The array is malformed JSON.
pub fn messages(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    objects(cursor, builder, |cursor, builder| {
        message(cursor, builder).map(|_| ())
    })
}

/// Reads each object of an array of messages as `read` does, and notes each other element, and any other value.
///
/// # Errors
/// The value is malformed JSON.
pub fn objects(
    cursor: &mut Cursor<'_>,
    builder: &mut TranscriptBuilder,
    mut read: impl FnMut(&mut Cursor<'_>, &mut TranscriptBuilder) -> Scanned,
) -> Scanned {
    if cursor.kind()? != Kind::Array {
        cursor.skip()?;
        builder.not_understood(Level::Place, "key messages that is no list".to_owned());
        return Ok(());
    }
    cursor.each_element(|_, cursor| {
        match cursor.kind()? {
            Kind::Object => read(cursor, builder)?,
            kind => no_message(cursor, kind, builder)?,
        }
        Ok(())
    })
}

/// Notes a value of `kind` that is where a message should, and skips it.
///
/// # Errors
/// The value is malformed JSON.
#[cold]
pub fn no_message(cursor: &mut Cursor<'_>, kind: Kind, builder: &mut TranscriptBuilder) -> Scanned {
    cursor.skip()?;
    builder.not_understood(
        Level::Place,
        format!("{} in place of a message", unread::kind_name(kind)),
    );
    Ok(())
}
