//! What agents do themselves: they prune, write messages that are no requests, pay other rates, branch and compact.

use deadhead_core::internal::dialect::by_name;
use deadhead_core::internal::json::IdSet;
use deadhead_core::settings::{Mode, Settings};
use deadhead_replay::report::{Range, build};
use deadhead_replay::session::Session;
use deadhead_replay::simulation::{Policy, Retention};
use deadhead_replay::summary::Replay;
use serde_json::{Value, json};

pub(super) fn session(text: String, format: &str) -> Session {
    Session::read(text.into_bytes(), by_name(format).unwrap()).unwrap()
}

fn replay(text: String, format: &str, mode: Mode) -> Replay {
    let session = session(text, format);
    let mut settings = Settings::default();
    settings.context_pruning.mode = mode;
    let policy = Policy {
        name: "p".to_owned(),
        flags: Vec::new(),
        settings,
        retention: Retention::Sticky,
    };
    let counts = Range::default().counts(&session, &mut IdSet::default());
    build(&session, "log", &[policy], &counts).unwrap()
}

fn time(at: usize) -> String {
    format!(
        "2026-01-01T{:02}:{:02}:{:02}Z",
        at / 3600,
        at / 60 % 60,
        at % 60
    )
}

/// A log of OpenClaw, written entry by entry.
#[derive(Default)]
pub(super) struct Log(pub(super) Vec<Value>);

impl Log {
    /// Adds an entry behind `parent`; returns its id.
    pub(super) fn after(&mut self, parent: Option<&str>, mut entry: Value) -> String {
        let at = self.0.len();
        let id = format!("e{at}");
        (entry["id"], entry["parentId"], entry["timestamp"]) =
            (json!(id), json!(parent), json!(time(at)));
        self.0.push(entry);
        id
    }

    /// Adds a message behind the newest entry.
    pub(super) fn say(&mut self, message: Value) -> String {
        let newest = self
            .0
            .last()
            .map(|entry| entry["id"].as_str().unwrap().to_owned());
        self.after(
            newest.as_deref(),
            json!({"type": "message", "message": message}),
        )
    }

    pub(super) fn ask(&mut self, text: &str) -> String {
        self.say(json!({"role": "user", "content": text}))
    }

    /// Adds an answer with a call and its result of so many chars. `input` is the size of the prompt.
    pub(super) fn call(&mut self, input: u64, chars: usize) {
        let call = format!("t{}", self.0.len());
        self.say(said(input, json!([{"type": "toolCall", "id": call, "name": "exec", "arguments": {"command": call}}])));
        self.say(
            json!({"role": "toolResult", "toolCallId": call, "toolName": "exec", "isError": false,
            "content": [{"type": "text", "text": "word ".repeat(chars / 5)}]}),
        );
    }

    pub(super) fn text(&self) -> String {
        self.0.iter().map(|entry| format!("{entry}\n")).collect()
    }
}

pub(super) fn said(input: u64, content: Value) -> Value {
    json!({"role": "assistant", "provider": "anthropic", "model": "claude-opus-4-5", "content": content,
        "usage": {"input": input, "output": 40, "cacheRead": 0, "cacheWrite": 0}})
}

#[test]
fn what_the_agent_left_out_is_not_saved() {
    // Before the eighth request the agent clears the six oldest results, which come back never, or with the tenth.
    for comes_back in [false, true] {
        let (mut log, mut sizes) = (Log::default(), Vec::<u64>::new());
        log.ask("go");
        let mut held = Vec::new();
        for i in 0..14 {
            let gone = if i < 7 || comes_back && i >= 9 {
                0
            } else {
                6.min(sizes.len())
            };
            let prompt = 3000 + sizes[gone..].iter().sum::<u64>();
            held.push(sizes[gone..].iter().sum::<u64>());
            log.call(prompt, 20_000);
            sizes.push(5000);
        }
        let found = replay(log.text(), "openclaw", Mode::BreakEven);
        for (point, held) in found.timeline.iter().zip(held) {
            assert!(
                point.prompt - point.pruned <= held as f64 * 1.05 + 100.0,
                "{comes_back}: {point:?} held {held}"
            );
        }
        assert!(
            found
                .warnings
                .iter()
                .any(|warning| warning.starts_with("the agent prunes itself: ")),
            "{:?}",
            found.warnings
        );
    }
    let mut log = Log::default();
    log.ask("go");
    (0..14).for_each(|i| log.call(3000 + 5000 * i, 20_000));
    let found = replay(log.text(), "openclaw", Mode::BreakEven);
    assert!(found.warnings.is_empty() && found.sums.pruned.usd < found.sums.baseline.usd * 0.9);
    // Each result has as many tokens as those before it, so that the first half predicts the second.
    let forecast = found.sums.calibration.forecast;
    assert_eq!(forecast.requests, 7);
    assert!(forecast.error.unwrap().abs() < 0.02, "{forecast:?}");
}

#[test]
fn a_message_that_the_agent_writes_itself_is_no_request() {
    let write = |with: bool| {
        let mut log = Log::default();
        log.ask("go");
        for i in 0..8 {
            log.call(3000 + 500 * i, 2000);
            if with {
                log.say(json!({"role": "assistant", "provider": "openclaw", "model": "delivery-mirror",
                    "content": [{"type": "text", "text": "done"}], "usage": {"input": 0, "output": 0}}));
            }
        }
        replay(log.text(), "openclaw", Mode::Off).sums
    };
    let (plain, found) = (write(false), write(true));
    assert_eq!((found.requests, found.unpriced), (plain.requests, 0));
    assert!((found.baseline.usd - plain.baseline.usd).abs() < 1e-9);
}

#[test]
fn requests_without_an_answer_are_paid() {
    // Each reads 50,000 tokens of the cache at $0.50 a million, as pi 1.6.0 records it.
    let usage = json!({"input": 0, "output": 0, "cacheRead": 50_000, "cacheWrite": 0});
    let line = |id: &str, kind: &str| {
        format!(
            "{}\n",
            json!({"type": kind, "id": id, "parentId": "x", "timestamp": time(99), "kind": "cache_warm",
                "summary": "s", "provider": "anthropic", "model": "claude-opus-4-5", "usage": usage})
        )
    };
    let mut log = Log::default();
    log.ask("go");
    (0..4).for_each(|i| log.call(3000 + 500 * i, 2000));
    let paid = |more: String| {
        let found = replay(log.text() + &more, "openclaw", Mode::Off).sums;
        (found.baseline.usd, found.requests)
    };
    let (plain, requests) = paid(String::new());
    let (warmed, same) = paid(line("w1", "usage") + &line("w2", "usage"));
    assert_eq!(requests, same);
    assert!((warmed - plain - 0.05).abs() < 1e-9, "{plain} {warmed}");
    let (summarized, _) = paid(line("b1", "branch_summary"));
    assert!(
        (summarized - plain - 0.025).abs() < 1e-9,
        "{plain} {summarized}"
    );
}

#[test]
fn messages_that_share_a_hidden_id_are_requests_of_their_own() {
    let export = |id: &dyn Fn(usize) -> String| {
        let message = |i: usize| {
            let at = 1_770_000_000_000u64 + i as u64 * 60_000;
            let tokens = json!({"input": 1000 + i, "output": 20, "reasoning": 0, "cache": {"read": 0, "write": 0}});
            let info = match i % 2 {
                0 => json!({"id": id(i), "role": "user", "time": {"created": at}}),
                _ => {
                    json!({"id": id(i), "role": "assistant", "time": {"created": at, "completed": at + 9},
                    "modelID": "claude-sonnet-4-5", "providerID": "anthropic", "tokens": tokens})
                }
            };
            json!({"info": info, "parts": [{"type": "text", "text": "x"}]})
        };
        let messages: Vec<Value> = (0..12).map(message).collect();
        json!({"info": {"id": "ses_x"}, "messages": messages}).to_string()
    };
    let of = |id: &dyn Fn(usize) -> String| replay(export(id), "opencode", Mode::Off).sums;
    let plain = of(&|i| format!("msg_{i}"));
    assert_eq!(plain.requests, 6);
    for id in ["REDACTED", "REDACTED-2"] {
        let found = of(&|i| {
            if i > 2 {
                id.to_owned()
            } else {
                format!("msg_{i}")
            }
        });
        assert_eq!(found.requests, 6);
        assert!((found.baseline.usd - plain.baseline.usd).abs() < 1e-9);
    }
    let same = of(&|_| "REDACTED".to_owned());
    assert_eq!((same.requests, same.baseline.usd), (6, plain.baseline.usd));
}

#[test]
fn a_request_is_paid_at_the_rate_that_its_record_names() {
    let of = |model: &str, member: &str, value: &str| {
        let mut usage =
            json!({"input_tokens": 5000, "cache_read_input_tokens": 0, "output_tokens": 9});
        usage[member] = json!(value);
        let asked = json!({"type": "user", "uuid": "a", "parentUuid": null, "sessionId": "s", "timestamp": time(0),
            "message": {"role": "user", "content": "x"}});
        let said = json!({"type": "assistant", "uuid": "b", "parentUuid": "a", "sessionId": "s", "timestamp": time(1),
            "message": {"id": "m", "role": "assistant", "model": model, "content": [{"type": "text", "text": "y"}], "usage": usage}});
        let found = replay(format!("{asked}\n{said}\n"), "claude-code", Mode::Off);
        (found.sums.baseline.usd, found.warnings)
    };
    for (model, member, value, times) in [
        ("claude-opus-4-6", "speed", "fast", 6.0),
        ("claude-opus-4-8", "speed", "fast", 2.0),
        ("claude-opus-4-8", "service_tier", "batch", 0.5),
        ("claude-opus-4-8", "inference_geo", "us", 1.1),
        ("claude-opus-4-8", "speed", "standard", 1.0),
        ("claude-opus-4-8", "service_tier", "unheard-of", 1.0),
    ] {
        let (plain, (usd, warnings)) = (of(model, "none", "").0, of(model, member, value));
        assert!(
            (usd / plain - times).abs() < 1e-9,
            "{model} {value}: {usd} {plain}"
        );
        let is_told = warnings
            .iter()
            .any(|warning| warning.contains("unheard-of"));
        assert_eq!(is_told, value == "unheard-of", "{warnings:?}");
    }
}
