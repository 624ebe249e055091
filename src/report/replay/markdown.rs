//! A replay as Markdown: what the text report says, as tables.

use super::super::figures::{commas, counted, thousands};
use super::super::markup::{name, prose, row, table};
use super::text::{headline, sparkline};
use super::{change, dollars, name_of, trust};
use deadhead_replay::account::Closing;
use deadhead_replay::summary::{Group, Replay, Sums};
use std::io::{self, Write};

/// Prints one log.
pub(super) fn one(replay: &Replay, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "## Replay of {}\n", name(&replay.input.path))?;
    writeln!(out, "{}\n", headline(&replay.sums))?;
    writeln!(out, "`{}`\n", sparkline(&replay.timeline))?;
    sums(&replay.sums, out)?;
    for warning in &replay.warnings {
        writeln!(out, "- warning: {}", prose(warning))?;
    }
    writeln!(out)
}

/// Prints the totals.
pub(super) fn totals(closing: &Closing, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "## {}\n\n{}\n", counted(closing.inputs, "log"), headline(&closing.sums))?;
    sums(&closing.sums, out)?;
    for (label, found) in [("day", &closing.sums.days), ("model", &closing.sums.models), ("project", &closing.sums.projects)] {
        groups(label, found, out)?;
    }
    Ok(())
}

fn sums(sums: &Sums, out: &mut dyn Write) -> io::Result<()> {
    table(out, &["policy", "dollars", "change", "cache reads", "written", "misses", "peak", "cuts", "regrets", "Pareto"], "lrrrrrrrrl")?;
    let base = &sums.baseline;
    let figures = |totals: &deadhead_replay::summary::Totals| {
        vec![
            dollars(totals.usd),
            change(base.usd, totals.usd),
            thousands(totals.cache_read),
            thousands(totals.cache_write + totals.uncached),
            totals.misses(),
            thousands(totals.peak),
        ]
    };
    let none = ["-".to_owned(), "-".to_owned(), String::new()];
    row(out, &[vec!["no pruning".to_owned()], figures(base), none.to_vec()].concat())?;
    for policy in &sums.policies {
        let mark = if policy.pareto { "yes" } else { "" }.to_owned();
        let cuts = vec![commas(policy.cuts), commas(policy.regret.cuts), mark];
        row(out, &[vec![prose(&name_of(policy))], figures(&policy.totals), cuts].concat())?;
    }
    writeln!(out, "\nTrust: {}.\n", prose(&trust(sums)))?;
    table(out, &["tool", "results", "tokens", "cut"], "lrrr")?;
    for tool in sums.tools.iter().take(10) {
        row(out, &[prose(&tool.name), commas(tool.results), thousands(tool.tokens), thousands(tool.cut)])?;
    }
    writeln!(out)
}

fn groups(label: &str, groups: &[Group], out: &mut dyn Write) -> io::Result<()> {
    table(out, &[label, "requests", "no pruning", "pruned"], "lrrr")?;
    for group in groups {
        row(out, &[prose(&group.name), commas(group.requests), dollars(group.baseline), dollars(group.pruned)])?;
    }
    writeln!(out)
}
