//! Conversations with tools, complete and damaged, independent of any format.

use crate::dice::Dice;
use std::collections::{BTreeMap, BTreeSet};

/// A call, by its number in the conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub n: usize,
    /// Empty where it names none.
    pub id: String,
    pub tool: String,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub to: Call,
    /// The number of this result among several for one call, from 0; `usize::MAX` for a placeholder.
    pub copy: usize,
    /// The text after the mark.
    pub text: String,
    /// The way in which the content is written, where a format has several.
    pub shape: usize,
}

impl Outcome {
    /// Returns the mark by which the result is found in any output.
    pub fn mark(&self) -> String {
        format!("RESULT-{}-{}.", self.to.n, self.copy)
    }

    pub fn said(&self) -> String {
        format!("{}{}", self.mark(), self.text)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Text(String),
    Call(Call),
    Result(Outcome),
    /// A call that the provider answers itself, and its answer.
    Server(usize),
    Served(usize),
    /// Instructions for the model.
    System(String),
}
use Part::{Result, Served, Server, System, Text};

#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Whether the model says it.
    pub model: bool,
    pub parts: Vec<Part>,
}

impl Message {
    fn user(parts: Vec<Part>) -> Message {
        Message {
            model: false,
            parts,
        }
    }

    fn model(parts: Vec<Part>) -> Message {
        Message { model: true, parts }
    }

    pub fn texts(&self) -> Vec<&str> {
        self.parts
            .iter()
            .filter_map(|part| {
                if let Text(text) = part {
                    Some(text.as_str())
                } else {
                    None
                }
            })
            .collect()
    }
}

/// The way in which calls and results refer to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ids {
    /// By an id.
    Named,
    /// By the names of their tools, which differ.
    Tools,
    /// By their order: all have one name.
    Order,
    /// A result repeats its call.
    Whole,
}

pub const TEXTS: [&str; 8] = [
    "",
    " plain.",
    "\n\tlines\r\n and \"quotes\" \\ ",
    "é 漢字 \u{1f600} \u{200b}",
    "{\"json\":[1.10]}",
    "  ",
    "]}\\u0000,",
    "\u{7f}\u{1b}[31m",
];

/// A conversation in which nothing is wrong.
pub fn conversation(dice: &mut Dice, ids: Ids) -> Vec<Message> {
    let mut messages = vec![Message::user(vec![Text("begin now".to_owned())])];
    let mut n = 0;
    for step in 0..2 + dice.below(4) {
        let calls: Vec<Call> = (0..dice.pick(&[1, 1, 2, 3]))
            .map(|_| {
                n += 1;
                let id = if ids == Ids::Named {
                    format!("call_{n:05}")
                } else {
                    String::new()
                };
                let tool = if matches!(ids, Ids::Tools | Ids::Whole) {
                    format!("look{n}")
                } else {
                    "look".to_owned()
                };
                Call { n, id, tool }
            })
            .collect();
        let mut said: Vec<Part> = if dice.once_in(3) {
            vec![Text(format!("let me {step}"))]
        } else {
            Vec::new()
        };
        said.extend(calls.iter().cloned().map(Part::Call));
        messages.push(Message::model(said));
        let outcome = |to: Call| {
            let (text, shape) = (dice.pick(&TEXTS).to_owned(), dice.below(4));
            Result(Outcome {
                to,
                copy: 0,
                text,
                shape,
            })
        };
        messages.push(Message::user(calls.into_iter().map(outcome).collect()));
        if step % 2 == 1 {
            if dice.once_in(4) {
                messages.push(Message::model(vec![
                    Server(step),
                    Served(step),
                    Text(format!("so {step}")),
                ]));
            } else {
                messages.push(Message::model(vec![Text(format!("so {step}"))]));
            }
            messages.push(Message::user(vec![Text(format!("more {step}"))]));
        }
    }
    if matches!(messages.last(), Some(Message { parts, .. }) if matches!(parts[..], [Result(_), ..]))
    {
        messages.extend([
            Message::model(vec![Text("done".to_owned())]),
            Message::user(vec![Text("bye".to_owned())]),
        ]);
    }
    messages
}

/// The enum of ways of damage, and the list of them.
macro_rules! damages {
    ($($way:ident)*) => {
        /// Ways of damage.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Damage { $($way),* }
        use Damage::*;
        pub const DAMAGES: &[Damage] = &[$($way),*];
    };
}

damages! {
    Lost Late Early Twice TwiceDifferent PlaceholderFirst Orphan UserBetween Split Reordered Beside
    CallOfUser IdAgain IdAgainTogether ResultWithoutId CallWithoutId EmptyText RoleTwice HalfServerPair CallsLost SystemBetween
}

/// The text of the placeholder that answers a call without a result.
pub const NONE: &str = "[No result was recorded for this call; assume nothing about its effects.]";

/// Damages a conversation in one way, where it has a place for that.
pub fn damage(messages: &mut Vec<Message>, way: Damage, dice: &mut Dice) {
    let results = places(messages, |part| matches!(part, Result(_)));
    let calls = places(messages, |part| matches!(part, Part::Call(_)));
    let texts = places(messages, |part| matches!(part, Text(_)));
    let (Some((i, p)), Some((c, k))) = (choose(&results, dice), choose(&calls, dice)) else {
        return;
    };
    match way {
        Lost => drop(messages[i].parts.remove(p)),
        Late | Early => {
            let moved = messages[i].parts.remove(p);
            let at = if way == Late {
                anywhere(dice, i + 1, messages.len())
            } else {
                anywhere(dice, 0, i.saturating_sub(1))
            };
            messages.insert(at, Message::user(vec![moved]));
        }
        Twice | TwiceDifferent => answer_again(messages, (i, p), way == TwiceDifferent, dice),
        PlaceholderFirst => answer_neutrally(messages, (i, p)),
        Orphan => {
            let has_ids = matches!(&messages[c].parts[k], Part::Call(call) if !call.id.is_empty());
            let id = if has_ids { "call_00900" } else { "" };
            let at = anywhere(dice, 1, messages.len());
            messages.insert(at, Message::user(vec![orphan(id)]));
        }
        SystemBetween => messages.insert(i, Message::user(vec![System("be brief".to_owned())])),
        UserBetween => messages.insert(i, Message::user(vec![Text("wait".to_owned())])),
        Split => {
            let rest = messages[i].parts.split_off(p);
            let at = i + 1;
            messages.insert(at, Message::user(vec![Text("hm".to_owned())]));
            messages.insert(at + 1, Message::user(rest));
        }
        Reordered => messages[i].parts.reverse(),
        Beside => answer_beside(messages, (c, k), &results),
        CallOfUser => give_to_user(messages, (c, k), dice),
        IdAgain | IdAgainTogether => {
            let is_later = |&&(d, l): &&(usize, usize)| {
                (d == c) == (way == IdAgainTogether) && (d, l) > (c, k)
            };
            if let Some(&later) = calls.iter().find(is_later) {
                give_id_again(messages, (c, k), later);
            }
        }
        ResultWithoutId | CallWithoutId => {
            let (m, part) = if way == CallWithoutId { (c, k) } else { (i, p) };
            match &mut messages[m].parts[part] {
                Part::Call(call) => call.id.clear(),
                Result(outcome) => outcome.to.id.clear(),
                _ => {}
            }
        }
        EmptyText => add_empty_text(messages, dice),
        RoleTwice => {
            if let Some((i, _)) = choose(&texts, dice) {
                let said = Message {
                    model: messages[i].model,
                    parts: vec![Text("once more".to_owned())],
                };
                messages.insert(i + 1, said);
            }
        }
        HalfServerPair => add_half_pair(messages, dice),
        CallsLost => {
            messages[c].parts.remove(k);
        }
    }
    messages.retain(|message| !message.parts.is_empty());
}

fn anywhere(dice: &mut Dice, from: usize, to: usize) -> usize {
    from + dice.below(to.saturating_sub(from) + 1)
}

/// Puts the result at a place again, behind it or in a later message.
fn answer_again(
    messages: &mut Vec<Message>,
    (i, p): (usize, usize),
    is_different: bool,
    dice: &mut Dice,
) {
    let mut again = messages[i].parts[p].clone();
    if let (Result(outcome), true) = (&mut again, is_different) {
        (outcome.copy, outcome.text) = (1, " again".to_owned());
    }
    let at = anywhere(dice, i + 1, messages.len());
    if dice.once_in(2) {
        messages[i].parts.insert(p + 1, again)
    } else {
        messages.insert(at, Message::user(vec![again]))
    }
}

/// Puts the answer of a repair before a result.
fn answer_neutrally(messages: &mut [Message], (i, p): (usize, usize)) {
    if let Result(outcome) = messages[i].parts[p].clone() {
        let neutral = Outcome {
            copy: usize::MAX,
            text: NONE.to_owned(),
            shape: 0,
            ..outcome
        };
        messages[i].parts.insert(p, Result(neutral));
    }
}

/// A result of a call that is not there.
fn orphan(id: &str) -> Part {
    let to = Call {
        n: 900,
        id: id.to_owned(),
        tool: "look900".to_owned(),
    };
    Result(Outcome {
        to,
        copy: 0,
        text: String::new(),
        shape: 0,
    })
}

/// Moves the result of a call behind it, into the message of the model.
fn answer_beside(messages: &mut [Message], (c, k): (usize, usize), results: &[(usize, usize)]) {
    let Part::Call(call) = messages[c].parts[k].clone() else {
        return;
    };
    let its = results
        .iter()
        .find(|(i, p)| matches!(&messages[*i].parts[*p], Result(o) if o.to.n == call.n));
    if let Some(&(i, p)) = its {
        let moved = messages[i].parts.remove(p);
        messages[c].parts.push(moved);
    }
}

/// Gives a later call and its results the id and the tool of the first.
fn give_id_again(messages: &mut [Message], (c, k): (usize, usize), (d, l): (usize, usize)) {
    let (Part::Call(first), Part::Call(later)) =
        (messages[c].parts[k].clone(), messages[d].parts[l].clone())
    else {
        return;
    };
    let renamed = Call {
        id: first.id,
        tool: first.tool,
        ..later
    };
    for part in messages.iter_mut().flat_map(|m| &mut m.parts) {
        match part {
            Part::Call(call) if call.n == renamed.n => *call = renamed.clone(),
            Result(outcome) if outcome.to.n == renamed.n => outcome.to = renamed.clone(),
            _ => {}
        }
    }
}

/// Moves a call to the user's message behind it, or to a new one.
fn give_to_user(messages: &mut Vec<Message>, (c, k): (usize, usize), dice: &mut Dice) {
    let moved = messages[c].parts.remove(k);
    match messages
        .get_mut(c + 1)
        .filter(|next| !next.model && dice.once_in(2))
    {
        Some(next) => next.parts.insert(0, moved),
        None => messages.insert(c + 1, Message::user(vec![moved])),
    }
}

/// Adds a call of the server's tool, or the result of one.
fn add_half_pair(messages: &mut [Message], dice: &mut Dice) {
    let at = messages
        .iter()
        .position(|m| m.model && matches!(m.parts[..], [Text(_)]));
    let half = if dice.once_in(2) {
        Server(77)
    } else {
        Served(77)
    };
    if let Some(at) = at {
        messages[at].parts.insert(0, half);
    }
}

fn add_empty_text(messages: &mut Vec<Message>, dice: &mut Dice) {
    let at = anywhere(dice, 1, messages.len() - 1);
    let empty = Text(dice.pick(&["", " ", "\n"]).to_owned());
    match dice.below(3) {
        0 => messages.insert(
            at,
            Message {
                model: dice.once_in(2),
                parts: vec![empty],
            },
        ),
        _ => messages[at].parts.insert(0, empty),
    }
}

fn choose(places: &[(usize, usize)], dice: &mut Dice) -> Option<(usize, usize)> {
    (!places.is_empty()).then(|| dice.pick(places))
}

fn places(messages: &[Message], wanted: fn(&Part) -> bool) -> Vec<(usize, usize)> {
    let of = |(i, message): (usize, &Message)| {
        message
            .parts
            .iter()
            .enumerate()
            .filter(|(_, part)| wanted(part))
            .map(move |(p, _)| (i, p))
            .collect::<Vec<_>>()
    };
    messages.iter().enumerate().flat_map(of).collect()
}

/// Calls that nothing distinguishes, and the marks of the results that may be theirs.
#[derive(Debug, Default)]
pub struct Alike {
    pub calls: BTreeSet<usize>,
    pub marks: BTreeSet<String>,
    /// The calls that these results were made for.
    made: BTreeSet<usize>,
    /// The tools of both.
    pub tools: BTreeSet<String>,
}

impl Alike {
    /// Whether it is known which of the results is whose.
    fn is_one(&self) -> bool {
        self.calls.len() == 1 && self.made.is_subset(&self.calls)
    }
}

/// The required content of a repaired conversation.
#[derive(Debug, Default)]
pub struct Truth {
    /// For each call with what its real results are marked with, in the order of the calls.
    pub calls: Vec<(usize, BTreeSet<String>)>,
    /// Calls that nothing distinguishes. They are among the calls, too.
    pub alike: Vec<Alike>,
    /// Whether a call or a result names no id where others do.
    pub nameless: bool,
    /// The number of placeholders, which only say that there is no result.
    pub neutral: usize,
}

impl Truth {
    /// Whether the results of call `n` may be another's.
    pub fn is_alike(&self, n: usize) -> bool {
        self.alike.iter().any(|alike| alike.calls.contains(&n))
    }
}

/// The truth of messages, where calls and results know each other by `ids`.
pub fn truth(messages: &[Message], ids: Ids) -> Truth {
    let mut truth = Truth::default();
    let mut groups: BTreeMap<(String, String), Alike> = BTreeMap::new();
    let mut results: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for part in messages.iter().flat_map(|m| &m.parts) {
        let of = |call: &Call| match ids {
            Ids::Named => (call.id.clone(), String::new()),
            Ids::Whole => (call.n.to_string(), call.tool.clone()),
            _ => (String::new(), call.tool.clone()),
        };
        match part {
            Part::Call(call) => {
                truth.calls.push((call.n, BTreeSet::new()));
                truth.nameless |= ids == Ids::Named && call.id.is_empty();
                let group = groups.entry(of(call)).or_default();
                group.calls.insert(call.n);
                group.tools.insert(call.tool.clone());
            }
            Result(outcome) if outcome.copy == usize::MAX => {
                truth.nameless |= ids == Ids::Named && outcome.to.id.is_empty();
                truth.neutral += 1;
            }
            Result(outcome) => {
                truth.nameless |= ids == Ids::Named && outcome.to.id.is_empty();
                results
                    .entry(outcome.to.n)
                    .or_default()
                    .insert(outcome.mark());
                let group = groups.entry(of(&outcome.to)).or_default();
                group.marks.insert(outcome.mark());
                group.made.insert(outcome.to.n);
                group.tools.insert(outcome.to.tool.clone());
            }
            _ => {}
        }
    }
    // A call without an id may be that of any result of its tool whose call is not there.
    if let Some(nameless) = groups
        .get(&Default::default())
        .filter(|group| !group.calls.is_empty())
    {
        let is_open =
            |group: &Alike| group.calls.is_empty() && group.tools.is_subset(&nameless.tools);
        let of_nobody: Vec<_> = groups
            .keys()
            .filter(|key| is_open(&groups[*key]))
            .cloned()
            .collect();
        for key in of_nobody {
            let group = groups.remove(&key).unwrap_or_default();
            let nameless = groups.entry(Default::default()).or_default();
            nameless.marks.extend(group.marks);
            nameless.made.extend(group.made);
        }
    }
    truth
        .calls
        .iter_mut()
        .for_each(|(n, marks)| *marks = results.remove(n).unwrap_or_default());
    truth.alike = groups
        .into_values()
        .filter(|group| !group.calls.is_empty() && !group.is_one())
        .collect();
    truth
}
