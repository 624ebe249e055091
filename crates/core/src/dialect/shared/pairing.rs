//! Links of calls to results: OpenAI's `tool_calls` or the older `function_call`, and messages that
//! are one result.

use crate::dialect::{
    reading::*,
    shared::{
        content::Content,
        unread::{foreign_key, kind_name},
    },
};

/// The link between a call and its result.
#[derive(Default)]
pub struct Pairing<'a> {
    /// The id that both name.
    pub call: CallId,
    /// The tool, where it is named.
    pub name: Option<Cow<'a, str>>,
    /// Whether the result is marked as an error.
    pub error: bool,
}

/// Makes the blocks since `first` the children of a Result block for `call` whose value is at
/// `span`.
pub fn answer(
    builder: &mut TranscriptBuilder,
    first: usize,
    span: Span,
    content: Content,
    call: CallId,
    tool: Option<&str>,
    error: bool,
) {
    builder.plain_block(BlockKind::Result, 0, span, 0);
    builder.blocks[first..].rotate_right(1);
    let notes = builder.notes.iter_mut().rev();
    notes
        .take_while(|note| note.block as usize >= first)
        .for_each(|note| note.block += 1);
    let (at, shape) = result_shape(content);
    let shape = shape.with(Flags::ERROR, error);
    result(builder, first, span, (at, shape), call, tool.unwrap_or(""));
}

/// Makes the block at `index`, a place that was kept, the result at `span`: its content, of this
/// place and shape, are the blocks behind it.
pub fn result(
    builder: &mut TranscriptBuilder,
    index: usize,
    span: Span,
    (content, shape): (Span, Flags),
    call: CallId,
    tool: &str,
) {
    let children = builder.blocks.len() - index - 1;
    let link = builder.link(call, tool, children, content);
    let place = &mut builder.blocks[index];
    (place.kind, place.span, place.extra) = (BlockKind::Result, span, link as u32);
    place.flags = place.flags.with(shape, true);
}

/// The span of a result's content and the flag for its shape.
pub fn result_shape(content: Content) -> (Span, Flags) {
    match content {
        Content::Array(span) => (span, Flags::default()),
        Content::String(span) => (span, Flags::STRING),
        Content::Odd(span) => (span, Flags::ABSENT),
        Content::Absent => (Span::default(), Flags::ABSENT),
    }
}

/// OpenAI's `tool_calls`; returns how many there are.
///
/// # Errors
/// The value is no array, or malformed JSON.
pub fn tool_calls(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned<usize> {
    let mut elements = cursor.enter_array()?;
    let mut part = 0;
    while cursor.element(&mut elements)? {
        let (from, kind) = (cursor.at(), cursor.kind()?);
        if kind != Kind::Object {
            let what = format!("{} in place of a call", kind_name(kind));
            builder.not_understood_at(usize::MAX, Level::Part, what);
            continue;
        }
        let (mut call, mut typed, mut signed) = (CallId::default(), false, false);
        let mut called = (None, NO_ARGUMENTS, false);
        cursor.each_member(|key, cursor| {
            match key {
                b"id" => call = CallId::read(cursor)?,
                b"type" => typed = true,
                b"function" | b"custom" if cursor.kind()? == Kind::Object => {
                    called = function(cursor)?;
                }
                // Where services put Gemini's signature.
                b"extra_content" | b"provider_specific_fields" | b"thought_signature" => {
                    signed = cursor.skip()? != Kind::Null
                }
                _ => {}
            }
            Ok(())
        })?;
        let (name, arguments, string) = called;
        let is_named = name.is_some();
        let name: Cow<'_, str> = name.unwrap_or_default();
        for (wrong, fault) in [
            (!string, Fault::NoString),
            (!typed, Fault::Untyped),
            (call.hash.is_none(), Fault::NoId),
            (name.is_empty(), Fault::NoFunction),
        ] {
            if wrong {
                builder.note(builder.blocks.len(), NoteKind::Fault(fault));
            }
        }
        if signed {
            builder.note(builder.blocks.len(), NoteKind::Signature);
        }
        // A missing function alone is a fault that has a rule of its own.
        if !is_named && let Some(instead) = foreign_key(cursor, from, "id type index")? {
            let what = format!("{instead} in a call without function.name");
            builder.not_understood(Level::Part, what);
        }
        if call.hash.is_none()
            && !builder.by_order
            && let Some(instead) =
                foreign_key(cursor, from, "id type index function custom extra_content")?
        {
            builder.not_understood(Level::Part, format!("{instead} in a call without id"));
        }
        builder.call(call, &name, part, cursor.span_from(from), arguments);
        part += 1;
    }
    Ok(part)
}

/// OpenAI's `function_call`, the one call that a message had before there were `tool_calls`. It has
/// no id: what answers it comes after it.
///
/// # Errors
/// The value is no object, or malformed JSON.
pub fn function_call(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let from = cursor.next_at();
    let (name, arguments, _) = function(cursor)?;
    builder.call(
        CallId::default(),
        &name.unwrap_or_default(),
        0,
        cursor.span_from(from),
        arguments,
    );
    Ok(())
}

/// Chars of missing arguments: they count as `{}`.
const NO_ARGUMENTS: usize = 2;

/// The name of the function that is called, the chars of its arguments, and whether these are a
/// string.
fn function<'a>(cursor: &mut Cursor<'a>) -> Scanned<(Option<Cow<'a, str>>, usize, bool)> {
    let (mut name, mut arguments, mut string) = (None, NO_ARGUMENTS, false);
    cursor.each_member(|key, cursor| {
        match key {
            b"name" => name = cursor.string_or_skip()?,
            b"arguments" | b"input" if cursor.kind()? == Kind::String => {
                (arguments, string) = (cursor.text()?.units, true)
            }
            b"arguments" => (arguments, string) = (stringify::length(cursor)?, false),
            _ => {}
        }
        Ok(())
    })?;
    Ok((name, arguments, string))
}
