//! Codex rollouts: `{timestamp, type, payload}`, one a line; in the oldest ones a record is a bare
//! item.
//!
//! What Codex sends next are the `response_item`s since the last `compacted` record, whose
//! `replacement_history` represents all before it; an older `compacted` record has only a summary,
//! which is then a message of the user. `event_msg` records copy items for the screen: they are not
//! counted, and nor is any type of record that is not named here.
//!
//! The model speaks in items: reasoning, text and calls. Those that are between two of the other
//! side, results or a person's words, came from one request, and are one message of the assistant
//! here: `keepLastAssistants` counts requests.

use crate::{
    dialect::{
        Confidence, Dialect, EntryReleased, Form, Signals,
        beside::Beside,
        builder::{CallId, Entry, EntryKind, Keep, Level, TranscriptBuilder},
        openai_responses::{self, Items},
        shared,
        shared::{
            envelope::Envelope,
            reply::Replies,
            unread::{enter_record, is_one_of},
        },
        tree,
        usage::{Calls, Prompts, Row, RowKind, Says, Seen, State},
    },
    json::{
        Cursor, Id, Kind, Scanned,
        locate::{member_value, value_at},
    },
    read_at::{ReadAt, Window},
    settings::Scope,
    transcript::{Message, Role, Span, Transcript},
};
use std::io;

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "codex",
    about: "Codex rollouts (rollout-*.jsonl)",
    results: &[openai_responses::RESULTS],
    keys: &[
        "call_id",
        "id",
        "instructions",
        "payload",
        "record_type",
        "timestamp",
        "type",
    ],
    detect,
    read,
    replies: REPLIES,
    context,
    calls: Calls {
        row: Some(row),
        prompts: Prompts::Apart,
        joins: true,
        ..Calls::UNKNOWN
    },
    provider_name: |_| Some("openai"),
    request: |_| Some(Form::Items { own: true }),
    beside,
    ..Dialect::LOG
};

/// The head of a rollout of Codex 0.171 has the instructions, which it sends as its first message,
/// where no item has them with the tools.
fn beside(context: &Transcript, log: &dyn ReadAt) -> io::Result<Beside> {
    let mut beside = Beside::default();
    if context.request.tools {
        beside.tools = Some("[]".to_owned());
        return Ok(beside);
    }
    let head = value_at(&mut Window::new(log), 0)?;
    let head = log.read(head.start, head.end)?;
    let value = |at, name| member_value(&head, at, name);
    let payload = value(0, "payload").map_or(0, |payload| payload.start);
    let text = value(payload, "base_instructions").and_then(|at| value(at.start, "text"));
    let text = text.filter(|_| value(payload, "history_mode").is_some());
    beside.first = text.map(|text| {
        let text = String::from_utf8_lossy(&head[text]);
        format!(
            r#"{{"type":"message","role":"developer","content":[{{"type":"input_text","text":{text}}}]}}"#
        )
    });
    Ok(beside)
}

/// The forms of missing results: a call of the shell is answered like the call of a function.
const REPLIES: Replies = Replies {
    own: &[[
        "type=local_shell_call",
        "message",
        r#"{"type":"function_call_output","call_id":"$id","output":"$said"}"#,
    ]],
    line: Some(&Envelope {
        known_by: "payload",
        members: r#"timestamp=time type="response_item" payload=message"#,
    }),
    ..Replies::COMMON
};

/// The types of records.
const TYPES: &str = "session_meta response_item compacted turn_context event_msg world_state \
    inter_agent_communication token_usage_record";

fn detect(signals: &Signals) -> Confidence {
    let kind = signals.value("type");
    let enveloped = signals.has("payload") && kind.is_some_and(|t| is_one_of(t.as_bytes(), TYPES));
    let speaks = kind == Some("message") && signals.has_type("input_text output_text");
    let calls = signals.has("call_id")
        && kind.is_some_and(|t| t.ends_with("_call") || t.ends_with("_call_output"));
    if enveloped || speaks || calls || signals.value("record_type") == Some("state") {
        Confidence::Certain
    } else if signals.has("instructions timestamp id") {
        // The head of a rollout without envelopes.
        Confidence::Likely
    } else {
        Confidence::No
    }
}

fn read(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let before = builder.mark();
    let Some(mut members) = enter_record(cursor, builder)? else {
        return Ok(());
    };
    let (mut kind, mut time, mut held) = (None, None, None);
    let (mut speaks, mut bare) = (false, false);
    while let Some(key) = cursor.key(&mut members)? {
        match &*key {
            b"timestamp" => time = cursor.string_or_skip()?,
            b"type" => kind = cursor.string_or_skip()?,
            b"payload" if cursor.kind()? == Kind::Object => {
                held = Some((cursor.at(), kind.clone()));
                builder.rollback_blocks(before);
                speaks = payload(cursor, kind.as_deref(), builder)?;
            }
            b"role" | b"content" | b"call_id" | b"output" | b"arguments" | b"action"
            | b"summary"
                if held.is_none() =>
            {
                cursor.rewind();
                return item(cursor, builder).map(drop);
            }
            name => bare |= matches!(name, b"record_type" | b"instructions" | b"git"),
        }
    }
    if let Some((at, read_as)) = held
        && read_as != kind
    {
        builder.rollback_blocks(before);
        speaks = cursor.read_at(at, |cursor| payload(cursor, kind.as_deref(), builder))?;
    }
    match kind.as_deref() {
        Some(kind) if !is_one_of(kind.as_bytes(), TYPES) => {
            builder.unknown(Level::Record, "record of type", kind)
        }
        // The head and the states of a rollout without envelopes have no type.
        None if !bare => builder.not_understood(Level::Record, "record without a type".to_owned()),
        _ => {}
    }
    if speaks {
        builder.answered(time.as_deref());
    }
    Ok(())
}

/// Reads what a record of this type holds; says whether it is an item of the model's own.
fn payload(
    cursor: &mut Cursor<'_>,
    kind: Option<&str>,
    builder: &mut TranscriptBuilder,
) -> Scanned<bool> {
    match kind {
        Some("response_item") => {
            let before = builder.messages.len() as u32;
            let speaks = item(cursor, builder)?;
            if before < builder.messages.len() as u32 {
                let answered: Vec<Id> = builder.answered_calls(before).collect();
                answered
                    .into_iter()
                    .for_each(|call| builder.note_next(call));
            }
            return Ok(speaks);
        }
        Some("compacted") => compacted(cursor, builder)?,
        Some("event_msg") => event(cursor, builder)?,
        Some("session_meta" | "turn_context") => cursor.each_member(|key, cursor| {
            match key {
                b"model" => builder.set_model(cursor.string_or_skip()?.as_deref(), None),
                b"model_provider" => builder.set_model(None, cursor.string_or_skip()?.as_deref()),
                b"history_mode" => {
                    builder.read_by_bytes |=
                        cursor.bytes_or_skip()?.as_deref() == Some(b"paginated")
                }
                b"history_base" if cursor.kind()? == Kind::Object => base(cursor, builder)?,
                _ => {}
            }
            Ok(())
        })?,
        _ => {}
    }
    Ok(false)
}

/// Reads the rollout with which this one begins, after a rewind or as a fork.
fn base(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let (mut id, mut bytes) = (None, None);
    cursor.each_member(|key, cursor| {
        match key {
            b"thread_id" => id = cursor.owned_string_or_skip()?,
            b"end_byte_offset" => bytes = cursor.number_or_skip()?.and_then(|n| n.parse().ok()),
            _ => {}
        }
        Ok(())
    })?;
    builder.begins_with = id.zip(bytes);
    Ok(())
}

/// Reads an event: what it repeats of a result is a copy of that result. It may name the window of
/// the model.
fn event(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let (mut call, mut shown) = (CallId::default(), Vec::new());
    cursor.each_member(|key, cursor| {
        match key {
            b"model_context_window" => shared::window(cursor, builder)?,
            b"info" if cursor.kind()? == Kind::Object => cursor
                .member(b"model_context_window", |cursor| {
                    shared::window(cursor, builder)
                })?,
            b"call_id" => call = CallId::read(cursor)?,
            b"item" if cursor.kind()? == Kind::Object => return completed(cursor, builder),
            b"stdout" | b"stderr" | b"aggregated_output" | b"formatted_output" | b"output"
            | b"result" | b"content_items" => {
                shown.push(cursor.skip_span()?);
            }
            _ => {}
        }
        Ok(())
    })?;
    // An empty copy has nothing to cut.
    for span in shown.into_iter().filter(|span| span.len() > 2) {
        builder.result_copy(call.hash, span);
    }
    Ok(())
}

/// Reads the action of the call whose result comes next.
fn completed(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    cursor.member(b"aggregated_output", |cursor| {
        let shown = cursor.skip_span()?;
        if shown.len() > 2 {
            builder.note_before_result(shown);
        }
        Ok(())
    })
}

/// Reads a compaction: all before it is removed, what it keeps comes.
fn compacted(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    builder.entries.push(Entry {
        kind: EntryKind::Reset(Keep::Nothing),
        ..Entry::default()
    });
    let before = builder.mark();
    let (mut summary, mut replaced) = (None, false);
    cursor.each_member(|key, cursor| {
        match (key, cursor.kind()?) {
            (b"message", Kind::String) => summary = Some(cursor.at()),
            (b"replacement_history", Kind::Array) => {
                builder.rollback_blocks(before);
                replaced = true;
                cursor.each_object(|_, cursor| item(cursor, builder).map(drop))?;
            }
            _ => {}
        }
        Ok(())
    })?;
    if let Some(at) = summary.filter(|_| !replaced) {
        let first = builder.blocks.len();
        let span = cursor.read_at(at, |cursor| {
            shared::content(cursor, builder)?;
            Ok(cursor.span_from(at))
        })?;
        let message = builder.message(Role::User, span, first, false);
        builder.messages[message as usize].not_removable = true;
        follow(builder, message);
    }
    Ok(())
}

/// Reads an item of the Responses API as a message; says whether it is the model's own.
///
/// # Errors
/// The item is malformed JSON.
fn item(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned<bool> {
    let (first, mut items) = (builder.messages.len(), Items::default());
    items.item(cursor, builder)?;
    items.close(builder);
    (first..builder.messages.len()).for_each(|message| follow(builder, message as u32));
    let made = &builder.messages[first..];
    Ok(made.iter().any(|made| made.role == Role::Assistant))
}

/// Gives a message its place in the history.
fn follow(builder: &mut TranscriptBuilder, message: u32) {
    builder.entries.push(Entry {
        message,
        ..Entry::default()
    });
}

/// Makes one message of the items of one request. Its record is that of the first; the spans of the
/// rest count from there. The items are kept beside the messages.
fn join(builder: &mut TranscriptBuilder) {
    let mut joined: Vec<Message> = Vec::with_capacity(builder.messages.len());
    let mut part = 0u16;
    for i in 0..builder.messages.len() {
        let (next, places) = (builder.messages[i], builder.places_of(i));
        let is_model = |message: &&mut Message| message.role == Role::Assistant;
        let last = joined.last_mut().filter(is_model);
        let apart = |last: &Message| {
            let apart = u32::try_from(next.record.checked_sub(last.record)?).ok()?;
            apart.checked_add(next.span.end).map(|_| apart)
        };
        let Some((last, apart)) = last
            .filter(|_| next.role == Role::Assistant)
            .and_then(|last| apart(last).map(|apart| (last, apart)))
        else {
            let end = builder.blocks[places].last();
            part = end.map_or(0, |block| block.part.saturating_add(1));
            joined.push(next);
            continue;
        };
        let moved = |span: Span| Span {
            start: span.start + apart,
            end: span.end + apart,
        };
        (last.span.end, last.array) = (next.span.end + apart, true);
        for block in &mut builder.blocks[places] {
            (block.span, block.part) = (moved(block.span), part);
            part = part.saturating_add(1);
            if block.is_linked() {
                let link = &mut builder.links[block.extra as usize];
                link.id = moved(link.id);
            }
        }
        let item = &mut builder.messages[i];
        (item.record, item.span) = (last.record, moved(next.span));
    }
    builder.items = std::mem::replace(&mut builder.messages, joined);
}

fn context(builder: &mut TranscriptBuilder, scope: Scope) -> Result<(), EntryReleased> {
    builder.link_copies(|entry| entry);
    tree::context(builder, scope)?;
    join(builder);
    builder.reasoning_binds = true;
    Ok(())
}

/// Makes the row of a record: the model is named once a turn, and `token_count` events count the
/// request before them.
fn row(seen: Seen, state: &mut State) -> Row {
    let named = |now: u32, before: u32| if now > 0 { now } else { before };
    state.model = named(seen.row.model, state.model);
    state.provider = named(seen.row.provider, state.provider);
    // Settings without a tier are those of the default one.
    if seen.row.tiers[0] > 0 || seen.inner == "thread_settings_applied" {
        state.tiers = seen.row.tiers;
    }
    let mut row = Row {
        model: state.model,
        provider: state.provider,
        tiers: state.tiers,
        usage: None,
        ..seen.row
    };
    let total = Some(seen.count(Says::Total)).filter(|total| *total > 0);
    match &*seen.kind {
        "session_meta" => state.copied.begin(&seen),
        "token_usage_record" => {
            // A request that no count follows compacted the context.
            state.add_uncounted();
            let is_other = state.copied.is_other(seen.session);
            state.uncounted = Some(Row {
                usage: seen.row.usage,
                id: seen.id,
                is_history: is_other || state.copied.has(row.time),
                ..row
            });
        }
        "compacted" => state.add_uncounted(),
        _ => {}
    }
    state.copied.pass(row.time);
    if matches!(&*seen.kind, "response_item" | "") {
        row.kind = RowKind::Answer;
    } else if seen.inner == "token_count"
        && seen.row.usage.is_some()
        // A count is repeated when only the limits of the account have changed.
        && (total.is_none() || total != state.counted)
    {
        (row.kind, row.usage) = (RowKind::Count, seen.row.usage);
        row.is_history = state.copied.has(row.time);
        state.uncounted = None;
        state.counted = total;
    } else {
        row.time = row.time.filter(|_| seen.kind == "compacted");
    }
    row
}

#[cfg(test)]
mod tests;
