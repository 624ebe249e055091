//! An agent's own record of its cuts is used where there is no state file.

use crate::support::{Place, deadhead};
use serde_json::{Value, json};

/// Lines of a history with results of ids `t0`, `t1`, `t1` again and `t3`, of 5000 chars each.
fn lines() -> Vec<Value> {
    let mut lines = vec![
        json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/"}),
    ];
    push(
        &mut lines,
        json!({"type": "message", "message": {"role": "user", "content": "go", "timestamp": 1}}),
    );
    for (i, id) in ["t0", "t1", "t1", "t3"].iter().enumerate() {
        let call = json!({"type": "toolCall", "id": id, "name": "exec", "arguments": {}});
        push(
            &mut lines,
            json!({"type": "message", "message": {"role": "assistant", "content": [call], "timestamp": 1000 + i}}),
        );
        let text = format!("{i}{}", "0123456789".repeat(500));
        let result = json!({"role": "toolResult", "toolCallId": id, "toolName": "exec", "content": [{"type": "text", "text": text}], "timestamp": 2000 + i});
        push(&mut lines, json!({"type": "message", "message": result}));
    }
    lines
}

/// Adds an entry that follows the last.
fn push(lines: &mut Vec<Value>, mut entry: Value) {
    entry["id"] = json!(format!("e{}", lines.len()));
    if entry.get("parentId").is_none() {
        entry["parentId"] = if lines.len() > 1 {
            json!(format!("e{}", lines.len() - 1))
        } else {
            Value::Null
        };
    }
    entry["timestamp"] = json!("2026-01-01T00:00:00.000Z");
    lines.push(entry);
}

fn marker(lines: &mut Vec<Value>, data: Value) {
    push(
        lines,
        json!({"type": "custom", "customType": "openclaw.cache-ttl", "data": data}),
    );
}

fn prune(place: &Place, lines: &[Value], args: &[&str]) -> (Vec<String>, Value) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    place.file("h.jsonl", text);
    let fixed = [
        "prune",
        "h.jsonl",
        "--mode=off",
        "--report=r.json",
        "--report-format=json",
        "--now=2026-01-02T00:00:00Z",
    ];
    let output = deadhead()
        .current_dir(place.root())
        .args(fixed)
        .args(args)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let out = String::from_utf8(output.stdout).unwrap();
    (
        out.lines().map(str::to_owned).collect(),
        serde_json::from_slice(&std::fs::read(place.path("r.json")).unwrap()).unwrap(),
    )
}

/// Returns the state of the four results: c for cleared, t for trimmed, - for left alone.
fn fates(lines: &[String]) -> String {
    let results = lines.iter().filter(|line| line.contains("\"toolResult\""));
    results
        .map(|line| {
            if line.contains("[gone]") {
                'c'
            } else if line.contains("[Tool result trimmed") {
                't'
            } else {
                '-'
            }
        })
        .collect()
}

#[test]
fn a_marker_names_its_cut() {
    let place = Place::new();
    let cuts = json!({"prunedToolResults": [
        {"key": "tool:t0:2000", "mode": "hard", "placeholder": "[gone]"},
        {"key": "tool:t1:2002", "mode": "soft"},
        {"key": "timestamp:77", "mode": "soft"},
    ]});
    let mut with = lines();
    marker(&mut with, cuts);
    let (out, report) = prune(&place, &with, &[]);
    assert_eq!(
        fates(&out),
        "c-t-",
        "of two equal ids the time decides which"
    );
    assert!(out[7].contains(
        "[Tool result trimmed: kept first 1500 chars and last 1500 chars of 5001 chars.]"
    ));
    assert!(
        report["cuts"]
            .as_array()
            .unwrap()
            .iter()
            .all(|c| c["pass"] == "marker" && c["reason"].as_str().unwrap().contains("OpenClaw"))
    );
    // The other shape: what has changed since.
    marker(
        &mut with,
        json!({"cacheTtlDelta": {"prunedToolResults": {"set": [{"key": "tool:t3", "mode": "soft"}], "remove": ["tool:t0:2000"]}}}),
    );
    assert_eq!(fates(&prune(&place, &with, &[]).0), "--tt");
    // A later run cuts more, and what was trimmed keeps its bytes.
    let more = [
        "--set=contextPruning.mode=adaptive",
        "--context-window=6000",
        "--set=contextPruning.keepLastAssistants=1",
    ];
    let sizes = [
        "--set=contextPruning.softTrim.headChars=10",
        "--set=contextPruning.softTrim.maxChars=100",
    ];
    let (again, _) = prune(&place, &with, &[&more[..], &sizes].concat());
    assert_eq!(
        (fates(&again), again[7].contains("kept first 1500 chars")),
        ("tttt".to_owned(), true)
    );
}

#[test]
fn only_markers_on_the_way_to_the_leaf_count() {
    let place = Place::new();
    let clear = || json!({"prunedToolResults": [{"key": "tool:t0", "mode": "hard", "placeholder": "[gone]"}]});
    let mut aside = lines();
    let leaf = aside.len() - 1;
    marker(&mut aside, clear());
    push(
        &mut aside,
        json!({"type": "message", "parentId": format!("e{leaf}"), "message": {"role": "user", "content": "else", "timestamp": 9}}),
    );
    assert_eq!(fates(&prune(&place, &aside, &[]).0), "----");
    assert_eq!(fates(&prune(&place, &aside, &["--scope=file"]).0), "c---");
    let mut reset = lines();
    marker(&mut reset, clear());
    push(
        &mut reset,
        json!({"type": "reset", "reason": "idle", "firstKeptEntryId": "e1"}),
    );
    assert_eq!(fates(&prune(&place, &reset, &[]).0), "----");
}

#[test]
fn a_state_file_takes_a_markers_place() {
    let place = Place::new();
    let mut with = lines();
    marker(
        &mut with,
        json!({"prunedToolResults": [{"key": "tool:t0", "mode": "hard", "placeholder": "[gone]"}]}),
    );
    let (first, report) = prune(&place, &with, &["--state=s.db"]);
    assert_eq!(
        (fates(&first), &report["session"]["added"]),
        ("c---".to_owned(), &json!(1))
    );
    marker(
        &mut with,
        json!({"prunedToolResults": [{"key": "tool:t1:2001", "mode": "hard", "placeholder": "[gone]"}]}),
    );
    let (again, report) = prune(&place, &with, &["--state=s.db"]);
    assert_eq!(
        (fates(&again), &report["session"]["kept"]),
        ("c---".to_owned(), &json!(1))
    );
}

#[test]
fn each_release_reads_the_clock_of_its_own_markers() {
    let place = Place::new();
    let mut with = lines();
    push(
        &mut with,
        json!({"type": "message", "message": {"role": "assistant", "provider": "anthropic", "model": "claude-a", "content": []}}),
    );
    let at = |second: u64| json!(format!("1970-01-01T00:00:{second:02}Z"));
    marker(
        &mut with,
        json!({"timestamp": 11_000, "provider": "Anthropic ", "modelId": "CLAUDE-A"}),
    );
    marker(
        &mut with,
        json!({"timestamp": 12_000, "provider": "anthropic", "modelId": "claude-b"}),
    );
    marker(
        &mut with,
        json!({"timestamp": 13_000, "provider": "openrouter", "modelId": "claude-b"}),
    );
    marker(&mut with, json!({"timestamp": 14_000}));
    marker(
        &mut with,
        json!({"timestamp": "15000", "provider": "anthropic", "modelId": "claude-a"}),
    );
    let (b, router) = ("--model=claude-b", "--provider=openrouter");
    for (preset, flags, want) in [
        ("openclaw-2026.1", &[][..], at(14)),
        ("openclaw-2026.1", &[b, router], at(14)),
        ("openclaw-2026.4", &[], at(11)),
        ("openclaw-2026.4", &[b], at(12)),
        ("openclaw-2026.7", &[b], at(12)),
        ("openclaw-2026.8", &[b, router], at(13)),
        (
            "openclaw-2026.8",
            &["--set=contextPruning.markers=any"],
            at(14),
        ),
        (
            "openclaw-2026.1",
            &["--set=contextPruning.markers=own"],
            at(11),
        ),
    ] {
        let decision = prune(
            &place,
            &with,
            &[&[&*format!("--preset={preset}")][..], flags].concat(),
        )
        .1["decision"]
            .clone();
        assert_eq!(
            (&decision["lastCall"], &decision["lastCallSource"]),
            (&want, &json!("marker")),
            "{preset} {flags:?}"
        );
    }
    // Where no marker counts, the newest answer says.
    let decision = prune(
        &place,
        &with,
        &["--preset=openclaw-2026.8", "--model=claude-c"],
    )
    .1["decision"]
        .clone();
    assert_eq!(decision["lastCallSource"], "assistant");
}
