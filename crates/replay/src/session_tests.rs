#![allow(clippy::unwrap_used)]

use super::*;
use crate::steps::RemovalReason;
use deadhead_core::internal::dialect::by_name;

/// The threads of a log: `+line` where a message comes (`~` where it continues), `-n` where so many stay, `=line` where it replaces the first one, `/n` where branch n
/// goes on, `!` where a call is made.
pub(super) fn threads(format: &str, lines: &[&str]) -> Vec<String> {
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
        Step::Branch(to, ends) => format!("/{to}{}", if ends { "." } else { "" }),
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
