//! Tiny logs whose lines name each other at random: four ids, lines without a parent, lines that name themselves or each other, lines
//! that are there twice, in any order. Every operation on them ends; with `off` each comes back byte for byte, or is refused.
//!
//! `CASES=200000 cargo test --release --test replay graphs::` tries as many logs.

use crate::dice::Dice;
use deadhead_core::internal::dialect::by_name;
use deadhead_core::internal::json::IdSet;
use deadhead_core::settings::{Mode, Settings};
use deadhead_core::{Config, Pruner};
use deadhead_replay::report::{Range, build};
use deadhead_replay::session::Session;
use deadhead_replay::simulation::{Policy, Retention};
use serde_json::{Value, json};
use std::sync::mpsc;
use std::time::Duration;

/// Makes a line of a format.
type Maker = fn(&mut Dice) -> Value;
/// The formats whose lines name their parents.
const FORMATS: [(&str, Maker); 3] = [
    ("openclaw", openclaw),
    ("claude-code", claude_code),
    ("copilot-cli", copilot_cli),
];
const IDS: [&str; 4] = ["aaaaaaa1", "aaaaaaa2", "aaaaaaa3", "aaaaaaa4"];

/// Sets `member` to one of the ids, to null or to an id that no line has, or leaves it out.
fn link(dice: &mut Dice, line: &mut Value, member: &str) {
    match dice.below(8) {
        0 | 1 => {}
        2 => line[member] = Value::Null,
        3 => line[member] = json!("gone"),
        _ => line[member] = json!(dice.pick(&IDS)),
    }
}

/// A line with an id, most times, and a time.
fn line(dice: &mut Dice, kind: &str, id: &str) -> Value {
    let mut line =
        json!({"type": kind, "timestamp": format!("2026-01-01T00:00:0{}.000Z", dice.below(4))});
    if !dice.once_in(10) {
        line[id] = json!(dice.pick(&IDS));
    }
    line
}

/// A text, a call or a result.
fn content(dice: &mut Dice, role: &str) -> Value {
    let call = dice.pick(&["t1", "t2"]);
    match (role, dice.below(3)) {
        ("assistant", 0) => json!([{"type": "tool_use", "id": call, "name": "read", "input": {}}]),
        ("user", 0) => {
            json!([{"type": "tool_result", "tool_use_id": call, "content": "x".repeat(dice.below(300))}])
        }
        _ => json!([{"type": "text", "text": "x"}]),
    }
}

fn openclaw(dice: &mut Dice) -> Value {
    let kind = dice.pick(&[
        "message",
        "message",
        "message",
        "custom",
        "compaction",
        "leaf",
    ]);
    let mut line = line(dice, kind, "id");
    link(dice, &mut line, "parentId");
    match kind {
        "message" => {
            let role = dice.pick(&["user", "assistant"]);
            let call = dice.pick(&["t1", "t2"]);
            line["message"] = match dice.below(4) {
                0 => {
                    json!({"role": "assistant", "content": [{"type": "toolCall", "id": call, "name": "read", "arguments": {}}]})
                }
                1 => {
                    json!({"role": "toolResult", "toolCallId": call, "toolName": "read", "content": [{"type": "text", "text": "x".repeat(90)}]})
                }
                2 => json!({}),
                _ => json!({"role": role, "content": [{"type": "text", "text": "x"}]}),
            };
        }
        "custom" => line["customType"] = json!("x"),
        "compaction" => {
            line["summary"] = json!("s");
            link(dice, &mut line, "firstKeptEntryId");
        }
        _ => link(dice, &mut line, "targetId"),
    }
    if dice.once_in(10) {
        line.as_object_mut().unwrap().remove("type");
    }
    line
}

fn claude_code(dice: &mut Dice) -> Value {
    let role = dice.pick(&["user", "assistant"]);
    let mut line = line(dice, role, "uuid");
    link(dice, &mut line, "parentUuid");
    line["sessionId"] = json!("s");
    line["isSidechain"] = json!(dice.once_in(6));
    line["message"] = json!({"role": role, "content": content(dice, role)});
    if role == "assistant" {
        line["message"]["id"] = json!(dice.pick(&["m1", "m2"]));
        line["message"]["usage"] =
            json!({"input_tokens": 10, "output_tokens": 1, "cache_read_input_tokens": 5});
    }
    if dice.once_in(8) {
        line["type"] = json!("system");
        line["subtype"] = json!("compact_boundary");
        link(dice, &mut line, "logicalParentUuid");
    }
    line
}

fn copilot_cli(dice: &mut Dice) -> Value {
    let kind = dice.pick(&[
        "user.message",
        "assistant.message",
        "tool.execution_complete",
        "session.start",
        "session.compaction_complete",
    ]);
    let mut line = line(dice, kind, "id");
    link(dice, &mut line, "parentId");
    let call = dice.pick(&["t1", "t2"]);
    line["data"] = match kind {
        "assistant.message" => {
            json!({"content": "x", "messageId": "m1", "toolRequests": [{"toolCallId": call, "name": "read", "arguments": {}}]})
        }
        "tool.execution_complete" => {
            json!({"toolCallId": call, "success": true, "result": {"content": "x".repeat(90)}})
        }
        _ => json!({"content": "x"}),
    };
    line
}

/// A log of a few lines, some of them twice.
fn log(dice: &mut Dice, make: Maker) -> String {
    let mut lines: Vec<Value> = (0..2 + dice.below(6)).map(|_| make(dice)).collect();
    for _ in 0..dice.below(3) {
        let (from, to) = (dice.below(lines.len()), dice.below(lines.len() + 1));
        lines.insert(
            if dice.once_in(2) { from + 1 } else { to },
            lines[from].clone(),
        );
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Runs every operation on a log. Returns whether it was read.
fn operate(format: &'static str, text: &str) -> bool {
    let pruner = |change: fn(&mut Settings)| {
        let mut settings = Settings {
            context_window: Some(300),
            ..Settings::default()
        };
        change(&mut settings);
        Pruner::new(Config::from(settings))
            .unwrap()
            .at(1_767_400_000_000)
            .format(format)
            .unwrap()
    };
    let off = pruner(|settings| settings.context_pruning.mode = Mode::Off);
    let read = match off.prune(text.as_bytes()) {
        Ok(outcome) => {
            assert_eq!(outcome.bytes, text.as_bytes(), "{format}\n{text}");
            true
        }
        Err(_) => false,
    };
    let _ = off.check(text.as_bytes());
    let _ = off
        .repair(text.as_bytes())
        .map(|outcome| off.check(&outcome.bytes).map(|left| left.len()));
    let cutting = pruner(|settings| {
        settings.context_pruning.mode = Mode::Aggressive;
        settings.context_pruning.keep_last_assistants = 0;
        (
            settings.turn_drop.enabled,
            settings.turn_drop.min_messages,
            settings.turn_drop.keep_turns,
        ) = (true, 0, 1);
    });
    let _ = cutting.prune(text.as_bytes());
    if let Ok(session) = Session::read(text.as_bytes().to_vec(), by_name(format).unwrap()) {
        let settings = cutting.setup().settings.clone();
        let policy = Policy {
            name: "p".into(),
            flags: Vec::new(),
            settings,
            retention: Retention::Sticky,
        };
        let _ = build(
            &session,
            "log",
            &[policy],
            &Range::default().counts(&session, &mut IdSet::default()),
        );
    }
    read
}

/// Runs every operation on a log beside this thread, and fails if they do not end.
fn ends(logs: Vec<(&'static str, String)>) -> usize {
    let (sender, receiver) = mpsc::channel();
    let texts = logs.clone();
    let worker = std::thread::spawn(move || {
        for (at, (format, text)) in texts.iter().enumerate() {
            sender.send((at, operate(format, text))).unwrap();
        }
    });
    let (mut next, mut read) = (0, 0);
    while next < logs.len() {
        match receiver.recv_timeout(Duration::from_secs(60)) {
            Ok((at, was_read)) => (next, read) = (at + 1, read + usize::from(was_read)),
            Err(why) => panic!("{why}: {}\n{}", logs[next].0, logs[next].1),
        }
    }
    worker.join().unwrap();
    read
}

#[test]
fn every_operation_on_tiny_graphs_ends() {
    let cases = std::env::var("CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(2_000);
    let seed = std::env::var("SEED")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(0);
    let mut dice = Dice(seed);
    let made = |n: usize| {
        let (format, make) = FORMATS[n % FORMATS.len()];
        (format, log(&mut dice, make))
    };
    let read = ends((0..cases).map(made).collect());
    assert!(read > cases / 4, "{read} of {cases} were read");
}

#[test]
fn an_entry_that_could_be_its_own_ancestor_is_not() {
    let twin = json!({"id": "c", "timestamp": "2026-01-01T00:00:02.000Z"});
    let custom = json!({"type": "custom", "id": "k", "timestamp": "2026-01-01T00:00:01.000Z", "customType": "x", "data": {}});
    let said = |id: &str, parent: Value| {
        let message = json!({"role": "user", "content": [{"type": "text", "text": "go"}]});
        json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2026-01-01T00:00:02.000Z", "message": message})
    };
    let user = |id: &str| json!({"type": "user", "uuid": id, "sessionId": "s", "message": {"role": "user", "content": "x"}});
    let logs = [
        (
            "openclaw",
            vec![
                twin.clone(),
                twin,
                json!({"type": "message", "parentId": "b", "message": {}}),
            ],
        ),
        (
            "openclaw",
            vec![
                said("a", Value::Null),
                custom.clone(),
                custom,
                said("b", json!("a")),
            ],
        ),
        ("claude-code", vec![user("u1"), user("u5"), user("u5")]),
        (
            "openclaw",
            vec![said("a", json!("b")), said("b", json!("a"))],
        ),
        ("openclaw", vec![said("a", json!("a"))]),
    ];
    ends(
        logs.map(|(format, lines)| {
            (
                format,
                lines.iter().map(|line| format!("{line}\n")).collect(),
            )
        })
        .to_vec(),
    );
}
