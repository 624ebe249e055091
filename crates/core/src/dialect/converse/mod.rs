//! Bedrock Converse bodies.
//!
//! The blocks are in `blocks`. The model mostly is in the address; where the body names it, that is `modelId`.

mod blocks;
pub mod rules;

use crate::dialect::builder::TranscriptBuilder;
use crate::dialect::converse::blocks::Place;
use crate::dialect::shared::untyped::UntypedMessages;
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
                b"additionalModelRequestFields" => cursor.member(b"thinking", |cursor| {
                    shared::setting(b"thinking", cursor, builder)
                })?,
                b"modelId" => shared::setting(b"model", cursor, builder)?,
                _ => {}
            }
            Ok(())
        },
    )
}

const MESSAGES: UntypedMessages = UntypedMessages {
    parts: b"content",
    role: |name| match name {
        b"user" => (Role::User, false),
        b"assistant" => (Role::Assistant, false),
        b"system" => (Role::System, false),
        _ => (Role::Other, true),
    },
    read: |cursor, builder| {
        let may_be_empty = matches!(cursor.kind()?, Kind::Array | Kind::String | Kind::Null);
        let content = blocks::content(cursor, Place::Message, builder)?;
        Ok((matches!(content, Content::Array(_)), may_be_empty))
    },
};

fn messages(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    objects(cursor, builder, |cursor, builder| {
        MESSAGES.message(cursor, builder)
    })
}
