//! Reports of a replay: the same sums as text, JSON, lines, Markdown and a page.

mod html;
mod markdown;
mod text;

use super::page::Look;
use deadhead_replay::account::Closing;
use deadhead_replay::summary::{PolicyRow, Replay, Sums};
use serde_json::{Value, json};
use std::io::{self, Write};

/// The formats of `--report-format` of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ReplayFormat {
    /// For people, one screen for each log
    Text,
    /// One object; several logs give an array with a last object of totals
    Json,
    /// One object a line
    Jsonl,
    /// For an issue or a wiki
    Markdown,
    /// One page with its pictures in it, for a browser
    Html,
}

/// How replays are printed.
pub struct Printer {
    format: ReplayFormat,
    look: Look,
    held: Vec<Replay>,
}

impl Printer {
    /// A printer; `colour` and `verbose` are for text.
    pub fn new(format: ReplayFormat, colour: bool, verbose: bool) -> Printer {
        Printer { format, look: Look { colour, verbose }, held: Vec::new() }
    }

    /// Prints one log, or holds it for the end.
    ///
    /// # Errors
    /// Writing fails.
    pub fn one(&mut self, replay: Replay, out: &mut dyn Write) -> io::Result<()> {
        match self.format {
            ReplayFormat::Text => text::one(&replay, self.look, out),
            ReplayFormat::Markdown => markdown::one(&replay, out),
            ReplayFormat::Jsonl => {
                serde_json::to_writer(&mut *out, &replay)?;
                out.write_all(b"\n")
            }
            ReplayFormat::Json | ReplayFormat::Html => {
                self.held.push(replay);
                Ok(())
            }
        }
    }

    /// Prints the totals, where there is more than one log, and what was held.
    ///
    /// # Errors
    /// Writing fails.
    pub fn end(self, closing: &Closing, out: &mut dyn Write) -> io::Result<()> {
        let several = closing.inputs + closing.failed > 1;
        match self.format {
            ReplayFormat::Text if several => text::totals(closing, self.look, out),
            ReplayFormat::Markdown if several => markdown::totals(closing, out),
            ReplayFormat::Text | ReplayFormat::Markdown => Ok(()),
            ReplayFormat::Jsonl if several => writeln!(out, "{}", last(closing)),
            ReplayFormat::Jsonl => Ok(()),
            ReplayFormat::Json => {
                let mut values = self.held.iter().map(serde_json::to_value).collect::<Result<Vec<Value>, _>>()?;
                let value = if several {
                    values.push(last(closing));
                    Value::Array(values)
                } else {
                    values.pop().unwrap_or(Value::Null)
                };
                writeln!(out, "{value:#}")
            }
            ReplayFormat::Html => out.write_all(html::page(&self.held, several.then_some(closing)).as_bytes()),
        }
    }
}

fn last(closing: &Closing) -> Value {
    json!({"schema": 1, "kind": "replay", "totals": closing})
}

/// Dollars as people read them: cents, or four digits where there are few.
fn dollars(usd: f64) -> String {
    match usd {
        _ if usd >= 1000.0 => format!("${}", super::figures::commas(usd.round() as i64)),
        _ if usd >= 0.995 => format!("${usd:.2}"),
        _ => format!("${usd:.4}"),
    }
}

/// How `after` differs from `before`: `-5.1 %`.
fn change(before: f64, after: f64) -> String {
    if before <= 0.0 {
        return "0 %".to_owned();
    }
    share(after / before - 1.0)
}

/// A signed share: `+12 %`, `-0.1 %`.
fn share(share: f64) -> String {
    let percent = share * 100.0;
    match percent.abs() {
        p if p < 0.05 => "0 %".to_owned(),
        p if p < 9.95 => format!("{percent:+.1} %"),
        _ => format!("{percent:+.0} %"),
    }
}

fn name_of(row: &PolicyRow) -> String {
    if row.manner == "transient" { format!("{}, transient", row.name) } else { row.name.clone() }
}

/// How far the simulation is to be trusted, as a sentence or two.
fn trust(sums: &Sums) -> String {
    let truth = &sums.truth;
    let Some(error) = truth.simulated.error else {
        return "the log counts nothing to compare with".to_owned();
    };
    let mut text = format!(
        "recorded {}, simulated {} ({}); a prompt is {:.1} % off",
        dollars(truth.recorded_usd),
        dollars(truth.simulated.usd),
        share(error),
        truth.prompt_error * 100.0
    );
    if truth.lost + truth.kept + truth.warm > 0 {
        let mut seen = Vec::new();
        if truth.lost > 0 {
            seen.push(format!("{} lost early", truth.lost));
        }
        if truth.kept > 0 {
            seen.push(format!("{} kept longer", truth.kept));
        }
        if truth.warm > 0 {
            seen.push(format!("{} with a warm system prompt", truth.warm));
        }
        text += &format!(
            "; that takes from the log which prompts the cache did not treat as its rules say ({}); by the rules alone {} ({})",
            seen.join(", "),
            dollars(truth.rules.usd),
            share(truth.rules.error.unwrap_or(0.0))
        );
    }
    text
}
