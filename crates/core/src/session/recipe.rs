//! A stored cut: the instructions to make the same replacement from the same text again, whatever
//! the settings and passes have become since.
//!
//! A trim is a list of segments, each a range of the source's raw bytes or new text; a clear is the
//! text that replaces it; a rewrite, of arguments, of a text or of a whole content, is the removed
//! range and the segments that replace it, unchanged. The source itself is never stored. A new kind
//! of cut is a variant here.

use crate::{
    Result,
    edit::{Action, Rewrite, Segment, View},
    json::{Cursor, stringify},
    pass::malformed::malformed,
    settings::context_management::SERVER_TEXT,
    transcript::{BlockKind, Span},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The instructions to make the replacement of a text. Its kind and the rest of it are stored
/// beside each other.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(tag = "kind", content = "stored", rename_all = "kebab-case")]
pub enum Recipe {
    /// Parts of the source, and new text between them.
    Trim(Vec<Part>),
    /// A text that replaces the whole source.
    Clear {
        /// The text.
        text: String,
    },
    /// The text stays, and the provider's server clears it.
    Server {
        /// The tools that it leaves alone.
        tools: Vec<String>,
    },
    /// Parts that replace a range of the source.
    Rewrite {
        /// First byte of what is removed.
        from: u32,
        /// Past the last byte.
        to: u32,
        /// The replacement: ranges of the source (child 0), and new text.
        parts: Vec<Part>,
    },
    /// The block is removed.
    Drop {},
    /// The message is removed.
    DropMessage {},
}

/// A piece of a trimmed text.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(untagged)]
pub enum Part {
    /// The child among the result's blocks, from 0, and the first byte of a range of its raw text
    /// and that past the last.
    Text(usize, u32, u32),
    /// A child whose text is not a string: its index, and a range of its printed JSON.
    Malformed(usize, usize, usize, Printed),
    /// New text, escaped as the inside of a JSON string.
    Literal(String),
}

/// The word in a part of printed JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Printed {
    /// The only one.
    #[serde(rename = "printed")]
    Printed,
}

impl Recipe {
    /// Returns the recipe of an accepted cut at `block`; `None` for a list that was ranked, which
    /// is ranked anew.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn of(
        view: &View<'_>,
        message: u32,
        block: u32,
        action: &Action,
    ) -> Result<Option<Recipe>> {
        Ok(match action {
            Action::Clear(text) => Some(Recipe::Clear {
                text: text.to_string(),
            }),
            Action::Server(tools) => Some(Recipe::Server {
                tools: tools.to_vec(),
            }),
            Action::Drop => Some(Recipe::Drop {}),
            Action::DropMessage => Some(Recipe::DropMessage {}),
            Action::Rewrite(_) => None,
            Action::ClearInput(rewrite) => of_input(view, block, rewrite),
            Action::Trim(segments) => {
                let printed = printed(view, message, block)?;
                segments
                    .iter()
                    .map(|segment| part(view, block, segment, &printed))
                    .collect::<Option<_>>()
                    .map(Recipe::Trim)
            }
        })
    }

    /// Returns the word for its kind, and the JSON that is stored beside it.
    pub fn stored(&self) -> (String, String) {
        let mut stored = json!(self);
        let kind = stored["kind"].as_str().unwrap_or_default().to_owned();
        (kind, stored["stored"].take().to_string())
    }

    /// Reads what is stored.
    pub fn read(kind: &str, stored: &str) -> Option<Recipe> {
        let stored: Value = serde_json::from_str(stored).ok()?;
        serde_json::from_value(json!({"kind": kind, "stored": stored})).ok()
    }

    /// Returns whether more changes than the text of a result.
    pub fn is_structural(&self) -> bool {
        matches!(
            self,
            Recipe::Drop {} | Recipe::DropMessage {} | Recipe::Rewrite { .. }
        )
    }

    /// Returns the action on the result at `block` and the chars after it; `None` if the source
    /// lacks a part.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn action(
        &self,
        view: &View<'_>,
        message: u32,
        block: u32,
    ) -> Result<Option<(Action, u64)>> {
        Ok(match self {
            Recipe::Clear { text } => Some((
                Action::Clear(text.as_str().into()),
                view.chars_of_text(text),
            )),
            Recipe::Server { tools } => Some((
                Action::Server(tools.as_slice().into()),
                view.chars_of_text(SERVER_TEXT),
            )),
            Recipe::Drop {} => Some((Action::Drop, 0)),
            Recipe::DropMessage {} => Some((Action::DropMessage, 0)),
            Recipe::Rewrite { from, to, parts } => cleared_input(view, block, (*from, *to), parts),
            Recipe::Trim(parts) => {
                let printed = printed(view, message, block)?;
                let segments: Option<Vec<Segment>> = parts
                    .iter()
                    .map(|part| segment(view, block, part, &printed))
                    .collect();
                let Some(segments) = segments else {
                    return Ok(None);
                };
                let chars = view.chars_of_segments(message, &segments)?;
                Some((Action::Trim(segments), chars))
            }
        })
    }
}

/// Returns the recipe of arguments that were cleared; `None` if it takes something from beyond the
/// call at `block`.
fn of_input(view: &View<'_>, block: u32, rewrite: &Rewrite) -> Option<Recipe> {
    let origin = view.transcript.block(block).span;
    let within = |at: u32| at.checked_sub(origin.start).filter(|_| at <= origin.end);
    let part = |segment: &Segment| match segment {
        Segment::Literal(text) => Some(Part::Literal(text.clone())),
        Segment::Source(_) => None,
    };
    Some(Recipe::Rewrite {
        from: within(rewrite.span.start)?,
        to: within(rewrite.span.end)?,
        parts: rewrite.segments.iter().map(part).collect::<Option<_>>()?,
    })
}

/// Returns the action that clears arguments again, and the chars after it; `None` if the block is
/// no call with such a range.
fn cleared_input(
    view: &View<'_>,
    block: u32,
    (from, to): (u32, u32),
    parts: &[Part],
) -> Option<(Action, u64)> {
    let found = view.transcript.block(block);
    let start = found.span.start.checked_add(from)?;
    let end = found.span.start.checked_add(to)?;
    if found.kind != BlockKind::Call || start > end || end > found.span.end {
        return None;
    }
    let new = parts
        .iter()
        .map(|part| match part {
            Part::Literal(text) => Some(text.clone()),
            _ => None,
        })
        .collect::<Option<String>>()?;
    let string = new
        .strip_prefix('"')
        .and_then(|inside| inside.strip_suffix('"'));
    let chars = match string {
        Some(inside) => view.chars_of_raw(inside.as_bytes()),
        None => stringify::length(&mut Cursor::new(new.as_bytes())).ok()? as u64,
    };
    let rewrite = Rewrite {
        span: Span { start, end },
        segments: vec![Segment::Literal(new)],
    };
    Some((Action::ClearInput(rewrite), chars))
}

/// Returns the segment that a stored part is.
fn segment(
    view: &View<'_>,
    block: u32,
    part: &Part,
    printed: &[(usize, String)],
) -> Option<Segment> {
    match part {
        Part::Literal(text) => Some(Segment::Literal(text.clone())),
        Part::Text(child, from, to) => {
            let span = view
                .children(block)
                .get(*child)
                .filter(|c| c.kind == BlockKind::Text)?
                .span;
            let start = span.start.checked_add(1)?.checked_add(*from)?;
            let end = span.start.checked_add(1)?.checked_add(*to)?;
            (start <= end && end < span.end).then_some(Segment::Source(Span { start, end }))
        }
        Part::Malformed(child, from, to, _) => {
            let (_, text) = printed.iter().find(|(at, _)| at == child)?;
            Some(Segment::Literal(text.get(*from..*to)?.to_owned()))
        }
    }
}

/// Returns a part as it is stored.
fn part(
    view: &View<'_>,
    block: u32,
    segment: &Segment,
    printed: &[(usize, String)],
) -> Option<Part> {
    match segment {
        Segment::Source(span) => {
            let mut texts = view
                .children(block)
                .iter()
                .enumerate()
                .filter(|(_, found)| found.kind == BlockKind::Text);
            let (child, found) =
                texts.find(|(_, text)| text.span.start < span.start && span.end < text.span.end)?;
            let first = found.span.start + 1;
            Some(Part::Text(child, span.start - first, span.end - first))
        }
        Segment::Literal(text) => {
            let found = printed
                .iter()
                .find_map(|(child, whole)| Some((*child, whole.find(text.as_str())?)));
            Some(match found {
                Some((child, from)) if !text.is_empty() => {
                    Part::Malformed(child, from, from + text.len(), Printed::Printed)
                }
                _ => Part::Literal(text.clone()),
            })
        }
    }
}

/// Returns the printed JSON of the children whose text is not a string.
fn printed(view: &View<'_>, message: u32, block: u32) -> Result<Vec<(usize, String)>> {
    view.children(block)
        .iter()
        .enumerate()
        .filter(|(_, found)| found.kind == BlockKind::Malformed)
        .map(|(child, found)| {
            let json = malformed(&view.bytes(message as usize, found.span)?);
            Ok((child, String::from_utf8_lossy(&json).into_owned()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_and_read_again() {
        let parts = vec![
            Part::Text(0, 0, 9),
            Part::Literal("\\n...\\n \"".to_owned()),
            Part::Malformed(1, 2, 3, Printed::Printed),
        ];
        let rewrite = Recipe::Rewrite {
            from: 3,
            to: 9,
            parts: parts[..2].to_vec(),
        };
        for recipe in [
            rewrite,
            Recipe::Trim(parts),
            Recipe::Clear {
                text: "[gone]\n\"".to_owned(),
            },
            Recipe::Drop {},
            Recipe::DropMessage {},
        ] {
            let (kind, stored) = recipe.stored();
            assert_eq!(Recipe::read(&kind, &stored), Some(recipe));
        }
    }

    #[test]
    fn an_invalid_recipe_is_none() {
        for (kind, stored) in [
            ("trim", "{}"),
            ("trim", "[[0,1]]"),
            ("trim", "[[0,-1,2]]"),
            ("trim", "[[0,1,4294967296]]"),
            ("rewrite", "{\"from\":1,\"to\":2}"),
            ("rewrite", "{\"from\":-1,\"to\":2,\"parts\":[]}"),
            ("clear", "{\"text\":1}"),
            ("clear", "[gone]"),
            ("fold", "{}"),
            ("trim", ""),
        ] {
            assert_eq!(Recipe::read(kind, stored), None, "{kind} {stored}");
        }
    }
}
