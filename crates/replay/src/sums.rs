//! Adds sums over sessions and derives shares, order and Pareto-optimal policies.

use super::{
    rounded::rounded,
    summary::{Calibration, Group, HeartbeatRow, MissRow, PolicyRow, Sums, ToolRow, Totals},
};

/// Adds these fields of `$more` to those of `$sum`.
macro_rules! add {
    ($sum:expr, $more:expr, $($field:ident)+) => {
        $($sum.$field += $more.$field;)+
    };
}

/// Adds a row to the one that is alike, if there is one.
fn merge<T: Clone>(
    rows: &mut Vec<T>,
    more: &T,
    is_alike: impl Fn(&T) -> bool,
    add: impl Fn(&mut T, &T),
) {
    match rows.iter_mut().find(|row| is_alike(row)) {
        Some(row) => add(row, more),
        None => rows.push(more.clone()),
    }
}

impl MissRow {
    /// Adds another row.
    pub fn add(&mut self, other: &MissRow) {
        add!(self, other, calls tokens usd);
    }
}

impl Totals {
    /// Adds other totals.
    pub fn add(&mut self, other: &Totals) {
        add!(self, other, usd prompt cache_read cache_write uncached output above_tier);
        self.peak = self.peak.max(other.peak);
        for (cause, missed) in &other.misses {
            self.misses.entry(*cause).or_default().add(missed);
        }
    }

    /// Returns the misses as a line: `1 first call, 9 agent`.
    pub fn misses(&self) -> String {
        if self.misses.is_empty() {
            return "none".to_owned();
        }
        self.misses
            .iter()
            .map(|(cause, missed)| format!("{} {}", missed.calls, cause.name()))
            .collect::<Vec<_>>()
            .join(", ")
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
        add!(self, other, requests unpriced);
        add!(self.beside, other.beside, requests usd);
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
        for more in &other.policies {
            let is_alike = |row: &PolicyRow| row.name == more.name && row.manner == more.manner;
            merge(&mut self.policies, more, is_alike, PolicyRow::add);
        }
        for (groups, others) in [
            (&mut self.days, &other.days),
            (&mut self.models, &other.models),
            (&mut self.projects, &other.projects),
        ] {
            for group in others {
                add_group(groups, group);
            }
        }
        for more in &other.tools {
            let is_alike = |row: &ToolRow| row.name == more.name;
            merge(&mut self.tools, more, is_alike, |row, more| {
                add!(row, more, results tokens cut);
            });
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
    items
        .iter()
        .zip(counts)
        .filter(|(_, counts)| **counts)
        .map(|(item, _)| item)
}

/// Adds calls to the group with the same name.
pub fn add_group(groups: &mut Vec<Group>, more: &Group) {
    merge(
        groups,
        more,
        |group| group.name == more.name,
        |group, more| {
            add!(group, more, requests baseline pruned tokens);
        },
    );
}

impl HeartbeatRow {
    fn add(&mut self, other: &HeartbeatRow) {
        self.every_ms = other.every_ms;
        add!(self, other, requests usd saved_usd too_late);
    }
}

impl PolicyRow {
    fn add(&mut self, other: &PolicyRow) {
        self.totals.add(&other.totals);
        add!(self, other, cuts tokens_cut unread);
        let (regret, more) = (&mut self.regret, &other.regret);
        add!(regret, more, cuts read_again quoted usd expected lost_ground);
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
        add!(self, other, requests recorded recorded_usd lost kept warm);
        self.log_usd = self.log_usd.map_or(other.log_usd, |usd| {
            Some(usd + other.log_usd.unwrap_or(0.0))
        });
        for (sum, more) in [
            (&mut self.simulated, &other.simulated),
            (&mut self.rules, &other.rules),
        ] {
            add!(sum, more, usd prompt cache_read);
        }
        add!(self.forecast, other.forecast, requests recorded_usd usd);
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
