//! Laws that hold for every transcript, over random conversations in every format:
//!
//! 1. No cuts: the output is the input.
//! 2. The output is JSON.
//! 3. Decoded, it is the input with the edits of the rules.
//! 4. A second run changes nothing.
//! 5. The numbers of the report add up.
//! 6. What no cut touches keeps its bytes.
//! 7. The same input gives the same output, with any number of threads.
//! 8. No defect comes in.
//! 9. Each format is cut alike.

mod conversation;
mod oracle;
mod writing;

use crate::notation::Conversation;
use conversation::{Dice, FORMATS, conversation, results, say};
use deadhead_core::Error;
use deadhead_core::input::Source;
use deadhead_core::internal::cache_policy::Clock;
use deadhead_core::internal::dialect::{Layout, by_name};
use deadhead_core::internal::engine::{self, Pruned, Setup};
use deadhead_core::internal::read_at::ReadAt;
use deadhead_core::internal::reader;
use deadhead_core::internal::report::Detail;
use deadhead_core::outcome::Report;
use deadhead_core::settings::{Images, Mode, Settings};
use oracle::Policy;
use proptest::prelude::*;
use serde_json::Value;

fn policy(dice: &mut Dice) -> Policy {
    let max = dice.below(120);
    Policy {
        aggressive: dice.once_in(5),
        window: 1 + dice.below(3000) as u64,
        keep: dice.below(4),
        soft: dice.below(100) as f64 / 100.0,
        hard: dice.below(100) as f64 / 100.0,
        least: dice.below(500) as u64,
        max,
        head: dice.below(60),
        tail: dice.below(60),
        clear: !dice.once_in(4),
        skip_shorter: dice.once_in(2),
        images: dice.once_in(2),
        deny: if dice.once_in(3) {
            vec!["read".to_owned()]
        } else {
            Vec::new()
        },
    }
}

fn setup(policy: &Policy) -> Setup {
    let mut settings = Settings {
        context_window: Some(policy.window),
        ..Settings::default()
    };
    let pruning = &mut settings.context_pruning;
    pruning.mode = if policy.aggressive {
        Mode::Aggressive
    } else {
        Mode::Adaptive
    };
    (
        pruning.keep_last_assistants,
        pruning.soft_trim_ratio,
        pruning.hard_clear_ratio,
    ) = (policy.keep, policy.soft, policy.hard);
    pruning.min_prunable_tool_chars = policy.least;
    (
        pruning.soft_trim.max_chars,
        pruning.soft_trim.head_chars,
        pruning.soft_trim.tail_chars,
    ) = (policy.max as u64, policy.head as u64, policy.tail as u64);
    (pruning.hard_clear.enabled, pruning.hard_clear.skip_shorter) =
        (policy.clear, policy.skip_shorter);
    pruning.images = if policy.images {
        Images::Prune
    } else {
        Images::Skip
    };
    pruning.tools.deny = policy.deny.clone();
    with(settings)
}

fn off() -> Setup {
    let mut settings = Settings::default();
    settings.context_pruning.mode = Mode::Off;
    with(settings)
}

fn with(settings: Settings) -> Setup {
    Setup::new(
        settings,
        Clock {
            now: 0,
            last_call: None,
            assume_cold: false,
        },
        Detail::Full,
    )
}

/// Runs bytes through a format: what comes out, and the account.
fn run(
    bytes: &[u8],
    format: &str,
    setup: &Setup,
    threads: usize,
) -> Result<(Vec<u8>, Pruned), Error> {
    let format = by_name(format).unwrap();
    if format.layout == Layout::Body {
        let pruned = engine::body(bytes, 1, format.into(), setup)?;
        return Ok((
            pruned
                .slices(bytes)?
                .iter()
                .flat_map(|slice| slice.iter().copied())
                .collect(),
            pruned,
        ));
    }
    let source = Source::unpacked(bytes.to_vec())?;
    let settings = &setup.settings;
    let transcript = reader::log(
        &source,
        &reader::Reading::new(format, settings.context_pruning.estimator, settings.scope),
        threads,
        &|_| {},
    )?;
    let pruned = engine::history(&transcript, &source, setup)?;
    Ok((pruned.edits.render(&source, 0, source.size())?, pruned))
}

/// Writes records as a format has them, oddly: a message a line in a body as well.
fn written(records: &[Value], format: &str, dice: &mut Dice) -> String {
    let line = |value: &Value, newlines: bool, dice: &mut Dice| {
        let mut out = String::new();
        writing::write(value, dice, newlines, &mut out);
        out
    };
    if by_name(format).unwrap().layout == Layout::History {
        return records
            .iter()
            .map(|r| line(r, false, dice) + dice.pick(&["\n", "\n", "\r\n", "\n\n", " \n"]))
            .collect();
    }
    let mut body = String::from(dice.pick(&["", "\u{feff}", " \n"]));
    for (i, (key, value)) in records[0].as_object().unwrap().iter().enumerate() {
        body.push_str(if i == 0 { "{" } else { "," });
        body.push_str(&format!("\"{key}\":"));
        match value {
            Value::Array(messages) if key == "messages" => {
                let lines: Vec<String> = messages.iter().map(|m| line(m, false, dice)).collect();
                body.push_str(&format!("[\n{}\n]", lines.join(",\n")));
            }
            other => body.push_str(&line(other, true, dice)),
        }
    }
    body + "}"
}

fn decoded(bytes: &[u8], format: &str) -> Vec<Value> {
    let text = std::str::from_utf8(bytes)
        .unwrap()
        .trim_start_matches('\u{feff}');
    match by_name(format).unwrap().layout {
        Layout::Body => vec![serde_json::from_str(text).unwrap()],
        Layout::History => text
            .lines()
            .filter(|l| !l.trim().is_empty())
            .map(|l| serde_json::from_str(l).unwrap())
            .collect(),
    }
}

/// Law 5: the cuts, the sizes and the passes of a report say the same.
fn sums_agree(report: &Report, about: &str) {
    let removed: i64 = report
        .cuts
        .iter()
        .map(|c| c.chars_before as i64 - c.chars_after as i64)
        .sum();
    assert_eq!(
        removed,
        report.before.chars as i64 - report.after.chars as i64,
        "law 5: {about}"
    );
    assert_eq!(
        removed,
        report.passes.iter().map(|p| p.chars_removed).sum::<i64>(),
        "law 5: {about}"
    );
}

fn holds(seed: u64) {
    let mut dice = Dice(seed);
    let said = conversation(&mut dice);
    let policy = policy(&mut dice);
    let changes = oracle::expected(&said.turns, &policy);
    let mut first: Option<Vec<(String, u64, u64)>> = None;
    for format in FORMATS {
        let about = format!("seed {seed}, {format}, {policy:?}");
        let input = written(&say(&said, format), format, &mut dice);
        let (same, _) = run(input.as_bytes(), format, &off(), 1).unwrap();
        assert_eq!(same, input.as_bytes(), "law 1: {about}");
        let (output, pruned) = run(input.as_bytes(), format, &setup(&policy), 1)
            .unwrap_or_else(|e| panic!("{e}: {about}\n{input}"));
        let mut wanted = say(&said, format);
        let contents = results(&mut wanted, format);
        assert_eq!(contents.len(), changes.len());
        for (content, text) in contents.into_iter().zip(&changes) {
            if let Some(text) = text {
                oracle::put(content, text);
            }
        }
        assert_eq!(decoded(&output, format), wanted, "law 3: {about}");
        let again = run(&output, format, &setup(&policy), 1).unwrap();
        assert!(
            again.0 == output,
            "law 4: {about}\n{}\n{}",
            String::from_utf8_lossy(&output),
            String::from_utf8_lossy(&again.0)
        );
        let report = &pruned.report;
        assert_eq!(
            report.cuts.len(),
            changes.iter().flatten().count(),
            "law 5: {about}"
        );
        assert_eq!(
            pruned.edits.growth(),
            output.len() as i64 - input.len() as i64,
            "law 5: {about}"
        );
        sums_agree(report, &about);
        let (before, after): (Vec<&str>, Vec<&str>) = (
            input.split('\n').collect(),
            std::str::from_utf8(&output).unwrap().split('\n').collect(),
        );
        assert_eq!(before.len(), after.len(), "law 6: {about}");
        let touched = before.iter().zip(&after).filter(|(a, b)| a != b).count();
        assert!(touched <= report.cuts.len(), "law 6: {about}");
        let found = run(&output, format, &off(), 1).unwrap().1.report.integrity;
        // A cut may repair, as when an error result loses its image; it may break nothing.
        let new: Vec<_> = found
            .before
            .iter()
            .filter(|defect| !report.integrity.before.contains(defect))
            .collect();
        assert!(new.is_empty(), "law 8: {about}: {new:?}");
        let cuts: Vec<_> = report
            .cuts
            .iter()
            .map(|c| {
                (
                    format!("{} {} {:?}", c.pass, c.action, c.call_id),
                    c.chars_before,
                    c.chars_after,
                )
            })
            .collect();
        assert_eq!(
            *first.get_or_insert_with(|| cuts.clone()),
            cuts,
            "law 9: {about}"
        );
    }
}

/// Returns the number of cases. `PROPTEST_CASES` sets it.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_conversations(seed: u64) {
        holds(seed);
    }

    /// Bytes that are damaged: no panic, the same bytes with the mode off, never a result that is refused, no new defect.
    #[test]
    fn damaged_bytes(seed: u64) {
        let mut dice = Dice(seed);
        let said = conversation(&mut dice);
        let policy = policy(&mut dice);
        let format = dice.pick(&FORMATS);
        let mut bytes = written(&say(&said, format), format, &mut dice).into_bytes();
        for _ in 0..1 + dice.below(4) {
            damage(&mut bytes, &mut dice);
        }
        for named in FORMATS {
            if let Ok((same, _)) = run(&bytes, named, &off(), 1) {
                prop_assert_eq!(&same, &bytes);
            }
            match run(&bytes, named, &setup(&policy), 1) {
                Ok((output, pruned)) => {
                    let after = run(&output, named, &off(), 1).unwrap().1.report;
                    let before = &pruned.report.integrity.before;
                    prop_assert!(after.integrity.before.len() <= before.len(), "{:?} {:?}", before, after.integrity.before);
                    prop_assert_eq!(after.before.chars, pruned.report.after.chars);
                    let valid = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).is_ok();
                    prop_assert!(!valid(&bytes) || valid(&output));
                }
                Err(error) => prop_assert!(!error.is_refusal(), "{} {}: {}", named, error, String::from_utf8_lossy(&bytes)),
            }
        }
    }
}

fn damage(bytes: &mut Vec<u8>, dice: &mut Dice) {
    if bytes.is_empty() {
        return;
    }
    let at = dice.below(bytes.len());
    let lines: Vec<Vec<u8>> = bytes
        .split_inclusive(|&b| b == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    let (i, j) = (dice.below(lines.len()), dice.below(lines.len()));
    match dice.below(9) {
        0 => bytes.truncate(at),
        1 => bytes[at] ^= 1 << dice.below(8),
        2 => bytes[at] = dice.pick(b"\"\\{}[],:\n\0\xff0ue"),
        3 => drop(bytes.remove(at)),
        4 => bytes.insert(at, dice.roll() as u8),
        5 => bytes.extend_from_slice(&lines[i]),
        6 => {
            let mut lines = lines;
            lines.swap(i, j);
            *bytes = lines.concat();
        }
        7 => {
            let mut lines = lines;
            let end = lines[i].trim_ascii_end().len();
            lines[i].truncate(end);
            *bytes = lines.concat();
        }
        _ => {
            let to = at + dice.below(bytes.len() - at);
            bytes.drain(at..to);
        }
    }
}

/// A history of many parts that are read side by side, with damage in it, gives the same with any number of threads.
#[test]
fn any_number_of_threads() {
    let mut dice = Dice(11);
    let mut text = String::from(
        "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"cwd\":\"/\"}\n",
    );
    let mut last = "null".to_owned();
    let mut n = 0;
    while text.len() < 9 << 20 {
        for turn in conversation(&mut dice).turns {
            let mut record = say(&Conversation { turns: vec![turn] }, "openclaw").remove(1);
            record["id"] = Value::from(format!("e{n}"));
            record["parentId"] = serde_json::from_str(&last).unwrap();
            if n % 40 == 7 {
                record["filler"] = Value::from("é漢x".repeat(9000));
            }
            last = format!("\"e{n}\"");
            n += 1;
            text.push_str(&record.to_string());
            text.push_str(dice.pick(&["\n", "\n", "\n", "\r\n", "\n\n", "\n{\"torn\":\n"]));
        }
    }
    let policy = Policy {
        window: 2_000_000,
        least: 0,
        soft: 0.01,
        hard: 0.02,
        max: 40,
        head: 9,
        tail: 9,
        aggressive: false,
        ..policy(&mut dice)
    };
    let (one, report) = run(text.as_bytes(), "openclaw", &setup(&policy), 1).unwrap();
    let (four, same) = run(text.as_bytes(), "openclaw", &setup(&policy), 4).unwrap();
    assert!(!report.report.cuts.is_empty());
    assert!(one == four);
    assert_eq!(
        serde_json::to_string(&report.report).unwrap(),
        serde_json::to_string(&same.report).unwrap()
    );
}
