//! Usage in Copilot CLI sessions: an answer has its model and output tokens, but not its input tokens.

use crate::dialect::usage::Count::*;
use crate::dialect::usage::Slot::*;
use crate::dialect::usage::{Members, Row, RowKind, Seen, State};
use crate::json::{Cursor, Scanned};

const EVENT: Members = &[("timestamp", Time), ("type", Kind), ("data", Later)];
const TYPES: [(&str, Members); 4] = [
    (
        "assistant.message",
        &[("model", Model), ("outputTokens", Tokens(Output))],
    ),
    ("session.model_change", &[("newModel", Model)]),
    (
        "session.compaction_complete",
        &[("summaryContent", Units(Summary))],
    ),
    ("session.start", &[("context", In(&[("cwd", Folder)]))]),
];

pub fn row(cursor: &mut Cursor<'_>, state: &mut State, row: &mut Row) -> Scanned {
    let seen = Seen::typed(cursor, EVENT, &TYPES, state)?;
    if seen.row.model > 0 {
        state.model = seen.row.model;
    }
    if seen.kind == b"assistant.message" {
        row.kind = RowKind::Answer;
    }
    (row.model, row.provider) = (state.model, state.names.intern("github-copilot"));
    (row.time, row.output) = (seen.row.time, seen.count(Output));
    row.hidden = seen.count(Summary) as u32;
    Ok(())
}
