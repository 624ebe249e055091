//! Claude Code session histories (`projects/<folder>/<session>.jsonl`, and those of its subagents).
//!
//! A record is an envelope (`uuid`, `parentUuid`, `type`) around a message in Anthropic's shape, or
//! stands beside the conversation: notices, snapshots, attachments. What would be sent next is the
//! path from the newest record of the conversation back to its root or to the last
//! `compact_boundary`; `logicalParentUuid` is not followed. Of several sessions in a file the one
//! of the last record is live; another counts as far as the path leads through it. The records of a
//! sidechain are other contexts, unless the file has no others. `toolUseResult` repeats a result
//! for the disk and is never sent: a copy.
//!
//! One message of the provider is split over several records of one `message.id`: all but the first
//! are marked as its continuation. When a message makes several calls, the path leads through the
//! last result only; the other results and pieces hang beside it and are added ([`context`]).

mod beside;
mod context;

use crate::{
    dialect::{
        Confidence, Dialect, Form, Signals,
        builder::{Entry, EntryKind, Keep, Level, NONE, TranscriptBuilder, id_or_none, time_key},
        shared,
        shared::{
            envelope::Envelope,
            reply::Replies,
            unread::{enter_record, is_one_of},
        },
        usage::{Calls, Prompts, Row, RowKind, Seen, State, Usage},
    },
    json::{Cursor, Id, Kind, Scanned},
    transcript::{BlockKind, Link, RecordReferences, Role, Span},
};
use std::borrow::Cow;

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "claude-code",
    about: "Claude Code session histories (*.jsonl)",
    keys: &[
        "isSidechain",
        "leafUuid",
        "message",
        "messageId",
        "parentUuid",
        "sessionId",
        "systemPayload",
        "type",
        "uuid",
    ],
    detect,
    read,
    references: Some(&REFERENCES),
    replies: REPLIES,
    context: context::context,
    calls: Calls {
        row: Some(row),
        prompts: Prompts::Within,
        has_lifetime: true,
        sets_marks: true,
        make_tree: context::make_tree,
        ..Calls::UNKNOWN
    },
    request: |_| Some(Form::Blocks { own: true }),
    beside: beside::read,
    ..Dialect::LOG
};

/// A result is a message of the user's, in a record with what all records of a session share.
const REPLIES: Replies = Replies {
    line: Some(&Envelope {
        known_by: "message",
        members: r#"parentUuid=parent isSidechain type="user" message=message uuid=id:uuid timestamp=time userType entrypoint cwd sessionId version gitBranch slug"#,
    }),
    ..Replies::COMMON
};

/// Summaries and the segments that a boundary preserved name records, too.
const REFERENCES: RecordReferences = RecordReferences {
    id: "uuid",
    parent: "parentUuid",
    others: &[
        "logicalParentUuid",
        "leafUuid",
        "sourceToolAssistantUUID",
        "messageId",
        "snapshot.messageId",
        "compactMetadata.preservedSegment.anchorUuid",
        "compactMetadata.preservedSegment.tailUuid",
        "compactMetadata.preservedMessages.anchorUuid",
    ],
    lists: &[
        "compactMetadata.preservedMessages.uuids",
        "compactMetadata.preservedMessages.allUuids",
    ],
    kept_from: &["compactMetadata.preservedSegment.headUuid"],
    kept_index: None,
    has_off_path_entries: true,
};

/// Types of records that are known and are no messages.
const BESIDE: &str = "system summary progress attachment file-history-snapshot queue-operation last-prompt \
    permission-mode custom-title ai-title agent-name pr-link attribution-snapshot mode tag \
    content-replacement api-request api-request-blob api-request-shape atis-latch cost-state \
    tools-used bridge-session file-history-delta";

fn detect(signals: &Signals) -> Confidence {
    let kind = signals.value("type").unwrap_or("");
    let of_session = signals.has("uuid") || signals.has("sessionId");
    let spoken = matches!(kind, "user" | "assistant") && signals.has("message") && of_session;
    let beside = is_one_of(kind.as_bytes(), BESIDE)
        && (signals.has("sessionId") || signals.has("leafUuid") || signals.has("messageId"));
    // Qwen Code's records have these links, and messages in Gemini's shape.
    if signals.message_has("parts") || signals.has("systemPayload") {
        Confidence::No
    } else if signals.has("parentUuid isSidechain")
        || spoken && signals.message_has("content")
        || beside && kind != "system"
    {
        Confidence::Certain
    } else if spoken || beside || signals.has("parentUuid uuid") {
        Confidence::Likely
    } else {
        Confidence::No
    }
}

/// The members of a record.
#[derive(Default)]
struct LineMembers<'a> {
    kind: Option<Cow<'a, str>>,
    subtype: Option<Cow<'a, str>>,
    id: Id,
    parent: Option<Id>,
    time: Option<Cow<'a, str>>,
    message: Option<shared::MessageFields<'a>>,
    sidechain: bool,
    api_error: bool,
    injected: bool,
    shown: Option<Span>,
    kept: Vec<Entry>,
    retracted: Vec<Id>,
}

/// Reads what a compaction keeps of what is before it: listed records, or else a part of the path.
fn kept(cursor: &mut Cursor<'_>) -> Scanned<Vec<Entry>> {
    let (mut anchor, mut part, mut list) = (Id::NONE, Entry::default(), None);
    cursor.each_member(|key, cursor| {
        if !matches!(key, b"preservedMessages" | b"preservedSegment") {
            return Ok(());
        }
        cursor.each_member(|key, cursor| {
            match key {
                b"anchorUuid" => anchor = id_or_none(cursor)?,
                b"headUuid" => part.id = id_or_none(cursor)?,
                b"tailUuid" => part.kind = EntryKind::Again(id_or_none(cursor)?),
                b"uuids" => list = Some(ids(cursor)?),
                _ => {}
            }
            Ok(())
        })
    })?;
    let named = |&id: &Id| Entry {
        kind: EntryKind::Again(id),
        ..Entry::default()
    };
    let mut kept = list.map_or_else(
        || vec![part],
        |list: Vec<Id>| list.iter().map(named).collect(),
    );
    kept.retain(|name| name.about().is_some());
    kept.iter_mut().for_each(|name| name.parent = anchor);
    Ok(kept)
}

/// Reads a list of ids; any other value has none.
fn ids(cursor: &mut Cursor<'_>) -> Scanned<Vec<Id>> {
    let mut ids = Vec::new();
    if cursor.kind()? != Kind::Array {
        return cursor.skip().map(|_| ids);
    }
    cursor.each_element(|_, cursor| {
        ids.push(id_or_none(cursor)?);
        Ok(())
    })?;
    Ok(ids)
}

fn read(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let before = builder.mark();
    let Some(mut members) = enter_record(cursor, builder)? else {
        return Ok(());
    };
    let mut seen = LineMembers::default();
    while let Some(key) = cursor.key(&mut members)? {
        match &*key {
            b"type" => seen.kind = cursor.string_or_skip()?,
            b"subtype" => seen.subtype = cursor.string_or_skip()?,
            b"uuid" => seen.id = id_or_none(cursor)?,
            b"parentUuid" => seen.parent = Some(id_or_none(cursor)?),
            b"timestamp" => seen.time = cursor.string_or_skip()?,
            b"isSidechain" => seen.sidechain = cursor.skip()? == Kind::True,
            b"isMeta" | b"isCompactSummary" => seen.injected |= cursor.skip()? == Kind::True,
            b"toolUseResult" => seen.shown = Some(cursor.skip_span()?),
            b"compactMetadata" if cursor.kind()? == Kind::Object => seen.kept = kept(cursor)?,
            b"retractedMessageUuids" => seen.retracted = ids(cursor)?,
            b"shape" => builder.request_record = Some(builder.record),
            b"isApiErrorMessage" => seen.api_error = cursor.skip()? == Kind::True,
            // It often precedes the type. If the type is another one, what was read is removed
            // again.
            b"message" if cursor.kind()? == Kind::Object => {
                builder.rollback_blocks(before);
                seen.message = Some(shared::message(cursor, builder)?);
            }
            _ => {}
        }
    }
    let kind = seen.kind.as_deref().unwrap_or("");
    let spoken = matches!(kind, "user" | "assistant");
    // Its text is in another member, or in another form.
    if spoken && seen.message.is_none() {
        builder.not_understood(
            Level::Part,
            format!("record of type {kind} without message"),
        );
    }
    // It repeats what was sent.
    let message = seen.message.as_ref().filter(|_| kind == "api-request-blob");
    let blocks = message.map_or(&[][..], |message| builder.blocks_of(message.index));
    let results = blocks
        .iter()
        .filter(|block| block.kind == BlockKind::Result);
    let copies: Vec<Link> = results.map(|block| *builder.link_of(block)).collect();
    // A notice of a failed call is in the tree and is never sent.
    if !spoken || seen.api_error {
        builder.rollback_blocks(before);
        seen.message = None;
    }
    for copy in copies.iter().filter(|copy| copy.content.len() > 2) {
        builder.result_copy(copy.call, copy.content);
    }
    if !spoken && !is_one_of(kind.as_bytes(), BESIDE) {
        builder.unknown(Level::Record, "record of type", kind);
    }
    if let Some(facts) = &seen.message {
        builder.messages[facts.index as usize].injected = seen.injected;
        let model = facts.model.as_deref();
        // `<synthetic>` answers are the agent's own.
        if facts.role == Role::Assistant && model != Some("<synthetic>") {
            builder.set_entry_model(model.filter(|_| !seen.sidechain), Some("anthropic"), None);
            builder.answered(seen.time.as_deref());
        }
        // It does not name its call: a record has one result.
        if let Some(shown) = seen.shown
            && let [call] = builder.answered_calls(facts.index).collect::<Vec<_>>()[..]
        {
            builder.result_copy(call, shown);
        }
    }
    if seen.id.is_some() || spoken {
        builder.entries.push(Entry {
            line: builder.line(),
            size: cursor.offset(),
            ..seen.entry(spoken)
        });
        if builder.entries.last().is_some_and(Entry::is_boundary) {
            builder.entries.extend(seen.kept);
        }
        let retracted = seen.retracted.iter().map(|&id| Entry {
            parent: seen.id,
            kind: EntryKind::Edit(id),
            ..Entry::default()
        });
        builder.entries.extend(retracted);
    }
    Ok(())
}

impl LineMembers<'_> {
    /// The node that the record is.
    fn entry(&self, spoken: bool) -> Entry {
        let boundary = !spoken && self.subtype.as_deref() == Some("compact_boundary");
        // A message without an id is whole.
        let of_model = self
            .message
            .as_ref()
            .filter(|facts| facts.role == Role::Assistant);
        let piece_of = match of_model.map(|facts| facts.id) {
            Some(Id::NONE) => self.id,
            id => id.unwrap_or_default(),
        };
        let kind = match self.parent {
            _ if self.sidechain => EntryKind::Side(piece_of),
            _ if boundary => EntryKind::Compaction(Keep::Nothing),
            _ if !spoken => EntryKind::Side(piece_of),
            None => EntryKind::Following(piece_of),
            Some(_) => EntryKind::Node(piece_of),
        };
        Entry {
            id: self.id,
            parent: self.parent.unwrap_or_default(),
            kind,
            message: self.message.as_ref().map_or(NONE, |facts| facts.index),
            time: time_key(self.time.as_deref().unwrap_or_default().as_bytes()),
            ..Entry::default()
        }
    }
}

/// Makes the row of a record that is a call. All records of one message repeat its usage.
fn row(seen: Seen, state: &mut State) -> Row {
    let mut row = Row {
        usage: None,
        ..seen.row
    };
    let is_own = seen.flag || state.names.name(row.model) == Some("<synthetic>");
    if seen.kind == "assistant" && !is_own {
        (row.kind, row.usage) = (RowKind::Answer, seen.row.usage);
        row.provider = state.names.intern("anthropic");
        let of = |kind: &'static str| seen.parts.iter().filter(move |part| part.inner == kind);
        // The counts beside them leave out the compactions among the iterations, and what an
        // advisor said.
        for iteration in of("compaction") {
            row.summaries += iteration.usage();
        }
        for (number, iteration) in (0u64..).zip(of("advisor_message")) {
            let model = match iteration.row.model {
                0 => row.model,
                model => model,
            };
            state.add_beside(Row {
                usage: Some(iteration.usage()),
                id: Id::of_all([seen.id.short(), number].map(u64::to_le_bytes)),
                tiers: [0; 3],
                model,
                ..row
            });
        }
        // The counts are the sum of several steps, of which the last had the whole context.
        let steps: Vec<Usage> = of("message").map(Seen::usage).collect();
        if let (Some(usage), Some((last, before))) = (&mut row.usage, steps.split_last())
            && steps.iter().map(Usage::prompt).sum::<u64>() == usage.prompt()
        {
            let output = usage.output;
            *usage = Usage { output, ..*last };
            for step in before {
                row.summaries += Usage { output: 0, ..*step };
            }
        }
    }
    if seen.kind == "cost-state" {
        state.stated_usd = row.usd.take().or(state.stated_usd);
    }
    row
}

#[cfg(test)]
mod tests;
