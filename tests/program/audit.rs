//! `deadhead state audit`: what was done to the requests of a workload.

use crate::support::{BODY, Place, deadhead};
use serde_json::{Value, json};

const CONFIG: &str = "{
    contextWindow: 10,
    contextPruning: { mode: 'adaptive', keepLastAssistants: 1, softTrim: { maxChars: 20, headChars: 4, tailChars: 4 } },
    workloads: { chat: { canary: { floor: 0.8, minSamples: 1, window: 5 } }, '=a,\"b': {} },
}";

fn prune(place: &Place, minute: u32, args: &[&str]) {
    let now = format!("2026-01-01T00:{minute:02}:00Z");
    let mut command = deadhead();
    command
        .current_dir(place.root())
        .args([
            "prune",
            "-q",
            "--state=s.db",
            "--config=c.json5",
            "--now",
            &now,
        ])
        .args(args);
    command.write_stdin(BODY).assert().success();
}

fn audit(place: &Place, args: &[&str]) -> String {
    let output = deadhead()
        .current_dir(place.root())
        .args(["state", "audit", "--state=s.db"])
        .args(args)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Four requests: a cut one, the same again, one without cuts, and one of a retired workload; and two that are not asked for.
fn place() -> Place {
    let place = Place::new();
    place.file("c.json5", CONFIG);
    prune(&place, 1, &["--workload=chat", "--session=s"]);
    prune(&place, 2, &["--workload=chat", "--session=s"]);
    prune(
        &place,
        3,
        &[
            "--workload=chat",
            "--session=a \"name\", with\nall",
            "--mode=off",
            "--stack=blue",
        ],
    );
    prune(&place, 4, &["--workload==a,\"b", "--session=s"]);
    prune(&place, 5, &["--session=s"]);
    prune(&place, 6, &["-n", "--workload=chat", "--session=s"]);
    let score = [
        "canary",
        "record",
        "--state=s.db",
        "--config=c.json5",
        "--workload=chat",
        "--score=0.1",
        "--now=2026-01-01T00:07:00Z",
    ];
    deadhead()
        .current_dir(place.root())
        .args(score)
        .assert()
        .success();
    prune(&place, 8, &["--workload=chat", "--session=t"]);
    place
}

#[test]
fn each_request_has_a_row_by_mechanic() {
    let place = place();
    let rows: Vec<Value> = audit(&place, &["--workload=chat", "--format=jsonl"])
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let brief = |row: &Value| {
        (
            row["at"].clone(),
            row["session"].clone(),
            row["retired"].clone(),
            row["mechanics"].clone(),
        )
    };
    let (before, after) = (
        rows[0]["charsBefore"].as_i64().unwrap(),
        rows[0]["charsAfter"].as_i64().unwrap(),
    );
    let by = |name: &str| json!([{"name": name, "cuts": 1, "charsRemoved": before - after}]);
    let want = [
        (
            json!("2026-01-01T00:01:00Z"),
            json!("s"),
            json!(false),
            by("soft-trim"),
        ),
        (
            json!("2026-01-01T00:02:00Z"),
            json!("s"),
            json!(false),
            by("sticky"),
        ),
        (
            json!("2026-01-01T00:03:00Z"),
            json!("a \"name\", with\nall"),
            json!(false),
            json!([]),
        ),
        (
            json!("2026-01-01T00:08:00Z"),
            json!("t"),
            json!(true),
            json!([]),
        ),
    ];
    assert_eq!(rows.iter().map(brief).collect::<Vec<_>>(), want);
    assert!(before != after && rows[0]["tokensBefore"] != rows[0]["tokensAfter"]);
    assert_eq!(
        (&rows[2]["stack"], &rows[3]["charsAfter"]),
        (&json!("blue"), &json!(before))
    );
    assert_eq!(
        audit(&place, &["--workload==a,\"b", "--format=jsonl"])
            .lines()
            .count(),
        1
    );
}

#[test]
fn since_is_a_time_or_an_age() {
    let place = place();
    let count = |args: &[&str]| {
        audit(
            &place,
            &[&["--workload=chat", "--format=jsonl"], args].concat(),
        )
        .lines()
        .count()
    };
    assert_eq!(count(&["--since=2026-01-01T00:02:00Z"]), 3);
    assert_eq!(count(&["--since=2026-01-01T00:02:00.001Z"]), 2);
    assert_eq!(count(&["--since=5m", "--now=2026-01-01T00:08:00Z"]), 2);
    assert_eq!(count(&["--since=1m"]), 0);
    let output = deadhead()
        .current_dir(place.root())
        .args([
            "state",
            "audit",
            "--state=s.db",
            "--workload=chat",
            "--since=soon",
        ])
        .output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--since soon: expected a time"));
}

#[test]
fn a_table_and_values_with_commas() {
    let place = place();
    let table = audit(&place, &["--workload=chat"]);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 6, "{table}");
    assert!(
        lines[1].starts_with("  time ") && lines[1].ends_with("mechanics"),
        "{table}"
    );
    assert!(
        lines[2].ends_with("soft-trim 1")
            && lines[3].ends_with("sticky 1")
            && lines[4].ends_with("  none"),
        "{table}"
    );
    assert!(
        lines[5].ends_with("none: the workload is retired")
            && lines[0].starts_with("4 requests, 2 cut: "),
        "{table}"
    );
    let jsonl = audit(&place, &["--workload=chat", "--format=jsonl"]);
    assert_eq!(jsonl.lines().count(), 4, "{jsonl}");
    assert!(
        jsonl.contains(r#""session":"a \"name\", with\nall""#),
        "{jsonl}"
    );
    assert_eq!(
        audit(&place, &["--workload=nobody"]),
        "0 requests, 0 cut: 0 chars (0 %)\n"
    );
}

#[test]
fn requests_are_forgotten_with_their_sessions() {
    let place = place();
    let forget = |args: &[&str]| {
        deadhead()
            .current_dir(place.root())
            .args(["state", "forget", "--state=s.db"])
            .args(args)
            .assert()
            .success();
        audit(&place, &["--workload=chat", "--format=jsonl"])
            .lines()
            .count()
    };
    assert_eq!(forget(&["t"]), 3);
    assert_eq!(
        forget(&["--older-than=1m", "--now=2026-01-01T00:03:00Z"]),
        2
    );
    assert_eq!(forget(&["--all"]), 0);
}
