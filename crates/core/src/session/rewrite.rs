//! Stored replacements of a range of a block: the arguments of a call, a text, or the whole content of a result.

use super::recipe::{Part, Recipe};
use crate::edit::{Action, Rewrite, Segment, View};
use crate::json::{Cursor, stringify};
use crate::transcript::{BlockKind, Span};
use serde_json::Value;

/// Returns the recipe of a rewrite; `None` if it copies bytes from outside the block.
pub fn recipe(view: &View<'_>, block: u32, rewrite: &Rewrite) -> Option<Recipe> {
    let origin = origin(view, block);
    let within = |at: u32| at.checked_sub(origin.start).filter(|_| at <= origin.end);
    let part = |segment: &Segment| match segment {
        Segment::Literal(text) => Some(Part::Literal(text.clone())),
        Segment::Source(span) => Some(Part::Text { child: 0, from: within(span.start)?, to: within(span.end)? }),
    };
    let parts = rewrite.segments.iter().map(part).collect::<Option<_>>()?;
    Some(Recipe::Rewrite { from: within(rewrite.span.start)?, to: within(rewrite.span.end)?, parts })
}

/// Returns the action that makes the same bytes again and the chars after it; `None` if the block lacks a range.
///
/// # Errors
/// The input cannot be read any more.
pub fn action(
    view: &View<'_>,
    (message, block): (u32, u32),
    range: (u32, u32),
    parts: &[Part],
) -> Result<Option<(Action, u64)>, crate::Error> {
    let origin = origin(view, block);
    let kind = view.transcript.blocks[block as usize].kind;
    let place = |(from, to): (u32, u32)| {
        let (start, end) = (origin.start.checked_add(from)?, origin.start.checked_add(to)?);
        (start <= end && end <= origin.end).then_some(Span { start, end })
    };
    // The whole content is replaced, even if it has more members now.
    let Some(span) = (if kind == BlockKind::Result { Some(origin) } else { place(range) }) else { return Ok(None) };
    let record = view.transcript.messages[message as usize].record;
    let (mut segments, mut bytes) = (Vec::new(), Vec::new());
    for part in parts {
        match part {
            Part::Literal(text) => {
                bytes.extend_from_slice(text.as_bytes());
                segments.push(Segment::Literal(text.clone()));
            }
            Part::Text { from, to, .. } => {
                let Some(kept) = place((*from, *to)) else { return Ok(None) };
                bytes.extend_from_slice(&view.texts.read(record + u64::from(kept.start), record + u64::from(kept.end))?);
                segments.push(Segment::Source(kept));
            }
            Part::Malformed { .. } => return Ok(None),
        }
    }
    let rewrite = Rewrite { span, segments };
    let action = if kind == BlockKind::Call { Action::ClearInput(rewrite) } else { Action::Preview(rewrite) };
    Ok(chars(view, kind, &bytes).map(|chars| (action, chars)))
}

/// Returns the range to which offsets refer: the content of a result, else the block.
fn origin(view: &View<'_>, block: u32) -> Span {
    let found = &view.transcript.blocks[block as usize];
    if found.kind == BlockKind::Result { view.transcript.link(found).content } else { found.span }
}

/// Returns the chars of the new bytes as a later reading counts them.
fn chars(view: &View<'_>, kind: BlockKind, bytes: &[u8]) -> Option<u64> {
    match kind {
        BlockKind::Text => Some(view.chars_of_raw(bytes)),
        BlockKind::Call => match bytes.strip_prefix(b"\"").and_then(|inside| inside.strip_suffix(b"\"")) {
            Some(inside) => Some(view.chars_of_raw(inside)),
            None => stringify::length(&mut Cursor::new(bytes)).ok().map(|length| length as u64),
        },
        _ => match serde_json::from_slice(bytes).ok()? {
            Value::Object(members) => Some(members.values().filter_map(Value::as_str).map(|text| view.chars_of_text(text)).sum()),
            _ => None,
        },
    }
}
