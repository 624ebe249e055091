//! The report of a session under several policies.

pub use super::warnings::Counts;

use super::{
    calibration::calibration,
    cost::{cost, rows_of},
    fit::Fit,
    heartbeat::heartbeat,
    new_cut::NewCut,
    paid_again::PaidAgain,
    regret::{Control, Hindsight, RegretKind},
    rounded::rounded,
    run::{Outcome, run},
    session::Session,
    simulation::{Policy, Retention, Simulation},
    steps::Call,
    summary::{
        Example, Group, Log, PolicyRow, RegretRow, Replay, Rules, Sums, TimelinePoint, Totals,
    },
    sums::{EXAMPLES, add_group, counting},
    warnings::{tool, tools, warnings},
};
use deadhead_core::{
    Result,
    diagnostics::Tool,
    internal::{json::IdSet, prices, transcript::Transcript},
    settings::{Estimator, Settings},
};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The calls that count, by their time in milliseconds since 1970.
#[derive(Clone, Copy, Debug, Default)]
pub struct Range {
    /// Calls from this time on.
    pub since: Option<i64>,
    /// Calls before this time.
    pub until: Option<i64>,
}

impl Range {
    /// Returns the calls of a session that count: those in the range that no earlier input has. `seen` has the requests of the earlier
    /// inputs; those of this input are added to it.
    pub fn counts(&self, session: &Session, seen: &mut IdSet) -> Counts {
        let mut counts = Counts::default();
        for (call, id) in session.calls.iter().zip(&session.ids) {
            let (is_in, is_known) = (self.has(call), seen.contains(id));
            counts.calls.push(is_in && !is_known && !call.is_history);
            counts.history += u64::from(is_in && call.is_history);
            counts.repeated += u64::from(is_in && is_known && !call.is_history);
        }
        for (call, id) in session.beside.iter().zip(&session.beside_ids) {
            counts.beside.push(self.has(call) && !seen.contains(id));
        }
        let own = session.calls.iter().zip(&session.ids);
        seen.extend(own.filter(|(call, _)| !call.is_history).map(|(_, id)| id));
        seen.extend(&session.beside_ids);
        counts
    }

    fn has(&self, call: &Call) -> bool {
        let Some(at) = call.start else {
            return self.since.is_none() && self.until.is_none();
        };
        self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at < until)
    }
}

/// Replays a session under policies, of which the first is `pruned` and the first transient one behind it `transient`.
///
/// # Errors
/// The text of a result cannot be read.
pub fn build(
    session: &Session,
    path: &str,
    policies: &[Policy],
    counts: &Counts,
) -> Result<Replay> {
    let plain = Settings::default();
    let settings = policies.first().map_or(&plain, |policy| &policy.settings);
    let simulation = Simulation::new(session, settings);
    let runs = Runs::of(&simulation, settings, policies)?;
    let mut sums = sums(&simulation, settings, path, &runs, &counts.calls);
    add_beside(session, settings, counts, &mut sums);
    sums.finish();
    let timed = counting(&session.calls, &counts.calls).filter_map(|call| call.start);
    let (from, to) = (timed.clone().min(), timed.max());
    let model = sums
        .models
        .first()
        .map(|group| group.name.clone())
        .filter(|name| !name.is_empty());
    let (rate, _) = prices::row_at(model.as_deref().unwrap_or(""), to, &settings.replay);
    let fit = &simulation.fit;
    Ok(Replay {
        schema: 1,
        kind: "replay",
        tool: Tool::default(),
        input: Log {
            path: path.to_owned(),
            format: session.format.name,
            bytes: session.bytes.len() as u64,
        },
        project: session.project.clone(),
        model,
        from: from.map(timestamp),
        to: to.map(timestamp),
        unanswered: session.unanswered,
        repeated: counts.repeated,
        tokens: Fit {
            error: fit.error.map(|error| rounded(error, 1e3)),
            ..*fit
        },
        cache: Rules {
            lifetime: rate.lifetime(simulation.long),
            source: rate.source,
            date: rate.date,
        },
        timeline: timeline(session, &runs, &counts.calls),
        warnings: warnings(&simulation, &runs.outcomes, &sums, counts),
        sums,
    })
}

/// The outcome without pruning, and that of each policy.
struct Runs<'a> {
    baseline: Outcome,
    outcomes: Vec<(&'a Policy, Outcome)>,
}

impl<'a> Runs<'a> {
    fn of(
        simulation: &Simulation<'_>,
        settings: &Settings,
        policies: &'a [Policy],
    ) -> Result<Runs<'a>> {
        let session = simulation.session;
        let mut counted: Vec<(Estimator, Transcript)> = Vec::new();
        for policy in policies {
            let estimator = policy.settings.context_pruning.estimator;
            let is_known = counted.iter().any(|(known, _)| *known == estimator);
            if estimator != Estimator::Utf16 && !is_known {
                counted.push((estimator, session.counted_by(estimator)?));
            }
        }
        let run = |settings: &Settings, retention: Retention| {
            let estimator = settings.context_pruning.estimator;
            let transcript = counted
                .iter()
                .find(|(known, _)| *known == estimator)
                .map_or(&session.transcript, |(_, transcript)| transcript);
            run(simulation, transcript, settings, retention, &mut |_, _| {})
        };
        let baseline = run(settings, Retention::Baseline)?;
        let outcomes: Vec<(&Policy, Outcome)> = policies
            .par_iter()
            .map(|policy| Ok((policy, run(&policy.settings, policy.retention)?)))
            .collect::<Result<_>>()?;
        Ok(Runs { baseline, outcomes })
    }

    /// The outcome of the first policy behind the first one that keeps no cuts.
    fn transient(&self) -> Option<&Outcome> {
        self.outcomes
            .iter()
            .skip(1)
            .find(|(policy, _)| policy.retention == Retention::Transient)
            .map(|(_, outcome)| outcome)
    }

    fn pruned(&self) -> &Outcome {
        self.outcomes
            .first()
            .map_or(&self.baseline, |(_, outcome)| outcome)
    }
}

fn sums(
    simulation: &Simulation<'_>,
    settings: &Settings,
    path: &str,
    runs: &Runs<'_>,
    counts: &[bool],
) -> Sums {
    let session = simulation.session;
    let mut hindsight = Hindsight::default();
    if runs.outcomes.iter().any(|(_, run)| !run.cuts.is_empty()) {
        hindsight = Hindsight::of(session);
    }
    let row = |(policy, outcome): &(&Policy, Outcome)| {
        row(simulation, path, policy, outcome, &hindsight, counts)
    };
    let unpriced_models = unpriced(simulation, counts);
    let transient = runs.transient();
    let mut sums = Sums {
        requests: counting(&session.calls, counts).count() as u64,
        unpriced: unpriced_models.values().sum(),
        unpriced_models,
        calibration: calibration(simulation, &runs.baseline.calls, counts),
        baseline: totals(&runs.baseline, counts),
        transient: transient.map(|outcome| totals(outcome, counts)),
        pruned: totals(runs.pruned(), counts),
        policies: runs.outcomes.iter().map(row).collect(),
        heartbeat: heartbeat(simulation, settings, counts),
        tools: tools(simulation, runs.pruned()),
        ..Sums::default()
    };
    groups(session, runs, counts, &mut sums);
    sums
}

/// Adds the requests beside the conversations: they cost the same under all policies.
fn add_beside(session: &Session, settings: &Settings, counts: &Counts, sums: &mut Sums) {
    let rows = rows_of(session, &session.beside, settings);
    let each = session.beside.iter().zip(&rows);
    for (call, (row, is_priced)) in each
        .zip(&counts.beside)
        .filter_map(|(each, counts)| counts.then_some(each))
    {
        let usd = call.usage.map_or(0.0, |usage| cost(row, &usage));
        sums.beside.requests += 1;
        sums.beside.usd += usd;
        if !is_priced {
            sums.unpriced += 1;
            let model = session.model(call).to_owned();
            *sums.unpriced_models.entry(model).or_default() += 1;
        }
        let policies = sums.policies.iter_mut().map(|policy| &mut policy.totals);
        let all = [&mut sums.baseline, &mut sums.pruned].into_iter();
        for totals in all.chain(&mut sums.transient).chain(policies) {
            totals.usd += usd;
        }
        let calibration = &mut sums.calibration;
        calibration.recorded_usd += usd;
        calibration.simulated.usd += usd;
        calibration.rules.usd += usd;
        if let (Some(all), Some(one)) = (&mut calibration.log_usd, call.usd) {
            *all = rounded(*all + one, 1e6);
        }
        for (groups, name) in [
            (&mut sums.days, call.start.map(day).unwrap_or_default()),
            (&mut sums.models, session.model(call).to_owned()),
            (
                &mut sums.projects,
                session.project.clone().unwrap_or_default(),
            ),
        ] {
            let group = Group {
                name,
                requests: 0,
                baseline: usd,
                pruned: usd,
                tokens: 0.0,
            };
            add_group(groups, &group);
        }
    }
}

fn timestamp(ms: i64) -> String {
    jiff::Timestamp::from_millisecond(ms).map_or_else(|_| ms.to_string(), |time| time.to_string())
}

fn day(ms: i64) -> String {
    timestamp(ms).chars().take(10).collect()
}

/// Returns the Monday of the week of a time.
pub fn monday(time: &str) -> Option<String> {
    let date = time.get(..10)?.parse::<jiff::civil::Date>().ok()?;
    let days = i64::from(date.weekday().to_monday_zero_offset());
    date.checked_sub(jiff::Span::new().days(days))
        .ok()
        .map(|monday| monday.to_string())
}

/// Returns the models without a price, with the numbers of their calls.
fn unpriced(simulation: &Simulation<'_>, counts: &[bool]) -> BTreeMap<String, u64> {
    let (session, mut models) = (simulation.session, BTreeMap::new());
    for (i, (_, is_priced)) in simulation.rows.iter().enumerate() {
        if counts[i] && !is_priced {
            let model = session.model(&session.calls[i]);
            *models.entry(model.to_owned()).or_default() += 1;
        }
    }
    models
}

fn totals(outcome: &Outcome, counts: &[bool]) -> Totals {
    let mut totals = Totals::default();
    for spent in counting(&outcome.calls, counts) {
        totals.usd += spent.usd;
        totals.prompt += spent.prompt;
        totals.cache_read += spent.read;
        totals.cache_write += spent.write;
        totals.uncached += spent.uncached;
        totals.output += spent.output;
        totals.peak = totals.peak.max(spent.prompt);
        totals.above_tier += u64::from(spent.above_tier);
        if let Some(cause) = spent.miss {
            let missed = totals.misses.entry(cause).or_default();
            missed.calls += 1;
            missed.tokens += spent.lost;
            missed.usd += spent.lost_usd;
        }
    }
    totals
}

fn row(
    simulation: &Simulation<'_>,
    path: &str,
    policy: &Policy,
    outcome: &Outcome,
    hindsight: &Hindsight,
    counts: &[bool],
) -> PolicyRow {
    let (session, mut regret) = (simulation.session, RegretRow::default());
    let paid_again = PaidAgain::new(simulation, outcome, &policy.settings);
    let cuts: Vec<&NewCut> = outcome
        .cuts
        .iter()
        .filter(|cut| counts[cut.call as usize])
        .collect();
    let blocks: HashSet<u32> = cuts.iter().map(|cut| cut.block).collect();
    let control = Control::of(session, hindsight, &blocks);
    let line = |message: u32| session.transcript.messages[message as usize].line;
    for cut in &cuts {
        let tool = tool(session, cut.block);
        let (found, is_lost) = hindsight.regret(session, &policy.settings, cut);
        regret.expected += control.chance(session, cut);
        regret.lost_ground += u64::from(is_lost);
        let one = u64::from(found.is_some());
        for sum in [
            regret.passes.entry(cut.pass).or_default(),
            regret.tools.entry(tool.to_owned()).or_default(),
        ] {
            *sum = (sum.0 + 1, sum.1 + one);
        }
        let Some(found) = found else { continue };
        regret.cuts += 1;
        regret.usd += paid_again.usd(cut, &found);
        match found.kind {
            RegretKind::ReadAgain => regret.read_again += 1,
            RegretKind::Quoted => regret.quoted += 1,
        }
        if regret.examples.len() < EXAMPLES {
            regret.examples.push(Example {
                path: path.to_owned(),
                line: line(cut.message),
                tool: tool.to_owned(),
                pass: cut.pass,
                why: found.kind,
                by: line(found.message),
                what: found.what,
            });
        }
    }
    PolicyRow {
        name: policy.name.clone(),
        flags: policy.flags.clone(),
        manner: if policy.retention == Retention::Transient {
            "transient"
        } else {
            "sticky"
        },
        totals: totals(outcome, counts),
        cuts: cuts.len() as u64,
        tokens_cut: cuts.iter().map(|cut| cut.tokens).sum(),
        unread: cuts.iter().filter(|cut| cut.is_unread).count() as u64,
        regret,
        pareto: false,
    }
}

fn groups(session: &Session, runs: &Runs<'_>, counts: &[bool], sums: &mut Sums) {
    let pruned = runs.pruned();
    let project = session.project.clone().unwrap_or_default();
    for (i, call) in session.calls.iter().enumerate().filter(|(i, _)| counts[*i]) {
        let before = &runs.baseline.calls[i];
        for (groups, name) in [
            (&mut sums.days, call.start.map(day).unwrap_or_default()),
            (&mut sums.models, session.model(call).to_owned()),
            (&mut sums.projects, project.clone()),
        ] {
            let group = Group {
                name,
                requests: 1,
                baseline: before.usd,
                pruned: pruned.calls[i].usd,
                tokens: before.prompt,
            };
            add_group(groups, &group);
        }
    }
}

fn timeline(session: &Session, runs: &Runs<'_>, counts: &[bool]) -> Vec<TimelinePoint> {
    let pruned = runs.pruned();
    let mut cuts = vec![0u64; session.calls.len()];
    for cut in &pruned.cuts {
        cuts[cut.call as usize] += 1;
    }
    let moment = |i: usize| {
        let before = &runs.baseline.calls[i];
        TimelinePoint {
            at: session.calls[i].start,
            prompt: before.prompt,
            pruned: pruned.calls[i].prompt,
            cuts: cuts[i],
            miss: before.miss,
            lost: before.miss.map_or(0.0, |_| before.lost),
            lost_usd: before.miss.map_or(0.0, |_| before.lost_usd),
            line: session.transcript.messages[session.calls[i].message as usize].line,
        }
    };
    (0..session.calls.len())
        .filter(|&i| counts[i])
        .map(moment)
        .collect()
}

/// Totals of several sessions.
#[derive(Debug, Default, serde::Serialize)]
pub struct SessionTotals {
    /// The number of logs replayed.
    pub inputs: u64,
    /// The number of inputs that failed.
    pub failed: u64,
    /// The sums of calls, dollars and so on.
    #[serde(flatten)]
    pub sums: Sums,
    /// The formats of the logs.
    #[serde(skip)]
    pub formats: BTreeSet<&'static str>,
}

impl SessionTotals {
    /// Adds a session.
    pub fn add(&mut self, replay: &Replay) {
        self.inputs += 1;
        self.formats.insert(replay.input.format);
        self.sums.add(&replay.sums);
    }
}
