//! Random conversations, and how each format says them.
//!
//! A conversation is what all formats can say: users, assistants that call tools, results, each in a message of its own. It is made
//! from a number, so that a failing case is recognized by that number.

pub use crate::dice::Dice;
use crate::notation::{Answer, Call, Conversation, EVERY, Model, Part, Turn};
use serde_json::{Value, json};

/// Formats a conversation can be said in.
pub const FORMATS: [&str; 4] = ["openclaw", "anthropic", "openai-chat", "messages"];

const TOOLS: [&str; 4] = ["exec", "Read", "web_search", "image_gen"];
const CHARS: [char; 16] = [
    'a',
    'b',
    ' ',
    '\n',
    '"',
    '\\',
    '/',
    '\t',
    'é',
    '漢',
    '字',
    '😀',
    '\u{20000}',
    '한',
    '\u{1}',
    '~',
];

pub fn text(dice: &mut Dice, most: usize) -> String {
    let n = dice.below(most + 1);
    let plain = dice.once_in(2);
    (0..n)
        .map(|_| {
            if plain {
                dice.pick(&['x', 'y', ' ', 'z'])
            } else {
                dice.pick(&CHARS)
            }
        })
        .collect()
}

pub fn conversation(dice: &mut Dice) -> Conversation {
    let mut turns = Vec::new();
    let (mut calls, mut waiting) = (0, Vec::<Answer>::new());
    if !dice.once_in(8) {
        turns.push(Turn::User("begin ".to_owned() + &text(dice, 30)));
    }
    for _ in 0..1 + dice.below(9) {
        let made: Vec<Call> = (0..dice.below(4))
            .map(|_| {
                calls += 1;
                let tool = dice.pick(&TOOLS).to_string();
                Call {
                    id: format!("call_{calls}"),
                    tool,
                    arguments: json!({ "cmd": text(dice, 20), "n": dice.below(9) }),
                }
            })
            .collect();
        for call in made
            .iter()
            .filter(|_| !dice.once_in(12))
            .collect::<Vec<_>>()
        {
            waiting.push(answer(dice, &call.id, &call.tool));
        }
        let said = (made.is_empty() || dice.once_in(2)).then(|| "so ".to_owned() + &text(dice, 60));
        turns.push(Turn::Model(Model {
            thinking: None,
            text: said,
            calls: made,
        }));
        // Results follow their calls, most of the time, and in an order of their own.
        let keep = if dice.once_in(6) {
            dice.below(waiting.len() + 1)
        } else {
            0
        };
        while waiting.len() > keep {
            let at = dice.below(waiting.len());
            turns.push(Turn::Results(vec![waiting.remove(at)]));
        }
        if dice.once_in(15) {
            turns.push(Turn::Results(vec![answer(dice, "call_nobody", "")]));
        }
        if dice.once_in(3) {
            turns.push(Turn::User("go on ".to_owned() + &text(dice, 40)));
        }
    }
    Conversation { turns }
}

fn answer(dice: &mut Dice, call: &str, tool: &str) -> Answer {
    let n = if dice.once_in(3) { dice.below(4) } else { 1 };
    let parts: Vec<Part> = (0..n)
        .map(|_| {
            if dice.once_in(8) {
                Part::Image
            } else {
                Part::Text(if dice.once_in(3) {
                    text(dice, 400)
                } else {
                    text(dice, 40)
                })
            }
        })
        .collect();
    Answer {
        call: call.to_owned(),
        tool: tool.to_owned(),
        arguments: Value::Null,
        parts,
        error: dice.once_in(6),
    }
}

/// The conversation as the records of a format: one for a body, one for each line of a history.
pub fn say(said: &Conversation, format: &str) -> Vec<Value> {
    let bytes = EVERY
        .iter()
        .find(|spoken| spoken.name == format)
        .unwrap()
        .render(said);
    let mut records: Vec<Value> = serde_json::Deserializer::from_slice(&bytes)
        .into_iter()
        .map(Result::unwrap)
        .collect();
    if format != "openclaw" {
        results(&mut records, format)
            .into_iter()
            .for_each(in_either_spelling);
        messages(&mut records, format)
            .into_iter()
            .filter(|m| m["role"] == "assistant" && m["content"] == "")
            .for_each(|m| m["content"] = Value::Null);
    }
    records
}

/// A text alone is a string or a list of one part.
fn in_either_spelling(content: &mut Value) {
    let text = match content {
        Value::Array(parts) if parts.len() == 1 && parts[0]["type"] == "text" => {
            parts[0]["text"].take()
        }
        Value::String(text) => json!(text),
        _ => return,
    };
    let is_string = text.as_str().unwrap().len().is_multiple_of(2);
    *content = if is_string {
        text
    } else {
        json!([{"type": "text", "text": text}])
    };
}

/// The content of results in what was said, in order.
pub fn results<'a>(records: &'a mut [Value], format: &str) -> Vec<&'a mut Value> {
    let mut found = Vec::new();
    for message in messages(records, format) {
        if matches!(message["role"].as_str(), Some("tool" | "toolResult")) {
            found.push(&mut message["content"]);
        } else if let Some(blocks) = message["content"].as_array_mut() {
            found.extend(
                blocks
                    .iter_mut()
                    .filter(|b| b["type"] == "tool_result")
                    .map(|b| &mut b["content"]),
            );
        }
    }
    found
}

fn messages<'a>(records: &'a mut [Value], format: &str) -> Vec<&'a mut Value> {
    match format {
        "openclaw" => records
            .iter_mut()
            .filter_map(|r| r.get_mut("message"))
            .collect(),
        "messages" => records.iter_mut().collect(),
        _ => records[0]["messages"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .collect(),
    }
}
