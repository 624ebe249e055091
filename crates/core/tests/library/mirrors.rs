//! Mirrors: every copy of a result in a log has the same text as the result, and costs no tokens.
//!
//! The notation: `u9` is a user's message of 9 chars, `a9` an assistant's, `c9:bash=500,read=40` one that calls bash and read,
//! which answer with 500 and 40 chars; `!` after a tool marks an error. A message is derived from the next by a space. Two
//! messages of the assistant do not follow each other: where its items stand alone, they are one.

mod dress;

use deadhead_core::input::Source;
use deadhead_core::internal::cache_policy::Clock;
use deadhead_core::internal::dialect::{Layout, by_name};
use deadhead_core::internal::engine::{self, Pruned, Setup};
use deadhead_core::internal::read_at::ReadAt;
use deadhead_core::internal::reader;
use deadhead_core::internal::report::Detail;
use deadhead_core::settings::{Mode, Settings};
use dress::{DRESSES, dressed};
use serde_json::Value;

enum Turn {
    User(String),
    Assistant(String, Vec<Call>),
}

struct Call {
    id: String,
    tool: String,
    says: String,
    error: bool,
}

/// Text of `n` UTF-16 units, no two alike.
fn text(n: usize, which: usize) -> String {
    let mut out = String::new();
    let mut left = n;
    for (i, c) in format!("{which}: \"quoted\"\té漢😀\n").chars().cycle().enumerate() {
        let c = if c.len_utf16() > left || i % 97 == 96 { 'x' } else { c };
        if left == 0 {
            break;
        }
        left -= c.len_utf16();
        out.push(c);
    }
    out
}

fn turns(notation: &str) -> Vec<Turn> {
    let mut n = 0;
    let mut said = |digits: &str| {
        n += 1;
        text(digits.parse().unwrap(), n)
    };
    let mut made = 0;
    notation
        .split_whitespace()
        .map(|word| match word.split_at(1) {
            ("u", digits) => Turn::User(said(digits)),
            ("a", digits) => Turn::Assistant(said(digits), Vec::new()),
            ("c", rest) => {
                let (digits, calls) = rest.split_once(':').unwrap();
                let spoken = said(digits);
                let calls = calls.split(',').map(|call| {
                    let (tool, size) = call.split_once('=').unwrap();
                    made += 1;
                    Call {
                        id: format!("call_{made}"),
                        tool: tool.trim_end_matches('!').to_owned(),
                        says: said(size),
                        error: tool.ends_with('!'),
                    }
                });
                Turn::Assistant(spoken, calls.collect())
            }
            other => panic!("{other:?}"),
        })
        .collect()
}

fn prune(text: &str, dress: &str, settings: &Settings) -> (String, Pruned) {
    let format = by_name(dress.split(' ').next().unwrap()).unwrap();
    let clock = Clock { now: 1_800_000_000_000, last_call: None, assume_cold: true };
    let setup = Setup::new(settings.clone(), clock, Detail::Full);
    if format.layout == Layout::Body || matches!(dress, "cline" | "opencode") {
        let pruned = engine::body(text.as_bytes(), 1, format.into(), &setup).unwrap_or_else(|e| panic!("{dress}: {e}"));
        let output = pruned.edits.render(&text.as_bytes(), 0, text.len() as u64).unwrap();
        let output = String::from_utf8(output).unwrap();
        return (output, pruned);
    }
    let source = Source::Memory(text.as_bytes().to_vec());
    let pruning = &settings.context_pruning;
    let read = reader::history(&source, format, pruning.estimator, settings.scope, 1, &|_| {}).unwrap();
    let pruned = engine::history(&read, &source, &setup).unwrap_or_else(|e| panic!("{dress}: {e}"));
    (String::from_utf8(pruned.edits.render(&source, 0, source.size()).unwrap()).unwrap(), pruned)
}

fn settings(change: impl Fn(&mut Settings)) -> Settings {
    let mut settings = Settings::default();
    settings.context_pruning.mode = Mode::Adaptive;
    settings.context_window = Some(2_000);
    settings.context_pruning.min_prunable_tool_chars = 0;
    change(&mut settings);
    settings
}

fn policies() -> Vec<Settings> {
    vec![
        settings(|_| {}),
        settings(|s| s.context_pruning.hard_clear.enabled = false),
        settings(|s| s.context_pruning.keep_last_assistants = 1),
        settings(|s| (s.context_pruning.tools.deny, s.context_pruning.keep_last_assistants) = (vec!["read".into()], 0)),
        settings(|s| (s.context_pruning.mode, s.context_pruning.keep_last_assistants) = (Mode::Aggressive, 2)),
        settings(|s| s.context_window = Some(1_000_000)),
        settings(|s| s.context_pruning.min_prunable_tool_chars = 1_000_000),
    ]
}

const CONVERSATIONS: [&str; 5] = [
    "u40 c10:bash=9000 c10:read=6000,bash=20 a30 u20 c5:bash=5000 a9 u9 a9",
    "a9 c9:bash=7000 u40 c10:read=4001 c10:bash=4000 c10:ls=3999 a30",
    "u40 c10:bash!=9000,read=4500 c10:bash=33 c10:grep=12000 a30 u3 a3",
    "u9 a9 u9",
    "u40 c10:bash=5000,bash=5000,bash=5000 c1:bash=4 c1:bash=4100 c1:bash=4",
];

/// The texts of a JSON text, or of its lines.
fn texts(output: &str) -> Vec<String> {
    fn walk(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::String(text) => found.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|v| walk(v, found)),
            Value::Object(members) => members.values().for_each(|v| walk(v, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    for value in serde_json::Deserializer::from_str(output).into_iter::<Value>() {
        walk(&value.unwrap(), &mut found);
    }
    found
}

#[test]
fn mirrors_say_what_results_say() {
    for notation in CONVERSATIONS {
        let said = turns(notation);
        for settings in [&policies()[0], &policies()[1], &policies()[4]] {
            for dress in DRESSES {
                let input = dressed(&said, dress);
                let mut off = Settings { mirrors: true, ..settings.clone() };
                off.context_pruning.mode = Mode::Off;
                let (same, _) = prune(&input, dress, &off);
                assert!(same == input, "{dress}: nothing cut, nothing changed");
                let mirrored = Settings { mirrors: true, ..settings.clone() };
                let (output, pruned) = prune(&input, dress, &mirrored);
                let (again, _) = prune(&output, dress, &mirrored);
                assert!(again == output, "{dress}: {notation}: a second run changes nothing");
                let (plain, alone) = prune(&input, dress, settings);
                assert_eq!(pruned.report.after, alone.report.after, "{dress}: mirrors cost no tokens");
                assert_eq!(pruned.report.first_change.map(|f| f.byte), alone.report.first_change.map(|f| f.byte), "{dress}");
                assert_eq!(
                    (plain.len() as i64 - output.len() as i64),
                    pruned.report.mirrors.bytes_removed - alone.report.mirrors.bytes_removed,
                    "{dress}"
                );
                let cut: Vec<&str> = pruned.report.cuts.iter().filter_map(|c| c.call_id.as_deref()).collect();
                let (left, kept) = (texts(&output), texts(&plain));
                for call in said.iter().flat_map(|t| if let Turn::Assistant(_, calls) = t { &calls[..] } else { &[] }) {
                    let holds = |all: &[String]| all.iter().filter(|t| **t == call.says).count();
                    let before = holds(&texts(&input));
                    if cut.contains(&&*call.id) {
                        // The mirrors of a gemini-cli record that was replaced by a later one are not of the context.
                        assert_eq!(holds(&left), 0, "{dress}: {notation}: {} is left of {before}", call.id);
                        assert!(
                            !["gemini-cli twins", "gemini-cli patched"].contains(&dress) || holds(&kept) <= 1,
                            "the twin follows without being asked"
                        );
                    } else {
                        assert_eq!(holds(&left), before, "{dress}: {notation}: {} was not cut", call.id);
                    }
                }
            }
        }
    }
}
