//! Names that lead on: parents, boundaries, labels, copies.

use super::super::whole::tests::without;
use super::*;

#[test]
fn names_with_a_dot_are_members_of_members() {
    let record = br#"{"id":"a","meta":{"id":"b","head":{"id":7}},"parentId":null,"id":"c","list":[{"id":"d"}],"other":{}}"#;
    let found = named(record, &["id", "parentId", "meta.head.id", "other"]).unwrap();
    let mut found: Vec<(usize, &str)> = found.into_iter().map(|(which, at)| (which, std::str::from_utf8(&record[at]).unwrap())).collect();
    found.sort_by_key(|(which, _)| *which);
    assert_eq!(found, [(0, "\"a\""), (0, "\"c\""), (1, "null"), (2, "7")]);
    assert!(named(b"[1]", &["id"]).unwrap().is_empty());
    assert!(named(br#"{"id":}"#, &["id"]).is_err());
}

#[test]
fn the_nearest_ancestor_that_stays() {
    let removed = |pairs: &[(&str, &str)]| Removed {
        parents: pairs.iter().map(|(id, parent)| (id.as_bytes().to_vec(), parent.as_bytes().to_vec())).collect(),
        ..Removed::default()
    };
    let chain = removed(&[("c", "b"), ("b", "a"), ("x", "null")]);
    let of = |id: &str| chain.ancestor(id.as_bytes()).map(|id| String::from_utf8(id).unwrap());
    assert_eq!((of("c"), of("b"), of("x"), of("a")), (Some("a".into()), Some("a".into()), Some("null".into()), None));
    let cycle = removed(&[("a", "b"), ("b", "a")]);
    assert!(cycle.ancestor(b"a").is_some(), "a cycle ends");
}

#[test]
fn every_record_is_walked_once() {
    let long = format!(r#"{{"n":4,"text":"{}"}}"#, "x".repeat(3 * BUFFER as usize));
    let text = format!("\u{feff}{{\"n\":1}}\r\n\n{{\"n\":2}}{{\"n\":3}}\n[7]\n{{\"torn\n{long}\n{{\"n\":5}}");
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    walk(&bytes, false, &mut |start, record| {
        assert_eq!(&bytes[start as usize..start as usize + record.len()], record);
        found.push(record[5] - b'0');
    })
    .unwrap();
    assert_eq!(found, [1, 2, 3, 4, 5]);
}

const HEAD: &str = r#"{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/"}"#;

fn entry(id: &str, parent: &str) -> String {
    format!(r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"t","message":{{"role":"user","content":"{id}"}}}}"#)
}

fn lines(records: &[&str]) -> String {
    [&[HEAD], records].concat().iter().map(|record| format!("{record}\n")).collect()
}

#[test]
fn children_on_the_way_and_beside_it_follow_their_grandparents() {
    let [a, b, c] = [entry("a", "null"), entry("b", "\"a\""), entry("c", "\"b\"")];
    let label = |id: &str| format!(r#"{{"type":"label","id":"l","parentId":"c","timestamp":"t","targetId":"{id}","label":"x"}}"#);
    let branch = |parent: &str| entry("d", parent);
    let all = lines(&[&a, &b, &branch("\"b\""), &c, &label("b")]);
    let left = lines(&[&a, &branch("\"a\""), &entry("c", "\"a\""), &label("a")]);
    assert_eq!(without("openclaw", &all, &[(1, None)]).unwrap(), left);
    // In front of all that stays there is no ancestor: a child is a root, and what must name a record names the next one.
    let all = lines(&[&a, &b, &c, &label("a")]);
    assert_eq!(without("openclaw", &all, &[(0, None)]).unwrap(), lines(&[&entry("b", "null"), &c, &label("b")]));
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
    let all = [&a, &b, &b, &c].map(|record| format!("{record}\n")).concat();
    let left = [&a, &line("c", "\"a\"")].map(|record| format!("{record}\n")).concat();
    assert_eq!(without("claude-code", &all, &[(1, None)]).unwrap(), left);
    let own = all.replace(r#""uuid":"b""#, r#""uuid":"e""#).replacen(r#""uuid":"e""#, r#""uuid":"b""#, 1);
    assert!(without("claude-code", &own, &[(0, None)]).unwrap().contains(r#""uuid":"e""#), "another id is another record");
}
