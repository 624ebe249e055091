//! Gemini `generateContent` bodies, in camel case and in snake case.
//!
//! A part says what it is by its key. Contents without a role are the user's, and those of the roles `function` and `tool`
//! are filed under the user as well, so that a content of nothing but responses is not taken for a user's own message.
//! The model is in the address, so a body rarely names one. Signatures are counted with the thoughts that carry them.

pub mod response;
pub mod rules;

use crate::dialect::builder::{CallId, Level, TranscriptBuilder};
use crate::dialect::gemini::response::Response;
use crate::dialect::shared::by_order;
use crate::dialect::shared::unread::{
    ContentState, first_key, foreign_calls, holds_calls, kind_name, note_no_role,
};
use crate::dialect::{Confidence, Dialect, Signals, shared};
use crate::json::{Cursor, GeneratedId, Id, Kind, Scanned, Text, stringify};
use crate::settings::Estimator;
use crate::transcript::{BlockKind, Fault, Flags, NoteKind, Role, Span};
use std::borrow::Cow;

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "gemini",
    about: "Gemini generateContent request bodies",
    interface: &rules::INTERFACE,
    results: &[response::RESULTS],
    keys: &[
        "cachedContent",
        "cached_content",
        "contents",
        "generationConfig",
        "generation_config",
        "messages",
        "safetySettings",
        "safety_settings",
        "systemInstruction",
        "system_instruction",
        "toolConfig",
        "tool_config",
    ],
    detect,
    read,
    context: by_order::context,
    provider: |_| Some("google"),
    ..Dialect::BODY
};

/// Members that only these bodies have beside their contents.
const OWN: [&str; 10] = [
    "generationConfig",
    "generation_config",
    "systemInstruction",
    "system_instruction",
    "safetySettings",
    "safety_settings",
    "toolConfig",
    "tool_config",
    "cachedContent",
    "cached_content",
];

fn detect(signals: &Signals) -> Confidence {
    if !signals.lists("contents")
        || signals.has("messages")
        || signals.array && !signals.message_has("parts")
    {
        return Confidence::No;
    }
    // Contents that are strings, or none, are those of many things.
    let alone = signals
        .names()
        .all(|key| matches!(key, "contents" | "model" | "tools"));
    if signals.message_has("parts") {
        Confidence::Certain
    } else if !signals.has_messages() && (alone || signals.has_any(&OWN)) {
        Confidence::Likely
    } else {
        Confidence::No
    }
}

fn read(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    shared::members(
        cursor,
        builder,
        "contents",
        contents,
        |key, cursor, builder| {
            match key {
                // What is cached comes before what is here.
                b"cachedContent" | b"cached_content" => {
                    builder.calls_elsewhere = cursor.skip()? != Kind::Null;
                    Ok(())
                }
                _ => shared::setting(key, cursor, builder),
            }
        },
    )
}

/// Reads `contents`: an array, or a single one.
fn contents(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    if cursor.kind()? != Kind::Array {
        return content(cursor, builder);
    }
    cursor.each_element(|_, cursor| content(cursor, builder))
}

/// Reads one content: an object, or a string that is a user's text.
fn content(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let kind = cursor.kind()?;
    let from = cursor.at();
    let (before, blocks, unknown_kinds) = (
        builder.mark(),
        builder.blocks.len(),
        builder.unknown_kinds(),
    );
    let (mut role, mut odd, mut name, mut array, mut parted, mut calls) =
        (Role::User, false, None, false, false, None);
    match kind {
        Kind::Object => {
            cursor.each_member(|key, cursor| {
                match key {
                    b"role" => {
                        name = cursor.bytes_or_skip()?;
                        (role, odd) = role_of(name.as_deref().unwrap_or_default());
                    }
                    b"parts" => {
                        builder.rollback_blocks(before);
                        (array, parted) = (parts(cursor, builder)?, true);
                    }
                    key if key == b"tool_calls" || holds_calls(key) => {
                        calls = foreign_calls(cursor, key)?.or(calls.take())
                    }
                    _ => {}
                }
                Ok(())
            })?;
        }
        Kind::String => part(cursor, 0, builder)?,
        kind => return shared::no_message(cursor, kind, builder),
    }
    if let Some(key) = calls {
        builder.unread(Level::Foreign, key);
    } else if role == Role::Other {
        note_no_role(cursor, from, name.as_deref(), builder)?;
    } else if builder.is_empty_since(blocks) || builder.unknown_kinds() > unknown_kinds {
        let known: &[&[u8]] = if builder.blocks.len() == blocks {
            &[]
        } else {
            &[b"parts"]
        };
        let said = first_key(cursor, from, known, ContentState::of(parted))?;
        builder.judge(blocks, unknown_kinds, said);
    }
    let span = cursor.span_from(from);
    let index = builder.message(role, span, blocks, array);
    builder.messages[index as usize].odd_role = odd;
    Ok(())
}

/// Reads `parts`: an array, or a single one. Whether it was an array.
///
/// # Errors
/// It is malformed JSON.
pub fn parts(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned<bool> {
    match cursor.kind()? {
        Kind::Array => {
            cursor.each_element(|position, cursor| part(cursor, position, builder))?;
            Ok(true)
        }
        Kind::Null => cursor.skip().map(|_| false),
        _ => part(cursor, 0, builder).map(|()| false),
    }
}

/// The content of a part.
#[derive(Default)]
enum Data<'a> {
    #[default]
    Nothing,
    Text(Text<'a>),
    Call {
        id: CallId,
        name: Cow<'a, str>,
        arguments: usize,
        object: bool,
    },
    Response(Response<'a>),
    Media {
        image: bool,
    },
    /// A call of one of Google's own tools, or its result: known, and never pruned.
    Server,
}

fn part(cursor: &mut Cursor<'_>, position: usize, builder: &mut TranscriptBuilder) -> Scanned {
    let kind = cursor.kind()?;
    let from = cursor.at();
    if kind == Kind::String {
        let found = cursor.text()?;
        builder.text(&found, position, false);
        return Ok(());
    }
    if kind != Kind::Object {
        cursor.skip()?;
        builder.not_understood(
            Level::Part,
            format!("{} in place of a part", kind_name(kind)),
        );
        let span = cursor.span_from(from);
        builder.other_block(position, span);
        return Ok(());
    }
    let index = builder.blocks.len();
    let (mut data, mut thought, mut signature, mut unknown, mut fact, mut setting) =
        (Data::default(), false, 0, None, None, false);
    cursor.each_member(|key, cursor| {
        let (kind, before) = (cursor.kind()?, std::mem::discriminant(&data));
        match (key, kind) {
            (b"text", Kind::String) => data = Data::Text(cursor.text()?),
            (b"functionCall" | b"function_call", Kind::Object) => data = call(cursor)?,
            (b"functionResponse" | b"function_response", Kind::Object) => {
                data = Data::Response(Response::read(cursor)?)
            }
            (b"inlineData" | b"inline_data" | b"fileData" | b"file_data", Kind::Object) => {
                data = Data::Media {
                    image: is_image(cursor)?,
                }
            }
            (
                b"executableCode"
                | b"executable_code"
                | b"codeExecutionResult"
                | b"code_execution_result"
                | b"toolCall"
                | b"tool_call"
                | b"toolResponse"
                | b"tool_response",
                Kind::Object,
            ) => {
                fact = Some(server_pair(cursor, key, index)?);
                data = Data::Server;
            }
            (b"thought", _) => thought = cursor.skip()? == Kind::True,
            (b"thoughtSignature" | b"thought_signature", Kind::String) => {
                let found = cursor.text()?;
                signature = builder.chars_of(&found);
            }
            // Google takes a part that holds nothing but a setting of a film.
            (b"videoMetadata" | b"video_metadata", Kind::Object) => setting = true,
            (
                b"thoughtSignature" | b"thought_signature" | b"videoMetadata" | b"video_metadata"
                | b"mediaResolution" | b"media_resolution" | b"partMetadata" | b"part_metadata",
                _,
            ) => {}
            _ => {
                unknown.get_or_insert_with(|| key.to_vec());
            }
        }
        // Of two contents the first would be lost.
        let nothing = std::mem::discriminant(&Data::Nothing);
        if before != nothing && before != std::mem::discriminant(&data) {
            builder.unknown(
                Level::Part,
                "part with another content and",
                &String::from_utf8_lossy(key),
            );
        }
        Ok(())
    })?;
    let span = cursor.span_from(from);
    if signature > 0 {
        builder.note(index, NoteKind::Signature);
    }
    if let Some(fact) = fact {
        builder.note(index, fact);
    }
    match data {
        Data::Text(found) if thought => {
            // The oldest releases counted the reasoning alone.
            let signature = if builder.estimator == Estimator::Utf16 {
                0
            } else {
                signature
            };
            let chars = builder.chars_of(&found) + signature;
            builder.plain_block(BlockKind::Thinking, position, span, chars);
        }
        Data::Text(found) => builder.text(&found, position, false),
        Data::Call {
            id,
            name,
            arguments,
            object,
        } => {
            if !object {
                builder.note(index, NoteKind::Fault(Fault::NoObject));
            }
            if name.is_empty() {
                builder.not_understood(Level::Part, "functionCall without name".to_owned());
            }
            let link = builder.link(id, &name, 0, Span::default());
            let flags = Flags::default().with(Flags::SIGNED, signature > 0);
            builder.block(BlockKind::Call, flags, position, span, arguments, link);
        }
        Data::Response(response) => {
            if response.is_nameless() {
                builder.not_understood(Level::Part, "functionResponse without name".to_owned());
            } else if response.has_unknown_content() {
                builder.not_understood(Level::Part, "functionResponse without response".to_owned());
            }
            response.push(cursor, position, span, builder)?;
        }
        Data::Media { image: true } => builder.plain_block(BlockKind::Image, position, span, 0),
        Data::Media { image: false } | Data::Server => builder.other_block(position, span),
        Data::Nothing => {
            let flags = Flags::default().with(
                Flags::BLANK,
                unknown.is_none() && signature == 0 && !setting,
            );
            match unknown {
                Some(key) => {
                    builder.unknown(Level::Part, "part with", &String::from_utf8_lossy(&key))
                }
                // It says nothing.
                None => builder.unknown(Level::Inside, "part with", "no data"),
            }
            builder.block(BlockKind::Other, flags, position, span, span.len(), 0);
        }
    }
    Ok(())
}

/// Reads a call of one of Google's own tools, or its result. They are paired by their id; without one the result directly
/// follows the call.
fn server_pair(cursor: &mut Cursor<'_>, key: &[u8], index: usize) -> Scanned<NoteKind> {
    let mut named = None;
    cursor.member(b"id", |cursor| {
        named = cursor
            .bytes_or_skip()?
            .filter(|id| !id.is_empty())
            .map(|id| Id::of(&id));
        Ok(())
    })?;
    let next_to = |at: usize| Id::generated(GeneratedId::Server, at as u64);
    Ok(match key {
        b"executableCode" | b"executable_code" | b"toolCall" | b"tool_call" => {
            NoteKind::ServerCall(named.unwrap_or_else(|| next_to(index)))
        }
        _ => NoteKind::ServerResult(named.unwrap_or_else(|| next_to(index.wrapping_sub(1)))),
    })
}

fn call<'a>(cursor: &mut Cursor<'a>) -> Scanned<Data<'a>> {
    let (mut id, mut name, mut arguments, mut object) =
        (CallId::default(), Cow::Borrowed(""), 2, true);
    cursor.each_member(|key, cursor| {
        match key {
            b"id" => id = response::id(cursor)?,
            b"name" => name = cursor.string_or_skip()?.unwrap_or_default(),
            b"args" => {
                object = matches!(cursor.kind()?, Kind::Object | Kind::Null);
                arguments = stringify::length(cursor)?;
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(Data::Call {
        id,
        name,
        arguments,
        object,
    })
}

/// Reads the object of an `inlineData` or a `fileData`: whether it is an image. A file that does not say counts as one.
pub fn is_image(cursor: &mut Cursor<'_>) -> Scanned<bool> {
    let mut image = true;
    cursor.each_member(|key, cursor| {
        match key {
            b"mimeType" | b"mime_type" => {
                image = cursor
                    .bytes_or_skip()?
                    .is_none_or(|m| m.starts_with(b"image/"))
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(image)
}

/// Returns the role for a name, and whether Google does not know that name.
fn role_of(role: &[u8]) -> (Role, bool) {
    match role {
        b"user" | b"function" | b"tool" | b"" => (Role::User, false),
        b"model" => (Role::Assistant, false),
        b"assistant" => (Role::Assistant, true),
        b"system" => (Role::System, true),
        _ => (Role::Other, true),
    }
}
