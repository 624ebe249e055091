//! Reading of OpenCode exports: steps, compactions, parts that are not sent.

use crate::dialect::builder::TranscriptBuilder;
use crate::dialect::{by_name, detect, transcript};
use crate::json::Cursor;
use crate::settings::{Estimator, Scope};
use crate::transcript::{BlockKind, Flags, Role, Transcript};

fn read(text: &str) -> Transcript {
    let format = by_name("opencode").unwrap();
    let mut builder = TranscriptBuilder::new(Estimator::Utf16);
    let mut cursor = Cursor::new(text.as_bytes());
    while !cursor.at_end() {
        builder.begin(cursor.begin_record() as u64, 1);
        (format.read)(&mut cursor, &mut builder).unwrap();
    }
    transcript(format, builder, Scope::Context).unwrap()
}

fn export(messages: &[String]) -> Transcript {
    read(&format!(
        r#"{{"info":{{"id":"ses_1","title":"t"}},"messages":[{}],"todos":[]}}"#,
        messages.join(",")
    ))
}

fn user(id: &str, parts: &str) -> String {
    format!(
        r#"{{"info":{{"id":"{id}","role":"user","time":{{"created":1}},"model":{{"providerID":"p","modelID":"m"}}}},"parts":[{parts}]}}"#
    )
}

fn assistant(id: &str, more: &str, parts: &str) -> String {
    format!(
        r#"{{"info":{{"id":"{id}","role":"assistant","time":{{"created":7,"completed":9}},"modelID":"claude-a","providerID":"anthropic"{more}}},"parts":[{parts}]}}"#
    )
}

fn text(text: &str) -> String {
    format!(r#"{{"type":"text","text":"{text}"}}"#)
}

fn tool(call: &str, state: &str) -> String {
    format!(r#"{{"id":"prt","type":"tool","callID":"{call}","tool":"bash","state":{state}}}"#)
}

const DONE: &str = r#"{"status":"completed","input":{"c":1},"output":"seven77","title":"t","metadata":{"output":"seven77"},"time":{"start":1,"end":2}}"#;
const START: &str = r#"{"type":"step-start"}"#;

#[test]
fn steps_are_messages_of_their_own() {
    use BlockKind::{Call, Result, Text, Thinking};
    let parts = [
        START,
        r#"{"type":"reasoning","text":"hmm"}"#,
        &text("so"),
        &tool("a", DONE),
        &tool("b", DONE),
        r#"{"type":"step-finish"}"#,
        START,
        &text("end"),
    ];
    let t = export(&[user("u", &text("hi")), assistant("a", "", &parts.join(","))]);
    let roles: Vec<Role> = t.messages.iter().map(|m| m.role).collect();
    assert_eq!(
        roles,
        [
            Role::User,
            Role::Assistant,
            Role::Tool,
            Role::Tool,
            Role::Assistant
        ]
    );
    let blocks: Vec<(BlockKind, u32)> = t.blocks.iter().map(|b| (b.kind, b.chars)).collect();
    assert_eq!(
        blocks,
        [
            (Text, 2),
            (Thinking, 3),
            (Text, 2),
            (Call, 7),
            (Call, 7),
            (Result, 0),
            (Text, 7),
            (Result, 0),
            (Text, 7),
            (Text, 3)
        ]
    );
    assert_eq!(t.tool_of(&t.blocks[5]), "bash");
    assert_eq!(
        (t.model.as_deref(), t.provider_name.as_deref()),
        (Some("claude-a"), Some("anthropic"))
    );
    assert_eq!(t.last_call, Some(9));
    assert_eq!(t.result_copies.len(), 2);
    assert!(t.warnings.is_empty());
}

#[test]
fn a_call_holds_its_result() {
    for (state, want) in [
        (
            r#"{"status":"error","input":{},"error":"no","time":{}}"#,
            Some(("\"no\"", true)),
        ),
        (
            r#"{"status":"error","input":{},"error":"no","metadata":{"interrupted":true,"output":"half"}}"#,
            Some(("\"half\"", false)),
        ),
        (
            r#"{"metadata":{"output":"half","interrupted":true},"error":"no","status":"error"}"#,
            Some(("\"half\"", false)),
        ),
        (
            r#"{"status":"error","input":{},"error":"no","metadata":{"output":"half"}}"#,
            Some(("\"no\"", true)),
        ),
        (
            r#"{"status":"completed","output":"old","time":{"compacted":5}}"#,
            None,
        ),
        (r#"{"status":"from another time"}"#, None),
    ] {
        let whole = format!(
            r#"{{"messages":[{}]}}"#,
            assistant("a", "", &tool("c", state))
        );
        let t = read(&whole);
        assert_eq!(t.messages.len(), 2, "{state}");
        let result = t.blocks_of(1)[0];
        assert_eq!(result.flags.has(Flags::ABSENT), want.is_none(), "{state}");
        if let Some((text, error)) = want {
            assert_eq!(
                t.link(&result).content.of(whole.as_bytes()),
                text.as_bytes(),
                "{state}"
            );
            assert_eq!(result.flags.has(Flags::ERROR), error, "{state}");
        }
    }
}

#[test]
fn a_call_of_which_nothing_came() {
    for state in [
        r#"{"status":"running","input":{},"metadata":{"output":"half"}}"#,
        r#"{"status":"pending","input":{},"raw":""}"#,
        r#"{"status":"completed","input":{}}"#,
        r#"{"status":"error","input":{}}"#,
        "{}",
        "null",
    ] {
        let t = export(&[assistant("a", "", &tool("c", state))]);
        assert_eq!(t.messages.len(), 1, "{state}");
        assert_eq!(
            (t.blocks[0].kind, t.result_copies.len()),
            (BlockKind::Call, 0),
            "{state}"
        );
    }
}

#[test]
fn a_compaction_counts_once_it_has_its_summary() {
    let asks = |tail: &str| {
        user(
            "c",
            &format!(r#"{{"type":"compaction","auto":true{tail}}}"#),
        )
    };
    let before = [
        user("u", &text("one")),
        assistant("a", "", &text("two")),
        user("v", &text("three")),
        assistant("b", "", &text("four")),
    ];
    let summary = |more: &str| {
        assistant(
            "s",
            &format!(r#","parentID":"c","summary":true{more}"#),
            &text("sum"),
        )
    };
    let after = user("w", &text("next"));
    let count = |asks: String, summary: String| {
        export(&[&before[..], &[asks, summary, after.clone()]].concat())
            .messages
            .len()
    };
    let finished = r#","finish":"stop""#;
    assert_eq!(count(asks(""), summary(finished)), 3);
    assert_eq!(count(asks(r#","tail_start_id":"v""#), summary(finished)), 5);
    assert_eq!(
        count(asks(r#","tail_start_id":"gone""#), summary(finished)),
        3
    );
    assert_eq!(count(asks(""), summary("")), 7);
    assert_eq!(
        count(
            asks(""),
            summary(r#","finish":"stop","error":{"name":"APIError"}"#)
        ),
        6
    );
}

#[test]
fn unsent_parts_are_no_content() {
    let failed = assistant("a", r#","error":{"name":"ProviderAuthError"}"#, &text("x"));
    let aborted = assistant(
        "b",
        r#","error":{"name":"MessageAbortedError","data":{}}"#,
        &[START, &text("half")].join(","),
    );
    let silent = assistant("c", r#","error":{"name":"MessageAbortedError"}"#, START);
    let files = r#"{"type":"text","text":"a","ignored":true},{"type":"file","mime":"text/plain","url":"u"},{"type":"file","mime":"image/png","url":"u"}"#;
    let t = export(&[user("u", files), failed, aborted, silent]);
    assert_eq!(t.messages.len(), 2);
    assert_eq!(
        t.blocks.iter().map(|b| b.kind).collect::<Vec<_>>(),
        [BlockKind::Image, BlockKind::Text]
    );
}

#[test]
fn attachments_bar_a_cut() {
    let state = r#"{"status":"completed","input":{},"output":"Image read","attachments":[{"type":"file","mime":"image/png","url":"data:"}]}"#;
    let t = export(&[assistant("a", "", &tool("c", state))]);
    assert_eq!(
        t.blocks_of(1).iter().map(|b| b.kind).collect::<Vec<_>>(),
        [BlockKind::Result, BlockKind::Text, BlockKind::Other]
    );
}

#[test]
fn messages_alone_in_any_order() {
    let backwards = format!(
        r#"{{"parts":[{}],"info":{{"role":"assistant","id":"a"}}}}"#,
        tool("c", DONE)
    );
    let stream = format!("{}\n{backwards}\n", user("u", &text("hi")));
    let t = read(&stream);
    assert_eq!(
        t.messages.iter().map(|m| m.role).collect::<Vec<_>>(),
        [Role::User, Role::Assistant, Role::Tool]
    );
    assert_eq!(
        read(&format!("[{}]", stream.trim_end().replace('\n', ",")))
            .messages
            .len(),
        3
    );
    let unknown =
        read(r#"{"messages":[{"info":{"role":"user"},"parts":[{"type":"hologram"},7]}]} {"x":1}"#);
    let reported: Vec<&str> = unknown.warnings.iter().map(|w| &*w.text).collect();
    assert_eq!(
        reported,
        [
            "1 × part of type hologram: unknown, passed through",
            "1 × record without messages: unknown, passed through"
        ]
    );
}

#[test]
fn exports_and_messages_are_known_by_their_looks() {
    let name = |text: &str| {
        detect(&mut Cursor::new(text.as_bytes()))
            .unwrap()
            .map(|d| (d.format.name, d.rival.is_some()))
    };
    let message = user("u", &text("hi"));
    for text in [
        format!(r#"{{"info":{{"id":"ses"}},"messages":[{message}]}}"#),
        format!(r#"{{"messages":[{message}],"info":{{"id":"ses"}}}}"#),
        format!("[{message}]"),
        r#"{"info":{"id":"ses"},"messages":[],"todos":[]}"#.to_owned(),
        message,
    ] {
        assert_eq!(name(&text), Some(("opencode", false)), "{text}");
    }
}
