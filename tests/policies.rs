//! Presets kept to what their programs did: each vector of `policies/` is a conversation, options, and what the original made of it.
//!
//! There is a test for each preset. It runs the program on every vector with the preset and its options, and compares calls, inputs,
//! results, texts and thinking. `policies/short.json` counts the vectors that are known to come out otherwise, with the reason;
//! the test fails where the count differs, in either direction. `POLICIES_VERBOSE=1` names each of them.

#![allow(clippy::unwrap_used)]

#[allow(dead_code)]
#[path = "support/data.rs"]
mod data;
#[path = "policies/expected.rs"]
mod expected;
#[allow(dead_code)]
#[path = "program/support.rs"]
mod support;

use expected::{Conversation, difference};
use libtest_mimic::{Arguments, Failed, Trial};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use support::{Place, deadhead};

/// What the original did with one input.
#[derive(Deserialize)]
pub struct Vector {
    name: String,
    preset: String,
    format: String,
    settings: Value,
    input: Value,
    expected: Value,
}

/// Vectors of a preset that are known to come out otherwise.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Short {
    preset: String,
    vectors: usize,
    reason: String,
}

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/policies");
    let short: Vec<Short> = serde_json::from_slice(&std::fs::read(folder.join("short.json")).unwrap()).unwrap();
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut presets: Vec<String> = files.filter_map(|name| Some(name.strip_suffix(".jsonl.zst")?.to_owned())).collect();
    presets.sort();
    assert!(presets.len() >= 15 && short.iter().all(|row| presets.contains(&row.preset) && row.vectors > 0 && !row.reason.is_empty()));
    let trial = |preset: String| {
        let known = short.iter().filter(|row| row.preset == preset).map(|row| row.vectors).sum();
        Trial::test(preset.clone(), move || holds(&preset, known))
    };
    libtest_mimic::run(&Arguments::from_args(), presets.into_iter().map(trial).collect()).exit();
}

/// Runs all vectors of a preset, of which `known` fall short.
fn holds(preset: &str, known: usize) -> Result<(), Failed> {
    let vectors = data::lines(&format!("policies/{preset}.jsonl.zst"));
    assert!(vectors.len() >= 20, "{} vectors", vectors.len());
    let place = Place::new();
    let short: Vec<String> = vectors.into_iter().filter_map(|v| missed(&place, &serde_json::from_value(v).unwrap())).collect();
    if std::env::var_os("POLICIES_VERBOSE").is_some() {
        short.iter().for_each(|line| eprintln!("{line}"));
    }
    match short.len() == known {
        true => Ok(()),
        false => Err(format!("{} vectors fall short, and short.json says {known}:\n{}", short.len(), short.join("\n")).into()),
    }
}

/// What comes out otherwise than the original's, if anything.
fn missed(place: &Place, vector: &Vector) -> Option<String> {
    let is_log = vector.input.is_array();
    let input = match &vector.input {
        Value::Array(lines) => lines.iter().map(|line| format!("{line}\n")).collect(),
        body => body.to_string(),
    };
    let config = place.file("policy.json", json!({"preset": {"name": vector.preset, "options": vector.settings}}).to_string());
    let mut command = deadhead();
    command.args(["prune", "-q", "--format", &vector.format, "--assume-cold", "--now", "2030-01-01T00:00:00Z", "--config"]).arg(config);
    let output = command.write_stdin(input.clone()).output().unwrap();
    if !output.status.success() {
        return Some(format!("{}: {}", vector.name, String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or_default()));
    }
    let before = Conversation::read(input.as_bytes(), is_log);
    let after = Conversation::read(&output.stdout, is_log);
    difference(&before, &after, &vector.expected).map(|what| format!("{}: {what}", vector.name))
}
