//! Bedrock Converse bodies.
//!
//! The blocks are in `converse_blocks`. The model mostly stands in the address; where the body names it, that is `modelId`.

use super::blocks::span_from;
use super::converse_blocks::{self, Place, content};
use super::marks::Declared;
use super::outside::prompt;
use super::sheet::Sheet;
use super::{Clues, Format, Layout, Likeness, all_messages};
use crate::json::{Cursor, Kind, ScanError};
use crate::transcript::{Flags, Role, Rules};
use std::borrow::Cow;

/// The table's row.
pub const FORMAT: Format = Format {
    name: "bedrock-converse",
    about: "Amazon Bedrock Converse request bodies",
    layout: Layout::Body,
    rules: Rules::Converse,
    shape: &converse_blocks::SHAPE,
    looks,
    read,
    lineage: None,
    context: all_messages,
};

fn looks(clues: &Clues) -> Likeness {
    if !clues.lists("messages") {
        return Likeness::No;
    }
    let block = ["toolUse", "toolResult", "reasoningContent", "cachePoint"].iter().any(|k| clues.block_has(k));
    let top = ["inferenceConfig", "toolConfig", "modelId"].iter().any(|k| clues.has(k));
    if block || top {
        Likeness::Certain
    } else if clues.is_untyped() {
        // Its model is named in the address, or as `modelId`.
        if clues.value("model").is_some() { Likeness::Named } else { Likeness::Likely }
    } else {
        Likeness::No
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
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        match &*key {
            b"messages" if cursor.kind()? == Kind::Array => {
                sheet.rollback_blocks(before);
                messages(cursor, origin, sheet)?;
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
            _ => {
                cursor.skip()?;
            }
        }
    }
    Ok(())
}

fn messages(cursor: &mut Cursor<'_>, origin: usize, sheet: &mut Sheet) -> Result<(), ScanError> {
    let mut elements = cursor.enter_array()?;
    while cursor.element(&mut elements)? {
        message(cursor, origin, sheet)?;
    }
    Ok(())
}

fn message(cursor: &mut Cursor<'_>, origin: usize, sheet: &mut Sheet) -> Result<(), ScanError> {
    if cursor.kind()? != Kind::Object {
        return cursor.skip().map(|_| ());
    }
    let from = cursor.at();
    let (blocks, links) = (sheet.blocks.len(), sheet.links.len());
    let (mut role, mut array) = (Role::Other, false);
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        match &*key {
            b"role" => {
                role = match &*cursor.bytes_or_skip()?.unwrap_or_default() {
                    b"user" => Role::User,
                    b"assistant" => Role::Assistant,
                    b"system" => Role::System,
                    _ => Role::Other,
                }
            }
            b"content" => {
                sheet.keep_blocks(blocks);
                sheet.links.truncate(links);
                array = content(cursor, origin, Place::Message, sheet)?.1 == Flags::default();
            }
            _ => {
                cursor.skip()?;
            }
        }
    }
    let span = span_from(cursor, from, origin);
    let index = sheet.message(role, span, blocks, array);
    sheet.messages[index as usize].odd_role = role == Role::Other;
    Ok(())
}
