//! `slim` and `fork`: copies of logs that their agents load.

use crate::data::samples;
use crate::support::{Place, deadhead};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Output;

fn run(place: &Place, args: &[&str]) -> Output {
    let mut command = deadhead();
    command.current_dir(place.root()).args(args);
    command.output().unwrap()
}

fn value(output: &Output) -> Value {
    let said = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"))
}

/// What the next request holds, as `prune` counts it.
fn context(place: &Place, name: &str) -> [Value; 2] {
    let args = ["prune", "-n", "--mode=off", "--report-format=json", name];
    let report = value(&run(place, &args));
    ["messages", "chars"].map(|member| report["before"][member].clone())
}

/// The logs in folders of the samples that have these names.
fn logs(of: &[&str]) -> impl Iterator<Item = (&'static str, &'static [u8])> {
    let of: Vec<String> = of.iter().map(|&name| name.to_owned()).collect();
    let wanted = samples()
        .iter()
        .filter(move |sample| of.iter().any(|name| name == sample.folder()));
    wanted.map(|sample| (&*sample.name, &*sample.bytes))
}

const LOADED: [&str; 6] = [
    "claude-code",
    "codex",
    "copilot-cli",
    "gemini-cli",
    "openclaw",
    "opencode",
];

#[test]
fn slim_keeps_the_context_of_every_log() {
    let place = Place::new();
    let (mut smaller, mut all) = (0, 0);
    for (name, bytes) in logs(&LOADED) {
        place.file("in", bytes);
        let args = ["slim", "--report-format=json", "--report=r", "-oout", "in"];
        let output = run(&place, &args);
        assert!(output.status.success(), "{name}: {output:?}");
        let report: Value = serde_json::from_slice(&fs::read(place.path("r")).unwrap()).unwrap();
        let out = fs::read(place.path("out")).unwrap();
        let sizes = json!({"before": bytes.len(), "after": out.len()});
        assert_eq!(report["bytes"], sizes, "{name}");
        let removed = report["removed"].as_array().unwrap();
        let removed: u64 = removed
            .iter()
            .map(|row| row["bytes"].as_u64().unwrap())
            .sum();
        // Links and places of what is left may be shorter.
        assert!(removed + 20 >= (bytes.len() - out.len()) as u64, "{name}");
        assert_eq!(context(&place, "in"), context(&place, "out"), "{name}");
        assert!(
            run(&place, &["slim", "-q", "-oagain", "out"])
                .status
                .success()
        );
        assert_eq!(fs::read(place.path("again")).unwrap(), out, "{name}");
        assert_eq!(fs::read(place.path("in")).unwrap(), bytes, "{name}");
        smaller += usize::from(out.len() < bytes.len());
        all += 1;
    }
    assert!(all >= 12 && smaller >= 4, "{smaller} of {all}");
}

/// Of a rollout with compactions the last one and what follows is left, with the head and the newest state.
#[test]
fn slim_removes_what_compactions_replaced() {
    let line = |kind: &str, payload: Value| {
        json!({"timestamp": "2026-10-01T00:00:00.000Z", "type": kind, "payload": payload})
            .to_string()
    };
    let mut lines = vec![line("session_meta", json!({"id": "s"}))];
    let said = |text: &str| json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]});
    for n in 0..20 {
        lines.push(line("turn_context", json!({"model": "m"})));
        lines.push(line(
            "event_msg",
            json!({"type": "user_message", "message": "x"}),
        ));
        let call = json!({"type": "function_call", "name": "f", "arguments": "{}", "call_id": n.to_string()});
        lines.push(line("response_item", call));
        let output = json!({"type": "function_call_output", "call_id": n.to_string(), "output": "x".repeat(500)});
        lines.push(line("response_item", output));
        lines.push(line(
            "compacted",
            json!({"message": "", "replacement_history": [said("kept")]}),
        ));
    }
    lines.push(line("response_item", said("go on")));
    let place = Place::new();
    place.file("in", lines.join("\n") + "\n");
    let output = run(&place, &["slim", "in"]);
    let left = [0, 2, 96, 100, 101]
        .map(|n| lines[n].clone() + "\n")
        .concat();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), left);
    // A damaged line is refused, one that is being written is taken as it is.
    let text = lines.join("\n");
    place.file("in", text.replacen("\n{", "\n{{", 1));
    let output = run(&place, &["slim", "-oout", "in"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("in:2:2: not JSON") && !place.path("out").exists(),
        "{said}"
    );
    place.file("in", text + "\n{\"a");
    let output = run(&place, &["slim", "in"]);
    assert!(output.stdout.ends_with(b"\n{\"a"), "{output:?}");
}

#[test]
fn slim_refuses_what_is_no_log() {
    let place = Place::new();
    place.file("in", r#"{"model":"m","messages":[]}"#);
    let output = run(&place, &["slim", "-oout", "in"]);
    assert_eq!(
        (output.status.code(), place.path("out").exists()),
        (Some(2), false)
    );
}

/// Forks a log into a folder; returns the file, if there is one.
fn fork(place: &Place, folder: &str, log: &str, policy: &[&str]) -> Option<PathBuf> {
    let args = [&["fork", "--json", "--out-dir", folder, log], policy].concat();
    let output = run(place, &args);
    output.status.success().then(|| {
        let file = value(&output)["file"].as_str().unwrap().to_owned();
        place.path(&file)
    })
}

#[test]
fn every_fork_loads_and_can_be_forked() {
    let place = Place::new();
    let (mut forked, mut all) = (0, 0);
    for (name, bytes) in logs(&LOADED) {
        place.file("in", bytes);
        all += 1;
        let Some(file) = fork(&place, "one", "in", &["--mode=aggressive", "--assume-cold"]) else {
            continue;
        };
        forked += 1;
        let file = file.to_str().unwrap();
        let verified = run(&place, &["fork", "--verify", file]);
        assert!(verified.status.success(), "{name}: {verified:?}");
        let checked = run(&place, &["check", file]);
        assert!(checked.status.success(), "{name}: {checked:?}");
        let again = fork(&place, "two", file, &[]).expect(name);
        let inside =
            |file: &Path, folder| file.strip_prefix(place.path(folder)).unwrap().to_owned();
        assert_ne!(
            inside(&again, "two"),
            inside(Path::new(file), "one"),
            "{name}"
        );
        assert_eq!(fs::read(place.path("in")).unwrap(), bytes, "{name}");
    }
    assert!(forked * 10 >= all * 8, "{forked} of {all}");
}

/// An export has its session and its messages on many lines.
#[test]
fn an_export_of_opencode_is_forked() {
    let place = Place::new();
    let text = r#"{"info": {"id": "ses_01", "slug": "a", "version": "1.18.33", "projectID": "p", "directory": "/p", "title": "T",
        "time": {"created": 1, "updated": 2}},
      "messages": [{"info": {"id": "msg_01", "sessionID": "ses_01", "role": "user", "time": {"created": 1}, "agent": "build",
        "model": {"providerID": "anthropic", "modelID": "claude-sonnet-4-5"}},
        "parts": [{"id": "prt_01", "sessionID": "ses_01", "messageID": "msg_01", "type": "text", "text": "Hi"}]}]}"#;
    for (folder, text) in [("lines", text), ("line", &text.replace('\n', ""))] {
        place.file("in.json", text);
        let file = fork(&place, folder, "in.json", &[]).unwrap();
        let forked = fs::read_to_string(file).unwrap();
        assert!(!forked.contains("\"ses_01\""), "{forked}");
        assert_eq!(forked.lines().count(), text.lines().count(), "{forked}");
    }
}

#[test]
fn a_call_that_a_removed_link_brings_into_the_context_gets_a_result() {
    let place = Place::new();
    let record = |id: &str, parent: &str, role: &str, content: &str| {
        format!(
            r#"{{"type":"{role}","uuid":"{id}","parentUuid":{parent},"sessionId":"s","timestamp":"2026-01-01T00:00:00.000Z","message":{{"role":"{role}","content":{content}}}}}"#
        )
    };
    let call = r#"[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]"#;
    let lines = [
        record("u1", "null", "user", "\"hi\""),
        record("u2", "null", "assistant", call),
        record("u3", "\"lost\"", "user", "\"go on\""),
    ];
    place.file("s.jsonl", lines.join("\n") + "\n");
    let path = fork(&place, "out", "s.jsonl", &[]).unwrap();
    let written = fs::read_to_string(path).unwrap();
    assert!(written.contains("tool_result"), "{written}");
}

#[test]
fn the_command_to_go_on_with_is_quoted() {
    let place = Place::new();
    let log = crate::data::sample("openclaw/pi-mono__large-session.jsonl");
    place.file("s.jsonl", &log.bytes);
    let output = run(&place, &["fork", "--json", "--out-dir", "f g", "s.jsonl"]);
    let resume = value(&output)["resume"].as_str().unwrap().to_owned();
    assert!(resume.starts_with("pi --session 'f g/"), "{resume}");
}

#[test]
fn a_fork_of_a_log_whose_name_is_not_utf_8_says_so_lossily() {
    let place = Place::new();
    let log = place.path(OsStr::from_bytes(b"log\xff.jsonl"));
    fs::write(&log, SESSION).unwrap();
    let mut command = deadhead();
    command.args(["fork", "--json", "--out-dir"]);
    command.arg(place.path(OsStr::from_bytes(b"out\xff")));
    let output = command.arg(&log).output().unwrap();
    let report = value(&output);
    assert_eq!(report["input"], log.display().to_string());
    let folder = place.path("out\u{fffd}/").display().to_string();
    assert!(
        report["file"].as_str().unwrap().starts_with(&folder),
        "{report}"
    );
}

const SESSION: &str = r#"{"type":"user","uuid":"a","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"hi"}}
{"type":"assistant","uuid":"b","parentUuid":"a","sessionId":"s","message":{"role":"assistant","id":"m","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]}}
{"type":"user","uuid":"c","parentUuid":"b","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}}
"#;

/// Each rule finds the fault that it is for.
#[test]
fn verify_names_the_rule() {
    let place = Place::new();
    let faults = [
        ("", "hi", "ho"),
        ("json", "\n{\"type\":\"a", "\n{\"type\":\n{\"type\":\"a"),
        (
            "session-id",
            r#""parentUuid":"a","sessionId":"s""#,
            r#""parentUuid":"a","sessionId":"u""#,
        ),
        ("parents", r#""parentUuid":"b""#, r#""parentUuid":"z""#),
        ("parents", r#""parentUuid":"a""#, r#""parentUuid":"b""#),
        ("pairs", r#""tool_use_id":"t""#, r#""tool_use_id":"q""#),
    ];
    for (rule, from, to) in faults {
        let text = SESSION.replacen(from, to, 1);
        assert_ne!(text, SESSION, "{rule}");
        place.file("s.jsonl", text);
        let output = run(&place, &["fork", "--verify", "s.jsonl"]);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(
            output.status.code(),
            Some(i32::from(!rule.is_empty())),
            "{rule}: {output:?}"
        );
        assert!(
            rule.is_empty() || said.contains(&format!(": {rule}: ")),
            "{rule}: {said}"
        );
    }
    place.file("other.jsonl", SESSION);
    let output = run(&place, &["fork", "--verify", "other.jsonl"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains(": file-name: "));
}

#[test]
fn a_fork_lies_beside_its_log_under_ids_of_its_own() {
    let place = Place::new();
    place.file("s.jsonl", SESSION);
    let output = run(&place, &["fork", "s.jsonl"]);
    let said = String::from_utf8(output.stdout).unwrap();
    let (_, id) = said.trim_end().rsplit_once("claude --resume ").unwrap();
    let text = fs::read_to_string(place.path(format!("{id}.jsonl"))).unwrap();
    assert_eq!(text.matches(&format!(r#""sessionId":"{id}""#)).count(), 3);
    assert_eq!(text.replace(id, "s"), SESSION);
    place.file("t.jsonl", SESSION.to_owned() + "{\"type\":\"us");
    let output = run(&place, &["fork", "-otorn.jsonl", "t.jsonl"]);
    assert!(output.status.success(), "{output:?}");
    let text = fs::read_to_string(place.path("torn.jsonl")).unwrap();
    assert_eq!(text.lines().count(), 3);
    // Nothing is written over.
    let output = run(&place, &["fork", "-os.jsonl", "s.jsonl"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_to_string(place.path("s.jsonl")).unwrap(), SESSION);
}
