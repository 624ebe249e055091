//! Text from an input that reaches a terminal or a pipe.

use crate::support::{BODY, Place, deadhead};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// Characters that control a terminal or reorder text: line breaks, ESC, BEL, an OSC, CSI as one character, bidi marks.
const HOSTILE: &str =
    "a\nb\r\u{1b}[2J\u{7}\u{1b}]0;t\u{7}\u{9b}31m\u{202e}\u{2066}\u{200f}\u{61c}\u{85}\u{2028}z";

/// A body whose tool, ids and texts are hostile, with a call that nothing answers.
fn body() -> Value {
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": HOSTILE, "input": {"path": HOSTILE}});
    let open = format!("open{HOSTILE}");
    json!({"model": "claude-x", "max_tokens": 1, "messages": [
        {"role": "user", "content": HOSTILE},
        {"role": "assistant", "content": [call(HOSTILE), call(&open)]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": HOSTILE, "content": "0123456789abcdefghijABCDEFGHIJ"}]},
        {"role": "assistant", "content": HOSTILE}, {"role": "user", "content": "go on"}]})
}

/// Holds that a text has no character but line feeds that is not drawn.
fn is_plain(text: &[u8], about: &str) {
    let text = String::from_utf8(text.to_vec()).unwrap();
    let hidden = |c: char| {
        c != '\n' && (c.is_control() || "\u{202e}\u{2066}\u{200f}\u{61c}\u{2028}".contains(c))
    };
    assert!(!text.contains(hidden), "{about}: {text:?}");
}

#[test]
fn fault_11_text_from_the_input_steers_no_terminal() {
    let place = Place::new();
    let body = body().to_string();
    place.file(&format!("log{HOSTILE}.json"), &body);
    let file = place.path(format!("log{HOSTILE}.json"));
    let torn = place.path(OsStr::from_bytes(b"torn\x1b[2J\xff\n.json"));
    std::fs::write(&torn, "{\"messages\": [1,").unwrap();
    let hostile_set = format!("--set={HOSTILE}=1");
    for args in [
        &["prune", "--list"][..],
        &["prune", "--list", "-r"],
        &["prune", "-n"],
        &["prune", "-n", "-v"],
        &["prune", "-n", "--select", HOSTILE],
        &["prune", "-n", "--select=tool:none\u{1b}[2J"],
        &["prune", "-n", "--no-such-flag\u{1b}[2J"],
        &["prune", "-n", "--format=\u{1b}[2J"],
        &["prune", "-n", "--workload", HOSTILE],
        &["prune", "-n", &hostile_set],
        &["check"],
        &["check", "--repair", "--out-dir", "out"],
        &["replay"],
    ] {
        let output = deadhead()
            .current_dir(place.root())
            .args(args)
            .arg(&file)
            .arg(&torn)
            .arg(HOSTILE)
            .output()
            .unwrap();
        let (out, err) = (output.stdout, output.stderr);
        assert!(!out.is_empty() || !err.is_empty());
        is_plain(&out, &format!("stdout of {args:?}"));
        is_plain(&err, &format!("stderr of {args:?}"));
    }
}

/// The path of a log, as slim and fork print it.
#[test]
fn the_name_of_a_log_steers_no_terminal() {
    let place = Place::new();
    let log = "{\"type\":\"user\",\"uuid\":\"a\",\"parentUuid\":null,\"sessionId\":\"s\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"message\":{\"role\":\"user\",\"content\":\"hi\"}}\n";
    place.file(&format!("log{HOSTILE}.jsonl"), log);
    let file = place.path(format!("log{HOSTILE}.jsonl"));
    let folder = format!("out{HOSTILE}");
    std::fs::create_dir(place.path(&folder)).unwrap();
    for args in [
        &["slim", "-n"][..],
        &["slim", "-o", "slim.jsonl"],
        &["fork", "--out-dir", &folder],
        &["fork", "--verify"],
    ] {
        let output = deadhead()
            .current_dir(place.root())
            .args(args)
            .arg(&file)
            .output()
            .unwrap();
        let (out, err) = (output.stdout, output.stderr);
        assert!(!out.is_empty() || !err.is_empty(), "{args:?}");
        is_plain(&out, &format!("stdout of {args:?}"));
        is_plain(&err, &format!("stderr of {args:?}"));
        let said = String::from_utf8([out, err].concat()).unwrap();
        assert!(
            said.contains("log") && !said.contains("before and after\\n"),
            "{args:?}: {said}"
        );
    }
}

#[test]
fn a_word_that_is_not_utf_8_behind_no_command_stops_no_hint() {
    let word = OsStr::from_bytes(b"log\xff");
    let output = deadhead().arg("explain").arg(word).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.ends_with("hint: deadhead prune --why SELECTOR LOG\n"),
        "{said}"
    );
}

/// A row of a list is one line, so that what picks rows by line picks no forged one.
#[test]
fn fault_11_an_id_forges_no_row() {
    let mut body = body();
    body["messages"][1]["content"][0]["id"] =
        json!("t1\n9/9  result  read  99999  9  0  tool:x  y");
    body["messages"][2]["content"][0]["tool_use_id"] =
        body["messages"][1]["content"][0]["id"].clone();
    let list = |format: &str| {
        let output = deadhead()
            .args([
                "prune",
                "--list",
                format!("--report-format={format}").as_str(),
            ])
            .write_stdin(body.to_string())
            .output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let parts: Value = serde_json::from_str(&list("json")).unwrap();
    let parts = parts["parts"].as_array().unwrap();
    // JSON is for programs: there the id is as it was.
    assert!(
        parts
            .iter()
            .any(|part| part["callId"] == body["messages"][1]["content"][0]["id"])
    );
    let text = list("text");
    assert_eq!(text.lines().count(), parts.len() + 1, "{text}");
    assert!(!text.contains("\n9/9"), "{text}");
}

#[test]
fn fault_11_names_of_sessions_steer_no_terminal() {
    let place = Place::new();
    let run = |args: &[&str]| {
        let output = deadhead()
            .current_dir(place.root())
            .args(args)
            .write_stdin(BODY)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        output.stdout
    };
    run(&["prune", "-q", "--state", "s.db", "--session", HOSTILE]);
    let shown = run(&["state", "show", "--state", "s.db"]);
    is_plain(&shown, "state show");
    // The title, the heads of the columns, and one row.
    assert_eq!(String::from_utf8(shown).unwrap().lines().count(), 3);
}
