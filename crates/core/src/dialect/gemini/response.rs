//! Gemini's `functionResponse`: a result whose content is an object.
//!
//! The object's text is its member `output`, `result`, `content`, `error` or `text` when that is a string and no other
//! member holds more than a number or a word: it is cut where it is, and its key stays. Any other object counts as
//! its JSON and gives way to `{"output":"…"}`, or to `{"error":"…"}` where it has an `error`, so that a failure is still
//! one. Images beside the object (`parts`) go with it when they come directly after it; else the response is left.

use crate::dialect::ResultForm;
use crate::dialect::builder::{CallId, TranscriptBuilder};
use crate::dialect::gemini::is_image;
use crate::json::{Cursor, Kind, Scanned, Text, stringify};
use crate::transcript::{BlockKind, Fault, Flags, NoteKind, ResultTemplate, Span};
use std::borrow::Cow;

/// Responses are objects with one text.
pub const RESULTS: ResultForm = ResultForm {
    template: ResultTemplate {
        open_error: r#"{"error":""#,
        ..ResultTemplate::of(r#"{"output":""#, r#""}"#)
    },
    read: |cursor, builder| {
        let value = Value::read(cursor)?;
        value.push(cursor, 0, builder)
    },
};

/// A response that was read and is not yet in the builder.
#[derive(Default)]
pub struct Response<'a> {
    call: CallId,
    name: Cow<'a, str>,
    value: Option<Value<'a>>,
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
    pub fn read(cursor: &mut Cursor<'a>) -> Scanned<Response<'a>> {
        let mut response = Response::default();
        let mut after_value = false;
        cursor.each_member(|key, cursor| {
            let follows = std::mem::take(&mut after_value);
            match key {
                b"id" => response.call = id(cursor)?,
                b"name" => response.name = cursor.string_or_skip()?.unwrap_or_default(),
                b"response" => {
                    response.odd = !matches!(cursor.kind()?, Kind::Object | Kind::Null);
                    response.value = Some(Value::read(cursor)?);
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

    /// Returns the member without which it is not understood: the name of the function, or the value where its words are elsewhere.
    pub fn lacks(&self) -> Option<&'static str> {
        if self.name.is_empty() {
            Some("name")
        } else {
            let has_value = self.value.is_some() || !self.media.is_empty();
            (self.stray && !has_value).then_some("response")
        }
    }

    /// Pushes the result and its children; `span` is the part that holds it.
    ///
    /// # Errors
    /// Its value is malformed JSON.
    pub fn push(
        self,
        cursor: &Cursor<'_>,
        part: usize,
        span: Span,
        builder: &mut TranscriptBuilder,
    ) -> Scanned {
        let index = builder.blocks.len();
        builder.plain_block(BlockKind::Result, part, span, 0);
        let mut content = Span::default();
        let mut flags = Flags::default();
        match self.value {
            Some(value) if value.body.is_some() => {
                content = value.span;
                flags = flags
                    .with(Flags::ERROR, value.error)
                    .with(Flags::STRING, matches!(value.body, Some(Body::String(_))));
                value.push(cursor, 0, builder)?;
            }
            _ => flags = flags.with(Flags::ABSENT, true),
        }
        if self.odd {
            builder.note(index, NoteKind::Fault(Fault::NoObject));
        }
        for (i, (at, image)) in self.media.iter().enumerate() {
            let (kind, chars) = if *image {
                (BlockKind::Image, 0)
            } else {
                (BlockKind::Other, at.len())
            };
            builder.plain_block(kind, i + 1, *at, chars);
        }
        match self.tail {
            _ if self.media.is_empty() => {}
            Some(end) if !flags.has(Flags::STRING) => content.end = end,
            // A cut could not take the images with it: nothing of this response is cut.
            _ => builder.plain_block(BlockKind::Other, self.media.len() + 1, span, 0),
        }
        let children = builder.blocks.len() - index - 1;
        let link = builder.link(self.call, &self.name, children, content);
        (builder.blocks[index].flags, builder.blocks[index].extra) = (flags, link as u32);
        Ok(())
    }
}

/// The value of `response`, or another object that says what a tool said.
pub struct Value<'a> {
    span: Span,
    /// The kind of the value, by which a cut replaces it; `None` for a value that Google does not accept.
    body: Option<Body<'a>>,
    error: bool,
}

enum Body<'a> {
    /// An object with one text.
    Text(Text<'a>),
    /// A string in place of the object.
    String(Text<'a>),
    /// Any other object.
    Json,
}

impl<'a> Value<'a> {
    /// Reads the value at the cursor.
    ///
    /// # Errors
    /// It is malformed JSON.
    pub fn read(cursor: &mut Cursor<'a>) -> Scanned<Value<'a>> {
        let kind = cursor.kind()?;
        let from = cursor.at();
        let (body, error) = match kind {
            Kind::Object => object(cursor)?,
            Kind::String => (Some(Body::String(cursor.text()?)), false),
            _ => {
                cursor.skip()?;
                (None, false)
            }
        };
        Ok(Value {
            span: cursor.span_from(from),
            body,
            error,
        })
    }

    /// Pushes the block that it is.
    ///
    /// # Errors
    /// It is malformed JSON.
    pub fn push(
        self,
        cursor: &Cursor<'_>,
        part: usize,
        builder: &mut TranscriptBuilder,
    ) -> Scanned {
        match &self.body {
            Some(Body::Text(found) | Body::String(found)) => {
                builder.text(found, part, false);
            }
            Some(Body::Json) => {
                let json = self.span.of(cursor.record_bytes());
                let chars = stringify::length(&mut Cursor::new(json))?;
                builder.plain_block(BlockKind::Malformed, part, self.span, chars);
            }
            None => {}
        }
        Ok(())
    }
}

/// Reads an object: its one text if it has just one, and whether it says an error.
fn object<'a>(cursor: &mut Cursor<'a>) -> Scanned<(Option<Body<'a>>, bool)> {
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
    Ok((
        Some(text.filter(|_| !more).map_or(Body::Json, Body::Text)),
        error,
    ))
}

/// Reads the `parts` of a response.
fn media(cursor: &mut Cursor<'_>) -> Scanned<Vec<(Span, bool)>> {
    let mut found = Vec::new();
    cursor.each_element(|_, cursor| {
        let kind = cursor.kind()?;
        let from = cursor.at();
        let mut image = false;
        if kind == Kind::Object {
            cursor.each_member(|key, cursor| {
                let data = matches!(
                    key,
                    b"inlineData" | b"inline_data" | b"fileData" | b"file_data"
                );
                if data && cursor.kind()? == Kind::Object {
                    image = is_image(cursor)?;
                }
                Ok(())
            })?;
        } else {
            cursor.skip()?;
        }
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
