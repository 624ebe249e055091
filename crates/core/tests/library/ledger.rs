//! The ledger of a session: with `breakEven.budget` a warm cut may spend what earlier cuts saved.

use deadhead_core::{Config, Pruner, Session};
use serde_json::{Value, json};

const NOW: i64 = 1_800_000_000_000;
const MINUTE: i64 = 60_000;

/// The body of request `n` of a session in which each step reads so many chars.
fn body(n: usize, chars: &dyn Fn(usize) -> usize) -> Vec<u8> {
    let mut messages = vec![json!({"role": "user", "content": "begin"})];
    for i in 0..n {
        messages.push(
            json!({"role": "assistant", "content": [{"type": "tool_use", "id": format!("t{i}"), "name": "exec", "input": {"n": i}}]}),
        );
        let result = json!({"type": "tool_result", "tool_use_id": format!("t{i}"), "content": format!("{i} {}", "word ".repeat(chars(i) / 5))});
        messages.push(json!({"role": "user", "content": [result]}));
    }
    json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "tools": [{"name": "exec", "input_schema": {"type": "object"}}], "messages": messages})
        .to_string()
        .into_bytes()
}

/// Sends 30 requests a minute apart, and two hours before the tenth; the session, and the number of cuts at the end.
fn run(config: &str, keeps: bool) -> (Session, usize) {
    let (mut session, mut now, mut cuts) = (Session::default(), NOW, 0);
    let pruner = Pruner::new(Config::from_json5(config).unwrap()).unwrap();
    for n in 1..=30 {
        now += if n == 10 { 120 * MINUTE } else { MINUTE };
        let before = session.ledger;
        let input = body(n, &|i| if i % 3 == 0 { 40_000 } else { 4_000 });
        cuts = pruner
            .at(now)
            .session(&mut session)
            .prune(&input)
            .unwrap()
            .report
            .cuts
            .len();
        let (spent, unpruned) = (session.ledger.spent, session.ledger.unpruned);
        assert!(
            spent >= before.spent && unpruned >= before.unpruned,
            "request {n}: {:?}",
            session.ledger
        );
        if keeps {
            // A session that ends now is dearer by the budget at most.
            assert!(
                spent <= unpruned * 1.0006,
                "request {n}: {:?}",
                session.ledger
            );
        } else {
            session.ledger = Default::default();
        }
    }
    (session, cuts)
}

#[test]
fn a_session_that_ends_now_is_dearer_by_the_budget_at_most() {
    let safe = "{contextPruning: {mode: 'break-even'}, breakEven: {budget: 0.0005}}";
    let (session, with) = run(safe, true);
    assert!(
        session.ledger.unpruned > session.ledger.spent * 1.05,
        "{:?}",
        session.ledger
    );
    // Without what it has saved it may spend less.
    let (_, without) = run(safe, false);
    assert!(
        with > without,
        "{with} cuts with a ledger, {without} without"
    );
    // Where no budget asks, nothing is kept.
    let (session, _) = run("{contextPruning: {mode: 'break-even'}}", false);
    assert_eq!(session.ledger, Default::default());
}

#[test]
fn a_session_of_a_former_version_has_an_empty_ledger() {
    let (session, _) = run(
        "{contextPruning: {mode: 'break-even'}, breakEven: {budget: 0.0005}}",
        true,
    );
    let mut stored: Value = serde_json::to_value(&session).unwrap();
    assert_eq!(
        serde_json::from_value::<Session>(stored.clone()).unwrap(),
        session
    );
    stored
        .as_object_mut()
        .unwrap()
        .retain(|key, _| !["spent", "unpruned"].contains(&key.as_str()));
    assert_eq!(
        serde_json::from_value::<Session>(stored).unwrap().ledger,
        Default::default()
    );
}
