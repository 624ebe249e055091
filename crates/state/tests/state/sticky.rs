//! A growing conversation keeps its pruned beginning byte for byte, tested with random growth.

use deadhead_core::internal::cache_policy::Clock;
use deadhead_core::internal::dialect::{Detected, by_name};
use deadhead_core::internal::engine::{Record, Setup};
use deadhead_core::internal::report::Detail;
use deadhead_core::internal::session::SessionName;
use deadhead_core::outcome::Report;
use deadhead_core::settings::{Mode, Providers, Settings};
use deadhead_state::{Access, Memory, Store};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// The texts that replace cleared results.
const PLACEHOLDERS: [&str; 3] = ["[gone]", "[Old tool result content cleared]", "[\"é\\]"];

fn is_cleared(message: &str) -> bool {
    PLACEHOLDERS
        .iter()
        .any(|text| message.contains(&serde_json::to_string(text).unwrap()))
}

fn is_cut(message: &str) -> bool {
    is_cleared(message) || message.contains("[Tool result trimmed")
}

const MINUTE: i64 = 60_000;

/// The events between two requests.
#[derive(Clone, Debug)]
struct Turn {
    /// Sizes of the results that are added; a call each.
    results: Vec<usize>,
    /// Minutes since the request before.
    minutes: i64,
    /// Sizes of a trim from now on.
    keep: u64,
    /// The text that replaces a cleared result from now on.
    placeholder: &'static str,
    /// Whether the file is opened anew.
    restart: bool,
    /// Whether the mode is off for this request.
    off: bool,
}

fn turn() -> impl Strategy<Value = Turn> {
    let placeholder = prop::sample::select(PLACEHOLDERS.to_vec());
    (
        prop::collection::vec(0..900usize, 0..4),
        0..9i64,
        10..60u64,
        placeholder,
        any::<bool>(),
        prop::bool::weighted(0.1),
    )
        .prop_map(|(results, minutes, keep, placeholder, restart, off)| Turn {
            results,
            minutes,
            keep,
            placeholder,
            restart,
            off,
        })
}

fn settings(turn: &Turn) -> Settings {
    let mut settings = Settings {
        context_window: Some(700),
        ..Settings::default()
    };
    let pruning = &mut settings.context_pruning;
    pruning.mode = if turn.off { Mode::Off } else { Mode::CacheTtl };
    pruning.providers = Providers::All;
    pruning.keep_last_assistants = 1;
    pruning.min_prunable_tool_chars = 0;
    pruning.soft_trim.max_chars = 150;
    pruning.soft_trim.head_chars = turn.keep;
    pruning.soft_trim.tail_chars = turn.keep / 2;
    pruning.hard_clear.placeholder = turn.placeholder.to_owned();
    settings
}

/// Some text of `n` chars that distinguishes results, with characters that JSON escapes and such as take several bytes.
fn text(i: usize, n: usize) -> String {
    format!("{i}: ")
        .chars()
        .chain("line\n\"quoted\" é 😀 \\ ".chars().cycle())
        .take(n)
        .collect()
}

/// A format, and how a conversation of results of these sizes is written in it.
type Dialect = (&'static str, fn(&[usize]) -> Value);

const FORMATS: [Dialect; 4] = [
    ("anthropic", anthropic),
    ("openai-chat", chat),
    ("gemini", gemini),
    ("openai-responses", responses),
];

fn anthropic(results: &[usize]) -> Value {
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    for (i, n) in results.iter().enumerate() {
        // Ids come again: agents are known to count from zero in every turn.
        let id = format!("t{}", i % 7);
        messages.push(json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "run", "input": {}}]}));
        messages.push(json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text(i, *n)}]}));
    }
    json!({"model": "m", "max_tokens": 1, "messages": messages, "metadata": {"user_id": "u"}})
}

fn chat(results: &[usize]) -> Value {
    let mut messages = vec![
        json!({"role": "system", "content": "s"}),
        json!({"role": "user", "content": "go"}),
    ];
    for (i, n) in results.iter().enumerate() {
        let call = json!({"id": format!("c{i}"), "type": "function", "function": {"name": "run", "arguments": "{}"}});
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        messages
            .push(json!({"role": "tool", "tool_call_id": format!("c{i}"), "content": text(i, *n)}));
    }
    json!({"model": "m", "messages": messages})
}

/// Without ids: calls and responses are paired by order, and some calls are equal.
fn gemini(results: &[usize]) -> Value {
    let mut contents = vec![json!({"role": "user", "parts": [{"text": "go"}]})];
    for (i, n) in results.iter().enumerate() {
        contents.push(json!({"role": "model", "parts": [{"functionCall": {"name": "run", "args": {"k": i % 3}}}]}));
        contents.push(json!({"role": "user", "parts": [{"functionResponse": {"name": "run", "response": {"output": text(i, *n)}}}]}));
    }
    json!({"contents": contents})
}

fn responses(results: &[usize]) -> Value {
    let mut items = vec![json!({"role": "user", "content": "go"})];
    for (i, n) in results.iter().enumerate() {
        items.push(json!({"type": "function_call", "call_id": format!("c{i}"), "name": "run", "arguments": "{}"}));
        items.push(json!({"type": "function_call_output", "call_id": format!("c{i}"), "output": text(i, *n)}));
    }
    json!({"model": "m", "input": items})
}

/// The messages of a body.
fn messages(body: &Value) -> &Vec<Value> {
    ["messages", "contents", "input"]
        .iter()
        .find_map(|key| body[key].as_array())
        .unwrap()
}

fn open(path: &Path) -> Memory {
    Memory::new(
        Some(Store::open(path, Access::Write, Duration::from_secs(5)).unwrap()),
        false,
    )
}

fn request(
    memory: &Memory,
    dialect: Dialect,
    bytes: &[u8],
    now: i64,
    turn: &Turn,
) -> (Vec<u8>, Report) {
    let clock = Clock {
        now,
        last_call: None,
        assume_cold: false,
    };
    let setup = Setup::new(settings(turn), clock, Detail::Full);
    let found: Detected = by_name(dialect.0).unwrap().into();
    let record = Record::Body {
        bytes,
        line: 1,
        found,
    };
    let name = SessionName::new("s", "flag");
    let pruned = memory
        .prune(&name, &setup, &mut |setup, session| {
            record.run_in(session, setup)
        })
        .unwrap();
    let output: Vec<u8> = pruned
        .slices(bytes)
        .unwrap()
        .iter()
        .flat_map(|part| part.iter().copied())
        .collect();
    (output, pruned.report)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn the_beginning_stays(which in 0..FORMATS.len(), turns in prop::collection::vec(turn(), 2..12)) {
        let dialect = FORMATS[which];
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.db");
        let mut memory = open(&path);
        let (mut results, mut now) = (Vec::new(), 1_767_225_600_000);
        let mut before: Option<(Vec<u8>, Value)> = None;
        for turn in &turns {
            results.extend(&turn.results);
            now += turn.minutes * MINUTE;
            if turn.restart {
                memory = open(&path);
            }
            let bytes = serde_json::to_vec(&dialect.1(&results)).unwrap();
            let (output, report) = request(&memory, dialect, &bytes, now, turn);
            let body: Value = serde_json::from_slice(&output).unwrap();
            let stable = report.prefix_stable;
            if let Some((last_bytes, last)) = &before {
                let (last, here) = (messages(last), messages(&body));
                let expired = turn.minutes >= 5 && !turn.off;
                prop_assert_eq!(report.decision.ran, expired, "{}", report.decision.why);
                if !expired {
                    prop_assert_eq!(&here[..last.len()], &last[..], "nothing new is cut, and what was cut stays");
                    prop_assert!(here[last.len()..] == messages(&dialect.1(&results))[last.len()..]);
                }
                for (one, two) in last.iter().zip(here) {
                    let (one, two) = (one.to_string(), two.to_string());
                    let later = is_cleared(&two) && !is_cleared(&one);
                    prop_assert!(one == two || later || !is_cut(&one), "what was cut stays, or is cleared: {} {}", one, two);
                }
                let stable = stable.unwrap();
                let same = last.iter().zip(here).take_while(|(a, b)| a == b).count() as u64;
                if dialect.0 == "openai-responses" {
                    prop_assert!(stable.messages <= same);
                } else {
                    prop_assert_eq!(stable.messages, same);
                }
                let common = last_bytes.iter().zip(&output).take_while(|(a, b)| a == b).count();
                prop_assert!(stable.bytes as usize <= common);
                if !expired && same == last.len() as u64 && dialect.0 != "openai-responses" {
                    // Up to the bracket, or the comma, behind the last message.
                    prop_assert!(common - stable.bytes as usize <= 1 || output == *last_bytes, "{} of {}", stable.bytes, common);
                }
            } else {
                prop_assert_eq!(stable, None);
                prop_assert!(!report.decision.ran, "the first call of a session is unknown");
                prop_assert_eq!(&output, &bytes);
            }
            // The same request at the same moment is answered by the same bytes.
            let (again, _) = request(&memory, dialect, &bytes, now, &Turn { keep: 33, placeholder: "[other]", ..turn.clone() });
            prop_assert_eq!(&again, &output);
            before = Some((output, body));
        }
    }
}

#[test]
fn something_is_cut_at_all() {
    for dialect in FORMATS {
        let dir = tempfile::tempdir().unwrap();
        let memory = open(&dir.path().join("s.db"));
        let turn = Turn {
            results: Vec::new(),
            minutes: 0,
            keep: 40,
            placeholder: "[gone]",
            restart: false,
            off: false,
        };
        let bytes = serde_json::to_vec(&dialect.1(&[800; 12])).unwrap();
        request(&memory, dialect, &bytes, 0, &turn);
        let (output, report) = request(&memory, dialect, &bytes, 5 * MINUTE, &turn);
        assert!(
            report.decision.ran
                && report.cuts.iter().any(|c| c.action == "clear")
                && report.cuts.iter().any(|c| c.action == "trim"),
            "{}",
            dialect.0
        );
        let (again, report) = request(&memory, dialect, &bytes, 6 * MINUTE, &turn);
        assert_eq!(again, output, "{}", dialect.0);
        assert!(
            report
                .cuts
                .iter()
                .all(|c| c.pass == "sticky" && c.reason.contains("cut by")),
            "{}",
            dialect.0
        );
        assert_eq!(
            report.session.map(|s| (s.kept, s.added)),
            Some((report.cuts.len() as u64, 0))
        );
    }
}

#[test]
fn a_changed_text_is_forgotten() {
    let dir = tempfile::tempdir().unwrap();
    let memory = open(&dir.path().join("s.db"));
    let turn = Turn {
        results: Vec::new(),
        minutes: 0,
        keep: 40,
        placeholder: "[gone]",
        restart: false,
        off: false,
    };
    let dialect = FORMATS[1];
    let bytes = serde_json::to_vec(&chat(&[800; 12])).unwrap();
    request(&memory, dialect, &bytes, 0, &turn);
    let (_, report) = request(&memory, dialect, &bytes, 5 * MINUTE, &turn);
    let cuts = report.cuts.len() as u64;
    let mut sizes = [800; 12];
    sizes[0] = 801;
    let changed = serde_json::to_vec(&chat(&sizes)).unwrap();
    let (output, report) = request(&memory, dialect, &changed, 6 * MINUTE, &turn);
    assert_eq!(
        report.session.map(|s| (s.kept, s.added, s.dropped)),
        Some((cuts - 1, 0, 1))
    );
    assert!(
        String::from_utf8_lossy(&output).contains(&serde_json::to_string(&text(0, 801)).unwrap())
    );
    // It does not come back with the text.
    let (_, report) = request(&memory, dialect, &bytes, 7 * MINUTE, &turn);
    assert_eq!(
        report.session.map(|s| (s.kept, s.dropped)),
        Some((cuts - 1, 0))
    );
}
