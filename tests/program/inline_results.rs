//! `deadhead check --repair` on histories in which a call holds its result: Gemini CLI's, as lines and as one document, and
//! OpenCode's, as an export and as a pretty-printer's stream.

use crate::repaired::{NONE, prunes, repaired};
use crate::support::deadhead;

/// A line of a Gemini CLI session.
fn gemini(id: &str, more: &str) -> String {
    let kind = if more.contains("toolCalls") || more.contains("functionCall") {
        "gemini"
    } else {
        "user"
    };
    format!(r#"{{"id":"{id}","timestamp":"t{id}","type":"{kind}",{more}}}"#)
}

/// The result of a call of Gemini CLI's, that says this under `key`.
fn response(call: &str, key: &str, text: &str) -> String {
    format!(
        r#"{{"functionResponse":{{"id":"{call}","name":"f","response":{{"{key}":"{text}"}}}}}}"#
    )
}

/// What a run without a result says of itself, and what it says when it is repaired.
fn without_result(id: &str) -> [(String, String); 7] {
    let none = |key: &str| format!(r#""result":[{}]"#, response(id, key, NONE));
    [
        (
            r#","status":"executing""#.to_owned(),
            format!(r#","status":"cancelled",{}"#, none("error")),
        ),
        (
            r#","status":"awaiting_approval","result":null"#.to_owned(),
            format!(r#","status":"cancelled",{}"#, none("error")),
        ),
        (
            r#","result":[],"status":"error""#.to_owned(),
            format!(r#",{},"status":"error""#, none("error")),
        ),
        (
            r#","result":"","status":"success""#.to_owned(),
            format!(r#",{},"status":"success""#, none("output")),
        ),
        (String::new(), format!(",{}", none("error"))),
        // Something that is no response stays.
        (
            r#","result":[{"text":"x"}]"#.to_owned(),
            format!(
                r#","result":[{},{{"text":"x"}}]"#,
                response(id, "error", NONE)
            ),
        ),
        (
            r#","result":{"text":"x"}"#.to_owned(),
            format!(
                r#","result":[{},{{"text":"x"}}]"#,
                response(id, "error", NONE)
            ),
        ),
    ]
}

#[test]
fn gemini_cli_gives_each_run_its_result() {
    let run =
        |id: &str, more: &str| format!(r#"{{"id":"{id}","name":"f","args":{{"x":1.0}}{more}}}"#);
    let done = |id: &str| {
        run(
            id,
            &format!(
                r#","result":[{}],"status":"success""#,
                response(id, "output", &format!("of {id}"))
            ),
        )
    };
    let runs = |runs: &[String]| {
        format!(
            r#""content":"","toolCalls":[{}],"model":"gemini-3-pro""#,
            runs.join(", ")
        )
    };
    let head =
        r#"{"sessionId":"s","projectHash":"p","startTime":"2026-01-01T00:00:00Z","kind":"main"}"#;
    let user = |id: &str| gemini(id, r#""content":[{"text":"\u00e9"}]"#);
    for case in 0..without_result("").len() {
        // First, in the middle of three, and last; the line before is an older one of the same id.
        let messages = |of: &dyn Fn(&str) -> String| {
            [
                user("1"),
                gemini("2", &runs(&[of("a"), done("b")])),
                gemini("3", &runs(&[run("c", r#","status":"executing""#), of("d")])),
                gemini("3", &runs(&[done("c"), of("d"), done("e")])),
                user("4"),
                gemini("5", &runs(&[done("g"), of("h")])),
                user("6"),
            ]
        };
        let broken = messages(&|id| run(id, &without_result(id)[case].0));
        let mut want = messages(&|id| run(id, &without_result(id)[case].1));
        want[2].clone_from(&broken[2]);
        let lines = |messages: &[String]| format!("{head}\n{}", messages.join("\n"));
        let copy = repaired(&lines(&broken));
        assert_eq!(copy, lines(&want));
        prunes(&copy);
        let document = |messages: &[String]| {
            let messages = messages
                .iter()
                .enumerate()
                .filter(|(i, _)| *i != 2)
                .map(|(_, m)| m.as_str())
                .collect::<Vec<_>>();
            format!(
                "{{\n  \"sessionId\": \"s\",\n  \"projectHash\": \"p\",\n  \"messages\": [{}]\n}}\n",
                messages.join(",\n    ")
            )
        };
        let copy = repaired(&document(&broken));
        assert_eq!(copy, document(&want));
        prunes(&copy);
        // A checkpoint of all messages.
        let set = |messages: &[String]| {
            format!(
                "{head}\n{{\"$set\":{{\"messages\":[{},{}]}}}}\n{}\n",
                user("1"),
                messages[1],
                messages[4]
            )
        };
        assert_eq!(repaired(&set(&broken)), set(&want));
    }
}

#[test]
fn gemini_cli_makes_a_run_of_a_call_in_the_content() {
    let head = r#"{"sessionId":"s","projectHash":"p"}"#;
    let call = |id: &str| {
        format!(
            r#"{{"functionCall":{{"id":"{id}","name":"f","args":{{"x": 1.0}}}},"thoughtSignature":"c2ln"}}"#
        )
    };
    let made = |id: &str, turn: &str| {
        format!(
            r#"{{"id":"{id}","name":"f","args":{{"x": 1.0}},"result":[{}],"status":"cancelled","timestamp":"t{turn}"}}"#,
            response(id, "error", NONE)
        )
    };
    let user = gemini("9", r#""content":[{"text":"y"}]"#);
    let both = format!(r#""content":[{}, {}]"#, call("a"), call("b"));
    let answer = gemini(
        "3",
        &format!(r#""content":[{}]"#, response("b", "output", "of b")),
    );
    let run = |status: &str, result: &str| {
        format!(r#"{{"id":"b","name":"f","args":{{"x":1.0}},"status":"{status}"{result}}}"#)
    };
    let open = run("executing", "");
    let ended = run(
        "cancelled",
        &format!(r#","result":[{}]"#, response("b", "error", NONE)),
    );
    for (first, after, repaired_first) in [
        (
            both.clone(),
            &user,
            format!(
                r#"{both},"toolCalls":[{},{}]"#,
                made("a", "2"),
                made("b", "2")
            ),
        ),
        // The user's message holds the result of the other.
        (
            both.clone(),
            &answer,
            format!(r#"{both},"toolCalls":[{}]"#, made("a", "2")),
        ),
        // The record of one run is there.
        (
            format!(r#"{both},"toolCalls":[{open}]"#),
            &user,
            format!(r#"{both},"toolCalls":[{ended},{}]"#, made("a", "2")),
        ),
        (
            format!(r#"{both},"toolCalls":[]"#),
            &answer,
            format!(r#"{both},"toolCalls":[{}]"#, made("a", "2")),
        ),
    ] {
        // What is last may still be running.
        let lines = |first: &str| {
            [
                head,
                &user,
                &gemini("2", first),
                after,
                &gemini("4", &both.replace(r#""a""#, r#""c""#)),
                "",
            ]
            .join("\n")
        };
        let copy = repaired(&lines(&first));
        assert_eq!(copy, lines(&repaired_first));
        prunes(&copy);
    }
}

#[test]
fn gemini_cli_keeps_the_results_of_each_call() {
    let stray = response("nobody", "output", "z");
    let own = response("a", "output", "of a");
    let with = |result: &str| {
        let run =
            format!(r#"{{"id":"a","name":"f","args":{{}},"result":{result},"status":"success"}}"#);
        [
            gemini("1", r#""content":"x""#),
            gemini("2", &format!(r#""content":"","toolCalls":[{run}]"#)),
            gemini("3", r#""content":"y""#),
        ]
        .join("\n")
    };
    assert_eq!(
        repaired(&with(&format!("[{stray},{own}]"))),
        with(&format!("[{own}]"))
    );
    // A resume of Gemini CLI 0.61.0 doubles results, and its next resume loads them.
    let doubled = with(&format!("[{own}, {own}]"));
    assert_eq!(repaired(&doubled), doubled);
    let bound = response("a", "output", "z");
    assert_eq!(
        repaired(&with(&format!("[{stray}]"))),
        with(&format!("[{bound}]"))
    );
    assert_eq!(repaired(&with(&stray)), with(&bound));
}

/// What the state of a tool is, and what it is when it is repaired; messages were begun at 7 and done at 9.
fn broken_off() -> [(&'static str, String); 7] {
    let said = format!(r#""error":"{NONE}""#);
    [
        (
            r#"{"status":"pending","input":{},"raw":"{"}"#,
            format!(
                r#"{{"status":"error","input":{{}},"raw":"{{",{said},"time":{{"start":9,"end":9}}}}"#
            ),
        ),
        (
            r#"{ "status" : "running", "input":{"c":1.0}, "metadata":{"output":"half"}, "time": {"start": 5} }"#,
            format!(
                r#"{{ "status" : "error", "input":{{"c":1.0}}, "metadata":{{"output":"half"}}, "time": {{"start": 5,"end":5}},{said} }}"#
            ),
        ),
        (
            r#"{"status":"completed","input":{},"title":"t","time":{"start":5,"end":6}}"#,
            format!(
                r#"{{"status":"completed","input":{{}},"title":"t","time":{{"start":5,"end":6}},"output":"{NONE}"}}"#
            ),
        ),
        (
            r#"{"status":"error","input":{},"time":{"start":5,"end":6}}"#,
            format!(r#"{{"status":"error","input":{{}},"time":{{"start":5,"end":6}},{said}}}"#),
        ),
        (
            r#"{"status":"error","error":null,"input":{}}"#,
            format!(r#"{{"status":"error",{said},"input":{{}},"time":{{"start":9,"end":9}}}}"#),
        ),
        (
            "null",
            format!(r#"{{"status":"error","input":{{}},{said},"time":{{"start":9,"end":9}}}}"#),
        ),
        (
            "{}",
            format!(r#"{{"status":"error",{said},"time":{{"start":9,"end":9}}}}"#),
        ),
    ]
}

#[test]
fn opencode_ends_what_was_broken_off() {
    let cases = broken_off();
    let done = r#"{"status":"completed","input":{},"output":"fine","title":"t","metadata":{},"time":{"start":1,"end":2}}"#;
    let tool = |id: &str, state: &str| {
        format!(
            r#"{{"id":"prt_{id}","type":"tool","callID":"{id}","tool":"bash","state":{state}}}"#
        )
    };
    let user = |id: &str| {
        format!(
            r#"{{"info":{{"id":"{id}","role":"user","time":{{"created":1}}}},"parts":[{{"type":"text","text":"\u00e9"}}]}}"#
        )
    };
    let model = |id: &str, tools: &[String]| {
        let time = r#""time":{"created":7,"completed":9}"#;
        format!(
            r#"{{"info":{{"id":"{id}","role":"assistant",{time},"modelID":"m","providerID":"p"}},"parts":[{{"type":"step-start"}}, {}]}}"#,
            tools.join(", ")
        )
    };
    for (broken, whole) in &cases {
        // First, in the middle of three, and last; then in the first of two steps.
        let step = r#"{"type":"step-start"}"#.to_owned();
        let messages = |state: &str| {
            [
                user("u1"),
                model("m1", &[tool("a", state), tool("b", done)]),
                model("m2", &[tool("c", done), tool("d", state), tool("e", done)]),
                user("u2"),
                model("m3", &[tool("f", done), tool("g", state)]),
                model("m4", &[tool("h", state), step.clone(), tool("i", done)]),
                user("u3"),
            ]
        };
        let export = |state: &str| {
            format!(
                "{{\"info\":{{\"id\":\"ses\"}},\"messages\":[{}]}}",
                messages(state).join(", ")
            )
        };
        let copy = repaired(&export(broken));
        assert_eq!(copy, export(whole));
        prunes(&copy);
        // A pretty-printer's stream, in which only white space differs.
        let stream = |state: &str| {
            messages(state)
                .map(|m| m.replacen(",\"parts\":[", ",\n  \"parts\": [\n    ", 1))
                .join("\n")
        };
        let copy = repaired(&stream(broken));
        assert_eq!(copy, stream(whole));
        prunes(&copy);
    }
    // What is last may still be running.
    let running = format!(
        "{}\n{}\n",
        user("u1"),
        model("m1", &[tool("a", cases[1].0)])
    );
    assert_eq!(repaired(&running), running);
}

#[test]
fn gemini_cli_is_pruned_where_a_patch_is_and_not_repaired_there() {
    let head = r#"{"sessionId":"s","projectHash":"p"}"#;
    let user = |id: &str| gemini(id, r#""content":[{"text":"x"}]"#);
    let run = |id: &str, text: &str| {
        format!(
            r#"{{"id":"{id}","name":"f","args":{{}},"result":[{}]}}"#,
            response(id, "output", text)
        )
    };
    let open = r#"{"id":"c","name":"f","args":{},"status":"executing"}"#;
    let model = gemini(
        "2",
        &format!(r#""content":"","toolCalls":[{}, {open}]"#, run("a", "old")),
    );
    let said = "so it says ".repeat(500);
    let patch = |text: &str| {
        let update = format!(
            r#"{{"id":"2","content":"so","toolCalls":[{{"id":"a","result":[{}]}}]}}"#,
            response("a", "output", text)
        );
        format!(r#"{{"$patch":{{"updates":[{update}]}}}}"#)
    };
    let lines = |text: &str| {
        [
            head,
            &user("1"),
            &model,
            &user("3"),
            &patch(text),
            &user("4"),
            "",
        ]
        .join("\n")
    };
    let broken = lines(&said);
    let run = |args: &[&str]| {
        let output = deadhead()
            .args(args)
            .write_stdin(broken.clone())
            .output()
            .unwrap();
        (
            String::from_utf8(output.stdout).unwrap(),
            output.status.code(),
        )
    };
    let (reported, code) = run(&["check"]);
    assert!(
        code == Some(1)
            && reported.contains("E01")
            && reported.contains("several records")
            && !reported.contains("--repair"),
        "{reported}"
    );
    assert_eq!(run(&["check", "--repair", "-q"]), (broken.clone(), Some(1)));
    let cut = run(&[
        "prune",
        "-q",
        "--mode=aggressive",
        "--set=contextPruning.keepLastAssistants=0",
    ]);
    assert_eq!(cut, (lines("[Old tool result content cleared]"), Some(0)));
}
