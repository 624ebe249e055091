//! Laws of mending, over random conversations with random damage, written in every format:
//!
//! 1. What is whole comes out byte for byte.
//! 2. A mended copy has no defect that can be mended, and mending it again changes nothing.
//! 3. What was said stays, and so does the first result of every call that was made before it.
//! 4. In a history every line stays that was not broken, but for the parent that it names and results before their calls.

mod notation;

use deadhead_core::account::Detail;
use deadhead_core::cache_policy::Clock;
use deadhead_core::dialect::{Dialect, Layout, by_name};
use deadhead_core::engine::{self, Pruned, Setup};
use deadhead_core::input::Source;
use deadhead_core::settings::Settings;
use deadhead_core::{reader, values};
use notation::{Event, FORMATS, conversation, damage, write};
use proptest::prelude::*;
use serde_json::Value;
use std::collections::HashSet;

const NEUTRAL: &str = "[No result was recorded for this call; assume nothing about its effects.]";
/// Codes that nothing can mend.
const LEFT: [&str; 7] = ["E12", "E15", "E16", "E18", "E19", "E23", "E99"];
/// The mend of Cohere's first interface where the history ends with an answer and the request says nothing.
const WORDLESS: &str = "say something, or give the results that the model is to go on from";

fn repair(text: &str, format: &str) -> (String, Pruned) {
    let settings = Settings::default();
    let clock = Clock { now: 0, last_call: None, assume_cold: false };
    let setup = Setup::new(settings, clock, Detail::Totals);
    let (format, one) = (spoken(format), serde_json::from_str::<Value>(text).is_ok());
    let (estimator, scope) = (setup.settings.context_pruning.estimator, setup.settings.scope);
    let pruned = if one {
        engine::repair(text.as_bytes(), 1, format.into(), &setup).unwrap()
    } else if text.contains("\n  ") {
        let source = Source::unpacked(text.as_bytes().to_vec()).unwrap();
        let read = values::history(text.as_bytes(), format, estimator, scope).unwrap();
        engine::repair_history(read, &source, format, &setup).unwrap()
    } else {
        let source = Source::unpacked(text.as_bytes().to_vec()).unwrap();
        let read = reader::history(&source, format, estimator, scope, 1, &|_| {}).unwrap();
        engine::repair_history(read, &source, format, &setup).unwrap()
    };
    let out = pruned.output.clone().map_or(text.to_owned(), |bytes| String::from_utf8(bytes).unwrap());
    (out, pruned)
}

/// The format of a way to write one.
fn spoken(name: &str) -> &'static Dialect {
    by_name(name.split('/').next().unwrap()).unwrap()
}

/// Texts that must stay.
fn kept(events: &[Event]) -> Vec<String> {
    let (mut made, mut answered, mut texts) = (HashSet::new(), HashSet::new(), Vec::new());
    for event in events {
        match event {
            Event::User(text) | Event::Say(text) if !text.trim().is_empty() => texts.push(text.clone()),
            Event::Calls(ids) => made.extend(ids.clone()),
            Event::Result(id, text) if made.contains(id) && answered.insert(id.clone()) => texts.push(text.clone()),
            _ => {}
        }
    }
    texts
}

/// A line without the parent that it names.
fn orphaned(line: &str) -> Value {
    let mut value: Value = serde_json::from_str(line).unwrap();
    let object = value.as_object_mut().unwrap();
    ["parentId", "parentUuid"].iter().for_each(|name| drop(object.remove(*name)));
    value
}

fn holds(turns: &[Vec<usize>], ways: &[(u8, usize)]) {
    let mut events = conversation(turns);
    for format in FORMATS {
        let whole = write(&events, format);
        let (same, pruned) = repair(&whole, format);
        assert!(same == whole && pruned.output.is_none(), "law 1: {format}: {:?}\n{whole}", pruned.report.integrity.before);
    }
    ways.iter().for_each(|(way, at)| damage(&mut events, *way, *at));
    // A call that is made twice gets a new id in its line.
    let doubled = ways.iter().any(|(way, _)| *way >= 7);
    for format in FORMATS {
        let broken = write(&events, format);
        let (mended, pruned) = repair(&broken, format);
        let about = format!("{format}\n{broken}\n{mended}");
        let left = pruned.report.integrity.after.iter().filter(|d| !LEFT.contains(&d.code) && d.mend != WORDLESS);
        let left: Vec<&str> = left.map(|d| d.code).collect();
        assert!(left.is_empty(), "law 2: {left:?} {about}");
        let (again, _) = repair(&mended, format);
        assert!(again == mended, "law 2: {about}\n{again}");
        for text in kept(&events) {
            let quoted = format!("\"{text}\"");
            assert_eq!(mended.matches(&quoted).count(), 1, "law 3: {text}: {about}");
        }
        let of_lines = !matches!(format, "cline" | "messages" | "gemini-cli/document" | "opencode" | "opencode/stream");
        if spoken(format).layout == Layout::History && of_lines && !doubled {
            let before: Vec<Value> = broken.lines().map(orphaned).collect();
            for line in mended.lines().filter(|line| !line.contains(NEUTRAL)) {
                let line = orphaned(line);
                // Of a line that holds several results some may have gone, or be on a line of their own now, behind their call.
                let part = |other: &Value| {
                    let content = |v: &Value| [&v["message"]["content"], &v["content"]].into_iter().find_map(Value::as_array).cloned();
                    let id = |v: &Value| [&v["uuid"], &v["id"]].into_iter().find_map(Value::as_str).map(str::to_owned);
                    let all = content(other).unwrap_or_default();
                    let parts = content(&line).unwrap_or_default();
                    let moved = !parts.is_empty()
                        && parts.iter().all(|part| part["type"] == "tool_result" || part.get("functionResponse").is_some());
                    (moved || id(other) == id(&line)) && id(&line).is_some() && parts.iter().all(|part| all.contains(part))
                };
                assert!(before.iter().any(|other| *other == line || part(other)), "law 4: {line} {about}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn mending_keeps_its_laws(
        turns in prop::collection::vec(prop::collection::vec(1..4usize, 0..3), 1..4),
        ways in prop::collection::vec((0..9u8, 0..1000usize), 1..4),
    ) {
        holds(&turns, &ways);
    }
}
