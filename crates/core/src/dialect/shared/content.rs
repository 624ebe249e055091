//! Reads a `content`: a string, or an array of typed blocks.

use crate::dialect::builder::TranscriptBuilder;
use crate::dialect::shared::block::block;
use crate::estimate;
use crate::json::{Cursor, Kind, ScanError, Text, text};
use crate::transcript::{BlockKind, Flags, Span};

/// A `content`: its place and form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Content {
    /// No such member, or null.
    #[default]
    Absent,
    /// A string.
    String(Span),
    /// An array of blocks.
    Array(Span),
    /// Something else.
    Odd(Span),
}

/// Reads a `content` value: pushes its blocks and returns where it is.
///
/// # Errors
/// The value is malformed JSON.
pub fn content(
    cursor: &mut Cursor<'_>,
    origin: usize,
    builder: &mut TranscriptBuilder,
) -> Result<Content, ScanError> {
    content_of(cursor, origin, ContentParent::Message, builder)
}

/// The parent of a content. The contents of blocks inside a block's content are not read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContentParent {
    /// A message's.
    #[default]
    Message,
    /// An item's, in which a text says which direction it has.
    Item,
    /// A block's, as of a result.
    Block,
}

/// The same for the content of a message or of a block.
///
/// # Errors
/// The value is malformed JSON.
pub fn content_of(
    cursor: &mut Cursor<'_>,
    origin: usize,
    parent: ContentParent,
    builder: &mut TranscriptBuilder,
) -> Result<Content, ScanError> {
    let kind = cursor.kind()?;
    let from = cursor.at();
    let span = |cursor: &Cursor<'_>| Span {
        start: (from - origin) as u32,
        end: (cursor.at() - origin) as u32,
    };
    match kind {
        Kind::String => {
            let found = cursor.text()?;
            push_text(builder, &found, 0, origin, false);
            Ok(Content::String(string_span(&found, origin)))
        }
        Kind::Array => {
            cursor.each_element(|part, cursor| block(cursor, origin, part, parent, builder))?;
            Ok(Content::Array(span(cursor)))
        }
        Kind::Null => cursor.skip().map(|_| Content::Absent),
        _ => cursor.skip().map(|_| Content::Odd(span(cursor))),
    }
}

/// Pushes a block of a text in the record that begins at byte `origin` of the cursor.
pub fn push_text(
    builder: &mut TranscriptBuilder,
    found: &Text<'_>,
    part: usize,
    origin: usize,
    mark: bool,
) {
    let blank = found.units < 64 && text::is_blank(found.raw);
    let flags = Flags::default()
        .with(Flags::CACHE_MARK, mark)
        .with(Flags::BLANK, blank)
        .with(
            Flags::TRAILING,
            text::trimmed_len(found.raw) < found.raw.len(),
        )
        .with(Flags::TRIMMED, crate::transcript::ends_with_note(found.raw));
    let extra = estimate::extra(found, builder.estimator);
    builder.block(
        BlockKind::Text,
        flags,
        part,
        string_span(found, origin),
        found.units,
        extra,
    );
}

/// The span of a string in its record, quotes included.
pub fn string_span(found: &Text<'_>, origin: usize) -> Span {
    let start = found.start - origin;
    Span {
        start: start as u32 - 1,
        end: (start + found.raw.len()) as u32 + 1,
    }
}

/// The span in its record from byte `from` of the cursor to where that is.
pub fn span_from(cursor: &Cursor<'_>, from: usize, origin: usize) -> Span {
    Span {
        start: (from - origin) as u32,
        end: (cursor.at() - origin) as u32,
    }
}

/// Skips the value that comes next; returns its span.
///
/// # Errors
/// It is malformed JSON.
pub fn skip_span(cursor: &mut Cursor<'_>, origin: usize) -> Result<Span, ScanError> {
    cursor.peek();
    let from = cursor.at();
    cursor.skip()?;
    Ok(span_from(cursor, from, origin))
}

/// Chars of the texts in an array of `{type, text}`, as reasoning has them.
pub fn texts(cursor: &mut Cursor<'_>, builder: &TranscriptBuilder) -> Result<usize, ScanError> {
    let mut chars = 0;
    cursor.each_object(|_, cursor| {
        cursor.member(b"text", |cursor| {
            if cursor.kind()? == Kind::String {
                let found = cursor.text()?;
                chars += builder.chars_of(&found);
            }
            Ok(())
        })
    })?;
    Ok(chars)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Estimator;

    #[test]
    fn results_inside_of_results_end() {
        let deep = [
            r#"[{"type":"tool_result","content":"#.repeat(60_000),
            "1".to_owned(),
            "}]".repeat(60_000),
        ]
        .concat();
        let mut builder = TranscriptBuilder::new(Estimator::Utf16);
        assert!(content(&mut Cursor::new(deep.as_bytes()), 0, &mut builder).is_ok());
        assert!(builder.blocks.len() < 4);
    }
}
