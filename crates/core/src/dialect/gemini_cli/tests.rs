//! Reading of Gemini CLI sessions: the final messages, and the copy of a result that counts.

use crate::dialect::detect;
use crate::dialect::lines_tests;
use crate::dialect::lines_tests::messages;
use crate::json::Cursor;
use crate::transcript::{BlockKind, Flags, ResultCopyKind, Role, Transcript};

fn read(lines: &str) -> Transcript {
    lines_tests::read("gemini-cli", lines)
}

const HEAD: &str =
    r#"{"sessionId":"s","projectHash":"h","startTime":"2026-01-01T00:00:00Z","kind":"main"}"#;
const USER: &str =
    r#"{"id":"u","timestamp":"2026-01-01T00:00:01Z","type":"user","content":[{"text":"hi"}]}"#;
const BARE: &str = r#"{"id":"g","timestamp":"2026-01-01T00:00:02Z","type":"gemini","content":"","thoughts":[{"subject":"four","description":"five5"}],"model":"gemini-3-pro"}"#;
const CALLS: &str = r#"{"id":"g","timestamp":"2026-01-01T00:00:02Z","type":"gemini","content":"","thoughts":[{"subject":"four","description":"five5"}],"model":"gemini-3-pro","toolCalls":[{"id":"a","name":"ls","args":{"d":1},"result":[{"functionResponse":{"id":"a","name":"ls","response":{"output":"seven77"}}}],"status":"success","resultDisplay":"shown"},{"id":"b","name":"sh","args":{},"result":[{"functionResponse":{"id":"b","name":"sh","response":{"error":"no"}}}],"status":"error"}]}"#;
const TWIN: &str = r#"{"id":"r","timestamp":"2026-01-01T00:00:03Z","type":"user","content":[{"functionResponse":{"id":"a","name":"ls","response":{"output":"seven77"}}},{"functionResponse":{"id":"b","name":"sh","response":{"error":"no"}}}]}"#;
const SET: &str = r#"{"$set":{"lastUpdated":"2026-01-01T00:00:04Z"}}"#;
const DONE: &str = r#"{"id":"e","timestamp":"2026-01-01T00:00:09Z","type":"gemini","content":[{"text":"done"}],"thoughts":[]}"#;

#[test]
fn the_last_record_of_an_id_is_where_the_first_was() {
    use BlockKind::{Call, Result, Text, Thinking};
    let info = r#"{"id":"i","timestamp":"t","type":"info","content":"x"}"#;
    let t = read(&[HEAD, USER, BARE, SET, info, CALLS, DONE].join("\n"));
    assert_eq!(
        messages(&t),
        [
            (Role::User, 2),
            (Role::Assistant, 6),
            (Role::Tool, 6),
            (Role::Tool, 6),
            (Role::Assistant, 7)
        ]
    );
    let blocks: Vec<(BlockKind, u32)> = t.blocks.iter().map(|b| (b.kind, b.chars)).collect();
    assert_eq!(
        blocks,
        [
            (Text, 2),
            (Text, 0),
            (Thinking, 9),
            (Call, 7),
            (Call, 2),
            (Result, 0),
            (Text, 7),
            (Result, 0),
            (Text, 2),
            (Text, 4)
        ]
    );
    assert_eq!(
        (t.tool_of(&t.blocks[5]), t.tool_of(&t.blocks[7])),
        ("ls", "sh")
    );
    assert!(!t.blocks[5].flags.has(Flags::ERROR) && t.blocks[7].flags.has(Flags::ERROR));
    assert_eq!(
        (t.model.as_deref(), t.provider_name.as_deref()),
        (Some("gemini-3-pro"), Some("google"))
    );
    assert_eq!(t.last_call, Some(1_767_225_609_000));
    assert!(t.warnings.is_empty(), "{:?}", t.warnings);
}

#[test]
fn of_two_copies_of_a_result_the_users_message_counts() {
    let t = read(&[HEAD, USER, CALLS, TWIN, DONE].join("\n"));
    assert_eq!(
        messages(&t),
        [
            (Role::User, 2),
            (Role::Assistant, 3),
            (Role::User, 4),
            (Role::Assistant, 5)
        ]
    );
    assert!(t.is_only_results(2));
    let record = (HEAD.len() + USER.len() + 2) as u64;
    let place = |what: &str| {
        (
            CALLS.find(what).unwrap() as u32,
            (CALLS.find(what).unwrap() + what.len()) as u32,
        )
    };
    let mut found: Vec<_> = t
        .result_copies
        .iter()
        .map(|m| (m.record, (m.span.start, m.span.end), m.kind))
        .collect();
    found.sort_by_key(|m| m.1);
    assert_eq!(
        found,
        [
            (
                record,
                place("\"seven77\""),
                ResultCopyKind::Sent { string: true }
            ),
            (record, place("\"shown\""), ResultCopyKind::DisplayOnly),
            (
                record,
                place("\"no\""),
                ResultCopyKind::Sent { string: true }
            ),
        ]
    );
    // A copy after the model's next answer does not belong to that call.
    let t = read(&[HEAD, USER, CALLS, DONE, TWIN].join("\n"));
    assert_eq!(t.messages.len(), 6);
}

#[test]
fn rewinding_and_beginning_anew() {
    let to = |id: &str| format!(r#"{{"$rewindTo":"{id}"}}"#);
    let (g, nobody) = (to("g"), to("nobody"));
    let t = read(&[HEAD, USER, CALLS, TWIN, &g, DONE].join("\n"));
    assert_eq!(messages(&t), [(Role::User, 2), (Role::Assistant, 6)]);
    let t = read(&[HEAD, USER, CALLS, &nobody, DONE].join("\n"));
    assert_eq!(messages(&t), [(Role::Assistant, 5)]);
    let anew = format!(r#"{{"$set":{{"messages":[{USER},{DONE}],"lastUpdated":"t"}}}}"#);
    let t = read(
        &[
            HEAD,
            USER,
            CALLS,
            TWIN,
            &anew,
            &TWIN.replace("\"r\"", "\"r2\""),
        ]
        .join("\n"),
    );
    assert_eq!(
        messages(&t),
        [(Role::User, 5), (Role::Assistant, 5), (Role::User, 6)]
    );
    assert!(t.result_copies.is_empty());
}

/// A part that answers `call`.
fn response(call: &str, text: &str) -> String {
    format!(
        r#"{{"functionResponse":{{"id":"{call}","name":"ls","response":{{"output":"{text}"}}}}}}"#
    )
}

/// A patch of the user's message, of the model's, and of a message that does not exist.
fn patch() -> String {
    let masked = response("a", "m");
    let call = r#"{"functionCall":{"id":"a","name":"ls","args":{"d":1}}}"#;
    let of_user = format!(
        r#"{{"id":"r","content":[{masked},{}]}}"#,
        response("b", "no")
    );
    let of_model = format!(
        r#"{{"id":"g","content":[{{"text":"so"}},{call}],"toolCalls":[{{"id":"a","result":[{masked}]}},{{"id":"z","result":[{masked}]}}]}}"#
    );
    format!(r#"{{"$patch":{{"updates":[{of_user},{of_model},{{"id":"nobody","content":[]}}]}}}}"#)
}

#[test]
fn a_patch_gives_messages_another_content() {
    use BlockKind::{Call, Result, Text, Thinking};
    let patch = patch();
    let t = read(&[HEAD, USER, CALLS, TWIN, DONE, &patch].join("\n"));
    // The call that the content lacks stays with the thoughts, in its own record.
    assert_eq!(
        messages(&t),
        [
            (Role::User, 2),
            (Role::Assistant, 6),
            (Role::Assistant, 3),
            (Role::User, 6),
            (Role::Assistant, 5)
        ]
    );
    let kinds: Vec<BlockKind> = t.blocks.iter().map(|b| b.kind).collect();
    assert_eq!(
        kinds,
        [
            Text, Text, Call, Thinking, Call, Result, Text, Result, Text, Text
        ]
    );
    assert!(
        t.messages[2].continues
            && t.messages[1..4].iter().all(|m| m.not_removable)
            && !t.messages[4].not_removable
    );
    assert_eq!(t.blocks[6].chars, 1);
    // The twins are those of the patch, and the old display of the run is still a copy.
    let lines = [HEAD, USER, CALLS, TWIN, DONE, &patch];
    let start = |line: usize| {
        lines[..line]
            .iter()
            .map(|l| l.len() as u64 + 1)
            .sum::<u64>()
    };
    let mut records: Vec<(u64, bool)> = t
        .result_copies
        .iter()
        .map(|m| (m.record, m.kind == ResultCopyKind::DisplayOnly))
        .collect();
    records.sort_unstable();
    assert_eq!(
        records,
        [(start(2), false), (start(2), true), (start(5), false)]
    );
}

/// A later record replaces the message, and a patch of runs alone leaves the content.
#[test]
fn a_patch_and_another_record() {
    let patch = patch();
    let t = read(
        &[
            HEAD,
            USER,
            CALLS,
            TWIN,
            DONE,
            &patch,
            &CALLS.replace("four", "five"),
        ]
        .join("\n"),
    );
    assert_eq!(messages(&t)[1], (Role::Assistant, 7));
    let t = read(
        &[
            HEAD,
            USER,
            CALLS,
            DONE,
            &format!(
                r#"{{"$patch":{{"id":"g","toolCalls":[{{"id":"b","result":[{}]}}]}}}}"#,
                response("b", "x")
            ),
        ]
        .join("\n"),
    );
    assert_eq!(
        messages(&t),
        [
            (Role::User, 2),
            (Role::Assistant, 3),
            (Role::Tool, 3),
            (Role::Tool, 5),
            (Role::Assistant, 4)
        ]
    );
    let none = r#"{"$patch":{"id":"g","toolCalls":[{"id":"b","result":[]}]}}"#;
    assert_eq!(
        read(&[HEAD, USER, CALLS, DONE, none].join("\n"))
            .messages
            .len(),
        4
    );
}

#[test]
fn a_patch_takes_messages_out_and_orders_them() {
    let patch = |what: &str| format!(r#"{{"$patch":{{{what}}}}}"#);
    let lines = |patch: &str| {
        messages(&read(
            &[
                HEAD,
                USER,
                CALLS,
                TWIN,
                DONE,
                patch,
                &DONE.replace(r#""e""#, r#""f""#),
            ]
            .join("\n"),
        ))
        .into_iter()
        .map(|m| m.1)
        .collect::<Vec<_>>()
    };
    assert_eq!(
        lines(&patch(r#""removeIds":["g","r","nobody"]"#)),
        [2, 5, 7]
    );
    assert_eq!(
        lines(&patch(r#""orderIds":["e","u","nobody"]"#)),
        [3, 4, 5, 2, 7]
    );
    // The runs answer what the user's message no longer answers.
    assert_eq!(
        lines(&patch(r#""removeIds":["u"],"orderIds":["r","u"]"#)),
        [3, 3, 3, 5, 4, 7]
    );
    let back = format!(
        "{}\n{{\"$rewindTo\":\"u\"}}",
        patch(r#""orderIds":["e","u","g"]"#)
    );
    let t = read(&[HEAD, USER, CALLS, TWIN, DONE, &back, SET].join("\n"));
    assert_eq!(messages(&t), [(Role::User, 4), (Role::Assistant, 5)]);
}

#[test]
fn a_session_in_one_object() {
    let whole = format!(
        r#"{{"sessionId":"s","projectHash":"h","startTime":"t","messages":[{USER},{CALLS},{DONE}]}}"#
    );
    assert_eq!(read(&whole).messages.len(), 5);
    let late = format!(r#"{{"messages":[{USER},{DONE}],"sessionId":"s"}}"#);
    assert_eq!(read(&late).messages.len(), 2);
}

#[test]
fn old_results_are_strings_and_calls_may_occur_twice() {
    let old = r#"{"id":"g","timestamp":"t","type":"gemini","content":[{"functionCall":{"id":"a","name":"ls","args":{}}}],"toolCalls":[{"name":"ls","id":"a","result":"plain","args":{}},{"name":"sh","result":null},{"name":"empty","result":""},{"name":"no-id","result":[{"functionResponse":{"name":"no-id","response":{"output":"x"}}}]}]}"#;
    let t = read(&[USER, old].join("\n"));
    let kinds: Vec<_> = t
        .blocks_of(1)
        .iter()
        .map(|b| (b.kind, t.tool_of(b)))
        .collect();
    let called = |name| (BlockKind::Call, name);
    assert_eq!(
        kinds,
        [called("ls"), called("sh"), called("empty"), called("no-id")]
    );
    assert!(t.blocks_of(2)[0].flags.has(Flags::STRING));
    let call = |i: usize, b: usize| t.link(&t.blocks_of(i)[b]).call;
    assert_eq!(call(1, 3), call(3, 0));
    assert_eq!(t.messages.len(), 4);
}

#[test]
fn unknown_lines_are_reported() {
    let t = read(
        "{\"$patch\":7}\n{\"id\":\"x\",\"type\":\"new\",\"content\":\"\"}\n{\"type\":\"odd\"}\n7",
    );
    let reported: Vec<&str> = t.warnings.iter().map(|w| &*w.text).collect();
    assert_eq!(
        reported,
        [
            "1 × a number in place of a record: unknown, passed through",
            "1 × message of type new: unknown, passed through",
            "1 × record of type : unknown, passed through",
            "1 × record of type odd: unknown, passed through",
            "there is no message in it"
        ]
    );
}

#[test]
fn every_record_is_known_by_its_looks() {
    let name = |text: &str| {
        detect(&mut Cursor::new(text.as_bytes()))
            .unwrap()
            .map(|d| (d.format.name, d.rival.is_some()))
    };
    let whole = format!(r#"{{"sessionId":"s","messages":[{USER}]}}"#);
    for text in [
        HEAD,
        USER,
        BARE,
        CALLS,
        TWIN,
        SET,
        DONE,
        r#"{"$rewindTo":"x"}"#,
        r#"{"$patch":{"removeIds":["x"]}}"#,
        &whole,
    ] {
        assert_eq!(name(text), Some(("gemini-cli", false)), "{text}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn many_calls_in_one_message_take_no_square() {
    // Seconds of the processor, as a machine that has other work to do is no slower by them.
    let spent = || {
        std::fs::read_to_string("/proc/thread-self/schedstat")
            .unwrap()
            .split(' ')
            .next()
            .unwrap()
            .parse::<f64>()
            .unwrap()
            / 1e9
    };
    let each = |call: &dyn Fn(u32) -> String| (0..60_000).map(call).collect::<Vec<_>>().join(",");
    let content = each(&|i| format!(r#"{{"functionCall":{{"id":"c{i}","name":"f"}}}}"#));
    let runs = each(&|i| format!(r#"{{"id":"r{i}","name":"f"}}"#));
    let line = format!(
        r#"{{"id":"g","timestamp":"t","type":"gemini","content":[{content}],"toolCalls":[{runs}]}}"#
    );
    let since = spent();
    assert_eq!(read(&line).blocks.len(), 120_000);
    assert!(spent() - since < 8.0, "{}", spent() - since);
}

/// Gemini CLI 0.61.0 sends the results of a resumed session twice, and loads what it wrote of them.
#[test]
fn a_result_that_is_there_again_is_no_defect() {
    let again = r#"{"functionResponse":{"id":"a","name":"ls","response":{"output":"seven77"}}}"#;
    let twin = format!(
        r#"{{"id":"r","timestamp":"2026-01-01T00:00:03Z","type":"user","content":[{again},{again}]}}"#
    );
    let t = read(&format!("{HEAD}\n{USER}\n{CALLS}\n{twin}"));
    let codes: Vec<&str> = crate::check::check(&t, &&b""[..])
        .iter()
        .map(|defect| defect.row.code)
        .collect();
    assert!(!codes.contains(&"E05"), "{codes:?}");
    let results = t.blocks.iter().filter(|b| b.kind == BlockKind::Result);
    assert_eq!(results.count(), 3, "all of them are sent");
}
