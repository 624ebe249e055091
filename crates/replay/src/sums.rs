//! Adds sums over sessions and derives shares, order and Pareto-optimal policies.

use super::miss::CAUSES;
use super::summary::{Calibration, Group, PolicyRow, Sums, Totals, rounded};

impl Totals {
    /// Adds other totals.
    pub fn add(&mut self, other: &Totals) {
        self.usd += other.usd;
        self.prompt += other.prompt;
        self.cache_read += other.cache_read;
        self.cache_write += other.cache_write;
        self.uncached += other.uncached;
        self.output += other.output;
        self.peak = self.peak.max(other.peak);
        self.above_tier += other.above_tier;
        for (cause, missed) in &other.misses {
            let sum = self.misses.entry(*cause).or_default();
            sum.calls += missed.calls;
            sum.tokens += missed.tokens;
        }
    }

    /// Returns the misses as a line: `1 first call, 9 agent`.
    pub fn misses(&self) -> String {
        let reported = CAUSES.iter().filter_map(|cause| {
            Some(format!(
                "{} {}",
                self.misses.get(cause)?.calls,
                cause.name()
            ))
        });
        let reported: Vec<_> = reported.collect();
        match reported.join(", ") {
            none if none.is_empty() => "none".to_owned(),
            reported => reported,
        }
    }

    /// Returns the number of misses.
    pub fn missed(&self) -> u64 {
        self.misses.values().map(|missed| missed.calls).sum()
    }
}

/// The number of examples of regrets that are kept, of a session and of all.
pub const EXAMPLES: usize = 5;

impl Sums {
    /// Adds those of another session.
    pub fn add(&mut self, other: &Sums) {
        self.requests += other.requests;
        self.unpriced += other.unpriced;
        for (model, calls) in &other.unpriced_models {
            *self.unpriced_models.entry(model.clone()).or_default() += calls;
        }
        self.calibration.add(&other.calibration);
        self.baseline.add(&other.baseline);
        self.pruned.add(&other.pruned);
        if let Some(transient) = &other.transient {
            self.transient.get_or_insert_default().add(transient);
        }
        if let Some(heartbeat) = &other.heartbeat {
            self.heartbeat.get_or_insert_default().add(heartbeat);
        }
        for row in &other.policies {
            match self
                .policies
                .iter_mut()
                .find(|have| have.name == row.name && have.manner == row.manner)
            {
                Some(have) => have.add(row),
                None => self.policies.push(row.clone()),
            }
        }
        for (groups, others) in [
            (&mut self.days, &other.days),
            (&mut self.models, &other.models),
            (&mut self.projects, &other.projects),
        ] {
            others.iter().for_each(|group| add_group(groups, group));
        }
        for row in &other.tools {
            match self.tools.iter_mut().find(|have| have.name == row.name) {
                Some(have) => {
                    have.results += row.results;
                    have.tokens += row.tokens;
                    have.cut += row.cut;
                }
                None => self.tools.push(row.clone()),
            }
        }
        self.finish();
    }

    /// Computes shares and order, and marks Pareto-optimal policies.
    pub fn finish(&mut self) {
        self.calibration.finish();
        self.days.sort_by(|a, b| a.name.cmp(&b.name));
        for groups in [&mut self.models, &mut self.projects] {
            groups.sort_by(|a, b| b.baseline.total_cmp(&a.baseline).then(a.name.cmp(&b.name)));
        }
        self.tools
            .sort_by(|a, b| b.tokens.total_cmp(&a.tokens).then(a.name.cmp(&b.name)));
        for row in &mut self.policies {
            let (regret, cuts) = (&mut row.regret, row.cuts.max(1) as f64);
            regret.rate = regret.cuts as f64 / cuts;
            regret.excess = (regret.cuts as f64 - regret.expected) / cuts;
        }
        let points: Vec<(f64, u64)> = self
            .policies
            .iter()
            .map(|row| (row.totals.usd, row.regret.cuts))
            .collect();
        for (row, &(usd, regrets)) in self.policies.iter_mut().zip(&points) {
            row.pareto = !points
                .iter()
                .any(|&(u, r)| (u <= usd && r < regrets) || (u < usd && r <= regrets));
        }
    }
}

/// The items of the calls that count.
pub(super) fn counting<'a, T>(
    items: &'a [T],
    counts: &'a [bool],
) -> impl Iterator<Item = &'a T> + Clone {
    let items = items.iter().zip(counts);
    items.filter(|(_, counts)| **counts).map(|(item, _)| item)
}

/// Adds calls to the group with the same name.
pub fn add_group(groups: &mut Vec<Group>, more: &Group) {
    match groups.iter_mut().find(|have| have.name == more.name) {
        Some(have) => have.add(more),
        None => groups.push(more.clone()),
    }
}

impl Group {
    /// Adds the calls of another group.
    pub fn add(&mut self, more: &Group) {
        self.requests += more.requests;
        self.baseline += more.baseline;
        self.pruned += more.pruned;
        self.tokens += more.tokens;
    }
}

impl PolicyRow {
    fn add(&mut self, other: &PolicyRow) {
        self.totals.add(&other.totals);
        self.cuts += other.cuts;
        self.tokens_cut += other.tokens_cut;
        self.unread += other.unread;
        let (regret, more) = (&mut self.regret, &other.regret);
        regret.cuts += more.cuts;
        regret.read_again += more.read_again;
        regret.quoted += more.quoted;
        regret.usd += more.usd;
        regret.expected += more.expected;
        regret.lost_ground += more.lost_ground;
        let add = |sum: &mut (u64, u64), more: &(u64, u64)| {
            *sum = (sum.0 + more.0, sum.1 + more.1);
        };
        for (name, more) in &more.passes {
            add(regret.passes.entry(name).or_default(), more);
        }
        for (name, more) in &more.tools {
            add(regret.tools.entry(name.clone()).or_default(), more);
        }
        regret.examples.extend(more.examples.iter().cloned());
        regret.examples.truncate(EXAMPLES);
    }
}

impl Calibration {
    fn add(&mut self, other: &Calibration) {
        let all = (self.requests + other.requests) as f64;
        if all > 0.0 {
            self.prompt_error = (self.prompt_error * self.requests as f64
                + other.prompt_error * other.requests as f64)
                / all;
        }
        self.requests += other.requests;
        self.recorded += other.recorded;
        self.recorded_usd += other.recorded_usd;
        self.log_usd = self.log_usd.map_or(other.log_usd, |usd| {
            Some(usd + other.log_usd.unwrap_or(0.0))
        });
        for (sum, more) in [
            (&mut self.simulated, &other.simulated),
            (&mut self.rules, &other.rules),
        ] {
            sum.add(more.usd, more.prompt, more.cache_read);
        }
        self.forecast.requests += other.forecast.requests;
        self.forecast.recorded_usd += other.forecast.recorded_usd;
        self.forecast.usd += other.forecast.usd;
        self.lost += other.lost;
        self.kept += other.kept;
        self.warm += other.warm;
    }

    fn finish(&mut self) {
        let forecast = &mut self.forecast;
        forecast.error = (forecast.recorded_usd > 0.0)
            .then(|| rounded(forecast.usd / forecast.recorded_usd - 1.0, 1e4));
        for simulated in [&mut self.simulated, &mut self.rules] {
            simulated.error = (self.recorded_usd > 0.0)
                .then(|| rounded(simulated.usd / self.recorded_usd - 1.0, 1e4));
        }
    }
}
