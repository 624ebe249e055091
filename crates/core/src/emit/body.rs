//! Writes pieces as the body of a provider.

use super::pieces::{Piece, Turn, quoted};
use crate::{
    dialect::{Form, beside::Beside},
    transcript::Role,
};

/// The limit of an answer that Anthropic wants stated.
pub const MAX_TOKENS: u64 = 8192;

/// Writes the body; returns it with the names of its tools, and for each part of its messages the
/// byte of the log from which it is.
pub fn write(
    turns: &[Turn],
    form: &Form,
    model: Option<&str>,
    beside: &Beside,
) -> (Vec<u8>, Vec<String>, Vec<u64>) {
    let (member, messages, settings) = match form {
        Form::Blocks { .. } => (
            "messages",
            blocks(turns),
            format!(r#""max_tokens":{MAX_TOKENS},"#),
        ),
        Form::Chat => (
            "messages",
            turns.iter().flat_map(chat).collect(),
            String::new(),
        ),
        Form::Contents => ("contents", contents(turns), String::new()),
        Form::Items { .. } => (
            "input",
            turns.iter().flat_map(items).collect(),
            r#""store":false,"include":["reasoning.encrypted_content"],"#.to_owned(),
        ),
    };
    let mut tools: Vec<(&str, bool)> = Vec::new();
    for piece in turns.iter().flat_map(|turn| &turn.pieces) {
        let tool = match &piece.0 {
            Piece::Call(_, tool, _) => (&**tool, false),
            Piece::Own(item, Some(tool)) => (&**tool, is_custom(item)),
            _ => continue,
        };
        if !tools.contains(&tool) {
            tools.push(tool);
        }
    }
    // What the log declares has its parameters.
    let known = beside.tools.as_deref().unwrap_or("[]");
    tools.retain(|(tool, _)| !known.contains(&quoted(tool)));
    let mut declared: Vec<String> = tools.iter().map(|tool| declared(form, *tool)).collect();
    if known.len() > 2 {
        declared.insert(0, known[1..known.len() - 1].to_owned());
    }
    let mut body = String::from("{");
    if let Some(model) = model {
        body += &format!(r#""model":{},"#, quoted(model));
    }
    body += &settings;
    if let Some(system) = &beside.system {
        body += &format!(r#""system":{system},"#);
    }
    if !declared.is_empty() {
        body += &format!(r#""tools":[{}],"#, declared.join(","));
    }
    body += &format!(r#""{member}":[{}]}}"#, messages.join(","));
    let names = tools.iter().map(|(name, _)| (*name).to_owned());
    // A value of several lines becomes one of one line, as no string has a line end in it.
    body.retain(|c| !matches!(c, '\n' | '\r'));
    let pieces = turns.iter().flat_map(|turn| &turn.pieces);
    let sources = pieces.map(|(_, from)| *from).collect();
    (body.into_bytes(), names.collect(), sources)
}

/// Whether a call is one of a tool that takes a text.
fn is_custom(item: &str) -> bool {
    item.contains(r#""type":"custom_tool_call""#)
}

fn declared(form: &Form, (name, is_custom): (&str, bool)) -> String {
    let name = quoted(name);
    let schema = r#"{"type":"object","properties":{}}"#;
    match form {
        Form::Blocks { .. } => format!(r#"{{"name":{name},"input_schema":{schema}}}"#),
        Form::Chat => {
            format!(r#"{{"type":"function","function":{{"name":{name},"parameters":{schema}}}}}"#)
        }
        Form::Contents => {
            format!(r#"{{"functionDeclarations":[{{"name":{name},"parameters":{schema}}}]}}"#)
        }
        Form::Items { .. } if is_custom => format!(r#"{{"type":"custom","name":{name}}}"#),
        Form::Items { .. } => {
            format!(r#"{{"type":"function","name":{name},"parameters":{schema}}}"#)
        }
    }
}

/// Anthropic's messages.
fn blocks(turns: &[Turn]) -> Vec<String> {
    let written = turns.iter().map(|turn| {
        let pieces = turn.pieces.iter();
        pieces.map(|(piece, _)| block(piece)).collect()
    });
    sides(turns, written, "assistant", "content")
}

/// What stands for the signature of a call that has none; Gemini CLI sends it with the first call of each answer of the open turn.
const NO_SIGNATURE: &str = r#","thoughtSignature":"skip_thought_signature_validator""#;

/// Gemini's contents.
fn contents(turns: &[Turn]) -> Vec<String> {
    let asks = |turn: &Turn| {
        let mut pieces = turn.pieces.iter();
        turn.role != Role::Assistant && pieces.any(|(piece, _)| matches!(piece, Piece::Text(_)))
    };
    let open = turns.iter().rposition(asks);
    let written = turns.iter().zip(0..).map(|(turn, at)| {
        let pieces = turn.pieces.iter();
        let mut parts: Vec<String> = pieces.flat_map(|(piece, _)| parts(piece)).collect();
        let mut calls = parts
            .iter_mut()
            .filter(|part| part.starts_with("{\"functionCall\""));
        if let Some(first) = calls.next().filter(|_| Some(at) > open) {
            first.insert_str(first.len() - 1, NO_SIGNATURE);
        }
        parts
    });
    sides(turns, written, "model", "parts")
}

/// Gemini's parts that a piece is. Images of a result stand behind it.
fn parts(piece: &Piece) -> Vec<String> {
    let part = match piece {
        Piece::Call(id, tool, arguments) => format!(
            r#"{{"functionCall":{{"id":"{id}","name":{},"args":{arguments}}}}}"#,
            quoted(tool)
        ),
        Piece::Result(id, failed, said, tool) => {
            let is_image = |said: &&Piece| matches!(said, Piece::Image(..));
            let (images, said): (Vec<_>, Vec<_>) = said.iter().partition(is_image);
            let key = if *failed { "error" } else { "output" };
            let response = format!(
                r#"{{"functionResponse":{{"id":"{id}","name":{},"response":{{"{key}":{}}}}}}}"#,
                quoted(tool),
                content(said, "text")
            );
            return [response]
                .into_iter()
                .chain(images.into_iter().flat_map(parts))
                .collect();
        }
        Piece::Text(text) => format!(r#"{{"text":{text}}}"#),
        Piece::Image(kind, data) => {
            format!(r#"{{"inlineData":{{"mimeType":"{kind}","data":"{data}"}}}}"#)
        }
        other => block(other),
    };
    vec![part]
}

/// The messages of two sides, of the parts of each turn: those of one side that follow each other are one.
fn sides(
    turns: &[Turn],
    written: impl Iterator<Item = Vec<String>>,
    model: &str,
    member: &str,
) -> Vec<String> {
    let mut sides: Vec<(&str, Vec<String>)> = Vec::new();
    for (turn, written) in turns.iter().zip(written) {
        let side = if turn.role == Role::Assistant {
            model
        } else {
            "user"
        };
        match sides.last_mut() {
            Some((last, parts)) if *last == side => parts.extend(written),
            _ => sides.push((side, written)),
        }
    }
    sides.retain(|(_, parts)| !parts.is_empty());
    sides
        .iter()
        .map(|(side, parts)| format!(r#"{{"role":"{side}","{member}":[{}]}}"#, parts.join(",")))
        .collect()
}

fn block(piece: &Piece) -> String {
    match piece {
        Piece::Text(text) | Piece::Thought(text) => format!(r#"{{"type":"text","text":{text}}}"#),
        Piece::Image(kind, data) => format!(
            r#"{{"type":"image","source":{{"type":"base64","media_type":"{kind}","data":"{data}"}}}}"#
        ),
        Piece::Call(id, tool, arguments) => format!(
            r#"{{"type":"tool_use","id":"{id}","name":{},"input":{arguments}}}"#,
            quoted(tool)
        ),
        Piece::Result(id, failed, parts, _) => {
            let content: Vec<String> = parts.iter().map(block).collect();
            let failed = if *failed { r#","is_error":true"# } else { "" };
            format!(
                r#"{{"type":"tool_result","tool_use_id":"{id}","content":[{}]{failed}}}"#,
                content.join(",")
            )
        }
        Piece::Own(value, _) => value.clone(),
    }
}

/// The messages of a chat that a turn is.
fn chat(turn: &Turn) -> Vec<String> {
    let (mut parts, mut calls, mut messages) = (Vec::new(), Vec::new(), Vec::new());
    let mut thought = String::new();
    for (piece, _) in &turn.pieces {
        match piece {
            Piece::Call(id, tool, arguments) => calls.push(format!(
                r#"{{"id":"{id}","type":"function","function":{{"name":{},"arguments":{}}}}}"#,
                quoted(tool),
                as_string(arguments)
            )),
            Piece::Result(id, _, said, _) => messages.push(format!(
                r#"{{"role":"tool","tool_call_id":"{id}","content":{}}}"#,
                content(said, "text")
            )),
            Piece::Thought(text) => thought = format!(r#","reasoning_content":{text}"#),
            piece => parts.push(piece),
        }
    }
    let role = match turn.role {
        Role::Assistant => "assistant",
        Role::System => "system",
        _ => "user",
    };
    if !parts.is_empty() || !calls.is_empty() {
        let said = (!parts.is_empty())
            .then(|| format!(r#","content":{}"#, content(parts.iter().copied(), "text")));
        let asked = (!calls.is_empty()).then(|| format!(r#","tool_calls":[{}]"#, calls.join(",")));
        messages.push(format!(
            r#"{{"role":"{role}"{}{}{thought}}}"#,
            said.unwrap_or_default(),
            asked.unwrap_or_default()
        ));
    }
    messages
}

/// The items that a turn is.
fn items(turn: &Turn) -> Vec<String> {
    let (role, kind) = match turn.role {
        Role::Assistant => ("assistant", "output_text"),
        _ => ("user", "input_text"),
    };
    let item = |(piece, _): &(Piece, u64)| match piece {
        Piece::Call(id, tool, arguments) => format!(
            r#"{{"type":"function_call","call_id":"{id}","name":{},"arguments":{}}}"#,
            quoted(tool),
            as_string(arguments)
        ),
        Piece::Result(id, _, said, _) => format!(
            r#"{{"type":"function_call_output","call_id":"{id}","output":{}}}"#,
            content(said, "input_text")
        ),
        Piece::Own(value, _) => value.clone(),
        piece => format!(
            r#"{{"type":"message","role":"{role}","content":[{}]}}"#,
            part(piece, kind)
        ),
    };
    turn.pieces.iter().map(item).collect()
}

/// The content of a message: a string if it is one text, else a list of parts.
fn content<'a>(pieces: impl IntoIterator<Item = &'a Piece>, kind: &str) -> String {
    let pieces: Vec<&Piece> = pieces.into_iter().collect();
    match &pieces[..] {
        [] => r#""""#.to_owned(),
        [Piece::Text(text)] => text.clone(),
        several => {
            let parts: Vec<String> = several.iter().map(|piece| part(piece, kind)).collect();
            format!("[{}]", parts.join(","))
        }
    }
}

/// A part of a content whose texts are of this type, which is `text` in a chat.
fn part(piece: &Piece, kind: &str) -> String {
    match piece {
        Piece::Text(text) => format!(r#"{{"type":"{kind}","text":{text}}}"#),
        Piece::Image(mime, data) => {
            let url = format!("\"data:{mime};base64,{data}\"");
            if kind == "text" {
                format!(r#"{{"type":"image_url","image_url":{{"url":{url}}}}}"#)
            } else {
                format!(r#"{{"type":"input_image","image_url":{url}}}"#)
            }
        }
        other => block(other),
    }
}

/// Arguments as a string that holds them.
fn as_string(arguments: &str) -> String {
    if arguments.starts_with('"') {
        arguments.to_owned()
    } else {
        quoted(arguments)
    }
}
