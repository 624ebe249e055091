//! Gemini CLI sessions (`chats/session-*.json`, `session-*.jsonl`): the older file is one object with all messages, the newer
//! a record a line.
//!
//! A line is the session's head, a message (`{id, timestamp, type, content}`), `{"$set": …}`, `{"$patch": …}`
//! ([`patch`]) or `{"$rewindTo": id}`. A message of the model (`type` gemini) holds its `toolCalls`, each with its
//! result: `[{functionResponse}]`, or a string in old files. They become a message of the assistant and one for each result;
//! [`replay`] says which of all these the agent would send. `resultDisplay` repeats a result for the screen; messages of
//! the types info, error and warning are for the person only.

mod contexts;
mod patch;
mod replay;
mod reply;
mod usage;

use crate::dialect::builder::{CallId, Entry, EntryKind, Keep, Level, TranscriptBuilder};
use crate::dialect::gemini::response;
use crate::dialect::shared;
use crate::dialect::shared::Content;
use crate::dialect::shared::unread::{ContentState, enter_record, first_key};
use crate::dialect::usage::{Calls, Prompts};
use crate::dialect::{Confidence, Dialect, Signals, gemini};
use crate::json::{Cursor, Id, IdSet, Kind, Scanned, stringify};
use crate::transcript::RecordReferences;
use crate::transcript::{Block, BlockKind, ResultCopyKind, Role};
use std::borrow::Cow;

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "gemini-cli",
    about: "Gemini CLI sessions (session-*.json, session-*.jsonl)",
    results: &[response::RESULTS],
    keys: &[
        "$patch",
        "$rewindTo",
        "$set",
        "content",
        "id",
        "messages",
        "projectHash",
        "sessionId",
        "timestamp",
        "type",
    ],
    detect,
    read,
    references: Some(&REFERENCES),
    replies: reply::REPLIES,
    context: replay::context,
    calls: Calls {
        prompts: Prompts::Rows(usage::rows),
        make_tree: contexts::make_tree,
        documents: &["session-*.json"],
        ..Calls::UNKNOWN
    },
    provider: |_| Some("google"),
    ..Dialect::LOG
};

/// A line of an id that was there before says all of that message anew.
const REFERENCES: RecordReferences = RecordReferences {
    id: "id",
    parent: "",
    others: &[],
    kept_from: &[],
    kept_index: None,
    has_off_path_entries: false,
};

fn detect(signals: &Signals) -> Confidence {
    let control = signals.has("$set") || signals.has("$patch") || signals.has("$rewindTo");
    let head = signals.has("sessionId") && signals.has("projectHash");
    let whole = signals.has("sessionId")
        && signals.has("messages")
        && signals.message_has("type")
        && signals.roles.is_empty();
    let message = signals.has("id") && signals.has("timestamp") && signals.has("content");
    match signals.value("type") {
        _ if head || whole => Confidence::Certain,
        Some("gemini") if message => Confidence::Certain,
        Some("user") if message => Confidence::Likely,
        // A database writes such records as well.
        _ if control => Confidence::Likely,
        _ => Confidence::No,
    }
}

fn read(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let before = builder.mark();
    let Some(mut members) = enter_record(cursor, builder)? else {
        return Ok(());
    };
    let (mut head, mut control, mut id, mut more) = (false, false, false, false);
    let mut kind = None;
    while let Some(key) = cursor.key(&mut members)? {
        match (&*key, cursor.kind()?) {
            (b"$rewindTo", Kind::String) => {
                let to = Id::of(&cursor.bytes_or_skip()?.unwrap_or_default());
                builder.entries.push(Entry {
                    kind: EntryKind::Leaf(to),
                    ..Entry::default()
                });
                control = true;
            }
            (b"$set", Kind::Object) => {
                set(cursor, builder)?;
                control = true;
            }
            (b"$patch", Kind::Object) => {
                patch::patch(cursor, builder)?;
                control = true;
            }
            (b"messages", Kind::Array) => {
                builder.rollback_blocks(before);
                messages(cursor, builder)?;
                head = true;
            }
            // The members of a message: it is read from its beginning.
            (b"content" | b"toolCalls" | b"thoughts", _) if !head => {
                cursor.rewind();
                return message(cursor, builder);
            }
            (b"id", Kind::String) => id = cursor.skip()? == Kind::String,
            (b"type", Kind::String) => kind = cursor.string_or_skip()?,
            (b"sessionId", _) => head = cursor.skip()? == Kind::String,
            (name, _) => more |= name != b"timestamp",
        }
    }
    // A bare id is a message of which nothing was said.
    let known = head || control || id && kind.is_none() && !more;
    if !known {
        builder.unknown(
            Level::Record,
            "record of type",
            kind.as_deref().unwrap_or(""),
        );
    }
    Ok(())
}

/// Reads what a `$set` sets: only `messages`, which take the place of all before, are of the conversation.
fn set(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let before = builder.mark();
    cursor.member(b"messages", |cursor| {
        if cursor.kind()? == Kind::Array {
            builder.rollback_blocks(before);
            builder.entries.push(Entry {
                kind: EntryKind::Reset(Keep::Nothing),
                ..Entry::default()
            });
            messages(cursor, builder)?;
        }
        Ok(())
    })
}

fn messages(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    shared::objects(cursor, builder, message)
}

/// A call that was read: its block is moved to the message, what answers it to messages after that.
pub struct PendingCall {
    /// The call.
    pub call: Block,
    /// The blocks of what answers it.
    pub answer: Vec<Block>,
}

/// Reads one message, and the results in it as messages of their own.
fn message(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let (from, before, first, unknown_kinds) = (
        cursor.next_at(),
        builder.mark(),
        builder.blocks.len(),
        builder.unknown_kinds(),
    );
    let (mut id, mut kind, mut time, mut model) = (Id::NONE, None, None, None);
    let (mut calls, mut thought, mut array, mut said) = (Vec::new(), Vec::new(), false, false);
    cursor.each_member(|key, cursor| {
        match (key, cursor.kind()?) {
            (b"id", Kind::String) => id = Id::of(&cursor.bytes_or_skip()?.unwrap_or_default()),
            (b"type", Kind::String) => kind = cursor.string_or_skip()?,
            (b"timestamp", Kind::String) => time = cursor.string_or_skip()?,
            (b"model", Kind::String) => model = cursor.string_or_skip()?,
            (b"content", _) => {
                builder.keep_blocks(first);
                (array, said) = (gemini::parts(cursor, builder)?, true);
            }
            (b"thoughts", Kind::Array) => {
                let content = builder.blocks.len();
                thoughts(cursor, builder)?;
                thought = builder.blocks.split_off(content);
            }
            (b"toolCalls", Kind::Array) => calls = tool_calls(cursor, builder)?,
            _ => {}
        }
        Ok(())
    })?;
    let role = match kind.as_deref() {
        Some("user") => Role::User,
        Some("gemini") => Role::Assistant,
        shown => {
            builder.rollback_blocks(before);
            // It takes a place of its own, as a rewind may name it.
            builder.entries.push(Entry {
                id,
                kind: EntryKind::Recorded(0),
                ..Entry::default()
            });
            if !matches!(shown, Some("info" | "error" | "warning")) {
                builder.unknown(Level::Record, "message of type", shown.unwrap_or(""));
            }
            return Ok(());
        }
    };
    let content = builder.blocks.len();
    builder.blocks.extend(thought);
    // Some releases write a call into the content as well.
    let known: IdSet = builder
        .calls_of(&builder.blocks[first..content], BlockKind::Call)
        .collect();
    for called in &calls {
        if !known.contains(&builder.link_of(&called.call).call) {
            builder.blocks.push(called.call);
        }
    }
    if builder.is_empty_since(first) || builder.unknown_kinds() > unknown_kinds {
        let (known, state) = ([&b"content"[..], b"displayContent"], ContentState::of(said));
        let said = first_key(cursor, from, &known, state)?;
        builder.judge(first, unknown_kinds, said);
    }
    let outside = (builder.blocks.len() - content) as u32;
    builder.count_parts(first);
    let span = cursor.span_from(from);
    let message = builder.message(role, span, first, array);
    builder.entries.push(Entry {
        id,
        kind: EntryKind::Recorded(outside),
        message,
        ..Entry::default()
    });
    for PendingCall { call, answer } in calls.into_iter().filter(|called| !called.answer.is_empty())
    {
        let first = builder.blocks.len();
        builder.blocks.extend(answer);
        let message = builder.message(Role::Tool, call.span, first, true);
        let kind = EntryKind::Answer(builder.link_of(&call).call);
        builder.entries.push(Entry {
            id,
            parent: id,
            kind,
            message,
            ..Entry::default()
        });
    }
    if role == Role::Assistant {
        builder.set_model(model.as_deref(), None);
        builder.answered(time.as_deref());
    }
    Ok(())
}

/// Reads what the model thought, `[{subject, description}]`: one block, counted by its words.
fn thoughts(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let (from, mut chars) = (cursor.at(), 0);
    cursor.each_object(|_, cursor| {
        cursor.each_member(|key, cursor| {
            if matches!(key, b"subject" | b"description") && cursor.kind()? == Kind::String {
                let found = cursor.text()?;
                chars += builder.chars_of(&found);
            }
            Ok(())
        })
    })?;
    if chars > 0 {
        builder.plain_block(BlockKind::Thinking, 0, cursor.span_from(from), chars);
    }
    Ok(())
}

/// Reads `toolCalls`. Nothing of them stays among the blocks.
///
/// # Errors
/// It is malformed JSON.
pub fn tool_calls(
    cursor: &mut Cursor<'_>,
    builder: &mut TranscriptBuilder,
) -> Scanned<Vec<PendingCall>> {
    let mut calls = Vec::new();
    cursor.each_object(|_, cursor| {
        calls.push(tool_call(cursor, calls.len(), builder)?);
        Ok(())
    })?;
    Ok(calls)
}

/// Reads one of the `toolCalls`. Nothing of it stays among the blocks.
fn tool_call(
    cursor: &mut Cursor<'_>,
    part: usize,
    builder: &mut TranscriptBuilder,
) -> Scanned<PendingCall> {
    let (from, first, unknown_kinds) = (cursor.at(), builder.blocks.len(), builder.unknown_kinds());
    let (mut call, mut name, mut arguments) = (CallId::default(), Cow::Borrowed(""), 2);
    let (mut said, mut shown) = (None, None);
    cursor.each_member(|key, cursor| {
        let kind = cursor.kind()?;
        match (key, kind) {
            (b"id", _) => call = response::id(cursor)?,
            (b"name", _) => name = cursor.string_or_skip()?.unwrap_or_default(),
            (b"args", _) => arguments = stringify::length(cursor)?,
            (b"result", Kind::String) => {
                builder.keep_blocks(first);
                let found = cursor.text()?;
                said = None;
                // An empty one is not sent.
                if !found.raw.is_empty() {
                    builder.text(&found, 0, false);
                    said = Some(Content::String(found.span));
                }
            }
            (b"result", _) => {
                builder.keep_blocks(first);
                said = None;
                gemini::parts(cursor, builder)?;
            }
            (b"resultDisplay", _) => shown = Some(cursor.skip_span()?),
            _ => {}
        }
        Ok(())
    })?;
    builder.not_understood_inside(unknown_kinds);
    let span = cursor.span_from(from);
    if call.hash.is_none() {
        // The pair is together: its place is as good as an id.
        call.hash = builder.place_id(span);
    }
    if let Some(content) = said {
        shared::answer(builder, first, span, content, call, Some(&name), false);
    }
    let answer = builder.blocks.split_off(first);
    for block in answer.iter().filter(|b| b.kind == BlockKind::Result) {
        let link = &mut builder.links[block.extra as usize];
        if link.call.is_none() {
            link.call = call.hash;
        }
    }
    if let Some(span) = shown {
        builder.result_copy(call.hash, span, ResultCopyKind::DisplayOnly);
    }
    builder.call(call, &name, part, span, arguments);
    let call = builder.blocks[first];
    builder.keep_blocks(first);
    Ok(PendingCall { call, answer })
}

#[cfg(test)]
mod tests;
