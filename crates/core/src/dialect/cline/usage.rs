//! Usage in the session files of Cline's newer releases: `metrics` beside the content (`calculateUsageCostFromPricing` of its SDK).
//!
//! `inputTokens` includes what was read from the cache and what was written to it. The `metrics.tokens` of histories from before have one
//! number for both (`cached`), from which no price follows, and are not read.

use crate::dialect::usage::Count::*;
use crate::dialect::usage::Slot::*;
use crate::dialect::usage::{Members, Row, Seen, State};
use crate::json::{Cursor, Scanned};

const MESSAGE: Members = &[
    ("ts", Time),
    ("modelInfo", In(MODEL)),
    ("metrics", Counts(METRICS)),
];
const MODEL: Members = &[
    ("id", Model),
    ("modelId", Model),
    ("provider", Provider),
    ("providerId", Provider),
];
const METRICS: Members = &[
    ("inputTokens", Tokens(Input)),
    ("outputTokens", Tokens(Output)),
    ("cacheReadTokens", Tokens(CacheRead)),
    ("cacheWriteTokens", Tokens(Write5m)),
    ("cost", Usd),
];

pub fn rows(cursor: &mut Cursor<'_>, state: &mut State, rows: &mut Vec<Row>) -> Scanned {
    let mut row = Seen::of(cursor, MESSAGE, state)?.counted(true);
    let named = |number: u32| state.names.name(number).filter(|name| !name.is_empty());
    let maker = super::maker(named(row.model), named(row.provider)).map(str::to_owned);
    row.provider = maker.map_or(0, |maker| state.names.intern(&maker));
    rows.push(row.whole());
    Ok(())
}
