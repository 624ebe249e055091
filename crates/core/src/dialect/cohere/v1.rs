//! Bodies of Cohere's first chat interface: `{message, chat_history, tool_results, …}`.
//!
//! What was said is in `chat_history`; the user's words and the results that the model is to go on from are beside it and
//! come last. Nothing has an id: a result repeats its call, name and parameters, and is paired by them. As it brings its call
//! with it, none is missed where the history does not have it. A result's `outputs` are objects, and are read as Gemini's
//! responses are: the one text of an object is cut where it is, several give way to `[{"output":"…"}]`.

use crate::dialect::ResultForm;
use crate::dialect::builder::{CallId, TranscriptBuilder};
use crate::dialect::gemini::response::value;
use crate::dialect::shared;
use crate::dialect::shared::Content;
use crate::dialect::shared::unread::{first_key, no_role};
use crate::dialect::shared::unread_reply::UnreadReply;
use crate::json::{Cursor, Id, Kind, Scanned, stringify};
use crate::transcript::{BlockKind, Flags, Message, ResultTemplate, Role, Span};
use std::borrow::Cow;

/// Outputs are a list of objects.
pub const RESULTS: ResultForm = ResultForm {
    template: ResultTemplate::of(r#"[{"output":""#, r#""}]"#),
    read: |cursor, builder| outputs(cursor, builder).map(|_| ()),
};

/// Reads a body.
///
/// # Errors
/// It is malformed JSON, or no object.
pub fn body(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    (builder.result_form, builder.calls_elsewhere) = (1, true);
    let (mut history, mut message, mut answers, mut answered) =
        (None, None, None, UnreadReply::default());
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        match (&*key, cursor.kind()?) {
            (b"chat_history", Kind::Array) => history = Some(cursor.at()),
            (b"message", Kind::String) => message = Some(cursor.at()),
            (b"tool_results", Kind::Array) => answers = Some(cursor.at()),
            (b"preamble" | b"documents" | b"model", _) => {
                shared::setting(&key, cursor, builder)?;
            }
            (name, _) => answered.look_into(cursor, name)?,
        }
    }
    answered.note(builder);
    if history.is_none() && message.is_none() && answers.is_none() {
        shared::missing("chat_history", builder);
    }
    if let Some(at) = history {
        cursor.read_at(at, |cursor| shared::objects(cursor, builder, turn))?;
    }
    let has_answers = match answers {
        Some(at) => !cursor.read_at(at, Cursor::element_ranges)?.is_empty(),
        None => false,
    };
    if let Some(at) = message {
        let first = builder.blocks.len();
        let found = cursor.read_at(at, Cursor::text)?;
        // It may be empty where results are what the model continues from.
        let is_empty = found.raw.is_empty();
        if !is_empty {
            builder.text(&found, 0, false);
        }
        if !is_empty || !ends_with_results(builder) && !has_answers {
            builder.add(Message {
                role: Role::User,
                span: found.span,
                blocks: first as u32,
                no_content: is_empty,
                ..Message::default()
            });
        }
    }
    if let Some(at) = answers.filter(|_| has_answers) {
        let first = builder.blocks.len();
        let span = cursor.read_at(at, |cursor| {
            results(cursor, builder)?;
            Ok(cursor.span_from(at))
        })?;
        // Edits go through the input in the order of the conversation: no cut comes to results that are before the history.
        if history.is_some_and(|history| history > at) {
            let blocks = builder.blocks[first..].iter_mut();
            for block in blocks.filter(|b| b.kind == BlockKind::Result) {
                block.flags = block.flags.with(Flags::ABSENT, true);
            }
        }
        builder.message(Role::User, span, first, true);
    }
    Ok(())
}

/// Whether the last turn of the history has results.
fn ends_with_results(builder: &TranscriptBuilder) -> bool {
    let last = builder.messages.last();
    builder.blocks[last.map_or(0, |message| message.blocks as usize)..]
        .iter()
        .any(|block| block.kind == BlockKind::Result)
}

/// Reads one turn of the history.
fn turn(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let (from, first) = (cursor.at(), builder.blocks.len());
    let (mut name, mut places) = (None, [None; 3]);
    cursor.each_member(|key, cursor| {
        // Of a key that is there twice the last counts.
        match (key, cursor.kind()?) {
            (b"role", _) => name = cursor.bytes_or_skip()?,
            (b"message", Kind::String) => places[0] = Some(cursor.at()),
            (b"tool_calls", Kind::Array) => places[1] = Some(cursor.at()),
            (b"tool_results", Kind::Array) => places[2] = Some(cursor.at()),
            _ => {}
        }
        Ok(())
    })?;
    let readers: [fn(&mut Cursor<'_>, &mut TranscriptBuilder) -> Scanned; 3] =
        [words, calls, results];
    let parts = places.into_iter().zip(readers);
    let mut parts: Vec<_> = parts.filter_map(|(at, read)| Some((at?, read))).collect();
    parts.sort_unstable_by_key(|(at, _)| *at);
    for (at, read) in parts {
        cursor.read_at(at, |cursor| read(cursor, builder))?;
    }
    let role = role_of(name.as_deref().unwrap_or_default());
    if role == Role::Other {
        let (level, what) = no_role(cursor, from, name.as_deref())?;
        builder.unread(level, what);
    } else if builder.blocks.len() == first
        && let Some((level, what)) =
            first_key(cursor, from, "message tool_calls tool_results", false)?
    {
        builder.unread(level, what);
    }
    let array = builder.blocks[first..]
        .iter()
        .any(|b| b.kind == BlockKind::Result);
    let no_content = builder.blocks.len() == first && matches!(role, Role::User | Role::Assistant);
    let span = cursor.span_from(from);
    builder.add(Message {
        role,
        span,
        blocks: first as u32,
        array,
        no_content,
        ..Message::default()
    });
    Ok(())
}

fn words(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let found = cursor.text()?;
    if !found.raw.is_empty() {
        builder.text(&found, 0, false);
    }
    Ok(())
}

/// A call as the model made it, or as a result repeats it: `{name, parameters}`.
struct Call<'a> {
    id: CallId,
    name: Cow<'a, str>,
    arguments: usize,
}

fn call<'a>(cursor: &mut Cursor<'a>) -> Scanned<Call<'a>> {
    let (mut name, mut arguments, mut parameters) = (Cow::Borrowed(""), 2, 0..0);
    cursor.each_member(|key, cursor| {
        match key {
            b"name" => name = cursor.string_or_skip()?.unwrap_or_default(),
            b"parameters" => {
                let from = cursor.next_at();
                arguments = stringify::length(cursor)?;
                parameters = from..cursor.at();
            }
            _ => {}
        }
        Ok(())
    })?;
    let hash = Id::of(&[name.as_bytes(), b"\0", &cursor.bytes()[parameters]].concat());
    Ok(Call {
        id: CallId {
            hash,
            span: Span::default(),
        },
        name,
        arguments,
    })
}

fn calls(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    cursor.each_object(|part, cursor| {
        let from = cursor.at();
        let found = call(cursor)?;
        builder.call(
            found.id,
            &found.name,
            part,
            cursor.span_from(from),
            found.arguments,
        );
        Ok(())
    })
}

fn results(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    cursor.each_object(|part, cursor| {
        let (from, first) = (cursor.at(), builder.blocks.len());
        let (mut answered, mut content) = (None, Content::Absent);
        cursor.each_member(|key, cursor| {
            match (key, cursor.kind()?) {
                (b"call", Kind::Object) => answered = Some(call(cursor)?),
                (b"outputs", _) => {
                    builder.keep_blocks(first);
                    content = outputs(cursor, builder)?;
                }
                _ => {}
            }
            Ok(())
        })?;
        let (id, name) = answered.map_or_else(Default::default, |call| (call.id, call.name));
        shared::answer(
            builder,
            first,
            cursor.span_from(from),
            content,
            id,
            Some(&name),
            false,
        );
        builder.blocks[first].part = part.min(usize::from(u16::MAX)) as u16;
        Ok(())
    })
}

/// Reads the outputs of a result: pushes a block for each, and says where they are if they are what a cut can replace.
fn outputs(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned<Content> {
    if cursor.kind()? != Kind::Array {
        return cursor.skip().map(|_| Content::Absent);
    }
    let (from, mut known) = (cursor.at(), true);
    cursor.each_element(|part, cursor| {
        known &= cursor.kind()? == Kind::Object;
        value(cursor, part, builder).map(drop)
    })?;
    Ok(if known {
        Content::Array(cursor.span_from(from))
    } else {
        Content::Absent
    })
}

fn role_of(role: &[u8]) -> Role {
    match role {
        b"USER" | b"User" | b"user" | b"TOOL" | b"Tool" | b"tool" => Role::User,
        b"CHATBOT" | b"Chatbot" | b"chatbot" => Role::Assistant,
        b"SYSTEM" | b"System" | b"system" => Role::System,
        _ => Role::Other,
    }
}
