//! Cohere chat bodies, of both APIs.
//!
//! The second has OpenAI's shape, with a `tool_plan` beside the calls and documents as the content
//! of a result. The first, `{message, chat_history, tool_results, …}`, has what was said in
//! `chat_history`; the user's words and the results from which the model continues are beside it
//! and come last. Nothing has an id: a result repeats its call, name and parameters, and is paired
//! by them. Because a result brings its call with it, a call that the history lacks is not reported
//! as missing. A result's `outputs` are objects, and are read as Gemini's responses are: the one
//! text of an object is cut where it is, several give way to `[{"output":"…"}]`.

use crate::dialect::{
    Confidence, Dialect, Reader, ResultForm, Signals,
    gemini::response::value,
    reading::*,
    rules::*,
    shared,
    shared::{
        Content, by_order,
        unread::{UnreadReply, first_key, no_role},
    },
};

/// The table's row.
pub const DIALECT: Dialect = Dialect {
    name: "cohere",
    about: "Cohere chat request bodies, v1 and v2",
    provider: &PROVIDER,
    results: &[shared::RESULTS, RESULTS],
    keys: &[
        "chat_history",
        "citation_options",
        "connectors",
        "documents",
        "message",
        "messages",
        "model",
        "preamble",
        "safety_mode",
        "strict_tools",
        "tool_results",
    ],
    detect,
    read,
    context: by_order::context,
    provider_name: |_| Some("cohere"),
    ..Dialect::BODY
};

/// The provider.
pub static PROVIDER: Provider = Provider {
    rules: |model, provider| rules(&Model::of(model, provider)),
    refusals: || &REFUSALS,
    precedence: Precedence::Ranked(1),
    ..PLAIN
};

static REFUSALS: Refusals = refusals!["refusals.tsv"];

fn rules(model: &Model<'_>) -> Rules {
    Rules {
        results: Results::Run,
        results_repeat_calls: true,
        empty: EmptyContent::Text {
            counts: false,
            reasoned: false,
        },
        ..free(model)
    }
}

pub fn detect(signals: &Signals) -> Confidence {
    let named = signals.value("model").is_some_and(|m| {
        (m.starts_with("command") || m.starts_with("c4ai-")) && !m.contains([':', '/'])
    });
    if !signals.lists("messages") {
        let first = signals.value("message").is_some()
            && signals.has_any("tool_results preamble connectors");
        let history = signals.has("chat_history");
        return match () {
            () if history && (signals.has("message") || named) || first => Confidence::Certain,
            () if history || signals.value("message").is_some() && named => Confidence::Likely,
            () => Confidence::No,
        };
    }
    if !signals.may_be_chat() {
        return Confidence::No;
    }
    let own = signals.has_any("documents safety_mode citation_options strict_tools");
    if own || signals.message_has("tool_plan") || signals.block_has("document") {
        Confidence::Certain
    } else if named {
        Confidence::Likely
    } else {
        Confidence::Named
    }
}

fn read(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let is_list = cursor.kind()? == Kind::Array;
    if is_list || cursor.read_at(cursor.at(), has_messages)? {
        shared::body(cursor, builder)
    } else {
        body(cursor, builder)
    }
}

/// Whether the body at the cursor is one of the second API.
fn has_messages(cursor: &mut Cursor<'_>) -> Scanned<bool> {
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        if &*key == b"messages" && cursor.kind()? == Kind::Array {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Outputs are a list of objects.
pub const RESULTS: ResultForm = ResultForm {
    template: ResultTemplate::of(r#"[{"output":""#, r#""}]"#),
    read: |cursor, builder| outputs(cursor, builder).map(|_| ()),
};

/// Reads a body of the first API.
fn body(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
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
        let last = builder.messages.last();
        let mut last = builder.blocks[last.map_or(0, |last| last.blocks as usize)..].iter();
        if !is_empty || !last.any(|block| block.kind == BlockKind::Result) && !has_answers {
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
        // Edits follow the order of the conversation, so results in front of the history are not
        // cut.
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

/// Reads one turn of the history.
fn turn(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    let (from, first) = (cursor.at(), builder.blocks.len());
    let (mut name, mut places) = (None, [None; 3]);
    cursor.each_member(|key, cursor| {
        // Of two members with one key, the last counts.
        match (key, cursor.kind()?) {
            (b"role", _) => name = cursor.bytes_or_skip()?,
            (b"message", Kind::String) => places[0] = Some(cursor.at()),
            (b"tool_calls", Kind::Array) => places[1] = Some(cursor.at()),
            (b"tool_results", Kind::Array) => places[2] = Some(cursor.at()),
            _ => {}
        }
        Ok(())
    })?;
    let readers: [Reader; 3] = [words, calls, results];
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

/// Reads a call as the model made it, or as a result repeats it, `{name, parameters}`: its id, its
/// tool, and the chars of its arguments.
fn call<'a>(cursor: &mut Cursor<'a>) -> Scanned<(CallId, Cow<'a, str>, usize)> {
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
    let span = Span::default();
    Ok((CallId { hash, span }, name, arguments))
}

fn calls(cursor: &mut Cursor<'_>, builder: &mut TranscriptBuilder) -> Scanned {
    cursor.each_object(|part, cursor| {
        let from = cursor.at();
        let (id, name, arguments) = call(cursor)?;
        builder.call(id, &name, part, cursor.span_from(from), arguments);
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
        let (id, name, _) = answered.unwrap_or_default();
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

/// Reads the outputs of a result: pushes a block for each, and says where they are if they are what
/// a cut can replace.
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
