//! The arguments of a call that an empty object took the place of.

use super::recipe::{Part, Recipe};
use crate::edit::{Action, Rewrite, Segment, View};
use crate::json::{Cursor, stringify};
use crate::transcript::{BlockKind, Span};

/// The recipe of a rewrite; none where it takes something from beyond the call.
pub fn recipe(view: &View<'_>, block: u32, rewrite: &Rewrite) -> Option<Recipe> {
    let origin = view.transcript.blocks[block as usize].span;
    let within = |at: u32| at.checked_sub(origin.start).filter(|_| at <= origin.end);
    let part = |segment: &Segment| match segment {
        Segment::Literal(text) => Some(Part::Literal(text.clone())),
        Segment::Source(_) => None,
    };
    let parts = rewrite.segments.iter().map(part).collect::<Option<_>>()?;
    Some(Recipe::Rewrite {
        from: within(rewrite.span.start)?,
        to: within(rewrite.span.end)?,
        parts,
    })
}

/// The action that makes the same bytes again, and the chars it leaves; none where the block is no call with such a range.
pub fn action(
    view: &View<'_>,
    block: u32,
    (from, to): (u32, u32),
    parts: &[Part],
) -> Option<(Action, u64)> {
    let found = &view.transcript.blocks[block as usize];
    let (start, end) = (
        found.span.start.checked_add(from)?,
        found.span.start.checked_add(to)?,
    );
    if found.kind != BlockKind::Call || start > end || end > found.span.end {
        return None;
    }
    let part = |part: &Part| {
        if let Part::Literal(text) = part {
            Some(text.clone())
        } else {
            None
        }
    };
    let new = parts.iter().map(part).collect::<Option<String>>()?;
    let chars = match new
        .strip_prefix('"')
        .and_then(|inside| inside.strip_suffix('"'))
    {
        Some(inside) => view.chars_of_raw(inside.as_bytes()),
        None => stringify::length(&mut Cursor::new(new.as_bytes())).ok()? as u64,
    };
    Some((
        Action::ClearInput(Rewrite {
            span: Span { start, end },
            segments: vec![Segment::Literal(new)],
        }),
        chars,
    ))
}
