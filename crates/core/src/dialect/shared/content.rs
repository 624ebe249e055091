//! Reads a `content`: a string, or an array of typed blocks. Also parts of messages in dialects of
//! OpenAI's chat: Cohere's documents, Mistral's lists of thoughts, Ollama's images.

use crate::dialect::{reading::*, shared::block::block};

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
pub fn content(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned<Content> {
    content_of(cursor, ContentParent::Message, builder)
}

/// The parent of a content. The contents of blocks inside a block's content are not read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContentParent {
    /// A message's.
    #[default]
    Message,
    /// An item: the type of a text shows its direction.
    Item,
    /// A block's, as of a result.
    Block,
}

/// Reads the content of a message or of a block.
///
/// # Errors
/// The value is malformed JSON.
pub fn content_of(
    cursor: &mut Cursor<'_>,
    parent: ContentParent,
    builder: &mut TranscriptBuilder,
) -> Scanned<Content> {
    let kind = cursor.kind()?;
    let from = cursor.at();
    match kind {
        Kind::String => {
            let found = cursor.text()?;
            builder.text(&found, 0, false);
            Ok(Content::String(found.span))
        }
        Kind::Array => {
            cursor.each_element(|part, cursor| block(cursor, part, parent, builder))?;
            Ok(Content::Array(cursor.span_from(from)))
        }
        Kind::Null => cursor.skip().map(|_| Content::Absent),
        _ => cursor.skip().map(|_| Content::Odd(cursor.span_from(from))),
    }
}

/// Chars of the texts in an array of `{type, text}`, as reasoning has them.
pub fn texts(cursor: &mut Cursor<'_>, builder: &TranscriptBuilder) -> Scanned<usize> {
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

/// A document in a result of Cohere's: `{data, id}`.
pub enum Document<'a> {
    /// A string.
    Text(Text<'a>),
    /// An object: where it is, and its chars as JSON.
    Json(Span, usize),
}

/// Reads a document; a value of an unknown kind is skipped.
///
/// # Errors
/// It is malformed JSON.
pub fn document<'a>(cursor: &mut Cursor<'a>) -> Scanned<Option<Document<'a>>> {
    let mut found = None;
    cursor.each_member(|key, cursor| {
        match (key, cursor.kind()?) {
            (b"data", Kind::String) => found = Some(Document::Text(cursor.text()?)),
            (b"data", Kind::Object) => {
                let from = cursor.at();
                let chars = stringify::length(cursor)?;
                found = Some(Document::Json(cursor.span_from(from), chars));
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(found)
}

/// Reads Ollama's `images`, which are beside the content.
pub fn images(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    cursor.each_element(|part, cursor| {
        let span = cursor.skip_span()?;
        builder.plain_block(BlockKind::Image, part + 1, span, 0);
        Ok(())
    })
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
        assert!(content(&mut Cursor::new(deep.as_bytes()), &mut builder).is_ok());
        assert!(builder.blocks.len() < 4);
    }
}
