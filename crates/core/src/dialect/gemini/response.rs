//! Gemini's `functionResponse`: a result whose content is an object.
//!
//! The object's text is its member `output`, `result`, `content`, `error` or `text` when that is a
//! string and no other member holds more than a number or a word: it is cut where it is, and its
//! key stays. Any other object counts as its JSON and gives way to `{"output":"…"}`, or to
//! `{"error":"…"}` where it has an `error`, so that a failure is still one. Images beside the
//! object (`parts`) go with it when they come directly after it; else the response is left.

use crate::dialect::{
    ResultForm,
    gemini::{is_image, is_media},
    reading::*,
    shared::result,
};

/// Responses are objects with one text.
pub const RESULTS: ResultForm = ResultForm {
    template: ResultTemplate {
        open_error: r#"{"error":""#,
        ..ResultTemplate::of(r#"{"output":""#, r#""}"#)
    },
    read: |cursor, builder| value(cursor, 0, builder).map(drop),
};

/// A response that was read. Its value is in the builder, behind the block that is kept for the
/// result.
#[derive(Default)]
pub struct Response<'a> {
    call: CallId,
    name: Option<Cow<'a, str>>,
    /// The place and the shape of the value.
    value: Option<(Span, Flags)>,
    /// Whether the value is no object.
    odd: bool,
    /// The spans of the parts beside the value, and whether each part is an image.
    media: Vec<(Span, bool)>,
    /// Whether it has a member that is not known.
    stray: bool,
    /// The byte of the record at which `parts` ends, where `parts` directly follows the value.
    tail: Option<u32>,
}

impl<'a> Response<'a> {
    /// Reads the object of a `functionResponse`.
    ///
    /// # Errors
    /// It is malformed JSON.
    pub fn read(cursor: &mut Cursor<'a>, builder: &mut TranscriptBuilder) -> Scanned<Response<'a>> {
        let mut response = Response::default();
        let (first, mut after_value) = (builder.blocks.len(), false);
        cursor.each_member(|key, cursor| {
            let follows = std::mem::take(&mut after_value);
            match key {
                b"id" => response.call = id(cursor)?,
                b"name" => response.name = cursor.string_or_skip()?,
                b"response" => {
                    response.odd = !matches!(cursor.kind()?, Kind::Object | Kind::Null);
                    builder.blocks.truncate(first);
                    response.value = Some(value(cursor, 0, builder)?);
                    response.tail = None;
                    after_value = true;
                }
                b"parts" if cursor.kind()? == Kind::Array => {
                    response.media = media(cursor)?;
                    response.tail = follows.then_some(cursor.offset());
                }
                b"scheduling" => {}
                _ => {
                    response.stray |=
                        matches!(cursor.skip()?, Kind::Object | Kind::Array | Kind::String)
                }
            }
            Ok(())
        })?;
        Ok(response)
    }

    /// Returns the missing member for which it is not understood: the name of the function, or the
    /// value if its text is elsewhere.
    pub fn lacks(&self) -> Option<&'static str> {
        if self.name.is_none() {
            Some("name")
        } else {
            let has_value = self.value.is_some() || !self.media.is_empty();
            (self.stray && !has_value).then_some("response")
        }
    }

    /// Makes the block at `index`, behind which its value is, the result; `span` is the part that
    /// holds it.
    pub fn push(self, index: usize, span: Span, builder: &mut TranscriptBuilder) {
        let (mut content, shape) = self.value.unwrap_or((Span::default(), Flags::ABSENT));
        if self.odd {
            builder.note(index, NoteKind::Fault(Fault::NoObject));
        }
        for (&(at, image), part) in self.media.iter().zip(1..) {
            if image {
                builder.plain_block(BlockKind::Image, part, at, 0);
            } else {
                builder.other_block(part, at);
            }
        }
        match self.tail {
            _ if self.media.is_empty() => {}
            Some(end) if !shape.has(Flags::STRING) => content.end = end,
            // A cut could not take the images with it: nothing of this response is cut.
            _ => builder.plain_block(BlockKind::Other, self.media.len() + 1, span, 0),
        }
        result(
            builder,
            index,
            span,
            (content, shape),
            self.call,
            self.name.as_deref().unwrap_or_default(),
        );
    }
}

/// Reads the value of `response`, or of another member with the output of a tool, and pushes its
/// block. Returns its place and its shape: a value of a kind that Google does not accept is absent.
///
/// # Errors
/// It is malformed JSON.
pub fn value(
    cursor: &mut Cursor<'_>,
    part: usize,
    builder: &mut TranscriptBuilder,
) -> Scanned<(Span, Flags)> {
    let from = cursor.next_at();
    let shape = match cursor.kind()? {
        Kind::Object => {
            let (text, error) = object(cursor)?;
            let span = cursor.span_from(from);
            if let Some(found) = text {
                builder.text(&found, part, false);
            } else {
                let json = span.of(cursor.record_bytes());
                let chars = stringify::length(&mut Cursor::new(json))?;
                builder.plain_block(BlockKind::Malformed, part, span, chars);
            }
            Flags::default().with(Flags::ERROR, error)
        }
        Kind::String => {
            builder.text(&cursor.text()?, part, false);
            Flags::STRING
        }
        _ => {
            cursor.skip()?;
            return Ok((Span::default(), Flags::ABSENT));
        }
    };
    Ok((cursor.span_from(from), shape))
}

/// Reads an object: its one text if it has just one, and whether it says an error.
fn object<'a>(cursor: &mut Cursor<'a>) -> Scanned<(Option<Text<'a>>, bool)> {
    let (mut text, mut more, mut error): (Option<Text<'a>>, _, _) = (None, false, false);
    cursor.each_member(|key, cursor| {
        let named = matches!(key, b"output" | b"result" | b"content" | b"error" | b"text");
        let kind = cursor.kind()?;
        let from = cursor.at();
        let filled = if kind == Kind::String {
            let found = cursor.text()?;
            let filled = !found.raw.is_empty();
            if named && text.as_ref().is_none_or(|t| t.raw.is_empty()) {
                text = Some(found);
            } else {
                more |= filled;
            }
            filled
        } else {
            cursor.skip()?;
            // An empty list or object says nothing.
            let filled = !matches!(kind, Kind::Null | Kind::False) && cursor.at() - from > 2;
            more |= filled && matches!(kind, Kind::Object | Kind::Array);
            filled
        };
        if key == b"error" {
            error = filled;
        }
        Ok(())
    })?;
    Ok((text.filter(|_| !more), error))
}

/// Reads the `parts` of a response.
fn media(cursor: &mut Cursor<'_>) -> Scanned<Vec<(Span, bool)>> {
    let mut found = Vec::new();
    cursor.each_element(|_, cursor| {
        let (from, mut image) = (cursor.next_at(), false);
        cursor.each_member(|key, cursor| {
            if is_media(key) && cursor.kind()? == Kind::Object {
                image = is_image(cursor)?;
            }
            Ok(())
        })?;
        found.push((cursor.span_from(from), image));
        Ok(())
    })?;
    Ok(found)
}

/// Reads an id; an empty one is none.
pub fn id(cursor: &mut Cursor<'_>) -> Scanned<CallId> {
    let id = CallId::read(cursor)?;
    Ok(if id.span.is_empty() {
        CallId::default()
    } else {
        id
    })
}
