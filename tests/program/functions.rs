//! OpenAI's deprecated functions: a `function_call` and the next message of role `function` are a pair without an id.

use crate::support::deadhead;
use serde_json::{Value, json};

fn body(messages: Vec<Value>) -> Value {
    json!({"model": "gpt-4-0613", "messages": messages})
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn say(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

fn call(said: Value, name: &str) -> Value {
    json!({"role": "assistant", "content": said, "function_call": {"name": name, "arguments": "{\"path\":\"/a\"}"}})
}

fn result(name: &str) -> Value {
    json!({"role": "function", "name": name, "content": "what it says"})
}

fn talk() -> Value {
    body(vec![
        user("go"),
        call(Value::Null, "read"),
        result("read"),
        call(json!("now"), "ls"),
        result("ls"),
        say("so"),
        user("thanks"),
    ])
}

fn prune(body: &Value, args: &[&str]) -> Value {
    let output = deadhead()
        .args(["prune", "-q", "--mode=off"])
        .args(args)
        .write_stdin(body.to_string())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_call_is_removed_with_its_result() {
    let without = |gone: &[usize]| {
        let all = talk()["messages"].as_array().unwrap().clone();
        body(
            all.into_iter()
                .enumerate()
                .filter(|(i, _)| !gone.contains(i))
                .map(|(_, message)| message)
                .collect(),
        )
    };
    for selector in ["2", "3", "2/0", "3/0", "tool:read@name"] {
        assert_eq!(
            prune(&talk(), &["--select", selector]),
            without(&[1, 2]),
            "{selector}"
        );
    }
    // What is said beside the call stays, where only the pair is asked for.
    let mut spoken = without(&[4]);
    spoken["messages"][3] = say("now");
    for selector in ["5", "4/1", "tool:ls@name"] {
        assert_eq!(
            prune(&talk(), &["--select", selector]),
            spoken,
            "{selector}"
        );
    }
    assert_eq!(prune(&talk(), &["--select", "4"]), without(&[3, 4]));
}

#[test]
fn turns_go_with_whole_pairs() {
    let mut messages = vec![user("begin")];
    for turn in 0..5 {
        messages.extend([
            call(Value::Null, "read"),
            result("read"),
            say(&turn.to_string()),
            user("go on"),
        ]);
    }
    for keep in 1..21 {
        for tools in ["keep", "drop"] {
            let sets = [
                "turnDrop.minMessages=0",
                &format!("turnDrop.keepTurns={keep}"),
                &format!("turnDrop.toolTurns={tools}"),
            ]
            .map(|set| format!("--set={set}"));
            let args = [
                &["--pass=turn-drop"][..],
                &sets.each_ref().map(String::as_str),
            ]
            .concat();
            let pruned = prune(&body(messages.clone()), &args);
            let left = pruned["messages"].as_array().unwrap();
            for (i, message) in left.iter().enumerate() {
                let next = left
                    .get(i + 1)
                    .is_some_and(|next| next["role"] == "function");
                assert_eq!(
                    message.get("function_call").is_some(),
                    next,
                    "{args:?}: {left:#?}"
                );
            }
            assert!(left[0]["role"] != "function");
        }
    }
}

#[test]
fn several_calls_without_ids_are_not_paired() {
    let both = json!([{"type": "function", "function": {"name": "f", "arguments": "{}"}}, {"type": "function", "function": {"name": "g", "arguments": "{}"}}]);
    let one = json!({"role": "assistant", "content": "both", "tool_calls": both});
    let odd = body(vec![
        user("go"),
        one.clone(),
        result("g"),
        say("so"),
        user("thanks"),
    ]);
    assert_eq!(
        prune(&odd, &["--select=3/0"]),
        body(vec![user("go"), one, say("so"), user("thanks")])
    );
}
