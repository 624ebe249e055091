//! The parts of a body outside its messages: the system prompt in each provider's form, and lists of documents.

use crate::dialect::builder::TranscriptBuilder;
use crate::dialect::shared::declared::cache_mark;
use crate::json::{Cursor, Kind, Scanned};
use crate::transcript::OutsideKind;

/// Nesting of a prompt: a content has parts, a part a text.
const DEPTH: usize = 3;

/// Reads a system prompt: a string, an array of strings or of objects with a `text`, or an object with `parts`. Returns its
/// cache marks: whether each is for an hour. Of two prompts the last counts.
///
/// # Errors
/// The value is malformed JSON.
pub fn prompt(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned<Vec<bool>> {
    builder
        .request
        .outside
        .retain(|outside| outside.kind != OutsideKind::Prompt);
    let first = builder.request.outside.len();
    let mut marks = Vec::new();
    texts(cursor, first, DEPTH, &mut marks, builder)?;
    Ok(marks)
}

fn texts(
    cursor: &mut Cursor<'_>,
    first: usize,
    depth: usize,
    marks: &mut Vec<bool>,
    builder: &mut TranscriptBuilder,
) -> Scanned {
    match cursor.kind()? {
        Kind::String => {
            let found = cursor.text()?;
            builder.outside(OutsideKind::Prompt, found.span, false);
        }
        Kind::Array if depth > 0 => {
            cursor.each_element(|_, cursor| texts(cursor, first, depth - 1, marks, builder))?;
        }
        Kind::Object if depth > 0 => {
            let mut marked = false;
            cursor.each_member(|key, cursor| {
                match key {
                    b"text" | b"parts" | b"content" => {
                        texts(cursor, first, depth - 1, marks, builder)?
                    }
                    b"cache_control" | b"cachePoint" => {
                        let mark = cache_mark(cursor)?;
                        marked |= mark.is_some();
                        marks.extend(mark);
                    }
                    _ => {}
                }
                Ok(())
            })?;
            if marked {
                // What is cached reaches from the beginning to the mark.
                builder.request.outside[first..]
                    .iter_mut()
                    .for_each(|outside| outside.marked = true);
            }
        }
        _ => drop(cursor.skip()?),
    }
    Ok(())
}

/// Reads a list of documents. Of two the last counts.
///
/// # Errors
/// The value is malformed JSON.
pub fn documents(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    builder
        .request
        .outside
        .retain(|outside| outside.kind != OutsideKind::Documents);
    let span = cursor.skip_span()?;
    builder.outside(OutsideKind::Documents, span, false);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Estimator;

    #[test]
    fn prompts_of_every_shape() {
        for (json, want, marks) in [
            (r#""a""#, vec![("\"a\"", false)], 0),
            (
                r#"[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#,
                vec![("\"a\"", false), ("\"b\"", false)],
                0,
            ),
            (
                r#"[{"type":"text","text":"a"},{"type":"text","text":"b","cache_control":{"type":"ephemeral"}},{"type":"text","text":"c"}]"#,
                vec![("\"a\"", true), ("\"b\"", true), ("\"c\"", false)],
                1,
            ),
            (
                r#"[{"cache_control":{"ttl":"1h"},"text":"a"}]"#,
                vec![("\"a\"", true)],
                1,
            ),
            (r#"{"parts":[{"text":"a"}]}"#, vec![("\"a\"", false)], 0),
            (
                r#"{"parts":{"text":"a"},"role":"system"}"#,
                vec![("\"a\"", false)],
                0,
            ),
            (
                r#"[{"text":"a"},{"cachePoint":{"type":"default"}}]"#,
                vec![("\"a\"", true)],
                1,
            ),
            ("null", vec![], 0),
            (r#"[[[[["deep"]]]]]"#, vec![], 0),
        ] {
            let mut builder = TranscriptBuilder::new(Estimator::Utf16);
            builder.begin(0, 1);
            let found = prompt(&mut Cursor::new(json.as_bytes()), &mut builder).unwrap();
            let reported: Vec<_> = builder
                .request
                .outside
                .iter()
                .map(|o| (&json[o.span.start as usize..o.span.end as usize], o.marked))
                .collect();
            assert_eq!((reported, found.len()), (want, marks), "{json}");
        }
    }
}
