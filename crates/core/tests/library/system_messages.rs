//! System messages among the others: whatever passes remove, each is left in a place that the provider accepts.
//!
//! `CASES=100000 cargo test --release --test library system_messages::` runs it as often as that.

use deadhead_core::Error;
use deadhead_core::internal::cache_policy::Clock;
use deadhead_core::internal::dialect::by_name;
use deadhead_core::internal::engine::{self, Setup};
use deadhead_core::internal::report::Detail;
use deadhead_core::settings::{Mode, Settings, ToolTurns, TurnUnit};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A turn: what the user says, steps of tools, and the answer; with a message of the system where one may be.
#[derive(Clone, Debug)]
struct Turn {
    users: usize,
    /// For each step how many calls it has, whether it thinks, whether it speaks, and whether the system speaks behind its results.
    steps: Vec<(usize, bool, bool, bool)>,
    /// Whether the system speaks behind the user.
    system: bool,
    /// Whether a server's tool answers, and the system behind it.
    server: Option<bool>,
}

fn turn() -> impl Strategy<Value = Turn> {
    let step = (
        1usize..3,
        any::<bool>(),
        any::<bool>(),
        prop::bool::weighted(0.3),
    );
    (
        1usize..3,
        prop::collection::vec(step, 0..3),
        any::<bool>(),
        prop::option::weighted(0.3, any::<bool>()),
    )
        .prop_map(|(users, steps, system, server)| Turn {
            users,
            steps,
            system,
            server,
        })
}

/// A body of Anthropic's; without its last answer if it is `open`.
fn anthropic(turns: &[Turn], open: bool) -> Value {
    let (mut messages, mut id) = (Vec::new(), 0);
    let system = |messages: &mut Vec<Value>| {
        messages.push(json!({"role": "system", "content": format!("s{}", messages.len())}))
    };
    for (n, turn) in turns.iter().enumerate() {
        (0..turn.users).for_each(|i| {
            messages.push(json!({"role": "user", "content": format!("question {n} {i}")}))
        });
        if turn.system {
            system(&mut messages);
        }
        for (calls, thinks, speaks, after) in &turn.steps {
            let mut content = Vec::new();
            if *speaks {
                content.push(json!({"type": "text", "text": "I look."}));
            }
            if *thinks {
                content.push(json!({"type": "thinking", "thinking": "hm", "signature": "c2ln"}));
            }
            let ids: Vec<String> = (0..*calls).map(|i| format!("toolu_{}", id + i)).collect();
            id += calls;
            content.extend(ids.iter().map(|id| json!({"type": "tool_use", "id": id, "name": "read", "input": {"path": "a.rs"}})));
            messages.push(json!({"role": "assistant", "content": content}));
            let results: Vec<Value> =
                ids.iter().map(|id| json!({"type": "tool_result", "tool_use_id": id, "content": "x".repeat(600)})).collect();
            messages.push(json!({"role": "user", "content": results}));
            if *after {
                system(&mut messages);
            }
        }
        if n + 1 == turns.len() && open {
            break;
        }
        if let Some(after) = turn.server {
            let id = format!("srvtoolu_{n}");
            messages.push(json!({"role": "assistant", "content": [
                {"type": "server_tool_use", "id": id, "name": "web_search", "input": {"query": "q"}},
                {"type": "web_search_tool_result", "tool_use_id": id, "content": []}
            ]}));
            if after {
                system(&mut messages);
            }
        }
        messages.push(json!({"role": "assistant", "content": "answer"}));
    }
    if !open {
        messages.push(json!({"role": "user", "content": "and now?"}));
    }
    json!({"model": "claude-opus-4-8", "max_tokens": 9, "tools": [{"name": "read"}], "messages": messages})
}

/// The same as one of Mistral's, whose messages of the system are behind the user alone.
fn mistral(turns: &[Turn], open: bool) -> Value {
    let (mut messages, mut id) = (vec![json!({"role": "system", "content": "s"})], 0);
    for (n, turn) in turns.iter().enumerate() {
        (0..turn.users).for_each(|i| {
            messages.push(json!({"role": "user", "content": format!("question {n} {i}")}))
        });
        if turn.system {
            messages.push(json!({"role": "system", "content": "inside"}));
        }
        for (calls, ..) in &turn.steps {
            let ids: Vec<String> = (0..*calls).map(|i| format!("call{:05}", id + i)).collect();
            id += calls;
            let calls: Vec<Value> =
                ids.iter().map(|id| json!({"id": id, "function": {"name": "read", "arguments": "{\"path\":\"a.rs\"}"}})).collect();
            messages.push(json!({"role": "assistant", "content": "", "tool_calls": calls}));
            messages.extend(ids.iter().map(|id| json!({"role": "tool", "tool_call_id": id, "name": "read", "content": "x".repeat(600)})));
        }
        if n + 1 < turns.len() || !open {
            messages.push(json!({"role": "assistant", "content": "answer"}));
        }
    }
    if !open {
        messages.push(json!({"role": "user", "content": "and now?"}));
    }
    json!({"model": "mistral-large-latest", "messages": messages})
}

/// The settings of the passes in one case.
#[derive(Clone, Debug)]
struct Cuts {
    passes: u8,
    keep: usize,
    drop_tools: bool,
    exchanges: bool,
    select: Vec<u32>,
    force: bool,
    lenient: bool,
}

fn cuts() -> impl Strategy<Value = Cuts> {
    let select = prop_oneof![Just(Vec::new()), prop::collection::vec(1u32..24, 1..4)];
    (
        any::<u8>(),
        0usize..4,
        any::<bool>(),
        any::<bool>(),
        select,
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(
            |(passes, keep, drop_tools, exchanges, select, force, lenient)| Cuts {
                passes,
                keep,
                drop_tools,
                exchanges,
                select,
                force,
                lenient,
            },
        )
}

fn setup(cuts: &Cuts) -> Setup {
    let mut settings = Settings::default();
    let on = |bit: u8| cuts.passes & (1 << bit) != 0;
    settings.context_pruning.mode = if on(0) { Mode::Aggressive } else { Mode::Off };
    settings.context_window = Some(200);
    settings.turn_drop.enabled = on(1);
    settings.turn_drop.min_messages = 0;
    settings.turn_drop.keep_turns = cuts.keep;
    settings.turn_drop.tool_turns = if cuts.drop_tools {
        ToolTurns::Drop
    } else {
        ToolTurns::Keep
    };
    settings.turn_drop.turn_unit = if cuts.exchanges {
        TurnUnit::Exchange
    } else {
        TurnUnit::Message
    };
    settings.ephemeral.enabled = on(2);
    settings.ephemeral.keep_turns = cuts.keep;
    settings.resources.enabled = on(3);
    for (bit, pass) in [(4, "dedupe"), (5, "soft-trim"), (6, "hard-clear")] {
        if on(bit) {
            settings.passes.on.insert(pass.to_owned());
        }
    }
    settings.select.list = cuts.select.iter().map(u32::to_string).collect();
    (settings.select.force, settings.select.lenient) = (cuts.force, cuts.lenient);
    Setup::new(
        settings,
        Clock {
            now: 0,
            last_call: None,
            assume_cold: true,
        },
        Detail::Full,
    )
}

/// Returns the number of system messages in a body.
fn of_system(body: &Value) -> usize {
    body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "system")
        .count()
}

fn holds(format: &str, body: &Value, cuts: &Cuts) -> Result<(), TestCaseError> {
    let bytes = body.to_string();
    match engine::body(
        bytes.as_bytes(),
        1,
        by_name(format).unwrap().into(),
        &setup(cuts),
    ) {
        Ok(pruned) => {
            prop_assert_eq!(&pruned.report.integrity.before, &vec![], "{}", &bytes);
            prop_assert_eq!(&pruned.report.integrity.after, &vec![], "{}", &bytes);
            // A pass knows by itself where the system is, before the check of the whole stops it.
            let reported = |text: &str| {
                ["E08", "E11", "E34", "E36"]
                    .iter()
                    .any(|code| text.contains(code))
            };
            let rests = pruned
                .report
                .warnings
                .iter()
                .find(|warning| warning.text.contains(" rests: ") && reported(&warning.text));
            prop_assert!(rests.is_none() || cuts.force, "{rests:?}: {bytes}");
            let output: Vec<u8> = pruned
                .slices(bytes.as_bytes())
                .unwrap()
                .iter()
                .flat_map(|slice| slice.to_vec())
                .collect();
            let after: Value = serde_json::from_slice(&output).unwrap();
            let forced = cuts.force && !cuts.select.is_empty();
            prop_assert!(
                forced || of_system(body) == of_system(&after),
                "{}",
                String::from_utf8_lossy(&output)
            );
        }
        Err(Error::Selection(_)) => prop_assert!(!cuts.select.is_empty()),
        // What is forced by hand may ask for what no provider takes: then nothing is written.
        Err(error) => prop_assert!(cuts.force && !cuts.select.is_empty(), "{error}: {bytes}"),
    }
    Ok(())
}

fn config() -> ProptestConfig {
    let cases = std::env::var("CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(700);
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_pass_moves_the_system_from_its_place(turns in prop::collection::vec(turn(), 1..6), open in any::<bool>(), cuts in cuts()) {
        holds("anthropic", &anthropic(&turns, open), &cuts)?;
        holds("mistral", &mistral(&turns, open), &cuts)?;
    }
}
