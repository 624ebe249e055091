//! The expected output by the rules alone: computed on whole values and UTF-16, without any code of the program.

use crate::notation::{Answer, Model, Part, Turn};
use serde_json::{Value, json};

/// Settings of a law's run.
#[derive(Clone, Debug)]
pub struct Policy {
    pub aggressive: bool,
    pub window: u64,
    pub keep: usize,
    pub soft: f64,
    pub hard: f64,
    pub least: u64,
    pub max: usize,
    pub head: usize,
    pub tail: usize,
    pub clear: bool,
    pub skip_shorter: bool,
    pub images: bool,
    pub deny: Vec<String>,
}

const IMAGE: &str = "[image removed during context pruning]";
const PLACEHOLDER: &str = "[Old tool result content cleared]";

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

fn size(parts: &[Part]) -> u64 {
    parts
        .iter()
        .map(|p| {
            if let Part::Text(text) = p {
                units(text) as u64
            } else {
                8000
            }
        })
        .sum()
}

fn weigh(turn: &Turn) -> u64 {
    match turn {
        Turn::System(_) => 0,
        Turn::User(text) => units(text) as u64,
        Turn::Model(Model { text, calls, .. }) => {
            (text.as_deref().map_or(0, units)
                + calls
                    .iter()
                    .map(|c| units(&c.arguments.to_string()))
                    .sum::<usize>()) as u64
        }
        Turn::Results(answers) => answers.iter().map(|answer| size(&answer.parts)).sum(),
    }
}

/// A result; each has a turn of its own.
fn result(turn: &mut Turn) -> Option<&mut Answer> {
    if let Turn::Results(answers) = turn {
        answers.first_mut()
    } else {
        None
    }
}

/// The new parts of each result, in order; `None` where it stays.
pub fn expected(turns: &[Turn], policy: &Policy) -> Vec<Option<String>> {
    let mut now: Vec<Turn> = turns.to_vec();
    let mut changed: Vec<Option<String>> = vec![None; turns.len()];
    prune(&mut now, &mut changed, policy);
    turns
        .iter()
        .zip(changed)
        .filter(|(t, _)| matches!(t, Turn::Results(_)))
        .map(|(_, c)| c)
        .collect()
}

fn prune(turns: &mut [Turn], changed: &mut [Option<String>], policy: &Policy) {
    let window = (policy.window * 4) as f64;
    let assistants: Vec<usize> = (0..turns.len())
        .filter(|&i| matches!(turns[i], Turn::Model(_)))
        .collect();
    if assistants.len() < policy.keep {
        return;
    }
    let cutoff = if policy.keep == 0 {
        turns.len()
    } else {
        assistants[assistants.len() - policy.keep]
    };
    let Some(start) = turns.iter().position(|t| matches!(t, Turn::User(_))) else {
        return;
    };
    let mut total: u64 = turns.iter().map(weigh).sum();
    if !policy.aggressive && (total as f64 / window) < policy.soft {
        return;
    }
    let mut eligible = Vec::new();
    for i in start..cutoff.max(start) {
        let Some(answer) = result(&mut turns[i]) else {
            continue;
        };
        let image = answer.has_image();
        if policy.deny.contains(&answer.tool.to_lowercase()) || image && !policy.images {
            continue;
        }
        eligible.push(i);
        if let Some(text) = (!policy.aggressive)
            .then(|| trimmed(answer, policy))
            .flatten()
        {
            total = total - size(&answer.parts) + units(&text) as u64;
            answer.parts = vec![Part::Text(text.clone())];
            changed[i] = Some(text);
        }
    }
    if !policy.aggressive {
        if (total as f64 / window) < policy.hard || !policy.clear {
            return;
        }
        if eligible.iter().map(|&i| weigh(&turns[i])).sum::<u64>() < policy.least {
            return;
        }
    }
    for i in eligible {
        if !policy.aggressive && (total as f64 / window) < policy.hard {
            return;
        }
        let Some(answer) = result(&mut turns[i]) else {
            continue;
        };
        if policy.skip_shorter && size(&answer.parts) <= units(PLACEHOLDER) as u64 {
            continue;
        }
        total = total - size(&answer.parts) + units(PLACEHOLDER) as u64;
        if answer.parts != [Part::Text(PLACEHOLDER.to_owned())] {
            changed[i] = Some(PLACEHOLDER.to_owned());
        }
    }
}

fn trimmed(answer: &Answer, policy: &Policy) -> Option<String> {
    let image = answer.has_image();
    let texts: Vec<&str> = answer
        .parts
        .iter()
        .map(|p| {
            if let Part::Text(text) = p {
                text
            } else {
                IMAGE
            }
        })
        .collect();
    let whole: Vec<u16> = texts.join("\n").encode_utf16().collect();
    let n = whole.len();
    if n <= policy.max || policy.head + policy.tail >= n {
        return image.then(|| texts.join("\n"));
    }
    let low = |at: usize| (0xdc00..0xe000).contains(&whole[at]);
    let mut head = policy.head;
    let mut tail = n - policy.tail;
    // An end that would split a pair moves inwards.
    if head > 0 && low(head) {
        head -= 1;
    }
    if tail < n && low(tail) {
        tail += 1;
    }
    let (head, tail) = (
        String::from_utf16(&whole[..head]).unwrap(),
        String::from_utf16(&whole[tail..]).unwrap(),
    );
    let note = format!(
        "[Tool result trimmed: kept first {} chars and last {} chars of {n} chars.]",
        policy.head, policy.tail
    );
    Some(format!("{head}\n...\n{tail}\n\n{note}"))
}

/// Puts a new text into the content of a result, as a format has it.
pub fn put(content: &mut Value, text: &str) {
    match content {
        Value::String(old) => *old = text.to_owned(),
        Value::Array(parts) if parts.len() == 1 && parts[0]["type"] == "text" => {
            parts[0]["text"] = json!(text)
        }
        other => *other = json!([{"type": "text", "text": text}]),
    }
}
