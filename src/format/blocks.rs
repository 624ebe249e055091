//! Messages made of typed blocks: `{role, content}` with a string or an array of `{type, …}`.
//!
//! Anthropic, OpenAI chat and OpenClaw spell the same few things differently, and their type names do not collide, so
//! one reader serves them all: `text`, `thinking`, images, calls (`tool_use`, `toolCall`, `tool_calls[]`) and results
//! (`tool_result` blocks, messages of role `tool` or `toolResult`). Members come in any order; of a key that occurs
//! twice the last one counts.

use super::dialect_parts::{Document, document, images, thoughts};
use super::sheet::{CallId, Sheet, id_hash};
use crate::config::settings::Estimator;
use crate::estimate;
use crate::json::{Cursor, Kind, ScanError, Text, stringify, text};
use crate::transcript::{BlockKind, Fact, Flags, ResultShape, Role, Span};
use std::borrow::Cow;

/// Types of blocks that are known and have no part in pruning.
const KNOWN: [&str; 29] = [
    "document",
    "search_result",
    "server_tool_use",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
    "tool_search_tool_result",
    "tool_reference",
    "container_upload",
    "mcp_tool_use",
    "mcp_tool_result",
    "compaction",
    "input_audio",
    "file",
    "input_file",
    "refusal",
    "fallback",
    "document_url",
    "reference",
    "resource",
    "resource_link",
    "mid_conv_system",
    "mcp_tool_listing",
    "advisor_tool_result",
    "tool_addition",
    "tool_removal",
    "browser_state",
];

/// Results whose content is a string or an array of typed blocks.
pub const SHAPE: ResultShape =
    ResultShape { open: OPEN, open_error: OPEN, close: r#""}]"#, read: |cursor, sheet| content(cursor, 0, sheet).map(|_| ()) };

/// The beginning of an array with one text block.
const OPEN: &str = r#"[{"type":"text","text":""#;

/// What a message said beside its blocks.
#[derive(Debug)]
pub struct Facts<'a> {
    /// Its role.
    pub role: Role,
    /// Milliseconds since 1970.
    pub time: Option<i64>,
    /// Model that wrote it.
    pub model: Option<Cow<'a, str>>,
    /// Provider of that model.
    pub provider: Option<Cow<'a, str>>,
    /// Hash of its id; 0 for none.
    pub id: u64,
    /// Index of the message in the sheet.
    pub index: u32,
}

/// Reads a request body whose history is `messages`.
///
/// # Errors
/// The body is malformed JSON, or no object.
pub fn body(cursor: &mut Cursor<'_>, sheet: &mut Sheet) -> Result<(), ScanError> {
    cursor.peek();
    let origin = cursor.at();
    let before = sheet.mark();
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        match &*key {
            b"messages" if cursor.kind()? == Kind::Array => {
                sheet.rollback_blocks(before);
                messages(cursor, origin, sheet)?;
            }
            b"model" => sheet.model = cursor.string_or_skip()?.map(Cow::into_owned),
            b"tools" if cursor.kind()? == Kind::Array => (sheet.request.tools, sheet.request.tool_marks) = marked(cursor)?,
            b"cache_control" => sheet.request.automatic_mark = cache_mark(cursor)?,
            b"system" if cursor.kind()? == Kind::Array => sheet.request.system_marks = marked(cursor)?.1,
            _ => {
                cursor.skip()?;
            }
        }
    }
    Ok(())
}

/// Reads an array of tools or of system texts: whether it has any, and their cache marks.
fn marked(cursor: &mut Cursor<'_>) -> Result<(bool, Vec<bool>), ScanError> {
    let (mut any, mut marks) = (false, Vec::new());
    let mut elements = cursor.enter_array()?;
    while cursor.element(&mut elements)? {
        any = true;
        if cursor.kind()? != Kind::Object {
            cursor.skip()?;
            continue;
        }
        let mut members = cursor.enter_object()?;
        while let Some(key) = cursor.key(&mut members)? {
            if &*key == b"cache_control" { marks.extend(cache_mark(cursor)?) } else { cursor.skip().map(|_| ())? }
        }
    }
    Ok((any, marks))
}

/// Reads a `cache_control`: whether it is for an hour; nothing where it is no mark.
fn cache_mark(cursor: &mut Cursor<'_>) -> Result<Option<bool>, ScanError> {
    if cursor.kind()? != Kind::Object {
        return cursor.skip().map(|_| None);
    }
    let mut long = false;
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        if &*key == b"ttl" { long = cursor.bytes_or_skip()?.as_deref() == Some(b"1h") } else { cursor.skip().map(|_| ())? }
    }
    Ok(Some(long))
}

/// Reads a `caller`: the server tool whose code made the call.
fn caller(cursor: &mut Cursor<'_>) -> Result<Option<u64>, ScanError> {
    let mut made_by = None;
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        if &*key == b"tool_id" { made_by = Some(CallId::read(cursor, 0)?.hash).filter(|id| *id != 0) } else { cursor.skip().map(|_| ())? }
    }
    Ok(made_by)
}

/// Reads an array of messages; what is no object is left.
///
/// # Errors
/// The array is malformed JSON.
pub fn messages(cursor: &mut Cursor<'_>, origin: usize, sheet: &mut Sheet) -> Result<(), ScanError> {
    let mut elements = cursor.enter_array()?;
    while cursor.element(&mut elements)? {
        if cursor.kind()? == Kind::Object {
            message(cursor, origin, sheet)?;
        } else {
            cursor.skip()?;
        }
    }
    Ok(())
}

/// Reads one message object; `origin` is the byte of the cursor at which its record begins.
///
/// # Errors
/// The message is malformed JSON.
pub fn message<'a>(cursor: &mut Cursor<'a>, origin: usize, sheet: &mut Sheet) -> Result<Facts<'a>, ScanError> {
    let mut facts = Facts { role: Role::Other, time: None, model: None, provider: None, id: 0, index: 0 };
    cursor.peek();
    let from = cursor.at();
    let (blocks, links) = (sheet.blocks.len(), sheet.links.len());
    let mut content = Content::Absent;
    let mut tool = Pairing::default();
    let mut members = cursor.enter_object()?;
    let (mut calls, mut empty_calls, mut broken_off, mut prefix) = (false, false, false, false);
    while let Some(key) = cursor.key(&mut members)? {
        match &*key {
            b"role" => facts.role = role_of(&cursor.bytes_or_skip()?.unwrap_or_default()),
            b"content" => {
                if content != Content::Absent && !calls {
                    sheet.keep_blocks(blocks);
                    sheet.links.truncate(links);
                }
                content = self::content(cursor, origin, sheet)?;
            }
            b"tool_calls" if cursor.kind()? == Kind::Array => {
                calls = true;
                empty_calls = tool_calls(cursor, origin, sheet)? == 0;
            }
            b"tool_call_id" | b"toolCallId" => tool.call = CallId::read(cursor, origin)?,
            b"toolName" | b"name" | b"tool_name" => tool.name = cursor.string_or_skip()?,
            b"isError" | b"is_error" => tool.error = cursor.skip()? == Kind::True,
            b"reasoning_content" | b"reasoning" | b"thinking" | b"tool_plan" if cursor.kind()? == Kind::String => {
                if &*key == b"reasoning_content" {
                    sheet.note(sheet.blocks.len(), Fact::ReasoningContent);
                }
                reasoning(cursor, origin, sheet)?;
            }
            b"images" if cursor.kind()? == Kind::Array => images(cursor, origin, sheet)?,
            b"prefix" => prefix = cursor.skip()? == Kind::True,
            b"stopReason" => broken_off = matches!(&*cursor.bytes_or_skip()?.unwrap_or_default(), b"error" | b"aborted"),
            b"timestamp" | b"ts" => facts.time = number(cursor)?.or(facts.time),
            b"id" => facts.id = cursor.bytes_or_skip()?.map_or(0, |id| id_hash(&id)),
            b"model" => facts.model = cursor.string_or_skip()?,
            b"provider" => facts.provider = cursor.string_or_skip()?,
            b"modelInfo" if cursor.kind()? == Kind::Object => (facts.model, facts.provider) = model_info(cursor)?,
            _ => {
                cursor.skip()?;
            }
        }
    }
    let role = facts.role;
    let span = Span { start: (from - origin) as u32, end: (cursor.at() - origin) as u32 };
    if role == Role::Tool {
        // A cut of the content would leave what stands beside it: such a result is left whole.
        let beside = |span: Span| matches!(content, Content::String(at) if span.start < at.start || span.start >= at.end);
        for block in sheet.blocks[blocks..].iter_mut().filter(|b| b.kind == BlockKind::Image && beside(b.span)) {
            (block.kind, block.chars) = (BlockKind::Other, estimate::IMAGE as u32);
        }
        result_message(sheet, blocks, span, content, &tool);
    }
    facts.index = sheet.message(role, span, blocks, matches!(content, Content::Array(_)));
    let made = &mut sheet.messages[facts.index as usize];
    (made.empty_calls, made.broken_off, made.prefix) = (empty_calls, broken_off, prefix);
    Ok(facts)
}

/// A name, where there is one.
type Named<'a> = Option<Cow<'a, str>>;

/// The model and provider that Cline notes: `{id, provider}`, before `{modelId, providerId}`.
fn model_info<'a>(cursor: &mut Cursor<'a>) -> Result<(Named<'a>, Named<'a>), ScanError> {
    let (mut model, mut provider) = (None, None);
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        match &*key {
            b"id" | b"modelId" => model = cursor.string_or_skip()?,
            b"provider" | b"providerId" => provider = cursor.string_or_skip()?,
            _ => {
                cursor.skip()?;
            }
        }
    }
    Ok((model, provider))
}

/// What stands in `content`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Content {
    /// No such member, or null.
    #[default]
    Absent,
    /// A string.
    String(Span),
    /// An array of blocks.
    Array(Span),
    /// Something else.
    Odd(Span),
}

/// Reads a `content` value: pushes its blocks and returns where it stands.
///
/// # Errors
/// The value is malformed JSON.
pub fn content(cursor: &mut Cursor<'_>, origin: usize, sheet: &mut Sheet) -> Result<Content, ScanError> {
    content_of(cursor, origin, Owner::Message, sheet)
}

/// Whose content it is. Blocks of a block's content have none that matters: so far does the walk go in, and no further.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Owner {
    #[default]
    Message,
    Block,
}

fn content_of(cursor: &mut Cursor<'_>, origin: usize, owner: Owner, sheet: &mut Sheet) -> Result<Content, ScanError> {
    let kind = cursor.kind()?;
    let from = cursor.at();
    let span = |cursor: &Cursor<'_>| Span { start: (from - origin) as u32, end: (cursor.at() - origin) as u32 };
    match kind {
        Kind::String => {
            let found = cursor.text()?;
            push_text(sheet, &found, 0, string_span(&found, origin), false);
            Ok(Content::String(string_span(&found, origin)))
        }
        Kind::Array => {
            let mut elements = cursor.enter_array()?;
            let mut part = 0;
            while cursor.element(&mut elements)? {
                block(cursor, origin, part, owner, sheet)?;
                part += 1;
            }
            Ok(Content::Array(span(cursor)))
        }
        Kind::Null => cursor.skip().map(|_| Content::Absent),
        _ => cursor.skip().map(|_| Content::Odd(span(cursor))),
    }
}

/// Reads one element of a content array.
fn block(cursor: &mut Cursor<'_>, origin: usize, part: usize, owner: Owner, sheet: &mut Sheet) -> Result<(), ScanError> {
    let kind = cursor.kind()?;
    let from = cursor.at();
    let index = sheet.blocks.len();
    if kind != Kind::Object {
        cursor.skip()?;
        let span = Span { start: (from - origin) as u32, end: (cursor.at() - origin) as u32 };
        sheet.block(BlockKind::Other, Flags::default(), part, span, span.len(), 0);
        return Ok(());
    }
    let mut seen = Seen { owner, ..Seen::default() };
    // A result comes before its children; whether this is one is known at the end, so a place is kept for it.
    sheet.block(BlockKind::Other, Flags::default(), part, Span::default(), 0, 0);
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        match &*key {
            b"type" => seen.kind = cursor.bytes_or_skip()?,
            b"text" if cursor.kind()? == Kind::String => seen.text = Some(cursor.text()?),
            b"result" if cursor.kind()? == Kind::String => seen.answer = Some(cursor.text()?),
            b"thinking" if cursor.kind()? == Kind::Array => seen.thinking = thoughts(cursor, sheet)?,
            b"document" if cursor.kind()? == Kind::Object => seen.document = Some(document(cursor, origin)?),
            b"thinking" | b"signature" | b"thinkingSignature" | b"data" if cursor.kind()? == Kind::String => {
                let found = cursor.text()?;
                seen.weigh(&key, found, sheet.estimator);
            }
            b"id" if seen.pairing.call.hash == 0 => seen.pairing.call = CallId::read(cursor, origin)?,
            b"tool_use_id" => seen.pairing.call = CallId::read(cursor, origin)?,
            b"name" => seen.pairing.name = cursor.string_or_skip()?,
            b"input" | b"arguments" => seen.arguments = Some(stringify::length(cursor)?),
            b"content" if owner == Owner::Message => {
                sheet.keep_blocks(index + 1);
                seen.content = content_of(cursor, origin, Owner::Block, sheet)?;
            }
            b"is_error" => seen.pairing.error = cursor.skip()? == Kind::True,
            b"cache_control" => seen.mark = cache_mark(cursor)?,
            b"caller" if cursor.kind()? == Kind::Object => seen.caller = caller(cursor)?,
            _ => {
                cursor.skip()?;
            }
        }
    }
    let span = Span { start: (from - origin) as u32, end: (cursor.at() - origin) as u32 };
    if owner == Owner::Block && seen.kind.as_deref() == Some(b"tool_result") {
        // No provider takes a result in a result; what holds one is not cut.
        sheet.keep_blocks(index);
        sheet.block(BlockKind::Other, Flags::default(), part, span, span.len(), 0);
        return Ok(());
    }
    seen.settle(sheet, index, part, span, cursor.bytes(), origin)
}

/// What the members of a block said.
#[derive(Default)]
struct Seen<'a> {
    owner: Owner,
    kind: Option<Cow<'a, [u8]>>,
    text: Option<Text<'a>>,
    answer: Option<Text<'a>>,
    thinking: usize,
    signature: usize,
    arguments: Option<usize>,
    content: Content,
    pairing: Pairing<'a>,
    mark: Option<bool>,
    caller: Option<u64>,
    document: Option<Document<'a>>,
}

/// What ties a call to its result.
#[derive(Default)]
struct Pairing<'a> {
    call: CallId,
    name: Option<Cow<'a, str>>,
    error: bool,
}

impl Seen<'_> {
    fn weigh(&mut self, key: &[u8], found: Text<'_>, estimator: Estimator) {
        let weight = found.units + estimate::extra(&found, estimator);
        match key {
            b"thinking" => self.thinking = weight,
            // The oldest releases counted the reasoning alone.
            _ if estimator == Estimator::Utf16 => {}
            _ => self.signature += weight,
        }
    }

    /// Notes what only the check wants to know of the block that comes to `index`.
    fn note(&self, sheet: &mut Sheet, index: usize, kind: &[u8]) {
        if let Some(long) = self.mark {
            sheet.note(index, Fact::Mark { long });
        }
        if let Some(made_by) = self.caller {
            sheet.note(index, Fact::Caller(made_by));
        }
        match kind {
            b"server_tool_use" | b"mcp_tool_use" => sheet.note(index, Fact::ServerCall(self.pairing.call.hash)),
            _ if kind.ends_with(b"_tool_result") => sheet.note(index, Fact::ServerResult(self.pairing.call.hash)),
            _ => {}
        }
    }

    /// Turns the place kept at `index` into the block that the type says.
    fn settle(self, sheet: &mut Sheet, index: usize, part: usize, span: Span, bytes: &[u8], origin: usize) -> Result<(), ScanError> {
        let flags = Flags::default().with(Flags::CACHE_MARK, self.mark.is_some());
        let kind = self.kind.as_deref().unwrap_or_default();
        // What stands in a block that is no result is that block's own.
        let inside = if self.owner == Owner::Message { std::mem::take(&mut sheet.inside) } else { Vec::new() };
        if kind == b"tool_result" {
            inside.iter().for_each(|name| sheet.unknown("block of type", name));
        } else {
            sheet.keep_blocks(index);
        }
        self.note(sheet, index, kind);
        match kind {
            b"text" | b"input_text" | b"output_text" | b"summary_text" | b"reasoning_text" => match &self.text {
                Some(found) => push_text(sheet, found, part, string_span(found, origin), self.mark.is_some()),
                None => {
                    let json = &bytes[origin + span.start as usize..origin + span.end as usize];
                    sheet.block(BlockKind::Malformed, flags, part, span, stringify::length(&mut Cursor::new(json))?, 0);
                }
            },
            b"thinking" | b"redacted_thinking" => sheet.block(BlockKind::Thinking, flags, part, span, self.thinking + self.signature, 0),
            b"image" | b"image_url" | b"input_image" => sheet.block(BlockKind::Image, flags, part, span, 0, 0),
            b"tool_use" | b"toolCall" => {
                let link = sheet.link(self.pairing.call, self.pairing.name.as_deref().unwrap_or(""), 0, Span::default());
                sheet.block(BlockKind::Call, flags, part, span, self.arguments.unwrap_or(2), link);
            }
            b"tool_result" => {
                let children = sheet.blocks.len() - index - 1;
                let (at, shape) = result_shape(self.content);
                let link = sheet.link(self.pairing.call, "", children, at);
                let flags = flags.with(shape, true).with(Flags::ERROR, self.pairing.error);
                let place = &mut sheet.blocks[index];
                (place.kind, place.flags, place.span, place.extra) = (BlockKind::Result, flags, span, link as u32);
            }
            b"document" if self.document.is_some() => match self.document {
                Some(Document::Text(found)) => push_text(sheet, &found, part, string_span(&found, origin), self.mark.is_some()),
                Some(Document::Json(at, chars)) => sheet.block(BlockKind::Malformed, flags, part, at, chars, 0),
                Some(Document::Other) | None => sheet.block(BlockKind::Other, flags, part, span, span.len(), 0),
            },
            // One of the answers that a call of Cline's with several queries has: `{query, result}`.
            b"" if self.answer.is_some() => {
                if let Some(found) = &self.answer {
                    push_text(sheet, found, part, string_span(found, origin), self.mark.is_some());
                }
            }
            _ => {
                let kind = String::from_utf8_lossy(kind);
                if !KNOWN.contains(&&*kind) {
                    match self.owner {
                        Owner::Message => sheet.unknown("block of type", &kind),
                        Owner::Block => sheet.inside.push(kind.chars().take(40).collect()),
                    }
                }
                sheet.block(BlockKind::Other, flags, part, span, span.len(), 0);
            }
        }
        Ok(())
    }
}

/// The span of a result's content and the flag for its shape.
pub(super) fn result_shape(content: Content) -> (Span, Flags) {
    match content {
        Content::Array(span) => (span, Flags::default()),
        Content::String(span) => (span, Flags::STRING),
        Content::Odd(span) => (span, Flags::ABSENT),
        Content::Absent => (Span::default(), Flags::ABSENT),
    }
}

/// Makes the blocks of a message that is one result children of a Result block.
fn result_message(sheet: &mut Sheet, first: usize, span: Span, content: Content, tool: &Pairing<'_>) {
    answer(sheet, first, span, content, tool.call, tool.name.as_deref(), tool.error);
}

/// Makes the blocks since `first` the children of a Result block for `call` whose value stands at `span`.
pub fn answer(sheet: &mut Sheet, first: usize, span: Span, content: Content, call: CallId, tool: Option<&str>, error: bool) {
    let children = sheet.blocks.len() - first;
    let (at, shape) = result_shape(content);
    let link = sheet.link(call, tool.unwrap_or(""), children, at);
    let flags = Flags::default().with(shape, true).with(Flags::ERROR, error);
    sheet.block(BlockKind::Result, flags, 0, span, 0, link);
    sheet.blocks[first..].rotate_right(1);
    sheet.notes.iter_mut().rev().take_while(|note| note.block as usize >= first).for_each(|note| note.block += 1);
}

/// Pushes a text block; `span` is the string with its quotes.
pub(super) fn push_text(sheet: &mut Sheet, found: &Text<'_>, part: usize, span: Span, mark: bool) {
    let blank = found.units < 64 && text::is_blank(found.raw);
    let flags = Flags::default()
        .with(Flags::CACHE_MARK, mark)
        .with(Flags::BLANK, blank)
        .with(Flags::TRAILING, text::trimmed_len(found.raw) < found.raw.len())
        .with(Flags::TRIMMED, crate::pass::soft_trim::ends_with_note(found.raw));
    let extra = estimate::extra(found, sheet.estimator);
    sheet.block(BlockKind::Text, flags, part, span, found.units, extra);
}

/// OpenAI's `tool_calls`; returns how many there are.
fn tool_calls(cursor: &mut Cursor<'_>, origin: usize, sheet: &mut Sheet) -> Result<usize, ScanError> {
    let mut elements = cursor.enter_array()?;
    let mut part = 0;
    while cursor.element(&mut elements)? {
        let from = cursor.at();
        let (mut call, mut name, mut arguments) = (CallId::default(), Cow::Borrowed(""), 2);
        if cursor.kind()? != Kind::Object {
            cursor.skip()?;
            continue;
        }
        let mut members = cursor.enter_object()?;
        while let Some(key) = cursor.key(&mut members)? {
            match &*key {
                b"id" => call = CallId::read(cursor, origin)?,
                b"function" | b"custom" if cursor.kind()? == Kind::Object => {
                    let mut inner = cursor.enter_object()?;
                    while let Some(key) = cursor.key(&mut inner)? {
                        match &*key {
                            b"name" => name = cursor.string_or_skip()?.unwrap_or_default(),
                            b"arguments" | b"input" if cursor.kind()? == Kind::String => arguments = cursor.text()?.units,
                            b"arguments" => arguments = stringify::length(cursor)?,
                            _ => {
                                cursor.skip()?;
                            }
                        }
                    }
                }
                _ => {
                    cursor.skip()?;
                }
            }
        }
        let link = sheet.link(call, &name, 0, Span::default());
        let span = Span { start: (from - origin) as u32, end: (cursor.at() - origin) as u32 };
        sheet.block(BlockKind::Call, Flags::default(), part, span, arguments, link);
        part += 1;
    }
    Ok(part)
}

/// `reasoning_content` beside the content, as DeepSeek-like models send it.
fn reasoning(cursor: &mut Cursor<'_>, origin: usize, sheet: &mut Sheet) -> Result<(), ScanError> {
    let found = cursor.text()?;
    let chars = found.units + estimate::extra(&found, sheet.estimator);
    sheet.block(BlockKind::Thinking, Flags::default(), 0, string_span(&found, origin), chars, 0);
    Ok(())
}

/// The span of a string in its record, quotes included.
pub(super) fn string_span(found: &Text<'_>, origin: usize) -> Span {
    let start = found.start - origin;
    Span { start: start as u32 - 1, end: (start + found.raw.len()) as u32 + 1 }
}

/// The span in its record from byte `from` of the cursor to where that stands.
pub(super) fn span_from(cursor: &Cursor<'_>, from: usize, origin: usize) -> Span {
    Span { start: (from - origin) as u32, end: (cursor.at() - origin) as u32 }
}

fn number(cursor: &mut Cursor<'_>) -> Result<Option<i64>, ScanError> {
    let from = cursor.at();
    let kind = cursor.skip()?;
    let text = std::str::from_utf8(cursor.bytes()[from..cursor.at()].trim_ascii()).unwrap_or_default();
    Ok(if kind == Kind::Number { text.parse().ok().or_else(|| text.parse::<f64>().ok().map(|n| n as i64)) } else { None })
}

fn role_of(role: &[u8]) -> Role {
    match role {
        b"user" => Role::User,
        b"assistant" => Role::Assistant,
        b"system" | b"developer" => Role::System,
        b"tool" | b"toolResult" | b"function" => Role::Tool,
        _ => Role::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_inside_of_results_end() {
        let deep = [r#"[{"type":"tool_result","content":"#.repeat(60_000), "1".to_owned(), "}]".repeat(60_000)].concat();
        let mut sheet = Sheet::new(Estimator::Utf16);
        assert!(content(&mut Cursor::new(deep.as_bytes()), 0, &mut sheet).is_ok());
        assert!(sheet.blocks.len() < 4);
    }
}
