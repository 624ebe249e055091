//! Tokens by the tokenizer that LiteLLM has for a model: of each message its role, its texts, and its calls as Python prints them, with
//! three on top; of the tools the text that they have in a prompt.

use super::approximate::call;
use super::candidates::text_of;
use super::tool_definitions;
use crate::Error;
use crate::byte_pairs;
use crate::edit::{Action, Cut, Question, View};
use crate::json::locate::{member, value_at};
use crate::json::text;
use crate::pass::candidates::Candidate;
use crate::read_at::Window;
use crate::shorten::repr;
use crate::transcript::{Block, BlockKind, Flags, Layout, Role};
use serde_json::Value;

/// Tokens on top of each message, and once for the answer.
const MESSAGE: u64 = 3;
/// Tokens of a role, and of an empty object.
const WORD: u64 = 1;
/// Tokens on top of the definitions of tools.
const TOOLS: u64 = 9;
/// Tokens of an image of unknown size.
const IMAGE: u64 = 85;

/// Whether the tokens of a model are counted this way: the original has other tokenizers for other models.
pub fn is_counted(view: &View<'_>) -> bool {
    view.transcript.model.as_deref().is_some_and(|model| model.starts_with("claude-") && !model.contains("claude-3"))
}

/// Returns the tokens of the context as the cuts of `view` leave it.
///
/// # Errors
/// The input cannot be read any more.
pub fn whole(view: &View<'_>) -> Result<u64, Error> {
    let mut tokens = MESSAGE + of_body(view)?;
    let mut after_tool = false;
    for (i, message) in view.transcript.messages.iter().enumerate().filter(|(i, _)| !view.is_gone(*i)) {
        // Results that are messages of their own are one where Anthropic's interface has them.
        let continues = message.continues || message.role == Role::Tool && after_tool;
        after_tool = message.role == Role::Tool;
        if !continues && message.role != Role::System {
            tokens += MESSAGE + WORD;
        }
        for (index, block) in view.parts_left(i) {
            tokens += match block.kind {
                BlockKind::Result => of_result(view, Candidate { message: i as u32, block: index })?,
                BlockKind::Call => of_call(view, i, index, block)?,
                _ => of_part(view, i, block)?,
            };
        }
    }
    Ok(tokens)
}

/// Returns the tokens that cuts free, of results and of arguments.
///
/// # Errors
/// The input cannot be read any more.
pub fn freed<'a>(view: &View<'_>, cuts: impl IntoIterator<Item = &'a Cut>) -> Result<f64, Error> {
    let mut freed = 0.0;
    for cut in cuts {
        let (i, block) = (cut.message as usize, &view.transcript.blocks[cut.block as usize]);
        let (before, after) = match (&cut.action, block.kind) {
            (Action::ClearInput(_), _) => {
                let args = call(view, i, cut.block, block)?.map(|call| repr(&call["args"]));
                (args.map_or(WORD, |args| byte_pairs::count(&args)), WORD)
            }
            (Action::Clear(text), BlockKind::Result) => {
                (of_result(view, Candidate { message: cut.message, block: cut.block })?, byte_pairs::count(text))
            }
            _ => (cut.chars_before / crate::estimate::CHARS_PER_TOKEN, cut.chars_after / crate::estimate::CHARS_PER_TOKEN),
        };
        freed += before as f64 - after as f64;
    }
    Ok(freed)
}

/// Returns the tokens of a result.
///
/// # Errors
/// The input cannot be read any more.
pub fn of_result(view: &View<'_>, result: Candidate) -> Result<u64, Error> {
    if let Some(Action::Clear(text)) = view.cut(result.block).map(|cut| &cut.action) {
        return Ok(byte_pairs::count(text));
    }
    view.once(Question::of("tokens", view.place(result.message, result.block)), || {
        if view.transcript.blocks[result.block as usize].flags.has(Flags::STRING) {
            return Ok(byte_pairs::count(&text_of(view, result)?));
        }
        view.children(result.block).iter().map(|child| of_part(view, result.message as usize, child)).sum()
    })
}

/// The tokens of a call: its name, and its arguments.
fn of_call(view: &View<'_>, i: usize, index: u32, block: &Block) -> Result<u64, Error> {
    let arguments = || {
        let call = call(view, i, index, block)?;
        Ok(call.map_or(0, |call| byte_pairs::count(&repr(&call["args"]))))
    };
    let arguments = match view.cut(index) {
        Some(_) => arguments()?,
        None => view.once(Question::of("tokens", view.place(i as u32, index)), arguments)?,
    };
    Ok(byte_pairs::count(view.transcript.tool_of(block)) + arguments)
}

/// The tokens of a text, of reasoning or of an image.
fn of_part(view: &View<'_>, i: usize, block: &Block) -> Result<u64, Error> {
    let start = view.transcript.messages[i].record + u64::from(block.span.start);
    let read = || view.texts.read(start, start + block.span.len() as u64);
    match block.kind {
        BlockKind::Image => Ok(IMAGE),
        BlockKind::Text => view.once(Question::of("tokens", start), || Ok(of_string(&read()?))),
        BlockKind::Thinking => view.once(Question::of("tokens", start), || {
            let raw = read()?;
            let said = member(&raw, 0, "thinking");
            Ok(said.map_or(0, |said| of_string(&raw[said.value])))
        }),
        _ => Ok(0),
    }
}

/// The tokens of a string of JSON; none of anything else.
fn of_string(raw: &[u8]) -> u64 {
    let inside = raw.strip_prefix(b"\"").and_then(|raw| raw.strip_suffix(b"\""));
    inside.map_or(0, |inside| byte_pairs::count(&text::lossy(inside)))
}

/// The tokens of a body beside its messages: of its tools, and of a system prompt that is no message.
fn of_body(view: &View<'_>) -> Result<u64, Error> {
    let Some(record) = view.transcript.messages.first().map(|message| message.record) else { return Ok(0) };
    if view.transcript.layout != Layout::Body {
        return Ok(0);
    }
    view.once(Question::of("body", record), || {
        let range = value_at(&mut Window::new(view.texts), record)?;
        let body = view.texts.read(range.start, range.end)?;
        let value = |name: &str| member(&body, 0, name).and_then(|found| serde_json::from_slice::<Value>(&body[found.value]).ok());
        let tools = match value("tools") {
            Some(Value::Array(tools)) if !tools.is_empty() => byte_pairs::count(&tool_definitions::text(&tools)) + TOOLS,
            _ => 0,
        };
        let system = match value("system") {
            Some(Value::String(text)) => text,
            Some(Value::Array(parts)) => {
                let texts = parts.iter().filter(|part| part["type"] == "text").filter_map(|part| part["text"].as_str());
                texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
            }
            _ => String::new(),
        };
        Ok(tools + byte_pairs::count(&system))
    })
}
