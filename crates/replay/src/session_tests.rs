#![allow(clippy::unwrap_used)]

use super::*;
use crate::steps::RemovalReason;
use deadhead_core::internal::dialect::by_name;

/// The threads of a log: `+line` where a message comes (`~` where it continues), `-n` where so many stay, `=line` where it replaces the first one, `/n` where branch n
/// goes on, `!` where a call is made.
fn threads(format: &str, lines: &[&str]) -> Vec<String> {
    let session = Session::read(lines.join("\n").into_bytes(), by_name(format).unwrap()).unwrap();
    let reported = |step: &Step| match *step {
        Step::Keep(n, why) => format!(
            "-{n}{}",
            if why == RemovalReason::Compaction {
                "c"
            } else {
                "b"
            }
        ),
        Step::Push { message, continues } => {
            format!(
                "{}{}",
                if continues { "~" } else { "+" },
                session.transcript.messages[message as usize].line
            )
        }
        Step::Summary(message) => {
            format!("={}", session.transcript.messages[message as usize].line)
        }
        Step::Branch(to) => format!("/{to}"),
        Step::Call(number) => format!(
            "!{}",
            session.transcript.messages[session.calls[number as usize].message as usize].line
        ),
    };
    session
        .threads
        .iter()
        .map(|steps| steps.iter().map(reported).collect::<Vec<_>>().join(" "))
        .collect()
}

fn pi(id: &str, parent: &str, message: &str) -> String {
    format!(
        r#"{{"type":"message","id":"{id}","parentId":"{parent}","timestamp":"2026-01-01T00:00:00Z","message":{message}}}"#
    )
}

#[path = "branch_tests.rs"]
mod branch_tests;

const SAID: &str = r#"{"role":"assistant","content":[],"usage":{"input":9,"output":1}}"#;
const ASKED: &str = r#"{"role":"user","content":"x"}"#;

#[test]
fn a_branch_returns_to_its_fork() {
    let lines = [
        pi("a", "", ASKED),
        pi("b", "a", SAID),
        pi("c", "b", ASKED),
        pi("d", "c", SAID),
        pi("e", "b", ASKED),
        pi("f", "e", SAID),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(threads("openclaw", &lines), ["+1 !2 +2 +3 !4 -2b +5 !6"]);
}

#[test]
fn a_compaction_keeps_from_its_first_entry_and_a_branch_may_go_behind_it() {
    let compaction = r#"{"type":"compaction","id":"k","parentId":"d","timestamp":"2026-01-01T00:00:00Z","summary":"s","firstKeptEntryId":"c"}"#;
    let lines = [
        pi("a", "", ASKED),
        pi("b", "a", SAID),
        pi("c", "b", ASKED),
        pi("d", "c", SAID),
        compaction.to_owned(),
        pi("e", "k", ASKED),
        pi("f", "e", SAID),
        pi("g", "b", ASKED),
        pi("h", "g", SAID),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(
        threads("openclaw", &lines),
        ["+1 !2 +2 +3 !4 +4 -0c +5 +3 +4 +6 !7 -0b +1 +2 +8 !9"]
    );
}

#[test]
fn answers_without_a_count_that_were_broken_off_are_no_calls() {
    let aborted = r#"{"role":"assistant","content":[],"usage":{"input":0,"output":0},"stopReason":"aborted"}"#;
    let text = [
        pi("a", "", ASKED),
        pi("b", "a", aborted),
        pi("c", "b", ASKED),
        pi("d", "c", SAID),
    ]
    .join("\n");
    let session = Session::read(text.into_bytes(), by_name("openclaw").unwrap()).unwrap();
    assert_eq!((session.calls.len(), session.unanswered), (1, 1));
}

#[test]
fn pieces_are_one_call_and_a_sidechain_is_a_thread_of_its_own() {
    let line = |uuid: &str, parent: &str, side: bool, kind: &str, message: &str| {
        let parent = if parent.is_empty() {
            "null".to_owned()
        } else {
            format!("\"{parent}\"")
        };
        format!(
            r#"{{"type":"{kind}","uuid":"{uuid}","parentUuid":{parent},"isSidechain":{side},"timestamp":"2026-01-01T00:00:00Z","sessionId":"s","message":{message}}}"#
        )
    };
    let said = |id: &str, call: &str| {
        format!(
            r#"{{"id":"{id}","role":"assistant","model":"claude-x","content":[{{"type":"tool_use","id":"{call}","name":"t","input":{{}}}}],"usage":{{"input_tokens":9,"output_tokens":1}}}}"#
        )
    };
    let result = |call: &str| {
        format!(
            r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{call}","content":"r"}}]}}"#
        )
    };
    let lines = [
        line("a", "", false, "user", ASKED),
        line("b", "a", false, "assistant", &said("m1", "c1")),
        line("c", "b", false, "assistant", &said("m1", "c2")),
        line("s", "", true, "user", ASKED),
        line("t", "s", true, "assistant", &said("m2", "c3")),
        // The first result hangs beside the path, which leads through the last.
        line("d", "b", false, "user", &result("c1")),
        line("e", "c", false, "user", &result("c2")),
        line("f", "e", false, "assistant", &said("m3", "c4")),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(
        threads("claude-code", &lines),
        ["+1 !2 +2 ~3 +6 +7 !8", "+4 !5"]
    );
}

#[test]
fn codex_counts_make_the_calls() {
    let item = |payload: &str| {
        format!(
            r#"{{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{payload}}}"#
        )
    };
    let call = |id: &str| {
        item(&format!(
            r#"{{"type":"function_call","name":"t","arguments":"{{}}","call_id":"{id}"}}"#
        ))
    };
    let output = |id: &str| {
        item(&format!(
            r#"{{"type":"function_call_output","call_id":"{id}","output":"o"}}"#
        ))
    };
    let user =
        item(r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}"#);
    let count = |total: u64| {
        format!(
            r#"{{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{{"type":"token_count","info":{{"total_token_usage":{{"total_tokens":{total}}},"last_token_usage":{{"input_tokens":5,"output_tokens":1}}}}}}}}"#
        )
    };
    // One request made both calls, although the first was answered before the second came.
    let lines = [
        user.clone(),
        call("1"),
        output("1"),
        call("2"),
        count(6),
        output("2"),
        call("3"),
        count(12),
        user,
        call("4"),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(threads("codex", &lines), ["+1 !2 +2 +3 +4 +6 !7"]);
}

/// A record of Gemini CLI's.
fn gemini(id: &str, kind: &str, more: &str) -> String {
    let tokens = if kind == "gemini" {
        r#","tokens":{"input":9,"output":1,"cached":4,"thoughts":2}"#
    } else {
        ""
    };
    format!(r#"{{"id":"{id}","timestamp":"2026-01-01T00:00:00Z","type":"{kind}"{tokens}{more}}}"#)
}

/// The result of a call of Gemini CLI's.
fn came(call: &str, said: &str) -> String {
    format!(
        r#"{{"functionResponse":{{"id":"{call}","name":"t","response":{{"output":"{said}"}}}}}}"#
    )
}

/// A message of the user's in a log of Gemini CLI's.
fn gemini_user(id: &str, said: &str) -> String {
    gemini(id, "user", &format!(r#","content":[{{"text":"{said}"}}]"#))
}

/// A message of the user's that is the result of a call.
fn gemini_twin(id: &str, call: &str, said: &str) -> String {
    gemini(id, "user", &format!(r#","content":[{}]"#, came(call, said)))
}

/// A run of a call, as a member of its message.
fn ran(call: &str, said: &str) -> String {
    format!(
        r#","toolCalls":[{{"id":"{call}","name":"t","args":{{}},"result":[{}]}}]"#,
        came(call, said)
    )
}

/// A record that replaces all messages.
fn set(messages: &[String]) -> String {
    format!(r#"{{"$set":{{"messages":[{}]}}}}"#, messages.join(","))
}

/// A record that gives a call of a message another result.
fn patched(id: &str, call: &str, said: &str) -> String {
    format!(
        r#"{{"$patch":{{"updates":[{{"id":"{id}","toolCalls":[{{"id":"{call}","result":[{}]}}]}}]}}}}"#,
        came(call, said)
    )
}

#[test]
fn gemini_cli_writes_messages_again() {
    let (user, twin) = (gemini_user, gemini_twin);
    let model = |id: &str, more: &str| gemini(id, "gemini", &format!(r#","content":"so"{more}"#));
    let first = [
        user("u", "x"),
        model("g", ""),
        model("g", &ran("c", "long")),
    ];
    let rest = |more: &[String]| [&first[..], more].concat();
    let short = model("g", &ran("c", "s"));
    for (lines, want) in [
        // The call is the last record of its answer, and is made once.
        (rest(&[model("h", "")]), "+1 !3 +3 +3 !4"),
        (
            rest(&[model("g", &ran("c", "other")), model("h", "")]),
            "+1 !4 +4 +4 !5",
        ),
        // Of two copies of a result the user's message counts.
        (
            rest(&[twin("r", "c", "long"), model("h", "")]),
            "+1 !3 +3 +4 !5",
        ),
        // What was never sent before the rewind is in no context; what was sent is a branch.
        (
            rest(&[
                user("v", "y"),
                r#"{"$rewindTo":"v"}"#.to_owned(),
                user("w", "z"),
                model("h", ""),
            ]),
            "+1 !3 +3 +3 +6 !7",
        ),
        (
            rest(&[
                model("h", ""),
                r#"{"$rewindTo":"g"}"#.to_owned(),
                user("w", "z"),
                model("i", ""),
            ]),
            "+1 !3 +3 +3 !4 -1b +6 !7",
        ),
        // All messages written again as they were change nothing, nor are they calls.
        (
            rest(&[
                model("h", ""),
                set(&[first[0].clone(), first[2].clone(), model("h", "")]),
                model("i", ""),
            ]),
            "+1 !3 +3 +3 !4 +4 !6",
        ),
        // The agent has cut a result: the context is another from there on.
        (
            rest(&[
                model("h", ""),
                set(&[first[0].clone(), short, model("h", "")]),
                model("i", ""),
            ]),
            "+1 !3 +3 +3 !4 -2b +5 +5 !6",
        ),
        (
            rest(&[model("h", ""), patched("g", "c", "s"), model("i", "")]),
            "+1 !3 +3 +3 !4 -2b +5 +4 !6",
        ),
        // A summary in place of everything.
        (
            rest(&[
                set(&[user("s", "summary"), user("v", "go")]),
                model("h", ""),
            ]),
            "+1 !3 +3 -0c +4 +4 !5",
        ),
        // What the agent wrote in the model's place is no call.
        (
            rest(&[
                r#"{"id":"a","type":"gemini","content":"Got it.","tokens":null}"#.to_owned(),
                user("v", "y"),
                model("h", ""),
            ]),
            "+1 !3 +3 +3 +4 +5 !6",
        ),
    ] {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(threads("gemini-cli", &lines), [want], "{lines:#?}");
    }
}

#[test]
fn gemini_cli_counts_what_was_cached_in_the_input_and_thoughts_beside_the_output() {
    let whole = format!(
        r#"{{"sessionId":"s","messages":[{},{}]}}"#,
        gemini("u", "user", r#","content":"x""#),
        gemini("g", "gemini", r#","content":"y","model":"gemini-3-pro""#)
    );
    for text in [whole.clone(), whole.replace(",\"", ",\n\"")] {
        let session = Session::read(text.into_bytes(), by_name("gemini-cli").unwrap()).unwrap();
        let usage = session.calls[0].usage.unwrap();
        assert_eq!((usage.input, usage.cache_read, usage.output), (5, 4, 3));
        assert_eq!(
            (
                session.model(&session.calls[0]),
                session.provider(&session.calls[0])
            ),
            ("gemini-3-pro", "google")
        );
    }
    let uncounted = Session::read(
        gemini("u", "user", r#","content":"x""#).into_bytes(),
        by_name("gemini-cli").unwrap(),
    );
    assert!(uncounted.is_err_and(|error| {
        error
            .to_string()
            .starts_with("this log records no token counts (gemini-cli)")
    }));
}

/// A message of OpenCode's on a line: its id, its role, further members of its info and its parts.
fn opencode(id: &str, role: &str, more: &str, parts: &[&str]) -> String {
    format!(
        r#"{{"info":{{"id":"{id}","role":"{role}"{more}}},"parts":[{}]}}"#,
        parts.join(",")
    )
}

const TEXT: &str = r#"{"type":"text","text":"x"}"#;
const START: &str = r#"{"type":"step-start"}"#;
const TOOL: &str = r#"{"type":"tool","callID":"c","tool":"t","state":{"status":"completed","input":{},"output":"o"}}"#;
const FINISH: &str = r#"{"type":"step-finish","tokens":{"input":9,"output":1,"reasoning":2,"cache":{"read":4,"write":3}}}"#;
const TOKENS: &str = r#","tokens":{"input":9,"output":1,"cache":{"read":4}}"#;
const STEPS: &[&str] = &[
    START, TEXT, TOOL, FINISH, START, FINISH, START, TEXT, FINISH,
];

fn opencode_user(id: &str) -> String {
    opencode(id, "user", "", &[TEXT])
}

fn opencode_said(id: &str) -> String {
    opencode(id, "assistant", TOKENS, &[TEXT])
}

#[test]
fn opencode_steps_are_calls() {
    let (user, said) = (opencode_user, opencode_said);
    let uncounted = [START, TEXT, TOOL, START, TEXT];
    let failed = opencode(
        "f",
        "assistant",
        &format!(r#"{TOKENS},"error":{{"name":"APIError"}}"#),
        &[TEXT],
    );
    for (lines, want) in [
        (
            vec![
                user("u"),
                opencode("a", "assistant", "", STEPS),
                user("v"),
                said("b"),
            ],
            "+1 !2 +2 +2 !2 +2 +3 !4",
        ),
        // Without counts of its steps the last one is counted.
        (
            vec![
                user("u"),
                opencode("a", "assistant", TOKENS, &uncounted),
                user("v"),
                said("b"),
            ],
            "+1 +2 +2 !2 +2 +3 !4",
        ),
        (vec![user("u"), failed, said("a")], "+1 !3"),
    ] {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(threads("opencode", &lines), [want], "{lines:#?}");
    }
    let session = Session::read(
        opencode("a", "assistant", "", STEPS).into_bytes(),
        by_name("opencode").unwrap(),
    )
    .unwrap();
    let counts = session
        .calls
        .iter()
        .filter_map(|call| call.usage)
        .map(|usage| (usage.input, usage.cache_read, usage.writes(), usage.output));
    assert_eq!(counts.collect::<Vec<_>>(), [(9, 4, 3, 3); 2]);
}

#[test]
fn opencode_begins_anew_after_a_compaction() {
    let (user, said) = (opencode_user, opencode_said);
    let asks = |tail: &str| {
        opencode(
            "c",
            "user",
            "",
            &[&format!(r#"{{"type":"compaction"{tail}}}"#)],
        )
    };
    let summary = opencode(
        "s",
        "assistant",
        &format!(r#","parentID":"c","summary":true,"finish":"stop"{TOKENS}"#),
        &[TEXT],
    );
    for (lines, want) in [
        (
            vec![
                user("u"),
                said("a"),
                asks(""),
                summary.clone(),
                user("w"),
                said("b"),
            ],
            "+1 !2 +2 +3 !4 +4 -0c +3 +4 +5 !6",
        ),
        (
            vec![
                user("u"),
                said("a"),
                user("v"),
                said("b"),
                asks(r#","tail_start_id":"v""#),
                summary.clone(),
                said("d"),
            ],
            "+1 !2 +2 +3 !4 +4 +5 !6 +6 -0c +3 +4 +5 +6 !7",
        ),
        // A copy of a message is no other request.
        (
            vec![
                user("u"),
                said("a"),
                user("v"),
                said("b"),
                asks(r#","tail_start_id":"u""#),
                summary,
                said("d"),
            ],
            "+1 !2 +2 +3 !4 +4 +5 !6 +6 !7",
        ),
    ] {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(threads("opencode", &lines), [want], "{lines:#?}");
    }
}

#[test]
fn cline_counts_what_was_cached_in_the_input() {
    let said = r#"{"role":"assistant","content":[{"type":"text","text":"x"}],"modelInfo":{"id":"anthropic/claude-a","provider":"cline"},"ts":7,"metrics":{"inputTokens":21,"outputTokens":8,"cacheReadTokens":3,"cacheWriteTokens":1,"cost":0.13}}"#;
    let file = |message: &str| {
        format!(
            r#"{{"version":1,"sessionId":"s","messages":[{{"role":"user","content":"x","ts":2}},{message}]}}"#
        )
    };
    let read = |text: String| Session::read(text.into_bytes(), by_name("cline").unwrap());
    let session = read(file(said)).unwrap();
    let call = session.calls[0];
    let usage = call.usage.unwrap();
    assert_eq!(
        (
            usage.input,
            usage.cache_read,
            usage.writes(),
            usage.output,
            usage.is_long()
        ),
        (17, 3, 1, 8, None)
    );
    assert_eq!(
        (call.start, call.end, call.usd),
        (Some(2), Some(7), Some(0.13))
    );
    assert_eq!(
        (session.model(&call), session.provider(&call)),
        ("anthropic/claude-a", "anthropic")
    );
    // Histories from before have no counts, or one count for what was read and what was written.
    for older in [
        r#""metrics":null"#,
        r#""metrics":{"tokens":{"prompt":3,"completion":1,"cached":9},"cost":0.1}"#,
    ] {
        let error = read(format!(
            "[{{\"role\":\"assistant\",\"content\":\"x\",\"ts\":7,{older}}}]"
        ))
        .unwrap_err()
        .to_string();
        assert!(
            error.contains("no token counts (cline): ") && error.contains("ui_messages.json"),
            "{error}"
        );
    }
}
