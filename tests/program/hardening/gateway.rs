//! Requirements of a gateway: no body is lost, and headers are valid.

use crate::support::{BODY, Place, TINY, deadhead, history, is_refused, program, pruned};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Output, Stdio};

#[test]
fn fault_12_a_header_has_a_name_that_is_one() {
    let place = Place::new();
    let body = place.file("body.json", BODY);
    let run = |name: &str| {
        let mut command = deadhead();
        command.current_dir(place.root()).args([
            "prune",
            "-q",
            "-o",
            "out.json",
            "--emit-header",
            "header",
            "--header-name",
            name,
        ]);
        command.args(TINY).arg(&body).output().unwrap()
    };
    for name in [
        "a\r\nset-cookie: x",
        "a b",
        "a:",
        "",
        "é",
        "a\n",
        "(a)",
        "a\u{7f}",
    ] {
        is_refused(&run(name), "--header-name");
        assert_eq!(place.names(), ["body.json"], "{name:?}");
    }
    for name in ["X-Pruned", "x_1.~'!"] {
        assert!(run(name).status.success(), "{name}");
        assert!(
            std::fs::read_to_string(place.path("header"))
                .unwrap()
                .starts_with(&format!("{name}: "))
        );
    }
}

#[test]
fn each_request_has_its_line_in_what_the_gateway_reads() {
    let place = Place::new();
    let body = |keep: Value| {
        let edit = json!({"type": "clear_tool_uses_20250919", "trigger": {"type": "tool_uses", "value": 1}, "keep": keep});
        let mut messages = vec![json!({"role": "user", "content": "go"})];
        for i in 0..3 {
            messages
                .push(json!({"role": "assistant", "content": [{"type": "tool_use", "id": format!("t{i}"), "name": "read", "input": {}}]}));
            let result = json!({"type": "tool_result", "tool_use_id": format!("t{i}"), "content": "x".repeat(400)});
            messages.push(json!({"role": "user", "content": [result]}));
        }
        let body = json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": messages, "context_management": {"edits": [edit]}});
        format!("{body}\n")
    };
    let good = body(json!({"type": "tool_uses", "value": 1}));
    // What its server would refuse passes through, as what is no body does.
    let input = [&good, &body(json!(3)), "{\"messages\":[{]\n", BODY, &good].concat();
    place.file("in.jsonl", input);
    let mut command = deadhead();
    command.current_dir(place.root()).args([
        "prune",
        "-q",
        "--context-management=apply",
        "--emit-response-fields=fields",
    ]);
    let output = command
        .args(["--emit-header=header", "in.jsonl"])
        .output()
        .unwrap();
    assert_eq!(
        output.stdout.iter().filter(|byte| **byte == b'\n').count(),
        5
    );
    let fields = std::fs::read_to_string(place.path("fields")).unwrap();
    let number = |line: &str| {
        serde_json::from_str::<Value>(line).unwrap()["context_management"]["applied_edits"][0]["cleared_tool_uses"].as_u64()
    };
    assert_eq!(
        fields.lines().map(number).collect::<Vec<_>>(),
        [Some(2), None, None, None, Some(2)]
    );
    let header = std::fs::read_to_string(place.path("header")).unwrap();
    assert_eq!(
        header.lines().map(str::is_empty).collect::<Vec<_>>(),
        [false, true, true, false, false]
    );
}

/// Sends what a gateway sends through a pipe.
fn filter(place: &Place, input: &str, args: &[&str]) -> Output {
    let mut command = program();
    command
        .current_dir(place.root())
        .args([
            "prune",
            "--state",
            "s.db",
            "--set=state.timeout=50ms",
            "--session=k",
        ])
        .args(TINY)
        .args(args);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let feeder = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    output
}

#[test]
fn fault_06_a_state_file_that_fails_loses_nothing_of_a_pipe() {
    let pretty = BODY.replacen('{', "{\n ", 1);
    let log = history(5);
    let batch = format!(
        "{{\"requests\":[{{\"custom_id\":\"1\",\"params\":{}}}]}}\n",
        BODY.trim_end()
    );
    let inputs = [
        BODY.to_owned(),
        BODY.repeat(2),
        BODY.repeat(2).trim_end().to_owned(),
        format!("\n{BODY}{{\"torn\":\n{BODY}"),
        pretty,
        batch,
        log,
    ];
    let spoils: [(&str, &str); 5] = [
        ("a lock", ""),
        ("a damaged prefix", "UPDATE session SET prefix = x'00'"),
        (
            "a damaged decision",
            "INSERT OR REPLACE INTO decision SELECT id, 1, zeroblob(16), 'nonsense', '{', 'p', 1 FROM session",
        ),
        ("another schema", "PRAGMA user_version = 99"),
        ("no database", "-"),
    ];
    for input in &inputs {
        for (about, sql) in spoils {
            let place = Place::new();
            assert!(filter(&place, BODY, &["-q"]).status.success());
            let locked = Connection::open(place.path("s.db")).unwrap();
            match sql {
                "-" => {
                    // With its log it would be whole again.
                    locked
                        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
                        .unwrap();
                    drop(locked);
                    std::fs::write(
                        place.path("s.db"),
                        "no database, but more than a hundred bytes of text ".repeat(9),
                    )
                    .unwrap();
                }
                "" => locked.execute_batch("BEGIN IMMEDIATE").unwrap(),
                sql => locked.execute_batch(sql).unwrap(),
            }
            for quiet in [&["-q"][..], &[]] {
                let output = filter(&place, input, quiet);
                let reported = String::from_utf8_lossy(&output.stderr).into_owned();
                assert_eq!(
                    String::from_utf8_lossy(&output.stdout),
                    *input,
                    "{about}: {reported}"
                );
                assert_eq!(output.status.code(), Some(2), "{about}: {reported}");
                assert!(
                    reported.contains("state file s.db: ") && reported.contains("unpruned"),
                    "{about}: {reported}"
                );
            }
            // From a file nothing is lost, and nothing is written; where it is asked for, it passes through.
            place.file("input", input);
            let output = filter(&place, "", &["-q", "input"]);
            assert!(
                output.status.code() == Some(2)
                    && (output.stdout.is_empty() || input.lines().count() > 3),
                "{about}"
            );
            let output = filter(&place, input, &["-q", "--state-optional"]);
            assert!(
                output.status.success() && output.stdout == input.as_bytes(),
                "{about}"
            );
        }
    }
}

/// With the file in order again the next body is pruned.
#[test]
fn fault_06_a_lock_that_is_released_is_no_matter() {
    let place = Place::new();
    assert!(filter(&place, BODY, &["-q"]).status.success());
    let locked = Connection::open(place.path("s.db")).unwrap();
    locked.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(filter(&place, BODY, &["-q"]).stdout, BODY.as_bytes());
    drop(locked);
    let output = filter(&place, BODY, &["-q"]);
    assert!(output.status.success() && output.stdout == pruned());
}

/// Tests that the defects before and after a cut are those of one format, although the cut removes the content by which the format is
/// detected: an answer at the end is a defect for Mistral, and none for Ollama.
#[test]
fn fault_14_an_output_is_checked_as_what_the_input_was() {
    let call = |id: &str| {
        format!(
            r#"{{"role":"assistant","content":"","tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"f","arguments":{{}}}}}}]}}"#
        )
    };
    let result = |id: &str| {
        format!(r#"{{"role":"tool","tool_call_id":"{id}","name":"f","content":"words"}}"#)
    };
    let (user, answer) = (
        r#"{"role":"user","content":"hi"}"#,
        r#"{"role":"assistant","content":"done"}"#,
    );
    let body = |first: &str, second: &str| {
        let messages = [
            user,
            &call(first),
            &result(first),
            answer,
            user,
            &call(second),
            &result(second),
            answer,
        ]
        .join(",");
        format!(r#"{{"messages":[{messages}]}}"#)
    };
    let (nine, other) = ("abcDEF123", "call_12345");
    for (first, second, before, after) in [
        (nine, other, "mistral", "ollama"),
        (other, nine, "mistral", "mistral"),
        (other, other, "ollama", "ollama"),
    ] {
        let run =
            |args: &[&str], input: &str| deadhead().args(args).write_stdin(input).output().unwrap();
        let report = |args: &[&str], input: &str| {
            serde_json::from_slice::<Value>(&run(args, input).stdout).unwrap()
        };
        let body = body(first, second);
        let codes = |rows: &Value| {
            rows.as_array()
                .unwrap()
                .iter()
                .map(|defect| defect["code"].to_string())
                .collect::<Vec<_>>()
        };
        let reported = report(
            &["prune", "-n", "--select", "2-3", "--report-format=json"],
            &body,
        );
        assert_eq!(reported["input"]["format"], before);
        let (had, has) = (
            codes(&reported["integrity"]["before"]),
            codes(&reported["integrity"]["after"]),
        );
        assert!(
            has.iter().all(|code| had.contains(code)),
            "as {before}: {had:?} {has:?}"
        );
        let output =
            String::from_utf8(run(&["prune", "-q", "--select", "2-3"], &body).stdout).unwrap();
        assert!(output.len() < body.len() && !output.is_empty());
        assert_eq!(
            report(&["check", "--report-format=json"], &output)["input"]["format"],
            after
        );
        let defects = |input: &str| {
            codes(
                &report(
                    &["check", "--report-format=json", "--format", before],
                    input,
                )["defects"],
            )
        };
        assert_eq!(defects(&output), has, "as {before}");
    }
}
