//! Copilot CLI sessions (`events.jsonl`): `{type, data, id, timestamp, parentId}`, one event a
//! line.
//!
//! What is sent next are the messages of the person and the model and the results of tools since
//! the last compaction that left a summary began, in the order of the chain in which each event
//! names the one before it. The message of the summary repeats all prompts from before, of which
//! the agent reads the words in their own events. Of a result the model reads
//! `data.result.content`, or `data.error.message` where the tool failed; `detailedContent`,
//! `tool.execution_start` and the other events copy these for the screen: they are not counted, and
//! only the key `mirrors` has them cut. What a hook received of a result (`hook.start`) is such a
//! copy, too: it names no call, and is written before the result. Events of a sub-agent (they name
//! an `agentId` or a `parentToolCallId`) are of another context.

use crate::{
    dialect::{
        Confidence, Dialect, EntryReleased, Form, Signals,
        builder::{
            CallId, Entry, EntryKind, Keep, Level, NONE, TranscriptBuilder, id_or_none, time_key,
        },
        shared,
        shared::{
            Content,
            envelope::Envelope,
            reply::Replies,
            unread::{enter_record, first_key, is_one_of},
        },
        tree,
        usage::{Calls, Row, RowKind, Says, Seen, State},
    },
    json::{Cursor, Id, Kind, Scanned, locate::text_member, stringify},
    settings::Scope,
    transcript::{RecordReferences, Role, Span},
};
use std::borrow::Cow;

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "copilot-cli",
    about: "Copilot CLI sessions (events.jsonl)",
    keys: &["data", "id", "payload", "timestamp", "type"],
    detect,
    read,
    references: Some(&REFERENCES),
    replies: REPLIES,
    context,
    calls: Calls {
        row: Some(row),
        is_chain: true,
        names_model_apart: true,
        ..Calls::UNKNOWN
    },
    provider_name: |_| Some("github-copilot"),
    request: |_| Some(Form::Chat),
    words,
    ..Dialect::LOG
};

/// Each result is an event.
const REPLIES: Replies = Replies {
    line: Some(&Envelope {
        known_by: "data",
        members: r#"type="tool.execution_complete" data=message id=id:id timestamp=time parentId=parent"#,
    }),
    ..Replies::COMMON
};

/// Every event names the one before it.
const REFERENCES: RecordReferences = RecordReferences {
    parent: "parentId",
    ..RecordReferences::BY_ID
};

/// Families of events, by what comes before the dot.
const FAMILIES: &str = "session user assistant system tool hook permission subagent skill command external_tool \
    model abort";

/// Events that only these sessions have: others send events of the same families.
const SIGNS: &str = "user.message assistant.message system.message system.notification \
    tool.execution_complete session.compaction_complete session.model_change hook.start \
    session.start session.resume session.error session.idle session.info session.truncation \
    session.usage_info session.compaction_start session.shutdown session.permissions_changed \
    session.context_changed assistant.turn_start assistant.turn_end assistant.intent \
    assistant.usage assistant.reasoning tool.execution_start tool.user_requested hook.end \
    skill.invoked";

fn detect(signals: &Signals) -> Confidence {
    let known = signals
        .value("type")
        .is_some_and(|t| is_one_of(t.as_bytes(), SIGNS));
    // Every event has an id and a time of its own.
    let event = signals.has("data id timestamp");
    if known && event && !signals.has("payload") {
        Confidence::Certain
    } else {
        Confidence::No
    }
}

fn read(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let before = builder.mark();
    let Some(mut members) = enter_record(cursor, builder)? else {
        return Ok(());
    };
    let (mut kind, mut time, mut held, mut side) = (None, None, None, false);
    let (mut entry, mut made) = (Entry::default(), None);
    while let Some(key) = cursor.key(&mut members)? {
        match &*key {
            b"type" => kind = cursor.string_or_skip()?,
            b"timestamp" => time = cursor.string_or_skip()?,
            b"id" => entry.id = id_or_none(cursor)?,
            b"parentId" => (entry.parent, entry.kind) = (id_or_none(cursor)?, EntryKind::Event),
            b"agentId" => side = cursor.skip()? == Kind::String,
            b"data" if cursor.kind()? == Kind::Object => {
                held = Some((cursor.at(), kind.clone()));
                builder.rollback_blocks(before);
                made = data(cursor, kind.as_deref(), builder)?;
            }
            _ => {}
        }
    }
    if let Some((at, read_as)) = held
        && read_as != kind
    {
        builder.rollback_blocks(before);
        made = cursor.read_at(at, |cursor| data(cursor, kind.as_deref(), builder))?;
    }
    if side {
        builder.rollback_blocks(before);
        made = None;
    } else if kind.as_deref() == Some("assistant.message") {
        builder.answered(time.as_deref());
    }
    let name = kind.as_deref().unwrap_or_default();
    if kind.is_none() {
        builder.not_understood(Level::Record, "record without a type".to_owned());
    } else if !is_one_of(
        name.split('.').next().unwrap_or_default().as_bytes(),
        FAMILIES,
    ) {
        builder.unknown(Level::Record, "record of type", name);
    }
    if entry.id.is_some() || made.is_some() || name == "hook.start" {
        if made.is_some() && name == "session.compaction_complete" {
            entry.kind = EntryKind::Compaction(Keep::Prompts);
        } else if name == "session.compaction_start" {
            entry.kind = EntryKind::Begun;
        }
        builder.entries.push(Entry {
            message: made.unwrap_or(NONE),
            line: builder.line(),
            size: cursor.offset(),
            time: time.map_or(0, |time| time_key(time.as_bytes())),
            ..entry
        });
    }
    Ok(())
}

/// The members of an event's data.
#[derive(Default)]
struct EventMembers<'a> {
    call: CallId,
    content: Content,
    /// Whether the content read is of a rank that a later member does not replace.
    has_model_content: bool,
    /// Whether it has a content, empty or not.
    said: bool,
    failed: bool,
    side: bool,
    summary: bool,
    model: Option<Cow<'a, str>>,
    /// The span of the part of a result that the screen shows.
    shown: Option<Span>,
}

impl<'a> EventMembers<'a> {
    fn read(
        cursor: &mut Cursor<'a>,
        kind: &str,
        builder: &mut TranscriptBuilder,
    ) -> Scanned<EventMembers<'a>> {
        let (mut seen, first) = (EventMembers::default(), builder.blocks.len());
        cursor.each_member(|key, cursor| {
            match (key, kind) {
                // What is sent to the model; `content` is what the person typed.
                (b"transformedContent", "user.message") if cursor.kind()? == Kind::String => {
                    builder.keep_blocks(first);
                    seen.content = shared::content(cursor, builder)?;
                    seen.has_model_content = true;
                }
                (b"content", "user.message" | "system.message" | "assistant.message")
                    if !seen.has_model_content =>
                {
                    seen.said = true;
                    seen.content = shared::content(cursor, builder)?;
                }
                (b"toolRequests", "assistant.message") if cursor.kind()? == Kind::Array => {
                    requests(cursor, builder)?
                }
                (b"reasoningText", "assistant.message") if cursor.kind()? == Kind::String => {
                    shared::reasoning(cursor, builder)?
                }
                (b"result", "tool.execution_complete") => {
                    seen.result(b"content", first, cursor, builder)?
                }
                (b"error", "tool.execution_complete") => {
                    seen.result(b"message", first, cursor, builder)?
                }
                (b"toolCallId", "tool.execution_complete") => seen.call = CallId::read(cursor)?,
                (b"success", "tool.execution_complete" | "session.compaction_complete") => {
                    seen.failed = cursor.skip()? == Kind::False
                }
                (b"summaryContent", "session.compaction_complete") => {
                    seen.summary = cursor.skip()? == Kind::String
                }
                (b"input", "hook.start") => hook_input(cursor, builder)?,
                (b"parentToolCallId", _) => seen.side = cursor.skip()? == Kind::String,
                (b"model", "assistant.message") | (b"newModel", "session.model_change") => {
                    seen.model = cursor.string_or_skip()?
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(seen)
    }

    /// Reads the result of a call, whose text is in the member `name`.
    fn result(
        &mut self,
        name: &[u8],
        first: usize,
        cursor: &mut Cursor<'a>,
        builder: &mut TranscriptBuilder,
    ) -> Scanned {
        cursor.each_member(|key, cursor| {
            if key == name {
                builder.keep_blocks(first);
                self.content = shared::content(cursor, builder)?;
            } else if matches!(key, b"detailedContent" | b"contents") {
                self.shown = Some(cursor.skip_span()?);
            }
            Ok(())
        })
    }
}

/// Reads the data of an event of this type; gives the message that it makes, if it makes one.
fn data(
    cursor: &mut Cursor<'_>,
    kind: Option<&str>,
    builder: &mut TranscriptBuilder,
) -> Scanned<Option<u32>> {
    let (from, before, first) = (cursor.at(), builder.mark(), builder.blocks.len());
    let kind = kind.unwrap_or_default();
    let seen = EventMembers::read(cursor, kind, builder)?;
    if seen.side {
        builder.rollback_blocks(before);
        return Ok(None);
    }
    builder.set_entry_model(seen.model.as_deref(), None, None);
    let span = cursor.span_from(from);
    let role = match kind {
        "user.message" => Role::User,
        "assistant.message" => Role::Assistant,
        "system.message" => Role::System,
        "tool.execution_complete" => Role::Tool,
        "system.notification" => Role::Other,
        "session.compaction_complete" if seen.summary && !seen.failed => Role::Other,
        _ => return Ok(None),
    };
    match role {
        Role::Tool => {
            let (call, content) = (seen.call, seen.content);
            shared::answer(builder, first, span, content, call, None, seen.failed);
            if let Some(shown) = seen.shown {
                builder.result_copy(call.hash, shown);
            }
            if let Content::String(text) = content {
                let raw = text.inside().of(cursor.record_bytes());
                builder.note_copy(raw, call.hash, Span::default());
            }
        }
        Role::Other => {}
        _ if builder.blocks.len() == first && !seen.said => {
            let known = "transformedContent toolRequests";
            if let Some((level, what)) = first_key(cursor, from, known, false)? {
                builder.unread(level, what);
            }
        }
        Role::Assistant => builder.count_parts(first),
        _ => {}
    }
    let message = builder.message(role, span, first, role == Role::Assistant);
    builder.messages[message as usize].not_removable = role == Role::Other;
    Ok(Some(message))
}

/// Reads what a hook received: the result of a tool, without its call, where the tool has run. The
/// words of the keys are Copilot's own, or those of VS Code.
fn hook_input(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    cursor.each_member(|key, cursor| {
        if !matches!(key, b"toolResult" | b"tool_result") {
            return Ok(());
        }
        let (from, mut text) = (cursor.at(), None);
        cursor.each_member(|key, cursor| {
            if matches!(key, b"textResultForLlm" | b"text_result_for_llm")
                && cursor.kind()? == Kind::String
            {
                text = Some(cursor.skip_span()?);
            }
            Ok(())
        })?;
        if let Some(text) = text {
            let raw = text.inside().of(cursor.record_bytes());
            builder.note_copy(raw, Id::NONE, cursor.span_from(from));
        }
        Ok(())
    })
}

/// Reads the calls of a message: `[{toolCallId, name, arguments}]`.
fn requests(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    cursor.each_object(|part, cursor| {
        let from = cursor.at();
        let (mut call, mut name, mut arguments) = (CallId::default(), Cow::Borrowed(""), 2);
        cursor.each_member(|key, cursor| {
            match key {
                b"toolCallId" => call = CallId::read(cursor)?,
                b"name" => name = cursor.string_or_skip()?.unwrap_or_default(),
                // A text counts without its quotes.
                b"arguments" if cursor.kind()? == Kind::String => arguments = cursor.text()?.units,
                b"arguments" => arguments = stringify::length(cursor)?,
                _ => {}
            }
            Ok(())
        })?;
        builder.call(call, &name, part, cursor.span_from(from), arguments);
        Ok(())
    })
}

fn context(builder: &mut TranscriptBuilder, scope: Scope) -> Result<(), EntryReleased> {
    let tree = tree::grow(builder)?;
    let chain = tree::order::chain(&tree);
    let places = tree::order::places(&chain, builder.entries.len());
    let place = |entry: u32| places.get(entry as usize);
    builder.link_copies(|entry| place(entry).map_or(0, |place| place.wrapping_add(1)));
    if scope == Scope::Context {
        let nodes = tree::sent(builder, &chain, &tree)?;
        tree::keep_sent(builder, &nodes);
    }
    Ok(())
}

/// The message of a summary: what it says stands behind all prompts of the user, as 1.0.71 and
/// 1.0.102 word it.
fn words(object: &[u8], prompts: &[String]) -> Option<String> {
    let summary = text_member(object, "summaryContent")?;
    let all: String = prompts
        .iter()
        .map(|prompt| format!("<user_message>\n{prompt}\n</user_message>\n"))
        .collect();
    Some(format!(
        "Some of the conversation history has been summarized to free up context.\n\nYou were originally given instructions from a \
        user over one or more turns. Here were the user messages:\n{all}\nHere is a summary of the prior context:\n\
        <summary>\n{summary}\n</summary>\n"
    ))
}

/// Makes the row of an event: an answer has its model and output tokens, but not its input tokens.
fn row(seen: Seen, state: &mut State) -> Row {
    if seen.row.model > 0 {
        state.model = seen.row.model;
    }
    let kind = match &*seen.kind {
        "assistant.message" => RowKind::Answer,
        _ => RowKind::Other,
    };
    Row {
        kind,
        model: state.model,
        provider: state.names.intern("github-copilot"),
        output: seen.count(Says::Output),
        hidden: seen.count(Says::Summary) as u32,
        ..seen.row
    }
}

#[cfg(test)]
mod tests;
