//! The policy of docs/policies.md does what the text below it says.

use deadhead_core::{Config, Outcome, Pruner};
use serde_json::{Value, json};

/// The policy as it is printed.
fn policy() -> &'static str {
    let (_, own) = include_str!("../../../../docs/policies.md")
        .split_once("## A policy of your own")
        .unwrap();
    own.split_once("```json5\n")
        .unwrap()
        .1
        .split_once("```")
        .unwrap()
        .0
}

/// A body of turns of the user: of each the calls, as tool, argument and what came back.
fn body(turns: &[&[(&str, &str, String)]]) -> Vec<u8> {
    let (mut messages, mut id) = (Vec::new(), 0);
    for (i, calls) in turns.iter().enumerate() {
        messages.push(json!({"role": "user", "content": format!("task {i}")}));
        for (tool, argument, printed) in *calls {
            id += 1;
            let failed = printed.starts_with("failed");
            messages.push(json!({"role": "assistant", "content": [{"type": "tool_use", "id": format!("t{id}"), "name": tool, "input": {"of": argument}}]}));
            let result = json!({"type": "tool_result", "tool_use_id": format!("t{id}"), "content": printed, "is_error": failed});
            messages.push(json!({"role": "user", "content": [result]}));
        }
        messages.push(json!({"role": "assistant", "content": "done"}));
    }
    messages.push(json!({"role": "user", "content": "thanks"}));
    let tools: Vec<Value> = ["read", "bash"]
        .iter()
        .map(|name| json!({"name": name, "input_schema": {"type": "object"}}))
        .collect();
    json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "tools": tools, "messages": messages})
        .to_string()
        .into_bytes()
}

/// Returns the results after pruning.
fn pruned(turns: &[&[(&str, &str, String)]]) -> Vec<String> {
    let input = body(turns);
    let Outcome { bytes, .. } = Pruner::new(Config::from_json5(policy()).unwrap())
        .unwrap()
        .prune(&input)
        .unwrap();
    let after: Value = serde_json::from_slice(&bytes).unwrap();
    let results = after["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|message| message["content"][0]["content"].as_str());
    results.map(str::to_owned).collect()
}

fn said(text: &str) -> String {
    text.to_owned()
}

#[test]
fn the_policy_is_short() {
    assert!(policy().lines().count() <= 10, "{}", policy());
}

#[test]
fn old_failures_and_what_was_made_again_are_cleared() {
    let (none, failure) = (&[][..], [("bash", "ls", said("failed: no such file"))]);
    // The newest four turns of the user, with the one that asks now, stay.
    assert_eq!(pruned(&[&failure, none, none, none]), ["[bash failed]"]);
    assert_eq!(
        pruned(&[none, &failure, none, none]),
        ["failed: no such file"]
    );
    let twice = [
        ("read", "a", said("old")),
        ("read", "b", said("other")),
        ("read", "a", said("new")),
    ];
    assert_eq!(pruned(&[&twice]), ["[superseded]", "other", "new"]);
}

#[test]
fn long_results_lose_their_middle() {
    let lines = |range: std::ops::RangeInclusive<usize>| {
        range.map(|i| i.to_string()).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(
        pruned(&[&[("bash", "x", lines(1..=200))]]),
        [lines(1..=200)]
    );
    let cut = format!(
        "{}\n[{} lines removed]\n{}",
        lines(1..=50),
        131,
        lines(182..=201)
    );
    assert_eq!(pruned(&[&[("bash", "x", lines(1..=201))]]), [cut]);
}

#[test]
fn from_100_000_tokens_on_all_but_five_results_are_cleared() {
    let results = |sizes: &[usize]| -> Vec<String> {
        let names: Vec<String> = (0..sizes.len()).map(|i| format!("f{i}")).collect();
        let calls: Vec<_> = sizes
            .iter()
            .zip(&names)
            .map(|(size, name)| ("read", &**name, "word ".repeat(*size / 5)))
            .collect();
        pruned(&[&calls])
    };
    let cleared = |sizes: &[usize]| {
        results(sizes)
            .iter()
            .filter(|text| *text == "[cleared]")
            .count()
    };
    assert_eq!(cleared(&[50_000; 9]), 4);
    assert_eq!(
        results(&[50_000; 9])
            .iter()
            .position(|text| text != "[cleared]"),
        Some(4),
        "the oldest are cleared"
    );
    assert_eq!(cleared(&[40_000; 9]), 0, "90,000 tokens");
    assert_eq!(
        cleared(&[5000, 5000, 5000, 90_000, 90_000, 90_000, 90_000, 90_000]),
        0,
        "it would free 3,750 tokens"
    );
}
