//! Rows of blocks that are chunks: Anthropic's `document` and `search_result`, Converse's `document` and `searchResult`.
//!
//! A row is blocks of one kind side by side. A document that is no text, a PDF or a file, cannot be scored, and leaves its
//! row as it is.

use super::places::{At, List, Measure, Place, bytes, exclusion};
use crate::chunks::Chunk;
use deadhead_core::Error;
use deadhead_core::internal::edit::View;
use deadhead_core::internal::estimate;
use deadhead_core::internal::transcript::{Block, BlockKind, Role};
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
    let mut read: Vec<(u32, Block, Option<Read>)> = Vec::new();
    for (index, block) in blocks {
        let is_other = block.kind == BlockKind::Other;
        let json = is_other.then(|| bytes(view, view.transcript.messages[i].record, block.span)).transpose()?;
        read.push((*index, *block, json.and_then(|json| Read::of(&json))));
    }
    let kind = |(.., read): &(u32, Block, Option<Read>)| read.as_ref().map(|read| read.kind);
    let rows = read.chunk_by(|a, b| kind(a) == kind(b));
    Ok(rows.filter_map(|row| Some(place(view, i, row, kind(&row[0])?, result))).collect())
}

fn place(view: &View<'_>, message: usize, row: &[(u32, Block, Option<Read>)], kind: &str, result: Option<&Block>) -> Place {
    let role = if result.is_some() { Role::Tool } else { view.transcript.messages[message].role };
    let chars = row.iter().map(|(_, block, _)| estimate::block(block, role, view.estimator)).collect();
    let why = row.iter().map(|(_, block, _)| block).chain(result).find_map(|block| exclusion(block.flags));
    let reads = || row.iter().filter_map(|(.., read)| read.as_ref());
    let texts: Option<Vec<String>> = reads().map(|read| read.text.clone()).collect();
    let list = match (why, texts) {
        (Some(why), _) => Err(format!("a {kind} block: {why}")),
        (None, None) => Err(format!("a {kind} block is no text")),
        (None, Some(texts)) => Ok(List {
            layout: format!("{kind} blocks"),
            spans: row.iter().map(|(_, block, _)| block.span).collect(),
            chunks: reads().map(|read| Chunk::new(0..0, None, read.names.clone())).collect(),
            texts,
        }),
    };
    Place { at: At::Message(message, row[0].0), lists: vec![list], measure: Measure::Blocks(chars), query: None }
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
