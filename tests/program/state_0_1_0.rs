//! A state file of version 0.1.0 is still valid: the cuts in it are reproduced byte for byte.
//!
//! `state/0.1.0.db.zst` was written by that version from the bodies below: five of eight results of each were cleared. The
//! three differ in how a result is known: by the id that it spells, by its call's id, and by what its call says. `state/0.1.0-names.db.zst`
//! was written by the last version with digests of its own, from bodies whose sessions are known by their beginning, by a short
//! name and by a long one; of the second a message and a call were removed as well.

use crate::support::{Place, deadhead};
use serde_json::{Value, json};

const STATE: &[u8] = include_bytes!("../state/0.1.0.db.zst");
const NAMES: &[u8] = include_bytes!("../state/0.1.0-names.db.zst");
const CLEARED: &str = "[Old tool result content cleared]";

fn result(i: usize) -> String {
    format!("RESULT-{i} {}", "word ".repeat(600))
}

fn anthropic() -> Value {
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    for i in 0..8 {
        let id = format!("toolu_{}{i}", if i % 2 == 1 { "é" } else { "" });
        messages.push(json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "Read", "input": {"p": i}}]}));
        messages.push(json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": result(i)}]}));
    }
    let tools = json!([{"name": "Read", "input_schema": {"type": "object"}}]);
    json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "tools": tools, "messages": messages})
}

fn gemini() -> Value {
    let mut contents = vec![json!({"role": "user", "parts": [{"text": "go"}]})];
    for i in 0..8 {
        contents.push(
            json!({"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"n": i}}}]}),
        );
        let answer = json!({"name": "f", "response": {"output": result(i)}});
        contents.push(json!({"role": "user", "parts": [{"functionResponse": answer}]}));
    }
    json!({"model": "models/gemini-2.5-flash", "contents": contents})
}

fn responses() -> Value {
    let mut input = vec![json!({"role": "user", "content": "go"})];
    for i in 0..8 {
        let action = json!({"type": "exec", "command": ["ls"], "env": {}});
        let (id, call) = (format!("ls_{i}"), format!("call_{i}"));
        input.push(json!({"type": "local_shell_call", "id": id, "call_id": call, "status": "completed", "action": action}));
        input.push(json!({"type": "local_shell_call_output", "id": id, "output": result(i)}));
    }
    json!({"model": "codex-mini-latest", "input": input})
}

fn chat() -> Value {
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    for i in 0..8 {
        let id = format!("call_{i}");
        let call =
            json!({"id": id, "type": "function", "function": {"name": "read", "arguments": "{}"}});
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": result(i)}));
    }
    json!({"model": "gpt-5", "messages": messages})
}

fn picked() -> Value {
    let said = |role: &str, text: &str| json!({"role": role, "content": text});
    let mut messages = vec![
        said("user", "go"),
        said("assistant", "ok"),
        said("user", "ok"),
        said("assistant", "ok"),
        said("user", "on"),
    ];
    for i in 0..8 {
        let id = format!("toolu_{i}");
        let call = json!({"type": "tool_use", "id": id, "name": "Read", "input": {"p": i}});
        messages
            .push(json!({"role": "assistant", "content": [{"type": "text", "text": "so"}, call]}));
        messages.push(json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": result(i)}]}));
    }
    let tools = json!([{"name": "Read", "input_schema": {"type": "object"}}]);
    json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "tools": tools, "messages": messages})
}

/// Prunes while the clock lets no pass run; the output and the report.
fn run(place: &Place, session: &[&str], body: &Value) -> (String, Value) {
    let flags = [
        "-q",
        "--state=s.db",
        "--now=2026-01-01T00:11:00Z",
        "--context-window=2000",
        "--set=contextPruning.providers=all",
    ];
    let mut command = deadhead();
    command
        .current_dir(place.root())
        .arg("prune")
        .args(flags)
        .args(["--report=r.json", "--report-format=json"])
        .args(session);
    let output = command.write_stdin(body.to_string()).output().unwrap();
    assert!(
        output.status.success(),
        "{session:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let report: Value =
        serde_json::from_slice(&std::fs::read(place.path("r.json")).unwrap()).unwrap();
    (
        String::from_utf8(output.stdout).unwrap(),
        report.get(0).unwrap_or(&report).clone(),
    )
}

/// The first run of this version knows the rows of the former digests; the second has its own.
#[test]
fn rows_of_former_digests_are_written_anew() {
    let place = Place::new();
    place.file("s.db", zstd::decode_all(NAMES).unwrap());
    let long = format!("--session=n{}", "é".repeat(600));
    let sessions: [(&[&str], Value, u64, u64, u64); 3] = [
        (&[], chat(), 5, 10_707, 17),
        (&["--session=picked"], picked(), 7, 10_961, 19),
        (&[&long], chat(), 5, 10_707, 17),
    ];
    let rows = |what: &str| -> Vec<(String, i64)> {
        let connection = rusqlite::Connection::open(place.path("s.db")).unwrap();
        let mut rows = connection.prepare(what).unwrap();
        rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .map(Result::unwrap)
            .collect()
    };
    let names = |rows: Vec<(String, i64)>| -> Vec<String> {
        rows.into_iter().map(|(name, _)| name).collect()
    };
    let before = names(rows("SELECT name, id FROM session ORDER BY id"));
    let first: Vec<(String, Value)> = sessions
        .iter()
        .map(|(session, body, ..)| run(&place, session, body))
        .collect();
    assert_eq!(
        rows("SELECT 'decisions', count(*) FROM decision WHERE digests = 2"),
        [("decisions".to_owned(), 17)]
    );
    assert_eq!(
        rows("SELECT 'decisions', count(*) FROM decision"),
        [("decisions".to_owned(), 17)]
    );
    assert_eq!(
        rows("SELECT 'sessions', count(*) FROM session WHERE digests = 2"),
        [("sessions".to_owned(), 3)]
    );
    let after = names(rows("SELECT name, id FROM session ORDER BY id"));
    assert!(
        before[0] != after[0] && before[1] == after[1] && before[2] != after[2],
        "{before:?} {after:?}"
    );
    for ((session, body, kept, bytes, messages), (text, report)) in sessions.iter().zip(&first) {
        assert_eq!(
            report["prefixStable"],
            json!({"bytes": bytes, "messages": messages}),
            "{session:?}"
        );
        assert_eq!(
            (
                &report["session"]["kept"],
                &report["session"]["added"],
                &report["session"]["dropped"]
            ),
            (&json!(kept), &json!(0), &json!(0))
        );
        let (again, second) = run(&place, session, body);
        assert_eq!(&again, text);
        assert_eq!(
            (&second["session"], &second["prefixStable"]),
            (&report["session"], &report["prefixStable"]),
            "{session:?}"
        );
    }
}

#[test]
fn its_cuts_are_made_again() {
    for (session, body) in [
        ("anthropic", anthropic()),
        ("gemini", gemini()),
        ("responses", responses()),
    ] {
        let place = Place::new();
        place.file("s.db", zstd::decode_all(STATE).unwrap());
        // The last call was a minute ago: no pass runs, and what is cut was cut before.
        let flags = [
            "-q",
            "--state=s.db",
            "--now=2026-01-01T00:11:00Z",
            "--context-window=2000",
            "--set=contextPruning.providers=all",
        ];
        let report = [
            "--session",
            session,
            "--report=r.json",
            "--report-format=json",
        ];
        let mut command = deadhead();
        command
            .current_dir(place.root())
            .arg("prune")
            .args(flags)
            .args(report)
            .write_stdin(body.to_string());
        let output = command.output().unwrap();
        assert!(
            output.status.success(),
            "{session}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let report: Value =
            serde_json::from_slice(&std::fs::read(place.path("r.json")).unwrap()).unwrap();
        let report = report.get(0).unwrap_or(&report);
        assert_eq!(
            report["session"],
            json!({"name": session, "source": "flag", "kept": 5, "added": 0, "dropped": 0})
        );
        assert_eq!(report["decision"]["ran"], false, "{session}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.matches(CLEARED).count(), 5, "{session}");
        assert!(
            (0..8).all(|i| text.contains(&format!("RESULT-{i} ")) == (i > 4)),
            "{session}: {}",
            &text[..400]
        );
    }
}
