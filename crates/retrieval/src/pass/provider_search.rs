//! Chunks that the provider's own search returned in the model's message: `results` of a call such as OpenAI's `file_search_call`.
//! Encrypted or signed content has no text and is left alone.

use super::places::{At, Place, bytes, documents, exclusion};
use deadhead_core::Error;
use deadhead_core::internal::edit::View;
use deadhead_core::internal::json::locate;
use deadhead_core::internal::transcript::{Block, Span};
use serde_json::Value;

/// The list in a block of the model that is a search with its results.
///
/// # Errors
/// The input cannot be read any more.
pub(super) fn find(view: &View<'_>, at: At, block: &Block) -> Result<Option<Place>, Error> {
    let json = bytes(view, at.record(view), block.span)?;
    let search: Value = serde_json::from_slice(&json).unwrap_or_default();
    let Some(results) = locate::member(&json, 0, "results") else {
        return Ok(None);
    };
    if !search["type"]
        .as_str()
        .is_some_and(|kind| kind.ends_with("search_call"))
    {
        return Ok(None);
    }
    let span = Span {
        start: block.span.start + results.value.start as u32,
        end: block.span.start + results.value.end as u32,
    };
    let Some(list) = documents(view, at, span, "search results")? else {
        return Ok(None);
    };
    let queries = search["queries"]
        .as_array()
        .into_iter()
        .flatten()
        .chain(search.get("query"));
    let query = queries
        .filter_map(Value::as_str)
        .collect::<Vec<_>>()
        .join("\n");
    let list = exclusion(block.flags).map_or(Ok(list), |why| Err(why.to_owned()));
    Ok(Some(Place {
        at,
        lists: vec![list],
        query,
    }))
}
