//! Rows of blocks that are chunks: Anthropic's `document` and `search_result`, Converse's `document` and `searchResult`.
//!
//! A row is blocks of one kind side by side. A document that is no text, a PDF or a file, cannot be scored, and leaves its
//! row as it is.

use super::places::{At, Place, bytes, exclusion};
use crate::chunks::{List, array};
use deadhead_core::Error;
use deadhead_core::internal::edit::View;
use deadhead_core::internal::transcript::{Block, BlockKind, Span};
use serde_json::Value;

/// The rows of message `i`, whose parts are `parts`, and those in its results.
///
/// # Errors
/// The input cannot be read any more.
pub(super) fn find(view: &View<'_>, i: usize, parts: &[(u32, Block)]) -> Result<Vec<Place>, Error> {
    let free: Vec<(u32, Block)> = parts.iter().filter(|(index, _)| !view.is_block_gone(i, *index)).copied().collect();
    let mut places = rows(view, i, &free, None)?;
    for (index, block) in free.iter().filter(|(index, block)| block.kind == BlockKind::Result && view.cut(*index).is_none()) {
        let children: Vec<(u32, Block)> = view.children(*index).iter().map(|child| (*index, *child)).collect();
        // One block has one cut: of two rows in a result the second one stays.
        places.extend(rows(view, i, &children, Some(block))?.into_iter().next());
    }
    Ok(places)
}

/// The rows among neighbouring blocks, in `result` if that is given.
fn rows(view: &View<'_>, i: usize, blocks: &[(u32, Block)], result: Option<&Block>) -> Result<Vec<Place>, Error> {
    let mut kinds = Vec::new();
    for (_, block) in blocks {
        let is_other = block.kind == BlockKind::Other;
        let json = is_other.then(|| bytes(view, view.transcript.messages[i].record, block.span)).transpose()?;
        kinds.push((*block, json.and_then(|json| kind(&json))));
    }
    let (mut places, mut at) = (Vec::new(), 0);
    for row in kinds.chunk_by(|(_, a), (_, b)| a == b) {
        if let Some(kind) = row[0].1 {
            places.push(place(view, At { message: Some(i), index: blocks[at].0 }, row, kind, result)?);
        }
        at += row.len();
    }
    Ok(places)
}

type Row<'a> = &'a [(Block, Option<&'static str>)];

fn place(view: &View<'_>, at: At, row: Row<'_>, kind: &str, result: Option<&Block>) -> Result<Place, Error> {
    let why = row.iter().map(|(block, _)| block).chain(result).find_map(|block| exclusion(block.flags));
    let span = Span { start: row[0].0.span.start, end: row[row.len() - 1].0.span.end };
    let json = bytes(view, at.record(view), span)?;
    let is_file = FILES.iter().any(|sign| memchr::memmem::find(&json, sign).is_some());
    let elements = row.iter().map(|(block, _)| (block.span.start - span.start) as usize..(block.span.end - span.start) as usize);
    let list = match (why, array::known(&json, elements.collect()).filter(|_| !is_file)) {
        (Some(why), _) => Err(format!("a {kind} block: {why}")),
        (None, None) => Err(format!("a {kind} block is no text")),
        (None, Some(list)) => Ok(List { layout: format!("{kind} blocks"), ..list }.moved(|at| span.start as usize + at)),
    };
    Ok(Place { at, lists: vec![list], query: None })
}

/// What a block has that holds a file.
const FILES: [&[u8]; 2] = [b"\"base64\"", b"\"bytes\""];

/// The kind of a block, such as `document`, if it is one of retrieved text.
fn kind(json: &[u8]) -> Option<&'static str> {
    let block: Value = serde_json::from_slice(json).ok()?;
    match block["type"].as_str() {
        Some("document") => Some("document"),
        Some("search_result") => Some("search_result"),
        // Converse has no type: the key says what a block is.
        _ => ["document", "searchResult"].into_iter().find(|kind| block[*kind].is_object()),
    }
}
