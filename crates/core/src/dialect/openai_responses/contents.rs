//! The contents of items: texts, parts, and what a shell printed.

use crate::dialect::{
    reading::*,
    shared,
    shared::{
        Content,
        content::{ContentParent, content_of},
    },
};

/// Reads a content or an output.
pub(super) fn content(
    cursor: &mut Cursor<'_>,
    owner: ContentParent,
    builder: &mut TranscriptBuilder,
) -> Scanned<Content> {
    if cursor.kind()? == Kind::Array && is_shell(cursor)? {
        shell(cursor, builder)
    } else {
        content_of(cursor, owner, builder)
    }
}

/// Whether the array that comes next is what a shell printed, recognized by the first key in it.
fn is_shell(cursor: &mut Cursor<'_>) -> Scanned<bool> {
    cursor.read_at(cursor.at(), |cursor| {
        let mut elements = cursor.enter_array()?;
        if !cursor.element(&mut elements)? || cursor.kind()? != Kind::Object {
            return Ok(false);
        }
        let mut members = cursor.enter_object()?;
        let key = cursor.key(&mut members)?;
        let shell = |key: &[u8]| matches!(key, b"stdout" | b"stderr" | b"outcome");
        Ok(key.is_some_and(|key| shell(&key)))
    })
}

/// Reads what a shell printed: `[{stdout, stderr, outcome}]`. The shape must stay, so that it can
/// be cut only where one string holds all of it.
fn shell(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned<Content> {
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
                builder.text(&found, part, false);
            }
            Ok(())
        })
    })?;
    if let Some(found) = empty.filter(|_| builder.blocks.len() == first) {
        builder.text(&found, 0, false);
    }
    let span = cursor.span_from(from);
    Ok(if builder.blocks.len() == first + 1 {
        Content::Array(span)
    } else {
        Content::Odd(span)
    })
}

/// Chars of the texts of a summary.
pub(super) fn summary(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned<usize> {
    let first = builder.blocks.len();
    shared::content(cursor, builder)?;
    let chars = builder
        .blocks
        .drain(first..)
        .map(|b| b.chars as usize + b.extra as usize)
        .sum();
    Ok(chars)
}
