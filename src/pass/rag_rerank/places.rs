//! Where lists of chunks stand in a transcript: in a user's text, as blocks beside it, or as all that a tool answered.
//!
//! A [`Place`] is what one cut changes: a text with its lists, a row of blocks, a result. It has spans of the record, so
//! that whatever is kept comes out with the bytes it came in.

use super::rows;
use crate::chunks::{self, Chunk, array};
use crate::json::Decoded;
use crate::plan::View;
use crate::transcript::{Block, BlockKind, Flags, Role, Span};
use std::borrow::Cow;

/// What one cut changes.
pub(super) struct Place {
    /// Index of the message.
    pub message: usize,
    /// Index of the block whose cut it is.
    pub block: u32,
    /// Its lists, in order; or why one was left.
    pub lists: Vec<Result<List, String>>,
    /// How its chars are counted.
    pub measure: Measure,
}

/// How the chars of a place follow from its bytes.
pub(super) enum Measure {
    /// The inside of a string at this span.
    Text(Span),
    /// A JSON value at this span, counted as it is printed.
    Json(Span),
    /// Blocks of these chars, one for each chunk.
    Blocks(Vec<u64>),
}

/// Chunks beside each other.
pub(super) struct List {
    /// How they are laid out.
    pub layout: String,
    /// Where each is in its record: what moves and goes.
    pub spans: Vec<Span>,
    /// What of each is scored.
    pub texts: Vec<String>,
    /// The number each carries.
    pub numbers: Vec<Option<u32>>,
    /// What each may be cited by.
    pub names: Vec<Vec<String>>,
}

/// A user's message: its own words, outside of all lists.
pub(super) struct Own {
    /// Index of the message.
    pub message: usize,
    /// The words.
    pub text: String,
}

/// All places of `view`, in order, and what each user's message says beside them.
///
/// # Errors
/// The input cannot be read any more.
pub(super) fn find(view: &View<'_>) -> Result<(Vec<Place>, Vec<Own>), crate::Error> {
    let (mut places, mut own) = (Vec::new(), Vec::new());
    for (i, message) in view.transcript.messages.iter().enumerate().filter(|(i, _)| !view.is_gone(*i)) {
        if !matches!(message.role, Role::User | Role::Tool) {
            continue;
        }
        let mut words = String::new();
        for (index, block) in view.parts(i).filter(|(index, _)| !view.is_block_gone(i, *index)) {
            match block.kind {
                BlockKind::Text if message.role == Role::User => places.extend(text(view, i, index, block, &mut words)?),
                BlockKind::Result if view.cut(index).is_none() => places.extend(result(view, i, index, block)?),
                _ => {}
            }
        }
        if message.role == Role::User {
            let parts: Vec<(u32, Block)> = view.parts(i).map(|(index, block)| (index, *block)).collect();
            places.extend(rows::find(view, i, &parts)?);
            if !words.trim().is_empty() {
                own.push(Own { message: i, text: words });
            }
        }
    }
    // Blocks beside a text are found after it and may stand before it.
    places.sort_by_key(|place| (place.message, place.block));
    Ok((places, own))
}

/// The bytes of a block's span.
///
/// # Errors
/// The input cannot be read any more.
pub(super) fn bytes<'a>(view: &View<'a>, message: usize, span: Span) -> Result<Cow<'a, [u8]>, crate::Error> {
    let record = view.transcript.messages[message].record;
    Ok(view.texts.read(record + u64::from(span.start), record + u64::from(span.end))?)
}

/// The lists in a user's text; what is outside of them is added to `words`.
fn text(view: &View<'_>, message: usize, index: u32, block: &Block, words: &mut String) -> Result<Option<Place>, crate::Error> {
    let inner = Span { start: block.span.start + 1, end: block.span.end - 1 };
    let raw = bytes(view, message, inner)?;
    let decoded = Decoded::new(&raw);
    let regions = chunks::find(&decoded.text);
    let mut at = 0;
    for region in &regions {
        words.push_str(&decoded.text[at..region.span.start]);
        words.push('\n');
        at = region.span.end;
    }
    words.push_str(&decoded.text[at..]);
    words.push('\n');
    if regions.is_empty() {
        return Ok(None);
    }
    let place = |at: usize| inner.start + decoded.raw(at) as u32;
    let lists = regions.into_iter().map(|region| {
        let list = region.list.and_then(|list| barred(block.flags).map_or(Ok(list), |why| Err(why.to_owned())))?;
        let spans = list.chunks.iter().map(|c| Span { start: place(c.span.start), end: place(c.span.end) }).collect();
        let texts = list.chunks.iter().map(|c| decoded.text[c.span.clone()].to_owned()).collect();
        Ok(List::new(list.layout, spans, texts, list.chunks))
    });
    Ok(Some(Place { message, block: index, lists: lists.collect(), measure: Measure::Text(inner) }))
}

/// The array that is all of a tool's result.
fn result(view: &View<'_>, message: usize, index: u32, block: &Block) -> Result<Option<Place>, crate::Error> {
    let &[child] = view.children(index) else { return Ok(None) };
    let flags = block.flags.with(Flags::CACHE_MARK, child.flags.has(Flags::CACHE_MARK));
    let (json, inner) = match child.kind {
        BlockKind::Text => {
            let inner = Span { start: child.span.start + 1, end: child.span.end - 1 };
            (bytes(view, message, inner)?, inner)
        }
        BlockKind::Malformed => (bytes(view, message, child.span)?, child.span),
        _ => return Ok(None),
    };
    if !matches!(json.trim_ascii_start().first(), Some(b'[' | b'{' | b'\\')) {
        return Ok(None);
    }
    let string = child.kind == BlockKind::Text;
    let decoded = string.then(|| Decoded::new(&json));
    let found = match &decoded {
        Some(decoded) => array::chunks(decoded.text.as_bytes()),
        None => array::chunks_of_value(&json),
    };
    let Some(found) = found else { return Ok(None) };
    let place = |at: usize| inner.start + decoded.as_ref().map_or(at, |decoded| decoded.raw(at)) as u32;
    let list = found.and_then(|(list, texts)| {
        barred(flags).map_or(Ok(()), |why| Err(why.to_owned()))?;
        let spans = list.chunks.iter().map(|c| Span { start: place(c.span.start), end: place(c.span.end) }).collect();
        Ok(List::new(list.layout, spans, texts, list.chunks))
    });
    let measure = if string { Measure::Text(inner) } else { Measure::Json(inner) };
    Ok(Some(Place { message, block: index, lists: vec![list], measure }))
}

/// Why nothing in a block may change, if so.
pub(super) fn barred(flags: Flags) -> Option<&'static str> {
    if flags.has(Flags::CACHE_MARK) {
        Some("it carries a cache mark")
    } else if flags.has(Flags::SIGNED) {
        Some("it is signed")
    } else {
        None
    }
}

impl List {
    /// A list of chunks that stand at `spans`.
    pub fn new(layout: String, spans: Vec<Span>, texts: Vec<String>, chunks: Vec<Chunk>) -> List {
        let numbers = chunks.iter().map(|c| c.number).collect();
        List { layout, spans, texts, numbers, names: chunks.into_iter().map(|c| c.names).collect() }
    }
}
