//! What lies in the context of a tree, by example.

use super::*;
use crate::config::settings::Estimator;
use crate::transcript::Span;

fn entry(id: u64, parent: u64, kind: EntryKind, message: u32, aim: u64) -> Entry {
    Entry { id, parent, kind, message, aim }
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
    use EntryKind::{Header, Leaf, Node, Side};
    let tree = [
        entry(9, 0, Header, NONE, 0),
        entry(1, 0, Node, 0, 0),
        entry(2, 1, Node, 1, 0),
        entry(3, 2, Node, 2, 0),
        entry(4, 1, Node, 3, 0),
        entry(5, 4, Side, 4, 0),
    ];
    assert_eq!(order(&tree, &said(), 0), Ok(vec![0, 3]));
    let moved = [&tree[..], &[entry(6, 0, Leaf, NONE, 3)]].concat();
    assert_eq!(order(&moved, &said(), 0), Ok(vec![0, 1, 2]));
}

#[test]
fn a_compaction_keeps_from_its_first_entry() {
    use EntryKind::{Compaction, Node, Reset};
    let mut tree = vec![
        entry(1, 0, Node, 0, 0),
        entry(2, 1, Node, 1, 0),
        entry(3, 2, Node, 2, 0),
        entry(4, 3, Compaction(Keep::Id), 3, 2),
        entry(5, 4, Node, 4, 0),
    ];
    assert_eq!(order(&tree, &said(), 0), Ok(vec![3, 1, 2, 4]));
    tree[3].aim = 77;
    assert_eq!(order(&tree, &said(), 0), Ok(vec![3, 4]));
    assert_eq!(order(&tree, &said(), 5), Err(Gone));
    tree[3] = entry(4, 3, Compaction(Keep::Index), 3, 2);
    assert_eq!(order(&tree, &said(), 0), Ok(vec![3, 2, 4]));
    tree[3] = entry(4, 3, Reset, NONE, 0);
    assert_eq!(order(&tree, &said(), 0), Ok(vec![4]));
}

#[test]
fn a_boundary_does_not_keep_an_earlier_summary() {
    use EntryKind::{Compaction, Node, Reset};
    let mut tree = vec![
        entry(1, 0, Node, 0, 0),
        entry(2, 1, Node, 1, 0),
        entry(3, 2, Compaction(Keep::Id), 3, 1),
        entry(4, 3, Node, 2, 0),
        entry(5, 4, Compaction(Keep::Id), 5, 2),
        entry(6, 5, Node, 4, 0),
    ];
    assert_eq!(order(&tree, &said(), 0), Ok(vec![5, 1, 2, 4]));
    // What a reset keeps are messages only: not a summary of a branch.
    tree[2].kind = Node;
    tree[4] = entry(5, 4, Reset, NONE, 2);
    assert_eq!(order(&tree, &said(), 0), Ok(vec![1, 2, 4]));
}

#[test]
fn old_rows_without_ids_follow_each_other() {
    use EntryKind::Following;
    let rows: Vec<Entry> = (0..4).map(|i| entry(0, 0, Following, i, 0)).collect();
    assert_eq!(order(&rows, &said(), 0), Ok(vec![0, 1, 2, 3]));
}

#[test]
fn cycles_and_missing_parents_end_the_walk() {
    use EntryKind::Node;
    let tree = [entry(1, 2, Node, 0, 0), entry(2, 1, Node, 1, 0), entry(3, 99, Node, 2, 0)];
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
            let kind = if compaction { EntryKind::Compaction(Keep::Id) } else { EntryKind::Node };
            sheet.entries.push(entry(i * 2 + 1, parent, kind, message, i.saturating_sub(10) * 2 + 1));
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
