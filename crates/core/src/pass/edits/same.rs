//! Same: results that occur again later, compared by their calls or by their texts.

use super::candidates::{text_of, tool};
use crate::Error;
use crate::edit::{Question, ToolUse, View};
use crate::json::Id;
use crate::resource::arguments::place;
use crate::settings::Duplicates;
use serde_json::Value;
use std::collections::HashSet;

/// Leaves alone what does not come again later among what the step is about.
///
/// # Errors
/// The input cannot be read any more.
pub fn only_doubles(view: &View<'_>, by: Duplicates, uses: &mut [ToolUse]) -> Result<(), Error> {
    let mut seen = HashSet::new();
    for one in uses.iter_mut().rev().filter(|one| !one.excluded) {
        let said = match by {
            Duplicates::SameContent => one.result.map(|result| {
                let asked = Question::of("content", view.place(result));
                view.once(asked, || {
                    Ok(Some(Id::of_all([text_of(view, result)?.as_bytes()])))
                })
            }),
            Duplicates::SameCall => one.call.map(|(message, block)| {
                let asked = Question::of("call", view.place((message, block)));
                view.once(asked, || {
                    Ok(call(view, one)?.map(|call| Id::of_all([call.as_bytes()])))
                })
            }),
        };
        let first = said
            .transpose()?
            .flatten()
            .is_none_or(|said| seen.insert((tool(view, one), said)));
        one.excluded = first;
    }
    Ok(())
}

/// Returns the arguments of a call as text that can be compared: members sorted, top-level nulls removed. `None` without arguments.
fn call(view: &View<'_>, one: &ToolUse) -> Result<Option<String>, Error> {
    let Some((message, index)) = one.call else {
        return Ok(None);
    };
    let block = &view.transcript.blocks[index as usize];
    let raw = view.bytes(message as usize, block.span)?;
    let Some((_, at)) = place(&raw) else {
        return Ok(None);
    };
    let Ok(mut value) = serde_json::from_slice::<Value>(&raw[at.clone()]) else {
        return Ok(Some(String::from_utf8_lossy(&raw[at]).into_owned()));
    };
    if let Some(inner) = value
        .as_str()
        .and_then(|text| serde_json::from_str(text).ok())
    {
        value = inner;
    }
    if let Value::Object(members) = &mut value {
        members.retain(|_, value| !value.is_null());
    }
    value.sort_all_objects();
    Ok(Some(value.to_string()))
}
