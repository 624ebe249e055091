//! Further parts of a replay's report: tools by their tokens, and warnings.

use super::{
    run::Outcome,
    session::Session,
    simulation::{Policy, Retention, Simulation},
    steps::Step,
    summary::{Sums, ToolRow},
};
use deadhead_core::{
    internal::{dialect::is_cached_by_ttl, prices, terminal_text::escape, transcript::BlockKind},
    settings::{Mode, Providers},
};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Returns the warnings for the user.
pub fn warnings(
    Simulation {
        session, tokens, ..
    }: &Simulation<'_>,
    outcomes: &[(&Policy, Outcome)],
    sums: &Sums,
    counts: &Counts,
) -> Vec<String> {
    let mut warnings: Vec<String> = session
        .transcript
        .warnings
        .iter()
        .take(5)
        .map(ToString::to_string)
        .collect();
    warnings.extend(counts.elsewhere());
    if counts.repeated + counts.history == 0 && sums.requests == 0 {
        warnings.push("no request is in the range, or the log has none".to_owned());
    }
    warnings.extend(sums.unpriced_warning());
    let unknown: BTreeSet<&str> = session
        .calls
        .iter()
        .flat_map(|call| session.tiers(call))
        .filter(|(_, times)| times.is_none())
        .map(|(tier, _)| tier)
        .collect();
    if !unknown.is_empty() {
        let named: Vec<String> = unknown.into_iter().take(NAMED).map(escape).collect();
        let named = named.join(", ");
        warnings.push(format!(
            "no price is known for the service tier {named}: the standard price is taken"
        ));
    }
    warnings.extend(session.left_out_of_log(sums));
    let left_out: Vec<f64> = tokens
        .left_out
        .values()
        .map(|changes| changes.iter().map(|(_, tokens)| (-tokens).max(0.0)).sum())
        .filter(|tokens| *tokens > 0.0)
        .collect();
    if !left_out.is_empty() {
        warnings.push(format!(
            "the agent prunes itself: {} prompts are too small for their context, by {:.0} tokens of old results; a cut of these saves nothing",
            left_out.len(),
            left_out.iter().sum::<f64>()
        ));
    }
    if sums.requests > 0 && sums.calibration.requests == 0 {
        warnings.push("the log counts no input tokens: 4 chars are taken for a token, and nothing can be compared".to_owned());
    }
    for (policy, outcome) in outcomes {
        if let (Retention::Sticky, Some(warning)) = (policy.retention, &outcome.ttl_warning) {
            warnings.push(format!("{}: {warning}", policy.name));
        }
    }
    let ineligible = outcomes.iter().any(|(policy, _)| {
        let pruning = &policy.settings.context_pruning;
        matches!(pruning.mode, Mode::Auto | Mode::CacheTtl)
            && pruning.providers == Providers::Anthropic
            && session.calls.iter().any(|call| {
                let known = |name| Some(name).filter(|name: &&str| !name.is_empty());
                !is_cached_by_ttl(known(session.provider(call)), known(session.model(call)))
            })
    });
    if ineligible {
        warnings.push(
            "cache-ttl is for Anthropic calls and leaves others alone; --set contextPruning.providers=all prunes them too".to_owned(),
        );
    }
    warnings
}

/// The calls of a session that count.
#[derive(Debug, Default)]
pub struct Counts {
    /// For each call, whether it counts.
    pub calls: Vec<bool>,
    /// For each request beside the conversations, whether it counts.
    pub beside: Vec<bool>,
    /// The number of calls in the range that another session made, and of which the log has a copy.
    pub history: u64,
    /// The number of calls in the range that an earlier input contains.
    pub repeated: u64,
}

impl Counts {
    /// Returns a line for the requests that count in another log.
    fn elsewhere(&self) -> impl Iterator<Item = String> {
        let lines = [
            (self.history, "a copy of another session's history"),
            (self.repeated, "in an input before this one as well"),
        ];
        lines
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| {
                let requests = match count {
                    1 => "request is",
                    _ => "requests are",
                };
                format!("{count} {requests} {what}, and count there")
            })
    }
}

/// Dollars, and their share, from which a difference to the agent's own count is named.
const DIFFERENT: (f64, f64) = (0.005, 0.01);

impl Session {
    /// Returns a line about what the agent counts and its log does not have, if that is much. The copy of a session counts what its original
    /// cost too.
    fn left_out_of_log(&self, sums: &Sums) -> Option<String> {
        let is_whole = sums.requests == self.calls.len() as u64 && sums.unpriced == 0;
        let stated = self.stated_usd.filter(|_| is_whole)?;
        let more = stated - sums.calibration.recorded_usd;
        (more > DIFFERENT.0 && more > stated * DIFFERENT.1).then(|| {
            format!("the agent counts ${stated:.4} for the session, ${more:.4} more than the requests of its log cost: it leaves out compactions and requests to other models")
        })
    }
}

/// The number of models without a price that a warning names.
const NAMED: usize = 5;

impl Sums {
    /// Returns a line with the models without a price and the key that sets one.
    pub fn unpriced_warning(&self) -> Option<String> {
        let mut models: Vec<_> = self.unpriced_models.iter().collect();
        models.sort_by_key(|(_, calls)| std::cmp::Reverse(**calls));
        let name = |model: &str| {
            if model.is_empty() {
                "a model that the log does not name".to_owned()
            } else {
                escape(model)
            }
        };
        let mut named: Vec<String> = models
            .iter()
            .take(NAMED)
            .map(|(model, calls)| format!("{} ({calls})", name(model)))
            .collect();
        if models.len() > NAMED {
            named.push(format!("{} more models", models.len() - NAMED));
        }
        let example = models
            .iter()
            .map(|(model, _)| prices::key(model))
            .find(|key| !key.is_empty())
            .map_or("MODEL".to_owned(), |key| escape(&key));
        let requests = if self.unpriced == 1 {
            "request has"
        } else {
            "requests have"
        };
        (self.unpriced > 0).then(|| {
            let models = named.join(", ");
            format!("{} {requests} no price: {models}; set one with replay.rates: {{\"{example}\": {{input, output}}}}", self.unpriced)
        })
    }
}

/// Returns the tools by the tokens of their results that were sent, each result once.
pub fn tools(simulation: &Simulation<'_>, pruned: &Outcome) -> Vec<ToolRow> {
    let transcript = &simulation.session.transcript;
    let mut rows: BTreeMap<&str, ToolRow> = BTreeMap::new();
    let mut sent = HashSet::new();
    let pushed = simulation
        .session
        .threads
        .iter()
        .flatten()
        .filter_map(|step| match step {
            Step::Push { message, .. } | Step::Summary(message) => Some(*message),
            _ => None,
        });
    for message in pushed.filter(|message| sent.insert(*message)) {
        let message = message as usize;
        let results = transcript
            .blocks_of(message)
            .iter()
            .filter(|block| block.kind == BlockKind::Result);
        // Few messages have texts beside results, and these are small.
        let tokens = simulation.tokens.messages[message].total / results.clone().count() as f64;
        for name in results.map(|block| transcript.tool_of(block)) {
            let row = rows.entry(name).or_insert_with(|| ToolRow {
                name: name.to_owned(),
                ..ToolRow::default()
            });
            row.results += 1;
            row.tokens += tokens;
        }
    }
    for cut in &pruned.cuts {
        if let Some(row) = rows.get_mut(tool(simulation.session, cut.block)) {
            row.cut += cut.tokens;
        }
    }
    rows.into_values().collect()
}

/// Returns the tool of a call or a result; empty for any other block.
pub fn tool(session: &Session, block: u32) -> &str {
    let block = &session.transcript.blocks[block as usize];
    if block.is_linked() {
        session.transcript.tool_of(block)
    } else {
        ""
    }
}
