//! The work of a replay grows with the log, whatever its shape.

use super::agents::{Log, said, session};
use deadhead_core::internal::edit::View;
use deadhead_core::settings::{Layer, Mode, preset, presets, resolve};
use deadhead_replay::run::run;
use deadhead_replay::simulation::{Retention, Simulation};
use deadhead_replay::steps::{Branched, Step};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A log of so many requests in a shape that agents write.
type Shape = fn(&mut Log, usize);

fn answer() -> Value {
    json!({"type": "message", "message": said(9, json!([{"type": "text", "text": "x"}]))})
}

/// Adds a compaction behind the newest entry that keeps what comes from `first` on.
fn compact(log: &mut Log, first: usize) {
    let newest = format!("e{}", log.0.len() - 1);
    let first = format!("e{first}");
    let compaction =
        json!({"type": "compaction", "summary": "s", "firstKeptEntryId": first, "tokensBefore": 9});
    log.after(Some(&newest), compaction);
}

/// Calls, with a compaction behind every fifth that keeps the entries from `first` of the log and the number of the compaction on.
fn compacted(log: &mut Log, n: usize, first: fn(&Log, usize) -> usize) {
    log.ask("go");
    for i in 0..n {
        log.call(9, 20);
        if i % 5 == 4 {
            let first = first(log, i / 5);
            compact(log, first);
        }
    }
}

/// A trunk of so many calls.
fn trunk(log: &mut Log, n: usize) {
    log.ask("go");
    (0..n).for_each(|i| log.call(9 + i as u64, 20));
}

const SHAPES: [(&str, Shape); 8] = [
    ("plain", trunk),
    ("two branches in turn", |log, n| {
        let mut tips = [log.ask("go"), "e0".to_owned()];
        for i in 0..n {
            tips[i % 2] = log.after(Some(&tips[i % 2]), answer());
        }
    }),
    ("compactions that keep all", |log, n| {
        compacted(log, n, |_, _| 0)
    }),
    ("compactions that keep the newest forty", |log, n| {
        compacted(log, n, |log, _| log.0.len().saturating_sub(40))
    }),
    (
        "compactions that keep the first, and then the newest forty",
        |log, n| compacted(log, n, |log, at| if at < 9 { 0 } else { log.0.len() - 40 }),
    ),
    ("retries", |log, n| {
        let mut tip = log.ask("go");
        for _ in 0..n {
            log.after(Some(&tip), answer());
            tip = log.after(Some(&tip), answer());
        }
    }),
    ("lines that were written twice", |log, n| {
        log.ask("go");
        for i in 0..n {
            log.call(9 + i as u64, 20);
            let newest = log.0[log.0.len() - 1].clone();
            log.0.push(newest);
        }
    }),
    ("forks from every entry, the newest first", |log, n| {
        trunk(log, n);
        for i in (0..n).rev() {
            log.after(Some(&format!("e{}", 2 * i)), answer());
        }
    }),
];

/// Shapes whose contexts are quadratic in sum: each fork, or each compaction, begins with most of the one before it, and that is copied, or
/// sent anew.
const QUADRATIC: [(&str, Shape); 2] = [
    ("forks from every entry, the oldest first", |log, n| {
        trunk(log, n);
        for i in 0..n {
            log.after(Some(&format!("e{}", 2 * i)), answer());
        }
    }),
    ("compactions that keep all but one more each", |log, n| {
        compacted(log, n, |_, at| at)
    }),
];

/// The steps of a session, the messages that are copied where a branch begins, and the most branches that are held at a time.
fn operations(shape: Shape, n: usize) -> (usize, usize, usize) {
    let mut log = Log::default();
    shape(&mut log, n);
    let session = session(log.text(), "openclaw");
    let (mut steps, mut copied, mut most) = (0, 0, 0);
    for thread in &session.threads {
        let mut length = Branched::new(0);
        let (mut known, mut held) = (1, 1);
        for step in thread {
            match *step {
                Step::Keep(kept, _) => *length = kept as usize,
                Step::Push { .. } => *length += 1,
                Step::Branch(to, ends) => {
                    if to == known {
                        (known, held, copied) = (known + 1, held + 1, copied + *length);
                    }
                    held -= usize::from(ends);
                    length.turn(to, ends);
                }
                Step::Summary(_) | Step::Call(_) => {}
            }
            (steps, most) = (steps + 1, most.max(held));
        }
    }
    (steps, copied, most)
}

#[test]
fn the_steps_of_a_session_grow_with_its_log() {
    let exponent = |shape: Shape| {
        let of = |n| {
            let (steps, copied, most) = operations(shape, n);
            assert!(most <= 3, "{most} branches are held");
            (steps + copied) as f64
        };
        (of(2000) / of(500)).log(4.0)
    };
    for (name, shape) in SHAPES {
        let exponent = exponent(shape);
        assert!(exponent < 1.1, "{name}: {exponent:.2}");
    }
    for (name, shape) in QUADRATIC {
        let exponent = exponent(shape);
        assert!((1.8..2.05).contains(&exponent), "{name}: {exponent:.2}");
    }
}

/// The messages and cuts that the passes of a preset look at in all requests of a log.
fn visits(preset: Layer, log: &Log) -> f64 {
    let mut window = Layer::new("test");
    window.put_text("contextWindow", "20000").unwrap();
    let mut settings = resolve(&[preset, window]).unwrap().settings;
    if matches!(settings.context_pruning.mode, Mode::CacheTtl | Mode::Auto) {
        settings.context_pruning.mode = Mode::Adaptive;
    }
    let pruning = &settings.context_pruning;
    let session = session(log.text(), "openclaw");
    let simulation = Simulation::new(&session, &settings);
    let counted = session.counted_by(pruning.estimator).unwrap();
    let mut visits = 1;
    let mut seen = |_, view: &View<'_>| visits += view.visits();
    let retention = Retention::Sticky;
    run(&simulation, &counted, &settings, retention, &mut seen).unwrap();
    visits as f64
}

fn assert_that_work_grows(name: &str, shape: Shape, sizes: [usize; 2]) {
    let found = sizes.map(|n| {
        let mut log = Log::default();
        shape(&mut log, n);
        visits(preset(name).unwrap(), &log)
    });
    let exponent = (found[1] / found[0]).log(sizes[1] as f64 / sizes[0] as f64);
    assert!(exponent < 1.1, "{name}: {exponent:.2}");
}

#[test]
fn the_work_of_the_passes_grows_with_the_log() {
    for known in presets() {
        let plain: Shape = |log, n| {
            log.ask("go");
            (0..n).for_each(|i| log.call(1000 * i as u64, 4000));
        };
        assert_that_work_grows(&known.name, plain, [400, 1600]);
    }
    for (_, shape) in SHAPES {
        for name in ["swe-agent-last-n", "vscode-copilot-chat"] {
            assert_that_work_grows(name, shape, [300, 1200]);
        }
    }
}

proptest! {
    /// With ids that occur again, results before their calls and without any.
    #[test]
    fn pairs_that_grow_are_those_of_the_whole(
        messages in prop::collection::vec((any::<bool>(), 0..6u8), 1..24),
    ) {
        let mut log = Log::default();
        log.ask("go");
        for (is_call, id) in messages {
            let id = format!("t{id}");
            let message = if is_call {
                said(9, json!([{"type": "toolCall", "id": id, "name": "exec", "arguments": {}}]))
            } else {
                json!({"role": "toolResult", "toolCallId": id, "toolName": "exec", "content": []})
            };
            log.say(message);
        }
        let whole = session(log.text(), "openclaw").transcript;
        let (mut asked, mut fresh) = (whole.without_messages(), whole.without_messages());
        for i in 0..whole.messages.len() {
            asked.push(&whole, i, whole.messages[i].continues);
            fresh.push(&whole, i, whole.messages[i].continues);
            asked.paired_with(0);
        }
        for block in 0..whole.blocks.len() as u32 {
            prop_assert_eq!(asked.paired_with(block), fresh.paired_with(block));
        }
        for i in 0..whole.messages.len() {
            prop_assert_eq!(asked.begin_of(i), fresh.begin_of(i));
        }
    }
}
