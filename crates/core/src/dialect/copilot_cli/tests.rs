//! Reading of Copilot CLI events: counted messages, copies of results, compactions.

use crate::dialect::lines_tests;
use crate::dialect::lines_tests::messages;
use crate::json::Id;
use crate::transcript::{BlockKind, Flags, Role, Transcript};

fn read(lines: &str) -> Transcript {
    lines_tests::read("copilot-cli", lines)
}

const SESSION: &str = r#"{"type":"session.start","data":{"sessionId":"s"},"id":"1","timestamp":"2026-01-01T00:00:00Z","parentId":null}
{"type":"user.message","data":{"content":"hi","transformedContent":"<now>hi","attachments":[]},"id":"2","timestamp":"2026-01-01T00:00:01Z"}
{"type":"assistant.message","data":{"messageId":"m","model":"claude-sonnet-4.6","content":"so","toolRequests":[{"toolCallId":"a","name":"bash","arguments":{"c":1}},{"toolCallId":"b","name":"view","arguments":{}}],"reasoningText":"hmm"},"id":"3","timestamp":"2026-01-01T00:00:02Z"}
{"type":"tool.execution_start","data":{"toolCallId":"a","toolName":"bash","arguments":{"c":1}},"id":"4","timestamp":"2026-01-01T00:00:03Z"}
{"type":"tool.execution_complete","data":{"toolCallId":"a","success":true,"result":{"content":"four","detailedContent":"a longer one"}},"id":"5","timestamp":"2026-01-01T00:00:04Z"}
{"type":"tool.execution_complete","data":{"toolCallId":"b","success":false,"error":{"message":"no such file","code":"failure"}},"id":"6","timestamp":"2026-01-01T00:00:05Z"}
"#;

#[test]
fn copies_do_not_count() {
    use BlockKind::{Call, Result, Text, Thinking};
    let t = read(SESSION);
    assert_eq!(
        messages(&t),
        [
            (Role::User, 2),
            (Role::Assistant, 3),
            (Role::Tool, 5),
            (Role::Tool, 6)
        ]
    );
    let blocks: Vec<(BlockKind, u32)> = t.blocks.iter().map(|b| (b.kind, b.chars)).collect();
    assert_eq!(
        blocks,
        [
            (Text, 7),
            (Text, 2),
            (Call, 7),
            (Call, 2),
            (Thinking, 3),
            (Result, 0),
            (Text, 4),
            (Result, 0),
            (Text, 12)
        ]
    );
    assert_eq!(
        (t.tool_of(&t.blocks[5]), t.tool_of(&t.blocks[7])),
        ("bash", "view")
    );
    assert!(!t.blocks[5].flags.has(Flags::ERROR) && t.blocks[7].flags.has(Flags::ERROR));
    assert_eq!(
        (t.model.as_deref(), t.provider_name.as_deref()),
        (Some("claude-sonnet-4.6"), Some("github-copilot"))
    );
    assert_eq!(t.last_call, Some(1_767_225_602_000));
}

#[test]
fn a_summary_repeats_the_prompts_and_what_came_meanwhile_stays() {
    let compacted = r#"{"type":"session.compaction_complete","data":{"success":true,"summaryContent":"s"},"id":"7"}"#;
    let failed =
        r#"{"type":"session.compaction_complete","data":{"success":false,"error":"x"},"id":"7"}"#;
    assert_eq!(messages(&read(&format!("{SESSION}{failed}"))).len(), 4);
    let t = read(&format!(
        "{SESSION}{compacted}\n{}",
        r#"{"type":"user.message","data":{"content":"more"}}"#
    ));
    // The prompt is sent within the message of the summary.
    assert_eq!(
        messages(&t),
        [(Role::Other, 7), (Role::User, 2), (Role::User, 8)]
    );
    assert!(t.messages[1].quoted && t.messages[1].not_removable && !t.messages[2].quoted);
    let begun = r#"{"type":"session.compaction_start","data":{},"id":"b"}
{"type":"user.message","data":{"content":"meanwhile"},"id":"c"}
{"type":"assistant.message","data":{"content":"answer"},"id":"d"}
"#;
    let t = read(&format!(
        "{SESSION}{begun}{}",
        compacted.replace("\"7\"", "\"e\"")
    ));
    let found = messages(&t);
    assert_eq!(
        found,
        [
            (Role::Other, 10),
            (Role::User, 2),
            (Role::User, 8),
            (Role::Assistant, 9)
        ]
    );
    assert!(t.messages[1].quoted && !t.messages[2].quoted);
}

#[test]
fn other_agents_and_strangers_are_left() {
    let t = read(
        r#"{"type":"user.message","data":{"content":"hi"},"agentId":null}
{"type":"assistant.message","data":{"content":"x","parentToolCallId":"a"}}
{"type":"tool.execution_complete","data":{"toolCallId":"a","result":{"content":"x"}},"agentId":"sub"}
{"data":{"content":"late type"},"type":"user.message"}
{"type":"tool.execution_complete","data":{"toolCallId":"z","result":null}}
{"type":"new.thing","data":{"content":"x"}}"#,
    );
    assert_eq!(
        messages(&t),
        [(Role::User, 1), (Role::User, 4), (Role::Tool, 5)]
    );
    assert!(t.blocks_of(2)[0].flags.has(Flags::ABSENT));
    assert_eq!(t.warnings.len(), 1);
    assert_eq!(
        t.warnings[0].text,
        "1 × record of type new.thing: unknown, passed through"
    );
}

#[test]
fn hook_inputs_are_copies_of_the_next_result() {
    let reported = |text: &str, key: &str| {
        format!(
            r#"{{"type":"hook.start","data":{{"hookType":"postToolUse","input":{{"toolName":"x","toolResult":{{"{key}":"{text}"}}}}}}}}"#
        )
    };
    let done = |call: &str, text: &str| {
        format!(
            r#"{{"type":"tool.execution_complete","data":{{"toolCallId":"{call}","success":true,"result":{{"content":"{text}"}}}}}}"#
        )
    };
    // For each copy: its result, the record that repeats it, and the length of that record.
    let of = |lines: &[String]| {
        let text = lines.join("\n");
        let t = read(&text);
        let calls: Vec<Id> = t
            .blocks
            .iter()
            .filter(|b| b.kind == BlockKind::Result)
            .map(|b| t.link(b).call)
            .collect();
        let place = |call: Id| calls.iter().position(|c| *c == call).unwrap();
        let line = |record: u64| text[..record as usize].matches('\n').count();
        t.result_copies
            .iter()
            .map(|m| (place(m.call), line(m.record), m.span.len()))
            .collect::<Vec<_>>()
    };
    let reported_of = |text: &str| reported(text, "textResultForLlm");
    let long = |text: &str| format!(r#"{{"textResultForLlm":"{text}"}}"#).len();
    assert_eq!(
        of(&[
            reported_of("one"),
            reported_of("other"),
            done("a", "other"),
            done("b", "one")
        ]),
        [(0, 1, long("other")), (1, 0, long("one"))]
    );
    assert_eq!(
        of(&[
            reported_of("one"),
            reported_of("one"),
            done("a", "one"),
            done("b", "one"),
            done("c", "one")
        ]),
        [(0, 0, long("one")), (1, 1, long("one"))]
    );
    // No copy repeats an earlier text, or one that no result has.
    assert_eq!(
        of(&[
            done("a", "one"),
            reported_of("one"),
            reported_of("two"),
            reported("one", "sessionLog")
        ]),
        []
    );
    assert_eq!(
        of(&[
            reported("one", "text_result_for_llm").replace("toolResult", "tool_result"),
            done("a", "one")
        ])
        .len(),
        1
    );
    let sub = reported_of("one").replace(r#""hookType""#, r#""parentToolCallId":"p","hookType""#);
    assert_eq!(of(&[sub, done("a", "one")]), []);
}
