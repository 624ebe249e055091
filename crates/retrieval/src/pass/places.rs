//! Places of lists of chunks in a transcript: a text of the user or of the system prompt, blocks
//! beside a text, the result of a search, or the documents of a request.
//!
//! A [`Place`] is the content that one cut changes: a text with its lists, a row of blocks, a
//! result. Its chunks have spans of the record, so that all kept content comes out byte for byte.

use super::{
    blocks,
    tools::{self, Tool},
};
use crate::chunks::{
    self, List,
    array::{self, Rows},
    marked_question,
};
use deadhead_core::{
    Result,
    internal::{
        edit::View,
        json::Decoded,
        transcript::{Block, BlockKind, Flags, OutsideKind, Role, Span},
    },
};
use memchr::memmem;
use std::borrow::Cow;

/// The content that one cut changes.
pub struct Place {
    /// The position of the content.
    pub at: At,
    /// Its lists, in order; or why one was left.
    pub lists: Vec<Result<List, String>>,
    /// The query of the search that returned the content; blank if none is known.
    pub query: String,
}

impl Place {
    /// One list that no query is known for.
    pub fn of(at: At, list: Result<List, String>) -> Place {
        Place {
            at,
            lists: vec![list],
            query: String::new(),
        }
    }
}

/// The position of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct At {
    /// Index of the message, if it is in one.
    pub message: Option<usize>,
    /// Index of the block whose cut it is; outside the messages, that into
    /// [`Request::outside`](deadhead_core::internal::transcript::Request::outside).
    pub index: u32,
}

impl At {
    /// Byte of the input at which the record begins.
    pub fn record(self, view: &View<'_>) -> u64 {
        match self.message {
            None => view.transcript.request.outside[self.index as usize].record,
            Some(message) => view.transcript.messages[message].record,
        }
    }

    /// The message and the part for reports; message 0 is outside.
    pub fn numbers(self, view: &View<'_>) -> (u32, u32) {
        let Some(message) = self.message else {
            return (0, self.index);
        };
        let part = view.transcript.blocks[self.index as usize].part;
        (view.transcript.messages[message].number, part.into())
    }
}

/// A message: its own words, outside of all lists.
pub struct MessageText {
    /// Index of the message; none for the system prompt.
    pub message: Option<usize>,
    /// The words.
    pub text: String,
}

/// All places of `view`, in order, and what each message says beside them.
///
/// # Errors
/// The input cannot be read any more.
pub fn find(view: &View<'_>) -> Result<(Vec<Place>, Vec<MessageText>)> {
    let (mut places, mut own) = (Vec::new(), Vec::new());
    for (index, outside) in (0..).zip(&view.transcript.request.outside) {
        let at = At {
            message: None,
            index,
        };
        match outside.kind {
            OutsideKind::Prompt => {
                let mut words = String::new();
                let why = outside.marked.then_some("a cache mark covers it");
                places.push(text(view, at, outside.span, why, &mut words)?);
                let message = None;
                own.extend(marked_question(&words).map(|text| MessageText { message, text }));
            }
            OutsideKind::Documents => {
                let list = documents(view, at, outside.span, "documents")?;
                places.extend(list.map(|list| Place::of(at, Ok(list))));
            }
        }
    }
    let messages = view.transcript.messages.iter().enumerate();
    for (i, message) in messages.filter(|(i, _)| !view.is_gone(*i)) {
        let mut words = String::new();
        for (index, block) in view.parts_left(i) {
            let at = At {
                message: Some(i),
                index,
            };
            match (block.kind, message.role) {
                (BlockKind::Text, Role::User | Role::System) => {
                    let why = exclusion(block.flags);
                    places.push(text(view, at, block.span, why, &mut words)?);
                }
                (BlockKind::Result, Role::User | Role::Tool) if view.cut(index).is_none() => {
                    places.extend(result(view, at, block)?);
                }
                (BlockKind::Other, Role::Assistant) => {
                    places.extend(blocks::searched(view, at, block)?)
                }
                _ => {}
            }
        }
        if message.role == Role::User {
            places.extend(blocks::rows(view, i)?);
        }
        let said = match message.role {
            Role::User => Some(words).filter(|words| !words.trim().is_empty()),
            // What a system prompt says is no question, unless it says so.
            Role::System => marked_question(&words),
            _ => None,
        };
        let message = Some(i);
        own.extend(said.map(|text| MessageText { message, text }));
    }
    places.retain(|place| !place.lists.is_empty());
    // Blocks beside a text are found after it and may be before it.
    places.sort_by_key(|place| place.at);
    Ok((places, own))
}

/// The bytes of a span of the record at `record`.
///
/// # Errors
/// The input cannot be read any more.
pub fn bytes<'a>(view: &View<'a>, record: u64, span: Span) -> Result<Cow<'a, [u8]>> {
    let range = span.within(record);
    Ok(view.texts.read(range.start, range.end)?)
}

/// The elements of the array at `span`, which holds retrieved texts.
///
/// # Errors
/// The input cannot be read any more.
pub fn documents(view: &View<'_>, at: At, span: Span, layout: &str) -> Result<Option<List>> {
    let list = array::documents(&bytes(view, at.record(view), span)?);
    Ok(list.map(|list| List {
        layout: layout.to_owned(),
        ..list.moved(|at| span.start as usize + at)
    }))
}

/// The lists in a text, the string at `span`; `why` says why nothing in it may change. What is
/// outside of them is added to `words`.
fn text(
    view: &View<'_>,
    at: At,
    span: Span,
    why: Option<&str>,
    words: &mut String,
) -> Result<Place> {
    let inner = span.inside();
    let raw = bytes(view, at.record(view), inner)?;
    let decoded = Decoded::new(&raw);
    let lists = lists(&decoded, inner, false, why, words);
    Ok(Place {
        at,
        lists,
        query: String::new(),
    })
}

/// The lists in a decoded text that is at `inner`, in an answer of a search tool or not; `why` says
/// why nothing in it may change.
fn lists(
    decoded: &Decoded,
    inner: Span,
    is_answer: bool,
    why: Option<&str>,
    words: &mut String,
) -> Vec<Result<List, String>> {
    let regions = chunks::find(&decoded.text, is_answer);
    let mut at = 0;
    for region in &regions {
        words.push_str(&decoded.text[at..region.span.start.max(at)]);
        words.push('\n');
        at = region.span.end.max(at);
    }
    words.push_str(&decoded.text[at..]);
    words.push('\n');
    let place = |at| inner.start as usize + decoded.raw(at);
    let lists = regions.into_iter().map(|region| region.list);
    lists.map(|list| free(list?, why, place)).collect()
}

/// A list with its chunks at bytes of the record, unless `why` says why nothing in it may change.
pub fn free(list: List, why: Option<&str>, place: impl Fn(usize) -> usize) -> Result<List, String> {
    match why {
        None => Ok(list.moved(place)),
        Some(why) => Err(why.to_owned()),
    }
}

/// Whether a record has one of some names.
pub fn has_any(json: &[u8], names: &[&[u8]]) -> bool {
    names.iter().any(|name| memmem::find(json, name).is_some())
}

/// The lists in a tool's result: arrays of JSON, or what a search tool wrote as text.
fn result(view: &View<'_>, at: At, block: &Block) -> Result<Option<Place>> {
    let &[child] = view.children(at.index) else {
        return Ok(None);
    };
    let inner = match child.kind {
        BlockKind::Text => child.span.inside(),
        BlockKind::Malformed => child.span,
        _ => return Ok(None),
    };
    let raw = bytes(view, at.record(view), inner)?;
    let tool = tools::of(view, at.index)?;
    let why = exclusion(block.flags).or(exclusion(child.flags));
    let decoded = (child.kind == BlockKind::Text).then(|| Decoded::new(&raw));
    let text = decoded.as_ref();
    let json = text.map_or(&raw[..], |decoded| decoded.text.as_bytes());
    let place = |at| inner.start as usize + text.map_or(at, |decoded| decoded.raw(at));
    let found = array::lists(json).into_iter();
    let accepted = found.filter_map(|rows| accepted(rows, &tool));
    let mut lists: Vec<_> = accepted.map(|list| free(list?, why, place)).collect();
    if let Some(decoded) = text
        && lists.is_empty()
        && tool.searches
    {
        lists = self::lists(decoded, inner, true, why, &mut String::new());
    }
    Ok(Some(Place {
        at,
        lists,
        query: tool.query,
    }))
}

/// An array if it is what a search found; nothing where nothing speaks for that, and a reason where
/// something speaks against it.
fn accepted(rows: Result<Rows, String>, tool: &Tool) -> Option<Result<List, String>> {
    let searches = tool.searches;
    match rows {
        Ok(rows) if rows.scored || !rows.records && (searches || rows.sourced && !tool.reads) => {
            Some(Ok(rows.list))
        }
        Ok(rows) => (searches || rows.sourced).then(|| Err(array::RECORDS.to_owned())),
        Err(why) => searches.then_some(Err(why)),
    }
}

/// Why nothing in a block may change, if so.
pub fn exclusion(flags: Flags) -> Option<&'static str> {
    if flags.has(Flags::CACHE_MARK) {
        return Some("it carries a cache mark");
    }
    flags.has(Flags::SIGNED).then_some("it is signed")
}
