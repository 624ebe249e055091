//! Laws of `check --repair`, over random conversations with random damage, written in every format. In a repaired input
//!
//! 1. every result of the input that has a call is there once, in the order of the calls, and no call that has a real
//!    result is answered anew;
//! 2. there are no more messages than before and one for each defect, at Mistral and an answer behind it;
//! 3. there are less defects than before, or all of it is as it came;
//! 4. nothing changes when it is repaired again;
//! 5. there are no more cache marks than before, and one where there was any;
//! 6. the links of lines name lines that are there, and lines that were not broken are as they were.
//!
//! An input without defects comes out byte for byte. `CASES=100000 cargo test --release --test library repair::` runs as many
//! conversations in each format.

pub mod bodies;
pub mod conversation;
pub mod logs;
mod pairs;
mod texts_stay;

use crate::dice::Dice;
use bodies::{BODIES, Spelling};
use conversation::{DAMAGES, Damage, Ids, Message, NONE, Part, Truth, conversation, damage, truth};
use deadhead_core::diagnostics::DefectRow;
use deadhead_core::input::Source;
use deadhead_core::internal::cache_policy::Clock;
use deadhead_core::internal::dialect::{Dialect, Layout, by_name};
use deadhead_core::internal::engine::{self, Pruned, Setup, Task};
use deadhead_core::internal::report::Detail;
use deadhead_core::internal::{reader, values};
use deadhead_core::settings::Settings;
use deadhead_core::{Config, Pruner};
use logs::{LINKS, LOGS};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Whether a repair removes such a defect. What is missing of these codes nobody can make up.
fn is_repaired(row: &DefectRow) -> bool {
    !["E12", "E15", "E16", "E18", "E19", "E23"].contains(&row.code)
}

/// The format of a spelling.
pub fn format_of(name: &str) -> &'static Dialect {
    by_name(name.split('/').next().unwrap()).unwrap()
}

/// Repairs an input. Returns the output, and a result that has the defects before and after.
fn repair(text: &str, name: &str) -> (String, Pruned) {
    let clock = Clock {
        now: 0,
        last_call: None,
        assume_cold: false,
    };
    let setup = Setup {
        task: Task::Repair,
        ..Setup::new(Settings::default(), clock, Detail::Totals)
    };
    let (format, bytes) = (format_of(name), text.as_bytes());
    let reading = reader::Reading::new(
        format,
        setup.settings.context_pruning.estimator,
        setup.settings.scope,
    );
    let pruned = if format.layout == Layout::Body {
        engine::mend(bytes, 1, format.into(), &setup).unwrap()
    } else {
        let source = Source::unpacked(bytes.to_vec()).unwrap();
        let read = match values::are_many(bytes) && text.contains("\n  ") {
            true => values::history(bytes, &reading).unwrap(),
            false if text.contains("\n  ") => return whole(text, format, &setup),
            false => reader::log(&source, &reading, 1, &|_| {}).unwrap(),
        };
        engine::mend_history(read, &source, format.into(), &setup).unwrap()
    };
    (
        pruned
            .output
            .clone()
            .map_or(text.to_owned(), |bytes| String::from_utf8(bytes).unwrap()),
        pruned,
    )
}

/// The same for a log that is one document.
fn whole(text: &str, format: &'static Dialect, setup: &Setup) -> (String, Pruned) {
    let pruned = engine::mend(text.as_bytes(), 1, format.into(), setup).unwrap();
    (
        pruned
            .output
            .clone()
            .map_or(text.to_owned(), |bytes| String::from_utf8(bytes).unwrap()),
        pruned,
    )
}

fn codes(rows: &[DefectRow]) -> Vec<&'static str> {
    rows.iter().map(|row| row.code).collect()
}

/// The marks of results in the order in which they are.
fn marks(text: &str) -> Vec<&str> {
    let mark = |(at, _): (usize, &str)| text[at..].find('.').map(|end| &text[at..=at + end]);
    text.match_indices("RESULT-").filter_map(mark).collect()
}

/// Returns the number of messages in an input.
fn messages(text: &str) -> usize {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return text.matches("\n{").count() + 1;
    };
    let list = ["messages", "contents", "input", "chat_history"]
        .iter()
        .find_map(|key| value[key].as_array());
    list.map_or(1, Vec::len)
}

/// Holds the laws for one conversation in one spelling; says what is wrong. With `may_leave`, some defects may be left.
fn holds(spelling: &Spelling, events: &[Message], may_leave: bool) -> Result<(), String> {
    let broken = (spelling.write)(events);
    let (out, pruned) = repair(&broken, spelling.name);
    let (before, after) = (
        &pruned.report.integrity.before,
        &pruned.report.integrity.after,
    );
    let wrong = |what: String| {
        Err(format!(
            "{what}\nbefore {:?}, after {:?}\n{broken}\n--\n{out}",
            codes(before),
            codes(after)
        ))
    };
    if before.is_empty() {
        return if out == broken {
            Ok(())
        } else {
            wrong("a fine input changes".to_owned())
        };
    }
    let truth = truth(events, spelling.ids);
    if let Err(what) = results_stay(spelling, &truth, &broken, &out, may_leave) {
        return wrong(what);
    }
    if let Some(text) = texts_change(events, &broken, &out) {
        return wrong(format!("{text} is not there as often as before"));
    }
    let marks = |text: &str| text.matches("cache_control").count();
    if marks(&out) > marks(&broken) || marks(&out) < marks(&broken).min(1) {
        return wrong(format!(
            "{} cache marks become {}",
            marks(&broken),
            marks(&out)
        ));
    }
    let each = 1 + usize::from(spelling.name.starts_with("mistral"));
    if messages(&out) > messages(&broken) + before.len() * each {
        return wrong(format!(
            "{} messages become {}",
            messages(&broken),
            messages(&out)
        ));
    }
    if out != broken && after.len() >= before.len() {
        return wrong("there are not less defects".to_owned());
    }
    // The other half of a pair is outside of the context.
    let elsewhere = |row: &&DefectRow| {
        row.repair
            .contains("on a line that is not read or not sent")
    };
    let left = after
        .iter()
        .filter(|row| is_repaired(row) && !elsewhere(row))
        .count();
    // Without the result at its end such a conversation ends with an answer, which Mistral refuses as well.
    let ends = spelling.name.starts_with("mistral")
        && out == broken
        && events.last().is_some_and(|last| {
            last.parts
                .iter()
                .all(|part| matches!(part, Part::Result(_)))
        });
    if left > 0 && !truth.nameless && !may_leave && !ends {
        return wrong("defects are left".to_owned());
    }
    let (again, second) = repair(&out, spelling.name);
    if again != out || second.report.integrity.before != *after {
        return wrong(format!(
            "a second repair finds {:?}, changes: {}, and makes\n{again}",
            second.report.integrity.before,
            again != out
        ));
    }
    lines_stay(spelling.name, &broken, &out).or_else(wrong)
}

/// Law 1. `out` may be a log in which a call holds its result, so that only those count that were written.
fn results_stay(
    spelling: &Spelling,
    truth: &Truth,
    broken: &str,
    out: &str,
    may_leave: bool,
) -> Result<(), String> {
    let (had, has) = (marks(broken), marks(out));
    let in_both = |all: &BTreeSet<String>| {
        let of = |marks: &[&str]| {
            all.iter()
                .filter(|mark| marks.contains(&mark.as_str()))
                .count()
        };
        (of(&had), of(&has))
    };
    let mut order = Vec::new();
    // A result of Cohere's first API brings its call with it, and lines beside the context stay.
    let several = spelling.name == "cohere/first" || spelling.name.starts_with("claude-code");
    let is_exact = !several && !may_leave && !truth.nameless && out != broken;
    for (n, all) in &truth.calls {
        let (wanted, kept) = in_both(all);
        let copies: Vec<&&str> = has.iter().filter(|mark| all.contains(**mark)).collect();
        // Equal results of calls that only their order distinguishes may be two.
        if truth.is_alike(*n) {
            continue;
        }
        if copies.len() > kept && is_exact {
            return Err(format!("a result of call {n} is there twice"));
        }
        if kept < wanted.min(1) || kept > 1 && is_exact {
            return Err(format!("{kept} of {wanted} results of call {n}"));
        }
        order.extend(
            copies
                .first()
                .map(|mark| **mark)
                .filter(|_| !truth.nameless && kept == 1),
        );
    }
    // Where nothing distinguishes calls, as many results are kept as there are calls. A call that names no id may have another's.
    let spare = usize::from(truth.nameless);
    for alike in &truth.alike {
        let (wanted, kept) = in_both(&alike.marks);
        if kept + spare < wanted.min(alike.calls.len()) {
            return Err(format!(
                "{kept} of {wanted} results of calls {:?}",
                alike.calls
            ));
        }
        let all = has
            .iter()
            .filter(|mark| alike.marks.contains(**mark))
            .count();
        if spelling.ids == Ids::Named && all > alike.calls.len() && is_exact {
            return Err(format!("{all} results of calls {:?}", alike.calls));
        }
    }
    let known: HashSet<&str> = order.iter().copied().collect();
    let stand: Vec<&str> = has
        .iter()
        .copied()
        .filter(|mark| known.contains(mark))
        .collect();
    // An agent writes results as they come.
    if format_of(spelling.name).layout == Layout::Body
        && out != broken
        && !may_leave
        && stand != order
    {
        return Err(format!("results stand as {stand:?}, wanted {order:?}"));
    }
    let answered = truth
        .calls
        .iter()
        .filter(|(_, all)| in_both(all).1 > 0)
        .count();
    let (neutral, open) = (out.matches(NONE).count(), truth.calls.len() - answered);
    let planted = if is_exact { 0 } else { truth.neutral };
    if neutral > open + planted {
        Err(format!(
            "{neutral} neutral answers for {open} calls without a result"
        ))
    } else {
        Ok(())
    }
}

/// A text of the user's or the model's that is there more or less often than before, or a result's of which a part is gone.
fn texts_change(events: &[Message], broken: &str, out: &str) -> Option<String> {
    let written = |text: &str| serde_json::to_string(text).unwrap();
    let said = |part: &Part| match part {
        Part::Text(text) if !text.trim().is_empty() => Some(written(text)),
        _ => None,
    };
    let parts = || events.iter().flat_map(|message| &message.parts);
    let changed = parts()
        .filter_map(said)
        .find(|text| out.matches(text.as_str()).count() != broken.matches(text.as_str()).count());
    let torn = |part: &Part| match part {
        Part::Result(outcome) if outcome.copy != usize::MAX && out.contains(&outcome.mark()) => {
            Some(written(&outcome.said()))
        }
        _ => None,
    };
    changed.or_else(|| {
        parts()
            .filter_map(torn)
            .find(|text| !out.contains(text.as_str()))
    })
}

/// A line without what it names other lines by.
pub fn bare(line: &Value, name: &str) -> Value {
    let mut line = line.clone();
    let format = format_of(name).name;
    if let Some((.., links)) = LINKS.iter().find(|(linked, ..)| *linked == format) {
        links
            .iter()
            .for_each(|link| drop(line.as_object_mut().unwrap().remove(*link)));
        line["snapshot"] = Value::Null;
    }
    line
}

/// Law 6.
fn lines_stay(name: &str, broken: &str, out: &str) -> Result<(), String> {
    let format = name.split('/').next().unwrap();
    let Some((_, id, links)) = LINKS.iter().find(|(linked, ..)| *linked == format) else {
        return Ok(());
    };
    let read = |text: &str| -> Vec<Value> {
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let (before, after) = (read(broken), read(out));
    let ids = |lines: &[Value]| -> HashSet<String> {
        lines
            .iter()
            .filter_map(|v| v[id].as_str().map(str::to_owned))
            .collect()
    };
    let (was, is) = (ids(&before), ids(&after));
    let known: HashSet<String> = before
        .iter()
        .map(|line| bare(line, name).to_string())
        .collect();
    let may_change = |line: &str| {
        ["RESULT-", NONE, "\"\""]
            .iter()
            .any(|text| line.contains(text))
    };
    let known_ids: HashSet<&str> = before
        .iter()
        .filter(|line| may_change(&line.to_string()))
        .filter_map(|line| line[id].as_str())
        .collect();
    for line in &after {
        for link in *links {
            if let Some(to) = line[link]
                .as_str()
                .filter(|to| was.contains(*to) && !is.contains(*to))
            {
                return Err(format!("{link} names {to}, which was removed: {line}"));
            }
        }
        // Of a line that holds several things some may be removed; an id that was used twice changes, and an empty one.
        let text = line.to_string();
        let changed = text.contains("_2\"")
            || text.contains(NONE)
            || text.contains("RESULT-")
            || line[id].as_str().is_some_and(|id| known_ids.contains(id));
        if !known.contains(&bare(line, name).to_string()) && !changed {
            return Err(format!("a line that was not broken changes: {line}"));
        }
    }
    Ok(())
}

/// Cases beyond those that are usually run in which a law was broken once: of two copies of a result the one that was sent came to
/// hang beside the way to the leaf.
const FAILED_ONCE: [u64; 1] = [19_234];

/// Returns the number of conversations for each format. `CASES` sets it.
fn cases() -> u64 {
    std::env::var("CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1000)
}

/// Whether some defects of this damage may be left: nothing is known of what Gemini says to a call in the user's content, and in
/// a log nothing moves a call, nor distinguishes what names one id; a line of Claude Code's with both hangs beside the way.
fn may_leave(format: &Dialect, ways: &[Damage]) -> bool {
    let of_user = ways.contains(&Damage::CallOfUser);
    let again = ways.contains(&Damage::IdAgain) || ways.contains(&Damage::IdAgainTogether);
    let claude_code = format.name == "claude-code";
    (format.name == "gemini" || claude_code) && of_user
        || format.layout == Layout::History && again && (of_user || claude_code)
}

/// Runs all cases of a spelling; stops at the first that fails.
fn run(spelling: &Spelling) {
    let mut seen: BTreeMap<Vec<Damage>, usize> = BTreeMap::new();
    for case in (0..cases()).chain(FAILED_ONCE) {
        let mut dice = Dice(case);
        let mut events = conversation(&mut dice, spelling.ids);
        let mut ways: Vec<Damage> = (0..case % 6).map(|_| dice.pick(DAMAGES)).collect();
        // The order of calls of one name says all that is known of their results.
        ways.retain(|way| spelling.ids != Ids::Order || !matches!(way, Damage::Reordered));
        // Only OpenAI's chat takes instructions anywhere.
        ways.retain(|way| {
            *way != Damage::SystemBetween || matches!(spelling.name, "openai-chat" | "messages")
        });
        // Two halves of one id are a pair in two messages.
        let halves = ways
            .iter()
            .filter(|way| **way == Damage::HalfServerPair)
            .count();
        let may_leave = may_leave(format_of(spelling.name), &ways) || halves > 1;
        ways.iter()
            .for_each(|way| damage(&mut events, *way, &mut dice));
        if let Err(what) = holds(spelling, &events, may_leave) {
            panic!("{}, case {case}, {ways:?}: {what}", spelling.name);
        }
        *seen.entry(ways).or_default() += 1;
    }
    let kinds: BTreeSet<&Damage> = seen.keys().flatten().collect();
    assert!(
        cases() < 1000 || kinds.len() + 2 >= DAMAGES.len(),
        "{}: all kinds of damage are tried",
        spelling.name
    );
}

/// A log that was cut off in its last lines comes out without them, and is reported.
#[test]
fn torn_ends_are_cut_off() {
    let of_lines = |spelling: &&Spelling| {
        let text = (spelling.write)(&conversation(&mut Dice(0), spelling.ids));
        text.lines().count() > 1 && text.lines().all(|line| line.starts_with("{\""))
    };
    let logs: Vec<&Spelling> = LOGS.iter().chain(&BODIES[16..]).filter(of_lines).collect();
    assert_eq!(logs.len(), 10);
    for spelling in logs {
        for case in 0..cases() {
            let mut dice = Dice(case);
            let end = ["\n", "\r\n"][dice.below(2)];
            let whole = (spelling.write)(&conversation(&mut dice, spelling.ids)).replace('\n', end);
            let lines: Vec<&str> = whole.lines().collect();
            let mut text = whole.clone();
            // A second run of the agent may have gone on behind the first torn line, and was cut off as well.
            for _ in 0..=dice.below(3) {
                let line = lines[dice.below(lines.len())];
                let cut = (1 + dice.below(line.len() - 1)..)
                    .find(|&at| line.is_char_boundary(at))
                    .unwrap();
                text += &line[..cut.min(line.len() - 1)];
                text += ["", end, "\0\0", "\n\n"][dice.below(4)];
                if !text.ends_with('\n') {
                    break;
                }
            }
            let (out, pruned) = repair(&text, spelling.name);
            assert_eq!(
                codes(&pruned.report.integrity.before),
                ["E38"],
                "{}, case {case}: {text}",
                spelling.name
            );
            assert!(
                pruned.report.integrity.after.is_empty() && out == whole,
                "{}, case {case}: {text}\n--\n{out}",
                spelling.name
            );
        }
    }
}

#[test]
fn a_repair_runs_no_pass() {
    let config = "{passes: {on: ['turn-drop']}, turnDrop: {minMessages: 0, keepTurns: 1}}";
    let pruner = Pruner::new(Config::from_json5(config).unwrap()).unwrap();
    let said = |role: &str| json!({"role": role, "content": "a"});
    let messages = ["user", "assistant", "user", "assistant", "user"].map(said);
    let body = json!({"model": "gpt-4o", "messages": messages}).to_string();
    let bytes = body.as_bytes();
    assert_ne!(*pruner.prune(bytes).unwrap().bytes, *bytes);
    assert_eq!(*pruner.repair(bytes).unwrap().bytes, *bytes);
}

macro_rules! laws {
    ($($name:ident: $spellings:expr;)*) => {
        $(#[test]
        fn $name() {
            $spellings.iter().for_each(run);
        })*
    };
}

laws! {
    bodies_one: BODIES[..10];
    bodies_two: BODIES[10..];
    logs_one: LOGS[..5];
    logs_two: LOGS[5..];
}
