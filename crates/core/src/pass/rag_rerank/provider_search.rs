//! Chunks that the provider's own search returned in the model's message: `results` of a call such as OpenAI's `file_search_call`.
//! Encrypted or signed content has no text and is left alone.

use super::places::{At, List, Measure, Place, bytes, exclusion};
use crate::chunks::array;
use crate::edit::View;
use crate::json::{Cursor, Kind, ScanError, text};
use crate::transcript::{Block, Span};

/// The list in a block of the model that is a search with its results.
///
/// # Errors
/// The input cannot be read any more.
pub(super) fn find(view: &View<'_>, message: usize, index: u32, block: &Block) -> Result<Option<Place>, crate::Error> {
    let json = bytes(view, view.transcript.messages[message].record, block.span)?;
    let Ok(Some(search)) = read(&json) else { return Ok(None) };
    let start = block.span.start + search.results.start;
    let Some(rows) = array::documents(search.results.of(&json)).filter(|rows| !rows.texts.is_empty()) else { return Ok(None) };
    let list = List { layout: "search results".to_owned(), ..List::of_rows(rows, |at| start + at as u32) };
    let list = exclusion(block.flags).map_or(Ok(list), |why| Err(why.to_owned()));
    Ok(Some(Place { at: At::Message(message, index), lists: vec![list], measure: Measure::Bytes, query: search.query }))
}

/// A search that the provider ran.
struct Search {
    query: Option<String>,
    /// The array of its results.
    results: Span,
}

fn read(json: &[u8]) -> Result<Option<Search>, ScanError> {
    let mut cursor = Cursor::new(json);
    let (mut is_search, mut query, mut results) = (false, Vec::new(), None);
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        let kind = cursor.kind()?;
        let from = cursor.at();
        match (&*key, kind) {
            (b"type", Kind::String) => is_search = cursor.bytes_or_skip()?.is_some_and(|name| name.ends_with(b"search_call")),
            (b"query", Kind::String) => query.push(text::lossy(cursor.text()?.raw)),
            (b"queries", Kind::Array) => {
                let mut elements = cursor.enter_array()?;
                while cursor.element(&mut elements)? {
                    if cursor.kind()? == Kind::String {
                        query.push(text::lossy(cursor.text()?.raw));
                    }
                }
            }
            (b"results", Kind::Array) => {
                cursor.skip()?;
                results = Some(Span { start: from as u32, end: cursor.at() as u32 });
            }
            _ => {}
        }
    }
    let query = Some(query.join("\n")).filter(|query| !query.trim().is_empty());
    Ok(results.filter(|_| is_search).map(|results| Search { query, results }))
}
