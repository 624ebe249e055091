//! Parts of messages in dialects of OpenAI's chat: Cohere's documents, Mistral's lists of thoughts, Ollama's images.

use crate::dialect::builder::TranscriptBuilder;
use crate::dialect::shared::{skip_span, span_from};
use crate::json::{Cursor, Kind, ScanError, Text, stringify};
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
pub fn document<'a>(cursor: &mut Cursor<'a>, origin: usize) -> Result<Document<'a>, ScanError> {
    let mut found = Document::Other;
    cursor.each_member(|key, cursor| {
        match (key, cursor.kind()?) {
            (b"data", Kind::String) => found = Document::Text(cursor.text()?),
            (b"data", Kind::Object) => {
                let from = cursor.at();
                let chars = stringify::length(cursor)?;
                found = Document::Json(span_from(cursor, from, origin), chars);
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(found)
}

/// Reads Ollama's `images`, which are beside the content.
pub fn images(
    cursor: &mut Cursor<'_>,
    origin: usize,
    builder: &mut TranscriptBuilder,
) -> Result<(), ScanError> {
    cursor.each_element(|part, cursor| {
        let span = skip_span(cursor, origin)?;
        builder.plain_block(BlockKind::Image, part + 1, span, 0);
        Ok(())
    })
}
