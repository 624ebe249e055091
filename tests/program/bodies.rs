//! Gemini and Bedrock Converse bodies that are long enough to be cut: the content after a cut, and the bytes that no cut touches.

use crate::support::{TINY, deadhead};
use serde_json::{Value, json};

/// A text that is trimmed under `TINY`.
const LONG: &str = "0123456789 the quick brown fox jumps over the lazy dog 9876543210";
/// The text that a trim leaves of `LONG`.
const TRIMMED: &str =
    "0123\n...\n3210\n\n[Tool result trimmed: kept first 4 chars and last 4 chars of 65 chars.]";
const CLEARED: &str = "[Old tool result content cleared]";

/// Flags that clear all that is in reach.
const CLEAR: [&str; 3] = [
    "--mode=aggressive",
    "--set=contextPruning.keepLastAssistants=1",
    "--set=contextPruning.hardClear.skipShorter=false",
];

/// Prunes `body`, holds the promises that every run makes and returns what came out.
fn prune(body: &Value, args: &[&str]) -> Value {
    let bytes = serde_json::to_vec_pretty(body).unwrap();
    let run = |bytes: &[u8]| {
        let output = deadhead()
            .args(["prune", "-q"])
            .args(args)
            .write_stdin(bytes)
            .output()
            .unwrap();
        let reported = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{reported}\n{body:#}");
        output.stdout
    };
    assert_eq!(run_off(&bytes), bytes);
    let pruned = run(&bytes);
    assert_eq!(
        String::from_utf8_lossy(&run(&pruned)),
        String::from_utf8_lossy(&pruned),
        "a second run"
    );
    serde_json::from_slice(&pruned).unwrap()
}

fn run_off(bytes: &[u8]) -> Vec<u8> {
    deadhead()
        .args(["prune", "-q", "--mode=off"])
        .write_stdin(bytes)
        .output()
        .unwrap()
        .stdout
}

/// The JSON report of a run.
fn report(body: &Value, args: &[&str]) -> Value {
    let output = deadhead()
        .args(["prune", "-n", "--report-format=json"])
        .args(args)
        .write_stdin(body.to_string())
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A Gemini body: a question, the calls of `responses`, those, and two answers.
fn gemini(calls: Value, responses: Value) -> Value {
    json!({
        "contents": [
            {"role": "user", "parts": [{"text": "do it"}]},
            {"role": "model", "parts": calls},
            {"role": "user", "parts": responses},
            {"role": "model", "parts": [{"text": "so", "thought": true, "thoughtSignature": "c2ln"}, {"text": "done", "thoughtSignature": "c2ln"}]},
            {"role": "user", "parts": [{"text": "thanks"}]}
        ],
        "generationConfig": {"temperature": 1.0}
    })
}

#[test]
fn gemini_results() {
    let call = json!({"functionCall": {"name": "f", "args": {"a": 1}}, "thoughtSignature": "c2ln"});
    for (before, trimmed, cleared) in [
        (
            json!({"output": LONG}),
            json!({"output": TRIMMED}),
            json!({"output": CLEARED}),
        ),
        (
            json!({"result": LONG, "code": 0, "log": []}),
            json!({"result": TRIMMED, "code": 0, "log": []}),
            json!({"result": CLEARED, "code": 0, "log": []}),
        ),
        (
            json!({"error": LONG}),
            json!({"error": TRIMMED}),
            json!({"error": CLEARED}),
        ),
        (
            json!({"output": LONG, "error": null}),
            json!({"output": TRIMMED, "error": null}),
            json!({"output": CLEARED, "error": null}),
        ),
        (json!(LONG), json!(TRIMMED), json!(CLEARED)),
        (
            json!({"rows": [LONG], "n": 21.0}),
            json!({"output": "{\"ro\n...\n1.0}\n\n[Tool result trimmed: kept first 4 chars and last 4 chars of 85 chars.]"}),
            json!({"output": CLEARED}),
        ),
        (
            json!({"error": {"message": LONG}}),
            json!({"error": "{\"er\n...\n0\"}}\n\n[Tool result trimmed: kept first 4 chars and last 4 chars of 89 chars.]"}),
            json!({"error": CLEARED}),
        ),
        (
            json!({"output": "short"}),
            json!({"output": "short"}),
            json!({"output": CLEARED}),
        ),
    ] {
        let body = |response: &Value| {
            gemini(
                json!([call]),
                json!([{"functionResponse": {"name": "f", "response": response, "willContinue": false}}]),
            )
        };
        assert_eq!(prune(&body(&before), &TINY), body(&trimmed));
        assert_eq!(prune(&body(&before), &CLEAR), body(&cleared));
    }
}

#[test]
fn gemini_parallel_calls() {
    let call = |id: Option<&str>, name: &str| match id {
        Some(id) => json!({"functionCall": {"id": id, "name": name, "args": {}}}),
        None => json!({"function_call": {"name": name, "args": {}}}),
    };
    let answer = |id: Option<&str>, name: &str, text: &str| match id {
        Some(id) => {
            json!({"functionResponse": {"id": id, "name": name, "response": {"output": text}}})
        }
        None => json!({"function_response": {"name": name, "response": {"output": text}}}),
    };
    for (calls, answers) in [
        ([None; 3], [None; 3]),
        ([Some("a"), None, Some("c")], [None, Some("b"), Some("c")]),
    ] {
        let body = |text: &str| {
            let calls: Vec<Value> = calls
                .iter()
                .zip(["f", "g", "f"])
                .map(|(id, name)| call(*id, name))
                .collect();
            let answers: Vec<Value> = answers
                .iter()
                .zip(["f", "g", "f"])
                .map(|(id, name)| answer(*id, name, text))
                .collect();
            gemini(json!(calls), json!(answers))
        };
        assert_eq!(prune(&body(LONG), &TINY), body(TRIMMED));
        assert_eq!(prune(&body(LONG), &CLEAR), body(CLEARED));
        let reported = report(&body(LONG), &TINY);
        assert_eq!(reported["provider"], "google");
        assert_eq!(reported["integrity"], json!({"before": [], "after": []}));
        assert_eq!(
            reported["cuts"]
                .as_array()
                .unwrap()
                .iter()
                .map(|c| c["tool"].as_str().unwrap())
                .collect::<Vec<_>>(),
            ["f", "g", "f"]
        );
        let denied = [&TINY[..], &["--set=contextPruning.tools.deny=['g']"]].concat();
        assert_eq!(
            report(&body(LONG), &denied)["cuts"]
                .as_array()
                .unwrap()
                .len(),
            2
        );
    }
}

#[test]
fn gemini_images() {
    let image = json!({"inlineData": {"mimeType": "image/png", "data": "aGk="}});
    let prune_images = [&TINY[..], &["--set=contextPruning.images=prune"]].concat();
    let body = |response: Value| {
        gemini(
            json!([{"functionCall": {"name": "f", "args": {}}}]),
            json!([{"functionResponse": response}]),
        )
    };
    let beside = body(json!({"name": "f", "response": {"output": "see"}, "parts": [image]}));
    assert_eq!(prune(&beside, &TINY), beside);
    let gone = body(
        json!({"name": "f", "response": {"output": "see\n[image removed during context pruning]"}}),
    );
    assert_eq!(
        prune(
            &beside,
            &[
                &prune_images[..],
                &["--set=contextPruning.softTrim.maxChars=100"]
            ]
            .concat()
        ),
        gone
    );
    // Where a cut could not take the image with it, nothing is cut.
    let before = body(json!({"name": "f", "parts": [image], "response": {"output": LONG}}));
    assert_eq!(prune(&before, &prune_images), before);
    let other = body(
        json!({"name": "f", "response": {"output": LONG}, "parts": [{"inlineData": {"mimeType": "audio/wav", "data": "aGk="}}]}),
    );
    assert_eq!(prune(&other, &prune_images), other);
}

#[test]
fn gemini_shapes() {
    for contents in [
        json!("hi"),
        json!({"parts": {"text": "hi"}}),
        json!({"role": "user", "parts": [{"text": "hi"}]}),
        json!([{"parts": [{"text": "hi"}]}]),
    ] {
        let reported = report(&json!({"contents": contents}), &["--mode=adaptive"]);
        assert_eq!(
            (&reported["input"]["format"], &reported["before"]["chars"]),
            (&json!("gemini"), &json!(2)),
            "{contents}"
        );
        assert_eq!(reported["warnings"], json!([]), "{contents}");
    }
    let odd = report(
        &json!({"contents": [{"parts": [{"text": "a"}, {"hologram": {}}, {"inlineData": {"data": "", "mimeType": "image/png"}}]}]}),
        &[],
    );
    assert_eq!(
        odd["warnings"][0]["text"],
        "1 × part with hologram: unknown, passed through"
    );
}

/// A Converse body: a question, a call with `content` as its result, and two answers.
fn converse(content: Value, status: &str) -> Value {
    json!({
        "system": [{"text": "be brief"}, {"cachePoint": {"type": "default"}}],
        "messages": [
            {"role": "user", "content": [{"text": "do it"}]},
            {"role": "assistant", "content": [
                {"reasoningContent": {"reasoningText": {"text": "so", "signature": "c2ln"}}},
                {"toolUse": {"toolUseId": "a", "name": "f", "input": {"n": 1.0}}},
                {"toolUse": {"toolUseId": "b", "name": "g", "input": {}}}
            ]},
            {"role": "user", "content": [
                {"toolResult": {"toolUseId": "a", "content": content, "status": status}},
                {"toolResult": {"toolUseId": "b", "content": [{"text": "ok"}]}},
                {"cachePoint": {"type": "default"}}
            ]},
            {"role": "assistant", "content": [{"text": "done"}]},
            {"role": "user", "content": [{"text": "thanks"}]}
        ],
        "modelId": "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
    })
}

#[test]
fn converse_results() {
    let note = |head: &str, chars: u32| json!([{"text": format!("{head}\n\n[Tool result trimmed: kept first 4 chars and last 4 chars of {chars} chars.]")}]);
    for (before, trimmed) in [
        (json!([{"text": LONG}]), json!([{"text": TRIMMED}])),
        (
            json!([{"json": {"rows": [LONG]}}]),
            note("{\"ro\n...\n0\"]}", 78),
        ),
        (
            json!([{"json": 2.50}, {"text": LONG}, {"json": 1.0}]),
            note("2.5\n\n...\n10\n1.0", 71),
        ),
    ] {
        for status in ["success", "error"] {
            assert_eq!(
                prune(&converse(before.clone(), status), &TINY),
                converse(trimmed.clone(), status)
            );
            let mut cleared = converse(json!([{"text": CLEARED}]), status);
            cleared["messages"][2]["content"][1]["toolResult"]["content"][0]["text"] =
                CLEARED.into();
            assert_eq!(prune(&converse(before.clone(), status), &CLEAR), cleared);
        }
    }
    let reported = report(&converse(json!([{"text": LONG}]), "success"), &TINY);
    assert_eq!(
        (&reported["input"]["format"], &reported["provider"]),
        (&json!("bedrock-converse"), &json!("amazon-bedrock"))
    );
    assert_eq!(
        (&reported["cuts"][0]["tool"], &reported["cuts"][0]["callId"]),
        (&json!("f"), &json!("a"))
    );
    assert_eq!(reported["window"]["source"], "flag");
    assert_eq!(
        report(&converse(json!([]), "success"), &[])["window"]["source"],
        "registry"
    );
}

#[test]
fn converse_images_and_documents() {
    let image = json!({"image": {"format": "png", "source": {"bytes": "aGk="}}});
    let body = |content: Value| converse(content, "success");
    let before = body(json!([{"text": "see"}, image]));
    assert_eq!(prune(&before, &TINY), before);
    let args = [
        &TINY[..],
        &[
            "--set=contextPruning.images=prune",
            "--set=contextPruning.softTrim.maxChars=100",
        ],
    ]
    .concat();
    assert_eq!(
        prune(&before, &args),
        body(json!([{"text": "see\n[image removed during context pruning]"}]))
    );
    let document = body(
        json!([{"text": LONG}, {"document": {"name": "d", "format": "txt", "source": {"text": LONG}}}]),
    );
    assert_eq!(prune(&document, &args), document);
}

#[test]
fn neither_is_clocked() {
    for body in [
        gemini(
            json!([{"functionCall": {"name": "f"}}]),
            json!([{"functionResponse": {"name": "f", "response": {"output": LONG}}}]),
        ),
        converse(json!([{"text": LONG}]), "success"),
    ] {
        let reported = report(
            &body,
            &["--mode=cache-ttl", "--last-call=10h", "--context-window=10"],
        );
        assert_eq!(reported["decision"]["ran"], false);
        assert!(
            reported["decision"]["why"]
                .as_str()
                .unwrap()
                .contains("cache-ttl is for Anthropic calls"),
            "{}",
            reported["decision"]["why"]
        );
    }
}

#[test]
fn nesting_is_no_danger() {
    for (open, close) in [
        ("{\"toolResult\":{\"content\":[", "]}}"),
        ("{\"functionResponse\":{\"response\":", "}}"),
        ("{\"json\":", "}"),
        ("{\"type\":\"tool_result\",\"content\":[", "]}"),
    ] {
        for (format, head, tail) in [
            (
                "bedrock-converse",
                "{\"messages\":[{\"role\":\"user\",\"content\":[",
                "]}],\"toolConfig\":{}}",
            ),
            (
                "anthropic",
                "{\"system\":\"s\",\"messages\":[{\"role\":\"user\",\"content\":[",
                "]}]}",
            ),
            ("gemini", "{\"contents\":[{\"parts\":[", "]}]}"),
        ] {
            let body = format!(
                "{head}{}{{}}{}{tail}",
                open.repeat(100_000),
                close.repeat(100_000)
            );
            let args = ["prune", "-q", "--mode=aggressive", "--format", format];
            for args in [&args[..3], &args] {
                let output = deadhead()
                    .args(args)
                    .write_stdin(body.clone())
                    .output()
                    .unwrap();
                let reported = String::from_utf8_lossy(&output.stderr);
                // Most of these are of no kind that the format has.
                let refused = output.status.code() == Some(2)
                    && output.stdout.is_empty()
                    && reported.lines().count() == 1;
                assert!(
                    refused || output.status.success() && output.stdout == body.as_bytes(),
                    "{reported}"
                );
            }
        }
    }
}
