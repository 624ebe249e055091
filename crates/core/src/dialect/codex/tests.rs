//! Reading of Codex rollouts: counted items, copies of results, compactions.

use crate::dialect::lines_tests;
use crate::dialect::lines_tests::builder;
use crate::dialect::{by_name, release_entries, transcript};
use crate::settings::Scope;
use crate::transcript::{BlockKind, Flags, Role, Transcript};

fn read(lines: &str) -> Transcript {
    lines_tests::read("codex", lines)
}

fn roles(t: &Transcript) -> Vec<(Role, u32, Vec<BlockKind>)> {
    (0..t.messages.len())
        .map(|i| {
            (
                t.messages[i].role,
                t.messages[i].line,
                t.blocks_of(i).iter().map(|b| b.kind).collect(),
            )
        })
        .collect()
}

const SESSION: &str = r#"{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s","model_provider":"openai"}}
{"timestamp":"2026-01-01T00:00:01Z","type":"turn_context","payload":{"cwd":"/","model":"gpt-5.2-codex","inner":{"model":"no"}}}
{"timestamp":"2026-01-01T00:00:02Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}}
{"timestamp":"2026-01-01T00:00:02Z","type":"event_msg","payload":{"type":"user_message","message":"hi"}}
{"timestamp":"2026-01-01T00:00:03Z","type":"response_item","payload":{"summary":[{"type":"summary_text","text":"hmm"}],"type":"reasoning","content":[{"type":"reasoning_text","text":"12"}],"encrypted_content":"abcdef"}}
{"timestamp":"2026-01-01T00:00:04Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"look"}]}}
{"timestamp":"2026-01-01T00:00:05Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"a\":1}","call_id":"c1"}}
{"timestamp":"2026-01-01T00:00:05Z","type":"event_msg","payload":{"type":"token_count"}}
{"timestamp":"2026-01-01T00:00:06Z","type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"***","call_id":"c2"}}
{"timestamp":"2026-01-01T00:00:07Z","type":"response_item","payload":{"call_id":"c1","output":"one\ntwo","type":"function_call_output"}}
{"timestamp":"2026-01-01T00:00:08Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c2","output":[{"type":"input_text","text":"x"},{"type":"input_image","image_url":"data:"}]}}
{"timestamp":"2026-01-01T00:00:09Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}}
{"payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"more"}]},"timestamp":"2026-01-01T00:00:10Z","type":"response_item"}
"#;

#[test]
fn items_of_one_request_are_one_message() {
    use BlockKind::{Call, Image, Result, Text, Thinking};
    let t = read(SESSION);
    assert_eq!(
        roles(&t),
        [
            (Role::User, 3, vec![Text]),
            (Role::Assistant, 5, vec![Thinking, Text, Call, Call]),
            (Role::Tool, 10, vec![Result, Text]),
            (Role::Tool, 11, vec![Result, Text, Image]),
            (Role::Assistant, 12, vec![Text]),
            (Role::User, 13, vec![Text]),
        ]
    );
    let chars: Vec<u32> = t.blocks_of(1).iter().map(|b| b.chars).collect();
    assert_eq!(chars, [5, 4, 7, 3]);
    assert_eq!(
        t.blocks_of(1).iter().map(|b| b.part).collect::<Vec<_>>(),
        [0, 1, 2, 3]
    );
    assert_eq!(
        (t.model.as_deref(), t.provider_name.as_deref()),
        (Some("gpt-5.2-codex"), Some("openai"))
    );
    assert_eq!(t.last_call, Some(1_767_225_609_000));
    let names: Vec<&str> = t
        .blocks
        .iter()
        .filter(|b| b.kind == Result)
        .map(|b| t.tool_of(b))
        .collect();
    assert_eq!(names, ["shell", "apply_patch"]);
    assert!(
        t.blocks_of(2)[0].flags.has(Flags::STRING) && !t.blocks_of(3)[0].flags.has(Flags::STRING)
    );
    assert!(t.warnings.is_empty(), "{:?}", t.warnings);
}

#[test]
fn spans_of_joined_items_count_from_the_first() {
    let t = read(SESSION);
    let message = t.messages[1];
    for (block, starts) in t.blocks_of(1).iter().zip([
        r#"{"summary""#,
        r#""look""#,
        r#"{"type":"function_call""#,
        r#"{"type":"custom"#,
    ]) {
        let at = message.record as usize + block.span.start as usize;
        assert!(
            SESSION[at..].starts_with(starts),
            "{starts}: {}",
            &SESSION[at..at + 20]
        );
    }
    let id = t.link(&t.blocks_of(1)[3]).id;
    assert_eq!(
        &SESSION[message.record as usize..][id.start as usize..id.end as usize],
        "c2"
    );
}

#[test]
fn the_last_compaction_represents_all_before_it() {
    let compacted = r#"{"timestamp":"t","type":"compacted","payload":{"message":"sum","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]},{"type":"compaction","encrypted_content":"zz"},{"type":"function_call","name":"f","arguments":"{}","call_id":"k"},{"type":"function_call_output","call_id":"k","output":"kept"}]}}
"#;
    let after = r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":"go on"}}"#;
    let t = read(&format!("{SESSION}{compacted}{after}"));
    let kinds: Vec<(Role, u32)> = t.messages.iter().map(|m| (m.role, m.line)).collect();
    assert_eq!(
        kinds,
        [
            (Role::User, 14),
            (Role::Other, 14),
            (Role::Assistant, 14),
            (Role::Tool, 14),
            (Role::User, 15)
        ]
    );
    let old = r#"{"timestamp":"t","type":"compacted","payload":{"message":"the summary"}}
"#;
    let t = read(&format!("{SESSION}{compacted}{old}{after}"));
    assert_eq!(
        t.messages
            .iter()
            .map(|m| (m.role, m.line))
            .collect::<Vec<_>>(),
        [(Role::User, 15), (Role::User, 16)]
    );
    assert_eq!(t.blocks_of(0)[0].chars, 11);
}

#[test]
fn entries_before_a_compaction_are_released() {
    let compacted = r#"{"type":"compacted","payload":{"message":"s"}}
"#;
    let codex = by_name("codex").unwrap();
    let mut all = builder(
        codex,
        &format!("{}{compacted}{SESSION}", SESSION.repeat(300)),
    );
    let want = transcript(
        codex,
        builder(
            codex,
            &format!("{}{compacted}{SESSION}", SESSION.repeat(300)),
        ),
        Scope::Context,
    )
    .unwrap();
    release_entries(&mut all);
    assert!(
        all.entries.len() < 20 && all.released.count > 2000,
        "{} {}",
        all.entries.len(),
        all.released.count
    );
    let t = transcript(codex, all, Scope::Context).unwrap();
    assert_eq!(roles(&t), roles(&want));
    assert_eq!(t.messages[0].number, want.messages[0].number);
}

#[test]
fn old_rollouts_have_bare_items() {
    let t = read(
        r#"{"id":"s","timestamp":"t","instructions":null}
{"record_type":"state"}
{"type":"message","id":null,"role":"user","content":[{"type":"input_text","text":"hi"}]}
{"type":"reasoning","id":"rs","summary":[]}
{"type":"local_shell_call","id":"l1","call_id":null,"status":"completed","action":{"type":"exec","command":["ls"]}}
{"type":"function_call_output","call_id":"l1","output":"{\"output\":\"a\",\"metadata\":{}}"}"#,
    );
    assert_eq!(
        t.messages
            .iter()
            .map(|m| (m.role, m.line))
            .collect::<Vec<_>>(),
        [(Role::User, 3), (Role::Assistant, 4), (Role::Tool, 6)]
    );
    assert_eq!(t.tool_of(&t.blocks_of(2)[0]), "local_shell");
    assert!(t.warnings.is_empty(), "{:?}", t.warnings);
}

#[test]
fn unknown_lines_are_reported_and_left() {
    let t = read(
        r#"{"timestamp":"t","type":"new_thing","payload":{"type":"message","role":"user","content":"x"}}
{"timestamp":"t","type":"response_item","payload":{"type":"new_item","output":"x"}}
{"timestamp":"t","type":"response_item","payload":7}
{"payload":{"type":"message","role":"user","content":"x"},"payload":{"type":"message","role":"user","content":"yy"},"type":"response_item"}
[]
7"#,
    );
    assert_eq!(t.messages.len(), 1);
    assert_eq!(t.blocks_of(0)[0].chars, 2);
    let reported: Vec<&str> = t.warnings.iter().map(|w| w.text.as_str()).collect();
    assert_eq!(
        reported,
        [
            "1 × a list in place of a record: unknown, passed through",
            "1 × a number in place of a record: unknown, passed through",
            "1 × item of type new_item: unknown, passed through",
            "1 × record of type new_thing: unknown, passed through"
        ]
    );
}
