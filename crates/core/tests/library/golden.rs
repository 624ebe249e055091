//! Records that releases of OpenClaw changed: the same records are changed here, and in the same way. `golden/README.md` names the
//! sources of the cases.

use crate::data::{lines, sample};
use deadhead_core::input::Source;
use deadhead_core::internal::cache_policy::Clock;
use deadhead_core::internal::engine::{self, Pruned, Setup};
use deadhead_core::internal::read_at::ReadAt;
use deadhead_core::internal::report::Detail;
use deadhead_core::internal::{dialect, reader};
use deadhead_core::settings::{Layer, preset, presets, resolve};
use serde_json::{Map, Value, json};

#[test]
fn random_histories() {
    let cases = lines("golden/openclaw.jsonl.zst");
    assert_eq!(cases.len(), 260);
    for preset in presets().iter().filter(|preset| {
        preset.name.starts_with("openclaw-") || preset.name.starts_with("clawdbot-")
    }) {
        let number = cases
            .iter()
            .filter(|case| case["preset"] == preset.name)
            .count();
        let known = preset.vectors.map_or((0, 0), |vectors| {
            (vectors.inputs as usize, vectors.identical as usize)
        });
        assert_eq!((number, number), known, "{}", preset.name);
    }
    // Where it cuts itself, 2026.9 cuts as 2026.8 does.
    let newer = cases
        .iter()
        .filter(|case| case["preset"] == "openclaw-2026.8")
        .map(|case| {
            let mut case = case.clone();
            (case["preset"], case["name"]) = (
                json!("openclaw-2026.9"),
                json!(format!("{} 2026.9", case["name"])),
            );
            case
        });
    let cases: Vec<Value> = cases.iter().cloned().chain(newer).collect();
    let differing: Vec<&str> = cases
        .iter()
        .filter(|case| !holds(case))
        .map(|case| text(&case["name"]))
        .collect();
    assert!(
        differing.is_empty(),
        "{} of {} differ: {differing:?}",
        differing.len(),
        cases.len()
    );
}

#[test]
fn real_sessions() {
    let cases = lines("golden/real.jsonl.zst");
    assert_eq!(cases.len(), 8);
    for case in cases {
        let name = format!(
            "{} {} {}",
            case["sample"], case["preset"], case["contextWindowTokens"]
        );
        let bytes = &sample(text(&case["sample"])).bytes;
        let (pruned, output) = prune(bytes, &case, &json!({}));
        let (before, after) = (split(bytes), split(&output));
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
        let removed: i64 = pruned
            .report
            .cuts
            .iter()
            .map(|c| c.chars_before as i64 - c.chars_after as i64)
            .sum();
        assert_eq!(
            removed,
            pruned.report.before.chars as i64 - pruned.report.after.chars as i64,
            "{name}"
        );
        assert_eq!(
            prune(&output, &case, &json!({})).1,
            output,
            "{name}: a second run changes nothing"
        );
    }
}

fn holds(case: &Value) -> bool {
    let session = case["session"].as_array().unwrap();
    let input: String = session
        .iter()
        .map(|record| record.to_string() + "\n")
        .collect();
    let output = prune(input.as_bytes(), case, &case["settings"]).1;
    let got = split(&output);
    let wanted = |record: &Value| {
        let expected = case["expected"]
            .as_array()
            .unwrap()
            .iter()
            .find(|e| e["id"] == record["id"])?;
        (record["type"] == "message").then(|| {
            let mut record = record.clone();
            record["message"] = expected["message"].clone();
            record
        })
    };
    let same = session
        .iter()
        .zip(&got)
        .all(|(record, line)| match wanted(record) {
            Some(wanted) => serde_json::from_slice::<Value>(line).unwrap() == wanted,
            None => record.to_string().as_bytes() == *line,
        });
    same && got.len() == session.len() + 1 && got[session.len()].is_empty()
}

fn prune(bytes: &[u8], case: &Value, settings: &Value) -> (Pruned, Vec<u8>) {
    let mut layer = Layer::new("case");
    layer
        .put("contextPruning", "contextPruning", settings)
        .unwrap();
    layer
        .put(
            "contextWindow",
            "contextWindow",
            &case["contextWindowTokens"],
        )
        .unwrap();
    let settings = resolve(&[preset(text(&case["preset"])).unwrap(), layer])
        .unwrap()
        .settings;
    let setup = Setup::new(
        settings,
        Clock {
            now: 0,
            last_call: None,
            assume_cold: true,
        },
        Detail::Full,
    );
    let (estimator, scope) = (
        setup.settings.context_pruning.estimator,
        setup.settings.scope,
    );
    let source = Source::unpacked(bytes.to_vec()).unwrap();
    let transcript = reader::log(
        &source,
        &reader::Reading::new(dialect::by_name("openclaw").unwrap(), estimator, scope),
        1,
        &|_| {},
    )
    .unwrap();
    let pruned = engine::history(&transcript, &source, &setup).unwrap();
    let output = pruned.edits.render(&source, 0, source.size()).unwrap();
    (pruned, output)
}

fn split(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split(|&b| b == b'\n').collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}
