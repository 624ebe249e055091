//! What lies in the context of a tree, by example.

use super::*;
use crate::config::settings::Estimator;
use crate::transcript::Span;

const NODE: EntryKind = EntryKind::Node(Id::NONE);

/// The id that a number stands for; 0 is none.
fn id(number: u64) -> Id {
    if number == 0 { Id::NONE } else { Id::of(&number.to_le_bytes()) }
}

fn entry(own: u64, parent: u64, kind: EntryKind, message: u32) -> Entry {
    Entry { id: id(own), parent: id(parent), kind, message }
}

fn keep(number: u64) -> Keep {
    Keep::Id(id(number))
}

/// Messages of a user's; the one at 3 is a summary.
fn said() -> Vec<Message> {
    let mut sheet = Sheet::new(Estimator::Utf16);
    for i in 0..6 {
        let role = if i == 3 { Role::Other } else { Role::User };
        sheet.message(role, Span::default(), 0, true);
    }
    sheet.messages
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
    assert_eq!(order(&tree, &said(), 0), Ok(vec![0, 3]));
    let moved = [&tree[..], &[entry(6, 0, EntryKind::Leaf(id(3)), NONE)]].concat();
    assert_eq!(order(&moved, &said(), 0), Ok(vec![0, 1, 2]));
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
    assert_eq!(order(&tree, &said(), 0), Ok(vec![3, 1, 2, 4]));
    tree[3].kind = EntryKind::Compaction(keep(77));
    assert_eq!(order(&tree, &said(), 0), Ok(vec![3, 4]));
    assert_eq!(order(&tree, &said(), 5), Err(Gone));
    tree[3] = entry(4, 3, EntryKind::Compaction(Keep::Index(2)), 3);
    assert_eq!(order(&tree, &said(), 0), Ok(vec![3, 2, 4]));
    tree[3] = entry(4, 3, EntryKind::Reset(Keep::Nothing), NONE);
    assert_eq!(order(&tree, &said(), 0), Ok(vec![4]));
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
    assert_eq!(order(&tree, &said(), 0), Ok(vec![5, 1, 2, 4]));
    // What a reset keeps are messages only: not a summary of a branch.
    tree[2].kind = NODE;
    tree[4] = entry(5, 4, EntryKind::Reset(keep(2)), NONE);
    assert_eq!(order(&tree, &said(), 0), Ok(vec![1, 2, 4]));
}

#[test]
fn old_rows_without_ids_follow_each_other() {
    let rows: Vec<Entry> = (0..4).map(|i| entry(0, 0, EntryKind::Following(Id::NONE), i)).collect();
    assert_eq!(order(&rows, &said(), 0), Ok(vec![0, 1, 2, 3]));
}

#[test]
fn cycles_and_missing_parents_end_the_walk() {
    let tree = [entry(1, 2, NODE, 0), entry(2, 1, NODE, 1), entry(3, 99, NODE, 2)];
    assert_eq!(order(&tree, &said(), 0), Ok(vec![2]));
}

#[test]
fn letting_go_changes_nothing() {
    let build = || {
        let mut sheet = Sheet::new(Estimator::Utf16);
        let mut parent = 0;
        for i in 1..=9000u64 {
            let compaction = i % 3000 == 0;
            let role = if compaction { Role::Other } else { Role::User };
            let message = sheet.message(role, Span::default(), sheet.blocks.len(), true);
            let kind = if compaction { EntryKind::Compaction(keep(i.saturating_sub(10) * 2 + 1)) } else { NODE };
            sheet.entries.push(entry(i * 2 + 1, parent, kind, message));
            parent = i * 2 + 1;
        }
        sheet
    };
    let (mut all, mut less) = (build(), build());
    let_go(&mut less);
    assert!(less.entries.len() < 20 && less.dropped > 8000);
    context(&mut all, Scope::Context).unwrap();
    context(&mut less, Scope::Context).unwrap();
    let numbers = |s: &Sheet| s.messages.iter().map(|m| m.number).collect::<Vec<_>>();
    assert_eq!(numbers(&all), numbers(&less));
    assert_eq!(all.messages.len(), 11);
}
