//! Bedrock Converse bodies.
//!
//! The blocks are in `blocks`. The model mostly stands in the address; where the body names it, that is `modelId`.

mod blocks;
pub mod rules;

use crate::dialect::converse::blocks::Place;
use crate::dialect::shared::answered::Answered;
use crate::dialect::shared::declared::Declared;
use crate::dialect::shared::prompt::prompt;
use crate::dialect::shared::unread::{Beside, first_key, foreign_calls, holds_calls, no_role};
use crate::dialect::shared::{history, missing, objects, span_from};
use crate::dialect::sheet::{Level, Sheet};
use crate::dialect::{Confidence, Dialect, Signals};
use crate::json::{Cursor, Kind, ScanError};
use crate::transcript::{Flags, Role};
use std::borrow::Cow;

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "bedrock-converse",
    about: "Amazon Bedrock Converse request bodies",
    interface: &rules::INTERFACE,
    results: &[blocks::RESULTS],
    keys: &["inferenceConfig", "messages", "model", "modelId", "toolConfig"],
    detect,
    read,
    ..Dialect::BODY
};

fn detect(signals: &Signals) -> Confidence {
    if !signals.lists("messages") {
        return Confidence::No;
    }
    let block = ["toolUse", "toolResult", "reasoningContent", "cachePoint"].iter().any(|k| signals.block_has(k));
    let top = ["inferenceConfig", "toolConfig", "modelId"].iter().any(|k| signals.has(k));
    if block || top {
        Confidence::Certain
    } else if signals.is_untyped() {
        // Its model is named in the address, or as `modelId`.
        if signals.value("model").is_some() { Confidence::Named } else { Confidence::Likely }
    } else {
        Confidence::No
    }
}

fn read(cursor: &mut Cursor<'_>, sheet: &mut Sheet) -> Result<(), ScanError> {
    let kind = cursor.kind()?;
    let origin = cursor.at();
    let before = sheet.mark();
    sheet.provider.get_or_insert_with(|| "amazon-bedrock".to_owned());
    if kind == Kind::Array {
        sheet.request.tools = true;
        return messages(cursor, origin, sheet);
    }
    let (mut found, mut answered) = (false, Answered::default());
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        match &*key {
            b"messages" => {
                found = true;
                sheet.rollback_blocks(before);
                history(cursor, origin, "messages", sheet, messages)?;
            }
            b"system" => sheet.request.system_marks = prompt(cursor, origin, sheet)?,
            b"toolConfig" if cursor.kind()? == Kind::Object => {
                let mut inner = cursor.enter_object()?;
                while let Some(key) = cursor.key(&mut inner)? {
                    if &*key == b"tools" && cursor.kind()? == Kind::Array {
                        Declared::read(cursor)?.note(&mut sheet.request);
                    } else {
                        cursor.skip()?;
                    }
                }
            }
            b"modelId" => sheet.model = cursor.string_or_skip()?.map(Cow::into_owned),
            name => answered.skip(cursor, name)?,
        }
    }
    answered.note(sheet);
    if !found {
        missing("messages", sheet);
    }
    Ok(())
}

fn messages(cursor: &mut Cursor<'_>, origin: usize, sheet: &mut Sheet) -> Result<(), ScanError> {
    objects(cursor, sheet, |cursor, sheet| message(cursor, origin, sheet))
}

fn message(cursor: &mut Cursor<'_>, origin: usize, sheet: &mut Sheet) -> Result<(), ScanError> {
    let from = cursor.at();
    let (blocks, links, strangers) = (sheet.blocks.len(), sheet.links.len(), sheet.strangers());
    let (mut role, mut name, mut array, mut calls) = (Role::Other, None, false, None);
    // Without a content it may have its words under any key.
    let mut content = Kind::Object;
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        match &*key {
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
                sheet.keep_blocks(blocks);
                sheet.links.truncate(links);
                content = cursor.kind()?;
                array = blocks::content(cursor, origin, Place::Message, sheet)?.1 == Flags::default();
            }
            key if key == b"tool_calls" || holds_calls(key) => calls = foreign_calls(cursor, key)?.or(calls),
            _ => {
                cursor.skip()?;
            }
        }
    }
    if let Some(key) = calls {
        sheet.unread(Level::Foreign, key);
    } else if sheet.is_silent(blocks) || role == Role::Other || sheet.strangers() > strangers {
        if role == Role::Other {
            let (level, what) = no_role(cursor, from, name.as_deref())?;
            sheet.unread(level, what);
        } else {
            let empty = matches!(content, Kind::Array | Kind::String | Kind::Null);
            let said = first_key(cursor, from, if empty { &[b"content"] } else { &[] }, if empty { Beside::Empty } else { Beside::Alone })?;
            sheet.judge(blocks, strangers, said);
        }
    }
    let span = span_from(cursor, from, origin);
    let index = sheet.message(role, span, blocks, array);
    sheet.messages[index as usize].odd_role = role == Role::Other;
    Ok(())
}
