use super::*;

#[test]
fn branches_that_take_turns_share_their_trunk() {
    let lines = [
        pi("a", "", ASKED),
        pi("b", "a", SAID),
        pi("c", "a", SAID),
        pi("d", "b", SAID),
        pi("e", "c", SAID),
        pi("f", "d", SAID),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(
        threads("openclaw", &lines),
        ["+1 !2 !3 +2 !4 /1 -1b +3 !5 /0. +4 !6"]
    );
}

#[test]
fn a_compaction_that_keeps_the_same_replaces_the_summary() {
    let compaction = |id: &str, parent: &str| {
        format!(
            r#"{{"type":"compaction","id":"{id}","parentId":"{parent}","timestamp":"2026-01-01T00:00:00Z","summary":"s","firstKeptEntryId":"a"}}"#
        )
    };
    let lines = [
        pi("a", "", ASKED),
        pi("b", "a", SAID),
        compaction("k", "b"),
        pi("c", "k", SAID),
        compaction("l", "c"),
        pi("d", "l", SAID),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(
        threads("openclaw", &lines),
        ["+1 !2 +2 -0c +3 +1 +2 !4 +4 =5 !6"]
    );
}
