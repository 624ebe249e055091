//! Random conversations, written in each format.
//!
//! A conversation is what all formats can say: users, assistants that call tools, results. It is made from a number, so
//! that a failing case is recognized by that number.

pub use crate::dice::Dice;
use serde_json::{Value, json};

/// A part of a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Text(String),
    Image,
}

/// A tool's result.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub call: String,
    pub tool: String,
    pub parts: Vec<Part>,
    /// Whether formats that can say it as a string do.
    pub string: bool,
    pub error: bool,
}

/// One message.
#[derive(Clone, Debug)]
pub enum Turn {
    User(String),
    /// Text and calls: id, tool, arguments.
    Assistant(Option<String>, Vec<(String, String, Value)>),
    Result(Outcome),
}

/// Formats a conversation can be said in.
pub const FORMATS: [&str; 4] = ["openclaw", "anthropic", "openai-chat", "messages"];

const TOOLS: [&str; 4] = ["exec", "Read", "web_search", "image_gen"];
const CHARS: [char; 16] = ['a', 'b', ' ', '\n', '"', '\\', '/', '\t', 'é', '漢', '字', '😀', '\u{20000}', '한', '\u{1}', '~'];

pub fn text(dice: &mut Dice, most: usize) -> String {
    let n = dice.below(most + 1);
    let plain = dice.once_in(2);
    (0..n).map(|_| if plain { dice.pick(&['x', 'y', ' ', 'z']) } else { dice.pick(&CHARS) }).collect()
}

pub fn conversation(dice: &mut Dice) -> Vec<Turn> {
    let mut turns = Vec::new();
    let (mut calls, mut waiting) = (0, Vec::<Outcome>::new());
    if !dice.once_in(8) {
        turns.push(Turn::User("begin ".to_owned() + &text(dice, 30)));
    }
    for _ in 0..1 + dice.below(9) {
        let made: Vec<(String, String, Value)> = (0..dice.below(4))
            .map(|_| {
                calls += 1;
                let tool = dice.pick(&TOOLS).to_string();
                (format!("call_{calls}"), tool, json!({ "cmd": text(dice, 20), "n": dice.below(9) }))
            })
            .collect();
        for (id, tool, _) in made.iter().filter(|_| !dice.once_in(12)).collect::<Vec<_>>() {
            waiting.push(outcome(dice, id, tool));
        }
        let said = (made.is_empty() || dice.once_in(2)).then(|| "so ".to_owned() + &text(dice, 60));
        turns.push(Turn::Assistant(said, made));
        // Results follow their calls, most of the time, and in an order of their own.
        let keep = if dice.once_in(6) { dice.below(waiting.len() + 1) } else { 0 };
        while waiting.len() > keep {
            let at = dice.below(waiting.len());
            turns.push(Turn::Result(waiting.remove(at)));
        }
        if dice.once_in(15) {
            turns.push(Turn::Result(outcome(dice, "call_nobody", "")));
        }
        if dice.once_in(3) {
            turns.push(Turn::User("go on ".to_owned() + &text(dice, 40)));
        }
    }
    turns
}

fn outcome(dice: &mut Dice, call: &str, tool: &str) -> Outcome {
    let n = if dice.once_in(3) { dice.below(4) } else { 1 };
    let parts: Vec<Part> = (0..n)
        .map(|_| if dice.once_in(8) { Part::Image } else { Part::Text(if dice.once_in(3) { text(dice, 400) } else { text(dice, 40) }) })
        .collect();
    let string = matches!(parts[..], [Part::Text(_)]) && dice.once_in(2);
    Outcome { call: call.to_owned(), tool: tool.to_owned(), parts, string, error: dice.once_in(6) }
}

/// The conversation as the records of a format: one for a body, one for each line of a history.
pub fn say(turns: &[Turn], format: &str) -> Vec<Value> {
    match format {
        "openclaw" => {
            let mut records =
                vec![json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/"})];
            for (i, turn) in turns.iter().enumerate() {
                let parent = if i == 0 { Value::Null } else { json!(format!("e{}", i - 1)) };
                let message = openclaw(turn);
                records.push(json!({"type": "message", "id": format!("e{i}"), "parentId": parent, "timestamp": "2026-01-01T00:00:00.000Z", "message": message}));
            }
            records
        }
        "anthropic" => vec![
            json!({"model": "claude-test", "max_tokens": 9, "system": "be brief", "messages": turns.iter().map(anthropic).collect::<Vec<_>>()}),
        ],
        "openai-chat" => {
            vec![json!({"model": "gpt-test", "messages": turns.iter().map(openai).collect::<Vec<_>>(), "tool_choice": "auto"})]
        }
        _ => turns.iter().map(openai).collect(),
    }
}

/// The content of results in what was said, in order.
pub fn results<'a>(records: &'a mut [Value], format: &str) -> Vec<&'a mut Value> {
    let messages: Vec<&mut Value> = match format {
        "openclaw" => records.iter_mut().filter_map(|r| r.get_mut("message")).collect(),
        "messages" => records.iter_mut().collect(),
        _ => records[0]["messages"].as_array_mut().unwrap().iter_mut().collect(),
    };
    let mut found = Vec::new();
    for message in messages {
        if matches!(message["role"].as_str(), Some("tool" | "toolResult")) {
            found.push(&mut message["content"]);
        } else if let Some(blocks) = message["content"].as_array_mut() {
            found.extend(blocks.iter_mut().filter(|b| b["type"] == "tool_result").map(|b| &mut b["content"]));
        }
    }
    found
}

fn openclaw(turn: &Turn) -> Value {
    match turn {
        Turn::User(text) => json!({"role": "user", "content": text}),
        Turn::Assistant(text, calls) => {
            let calls =
                calls.iter().map(|(id, tool, arguments)| json!({"type": "toolCall", "id": id, "name": tool, "arguments": arguments}));
            json!({"role": "assistant", "content": spoken(text).chain(calls).collect::<Vec<_>>(), "provider": "anthropic", "model": "claude-test"})
        }
        Turn::Result(o) => {
            json!({"role": "toolResult", "toolCallId": o.call, "toolName": o.tool, "content": parts(o, false, json!({"type": "image", "data": "AA==", "mimeType": "image/png"})), "isError": o.error})
        }
    }
}

fn anthropic(turn: &Turn) -> Value {
    match turn {
        Turn::User(text) => json!({"role": "user", "content": text}),
        Turn::Assistant(text, calls) => {
            let calls = calls.iter().map(|(id, tool, arguments)| json!({"type": "tool_use", "id": id, "name": tool, "input": arguments}));
            json!({"role": "assistant", "content": spoken(text).chain(calls).collect::<Vec<_>>()})
        }
        Turn::Result(o) => {
            let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}});
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": o.call, "content": parts(o, o.string, image), "is_error": o.error}]})
        }
    }
}

fn openai(turn: &Turn) -> Value {
    match turn {
        Turn::User(text) => json!({"role": "user", "content": text}),
        Turn::Assistant(text, calls) if calls.is_empty() => json!({"role": "assistant", "content": text}),
        Turn::Assistant(text, calls) => {
            let calls: Vec<Value> = calls
                .iter()
                .map(|(id, tool, arguments)| json!({"id": id, "type": "function", "function": {"name": tool, "arguments": arguments.to_string()}}))
                .collect();
            json!({"role": "assistant", "content": text, "tool_calls": calls})
        }
        Turn::Result(o) => {
            json!({"role": "tool", "tool_call_id": o.call, "name": o.tool, "content": parts(o, o.string, json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}))})
        }
    }
}

fn spoken(text: &Option<String>) -> impl Iterator<Item = Value> {
    text.iter().map(|text| json!({"type": "text", "text": text}))
}

fn parts(outcome: &Outcome, string: bool, image: Value) -> Value {
    match &outcome.parts[..] {
        [Part::Text(text)] if string => json!(text),
        parts => parts
            .iter()
            .map(|part| if let Part::Text(text) = part { json!({"type": "text", "text": text}) } else { image.clone() })
            .collect(),
    }
}
