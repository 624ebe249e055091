//! The contents of items: texts, parts, and what a shell printed.

use crate::dialect::builder::TranscriptBuilder;
use crate::dialect::shared;
use crate::dialect::shared::Content;
use crate::dialect::shared::content::{ContentParent, content_of};
use crate::json::{Cursor, Kind, ScanError, Text};

/// Reads a content or an output.
pub(super) fn content(
    cursor: &mut Cursor<'_>,
    origin: usize,
    owner: ContentParent,
    builder: &mut TranscriptBuilder,
) -> Result<Content, ScanError> {
    if cursor.kind()? == Kind::Array && is_shell(cursor)? {
        shell(cursor, origin, builder)
    } else {
        content_of(cursor, origin, owner, builder)
    }
}

/// Whether the array that comes next is what a shell printed, recognized by the first key in it.
fn is_shell(cursor: &mut Cursor<'_>) -> Result<bool, ScanError> {
    let from = cursor.at();
    let mut elements = cursor.enter_array()?;
    let object = cursor.element(&mut elements)? && cursor.kind()? == Kind::Object;
    let key = if object {
        cursor
            .enter_object()
            .and_then(|mut members| cursor.key(&mut members))?
    } else {
        None
    };
    cursor.go_to(from);
    Ok(matches!(
        key.as_deref(),
        Some(b"stdout" | b"stderr" | b"outcome")
    ))
}

/// Reads what a shell printed: `[{stdout, stderr, outcome}]`. The shape must stay, so that it can be cut only where one
/// string holds all of it.
fn shell(
    cursor: &mut Cursor<'_>,
    origin: usize,
    builder: &mut TranscriptBuilder,
) -> Result<Content, ScanError> {
    let (from, first) = (cursor.at(), builder.blocks.len());
    let mut empty: Option<Text<'_>> = None;
    cursor.each_object(|part, cursor| {
        cursor.each_member(|key, cursor| {
            if !matches!(key, b"stdout" | b"stderr") || cursor.kind()? != Kind::String {
                return Ok(());
            }
            let found = cursor.text()?;
            if found.raw.is_empty() {
                empty.get_or_insert(found);
            } else {
                shared::push_text(builder, &found, part, origin, false);
            }
            Ok(())
        })
    })?;
    if let Some(found) = empty.filter(|_| builder.blocks.len() == first) {
        shared::push_text(builder, &found, 0, origin, false);
    }
    let span = shared::span_from(cursor, from, origin);
    Ok(if builder.blocks.len() == first + 1 {
        Content::Array(span)
    } else {
        Content::Odd(span)
    })
}

/// Chars of the texts of a summary.
pub(super) fn summary(
    cursor: &mut Cursor<'_>,
    origin: usize,
    builder: &mut TranscriptBuilder,
) -> Result<usize, ScanError> {
    let first = builder.blocks.len();
    shared::content(cursor, origin, builder)?;
    let chars = builder
        .blocks
        .drain(first..)
        .map(|b| b.chars as usize + b.extra as usize)
        .sum();
    Ok(chars)
}
