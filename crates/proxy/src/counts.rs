//! What was done: the metrics in the text format of Prometheus, and the last lines of a run.

use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Why a request passed without a look at its transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is signed.
    Signed,
    /// It is compressed in a way that is not read.
    Encoding,
    /// It is over the limit.
    Large,
    /// Pruning took too long.
    Slow,
    /// Pruning failed.
    Failed,
}

/// The words for all of them, in their order.
const WHY: [&str; 5] = ["signed", "encoding", "large", "slow", "failed"];

/// What became of a transcript that was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Something was cut.
    Pruned,
    /// Nothing was.
    Unchanged,
    /// Nothing was, and the model has no known price.
    UnknownModel,
}

/// The words for all of them, in their order.
pub const FATES: [&str; 3] = ["pruned", "unchanged", "unknown-model"];

/// The upper ends of the steps of the histogram, in seconds.
const STEPS: [f64; 9] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0];

/// Tokens of a prompt as its provider counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Provider {
    /// Neither read from the cache nor written to it.
    pub input: u64,
    /// Read from the cache.
    pub read: u64,
    /// Written to it.
    pub written: u64,
}

/// What a run of the engine came to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    /// Tokens of the prompts as they came, and as they went out.
    pub tokens: (u64, u64),
    /// Results that were cut.
    pub cuts: u64,
    /// Dollars saved, by the prices and the rules of the provider's cache; negative while a cut has not paid yet.
    pub dollars: f64,
    /// Results that were cut before and are needed again.
    pub again: u64,
    /// How long it took.
    pub took: Duration,
}

/// The sums so far.
#[derive(Debug, Default)]
pub struct Sums {
    fates: [u64; 3],
    passed: [u64; 5],
    /// Requests that carry no transcript.
    other: u64,
    /// Requests that the provider did not answer, or not to the end.
    broken: u64,
    work: Work,
    steps: [u64; 9],
    /// The provider's counts, and how many answers had one.
    provider: Provider,
    answers: u64,
}

/// The sums, shared by all connections.
#[derive(Debug, Default)]
pub struct Counts(Mutex<Sums>);

impl Counts {
    fn sums(&self) -> MutexGuard<'_, Sums> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a transcript that passes unpruned.
    pub fn passed(&self, why: Why) {
        self.sums().passed[why as usize] += 1;
    }

    /// Counts a request without a transcript.
    pub fn other(&self) {
        self.sums().other += 1;
    }

    /// Counts a request that the provider did not answer, or not to the end.
    pub fn broken(&self) {
        self.sums().broken += 1;
    }

    /// Counts a transcript that was looked at.
    pub fn looked_at(&self, fate: Fate, work: &Work) {
        let mut sums = self.sums();
        sums.fates[fate as usize] += 1;
        let all = &mut sums.work;
        all.tokens.0 += work.tokens.0;
        all.tokens.1 += work.tokens.1;
        all.cuts += work.cuts;
        all.dollars += work.dollars;
        all.again += work.again;
        all.took += work.took;
        let seconds = work.took.as_secs_f64();
        for (step, most) in sums.steps.iter_mut().zip(STEPS) {
            *step += u64::from(seconds <= most);
        }
    }

    /// Counts what the provider counted in an answer.
    pub fn counted(&self, answer: Provider) {
        let mut sums = self.sums();
        sums.answers += 1;
        sums.provider.input += answer.input;
        sums.provider.read += answer.read;
        sums.provider.written += answer.written;
    }

    /// The metrics.
    pub fn metrics(&self) -> String {
        let sums = self.sums();
        let mut text = String::new();
        let mut family = |name: &str, kind: &str, about: &str, rows: &[(String, f64)]| {
            let _ = write!(text, "# HELP {name} {about}\n# TYPE {name} {kind}\n");
            for (labels, value) in rows {
                let _ = writeln!(text, "{name}{labels} {value}");
            }
        };
        let label = |name: &str, value: &dyn std::fmt::Display, n: f64| {
            (format!("{{{name}=\"{value}\"}}"), n)
        };
        let mut rows: Vec<_> = FATES
            .iter()
            .zip(sums.fates)
            .map(|(fate, n)| label("outcome", fate, n as f64))
            .collect();
        rows.extend(
            WHY.iter()
                .zip(sums.passed)
                .map(|(why, n)| (format!("{{outcome=\"passed\",reason=\"{why}\"}}"), n as f64)),
        );
        rows.push(label("outcome", &"no-transcript", sums.other as f64));
        let about = "Requests by what became of their body.";
        family("deadhead_requests_total", "counter", about, &rows);
        let (before, after) = sums.work.tokens;
        let rows = [("before", before), ("after", after)];
        let rows = rows.map(|(side, n)| label("side", &side, n as f64));
        let about = "Tokens of messages as they came and as they went out, estimated.";
        family("deadhead_prompt_tokens_total", "counter", about, &rows);
        let one = |n: f64| [(String::new(), n)];
        let about = "Dollars saved, by the prices and the rules of the provider's cache.";
        family(
            "deadhead_saved_dollars",
            "gauge",
            about,
            &one(sums.work.dollars),
        );
        let about = "Results that were cut and whose call was made again.";
        family(
            "deadhead_needed_again_total",
            "counter",
            about,
            &one(sums.work.again as f64),
        );
        let counted = sums.provider;
        let rows = [
            ("input", counted.input),
            ("cache_read", counted.read),
            ("cache_write", counted.written),
        ];
        let rows = rows.map(|(kind, n)| label("kind", &kind, n as f64));
        let about = "Tokens of prompts as the provider counted them in its answers.";
        family("deadhead_provider_tokens_total", "counter", about, &rows);
        let about = "Requests that the provider did not answer, or not to the end.";
        family(
            "deadhead_upstream_errors_total",
            "counter",
            about,
            &one(sums.broken as f64),
        );
        let count = sums.fates.iter().sum::<u64>() as f64;
        let mut rows: Vec<_> = STEPS
            .iter()
            .zip(sums.steps)
            .map(|(most, n)| (format!("_bucket{{le=\"{most}\"}}"), n as f64))
            .collect();
        rows.push(("_bucket{le=\"+Inf\"}".to_owned(), count));
        rows.push(("_sum".to_owned(), sums.work.took.as_secs_f64()));
        rows.push(("_count".to_owned(), count));
        family(
            "deadhead_prune_seconds",
            "histogram",
            "Time spent on pruning.",
            &rows,
        );
        text
    }

    /// The last lines of a run; none where no transcript came.
    pub fn last_lines(&self) -> Option<[String; 3]> {
        let sums = self.sums();
        let passed: u64 = sums.passed.iter().sum();
        let all = sums.fates.iter().sum::<u64>() + passed;
        if all == 0 {
            return None;
        }
        let s = if all == 1 { "" } else { "s" };
        let mut first = format!("{all} request{s}, {} of them pruned", sums.fates[0]);
        let reasons = WHY.iter().zip(sums.passed).filter(|(_, n)| *n > 0);
        let reasons: Vec<String> = reasons.map(|(why, n)| format!("{n} {why}")).collect();
        if passed > 0 {
            first += &format!("; passed without a look: {}", reasons.join(", "));
        }
        if sums.fates[2] > 0 {
            first += &format!("; {} to a model without a known price", sums.fates[2]);
        }
        let (before, after) = sums.work.tokens;
        let saved = match sums.work.dollars {
            0.0 => format!("{} tokens saved", grouped(before.saturating_sub(after))),
            dollars if dollars < 0.0 => format!("${:.2} dearer so far", -dollars),
            dollars => format!("about ${dollars:.2} saved"),
        };
        let second = format!(
            "messages of {} tokens went out with {}; {saved}",
            grouped(before),
            grouped(after)
        );
        let Provider { read, written, .. } = sums.provider;
        let counted = if sums.answers > 0 {
            let (read, written) = (grouped(read), grouped(written));
            format!("the provider read {read} tokens from its cache and wrote {written} to it")
        } else {
            "the provider's answers count no tokens".to_owned()
        };
        let third = format!("{counted}; results needed again: {}", sums.work.again);
        Some([first, second, third])
    }
}

/// A number with a comma after each thousand.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
