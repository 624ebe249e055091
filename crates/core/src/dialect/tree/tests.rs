//! The context of a tree, by example.

use super::*;
use crate::json::Id;
use crate::settings::Estimator;
use crate::transcript::Span;

const NODE: EntryKind = EntryKind::Node(Id::NONE);

/// The id that a number represents; 0 is none.
fn id(number: u64) -> Id {
    if number == 0 {
        Id::NONE
    } else {
        Id::of(&number.to_le_bytes())
    }
}

fn entry(own: u64, parent: u64, kind: EntryKind, message: u32) -> Entry {
    Entry {
        id: id(own),
        parent: id(parent),
        kind,
        message,
        ..Entry::default()
    }
}

fn keep(number: u64) -> Keep {
    Keep::Id(id(number))
}

/// Messages of a user; the one at 3 is a summary.
fn said() -> TranscriptBuilder {
    let mut builder = TranscriptBuilder::new(Estimator::Utf16);
    for i in 0..6 {
        let role = if i == 3 { Role::Other } else { Role::User };
        builder.message(role, Span::default(), 0, true);
    }
    builder
}

/// The messages in the context of these entries, counted from 0; `released` others were released
/// before.
fn order_after(entries: &[Entry], released: u64) -> Result<Vec<u32>, EntryReleased> {
    let mut builder = said();
    builder.entries = entries.to_vec();
    builder.released.count = released;
    context(&mut builder, Scope::Context)
        .map(|()| builder.messages.iter().map(|m| m.number - 1).collect())
}

fn order(entries: &[Entry]) -> Vec<u32> {
    order_after(entries, 0).unwrap()
}

#[test]
fn the_leaf_decides() {
    let tree = [
        entry(9, 0, EntryKind::Header, NONE),
        entry(1, 0, NODE, 0),
        entry(2, 1, NODE, 1),
        entry(3, 2, NODE, 2),
        entry(4, 1, NODE, 3),
        entry(5, 4, EntryKind::Side(Id::NONE), 4),
    ];
    assert_eq!(order(&tree), [0, 3]);
    let moved = [&tree[..], &[entry(6, 0, EntryKind::Leaf(id(3)), NONE)]].concat();
    assert_eq!(order(&moved), [0, 1, 2]);
}

#[test]
fn a_compaction_keeps_from_its_first_entry() {
    let mut tree = vec![
        entry(1, 0, NODE, 0),
        entry(2, 1, NODE, 1),
        entry(3, 2, NODE, 2),
        entry(4, 3, EntryKind::Compaction(keep(2)), 3),
        entry(5, 4, NODE, 4),
    ];
    assert_eq!(order(&tree), [3, 1, 2, 4]);
    tree[3].kind = EntryKind::Compaction(keep(77));
    assert_eq!(order(&tree), [3, 4]);
    assert_eq!(order_after(&tree, 5), Err(EntryReleased));
    tree[3] = entry(4, 3, EntryKind::Compaction(Keep::Index(2)), 3);
    assert_eq!(order(&tree), [3, 2, 4]);
    tree[3] = entry(4, 3, EntryKind::Reset(Keep::Nothing), NONE);
    assert_eq!(order(&tree), [4]);
}

#[test]
fn a_boundary_does_not_keep_an_earlier_summary() {
    let mut tree = vec![
        entry(1, 0, NODE, 0),
        entry(2, 1, NODE, 1),
        entry(3, 2, EntryKind::Compaction(keep(1)), 3),
        entry(4, 3, NODE, 2),
        entry(5, 4, EntryKind::Compaction(keep(2)), 5),
        entry(6, 5, NODE, 4),
    ];
    assert_eq!(order(&tree), [5, 1, 2, 4]);
    // What a reset keeps are messages only: not a summary of a branch.
    tree[2].kind = NODE;
    tree[4] = entry(5, 4, EntryKind::Reset(keep(2)), NONE);
    assert_eq!(order(&tree), [1, 2, 4]);
}

#[test]
fn old_rows_without_ids_follow_each_other() {
    let rows: Vec<Entry> = (0..4)
        .map(|i| entry(0, 0, EntryKind::Following(Id::NONE), i))
        .collect();
    assert_eq!(order(&rows), [0, 1, 2, 3]);
}

#[test]
fn cycles_and_missing_parents_end_the_walk() {
    let tree = [
        entry(1, 2, NODE, 0),
        entry(2, 1, NODE, 1),
        entry(3, 99, NODE, 2),
    ];
    assert_eq!(order(&tree), [2]);
    // A ring is cut behind the leaf; an entry that hangs on a ring takes all of it in.
    assert_eq!(order(&tree[..2]), [0, 1]);
    assert_eq!(order(&[tree[0], tree[1], entry(3, 1, NODE, 2)]), [1, 0, 2]);
    assert_eq!(
        order(&[
            entry(3, 1, NODE, 2),
            entry(1, 1, NODE, 0),
            entry(2, 3, NODE, 1)
        ]),
        [0, 2, 1]
    );
}

#[test]
fn lines_may_come_before_their_parents() {
    let line = [
        entry(1, 0, NODE, 0),
        entry(2, 1, NODE, 1),
        entry(3, 2, NODE, 2),
        entry(4, 3, NODE, 3),
    ];
    for [a, b, c] in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ] {
        assert_eq!(order(&[line[a], line[b], line[c], line[3]]), [0, 1, 2, 3]);
    }
}

#[test]
fn an_ancestor_on_the_last_line_has_the_newest_leaf() {
    // The last record is an ancestor: the newest of its descendants is the leaf.
    let at = |own, parent, message, time| Entry {
        time,
        ..entry(own, parent, NODE, message)
    };
    let (root, long, short) = (
        at(1, 0, 0, 1),
        [at(2, 1, 1, 2), at(3, 2, 2, 3)],
        at(4, 1, 4, 9),
    );
    assert_eq!(order(&[long[1], long[0], root]), [0, 1, 2]);
    assert_eq!(order(&[short, long[1], long[0], root]), [0, 4]);
    assert_eq!(order(&[long[1], short, root, long[0]]), [0, 1, 2]);
    // A control says it exactly.
    assert_eq!(
        order(&[
            long[1],
            long[0],
            root,
            entry(0, 0, EntryKind::Leaf(id(2)), NONE)
        ]),
        [0, 1]
    );
    // The last record is not of the conversation, so no position shows which path is meant.
    let aside = entry(5, 4, EntryKind::Side(Id::NONE), NONE);
    assert_eq!(order(&[long[1], short, root, long[0], aside]), [0, 4]);
    // In order, positions show it: the last record of the conversation was an older one.
    assert_eq!(order(&[root, short, long[0], long[1], aside]), [0, 1, 2]);
}

#[test]
fn a_line_that_was_written_twice_is_one() {
    let (one, two, three) = (
        entry(1, 0, NODE, 0),
        entry(2, 1, NODE, 1),
        entry(3, 2, NODE, 2),
    );
    let again = |entry: Entry, message| Entry { message, ..entry };
    assert_eq!(order(&[one, two, again(two, 4), three]), [0, 4, 2]);
    assert_eq!(order(&[one, again(one, 4), two, three]), [4, 1, 2]);
    // The copy of an early record at the end is nothing new.
    assert_eq!(order(&[one, two, three, again(one, 4)]), [4, 1, 2]);
    assert_eq!(
        order(&[one, two, again(two, 4), three, again(one, 5)]),
        [5, 4, 2]
    );
    // Another record of the same id is another one: the nearest before is meant.
    assert_eq!(
        order(&[one, two, entry(1, 2, NODE, 4), entry(3, 1, NODE, 2)]),
        [0, 1, 4, 2]
    );
}

/// A log of `n` messages with a compaction after each 3,000, which keeps the ten messages before
/// it.
fn long(n: u64) -> TranscriptBuilder {
    let mut builder = TranscriptBuilder::new(Estimator::Utf16);
    let mut parent = 0;
    for i in 1..=n {
        let compaction = i % 3000 == 0;
        let role = if compaction { Role::Other } else { Role::User };
        let message = builder.message(role, Span::default(), builder.blocks.len(), true);
        let kind = if compaction {
            EntryKind::Compaction(keep(i.saturating_sub(10) * 2 + 1))
        } else {
            NODE
        };
        builder.entries.push(Entry {
            line: i as u32,
            ..entry(i * 2 + 1, parent, kind, message)
        });
        builder.lines = i;
        parent = i * 2 + 1;
    }
    builder
}

fn numbers(mut builder: TranscriptBuilder) -> Result<Vec<u32>, EntryReleased> {
    context(&mut builder, Scope::Context)
        .map(|()| builder.messages.iter().map(|m| m.number).collect())
}

#[test]
fn letting_go_changes_nothing() {
    let (all, mut less) = (long(9000), long(9000));
    release_entries(&mut less);
    assert!(less.entries.len() < 20 && less.released.count > 8000);
    let all = numbers(all).unwrap();
    assert_eq!(numbers(less), Ok(all.clone()));
    assert_eq!(all.len(), 11);
}

/// Checks records that follow a release: they mean the same as with all entries kept, or the need
/// for a released one is reported.
#[test]
fn a_released_entry_that_is_needed_is_reported() {
    let id_of = |i: u64| i * 2 + 1;
    let later = |own: u64, parent: u64| {
        move |builder: &mut TranscriptBuilder| {
            let message = builder.message(Role::User, Span::default(), builder.blocks.len(), true);
            builder.lines += 1;
            builder.entries.push(Entry {
                line: builder.lines as u32,
                ..entry(own, parent, NODE, message)
            });
        }
    };
    type Add = Box<dyn Fn(&mut TranscriptBuilder)>;
    let cases: [(&str, Add, bool); 7] = [
        (
            "the conversation continues",
            Box::new(later(1 << 20, id_of(9000))),
            true,
        ),
        (
            "a new conversation begins",
            Box::new(later(1 << 20, 0)),
            true,
        ),
        (
            "a parent that is nowhere",
            Box::new(later(1 << 20, 1 << 21)),
            true,
        ),
        (
            "a branch returns behind the compaction",
            Box::new(later(1 << 20, id_of(20))),
            false,
        ),
        (
            "a branch returns to what the compaction keeps, and passes it by",
            Box::new(later(1 << 20, id_of(8995))),
            false,
        ),
        (
            "a line of the beginning comes again",
            Box::new(later(id_of(1), 0)),
            false,
        ),
        ("an early line's parent", Box::new(later(1 << 22, 0)), false),
    ];
    for (why, add, stays) in cases {
        let build = || {
            let mut builder = long(9000);
            // A record beside the conversation whose parent comes later.
            builder.entries[4].parent = id(1 << 22);
            builder
        };
        let (mut all, mut less) = (build(), build());
        release_entries(&mut less);
        assert!(less.released.count > 8000, "{why}");
        add(&mut all);
        add(&mut less);
        let all = numbers(all).unwrap();
        assert_eq!(
            numbers(less),
            if stays { Ok(all) } else { Err(EntryReleased) },
            "{why}"
        );
    }
}

#[test]
fn early_children_of_kept_entries_keep_all() {
    let mut builder = long(9000);
    (builder.entries[3].parent, builder.entries[4].parent) =
        (id(8995 * 2 + 1), builder.entries[2].id);
    release_entries(&mut builder);
    assert_eq!(builder.released.count, 0);
}

#[test]
fn parents_that_are_missing_are_counted() {
    let missing = |entries: &[Entry]| {
        let mut builder = said();
        builder.entries = entries
            .iter()
            .zip(1..)
            .map(|(entry, line)| Entry { line, ..*entry })
            .collect();
        context(&mut builder, Scope::Context).unwrap();
        builder
            .missing
            .map(|missing| (missing.count, missing.line, missing.head))
    };
    let (one, two, three) = (
        entry(1, 0, NODE, 0),
        entry(2, 1, NODE, 1),
        entry(3, 2, NODE, 2),
    );
    assert_eq!(missing(&[one, two, three]), None);
    assert_eq!(missing(&[three, two, one]), None);
    assert_eq!(missing(&[two, three]), Some((1, 1, true)));
    assert_eq!(missing(&[three, two]), Some((1, 2, false)));
    assert_eq!(
        missing(&[one, three, entry(4, 77, NODE, 3)]),
        Some((2, 2, false))
    );
    // Two children of one parent miss one.
    assert_eq!(missing(&[three, entry(4, 2, NODE, 3)]), Some((1, 1, true)));
    // A notice that leads to no message misses nothing, one that leads to a message does.
    let notice = entry(8, 88, EntryKind::Side(Id::NONE), NONE);
    assert_eq!(missing(&[one, notice]), None);
    assert_eq!(missing(&[notice, entry(1, 8, NODE, 0)]), Some((1, 1, true)));
    // An event may name one that was never written down, where the head is there.
    let event = |own, parent, message| entry(own, parent, EntryKind::Event, message);
    assert_eq!(missing(&[event(1, 0, 0), event(3, 2, 1)]), None);
    assert_eq!(
        missing(&[event(3, 2, 1), event(4, 3, 2)]),
        Some((1, 1, true))
    );
}
