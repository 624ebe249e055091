//! Finds the entries of a log that are requests, and the usage that the provider reported for each.
//!
//! Most logs record usage with the answer. Codex records it in separate events, which count the request before them.

use super::steps::Call;
use deadhead_core::internal::{
    dialect::{
        builder::{Entry, NONE, TranscriptBuilder},
        usage::{Log, Row, RowKind, Usage},
    },
    json::IdMap,
    transcript::Role,
};
use std::collections::hash_map;

/// Returns the entries that are messages, with their indices.
pub fn with_messages(builder: &TranscriptBuilder) -> impl Iterator<Item = (usize, &Entry)> {
    builder
        .entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.message != NONE && !entry.is_note())
}

/// Makes a request of a row; `message` is its answer.
pub fn call(message: u32, row: &Row, usage: Option<Usage>) -> Call {
    Call {
        message,
        start: row.sent,
        end: row.time.or(row.sent),
        seen: row.sent.or(row.time),
        model: row.model,
        provider: row.provider,
        tiers: row.tiers,
        miss: row.miss,
        usage,
        summaries: row.summaries,
        output: usage.map_or(row.output, |usage| usage.output),
        usd: row.usd,
        is_history: row.is_history,
    }
}

/// Adds the output and the summaries of a later piece of an answer, if they are larger.
fn more(call: &mut Call, usage: Option<Usage>, summaries: Usage) {
    if summaries.prompt() + summaries.output > call.summaries.prompt() + call.summaries.output {
        call.summaries = summaries;
    }
    let Some(usage) = usage.filter(|usage| usage.output > call.output) else {
        return;
    };
    call.output = usage.output;
    match &mut call.usage {
        Some(known) => known.output = usage.output,
        none => *none = Some(usage),
    }
}

/// Returns the calls of a log in which answers have their usage, each with its entry, and the number of interrupted answers. What else was
/// paid, for summaries and for keeping a cache, is paid with the call before it.
pub fn answered(
    builder: &TranscriptBuilder,
    log: &Log,
    rows: &[Option<&Row>],
) -> (Vec<(usize, Call)>, u64) {
    let (mut found, mut known, mut unanswered) =
        (Vec::<(usize, Call)>::new(), IdMap::<usize>::default(), 0);
    for (i, entry) in with_messages(builder) {
        let message = &builder.messages[entry.message as usize];
        let row = rows[entry.message as usize]
            .filter(|row| row.kind == RowKind::Answer && message.role == Role::Assistant);
        let Some(row) = row else { continue };
        let usage = row.usage.filter(|usage| usage.prompt() + usage.output > 0);
        // A message in pieces was requested at its first piece; the output is counted up to the end of each piece.
        let piece_of = entry.piece_of();
        if piece_of.is_some() {
            match known.entry(piece_of) {
                hash_map::Entry::Occupied(first) => {
                    if let Some((_, call)) = found.get_mut(*first.get()) {
                        more(call, usage, row.summaries);
                    }
                    continue;
                }
                hash_map::Entry::Vacant(first) => first.insert(found.len()),
            };
        }
        if usage.is_none() && message.broken_off {
            unanswered += 1;
            continue;
        }
        found.push((i, call(entry.message, row, usage)));
    }
    let paid = log.rows.iter().filter(|row| row.kind == RowKind::Other);
    for row in paid {
        let record = |call: &Call| builder.messages[call.message as usize].record;
        let before = found.partition_point(|(_, call)| record(call) < row.record);
        if let Some((_, call)) = found.get_mut(before.saturating_sub(1)) {
            call.summaries += row.summaries;
        }
    }
    (found, unanswered)
}

/// Returns the calls of a Codex log: the model's items up to a count belong to one request. Without counts, the items between two of the
/// other side do.
pub fn counted(
    builder: &TranscriptBuilder,
    log: &Log,
    rows: &[Option<&Row>],
) -> (Vec<(usize, Call)>, u64) {
    let counts: Vec<&Row> = log
        .rows
        .iter()
        .filter(|row| row.kind == RowKind::Count)
        .collect();
    let (mut found, mut unanswered, mut next) = (Vec::new(), 0, 0);
    // The first entry of the answer that is not counted yet.
    let mut open: Option<usize> = None;
    let close = |open: Option<usize>, count: Option<&Row>| {
        let entry = open?;
        let message = builder.entries[entry].message;
        let call = Call {
            is_history: count.is_some_and(|count| count.is_history),
            ..call(
                message,
                rows[message as usize]?,
                count.and_then(|count| count.usage),
            )
        };
        Some((entry, call))
    };
    for (i, entry) in with_messages(builder) {
        let message = &builder.messages[entry.message as usize];
        while let Some(count) = counts
            .get(next)
            .filter(|count| count.record < message.record)
        {
            found.extend(close(open.take(), Some(count)));
            next += 1;
        }
        match message.role {
            Role::Assistant => open = open.or(Some(i)),
            _ if counts.is_empty() => found.extend(close(open.take(), None)),
            // A new turn: the previous request was never counted.
            Role::User => unanswered += u64::from(open.take().is_some()),
            _ => {}
        }
    }
    match counts.get(next) {
        Some(count) => found.extend(close(open, Some(count))),
        None if counts.is_empty() => found.extend(close(open, None)),
        None => unanswered += u64::from(open.is_some()),
    }
    (found, unanswered)
}
