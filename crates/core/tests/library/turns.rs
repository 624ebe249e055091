//! turn-drop in every format: the kept turns, and that no call or result is left alone.
//!
//! `CASES=100000 cargo test --release --test library turns::` runs the invariant as often as that in all formats together.

use crate::notation::{Conversation, EVERY, Spoken, setup};
use deadhead_core::internal::engine::Setup;
use deadhead_core::settings::{Mode, Settings, ToolTurns, TurnUnit};

/// Settings under which only turn-drop runs, on conversations of any size.
fn dropping(change: impl FnOnce(&mut Settings)) -> Setup {
    let mut settings = Settings::default();
    settings.context_pruning.mode = Mode::Off;
    settings.turn_drop.enabled = true;
    settings.turn_drop.min_messages = 0;
    change(&mut settings);
    setup(settings)
}

/// Returns the numbers of the words `w0` to `w99` that are left.
fn words(bytes: &[u8]) -> Vec<usize> {
    let text = String::from_utf8_lossy(bytes);
    (0..100)
        .filter(|n| text.contains(&format!("w{n}.")))
        .collect()
}

fn run(spoken: &Spoken, talk: &str, setup: &Setup) -> Vec<usize> {
    let said = Conversation::parse(talk);
    let bytes = spoken.render(&said);
    let (output, report) = spoken
        .run_named(&bytes, setup)
        .unwrap_or_else(|e| panic!("{}: {e}", spoken.name));
    assert_eq!(
        report.integrity.after.len(),
        report.integrity.before.len(),
        "{}",
        spoken.name
    );
    // Some logs do not hold the system prompt; where it came in it is left.
    let mut left = words(&output);
    assert!(
        !words(&bytes).contains(&0) || left.contains(&0),
        "{}",
        spoken.name
    );
    left.retain(|word| *word > 0);
    left
}

const PLAIN: &str = "
    system w0.
    user w1.
    say  w2.
    user w3.
    say  w4.
    user w5.
    say  w6.
    user w7.";

#[test]
fn the_last_turns_and_the_system_prompt_stay() {
    for spoken in EVERY {
        let three = dropping(|s| s.turn_drop.keep_turns = 3);
        assert_eq!(run(spoken, PLAIN, &three), [5, 6, 7], "{}", spoken.name);
        let exchanges =
            dropping(|s| (s.turn_drop.keep_turns, s.turn_drop.turn_unit) = (2, TurnUnit::Exchange));
        assert_eq!(run(spoken, PLAIN, &exchanges), [5, 6, 7], "{}", spoken.name);
        let all = dropping(|s| s.turn_drop.keep_turns = 7);
        assert_eq!(
            run(spoken, PLAIN, &all),
            [1, 2, 3, 4, 5, 6, 7],
            "{}",
            spoken.name
        );
    }
}

/// Tests that the window grows by the question before it where a provider requires a user's message first.
#[test]
fn the_window_begins_where_a_conversation_may() {
    let two = dropping(|s| s.turn_drop.keep_turns = 2);
    for spoken in EVERY {
        let kept = run(spoken, PLAIN, &two);
        let as_it_is = matches!(spoken.format, "openai-chat" | "openai-responses");
        assert_eq!(
            kept,
            if as_it_is { vec![6, 7] } else { vec![5, 6, 7] },
            "{}",
            spoken.name
        );
    }
}

const STEPS: &str = "
    user w1.
    say  w2.
    call a read {\"path\":\"x\"}
    call b read {\"path\":\"y\"}
    result a w3.
    result b w4.
    say  w5.
    user w6.
    say  w7.
    user w8.
    call c read {}
    result c w9.
    say  w10.
    user w11.";

#[test]
fn steps_stay_or_go_whole() {
    for spoken in EVERY {
        let kept = run(spoken, STEPS, &dropping(|s| s.turn_drop.keep_turns = 3));
        for step in [&[3, 4][..], &[9]] {
            assert!(
                step.iter().all(|word| kept.contains(word)),
                "{}: {kept:?}",
                spoken.name
            );
        }
        assert!(
            !kept.contains(&7) || !kept.contains(&6),
            "{}: {kept:?}",
            spoken.name
        );
        let gone = run(
            spoken,
            STEPS,
            &dropping(|s| (s.turn_drop.keep_turns, s.turn_drop.tool_turns) = (3, ToolTurns::Drop)),
        );
        assert!(
            !gone.contains(&3) && !gone.contains(&4) && gone.contains(&9),
            "{}: {gone:?}",
            spoken.name
        );
        assert!(
            gone.contains(&11) && !gone.contains(&2),
            "{}: {gone:?}",
            spoken.name
        );
    }
}

/// A step whose words are left when its calls go.
const SPENT: &str = "
    user w1.
    think w2.
    say  w3.
    call a run {}
    result a w4.
    say  w5.
    user w6.
    say  w7.
    user w8.
    say  w9.
    user w10.";

#[test]
fn removed_calls_protect_nothing() {
    for spoken in EVERY {
        for tool_turns in [ToolTurns::Keep, ToolTurns::Drop] {
            let setup = dropping(|s| {
                (s.turn_drop.keep_turns, s.turn_drop.tool_turns) = (3, tool_turns);
                (s.ephemeral.enabled, s.ephemeral.keep_turns) = (true, 1);
            });
            let once = spoken
                .run_named(&spoken.render(&Conversation::parse(SPENT)), &setup)
                .unwrap_or_else(|e| panic!("{}: {e}", spoken.name))
                .0;
            let left = words(&once);
            // Where roles must take turns, the step may stay.
            assert!(
                left.contains(&4) || !left.contains(&3),
                "{}: {left:?}",
                spoken.name
            );
            let twice = spoken
                .run_named(&once, &setup)
                .unwrap_or_else(|e| panic!("{}: {e}", spoken.name))
                .0;
            assert_eq!(words(&twice), left, "{}", spoken.name);
        }
    }
}

#[test]
fn a_marker_takes_the_place_of_what_went() {
    for spoken in EVERY {
        let said = Conversation::parse(PLAIN);
        let marked =
            dropping(|s| (s.turn_drop.keep_turns, s.turn_drop.marker) = (2, "\"w99.\"".to_owned()));
        let (output, report) = spoken
            .run_named(&spoken.render(&said), &marked)
            .unwrap_or_else(|e| panic!("{}: {e}", spoken.name));
        let reported = report
            .skipped
            .iter()
            .any(|skip| skip.why.contains("marker"));
        assert!(
            words(&output).contains(&99) || reported,
            "{}: {}",
            spoken.name,
            String::from_utf8_lossy(&output)
        );
    }
}

/// A source of numbers that a seed repeats.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// A conversation of any shape: parallel calls, answers that come late, in parts or never, and some to nobody.
fn any_talk(dice: &mut Dice) -> String {
    let mut talk = String::new();
    let (mut open, mut calls, mut word) = (Vec::new(), 0, 0);
    if dice.roll(2) == 0 {
        talk += "system s\n";
    }
    for _ in 0..2 + dice.roll(24) {
        word += 1;
        match dice.roll(10) {
            0..=3 => talk += &format!("user w{word}.\n"),
            4 | 5 => talk += &format!("say w{word}.\n"),
            6 | 7 => {
                if dice.roll(4) == 0 {
                    talk += "think t\n";
                }
                if dice.roll(2) == 0 {
                    talk += &format!("say w{word}.\n");
                }
                for _ in 0..1 + dice.roll(3) {
                    calls += 1;
                    open.push(calls);
                    talk += &format!("call c{calls}x f {{}}\n");
                }
                if dice.roll(6) > 0 {
                    for call in open.split_off(dice.roll(2) as usize % (open.len() + 1)) {
                        talk += &format!("result c{call}x r{call}\n");
                    }
                }
            }
            8 => open
                .pop()
                .into_iter()
                .for_each(|call| talk += &format!("result c{call}x late\n")),
            _ if dice.roll(8) == 0 => talk += "result z orphan\n",
            _ => {}
        }
    }
    talk + "user last"
}

#[test]
fn nothing_is_left_alone() {
    let cases: u64 = std::env::var("CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(3_000);
    let (mut ran, mut cut) = (0, 0u64);
    for seed in 1.. {
        if ran >= cases {
            break;
        }
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(seed));
        let said = Conversation::parse(&any_talk(&mut dice));
        let setup = dropping(|s| {
            s.turn_drop.keep_turns = 1 + dice.roll(6) as usize;
            s.turn_drop.turn_unit = if dice.roll(2) == 0 {
                TurnUnit::Message
            } else {
                TurnUnit::Exchange
            };
            s.turn_drop.tool_turns = if dice.roll(2) == 0 {
                ToolTurns::Keep
            } else {
                ToolTurns::Drop
            };
        });
        for spoken in EVERY.iter().filter(|spoken| spoken.can_say(&said)) {
            let bytes = spoken.render(&said);
            let shown = || {
                format!(
                    "{} seed {seed} {:?}\n{}",
                    spoken.name,
                    setup.settings.turn_drop,
                    String::from_utf8_lossy(&bytes)
                )
            };
            let (output, report) = spoken
                .run_named(&bytes, &setup)
                .unwrap_or_else(|e| panic!("{e}: {}", shown()));
            let dangling = |rows: &[deadhead_core::diagnostics::DefectRow]| {
                rows.iter()
                    .filter(|row| matches!(row.code, "E01" | "E02"))
                    .count()
            };
            assert!(
                dangling(&report.integrity.after) <= dangling(&report.integrity.before),
                "{}",
                shown()
            );
            ran += 1;
            cut += u64::from(output != bytes);
            // What dangles or is in the wrong place in the input may be otherwise among what is left.
            if !report.integrity.before.is_empty() {
                continue;
            }
            let (again, _) = spoken
                .run_named(&output, &setup)
                .unwrap_or_else(|e| panic!("again: {e}: {}", shown()));
            assert!(
                again == output,
                "a second run cuts more: {}\n{}\n{}",
                shown(),
                String::from_utf8_lossy(&output),
                String::from_utf8_lossy(&again)
            );
        }
    }
    assert!(cut * 4 > ran, "{cut} of {ran} were cut");
}
