//! OpenCode sessions, as `opencode export` prints them: `{info, messages: [{info, parts}]}`; also
//! messages alone, one after the other or in an array.
//!
//! A message of the assistant is cut into steps at its `step-start` parts: what the model said in
//! one is a message of the assistant, and each of its `tool` parts, which hold the call
//! (`state.input`) and what came of it (`state.output`, or `state.error`), a call in that message
//! and a result after it. An output that OpenCode has cleared itself (`state.time.compacted`) is
//! not sent any more, and is no content here. `state.metadata` repeats the output for the screen.
//!
//! What is sent next begins with the last `compaction` part that was followed by a finished
//! summary, or with the message that it names as the first of what it keeps (`tail_start_id`).
//! After /undo it ends before the message that `revert` names. Messages that ended in an error are
//! not sent, except for those that the person broke off after something had been said.

mod parts;
mod reply;

use crate::{
    dialect::{
        Confidence, Dialect, EntryReleased, Form, Signals,
        builder::{Entry, EntryKind, Keep, Level, NONE, TranscriptBuilder, id_or_none},
        opencode::parts::{Parts, parts},
        shared,
        shared::unread::{first_key, no_record},
        tree,
        tree::contexts::Contexts,
        usage::{Calls, LAST, Prompts, Row, RowKind, Seen, State},
    },
    json::{Cursor, GeneratedId, Id, IdMap, IdSet, Kind, Scanned, locate::text_member},
    settings::Scope,
    transcript::{BlockKind, Role},
};
use std::borrow::Cow;

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "opencode",
    about: "OpenCode sessions (opencode export)",
    keys: &["info", "messages", "parts"],
    detect,
    read,
    context,
    request: |found| {
        Some(match found.provider_name.as_deref() {
            Some("anthropic") => Form::Blocks { own: false },
            Some("openai") => Form::Items { own: false },
            Some("google") => Form::Contents,
            _ => Form::Chat,
        })
    },
    words,
    replies: reply::REPLIES,
    calls: Calls {
        prompts: Prompts::Rows(rows),
        make_tree,
        documents: &["ses_*.json", "*export*.json"],
        ..Calls::UNKNOWN
    },
    ..Dialect::LOG
};

fn detect(signals: &Signals) -> Confidence {
    let message = signals.has("info parts");
    let messages = (signals.has("messages") || signals.array)
        && signals.message_has("info")
        && signals.message_has("parts");
    if message || messages {
        Confidence::Certain
    } else if signals.has("info messages") && signals.roles.is_empty() {
        Confidence::Likely
    } else {
        Confidence::No
    }
}

fn read(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let kind = cursor.kind()?;
    match kind {
        Kind::Array => return shared::objects(cursor, builder, message),
        Kind::Object => {}
        kind => return no_record(cursor, kind, builder),
    }
    let before = builder.mark();
    let (mut known, mut undone) = (false, Id::NONE);
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        match (&*key, cursor.kind()?) {
            (b"messages", Kind::Array) => {
                builder.rollback_blocks(before);
                shared::objects(cursor, builder, message)?;
                known = true;
            }
            // A message by itself: it is read from its beginning.
            (b"parts", Kind::Array) => {
                cursor.rewind();
                return message(cursor, builder);
            }
            (b"info", Kind::Object) => {
                known = true;
                cursor.each_member(|key, cursor| {
                    if key != b"revert" || cursor.kind()? != Kind::Object {
                        return Ok(());
                    }
                    cursor.member(b"messageID", |cursor| {
                        undone = id_or_none(cursor)?;
                        Ok(())
                    })
                })?;
            }
            (name, _) => known |= name == b"info",
        }
    }
    if undone.is_some() {
        builder.entries.push(Entry {
            kind: EntryKind::Undone(undone),
            ..Entry::default()
        });
    }
    if !known {
        builder.unknown(Level::Record, "record without", "messages");
    }
    Ok(())
}

/// The `info` of a message.
#[derive(Default)]
struct Info<'a> {
    id: Id,
    parent: Id,
    role: Role,
    model: Option<Cow<'a, str>>,
    provider: Option<Cow<'a, str>>,
    time: Option<i64>,
    summary: bool,
    finished: bool,
    /// Whether an error ended it.
    failed: bool,
    /// Whether that was the person.
    broken_off: bool,
}

/// Reads a message, `{info, parts}`.
fn message(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let (from, before) = (cursor.next_at(), builder.mark());
    let (mut about, mut content_at, mut found) = (None::<Info<'_>>, None, None);
    cursor.each_member(|key, cursor| {
        match (key, cursor.kind()?) {
            (b"info", Kind::Object) => about = Some(info(cursor)?),
            (b"parts", Kind::Array) => {
                content_at = Some(cursor.at());
                // Their role is mostly known by now.
                if let Some(info) = &about {
                    builder.rollback_blocks(before);
                    found = Some(parts(cursor, info.role, builder)?);
                }
            }
            _ => {}
        }
        Ok(())
    })?;
    let info = about.unwrap_or_default();
    let mut found = match (found, content_at) {
        (Some(found), _) => found,
        (None, Some(at)) => cursor.read_at(at, |cursor| parts(cursor, info.role, builder))?,
        (None, None) => {
            let said = first_key(cursor, from, "info", false)?;
            let none = || "message without parts".to_owned();
            builder.not_understood(Level::Place, said.map_or_else(none, |(_, what)| what));
            Parts::default()
        }
    };
    let span = cursor.span_from(from);
    let is_step = |&&message: &&u32| builder.messages[message as usize].role != Role::Tool;
    let steps = found.messages.iter().filter(is_step).count();
    for &message in &found.messages {
        let made = &mut builder.messages[message as usize];
        // A message of several steps cannot be removed alone, nor one that a compaction is made of.
        made.not_removable = steps > 1 || info.summary || found.compaction.is_some();
        if made.role != Role::Tool {
            made.span = span;
        }
    }
    let sent = !info.failed || info.broken_off && found.speaks;
    if !sent {
        builder.rollback_blocks(before);
        found = Parts::default();
    }
    let is_summary = info.summary && info.finished && !info.failed;
    let mut made = found.messages.into_iter();
    builder.entries.push(Entry {
        id: info.id,
        parent: if is_summary { info.parent } else { Id::NONE },
        kind: match found.compaction {
            Some(tail) => EntryKind::Reset(tail.map_or(Keep::Nothing, Keep::Id)),
            None => EntryKind::Following(Id::NONE),
        },
        message: made.next().unwrap_or(NONE),
        size: span.len() as u32,
        time: info.time.unwrap_or_default().cast_unsigned(),
        ..Entry::default()
    });
    builder.entries.extend(made.map(|message| Entry {
        id: info.id,
        parent: info.id,
        kind: EntryKind::Side(Id::NONE),
        message,
        ..Entry::default()
    }));
    if info.role == Role::Assistant && sent {
        builder.set_model(info.model.as_deref(), info.provider.as_deref());
        builder.assistant_time = builder.assistant_time.max(info.time);
    }
    Ok(())
}

fn info<'a>(cursor: &mut Cursor<'a>) -> Scanned<Info<'a>> {
    let mut info = Info::default();
    cursor.each_member(|key, cursor| {
        match (key, cursor.kind()?) {
            (b"id", Kind::String) => info.id = cursor.id_or_skip()?,
            (b"parentID", Kind::String) => info.parent = cursor.id_or_skip()?,
            (b"role", _) => {
                info.role = match cursor.bytes_or_skip()?.as_deref() {
                    Some(b"user") => Role::User,
                    Some(b"assistant") => Role::Assistant,
                    _ => Role::Other,
                };
            }
            (b"modelID", _) => info.model = cursor.string_or_skip()?,
            (b"providerID", _) => info.provider = cursor.string_or_skip()?,
            (b"summary", _) => info.summary = cursor.skip()? == Kind::True,
            (b"finish", _) => info.finished = cursor.skip()? == Kind::String,
            (b"time", Kind::Object) => {
                cursor.each_member(|key, cursor| {
                    if matches!(key, b"created" | b"completed") {
                        info.time = info.time.max(shared::number(cursor)?);
                    }
                    Ok(())
                })?;
            }
            (b"error", Kind::Object) => {
                (info.failed, info.broken_off) = (true, false);
                cursor.member(b"name", |cursor| {
                    let name = cursor.bytes_or_skip()?;
                    info.broken_off |= name.as_deref() == Some(b"MessageAbortedError");
                    Ok(())
                })?;
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(info)
}

fn context(builder: &mut TranscriptBuilder, scope: Scope) -> Result<(), EntryReleased> {
    pair_by_place(builder);
    if scope == Scope::Context {
        take_undone(&mut builder.entries);
        let from = begin(&builder.entries);
        if from == 0 && builder.released.count > 0 {
            return Err(EntryReleased);
        }
        let messages = builder.entries[from..].iter();
        let order: Vec<u32> = messages.filter_map(Entry::said).collect();
        tree::reduce(builder, &order);
    }
    Ok(())
}

/// Returns what is sent for a part that has no text, or whose result was cleared.
fn words(part: &[u8], _: &[String]) -> Option<String> {
    let words = match &*text_member(part, "type")? {
        "compaction" => "What did we do so far?",
        "subtask" => "The following tool was executed by the user",
        "tool" => "[Old tool result content cleared]",
        _ => return None,
    };
    Some(words.to_owned())
}

/// Gives pairs the ids of their places if all calls have one id, because recorders write one word
/// for all ids. A part holds its own result.
fn pair_by_place(builder: &mut TranscriptBuilder) {
    let calls = builder.blocks.iter().filter(|b| b.kind == BlockKind::Call);
    let mut ids = calls.map(|call| builder.links[call.extra as usize].call);
    let first = ids.next();
    let is_first = |id| Some(id) == first;
    if !ids.next().is_some_and(is_first) || !ids.all(is_first) {
        return;
    }
    let mut records = builder.messages.iter().rev().peekable();
    for (at, block) in (0..builder.blocks.len() as u32).zip(&builder.blocks).rev() {
        while records.next_if(|message| message.blocks > at).is_some() {}
        if let Some(message) = records.peek().filter(|_| block.is_linked()) {
            let place = message.record + u64::from(block.span.start);
            builder.links[block.extra as usize].call = Id::generated(GeneratedId::Place, place);
        }
    }
}

/// Takes out what was undone: a message and all behind it, until the next prompt or a redo.
fn take_undone(entries: &mut Vec<Entry>) {
    let note = entries.iter().map(Entry::about).find(|id| id.is_some());
    let undone = entries.iter().position(|e| Some(e.id) == note);
    entries.truncate(undone.unwrap_or(entries.len()));
    entries.retain(|entry| !entry.is_note());
}

/// Index of the first entry that is sent.
fn begin(entries: &[Entry]) -> usize {
    let mut summarised = IdSet::default();
    for (i, entry) in entries.iter().enumerate().rev() {
        let is_side = |e: &Entry| matches!(e.kind, EntryKind::Side(_));
        if let EntryKind::Reset(keep) = entry.kind
            && summarised.contains(&entry.id)
        {
            let tail = entries[..i]
                .iter()
                .rposition(|e| Keep::Id(e.id) == keep && !is_side(e));
            return tail.unwrap_or(i);
        }
        if !is_side(entry) && entry.parent.is_some() {
            summarised.insert(entry.parent);
        }
    }
    0
}

/// Makes a tree of the messages for a replay, in which the way to each request is its context: each
/// follows the one before, up to a compaction that has its summary.
fn make_tree(builder: &mut TranscriptBuilder) {
    let mut entries = std::mem::take(&mut builder.entries);
    entries.retain(|entry| !entry.is_note());
    let mut contexts = Contexts::new(builder);
    // Where messages with an id begin, and the compactions among them.
    let (mut places, mut compactions) = (IdMap::<usize>::default(), IdMap::<usize>::default());
    let (mut ids, mut newest, mut ended) = (Vec::with_capacity(entries.len()), None, Id::NONE);
    for (i, entry) in entries.iter().enumerate() {
        let is_step = matches!(entry.kind, EntryKind::Side(_));
        let before = ids.last().copied().filter(|_| is_step);
        let known = places.get(&entry.id).map(|&at| &entries[at]);
        let id = id_of(entry, before);
        // A program that hides ids may give one to several messages: they are one only if they are
        // alike.
        ids.push(match known.filter(|_| !is_step && id.is_some()) {
            Some(known) if (known.time, known.size) != (entry.time, entry.size) => {
                Id::of_all([id.short(), i as u64].map(u64::to_le_bytes))
            }
            _ => id,
        });
        if !is_step {
            let compaction = compactions.get(&ended).copied();
            if ended.is_some() && compaction > newest && !contexts.is_full() {
                newest = compaction;
                let at = compaction.unwrap_or_default();
                let from = match entries[at].keeps() {
                    Keep::Id(id) => places.get(&id).copied().filter(|&tail| tail < at),
                    _ => None,
                };
                let from = from.unwrap_or(at);
                let sent = ids[from..i].iter().zip(&entries[from..i]);
                let sent = sent.filter_map(|(id, entry)| Some((*id, entry.said()?)));
                let sent: Vec<(Id, u32)> = sent.collect();
                contexts.lead(builder, 0, &sent, true);
            }
            places.insert(entry.id, i);
            if entry.is_boundary() {
                compactions.insert(entry.id, i);
            }
            ended = entry.parent;
        }
        if let Some(message) = entry.said() {
            contexts.answer(ids[i], message);
        }
    }
    contexts.finish(builder);
}

/// The id by which a request is known: that of its message, and for a later step one that follows
/// from the step before.
fn id_of(entry: &Entry, before: Option<Id>) -> Id {
    match before {
        Some(before) if before.is_some() => Id::of_all([before.short().to_le_bytes()]),
        _ => entry.id,
    }
}

/// Makes the rows of a message, or that of a part of its own (`Session.getUsage` and the
/// `finish-step` of `session/processor.ts`).
///
/// A `step-finish` part counts the step before it, and `info.tokens` the last step. Cached tokens
/// are not part of `input`, and OpenCode charges `reasoning` like `output`, which it does not
/// include.
fn rows(seen: Seen, _: &mut State, rows: &mut Vec<Row>) {
    let info = seen.counted();
    let of_kind = |kind: &'static str| {
        let parts = seen.parts.iter().zip(0..);
        parts.filter(move |(part, _)| part.kind == kind)
    };
    let steps: Vec<(Row, u32)> = of_kind("step-finish")
        .map(|(part, at)| (part.counted(), at))
        .filter(|(step, _)| step.usage.is_some())
        .collect();
    if steps.is_empty() {
        // The last of several steps is counted here; when it was sent is unknown.
        let sent = info.sent.filter(|_| of_kind("step-start").count() < 2);
        rows.push(Row {
            sent,
            part: LAST,
            ..info.whole()
        });
        return;
    }
    let last = steps.len() - 1;
    rows.extend(steps.into_iter().enumerate().map(|(i, (step, part))| Row {
        kind: RowKind::Answer,
        model: info.model,
        provider: info.provider,
        sent: info.sent.filter(|_| i == 0),
        time: info.time.filter(|_| i == last),
        part,
        ..step
    }));
}

#[cfg(test)]
mod tests;
