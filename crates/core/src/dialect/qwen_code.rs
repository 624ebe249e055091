//! Qwen Code sessions (`chats/ID.jsonl`): records in a tree (`uuid`, `parentUuid`) with messages of Gemini's parts.
//!
//! What is sent next is the path from the newest record to the root, or to the newest `chat_compression`, whose `compressedHistory` is
//! all that is sent of what was before. After a rewind the path goes on at an earlier record. `toolCallResult` repeats a result for the
//! screen. Records of sources and artifacts are no nodes, and what was said by voice (`realtime_message`) is not sent.

use crate::{
    dialect::{
        Confidence, Dialect, Form, Signals,
        beside::Beside,
        builder::{Entry, EntryKind, Keep, Level, NONE, TranscriptBuilder, id_or_none, time_key},
        gemini,
        gemini::response,
        rules, shared,
        shared::{
            envelope::Envelope,
            reply::Replies,
            unread::{enter_record, is_one_of},
        },
        tree,
        usage::{Calls, Prompts},
    },
    json::{Cursor, Id, Kind, Members, Scanned},
    transcript::{Provider, RecordReferences, Rules, Span},
};
use std::borrow::Cow;

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "qwen-code",
    about: "Qwen Code sessions (chats/*.jsonl)",
    results: &[response::RESULTS],
    keys: &[
        "message",
        "parentUuid",
        "provenance",
        "systemPayload",
        "uuid",
    ],
    detect,
    read,
    references: Some(&RecordReferences {
        id: "uuid",
        parent: "parentUuid",
        ..RecordReferences::BY_ID
    }),
    replies: Replies {
        line: Some(&Envelope {
            known_by: "message",
            members: r#"uuid=id:uuid parentUuid=parent sessionId timestamp=time type="tool_result" provenance="tool_result" cwd version message=content"#,
        }),
        ..Replies::COMMON
    },
    context: tree::context,
    calls: Calls {
        row: Some(|seen, _| seen.counted().whole()),
        prompts: Prompts::Record,
        ..Calls::UNKNOWN
    },
    request: |found| {
        Some(match found.api.as_deref() {
            Some("anthropic") => Form::Blocks { own: false },
            Some("gemini" | "vertex-ai") => Form::Contents,
            _ => Form::Chat,
        })
    },
    beside: |_, _| {
        Ok(Beside {
            lost: vec!["opening reminder"],
            ..Beside::default()
        })
    },
    provider: &Provider {
        rules: |model, provider| Rules {
            content: Some("parts"),
            ..(rules::HISTORY.rules)(model, provider)
        },
        ..rules::PLAIN
    },
    ..Dialect::LOG
};

/// Subtypes of records that are no nodes of the tree.
const APART: &str = "session_artifact_event session_artifact_snapshot session_sources_snapshot \
    managed_session_header_v1 managed_session_event_v1 managed_session_commit_v1";

fn detect(signals: &Signals) -> Confidence {
    let own = signals.message_has("parts") || signals.has_any("provenance systemPayload");
    if signals.has("uuid parentUuid") && own {
        Confidence::Certain
    } else {
        Confidence::No
    }
}

/// The members of a record. Its messages are in the builder.
#[derive(Default)]
struct RecordMembers<'a> {
    id: Id,
    parent: Id,
    kind: Option<Cow<'a, str>>,
    subtype: Option<Cow<'a, str>>,
    time: Option<Cow<'a, str>>,
    model: Option<Cow<'a, str>>,
    api: Option<Cow<'a, str>>,
    /// Whether it says that no person wrote it.
    is_made: bool,
    shown: Option<Span>,
    is_summary: bool,
}

impl<'a> RecordMembers<'a> {
    fn read(
        cursor: &mut Cursor<'a>,
        mut members: Members,
        builder: &mut TranscriptBuilder,
    ) -> Scanned<RecordMembers<'a>> {
        let (mut seen, before) = (RecordMembers::default(), builder.mark());
        while let Some(key) = cursor.key(&mut members)? {
            match (&*key, cursor.kind()?) {
                (b"uuid", _) => seen.id = id_or_none(cursor)?,
                (b"parentUuid", _) => seen.parent = id_or_none(cursor)?,
                (b"type", _) => seen.kind = cursor.string_or_skip()?,
                (b"subtype", _) => seen.subtype = cursor.string_or_skip()?,
                (b"timestamp", _) => seen.time = cursor.string_or_skip()?,
                (b"model", _) => seen.model = cursor.string_or_skip()?,
                (b"provenance", _) => {
                    seen.is_made = cursor
                        .string_or_skip()?
                        .is_some_and(|who| who != "real_user");
                }
                (b"contextWindowSize", _) => shared::window(cursor, builder)?,
                (b"toolCallResult", _) => seen.shown = Some(cursor.skip_span()?),
                (b"message", Kind::Object) => {
                    builder.rollback_blocks(before);
                    gemini::content(cursor, builder)?;
                }
                (b"systemPayload", Kind::Object) => {
                    cursor.each_member(|key, cursor| match (key, cursor.kind()?) {
                        (b"compressedHistory", Kind::Array) => {
                            builder.rollback_blocks(before);
                            seen.is_summary = true;
                            shared::objects(cursor, builder, gemini::content)
                        }
                        (b"uiEvent", Kind::Object) => cursor.member(b"auth_type", |cursor| {
                            seen.api = cursor.string_or_skip()?;
                            Ok(())
                        }),
                        _ => Ok(()),
                    })?;
                }
                _ => {}
            }
        }
        Ok(seen)
    }
}

fn read(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let before = builder.mark();
    let Some(members) = enter_record(cursor, builder)? else {
        return Ok(());
    };
    let first = builder.messages.len();
    let seen = RecordMembers::read(cursor, members, builder)?;
    let kind = seen.kind.as_deref().unwrap_or("");
    let subtype = seen.subtype.as_deref().unwrap_or("");
    if subtype == "realtime_message" {
        builder.rollback_blocks(before);
    } else if !is_one_of(kind.as_bytes(), "user assistant tool_result system") {
        builder.unknown(Level::Record, "record of type", kind);
    } else if kind != "system" && builder.messages.len() == first {
        let what = format!("record of type {kind} without message");
        builder.not_understood(Level::Part, what);
    }
    if is_one_of(subtype.as_bytes(), APART) {
        return Ok(());
    }
    for message in &mut builder.messages[first..] {
        message.injected = kind == "user" && seen.is_made;
        message.not_removable |= seen.is_summary;
    }
    builder.set_entry_model(seen.model.as_deref(), None, seen.api.as_deref());
    if kind == "assistant" {
        builder.answered(seen.time.as_deref());
    }
    let made = first as u32..builder.messages.len() as u32;
    if let Some(shown) = seen.shown.filter(|_| !made.is_empty())
        && let [call] = builder.answered_calls(made.start).collect::<Vec<_>>()[..]
    {
        builder.result_copy(call, shown);
    }
    let entry = Entry {
        id: seen.id,
        parent: seen.parent,
        kind: EntryKind::Node(Id::NONE),
        line: builder.line(),
        size: cursor.offset(),
        time: seen.time.map_or(0, |time| time_key(time.as_bytes())),
        ..Entry::default()
    };
    if !seen.is_summary {
        let message = made.clone().next().unwrap_or(NONE);
        builder.entries.push(Entry { message, ..entry });
        return Ok(());
    }
    // What is sent in the place of all before follows the boundary; the records behind it hang on the last of these messages.
    let step = |message: u32| match made.end - message {
        0 => entry.id,
        left => Id::of_all([entry.id.short(), left.into()].map(u64::to_le_bytes)),
    };
    builder.entries.push(Entry {
        id: step(made.start),
        kind: EntryKind::Compaction(Keep::Nothing),
        ..entry
    });
    let sent = made.clone().map(|message| Entry {
        id: step(message + 1),
        parent: step(message),
        message,
        ..entry
    });
    builder.entries.extend(sent);
    Ok(())
}
