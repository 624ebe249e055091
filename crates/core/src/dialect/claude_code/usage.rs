//! Usage in Claude Code's logs: Anthropic's members, repeated on every line of one message. The agent's own notices are not calls.

use crate::dialect::usage::Count::*;
use crate::dialect::usage::Slot::*;
use crate::dialect::usage::{Members, Row, RowKind, Seen, Slot, State, Usage};
use crate::json::{Cursor, Scanned};

/// The counts of a request, or of one of its iterations.
static COUNTS: [(&str, Slot); 10] = [
    ("input_tokens", Tokens(Input)),
    ("output_tokens", Tokens(Output)),
    ("cache_read_input_tokens", Tokens(CacheRead)),
    ("cache_creation_input_tokens", Tokens(Written)),
    ("cache_creation", In(LIFETIMES)),
    ("speed", Tier),
    ("service_tier", Tier),
    ("inference_geo", Tier),
    ("type", Inner),
    ("iterations", Parts(&COUNTS)),
];
const LIFETIMES: Members = &[
    ("ephemeral_5m_input_tokens", Tokens(Write5m)),
    ("ephemeral_1h_input_tokens", Tokens(Write1h)),
];
const MESSAGE: Members = &[("model", Model), ("usage", Counts(&COUNTS))];
const LINE: Members = &[
    ("type", Kind),
    ("timestamp", Time),
    ("cwd", Folder),
    ("isApiErrorMessage", Flag),
    ("message", In(MESSAGE)),
];

pub fn row(cursor: &mut Cursor<'_>, state: &mut State, row: &mut Row) -> Scanned {
    let seen = Seen::of(cursor, LINE, state)?;
    *row = Row {
        record: row.record,
        usage: None,
        ..seen.row
    };
    let own = seen.flag || row.model == state.names.intern("<synthetic>");
    if seen.kind == b"assistant" && !own {
        row.kind = RowKind::Answer;
        row.provider = state.names.intern("anthropic");
        row.usage = seen.row.usage.map(|_| usage(&seen));
        // The counts beside them leave out the compactions among the iterations.
        for iteration in seen.parts.iter().filter(|part| part.inner == b"compaction") {
            row.summaries += usage(iteration);
        }
    }
    Ok(())
}

/// The usage that a message carries.
pub fn of_message(cursor: &mut Cursor<'_>) -> Scanned<Option<Usage>> {
    let seen = Seen::of(cursor, MESSAGE, &mut State::default())?;
    Ok(seen.row.usage.map(|_| usage(&seen)))
}

fn usage(seen: &Seen) -> Usage {
    Usage {
        states_lifetime: seen.count(Write5m) > 0 || seen.count(Write1h) > 0,
        ..seen.usage(false)
    }
}
