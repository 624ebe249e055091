//! Logs whose lines name their parents do not depend on the order of the lines: with the head first and the last line last, any
//! order gives the same context, the same cuts, the same lines written, no defect, nothing to repair, and the same requests to
//! replay.
//!
//! `CASES=100000 cargo test --release --test replay order::` tries as many logs.

mod so_far;

use crate::dice::Dice;
use crate::logs::{FORMATS, Log, Times};
use deadhead_core::input::Source;
use deadhead_core::internal::cache_policy::Clock;
use deadhead_core::internal::dialect::by_name;
use deadhead_core::internal::engine::{self, Setup, Task};
use deadhead_core::internal::json::IdSet;
use deadhead_core::internal::reader;
use deadhead_core::internal::report::Detail;
use deadhead_core::internal::transcript::Transcript;
use deadhead_core::settings::Settings;
use deadhead_core::settings::{Mode, Scope};
use deadhead_replay::report::{Range, build};
use deadhead_replay::session::Session;
use deadhead_replay::simulation::{Policy, Retention};
use serde_json::Value;

fn text(lines: &[&Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The lines in another order: the head stays first, and the last line last. Some are written twice where that is asked for.
fn shuffled<'a>(log: &'a Log, twice: bool, dice: &mut Dice) -> Vec<&'a Value> {
    let last = log.lines.len() - 1;
    let mut body: Vec<&Value> = log.lines[log.head..last].iter().collect();
    let swaps = dice.pick(&[1, 2, 5, 1000]);
    for _ in 0..swaps.min(3 * body.len()) {
        let (one, other) = (dice.below(body.len()), dice.below(body.len()));
        let other = if swaps < 1000 && dice.once_in(2) {
            (one + 1) % body.len()
        } else {
            other
        };
        body.swap(one, other);
    }
    if dice.once_in(8) {
        body.reverse();
    }
    for _ in 0..if twice { 1 + dice.below(3) } else { 0 } {
        let (from, to) = (dice.below(body.len()), dice.below(body.len()));
        body.insert(to, body[from]);
    }
    log.lines[..log.head]
        .iter()
        .chain(body)
        .chain(&log.lines[last..])
        .collect()
}

fn read(log: &Log, text: &str) -> Transcript {
    let source = Source::Memory(text.as_bytes().to_vec());
    reader::log(
        &source,
        &reader::Reading::new(
            by_name(log.format).unwrap(),
            Settings::default().context_pruning.estimator,
            Scope::Context,
        ),
        1,
        &|_| {},
    )
    .unwrap()
}

/// The messages of a context: whose each is, what is in the input for it, and whether it continues the one before.
fn context(found: &Transcript, text: &str) -> Vec<(String, String, bool)> {
    let record = |at: usize| text[at..].lines().next().unwrap_or_default();
    let said = |m: &deadhead_core::internal::transcript::Message| match m.span.is_empty() {
        true => record(m.record as usize).to_owned(),
        false => text
            [m.record as usize + m.span.start as usize..m.record as usize + m.span.end as usize]
            .to_owned(),
    };
    found
        .messages
        .iter()
        .map(|m| (format!("{:?}", m.role), said(m), m.continues))
        .collect()
}

fn setups() -> Vec<Setup> {
    let setup = |change: fn(&mut Settings)| {
        let mut settings = Settings {
            context_window: Some(300),
            ..Settings::default()
        };
        settings.context_pruning.mode = Mode::Off;
        change(&mut settings);
        Setup::new(
            settings,
            Clock {
                now: 1_767_400_000_000,
                last_call: None,
                assume_cold: false,
            },
            Detail::Full,
        )
    };
    vec![
        setup(|s| {
            s.context_pruning.mode = Mode::Adaptive;
            s.context_pruning.min_prunable_tool_chars = 0;
            s.context_pruning.keep_last_assistants = 1;
            (
                s.context_pruning.soft_trim.max_chars,
                s.context_pruning.soft_trim.head_chars,
            ) = (200, 20);
            s.context_pruning.soft_trim.tail_chars = 20;
            s.mirrors = true;
        }),
        setup(|s| {
            s.turn_drop.enabled = true;
            (s.turn_drop.min_messages, s.turn_drop.keep_turns) = (0, 2);
        }),
        setup(|s| {
            for pass in ["ephemeral", "stale-resource", "dedupe"] {
                s.passes.on.insert(pass.into());
            }
            s.ephemeral.keep_turns = 1;
        }),
    ]
}

/// Returns the cuts of a run, and its output lines in sorted order.
fn pruned(log: &Log, text: &str, setup: &Setup) -> (Vec<String>, Vec<String>) {
    let found = read(log, text);
    let done =
        engine::history(&found, &text.as_bytes(), setup).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let out = done
        .edits
        .render(&text.as_bytes(), 0, text.len() as u64)
        .unwrap();
    let cuts = done.report.cuts.iter();
    let cuts = cuts
        .map(|c| {
            format!(
                "{} {} {:?} {:?} {} {}",
                c.pass, c.action, c.part, c.call_id, c.chars_before, c.chars_after
            )
        })
        .collect();
    let mut lines: Vec<String> = String::from_utf8(out)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    lines.sort_unstable();
    (cuts, lines)
}

/// The sums of a replay.
fn replayed(log: &Log, text: &str) -> Value {
    let session = Session::read(text.as_bytes().to_vec(), by_name(log.format).unwrap()).unwrap();
    let mut settings = Settings {
        context_window: Some(300),
        ..Settings::default()
    };
    settings.context_pruning.mode = Mode::Adaptive;
    settings.context_pruning.min_prunable_tool_chars = 0;
    let policy = Policy {
        name: "p".into(),
        flags: Vec::new(),
        settings,
        retention: Retention::Sticky,
    };
    let counts = Range::default().counts(&session, &mut IdSet::default());
    let replay = build(&session, "log", &[policy], &counts).unwrap();
    let mut value = serde_json::to_value(&replay).unwrap();
    // Calls and examples name lines, and lines that were written twice are bytes.
    value["input"] = Value::Null;
    for call in value["timeline"].as_array_mut().unwrap() {
        call["line"] = Value::Null;
    }
    for policy in value["policies"].as_array_mut().unwrap() {
        policy["regret"]["examples"] = Value::Null;
    }
    value
}

fn holds(seed: u64, n: u64) {
    let mut dice = Dice(seed);
    let log = FORMATS[n as usize % FORMATS.len()](&mut dice);
    let written = text(&log.lines.iter().collect::<Vec<_>>());
    let first = read(&log, &written);
    let about = format!("seed {seed}, {}, {:?}", log.format, log.times);
    let off = Setup {
        settings: Settings {
            context_window: Some(1 << 40),
            ..Settings::default()
        },
        ..setups().remove(1)
    };
    let defects = |text: &str| {
        engine::history(&read(&log, text), &text.as_bytes(), &off)
            .unwrap()
            .report
            .integrity
            .before
    };
    assert!(
        defects(&written).is_empty(),
        "{about}: {:?}\n{written}",
        defects(&written)
    );
    assert_eq!(first.missing, None, "{about}");
    let wanted = context(&first, &written);
    let cut: Vec<_> = setups()
        .iter()
        .map(|setup| pruned(&log, &written, setup))
        .collect();
    let again = (log.times == Times::Growing).then(|| replayed(&log, &written));
    for twice in [false, false, true] {
        let text = text(&shuffled(&log, twice, &mut dice));
        let found = read(&log, &text);
        let shown =
            || format!("{about}, lines twice: {twice}\nwritten:\n{written}\nshuffled:\n{text}");
        assert_eq!(context(&found, &text), wanted, "{}", shown());
        assert_eq!(
            (&found.provider_name, &found.last_call),
            (&first.provider_name, &first.last_call),
            "{}",
            shown()
        );
        // Of models that only other branches name times say which is the newest.
        assert!(
            found.model == first.model || log.times != Times::Growing,
            "{}",
            shown()
        );
        assert!(
            found.missing.is_none() && defects(&text).is_empty(),
            "{}",
            shown()
        );
        let source = Source::Memory(text.clone().into_bytes());
        let repaired = engine::mend_history(
            read(&log, &text),
            &source,
            by_name(log.format).unwrap().into(),
            &Setup {
                task: Task::Repair,
                ..off.clone()
            },
        )
        .unwrap();
        assert!(
            repaired.output.is_none_or(|out| out == text.as_bytes()),
            "{}",
            shown()
        );
        for (setup, (cuts, lines)) in setups().iter().zip(&cut) {
            let (other, out) = pruned(&log, &text, setup);
            assert_eq!(&other, cuts, "{}", shown());
            // A line that was written twice is cut once.
            assert!(twice || &out == lines, "{}", shown());
        }
        if let Some(replay) = &again {
            assert_eq!(&replayed(&log, &text), replay, "{}", shown());
        }
    }
}

/// Returns the number of random logs. `CASES` sets it.
fn cases() -> u64 {
    std::env::var("CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1000)
}

#[test]
fn any_order_is_the_same_log() {
    let cases = cases();
    let from: u64 = std::env::var("SEED")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for first in from..from + threads as u64 {
            scope.spawn(move || {
                for n in (first..from + cases).step_by(threads) {
                    holds(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(n + 1), n);
                }
            });
        }
    });
}
