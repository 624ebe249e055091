//! Chunks that the provider's own search returned in the model's message: `results` of a call such as OpenAI's `file_search_call`.
//! Encrypted or signed content has no text and is left alone.

use super::places::{At, List, Measure, Place, bytes, exclusion};
use deadhead_core::Error;
use deadhead_core::internal::edit::View;
use deadhead_core::internal::json::Cursor;
use deadhead_core::internal::transcript::Block;
use serde_json::Value;
use std::ops::Range;

/// The list in a block of the model that is a search with its results.
///
/// # Errors
/// The input cannot be read any more.
pub(super) fn find(view: &View<'_>, message: usize, index: u32, block: &Block) -> Result<Option<Place>, Error> {
    let json = bytes(view, view.transcript.messages[message].record, block.span)?;
    let Some((query, results)) = read(&json) else { return Ok(None) };
    let start = block.span.start + results.start as u32;
    let Some(list) = List::of_documents(&json[results], start, "search results") else { return Ok(None) };
    let list = exclusion(block.flags).map_or(Ok(list), |why| Err(why.to_owned()));
    Ok(Some(Place { at: At::Message(message, index), lists: vec![list], measure: Measure::Bytes, query }))
}

/// The query of a search that the provider ran, and the place of its results.
fn read(json: &[u8]) -> Option<(Option<String>, Range<usize>)> {
    let search: Value = serde_json::from_slice(json).ok()?;
    if !search["type"].as_str()?.ends_with("search_call") || !search["results"].is_array() {
        return None;
    }
    let queries = search["queries"].as_array().into_iter().flatten().chain(search.get("query"));
    let query = queries.filter_map(Value::as_str).collect::<Vec<_>>().join("\n");
    let mut cursor = Cursor::new(json);
    let mut members = cursor.enter_object().ok()?;
    let mut results = None;
    while let Some(key) = cursor.key(&mut members).ok()? {
        let is_results = &*key == b"results";
        cursor.peek();
        let start = cursor.at();
        cursor.skip().ok()?;
        results = is_results.then(|| start..cursor.at()).or(results);
    }
    Some((Some(query).filter(|query| !query.trim().is_empty()), results?))
}
