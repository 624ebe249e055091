//! Calls as our proxy logs them: a body with its messages under `prompt`.

use crate::dialect::builder::TranscriptBuilder;
use crate::dialect::{Confidence, Dialect, Signals, shared};
use crate::json::{Cursor, Kind, Scanned};

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "proxy-log",
    about: "calls as our proxy logs them",
    keys: &["prompt", "ts"],
    detect,
    read,
    ..Dialect::BODY
};

fn detect(signals: &Signals) -> Confidence {
    if signals.has("prompt") && signals.has("ts") {
        Confidence::Certain
    } else {
        Confidence::No
    }
}

fn read(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        match &*key {
            b"prompt" if cursor.kind()? == Kind::Array => shared::messages(cursor, builder)?,
            b"model" => builder.model = cursor.owned_string_or_skip()?,
            _ => {}
        }
    }
    Ok(())
}
