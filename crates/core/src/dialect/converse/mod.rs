//! Bedrock Converse bodies.
//!
//! The blocks are in `blocks`. The model mostly is in the address; where the body names it, that is `modelId`.

mod blocks;
pub mod rules;

use crate::dialect::builder::{Level, TranscriptBuilder};
use crate::dialect::converse::blocks::Place;
use crate::dialect::shared::body::thinking;
use crate::dialect::shared::declared::Declared;
use crate::dialect::shared::prompt::prompt;
use crate::dialect::shared::unread::{
    ContentState, first_key, foreign_calls, holds_calls, note_no_role,
};
use crate::dialect::shared::{self, Content, objects, span_from};
use crate::dialect::{Confidence, Dialect, Signals};
use crate::json::{Cursor, Kind, ScanError};
use crate::transcript::Role;
use std::borrow::Cow;

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "bedrock-converse",
    about: "Amazon Bedrock Converse request bodies",
    interface: &rules::INTERFACE,
    results: &[blocks::RESULTS],
    keys: &[
        "inferenceConfig",
        "messages",
        "model",
        "modelId",
        "toolConfig",
    ],
    detect,
    read,
    provider: |_| Some("amazon-bedrock"),
    ..Dialect::BODY
};

fn detect(signals: &Signals) -> Confidence {
    if !signals.lists("messages") {
        return Confidence::No;
    }
    let block = ["toolUse", "toolResult", "reasoningContent", "cachePoint"]
        .iter()
        .any(|k| signals.block_has(k));
    let top = ["inferenceConfig", "toolConfig", "modelId"]
        .iter()
        .any(|k| signals.has(k));
    if block || top {
        Confidence::Certain
    } else if signals.is_untyped() {
        // Its model is named in the address, or as `modelId`.
        if signals.value("model").is_some() {
            Confidence::Named
        } else {
            Confidence::Likely
        }
    } else {
        Confidence::No
    }
}

fn read(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Result<(), ScanError> {
    let kind = cursor.kind()?;
    let origin = cursor.at();
    if kind == Kind::Array {
        builder.request.tools = true;
        return messages(cursor, origin, builder);
    }
    shared::members(
        cursor,
        builder,
        "messages",
        messages,
        |key, cursor, builder| {
            match key {
                b"system" => builder.request.system_marks = prompt(cursor, origin, builder)?,
                b"toolConfig" if cursor.kind()? == Kind::Object => {
                    cursor.member(b"tools", |cursor| {
                        if cursor.kind()? == Kind::Array {
                            Declared::read(cursor)?.note(&mut builder.request);
                        }
                        Ok(())
                    })?
                }
                b"additionalModelRequestFields" if cursor.kind()? == Kind::Object => cursor
                    .member(b"thinking", |cursor| {
                        if cursor.kind()? == Kind::Object {
                            builder.request.thinking = thinking(cursor)?;
                        }
                        Ok(())
                    })?,
                b"modelId" => builder.model = cursor.string_or_skip()?.map(Cow::into_owned),
                _ => {}
            }
            Ok(())
        },
    )
}

fn messages(
    cursor: &mut Cursor<'_>,
    origin: usize,
    builder: &mut TranscriptBuilder,
) -> Result<(), ScanError> {
    objects(cursor, builder, |cursor, builder| {
        message(cursor, origin, builder)
    })
}

fn message(
    cursor: &mut Cursor<'_>,
    origin: usize,
    builder: &mut TranscriptBuilder,
) -> Result<(), ScanError> {
    let from = cursor.at();
    let (blocks, links, unknown_kinds) = (
        builder.blocks.len(),
        builder.links.len(),
        builder.unknown_kinds(),
    );
    let (mut role, mut name, mut array, mut calls) = (Role::Other, None, false, None);
    // Without a content it may have its words under any key.
    let mut content = Kind::Object;
    cursor.each_member(|key, cursor| {
        match key {
            b"role" => {
                name = cursor.bytes_or_skip()?;
                role = match name.as_deref().unwrap_or_default() {
                    b"user" => Role::User,
                    b"assistant" => Role::Assistant,
                    b"system" => Role::System,
                    _ => Role::Other,
                }
            }
            b"content" => {
                builder.keep_blocks(blocks);
                builder.links.truncate(links);
                content = cursor.kind()?;
                array = matches!(
                    blocks::content(cursor, origin, Place::Message, builder)?,
                    Content::Array(_)
                );
            }
            key if key == b"tool_calls" || holds_calls(key) => {
                calls = foreign_calls(cursor, key)?.or(calls.take())
            }
            _ => {}
        }
        Ok(())
    })?;
    if let Some(key) = calls {
        builder.unread(Level::Foreign, key);
    } else if builder.is_empty_since(blocks)
        || role == Role::Other
        || builder.unknown_kinds() > unknown_kinds
    {
        if role == Role::Other {
            note_no_role(cursor, from, name.as_deref(), builder)?;
        } else {
            let empty = matches!(content, Kind::Array | Kind::String | Kind::Null);
            let said = first_key(
                cursor,
                from,
                if empty { &[b"content"] } else { &[] },
                if empty {
                    ContentState::Empty
                } else {
                    ContentState::Missing
                },
            )?;
            builder.judge(blocks, unknown_kinds, said);
        }
    }
    let span = span_from(cursor, from, origin);
    let index = builder.message(role, span, blocks, array);
    builder.messages[index as usize].odd_role = role == Role::Other;
    Ok(())
}
