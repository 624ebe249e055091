//! The simulator against the engine: a replay cuts the same before a request as a prune of the log up to that request.

use crate::data::{Sample, samples};
use deadhead_core::input::Source;
use deadhead_core::internal::cache_policy::{Clock, LastCall};
use deadhead_core::internal::dialect::by_name;
use deadhead_core::internal::edit::View;
use deadhead_core::internal::engine::{self, Setup};
use deadhead_core::internal::reader;
use deadhead_core::internal::report::Detail;
use deadhead_core::outcome::Report;
use deadhead_core::settings::Settings;
use deadhead_core::settings::{Estimator, Images, Mode, Scope};
use deadhead_replay::run::run;
use deadhead_replay::session::Session;
use deadhead_replay::simulation::{Retention, Simulation};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Prunes `text` with a cold cache and returns the report and the output.
fn prune(text: &[u8], format: &str, settings: &Settings) -> (Report, Vec<u8>) {
    prune_at(
        text,
        format,
        settings,
        Clock {
            now: 0,
            last_call: None,
            assume_cold: true,
        },
    )
}

fn prune_at(text: &[u8], format: &str, settings: &Settings, clock: Clock) -> (Report, Vec<u8>) {
    let source = Source::Memory(text.to_vec());
    let format = by_name(format).unwrap();
    let estimator = settings.context_pruning.estimator;
    let transcript = reader::log(
        &source,
        &reader::Reading::new(format, estimator, Scope::Context),
        1,
        &|_| {},
    )
    .unwrap();
    let setup = Setup::new(settings.clone(), clock, Detail::Full);
    let pruned = engine::history(&transcript, &text, &setup).unwrap();
    let out = pruned.edits.render(&text, 0, text.len() as u64).unwrap();
    (pruned.report, out)
}

/// A call: the byte of its answer, the chars of its prompt before and after, and the lines that are cut, with what becomes of them.
type Simulated = (u64, u64, u64, Vec<(u32, &'static str)>);

/// All calls, in file order.
fn simulate(session: &Session, settings: &Settings, retention: Retention) -> Vec<Simulated> {
    let simulation = Simulation::new(session, settings);
    let other = session
        .counted_by(settings.context_pruning.estimator)
        .unwrap();
    let mut found = vec![(0, 0, 0, Vec::new()); session.calls.len()];
    let mut seen = |call: u32, view: &View<'_>| {
        // A prune reads what is between two messages of the user's side as one message of Codex.
        let place = |i: usize| {
            if session.format.name == "codex" {
                view.transcript.begin_of(i)
            } else {
                i
            }
        };
        let line = |i: u32| view.transcript.messages[place(i as usize)].line;
        let mut lines: Vec<_> = view
            .cuts()
            .map(|cut| (line(cut.message), cut.action.name()))
            .collect();
        lines.sort_unstable();
        if session.format.name == "codex" {
            lines.dedup();
        }
        let record =
            session.transcript.messages[session.calls[call as usize].message as usize].record;
        found[call as usize] = (record, view.chars_before(), view.chars(), lines);
    };
    run(&simulation, &other, settings, retention, &mut seen).unwrap();
    found
}

fn reported(report: &Report) -> Vec<(u32, &'static str)> {
    let mut lines: Vec<_> = report
        .cuts
        .iter()
        .map(|cut| (cut.line, cut.action))
        .collect();
    lines.sort_unstable();
    lines
}

/// Whether a pass was left out since what it cut would have broken the transcript: a replay does not read the result again.
fn rests(report: &Report) -> bool {
    report
        .warnings
        .iter()
        .any(|warning| warning.text.contains(" rests: "))
}

/// The kind of a line of a random session.
#[derive(Clone, Debug)]
enum Entry {
    User(usize),
    Assistant(usize),
    Results(Vec<Content>),
    Compaction(u8),
    Custom,
    Back(u8),
}

#[derive(Clone, Debug)]
enum Content {
    Text(usize),
    Wide(usize),
    Image(usize),
    Placeholder,
}

fn content() -> impl Strategy<Value = Content> {
    prop_oneof![
        6 => (0..900usize).prop_map(Content::Text),
        1 => Just(Content::Text(9)),
        1 => (0..300usize).prop_map(Content::Wide),
        1 => (0..300usize).prop_map(Content::Image),
        1 => Just(Content::Placeholder),
    ]
}

fn entry() -> impl Strategy<Value = Entry> {
    prop_oneof![
        4 => (0..200usize).prop_map(Entry::User),
        8 => (0..200usize).prop_map(Entry::Assistant),
        8 => prop::collection::vec(content(), 1..3).prop_map(Entry::Results),
        1 => any::<u8>().prop_map(Entry::Compaction),
        1 => Just(Entry::Custom),
        1 => any::<u8>().prop_map(Entry::Back),
    ]
}

fn block(content: &Content) -> Vec<Value> {
    let text = |text: String| json!({"type": "text", "text": text});
    match content {
        Content::Text(n) => vec![text("r".repeat(*n))],
        Content::Wide(n) => vec![text("字a".repeat(*n))],
        Content::Image(n) => vec![
            text("i".repeat(*n)),
            json!({"type": "image", "data": "AA==", "mimeType": "image/png"}),
        ],
        Content::Placeholder => vec![text("[cleared]".to_owned())],
    }
}

/// The session's lines.
fn session(entries: &[Entry]) -> Vec<u8> {
    let mut lines = vec![
        json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/"}),
    ];
    let (mut parent, mut ids): (Option<String>, Vec<String>) = (None, Vec::new());
    let mut calls = 0;
    let add = |lines: &mut Vec<Value>,
               parent: &mut Option<String>,
               ids: &mut Vec<String>,
               mut value: Value| {
        let id = format!("{:08x}", lines.len());
        value["id"] = json!(id);
        value["parentId"] = json!(parent);
        value["timestamp"] = json!("2026-01-01T00:00:00Z");
        *parent = Some(id.clone());
        ids.push(id);
        lines.push(value);
    };
    for entry in entries {
        let time = 1_767_225_600_000u64 + lines.len() as u64 * 1000;
        let message = |message: Value| json!({"type": "message", "message": message});
        match entry {
            Entry::User(n) => {
                add(
                    &mut lines,
                    &mut parent,
                    &mut ids,
                    message(json!({"role": "user", "content": "u".repeat(*n), "timestamp": time})),
                );
            }
            Entry::Assistant(n) => {
                calls += 1;
                let call = json!({"type": "toolCall", "id": format!("c{calls}"), "name": "t", "arguments": {"k": "a".repeat(*n)}});
                let usage = json!({"input": 10, "output": 5, "cacheRead": 0, "cacheWrite": 0});
                let said = json!({"role": "assistant", "content": [call], "usage": usage, "model": "claude-sonnet-4-5", "provider": "anthropic", "timestamp": time});
                add(&mut lines, &mut parent, &mut ids, message(said));
            }
            Entry::Results(contents) => {
                for content in contents {
                    let tool = if matches!(content, Content::Text(n) if n % 7 == 0) {
                        "kept"
                    } else {
                        "t"
                    };
                    let result = json!({"role": "toolResult", "toolCallId": format!("c{calls}"), "toolName": tool, "content": block(content), "timestamp": time});
                    add(&mut lines, &mut parent, &mut ids, message(result));
                }
            }
            Entry::Compaction(keep) if !ids.is_empty() => {
                let first = ids[usize::from(*keep) % ids.len()].clone();
                add(
                    &mut lines,
                    &mut parent,
                    &mut ids,
                    json!({"type": "compaction", "summary": "sum", "firstKeptEntryId": first, "tokensBefore": 1}),
                );
            }
            Entry::Custom => {
                add(
                    &mut lines,
                    &mut parent,
                    &mut ids,
                    json!({"type": "custom_message", "customType": "x", "content": "hello", "display": true}),
                );
            }
            Entry::Back(to) if !ids.is_empty() => {
                parent = Some(ids[usize::from(*to) % ids.len()].clone())
            }
            _ => {}
        }
    }
    lines
        .iter()
        .flat_map(|line| (line.to_string() + "\n").into_bytes())
        .collect()
}

fn settings() -> impl Strategy<Value = Settings> {
    let sizes = (20..400u64, 0..120u64, 0..120u64);
    let ratios = (0.0..0.9f64, 0.0..0.9f64, 0..4usize, 0..1500u64);
    let switches = (any::<bool>(), 0..3u8, any::<bool>(), any::<bool>(), 0..6u8);
    let others = (prop_oneof![Just(0u8), 0..16u8], 0..4usize);
    (sizes, ratios, switches, 100..1500u64, any::<bool>(), others).prop_map(
        |(sizes, ratios, switches, window, aggressive, (others, keep))| {
            let mut settings = Settings::default();
            let pruning = &mut settings.context_pruning;
            pruning.mode = if aggressive && switches.0 {
                Mode::Aggressive
            } else {
                Mode::Adaptive
            };
            (
                pruning.soft_trim.max_chars,
                pruning.soft_trim.head_chars,
                pruning.soft_trim.tail_chars,
            ) = sizes;
            (
                pruning.soft_trim_ratio,
                pruning.hard_clear_ratio,
                pruning.keep_last_assistants,
                pruning.min_prunable_tool_chars,
            ) = ratios;
            pruning.images = if switches.0 {
                Images::Prune
            } else {
                Images::Skip
            };
            pruning.estimator =
                [Estimator::Utf16, Estimator::CjkV1, Estimator::CjkV2][usize::from(switches.1)];
            pruning.hard_clear.enabled = !switches.2;
            pruning.hard_clear.placeholder = "[cleared]".to_owned();
            pruning.hard_clear.skip_shorter = switches.4 % 2 == 0;
            if switches.3 {
                pruning.tools.deny = vec!["kept".to_owned()];
            }
            if switches.4 == 0 {
                settings.passes.off.insert("soft-trim".to_owned());
            }
            for (pass, bit) in ["dedupe", "ephemeral", "stale-resource", "turn-drop"]
                .into_iter()
                .zip(0..)
            {
                if others >> bit & 1 == 1 {
                    settings.passes.on.insert(pass.to_owned());
                }
            }
            (settings.ephemeral.keep_turns, settings.turn_drop.keep_turns) = (keep, keep.max(1));
            (
                settings.turn_drop.min_messages,
                settings.turn_drop.min_body_chars,
            ) = (0, 0);
            settings.context_window = Some(window);
            settings
        },
    )
}

/// The log before the answer at byte `at`, led to the message that the answer follows: another may be before it.
fn up_to(text: &[u8], at: usize) -> Option<Vec<u8>> {
    let answer: Value = serde_json::Deserializer::from_slice(&text[at..])
        .into_iter()
        .next()?
        .ok()?;
    let leaf = json!({"type": "leaf", "targetId": answer["parentId"].as_str()?, "timestamp": "2026-01-01T00:00:00Z"});
    Some([&text[..at], leaf.to_string().as_bytes(), b"\n"].concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn each_request_is_cut_as_the_engine_cuts_it(entries in prop::collection::vec(entry(), 1..40), settings in settings()) {
        let text = session(&entries);
        let read = Session::read(text.clone(), by_name("openclaw").unwrap()).unwrap();
        for (at, before, after, lines) in simulate(&read, &settings, Retention::Transient) {
            let Some(prefix) = up_to(&text, at as usize) else { continue };
            let (report, _) = prune(&prefix, "openclaw", &settings);
            if rests(&report) {
                continue;
            }
            prop_assert_eq!(before, report.before.chars);
            prop_assert_eq!(after, report.after.chars);
            prop_assert_eq!(lines, reported(&report));
        }
    }

    #[test]
    fn earlier_cuts_equal_pruning_the_pruned_log(
        entries in prop::collection::vec(entry().prop_filter("one way", |e| !matches!(e, Entry::Back(_) | Entry::Compaction(_))), 1..40),
        mut settings in settings(),
    ) {
        // Passes that remove messages look at what is left of the turns before; in a pruned log these are others.
        settings.passes.on.clear();
        // What was cleared before is not asked again whether it is enough together; in a pruned log its placeholder is.
        settings.context_pruning.min_prunable_tool_chars = 0;
        let text = session(&entries);
        let read = Session::read(text.clone(), by_name("openclaw").unwrap()).unwrap();
        let (mut pruned, mut done) = (Vec::new(), 0);
        for (at, _, after, _) in simulate(&read, &settings, Retention::Sticky) {
            pruned.extend_from_slice(&text[done..at as usize]);
            done = at as usize;
            let (report, out) = prune(&pruned, "openclaw", &settings);
            pruned = out;
            prop_assert_eq!(after, report.after.chars);
        }
    }
}

/// What a report says was cut of a log of Codex's, in which a message has several lines: the first one stands for it.
fn first_lines(report: &Report, text: &[u8], settings: &Settings) -> Vec<(u32, &'static str)> {
    let read = reader::log(
        &Source::Memory(text.to_vec()),
        &reader::Reading::new(
            by_name("codex").unwrap(),
            settings.context_pruning.estimator,
            Scope::Context,
        ),
        1,
        &|_| {},
    )
    .unwrap();
    let first = |number: u32| {
        read.messages
            .iter()
            .find(|message| message.number == number)
            .unwrap()
            .line
    };
    let mut pruned: Vec<_> = report
        .cuts
        .iter()
        .map(|cut| (first(cut.message), cut.action))
        .collect();
    pruned.sort_unstable();
    pruned.dedup();
    pruned
}

#[test]
fn contexts_of_real_logs_are_those_of_their_beginnings() {
    let mut settings = Settings::default();
    settings.context_pruning.mode = Mode::Adaptive;
    settings.context_window = Some(20_000);
    // Small, so that nearly every result that is reached is cut, and one too many or too few shows.
    let pruning = &mut settings.context_pruning;
    (
        pruning.soft_trim.max_chars,
        pruning.soft_trim.head_chars,
        pruning.soft_trim.tail_chars,
    ) = (200, 60, 60);
    pruning.min_prunable_tool_chars = 0;
    let formats = ["openclaw", "claude-code", "codex", "copilot-cli"];
    let logs = samples()
        .iter()
        .filter(|sample| formats.contains(&sample.folder()) || sample.name == "demo-session.jsonl");
    // The first lines of the edge cases name no parents: alone they are a row, in the file they are roots.
    let logs: Vec<&Sample> = logs
        .filter(|sample| !sample.name.ends_with("claude-code-log__edge_cases.jsonl"))
        .collect();
    assert!(logs.len() >= 14, "{} logs", logs.len());
    for Sample { name, bytes: text } in logs {
        let format = name
            .split_once('/')
            .map_or("openclaw", |(folder, _)| folder);
        let read = Session::read(text.clone(), by_name(format).unwrap()).unwrap();
        let mut all = settings.clone();
        all.passes.on.extend(
            [
                "dedupe",
                "ephemeral",
                "stale-resource",
                "turn-drop",
                "rag-rerank",
            ]
            .map(str::to_owned),
        );
        all.ephemeral.keep_turns = 1;
        (
            all.turn_drop.keep_turns,
            all.turn_drop.min_messages,
            all.turn_drop.min_body_chars,
        ) = (4, 0, 0);
        for (settings, each) in [(&settings, 29), (&all, 83)] {
            let found = simulate(&read, settings, Retention::Transient);
            assert!(!found.is_empty(), "{name}");
            for (number, (at, before, after, lines)) in found
                .iter()
                .enumerate()
                .filter(|(i, _)| found.len() < 60 || i % each == 0)
            {
                let (report, _) = prune(&text[..*at as usize], format, settings);
                if rests(&report) {
                    continue;
                }
                let place = format!("{name} call {number}");
                assert_eq!(
                    (*before, *after),
                    (report.before.chars, report.after.chars),
                    "{place}"
                );
                let mut pruned = reported(&report);
                if format == "codex" {
                    pruned = first_lines(&report, &text[..*at as usize], settings);
                }
                assert_eq!(*lines, pruned, "{place}");
            }
        }
    }
}

#[test]
fn break_even_cuts_a_log_where_its_replay_does() {
    let mut settings = Settings::default();
    settings.context_pruning.mode = Mode::BreakEven;
    settings.break_even.own_marks = false;
    let mut cuts = 0;
    for Sample { name, bytes: text } in samples() {
        let Some(format) =
            by_name(name.split('/').next().unwrap()).filter(|format| format.calls.row.is_some())
        else {
            continue;
        };
        let read = Session::read(text.clone(), format).unwrap();
        let found = simulate(&read, &settings, Retention::Sticky);
        // Once something was cut, only who remembers it knows what is cached.
        let first = found.iter().position(|(.., lines)| !lines.is_empty());
        let Some(first) = first.filter(|_| read.threads.len() == 1) else {
            continue;
        };
        for at in [first.saturating_sub(1), first] {
            let clock = Clock {
                now: read.calls[at].start.unwrap(),
                last_call: read.calls[..at]
                    .iter()
                    .filter_map(|call| call.seen)
                    .max()
                    .map(LastCall::At),
                assume_cold: false,
            };
            let (report, _) =
                prune_at(&text[..found[at].0 as usize], format.name, &settings, clock);
            assert_eq!(
                found[at].3,
                reported(&report),
                "{name} call {at}: {}",
                report.decision.why
            );
            cuts += report.cuts.len();
        }
    }
    assert!(cuts > 4, "{cuts} cuts");
}
