//! Places of lists of chunks in a transcript: a text of the user or of the system prompt, blocks beside a text, the result of a
//! search, or the documents of a request.
//!
//! A [`Place`] is the content that one cut changes: a text with its lists, a row of blocks, a result. It has spans of the record,
//! so that all kept content comes out byte for byte.

use super::tools::{Tool, Tools};
use super::{provider_search, rows};
use crate::chunks::array::{self, Rows};
use crate::chunks::{self, Chunk, Region, marked_question};
use deadhead_core::Error;
use deadhead_core::internal::edit::View;
use deadhead_core::internal::json::Decoded;
use deadhead_core::internal::transcript::{Block, BlockKind, Flags, OuterText, OutsideKind, Role, Span};
use std::borrow::Cow;

/// The content that one cut changes.
pub(super) struct Place {
    /// The position of the content.
    pub at: At,
    /// Its lists, in order; or why one was left.
    pub lists: Vec<Result<List, String>>,
    /// The way the chars of the content are counted.
    pub measure: Measure,
    /// The query of the search that returned the content, if one is known.
    pub query: Option<String>,
}

/// The position of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum At {
    /// Outside the messages: index into [`Request::outside`](deadhead_core::internal::transcript::Request::outside).
    OuterText(usize),
    /// In a message: its index, and that of the block whose cut it is.
    Message(usize, u32),
}

impl At {
    /// Index of the message, if it is in one.
    pub fn message(self) -> Option<usize> {
        match self {
            At::OuterText(_) => None,
            At::Message(message, _) => Some(message),
        }
    }

    /// Byte of the input at which the record begins.
    pub fn record(self, view: &View<'_>) -> u64 {
        match self {
            At::OuterText(place) => view.transcript.request.outside[place].record,
            At::Message(message, _) => view.transcript.messages[message].record,
        }
    }

    /// The message and the part for reports; message 0 is outside.
    pub fn numbers(self, view: &View<'_>) -> (u32, u32) {
        match self {
            At::OuterText(place) => (0, place as u32),
            At::Message(message, block) => (view.transcript.messages[message].number, view.transcript.blocks[block as usize].part.into()),
        }
    }
}

/// The way in which the chars of a place are counted.
pub(super) enum Measure {
    /// They do not count.
    Nothing,
    /// The inside of a string at this span.
    Text(Span),
    /// A JSON value at this span, counted as it is printed.
    Json(Span),
    /// A byte each.
    Bytes,
    /// Blocks of these chars, one for each chunk.
    Blocks(Vec<u64>),
}

/// Chunks beside each other.
pub(super) struct List {
    /// The layout of the chunks, as reports name it.
    pub layout: String,
    /// The span of each chunk in its record: the bytes that are moved or removed.
    pub spans: Vec<Span>,
    /// The text of each chunk that is scored.
    pub texts: Vec<String>,
    /// The numbers and names of the chunks.
    pub chunks: Vec<Chunk>,
}

/// A message: its own words, outside of all lists.
pub(super) struct MessageText {
    /// Index of the message; none for the system prompt.
    pub message: Option<usize>,
    /// The words.
    pub text: String,
}

/// All places of `view`, in order, and what each message says beside them.
///
/// # Errors
/// The input cannot be read any more.
pub(super) fn find(view: &View<'_>) -> Result<(Vec<Place>, Vec<MessageText>), Error> {
    let (mut places, mut own) = (Vec::new(), Vec::new());
    for (index, outside) in view.transcript.request.outside.iter().enumerate() {
        match outside.kind {
            OutsideKind::Prompt => {
                let mut words = String::new();
                let why = outside.marked.then_some("a cache mark covers it");
                places.push(text(view, At::OuterText(index), outside.span, why, &mut words)?);
                own.extend(marked_question(&words).map(|text| MessageText { message: None, text }));
            }
            OutsideKind::Documents => places.extend(documents(view, index, outside)?),
        }
    }
    let tools = Tools::new(view);
    for (i, message) in view.transcript.messages.iter().enumerate().filter(|(i, _)| !view.is_gone(*i)) {
        let mut words = String::new();
        for (index, block) in view.parts(i).filter(|(index, _)| !view.is_block_gone(i, *index)) {
            match (block.kind, message.role) {
                (BlockKind::Text, Role::User | Role::System) => {
                    places.push(text(view, At::Message(i, index), block.span, exclusion(block.flags), &mut words)?);
                }
                (BlockKind::Result, Role::User | Role::Tool) if view.cut(index).is_none() => {
                    places.extend(result(view, &tools, i, index, block)?);
                }
                (BlockKind::Other, Role::Assistant) => places.extend(provider_search::find(view, i, index, block)?),
                _ => {}
            }
        }
        if message.role == Role::User {
            let parts: Vec<(u32, Block)> = view.parts(i).map(|(index, block)| (index, *block)).collect();
            places.extend(rows::find(view, i, &parts)?);
        }
        match message.role {
            Role::User if !words.trim().is_empty() => own.push(MessageText { message: Some(i), text: words }),
            // What a system prompt says is no question, unless it says so.
            Role::System => own.extend(marked_question(&words).map(|text| MessageText { message: Some(i), text })),
            _ => {}
        }
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
pub(super) fn bytes<'a>(view: &View<'a>, record: u64, span: Span) -> Result<Cow<'a, [u8]>, Error> {
    Ok(view.texts.read(record + u64::from(span.start), record + u64::from(span.end))?)
}

/// The inside of a string.
fn inside(span: Span) -> Span {
    Span { start: span.start + 1, end: span.end - 1 }
}

/// The documents of a request.
fn documents(view: &View<'_>, index: usize, outside: &OuterText) -> Result<Option<Place>, Error> {
    let json = bytes(view, outside.record, outside.span)?;
    let list = List::of_documents(&json, outside.span.start, "documents");
    Ok(list.map(|list| Place { at: At::OuterText(index), lists: vec![Ok(list)], measure: Measure::Nothing, query: None }))
}

/// The lists in a text, the string at `span`; `why` says why nothing in it may change. What is outside of them is added to `words`.
fn text(view: &View<'_>, at: At, span: Span, why: Option<&str>, words: &mut String) -> Result<Place, Error> {
    let inner = inside(span);
    let raw = bytes(view, at.record(view), inner)?;
    let decoded = Decoded::new(&raw);
    let lists = lists(&decoded, inner, chunks::find(&decoded.text, false), why, words);
    let counts = at.message().is_some_and(|message| view.transcript.messages[message].role != Role::System);
    Ok(Place { at, lists, measure: if counts { Measure::Text(inner) } else { Measure::Nothing }, query: None })
}

/// The lists in the regions of a decoded text that is at `inner`; `why` says why nothing in it may change.
fn lists(decoded: &Decoded<'_>, inner: Span, regions: Vec<Region>, why: Option<&str>, words: &mut String) -> Vec<Result<List, String>> {
    let mut at = 0;
    for region in &regions {
        words.push_str(&decoded.text[at..region.span.start.max(at)]);
        words.push('\n');
        at = region.span.end.max(at);
    }
    words.push_str(&decoded.text[at..]);
    words.push('\n');
    let place = |at: usize| inner.start + decoded.raw(at) as u32;
    let list = |region: Region| {
        let list = region.list.and_then(|list| why.map_or(Ok(list), |why| Err(why.to_owned())))?;
        let texts = list.chunks.iter().map(|chunk| decoded.text[chunk.span.clone()].to_owned()).collect();
        Ok(List::new(list, texts, place))
    };
    regions.into_iter().map(list).collect()
}

/// The lists in a tool's result: arrays of JSON, or what a search tool wrote as text.
fn result(view: &View<'_>, tools: &Tools<'_>, message: usize, index: u32, block: &Block) -> Result<Option<Place>, Error> {
    let &[child] = view.children(index) else { return Ok(None) };
    let flags = block.flags.with(Flags::CACHE_MARK, child.flags.has(Flags::CACHE_MARK));
    let string = child.kind == BlockKind::Text;
    let inner = match child.kind {
        BlockKind::Text => inside(child.span),
        BlockKind::Malformed => child.span,
        _ => return Ok(None),
    };
    let raw = bytes(view, view.transcript.messages[message].record, inner)?;
    let tool = tools.of(view, index)?;
    let is_json = matches!(raw.trim_ascii_start().first(), Some(b'[' | b'{' | b'\\'));
    if !is_json && !tool.searches {
        return Ok(None);
    }
    let why = exclusion(flags);
    let decoded = string.then(|| Decoded::new(&raw));
    let found = if is_json { array::lists(decoded.as_ref().map_or(&raw[..], |decoded| decoded.text.as_bytes())) } else { Vec::new() };
    let place = |at: usize| inner.start + decoded.as_ref().map_or(at, |decoded| decoded.raw(at)) as u32;
    let free = |rows: Rows| why.map_or_else(|| Ok(List::new(rows.list, rows.texts, place)), |why| Err(why.to_owned()));
    let mut lists: Vec<_> = found.into_iter().filter_map(|rows| accepted(rows, &tool)).map(|rows| rows.and_then(free)).collect();
    if let Some(decoded) = decoded.as_ref().filter(|_| lists.is_empty() && tool.searches) {
        lists = self::lists(decoded, inner, chunks::find(&decoded.text, true), why, &mut String::new());
    }
    let measure = if string { Measure::Text(inner) } else { Measure::Json(inner) };
    Ok(Some(Place { at: At::Message(message, index), lists, measure, query: tool.query }))
}

/// An array if it is what a search found; nothing where nothing speaks for that, and a reason where something speaks against it.
fn accepted(rows: Result<Rows, String>, tool: &Tool) -> Option<Result<Rows, String>> {
    let rows = match rows {
        Ok(rows) => rows,
        Err(why) => return tool.searches.then_some(Err(why)),
    };
    if rows.scored || tool.searches && rows.records < array::Records::Yes {
        return Some(Ok(rows));
    }
    if tool.searches || rows.sourced && (tool.reads || rows.records > array::Records::No) {
        return Some(Err(array::RECORDS.to_owned()));
    }
    rows.sourced.then_some(Ok(rows))
}

/// Why nothing in a block may change, if so.
pub(super) fn exclusion(flags: Flags) -> Option<&'static str> {
    if flags.has(Flags::CACHE_MARK) {
        Some("it carries a cache mark")
    } else if flags.has(Flags::SIGNED) {
        Some("it is signed")
    } else {
        None
    }
}

impl List {
    /// The elements of an array that holds retrieved texts and is at byte `start` of its record.
    pub fn of_documents(json: &[u8], start: u32, layout: &str) -> Option<List> {
        let rows = array::documents(json).filter(|rows| !rows.texts.is_empty())?;
        Some(List { layout: layout.to_owned(), ..List::new(rows.list, rows.texts, |at| start + at as u32) })
    }

    /// A list in a text; `place` says where a byte of the text is in the record.
    fn new(list: chunks::List, texts: Vec<String>, place: impl Fn(usize) -> u32) -> List {
        let spans = list.chunks.iter().map(|chunk| Span { start: place(chunk.span.start), end: place(chunk.span.end) }).collect();
        List { layout: list.layout, spans, texts, chunks: list.chunks }
    }
}
