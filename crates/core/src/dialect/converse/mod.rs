//! Bedrock Converse bodies.
//!
//! The blocks are in `blocks`. The model mostly is in the address; where the body names it, that is `modelId`.

mod blocks;
pub mod rules;

use crate::dialect::builder::{Level, TranscriptBuilder};
use crate::dialect::converse::blocks::Place;
use crate::dialect::shared::unread::{
    ContentState, first_key, foreign_calls, holds_calls, note_no_role,
};
use crate::dialect::shared::{self, Content, objects};
use crate::dialect::{Confidence, Dialect, Signals};
use crate::json::{Cursor, Kind, Scanned};
use crate::transcript::Role;

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
    let top = signals.has_any(&["inferenceConfig", "toolConfig", "modelId"]);
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

fn read(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    shared::members(
        cursor,
        builder,
        "messages",
        messages,
        |key, cursor, builder| {
            match key {
                b"system" => shared::setting(key, cursor, builder)?,
                b"toolConfig" => cursor.member(b"tools", |cursor| {
                    shared::setting(b"tools", cursor, builder)
                })?,
                b"modelId" => shared::setting(b"model", cursor, builder)?,
                _ => {}
            }
            Ok(())
        },
    )
}

fn messages(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    objects(cursor, builder, message)
}

fn message(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
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
                    blocks::content(cursor, Place::Message, builder)?,
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
            let known: &[&[u8]] = if empty { &[b"content"] } else { &[] };
            let said = first_key(cursor, from, known, ContentState::of(empty))?;
            builder.judge(blocks, unknown_kinds, said);
        }
    }
    let span = cursor.span_from(from);
    let index = builder.message(role, span, blocks, array);
    builder.messages[index as usize].odd_role = role == Role::Other;
    Ok(())
}
