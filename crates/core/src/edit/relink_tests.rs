//! Links between records after removals: parents, boundaries, labels, copies.

use super::super::whole::tests::without;
use super::*;

#[test]
fn every_record_is_met_once() {
    let long = format!(r#"{{"n":4,"text":"{}"}}"#, "x".repeat(3 << 20));
    let text = format!(
        "\u{feff}{{\"n\":1}}\r\n\n{{\"n\":2}}{{\"n\":3}}\n[7]\n{{\"torn\n{long}\n{{\"n\":5}}"
    );
    let records = table(
        &text.as_bytes(),
        &reader::log(
            &text.as_bytes(),
            &Reading::new(by_name("openclaw").unwrap(), Estimator::Utf16, Scope::File),
            1,
            &|_| {},
        )
        .unwrap(),
    )
    .unwrap()
    .into_owned();
    let found: Vec<&str> = records
        .list()
        .iter()
        .map(|record| &text[record.start as usize..record.range().end as usize])
        .collect();
    assert_eq!(
        found,
        [
            r#"{"n":1}"#,
            r#"{"n":2}"#,
            r#"{"n":3}"#,
            &long,
            r#"{"n":5}"#
        ]
    );
    let lines = |i: usize| (records.list()[i].line().end - records.list()[i].line().start) as usize;
    assert_eq!(
        [0, 1, 3, 4].map(lines),
        [7, 7, long.len() + 1, 7],
        "a mark or another record is beside the first two"
    );
}

const HEAD: &str = r#"{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/"}"#;

fn entry(id: &str, parent: &str) -> String {
    format!(
        r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"t","message":{{"role":"user","content":"{id}"}}}}"#
    )
}

fn lines(records: &[&str]) -> String {
    [&[HEAD], records]
        .concat()
        .iter()
        .map(|record| format!("{record}\n"))
        .collect()
}

#[test]
fn children_on_the_way_and_beside_it_follow_their_grandparents() {
    let [a, b, c] = [entry("a", "null"), entry("b", "\"a\""), entry("c", "\"b\"")];
    let label = |id: &str| {
        format!(
            r#"{{"type":"label","id":"l","parentId":"c","timestamp":"t","targetId":"{id}","label":"x"}}"#
        )
    };
    let branch = |parent: &str| entry("d", parent);
    let all = lines(&[&a, &b, &branch("\"b\""), &c, &label("b")]);
    let left = lines(&[&a, &branch("\"a\""), &entry("c", "\"a\""), &label("a")]);
    assert_eq!(without("openclaw", &all, &[(1, None)]).unwrap(), left);
    // In front of all that stays there is no ancestor: a child is a root, and what must name a
    // record names the next one.
    let all = lines(&[&a, &b, &c, &label("a")]);
    assert_eq!(
        without("openclaw", &all, &[(0, None)]).unwrap(),
        lines(&[&entry("b", "null"), &c, &label("b")])
    );
    let two = without("openclaw", &lines(&[&a, &b, &c]), &[(0, None), (1, None)]).unwrap();
    assert_eq!(two, lines(&[&entry("c", "null")]));
}

#[test]
fn a_boundary_keeps_from_the_next_that_stays() {
    let [a, b, c] = [entry("a", "null"), entry("b", "\"a\""), entry("c", "\"b\"")];
    let compaction = |first: &str| {
        format!(
            r#"{{"type":"compaction","id":"k","parentId":"c","timestamp":"t","summary":"all","firstKeptEntryId":"{first}","tokensBefore":9}}"#
        )
    };
    let d = entry("d", "\"k\"");
    let all = lines(&[&a, &b, &c, &compaction("b"), &d]);
    // The summary comes first, then b, c and d.
    let left = lines(&[&a, &entry("c", "\"a\""), &compaction("c"), &d]);
    assert_eq!(without("openclaw", &all, &[(1, None)]).unwrap(), left);
}

#[test]
fn copies_that_are_not_sent_go_with_their_record() {
    let line = |id: &str, parent: &str| {
        format!(
            r#"{{"parentUuid":{parent},"isSidechain":false,"type":"user","message":{{"role":"user","content":"{id}"}},"uuid":"{id}","sessionId":"s"}}"#
        )
    };
    let [a, b, c] = [line("a", "null"), line("b", "\"a\""), line("c", "\"b\"")];
    let all = [&a, &b, &b, &c]
        .map(|record| format!("{record}\n"))
        .concat();
    let left = [&a, &line("c", "\"a\"")]
        .map(|record| format!("{record}\n"))
        .concat();
    assert_eq!(without("claude-code", &all, &[(1, None)]).unwrap(), left);
    let own =
        all.replace(r#""uuid":"b""#, r#""uuid":"e""#)
            .replacen(r#""uuid":"e""#, r#""uuid":"b""#, 1);
    assert!(
        without("claude-code", &own, &[(0, None)])
            .unwrap()
            .contains(r#""uuid":"e""#),
        "another id is another record"
    );
}

#[test]
fn a_removed_record_leaves_the_list_of_those_that_are_kept() {
    let line = |id: &str, parent: &str| {
        format!(
            r#"{{"parentUuid":{parent},"type":"user","uuid":"{id}","sessionId":"s","message":{{"role":"user","content":"{id}"}}}}"#
        )
    };
    let boundary = |head: &str, list: &str| {
        format!(
            r#"{{"parentUuid":null,"type":"system","subtype":"compact_boundary","uuid":"z","compactMetadata":{{"preservedSegment":{{"headUuid":"{head}","anchorUuid":"s","tailUuid":"c"}},"preservedMessages":{{"anchorUuid":"s","uuids":[{list}],"allUuids":[{list}]}}}}}}"#
        )
    };
    let log = |a: &str, head: &str, list: &str, b: &str| {
        let rest = [
            line("c", b),
            boundary(head, list),
            line("s", "\"z\""),
            line("d", "\"s\""),
        ];
        format!("{a}\n{}\n", rest.join("\n"))
    };
    let [a, b] = [line("a", "null"), line("b", "\"a\"")];
    let all = log(&format!("{a}\n{b}"), "b", r#""b","c""#, "\"b\"");
    // The summary comes first, then b, c and d.
    let left = log(&a, "c", r#""c""#, "\"a\"");
    assert_eq!(without("claude-code", &all, &[(1, None)]).unwrap(), left);
}
