//! `check --repair` in each dialect: repaired defects, and defects that are reported as not repairable.

use crate::support::deadhead;
use serde_json::{Value, json};

/// Repairs a body. Returns the output, whether the exit code was 0, and the report of a plain check.
fn repair(format: &str, body: &Value) -> (Value, bool, String) {
    let check = deadhead()
        .args(["check", "--format", format])
        .write_stdin(body.to_string())
        .output()
        .unwrap();
    let repaired = deadhead()
        .args(["check", "--repair", "--format", format])
        .write_stdin(body.to_string())
        .output()
        .unwrap();
    let reported = String::from_utf8(check.stdout).unwrap();
    (
        serde_json::from_slice(&repaired.stdout).unwrap(),
        repaired.status.code() == Some(0),
        reported,
    )
}

fn call(id: Option<&str>) -> Value {
    let mut call = json!({"function": {"name": "f", "arguments": {}}});
    id.into_iter().for_each(|id| call["id"] = json!(id));
    json!({"role": "assistant", "content": "", "tool_calls": [call]})
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

#[test]
fn mistral_s_results_are_found_and_the_user_may_follow_them() {
    let result = json!({"role": "tool", "tool_call_id": "abcdefgh1", "name": "f", "content": "r"});
    for (messages, fine) in [
        (
            json!([user("x"), call(Some("abcdefgh1")), result, user("y")]),
            true,
        ),
        (
            json!([user("x"), call(Some("abcdefgh1")), user("y")]),
            false,
        ),
    ] {
        let (out, whole, reported) = repair(
            "mistral",
            &json!({"model": "mistral-small-latest", "messages": messages}),
        );
        let roles: Vec<&str> = out["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|m| m["role"].as_str().unwrap())
            .collect();
        assert_eq!(roles, ["user", "assistant", "tool", "user"], "{out}");
        assert!(whole && reported.contains("--repair") != fine, "{reported}");
    }
    // A late result moves to its call first: then nothing is missing between.
    let late = json!([
        user("x"),
        call(Some("abcdefgh1")),
        user("y"),
        result,
        json!({"role": "assistant", "content": "z"}),
        user("q")
    ]);
    let (out, whole, _) = repair(
        "mistral",
        &json!({"model": "mistral-small-latest", "messages": late}),
    );
    assert!(whole, "{out}");
    assert_eq!(out["messages"][2], result);
}

#[test]
fn calls_without_ids_are_answered_by_name() {
    for (format, key, other) in [
        ("mistral", "name", "tool_name"),
        ("ollama", "tool_name", "name"),
    ] {
        let (out, whole, _) = repair(
            format,
            &json!({"model": "m", "messages": [user("x"), call(None), user("y")]}),
        );
        assert!(whole, "{out}");
        let answer = &out["messages"][2];
        assert_eq!(
            (&answer[key], &answer[other], &answer["tool_call_id"]),
            (&json!("f"), &Value::Null, &Value::Null),
            "{out}"
        );
    }
}

#[test]
fn a_search_of_the_service_s_own_is_not_answered() {
    let said = json!({"type": "message", "role": "user", "content": "q"});
    for (execution, answers) in [("server", 0), ("client", 1)] {
        let search = json!({"type": "tool_search_call", "call_id": "t", "execution": execution, "status": "completed", "arguments": {}});
        let (out, ..) = repair(
            "openai-responses",
            &json!({"model": "gpt-5.5", "input": [said, search, said]}),
        );
        assert_eq!(out["input"].as_array().unwrap().len(), 3 + answers, "{out}");
    }
}

#[test]
fn ollama_is_answered_by_name() {
    let (out, whole, _) = repair(
        "ollama",
        &json!({"model": "llama3", "options": {}, "messages": [user("x"), call(None), user("y")]}),
    );
    assert!(whole, "{out}");
    assert_eq!(
        (
            &out["messages"][2]["tool_name"],
            &out["messages"][2]["tool_call_id"]
        ),
        (&json!("f"), &Value::Null)
    );
}

/// A body of Cohere's first API, as it is written: the model calls `f`, `g` and, once more, `f`; `after` follows.
fn first(after: &str, beside: &str) -> String {
    format!(
        r#"{{"model":"command-r", "chat_history":[{{"role":"USER","message":"\u00e9"}},{{"role":"CHATBOT","message":"","tool_calls":[{CALL},{{"name":"g","parameters":{{}}}},{CALL}]}}{after}]{beside}}}"#
    )
}

const CALL: &str = r#"{"name":"f", "parameters":{"n":1.0}}"#;
const NONE: &str = r#""outputs":[{"output":"[No result was recorded for this call; assume nothing about its effects.]"}]"#;

#[test]
fn cohere_s_first_interface_is_answered_in_a_turn_of_results() {
    let f = format!(r#"{{"call":{CALL},"outputs":[{{"x":"1"}}]}}"#);
    let (of_f, of_g) = (
        format!(r#"{{"call":{CALL},{NONE}}}"#),
        format!(r#"{{"call":{{"name":"g","parameters":{{}}}},{NONE}}}"#),
    );
    let later = r#",{"role":"CHATBOT","message":"so"}"#;
    let end = r#","message":"go on""#;
    let turn = |results: &str| format!(r#",{{"role":"TOOL","tool_results":[{results}]}}"#);
    let list = |results: &str| format!(r#","message":"","tool_results":[{results}]"#);
    for (broken, repaired) in [
        // None has an answer: in the middle, and last.
        (
            first(later, end),
            first(&(turn(&format!("{of_f},{of_g},{of_f}")) + later), end),
        ),
        (
            first("", end),
            first(&turn(&format!("{of_f},{of_g},{of_f}")), end),
        ),
        // Some have: of the two that are equal the later one has none.
        (
            first(&(turn(&f) + later), end),
            first(&(turn(&format!("{f},{of_g},{of_f}")) + later), end),
        ),
        (
            first(&turn(&format!(" {f} , {f} ")), end),
            first(&turn(&format!(" {f} , {of_g},{f} ")), end),
        ),
        // They are beside the history.
        (
            first("", &list(&f)),
            first("", &list(&format!("{f},{of_g},{of_f}"))),
        ),
        // The user spoke instead.
        (
            first(
                &format!(r#",{{"role":"USER","message":"wait"}}{later}"#),
                end,
            ),
            first(
                &format!(
                    r#"{},{{"role":"USER","message":"wait"}}{later}"#,
                    turn(&format!("{of_f},{of_g},{of_f}"))
                ),
                end,
            ),
        ),
    ] {
        let run = |args: &[&str], input: &str| {
            deadhead()
                .args(args)
                .args(["--format", "cohere", "-q"])
                .write_stdin(input)
                .output()
                .unwrap()
        };
        assert_eq!(run(&["check"], &broken).status.code(), Some(1), "{broken}");
        let out = run(&["check", "--repair"], &broken);
        assert_eq!(
            (String::from_utf8(out.stdout).unwrap(), out.status.code()),
            (repaired.clone(), Some(0))
        );
        assert_eq!(
            run(&["check"], &repaired).status.code(),
            Some(0),
            "{repaired}"
        );
        let pruned = run(
            &[
                "prune",
                "--mode=aggressive",
                "--set=contextPruning.keepLastAssistants=0",
            ],
            &repaired,
        );
        assert_eq!(
            pruned.status.code(),
            Some(0),
            "{}",
            String::from_utf8_lossy(&pruned.stderr)
        );
    }
}

#[test]
fn cohere_s_first_interface_keeps_late_results() {
    let f = format!(r#"{{"call":{CALL},"outputs":[{{"x":"1"}}]}}"#);
    let g = r#"{"call":{"name":"g","parameters":{}},"outputs":[]}"#;
    let talk = r#",{"role":"USER","message":"wait"},{"role":"CHATBOT","message":"so"}"#;
    let turn = |results: &str| format!(r#",{{"role":"TOOL","tool_results":[{results}]}}"#);
    let broken = first(
        &format!("{talk}{}", turn(g)),
        &format!(r#","message":"","tool_results":[{f},{f}]"#),
    );
    // In the order of the calls; without results the message needs a text.
    let want = first(
        &format!("{}{talk}", turn(&format!("{f},{g},{f}"))),
        r#","message":"[What stood here was removed or is elsewhere.]","tool_results":[]"#,
    );
    let out = deadhead()
        .args(["check", "--repair", "-q", "--format", "cohere"])
        .write_stdin(broken)
        .output()
        .unwrap();
    assert_eq!(
        (String::from_utf8(out.stdout).unwrap(), out.status.code()),
        (want, Some(0))
    );
}

#[test]
fn a_picture_of_the_screen_is_not_made_up() {
    let item = |kind: &str, more: Value| {
        let mut item = json!({"type": kind, "call_id": kind});
        item.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        item
    };
    let said = json!({"type": "message", "role": "user", "content": "go on"});
    let asks = item(
        "computer_call",
        json!({"id": "cu_1", "action": {"type": "screenshot"}, "pending_safety_checks": [{"id": "x"}], "status": "completed"}),
    );
    let named = item(
        "function_call",
        json!({"name": "computer", "arguments": "{}"}),
    );
    let (out, whole, reported) = repair(
        "openai-responses",
        &json!({"model": "gpt-5", "input": [said, asks, named, said]}),
    );
    let advice: Vec<&str> = reported
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("repair       "))
        .collect();
    assert_eq!(advice.len(), 2, "{reported}");
    assert!(
        advice[0].starts_with("send the screenshot") && advice[1].ends_with("(--repair)"),
        "{reported}"
    );
    let kinds: Vec<&str> = out["input"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        (kinds, whole),
        (
            vec![
                "message",
                "computer_call",
                "function_call",
                "function_call_output",
                "message"
            ],
            false
        )
    );
}

#[test]
fn a_turn_that_a_move_empties_is_removed_beside_another_of_the_user() {
    let call = json!({"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]});
    let said = json!({"role": "user", "parts": [{"text": "q"}]});
    let result = json!({"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"r": 1}}}]});
    let (out, whole, _) = repair("gemini", &json!({"contents": [said, call, said, result]}));
    assert!(whole, "{out}");
    assert_eq!(out["contents"], json!([said, call, result, said]));
}
