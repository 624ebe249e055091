//! Trees, splits, boundaries and sidechains of Claude Code's logs.

use super::*;
use crate::check::check;
use crate::edit::View;
use crate::input::Source;
use crate::pass::candidates::candidates;
use crate::reader;
use crate::settings::{Estimator, Scope, Settings};
use crate::transcript::Transcript;

/// A record of a main conversation; parents are given by name, an empty one is null.
fn line(kind: &str, id: &str, parent: &str, message: &str) -> String {
    let parent = if parent.is_empty() {
        "null".to_owned()
    } else {
        format!("\"{parent}\"")
    };
    let head = format!(
        r#"{{"parentUuid":{parent},"isSidechain":false,"message":{message},"type":"{kind}""#
    );
    format!(
        "{head},\"uuid\":\"{id}\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"sessionId\":\"s\"}}\n"
    )
}

fn user(id: &str, parent: &str) -> String {
    line(
        "user",
        id,
        parent,
        &format!(r#"{{"role":"user","content":"{id}"}}"#),
    )
}

fn call(id: &str, parent: &str, message: &str, call: &str) -> String {
    let block = format!(r#"{{"type":"tool_use","id":"{call}","name":"Bash","input":{{}}}}"#);
    line(
        "assistant",
        id,
        parent,
        &format!(
            r#"{{"id":"{message}","model":"claude-a","role":"assistant","content":[{block}]}}"#
        ),
    )
}

fn result(id: &str, parent: &str, call: &str) -> String {
    let block = format!(r#"{{"tool_use_id":"{call}","type":"tool_result","content":"{id}"}}"#);
    line(
        "user",
        id,
        parent,
        &format!(r#"{{"role":"user","content":[{block}]}}"#),
    )
}

fn boundary(id: &str, after: &str) -> String {
    let head =
        r#"{"parentUuid":null,"type":"system","subtype":"compact_boundary","isSidechain":false"#;
    format!("{head},\"logicalParentUuid\":\"{after}\",\"uuid\":\"{id}\"}}\n")
}

fn read_all(text: &str, scope: Scope) -> Transcript {
    reader::log(
        &Source::Memory(text.as_bytes().to_vec()),
        &reader::Reading::new(&DIALECT, Estimator::Utf16, scope),
        1,
        &|_| (),
    )
    .unwrap()
}

/// Lines of the messages of the context.
fn lines(text: &str) -> Vec<u32> {
    read_all(text, Scope::Context)
        .messages
        .iter()
        .map(|m| m.line)
        .collect()
}

fn defects(found: &Transcript) -> Vec<&'static str> {
    check(found, &&b""[..]).iter().map(|d| d.row.code).collect()
}

/// Every record of `all`, again after each `n` of them.
fn twice(all: &[String], n: usize) -> String {
    all.chunks(n)
        .flat_map(|chunk| chunk.iter().chain(chunk))
        .map(String::as_str)
        .collect()
}

#[test]
fn lines_that_were_written_twice_count_once() {
    let tree = [
        user("u", ""),
        call("a", "u", "m1", "c1"),
        call("b", "a", "m1", "c2"),
        result("r", "a", "c1"),
        result("s", "b", "c2"),
        user("v", "s"),
    ];
    let row: Vec<String> = [
        user("u", ""),
        call("a", "", "m1", "c1"),
        result("r", "", "c1"),
        user("v", ""),
    ]
    .into();
    for all in [&tree[..], &row] {
        for n in [1, 2, all.len()] {
            let text = twice(all, n);
            let (found, once) = (
                read_all(&text, Scope::Context),
                read_all(&all.concat(), Scope::Context),
            );
            assert_eq!(
                (found.messages.len(), found.blocks.len()),
                (once.messages.len(), once.blocks.len()),
                "{n}: {text}"
            );
            assert!(defects(&found).is_empty(), "{n}: {text}");
            assert_eq!(read_all(&text, Scope::File).messages.len(), 2 * all.len());
        }
    }
}

#[test]
fn pieces_are_one_message_and_their_results_come_along() {
    // Two calls of one message, then their results; the path leads through the second only.
    let text = [
        user("u", ""),
        call("a", "u", "m1", "c1"),
        call("b", "a", "m1", "c2"),
        result("r", "a", "c1"),
        result("s", "b", "c2"),
    ]
    .concat();
    let found = read_all(&text, Scope::Context);
    assert_eq!(
        found
            .messages
            .iter()
            .map(|m| (m.line, m.continues))
            .collect::<Vec<_>>(),
        [(1, false), (2, false), (3, true), (4, false), (5, false)]
    );
    assert_eq!((found.begin_of(2), defects(&found)), (1, vec![]));
    // The result came while the message was still being written.
    let text = [
        user("u", ""),
        call("a", "u", "m1", "c1"),
        result("r", "a", "c1"),
        call("b", "r", "m1", "c2"),
        call("d", "b", "m2", "c3"),
    ]
    .concat();
    let found = read_all(&text, Scope::Context);
    assert_eq!(
        found
            .messages
            .iter()
            .map(|m| m.continues)
            .collect::<Vec<_>>(),
        [false, false, false, true, false]
    );
    assert_eq!(found.begin_of(3), 1);
    // All calls of a message that is still being answered may be open, those of an earlier one may
    // not.
    assert_eq!(defects(&found), ["E01"]);
    let running = [
        user("u", ""),
        call("a", "u", "m1", "c1"),
        call("b", "a", "m1", "c2"),
        result("s", "b", "c2"),
    ]
    .concat();
    assert_eq!(defects(&read_all(&running, Scope::Context)), [""; 0]);
}

/// As a prune leaves them: the call of the result beside the path went with its answer on it.
#[test]
fn a_result_beside_the_path_without_an_open_call_is_left() {
    let log = |beside: &str| {
        let text = r#"{"id":"m1","model":"claude-a","role":"assistant","content":[{"type":"text","text":"a"}]}"#;
        [
            user("u", ""),
            line("assistant", "a", "u", text),
            beside.to_owned(),
            user("v", "a"),
        ]
        .concat()
    };
    assert_eq!(lines(&log(&result("r", "a", "c1"))), [1, 2, 4]);
    let open = call("b", "a", "m1", "c2") + &result("r", "a", "other");
    assert_eq!(lines(&log(&open)), [1, 2, 3, 4, 5]);
}

#[test]
fn a_second_answer_beside_the_path_is_left() {
    let text = [
        user("u", ""),
        call("a", "u", "m1", "c1"),
        result("r", "a", "c1"),
        result("s", "a", "c1"),
        user("v", "s"),
    ]
    .concat();
    assert_eq!(lines(&text), [1, 2, 4, 5]);
}

#[test]
fn a_rewind_leaves_a_branch() {
    let text = [
        user("u", ""),
        call("a", "u", "m1", "c1"),
        result("r", "a", "c1"),
        user("v", "r"),
        user("w", "r"),
    ]
    .concat();
    assert_eq!(lines(&text), [1, 2, 3, 5]);
    assert_eq!(read_all(&text, Scope::File).messages.len(), 5);
}

#[test]
fn a_compaction_ends_the_walk() {
    let text = [
        user("u", ""),
        user("v", "u"),
        boundary("b", "v"),
        user("w", "b"),
    ]
    .concat();
    assert_eq!(lines(&text), [4]);
    // A microcompaction and a notice are only nodes.
    let micro = boundary("b", "v")
        .replace("compact_boundary", "microcompact_boundary")
        .replace("null", "\"v\"");
    assert_eq!(
        lines(&[user("u", ""), user("v", "u"), micro, user("w", "b")].concat()),
        [1, 2, 4]
    );
    // Back to before the compaction.
    assert_eq!(lines(&[text, user("x", "u")].concat()), [1, 5]);
}

#[test]
fn messages_before_a_compaction_can_return() {
    let mut text = String::new();
    let name = |i: usize| {
        if i == 0 {
            String::new()
        } else {
            format!("u{i}")
        }
    };
    (1..=20_000).for_each(|i| {
        text.push_str(&line(
            "user",
            &name(i),
            &name(i - 1),
            r#"{"role":"user","content":"0123456789012345678901234567890123456789012345678901234567890123456789"}"#,
        ))
    });
    text.push_str(&[boundary("b", "u20000"), user("v", "b"), user("w", "v")].concat());
    while text.len() < 17 << 20 {
        text.push_str(" \n");
        text.push_str(&format!(
            "{{\"type\":\"last-prompt\",\"sessionId\":\"{}\"}}\n",
            "s".repeat(1 << 16)
        ));
    }
    assert_eq!(lines(&text), [20_002, 20_003]);
    assert_eq!(lines(&[&text, &*user("x", "u2")].concat()).len(), 3);
}

#[test]
fn sidechains_are_other_contexts() {
    let aside = |s: String| s.replace("\"isSidechain\":false", "\"isSidechain\":true");
    let task = [
        aside(user("s", "")),
        aside(call("t", "s", "m2", "c2")),
        aside(result("p", "t", "c2")),
    ]
    .concat();
    let text = [
        user("u", ""),
        call("a", "u", "m1", "c1"),
        task.clone(),
        result("r", "a", "c1"),
    ]
    .concat();
    assert_eq!(lines(&text), [1, 2, 6]);
    assert_eq!(lines(&[text, task.clone()].concat()), [1, 2, 6]);
    assert_eq!(lines(&task), [1, 2, 3], "a subagent's own file");
}

#[test]
fn beginnings_and_ends_are_missing() {
    let cut_off = [
        result("r", "gone", "c0"),
        user("u", "r"),
        call("a", "u", "m1", "c1"),
    ]
    .concat();
    let found = read_all(&cut_off, Scope::Context);
    assert_eq!((found.messages.len(), defects(&found)), (3, vec!["E02"]));
    let torn = read_all(
        &(cut_off + r#"{"parentUuid":"a","isSidechain":false,"message":{"ro"#),
        Scope::Context,
    );
    let reported: Vec<_> = torn
        .warnings
        .iter()
        .map(|w| (w.line, w.text.split(':').next().unwrap()))
        .collect();
    assert_eq!(
        (torn.messages.len(), reported),
        (
            3,
            vec![
                (Some(1), "parent gone is not in the input"),
                (Some(4), "torn line, passed through")
            ]
        )
    );
    // No record names a parent: they follow each other.
    assert_eq!(
        lines(&[user("u", ""), user("v", ""), user("w", "")].concat()),
        [1, 2, 3]
    );
    // Another session before it: the last record's is live.
    assert_eq!(
        lines(&[user("u", ""), user("v", "u"), user("w", ""), user("x", "w")].concat()),
        [3, 4]
    );
}

#[test]
fn the_agents_own_answers_are_no_calls() {
    let own = call("b", "a", "m2", "c2")
        .replace("claude-a", "<synthetic>")
        .replace("2026-01", "2026-02");
    let failed = own.replace(
        "\"type\":\"assistant\"",
        "\"type\":\"assistant\",\"isApiErrorMessage\":true",
    );
    let begun = [
        user("u", ""),
        call("a", "u", "m1", "c1"),
        result("r", "a", "c1"),
    ]
    .concat();
    for (text, messages) in [
        ([&*begun, &own.replace("\"a\"", "\"r\"")].concat(), 4),
        ([&*begun, &failed.replace("\"a\"", "\"r\"")].concat(), 3),
    ] {
        let found = read_all(&text, Scope::Context);
        assert_eq!(
            (
                found.messages.len(),
                found.model.as_deref(),
                found.provider_name.as_deref()
            ),
            (messages, Some("claude-a"), Some("anthropic"))
        );
        assert_eq!(found.last_call, Some(1_767_225_600_000));
    }
}

#[test]
fn pieces_count_once_for_what_is_kept() {
    let begun = [
        user("u", ""),
        call("a", "u", "m1", "c1"),
        result("r", "a", "c1"),
        call("b", "r", "m2", "c2"),
    ]
    .concat();
    let text = begun
        + &[
            call("d", "b", "m2", "c3"),
            result("s", "b", "c2"),
            result("t", "d", "c3"),
        ]
        .concat();
    let found = read_all(&text, Scope::Context);
    let mut settings = Settings::default();
    let bytes = text.as_bytes();
    let view = View::new(&found, &bytes, &settings, 1000);
    let mut lines = |keep| {
        settings.context_pruning.keep_last_assistants = keep;
        candidates(&view, &settings, "")
            .ok()
            .map(|(candidates, _)| candidates.iter().map(|r| r.0 + 1).collect::<Vec<_>>())
    };
    assert_eq!(lines(1), Some(vec![3]));
    assert_eq!(lines(2), Some(vec![]));
    assert_eq!(lines(3), None);
}

/// A boundary that keeps records: as a list, as a part of the path, or as both.
fn keeping(id: &str, anchor: &str, list: Option<&[&str]>, part: Option<(&str, &str)>) -> String {
    let list = list.map(|uuids| {
        format!(r#""preservedMessages":{{"anchorUuid":"{anchor}","uuids":{uuids:?},"allUuids":{uuids:?}}}"#)
    });
    let part = part.map(|(head, tail)| {
        format!(r#""preservedSegment":{{"headUuid":"{head}","anchorUuid":"{anchor}","tailUuid":"{tail}"}}"#)
    });
    let kept: Vec<String> = part.into_iter().chain(list).collect();
    let kept = format!(r#""compactMetadata":{{{}}},"uuid""#, kept.join(","));
    boundary(id, "d").replace("\"uuid\"", &kept)
}

/// As Claude Code 2.1.332 resumes them, on 2026-11-28: the kept records hang on the anchor, and
/// what hung there on the last of them.
#[test]
fn a_boundary_sends_again_what_it_names() {
    let old = [
        user("a", ""),
        user("b", "a"),
        user("c", "b"),
        user("d", "c"),
    ]
    .concat();
    let read =
        |boundary: &str, next: &str| lines(&format!("{old}{boundary}{}{next}", user("s", "z")));
    let (list, part) = (Some(&["c", "d"][..]), Some(("c", "d")));
    for kept in [
        keeping("z", "s", list, None),
        keeping("z", "s", None, part),
        keeping("z", "s", list, part),
        keeping("z", "s", list, Some(("a", "d"))),
    ] {
        assert_eq!(read(&kept, &user("e", "s")), [6, 3, 4, 7], "{kept}");
        assert_eq!(read(&kept, &user("e", "d")), [6, 3, 4, 7], "{kept}");
        assert_eq!(read(&kept, &user("e", "c")), [6, 3, 7], "{kept}");
        assert_eq!(read(&kept, &user("e", "b")), [6, 3, 4, 7], "{kept}");
        assert_eq!(read(&kept, ""), [6, 3, 4], "{kept}");
        let again = boundary("y", "e") + &user("t", "y");
        assert_eq!(read(&kept, &(user("e", "s") + &again)), [9], "{kept}");
        let again = keeping("y", "t", Some(&["d", "e"]), None) + &user("t", "y") + &user("f", "t");
        assert_eq!(
            read(&kept, &(user("e", "s") + &again)),
            [9, 4, 7, 10],
            "{kept}"
        );
    }
    // The beginning is kept, and what came after it is in the summary.
    let from = keeping("z", "z", Some(&["a", "b"]), Some(("a", "b")));
    assert_eq!(read(&from, &user("e", "s")), [1, 2, 6, 7]);
    assert_eq!(read(&from, ""), [1, 2, 6]);
    // Where a record is missing, nothing is kept.
    let torn = keeping("z", "s", Some(&["c", "x"]), None);
    assert_eq!(read(&torn, &user("e", "s")), [6, 7]);
    let torn = keeping("z", "s", None, Some(("x", "d")));
    assert_eq!(read(&torn, &user("e", "s")), [6, 7]);
    let none = keeping("z", "s", Some(&[]), part);
    assert_eq!(read(&none, &user("e", "s")), [6, 7]);
    // The file has each record once.
    let text = format!("{old}{}{}", keeping("z", "s", list, part), user("s", "z"));
    assert_eq!(read_all(&text, Scope::File).messages.len(), 5);
}
