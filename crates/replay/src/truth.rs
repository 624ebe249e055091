//! How far a simulation is to be trusted: the same session without pruning, beside what its provider counted.

use super::cache::{Cause, Spent};
use super::fit::{Fit, Point};
use super::run::{Outcome, run};
use super::session::Session;
use super::simulation::{Manner, Observed, Simulation};
use super::sizes::{Sizes, Weight, weights};
use super::steps::{Call, Step};
use deadhead_core::config::settings::Settings;
use deadhead_core::format::usage::Usage;
use deadhead_core::prices;

/// Reads of fewer tokens than this say nothing of a cache.
const SMALL: f64 = 2048.0;

impl<'a> Simulation<'a> {
    /// Prepares a session: fits chars to tokens, and finds where its provider's cache was not as the rules say.
    pub fn new(session: &'a Session, settings: &Settings, sizes: &Sizes) -> Simulation<'a> {
        let weights = weights(session);
        let prompts = prompts(session, &weights);
        // Of several models the one with most calls counts.
        let mut calls = vec![0usize; session.names.len()];
        session.calls.iter().filter(|call| call.usage.is_some()).for_each(|call| calls[call.model as usize] += 1);
        let model = (0..calls.len()).max_by_key(|&i| calls[i]).unwrap_or(0);
        let points: Vec<Point> = session
            .calls
            .iter()
            .zip(&prompts)
            .filter(|(call, _)| call.model as usize == model)
            .filter_map(|(call, weight)| Some(Point { weight: *weight, tokens: call.usage.filter(|u| u.prompt() > 0)?.prompt() }))
            .collect();
        let written = session
            .calls
            .iter()
            .filter_map(|call| call.usage)
            .fold((0, 0), |(short, long), usage| (short + usage.cache_write5m, long + usage.cache_write1h));
        let observed = vec![None; session.calls.len()];
        let mut simulation = Simulation { session, weights, fit: Fit::to(&points), long: written.1 > written.0, observed };
        let baseline = run(&simulation, settings, Manner::Baseline, sizes);
        simulation.observed = simulation.observe(&baseline);
        simulation
    }

    /// Where the log says otherwise than the rules.
    fn observe(&self, baseline: &Outcome) -> Vec<Option<Observed>> {
        let caches = self.session.calls.iter().filter_map(|c| c.usage).any(|u| u.cache_read > 0);
        let judge = |(call, spent): (&Call, &Spent)| {
            let usage = call.usage.filter(|_| caches)?;
            let recorded = usage.cache_read as f64;
            let warm = recorded > SMALL && recorded <= self.fit.overhead * 1.1;
            if warm && matches!(spent.miss, Some(Cause::First | Cause::Expired)) {
                return Some(Observed::Warm(usage.cache_read));
            }
            if spent.miss == Some(Cause::Expired) {
                return (recorded > SMALL && recorded > spent.lost * 0.5).then_some(Observed::Kept);
            }
            (spent.read - recorded > SMALL && recorded < spent.read * 0.9).then_some(Observed::Lost(usage.cache_read))
        };
        self.session.calls.iter().zip(&baseline.calls).map(judge).collect()
    }

    /// The same session with the rules of the cache alone.
    pub fn by_rules(&self) -> Simulation<'a> {
        Simulation {
            session: self.session,
            weights: self.weights.clone(),
            fit: self.fit,
            long: self.long,
            observed: vec![None; self.observed.len()],
        }
    }
}

/// What the messages of each call's prompt send.
fn prompts(session: &Session, weights: &[Weight]) -> Vec<Weight> {
    let mut prompts = vec![Weight::default(); session.calls.len()];
    for steps in &session.lanes {
        let mut sums = vec![Weight::default()];
        for step in steps {
            match *step {
                Step::Keep(length, _) => sums.truncate(length as usize + 1),
                Step::Push { message, .. } => {
                    let last = sums.last().copied().unwrap_or_default();
                    sums.push(last + weights[message as usize]);
                }
                Step::Call(number) => prompts[number as usize] = sums.last().copied().unwrap_or_default(),
            }
        }
    }
    prompts
}

/// A simulation beside what was counted, over the calls that have a count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compared {
    /// Calls that were compared.
    pub calls: u64,
    /// What the provider counted.
    pub recorded: Usage,
    /// Its price, by the same rates.
    pub recorded_usd: f64,
    /// Simulated: prompt, read, dollars.
    pub prompt: f64,
    /// Tokens read.
    pub read: f64,
    /// Dollars.
    pub usd: f64,
    /// Mean distance of a prompt's tokens, as a share of it.
    pub prompt_error: f64,
}

impl Compared {
    /// Compares a run without pruning.
    pub fn of(simulation: &Simulation<'_>, settings: &Settings, baseline: &Outcome) -> Compared {
        let mut all = Compared::default();
        for (call, spent) in simulation.session.calls.iter().zip(&baseline.calls) {
            let Some(usage) = call.usage.filter(|u| u.prompt() > 0) else { continue };
            all.calls += 1;
            all.recorded += usage;
            all.recorded_usd += price(simulation.session.model(call), &usage, settings);
            all.prompt += spent.prompt;
            all.read += spent.read;
            all.usd += spent.usd;
            all.prompt_error += (spent.prompt - usage.prompt() as f64).abs() / usage.prompt() as f64;
        }
        if all.calls > 0 {
            all.prompt_error /= all.calls as f64;
        }
        all
    }
}

/// What a request costs that the provider counted.
pub fn price(model: &str, usage: &Usage, settings: &Settings) -> f64 {
    let (row, _) = prices::row(model, &settings.rates);
    let (times, times_output) = row.times(usage.prompt());
    let input = usage.input as f64 * row.input
        + usage.cache_read as f64 * row.read
        + usage.cache_write5m as f64 * row.write
        + usage.cache_write1h as f64 * row.write_long;
    (input * times + usage.output as f64 * row.output * times_output) / 1e6
}
