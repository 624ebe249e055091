//! Rows of blocks that are chunks: Anthropic's `document` and `search_result`, Converse's
//! `document` and `searchResult`; and chunks that the provider's own search returned in the model's
//! message: `results` of a call such as OpenAI's `file_search_call`.
//!
//! A row is blocks of one kind side by side. A document that is no text, a PDF or a file, cannot be
//! scored, and leaves its row as it is. Encrypted or signed content has no text and is left alone.

use super::places::{At, Place, bytes, documents, exclusion, free, has_any};
use crate::chunks::{List, array};
use deadhead_core::{
    Result,
    internal::{
        edit::View,
        json::locate,
        transcript::{Block, BlockKind, Span},
    },
};
use serde_json::Value;

/// The rows of message `i`, and those in its results.
///
/// # Errors
/// The input cannot be read any more.
pub fn rows(view: &View<'_>, i: usize) -> Result<Vec<Place>> {
    let mut places = among(view, i, view.parts_left(i), None)?;
    for (index, block) in view.parts_left(i) {
        if block.kind == BlockKind::Result && view.cut(index).is_none() {
            let children = view.children(index).iter().map(|child| (index, child));
            let found = among(view, i, children, Some(block))?;
            // One block has one cut: of two rows in a result the second one stays.
            places.extend(found.into_iter().next());
        }
    }
    Ok(places)
}

/// The rows among neighbouring blocks, each with its index, or that of the `result` that they are
/// in.
fn among<'a>(
    view: &View<'a>,
    i: usize,
    blocks: impl Iterator<Item = (u32, &'a Block)>,
    result: Option<&Block>,
) -> Result<Vec<Place>> {
    let record = view.transcript.messages[i].record;
    let mut read = Vec::new();
    for (index, block) in blocks {
        let kind = match block.kind {
            BlockKind::Other => kind(&bytes(view, record, block.span)?),
            _ => None,
        };
        read.push((index, block, kind));
    }
    let mut places = Vec::new();
    for row in read.chunk_by(|a, b| a.2 == b.2) {
        let (index, first, Some(kind)) = row[0] else {
            continue;
        };
        let blocks = || row.iter().map(|(_, block, _)| *block);
        let mut all = blocks().chain(result);
        let why = all.find_map(|block| exclusion(block.flags));
        let start = first.span.start;
        let end = row[row.len() - 1].1.span.end;
        let json = bytes(view, record, Span { start, end })?;
        let place = |at: u32| (at - start) as usize;
        let elements = blocks().map(|block| place(block.span.start)..place(block.span.end));
        let known = array::known(&json, elements.collect()).filter(|_| !has_any(&json, &FILES));
        let list = match (why, known) {
            (Some(why), _) => Err(format!("a {kind} block: {why}")),
            (None, None) => Err(format!("a {kind} block is no text")),
            (None, Some(list)) => Ok(List {
                layout: format!("{kind} blocks"),
                ..list.moved(|at| start as usize + at)
            }),
        };
        let message = Some(i);
        places.push(Place::of(At { message, index }, list));
    }
    Ok(places)
}

/// What a block has that holds a file.
const FILES: [&[u8]; 2] = [b"\"base64\"", b"\"bytes\""];

/// The kind of a block, such as `document`, if it is one of retrieved text.
fn kind(json: &[u8]) -> Option<&'static str> {
    let block: Value = serde_json::from_slice(json).ok()?;
    // Converse has no type: the key says what a block is.
    ["document", "search_result", "searchResult"]
        .into_iter()
        .find(|kind| block["type"] == *kind || block[*kind].is_object())
}

/// The list in a block of the model that is a search with its results.
///
/// # Errors
/// The input cannot be read any more.
pub fn searched(view: &View<'_>, at: At, block: &Block) -> Result<Option<Place>> {
    let json = bytes(view, at.record(view), block.span)?;
    let search: Value = serde_json::from_slice(&json).unwrap_or_default();
    let kind = search["type"].as_str();
    let is_search = kind.is_some_and(|kind| kind.ends_with("search_call"));
    let Some(results) = locate::member(&json, 0, "results").filter(|_| is_search) else {
        return Ok(None);
    };
    let place = |at: usize| block.span.start + at as u32;
    let span = Span {
        start: place(results.value.start),
        end: place(results.value.end),
    };
    let queries = search["queries"].as_array().into_iter().flatten();
    let queries = queries.chain(search.get("query")).filter_map(Value::as_str);
    let query = queries.collect::<Vec<_>>().join("\n");
    let list = documents(view, at, span, "search results")?;
    Ok(list.map(|list| Place {
        query,
        ..Place::of(at, free(list, exclusion(block.flags), |at| at))
    }))
}
