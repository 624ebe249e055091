//! Codex rollouts: `{timestamp, type, payload}`, one a line; in the oldest ones a line is a bare item.
//!
//! What Codex sends next are the `response_item`s since the last `compacted` line, whose `replacement_history` stands for
//! all before it; an older `compacted` line has only a summary, which is then a message of the user. `event_msg` lines mirror
//! items for the screen: they are neither counted nor cut, and nor is any type of line that is not named here.
//!
//! The model speaks in items: reasoning, text and calls. Those that stand between two of the other side, results or a
//! person's words, came from one request, and are one message of the assistant here: `keepLastAssistants` counts requests.

use super::blocks::{self, Content};
use super::sheet::{CallId, Entry, EntryKind, NONE, Sheet};
use super::{Clues, Format, Gone, Layout, Likeness, steps, tree};
use crate::config::settings::{Estimator, Scope};
use crate::estimate;
use crate::json::{Cursor, Kind, ScanError, stringify};
use crate::transcript::{BlockKind, Flags, ResultShape, Role, Rules, Span};
use std::borrow::Cow;

/// The table's row.
pub const FORMAT: Format = Format {
    name: "codex",
    about: "Codex rollouts (rollout-*.jsonl)",
    layout: Layout::History,
    rules: Rules::History,
    shape: &ResultShape { open: r#"[{"type":"input_text","text":""#, close: r#""}]"#, read: blocks::SHAPE.read },
    looks,
    read,
    context,
};

/// What a line is to the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Meta,
    Item,
    Compacted,
    Turn,
    /// Known, and nothing to the context.
    Aside,
    Unknown,
}

impl Line {
    fn of(name: &str) -> Line {
        match name {
            "session_meta" => Line::Meta,
            "response_item" => Line::Item,
            "compacted" => Line::Compacted,
            "turn_context" => Line::Turn,
            "event_msg" | "world_state" | "inter_agent_communication" | "token_usage_record" => Line::Aside,
            _ => Line::Unknown,
        }
    }
}

fn looks(clues: &Clues) -> Likeness {
    let kind = clues.value("type");
    let enveloped = clues.has("payload") && kind.is_some_and(|t| Line::of(t) != Line::Unknown);
    let speaks = kind == Some("message") && clues.block_types.iter().any(|t| matches!(t.as_str(), "input_text" | "output_text"));
    let calls = clues.has("call_id") && kind.is_some_and(|t| t.ends_with("_call") || t.ends_with("_call_output"));
    if enveloped || speaks || calls || clues.has("record_type") {
        Likeness::Certain
    } else if clues.has("instructions") && clues.has("timestamp") && clues.has("id") {
        // The head of a rollout without envelopes.
        Likeness::Likely
    } else {
        Likeness::No
    }
}

fn read(cursor: &mut Cursor<'_>, sheet: &mut Sheet) -> Result<(), ScanError> {
    if cursor.kind()? != Kind::Object {
        return cursor.skip().map(|_| ());
    }
    let origin = cursor.at();
    let before = sheet.mark();
    let (mut kind, mut time, mut payload, mut read_as) = (None, None, None, None);
    let mut speaks = false;
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        match &*key {
            b"timestamp" => time = cursor.string_or_skip()?,
            b"type" => kind = cursor.string_or_skip()?,
            b"payload" if cursor.kind()? == Kind::Object => {
                payload = Some(cursor.at());
                read_as = kind.as_deref().map(Line::of);
                sheet.rollback_blocks(before);
                speaks = self::payload(cursor, origin, read_as, sheet)?;
            }
            b"role" | b"content" | b"call_id" | b"output" | b"arguments" | b"action" | b"summary" if payload.is_none() => {
                cursor.go_to(origin);
                return item(cursor, origin, sheet).map(|_| ());
            }
            _ => {
                cursor.skip()?;
            }
        }
    }
    let line = kind.as_deref().map(Line::of);
    if let Some(at) = payload.filter(|_| line != read_as) {
        let end = cursor.at();
        sheet.rollback_blocks(before);
        cursor.go_to(at);
        speaks = self::payload(cursor, origin, line, sheet)?;
        cursor.go_to(end);
    }
    if line == Some(Line::Unknown) {
        sheet.unknown("record of type", kind.as_deref().unwrap_or(""));
    }
    if speaks {
        let time = time.as_deref().and_then(|t| t.parse::<jiff::Timestamp>().ok()).map(|t| t.as_millisecond());
        sheet.assistant_time = sheet.assistant_time.max(time);
    }
    Ok(())
}

/// Reads what a line holds; says whether it is an item of the model's own.
fn payload(cursor: &mut Cursor<'_>, origin: usize, line: Option<Line>, sheet: &mut Sheet) -> Result<bool, ScanError> {
    match line {
        Some(Line::Item) => return item(cursor, origin, sheet),
        Some(Line::Compacted) => compacted(cursor, origin, sheet)?,
        Some(Line::Meta | Line::Turn) => {
            let mut members = cursor.enter_object()?;
            while let Some(key) = cursor.key(&mut members)? {
                match &*key {
                    b"model" => sheet.runs_on(cursor.string_or_skip()?.as_deref(), None),
                    b"model_provider" => sheet.runs_on(None, cursor.string_or_skip()?.as_deref()),
                    _ => {
                        cursor.skip()?;
                    }
                }
            }
        }
        Some(Line::Aside | Line::Unknown) | None => {
            cursor.skip()?;
        }
    }
    Ok(false)
}

/// Reads a compaction: all before it goes, what it keeps comes.
fn compacted(cursor: &mut Cursor<'_>, origin: usize, sheet: &mut Sheet) -> Result<(), ScanError> {
    sheet.entries.push(Entry { id: 0, parent: 0, kind: EntryKind::Reset, message: NONE, aim: 0 });
    let before = sheet.mark();
    let (mut summary, mut replaced) = (None, false);
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        match (&*key, cursor.kind()?) {
            (b"message", Kind::String) => {
                summary = Some(cursor.at());
                cursor.skip()?;
            }
            (b"replacement_history", Kind::Array) => {
                sheet.rollback_blocks(before);
                replaced = true;
                let mut elements = cursor.enter_array()?;
                while cursor.element(&mut elements)? {
                    if cursor.kind()? == Kind::Object {
                        item(cursor, origin, sheet)?;
                    } else {
                        cursor.skip()?;
                    }
                }
            }
            _ => {
                cursor.skip()?;
            }
        }
    }
    if let Some(at) = summary.filter(|_| !replaced) {
        let (end, first) = (cursor.at(), sheet.blocks.len());
        cursor.go_to(at);
        blocks::content(cursor, origin, sheet)?;
        let span = Span { start: (at - origin) as u32, end: (cursor.at() - origin) as u32 };
        push(sheet, Role::User, span, first, false);
        cursor.go_to(end);
    }
    Ok(())
}

/// What the members of an item said.
#[derive(Default)]
struct Seen<'a> {
    kind: Option<Cow<'a, str>>,
    role: Option<Role>,
    call: CallId,
    id: CallId,
    name: Option<Cow<'a, str>>,
    content: Content,
    /// Where a content stands that could not be read before the type was known.
    later: Option<usize>,
    arguments: usize,
    reasoning: usize,
}

/// Reads an item as the Responses API has it; says whether it is the model's own.
fn item(cursor: &mut Cursor<'_>, origin: usize, sheet: &mut Sheet) -> Result<bool, ScanError> {
    let (from, first) = (cursor.at(), sheet.blocks.len());
    let mut seen = Seen::default();
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        match &*key {
            b"type" => seen.kind = cursor.string_or_skip()?,
            b"role" => seen.role = Some(role_of(&cursor.bytes_or_skip()?.unwrap_or_default())),
            b"call_id" => seen.call = CallId::read(cursor, origin)?,
            b"id" => seen.id = CallId::read(cursor, origin)?,
            b"name" => seen.name = cursor.string_or_skip()?,
            b"content" if seen.kind.as_deref() == Some("message") => {
                sheet.blocks.truncate(first);
                seen.content = blocks::content(cursor, origin, sheet)?;
            }
            b"content" => {
                cursor.peek();
                seen.later = Some(cursor.at());
                cursor.skip()?;
            }
            b"output" => {
                sheet.blocks.truncate(first);
                seen.content = blocks::content(cursor, origin, sheet)?;
            }
            b"arguments" | b"input" if cursor.kind()? == Kind::String => seen.arguments = cursor.text()?.units,
            b"arguments" | b"input" | b"action" => seen.arguments = stringify::length(cursor)?,
            b"summary" => seen.reasoning += texts(cursor, sheet.estimator)?,
            // What the model reads again, but the oldest estimator counts plain reasoning alone.
            b"encrypted_content" if sheet.estimator != Estimator::Utf16 && cursor.kind()? == Kind::String => {
                let found = cursor.text()?;
                seen.reasoning += found.units + estimate::extra(&found, sheet.estimator);
            }
            _ => {
                cursor.skip()?;
            }
        }
    }
    let end = cursor.at();
    let span = Span { start: (from - origin) as u32, end: (end - origin) as u32 };
    let speaks = settle(seen, cursor, origin, span, first, sheet)?;
    cursor.go_to(end);
    Ok(speaks)
}

/// Makes of an item the message that its type says.
fn settle(
    mut seen: Seen<'_>,
    cursor: &mut Cursor<'_>,
    origin: usize,
    span: Span,
    first: usize,
    sheet: &mut Sheet,
) -> Result<bool, ScanError> {
    let kind = seen.kind.as_deref().unwrap_or("");
    let answers = matches!(kind, "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" | "tool_search_output");
    let speaks = kind == "message" || kind.is_empty() && seen.role.is_some();
    let holds_blocks = answers || speaks && seen.later.is_none();
    if !holds_blocks {
        sheet.blocks.truncate(first);
    }
    let none = Flags::default();
    match kind {
        _ if speaks => {
            if let Some(at) = seen.later {
                cursor.go_to(at);
                seen.content = blocks::content(cursor, origin, sheet)?;
            }
            let role = seen.role.unwrap_or(Role::Other);
            push(sheet, role, span, first, matches!(seen.content, Content::Array(_)));
            return Ok(role == Role::Assistant);
        }
        _ if answers => {
            let call = if seen.call.hash == 0 { seen.id } else { seen.call };
            blocks::answer(sheet, first, span, seen.content, call, seen.name.as_deref(), false);
            push(sheet, Role::Tool, span, first, matches!(seen.content, Content::Array(_)));
            return Ok(false);
        }
        "function_call" | "custom_tool_call" | "local_shell_call" | "tool_search_call" => {
            let shell = kind == "local_shell_call";
            let call = if shell && seen.call.hash == 0 { seen.id } else { seen.call };
            let name = seen.name.as_deref().unwrap_or(if shell { "local_shell" } else { "" });
            let link = sheet.link(call, name, 0, Span::default());
            sheet.block(BlockKind::Call, none, 0, span, seen.arguments, link);
        }
        "reasoning" => {
            if let Some(at) = seen.later {
                cursor.go_to(at);
                seen.reasoning += texts(cursor, sheet.estimator)?;
            }
            sheet.block(BlockKind::Thinking, none, 0, span, seen.reasoning, 0);
        }
        "web_search_call" => sheet.block(BlockKind::Other, none, 0, span, span.len(), 0),
        "image_generation_call" => sheet.block(BlockKind::Image, none, 0, span, 0, 0),
        "compaction" | "compaction_summary" | "context_compaction" => {
            push(sheet, Role::Other, span, first, false);
            return Ok(false);
        }
        // A mark for undoing, never sent; and the head and the states of a rollout without envelopes.
        "ghost_snapshot" | "" => return Ok(false),
        unknown => {
            sheet.unknown("item of type", unknown);
            return Ok(false);
        }
    }
    push(sheet, Role::Assistant, span, first, true);
    Ok(true)
}

fn push(sheet: &mut Sheet, role: Role, span: Span, first: usize, array: bool) {
    let message = sheet.message(role, span, first, array);
    sheet.entries.push(Entry { id: 0, parent: 0, kind: EntryKind::Following, message, aim: 0 });
}

/// Chars of the texts in an array of `{type, text}`.
fn texts(cursor: &mut Cursor<'_>, estimator: Estimator) -> Result<usize, ScanError> {
    let mut chars = 0;
    if cursor.kind()? != Kind::Array {
        return cursor.skip().map(|_| 0);
    }
    let mut elements = cursor.enter_array()?;
    while cursor.element(&mut elements)? {
        if cursor.kind()? != Kind::Object {
            cursor.skip()?;
            continue;
        }
        let mut members = cursor.enter_object()?;
        while let Some(key) = cursor.key(&mut members)? {
            if &*key == b"text" && cursor.kind()? == Kind::String {
                let found = cursor.text()?;
                chars += found.units + estimate::extra(&found, estimator);
            } else {
                cursor.skip()?;
            }
        }
    }
    Ok(chars)
}

fn role_of(role: &[u8]) -> Role {
    match role {
        b"user" => Role::User,
        b"assistant" => Role::Assistant,
        b"system" | b"developer" => Role::System,
        _ => Role::Other,
    }
}

fn context(sheet: &mut Sheet, scope: Scope) -> Result<(), Gone> {
    tree::context(sheet, scope)?;
    steps::join(sheet);
    sheet.provider.get_or_insert_with(|| "openai".to_owned());
    Ok(())
}

#[cfg(test)]
#[path = "codex_tests.rs"]
mod tests;
