//! Workloads and their quality gate: settings by name, scores, retirement, and reset.

use crate::support::{BODY, Place, deadhead};
use serde_json::{Value, json};

const CONFIG: &str = "{
    contextPruning: { mode: 'off' },
    workloads: {
        chat: {
            contextPruning: { mode: 'adaptive', keepLastAssistants: 1, softTrim: { maxChars: 20, headChars: 4, tailChars: 4 } },
            contextWindow: 10,
            canary: { floor: 0.8, minSamples: 3, window: 5 },
        },
        bulk: { contextPruning: { ttl: '1h' } },
    },
}";

fn place() -> Place {
    let place = Place::new();
    place.file("c.json5", CONFIG);
    place
}

/// Runs the program; exit code, stdout, stderr.
fn run(place: &Place, args: &[&str], stdin: &str) -> (i32, String, String) {
    let output = deadhead()
        .current_dir(place.root())
        .args(args)
        .args(["--config", "c.json5"])
        .write_stdin(stdin)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn prune(place: &Place, args: &[&str]) -> (String, Value) {
    let all = [
        "prune",
        "--workload",
        "chat",
        "--state",
        "s.db",
        "--report",
        "r.json",
        "--report-format",
        "json",
    ];
    let (code, out, reported) = run(place, &[&all, args].concat(), BODY);
    assert_eq!(code, 0, "{reported}");
    (
        out,
        serde_json::from_slice(&std::fs::read(place.path("r.json")).unwrap()).unwrap(),
    )
}

fn canary(place: &Place, command: &str, args: &[&str]) -> (i32, String, String) {
    run(
        place,
        &[
            &["canary", command, "--state", "s.db", "--workload", "chat"],
            args,
        ]
        .concat(),
        "",
    )
}

#[test]
fn a_workload_is_a_layer() {
    let place = place();
    let show = |args: &[&str]| run(&place, &[&["config", "show", "--json"], args].concat(), "");
    let rows: Value = serde_json::from_str(
        &show(&[
            "--workload",
            "chat",
            "--set",
            "contextPruning.softTrim.headChars=9",
        ])
        .1,
    )
    .unwrap();
    let row = |key: &str| {
        rows.as_array()
            .unwrap()
            .iter()
            .find(|row| row["key"] == key)
            .unwrap()
            .clone()
    };
    assert_eq!(
        row("contextPruning.mode"),
        json!({"key": "contextPruning.mode", "value": "adaptive", "source": "workload chat"})
    );
    assert_eq!(row("contextPruning.softTrim.headChars")["source"], "--set");
    assert_eq!(row("contextPruning.ttl")["source"], "default");
    let (code, out, reported) = run(&place, &["prune", "-q", "--workload", "chta"], BODY);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(
        reported.contains("unknown workload chta, did you mean chat? (workloads: chat, bulk)"),
        "{reported}"
    );
    let (_, untouched, _) = run(&place, &["prune", "-q"], BODY);
    assert_eq!(untouched, BODY, "off unless a workload turns it on");
}

#[test]
fn all_workloads_are_validated() {
    for (workloads, words) in [
        (
            "{ a: { contextPruning: { tttl: '1h' } } }",
            "unknown key workloads.a.contextPruning.tttl, did you mean workloads.a.contextPruning.ttl?",
        ),
        (
            "{ a: { contextPruning: { ttl: 'soon' } } }",
            "workloads.a.contextPruning.ttl must be",
        ),
        (
            "{ a: { workloads: {} } }",
            "unknown key workloads.a.workloads",
        ),
        ("{ a: { canary: { flor: 1 } } }", "workloads must be a map"),
        ("[]", "workloads must be a map"),
    ] {
        let place = Place::new();
        place.file("c.json5", format!("{{ workloads: {workloads} }}"));
        let (code, _, reported) = run(&place, &["prune", "-q"], BODY);
        assert!(code == 2 && reported.contains(words), "{reported}");
    }
}

#[test]
fn a_breached_workload_is_retired_until_it_is_reset() {
    let place = place();
    let (cut, report) = prune(&place, &[]);
    assert_ne!(cut, BODY);
    assert_eq!(
        report["workload"],
        json!({"name": "chat", "stack": null, "state": "active"})
    );
    let (code, text, _) = canary(&place, "status", &[]);
    assert_eq!(
        (code, text.as_str()),
        (0, "chat: collecting, no scores, floor 0.800\n")
    );
    for _ in 0..3 {
        assert_eq!(canary(&place, "record", &["--score", "0.5"]).0, 0);
    }
    let (code, text, _) = canary(&place, "status", &[]);
    assert!(
        code == 1 && text.starts_with("chat: retired, mean 0.500 of 3, floor 0.800; retired at "),
        "{text}"
    );
    let (out, report) = prune(&place, &[]);
    assert_eq!(out, BODY);
    assert_eq!(
        (&report["workload"]["state"], &report["decision"]["ran"]),
        (&json!("retired"), &json!(false))
    );
    let why = report["decision"]["why"].as_str().unwrap();
    assert!(
        why.contains("the canary retired workload chat at")
            && why.contains("mean 0.500 of 3 scores"),
        "{why}"
    );
    assert_eq!(canary(&place, "reset", &[]).0, 2, "without a reason");
    assert_eq!(canary(&place, "reset", &["--reason", "repaired"]).0, 0);
    assert_eq!(prune(&place, &[]).0, cut);
    let (code, text, _) = canary(&place, "status", &["--json"]);
    let status: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (
            code,
            &status["workloads"][0]["state"],
            &status["workloads"][0]["count"]
        ),
        (0, &json!("collecting"), &json!(0))
    );
    let events: Vec<&Value> = status["audit"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| &e["event"])
        .collect();
    assert_eq!(
        (events, &status["audit"][1]["reason"]),
        (vec![&json!("retired"), &json!("reset")], &json!("repaired"))
    );
}

#[test]
fn a_stack_is_retired_by_itself() {
    let place = place();
    let lines = "{\"score\":0.1,\"stack\":\"b\"}\n".repeat(3)
        + "{\"score\":1,\"stack\":\"a\"}\n{\"score\":0.9,\"arm\":\"control\"}\n";
    let (code, _, reported) = run(
        &place,
        &["canary", "record", "--state", "s.db", "--workload", "chat"],
        &lines,
    );
    assert_eq!((code, reported.as_str()), (0, ""));
    assert_ne!(prune(&place, &["--stack", "a"]).0, BODY);
    assert_eq!(prune(&place, &["--stack", "b"]).0, BODY);
    assert_eq!(
        prune(&place, &[]).0,
        BODY,
        "whoever names no stack asks for all"
    );
    assert_eq!(canary(&place, "status", &["--stack", "a"]).0, 0);
    let (code, text, _) = run(&place, &["canary", "status", "--state", "s.db"], "");
    assert!(
        code == 1 && text.lines().count() == 4 && text.contains("chat/b: retired"),
        "{text}"
    );
    canary(&place, "reset", &["--stack", "b", "--reason", "repaired"]);
    assert_ne!(prune(&place, &["--stack", "b"]).0, BODY);
}

#[test]
fn bad_scores_are_refused_whole() {
    let place = place();
    for (lines, words) in [
        (
            "{\"score\":0.1}\n{\"score\":\"high\"}\n",
            "-:2:15: invalid type: string \"high\", expected f64\n",
        ),
        (
            "{\"score\":0.1}\n{\"score\":1,\"arm\":\"left\"}\n",
            "-:2: unknown arm left",
        ),
        (
            "{\"score\":0.1,\"workload\":\"none\"}\n",
            "unknown workload none",
        ),
        ("{\"scoer\":0.1}\n", "-:1:8: unknown field `scoer`"),
        ("", "no score"),
    ] {
        let (code, _, reported) = run(
            &place,
            &["canary", "record", "--state", "s.db", "--workload", "chat"],
            lines,
        );
        assert!(
            code == 2 && reported.contains(words) && reported.lines().count() == 1,
            "{lines}: {reported}"
        );
    }
    assert_eq!(canary(&place, "record", &["--score", "nan"]).0, 2);
    assert_eq!(canary(&place, "record", &["--score", "1"]).0, 0);
    let (_, text, _) = canary(&place, "status", &[]);
    assert!(text.contains("mean 1.000 of 1"), "{text}");
}
