//! Bytes that are removed with blocks and messages: elements, members, lines.

use super::*;
use crate::dialect::builder::TranscriptBuilder;
use crate::dialect::{by_name, transcript};
use crate::edit::{Cut, Edits, Proposal};
use crate::input::Source;
use crate::json::Cursor;
use crate::reader;
use crate::settings::{Scope, Settings};
use crate::transcript::Transcript;

fn read(format: &str, input: &str) -> Transcript {
    let (format, settings) = (by_name(format).unwrap(), Settings::default());
    let estimator = settings.context_pruning.estimator;
    if format.layout == Layout::History {
        return reader::log(
            &Source::Memory(input.as_bytes().to_vec()),
            &reader::Reading::new(format, estimator, Scope::Context),
            1,
            &|_| (),
        )
        .unwrap();
    }
    let mut builder = TranscriptBuilder::new(estimator);
    builder.begin(0, 1);
    (format.read)(&mut Cursor::new(input.as_bytes()), &mut builder).unwrap();
    transcript(format, builder, Scope::Context).unwrap()
}

/// Returns an input without some of its messages, counted from 0, or without some parts of them.
pub(in super::super) fn without(
    format: &str,
    input: &str,
    go: &[(usize, Option<usize>)],
) -> Result<String, Error> {
    let (transcript, settings, bytes) =
        (read(format, input), Settings::default(), input.as_bytes());
    let mut view = View::new(&transcript, &bytes, &settings, 1000);
    let cuts = go.iter().map(|&(i, part)| {
        let block = part.map_or(transcript.messages[i].blocks, |part| {
            view.parts(i).nth(part).unwrap().0
        });
        let action = if part.is_some() {
            Action::Drop
        } else {
            Action::DropMessage
        };
        let reason = "".into();
        Cut {
            pass: "select",
            message: i as u32,
            block,
            action,
            chars_before: 0,
            chars_after: 0,
            linked: false,
            reason,
        }
    });
    let proposal = Proposal {
        cuts: cuts.collect(),
        ..Proposal::default()
    };
    view.accept(proposal);
    let edits = Edits::of(&view)?;
    Ok(String::from_utf8(edits.render(&bytes, 0, bytes.len() as u64)?).unwrap())
}

/// A body with `messages`, and what it is with `left` in their place.
fn body(messages: &str) -> String {
    format!(r#"{{"model":"m","messages":[{messages}],"x":1}}"#)
}

#[test]
fn elements_go_with_their_comma() {
    let (a, b, c) = (
        r#"{"role":"user","content":"a"}"#,
        r#"{"role":"assistant","content":"b"}"#,
        r#"{"role":"user","content":"c"}"#,
    );
    let all = body(&[a, b, c].join(",\n "));
    for (go, left) in [
        (vec![0], body(&[b, c].join(",\n "))),
        (vec![1], body(&[a, c].join(",\n "))),
        (vec![2], body(&[a, b].join(",\n "))),
        (vec![0, 1], body(c)),
        (vec![0, 1, 2], body("")),
    ] {
        let go: Vec<_> = go.into_iter().map(|i| (i, None)).collect();
        assert_eq!(without("anthropic", &all, &go).unwrap(), left, "{go:?}");
    }
}

#[test]
fn a_message_without_parts_is_removed() {
    let (text, call) = (
        r#"{"type":"text","text":"t"}"#,
        r#"{"type":"tool_use","id":"a","name":"f","input":{}}"#,
    );
    let said = |parts: &str| {
        body(&format!(
            r#"{{"role":"user","content":"go"}},{{"role":"assistant","content":[{parts}]}}"#
        ))
    };
    let all = said(&format!("{text},{call}"));
    assert_eq!(
        without("anthropic", &all, &[(1, Some(0))]).unwrap(),
        said(call)
    );
    assert_eq!(
        without("anthropic", &all, &[(1, Some(1))]).unwrap(),
        said(text)
    );
    assert_eq!(
        without("anthropic", &all, &[(1, Some(0)), (1, Some(1))]).unwrap(),
        body(r#"{"role":"user","content":"go"}"#)
    );
}

#[test]
fn a_cut_chat_message_has_its_required_members() {
    let call = |id: &str| {
        format!(r#"{{"id":"{id}","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}"#)
    };
    let (a, b) = (call("a"), call("b"));
    let said = |members: &str| body(&format!(r#"{{"role":"assistant",{members}}}"#));
    let all = said(&format!(r#""content":"t","tool_calls":[{a},{b}]"#));
    for (go, left) in [
        (vec![0], format!(r#""content":null,"tool_calls":[{a},{b}]"#)),
        (vec![1], format!(r#""content":"t","tool_calls":[{b}]"#)),
        (vec![1, 2], r#""content":"t""#.to_owned()),
        (vec![0, 2], format!(r#""content":null,"tool_calls":[{a}]"#)),
    ] {
        let go: Vec<_> = go.into_iter().map(|part| (0, Some(part))).collect();
        assert_eq!(
            without("openai-chat", &all, &go).unwrap(),
            said(&left),
            "{go:?}"
        );
    }
}

#[test]
fn a_run_of_items_is_removed_whole() {
    let items = |list: &[&str]| format!(r#"{{"model":"gpt-5","input":[{}]}}"#, list.join(","));
    let user = r#"{"role":"user","content":"go"}"#;
    let thought = r#"{"type":"reasoning","id":"rs_1","summary":[]}"#;
    let call = r#"{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}"#;
    let output = r#"{"type":"function_call_output","call_id":"a","output":"x"}"#;
    let all = items(&[user, thought, call, output]);
    assert_eq!(
        without("openai-responses", &all, &[(1, None), (2, None)]).unwrap(),
        items(&[user])
    );
    assert_eq!(
        without("openai-responses", &all, &[(1, Some(0))]).unwrap(),
        items(&[user, call, output])
    );
}

const HEAD: &str = r#"{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/"}"#;

fn entry(id: &str, parent: &str, role: &str, text: &str) -> String {
    let content =
        format!(r#"[{{"type":"text","text":"{text}"}},{{"type":"text","text":"{text}2"}}]"#);
    format!(
        r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"t","message":{{"role":"{role}","content":{content}}}}}"#
    )
}

#[test]
fn records_go_with_their_line_ends() {
    let (a, b, c) = (
        entry("a", "null", "user", "x"),
        entry("b", "\"a\"", "assistant", "y"),
        entry("c", "\"b\"", "user", "z"),
    );
    let c_on_a = entry("c", "\"a\"", "user", "z");
    let lines = |records: &[&str], end: &str| records.join(end);
    for end in ["\n", "\r\n"] {
        let all = lines(&[HEAD, &a, &b, &c], end);
        assert_eq!(
            without("openclaw", &all, &[(1, None)]).unwrap(),
            lines(&[HEAD, &a, &c_on_a], end)
        );
        let without_c = format!("{}{end}", lines(&[HEAD, &a, &b], end));
        assert_eq!(
            without("openclaw", &all, &[(2, None)]).unwrap(),
            without_c,
            "the last line has no end to take"
        );
    }
    let glued = format!("{HEAD}\n{a}{b}\n{c}\n");
    assert_eq!(
        without("openclaw", &glued, &[(1, None)]).unwrap(),
        format!("{HEAD}\n{a}\n{c_on_a}\n"),
        "of a line that two records share"
    );
    let one = a.replace(r#"{"type":"text","text":"x"},"#, "");
    assert_eq!(
        without("openclaw", &lines(&[HEAD, &a], "\n"), &[(0, Some(0))]).unwrap(),
        lines(&[HEAD, &one], "\n")
    );
}

#[test]
fn a_summary_of_others_is_kept() {
    let compacted = r#"{"timestamp":"t","type":"compacted","payload":{"message":"all before"}}"#;
    let said = r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"on"}]}}"#;
    let all = format!("{compacted}\n{said}\n");
    assert!(matches!(
        without("codex", &all, &[(0, None)]),
        Err(Error::Fixed { message: 1 })
    ));
    assert_eq!(
        without("codex", &all, &[(1, None)]).unwrap(),
        format!("{compacted}\n")
    );
}

#[test]
fn a_place_that_is_no_part_is_not_reached() {
    let item = br#"{"role":"user","meta":7,"content":[{"type":"text","text":"t"}]}"#;
    let at = |text: &str| {
        let start = item
            .windows(text.len())
            .position(|w| w == text.as_bytes())
            .unwrap() as u64
            + 100;
        start..start + text.len() as u64
    };
    let part = at(r#"{"type":"text","text":"t"}"#);
    let found = parts(item, 100, std::slice::from_ref(&part)).unwrap();
    assert_eq!((found.1, found.0.len()), (1, 1));
    assert_eq!(
        parts(item, 100, &[at("7")]).unwrap().1,
        0,
        "a number is no part"
    );
    assert_eq!(element_at(item, 100, &part), Some(part));
    assert_eq!(element_at(item, 100, &at("7")), None);
}
