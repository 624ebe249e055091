//! Sentences about a replay.

use super::super::number_format::{counted, dollars, growth, share};
use deadhead_replay::summary::{Moment, Sums, Totals};

/// Columns of the sparkline.
const SPARK: usize = 62;

/// `471 requests, $42.55 → $40.21 pruned (-5.5 %), $46.88 transient (+10 %)`
pub fn headline(sums: &Sums) -> String {
    let against = |totals: &Totals| format!("{} ({})", dollars(totals.usd), growth(sums.baseline.usd, totals.usd));
    let transient = sums.transient.as_ref().map(|t| format!(", transient {}", against(t))).unwrap_or_default();
    format!("{}, {} → {} pruned{transient}", counted(sums.requests, "request"), dollars(sums.baseline.usd), against(&sums.pruned))
}

/// How far the simulation is to be trusted, as a sentence or two.
pub fn trust(sums: &Sums) -> String {
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
    let seen = [(truth.lost, "lost early"), (truth.kept, "kept longer"), (truth.warm, "with a warm system prompt")];
    let seen: Vec<String> = seen.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    if !seen.is_empty() {
        text += &format!(
            "; that takes from the log which prompts the cache did not treat as its rules say ({}); by the rules alone {} ({})",
            seen.join(", "),
            dollars(truth.rules.usd),
            share(truth.rules.error.unwrap_or(0.0))
        );
    }
    text
}

/// The size of the context over the calls, the largest of each stretch.
pub fn sparkline(timeline: &[Moment]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = timeline.iter().map(|m| m.prompt).fold(0.0, f64::max);
    if most <= 0.0 {
        return "nothing was sent".to_owned();
    }
    let columns = SPARK.min(timeline.len());
    let bar = |i: usize| {
        let stretch = &timeline[i * timeline.len() / columns..((i + 1) * timeline.len() / columns).max(i + 1).min(timeline.len())];
        let largest = stretch.iter().map(|m| m.prompt).fold(0.0, f64::max);
        BARS[((largest / most * 8.0) as usize).min(7)]
    };
    (0..columns).map(bar).collect()
}

/// A time without its seconds.
pub fn minute(time: &str) -> String {
    time.chars().take(16).map(|c| if c == 'T' { ' ' } else { c }).collect()
}
