//! Presets compared with their programs: each vector of `policies/` is a conversation, options, and the original program's output.
//!
//! There is a test for each preset. It runs the program on every vector with the preset and its options, and compares calls,
//! inputs, results, texts and thinking. A preset states the number of vectors for which it is identical, and the differences of the
//! others; the test fails if the number differs, in either direction. `POLICIES_VERBOSE=1` names each vector that differs.

#![allow(clippy::unwrap_used)]

#[allow(dead_code)]
#[path = "support/data.rs"]
mod data;
#[allow(dead_code)]
#[path = "support/dice.rs"]
mod dice;
#[path = "policies/documented.rs"]
mod documented;
#[path = "policies/expected.rs"]
mod expected;
#[path = "policies/microcompact.rs"]
mod microcompact;
#[path = "policies/openclaw.rs"]
mod openclaw;
#[allow(dead_code)]
#[path = "program/support.rs"]
mod support;

use deadhead_core::settings::{OWN, presets};
use expected::{Conversation, difference};
use libtest_mimic::{Arguments, Failed, Trial};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use support::{Place, deadhead};

/// The output of the original program for one input.
#[derive(Deserialize)]
pub struct Vector {
    name: String,
    preset: String,
    format: String,
    settings: Value,
    input: Value,
    expected: Value,
}

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/policies");
    let files = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut presets: Vec<String> = files
        .filter_map(|name| Some(name.strip_suffix(".jsonl.zst")?.to_owned()))
        .collect();
    presets.sort();
    let files_of_presets = presets.len();
    assert!(files_of_presets >= 4);
    let trial = |name: String| Trial::test(name.clone(), move || holds(&name));
    let trials = presets
        .into_iter()
        .map(trial)
        .chain(documented::trials())
        .chain(microcompact::trials())
        .chain(openclaw::trials())
        .chain(generated());
    let trials: Vec<Trial> = trials.collect();
    for preset in deadhead_core::settings::presets()
        .iter()
        .filter(|preset| preset.vectors.is_none() && preset.source != OWN)
    {
        assert!(
            trials
                .iter()
                .any(|trial| trial.name().starts_with(&preset.name)),
            "{} has no cases",
            preset.name
        );
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// A trial for each file of the folder that `VECTORS` names, which `.ci/vectors` makes: no vector may differ.
fn generated() -> Vec<Trial> {
    let Some(folder) = std::env::var_os("VECTORS") else {
        return Vec::new();
    };
    let files = std::fs::read_dir(folder).unwrap();
    let trial = |path: std::path::PathBuf| {
        let name = format!("generated {}", path.file_name().unwrap().to_string_lossy());
        Trial::test(name, move || {
            let place = Place::new();
            let text = std::fs::read_to_string(&path)?;
            let vectors = text.lines().map(|line| serde_json::from_str(line).unwrap());
            let differ: Vec<String> = vectors.filter_map(|v| missed(&place, &v)).collect();
            match differ.is_empty() {
                true => Ok(()),
                false => Err(differ.join("\n").into()),
            }
        })
    };
    files.map(|file| trial(file.unwrap().path())).collect()
}

/// Runs all vectors of a preset, and compares with what it says of them.
fn holds(preset: &str) -> Result<(), Failed> {
    let Some(found) = presets().iter().find(|found| found.name == preset) else {
        return Err(format!("there is no preset {preset}").into());
    };
    let Some(known) = found.vectors else {
        return Err("the preset does not say how many vectors it has".into());
    };
    let vectors = data::lines(&format!("policies/{preset}.jsonl.zst"));
    let inputs = vectors.len();
    assert!(inputs >= 20, "{inputs} vectors");
    let place = Place::new();
    let short: Vec<String> = vectors
        .into_iter()
        .filter_map(|v| missed(&place, &serde_json::from_value(v).unwrap()))
        .collect();
    if std::env::var_os("POLICIES_VERBOSE").is_some() {
        short.iter().for_each(|line| eprintln!("{line}"));
    }
    let identical = inputs - short.len();
    if known.inputs as usize != inputs || known.identical as usize != identical {
        return Err(format!(
            "identical are {identical} of {inputs}, the preset says {known:?}:\n{}",
            short.join("\n")
        )
        .into());
    }
    match short.is_empty() || !found.differs.is_empty() {
        true => Ok(()),
        false => Err("the preset does not say what differs".into()),
    }
}

/// Returns a difference from the output of the original, if there is one.
fn missed(place: &Place, vector: &Vector) -> Option<String> {
    let is_log = vector.input.is_array();
    let input = match &vector.input {
        Value::Array(lines) => lines.iter().map(|line| format!("{line}\n")).collect(),
        body => body.to_string(),
    };
    let config = place.file(
        "policy.json",
        json!({"preset": {"name": vector.preset, "options": vector.settings}}).to_string(),
    );
    let mut command = deadhead();
    command
        .args([
            "prune",
            "-q",
            "--format",
            &vector.format,
            "--assume-cold",
            "--now",
            "2030-01-01T00:00:00Z",
            "--config",
        ])
        .arg(config);
    let output = command.write_stdin(input.clone()).output().unwrap();
    if !output.status.success() {
        return Some(format!(
            "{}: {}",
            vector.name,
            String::from_utf8_lossy(&output.stderr)
                .lines()
                .next()
                .unwrap_or_default()
        ));
    }
    let before = Conversation::read(input.as_bytes(), is_log);
    let after = Conversation::read(&output.stdout, is_log);
    difference(&before, &after, &vector.expected).map(|what| format!("{}: {what}", vector.name))
}
