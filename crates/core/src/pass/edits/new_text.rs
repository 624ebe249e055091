//! New text: the text that a step puts in the place of a result.

use super::candidates::{ToolUse, tool};
use super::rules::{Placeholder, Rules, Shape};
use super::{count, line_size, mask};
use crate::Error;
use crate::edit::{Action, Question, Reason, Segment, Trim, View};
use crate::json::text;
use crate::pass::candidates::Candidate;
use crate::resource::arguments::Arguments;
use crate::settings::Contents;
use crate::shorten::{self, Item, TemplateValues};
use crate::transcript::{Block, BlockKind, Flags, Span};
use serde_json::Value;
use std::sync::Arc;

/// The replacement of a result.
#[derive(Clone)]
pub struct NewResult {
    /// The cut.
    pub action: Action,
    /// Chars that it leaves, as the estimator counts them.
    pub chars: u64,
    /// Whether it says nothing.
    pub blank: bool,
    /// By how many bytes the line of the log changes, as compact JSON in ASCII; known where the step asks for it.
    pub line: i64,
    /// Why, where that differs from result to result.
    pub reason: Option<Reason>,
}

impl NewResult {
    /// The cut `action`, which leaves `chars`.
    pub fn of(action: Action, chars: u64, blank: bool) -> NewResult {
        NewResult { action, chars, blank, line: 0, reason: None }
    }
}

/// Returns the new text for the result of `one`; `None` where the result is unchanged.
///
/// # Errors
/// The input cannot be read any more.
pub fn new_text(view: &View<'_>, rules: &Rules, one: &ToolUse, result: Candidate) -> Result<Option<NewResult>, Error> {
    let block = &view.transcript.blocks[result.block as usize];
    match (rules.contents, block.flags.has(Flags::STRING)) {
        (Contents::String, false) | (Contents::List, true) => return Ok(None),
        _ => {}
    }
    // What an earlier step or run cut keeps its bytes, but for what clears it.
    if !matches!(rules.shape, Shape::Placeholder(_)) && view.cut(result.block).is_some() {
        return Ok(None);
    }
    match &rules.shape {
        Shape::Ends(ends, _) => return ends.shortened(view, result),
        Shape::Placeholder(Placeholder { constant: Some(constant), .. }) => {
            return Ok(Some(NewResult::of(Action::Clear(constant.text.clone()), constant.chars, constant.blank)));
        }
        _ => {}
    }
    let call = one.call.map_or(0, |(message, block)| view.place(message, block));
    let asked = Question { step: rules.step, with: call, ..Question::of("new", view.place(result.message, result.block)) };
    view.once(asked, || by_text(view, rules, one, result))
}

/// The same by what the result and its call say.
fn by_text(view: &View<'_>, rules: &Rules, one: &ToolUse, result: Candidate) -> Result<Option<NewResult>, Error> {
    let call = Call::of(view, one, result)?;
    let facts = TemplateValues { tool: &call.tool, id: &call.id, subject: &call.subject };
    let children = view.children(result.block);
    let is_list = !view.transcript.blocks[result.block as usize].flags.has(Flags::STRING);
    if let (Shape::Outline { limit, preview, .. }, true) = (&rules.shape, is_list && !children.is_empty()) {
        let content: Value = serde_json::from_slice(&count::content_of(view, result)?).unwrap_or_default();
        let items = parts(&content);
        // A list of one text in another interface is cut as that text.
        if items.is_some() || children.len() > 1 || content[0]["type"] == "input_text" {
            let new = items.and_then(|items| shorten::outline(&items, facts.tool, *limit, *preview));
            return Ok(new.map(|new| whole(view, new)));
        }
    }
    if let Shape::Masked { folder, shells } = &rules.shape {
        return mask::masked(view, result, facts, folder, shells);
    }
    let [child] = children else { return several(view, rules, children, result, facts) };
    if child.kind != BlockKind::Text {
        return Ok(None);
    }
    let start = view.transcript.messages[result.message as usize].record + u64::from(child.span.start);
    let raw = view.texts.read(start + 1, start + child.span.len() as u64 - 1)?;
    let old = text::lossy(&raw);
    let Some(segments) = rules.apply(&old, facts) else { return Ok(None) };
    let new = shorten::joined(&old, &segments);
    if new == old || !is_shorter(rules, &old, &new) {
        return Ok(None);
    }
    let line = if rules.counts_lines { line_size::ascii(&new) as i64 - line_size::ascii(&old) as i64 } else { 0 };
    if matches!(rules.shape, Shape::Placeholder(_)) {
        return Ok(Some(NewResult { line, ..cleared(view, new) }));
    }
    let chars = view.chars_of_text(&new);
    let (trim, blank) = (Trim { segments: kept(&segments, &raw, child.span.start + 1) }, is_blank(&new));
    Ok(Some(NewResult { line, ..NewResult::of(Action::Trim(trim), chars, blank) }))
}

/// A result of several parts, or of none: its texts are one, each on a line of its own.
fn several(
    view: &View<'_>,
    rules: &Rules,
    children: &[Block],
    result: Candidate,
    facts: TemplateValues<'_>,
) -> Result<Option<NewResult>, Error> {
    // A rule about texts is none about a list of them.
    if !matches!(rules.shape, Shape::Placeholder(_)) && children.iter().any(|child| child.kind != BlockKind::Text) {
        return Ok(None);
    }
    let old = super::candidates::text_of(view, result)?;
    let Some(segments) = rules.apply(&old, facts) else { return Ok(None) };
    let new = shorten::joined(&old, &segments);
    if !is_shorter(rules, &old, &new) {
        return Ok(None);
    }
    let line = if rules.counts_lines { line_size::ascii(&new) as i64 - line_size::ascii(&old) as i64 } else { 0 };
    Ok(Some(match rules.shape {
        Shape::Placeholder(_) => NewResult { line, ..cleared(view, new) },
        _ => NewResult { line, ..whole(view, new) },
    }))
}

/// Whether `new` is as much smaller than `old` as the step asks for.
pub fn is_shorter(rules: &Rules, old: &str, new: &str) -> bool {
    rules.only_if_smaller.is_none_or(|measure| shorten::size(new, measure) < shorten::size(old, measure))
}

pub fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn cleared(view: &View<'_>, new: String) -> NewResult {
    NewResult::of(Action::Clear(Arc::from(&*new)), view.chars_of_text(&new), is_blank(&new))
}

/// A cut that puts one new text in the place of all that a result holds.
fn whole(view: &View<'_>, new: String) -> NewResult {
    let mut raw = Vec::new();
    text::encode(&new, &mut raw);
    let chars = view.chars_of_raw(&raw);
    let segments = vec![Segment::Literal(String::from_utf8_lossy(&raw).into_owned())];
    NewResult::of(Action::Trim(Trim { segments }), chars, is_blank(&new))
}

/// The pieces of the record that `segments` of the text are, whose raw bytes begin at byte `from` of the record.
pub fn kept(segments: &[shorten::Segment], raw: &[u8], from: u32) -> Vec<Segment> {
    let ends: Vec<usize> = segments
        .iter()
        .filter_map(|segment| if let shorten::Segment::Kept(range) = segment { Some([range.start, range.end]) } else { None })
        .flatten()
        .collect();
    let mut at = text::raw_offsets(raw, &ends).into_iter().map(|offset| from + offset as u32);
    let mut list = Vec::new();
    for segment in segments {
        match segment {
            shorten::Segment::New(new) => {
                let mut raw = Vec::new();
                text::encode(new, &mut raw);
                list.push(Segment::Literal(String::from_utf8_lossy(&raw).into_owned()));
            }
            shorten::Segment::Kept(_) => {
                if let (Some(start), Some(end)) = (at.next(), at.next())
                    && start < end
                {
                    list.push(Segment::Source(Span { start, end }));
                }
            }
        }
    }
    list
}

/// The name and arguments of a result's call.
struct Call {
    tool: String,
    id: String,
    subject: String,
}

/// Lines back from a result within which its call is looked for.
const NEAR: u32 = 10;

impl Call {
    fn of(view: &View<'_>, one: &ToolUse, result: Candidate) -> Result<Call, Error> {
        let transcript = view.transcript;
        let block = &transcript.blocks[result.block as usize];
        let mut call = Call { tool: tool(view, one).to_owned(), id: String::new(), subject: String::new() };
        let link = transcript.link(block);
        let record = transcript.messages[result.message as usize].record;
        if link.id != Span::default() {
            call.id = text::lossy(&view.texts.read(record + u64::from(link.id.start), record + u64::from(link.id.end))?);
        }
        let Some((message, index)) = one.call else { return Ok(call) };
        let (from, to) = (&transcript.messages[message as usize], &transcript.messages[result.message as usize]);
        if to.line.abs_diff(from.line) > NEAR {
            return Ok(call);
        }
        let span = transcript.blocks[index as usize].span;
        let raw = view.texts.read(from.record + u64::from(span.start), from.record + u64::from(span.end))?;
        call.subject = Arguments::of(&raw).map(|said| subject(&said)).unwrap_or_default();
        Ok(call)
    }
}

/// Returns the subject of a call: the first of its path, its pattern and the first 80 characters of its command that is not empty.
fn subject(said: &Arguments) -> String {
    let text = |name: &str| said.text(name).unwrap_or_default().to_owned();
    let command: String = text("command").chars().take(80).collect();
    [text("file_path"), text("path"), text("pattern"), command].into_iter().find(|text| !text.is_empty()).unwrap_or_default()
}

/// The parts of a content that is a list of parts with texts for members, and of no others.
fn parts(content: &Value) -> Option<Vec<Item<'_>>> {
    let known = |kind: &str, name: &str| match kind {
        "input_text" => name == "text",
        "input_image" => ["image_url", "file_id", "detail"].contains(&name),
        "input_file" => ["file_data", "file_url", "file_id", "filename"].contains(&name),
        _ => false,
    };
    content
        .as_array()?
        .iter()
        .map(|part| {
            let members = part.as_object()?;
            let kind = part["type"].as_str()?;
            let mut points = 0;
            for (name, value) in members.iter().filter(|(name, _)| *name != "type") {
                let text = value.as_str().filter(|_| known(kind, name))?;
                points += text.chars().count() as u64;
            }
            let has = |names: &[&str]| names.iter().any(|name| part[*name].is_string());
            let detail = part.get("detail").is_none_or(|detail| ["low", "high", "auto"].iter().any(|known| detail == known));
            match kind {
                "input_text" => Some(Item::Text(part["text"].as_str()?)),
                "input_image" if has(&["image_url", "file_id"]) && detail => Some(Item::Other { kind, points }),
                "input_file" if has(&["file_data", "file_url", "file_id"]) => Some(Item::Other { kind, points }),
                _ => None,
            }
        })
        .collect()
}
