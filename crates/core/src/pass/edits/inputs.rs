//! Inputs: the arguments of a call give way to an empty object.

use crate::Error;
use crate::edit::{Action, Piece, Rewrite, View};
use crate::json::Kind;
use crate::pass::dependencies::Part;
use crate::resource::arguments::place;
use crate::transcript::{BlockKind, Flags, Span};

/// What clears the arguments of the call at `call`; none where they are empty, or may not change.
///
/// # Errors
/// The input cannot be read any more.
pub fn cleared(view: &View<'_>, (message, index): Part) -> Result<Option<Action>, Error> {
    let transcript = view.transcript;
    let block = &transcript.blocks[index as usize];
    // A call without an id is known by what it says, and a signature is for what was signed.
    let bound = transcript.reasoning_binds && transcript.blocks_of(message as usize).iter().any(|b| b.kind == BlockKind::Thinking);
    if transcript.link(block).id == Span::default() || block.flags.has(Flags::SIGNED) || bound || view.cut(index).is_some() {
        return Ok(None);
    }
    let start = transcript.messages[message as usize].record + u64::from(block.span.start);
    let raw = view.texts.read(start, start + block.span.len() as u64)?;
    let Some((kind, at)) = place(&raw) else { return Ok(None) };
    let new = if kind == Kind::String { "\"{}\"" } else { "{}" };
    if raw[at.clone()] == *new.as_bytes() {
        return Ok(None);
    }
    let span = Span { start: block.span.start + at.start as u32, end: block.span.start + at.end as u32 };
    Ok(Some(Action::ClearInput(Rewrite { span, pieces: vec![Piece::Literal(new.to_owned())] })))
}

/// Chars of arguments that were cleared.
pub const CHARS: u64 = 2;
