//! `deadhead check`: a planted defect for every code, repaired copies that pass, and the printed report.

mod planted;

use crate::support::{Place, deadhead};
use deadhead_core::diagnostics::DefectRow;
use deadhead_core::internal::cache_policy::Clock;
use deadhead_core::internal::dialect::detect;
use deadhead_core::internal::engine::{self, Setup, Task};
use deadhead_core::internal::json::Cursor;
use deadhead_core::internal::report::Detail;
use deadhead_core::settings::Settings;
use planted::{
    anthropic, assistant, call, calls, chat, marked, planted, result, text, thoughtful, tool, user,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The codes that `check` finds.
fn codes(body: &[u8]) -> Vec<String> {
    let output = deadhead()
        .args(["check", "--report-format", "json"])
        .write_stdin(body)
        .output()
        .unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let codes: Vec<String> = found["defects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| d["code"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(output.status.code(), Some(i32::from(!codes.is_empty())));
    codes
}

/// The formats in which each code of the specification applies. E16 appears only in a comparison with the input before an edit.
const PLACES: &[(&str, &[&str])] = &[
    (
        "E01",
        &[
            "anthropic",
            "openai-chat",
            "openai-responses",
            "gemini",
            "bedrock-converse",
        ],
    ),
    (
        "E02",
        &[
            "anthropic",
            "openai-chat",
            "openai-responses",
            "gemini",
            "bedrock-converse",
        ],
    ),
    (
        "E03",
        &["anthropic", "openai-chat", "gemini", "bedrock-converse"],
    ),
    ("E04", &["anthropic"]),
    (
        "E05",
        &[
            "anthropic",
            "openai-chat",
            "openai-responses",
            "gemini",
            "bedrock-converse",
        ],
    ),
    (
        "E06",
        &[
            "anthropic",
            "openai-chat",
            "openai-responses",
            "gemini",
            "bedrock-converse",
        ],
    ),
    ("E07", &["gemini", "bedrock-converse"]),
    (
        "E08",
        &["anthropic", "openai-chat", "gemini", "bedrock-converse"],
    ),
    ("E09", &["openai-chat"]),
    ("E10", &["openai-chat", "gemini"]),
    ("E11", &["openai-chat", "bedrock-converse"]),
    (
        "E12",
        &["anthropic", "openai-chat", "gemini", "bedrock-converse"],
    ),
    ("E13", &["anthropic"]),
    ("E14", &["anthropic", "bedrock-converse"]),
    ("E15", &["anthropic"]),
    ("E17", &["openai-responses"]),
    ("E18", &["gemini"]),
    ("E19", &["anthropic", "bedrock-converse"]),
    ("E20", &["anthropic"]),
    ("E21", &["anthropic", "openai-responses"]),
    ("E22", &["anthropic"]),
    ("E23", &["openai-chat"]),
    (
        "E24",
        &[
            "anthropic",
            "openai-chat",
            "openai-responses",
            "bedrock-converse",
            "mistral",
        ],
    ),
    ("E25", &["openai-responses"]),
    ("E26", &["openai-responses"]),
    (
        "E27",
        &[
            "anthropic",
            "openai-chat",
            "openai-responses",
            "gemini",
            "bedrock-converse",
        ],
    ),
    ("E28", &["anthropic", "gemini"]),
    (
        "E29",
        &[
            "anthropic",
            "openai-chat",
            "openai-responses",
            "gemini",
            "bedrock-converse",
        ],
    ),
    (
        "E30",
        &["anthropic", "openai-chat", "openai-responses", "gemini"],
    ),
    ("E31", &["anthropic", "gemini", "bedrock-converse"]),
    ("E32", &["anthropic"]),
    ("E33", &["anthropic", "bedrock-converse"]),
    ("E34", &["anthropic"]),
    ("E35", &["anthropic"]),
    ("E36", &["anthropic"]),
    ("E37", &["openai-responses"]),
];

/// Repairs a body. Returns the name of its format, the copy, the codes found and the codes left.
fn repaired(bytes: &str) -> (&'static str, String, Vec<&'static str>, Vec<&'static str>) {
    let found = detect(&mut Cursor::new(bytes.as_bytes())).unwrap().unwrap();
    let clock = Clock {
        now: 0,
        last_call: None,
        assume_cold: false,
    };
    let setup = Setup::new(Settings::default(), clock, Detail::Totals);
    let repair = Setup {
        task: Task::Repair,
        ..setup.clone()
    };
    let pruned = match engine::mend(bytes.as_bytes(), 1, found, &repair) {
        // What was not understood is checked, and never repaired.
        Err(deadhead_core::Error::NotUnderstood { .. }) => {
            let mut pruned = engine::body(bytes.as_bytes(), 1, found, &setup).unwrap();
            pruned
                .report
                .integrity
                .after
                .clone_from(&pruned.report.integrity.before);
            pruned
        }
        pruned => pruned.unwrap(),
    };
    let codes = |rows: &[DefectRow]| rows.iter().map(|d| d.code).collect();
    let (before, after) = (
        codes(&pruned.report.integrity.before),
        codes(&pruned.report.integrity.after),
    );
    (
        found.format.name,
        pruned
            .output
            .map_or(bytes.to_owned(), |b| String::from_utf8(b).unwrap()),
        before,
        after,
    )
}

#[test]
fn every_code_is_found_and_repaired_where_it_can_be() {
    let mut seen = BTreeSet::new();
    for (code, is_repairable, body) in planted() {
        for bytes in [body.to_string(), format!("{body:#}")] {
            let (format, copy, found, left) = repaired(&bytes);
            seen.insert((code, format));
            assert!(found.contains(&code), "{code}: {found:?} in {bytes}");
            if is_repairable {
                assert_eq!(left, [""; 0], "{code}: left in {copy}\nof {bytes}");
                let (_, again, found, _) = repaired(&copy);
                assert!(
                    again == copy && found.is_empty(),
                    "{code}: {found:?}: {copy}\n{again}"
                );
            } else {
                assert_eq!((copy, left), (bytes, found), "{code} is left alone");
            }
        }
    }
    let wanted = PLACES
        .iter()
        .flat_map(|(code, formats)| formats.iter().map(move |format| (*code, *format)));
    assert_eq!(seen, wanted.collect());
}

#[test]
fn codes_are_reported_on_the_command_line() {
    let bodies: Vec<(&str, bool, Value)> = planted().into_iter().step_by(9).collect();
    let lines: String = bodies
        .iter()
        .map(|(.., body)| format!("{body}\n"))
        .collect();
    let run = |args: &[&str], input: &str| {
        deadhead()
            .arg("check")
            .args(args)
            .write_stdin(input)
            .output()
            .unwrap()
    };
    let reported = run(&["--report-format", "jsonl"], &lines);
    assert_eq!(reported.status.code(), Some(1));
    let rows: Vec<Value> = reported
        .stdout
        .split(|b| *b == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    assert_eq!(rows.len(), bodies.len());
    for ((code, _, body), row) in bodies.iter().zip(&rows) {
        assert!(
            row["defects"]
                .as_array()
                .unwrap()
                .iter()
                .any(|d| d["code"] == *code && d["repair"] != ""),
            "{code} in {body}: {row}"
        );
    }
    let is_repairable = run(&["--repair", "-q"], &lines);
    let left = bodies.iter().any(|(_, is_repairable, _)| !is_repairable);
    assert_eq!(is_repairable.status.code(), Some(i32::from(left)));
    let again = run(&["-q"], std::str::from_utf8(&is_repairable.stdout).unwrap());
    assert_eq!(again.status.code(), Some(i32::from(left)));
}

/// A repair of this body leaves these messages.
fn kept(body: &Value, want: Value) {
    let output = deadhead()
        .args(["check", "--repair", "-q"])
        .write_stdin(body.to_string())
        .output()
        .unwrap();
    let copy: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(copy["messages"], want);
}

#[test]
fn repairs_keep_what_was_said() {
    let none = "[No result was recorded for this call; assume nothing about its effects.]";
    // What a repair put in gives way to the result that came in the end.
    let mut neutral = tool("a");
    neutral["content"] = json!(none);
    kept(
        &chat(json!([
            user("x"),
            calls(&["a"]),
            neutral,
            tool("a"),
            user("y"),
            calls(&["a"]),
            tool("a"),
            neutral
        ])),
        json!([
            user("x"),
            calls(&["a"]),
            tool("a"),
            user("y"),
            calls(&["a"]),
            tool("a")
        ]),
    );
    kept(
        &anthropic(json!([user("x"), assistant(json!([call("a")])), user("y")])),
        json!([
            user("x"),
            assistant(json!([call("a")])),
            user(json!([{"type": "tool_result", "tool_use_id": "a", "content": none}, text("y")]))
        ]),
    );
    kept(
        &chat(json!([
            user("x"),
            calls(&["a", "b"]),
            tool("a"),
            user("y"),
            tool("b")
        ])),
        json!([
            user("x"),
            calls(&["a", "b"]),
            tool("a"),
            tool("b"),
            user("y")
        ]),
    );
    kept(
        &anthropic(json!([
            user("x"),
            assistant(json!([call("a"), call("a")])),
            user(
                json!([result("a"), {"type": "tool_result", "tool_use_id": "a", "content": "two"}])
            )
        ])),
        json!([
            user("x"),
            assistant(json!([call("a"), call("a_2")])),
            user(
                json!([result("a"), {"type": "tool_result", "tool_use_id": "a_2", "content": "two"}])
            )
        ]),
    );
    kept(
        &anthropic(json!([
            user("x"),
            assistant(json!([call("a")])),
            user(json!([text("y"), result("a"), text("z")]))
        ])),
        json!([
            user("x"),
            assistant(json!([call("a")])),
            user(json!([result("a"), text("y"), text("z")]))
        ]),
    );
}

#[test]
fn valid_input_has_no_defects() {
    let server =
        json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}});
    let found =
        json!({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []});
    let mut waiting = anthropic(json!([user("x"), assistant(json!([server]))]));
    waiting["model"] = json!("claude-opus-4-6");
    let mut by_code = call("a");
    by_code["caller"] = json!({"type": "code_execution_20250825", "tool_id": "srvtoolu_1"});
    for body in [
        anthropic(json!([user("x"), assistant("y")])),
        anthropic(json!([user("x"), assistant("")])),
        chat(json!([user("x"), {"role": "assistant", "content": null, "refusal": "no"}, user("")])),
        chat(
            json!([user("x"), {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}}, {"role": "function", "name": "f", "content": "y"}]),
        ),
        anthropic(json!([
            user("x"),
            assistant(json!([server, found, text("y")])),
            user("z")
        ])),
        anthropic(json!([
            user("x"),
            assistant(json!([server, by_code])),
            user(json!([result("a")])),
            assistant(json!([found])),
            user("z")
        ])),
        waiting,
        anthropic(json!([user(json!([
            marked("1h"),
            marked("1h"),
            marked("5m"),
            marked("5m")
        ]))])),
        chat(json!([
            user("x"),
            calls(&["a"]),
            tool("a"),
            assistant("y"),
            user("z"),
            thoughtful("b"),
            tool("b")
        ])),
        chat(json!([{"role": "developer", "content": "s"}, user("x"), assistant("y ")])),
        anthropic(json!([
            user("x"),
            assistant(json!([call("a")])),
            user(json!([result("a"), text("y")]))
        ])),
    ] {
        assert_eq!(codes(body.to_string().as_bytes()), [""; 0], "{body}");
    }
}

#[test]
fn only_what_is_broken_changes() {
    let before = r#"{ "model":"gpt-5" ,"temperature":1.10, "messages":[ {"role":"user","content":"\u00e9"},
  {"role":"assistant","content":"y", "tool_calls": [ ]  } ] }"#;
    let after = before.replace(r#", "tool_calls": [ ]"#, "");
    let output = deadhead()
        .args(["check", "--repair"])
        .write_stdin(before)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), after);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "-: 1 defect repaired\n1 defect in 1 input, 0 left\n"
    );
}

#[test]
fn a_defect_of_a_declared_tool_needs_no_message() {
    for body in [
        r#"{"contents":[],"tools":[{"functionDeclarations":[{"name":"1 b"}]}]}"#,
        r#"{"model":"gpt-5","messages":[],"tools":[{"type":"function","function":{"name":"a b"}}]}"#,
    ] {
        let output = deadhead()
            .args(["check", "--repair"])
            .write_stdin(body)
            .output()
            .unwrap();
        assert_eq!(
            (
                output.status.code(),
                String::from_utf8_lossy(&output.stdout).as_ref()
            ),
            (Some(1), body)
        );
    }
}

#[test]
fn text_names_place_answer_and_repair() {
    let place = Place::new();
    let body = anthropic(json!([
        user("x"),
        assistant("z"),
        user(json!([result("q")]))
    ]))
    .to_string();
    place.file("b.json", &body);
    place.file(
        "two.jsonl",
        format!("{}\n{body}\n", anthropic(json!([user("x")]))),
    );
    let run = |args: &[&str]| {
        let output = deadhead()
            .current_dir(place.root())
            .arg("check")
            .args(args)
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, out, err) = run(&["b.json"]);
    assert_eq!((code, err.as_str()), (Some(1), ""));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(
        lines[0],
        "b.json:messages.2.content.0: call q: E02 a result answers no call"
    );
    assert!(
        lines[1].starts_with("  provider     messages.2.content.0: unexpected `tool_use_id`"),
        "{out}"
    );
    assert_eq!(
        lines[2..],
        [
            "  repair       give the result the id of its call, or delete it (--repair)",
            "1 defect in 1 input"
        ]
    );
    let (code, out, _) = run(&["two.jsonl"]);
    assert_eq!(code, Some(1));
    assert!(
        out.starts_with("two.jsonl:2:messages.2.content.0: call q: E02"),
        "{out}"
    );
    assert_eq!(
        run(&["-q", "b.json"]),
        (Some(1), String::new(), String::new())
    );
    let (code, _, err) = run(&["none.json"]);
    assert_eq!(code, Some(2));
    assert!(err.starts_with("deadhead: none.json: "), "{err}");
    assert_eq!(
        run(&["--repair", "-o", "b.json", "b.json"]).0,
        Some(2),
        "an input is never written"
    );
    assert_eq!(std::fs::read_to_string(place.path("b.json")).unwrap(), body);
    let (code, out, _) = run(&["--repair", "--out-dir", "made", "b.json", "two.jsonl"]);
    assert_eq!((code, out.as_str()), (Some(0), ""));
    assert_eq!(
        run(&["made/b.json", "made/two.jsonl"]),
        (Some(0), "0 defects in 3 inputs\n".into(), String::new())
    );
    assert_eq!(
        run(&["-o", "x", "b.json"]).0,
        Some(2),
        "-o without --repair"
    );
}

#[test]
fn histories_are_checked_and_copied() {
    let place = Place::new();
    let session = include_str!("../cases/session.jsonl");
    place.file("s.jsonl", session);
    let run = |args: &[&str]| {
        deadhead()
            .current_dir(place.root())
            .arg("check")
            .args(args)
            .output()
            .unwrap()
    };
    let checked = run(&["s.jsonl"]);
    assert_eq!(String::from_utf8_lossy(&checked.stdout), "s.jsonl: ok\n");
    assert_eq!(checked.status.code(), Some(0));
    assert_eq!(
        run(&["--repair", "-q", "s.jsonl"]).stdout,
        session.as_bytes()
    );
    let formats = run(&["--format", "help"]);
    assert!(String::from_utf8_lossy(&formats.stdout).contains("anthropic"));
}

/// The lines of a log in which the line of id `c` was written twice, the second time as the result of another call.
fn of_one_id(claude_code: bool) -> Vec<String> {
    let line = |id: &str, parent: Option<&str>, kind: &str, message: Value| match claude_code {
        true => {
            json!({"parentUuid": parent, "isSidechain": false, "type": kind, "message": message, "uuid": id, "sessionId": "s", "timestamp": "t"})
        }
        false => {
            json!({"type": "message", "id": id, "parentId": parent, "timestamp": "t", "message": message})
        }
    };
    let head = (!claude_code).then(
        || json!({"type": "session", "version": 3, "id": "s", "timestamp": "t", "cwd": "/w"}),
    );
    let text =
        |role: &str, text: &str| json!({"role": role, "content": [{"type": "text", "text": text}]});
    let call = match claude_code {
        true => {
            json!({"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]})
        }
        false => {
            json!({"role": "assistant", "content": [{"type": "toolCall", "id": "t1", "name": "f", "arguments": {}}]})
        }
    };
    let result = |id: &str| match claude_code {
        true => {
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "real"}]})
        }
        false => {
            json!({"role": "toolResult", "toolCallId": id, "toolName": "f", "content": [{"type": "text", "text": "real"}]})
        }
    };
    let lines = [
        line("a", None, "user", text("user", "x")),
        line("b", Some("a"), "assistant", call),
        line("c", Some("b"), "user", result("t1")),
        line("c", Some("b"), "user", result("t2")),
        line("d", Some("c"), "assistant", text("assistant", "y")),
        line("e", Some("d"), "user", text("user", "z")),
    ];
    head.into_iter()
        .chain(lines)
        .map(|line| format!("{line}\n"))
        .collect()
}

#[test]
fn a_line_of_the_same_id_that_says_something_else_is_no_copy() {
    for claude_code in [true, false] {
        let mut lines = of_one_id(claude_code);
        let output = deadhead()
            .args(["check", "--repair"])
            .write_stdin(lines.concat())
            .output()
            .unwrap();
        let other = lines
            .iter()
            .position(|line| line.contains("\"t2\""))
            .unwrap();
        lines.remove(other);
        assert_eq!(String::from_utf8_lossy(&output.stdout), lines.concat());
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn a_report_says_what_a_repair_does() {
    let nameless = json!({"type": "tool_result", "content": "real"});
    let unasked = json!({"type": "tool_use", "name": "f", "input": {}});
    let call = json!({"type": "tool_use", "id": "t1", "name": "f", "input": {}});
    let said = |parts: [Value; 1]| json!({"role": "assistant", "content": parts});
    for (body, wanted) in [
        (
            anthropic(json!([
                user("x"),
                said([call.clone()]),
                user(json!([nameless])),
                assistant("y"),
                user("z")
            ])),
            ["E01", "E30"],
        ),
        (
            anthropic(json!([
                user("x"),
                said([unasked]),
                user(json!([result("t1")])),
                assistant("y"),
                user("z")
            ])),
            ["E30", "E02"],
        ),
    ] {
        let run = |args: &[&str]| {
            let output = deadhead()
                .arg("check")
                .args(args)
                .write_stdin(body.to_string())
                .output()
                .unwrap();
            (
                String::from_utf8(output.stdout).unwrap(),
                String::from_utf8(output.stderr).unwrap(),
            )
        };
        let found: Value = serde_json::from_str(&run(&["--report-format=json"]).0).unwrap();
        let (out, report) = run(&["--repair", "--report-format=jsonl"]);
        let left = serde_json::from_str::<Value>(&report).unwrap()["left"].clone();
        let codes: Vec<&str> = left
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["code"].as_str().unwrap())
            .collect();
        assert_eq!((out, codes), (body.to_string(), wanted.to_vec()));
        assert_eq!(found["defects"], left);
        assert!(!left.to_string().contains("(--repair)"), "{left}");
    }
}

/// The last line of this log is the leaf, and what is sent last hangs beside the way there.
#[test]
fn a_result_before_its_call_comes_behind_the_leaf() {
    let line = |id: &str, parent: Option<&str>, message: Value| json!({"parentUuid": parent, "isSidechain": false, "type": message["role"], "message": message, "uuid": id, "sessionId": "s", "timestamp": "t"});
    let call = |id: &str| json!({"role": "assistant", "id": "m", "content": [{"type": "tool_use", "id": id, "name": "f", "input": {}}]});
    let lines = [
        line("a", None, user(json!([result("t3")]))),
        line("b", Some("a"), call("t1")),
        line("c", Some("b"), call("t2")),
        line("d", Some("c"), call("t3")),
        line("e", Some("c"), user(json!([result("t2")]))),
        line("f", Some("b"), user(json!([result("t1")]))),
    ];
    let text =
        |lines: &[Value]| -> String { lines.iter().map(|line| format!("{line}\n")).collect() };
    let output = deadhead()
        .args(["check", "--repair"])
        .write_stdin(text(&lines))
        .output()
        .unwrap();
    let [mut result, mut calls @ .., last] = lines;
    (result["parentUuid"], calls[0]["parentUuid"]) = (json!("f"), json!(null));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        text(&[&calls[..], &[last, result]].concat())
    );
    assert_eq!(output.status.code(), Some(0));
}

/// A result that was written twice answers one call; what is left answers the call that lost its id.
#[test]
fn a_copy_takes_no_call_from_another_result() {
    let call = json!({"role": "assistant", "content": null, "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": "{}"}}]});
    let result =
        |id: &str, text: &str| json!({"role": "tool", "tool_call_id": id, "content": text});
    let (first, second) = (result("a", "one"), result("b", "two"));
    let body = |messages: &[&Value]| {
        json!({"model": "command-a-03-2025", "messages": messages}).to_string()
    };
    let (hi, bye) = (
        json!({"role": "user", "content": "hi"}),
        json!({"role": "user", "content": "bye"}),
    );
    let broken = body(&[&hi, &call, &first, &call, &first, &second, &bye]);
    let output = deadhead()
        .args(["check", "--repair", "-q"])
        .write_stdin(broken)
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim_end(),
        body(&[&hi, &call, &first, &call, &second, &bye])
    );
}
