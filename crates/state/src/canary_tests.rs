//! Floors, windows, retirements and resets.

use super::*;
use crate::Access;
use std::time::Duration;

fn store() -> (tempfile::TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(
        &dir.path().join("s.db"),
        Access::Write,
        Duration::from_secs(1),
    )
    .unwrap();
    (dir, store)
}

fn score(stack: &str, arm: Arm, score: f64, floor: Floor) -> Score {
    let rules = Canary {
        floor,
        min_samples: 3,
        window: 4,
    };
    Score {
        workload: "chat".into(),
        stack: stack.into(),
        arm,
        score,
        at: 7,
        rules,
    }
}

#[test]
fn a_floor_of_its_own() {
    let (_dir, mut store) = store();
    let floor = Floor::Absolute(0.8);
    let bad = |store: &mut Store| store.record(&[score("", Arm::Pruned, 0.5, floor)]).unwrap();
    bad(&mut store);
    bad(&mut store);
    assert_eq!(store.retired("chat", None).unwrap(), None, "too few");
    bad(&mut store);
    let why = store.retired("chat", None).unwrap().expect("retired");
    assert!(why.contains("canary") && why.contains("0.500"), "{why}");
    assert_eq!(store.retired("other", None).unwrap(), None);
    for _ in 0..9 {
        store.record(&[score("", Arm::Pruned, 1.0, floor)]).unwrap();
    }
    assert!(
        store.retired("chat", None).unwrap().is_some(),
        "nothing comes back by itself"
    );
    store.reset("chat", None, "repaired", 9).unwrap();
    let rules = score("", Arm::Pruned, 0.0, floor).rules;
    let now = store.statuses("chat", None, &rules).unwrap().remove(0);
    assert_eq!(
        (now.state, now.count, now.retired_at),
        ("collecting", 0, None)
    );
    let events: Vec<(String, String)> = store
        .events("chat")
        .unwrap()
        .into_iter()
        .map(|e| (e.event, e.reason))
        .collect();
    assert_eq!(events[0].0, "retired");
    assert_eq!(events[1], ("reset".to_owned(), "repaired".to_owned()));
    assert_eq!(events.len(), 2);
}

#[test]
fn a_floor_of_the_control() {
    let (_dir, mut store) = store();
    let floor = Floor::OfControl(0.95);
    for stack in ["a", "b"] {
        for _ in 0..3 {
            store
                .record(&[score(stack, Arm::Pruned, 0.9, floor)])
                .unwrap();
        }
    }
    let rules = score("", Arm::Pruned, 0.0, floor).rules;
    assert_eq!(
        store.statuses("chat", Some("a"), &rules).unwrap()[0].state,
        "collecting",
        "there is no control yet"
    );
    store
        .record(&[
            score("a", Arm::Control, 0.94, floor),
            score("b", Arm::Control, 0.95, floor),
        ])
        .unwrap();
    let states: Vec<_> = store
        .statuses("chat", None, &rules)
        .unwrap()
        .into_iter()
        .map(|s| (s.stack, s.state))
        .collect();
    assert_eq!(
        states,
        [("a".to_owned(), "healthy"), ("b".to_owned(), "retired")]
    );
    assert!(
        store.retired("chat", Some("a")).unwrap().is_none()
            && store.retired("chat", Some("b")).unwrap().is_some()
    );
    assert!(
        store.retired("chat", None).unwrap().is_some(),
        "whoever names no stack asks for all"
    );
}

#[test]
fn only_the_window_counts() {
    let (_dir, mut store) = store();
    let floor = Floor::Absolute(0.6);
    for value in [0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.1, 0.7] {
        store
            .record(&[score("", Arm::Pruned, value, floor)])
            .unwrap();
    }
    assert!(
        store.retired("chat", None).unwrap().is_some(),
        "(0.7 + 0.7 + 0.1 + 0.7) / 4 = 0.55"
    );
}
