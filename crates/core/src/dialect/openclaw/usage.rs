//! Usage in OpenClaw's and pi's sessions: an assistant message has its usage, cost and time.

use crate::dialect::usage::Count::*;
use crate::dialect::usage::Slot::*;
use crate::dialect::usage::{Members, Row, RowKind, Seen, State, Usage};
use crate::json::{Cursor, Scanned};

/// Chars that the agent puts around a summary.
const AROUND_SUMMARY: u64 = 120;

/// The models that OpenClaw names as those of messages which it writes itself: copies of what was delivered, and texts of the gateway.
const OWN: [&str; 2] = ["delivery-mirror", "gateway-injected"];

const ENTRY: Members = &[
    ("type", Kind),
    ("timestamp", Time),
    ("cwd", Folder),
    ("summary", Units(Summary)),
    ("message", In(MESSAGE)),
    ("content", Units(Text)),
    // A message without an entry around it.
    ("role", Inner),
    ("usage", Counts(USAGE)),
    ("model", Model),
    ("provider", Provider),
];
const MESSAGE: Members = &[
    ("role", Inner),
    ("timestamp", Sent),
    ("usage", Counts(USAGE)),
    ("model", Model),
    ("provider", Provider),
    ("command", Units(Text)),
    ("output", Units(Text)),
    ("summary", Units(Text)),
];
const USAGE: Members = &[
    ("input", Tokens(Input)),
    ("output", Tokens(Output)),
    ("cacheRead", Tokens(CacheRead)),
    ("cacheWrite", Tokens(Write5m)),
    ("cost", In(&[("total", Usd)])),
];

pub fn row(cursor: &mut Cursor<'_>, state: &mut State, row: &mut Row) -> Scanned {
    let seen = Seen::of(cursor, ENTRY, state)?;
    let (record, usage) = (row.record, seen.row.usage.map(|_| seen.usage(false)));
    *row = Row {
        record,
        usage,
        ..seen.row
    };
    let is_own = row.provider > 0
        && row.provider == state.names.intern("openclaw")
        && OWN.iter().any(|own| row.model == state.names.intern(own));
    if is_own {
        row.usage = None;
    } else if seen.inner == b"assistant" {
        row.kind = RowKind::Answer;
    }
    let hidden = match (&*seen.kind, &*seen.inner) {
        (b"compaction" | b"branch_summary", _) => seen.count(Summary) + AROUND_SUMMARY,
        (b"custom_message", _) => seen.count(Text),
        (b"message", role) => {
            // The blocks of these are counted one by one.
            let is_counted = matches!(role, b"user" | b"assistant" | b"toolResult");
            if is_counted { 0 } else { seen.count(Text) }
        }
        (b"", role) if !role.is_empty() => {
            row.sent = row.sent.or(row.time);
            0
        }
        _ => 0,
    };
    row.hidden = u32::try_from(hidden).unwrap_or(u32::MAX);
    Ok(())
}

/// The usage that a message carries.
pub fn of_message(cursor: &mut Cursor<'_>) -> Scanned<Option<Usage>> {
    let seen = Seen::of(cursor, MESSAGE, &mut State::default())?;
    Ok(seen.row.usage.map(|_| seen.usage(false)))
}
