//! Blocks of Bedrock Converse: they have no type, a block is what its key says.
//!
//! Results are blocks of user messages, and a `json` in one counts as its JSON. What belongs to a tool that runs at the
//! provider is known and not touched.

use crate::dialect::ResultForm;
use crate::dialect::builder::{CallId, Level, TranscriptBuilder, printable};
use crate::dialect::shared;
use crate::dialect::shared::unread;
use crate::dialect::shared::unread::kind_name;
use crate::dialect::shared::{Content, result_shape};
use crate::estimate;
use crate::json::{Cursor, Kind, Scanned, Text, stringify};
use crate::settings::Estimator;
use crate::transcript::{BlockKind, Fault, Flags, NoteKind, ResultTemplate, Span};
use std::borrow::Cow;

/// Results are arrays of blocks without a type. Whether one is an error is beside its content.
pub const RESULTS: ResultForm = ResultForm {
    template: ResultTemplate::of(r#"[{"text":""#, r#""}]"#),
    read: |cursor, builder| content(cursor, Place::Result, builder).map(|_| ()),
};

/// Blocks that are known and have no part in pruning.
const KNOWN: [&[u8]; 9] = [
    b"document",
    b"video",
    b"audio",
    b"guardContent",
    b"cachePoint",
    b"citationsContent",
    b"searchResult",
    b"toolAddition",
    b"toolRemoval",
];

/// The place of a content. A result contains no calls and no results, so that the reader descends no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a message.
    Message,
    /// In a result.
    Result,
}

/// Reads a content: pushes its blocks and returns where it is.
///
/// # Errors
/// The value is malformed JSON.
pub fn content(
    cursor: &mut Cursor<'_>,
    place: Place,
    builder: &mut TranscriptBuilder,
) -> Scanned<Content> {
    let kind = cursor.kind()?;
    let from = cursor.at();
    match kind {
        Kind::Array => {
            cursor.each_element(|part, cursor| block(cursor, part, place, builder))?;
            Ok(Content::Array(cursor.span_from(from)))
        }
        Kind::String => shared::content(cursor, builder),
        _ => cursor.skip().map(|_| Content::Odd(cursor.span_from(from))),
    }
}

/// The content of a block.
enum Data<'a> {
    Text(Text<'a>),
    Json(Span, usize, bool),
    Thinking(usize, bool),
    Image,
    ToolBlock(ToolBlock<'a>),
    /// A cache mark.
    Point,
    Other,
}

/// A call or a result; the blocks of a result's content are in the builder already.
#[derive(Default)]
struct ToolBlock<'a> {
    id: CallId,
    name: Cow<'a, str>,
    arguments: Option<usize>,
    object: bool,
    content: Content,
    error: bool,
    /// It belongs to a tool that runs at the provider: the answer is in the same message, and neither is cut.
    server: bool,
    /// The first member that is not known.
    instead: Option<String>,
}

fn block(
    cursor: &mut Cursor<'_>,
    part: usize,
    place: Place,
    builder: &mut TranscriptBuilder,
) -> Scanned {
    let kind = cursor.kind()?;
    let from = cursor.at();
    if kind != Kind::Object {
        cursor.skip()?;
        not_understood(
            builder,
            place,
            format!("{} in place of a block", kind_name(kind)),
        );
        let span = cursor.span_from(from);
        builder.other_block(part, span);
        return Ok(());
    }
    let (index, links) = (builder.blocks.len(), builder.links.len());
    // A result comes before its children; whether this is one is known later, so a place is kept for it.
    builder.plain_block(BlockKind::Other, part, Span::default(), 0);
    let (mut data, mut unknown) = (None, None);
    let mut is_result = false;
    cursor.each_member(|key, cursor| {
        match (key, cursor.kind()?) {
            (b"text", Kind::String) => data = Some(Data::Text(cursor.text()?)),
            (b"json", _) => {
                let (from, object) = (cursor.at(), cursor.kind()? == Kind::Object);
                let chars = stringify::length(cursor)?;
                data = Some(Data::Json(cursor.span_from(from), chars, object));
            }
            (b"reasoningContent", Kind::Object) => {
                let (chars, signed) = reasoning(cursor, builder.estimator)?;
                data = Some(Data::Thinking(chars, signed));
            }
            (b"image", _) => data = Some(Data::Image),
            (b"toolUse" | b"toolResult", Kind::Object) if place == Place::Message => {
                builder.blocks.truncate(index + 1);
                builder.links.truncate(links);
                is_result = key == b"toolResult";
                data = Some(Data::ToolBlock(tool(cursor, builder)?));
            }
            (b"cachePoint", _) if place == Place::Message => {
                if let Some(long) = crate::dialect::shared::declared::cache_mark(cursor)? {
                    builder.note(index, NoteKind::Mark { long });
                }
                data = Some(Data::Point);
            }
            (key, _) => {
                let known = KNOWN.contains(&key);
                unknown = unknown
                    .take()
                    .or_else(|| (!known).then(|| String::from_utf8_lossy(key).into_owned()));
                if known {
                    data = Some(Data::Other);
                }
            }
        }
        Ok(())
    })?;
    let span = cursor.span_from(from);
    match data {
        Some(Data::ToolBlock(found)) if is_result && !found.server => {
            let (content, shape) = result_shape(found.content);
            let children = builder.blocks.len() - index - 1;
            let link = builder.link(found.id, "", children, content);
            let place = &mut builder.blocks[index];
            let flags = shape.with(Flags::ERROR, found.error);
            // One that has only no id is a fault that has a rule of its own.
            let instead = found.instead.filter(|_| found.id.hash.is_none());
            (place.kind, place.flags, place.span, place.extra) =
                (BlockKind::Result, flags, span, link as u32);
            if matches!(found.content, Content::String(_) | Content::Odd(_)) {
                builder.note(index, NoteKind::Fault(Fault::NoContent));
            }
            if let Some(key) = instead {
                builder.not_understood_at(
                    index,
                    Level::Part,
                    format!("{key} in a toolResult without toolUseId"),
                );
            }
            return Ok(());
        }
        _ => {
            builder.blocks.truncate(index);
            builder.links.truncate(links);
        }
    }
    let fault = match &data {
        Some(Data::Thinking(_, false)) => Some(Fault::Unsigned),
        Some(Data::Json(_, _, false)) => Some(Fault::NoObject),
        Some(Data::ToolBlock(found)) if !found.server && !found.object => Some(Fault::NoObject),
        _ => None,
    };
    if let Some(fault) = fault {
        builder.note(index, NoteKind::Fault(fault));
    }
    match data {
        Some(Data::Text(found)) => builder.text(&found, part, false),
        Some(Data::Json(at, chars, _)) => {
            builder.plain_block(BlockKind::Malformed, part, at, chars)
        }
        Some(Data::Thinking(chars, _)) => {
            builder.plain_block(BlockKind::Thinking, part, span, chars)
        }
        Some(Data::Image) => builder.plain_block(BlockKind::Image, part, span, 0),
        Some(Data::ToolBlock(found)) if !found.server => {
            let lacks =
                found.id.hash.is_none() || found.name.is_empty() || found.arguments.is_none();
            if let Some(key) = found.instead.filter(|_| lacks) {
                builder.not_understood(
                    Level::Part,
                    format!("{key} in a toolUse without toolUseId, name or input"),
                );
            }
            builder.call(
                found.id,
                &found.name,
                part,
                span,
                found.arguments.unwrap_or(2),
            );
        }
        // It is no content.
        Some(Data::Point) => builder.plain_block(BlockKind::Other, part, span, 0),
        Some(Data::ToolBlock(_) | Data::Other) => builder.other_block(part, span),
        None => {
            not_understood(
                builder,
                place,
                format!(
                    "block with {}",
                    unknown.as_deref().map_or("no key".to_owned(), printable)
                ),
            );
            builder.other_block(part, span);
        }
    }
    Ok(())
}

/// Notes that the block which comes next was not understood.
fn not_understood(builder: &mut TranscriptBuilder, place: Place, what: String) {
    builder.not_understood(
        if place == Place::Message {
            Level::Part
        } else {
            Level::Inside
        },
        what,
    );
}

/// Reads the object of a `toolUse` or a `toolResult`; pushes the blocks of its content.
fn tool<'a>(cursor: &mut Cursor<'a>, builder: &mut TranscriptBuilder) -> Scanned<ToolBlock<'a>> {
    let mut found = ToolBlock::default();
    let (index, links) = (builder.blocks.len(), builder.links.len());
    cursor.each_member(|key, cursor| {
        match key {
            b"toolUseId" => found.id = CallId::read(cursor)?,
            b"name" => found.name = cursor.string_or_skip()?.unwrap_or_default(),
            b"input" => {
                found.object = cursor.kind()? == Kind::Object;
                found.arguments = Some(stringify::length(cursor)?);
            }
            b"content" => {
                builder.blocks.truncate(index);
                builder.links.truncate(links);
                found.content = content(cursor, Place::Result, builder)?;
            }
            b"status" => found.error = cursor.bytes_or_skip()?.is_some_and(|s| &*s == b"error"),
            b"type" => {
                found.server = cursor
                    .bytes_or_skip()?
                    .is_some_and(|t| !matches!(&*t, b"tool_use" | b"tool_result"))
            }
            key => {
                found.instead.get_or_insert_with(|| unread::key(key));
            }
        }
        Ok(())
    })?;
    Ok(found)
}

/// Chars of a `reasoningContent`, and whether it is signed, as what is redacted counts.
fn reasoning(cursor: &mut Cursor<'_>, estimator: Estimator) -> Scanned<(usize, bool)> {
    let (mut chars, mut signed) = (0, false);
    cursor.each_member(|key, cursor| {
        match (key, cursor.kind()?) {
            (b"reasoningText", Kind::Object) => {
                cursor.each_member(|key, cursor| {
                    if matches!(key, b"text" | b"signature") && cursor.kind()? == Kind::String {
                        let found = cursor.text()?;
                        signed |= key == b"signature" && found.units > 0;
                        chars += weight(key, &found, estimator);
                    }
                    Ok(())
                })?;
            }
            (b"redactedContent", Kind::String) => {
                signed = true;
                chars += weight(key, &cursor.text()?, estimator);
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok((chars, signed))
}

/// Returns the chars of a string in a reasoning. The estimator of the oldest releases counts the member `text` alone.
fn weight(key: &[u8], found: &Text<'_>, estimator: Estimator) -> usize {
    if key != b"text" && estimator == Estimator::Utf16 {
        0
    } else {
        found.units + estimate::extra(found, estimator)
    }
}
