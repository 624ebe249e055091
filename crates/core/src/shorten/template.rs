//! Templates: a text with names in braces, which are replaced by facts and counts.
//!
//! | name | value |
//! |---|---|
//! | `{tool}` | the tool |
//! | `{chars}`, `{tokens}`, `{lines}` | the size of the whole text: UTF-16 units, tokens, lines |
//! | `{splitlines}` | lines as Python's `splitlines` counts them |
//! | `{removed}` | what is not kept, in the measure of the limit |
//! | `{excess}` | by how much the text is larger than the limit |
//! | `{head}`, `{tail}` | what is kept |
//! | `{ref}` | the name of what is not kept: `deadhead show` finds it in a sidecar |
//!
//! Braces around anything else stay; a step that has another name in them is refused.

use super::{Segment, joined, size};
use crate::{
    estimate::CHARS_PER_TOKEN,
    settings::{Measure, Size, TEMPLATE_NAMES},
};
use sha2::{Digest, Sha256};
use std::ops::Range;

/// A piece of a template.
#[derive(Clone, Debug)]
pub enum Field {
    /// A text that comes out as it is.
    Literal(String),
    /// A value, by its name of [`TEMPLATE_NAMES`].
    Value(&'static str),
}

/// A text with names in braces.
#[derive(Clone, Debug)]
pub struct Template {
    /// Its pieces, in order.
    pub fields: Vec<Field>,
}

impl Template {
    /// Reads a template. Every text is a template.
    pub fn new(text: &str) -> Template {
        let (mut fields, mut literal, mut rest) = (Vec::new(), String::new(), text);
        while let Some(at) = rest.find('{') {
            let (plain, from) = rest.split_at(at);
            literal.push_str(plain);
            let named = from.split_once('}').and_then(|(name, behind)| {
                let mut names = TEMPLATE_NAMES.into_iter();
                Some((names.find(|known| *known == &name[1..])?, behind))
            });
            let Some((name, behind)) = named else {
                literal.push('{');
                rest = &from[1..];
                continue;
            };
            if !literal.is_empty() {
                fields.push(Field::Literal(std::mem::take(&mut literal)));
            }
            fields.push(Field::Value(name));
            rest = behind;
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            fields.push(Field::Literal(literal));
        }
        Template { fields }
    }

    /// Whether it gives the same output for every text.
    pub fn is_constant(&self) -> bool {
        self.fields
            .iter()
            .all(|field| matches!(field, Field::Literal(_)))
    }

    /// Returns the text with which every new text ends; empty if that differs.
    pub fn end(&self) -> &str {
        if let Some(Field::Literal(end)) = self.fields.last() {
            end
        } else {
            ""
        }
    }

    /// Whether `text` may be an output of the template: it consists of the texts between the names,
    /// in their order, with anything in place of the names.
    pub fn fits(&self, text: &str) -> bool {
        let is_value = |field: &Field| matches!(field, Field::Value(_));
        if self.fields.iter().all(is_value) {
            return false;
        }
        let (mut rest, mut open) = (text, false);
        for (i, field) in self.fields.iter().enumerate() {
            let Field::Literal(literal) = field else {
                open = true;
                continue;
            };
            let last = i + 1 == self.fields.len();
            let found = match (open, last) {
                (false, false) => rest.strip_prefix(literal.as_str()),
                (false, true) => return rest == literal,
                (true, true) => return rest.ends_with(literal.as_str()),
                (true, false) => rest.split_once(literal.as_str()).map(|(_, behind)| behind),
            };
            let Some(behind) = found else { return false };
            (rest, open) = (behind, false);
        }
        open || rest.is_empty()
    }

    /// Returns the new text for `text`, a result of `tool` of which nothing is kept.
    pub fn of(&self, text: &str, tool: &str) -> String {
        let whole = Size {
            unit: Measure::Chars,
            number: 0.0,
        };
        let end = text.len()..text.len();
        joined(text, &self.filled(text, tool, whole, 0..0, end))
    }

    /// Returns the new text for `text`, which is over `limit`, and of which `head` and `tail` are
    /// kept.
    pub fn filled(
        &self,
        text: &str,
        tool: &str,
        limit: Size,
        head: Range<usize>,
        tail: Range<usize>,
    ) -> Vec<Segment> {
        let removed = &text[head.end..tail.start.max(head.end)];
        let mut segments: Vec<Segment> = Vec::new();
        for field in &self.fields {
            let new = match field {
                Field::Literal(literal) => literal.clone(),
                Field::Value("head") => {
                    segments.push(Segment::Kept(head.clone()));
                    continue;
                }
                Field::Value("tail") => {
                    segments.push(Segment::Kept(tail.clone()));
                    continue;
                }
                Field::Value("tool") => tool.to_owned(),
                Field::Value("chars") => size(text, Measure::Chars).to_string(),
                Field::Value("tokens") => size(text, Measure::Tokens).to_string(),
                Field::Value("lines") => size(text, Measure::Lines).to_string(),
                Field::Value("splitlines") => split_lines(text).to_string(),
                Field::Value("removed") => {
                    // The line feeds between it and the kept parts end lines on either side.
                    let lines = limit.unit == Measure::Lines;
                    let (is_behind, is_before) = (!head.is_empty(), tail.start < text.len());
                    let inner = removed
                        .strip_prefix('\n')
                        .filter(|_| lines && is_behind)
                        .unwrap_or(removed);
                    let whole = inner.strip_suffix('\n').filter(|_| lines && is_before);
                    size(whole.unwrap_or(inner), limit.unit).to_string()
                }
                Field::Value("excess") => excess(text, limit).to_string(),
                Field::Value(_) => reference(removed.as_bytes()),
            };
            match segments.last_mut() {
                _ if new.is_empty() => {}
                Some(Segment::New(last)) => last.push_str(&new),
                _ => segments.push(Segment::New(new)),
            }
        }
        segments
    }
}

/// Returns the name of a cut text: the first twelve digits of its SHA-256.
pub fn reference(text: &[u8]) -> String {
    let digest = format!("{:x}", Sha256::digest(text));
    digest[..12].to_owned()
}

/// Returns the number of lines of `text` as Python's `splitlines` counts them: a line break at the
/// end begins no line.
fn split_lines(text: &str) -> usize {
    let is_break = |c: char| {
        matches!(
            c,
            '\n' | '\r' | '\x0b' | '\x0c' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}'
        )
    };
    let lines = text.replace("\r\n", "\n").split(is_break).count();
    if text.is_empty() || text.ends_with(is_break) {
        lines - 1
    } else {
        lines
    }
}

/// Returns by how much `text` is larger than `limit`; in tokens, as many as the excess bytes make.
fn excess(text: &str, limit: Size) -> u64 {
    let number = limit.number as u64;
    match limit.unit {
        Measure::Tokens => {
            let bytes = number.saturating_mul(CHARS_PER_TOKEN);
            (text.len() as u64)
                .saturating_sub(bytes)
                .div_ceil(CHARS_PER_TOKEN)
        }
        measure => size(text, measure).saturating_sub(number),
    }
}
