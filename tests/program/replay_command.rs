//! `deadhead replay`: formats, ranges, grids, folders, errors.

use crate::data::sample;
use crate::docs::replace_between;
use crate::support::{Place, deadhead};
use serde_json::{Value, json};
use std::path::Path;

const DEMO: &str = "tests/samples/demo-session.jsonl";

fn run(args: &[&str], code: i32) -> (String, String) {
    let run = deadhead().arg("replay").args(args).assert().code(code);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (
        text(&run.get_output().stdout),
        text(&run.get_output().stderr),
    )
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&run(&[&["--report-format", "json"], args].concat(), 0).0).unwrap()
}

/// A session of reads with pauses, in which pruning pays.
pub fn session(folder: &Path) -> String {
    let mut lines = vec![
        json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/project"}),
    ];
    let mut at = 1_767_225_600_000u64;
    let mut add = |message: Value| {
        let parent = lines.last().and_then(|line| {
            line["parentId"]
                .as_str()
                .map(|_| line["id"].clone())
                .or(Some(line["id"].clone()))
        });
        let parent = parent.filter(|_| lines.len() > 1);
        lines.push(json!({"type": "message", "id": format!("{:08x}", lines.len()), "parentId": parent, "timestamp": "2026-01-01T00:00:00.000Z", "message": message}));
    };
    let mut tokens = 4000;
    for i in 0..60 {
        if i % 10 == 0 {
            at += 600_000;
            add(json!({"role": "user", "content": format!("part {i}"), "timestamp": at}));
        }
        at += 5000;
        let written = if i % 10 == 0 { tokens } else { 2550 };
        let usage = json!({"input": 1, "output": 50, "cacheRead": tokens - written.min(tokens), "cacheWrite": written});
        let call = json!({"type": "toolCall", "id": format!("c{i}"), "name": "read", "arguments": {"path": format!("/f{i}")}});
        add(
            json!({"role": "assistant", "provider": "anthropic", "model": "claude-sonnet-4-5", "content": [call], "usage": usage, "timestamp": at}),
        );
        let body = format!("{i} ").repeat(3500);
        add(
            json!({"role": "toolResult", "toolCallId": format!("c{i}"), "toolName": "read", "content": [{"type": "text", "text": body}], "isError": false, "timestamp": at}),
        );
        tokens += 2550;
    }
    let path = folder.join("session.jsonl");
    std::fs::write(
        &path,
        lines
            .iter()
            .map(|line| line.to_string() + "\n")
            .collect::<String>(),
    )
    .unwrap();
    path.display().to_string()
}

#[test]
fn the_page_shows_a_real_run_and_its_picture() {
    let place = Place::new();
    let log = place.file(
        "before-compaction.jsonl",
        &sample("openclaw/pi-mono__before-compaction.jsonl").bytes,
    );
    let args = ["--preset", "break-even", log.to_str().unwrap()];
    let folder = format!("{}/", place.root().display());
    let text = run(&args, 0).0.replace(&folder, "");
    replace_between(
        "docs/replay.md",
        "<!-- replay -->\n```text\n",
        "```\n",
        &text,
    );
    let words: Vec<&str> = text.split_whitespace().collect();
    let (requests, recorded, pruned) = (words[1], words[3], words[5]);
    assert_eq!((words[2], words[4]), ("requests,", "→"));
    replace_between(
        "README.md",
        "Without pruning, its ",
        ".\n\n",
        &format!(
            "{requests} requests cost\n{recorded}; with `break-even` they would have cost {pruned}"
        ),
    );
    let html = run(&[&["--report-format", "html"], &args[..]].concat(), 0).0;
    let (_, chart) = html.split_once("<svg").expect("a picture");
    let (chart, _) = chart.split_once("</svg>").expect("its end");
    let (_, style) = html.split_once(".ink{").expect("colours");
    let (style, _) = style.split_once("</style>").expect("their end");
    let svg = format!(
        "<svg{}</svg>\n",
        chart.replacen(
            "><title>",
            &format!("><style>.ink{{{style}</style><title>"),
            1
        )
    );
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write("docs/replay.svg", svg).unwrap();
    } else {
        assert!(
            std::fs::read_to_string("docs/replay.svg").unwrap() == svg,
            "docs/replay.svg is another picture; UPDATE=1 writes it"
        );
    }
}

#[test]
fn the_page_shows_how_far_the_rules_alone_are_wrong() {
    const LOGS: [(&str, &str); 5] = [
        (
            "pi, before-compaction",
            "openclaw/pi-mono__before-compaction.jsonl",
        ),
        ("pi, large-session", "openclaw/pi-mono__large-session.jsonl"),
        (
            "Claude Code, 0cd46975",
            "claude-code/git-sync__0cd46975-a945-4e8b-b0fa-f6cf392e38b2.jsonl",
        ),
        (
            "Claude Code, 5b613073",
            "claude-code/git-sync__5b613073-e70b-48a1-b6ae-c6aaa99ec2b1.jsonl",
        ),
        (
            "Codex, 019ddeed",
            "codex/git-sync__019ddeed-72de-7371-bf67-ac505f4386ba.jsonl",
        ),
    ];
    let place = Place::new();
    let mut table = String::from(
        "| log | recorded | by the rules alone | missing before they expired |\n|---|---:|---:|---:|\n",
    );
    for (title, name) in LOGS {
        let log = place.file("log.jsonl", &sample(name).bytes);
        let truth = &json(&[log.to_str().unwrap()])["truth"];
        let usd = |value: &Value| value.as_f64().unwrap();
        let (recorded, rules) = (usd(&truth["recordedUsd"]), usd(&truth["rules"]["usd"]));
        let change = format!("{:+.0} %", (rules / recorded - 1.0) * 100.0).replace('-', "−");
        table += &format!(
            "| {title} | ${recorded:.2} | ${rules:.2} ({change}) | {} |\n",
            truth["lost"]
        );
    }
    replace_between("docs/replay.md", "<!-- trust -->\n", "<!-- end -->", &table);
}

#[test]
fn dollars_with_and_without() {
    let folder = tempfile::tempdir().unwrap();
    let path = session(folder.path());
    let before = std::fs::read(&path).unwrap();
    let value = json(&[&path]);
    assert!(value["transient"].is_null());
    let value = json(&["--transient", &path]);
    assert_eq!(value["requests"], 60);
    let usd = |name: &str| value[name]["usd"].as_f64().unwrap();
    assert!(
        usd("pruned") < usd("baseline") && usd("baseline") > 0.5,
        "{} {}",
        usd("pruned"),
        usd("baseline")
    );
    assert!(usd("transient") > usd("pruned"));
    assert_eq!(value["baseline"]["misses"]["expired"]["calls"], 5);
    assert!(value["policies"][0]["cuts"].as_u64().unwrap() > 10);
    let error = value["truth"]["simulated"]["error"].as_f64().unwrap();
    assert!(error.abs() < 0.1, "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    // Twice the price is twice the dollars.
    let config = folder.path().join("c.json5");
    std::fs::write(
        &config,
        "{ replay: { rates: { 'claude-sonnet-4-5': { input: 6 } } } }",
    )
    .unwrap();
    let dear = json(&["-c", &config.display().to_string(), &path]);
    assert!((dear["baseline"]["usd"].as_f64().unwrap() / usd("baseline") - 2.0).abs() < 1e-3);
}

#[test]
fn the_replay_is_as_its_schema_says() {
    let folder = tempfile::tempdir().unwrap();
    let value = json(&[&session(folder.path())]);
    let schema = deadhead()
        .args(["config", "schema"])
        .output()
        .unwrap()
        .stdout;
    let schema: Value = serde_json::from_slice(&schema).unwrap();
    let names = |value: &Value| {
        value
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    let required = |schema: &Value| {
        schema["required"]
            .as_array()
            .unwrap()
            .iter()
            .map(|n| n.as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let (mut left, mut seen) = (vec![(value, schema["replay"].clone(), String::new())], 0);
    while let Some((value, schema, path)) = left.pop() {
        seen += 1;
        // What may be null is one of several.
        let schema = schema
            .get("anyOf")
            .or(schema.get("oneOf"))
            .map_or(schema.clone(), |any| any[0].clone());
        match &value {
            Value::Object(members) if schema.get("required").is_some() => {
                assert_eq!(names(&value), required(&schema), "{path}");
                left.extend(members.iter().map(|(name, value)| {
                    (
                        value.clone(),
                        schema["properties"][name].clone(),
                        format!("{path}.{name}"),
                    )
                }));
            }
            Value::Array(items) => left.extend(
                items
                    .iter()
                    .take(1)
                    .map(|item| (item.clone(), schema["items"].clone(), format!("{path}[]"))),
            ),
            _ => {}
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn pages_load_nothing() {
    let html = run(&["--report-format", "html", DEMO], 0).0;
    assert!(
        html.contains("<svg")
            && html.contains("prefers-color-scheme:dark")
            && !html.contains("<script")
    );
    let links = html.replace("http://www.w3.org/2000/svg", "");
    assert!(
        !links.contains("http://")
            && !links.contains("https://")
            && !links.contains("src=")
            && !links.contains("@import")
    );
    let markdown = run(&["--report-format", "markdown", DEMO], 0).0;
    assert!(markdown.starts_with("## Replay of") && markdown.contains("| no pruning |"));
}

#[test]
fn text_is_a_screen_of_80_columns() {
    let text = run(&[DEMO], 0).0;
    assert!(text.lines().count() <= 28, "{}", text.lines().count());
    // A command is a line, to be copied.
    let is_command =
        |line: &&str| line.starts_with("    openclaw ") || line.starts_with("    deadhead ");
    let mut lines = text.lines().skip(1).filter(|line| !is_command(line));
    assert!(lines.all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.contains('█'));
}

#[test]
fn a_grid_marks_what_no_other_beats() {
    let folder = tempfile::tempdir().unwrap();
    let path = session(folder.path());
    let grid = [
        "--sweep",
        "contextPruning.ttl=5m,1h",
        "--sweep",
        "contextPruning.softTrimRatio=0.1,0.9",
        &path,
    ];
    let value = json(&grid);
    let rows = value["policies"].as_array().unwrap();
    let names: Vec<&str> = rows
        .iter()
        .map(|row| row["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "ttl=5m softTrimRatio=0.1",
            "ttl=5m softTrimRatio=0.9",
            "ttl=1h softTrimRatio=0.1",
            "ttl=1h softTrimRatio=0.9"
        ]
    );
    let cheapest = rows
        .iter()
        .min_by(|a, b| {
            a["usd"]
                .as_f64()
                .unwrap()
                .total_cmp(&b["usd"].as_f64().unwrap())
        })
        .unwrap();
    assert_eq!(cheapest["pareto"], true);
    for (args, word) in [
        (["--sweep", "contextPruning.ttl"], "KEY=VALUE"),
        (["--sweep", "contextPruning.tll=5m"], "ttl"),
        (["--preset", "openclaw-2026.1,nope"], "nope"),
    ] {
        let (out, error) = run(&[&args[..], &[&path]].concat(), 2);
        assert!(out.is_empty() && error.contains(word), "{error}");
    }
}

#[test]
fn presets_are_side_by_side() {
    let value = json(&[
        "--transient",
        "--preset",
        "openclaw-2026.1,clawdbot-adaptive",
        DEMO,
    ]);
    let rows: Vec<String> = value["policies"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            format!(
                "{} {}",
                row["name"].as_str().unwrap(),
                row["manner"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            "openclaw-2026.1 sticky",
            "openclaw-2026.1 transient",
            "clawdbot-adaptive sticky",
            "clawdbot-adaptive transient"
        ]
    );
}

#[test]
fn ranges_folders_and_patterns() {
    let folder = tempfile::tempdir().unwrap();
    let path = session(folder.path());
    std::fs::write(folder.path().join("other.jsonl"), "{\"a\":1}\n").unwrap();
    let all = json(&[&folder.path().display().to_string()]);
    assert_eq!(
        all["requests"], 60,
        "what is no log is passed over on a walk"
    );
    let some = json(&[
        "--since",
        "2026-01-01T00:30:00Z",
        "--until",
        "2026-01-01T00:50:00Z",
        &path,
    ]);
    assert!(
        some["requests"].as_u64().is_some_and(|n| n > 5 && n < 40),
        "{}",
        some["requests"]
    );
    assert_eq!(json(&["--until", "2025-01-01", &path])["requests"], 0);
    let pattern = folder.path().join("s*.jsonl").display().to_string();
    assert_eq!(json(&[&pattern])["requests"], 60);
    let two = json(&[&path, DEMO]);
    assert_eq!(two.as_array().map(Vec::len), Some(3));
    assert_eq!(two[2]["totals"]["inputs"], 2);
    let lines = run(&["--report-format", "jsonl", &path, DEMO], 0).0;
    assert_eq!(lines.lines().count(), 3);
}

#[test]
fn logs_in_one_document_are_replayed_from_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let chats = folder.path().join("tmp/0a/chats");
    std::fs::create_dir_all(&chats).unwrap();
    for (sample, name) in [
        ("session.json", "session-2026-10-02T08-00-9e8d7c6b.json"),
        ("session.jsonl", "session-2026-10-02T08-01-9e8d7c6c.jsonl"),
    ] {
        std::fs::copy(
            format!("tests/samples/gemini-cli/{sample}"),
            chats.join(name),
        )
        .unwrap();
    }
    std::fs::copy(
        "tests/samples/opencode/export.json",
        chats.join("ses_01.json"),
    )
    .unwrap();
    std::fs::write(
        chats.join("../logs.json"),
        "[{\"sessionId\":\"s\",\"message\":\"hi\"}]",
    )
    .unwrap();
    let value = json(&[&folder.path().display().to_string()]);
    // The last is the one before, migrated and gone on with: what both have counts once.
    let requests: Vec<u64> = value.as_array().unwrap()[..3]
        .iter()
        .map(|log| log["requests"].as_u64().unwrap())
        .collect();
    assert_eq!(
        (requests, &value[3]["totals"]["inputs"]),
        (vec![4, 3, 1], &serde_json::json!(3))
    );
    assert_eq!(
        (&value[0]["input"]["format"], &value[1]["input"]["format"]),
        (&"opencode".into(), &"gemini-cli".into())
    );
}

#[test]
fn logs_that_cannot_be_replayed_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let body = folder.path().join("body.json");
    std::fs::write(
        &body,
        r#"{"model":"claude-x","max_tokens":1,"messages":[{"role":"user","content":"x"}]}"#,
    )
    .unwrap();
    let body = body.display().to_string();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let pretty = file(
        "pretty.json",
        "{\n\"type\":\"user\",\"uuid\":\"u\",\"parentUuid\":null,\n\"message\":{\"role\":\"user\",\"content\":\"x\"}}\n",
    );
    let uncounted = file(
        "without/log.jsonl",
        "{\"role\":\"user\",\"content\":\"x\"}\n",
    );
    let older = file(
        "api_conversation_history.json",
        "[{\"role\":\"user\",\"content\":\"x\",\"ts\":1}]",
    );
    let without = folder.path().join("without").display().to_string();
    for (args, word) in [
        (vec![body.as_str()], "history"),
        (
            vec![older.as_str()],
            "this log records no token counts (cline): Cline keeps those of older histories in ui_messages.json",
        ),
        (vec![pretty.as_str()], "spread over lines"),
        (
            vec![uncounted.as_str()],
            "this log records no token counts (messages)",
        ),
        (
            vec![without.as_str()],
            "logs that record no token counts were left out: 1 of messages",
        ),
        (vec!["none.jsonl"], "none.jsonl"),
        (vec!["--since", "soon", DEMO], "--since"),
        (vec!["-o", DEMO, DEMO], "never written to"),
    ] {
        let (out, error) = run(&args, 2);
        assert!(
            out.is_empty() && error.contains(word) && !error.contains("panicked"),
            "{error}"
        );
    }
    let page = folder.path().join("page.html").display().to_string();
    run(&["-o", &page, "--report-format", "html", DEMO], 0);
    assert!(
        std::fs::read_to_string(&page)
            .unwrap()
            .starts_with("<!doctype html>")
    );
}

#[test]
fn at_entry_no_cache_is_broken() {
    let misses = |row: &Value| -> Vec<(String, u64)> {
        let causes = row["misses"].as_object().unwrap().iter();
        let calls = |cause: &Value| cause["calls"].as_u64().unwrap();
        causes
            .map(|(cause, found)| (cause.clone(), calls(found)))
            .collect()
    };
    for (entry, least) in [("400", 10), ("4000", 3)] {
        let found = json(&["--at-entry", entry, DEMO]);
        let policy = &found["policies"][0];
        assert!(policy["cuts"].as_u64().unwrap() >= least, "{policy}");
        assert_eq!(misses(policy), misses(&found["baseline"]), "{entry}");
    }
    // With a policy, what is short from the beginning is cleared later.
    let cuts = |args: &[&str]| -> (String, u64) {
        let row = &json(args)["policies"][0];
        (
            row["name"].as_str().unwrap().to_owned(),
            row["cuts"].as_u64().unwrap(),
        )
    };
    let both = cuts(&["--at-entry", "4000", "--preset", "break-even", DEMO]);
    assert_eq!(both.0, "break-even + at-entry 4000");
    assert!(both.1 > cuts(&["--at-entry", "4000", DEMO]).1, "{both:?}");
}
