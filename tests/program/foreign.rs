//! Inputs in the shapes of other programs are refused because of the content that was not understood, and those of known formats
//! are accepted.
//!
//! `foreign/shapes.jsonl` has a row for each foreign shape: what it is, where it is described, a small input made by hand
//! (`doc`, or `lines`), and a word that the error must name. `foreign/ours.jsonl` has what providers and agents of known formats
//! write, with the format as which it must be read.

use crate::support::{Place, deadhead};
use deadhead_core::Error;
use deadhead_core::input::Source;
use deadhead_core::internal::cache_policy::Clock;
use deadhead_core::internal::dialect::accept::{accept, accept_pairs};
use deadhead_core::internal::dialect::{DIALECTS, Dialect, Layout, fits};
use deadhead_core::internal::engine::{self, Setup, Task};
use deadhead_core::internal::json::Cursor;
use deadhead_core::internal::reader;
use deadhead_core::internal::report::Detail;
use deadhead_core::internal::transcript::Transcript;
use deadhead_core::settings::{Mode, Scope, Settings};
use serde_json::{Value, json};
use std::process::Output;

const SHAPES: &str = include_str!("../foreign/shapes.jsonl");
const OURS: &str = include_str!("../foreign/ours.jsonl");

struct Row {
    name: String,
    bytes: Vec<u8>,
    key: String,
    format: String,
}

fn rows(table: &str) -> Vec<Row> {
    let row = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        let word = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let bytes = match row["lines"].as_array() {
            Some(lines) => lines.iter().map(|line| format!("{line}\n")).collect(),
            None => row["doc"].to_string(),
        };
        assert!(
            !word("name").is_empty() && !word("source").is_empty(),
            "{line}"
        );
        Row {
            name: word("name"),
            bytes: bytes.into_bytes(),
            key: word("key"),
            format: word("format"),
        }
    };
    table.lines().map(row).collect()
}

fn run(args: &[&str], stdin: &[u8]) -> Output {
    deadhead().args(args).write_stdin(stdin).output().unwrap()
}

/// Returns the text of an error, without the list of formats.
fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr)
        .split("; name one")
        .next()
        .unwrap()
        .to_owned()
}

/// Whether `word` is in `text`, and not only as a piece of another word.
fn names(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && !"_-$".contains(c))
        .any(|w| w == word)
}

#[test]
fn a_foreign_shape_is_refused_by_what_was_not_understood() {
    let rows = rows(SHAPES);
    assert!(rows.len() > 100, "{}", rows.len());
    for Row {
        name, bytes, key, ..
    } in rows
    {
        let place = Place::new();
        let file = place.file("in.json", &bytes);
        let file = file.to_str().unwrap();
        for (args, stdin) in [
            (
                &["prune", "-n", "--mode=off", "--report-format=json"][..],
                &bytes[..],
            ),
            (&["check", "-q"], &bytes),
            (&["prune", "--mode=off", file], b""),
            (&["prune", "--list", file], b""),
            (&["check", "--repair", file], b""),
        ] {
            let output = run(args, stdin);
            let reported = String::from_utf8_lossy(&output.stderr);
            assert!(
                output.status.code() == Some(2) && output.stdout.is_empty(),
                "{name} {args:?}: {reported}"
            );
            assert!(
                reported.lines().count() == 1 && names(&said(&output), &key),
                "{name} {args:?}: no {key}: {reported}"
            );
        }
    }
}

#[test]
fn accepted_by_providers_is_not_refused() {
    for Row {
        name,
        bytes,
        format,
        ..
    } in rows(OURS)
    {
        let output = run(
            &["prune", "-n", "--mode=off", "--report-format=json"],
            &bytes,
        );
        assert!(
            output.status.success(),
            "{name}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["input"]["format"], format, "{name}");
        let strange: Vec<&str> = report["warnings"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|w| w["text"].as_str())
            .collect();
        let allowed = [
            "block of type from_the_future",
            "role control",
            "part with no data",
            "it could be anthropic as well",
        ];
        assert!(
            strange
                .iter()
                .all(|text| allowed.iter().any(|a| text.contains(a))),
            "{name}: {strange:?}"
        );
        assert_eq!(
            run(&["prune", "-q", "--mode=off"], &bytes).stdout,
            bytes,
            "{name}"
        );
    }
}

fn setup() -> Setup {
    let mut settings = Settings::default();
    settings.context_pruning.mode = Mode::Off;
    Setup::new(
        settings,
        Clock {
            now: 0,
            last_call: None,
            assume_cold: false,
        },
        Detail::Totals,
    )
}

fn read_lines(format: &'static Dialect, bytes: &[u8], setup: &Setup) -> (Transcript, Source) {
    let source = Source::unpacked(bytes.to_vec()).unwrap();
    let estimator = setup.settings.context_pruning.estimator;
    (
        reader::log(
            &source,
            &reader::Reading::new(format, estimator, Scope::Context),
            1,
            &|_| {},
        )
        .unwrap(),
        source,
    )
}

/// Whoever names a format gets what it can read with a warning for what it cannot, and no change of it.
#[test]
fn a_named_format_is_never_silent() {
    let setup = setup();
    let repair = Setup {
        task: Task::Repair,
        ..setup.clone()
    };
    for Row { name, bytes, .. } in rows(SHAPES) {
        for format in DIALECTS {
            let about = format!("{name} as {}", format.name);
            let (reported, repaired) = if format.layout == Layout::History {
                let (read, source) = read_lines(format, &bytes, &setup);
                accept(&read, format.into()).unwrap();
                let report = engine::history(&read, &source, &setup).unwrap().report;
                accept_pairs(&read, format.into(), &report).unwrap();
                let reported = (report.before.messages, report.warnings.len());
                (
                    Some(reported),
                    engine::mend_history(read, &source, format.into(), &repair),
                )
            } else {
                let line = bytes.split_inclusive(|b| *b == b'\n').next().unwrap();
                let Some(found) = fits(format, &mut Cursor::new(line)).unwrap() else {
                    continue;
                };
                let read = engine::body(line, 1, found, &setup);
                assert!(!matches!(read, Err(Error::NotUnderstood { .. })), "{about}");
                let report = read.map(|pruned| pruned.report);
                let reported = report
                    .map(|report| (report.before.messages, report.warnings.len()))
                    .ok();
                (reported, engine::mend(line, 1, found, &repair))
            };
            // Some shapes are read rightly by another name: words under the key that this format has for them.
            let read_rightly = [
                "contents as text as gemini",
                "file dump as gemini",
                "alpaca as openai-responses",
                "log rows with a message as cohere",
                "results by another id as mistral",
                "results by another id as ollama",
                "calls with another id as mistral",
                "calls with another id as ollama",
                "named results by another id as mistral",
                "named results by another id as ollama",
                "error rows with an id and a time as gemini-cli",
            ];
            // A text without a type is a fault that is repaired.
            if !read_rightly.contains(&&*about) && name != "haystack" {
                assert!(
                    reported.is_none_or(|(_, warnings)| warnings > 0),
                    "{about}: nothing is reported"
                );
                assert!(
                    repaired.is_err() || repaired.is_ok_and(|pruned| pruned.output.is_none()),
                    "{about}: it is repaired"
                );
            }
        }
    }
}

/// A message of no known part is refused by the kind; beside a known one it is a warning; named, it is one too.
#[test]
fn a_part_of_a_new_kind() {
    let body = |content: Value| {
        json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "system": "s", "messages": [
            {"role": "user", "content": "hi"}, {"role": "assistant", "content": content}, {"role": "user", "content": "on"}]})
        .to_string()
    };
    let (new, text) = (
        json!({"type": "mystery", "payload": "x"}),
        json!({"type": "text", "text": "a"}),
    );
    for (content, args, code, reported) in [
        (json!([text]), &[][..], 0, ""),
        (json!([text, new]), &[], 0, "1 × block of type mystery"),
        (
            json!([new]),
            &[],
            2,
            "-:1: message 2: block of type mystery is not understood as anthropic",
        ),
        (
            json!([new, new]),
            &["--format=anthropic"],
            0,
            "2 × block of type mystery",
        ),
    ] {
        let body = body(content);
        let output = run(&[&["prune", "--mode=off"], args].concat(), body.as_bytes());
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{args:?} {body}: {err}");
        assert!(
            err.contains(reported) && (!reported.is_empty() || !err.contains("mystery")),
            "{body}: {err}"
        );
        assert_eq!(output.stdout, if code == 0 { body.as_bytes() } else { b"" });
        let repair = run(
            &[&["check", "--repair", "-q"], args].concat(),
            body.as_bytes(),
        );
        assert_eq!(repair.status.code(), Some(code), "{body}");
        assert_eq!(repair.stdout, if code == 0 { body.as_bytes() } else { b"" });
    }
}

/// A line of Claude Code's.
fn line(n: usize, role: &str, message: Value) -> Value {
    let parent = if n == 0 {
        Value::Null
    } else {
        json!(format!("u{}", n - 1))
    };
    json!({"parentUuid": parent, "isSidechain": false, "sessionId": "s", "type": role, "message": message, "uuid": format!("u{n}"), "timestamp": "t"})
}

fn say(n: usize, role: &str, content: Value) -> Value {
    line(n, role, json!({"role": role, "content": content}))
}

/// A log of Claude Code's whose fourth line is this one.
fn log(odd: Value) -> String {
    let lines = [
        say(0, "user", json!("hi")),
        say(1, "assistant", json!("x")),
        say(2, "user", json!("y")),
        odd,
    ];
    lines.map(|line| format!("{line}\n")).concat()
}

/// In a log that its marks name, what is new or damaged among the rest is a warning, and a repair copies it; what another program
/// would write there is refused.
#[test]
fn a_log_with_something_new_in_it() {
    for (odd, code, reported) in [
        (
            say(3, "assistant", json!([{"type": "mystery", "payload": 1}])),
            0,
            "1 × block of type mystery",
        ),
        (
            say(
                3,
                "assistant",
                json!([{"type": "tool_use", "id": "a", "name": "f", "args": {}}]),
            ),
            0,
            "block of type tool_use without input",
        ),
        (
            line(
                3,
                "assistant",
                json!({"role": "assistant", "contenst": "x"}),
            ),
            0,
            "1 × key contenst",
        ),
        (
            line(
                3,
                "assistant",
                json!({"role": "assistant", "parts": [{"text": "x"}]}),
            ),
            2,
            "-:4: message 4: key parts is not understood",
        ),
        (
            line(
                3,
                "assistant",
                json!({"role": "assistant", "content": "x", "toolCalls": [{}]}),
            ),
            2,
            "key toolCalls is not understood",
        ),
        (
            line(
                3,
                "assistant",
                json!({"role": "assistant", "content": "", "text": "x"}),
            ),
            2,
            "key text is not understood",
        ),
        (
            line(3, "assistant", json!({"role": "oracle", "content": "x"})),
            0,
            "1 × role oracle",
        ),
    ] {
        let log = log(odd);
        let output = run(&["prune", "--mode=off"], log.as_bytes());
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.code() == Some(code) && err.contains(reported),
            "{log}: {err}"
        );
        assert_eq!(output.stdout, if code == 0 { log.as_bytes() } else { b"" });
        // A log without a defect is copied.
        let is_clean = run(&["check", "-q"], log.as_bytes()).status.success();
        let repair = run(&["check", "--repair", "-q"], log.as_bytes());
        assert_eq!(
            repair.status.code(),
            Some(if is_clean { 0 } else { 2 }),
            "{log}"
        );
        assert_eq!(repair.stdout, if is_clean { log.as_bytes() } else { b"" });
        assert!(is_clean <= (code == 0), "{log}");
    }
}

/// A record of a new kind is none of the conversation.
#[test]
fn a_log_with_a_record_of_a_new_kind() {
    let log = log(
        json!({"parentUuid": "u2", "uuid": "u3", "sessionId": "s", "type": "mystery", "payload": 1}),
    );
    let repair = run(&["check", "--repair"], log.as_bytes());
    let reported = String::from_utf8_lossy(&repair.stderr).into_owned();
    assert!(
        repair.status.success()
            && repair.stdout == log.as_bytes()
            && reported.contains("record of type mystery"),
        "{reported}"
    );
}

#[test]
fn names_of_strangers_are_short_and_on_one_line() {
    let odd = "a\\nb\\u001b[31m".to_owned() + &"x".repeat(100);
    for input in [
        format!(r#"{{"{odd}":1}}"#),
        format!(r#"{{"messages":[{{"role":"user","content":[{{"type":"{odd}"}}]}}]}}"#),
        format!(r#"{{"messages":[{{"role":"{odd}","content":"x"}}]}}"#),
        format!(r#"{{"messages":[{{"role":"user","{odd}":"x"}}]}}"#),
    ] {
        let output = run(&["prune", "-n"], input.as_bytes());
        let reported = said(&output);
        assert!(
            output.status.code() == Some(2)
                && reported.lines().count() == 1
                && reported.len() < 160,
            "{reported}"
        );
        assert!(
            reported.contains("a\\nb\\u{1b}[31mx") && !reported.contains('\u{1b}'),
            "{reported:?}"
        );
    }
}

/// A log of Codex's with these items.
fn codex(items: &[Value]) -> String {
    let line = |item: &Value| json!({"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": item});
    let head = json!({"type": "session_meta", "payload": {"id": "s"}});
    [head]
        .into_iter()
        .chain(items.iter().map(line))
        .map(|line| format!("{line}\n"))
        .collect()
}

/// A log of Claude Code's: contents of the user and the model by turns.
fn claude(contents: &[&Value]) -> String {
    let role = |n: usize| {
        if n.is_multiple_of(2) {
            "user"
        } else {
            "assistant"
        }
    };
    contents
        .iter()
        .enumerate()
        .map(|(n, content)| format!("{}\n", say(n, role(n), (*content).clone())))
        .collect()
}

/// The value with another word in its text.
fn with(old: &Value, from: &str, to: &str) -> Value {
    serde_json::from_str(&old.to_string().replace(from, to)).unwrap()
}

/// In this log there is a warning of that, or none of something unknown, and these are the codes of its defects.
fn warns(name: &str, log: &str, warned: &str, codes: &[&str]) {
    let output = run(
        &["prune", "-n", "--mode=off", "--report-format=json"],
        log.as_bytes(),
    );
    let report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{name}: {output:?}"));
    let mut found: Vec<&str> = report["integrity"]["before"]
        .as_array()
        .unwrap()
        .iter()
        .map(|defect| defect["code"].as_str().unwrap())
        .collect();
    found.sort_unstable();
    assert_eq!(found, codes, "{name}: {report}");
    let warnings = report["warnings"].to_string();
    assert!(
        if warned.is_empty() {
            !warnings.contains("unknown")
        } else {
            warnings.contains(warned)
        },
        "{name}: {warnings}"
    );
}

/// In a log that its marks name, a call or a result may be of a new kind: the warning says so, and its other half is no defect.
/// A half of which no such part says anything is one.
#[test]
fn halves_of_pairs_of_a_new_kind() {
    let say = |role: &str| json!({"type": "message", "role": role, "content": [{"type": "input_text", "text": "hi"}]});
    let call = json!({"type": "function_call", "name": "f", "arguments": "{}", "call_id": "c"});
    let output = json!({"type": "function_call_output", "call_id": "c", "output": "x"});
    let reported = |call: &Value, output: &Value| {
        codex(&[say("user"), call.clone(), output.clone(), say("assistant")])
    };
    for (name, log, warned, codes) in [
        ("codex", reported(&call, &output), "", &[][..]),
        (
            "codex, call",
            reported(&with(&call, "function_call", "odd_call"), &output),
            "item of type odd_call",
            &[],
        ),
        (
            "codex, output",
            reported(&call, &with(&output, "function_call_output", "odd_output")),
            "item of type odd_output",
            &[],
        ),
        (
            "codex, arguments",
            reported(&with(&call, "arguments", "args"), &output),
            "key args in an item",
            &[],
        ),
        (
            "codex, id",
            reported(&with(&call, "call_id", "callId"), &output),
            "key callId in an item",
            &[],
        ),
        (
            "codex, role",
            codex(&[say("user"), say("judge"), say("assistant")]),
            "role judge",
            &[],
        ),
        (
            "codex, no call",
            reported(&with(&call, "\"c\"", "\"d\""), &output),
            "",
            &["E01", "E02"],
        ),
        (
            "codex, another call",
            reported(
                &with(&with(&call, "\"c\"", "\"d\""), "function_call", "odd_call"),
                &output,
            ),
            "item of type odd_call",
            &["E02"],
        ),
    ] {
        warns(name, &log, warned, codes);
    }
}

#[test]
fn halves_of_pairs_of_a_new_kind_in_blocks() {
    let text = json!([{"type": "text", "text": "on"}]);
    let uses = json!([{"type": "text", "text": "y"}, {"type": "tool_use", "id": "t", "name": "f", "input": {}}]);
    let result = json!([{"type": "text", "text": "z"}, {"type": "tool_result", "tool_use_id": "t", "content": "x"}]);
    let asked = |uses: &Value, result: &Value| claude(&[&text, uses, result, &text, &text]);
    for (name, log, warned, codes) in [
        ("claude", asked(&uses, &result), "", &[][..]),
        (
            "claude, call",
            asked(&with(&uses, "tool_use", "odd_use"), &result),
            "block of type odd_use",
            &[],
        ),
        (
            "claude, result",
            asked(&uses, &with(&result, "tool_result", "odd_result")),
            "block of type odd_result",
            &[],
        ),
        (
            "claude, no call",
            asked(&with(&uses, "\"t\"", "\"v\""), &result),
            "",
            &["E01", "E02"],
        ),
    ] {
        warns(name, &log, warned, codes);
    }
}
