//! OpenClaw session histories (also pi's, Moltbot's and Clawdbot's): one entry a line, messages in
//! a tree.
//!
//! Read for session versions 1 to 4: a header, then entries that name their parent. What the agent
//! would send next is the path from the leaf to the root, from the last boundary on (`tree`).
//! Records of bare messages of the same shapes are read too. Entries of unknown types are nodes and
//! nothing more.

use crate::{
    dialect::{
        Confidence, Dialect, Form, ResultForm, Signals,
        builder::{Entry, EntryKind, Keep, Level, NONE, TranscriptBuilder, id_or_none, time_key},
        shared,
        shared::{
            envelope::Envelope,
            reply::Replies,
            unread::{enter_record, first_key, is_one_of},
        },
        tree,
        usage::{Calls, Prompts, Row, RowKind, Says, Seen, State},
    },
    json::{
        Cursor, Id, Kind, Members, Scanned,
        locate::{member_value, text_member},
        text::lossy,
    },
    transcript::{BlockKind, Marker, RecordReferences, ResultTemplate, Role, Span, Transcript},
};
use std::borrow::Cow;

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "openclaw",
    about: "OpenClaw, pi, Moltbot and Clawdbot session histories (*.jsonl)",
    results: &[ResultForm {
        template: ResultTemplate {
            anew: true,
            ..shared::RESULTS.template
        },
        ..shared::RESULTS
    }],
    keys: &["message", "parentId", "parent_id", "timestamp", "type"],
    detect,
    read,
    references: Some(&REFERENCES),
    replies: REPLIES,
    context: tree::context,
    calls: Calls {
        row: Some(row),
        has_lifetime: true,
        sets_marks: true,
        prompts: Prompts::Within,
        ..Calls::UNKNOWN
    },
    request,
    words,
    ..Dialect::LOG
};

/// Records are in a tree from the second version of the log on.
const REPLIES: Replies = Replies {
    line: Some(&Envelope {
        known_by: "message",
        members: r#"type="message" id=id:parentId parentId=parent:parentId timestamp=time message=message"#,
    }),
    ..Replies::COMMON
};

/// Labels, branches and the control that says where the leaf is name entries, too.
const REFERENCES: RecordReferences = RecordReferences {
    parent: "parentId",
    others: &["targetId", "appendParentId", "fromId"],
    kept_from: &["firstKeptEntryId"],
    kept_index: Some("firstKeptEntryIndex"),
    ..RecordReferences::BY_ID
};

/// Entry types of this format that say so by themselves.
const TYPES: &str = "session model_change thinking_level_change compaction branch_summary custom \
    custom_message label session_info leaf context_edit usage";

fn detect(signals: &Signals) -> Confidence {
    let entry = signals.value("type");
    let ours = "toolResult bashExecution compactionSummary branchSummary";
    if signals.has("parent_id") {
        // tau's entries have types of these names.
        return Confidence::No;
    }
    let is_linked = signals.has("parentId") || signals.has("timestamp");
    if signals.has("message") && entry == Some("message") && !is_linked {
        return Confidence::Likely;
    }
    if signals.has("message") && entry == Some("message")
        || entry.is_some_and(|t| is_one_of(t.as_bytes(), TYPES)) && signals.has("timestamp")
        || signals.has_role(ours)
        || signals.has_type("toolCall")
    {
        Confidence::Certain
    } else {
        Confidence::No
    }
}

fn read(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    match cursor.kind()? {
        // The whole input as an array.
        Kind::Array => cursor.each_element(|_, cursor| value(cursor, builder)),
        _ => value(cursor, builder),
    }
}

/// Reads a message or an entry.
fn value(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let at = cursor.next_at();
    let Some(members) = enter_record(cursor, builder)? else {
        return Ok(());
    };
    if let Some(seen) = EntryMembers::read(cursor, members, builder)? {
        return entry(cursor, at, seen, builder);
    }
    cursor.go_to(at);
    let facts = message(cursor, builder)?;
    let message = place(&facts, None, builder);
    builder.entries.push(Entry {
        message,
        ..Entry::default()
    });
    Ok(())
}

/// The members of an entry.
#[derive(Default)]
struct EntryMembers<'a> {
    /// The entry, as far as its own members show its kind.
    entry: Entry,
    kind: Option<Cow<'a, str>>,
    time: Option<Cow<'a, str>>,
    message: Option<shared::MessageFields<'a>>,
    keep: Option<Id>,
    keep_index: Option<u64>,
    target: Id,
    side: bool,
    custom: Option<Cow<'a, str>>,
    data: Option<usize>,
    replacement: Option<usize>,
    summary: bool,
    model: Option<Cow<'a, str>>,
    provider: Option<Cow<'a, str>>,
}

impl<'a> EntryMembers<'a> {
    /// Reads the members of an entry; `None` if its first members show that it is a message without
    /// an entry around it.
    fn read(
        cursor: &mut Cursor<'a>,
        mut members: Members,
        builder: &mut TranscriptBuilder,
    ) -> Scanned<Option<EntryMembers<'a>>> {
        let (mut seen, before) = (EntryMembers::default(), builder.mark());
        let mut is_entry = false;
        while let Some(key) = cursor.key(&mut members)? {
            is_entry |= matches!(&*key, b"type" | b"message" | b"parentId");
            match &*key {
                b"role" | b"content" | b"toolCallId" | b"toolName" | b"api" if !is_entry => {
                    return Ok(None);
                }
                b"type" => seen.kind = cursor.string_or_skip()?,
                b"id" => seen.entry.id = id_or_none(cursor)?,
                b"parentId" => {
                    let parent = id_or_none(cursor)?;
                    (seen.entry.parent, seen.entry.kind) = (parent, EntryKind::Node(Id::NONE));
                }
                b"timestamp" => seen.time = cursor.string_or_skip()?,
                // It is read at once, as it is nearly all of the record. If the type, which may
                // come later, is another one, it is removed again.
                b"message"
                    if cursor.kind()? == Kind::Object
                        && matches!(seen.kind.as_deref(), None | Some("message")) =>
                {
                    builder.rollback_blocks(before);
                    seen.message = Some(message(cursor, builder)?);
                }
                b"firstKeptEntryId" => seen.keep = Some(id_or_none(cursor)?),
                b"firstKeptEntryIndex" => seen.keep_index = integer(cursor)?,
                b"targetId" => seen.target = id_or_none(cursor)?,
                b"appendMode" => seen.side = cursor.string_or_skip()?.as_deref() == Some("side"),
                b"customType" => seen.custom = cursor.string_or_skip()?,
                b"data" => seen.data = (cursor.kind()? == Kind::Object).then_some(cursor.at()),
                b"summary" if cursor.kind()? == Kind::String => {
                    seen.summary = !cursor.text()?.raw.is_empty()
                }
                b"replacement" => {
                    seen.replacement = (cursor.kind()? == Kind::Object).then_some(cursor.at())
                }
                b"modelId" => seen.model = cursor.string_or_skip()?,
                b"provider" => seen.provider = cursor.string_or_skip()?,
                _ => {}
            }
        }
        if seen.kind.as_deref() != Some("message") {
            builder.rollback_blocks(before);
        }
        Ok(Some(seen))
    }
}

/// Adds the entry at byte `at` of the cursor, whose members were read.
fn entry(
    cursor: &mut Cursor<'_>,
    at: usize,
    seen: EntryMembers<'_>,
    builder: &mut TranscriptBuilder,
) -> Scanned {
    let (span, time) = (cursor.span_from(at), seen.time.as_deref());
    let mut made = Entry {
        line: builder.line(),
        size: span.end - span.start,
        time: time.map_or(0, |time| time_key(time.as_bytes())),
        ..seen.entry
    };
    if seen.side {
        made.kind = EntryKind::Side(Id::NONE);
    }
    let kind = seen.kind.as_deref().unwrap_or_default();
    match kind {
        "session" => made.kind = EntryKind::Header,
        "message" => {
            if let Some(facts) = &seen.message {
                made.message = place(facts, time, builder);
            } else {
                let said = first_key(cursor, at, "parentId", false)?;
                let none = || "record of type message without message".to_owned();
                builder.not_understood(Level::Part, said.map_or_else(none, |(_, what)| what));
            }
        }
        "compaction" => {
            made.kind = EntryKind::Compaction(match (seen.keep, seen.keep_index) {
                (Some(id), _) => Keep::Id(id),
                (None, Some(index)) => Keep::Index(index),
                (None, None) => Keep::Nothing,
            });
            made.message = other(Span::default(), builder);
        }
        "reset" => {
            let keep = seen.keep.filter(|id| id.is_some());
            made.kind = EntryKind::Reset(keep.map_or(Keep::Nothing, Keep::Id));
        }
        "leaf" => made.kind = EntryKind::Leaf(seen.target),
        "custom_message" => made.message = other(span, builder),
        "branch_summary" if seen.summary => made.message = other(span, builder),
        // An earlier prune wrote it.
        "custom"
            if seen
                .custom
                .is_some_and(|custom| custom.ends_with(".cache-ttl")) =>
        {
            if let Some(at) = seen.data {
                cursor.read_at(at, |cursor| marker(cursor, builder))?;
            }
        }
        "context_edit" => {
            let content = seen
                .replacement
                .map(|at| cursor.read_at(at, |c| replacement(c, builder)));
            let message = content.transpose()?.flatten();
            builder.entries.push(made);
            made = Entry {
                id: Id::NONE,
                parent: made.id,
                kind: EntryKind::Edit(seen.target),
                message: message.unwrap_or(NONE),
                ..made
            };
        }
        known if is_one_of(known.as_bytes(), TYPES) => {}
        unknown => builder.unknown(Level::Record, "record of type", unknown),
    }
    if matches!(kind, "session" | "model_change") {
        builder.set_entry_model(seen.model.as_deref(), seen.provider.as_deref(), None);
    }
    builder.entries.push(made);
    Ok(())
}

/// Reads the content that another entry has from here on; returns the index of a message with it.
fn replacement(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned<Option<u32>> {
    let mut made = None;
    cursor.each_member(|key, cursor| {
        if key == b"content" {
            let (from, first) = (cursor.next_at(), builder.blocks.len());
            let is_array = cursor.kind()? == Kind::Array;
            shared::content(cursor, builder)?;
            let span = cursor.span_from(from);
            made = Some(builder.message(Role::Other, span, first, is_array));
        }
        Ok(())
    })?;
    Ok(made)
}

/// Adds a message that the agent sends for the user, such as a summary; returns its index.
fn other(span: Span, builder: &mut TranscriptBuilder) -> u32 {
    builder.message(Role::Other, span, builder.blocks.len(), false)
}

/// Reads a message. A string that an assistant wrote and blocks of unknown kinds count 0 chars, as
/// in OpenClaw.
fn message<'a>(
    cursor: &mut Cursor<'a>,
    builder: &mut TranscriptBuilder,
) -> Scanned<shared::MessageFields<'a>> {
    let first = builder.blocks.len();
    let facts = shared::message(cursor, builder)?;
    if let (Role::Tool, Some(details)) = (facts.role, facts.details) {
        builder.result_copy(facts.answers, details);
    }
    let string = facts.role == Role::Assistant && !builder.messages[facts.index as usize].array;
    for block in &mut builder.blocks[first..] {
        if block.kind == BlockKind::Other || string && block.kind == BlockKind::Text {
            (block.chars, block.extra) = (0, 0);
        }
    }
    Ok(facts)
}

/// Notes the model, provider, API and time of an assistant's message; a time that it lacks is its
/// entry's. Returns the place of a message in the context, if it has one: a shell transcript that
/// is kept from the model is sent only later, when what is sent is made of the context.
fn place(
    facts: &shared::MessageFields<'_>,
    entry_time: Option<&str>,
    builder: &mut TranscriptBuilder,
) -> u32 {
    if facts.role == Role::Assistant {
        let [model, provider, api] = [&facts.model, &facts.provider, &facts.api];
        builder.set_entry_model(model.as_deref(), provider.as_deref(), api.as_deref());
        builder.assistant_time = builder.assistant_time.max(facts.time);
        builder.answered(entry_time.filter(|_| facts.time.is_none()));
    }
    if facts.excluded && facts.role != Role::Other {
        NONE
    } else {
        facts.index
    }
}

/// Reads the data that a prune wrote: its time, and perhaps what it cut.
fn marker(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let (from, mut cuts) = (cursor.at(), false);
    let mut found = Marker {
        time: 0,
        provider: None,
        model: None,
    };
    cursor.each_member(|key, cursor| {
        match key {
            b"timestamp" => {
                let time = integer(cursor)?.and_then(|time| i64::try_from(time).ok());
                found.time = time.unwrap_or(0);
            }
            b"provider" => found.provider = cursor.owned_string_or_skip()?,
            b"modelId" => found.model = cursor.owned_string_or_skip()?,
            key => cuts |= matches!(key, b"prunedToolResults" | b"cacheTtlDelta"),
        }
        Ok(())
    })?;
    if found.time != 0 {
        builder.markers.push(found);
    }
    if cuts {
        builder.projection(cursor.span_from(from));
    }
    Ok(())
}

/// The form of a request by the API that the agent names; older logs name only a provider.
fn request(found: &Transcript) -> Option<Form> {
    Some(
        match (found.api.as_deref(), found.provider_name.as_deref()) {
            (Some("anthropic-messages"), _) | (None, Some("anthropic")) => {
                Form::Blocks { own: false }
            }
            (Some("openai-responses" | "openai-codex-responses" | "azure-openai-responses"), _) => {
                Form::Items { own: false }
            }
            (Some("openai-completions"), _) | (None, Some(_)) => Form::Chat,
            _ => return None,
        },
    )
}

/// The text that pi 1.6.0 writes around a command of the user and around a summary. A command that
/// is kept from the model has no text.
fn words(object: &[u8], _: &[String]) -> Option<String> {
    let text = |name| text_member(object, name).filter(|text| !text.is_empty());
    let value = |name| member_value(object, 0, name).map_or(&b""[..], |at| &object[at]);
    let is = |name| value(name) == b"true";
    match &*text("role").or_else(|| text("type"))? {
        "bashExecution" if is("excludeFromContext") => Some(String::new()),
        "bashExecution" => {
            let said = text("output").map(|output| format!("```\n{output}\n```"));
            let ending = match value("exitCode") {
                _ if is("cancelled") => "\n\n(command cancelled)".to_owned(),
                b"" | b"0" | b"null" => String::new(),
                code => format!("\n\nCommand exited with code {}", lossy(code)),
            };
            let whole = text("fullOutputPath").filter(|_| is("truncated"));
            let whole = whole.map(|path| format!("\n\n[Output truncated. Full output: {path}]"));
            let said = said.as_deref().unwrap_or("(no output)");
            let whole = whole.unwrap_or_default();
            Some(format!("Ran `{}`\n{said}{ending}{whole}", text("command")?))
        }
        "compaction" | "compactionSummary" => Some(format!(
            "The conversation history before this point was compacted into the following summary:\n\n<summary>\n{}\n</summary>",
            text("summary")?
        )),
        "branch_summary" | "branchSummary" => Some(format!(
            "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n{}</summary>",
            text("summary")?
        )),
        _ => None,
    }
}

/// Chars that the agent puts around a summary.
const AROUND_SUMMARY: u64 = 120;

/// Makes the row of an entry, or of a message without one.
fn row(seen: Seen, state: &mut State) -> Row {
    let mut row = seen.row;
    let [provider, model] = [row.provider, row.model].map(|number| state.names.name(number));
    // Messages that OpenClaw writes itself: copies of delivered messages, and texts of the gateway.
    let is_own = matches!(model, Some("delivery-mirror" | "gateway-injected"));
    if is_own && provider == Some("openclaw") {
        row.usage = None;
    } else if seen.inner == "assistant" {
        row.kind = RowKind::Answer;
        state.model = row.model;
        state.provider = row.provider;
    } else if !matches!(&*seen.kind, "message" | "") {
        // A compaction, or a request that keeps the cache warm. A compaction names no model.
        let named = |now: u32, before: u32| if now > 0 { now } else { before };
        state.add_beside(Row {
            id: seen.id,
            model: named(row.model, state.model),
            provider: named(row.provider, state.provider),
            ..row
        });
        (row.usage, row.usd) = (None, None);
    }
    // Requests without an answer in the log: for a summary, or to keep the cache warm.
    if matches!(&*seen.kind, "usage" | "compaction" | "branch_summary") {
        row.summaries = row.usage.take().unwrap_or_default();
    }
    if seen.kind.is_empty() && !seen.inner.is_empty() {
        row.sent = row.sent.or(row.time);
    }
    let hidden = match (&*seen.kind, &*seen.inner) {
        ("compaction" | "branch_summary", _) => seen.count(Says::Summary) + AROUND_SUMMARY,
        // The blocks of these are counted one by one.
        ("message", "user" | "assistant" | "toolResult") => 0,
        ("message", _) if seen.flag => 0,
        ("message" | "custom_message", _) => seen.count(Says::Text),
        _ => 0,
    };
    row.hidden = u32::try_from(hidden).unwrap_or(u32::MAX);
    row
}

fn integer(cursor: &mut Cursor<'_>) -> Scanned<Option<u64>> {
    let value = cursor
        .number_or_skip()?
        .and_then(|text| text.parse::<f64>().ok());
    Ok(value.filter(|v| *v >= 0.0).map(|v| v as u64))
}
