//! Cline's logs with native calls and results as texts: read, cut and checked like other logs.
//!
//! The texts are spelled as Cline writes them (github.com/cline/cline: `ToolResultUtils.ts`, `ToolDisplayUtils.ts`,
//! `prompts/responses.ts`).

use crate::support::{TINY, deadhead};
use serde_json::{Value, json};
use std::process::Output;

fn say(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn call(id: &str, tool: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": tool, "input": {"path": id}})
}

/// A history of one step: calls, and what the user's message says.
fn step(calls: &[(&str, &str)], said: Value) -> Value {
    let calls: Vec<Value> = calls.iter().map(|(id, tool)| call(id, tool)).collect();
    json!([
        {"role": "user", "content": [say("<task>\ngo\n</task>")]},
        {"role": "assistant", "content": calls, "modelInfo": {"modelId": "anthropic/claude-sonnet-4.5", "providerId": "cline", "mode": "act"}},
        {"role": "user", "content": said},
        {"role": "assistant", "content": [say("Done.")]}
    ])
}

fn run(args: &[&str], input: &Value) -> Output {
    deadhead()
        .args(args)
        .write_stdin(input.to_string())
        .output()
        .unwrap()
}

/// The results that are seen: the tool of the call that they answer, its file where it reads one, which is named as the call is
/// here, and how many chars they have.
fn results(history: &Value) -> Vec<(String, String, u64)> {
    let output = run(
        &["prune", "--list", "--mode=off", "--report-format=json"],
        history,
    );
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let parts = report["parts"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|part| part["kind"] == "result");
    let word = |part: &Value, key: &str| part[key].as_str().unwrap_or_default().to_owned();
    parts
        .map(|part| {
            (
                word(part, "tool"),
                word(part, "resource"),
                part["chars"].as_u64().unwrap(),
            )
        })
        .collect()
}

type Call = (&'static str, &'static str);

const READ: Call = ("c1", "read_file");

/// What a case is about, the calls, what the user's message says, and the calls that this answers, each with the chars of its result.
type Case = (&'static str, Vec<Call>, Value, Vec<(&'static str, u64)>);

fn environment() -> Value {
    say("<environment_details>\n# Time\n</environment_details>")
}

/// One call and its result.
fn of_one_read() -> Vec<Case> {
    [
        (
            "a path",
            json!([say("[read_file for 'a.cs'] Result:\nwords"), environment()]),
            5,
        ),
        (
            "two of them",
            json!([say("[search_files for 'x' in '*.cs'] Result:\nwords")]),
            5,
        ),
        (
            "the end of a head in it",
            json!([say(
                "[execute_command for 'echo \"] Result:\"'] Result:\n] Result:\n"
            )]),
            10,
        ),
        (
            "nothing behind it",
            json!([say("[read_file for 'a.cs'] Result:\n")]),
            0,
        ),
        (
            "a text of its own",
            json!([
                say("[read_file for 'a.cs'] Result:"),
                say("words"),
                environment()
            ]),
            5,
        ),
        (
            "a head, and no words",
            json!([say("[read_file for 'a.cs'] Result:"), environment()]),
            0,
        ),
        (
            "a string",
            json!("[read_file for 'a.cs'] Result:\nwords"),
            5,
        ),
        (
            "a list as text",
            json!([say(
                "[\n  {\n    \"type\": \"text\",\n    \"text\": \"words\"\n  }\n]"
            )]),
            51,
        ),
        (
            "words before and behind",
            json!([
                say("[ERROR] x"),
                say("[read_file for 'a.cs'] Result:\nwords"),
                say("<feedback>\nno\n</feedback>")
            ]),
            5,
        ),
        (
            "more texts than calls",
            json!([
                say("[read_file for 'a'] Result:\n1"),
                say("[read_file for 'b'] Result:\n22")
            ]),
            1,
        ),
    ]
    .map(|(about, said, chars)| (about, vec![READ], said, vec![("c1", chars)]))
    .into()
}

fn of_other_calls() -> Vec<Case> {
    vec![
        (
            "no description",
            vec![("c1", "new_task")],
            json!([say("[new_task] Result:\nwords")]),
            vec![("c1", 5)],
        ),
        (
            "several, in another order",
            vec![
                ("c1", "read_file"),
                ("c2", "list_files"),
                ("c3", "read_file"),
            ],
            json!([
                say("[list_files for '.'] Result:\n22"),
                say("[read_file for 'a'] Result:\n1"),
                say("[read_file for 'b'] Result:\n333")
            ]),
            vec![("c2", 2), ("c1", 1), ("c3", 3)],
        ),
        (
            "texts and blocks",
            vec![("c1", "read_file"), ("c2", "read_file")],
            json!([say("[read_file for 'a'] Result:\n22"), {"type": "tool_result", "tool_use_id": "c1", "content": "1"}]),
            vec![("c2", 2), ("c1", 1)],
        ),
        (
            "one that was not called",
            vec![("c1", "read_file"), ("c2", "list_files")],
            json!([
                say("[read_file for 'a'] Result:\n1"),
                say("Tool [list_files] was not executed because a tool has already been used")
            ]),
            vec![("c1", 1), ("c2", 71)],
        ),
        (
            "one that was skipped",
            vec![("c1", "read_file"), ("c2", "list_files")],
            json!([
                say("[read_file for 'a'] Result:\n1"),
                say("Skipping tool [list_files for '.'] due to user rejecting a previous tool.")
            ]),
            vec![("c1", 1), ("c2", 73)],
        ),
        (
            "one that is not answered",
            vec![READ, ("c2", "list_files")],
            json!([say("[read_file for 'a'] Result:\n1"), environment()]),
            vec![("c1", 1)],
        ),
    ]
}

#[test]
fn texts_that_are_results() {
    for (about, calls, said, want) in [of_one_read(), of_other_calls()].concat() {
        let history = step(&calls, said);
        let tool = |id: &str| calls.iter().find(|call| call.0 == id).unwrap().1.to_owned();
        let file = |id: &str| {
            if tool(id) == "read_file" {
                id.to_owned()
            } else {
                String::new()
            }
        };
        let want: Vec<(String, String, u64)> = want
            .iter()
            .map(|(id, chars)| (tool(id), file(id), *chars))
            .collect();
        assert_eq!(results(&history), want, "{about}");
        let check = run(&["check", "--report-format=json"], &history);
        assert!(
            check.status.success(),
            "{about}: {}",
            String::from_utf8_lossy(&check.stdout)
        );
        assert_eq!(
            run(&["check", "--repair", "-q"], &history).stdout,
            history.to_string().as_bytes(),
            "{about}"
        );
    }
}

#[test]
fn texts_that_are_none() {
    let head = say("[read_file for 'a.cs'] Result:\nwords");
    let before = |said: Value| json!([{"role": "user", "content": "hi", "ts": 1}, {"role": "assistant", "content": said}, {"role": "user", "content": [head]}]);
    for (about, history) in [
        (
            "calls as text",
            before(json!([say("<read_file>\n<path>a.cs</path>\n</read_file>")])),
        ),
        (
            "a result as block",
            step(
                &[("c1", "read_file")],
                json!([{"type": "tool_result", "tool_use_id": "c1", "content": "x"}, head]),
            ),
        ),
        (
            "the user's words",
            json!([{"role": "user", "content": [head], "ts": 1}, {"role": "assistant", "content": "x"}]),
        ),
        (
            "a link",
            step(
                &[("c1", "read_file")],
                json!([{"type": "tool_result", "tool_use_id": "c1", "content": "x"}, say("[a] b")]),
            ),
        ),
    ] {
        let blocks = history.to_string().matches("tool_result").count();
        assert_eq!(results(&history).len(), blocks, "{about}");
    }
    // In a body calls and results are native, or the provider refuses it.
    let body = json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "tools": [{"name": "read_file"}],
        "messages": step(&[("c1", "read_file")], json!([head])).as_array().unwrap()[..3]});
    assert_eq!(results(&body), []);
}

/// A cut leaves the head, all around it, and what the tool's failure is known by.
#[test]
fn a_cut_leaves_the_head() {
    for (words, escaped) in [("x", "x"), ("\"é☃\\\n", "\\\"é☃\\\\\\n")] {
        let long = words.repeat(600);
        let texts = json!([
            say("before"),
            say(&format!("[read_file for 'a.cs'] Result:\n{long}")),
            say("behind")
        ]);
        let mut history = step(&[("c1", "read_file")], texts);
        let more: Vec<Value> = (0..4)
            .flat_map(|_| {
                [
                    json!({"role": "user", "content": "on"}),
                    json!({"role": "assistant", "content": "x"}),
                ]
            })
            .collect();
        history.as_array_mut().unwrap().extend(more);
        for mode in ["hard-clear", "soft-trim"] {
            let clear = [
                "--no-pass",
                "soft-trim",
                "--set=contextPruning.hardClear.enabled=true",
                "--set=contextPruning.hardClearRatio=0",
            ];
            let args = [
                &["prune", "-q"][..],
                &TINY,
                if mode == "hard-clear" {
                    &clear[..]
                } else {
                    &[]
                },
            ]
            .concat();
            let output = run(&args, &history);
            let out = String::from_utf8(output.stdout).unwrap();
            let whole = format!("Result:\\n{}\"", escaped.repeat(600));
            let input = history.to_string();
            let at = input.find(&whole).unwrap() + "Result:\\n".len();
            let end = at + whole.len() - "Result:\\n".len() - 1;
            assert!(
                out.len() < input.len(),
                "{mode}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            assert!(
                out.starts_with(&input[..at]) && out.ends_with(&input[end..]),
                "{mode}: {out}"
            );
            let after: Value = serde_json::from_str(&out).unwrap();
            assert_eq!(results(&after).len(), 1, "{mode}");
            assert!(run(&["check"], &after).status.success(), "{mode}");
            let request = run(&["emit", "-"], &history).stdout;
            let request: Value = serde_json::from_slice(&request).unwrap();
            assert!(request.to_string().contains(&escaped.repeat(600)), "{mode}");
            assert_eq!(
                run(&args, &after).stdout,
                out.as_bytes(),
                "{mode}: once is enough"
            );
        }
    }
}
