//! `check` reports bodies that providers refused, and does not report bodies that they accepted.
//!
//! The lists are in `tests/golden`, a body a line with its source. For a refused one they have the code, the message and the part
//! that must be reported; `?` is any code but those in `not`.

use crate::support::deadhead;
use deadhead_core::diagnostics::DefectRow;
use deadhead_core::internal::cache_policy::Clock;
use deadhead_core::internal::dialect::{Detected, by_name, detect, fits};
use deadhead_core::internal::engine::{self, Setup, Task};
use deadhead_core::internal::json::Cursor;
use deadhead_core::internal::report::Detail;
use deadhead_core::settings::Settings;
use serde_json::{Value, json};

/// The lists of each kind: what was seen, and what documentation and source code say.
const REFUSED: [&str; 3] = [
    "golden/refusals.jsonl",
    "golden/refusals_documented.jsonl",
    "golden/refusals_hosts.jsonl",
];
const ACCEPTED: [&str; 3] = [
    "golden/accepted.jsonl",
    "golden/accepted_documented.jsonl",
    "golden/accepted_hosts.jsonl",
];

/// The rows of both lists of a kind.
fn rows(lists: [&str; 3]) -> Vec<Value> {
    lists.into_iter().flat_map(crate::data::lines).collect()
}

/// Returns the defects and the warnings of a body. Those of a batch are those of its bodies.
fn found(row: &Value, body: &Value) -> (Vec<DefectRow>, Vec<String>) {
    let named = |key: &str| row[key].as_str().map(str::to_owned);
    if let Some(requests) = body["requests"].as_array() {
        let all: Vec<_> = requests.iter().map(|request| found(row, request)).collect();
        return (
            all.iter().flat_map(|(rows, _)| rows.clone()).collect(),
            all.into_iter().flat_map(|(_, warnings)| warnings).collect(),
        );
    }
    let bytes = body.to_string();
    let cursor = &mut Cursor::new(bytes.as_bytes());
    let detected: Detected = match named("format") {
        Some(name) => fits(by_name(&name).unwrap(), cursor)
            .unwrap()
            .unwrap_or_else(|| panic!("{bytes} is no {name}")),
        None => detect(cursor)
            .unwrap()
            .unwrap_or_else(|| panic!("{bytes} is nothing that is known")),
    };
    let settings = Settings {
        model: named("model"),
        provider: named("service"),
        ..Settings::default()
    };
    let clock = Clock {
        now: 0,
        last_call: None,
        assume_cold: false,
    };
    let setup = Setup {
        task: Task::Check,
        ..Setup::new(settings, clock, Detail::Totals)
    };
    let report = engine::body(bytes.as_bytes(), 1, detected, &setup)
        .unwrap()
        .report;
    (
        report.integrity.before,
        report
            .warnings
            .into_iter()
            .map(|warning| warning.text)
            .collect(),
    )
}

#[test]
fn refused_bodies_have_defects() {
    let mut bad = Vec::new();
    for row in rows(REFUSED) {
        let (reported, _) = found(&row, &row["body"]);
        let expect = &row["expect"];
        let not: Vec<&str> = expect["not"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let fits = |defect: &DefectRow| {
            let code = match expect["code"].as_str().unwrap() {
                "?" => !not.contains(&defect.code),
                codes => codes.split('|').any(|code| code == defect.code),
            };
            let number = |of: &Value, is: u64| of.is_null() || of.as_u64() == Some(is);
            code && number(&expect["message"], defect.message.into())
                && (expect["part"].is_null()
                    || defect.part.map(u64::from) == expect["part"].as_u64())
        };
        if !reported.iter().any(fits) {
            bad.push(format!(
                "{} {expect}: {}\n  found {reported:?}\n  in {}",
                row["provider"], row["error"], row["body"]
            ));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn accepted_bodies_have_no_defects() {
    let mut bad = Vec::new();
    for row in rows(ACCEPTED) {
        let (reported, _) = found(&row, &row["body"]);
        if !reported.is_empty() {
            bad.push(format!(
                "{}: {reported:?}\n  in {}",
                row["why"], row["body"]
            ));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// The flags that a row asks for.
fn flags(row: &Value) -> Vec<&str> {
    let flag = |name: &'static str, key: &str| {
        row[key]
            .as_str()
            .map(|value| [name, value])
            .into_iter()
            .flatten()
    };
    flag("--format", "format")
        .chain(flag("--model", "model"))
        .chain(flag("--provider", "service"))
        .collect()
}

/// The defects of a body, as `check` lists them, and the body that `--repair` writes.
fn repaired(body: &[u8], flags: &[&str]) -> (Vec<Value>, Vec<u8>) {
    let check = |more: &[&str]| {
        let args = [&["check"], more, flags].concat();
        deadhead()
            .args(args)
            .write_stdin(body)
            .output()
            .unwrap()
            .stdout
    };
    let report: Value = serde_json::from_slice(&check(&["--report-format", "json"])).unwrap();
    (
        report["defects"].as_array().unwrap().clone(),
        check(&["--repair", "-q"]),
    )
}

#[test]
fn repair_leaves_no_defect_that_it_can_repair() {
    let mut bad = Vec::new();
    for row in rows(REFUSED) {
        let flags = flags(&row);
        let code = |defect: &Value| defect["code"].as_str().unwrap().to_owned();
        let (before, once) = repaired(row["body"].to_string().as_bytes(), &flags);
        if once.is_empty() {
            // Nothing is written where a part was not understood.
            let output = deadhead()
                .args(["check", "--repair"])
                .args(&flags)
                .write_stdin(row["body"].to_string())
                .output()
                .unwrap();
            let refused = String::from_utf8(output.stderr)
                .unwrap()
                .contains("only what is understood can be repaired");
            assert!(refused && output.status.code() == Some(2), "{row}");
            continue;
        }
        let (after, twice) = repaired(&once, &flags);
        let known: Vec<String> = before.iter().map(code).collect();
        // A call or a result without an id may be the other half of any: nothing is invented or deleted.
        let nameless = |defect: &Value| {
            known.contains(&"E30".to_owned()) && matches!(&*code(defect), "E01" | "E02")
        };
        let repairable = |defect: &&Value| {
            defect["repair"].as_str().unwrap().ends_with("(--repair)") && !nameless(defect)
        };
        if once != twice
            || after
                .iter()
                .any(|defect| repairable(&defect) || !known.contains(&code(defect)))
        {
            bad.push(format!(
                "{}: {known:?}, then {after:?}\n  in {}",
                row["error"], row["body"]
            ));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn repair_changes_no_accepted_body() {
    for row in rows(ACCEPTED) {
        let body = row["body"].to_string();
        let output = deadhead()
            .args(["check", "--repair", "-q"])
            .args(flags(&row))
            .write_stdin(body.as_str())
            .output()
            .unwrap();
        assert_eq!(
            String::from_utf8(output.stdout).unwrap(),
            body,
            "{}",
            row["why"]
        );
    }
}

/// A body with a byte order mark, line ends of Windows and indentation, and one whose keys are escaped.
fn respelled(body: &Value) -> [String; 2] {
    let pretty = serde_json::to_string_pretty(body)
        .unwrap()
        .replace('\n', "\r\n");
    let escaped = body
        .to_string()
        .replace("\"role\":", r#""r\u006fle":"#)
        .replace("\"content\":", r#""\u0063ontent":"#);
    [
        format!("\u{feff}{pretty}"),
        escaped.replace("\"type\":", r#""typ\u0065":"#),
    ]
}

#[test]
fn the_spelling_of_json_changes_neither_defects_nor_repairs() {
    let value = |copy: &[u8]| {
        serde_json::from_slice::<Value>(copy.strip_prefix("\u{feff}".as_bytes()).unwrap_or(copy))
            .ok()
    };
    for row in rows(REFUSED) {
        let flags = flags(&row);
        let (defects, copy) = repaired(row["body"].to_string().as_bytes(), &flags);
        for body in respelled(&row["body"]) {
            let (found, other) = repaired(body.as_bytes(), &flags);
            assert_eq!((&found, value(&other)), (&defects, value(&copy)), "{body}");
        }
    }
}

#[test]
fn every_documented_row_has_a_source() {
    for row in [REFUSED[1], ACCEPTED[1]]
        .into_iter()
        .flat_map(crate::data::lines)
    {
        assert!(
            ["source", "source_url"]
                .iter()
                .any(|key| row[key].as_str().is_some_and(|source| !source.is_empty())),
            "{row}"
        );
    }
}

/// Runs the program; its exit code, and what it prints to stdout and stderr.
fn run(args: &[&str], body: &Value) -> (Option<i32>, String, String) {
    let output = deadhead()
        .args(args)
        .write_stdin(body.to_string())
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn step(signed: bool) -> [Value; 2] {
    let mut call = json!({"functionCall": {"name": "f", "args": {}}});
    if signed {
        call["thoughtSignature"] = json!("c2ln");
    }
    [
        json!({"role": "model", "parts": [call]}),
        json!({"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]}),
    ]
}

#[test]
fn model_dependent_rules_warn_until_a_model_is_named() {
    let user = json!({"role": "user", "parts": [{"text": "x"}]});
    let contents: Vec<Value> = [user]
        .into_iter()
        .chain(step(true))
        .chain(step(false))
        .collect();
    let body = json!({"contents": contents});
    let (code, out, err) = run(&["check"], &body);
    assert_eq!((code, out.as_str()), (Some(0), "-: ok\n"));
    assert!(
        err.contains("warning: not checked: E18; ") && err.contains("--model"),
        "{err}"
    );
    assert_eq!(
        run(&["check", "--model", "gemini-2.5-pro"], &body),
        (Some(0), "-: ok\n".into(), String::new())
    );
    let (code, out, err) = run(&["check", "--model", "gemini-3-pro-preview"], &body);
    assert!(
        code == Some(1) && out.contains("contents[3].parts[0]: E18") && err.is_empty(),
        "{out}{err}"
    );
    // A deployment's name says nothing, the provider's does.
    let id = "c".repeat(41);
    let body = json!({"model": "prod", "messages": [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": id, "content": "y"}
    ]});
    assert_eq!(run(&["check"], &body).0, Some(0));
    let (code, out, _) = run(&["check", "--provider", "azure"], &body);
    assert!(
        code == Some(1)
            && out.contains("messages[1].tool_calls[0]: call ")
            && out.contains("E24")
            && out.contains("(--repair)"),
        "{out}"
    );
}

#[test]
fn a_body_that_names_no_model_has_thinking_that_may_be_bound() {
    let call = |id: &str| {
        json!({"role": "assistant", "content": [
            {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "c2ln"}}},
            {"toolUse": {"toolUseId": id, "name": "f", "input": {}}}
        ]})
    };
    let result = |id: &str| json!({"role": "user", "content": [{"toolResult": {"toolUseId": id, "content": [{"text": "y".repeat(9000)}]}}]});
    let mut messages = vec![json!({"role": "user", "content": [{"text": "x"}]})];
    for id in ["a", "b", "c", "d", "e"] {
        messages.extend([call(id), result(id)]);
    }
    let body =
        json!({"messages": messages, "toolConfig": {"tools": [{"toolSpec": {"name": "f"}}]}});
    let prune = |model: &[&str]| {
        let args = [
            &[
                "prune",
                "--mode",
                "aggressive",
                "--context-window",
                "9000",
                "--set",
                "contextPruning.providers=all",
            ],
            model,
        ]
        .concat();
        run(&args, &body)
    };
    let (code, out, err) = prune(&[]);
    assert!(
        code == Some(0) && out.len() < body.to_string().len(),
        "{err}"
    );
    assert!(
        err.contains("4 thinking blocks follow the first change") && err.contains("--model"),
        "{err}"
    );
    let (code, out, err) = prune(&["--model", "anthropic.claude-sonnet-4-5-v1:0"]);
    assert!(
        code == Some(0) && out.contains("reasoningText") && !err.contains("thinking blocks follow"),
        "{err}"
    );
}

#[test]
fn defects_outside_the_messages_have_no_number() {
    let body = json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}],
        "tools": [{"name": "a b", "input_schema": {}}, {"name": "c", "input_schema": {}}, {"name": "c", "input_schema": {}}]});
    let (code, out, _) = run(&["check"], &body);
    assert_eq!(code, Some(1));
    assert!(
        out.starts_with("-:request: E27 the tool's name \"a b\"")
            && out.contains("-:request: E28 two tools"),
        "{out}"
    );
    let (_, out, _) = run(&["check", "--report-format", "json"], &body);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (
            &report["defects"][0]["message"],
            &report["defects"][0]["part"]
        ),
        (&json!(0), &Value::Null)
    );
}

#[test]
fn new_ids_are_the_same_in_the_next_request() {
    let pair = |id: &str| {
        [
            json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "f", "input": {}}]}),
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "y"}]}),
        ]
    };
    let body = |ids: &[&str]| {
        let messages: Vec<Value> = [json!({"role": "user", "content": "x"})]
            .into_iter()
            .chain(ids.iter().flat_map(|id| pair(id)))
            .collect();
        json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "tools": [{"name": "f", "input_schema": {}}], "messages": messages})
    };
    let ids = |ids: &[&str]| -> Vec<String> {
        let (code, out, err) = run(&["check", "--repair", "-q"], &body(ids));
        assert_eq!(code, Some(0), "{err}");
        let repaired: Value = serde_json::from_str(&out).unwrap();
        let messages = repaired["messages"].as_array().unwrap();
        messages
            .iter()
            .filter_map(|m| m["content"][0]["id"].as_str().map(str::to_owned))
            .collect()
    };
    let (before, after) = (ids(&["a.b", "a:b"]), ids(&["a.b", "a:b", "a_b", "a b"]));
    assert_eq!(before, after[..2]);
    assert_ne!(before[0], before[1]);
    assert_eq!(after[2], "a_b");
}
