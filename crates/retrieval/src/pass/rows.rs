//! Rows of blocks that are chunks: Anthropic's `document` and `search_result`, Converse's `document` and `searchResult`.
//!
//! A row is blocks of one kind side by side. A document that is no text, a PDF or a file, cannot be scored, and leaves its
//! row as it is.

use super::places::{At, List, Measure, Place, bytes, exclusion};
use crate::chunks::Chunk;
use deadhead_core::Error;
use deadhead_core::internal::edit::View;
use deadhead_core::internal::estimate;
use deadhead_core::internal::transcript::{Block, BlockKind, Role, Span};
use serde_json::Value;
use std::ops::Range;

/// The rows of message `i`, whose parts are `parts`, and those in its results.
///
/// # Errors
/// The input cannot be read any more.
pub(super) fn find(view: &View<'_>, i: usize, parts: &[(u32, Block)]) -> Result<Vec<Place>, Error> {
    let free: Vec<(u32, Block)> = parts.iter().filter(|(index, _)| !view.is_block_gone(i, *index)).copied().collect();
    let mut places = Vec::new();
    rows(view, i, &free, None, &mut places)?;
    for (index, block) in free.iter().filter(|(index, block)| block.kind == BlockKind::Result && view.cut(*index).is_none()) {
        let children: Vec<(u32, Block)> = view.children(*index).iter().map(|child| (*index, *child)).collect();
        let first = places.len();
        rows(view, i, &children, Some(block), &mut places)?;
        // One block has one cut: of two rows in a result the second one stays.
        places.truncate(first + 1);
    }
    Ok(places)
}

/// The rows among neighbouring blocks, in `result` if that is given.
fn rows(view: &View<'_>, i: usize, blocks: &[(u32, Block)], result: Option<&Block>, places: &mut Vec<Place>) -> Result<(), Error> {
    let mut row: Vec<(u32, Block, Read)> = Vec::new();
    for (index, block) in blocks {
        let read =
            if block.kind == BlockKind::Other { Read::of(&bytes(view, view.transcript.messages[i].record, block.span)?) } else { None };
        let ends = row.last().is_some_and(|(.., last)| read.as_ref().is_none_or(|read| read.kind != last.kind));
        if ends {
            places.push(place(view, i, std::mem::take(&mut row), result));
        }
        row.extend(read.map(|read| (*index, *block, read)));
    }
    if !row.is_empty() {
        places.push(place(view, i, row, result));
    }
    Ok(())
}

fn place(view: &View<'_>, message: usize, row: Vec<(u32, Block, Read)>, result: Option<&Block>) -> Place {
    let role = if result.is_some() { Role::Tool } else { view.transcript.messages[message].role };
    let chars = row.iter().map(|(_, block, _)| estimate::block(block, role, view.estimator)).collect();
    let flags = row.iter().map(|(_, block, _)| block.flags).chain(result.map(|result| result.flags));
    let why = flags.filter_map(exclusion).next();
    let (block, kind) = row.first().map_or((0, ""), |(block, _, read)| (*block, read.kind));
    let layout = format!("{kind} blocks");
    let spans: Vec<Span> = row.iter().map(|(_, block, _)| block.span).collect();
    let chunks = row.iter().map(|(.., read)| Chunk::new(Range::default(), None, read.names.clone())).collect();
    let texts: Option<Vec<String>> = row.into_iter().map(|(.., read)| read.text).collect();
    let list = match (why, texts) {
        (Some(why), _) => Err(format!("a {kind} block: {why}")),
        (None, None) => Err(format!("a {kind} block is no text")),
        (None, Some(texts)) => Ok(List { layout, spans, texts, chunks }),
    };
    Place { at: At::Message(message, block), lists: vec![list], measure: Measure::Blocks(chars), query: None }
}

/// The text and names of a block.
struct Read {
    /// The kind of the block, such as `document`.
    kind: &'static str,
    /// Its text; none where it is a file.
    text: Option<String>,
    /// Its title and source.
    names: Vec<String>,
}

impl Read {
    /// Reads a block; nothing where it is of no such kind.
    fn of(json: &[u8]) -> Option<Read> {
        let block: Value = serde_json::from_slice(json).ok()?;
        let (kind, body) = match block["type"].as_str() {
            Some("document") => ("document", &block),
            Some("search_result") => ("search_result", &block),
            // Converse has no type: the key says what a block is.
            _ => {
                ["document", "searchResult"].into_iter().find_map(|kind| Some((kind, block.get(kind).filter(|body| body.is_object())?)))?
            }
        };
        let names = ["title", "name", "source"].into_iter().filter_map(|name| body[name].as_str());
        let names = names.filter(|name| !name.trim().is_empty()).map(str::to_owned).collect();
        let source = &body["source"];
        let is_plain = source["type"].as_str().is_none_or(|kind| ["text", "content"].contains(&kind));
        let data = ["data", "text"].into_iter().filter_map(|key| source[key].as_str()).filter(|_| is_plain);
        let texts: Vec<&str> = [&body["content"], &source["content"]].into_iter().flat_map(texts).chain(data).collect();
        Some(Read { kind, names, text: (!texts.is_empty()).then(|| texts.join("\n")) })
    }
}

/// The texts of a content: a string, or an array of blocks with a `text`.
fn texts(content: &Value) -> Vec<&str> {
    let blocks = content.as_array().into_iter().flatten();
    content.as_str().into_iter().chain(blocks.filter_map(|block| block["text"].as_str())).collect()
}
