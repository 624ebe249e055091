#![allow(clippy::unwrap_used)]

use super::super::cost::cost;
use super::super::run::{Outcome, run};
use super::super::session::Session;
use super::super::simulation::{Retention, Simulation};
use super::*;
use deadhead_core::internal::dialect::by_name;
use deadhead_core::internal::dialect::usage::Usage;
use deadhead_core::internal::prices;
use deadhead_core::settings::{Mode, Settings};

/// A session of twelve steps, each after so many seconds, whose results have 20,000 chars, on some model.
fn session(model: &str, provider: &str, gaps: &[u64]) -> Session {
    let mut lines = vec![
        r#"{"type":"message","id":"u","parentId":null,"timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"go"}}"#
            .to_owned(),
    ];
    let (mut parent, mut at) = ("u".to_owned(), 1_767_225_600_000u64);
    for i in 0..12 {
        at += gaps[i % gaps.len()] * 1000;
        lines.push(format!(
            r#"{{"type":"message","id":"a{i}","parentId":"{parent}","timestamp":"2026-01-01T00:00:00Z","message":{{"role":"assistant","content":[{{"type":"toolCall","id":"c{i}","name":"t","arguments":{{}}}}],"model":"{model}","provider":"{provider}","timestamp":{at}}}}}"#
        ));
        let text = "x".repeat(20_000);
        lines.push(format!(
            r#"{{"type":"message","id":"r{i}","parentId":"a{i}","timestamp":"2026-01-01T00:00:00Z","message":{{"role":"toolResult","toolCallId":"c{i}","toolName":"t","content":[{{"type":"text","text":"{text}"}}]}}}}"#
        ));
        parent = format!("r{i}");
    }
    Session::read(lines.join("\n").into_bytes(), by_name("openclaw").unwrap()).unwrap()
}

fn outcome(
    session: &Session,
    mode: Mode,
    retention: Retention,
    change: impl Fn(&mut [Recorded]),
) -> Outcome {
    let mut settings = Settings::default();
    settings.context_pruning.mode = mode;
    let mut simulation = Simulation::new(session, &settings);
    change(&mut simulation.recorded);
    run(
        &simulation,
        &session.transcript,
        &settings,
        retention,
        &mut |_, _| {},
    )
    .unwrap()
}

fn misses(outcome: &Outcome) -> Vec<(usize, Cause)> {
    outcome
        .calls
        .iter()
        .enumerate()
        .filter_map(|(i, spent)| Some((i, spent.miss?)))
        .collect()
}

#[test]
fn a_lifetime_counts_from_the_request_before() {
    let within = session("claude-sonnet-4-5", "anthropic", &[299]);
    assert_eq!(
        misses(&outcome(&within, Mode::Off, Retention::Baseline, |_| {})),
        [(0, Cause::First)]
    );
    let over = session("claude-sonnet-4-5", "anthropic", &[1, 1, 1, 300]);
    let found = outcome(&over, Mode::Off, Retention::Baseline, |_| {});
    assert_eq!(
        misses(&found),
        [
            (0, Cause::First),
            (3, Cause::Expired),
            (7, Cause::Expired),
            (11, Cause::Expired)
        ]
    );
    assert_eq!(
        (found.calls[3].read, found.calls[3].write),
        (0.0, found.calls[3].prompt)
    );
    assert_eq!(found.calls[4].read, found.calls[3].prompt);
}

#[test]
fn a_cut_costs_more_where_only_ends_are_found_again() {
    let claude = outcome(
        &session("claude-sonnet-4-5", "anthropic", &[1]),
        Mode::Aggressive,
        Retention::Sticky,
        |_| {},
    );
    let openai = outcome(
        &session("gpt-5", "openai", &[1]),
        Mode::Aggressive,
        Retention::Sticky,
        |_| {},
    );
    // From the fifth call on each clears one more result, the second oldest of which was still whole when it was an end.
    for i in 6..12 {
        let (marks, prefix) = (claude.calls[i], openai.calls[i]);
        assert_eq!(
            (marks.miss, prefix.miss),
            (Some(Cause::Prune), Some(Cause::Prune)),
            "call {i}"
        );
        assert_eq!(
            marks.read, 0.0,
            "call {i}: no prompt ended before the change as it is now"
        );
        assert!(
            prefix.read % 128.0 == 0.0 && prefix.write == 0.0,
            "call {i}"
        );
    }
    let whole = outcome(
        &session("gpt-5", "openai", &[1]),
        Mode::Off,
        Retention::Baseline,
        |_| {},
    );
    assert!(whole.calls[11].read > 40_000.0 && openai.calls[11].read < whole.calls[11].read);
}

#[test]
fn a_prefix_is_read_up_to_the_newest_cut_whatever_was_cut_before() {
    let session = session("gpt-5", "openai", &[1]);
    let (row, _) = prices::row_at("gpt-5", None, &Settings::default().replay);
    let mut context = Cached::default();
    (0..3).for_each(|_| context.push(2000.0, 1));
    let mut read = |cut: usize| {
        context.cut(cut, 500.0);
        context.push(2000.0, 1);
        let total = context.cut.len() as f64 * 2000.0;
        let recorded = Recorded {
            prompt: total,
            read: total - 2000.0,
            ..Recorded::default()
        };
        let prompt = Prompt {
            total,
            front: 0.0,
            scale: 1.0,
        };
        context
            .ask(&session.calls[0], &recorded, &prompt, &row, false)
            .read
    };
    assert_eq!(read(0), 5500.0, "nothing was sent before");
    assert_eq!(read(0), 0.0);
    assert_eq!(
        read(3),
        4992.0,
        "three messages, of which the first was cut, in steps of 128"
    );
}

#[test]
fn small_prompts_are_not_kept() {
    let found = outcome(
        &session("claude-opus-4-5", "anthropic", &[1]),
        Mode::Off,
        Retention::Baseline,
        |_| {},
    );
    // The first prompt has next to nothing, and below 4,096 tokens nothing is written.
    assert_eq!(
        (found.calls[0].write, found.calls[0].uncached),
        (0.0, found.calls[0].prompt)
    );
    assert!(found.calls[2].write > 0.0);
}

#[test]
fn recorded_cache_losses_hold_for_every_policy() {
    let session = session("claude-sonnet-4-5", "anthropic", &[1, 1, 1, 600]);
    let change = |calls: &mut [Recorded]| {
        (calls[5].read, calls[5].cause) = (0.0, Some(Cause::Agent));
        (calls[7].read, calls[7].cause) = (900.0, Some(Cause::Expired));
    };
    for retention in [Retention::Baseline, Retention::Sticky, Retention::Transient] {
        let found = outcome(&session, Mode::Off, retention, change);
        assert_eq!(
            (found.calls[5].miss, found.calls[5].read),
            (Some(Cause::Agent), 0.0)
        );
        assert_eq!(
            (found.calls[7].miss, found.calls[7].read),
            (Some(Cause::Expired), 900.0)
        );
    }
    let found = outcome(&session, Mode::Aggressive, Retention::Sticky, change);
    assert_eq!(found.calls[5].read, 0.0);
    assert!(
        found.calls[11].prompt
            < outcome(&session, Mode::Off, Retention::Baseline, change).calls[11].prompt / 2.0
    );
}

#[test]
fn dollars_are_those_of_the_price_list() {
    let usage = Usage {
        input: 1_000_000,
        cache_read: 0,
        cache_write5m: 0,
        cache_write1h: 0,
        output: 100_000,
        ..Usage::default()
    };
    let price =
        |model: &str, usage: &Usage| cost(&prices::row(model, &Default::default()).0, usage);
    // Above 200,000 tokens of prompt Sonnet 4.5 costs twice as much in and half as much again out.
    assert!((price("claude-sonnet-4-5", &usage) - (6.0 + 2.25)).abs() < 1e-9);
    let cached = Usage {
        input: 0,
        cache_read: 100_000,
        cache_write5m: 40_000,
        cache_write1h: 10_000,
        output: 0,
        ..Usage::default()
    };
    assert!((price("claude-opus-4-7", &cached) - (0.05 + 0.25 + 0.1)).abs() < 1e-9);
    assert_eq!(price("unknown", &cached), 0.0);
}

#[test]
fn a_mark_finds_prompts_by_blocks_not_messages() {
    let row = prices::row("claude-sonnet-4-5", &Default::default()).0;
    let prompt = Prompt {
        front: 0.0,
        scale: 1.0,
        total: 30_000.0,
    };
    for (blocks, found) in [(10, 20_000.0), (21, 0.0)] {
        let mut cached = Cached::default();
        cached.push(20_000.0, 1);
        cached.prompts.ends = vec![CachedPrompt {
            length: 1,
            tokens: 20_000.0,
            sent: None,
            used: None,
            lifetime: 300_000,
        }];
        cached.push(10_000.0, blocks);
        assert_eq!(
            cached.limit(None, &prompt, &row, false),
            found,
            "{blocks} blocks"
        );
    }
}

/// A request of another kind among those of an hour writes little for five minutes.
#[test]
fn an_entry_is_kept_for_as_long_as_it_was_written_for() {
    let row = prices::row("claude-sonnet-4-5", &Default::default()).0;
    let prompt = Prompt {
        front: 0.0,
        scale: 1.0,
        total: 30_000.0,
    };
    for (lifetime, found) in [(3_600_000, 20_000.0), (300_000, 0.0)] {
        let mut cached = Cached::default();
        cached.push(20_000.0, 1);
        cached.prompts.ends = vec![CachedPrompt {
            length: 1,
            tokens: 20_000.0,
            sent: Some(0),
            used: Some(0),
            lifetime,
        }];
        cached.push(10_000.0, 1);
        assert_eq!(cached.limit(Some(600_000), &prompt, &row, false), found);
    }
}
