//! Usage in Codex rollouts: the model is named once a turn, and `token_count` events count the request before them.

use crate::dialect::usage::Count::*;
use crate::dialect::usage::Slot::*;
use crate::dialect::usage::{Members, Row, RowKind, Seen, State};
use crate::json::{Cursor, Scanned};

const LINE: Members = &[("timestamp", Time), ("type", Kind), ("payload", Later)];
const CONTEXT: Members = &[
    ("model", Model),
    ("model_provider", Provider),
    ("cwd", Folder),
    ("service_tier", Tier),
];
const EVENT: Members = &[
    ("type", Inner),
    ("info", In(INFO)),
    ("thread_settings", In(SETTINGS)),
];
const SETTINGS: Members = &[
    ("model", Model),
    ("model_provider_id", Provider),
    ("service_tier", Tier),
];
const INFO: Members = &[
    ("total_token_usage", In(&[("total_tokens", Tokens(Total))])),
    ("last_token_usage", Counts(LAST)),
];
const LAST: Members = &[
    ("input_tokens", Tokens(Input)),
    ("cached_input_tokens", Tokens(CacheRead)),
    ("output_tokens", Tokens(Output)),
];

pub fn row(cursor: &mut Cursor<'_>, state: &mut State, row: &mut Row) -> Scanned {
    let types = [
        ("session_meta", CONTEXT),
        ("turn_context", CONTEXT),
        ("event_msg", EVENT),
    ];
    let seen = Seen::typed(cursor, LINE, &types, state)?;
    let named = |now: u32, before: u32| if now > 0 { now } else { before };
    state.model = named(seen.row.model, state.model);
    state.provider = named(seen.row.provider, state.provider);
    // Settings without a tier are those of the default one.
    if seen.row.tiers[0] > 0 || seen.inner == b"thread_settings_applied" {
        state.tiers = seen.row.tiers;
    }
    (row.model, row.provider, row.time) = (state.model, state.provider, seen.row.time);
    row.tiers = state.tiers;
    let total = Some(seen.count(Total)).filter(|total| *total > 0);
    if matches!(&*seen.kind, b"response_item" | b"") {
        row.kind = RowKind::Answer;
    } else if seen.inner == b"token_count"
        && seen.row.usage.is_some()
        // A count is repeated when only the limits of the account have changed.
        && (total.is_none() || total != state.counted)
    {
        (row.kind, row.usage) = (RowKind::Count, Some(seen.usage(true)));
        state.counted = total;
    } else {
        row.time = row.time.filter(|_| seen.kind == b"compacted");
    }
    Ok(())
}
