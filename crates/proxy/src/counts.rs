//! Counts what was done: the metrics in the text format of Prometheus, and the last lines of a run.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// The result for a transcript: it was read, or it passed unread.
#[derive(Clone, Copy, Debug)]
pub enum Fate {
    /// Something was cut.
    Pruned,
    /// Nothing was.
    Unchanged,
    /// Nothing was cut, and the model has no known price.
    UnknownModel,
    /// It passed: it is signed.
    Signed,
    /// It is compressed in a way that is not read.
    Encoding,
    /// It is over the limit.
    Large,
    /// Pruning took too long.
    Slow,
    /// Pruning failed.
    Failed,
    /// Pruning is turned off.
    Off,
}

/// The words for all of them, in their order.
pub const FATES: [&str; 9] = [
    "pruned",
    "unchanged",
    "unknown-model",
    "signed",
    "encoding",
    "large",
    "slow",
    "failed",
    "off",
];

/// The upper ends of the steps of the histogram, in seconds.
const STEPS: [f64; 9] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0];

/// Tokens of a prompt as its provider counted them.
#[derive(Clone, Copy, Debug, Default)]
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
    /// Tokens of the prompts as they arrived, and as they were sent.
    pub tokens: (u64, u64),
    /// Dollars saved, by the prices and the rules of the provider's cache; negative while a cut has
    /// not paid yet.
    pub dollars: f64,
    /// Dollars that the prompts would have cost without cuts, likewise.
    pub unpruned: f64,
    /// Results that were cut before and are needed again.
    pub again: u64,
    /// Requests in which nothing was cut because reasoning is bound to it.
    pub bound: u64,
    /// How long it took.
    pub took: Duration,
}

/// The sums so far.
#[derive(Debug, Default)]
pub struct Sums {
    fates: [u64; FATES.len()],
    /// Requests that carry no transcript.
    pub other: u64,
    /// Requests that the provider did not answer, or not to the end.
    pub broken: u64,
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
    /// The sums, for this thread alone.
    pub fn sums(&self) -> MutexGuard<'_, Sums> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a transcript that passes unread.
    pub fn passed(&self, why: Fate) {
        self.sums().fates[why as usize] += 1;
    }

    /// Counts a transcript that was read.
    pub fn looked_at(&self, fate: Fate, work: &Work) {
        let mut sums = self.sums();
        sums.fates[fate as usize] += 1;
        let all = &mut sums.work;
        all.tokens.0 += work.tokens.0;
        all.tokens.1 += work.tokens.1;
        all.dollars += work.dollars;
        all.unpruned += work.unpruned;
        all.again += work.again;
        all.bound += work.bound;
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

    /// The metrics. `cuts` is whether prompts are cut.
    pub fn metrics(&self, cuts: bool) -> String {
        let sums = self.sums();
        let [
            pruned,
            unchanged,
            unknown,
            signed,
            encoding,
            large,
            slow,
            failed,
            off,
        ] = sums.fates;
        let steps = STEPS
            .iter()
            .zip(sums.steps)
            .map(|(most, n)| format!("deadhead_prune_seconds_bucket{{le=\"{most}\"}} {n}\n"));
        format!(
            include_str!("metrics.txt"),
            pruned,
            unchanged,
            unknown,
            signed,
            encoding,
            large,
            slow,
            failed,
            off,
            sums.other,
            sums.work.tokens.0,
            sums.work.tokens.1,
            sums.work.dollars,
            sums.work.unpruned,
            sums.work.again,
            sums.provider.input,
            sums.provider.read,
            sums.provider.written,
            sums.broken,
            steps.collect::<String>(),
            sums.work.took.as_secs_f64(),
            cuts = u8::from(cuts),
            prunings = pruned + unchanged + unknown,
        )
    }

    /// Returns the last lines of a run; `None` if no transcript came. In shadow mode nothing was
    /// cut, and they say what would have been cut.
    pub fn last_lines(&self, is_shadow: bool) -> Option<Vec<String>> {
        let (were, went) = match is_shadow {
            true => ("would have been pruned; nothing was", "would have gone out"),
            false => ("of them pruned", "went out"),
        };
        let sums = self.sums();
        let all: u64 = sums.fates.iter().sum();
        if all == 0 {
            return None;
        }
        let [pruned, _, unknown, passed @ ..] = sums.fates;
        let s = if all == 1 { "" } else { "s" };
        let mut first = format!("{all} request{s}, {pruned} {were}");
        let reasons: Vec<String> = FATES[FATES.len() - passed.len()..]
            .iter()
            .zip(passed)
            .filter(|(_, n)| *n > 0)
            .map(|(why, n)| format!("{n} {why}"))
            .collect();
        if !reasons.is_empty() {
            first += &format!("; passed without a look: {}", reasons.join(", "));
        }
        if unknown > 0 {
            first += &format!("; {unknown} to a model without a known price");
        }
        let (before, after) = sums.work.tokens;
        let saved = match sums.work.dollars {
            0.0 => format!("{} tokens saved", grouped(before.saturating_sub(after))),
            dollars => {
                let share = dollars.abs() / sums.work.unpruned.max(f64::MIN_POSITIVE) * 100.0;
                let usd = match dollars.abs() {
                    small if small < 0.1 => format!("${small:.4}"),
                    usd => format!("${usd:.2}"),
                };
                let what = match dollars < 0.0 {
                    true => format!("{usd} dearer so far"),
                    false => format!("about {usd} saved"),
                };
                format!("{what} ({share:.1} % of the prompts' cost)")
            }
        };
        let second = format!(
            "messages of {} tokens {went} with {}; {saved}",
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
        let bound = match sums.work.bound {
            0 => None,
            n => Some(format!(
                "{n} left alone, as reasoning is bound to what would be cut: --thinking server (Anthropic's) or drop-block cuts there"
            )),
        };
        Some([first, second, third].into_iter().chain(bound).collect())
    }
}

/// A number with a comma after each thousand.
fn grouped(n: u64) -> String {
    match n / 1000 {
        0 => n.to_string(),
        thousands => format!("{},{:03}", grouped(thousands), n % 1000),
    }
}
