//! Inputs: replaces the arguments of a call by an empty object.

use crate::Error;
use crate::edit::{Action, Question, Rewrite, Segment, View};
use crate::json::Kind;
use crate::pass::dependencies::Part;
use crate::resource::arguments::place;
use crate::transcript::{BlockKind, Flags, Span};

/// Chars of an empty object.
pub const EMPTY: u64 = 2;

/// Returns the action that clears the arguments of a call; `None` where they are empty or must not change.
///
/// # Errors
/// The input cannot be read any more.
pub fn cleared(view: &View<'_>, (message, index): Part) -> Result<Option<Action>, Error> {
    let transcript = view.transcript;
    let block = &transcript.blocks[index as usize];
    // A call without an id is known by what it says, and a signature is for what was signed.
    let bound = transcript.reasoning_binds
        && transcript
            .blocks_of(message as usize)
            .iter()
            .any(|b| b.kind == BlockKind::Thinking);
    if transcript.link(block).id == Span::default()
        || block.flags.has(Flags::SIGNED)
        || bound
        || view.cut(index).is_some()
    {
        return Ok(None);
    }
    view.once(
        Question::of("arguments", view.place((message, index))),
        || {
            let raw = view.bytes(message as usize, block.span)?;
            let Some((kind, at)) = place(&raw) else {
                return Ok(None);
            };
            // Some providers have arguments as a text of JSON.
            let new = if kind == Kind::String { "\"{}\"" } else { "{}" };
            let span = Span {
                start: block.span.start + at.start as u32,
                end: block.span.start + at.end as u32,
            };
            let clear = || {
                Action::ClearInput(Rewrite {
                    span,
                    segments: vec![Segment::Literal(new.to_owned())],
                })
            };
            Ok((raw[at] != *new.as_bytes()).then(clear))
        },
    )
}
