use super::*;

/// A session of so many dollars, and what each policy makes of it: dollars, cuts, unread cuts, dollars for regrets.
fn trial(key: u64, usd: f64, policies: &[(f64, u64, u64, f64)]) -> Trial {
    let tried = |&(usd, cuts, unread, again): &(f64, u64, u64, f64)| SessionTrial {
        usd,
        cuts,
        unread,
        regrets: u64::from(again > 0.0),
        expected: 0.0,
        again,
        example: None,
    };
    Trial {
        path: format!("{key}.jsonl"),
        format: if key.is_multiple_of(2) { "even" } else { "odd" },
        key: mixed(key),
        requests: 10,
        repeated: 0,
        counted: 10,
        from: Some(format!("2026-01-{:02}T00:00:00Z", key % 28 + 1)),
        to: None,
        week: Some(format!("week {}", key % 7)),
        spent: usd,
        usd,
        misses: Default::default(),
        tokens: 1000.0,
        policies: policies.iter().map(tried).collect(),
    }
}

fn mixed(key: u64) -> u64 {
    trial::mixed(key, 0)
}

fn candidate(name: &str) -> Candidate {
    Candidate {
        name: name.to_owned(),
        flags: Vec::new(),
        settings: serde_json::Map::new(),
    }
}

fn advice(names: &[&str], trials: Vec<Trial>) -> Advice {
    Advice::new(names.iter().map(|name| candidate(name)).collect(), trials)
}

#[test]
fn the_best_has_most_left_if_what_is_needed_again_is_paid_once_more() {
    // Without pruning; best saves less than greedy, of whose savings less is left; blind cuts what nobody has read; best makes one in ten
    // dearer.
    let of = |i: u64| {
        let best = if i.is_multiple_of(10) { 10.3 } else { 7.0 };
        trial(
            i,
            10.0,
            &[
                (10.0, 0, 0, 0.0),
                (6.0, 9, 0, 3.5),
                (1.0, 9, 9, 0.0),
                (best, 4, 0, 0.9),
                (8.5, 2, 0, 0.0),
            ],
        )
    };
    let found = advice(
        &["today", "greedy", "blind", "best", "safe"],
        (0..60).map(of).collect(),
    );
    let name = |at: Option<usize>| found.policy(at).map(|row| &*row.candidate.name);
    assert_eq!(
        (name(found.best), name(Some(found.today))),
        (Some("best"), Some("today"))
    );
    assert_eq!(
        (
            found.sessions,
            found.chosen_on,
            found.measured_on,
            found.requests
        ),
        (60, 30, 30, 600)
    );
    let best = &found.policies[3];
    assert_eq!(best.choosing.dearer + best.measured.dearer, 6);
    let worst = best.measured.worst.as_ref().unwrap();
    assert!(
        (worst.share - 0.03).abs() < 1e-9 && (worst.usd - 0.3).abs() < 1e-9,
        "{worst:?}"
    );
    let figures = &best.measured;
    assert!(
        figures.low < figures.share && figures.share < figures.high && figures.high <= 0.3,
        "{figures:?}"
    );
    assert!((figures.saved - figures.left - 0.9 * 30.0).abs() < 1e-9);
    let at_risk = best.choosing.at_risk + figures.at_risk;
    assert!((at_risk - 6.0 * 0.3).abs() < 1e-9, "{at_risk}");
    let agents: Vec<&str> = found.agents.iter().map(|group| &*group.name).collect();
    assert_eq!(agents, ["even", "odd"]);
    // The same sessions in another order give the same answer.
    let turned = advice(
        &["today", "greedy", "blind", "best", "safe"],
        (0..60).rev().map(of).collect(),
    );
    assert_eq!(
        format!("{:?}", turned.policies),
        format!("{:?}", found.policies)
    );
}

#[test]
fn both_halves_cost_much_the_same() {
    let found = advice(
        &["today"],
        (0..200)
            .map(|i| trial(i, f64::from(1 << (i % 12)), &[(1.0, 0, 0, 0.0)]))
            .collect(),
    );
    let row = &found.policies[0];
    let share = row.choosing.baseline / (row.choosing.baseline + row.measured.baseline);
    assert!(
        (0.4..0.6).contains(&share) && found.chosen_on == 100,
        "{share}"
    );
}

#[test]
fn a_policy_that_pays_in_one_half_is_not_advised() {
    // Whatever half a session is in, the policy pays only in the other.
    let trials = |wins: bool| {
        (0..20)
            .map(|i| {
                trial(
                    i,
                    10.0,
                    &[
                        (10.0, 0, 0, 0.0),
                        (if wins { 9.0 } else { 10.0 }, 1, 0, 0.0),
                    ],
                )
            })
            .collect::<Vec<_>>()
    };
    let first = trials(true);
    let choosing: Vec<u64> = halves(&first).0.iter().map(|trial| trial.key).collect();
    let split = trials(false).into_iter().map(|mut trial| {
        trial.policies[1].usd = if choosing.contains(&trial.key) {
            5.0
        } else {
            12.0
        };
        trial
    });
    let found = advice(&["today", "lucky"], split.collect());
    assert!(found.policies[1].choosing.saved > 0.0 && found.policies[1].measured.saved < 0.0);
    assert_eq!(found.best, None);
    assert!(found.weeks.is_empty() && found.use_it.is_none());
}

#[test]
fn another_policy_is_advised_where_the_first_pays_in_one_half_only() {
    let of = |i| {
        trial(
            i,
            10.0,
            &[(10.0, 0, 0, 0.0), (10.0, 1, 0, 0.0), (9.0, 1, 0, 0.0)],
        )
    };
    let plain: Vec<Trial> = (0..20).map(of).collect();
    let choosing: Vec<u64> = halves(&plain).0.iter().map(|trial| trial.key).collect();
    let split = plain.iter().cloned().map(|mut trial| {
        let is_first = choosing.contains(&trial.key);
        trial.policies[1].usd = if is_first { 5.0 } else { 12.0 };
        trial
    });
    let found = advice(&["today", "lucky", "best"], split.collect());
    assert_eq!(found.best, Some(2));
}

#[test]
fn few_sessions_and_none() {
    assert_eq!(advice(&["today"], Vec::new()).sessions, 0);
    let one = advice(
        &["today", "a"],
        vec![trial(1, 10.0, &[(10.0, 0, 0, 0.0), (9.0, 1, 0, 0.0)])],
    );
    assert_eq!((one.chosen_on, one.measured_on, one.best), (1, 1, Some(1)));
    assert!(
        one.warnings[0].starts_with("one session alone"),
        "{:?}",
        one.warnings
    );
    let mut uncounted = trial(2, 5.0, &[(5.0, 0, 0, 0.0)]);
    uncounted.counted = 0;
    let mut copy = trial(3, 0.0, &[(0.0, 0, 0, 0.0)]);
    (copy.requests, copy.repeated) = (0, 10);
    let found = advice(
        &["today"],
        vec![trial(1, 10.0, &[(10.0, 0, 0, 0.0)]), uncounted, copy],
    );
    assert_eq!(
        (found.sessions, found.uncounted, found.repeated),
        (1, 1, 10)
    );
}
