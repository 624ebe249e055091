//! Which entries of a log are requests, and what the provider counted of each.
//!
//! Most logs tell usage with the answer. Codex tells it in events of its own, which count the request before them.

use super::steps::Call;
use deadhead_core::format::sheet::{NONE, Sheet};
use deadhead_core::format::usage::{Log, Row, RowKind, Usage};
use deadhead_core::json::IdSet;
use deadhead_core::transcript::Role;

fn call(message: u32, row: &Row, usage: Option<Usage>) -> Call {
    Call {
        message,
        start: row.sent,
        end: row.time.or(row.sent),
        seen: row.sent.or(row.time),
        model: row.model,
        provider: row.provider,
        usage,
        output: usage.map_or(row.output, |usage| usage.output),
        usd: row.usd,
    }
}

/// The calls of a log in which answers carry their usage, each with its entry, and how many were broken off.
pub(super) fn answered(sheet: &Sheet, rows: &[Option<&Row>]) -> (Vec<(usize, Call)>, u64) {
    let (mut found, mut known, mut unanswered) = (Vec::new(), IdSet::default(), 0);
    for (i, entry) in sheet.entries.iter().enumerate().filter(|(_, e)| e.message != NONE) {
        let message = &sheet.messages[entry.message as usize];
        let row = rows[entry.message as usize].filter(|row| row.kind == RowKind::Answer && message.role == Role::Assistant);
        let Some(row) = row else { continue };
        // Of a message in pieces the first is where its call was made.
        let piece_of = entry.piece_of();
        if piece_of.is_some() && !known.insert(piece_of) {
            continue;
        }
        let usage = row.usage.filter(|usage| usage.prompt() + usage.output > 0);
        if usage.is_none() && message.broken_off {
            unanswered += 1;
            continue;
        }
        found.push((i, call(entry.message, row, usage)));
    }
    (found, unanswered)
}

/// The calls of a Codex log: what the model said up to a count is of one request. Where nothing is counted, what stands
/// between two of the other side is.
pub(super) fn counted(sheet: &Sheet, log: &Log, rows: &[Option<&Row>]) -> (Vec<(usize, Call)>, u64) {
    let counts: Vec<&Row> = log.rows.iter().filter(|row| row.kind == RowKind::Count).collect();
    let (mut found, mut unanswered, mut next) = (Vec::new(), 0, 0);
    let mut open: Option<(usize, u32)> = None;
    let close = |open: Option<(usize, u32)>, usage: Option<Usage>, found: &mut Vec<(usize, Call)>| {
        if let Some((entry, message)) = open
            && let Some(row) = rows[message as usize]
        {
            found.push((entry, call(message, row, usage)));
        }
    };
    for (i, entry) in sheet.entries.iter().enumerate().filter(|(_, e)| e.message != NONE) {
        let message = &sheet.messages[entry.message as usize];
        while let Some(count) = counts.get(next).filter(|count| count.record < message.record) {
            close(open.take(), count.usage, &mut found);
            next += 1;
        }
        match message.role {
            Role::Assistant if open.is_none() => open = Some((i, entry.message)),
            Role::Assistant => {}
            _ if counts.is_empty() => close(open.take(), None, &mut found),
            // A new turn: the request before it was never counted.
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
