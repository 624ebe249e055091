//! What releases of OpenClaw changed in histories, and the same here: exactly those records, changed as they changed them.
//!
//! A trimmed set of cases is kept in `golden/`. The whole set and the cases on real sessions run where `DEADHEAD_SHARED`,
//! or `../shared`, has them.

#![allow(clippy::unwrap_used)]

use deadhead::account::Detail;
use deadhead::config::{Sources, resolve};
use deadhead::engine::{self, Pruned, Setup};
use deadhead::gate::Clock;
use deadhead::input::Source;
use deadhead::plan::Texts;
use deadhead::{format, reader};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

#[test]
fn kept_cases() {
    let held = cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/openclaw.jsonl"));
    assert!(held > 30, "{held} cases");
}

#[test]
fn all_cases() {
    match shared().map(|s| s.join("golden/openclaw.jsonl")) {
        Some(path) => assert!(cases(&path) >= 260),
        None => println!("skipped: no shared golden cases"),
    }
}

#[test]
fn real_sessions() {
    let Some(shared) = shared() else { return println!("skipped: no shared golden cases") };
    for case in lines(&shared.join("golden/real.jsonl")) {
        let name = format!("{} {} {}", case["sample"], case["preset"], case["contextWindowTokens"]);
        let bytes = std::fs::read(shared.join("samples").join(text(&case["sample"]))).unwrap();
        let (pruned, output) = prune(&bytes, &case, &json!({}));
        let (before, after) = (split(&bytes), split(&output));
        assert_eq!(before.len(), after.len(), "{name}");
        let mut changed = Map::new();
        for (i, (a, b)) in before.iter().zip(&after).enumerate() {
            if a != b {
                let record: Value = serde_json::from_slice(b).unwrap();
                changed.insert((i + 1).to_string(), record["message"]["content"].clone());
            }
        }
        let wanted = case["changed"].as_object().unwrap();
        for line in changed.keys().chain(wanted.keys()) {
            assert_eq!(changed.get(line), wanted.get(line), "{name}, line {line}");
        }
        let removed: i64 = pruned.report.cuts.iter().map(|c| c.chars_before as i64 - c.chars_after as i64).sum();
        assert_eq!(removed, pruned.report.before.chars as i64 - pruned.report.after.chars as i64, "{name}");
        assert_eq!(prune(&output, &case, &json!({})).1, output, "{name}: a second run changes nothing");
    }
}

/// Runs the cases of a file and returns how many there are; tells all that differ.
fn cases(path: &Path) -> usize {
    let cases = lines(path);
    let differing: Vec<&str> = cases.iter().filter(|case| !holds(case)).map(|case| text(&case["name"])).collect();
    assert!(differing.is_empty(), "{} of {} differ: {differing:?}", differing.len(), cases.len());
    cases.len()
}

fn holds(case: &Value) -> bool {
    let session = case["session"].as_array().unwrap();
    let input: String = session.iter().map(|record| record.to_string() + "\n").collect();
    let output = prune(input.as_bytes(), case, &case["settings"]).1;
    let got = split(&output);
    let wanted = |record: &Value| {
        let expected = case["expected"].as_array().unwrap().iter().find(|e| e["id"] == record["id"])?;
        (record["type"] == "message").then(|| {
            let mut record = record.clone();
            record["message"] = expected["message"].clone();
            record
        })
    };
    let same = session.iter().zip(&got).all(|(record, line)| match wanted(record) {
        Some(wanted) => serde_json::from_slice::<Value>(line).unwrap() == wanted,
        None => record.to_string().as_bytes() == *line,
    });
    same && got.len() == session.len() + 1 && got[session.len()].is_empty()
}

fn prune(bytes: &[u8], case: &Value, settings: &Value) -> (Pruned, Vec<u8>) {
    let file = json!({ "contextPruning": settings }).to_string();
    let sources = Sources {
        preset: Some(text(&case["preset"]).to_owned()),
        file: Some(("case".to_owned(), file)),
        flags: vec![("contextWindow", case["contextWindowTokens"].clone())],
        ..Sources::default()
    };
    let settings = resolve(&sources).unwrap().settings;
    let setup = Setup::new(settings, Clock { now: 0, last_call: None, assume_cold: true }, Detail::Full);
    let (estimator, scope) = (setup.settings.context_pruning.estimator, setup.settings.scope);
    let source = Source::unpacked(bytes.to_vec()).unwrap();
    let transcript = reader::history(&source, format::by_name("openclaw").unwrap(), estimator, scope, 1, &|_| {}).unwrap();
    let pruned = engine::history(&transcript, &source, &setup).unwrap();
    let output = pruned.edits.render(&source, 0, source.size()).unwrap();
    (pruned, output)
}

/// Where the material lies that the project does not carry, if it is there.
fn shared() -> Option<PathBuf> {
    let named = std::env::var_os("DEADHEAD_SHARED").map(PathBuf::from);
    let place = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    place.join("golden").is_dir().then_some(place)
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn split(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split(|&b| b == b'\n').collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}
