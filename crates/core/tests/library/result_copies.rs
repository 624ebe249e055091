//! Copies of results: every copy of a result in a log has the same text as the result, and costs no tokens.
//!
//! The notation: `u9` is a user's message of 9 chars, `a9` an assistant's, `c9:bash=500,read=40` one that calls bash and read,
//! which answer with 500 and 40 chars; `!` after a tool marks an error. A message is derived from the next by a space. Two
//! messages of the assistant do not follow each other: where its items are alone, they are one.

use crate::notation::{Answer, Call, Conversation, Model, Part, Turn, copied};
use deadhead_core::internal::cache_policy::Clock;
use deadhead_core::internal::engine::Setup;
use deadhead_core::internal::report::Detail;
use deadhead_core::settings::{Mode, Settings};
use serde_json::{Value, json};

/// Text of `n` UTF-16 units, no two alike.
fn text(n: usize, which: usize) -> String {
    let mut out = String::new();
    let mut left = n;
    for (i, c) in format!("{which}: \"quoted\"\té漢😀\n")
        .chars()
        .cycle()
        .enumerate()
    {
        let c = if c.len_utf16() > left || i % 97 == 96 {
            'x'
        } else {
            c
        };
        if left == 0 {
            break;
        }
        left -= c.len_utf16();
        out.push(c);
    }
    out
}

fn talk(short: &str) -> Conversation {
    let mut n = 0;
    let mut said = |digits: &str| {
        n += 1;
        text(digits.parse().unwrap(), n)
    };
    let mut talk = Conversation::default();
    for word in short.split_whitespace() {
        let (kind, rest) = word.split_at(1);
        let (digits, calls) = rest.split_once(':').unwrap_or((rest, ""));
        let spoken = said(digits);
        if kind == "u" {
            talk.turns.push(Turn::User(spoken));
            continue;
        }
        let answer = |(i, call): (usize, &str)| {
            let (tool, size) = call.split_once('=').unwrap();
            let (error, tool) = (tool.ends_with('!'), tool.trim_end_matches('!').to_owned());
            let call = format!("call_{}_{i}", talk.turns.len());
            Answer {
                call,
                tool,
                arguments: json!({}),
                parts: vec![Part::Text(said(size))],
                error,
            }
        };
        let answers: Vec<Answer> = calls
            .split(',')
            .filter(|call| !call.is_empty())
            .enumerate()
            .map(answer)
            .collect();
        let calls = answers.iter().map(|a| Call {
            id: a.call.clone(),
            tool: a.tool.clone(),
            arguments: a.arguments.clone(),
        });
        talk.turns.push(Turn::Model(Model {
            thinking: None,
            text: Some(spoken),
            calls: calls.collect(),
        }));
        if !answers.is_empty() {
            talk.turns.push(Turn::Results(answers));
        }
    }
    talk
}

fn setup(settings: &Settings) -> Setup {
    let clock = Clock {
        now: 1_800_000_000_000,
        last_call: None,
        assume_cold: true,
    };
    Setup::new(settings.clone(), clock, Detail::Full)
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
        settings(|s| {
            (
                s.context_pruning.tools.deny,
                s.context_pruning.keep_last_assistants,
            ) = (vec!["read".into()], 0)
        }),
        settings(|s| {
            (
                s.context_pruning.mode,
                s.context_pruning.keep_last_assistants,
            ) = (Mode::Aggressive, 2)
        }),
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
fn texts(output: &[u8]) -> Vec<String> {
    fn walk(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::String(text) => found.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|v| walk(v, found)),
            Value::Object(members) => members.values().for_each(|v| walk(v, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    for value in serde_json::Deserializer::from_slice(output).into_iter::<Value>() {
        walk(&value.unwrap(), &mut found);
    }
    found
}

/// How many texts are this answer.
fn count(all: &[String], answer: &Answer) -> usize {
    all.iter().filter(|text| **text == answer.text()).count()
}

#[test]
fn logs_repeat_what_results_say() {
    for said in CONVERSATIONS.map(talk) {
        let is_copied = |input: &[u8]| {
            said.answers()
                .all(|answer| count(&texts(input), answer) > 1)
        };
        assert!(
            copied(&said)
                .iter()
                .filter(|(_, _, input)| is_copied(input))
                .count()
                >= 10
        );
    }
}

#[test]
fn copies_say_what_results_say() {
    for short in CONVERSATIONS {
        let said = talk(short);
        for (way, spoken, input) in copied(&said) {
            let prune = |bytes: &[u8], settings: &Settings, mode: Option<Mode>, mirrors: bool| {
                let mut settings = Settings {
                    mirrors,
                    ..settings.clone()
                };
                settings.context_pruning.mode = mode.unwrap_or(settings.context_pruning.mode);
                spoken
                    .run_named(bytes, &setup(&settings))
                    .unwrap_or_else(|e| panic!("{way}: {e}"))
            };
            for settings in [&policies()[0], &policies()[1], &policies()[4]] {
                let (same, _) = prune(&input, settings, Some(Mode::Off), true);
                assert!(same == input, "{way}: nothing cut, nothing changed");
                let (output, report) = prune(&input, settings, None, true);
                let (again, _) = prune(&output, settings, None, true);
                assert!(
                    again == output,
                    "{way}: {short}: a second run changes nothing"
                );
                let (plain, alone) = prune(&input, settings, None, false);
                assert_eq!(report.after, alone.after, "{way}: copies cost no tokens");
                assert_eq!(
                    report.first_change.map(|f| f.byte),
                    alone.first_change.map(|f| f.byte),
                    "{way}"
                );
                assert_eq!(
                    plain.len() as i64 - output.len() as i64,
                    report.copies.bytes_removed - alone.copies.bytes_removed,
                    "{way}"
                );
                let cut: Vec<&str> = report
                    .cuts
                    .iter()
                    .filter_map(|c| c.call_id.as_deref())
                    .collect();
                let (before, left, kept) = (texts(&input), texts(&output), texts(&plain));
                for answer in said.answers() {
                    let holds = |all: &[String]| count(all, answer);
                    if cut.contains(&&*spoken.id(&answer.call).unwrap()) {
                        // The copies of a gemini-cli record that was replaced by a later one are not of the context.
                        assert_eq!(
                            holds(&left),
                            0,
                            "{way}: {short}: {} is left of {}",
                            answer.call,
                            holds(&before)
                        );
                        assert!(
                            !["gemini-cli, twins", "gemini-cli, patched"].contains(&way)
                                || holds(&kept) <= 1,
                            "the twin follows without being asked"
                        );
                    } else {
                        assert_eq!(
                            holds(&left),
                            holds(&before),
                            "{way}: {short}: {} was not cut",
                            answer.call
                        );
                    }
                }
            }
        }
    }
}
