//! Logs that agents wrote, and the next request that each of them sent when it resumed its own (`tests/agents/next-requests.tar.zst`):
//! `emit` makes the same messages, but for what `tests/agents/differs.tsv` says, with a reason for each.

use crate::{
    agents::flat,
    data::{Sample, archived},
    support::{Place, deadhead},
};
use regex::Regex;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// The messages of a body, without the words of the agents' makers, which are replaced by a filler of another length in each file.
fn said(body: &Value) -> Vec<String> {
    let filler = Regex::new("text of[a-z ,;]*").unwrap();
    let said = flat(body).into_iter();
    said.map(|said| filler.replace_all(&said, "~").trim().to_owned())
        .collect()
}

/// Leaves out the prompt with which the log was resumed, and the reminders that the agent wrote with it.
fn without_prompt(mut said: Vec<String>) -> Vec<String> {
    if said
        .pop_if(|last| last.starts_with("user ") && last.contains("Go on"))
        .is_some()
    {
        while said
            .pop_if(|last| last.starts_with("user <system-reminder>"))
            .is_some()
        {}
    }
    said
}

/// What only one of two lists has, in their order: `-` the first, `+` the second.
fn differences(one: &[String], other: &[String]) -> Vec<String> {
    let mut longest = vec![vec![0; other.len() + 1]; one.len() + 1];
    for (i, a) in one.iter().enumerate().rev() {
        for (j, b) in other.iter().enumerate().rev() {
            longest[i][j] = if a == b {
                longest[i + 1][j + 1] + 1
            } else {
                longest[i + 1][j].max(longest[i][j + 1])
            };
        }
    }
    let (mut i, mut j, mut found) = (0, 0, Vec::new());
    while i < one.len() || j < other.len() {
        if i < one.len() && j < other.len() && one[i] == other[j] {
            (i, j) = (i + 1, j + 1);
        } else if j == other.len() || i < one.len() && longest[i + 1][j] >= longest[i][j + 1] {
            found.push(format!("- {}", one[i]));
            i += 1;
        } else {
            found.push(format!("+ {}", other[j]));
            j += 1;
        }
    }
    found
}

/// The id of a rollout, by which another one that begins with its bytes names it.
fn id(log: &Sample) -> String {
    let head = log.bytes.split(|byte| *byte == b'\n').next().unwrap();
    let head: Value = serde_json::from_slice(head).unwrap_or_default();
    head["payload"]["id"].as_str().unwrap_or("").to_owned()
}

#[test]
fn emit_makes_the_request_that_the_agent_sends() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents");
    let files = archived(&folder.join("next-requests.tar.zst"));
    let list = fs::read_to_string(folder.join("differs.tsv")).unwrap();
    let mut wanted: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in list.lines().skip(1) {
        let [name, what, why] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        assert!(!why.is_empty());
        wanted.entry(name).or_default().push(what);
    }
    let mut compared = BTreeSet::new();
    for request in &files {
        let Some(name) = request.name.strip_prefix("next-request/") else {
            continue;
        };
        let name = name.trim_end_matches(".json");
        let place = Place::new();
        let log = match name {
            "codex-0.171.0-rewind" => "codex-0.171.0-rewind-second",
            name => name,
        };
        for other in files.iter().filter(|file| file.name.starts_with("logs/")) {
            let stem = other.name["logs/".len()..].trim_end_matches(".jsonl");
            let stem = stem.trim_end_matches(".json");
            let name = if stem == log {
                "log.jsonl".to_owned()
            } else {
                format!("{stem}-{}.jsonl", id(other))
            };
            fs::write(place.path(name), &other.bytes).unwrap();
        }
        let made = deadhead()
            .arg("emit")
            .arg(place.path("log.jsonl"))
            .output()
            .unwrap();
        assert!(made.status.success(), "{name}");
        let made = said(&serde_json::from_slice(&made.stdout).unwrap());
        let sent = said(&serde_json::from_slice(&request.bytes).unwrap());
        let found: Vec<String> = differences(&without_prompt(made), &without_prompt(sent))
            .iter()
            .map(|row| row.chars().take(70).collect::<String>().replace('\n', " "))
            .collect();
        if std::env::var_os("SHOW").is_some() {
            found.iter().for_each(|row| println!("{name}\t{row}\t"));
        } else {
            let wanted = wanted.get(name).cloned().unwrap_or_default();
            assert_eq!(found, wanted, "{name}");
        }
        compared.insert(name);
    }
    assert!(compared.len() >= 33, "{}", compared.len());
    assert!(wanted.keys().all(|name| compared.contains(name)));
}
