//! Gemini CLI sessions (`chats/session-*.json`, `session-*.jsonl`): the older file is one object
//! with all messages, the newer a record a line.
//!
//! A record is the session's head, a message (`{id, timestamp, type, content}`), `{"$set": …}`,
//! `{"$patch": …}` ([`patch`]) or `{"$rewindTo": id}`. A message of the model (`type` gemini) holds
//! its `toolCalls`, each with its result: `[{functionResponse}]`, or a string in old files. They
//! become a message of the assistant and one for each result; [`replay`] says which of all these
//! the agent would send. `resultDisplay` repeats a result for the screen; messages of the types
//! info, error and warning are for the person only.

mod replay;
mod reply;

use crate::{
    dialect::{
        Confidence, Dialect, Form, Signals,
        builder::{CallId, Entry, EntryKind, Keep, Level, NONE, TranscriptBuilder},
        gemini,
        gemini::response,
        rules, shared,
        shared::{
            Content,
            unread::{enter_record, first_key},
        },
        usage::{Calls, Prompts, Row, Seen, State},
    },
    json::{Cursor, Id, IdSet, Kind, Scanned, stringify},
    transcript::{Block, BlockKind, Provider, RecordReferences, Role, Rules},
};
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
    // A record with the id of an earlier message replaces that message.
    references: Some(&RecordReferences::BY_ID),
    replies: reply::REPLIES,
    context: replay::context,
    calls: Calls {
        prompts: Prompts::Rows(rows),
        make_tree: replay::make_tree,
        documents: &["session-*.json"],
        ..Calls::UNKNOWN
    },
    provider_name: |_| Some("google"),
    provider: &PROVIDER,
    request: |_| Some(Form::Contents),
    ..Dialect::LOG
};

/// A resumed session has the results of its calls twice and more (0.61.0).
static PROVIDER: Provider = Provider {
    rules: |model, provider| Rules {
        answers_again: true,
        ..(rules::HISTORY.rules)(model, provider)
    },
    ..rules::PLAIN
};

fn detect(signals: &Signals) -> Confidence {
    let control = signals.has("$set") || signals.has("$patch") || signals.has("$rewindTo");
    let head = signals.has("sessionId projectHash");
    let whole = signals.has("sessionId messages")
        && signals.message_has("type")
        && signals.roles.is_empty();
    let message = signals.has("id timestamp content");
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
                let to = cursor.id_or_skip()?;
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
                patch(cursor, builder)?;
                control = true;
            }
            (b"messages", Kind::Array) => {
                builder.rollback_blocks(before);
                shared::objects(cursor, builder, message)?;
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
    // A bare id is a message without content.
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

/// Reads what a `$set` sets: only `messages`, which take the place of all before, are of the
/// conversation.
fn set(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let before = builder.mark();
    cursor.member(b"messages", |cursor| {
        if cursor.kind()? == Kind::Array {
            builder.rollback_blocks(before);
            builder.entries.push(Entry {
                kind: EntryKind::Reset(Keep::Nothing),
                ..Entry::default()
            });
            shared::objects(cursor, builder, message)?;
        }
        Ok(())
    })
}

/// A call that was read: its block is moved to the message, and its results to messages after that.
struct PendingCall {
    call: Block,
    /// The blocks of what answers it.
    answer: Vec<Block>,
}

impl PendingCall {
    /// Adds the message of its result, if it has one; returns its id and that message, or [`NONE`].
    fn push_answer(self, builder: &mut TranscriptBuilder) -> (Id, u32) {
        let (first, id) = (builder.blocks.len(), builder.link_of(&self.call).call);
        if self.answer.is_empty() {
            return (id, NONE);
        }
        builder.blocks.extend(self.answer);
        (id, builder.message(Role::Tool, self.call.span, first, true))
    }
}

/// The members of a message, or of a change of one. The content is among the blocks.
#[derive(Default)]
struct MessageMembers<'a> {
    id: Id,
    kind: Option<Cow<'a, str>>,
    time: Option<Cow<'a, str>>,
    model: Option<Cow<'a, str>>,
    /// Whether the content is an array; none where there is no content.
    array: Option<bool>,
    thought: Vec<Block>,
    calls: Vec<PendingCall>,
}

impl<'a> MessageMembers<'a> {
    fn read(
        cursor: &mut Cursor<'a>,
        builder: &mut TranscriptBuilder,
    ) -> Scanned<MessageMembers<'a>> {
        let (mut seen, first) = (MessageMembers::default(), builder.blocks.len());
        cursor.each_member(|key, cursor| {
            match (key, cursor.kind()?) {
                (b"id", Kind::String) => seen.id = cursor.id_or_skip()?,
                (b"type", Kind::String) => seen.kind = cursor.string_or_skip()?,
                (b"timestamp", Kind::String) => seen.time = cursor.string_or_skip()?,
                (b"model", Kind::String) => seen.model = cursor.string_or_skip()?,
                (b"content", _) => {
                    builder.keep_blocks(first);
                    seen.array = Some(gemini::parts(cursor, builder)?);
                }
                (b"thoughts", Kind::Array) => {
                    let content = builder.blocks.len();
                    thoughts(cursor, builder)?;
                    seen.thought = builder.blocks.split_off(content);
                }
                (b"toolCalls", Kind::Array) => {
                    seen.calls.clear();
                    cursor.each_object(|_, cursor| {
                        let part = seen.calls.len();
                        seen.calls.push(tool_call(cursor, part, builder)?);
                        Ok(())
                    })?;
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(seen)
    }

    /// Returns the role of a message that is sent.
    fn role(&self) -> Option<Role> {
        match self.kind.as_deref() {
            Some("user") => Some(Role::User),
            Some("gemini") => Some(Role::Assistant),
            _ => None,
        }
    }
}

/// Reads one message, and the results in it as messages of their own.
fn message(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let (from, before) = (cursor.next_at(), builder.mark());
    let mut seen = MessageMembers::read(cursor, builder)?;
    let (id, first) = (seen.id, before.blocks);
    let Some(role) = seen.role() else {
        builder.rollback_blocks(before);
        // It has a place of its own, because a rewind may name it.
        builder.entries.push(Entry {
            id,
            kind: EntryKind::Recorded(0),
            ..Entry::default()
        });
        let shown = seen.kind.as_deref().unwrap_or("");
        if !matches!(shown, "info" | "error" | "warning") {
            builder.unknown(Level::Record, "message of type", shown);
        }
        return Ok(());
    };
    let content = builder.blocks.len();
    builder.blocks.append(&mut seen.thought);
    // Some releases write a call into the content as well.
    let known: IdSet = builder
        .calls_of(&builder.blocks[first..content], BlockKind::Call)
        .collect();
    for called in &seen.calls {
        if !known.contains(&builder.link_of(&called.call).call) {
            builder.blocks.push(called.call);
        }
    }
    if builder.is_empty_since(first) || builder.unknown_kinds() > before.unknown_kinds {
        let said = first_key(
            cursor,
            from,
            "content displayContent tokens",
            seen.array.is_some(),
        )?;
        builder.judge(first, before.unknown_kinds, said);
    }
    let outside = (builder.blocks.len() - content) as u32;
    builder.count_parts(first);
    let (span, array) = (cursor.span_from(from), seen.array.unwrap_or(false));
    let message = builder.message(role, span, first, array);
    builder.entries.push(Entry {
        id,
        kind: EntryKind::Recorded(outside),
        message,
        ..Entry::default()
    });
    for called in seen.calls {
        let (call, message) = called.push_answer(builder);
        if message != NONE {
            builder.entries.push(Entry {
                id,
                parent: id,
                kind: EntryKind::Answer(call),
                message,
                ..Entry::default()
            });
        }
    }
    if role == Role::Assistant {
        builder.set_model(seen.model.as_deref(), None);
        builder.answered(seen.time.as_deref());
    }
    Ok(())
}

/// Reads the object of a `$patch`, which changes existing messages, as opposed to `$set`, which
/// writes all messages again: an entry for each change, in the order in which they are made.
///
/// `updates` give messages another content, and runs of tools another result; a patch may be one
/// such update itself. What `removeIds` names is removed, and what `orderIds` names is moved to the
/// end, in that order.
fn patch(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let from = cursor.next_at();
    update(cursor, builder)?;
    cursor.go_to(from);
    cursor.each_member(|key, cursor| {
        match (key, cursor.kind()?) {
            (b"updates", Kind::Array) => {
                cursor.each_object(|_, cursor| update(cursor, builder))?;
            }
            (b"removeIds", Kind::Array) => ids(cursor, EntryKind::Removed, builder)?,
            (b"orderIds", Kind::Array) => ids(cursor, EntryKind::Last, builder)?,
            _ => {}
        }
        Ok(())
    })
}

/// Reads a list of ids: an entry of this kind for each.
fn ids(cursor: &mut Cursor<'_>, kind: EntryKind, builder: &mut TranscriptBuilder) -> Scanned {
    cursor.each_element(|_, cursor| {
        let id = cursor.id_or_skip()?;
        if id.is_some() {
            builder.entries.push(Entry {
                id,
                kind,
                ..Entry::default()
            });
        }
        Ok(())
    })
}

/// Reads one update, `{id, content, toolCalls: [{id, result}]}`; without an id it is not an update.
fn update(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let (from, before) = (cursor.next_at(), builder.mark());
    let seen = MessageMembers::read(cursor, builder)?;
    let (id, first) = (seen.id, before.blocks);
    if id.is_none() {
        builder.rollback_blocks(before);
        return Ok(());
    }
    let message = seen.array.map_or(NONE, |array| {
        builder.count_parts(first);
        // Its role is known when the patch is applied; until then it is guessed.
        let model = builder.blocks[first..]
            .iter()
            .any(|b| matches!(b.kind, BlockKind::Call | BlockKind::Thinking));
        let role = if model { Role::Assistant } else { Role::User };
        builder.message(role, cursor.span_from(from), first, array)
    });
    builder.entries.push(Entry {
        id,
        kind: EntryKind::Patch,
        message,
        ..Entry::default()
    });
    for called in seen.calls {
        let (call, message) = called.push_answer(builder);
        builder.entries.push(Entry {
            parent: id,
            kind: EntryKind::Run(call),
            message,
            ..Entry::default()
        });
    }
    Ok(())
}

/// Reads the model's thoughts, `[{subject, description}]`: one block, counted by its words.
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

/// Reads one of the `toolCalls`, and takes its blocks out of the builder.
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
        builder.result_copy(call.hash, span);
    }
    builder.call(call, &name, part, span, arguments);
    let call = builder.blocks[first];
    builder.keep_blocks(first);
    Ok(PendingCall { call, answer })
}

/// Makes the row of a message: `tokens` are the provider's counts (`recordMessageTokens` of
/// `chatRecordingService.ts`). A message without counts is no request of its own: the agent made
/// it, or it belongs to the answer before.
fn rows(seen: Seen, state: &mut State, rows: &mut Vec<Row>) {
    let (row, provider) = (seen.counted(), state.names.intern("google"));
    rows.push(Row { provider, ..row }.whole());
}

#[cfg(test)]
mod tests;
