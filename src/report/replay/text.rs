//! A replay as text: one screen.

use super::super::figures::{commas, counted, thousands};
use super::super::page::{Look, Page, Tone};
use super::{change, dollars, name_of, share, trust};
use deadhead_core::terminal_text::{fill, shorten};
use deadhead_replay::account::Closing;
use deadhead_replay::regret::RegretKind;
use deadhead_replay::summary::{Group, Moment, Replay, Sums, Totals};
use std::io::{self, Write};
use std::path::Path;

/// Columns of the sparkline.
const SPARK: usize = 62;
/// Rows of a list that is not asked for in full.
const ROWS: usize = 12;

/// Prints one log.
pub(super) fn one(replay: &Replay, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let name = Path::new(&replay.input.path).file_name().map_or(replay.input.path.clone(), |n| n.to_string_lossy().into_owned());
    let mut page = Page::new(look, out);
    page.line(Tone::Headline, &format!("{}: {}", shorten(&name, 60), headline(&replay.sums)))?;
    let span = match (&replay.from, &replay.to) {
        (Some(from), Some(to)) => format!(", {} to {}", minute(from), minute(to)),
        _ => String::new(),
    };
    let model = replay.model.as_deref().unwrap_or("model unknown");
    page.field(Tone::Detail, "log", &format!("{}, {model}{span}", replay.input.format))?;
    page.field(Tone::Detail, "context", &sparkline(&replay.timeline))?;
    let peaks = format!("peak {} tokens, pruned {}", thousands(replay.sums.baseline.peak), thousands(replay.sums.pruned.peak));
    page.field(Tone::Detail, "", &peaks)?;
    policies(&replay.sums, look, &mut page)?;
    page.field(Tone::Detail, "misses", &format!("without pruning {}", replay.sums.baseline.misses()))?;
    page.field(Tone::Detail, "", &format!("pruned {}", replay.sums.pruned.misses()))?;
    page.field(Tone::Detail, "trust", &trust(&replay.sums))?;
    let tokens = &replay.tokens;
    let fitted = match tokens.error {
        Some(error) => format!(
            "{:.2} ± {error:.2} chars a token, fitted to {}; {} beyond the messages",
            tokens.chars_per_token,
            counted(tokens.requests, "request"),
            thousands(tokens.overhead)
        ),
        None => format!("{:.2} chars a token", tokens.chars_per_token),
    };
    page.field(Tone::Detail, "tokens", &fitted)?;
    regrets(&replay.sums, look, &mut page)?;
    page.field(Tone::Detail, "tools", &tools(&replay.sums))?;
    for warning in &replay.warnings {
        page.field(Tone::Warning, "warning", warning)?;
    }
    Ok(())
}

/// Prints the totals of several logs.
pub(super) fn totals(closing: &Closing, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let failed = if closing.failed > 0 { format!(", {} failed", closing.failed) } else { String::new() };
    let mut page = Page::new(look, out);
    page.line(Tone::Headline, &format!("{}{failed}: {}", counted(closing.inputs, "log"), headline(&closing.sums)))?;
    policies(&closing.sums, look, &mut page)?;
    page.field(Tone::Detail, "misses", &format!("without pruning {}", closing.sums.baseline.misses()))?;
    page.field(Tone::Detail, "", &format!("pruned {}", closing.sums.pruned.misses()))?;
    page.field(Tone::Detail, "trust", &trust(&closing.sums))?;
    regrets(&closing.sums, look, &mut page)?;
    page.field(Tone::Detail, "tools", &tools(&closing.sums))?;
    for (label, groups) in [("days", &closing.sums.days), ("models", &closing.sums.models), ("projects", &closing.sums.projects)] {
        list(label, groups, look, &mut page)?;
    }
    Ok(())
}

/// `471 requests, $42.55 → $40.21 pruned (-5.5 %), $46.88 transient (+10 %)`
pub(super) fn headline(sums: &Sums) -> String {
    let against = |totals: &Totals| format!("{} ({})", dollars(totals.usd), change(sums.baseline.usd, totals.usd));
    let transient = sums.transient.as_ref().map(|t| format!(", transient {}", against(t))).unwrap_or_default();
    format!("{}, {} → {} pruned{transient}", counted(sums.requests, "request"), dollars(sums.baseline.usd), against(&sums.pruned))
}

fn minute(time: &str) -> String {
    time.chars().take(16).map(|c| if c == 'T' { ' ' } else { c }).collect()
}

/// The size of the context over the calls, the largest of each stretch.
pub(super) fn sparkline(timeline: &[Moment]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = timeline.iter().map(|m| m.prompt).fold(0.0, f64::max);
    if most <= 0.0 {
        return "nothing was sent".to_owned();
    }
    let columns = SPARK.min(timeline.len());
    (0..columns)
        .map(|i| {
            let stretch = &timeline[i * timeline.len() / columns..((i + 1) * timeline.len() / columns).max(i + 1).min(timeline.len())];
            let largest = stretch.iter().map(|m| m.prompt).fold(0.0, f64::max);
            BARS[((largest / most * 8.0) as usize).min(7)]
        })
        .collect()
}

fn policies(sums: &Sums, look: Look, page: &mut Page<'_>) -> io::Result<()> {
    let head = ["dollars", "change", "misses", "peak", "cuts", "regret"];
    page.line(Tone::Detail, &cells("  policy", &head.map(str::to_owned)))?;
    let row = |name: &str, totals: &Totals, cuts: String, regret: String| {
        let change = change(sums.baseline.usd, totals.usd);
        cells(name, &[dollars(totals.usd), change, commas(totals.missed()), thousands(totals.peak), cuts, regret])
    };
    page.line(Tone::Detail, &row("  no pruning", &sums.baseline, "-".to_owned(), "-".to_owned()))?;
    let grid = sums.policies.len() > ROWS && !look.verbose;
    let mut rows: Vec<_> = sums.policies.iter().filter(|row| !grid || row.pareto).collect();
    if sums.policies.len() > 6 {
        rows.sort_by(|a, b| a.totals.usd.total_cmp(&b.totals.usd));
    }
    for policy in rows {
        let mark = if policy.pareto && sums.policies.len() > 2 { "* " } else { "  " };
        let regret = format!("{:.0} %", policy.regret.rate * 100.0);
        page.line(Tone::Detail, &row(&format!("{mark}{}", name_of(policy)), &policy.totals, commas(policy.cuts), regret))?;
    }
    if sums.policies.len() > 2 {
        let hidden = if grid { format!("; {} others with -v", sums.policies.iter().filter(|r| !r.pareto).count()) } else { String::new() };
        page.line(Tone::Detail, &format!("  * none is cheaper without more regrets, nor less regretted for less{hidden}"))?;
    }
    if sums.baseline.above_tier > 0 {
        let (before, after) = (sums.baseline.above_tier, sums.pruned.above_tier);
        page.field(Tone::Detail, "tier", &format!("{} above a price tier, pruned {}", counted(before, "request"), commas(after)))?;
    }
    Ok(())
}

fn cells(name: &str, cells: &[String; 6]) -> String {
    let widths = [10, 9, 8, 9, 7, 8];
    let right: String = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
    format!("{}{right}", fill(name, 29))
}

fn regrets(sums: &Sums, look: Look, page: &mut Page<'_>) -> io::Result<()> {
    let Some(policy) = sums.policies.iter().find(|row| row.manner == "sticky") else { return Ok(()) };
    let regret = &policy.regret;
    let passes: Vec<String> = regret.passes.iter().map(|(name, (cuts, bad))| format!("{name} {bad} of {cuts}")).collect();
    let told = match policy.cuts {
        0 => "nothing was cut".to_owned(),
        cuts => format!(
            "{} of {}: {} read again, {} quoted ({})",
            commas(regret.cuts),
            counted(cuts, "cut"),
            regret.read_again,
            regret.quoted,
            passes.join(", ")
        ),
    };
    page.field(Tone::Detail, "regret", &told)?;
    for example in regret.examples.iter().take(if look.verbose { 5 } else { 2 }) {
        let why = if example.why == RegretKind::ReadAgain { "reads again" } else { "quotes" };
        let text = format!("line {} {}, cut; line {} {why} {}", example.line, example.tool, example.by, example.what);
        page.field(Tone::Detail, "", &shorten(&text, 64))?;
    }
    Ok(())
}

fn tools(sums: &Sums) -> String {
    let all: f64 = sums.tools.iter().map(|tool| tool.tokens).sum();
    let told: Vec<String> = sums
        .tools
        .iter()
        .take(5)
        .map(|tool| format!("{} {} ({})", tool.name, thousands(tool.tokens), share(tool.tokens / all.max(1.0)).trim_start_matches('+')))
        .collect();
    if told.is_empty() { "no results".to_owned() } else { format!("tokens of results: {}", told.join(", ")) }
}

fn list(label: &str, groups: &[Group], look: Look, page: &mut Page<'_>) -> io::Result<()> {
    let shown = if look.verbose { groups.len() } else { 8 };
    for (i, group) in groups.iter().take(shown).enumerate() {
        let name = if group.name.is_empty() { "unknown" } else { &group.name };
        let text = format!(
            "{} {:>8} → {:>8}  {}",
            fill(name, 28),
            dollars(group.baseline),
            dollars(group.pruned),
            counted(group.requests, "request")
        );
        page.field(Tone::Detail, if i == 0 { label } else { "" }, &text)?;
    }
    if groups.len() > shown {
        page.field(Tone::Detail, "", &format!("{} more with -v", groups.len() - shown))?;
    }
    Ok(())
}
