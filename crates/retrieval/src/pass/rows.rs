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

/// A block with its index, or that of the result that it is in, and its kind.
type Read = (u32, Block, Option<&'static str>);

/// The rows of message `i`, and those in its results.
///
/// # Errors
/// The input cannot be read any more.
pub(super) fn find(view: &View<'_>, i: usize) -> Result<Vec<Place>, Error> {
    let free = || {
        view.parts(i)
            .filter(|(index, _)| !view.is_block_gone(i, *index))
    };
    let mut places = rows(view, i, free().map(|(index, block)| (index, *block)), None)?;
    for (index, block) in free()
        .filter(|(index, block)| block.kind == BlockKind::Result && view.cut(*index).is_none())
    {
        // One block has one cut: of two rows in a result the second one stays.
        places.extend(
            rows(
                view,
                i,
                view.children(index).iter().map(|child| (index, *child)),
                Some(block),
            )?
            .into_iter()
            .next(),
        );
    }
    Ok(places)
}

/// The rows among neighbouring blocks, in `result` if that is given.
fn rows(
    view: &View<'_>,
    i: usize,
    blocks: impl Iterator<Item = (u32, Block)>,
    result: Option<&Block>,
) -> Result<Vec<Place>, Error> {
    let record = view.transcript.messages[i].record;
    let mut read: Vec<Read> = Vec::new();
    for (index, block) in blocks {
        let kind = if block.kind == BlockKind::Other {
            kind(&bytes(view, record, block.span)?)
        } else {
            None
        };
        read.push((index, block, kind));
    }
    let rows = read
        .chunk_by(|a, b| a.2 == b.2)
        .filter_map(|row| Some((row, row[0].2?)));
    rows.map(|(row, kind)| {
        place(
            view,
            At {
                message: Some(i),
                index: row[0].0,
            },
            row,
            kind,
            result,
        )
    })
    .collect()
}

fn place(
    view: &View<'_>,
    at: At,
    row: &[Read],
    kind: &str,
    result: Option<&Block>,
) -> Result<Place, Error> {
    let blocks = || row.iter().map(|(_, block, _)| block);
    let why = blocks()
        .chain(result)
        .find_map(|block| exclusion(block.flags));
    let span = Span {
        start: row[0].1.span.start,
        end: row[row.len() - 1].1.span.end,
    };
    let json = bytes(view, at.record(view), span)?;
    let is_file = FILES
        .iter()
        .any(|sign| memchr::memmem::find(&json, sign).is_some());
    let elements = blocks().map(|block| {
        (block.span.start - span.start) as usize..(block.span.end - span.start) as usize
    });
    let list = match (
        why,
        array::known(&json, elements.collect()).filter(|_| !is_file),
    ) {
        (Some(why), _) => Err(format!("a {kind} block: {why}")),
        (None, None) => Err(format!("a {kind} block is no text")),
        (None, Some(list)) => Ok(List {
            layout: format!("{kind} blocks"),
            ..list
        }
        .moved(|at| span.start as usize + at)),
    };
    Ok(Place {
        at,
        lists: vec![list],
        query: String::new(),
    })
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
