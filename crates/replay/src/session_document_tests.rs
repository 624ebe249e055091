//! Sessions that agents write as one document: OpenCode's export and Cline's history.
#![allow(clippy::unwrap_used)]

use super::tests::threads;
use super::*;
use deadhead_core::internal::dialect::by_name;

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
