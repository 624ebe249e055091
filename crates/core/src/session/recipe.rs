//! A stored cut: the instructions to make the same replacement from the same text again, whatever the settings and passes have
//! become since.
//!
//! A trim is a list of segments, each a range of the source's raw bytes or new text; a clear is the text that replaces it; a rewrite, of
//! arguments, of a text or of a whole content, is the removed range and the segments that replace it, unchanged.
//! The source itself is never stored. A new kind of cut is a variant here.

use super::rewrite;
use crate::edit::{Action, Segment, View};
use crate::transcript::{BlockKind, Span};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The instructions to make the replacement of a text. Its kind and the rest of it are stored beside each other.
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
    /// The child among the result's blocks, from 0, and the first byte of a range of its raw text and that past the last.
    Text(usize, u32, u32),
    /// The same of the printed JSON of a child whose text is not a string.
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
    /// Returns the recipe of an accepted cut at `block`; `None` for a list that was ranked, which is ranked anew.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn of(
        view: &View<'_>,
        message: u32,
        block: u32,
        action: &Action,
    ) -> Result<Option<Recipe>, crate::Error> {
        match action {
            Action::Clear(text) => Ok(Some(Recipe::Clear {
                text: text.to_string(),
            })),
            Action::Drop => Ok(Some(Recipe::Drop {})),
            Action::DropMessage => Ok(Some(Recipe::DropMessage {})),
            Action::Rewrite(_) => Ok(None),
            Action::ClearInput(rewrite) => Ok(rewrite::recipe(view, block, rewrite)),
            Action::Trim(segments) => {
                let printed = printed(view, message, block)?;
                let parts: Option<Vec<Part>> = segments
                    .iter()
                    .map(|segment| part(view, block, segment, &printed))
                    .collect();
                Ok(parts.map(Recipe::Trim))
            }
        }
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

    /// Returns the action on the result at `block` and the chars after it; `None` if the source lacks a part.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn action(
        &self,
        view: &View<'_>,
        message: u32,
        block: u32,
    ) -> Result<Option<(Action, u64)>, crate::Error> {
        match self {
            Recipe::Clear { text } => Ok(Some((
                Action::Clear(text.as_str().into()),
                view.chars_of_text(text),
            ))),
            Recipe::Drop {} => Ok(Some((Action::Drop, 0))),
            Recipe::DropMessage {} => Ok(Some((Action::DropMessage, 0))),
            Recipe::Rewrite { from, to, parts } => {
                Ok(rewrite::action(view, block, (*from, *to), parts))
            }
            Recipe::Trim(parts) => {
                let printed = printed(view, message, block)?;
                let (mut segments, mut bytes, mut at) =
                    (Vec::with_capacity(parts.len()), Vec::new(), 0);
                for part in parts {
                    let segment = match part {
                        Part::Literal(text) => Some(Segment::Literal(text.clone())),
                        Part::Text(child, from, to) => {
                            text_segment(view, block, *child, *from, *to, &mut at)
                        }
                        Part::Malformed(child, from, to, _) => printed
                            .iter()
                            .find(|(at, _)| at == child)
                            .and_then(|(_, text)| {
                                Some(Segment::Literal(text.get(*from..*to)?.to_owned()))
                            }),
                    };
                    let Some(segment) = segment else {
                        return Ok(None);
                    };
                    match &segment {
                        Segment::Literal(text) => bytes.extend_from_slice(text.as_bytes()),
                        Segment::Source(span) => {
                            bytes.extend_from_slice(&view.bytes(message as usize, *span)?);
                        }
                    }
                    segments.push(segment);
                }
                Ok(Some((Action::Trim(segments), view.chars_of_raw(&bytes))))
            }
        }
    }
}

/// Returns a range of a child's raw text, if the child is that long and the range follows those before it.
fn text_segment(
    view: &View<'_>,
    block: u32,
    child: usize,
    from: u32,
    to: u32,
    at: &mut u32,
) -> Option<Segment> {
    let child = view
        .children(block)
        .get(child)
        .filter(|c| c.kind == BlockKind::Text)?;
    let start = child.span.start.checked_add(1)?.checked_add(from)?;
    let end = child.span.start.checked_add(1)?.checked_add(to)?;
    if start > end || end >= child.span.end || start < *at {
        return None;
    }
    *at = end;
    Some(Segment::Source(Span { start, end }))
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
            view.children(block)
                .iter()
                .enumerate()
                .find_map(|(child, found)| {
                    let inside = found.kind == BlockKind::Text
                        && found.span.start < span.start
                        && span.end < found.span.end;
                    let first = found.span.start + 1;
                    inside.then(|| Part::Text(child, span.start - first, span.end - first))
                })
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
fn printed(
    view: &View<'_>,
    message: u32,
    block: u32,
) -> Result<Vec<(usize, String)>, crate::Error> {
    let mut printed = Vec::new();
    for (child, found) in view
        .children(block)
        .iter()
        .enumerate()
        .filter(|(_, c)| c.kind == BlockKind::Malformed)
    {
        let json = view.bytes(message as usize, found.span)?;
        printed.push((
            child,
            String::from_utf8_lossy(&crate::pass::malformed::malformed(&json)).into_owned(),
        ));
    }
    Ok(printed)
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
