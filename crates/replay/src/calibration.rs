//! Calibration: compares the simulation without pruning with the usage that the provider reported.

use super::{
    cache::CallCost,
    cost::cost,
    recorded::{Observed, Recorded},
    rounded::rounded,
    simulation::Simulation,
    summary::{Calibration, Simulated},
    sums::counting,
};
use deadhead_core::internal::{dialect::usage::Usage, prices::Row};

/// Compares the run without pruning, and the rules of the cache alone, with the counts.
pub fn calibration(
    simulation: &Simulation<'_>,
    baseline: &[CallCost],
    counts: &[bool],
) -> Calibration {
    let session = simulation.session;
    let mut calibration = Calibration::default();
    let predicted = simulation.predicted.as_ref();
    for (i, call) in session.calls.iter().enumerate().filter(|(i, _)| counts[*i]) {
        let (row, recorded, spent) = (&simulation.rows[i].0, &simulation.recorded[i], &baseline[i]);
        let Some(usage) = call.counted() else {
            continue;
        };
        calibration.requests += 1;
        calibration.recorded += usage;
        calibration.recorded_usd += cost(row, &usage) + cost(row, &call.summaries);
        let simulated = &mut calibration.simulated;
        simulated.add(spent.usd, spent.prompt, spent.read);
        if let Some(predicted) = predicted.filter(|predicted| i >= predicted.from) {
            let unsaid = Usage { output: 0, ..usage };
            let forecast = &mut calibration.forecast;
            forecast.requests += 1;
            forecast.recorded_usd += cost(row, &unsaid);
            forecast.usd += input_by_rules(&predicted.calls[i], row, predicted.caches);
        }
        let usd = input_by_rules(recorded, row, true)
            + row.usd(recorded.prompt as u64, 0.0, call.output)
            + cost(row, &call.summaries);
        let rules = &mut calibration.rules;
        rules.add(usd, recorded.prompt, recorded.by_rules);
        let prompt = usage.prompt() as f64;
        calibration.prompt_error += (spent.prompt - prompt).abs() / prompt;
        match recorded.observed {
            Some(Observed::Lost) => calibration.lost += 1,
            Some(Observed::Kept) => calibration.kept += 1,
            Some(Observed::Warm) => calibration.warm += 1,
            None => {}
        }
    }
    calibration.prompt_error /= calibration.requests.max(1) as f64;
    let logged = counting(&session.calls, counts).filter_map(|call| call.usd);
    if logged.clone().next().is_some() {
        calibration.log_usd = Some(rounded(logged.sum(), 1e6));
    }
    calibration
}

impl Simulated {
    pub(super) fn add(&mut self, usd: f64, prompt: f64, read: f64) {
        self.usd += usd;
        self.prompt += prompt;
        self.cache_read += read;
    }
}

/// Returns the cost of a prompt by the rules of the cache: tokens that they do not read are written. `caches`: a cache is used.
fn input_by_rules(recorded: &Recorded, row: &Row, caches: bool) -> f64 {
    let read = if caches { recorded.by_rules } else { 0.0 };
    let fresh = recorded.prompt - read;
    let is_written = caches && row.cache.counts_writes && recorded.prompt >= row.cache.least as f64;
    let price = if is_written {
        row.write_price(recorded.long)
    } else {
        row.input
    };
    let input = fresh * price + read * row.read;
    row.usd(recorded.prompt as u64, input, 0)
}
