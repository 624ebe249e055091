//! `deadhead advise`: known folders, the five lines, the file of --write, damaged logs.

use crate::data::{Sample, sample, samples};
use crate::support::{Place, deadhead};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

/// Sessions with counts, small ones, in a folder.
fn logs(place: &Place, folder: &str) {
    copy(place, folder, 200_000);
}

/// Those of at most so many bytes.
fn copy(place: &Place, folder: &str, most: usize) {
    let wanted = |sample: &&Sample| {
        ["claude-code", "openclaw", "codex"].contains(&sample.folder())
            && sample.bytes.len() <= most
    };
    for sample in samples().iter().filter(wanted) {
        let name = sample.name.replace('/', "-");
        place.file(&format!("{folder}/{name}"), &sample.bytes);
    }
}

fn run(place: &Place, args: &[&str], code: i32) -> (String, String) {
    let run = deadhead()
        .current_dir(place.root())
        .env("HOME", place.root())
        .env_remove("CLAUDE_CONFIG_DIR")
        .args([&["advise"], args].concat())
        .assert()
        .code(code);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (
        text(&run.get_output().stdout),
        text(&run.get_output().stderr),
    )
}

fn json(place: &Place, args: &[&str]) -> Value {
    serde_json::from_str(&run(place, &[&["--report-format", "json"], args].concat(), 0).0).unwrap()
}

/// A text without its line breaks.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn five_lines_and_a_policy() {
    let place = Place::new();
    // Small ones, and enough for a policy that pays.
    copy(&place, "logs", 600_000);
    place.file(
        "logs/demo-session.jsonl",
        &sample("demo-session.jsonl").bytes,
    );
    let (text, _) = run(&place, &["logs", "--write", "policy.json5"], 0);
    let (facts, command) = text.split_once("\n  use it\n    ").unwrap();
    let (line, facts) = facts.split_once("\n  ").unwrap();
    // A label has two columns before it and its text begins in the sixteenth.
    let facts: Vec<(&str, &str)> = facts
        .split("\n  ")
        .map(|fact| fact.split_at(13))
        .map(|(label, text)| (label.trim(), text))
        .filter(|(label, _)| !label.is_empty())
        .collect();
    let labels: Vec<&str> = facts.iter().map(|fact| fact.0).collect();
    assert_eq!(
        labels,
        ["best", "today's", "at worst", "agents", "warnings"],
        "{text}"
    );
    assert!(
        line.contains(" sessions since 2025-") && line.contains(" in logs: $"),
        "{text}"
    );
    assert!(
        words(&text).contains(" by the control (") && facts[2].1.starts_with("saves at least $"),
        "{text}"
    );
    assert!(
        command.ends_with("/policy.json5 --state ~/.local/state/deadhead.db\n"),
        "{text}"
    );
    // The file says what the answer says, and is a configuration that a run takes.
    let file = fs::read_to_string(place.path("policy.json5")).unwrap();
    assert!(
        file.contains(&format!("// {line}")) && file.contains(" saves $"),
        "{file}"
    );
    let advice = json(&place, &["logs"]);
    let policies = advice["policies"].as_array().unwrap();
    let best = &policies[advice["best"].as_u64().unwrap() as usize];
    // Of no other with something left in both halves, and that cuts nothing unread, is more left where policies are chosen.
    let left = |row: &Value, half: &str| row[half]["left"].as_f64().unwrap();
    let fits = |row: &&Value| row["unread"] == 0 && left(row, "measured") > 0.0;
    assert!(
        policies
            .iter()
            .filter(fits)
            .all(|row| left(row, "choosing") <= left(best, "choosing")),
        "{text}"
    );
    assert!(
        facts[0].1.starts_with(best["name"].as_str().unwrap()),
        "{text}"
    );
    let show = deadhead()
        .current_dir(place.root())
        .args(["config", "show", "--json", "-c", "policy.json5"])
        .assert()
        .code(0);
    let shown: Vec<Value> = serde_json::from_slice(&show.get_output().stdout).unwrap();
    for (key, value) in best["settings"].as_object().unwrap() {
        let row = shown.iter().find(|row| row["key"] == **key).unwrap();
        assert_eq!(&row["value"], value, "{key}");
    }
}

/// A written file is replaced only with `--force`, and an input not even then.
#[test]
fn files_that_are_there_stay() {
    let place = Place::new();
    logs(&place, "logs");
    place.file(
        "logs/demo-session.jsonl",
        &sample("demo-session.jsonl").bytes,
    );
    let write = ["logs/demo-session.jsonl", "--write", "policy.json5"];
    run(&place, &write, 0);
    let (_, error) = run(&place, &["logs", "--write", "policy.json5"], 2);
    assert_eq!(
        error,
        "deadhead: policy.json5: is there already; --force replaces it\n"
    );
    run(&place, &[&write[..], &["--force"]].concat(), 0);
    let log = "logs/claude-code-claude-code-log__edge_cases.jsonl";
    let before = fs::read(place.path(log)).unwrap();
    assert!(
        run(&place, &["logs", "--write", log, "--force"], 2)
            .1
            .contains("is an input")
    );
    assert_eq!(fs::read(place.path(log)).unwrap(), before);
}

#[test]
fn the_answer_is_the_replay_of_the_half_that_did_not_choose() {
    let place = Place::new();
    logs(&place, "logs");
    let advice = json(&place, &["logs"]);
    let rows = advice["policies"].as_array().unwrap();
    let all = |of: &str, name: &str| rows[0][of][name].as_f64().unwrap();
    let total = all("choosing", "baseline") + all("measured", "baseline");
    assert!(
        total > 0.1 && (advice["spent"].as_f64().unwrap() / total - 1.0).abs() < 0.02,
        "{total}"
    );
    // Over both halves a policy saves what replay says of it.
    let replay = deadhead()
        .current_dir(place.root())
        .args([
            "replay",
            "--preset",
            "break-even",
            "--report-format",
            "json",
            "logs",
        ])
        .assert()
        .code(0);
    let replay: Value = serde_json::from_slice(&replay.get_output().stdout).unwrap();
    let totals = &replay.as_array().unwrap().last().unwrap()["totals"];
    let row = rows.iter().find(|row| row["name"] == "break-even").unwrap();
    let saved =
        row["choosing"]["saved"].as_f64().unwrap() + row["measured"]["saved"].as_f64().unwrap();
    let want =
        totals["baseline"]["usd"].as_f64().unwrap() - totals["pruned"]["usd"].as_f64().unwrap();
    assert!((saved - want).abs() < 0.01, "{saved} {want}");
    // Given twice, everything counts once.
    let twice = json(&place, &["logs", "logs"]);
    assert_eq!(
        (&twice["spent"], &twice["requests"], &twice["sessions"]),
        (&advice["spent"], &advice["requests"], &advice["sessions"])
    );
    assert!(twice["repeated"].as_u64() > advice["requests"].as_u64());
    assert_eq!(twice["policies"], advice["policies"]);
}

#[test]
fn known_folders_are_looked_into() {
    let place = Place::new();
    logs(&place, ".claude/projects/-work");
    logs(&place, ".codex/sessions/2026/01");
    let (text, _) = run(&place, &[], 0);
    assert!(
        text.lines()
            .next()
            .unwrap()
            .contains(" in ~/.claude/projects: $"),
        "copies count in the first place: {text}"
    );
    let advice = json(&place, &[]);
    assert_eq!(advice["places"][1]["agent"], "Codex");
    let none = Place::new();
    let (_, error) = run(&none, &[], 2);
    assert!(
        error.starts_with("deadhead: no logs of an agent in ~/.claude/projects, ")
            && error.ends_with("; name logs or folders\n"),
        "{error}"
    );
}

#[test]
fn a_range_of_days_limits_what_counts() {
    let place = Place::new();
    logs(&place, "logs");
    let (all, late) = (
        json(&place, &["logs"]),
        json(&place, &["logs", "--since", "2026-01-01"]),
    );
    assert!(
        late["spent"].as_f64() < all["spent"].as_f64()
            && late["from"].as_str().unwrap() >= "2026-01-01",
        "{}",
        late["from"]
    );
    assert!(
        run(&place, &["logs", "--since", "yesterday"], 2)
            .1
            .contains("expected a day")
    );
    assert!(
        run(&place, &["logs", "--since", "2100-01-01"], 2)
            .1
            .contains("no session with requests")
    );
}

#[test]
fn damage_stops_nothing() {
    let place = Place::new();
    logs(&place, "logs");
    let clean = json(&place, &["logs"]);
    place.file("logs/garbage.jsonl", b"\x00\xff{{{{\nnot json\n");
    place.file("logs/empty.jsonl", b"");
    place.file("logs/other.jsonl", b"{\"a\":1}\n{\"b\":[2]}\n");
    let huge = br#"{"parentUuid":null,"type":"assistant","uuid":"a","sessionId":"s","timestamp":"2026-01-01T00:00:00Z","message":{"model":"claude-opus-4-5","id":"m1","role":"assistant","content":[{"type":"text","text":"hi"}],"usage":{"input_tokens":-5,"cache_read_input_tokens":0,"output_tokens":0}}}
"#;
    place.file("logs/uncounted.jsonl", huge);
    symlink(place.path("logs"), place.path("logs/loop")).unwrap();
    let found = json(&place, &["logs"]);
    assert_eq!(found["policies"], clean["policies"]);
    assert_eq!(found["failed"], 0);
    // A file that cannot be read is an error, and the others are still answered.
    let locked = place.path("logs/locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o0)).unwrap();
    let is_root = fs::read_dir(&locked).is_ok();
    let (text, error) = run(&place, &["logs", "missing.jsonl"], 2);
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o700)).unwrap();
    assert!(text.contains("\n  use it "), "{text}");
    assert!(
        error.contains("missing.jsonl") && (is_root || error.contains("locked")),
        "{error}"
    );
}

#[test]
fn a_full_disk_leaves_no_file() {
    let place = Place::new();
    logs(&place, "logs");
    if Path::new("/dev/full").exists() {
        let (_, error) = run(&place, &["logs", "--write", "/dev/full", "--force"], 2);
        assert!(error.contains("/dev/full"), "{error}");
    }
    assert!(
        run(&place, &["logs", "--write", "none/policy.json5"], 2)
            .1
            .contains("none/policy.json5: cannot write")
    );
}

#[test]
fn hostile_names_stay_text() {
    let place = Place::new();
    for sample in samples()
        .iter()
        .filter(|sample| sample.folder() == "codex" && sample.bytes.len() < 200_000)
    {
        let name = sample.name.replace('/', "-");
        place.file(
            &format!("<script>alert(1)<\u{1b}[31m/{name}"),
            &sample.bytes,
        );
    }
    let folder = "<script>alert(1)<\u{1b}[31m";
    for format in ["text", "markdown", "html", "json"] {
        let (text, error) = run(&place, &["--report-format", format, folder], 0);
        assert!(
            !text.contains('\u{1b}') && !error.contains('\u{1b}'),
            "{format}"
        );
        // In Markdown a sign behind a backslash is no markup.
        let plain = text.replace("\\<", "");
        assert!(
            format == "json" || format == "text" || !plain.contains("<script"),
            "{format}: {text}"
        );
    }
}

#[test]
fn logs_that_were_put_aside_are_read_and_count_once() {
    let place = Place::new();
    logs(&place, "logs");
    let before = json(&place, &["logs"]);
    let sample = samples()
        .iter()
        .find(|sample| sample.name.starts_with("codex/git-sync"))
        .unwrap();
    place.file("logs/s.jsonl.reset.2026-01-01", &sample.bytes);
    place.file("logs/s.jsonl.bak-1", &sample.bytes);
    place.file("logs/s.jsonl.lock", &sample.bytes);
    let (text, note) = run(&place, &["logs", "--report-format", "json"], 0);
    let found: Value = serde_json::from_str(&text).unwrap();
    assert!(
        note.contains("note: 2 logs that were reset, deleted or backed up are read as well"),
        "{note}"
    );
    assert_eq!(
        found["sessions"].as_u64(),
        before["sessions"].as_u64().map(|n| n + 1)
    );
    assert_eq!(
        found["repeated"].as_u64().unwrap() - before["repeated"].as_u64().unwrap(),
        110
    );
}
