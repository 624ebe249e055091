//! Conversations of a given structure, and numbered kinds of damage to them. Results have messages of their own here.

use crate::repair::conversation::{Call, Ids, Message, Outcome, Part};
use std::cmp::Reverse;

fn text(model: bool, text: impl Into<String>) -> Message {
    Message {
        model,
        parts: vec![Part::Text(text.into())],
    }
}

fn call(n: usize) -> Call {
    Call {
        n,
        id: format!("call_{n}"),
        tool: "look".to_owned(),
    }
}

fn result(to: Call, text: String) -> Message {
    Message {
        model: false,
        parts: vec![Part::Result(Outcome {
            to,
            copy: 0,
            text,
            shape: 0,
        })],
    }
}

/// A conversation without a defect: in every turn some steps of calls with their results, then an answer. Texts are unique, so
/// that one can see what stayed; those of the model have three letters, as Anthropic's spelling makes parts of these.
pub fn conversation(turns: &[Vec<usize>]) -> Vec<Message> {
    let mut messages = Vec::new();
    let mut n = 0;
    for (t, steps) in turns.iter().enumerate() {
        messages.push(text(false, format!("user {t}.")));
        for calls in steps {
            let calls: Vec<Call> = (n..n + calls).map(call).collect();
            n += calls.len();
            messages.push(Message {
                model: true,
                parts: calls.iter().cloned().map(Part::Call).collect(),
            });
            messages.extend(
                calls
                    .into_iter()
                    .map(|to| result(to.clone(), format!("of {}.", to.id))),
            );
        }
        messages.push(text(true, format!("a{t}.")));
    }
    messages.push(text(false, "the last."));
    messages
}

/// Damages a conversation in the way of this number, at a place of this one.
pub fn damage(messages: &mut Vec<Message>, way: u8, at: usize) {
    let place = |wanted: fn(&Message) -> bool| -> Option<usize> {
        let found: Vec<usize> = (0..messages.len())
            .filter(|&i| wanted(&messages[i]))
            .collect();
        (!found.is_empty()).then(|| found[at % found.len()])
    };
    let results = place(|message| matches!(message.parts[..], [Part::Result(_)]));
    let calls = place(|message| matches!(message.parts[..], [Part::Call(_), ..]));
    let anywhere = (at / 7) % (messages.len() + 1);
    let by_model = at.is_multiple_of(2);
    match (way, results, calls) {
        (0, Some(i), _) => drop(messages.remove(i)),
        (1, Some(i), _) => {
            let mut again = messages[i].clone();
            outcomes(&mut again)
                .for_each(|outcome| outcome.text = format!("again {}{at}", outcome.text));
            messages.insert(i + 1 + at % (messages.len() - i), again);
        }
        (2, Some(i), _) => {
            let moved = messages.remove(i);
            messages.insert(anywhere.min(messages.len()), moved);
        }
        (3, Some(i), _) => {
            outcomes(&mut messages[i]).for_each(|outcome| {
                outcome.to = Call {
                    n: 10_000 + at,
                    id: format!("nobody_{at}"),
                    ..call(0)
                }
            });
        }
        (4, ..) => messages.insert(anywhere, text(by_model, if by_model { "   " } else { "" })),
        (5, ..) => messages.insert(
            anywhere,
            text(
                by_model,
                if by_model {
                    format!("{at:03}")
                } else {
                    format!("more {at}.")
                },
            ),
        ),
        (6, _, Some(i)) => drop(messages.remove(i)),
        (7, _, Some(i)) => {
            let twice = messages[i].parts[0].clone();
            messages[i].parts.push(twice);
        }
        (8, _, Some(i)) => {
            let again = messages[i].clone();
            messages.insert(if by_model { i + 1 } else { anywhere }, again);
        }
        _ => damage_pairs(messages, way, at, (results, calls)),
    }
}

/// Damages what pairs calls with results, and no more results than there are calls, but for such as say nothing.
fn damage_pairs(
    messages: &mut Vec<Message>,
    way: u8,
    at: usize,
    (results, calls): (Option<usize>, Option<usize>),
) {
    match (way, results, calls) {
        // A call takes the id of the first, and its result another one.
        (9, _, Some(i)) => {
            let Some(Part::Call(first)) = messages
                .iter()
                .flat_map(|m| &m.parts)
                .find(|part| matches!(part, Part::Call(_)))
                .cloned()
            else {
                return;
            };
            if let Part::Call(call) = &mut messages[i].parts[0]
                && call.n != first.n
            {
                let old = std::mem::replace(&mut call.id, first.id);
                rename(messages, |id| {
                    if *id == old {
                        "nobody_9".to_owned()
                    } else {
                        id.clone()
                    }
                });
            }
        }
        // The first result of a call says nothing.
        (10, Some(i), _) => {
            let mut nothing = messages[i].clone();
            outcomes(&mut nothing).for_each(|outcome| {
                (outcome.copy, outcome.text) = (usize::MAX, NOTHING[at % NOTHING.len()].to_owned())
            });
            messages.insert(i, nothing);
        }
        // The user says something between a call and its result.
        (11, Some(i), _) => {
            damage(messages, 3, at);
            messages.insert(i, text(false, "wait."));
        }
        (12, ..) => rename(messages, |id| id.replace("call", "nobody")),
        // Each result names the next call.
        (13, ..) => rename(messages, |id| {
            let n: usize = id.rsplit('_').next().unwrap().parse().unwrap();
            format!("call_{}", n + 1)
        }),
        _ => {}
    }
}

/// Texts of results that say nothing.
const NOTHING: [&str; 4] = ["", " ", "\n", "[Old tool result content cleared]"];

/// Renames the calls that results name.
fn rename(messages: &mut [Message], name: impl Fn(&String) -> String) {
    for outcome in messages.iter_mut().flat_map(outcomes) {
        outcome.to.id = name(&outcome.to.id);
    }
}

fn outcomes(message: &mut Message) -> impl Iterator<Item = &mut Outcome> {
    message.parts.iter_mut().filter_map(|part| {
        if let Part::Result(outcome) = part {
            Some(outcome)
        } else {
            None
        }
    })
}

/// The conversation for a spelling with such ids. Results that follow each other are the parts of one message. Where calls have ids,
/// each has a number of its own, and a result has that of its call, the first in the last message before it that has one: logs in which a
/// call holds its result put it there. Where a result repeats its call, calls of one id are equal.
pub fn written(messages: &[Message], ids: Ids) -> Vec<Message> {
    let is_result = |message: &Message| matches!(message.parts[..], [Part::Result(_)]);
    let mut written: Vec<Message> = messages
        .chunk_by(|a, b| is_result(a) && is_result(b))
        .map(|run| Message {
            model: run[0].model,
            parts: run
                .iter()
                .flat_map(|message| message.parts.clone())
                .collect(),
        })
        .collect();
    if ids == Ids::Named {
        let mut made: Vec<(usize, Call)> = Vec::new();
        for (m, part) in written
            .iter_mut()
            .enumerate()
            .flat_map(|(m, message)| message.parts.iter_mut().map(move |part| (m, part)))
        {
            match part {
                Part::Call(call) => {
                    call.n = made.len();
                    made.push((m, call.clone()));
                }
                Part::Result(outcome) => {
                    let its = made
                        .iter()
                        .filter(|(_, call)| call.id == outcome.to.id)
                        .min_by_key(|(m, _)| Reverse(*m));
                    outcome.to.n = its.map_or(20_000, |(_, call)| call.n);
                }
                _ => {}
            }
        }
    }
    written
}
