//! Finds the entries of a log that are requests, and the usage that the provider reported for each.
//!
//! Most logs record usage with the answer. Codex records it in separate events, which count the request before them.

use super::steps::Call;
use deadhead_core::internal::{
    dialect::{
        builder::{NONE, TranscriptBuilder},
        usage::{Log, Row, RowKind, Usage},
    },
    json::IdMap,
    transcript::Role,
};
use std::collections::hash_map::Entry;

fn call(message: u32, row: &Row, usage: Option<Usage>) -> Call {
    Call {
        message,
        start: row.sent,
        end: row.time.or(row.sent),
        seen: row.sent.or(row.time),
        model: row.model,
        provider: row.provider,
        tiers: row.tiers,
        usage,
        summaries: row.summaries,
        output: usage.map_or(row.output, |usage| usage.output),
        usd: row.usd,
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

/// Returns the calls of a log in which answers have their usage, each with its entry, and the number of interrupted answers.
pub fn answered(builder: &TranscriptBuilder, rows: &[Option<&Row>]) -> (Vec<(usize, Call)>, u64) {
    let (mut found, mut known, mut unanswered) =
        (Vec::<(usize, Call)>::new(), IdMap::<usize>::default(), 0);
    for (i, entry) in builder
        .entries
        .iter()
        .enumerate()
        .filter(|(_, e)| e.message != NONE)
    {
        let message = &builder.messages[entry.message as usize];
        let row = rows[entry.message as usize]
            .filter(|row| row.kind == RowKind::Answer && message.role == Role::Assistant);
        let Some(row) = row else { continue };
        let usage = row.usage.filter(|usage| usage.prompt() + usage.output > 0);
        // A message in pieces was requested at its first piece; the output is counted up to the end of each piece.
        let piece_of = entry.piece_of();
        if piece_of.is_some() {
            match known.entry(piece_of) {
                Entry::Occupied(first) => {
                    if let Some((_, call)) = found.get_mut(*first.get()) {
                        more(call, usage, row.summaries);
                    }
                    continue;
                }
                Entry::Vacant(first) => first.insert(found.len()),
            };
        }
        if usage.is_none() && message.broken_off {
            unanswered += 1;
            continue;
        }
        found.push((i, call(entry.message, row, usage)));
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
    let mut open: Option<(usize, u32)> = None;
    let close =
        |open: Option<(usize, u32)>, usage: Option<Usage>, found: &mut Vec<(usize, Call)>| {
            if let Some((entry, message)) = open
                && let Some(row) = rows[message as usize]
            {
                found.push((entry, call(message, row, usage)));
            }
        };
    for (i, entry) in builder
        .entries
        .iter()
        .enumerate()
        .filter(|(_, e)| e.message != NONE)
    {
        let message = &builder.messages[entry.message as usize];
        while let Some(count) = counts
            .get(next)
            .filter(|count| count.record < message.record)
        {
            close(open.take(), count.usage, &mut found);
            next += 1;
        }
        match message.role {
            Role::Assistant if open.is_none() => open = Some((i, entry.message)),
            Role::Assistant => {}
            _ if counts.is_empty() => close(open.take(), None, &mut found),
            // A new turn: the previous request was never counted.
            Role::User => unanswered += u64::from(open.take().is_some()),
            _ => {}
        }
    }
    match counts.get(next) {
        Some(count) => close(open, count.usage, &mut found),
        None if counts.is_empty() => close(open, None, &mut found),
        None => unanswered += u64::from(open.is_some()),
    }
    (found, unanswered)
}
