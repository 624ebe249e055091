//! Usage in OpenCode exports (`Session.getUsage` and the `finish-step` of its `session/processor.ts`).
//!
//! A `step-finish` part counts the step before it, and `info.tokens` the last step. Cached tokens are not part of `input`, and OpenCode
//! charges `reasoning` like `output`, which it does not include.

use crate::dialect::usage::{LAST, Row, RowKind, Seen, State};

/// Makes the rows of a message, or that of a part of its own.
pub fn rows(seen: Seen, _: &mut State, rows: &mut Vec<Row>) {
    let info = seen.counted();
    let of_kind = |kind: &'static str| {
        let parts = seen.parts.iter().zip(0..);
        parts.filter(move |(part, _)| part.kind == kind)
    };
    let steps: Vec<(Row, u32)> = of_kind("step-finish")
        .map(|(part, at)| (part.counted(), at))
        .filter(|(step, _)| step.usage.is_some())
        .collect();
    if steps.is_empty() {
        // Of several steps the last is counted here, and nobody knows when it was sent.
        let sent = info.sent.filter(|_| of_kind("step-start").count() < 2);
        rows.push(Row {
            sent,
            part: LAST,
            ..info.whole()
        });
        return;
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
}
