//! Plain messages: an array of them, or one a line, without a body or an agent's envelope around them.
//!
//! Their provider is unknown. Blocks of every known spelling are read, and the stricter rules apply.

use super::sheet::Sheet;
use super::{Clues, Format, Layout, Likeness, blocks, by_order};
use crate::json::{Cursor, Kind, ScanError};
use crate::transcript::Rules;

/// The table's row.
pub const FORMAT: Format = Format {
    name: "messages",
    about: "plain messages: an array, or one a line",
    layout: Layout::History,
    rules: Rules::Generic,
    results: &[blocks::RESULTS],
    looks,
    read,
    lineage: None,
    context: by_order::functions,
};

fn looks(clues: &Clues) -> Likeness {
    let lines = clues.has("role") && (clues.has("content") || clues.has("tool_calls"));
    if lines || clues.array && !clues.roles.is_empty() { Likeness::Likely } else { Likeness::No }
}

fn read(cursor: &mut Cursor<'_>, sheet: &mut Sheet) -> Result<(), ScanError> {
    let origin = cursor.at();
    match cursor.kind()? {
        Kind::Object => blocks::message(cursor, cursor.at(), sheet).map(|_| ()),
        Kind::Array => blocks::messages(cursor, origin, sheet),
        kind => blocks::no_message(cursor, kind, sheet),
    }
}
