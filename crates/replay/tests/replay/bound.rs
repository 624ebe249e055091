//! The bound of a budget: wherever a session ends, it has cost no more than the budget's share above its cost without cuts, as long as the
//! provider keeps no prompt for longer than it states. Sessions of random steps and pauses, with usage as such a cache counts it.
//!
//! `CASES=10000 cargo test --test replay bound::` tries as many sessions.

use crate::dice::Dice;
use deadhead_core::internal::dialect::by_name;
use deadhead_core::settings::{preset, resolve};
use deadhead_replay::run::run;
use deadhead_replay::session::Session;
use deadhead_replay::simulation::{Retention, Simulation};
use serde_json::{Value, json};

/// Tokens of the system prompt.
const SYSTEM: u64 = 9000;
/// The budget of `break-even-safe`.
const BUDGET: f64 = 0.0005;
/// The share by which the tokens that a cut saves may be counted wrong: they are known from the sizes of prompts and the lengths of texts.
const TOKENS: f64 = 0.001;

/// A session of Claude Code, line by line, with the cache of its provider.
struct Writer {
    lines: Vec<Value>,
    at: i64,
    /// Tokens of the next prompt.
    prompt: u64,
    /// Tokens of the newest prompt and when it was sent.
    cached: Option<(u64, i64)>,
}

impl Writer {
    fn line(&mut self, mut line: Value) {
        let n = self.lines.len();
        line["uuid"] = json!(format!("u{n}"));
        line["parentUuid"] = json!(n.checked_sub(1).map(|n| format!("u{n}")));
        line["sessionId"] = json!("s");
        line["timestamp"] = json!(
            jiff::Timestamp::from_millisecond(self.at)
                .unwrap()
                .to_string()
        );
        self.lines.push(line);
    }

    fn user(&mut self, content: Value, chars: u64) {
        self.prompt += chars / 4 + 12;
        self.line(json!({"type": "user", "message": {"role": "user", "content": content}}));
    }

    /// An answer with a call. `is_lost` says that the cache lost the prompt before its time.
    fn answer(&mut self, dice: &mut Dice, model: &str, lifetime: i64, is_lost: bool) {
        let n = self.lines.len();
        let read = match self.cached {
            None => 0,
            Some((_, sent)) if is_lost || self.at - sent >= lifetime => dice.pick(&[0, SYSTEM]),
            Some((prompt, _)) => prompt,
        };
        let (write, output, long) = (
            self.prompt - read - 3,
            30 + dice.below(300) as u64,
            lifetime > 300_000,
        );
        let (short, long) = if long { (0, write) } else { (write, 0) };
        let usage = json!({"input_tokens": 3, "cache_read_input_tokens": read, "cache_creation_input_tokens": write, "output_tokens": output,
            "cache_creation": {"ephemeral_5m_input_tokens": short, "ephemeral_1h_input_tokens": long}});
        let call = json!({"type": "tool_use", "id": format!("t{n}"), "name": "Read", "input": {"file_path": format!("/{n}")}});
        self.cached = Some((self.prompt, self.at));
        self.prompt += output;
        self.at += 900;
        self.line(json!({"type": "assistant", "requestId": format!("r{n}"), "message": {"id": format!("m{n}"), "type": "message",
            "role": "assistant", "model": model, "content": [call], "stop_reason": "tool_use", "usage": usage}}));
    }
}

fn session(dice: &mut Dice) -> Session {
    let model = dice.pick(&[
        "claude-opus-4-5",
        "claude-sonnet-4-6",
        "claude-haiku-4-5",
        "claude-fable-5-1",
        "claude-opus-5-5",
    ]);
    let lifetime = dice.pick(&[300_000, 3_600_000]);
    // Steps take a share of the lifetime; some logs lose prompts to other things than their age.
    let (slow, losses) = (dice.pick(&[50, 5, 2]), dice.pick(&[0, 0, 30]));
    let mut writer = Writer {
        lines: Vec::new(),
        at: 1_767_225_600_000,
        prompt: SYSTEM,
        cached: None,
    };
    writer.user(json!("begin"), 5);
    for _ in 0..10 + dice.below(60) {
        let is_lost = losses > 0 && dice.once_in(losses);
        writer.answer(dice, model, lifetime, is_lost);
        let pause = if dice.once_in(25) {
            lifetime + dice.below(8_000_000) as i64
        } else {
            dice.below((lifetime / slow) as usize) as i64
        };
        writer.at += pause;
        let chars = if dice.once_in(6) {
            20_000 + dice.below(60_000)
        } else {
            100 + dice.below(3000)
        };
        let call = format!("t{}", writer.lines.len() - 1);
        writer.user(
            json!([{"type": "tool_result", "tool_use_id": call, "content": "x".repeat(chars)}]),
            chars as u64,
        );
    }
    let text: String = writer
        .lines
        .iter()
        .map(|line| format!("{line}\n"))
        .collect();
    Session::read(text.into_bytes(), by_name("claude-code").unwrap()).unwrap()
}

#[test]
fn no_beginning_of_a_session_is_dearer_than_its_budget() {
    let cases: u64 = std::env::var("CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(150);
    let settings = resolve(&[preset("break-even-safe").unwrap()])
        .unwrap()
        .settings;
    assert_eq!(settings.break_even.budget, Some(BUDGET));
    let (mut all, mut own) = (0.0, 0.0);
    for seed in 0..cases {
        let session = session(&mut Dice(seed));
        let simulation = Simulation::new(&session, &settings);
        let spent = |retention| {
            run(
                &simulation,
                &session.transcript,
                &settings,
                retention,
                &mut |_, _| {},
            )
            .unwrap()
            .calls
        };
        let (mut without, mut with) = (0.0, 0.0);
        for (n, (a, b)) in spent(Retention::Baseline)
            .iter()
            .zip(spent(Retention::Sticky))
            .enumerate()
        {
            (without, with) = (without + a.usd, with + b.usd);
            assert!(
                with <= without * (1.0 + BUDGET + TOKENS),
                "seed {seed}, request {n}: ${with:.4} for ${without:.4}"
            );
        }
        (all, own) = (all + without, own + with);
    }
    // The budget leaves something to cut.
    assert!(own < all * 0.95, "${own:.2} for ${all:.2}");
}
