//! Damaged real transcripts: torn, doubled, swapped, joined. No panic, the same bytes where nothing is cut, no new defect.
//!
//! Every sample, and five damaged copies of each, passes through the library under several policies; some copies go through
//! the program as well, for the exit code.

use crate::data::{Sample, sample, samples};
use crate::support::deadhead;
use deadhead_core::Error;
use deadhead_core::input::Source;
use deadhead_core::internal::cache_policy::Clock;
use deadhead_core::internal::dialect::{Detected, Layout, detect};
use deadhead_core::internal::engine::{self, Setup};
use deadhead_core::internal::json::Cursor;
use deadhead_core::internal::read_at::ReadAt;
use deadhead_core::internal::reader;
use deadhead_core::internal::report::Detail;
use deadhead_core::outcome::Report;
use deadhead_core::settings::{Images, Mode, Scope, Settings};
use rayon::prelude::*;

/// The folders of samples, and the formats of what is in them.
const FOLDERS: [(&str, &str); 12] = [
    ("openclaw", "openclaw"),
    ("anthropic-messages", "anthropic"),
    ("openai-chat", "openai-chat"),
    ("openai-responses", "openai-responses"),
    ("gemini", "gemini"),
    ("bedrock-converse", "bedrock-converse"),
    ("claude-code", "claude-code"),
    ("codex", "codex"),
    ("copilot-cli", "copilot-cli"),
    ("cline", "cline"),
    ("gemini-cli", "gemini-cli"),
    ("opencode", "opencode"),
];

/// Makes damaged lines of lines.
type Damage = fn(&[&[u8]]) -> Vec<u8>;

/// The kinds of damage that are done to a sample.
const DAMAGES: [(&str, Damage); 5] = [
    ("every tenth line cut", |lines| {
        lines
            .iter()
            .enumerate()
            .filter(|(i, _)| i % 10 != 9)
            .flat_map(|(_, l)| l.to_vec())
            .collect()
    }),
    ("every seventh line doubled", |lines| {
        lines
            .iter()
            .enumerate()
            .flat_map(|(i, l)| if i % 7 == 3 { l.repeat(2) } else { l.to_vec() })
            .collect()
    }),
    ("neighbours swapped", |lines| {
        let mut lines = lines.to_vec();
        (1..lines.len())
            .step_by(5)
            .for_each(|i| lines.swap(i - 1, i));
        lines.concat()
    }),
    ("two lines glued", |lines| {
        let glued = |(i, l): (usize, &&[u8])| {
            if i % 6 == 2 {
                l.trim_ascii_end().to_vec()
            } else {
                l.to_vec()
            }
        };
        lines.iter().enumerate().flat_map(glued).collect()
    }),
    ("lines torn", |lines| {
        let torn = |(i, l): (usize, &&[u8])| {
            if i % 8 == 5 {
                [&l[..l.len() * 2 / 3], b"\n"].concat()
            } else {
                l.to_vec()
            }
        };
        lines.iter().enumerate().flat_map(torn).collect::<Vec<u8>>()
    }),
];

fn policies() -> Vec<Settings> {
    let with = |change: fn(&mut Settings)| {
        let mut settings = Settings::default();
        settings.context_pruning.hard_clear.skip_shorter = false;
        settings.context_pruning.min_prunable_tool_chars = 0;
        change(&mut settings);
        settings
    };
    vec![
        with(|s| s.context_pruning.mode = Mode::Off),
        with(|s| (s.context_pruning.mode, s.context_window) = (Mode::Adaptive, Some(2000))),
        with(|s| {
            (s.context_pruning.mode, s.context_pruning.images, s.scope) =
                (Mode::Aggressive, Images::Prune, Scope::File)
        }),
    ]
}

/// Runs bytes as an input of `found`: what comes out, and the account.
fn run(bytes: &[u8], found: Detected, settings: &Settings) -> Result<(Vec<u8>, Report), Error> {
    let setup = Setup::new(
        settings.clone(),
        Clock {
            now: 0,
            last_call: None,
            assume_cold: false,
        },
        Detail::Full,
    );
    if found.format.layout == Layout::Body {
        let pruned = engine::body(bytes, 1, found, &setup)?;
        return Ok((
            pruned
                .slices(bytes)?
                .iter()
                .flat_map(|slice| slice.iter().copied())
                .collect(),
            pruned.report,
        ));
    }
    let source = Source::unpacked(bytes.to_vec())?;
    let read = reader::log(
        &source,
        &reader::Reading::new(
            found.format,
            settings.context_pruning.estimator,
            settings.scope,
        ),
        1,
        &|_| {},
    )?;
    let pruned = engine::history(&read, &source, &setup)?;
    Ok((
        pruned.edits.render(&source, 0, source.size())?,
        pruned.report,
    ))
}

/// Holds the promises for one input; says how many cuts were made, and how many defects it had.
fn holds(bytes: &[u8], found: Detected, about: &str) -> (usize, usize) {
    let (mut cuts, mut defects) = (0, 0);
    for settings in policies() {
        let (output, report) = match run(bytes, found, &settings) {
            Ok(done) => done,
            // A body that is no JSON any more; a history is never refused.
            Err(Error::Json { .. }) if found.format.layout == Layout::Body => continue,
            Err(error) => panic!("{about}: {error}"),
        };
        if report.cuts.is_empty() {
            assert!(
                output == bytes,
                "{about}: nothing is cut, and the bytes differ"
            );
        }
        let (before, mut after) = (&report.integrity.before, report.integrity.after.clone());
        for known in before {
            if let Some(at) = after.iter().position(|defect| defect.code == known.code) {
                after.remove(at);
            }
        }
        assert!(after.is_empty(), "{about}: new defects {after:?}");
        let (again, second) = run(&output, found, &settings)
            .unwrap_or_else(|error| panic!("{about}: a second run: {error}"));
        assert!(
            again == output,
            "{about}: a second run cuts {:?}",
            second.cuts.len()
        );
        assert_eq!(
            second.before.chars, report.after.chars,
            "{about}: the account"
        );
        cuts += report.cuts.len();
        defects += before.len();
    }
    (cuts, defects)
}

/// The format of a sample, which is that of its folder if it is in one.
fn format_of(sample: &Sample) -> Detected {
    let found = detect(&mut Cursor::new(&sample.bytes))
        .unwrap()
        .unwrap_or_else(|| panic!("{}: no format", sample.name));
    let known = FOLDERS
        .iter()
        .find(|(folder, _)| *folder == sample.folder())
        .map(|(_, format)| *format);
    assert!(
        known == Some(found.format.name) || sample.folder().is_empty(),
        "{}: {}",
        sample.name,
        found.format.name
    );
    found
}

/// A damaged copy. The lines of a body are its messages, so that most damage leaves it JSON.
fn damaged(bytes: &[u8], layout: Layout, apply: Damage) -> Vec<u8> {
    let of_lines =
        |bytes: &[u8]| apply(&bytes.split_inclusive(|&b| b == b'\n').collect::<Vec<_>>());
    if layout == Layout::History {
        return of_lines(bytes);
    }
    let body: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(bytes).unwrap();
    let member = |(key, member): (&String, &serde_json::Value)| {
        let list = member
            .as_array()
            .filter(|_| matches!(key.as_str(), "messages" | "contents" | "input"));
        let Some(list) = list else {
            return format!("\"{key}\":{member}");
        };
        let lines: String = list.iter().map(|element| format!("{element}\n")).collect();
        let lines = String::from_utf8_lossy(&of_lines(lines.as_bytes())).into_owned();
        format!("\"{key}\":[\n{}\n]", lines.trim_end().replace('\n', ",\n"))
    };
    format!(
        "{{{}}}\n",
        body.iter().map(member).collect::<Vec<_>>().join(",")
    )
    .into_bytes()
}

#[test]
fn samples_and_damaged_copies() {
    let each = |sample: &Sample| {
        let found = format_of(sample);
        let copies = DAMAGES.map(|(damage, apply)| {
            let copy = damaged(&sample.bytes, found.format.layout, apply);
            holds(&copy, found, &format!("{}, {damage}", sample.name))
        });
        copies
            .into_iter()
            .fold(holds(&sample.bytes, found, &sample.name), add)
    };
    let (cuts, defects) = samples().par_iter().map(each).reduce(|| (0, 0), add);
    println!(
        "{cuts} cuts, {defects} defects in {} samples and their copies",
        samples().len()
    );
    assert!(
        cuts > 12_000 && defects > 3_500,
        "{cuts} cuts, {defects} defects"
    );
}

fn add((a, b): (usize, usize), (c, d): (usize, usize)) -> (usize, usize) {
    (a + c, b + d)
}

/// The program answers damage with 0, 1 or 2, and never with a result that is refused.
#[test]
fn exit_codes() {
    let files = [
        "demo-session.jsonl",
        "claude-code/claude-code-log__edge_cases.jsonl",
        "codex/agentv__019ed836__lines-5-to-48.jsonl",
        "bodies/anthropic-messages/030.json",
    ];
    for file in files {
        let bytes = &sample(file).bytes;
        let body = file.ends_with(".json");
        let layout = if body { Layout::Body } else { Layout::History };
        for (damage, apply) in DAMAGES {
            let damaged = damaged(bytes, layout, apply);
            for args in [
                &["prune", "-q", "--mode=aggressive", "--exit-code"][..],
                &["check", "-q"],
                &["check", "-q", "--repair"],
            ] {
                let output = deadhead()
                    .args(args)
                    .write_stdin(damaged.clone())
                    .output()
                    .unwrap();
                let reported = String::from_utf8_lossy(&output.stderr).into_owned();
                let code = output.status.code();
                assert!(
                    matches!(code, Some(0..=2)) && !reported.contains("panicked"),
                    "{file}, {damage} {args:?}: {code:?} {reported}"
                );
                // Of a file that was not understood as a whole no copy is made.
                let unread = args.contains(&"--repair")
                    && reported.contains("only what is understood can be repaired");
                assert!(
                    body || unread || code != Some(2),
                    "{file}, {damage} {args:?}: a history is taken as it is: {reported}"
                );
                assert!(
                    code != Some(2) || output.stdout.is_empty(),
                    "{file}, {damage} {args:?}: nothing is written"
                );
            }
        }
    }
}
