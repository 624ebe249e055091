//! Parts of messages in dialects of OpenAI's chat: Cohere's documents, Mistral's lists of thoughts, Ollama's images.

use crate::dialect::builder::TranscriptBuilder;
use crate::json::{Cursor, Kind, Scanned, Text, stringify};
use crate::transcript::{BlockKind, Span};

/// A document in a result of Cohere's: `{data, id}`.
pub enum Document<'a> {
    /// A string.
    Text(Text<'a>),
    /// An object: where it is, and its chars as JSON.
    Json(Span, usize),
    /// Nothing that is known.
    Other,
}

/// Reads a document.
///
/// # Errors
/// It is malformed JSON.
pub fn document<'a>(cursor: &mut Cursor<'a>) -> Scanned<Document<'a>> {
    let mut found = Document::Other;
    cursor.each_member(|key, cursor| {
        match (key, cursor.kind()?) {
            (b"data", Kind::String) => found = Document::Text(cursor.text()?),
            (b"data", Kind::Object) => {
                let from = cursor.at();
                let chars = stringify::length(cursor)?;
                found = Document::Json(cursor.span_from(from), chars);
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
