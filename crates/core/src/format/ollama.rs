//! Ollama chat bodies (`POST /api/chat`).
//!
//! Arguments are an object and a content is a string; images are a list beside it. A call mostly has no id: a result
//! answers by the `tool_name` it may have, and by order. The server checks no pairs and cuts what does not fit without a
//! word, so that only pairs are held here and no order.

use super::sheet::Sheet;
use super::{Clues, Format, Layout, Likeness, blocks, by_order, spelling};
use crate::json::{Cursor, ScanError};
use crate::transcript::{Maker, Model, Rules};

/// The table's row.
pub const FORMAT: Format = Format {
    name: "ollama",
    about: "Ollama chat request bodies",
    layout: Layout::Body,
    rules: Rules::Ollama,
    results: &[blocks::RESULTS],
    looks,
    read,
    lineage: None,
    context: by_order::context,
};

pub(super) fn looks(clues: &Clues) -> Likeness {
    // Its contents are strings.
    if !spelling::may_be_chat(clues) || !clues.block_types.is_empty() {
        return Likeness::No;
    }
    let top = ["keep_alive", "options", "think"].iter().any(|key| clues.has(key));
    if top || clues.message_has("tool_name") || clues.message_has("images") {
        Likeness::Certain
    } else if clues.calls.objects && !clues.calls.nine && !Model::of(clues.value("model"), None).is(Maker::OpenAi) {
        Likeness::Likely
    } else {
        Likeness::Named
    }
}

fn read(cursor: &mut Cursor<'_>, sheet: &mut Sheet) -> Result<(), ScanError> {
    sheet.by_order = true;
    blocks::body(cursor, sheet)?;
    sheet.provider.get_or_insert_with(|| "ollama".to_owned());
    Ok(())
}
