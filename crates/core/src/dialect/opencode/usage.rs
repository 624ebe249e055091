//! Usage in OpenCode exports (`Session.getUsage` and the `finish-step` of its `session/processor.ts`).
//!
//! A `step-finish` part counts the step before it, and `info.tokens` the last step. Cached tokens are not part of `input`, and OpenCode
//! charges `reasoning` like `output`, which it does not include.

use crate::dialect::usage::Count::*;
use crate::dialect::usage::Slot::*;
use crate::dialect::usage::{LAST, Members, Row, RowKind, Seen, State};
use crate::json::{Cursor, Scanned};

const MESSAGE: Members = &[
    ("info", In(INFO)),
    ("parts", Parts(PART)),
    // A part of its own is a tool with what it came to.
    ("state", In(&[("time", In(TIMES))])),
];
const INFO: Members = &[
    ("modelID", Model),
    ("providerID", Provider),
    ("tokens", Counts(TOKENS)),
    // A subscription records 0, which is no price.
    ("cost", Usd),
    ("time", In(TIMES)),
    ("path", In(&[("cwd", Folder)])),
];
const TIMES: Members = &[("created", Sent), ("completed", Time), ("end", Time)];
const PART: Members = &[("type", Kind), ("tokens", Counts(TOKENS)), ("cost", Usd)];
const TOKENS: Members = &[
    ("input", Tokens(Input)),
    ("output", Tokens(Output)),
    ("reasoning", Tokens(MoreOutput)),
    (
        "cache",
        In(&[("read", Tokens(CacheRead)), ("write", Tokens(Write5m))]),
    ),
];

pub fn rows(cursor: &mut Cursor<'_>, state: &mut State, rows: &mut Vec<Row>) -> Scanned {
    let seen = Seen::of(cursor, MESSAGE, state)?;
    let (info, parts) = (seen.counted(false), || seen.parts.iter().zip(0..));
    let steps: Vec<(Row, u32)> = parts()
        .filter(|(part, _)| part.kind == b"step-finish")
        .map(|(part, at)| (part.counted(false), at))
        .filter(|(step, _)| step.usage.is_some())
        .collect();
    if steps.is_empty() {
        // Of several steps the last is counted here, and nobody knows when it was sent.
        let begun = parts()
            .filter(|(part, _)| part.kind == b"step-start")
            .count();
        let sent = info.sent.filter(|_| begun < 2);
        rows.push(Row {
            sent,
            part: LAST,
            ..info.whole()
        });
        return Ok(());
    }
    let last = steps.len() - 1;
    rows.extend(steps.into_iter().enumerate().map(|(i, (step, part))| Row {
        kind: RowKind::Answer,
        model: info.model,
        provider: info.provider,
        sent: info.sent.filter(|_| i == 0),
        time: info.time.filter(|_| i == last),
        part,
        ..step
    }));
    Ok(())
}
