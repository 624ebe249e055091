//! Usage in OpenClaw's and pi's sessions: an assistant message has its usage, cost and time.

use crate::dialect::usage::{Row, RowKind, Says, Seen, State};

/// Chars that the agent puts around a summary.
const AROUND_SUMMARY: u64 = 120;

/// The models that OpenClaw names as those of messages which it writes itself: copies of what was delivered, and texts of the gateway.
const OWN: [&str; 2] = ["delivery-mirror", "gateway-injected"];

/// Makes the row of an entry, or of a message without one.
pub fn row(seen: Seen, state: &mut State) -> Row {
    let mut row = seen.row;
    let [provider, model] = [row.provider, row.model].map(|number| state.names.name(number));
    if provider == Some("openclaw") && model.is_some_and(|model| OWN.contains(&model)) {
        row.usage = None;
    } else if seen.inner == "assistant" {
        row.kind = RowKind::Answer;
    }
    if seen.kind.is_empty() && !seen.inner.is_empty() {
        row.sent = row.sent.or(row.time);
    }
    let hidden = match (&*seen.kind, &*seen.inner) {
        ("compaction" | "branch_summary", _) => seen.count(Says::Summary) + AROUND_SUMMARY,
        // The blocks of these are counted one by one.
        ("message", "user" | "assistant" | "toolResult") => 0,
        ("message" | "custom_message", _) => seen.count(Says::Text),
        _ => 0,
    };
    row.hidden = u32::try_from(hidden).unwrap_or(u32::MAX);
    row
}
