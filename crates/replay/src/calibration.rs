//! Calibration: compares the simulation without pruning with the usage that the provider reported.

use super::cache::CallCost;
use super::cost::{cost, rows};
use super::recorded::{Observed, Recorded};
use super::simulation::Simulation;
use super::steps::Call;
use super::summary::{Calibration, Simulated};
use deadhead_core::internal::prices::Row;
use deadhead_core::settings::Settings;

/// Compares the run without pruning, and the rules of the cache alone, with the counts.
pub fn calibration(
    simulation: &Simulation<'_>,
    settings: &Settings,
    baseline: &[CallCost],
    counts: &[bool],
) -> Calibration {
    let session = simulation.session;
    let mut calibration = Calibration::default();
    let rows = rows(session, settings);
    let calls = session
        .calls
        .iter()
        .zip(&rows)
        .zip(&simulation.recorded)
        .zip(baseline)
        .zip(counts)
        .filter(|(_, counts)| **counts);
    for ((((call, row), recorded), spent), _) in calls {
        let Some(usage) = call.usage.filter(|usage| usage.prompt() > 0) else {
            continue;
        };
        calibration.requests += 1;
        calibration.recorded += usage;
        calibration
            .simulated
            .add(spent.usd, spent.prompt, spent.read);
        calibration.recorded_usd += [usage, call.summaries]
            .iter()
            .map(|usage| cost(row, usage))
            .sum::<f64>();
        calibration.rules.add(
            by_rules(call, recorded, row),
            recorded.prompt,
            recorded.by_rules,
        );
        calibration.prompt_error +=
            (spent.prompt - usage.prompt() as f64).abs() / usage.prompt() as f64;
        match recorded.observed {
            Some(Observed::Lost) => calibration.lost += 1,
            Some(Observed::Kept) => calibration.kept += 1,
            Some(Observed::Warm) => calibration.warm += 1,
            None => {}
        }
    }
    calibration.prompt_error /= calibration.requests.max(1) as f64;
    let logged: Vec<f64> = session
        .calls
        .iter()
        .zip(counts)
        .filter(|(_, counts)| **counts)
        .filter_map(|(call, _)| call.usd)
        .collect();
    calibration.log_usd =
        (!logged.is_empty()).then(|| (logged.iter().sum::<f64>() * 1e6).round() / 1e6);
    calibration
}

impl Simulated {
    fn add(&mut self, usd: f64, prompt: f64, read: f64) {
        self.usd += usd;
        self.prompt += prompt;
        self.cache_read += read;
    }
}

/// Returns the cost of a request by the rules of the cache: tokens that they do not read are written.
fn by_rules(call: &Call, recorded: &Recorded, row: &Row) -> f64 {
    let fresh = recorded.prompt - recorded.by_rules;
    let is_written = row.cache.counts_writes && recorded.prompt >= row.cache.least as f64;
    let write = recorded.long * row.write_long + (1.0 - recorded.long) * row.write;
    let (times, times_output) = row.times(recorded.prompt as u64);
    let input = fresh * if is_written { write } else { row.input } + recorded.by_rules * row.read;
    (input * times + call.output as f64 * row.output * times_output) / 1e6
        + cost(row, &call.summaries)
}
