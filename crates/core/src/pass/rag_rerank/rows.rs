//! Rows of blocks that are chunks: Anthropic's `document` and `search_result`, Converse's `document` and `searchResult`.
//!
//! A row is blocks of one kind side by side. A document that is no text, a PDF or a file, cannot be scored, and leaves its
//! row as it is.

use super::places::{At, List, Measure, Place, bytes, exclusion};
use crate::chunks::Chunk;
use crate::edit::View;
use crate::json::{Cursor, Kind, ScanError, text};
use crate::transcript::{Block, BlockKind, Role, Span};
use std::ops::Range;

/// The rows of message `i`, whose parts are `parts`, and those in its results.
///
/// # Errors
/// The input cannot be read any more.
pub(super) fn find(view: &View<'_>, i: usize, parts: &[(u32, Block)]) -> Result<Vec<Place>, crate::Error> {
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
fn rows(view: &View<'_>, i: usize, blocks: &[(u32, Block)], result: Option<&Block>, places: &mut Vec<Place>) -> Result<(), crate::Error> {
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
    let chars = row.iter().map(|(_, block, _)| crate::estimate::block(block, role, view.estimator)).collect();
    let flags = row.iter().map(|(_, block, _)| block.flags).chain(result.map(|result| result.flags));
    let why = flags.filter_map(exclusion).next();
    let (block, kind) = row.first().map_or((0, ""), |(block, _, read)| (*block, read.kind));
    let layout = format!("{kind} blocks");
    let spans: Vec<Span> = row.iter().map(|(_, block, _)| block.span).collect();
    let chunks = row.iter().map(|(.., read)| Chunk { span: Range::default(), number: None, names: read.names.clone() }).collect();
    let texts: Option<Vec<String>> = row.into_iter().map(|(.., read)| read.text).collect();
    let list = match (why, texts) {
        (Some(why), _) => Err(format!("a {kind} block: {why}")),
        (None, None) => Err(format!("a {kind} block is no text")),
        (None, Some(texts)) => Ok(List::new(layout, spans, texts, chunks)),
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
        let mut cursor = Cursor::new(json);
        read(&mut cursor).ok().flatten()
    }
}

fn read(cursor: &mut Cursor<'_>) -> Result<Option<Read>, ScanError> {
    let mut kind = None;
    let mut read = Read { kind: "", text: None, names: Vec::new() };
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        match (&*key, cursor.kind()?) {
            (b"type", Kind::String) => {
                kind = match cursor.bytes_or_skip()?.as_deref() {
                    Some(b"document") => Some("document"),
                    Some(b"search_result") => Some("search_result"),
                    _ => kind,
                }
            }
            // Converse has no type: the key says what a block is.
            (b"document", Kind::Object) => {
                kind = Some("document");
                body(cursor, &mut read)?;
            }
            (b"searchResult", Kind::Object) => {
                kind = Some("searchResult");
                body(cursor, &mut read)?;
            }
            (key, _) => member(cursor, key, &mut read)?,
        }
    }
    Ok(kind.map(|kind| Read { kind, ..read }))
}

/// The object that holds a block's members.
fn body(cursor: &mut Cursor<'_>, read: &mut Read) -> Result<(), ScanError> {
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        member(cursor, &key, read)?;
    }
    Ok(())
}

/// A member of a block: what it holds and what it is called.
fn member(cursor: &mut Cursor<'_>, key: &[u8], read: &mut Read) -> Result<(), ScanError> {
    match (key, cursor.kind()?) {
        (b"title" | b"name" | b"source", Kind::String) => {
            let name = text::lossy(cursor.text()?.raw);
            read.names.extend(Some(name).filter(|name| !name.trim().is_empty()));
        }
        (b"content", _) => content(cursor, read)?,
        (b"source", Kind::Object) => {
            let mut inner = cursor.enter_object()?;
            let (mut plain, mut data) = (true, None);
            while let Some(key) = cursor.key(&mut inner)? {
                match (&*key, cursor.kind()?) {
                    (b"type", Kind::String) => plain = matches!(cursor.bytes_or_skip()?.as_deref(), Some(b"text" | b"content")),
                    (b"data" | b"text", Kind::String) => data = Some(text::lossy(cursor.text()?.raw)),
                    (b"content", _) => content(cursor, read)?,
                    _ => {}
                }
            }
            if let Some(data) = data.filter(|_| plain) {
                add(read, &data);
            }
        }
        _ => {}
    }
    Ok(())
}

/// A content: a string, or an array of blocks with a `text`.
fn content(cursor: &mut Cursor<'_>, read: &mut Read) -> Result<(), ScanError> {
    match cursor.kind()? {
        Kind::String => add(read, &text::lossy(cursor.text()?.raw)),
        Kind::Array => {
            let mut elements = cursor.enter_array()?;
            while cursor.object_element(&mut elements)? {
                let mut members = cursor.enter_object()?;
                while let Some(key) = cursor.key(&mut members)? {
                    if &*key == b"text" && cursor.kind()? == Kind::String {
                        add(read, &text::lossy(cursor.text()?.raw));
                    }
                }
            }
        }
        _ => {}
    }
    Ok(())
}

fn add(read: &mut Read, text: &str) {
    let all = read.text.get_or_insert_default();
    all.push_str(text);
    all.push('\n');
}
