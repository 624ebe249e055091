//! Steps of `edits` on inputs that once came out wrong, and the trigger that weighs a cut against the cache.

use crate::notation::{Conversation, EVERY};
use deadhead_core::{Config, Outcome, Pruner};
use serde_json::{Value, json};

fn pruner(steps: &Value) -> Pruner {
    let config = json!({"contextPruning": {"mode": "adaptive"}, "edits": steps});
    Pruner::new(Config::from_json5(&config.to_string()).unwrap()).unwrap()
}

/// JSON with spaces and lines between all that is in it.
fn spaced(bytes: &[u8]) -> Vec<u8> {
    let lines = bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty());
    let values: Vec<Value> = lines
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    let space = |value: &Value| {
        value
            .to_string()
            .replace("\":", "\" : ")
            .replace(",\"", " , \"")
    };
    values
        .iter()
        .map(|value| space(value) + "\n")
        .collect::<String>()
        .into_bytes()
}

#[test]
fn arguments_count_as_they_are_printed_however_they_are_spaced() {
    let said = Conversation::parse(
        "user go\ncall a read {\"path\":\"x y\",\"n\":1.5}\nresult a error one\nsay so\nuser go on",
    );
    let steps =
        json!([{"type": "clear_tool_results", "clear_tool_inputs": true, "placeholder": "one"}]);
    for spoken in EVERY
        .iter()
        .filter(|spoken| spoken.can_say(&said) && spoken.id("a").is_some())
    {
        let input = spaced(&spoken.render(&said));
        let outcome = pruner(&steps)
            .format(spoken.format)
            .unwrap()
            .prune(&input)
            .unwrap_or_else(|e| panic!("{}: {e}", spoken.name));
        assert!(
            outcome
                .report
                .cuts
                .iter()
                .any(|cut| cut.action == "clear-input"),
            "{}",
            spoken.name
        );
    }
}

/// One call of Converse that failed, or did not.
fn failed(status: &str) -> Vec<u8> {
    let content = json!([{"toolResult": {"toolUseId": "a", "content": [{"text": "no such file"}], "status": status}}]);
    let call = json!([{"toolUse": {"toolUseId": "a", "name": "read", "input": {"path": "x"}}}]);
    let messages = json!([{"role": "user", "content": [{"text": "go"}]}, {"role": "assistant", "content": call}, {"role": "user", "content": content}]);
    json!({"messages": messages, "toolConfig": {"tools": [{"toolSpec": {"name": "read", "inputSchema": {"json": {"type": "object"}}}}]}})
        .to_string()
        .into_bytes()
}

#[test]
fn a_result_that_must_say_something_is_not_emptied() {
    for steps in [
        json!([{"type": "clear_tool_results", "placeholder": ""}]),
        json!([{"type": "clear_tool_results", "placeholder": " \n"}]),
        json!([{"type": "truncate_tool_results", "note": ""}]),
    ] {
        let input = failed("error");
        let Outcome { bytes, report, .. } = pruner(&steps).prune(&input).unwrap();
        assert!(*bytes == input[..] && report.cuts.is_empty(), "{steps}");
        let whys: Vec<&str> = report.skipped.iter().map(|skip| &*skip.why).collect();
        assert_eq!(
            whys,
            ["the provider refuses a result that says nothing"],
            "{steps}"
        );
    }
}

/// The quick look at contents saw no defect where an error lost its words, and the result was written.
#[test]
fn an_emptied_error_is_never_written() {
    let config = "{contextPruning: {mode: 'aggressive', keepLastAssistants: 0, hardClear: {placeholder: ''}}}";
    let pruner = Pruner::new(Config::from_json5(config).unwrap()).unwrap();
    for status in ["success", "error"] {
        let input = failed(status);
        match pruner.prune(&input) {
            Ok(outcome) => assert_eq!(
                outcome.report.integrity.after.len(),
                pruner.check(&outcome.bytes).unwrap().len(),
                "{status}"
            ),
            Err(error) => assert_eq!(
                (status, error.to_string().contains("E08")),
                ("error", true),
                "{error}"
            ),
        }
    }
}

#[test]
fn a_step_counts_only_what_earlier_steps_left() {
    // A hundred chars, 25 tokens, are left of each of three results.
    let trim = json!({"type": "truncate_tool_results", "over": {"chars": 100}, "head": {"chars": 99}, "note": "…"});
    for (until, cleared) in [
        (json!({"freed": {"input_tokens": 40}}), 2),
        (json!({"fits": {"chars": 150}}), 2),
        (json!({"freed": {"input_tokens": 20}}), 1),
    ] {
        let steps =
            json!([trim, {"type": "clear_tool_results", "placeholder": "-", "until": until}]);
        let (input, mut session) = (
            printed(&[5000, 5000, 5000]),
            deadhead_core::Session::default(),
        );
        let first = pruner(&steps).session(&mut session).prune(&input).unwrap();
        let found = first
            .report
            .cuts
            .iter()
            .filter(|cut| cut.pass == "clear_tool_results")
            .count();
        assert_eq!(found, cleared, "{until}");
    }
    let steps =
        json!([trim, {"type": "clear_tool_results", "clear_at_least": {"input_tokens": 100}}]);
    assert!(
        pruner(&steps)
            .prune(&printed(&[5000, 5000, 5000]))
            .unwrap()
            .report
            .cuts
            .iter()
            .all(|cut| cut.pass == "truncate_tool_results")
    );
}

/// A body whose calls of `exec` printed so many chars.
fn printed(sizes: &[usize]) -> Vec<u8> {
    let mut messages = vec![json!({"role": "user", "content": "begin"})];
    for (i, chars) in sizes.iter().enumerate() {
        let id = format!("t{i}");
        messages.push(json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "exec", "input": {"n": i}}]}));
        let text = format!("{i} {}", "word ".repeat(chars / 5));
        messages.push(json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]}));
    }
    messages.extend([
        json!({"role": "assistant", "content": "so"}),
        json!({"role": "user", "content": "go on"}),
    ]);
    let tools = json!([{"name": "exec", "input_schema": {"type": "object"}}]);
    json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "tools": tools, "messages": messages})
        .to_string()
        .into_bytes()
}

#[test]
fn a_result_between_two_calls_with_its_id_is_cleared_once() {
    let talk = "
        user   x
        call   c1 read {\"path\":\"x\"}
        result c1 first <0123456789*20>
        call   c1 read {\"path\":\"y\"}";
    let said = Conversation::parse(talk);
    for inputs in [false, true] {
        let step = json!({"type": "clear_tool_results", "keep": {"tool_uses": 0}, "clear_tool_inputs": inputs});
        let pruner = pruner(&json!([step]));
        for spoken in EVERY.iter().filter(|spoken| spoken.can_say(&said)) {
            let pruner = pruner.format(spoken.format).unwrap();
            let report = pruner.prune(&spoken.render(&said)).unwrap().report;
            let clear = report.cuts.iter().filter(|cut| cut.action == "clear");
            assert_eq!(clear.count(), 1, "{}", spoken.name);
        }
    }
}
