//! Messages made of typed blocks: `{role, content}` with a string or an array of `{type, …}`.
//!
//! Anthropic, OpenAI chat and OpenClaw spell the same few things differently, and their type names do not collide, so
//! one reader serves them all: `text`, `thinking`, images, calls (`tool_use`, `toolCall`, `tool_calls[]`) and results
//! (`tool_result` blocks, messages of role `tool` or `toolResult`). Members come in any order; of a key that occurs
//! twice the last one counts.

pub mod answered;
mod block;
pub mod by_order;
pub mod content;
pub mod declared;
pub mod document;
pub mod doubt;
pub mod envelope;
mod pairing;
pub mod prompt;
pub mod reply;
pub mod unread;

use crate::dialect::ResultForm;
use crate::dialect::shared::answered::Answered;
pub use crate::dialect::shared::content::{Content, content, push_text, span_from, string_span};
use crate::dialect::shared::declared::{Declared, cache_mark};
use crate::dialect::shared::document::images;
use crate::dialect::shared::doubt::Doubt;
use crate::dialect::shared::pairing::{Pairing, function_call, tool_calls};
pub use crate::dialect::shared::pairing::{answer, result_shape};
use crate::dialect::shared::prompt::{documents, prompt};
use crate::dialect::shared::unread::{foreign_calls, foreign_key, holds_calls};
use crate::dialect::sheet::{CallId, Level, Sheet};
use crate::estimate;
use crate::json::{Cursor, Id, Kind, ScanError};
use crate::transcript::{BlockKind, Fact, Flags, ResultTemplate, Role, Span, Thinking};
use std::borrow::Cow;

/// Results whose content is a string or an array of typed blocks.
pub const RESULTS: ResultForm = ResultForm {
    template: ResultTemplate { open: OPEN, open_error: OPEN, close: r#""}]"#, anew: false },
    read: |cursor, sheet| content(cursor, 0, sheet).map(|_| ()),
};

/// The beginning of an array with one text block.
const OPEN: &str = r#"[{"type":"text","text":""#;

/// Members of a message that is a result, beside the id of its call.
const RESULT: [&[u8]; 12] = [
    b"role",
    b"content",
    b"id",
    b"name",
    b"toolName",
    b"tool_name",
    b"tool_call_id",
    b"toolCallId",
    b"isError",
    b"is_error",
    b"timestamp",
    b"details",
];

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
    /// Its id.
    pub id: Id,
    /// Index of the message in the sheet.
    pub index: u32,
    /// What stands beside its content for the agent itself.
    pub details: Option<Span>,
    /// The id of the call that it answers.
    pub answers: Id,
    /// Whether the agent keeps it from the model (`excludeFromContext`).
    pub excluded: bool,
}

/// Reads a request body whose history is `messages`, or that history alone.
///
/// # Errors
/// The body is malformed JSON, or no object.
pub fn body(cursor: &mut Cursor<'_>, sheet: &mut Sheet) -> Result<(), ScanError> {
    let kind = cursor.kind()?;
    let origin = cursor.at();
    if kind == Kind::Array {
        // A list says nothing of tools: what it does not declare is not missing.
        sheet.request.tools = true;
        return messages(cursor, origin, sheet);
    }
    let before = sheet.mark();
    let mut members = cursor.enter_object()?;
    let (mut found, mut answered) = (false, Answered::default());
    while let Some(key) = cursor.key(&mut members)? {
        match &*key {
            b"messages" => {
                found = true;
                sheet.rollback_blocks(before);
                history(cursor, origin, "messages", sheet, messages)?;
            }
            b"model" => sheet.model = cursor.string_or_skip()?.map(Cow::into_owned),
            b"tools" if cursor.kind()? == Kind::Array => Declared::read(cursor)?.note(&mut sheet.request),
            b"thinking" if cursor.kind()? == Kind::Object => sheet.request.thinking = thinking(cursor)?,
            b"cache_control" => sheet.request.automatic_mark = cache_mark(cursor)?,
            b"system" => sheet.request.system_marks = prompt(cursor, origin, sheet)?,
            b"documents" if cursor.kind()? == Kind::Array => documents(cursor, origin, sheet)?,
            name => answered.skip(cursor, name)?,
        }
    }
    answered.note(sheet);
    if !found {
        missing("messages", sheet);
    }
    Ok(())
}

/// Reads the array of messages under `name` as `read` does, and notes any other value.
///
/// # Errors
/// The value is malformed JSON.
pub fn history(
    cursor: &mut Cursor<'_>,
    origin: usize,
    name: &str,
    sheet: &mut Sheet,
    read: fn(&mut Cursor<'_>, usize, &mut Sheet) -> Result<(), ScanError>,
) -> Result<(), ScanError> {
    if cursor.kind()? == Kind::Array {
        return read(cursor, origin, sheet);
    }
    cursor.skip()?;
    sheet.strange(Level::Place, format!("key {name} that is no list"));
    Ok(())
}

/// Notes that a body has no `name`, under which its messages would stand.
pub fn missing(name: &str, sheet: &mut Sheet) {
    sheet.strange(Level::Place, format!("body without key {name}"));
}

/// Reads what is asked of thinking.
fn thinking(cursor: &mut Cursor<'_>) -> Result<Thinking, ScanError> {
    let mut found = Thinking::Unsaid;
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        if &*key != b"type" {
            cursor.skip()?;
            continue;
        }
        found = match cursor.bytes_or_skip()?.as_deref() {
            Some(b"enabled") => Thinking::Enabled,
            Some(b"disabled") => Thinking::Disabled,
            _ => Thinking::Adaptive,
        };
    }
    Ok(found)
}

/// Reads an array of messages; what is no object is noted.
///
/// # Errors
/// The array is malformed JSON.
pub fn messages(cursor: &mut Cursor<'_>, origin: usize, sheet: &mut Sheet) -> Result<(), ScanError> {
    objects(cursor, sheet, |cursor, sheet| message(cursor, origin, sheet).map(|_| ()))
}

/// Reads each object of an array as `read` does, and notes each other element.
///
/// # Errors
/// The array is malformed JSON.
pub fn objects(
    cursor: &mut Cursor<'_>,
    sheet: &mut Sheet,
    mut read: impl FnMut(&mut Cursor<'_>, &mut Sheet) -> Result<(), ScanError>,
) -> Result<(), ScanError> {
    let mut elements = cursor.enter_array()?;
    while cursor.element(&mut elements)? {
        match cursor.kind()? {
            Kind::Object => read(cursor, sheet)?,
            kind => no_message(cursor, kind, sheet)?,
        }
    }
    Ok(())
}

/// Notes a value of `kind` that stands where a message should, and skips it.
///
/// # Errors
/// The value is malformed JSON.
#[cold]
pub fn no_message(cursor: &mut Cursor<'_>, kind: Kind, sheet: &mut Sheet) -> Result<(), ScanError> {
    cursor.skip()?;
    sheet.strange(Level::Place, format!("{} in place of a message", unread::kind_name(kind)));
    Ok(())
}

/// Reads one message object; `origin` is the byte of the cursor at which its record begins.
///
/// # Errors
/// The message is malformed JSON.
pub fn message<'a>(cursor: &mut Cursor<'a>, origin: usize, sheet: &mut Sheet) -> Result<Facts<'a>, ScanError> {
    let mut facts = Facts {
        role: Role::Other,
        time: None,
        model: None,
        provider: None,
        id: Id::NONE,
        index: 0,
        details: None,
        answers: Id::NONE,
        excluded: false,
    };
    cursor.peek();
    let from = cursor.at();
    let (blocks, links, strangers) = (sheet.blocks.len(), sheet.links.len(), sheet.strangers());
    let mut content = Content::Absent;
    let mut tool = Pairing::default();
    let mut members = cursor.enter_object()?;
    let (mut calls, mut empty_calls, mut broken_off, mut prefix, mut beside) = (false, false, false, false, false);
    let mut doubt = Doubt::default();
    while let Some(key) = cursor.key(&mut members)? {
        match &*key {
            b"role" => facts.role = doubt.role(cursor)?,
            b"content" => {
                if content != Content::Absent && !calls {
                    sheet.keep_blocks(blocks);
                    sheet.links.truncate(links);
                }
                content = self::content(cursor, origin, sheet)?;
                doubt.content = true;
            }
            b"tool_calls" if cursor.kind()? == Kind::Array => {
                calls = true;
                empty_calls = tool_calls(cursor, origin, sheet)? == 0;
            }
            b"function_call" if cursor.kind()? == Kind::Object => {
                calls = true;
                function_call(cursor, origin, sheet)?;
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
            b"refusal" | b"audio" | b"function_call" => beside |= cursor.skip()? != Kind::Null,
            b"excludeFromContext" => facts.excluded = cursor.skip()? == Kind::True,
            b"prefix" => prefix = cursor.skip()? == Kind::True,
            b"stopReason" => broken_off = matches!(&*cursor.bytes_or_skip()?.unwrap_or_default(), b"error" | b"aborted"),
            b"timestamp" | b"ts" => facts.time = number(cursor)?.or(facts.time),
            b"id" => facts.id = cursor.bytes_or_skip()?.map_or(Id::NONE, |id| Id::of(&id)),
            b"details" => {
                cursor.peek();
                let at = cursor.at();
                cursor.skip()?;
                facts.details = Some(span_from(cursor, at, origin));
            }
            b"model" => facts.model = cursor.string_or_skip()?,
            b"provider" => facts.provider = cursor.string_or_skip()?,
            b"modelInfo" if cursor.kind()? == Kind::Object => (facts.model, facts.provider) = model_info(cursor)?,
            b"tool_calls" => {
                if matches!(cursor.skip()?, Kind::Object | Kind::String) {
                    doubt.calls = Some(unread::key(&key));
                }
            }
            key if holds_calls(key) => doubt.calls = foreign_calls(cursor, key)?.or(doubt.calls),
            _ => {
                cursor.skip()?;
            }
        }
    }
    let role = facts.role;
    let span = Span { start: (from - origin) as u32, end: (cursor.at() - origin) as u32 };
    facts.answers = tool.call.hash;
    if role == Role::Tool {
        // A cut of the content would leave what stands beside it: such a result is left whole.
        let beside = |span: Span| matches!(content, Content::String(at) if span.start < at.start || span.start >= at.end);
        for block in sheet.blocks[blocks..].iter_mut().filter(|b| b.kind == BlockKind::Image && beside(b.span)) {
            (block.kind, block.chars) = (BlockKind::Other, estimate::IMAGE as u32);
        }
        sheet.strange_inside(strangers);
        result_message(sheet, blocks, span, content, &tool);
        if tool.call.hash.is_none() && !doubt.is_function && !sheet.by_order {
            // One that has only no id is a fault that has a rule of its own.
            let instead = foreign_key(cursor, from, &RESULT)?;
            if instead.is_some() || sheet.strangers() > strangers {
                let instead = instead.map(|key| format!("{key} in a ")).unwrap_or_default();
                sheet.strange_at(blocks, Level::Part, format!("{instead}result without tool_call_id"));
            }
        }
    }
    if calls && role != Role::Tool {
        sheet.count_parts(blocks);
    }
    if sheet.is_silent(blocks) && !beside || doubt.is_there() || sheet.strangers() > strangers {
        doubt.explain(cursor, from, blocks, strangers, content, sheet)?;
    }
    let silent = !beside && sheet.blocks[blocks..].iter().all(|b| b.kind == BlockKind::Thinking);
    facts.index = sheet.message(role, span, blocks, matches!(content, Content::Array(_)));
    let made = &mut sheet.messages[facts.index as usize];
    (made.empty_calls, made.broken_off, made.prefix) = (empty_calls, broken_off, prefix);
    made.wordless = silent && matches!(role, Role::User | Role::Assistant);
    made.odd_role = role == Role::Other;
    Ok(facts)
}

/// A name, where there is one.
type Name<'a> = Option<Cow<'a, str>>;

/// The model and provider that Cline notes: `{id, provider}`, before `{modelId, providerId}`.
fn model_info<'a>(cursor: &mut Cursor<'a>) -> Result<(Name<'a>, Name<'a>), ScanError> {
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

/// Makes the blocks of a message that is one result children of a Result block.
fn result_message(sheet: &mut Sheet, first: usize, span: Span, content: Content, tool: &Pairing<'_>) {
    answer(sheet, first, span, content, tool.call, tool.name.as_deref(), tool.error);
}

/// `reasoning_content` beside the content, as DeepSeek-like models send it.
fn reasoning(cursor: &mut Cursor<'_>, origin: usize, sheet: &mut Sheet) -> Result<(), ScanError> {
    let found = cursor.text()?;
    let chars = found.units + estimate::extra(&found, sheet.estimator);
    sheet.block(BlockKind::Thinking, Flags::default(), 0, string_span(&found, origin), chars, 0);
    Ok(())
}

/// Reads a whole number, of a fraction what stands before the point; of any other value there is none.
///
/// # Errors
/// The value is malformed JSON.
pub fn number(cursor: &mut Cursor<'_>) -> Result<Option<i64>, ScanError> {
    let from = cursor.at();
    let kind = cursor.skip()?;
    if kind != Kind::Number {
        return Ok(None);
    }
    let raw = cursor.bytes()[from..cursor.at()].trim_ascii();
    if raw.len() <= 18 && raw.iter().all(u8::is_ascii_digit) {
        return Ok(Some(raw.iter().fold(0, |all, digit| all * 10 + i64::from(digit - b'0'))));
    }
    let text = std::str::from_utf8(raw).unwrap_or_default();
    Ok(text.parse().ok().or_else(|| text.parse::<f64>().ok().map(|n| n as i64)))
}
