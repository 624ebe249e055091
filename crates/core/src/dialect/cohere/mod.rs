//! Cohere chat bodies, of both interfaces.
//!
//! The second has OpenAI's shape, with a `tool_plan` beside the calls and documents as the content of a result. The first,
//! with a `message` and a `chat_history`, is in `v1`.

pub mod rules;
mod v1;

use crate::dialect::detect::spelling;
use crate::dialect::shared::by_order;
use crate::dialect::sheet::Sheet;
use crate::dialect::usage::Calls;
use crate::dialect::{Clues, Dialect, Layout, Likeness, shared};
use crate::json::{Cursor, Kind, ScanError};

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "cohere",
    about: "Cohere chat request bodies, v1 and v2",
    layout: Layout::Body,
    interface: &rules::INTERFACE,
    results: &[shared::RESULTS, v1::RESULTS],
    looks,
    read,
    lineage: None,
    context: by_order::context,
    calls: Calls::UNKNOWN,
};

pub fn looks(clues: &Clues) -> Likeness {
    let named = clues.value("model").is_some_and(|m| (m.starts_with("command") || m.starts_with("c4ai-")) && !m.contains([':', '/']));
    if !clues.lists("messages") {
        let first = clues.value("message").is_some() && ["tool_results", "preamble", "connectors"].iter().any(|key| clues.has(key));
        let history = clues.has("chat_history");
        return match () {
            () if history && (clues.has("message") || named) || first => Likeness::Certain,
            () if history || clues.value("message").is_some() && named => Likeness::Likely,
            () => Likeness::No,
        };
    }
    if !spelling::may_be_chat(clues) {
        return Likeness::No;
    }
    let own = ["documents", "safety_mode", "citation_options", "strict_tools"].iter().any(|key| clues.has(key));
    if own || clues.message_has("tool_plan") || clues.block_has("document") {
        Likeness::Certain
    } else if named {
        Likeness::Likely
    } else {
        Likeness::Named
    }
}

fn read(cursor: &mut Cursor<'_>, sheet: &mut Sheet) -> Result<(), ScanError> {
    sheet.provider.get_or_insert_with(|| "cohere".to_owned());
    let list = cursor.kind()? == Kind::Array;
    let from = cursor.at();
    if list || has_messages(cursor)? {
        cursor.go_to(from);
        return shared::body(cursor, sheet);
    }
    cursor.go_to(from);
    v1::body(cursor, sheet)
}

/// Whether the body at the cursor is one of the second interface.
fn has_messages(cursor: &mut Cursor<'_>) -> Result<bool, ScanError> {
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        if &*key == b"messages" && cursor.kind()? == Kind::Array {
            return Ok(true);
        }
        cursor.skip()?;
    }
    Ok(false)
}
