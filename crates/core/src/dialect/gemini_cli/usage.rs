//! Usage in Gemini CLI sessions: `tokens` beside the content (`recordMessageTokens` of its `chatRecordingService.ts`).
//!
//! They are the provider's counts: `input` includes what was read from the cache, but not what its own tools added to the prompt
//! (`tool`); `output` does not include the thoughts, which cost as much. A message without counts is no request of its own: the agent
//! made it, or it belongs to the answer before.

use crate::dialect::usage::Count::*;
use crate::dialect::usage::Slot::*;
use crate::dialect::usage::{Members, Row, Seen, State};
use crate::json::{Cursor, Scanned};

const MESSAGE: Members = &[
    ("timestamp", Time),
    ("model", Model),
    ("tokens", Counts(TOKENS)),
];
const TOKENS: Members = &[
    ("input", Tokens(Input)),
    ("cached", Tokens(CacheRead)),
    ("tool", Tokens(MoreInput)),
    ("output", Tokens(Output)),
    ("thoughts", Tokens(MoreOutput)),
];

pub fn rows(cursor: &mut Cursor<'_>, state: &mut State, rows: &mut Vec<Row>) -> Scanned {
    let row = Seen::of(cursor, MESSAGE, state)?.counted(true);
    let provider = state.names.intern("google");
    rows.push(Row { provider, ..row }.whole());
    Ok(())
}
