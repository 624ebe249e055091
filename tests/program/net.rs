//! The net under the passes: what would break a transcript does not leave the program.
//!
//! Builds with debug assertions have a pass `spoil`, which takes the first result away and leaves its call.

#![cfg(debug_assertions)]

use crate::support::{BODY, Place, deadhead};
use std::fs;

const CHAT: &str = include_str!("../cases/chat.json");
const SESSION: &str = include_str!("../cases/session.jsonl");

fn pretty(body: &str) -> String {
    serde_json::to_string_pretty(&serde_json::from_str::<serde_json::Value>(body).unwrap()).unwrap()
}

#[test]
fn a_broken_pair_is_refused() {
    for (name, body) in
        [("anthropic", BODY.to_owned()), ("openai-chat", CHAT.to_owned()), ("anthropic", pretty(BODY)), ("openai-chat", pretty(CHAT))]
    {
        let place = Place::new();
        let file = place.file("body.json", &body);
        let kept = place.file("out.json", "as it was");
        for args in
            [&[][..], &["-o", "out.json"], &["-o", "new.json"], &["--out-dir", "new"], &["-n"], &["--format", name], &["--mode=off"]]
        {
            let mut command = deadhead();
            command.current_dir(place.root()).args(["prune", "--pass=spoil"]).args(args).arg(&file);
            let output = command.output().unwrap();
            let told = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(3), "{name} {args:?}: {told}");
            assert!(output.stdout.is_empty(), "{name} {args:?}: {}", String::from_utf8_lossy(&output.stdout));
            assert!(told.contains("E01") && told.contains("message 2") && told.lines().count() == 1, "{name} {args:?}: {told}");
        }
        assert_eq!(fs::read(kept).unwrap(), b"as it was");
        let left: Vec<String> = place.names().into_iter().filter(|n| n != "new").collect();
        assert_eq!(left, ["body.json", "out.json"], "{name}");
        assert!(fs::read_dir(place.path("new")).is_ok_and(|mut entries| entries.next().is_none()), "{name}");
        // A text alone is refused; a line of a filter comes out as it came, so that whoever sent it has an answer.
        let text = body.trim_end();
        for (input, answer) in [(text.to_owned(), ""), (format!("{text}\n"), if text.contains('\n') { "" } else { text })] {
            let piped = deadhead().args(["prune", "--pass=spoil"]).write_stdin(input).output().unwrap();
            assert_eq!(piped.status.code(), Some(3), "{name}");
            assert_eq!(String::from_utf8_lossy(&piped.stdout).trim_end(), answer, "{name}");
        }
    }
}

#[test]
fn of_several_bodies_the_broken_ones_pass_through() {
    let whole = r#"{"model":"claude-a","max_tokens":1,"messages":[{"role":"user","content":"hi"}]}"#;
    let input = format!("{whole}\n{BODY}{whole}\n{CHAT}");
    let output = deadhead().args(["prune", "--pass=spoil"]).write_stdin(input.clone()).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), input);
    assert!(told.contains("-:2: ") && told.contains("-:4: ") && told.matches("E01").count() == 2, "{told}");
}

#[test]
fn of_several_files_the_worst_code_wins() {
    let place = Place::new();
    let (body, log) = (place.file("body.json", BODY), place.file("log.jsonl", SESSION));
    let whole = place.file("whole.json", r#"{"model":"claude-a","max_tokens":1,"messages":[{"role":"user","content":"hi"}]}"#);
    let mut command = deadhead();
    command.args(["prune", "-q", "--pass=spoil", "--out-dir"]).arg(place.path("out")).args([&body, &place.path("none.json"), &log, &whole]);
    let output = command.output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("E01") && told.contains("none.json") && told.lines().count() == 3, "{told}");
    let made: Vec<_> = fs::read_dir(place.path("out")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(made, ["whole.json"]);
}

/// A defect that the input had is told and is no reason to refuse.
#[test]
fn old_defects_do_not_refuse() {
    let orphan = BODY.replace(r#""tool_use_id":"a""#, r#""tool_use_id":"z""#);
    let output = deadhead().args(["prune", "-n", "--report-format=json"]).args(crate::support::TINY).write_stdin(orphan).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let codes = |side: &str| -> Vec<String> {
        report["integrity"][side].as_array().unwrap().iter().map(|d| d["code"].as_str().unwrap().to_owned()).collect()
    };
    // The body declares no tools either.
    assert_eq!(codes("before"), ["E01", "E19", "E02"]);
    assert_eq!(codes("after"), ["E01", "E19", "E02"]);
    assert_eq!(report["cuts"].as_array().unwrap().len(), 1);
}
