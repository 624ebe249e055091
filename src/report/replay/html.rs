//! A replay as one page: pictures, tables and words, nothing loaded from elsewhere and no script.

use super::super::chart::{Bar, bars, context};
use super::super::figures::{commas, counted, thousands};
use super::super::hypertext::{self, escape};
use super::text::headline;
use super::{change, dollars, name_of, share, trust};
use deadhead_replay::account::Closing;
use deadhead_replay::regret::RegretKind;
use deadhead_replay::summary::{Group, PolicyRow, Replay, Sums, Totals};
use std::fmt::Write;

/// The page of some logs; `closing` where there are several.
pub(super) fn page(replays: &[Replay], closing: Option<&Closing>) -> String {
    let title = match (closing, replays) {
        (None, [one]) => {
            let name = std::path::Path::new(&one.input.path).file_name();
            format!("Replay of {}", name.map_or(one.input.path.clone(), |name| name.to_string_lossy().into_owned()))
        }
        _ => format!("Replay of {}", counted(replays.len() as u64, "log")),
    };
    let mut html = format!("{}<h1>{}</h1>\n", hypertext::open(&title), escape(&title));
    match closing {
        Some(closing) => {
            all(&mut html, &closing.sums, None);
            for (label, groups) in [("Days", &closing.sums.days), ("Models", &closing.sums.models), ("Projects", &closing.sums.projects)] {
                groups_table(&mut html, label, groups);
            }
            for replay in replays {
                let _ = writeln!(html, "<details><summary>{}: {}</summary>", escape(&replay.input.path), escape(&headline(&replay.sums)));
                one(&mut html, replay);
                html.push_str("</details>\n");
            }
        }
        None => replays.iter().for_each(|replay| one(&mut html, replay)),
    }
    html.push_str(&hypertext::close());
    html
}

fn one(html: &mut String, replay: &Replay) {
    let span = replay.from.as_deref().zip(replay.to.as_deref()).map(|(a, b)| format!(", {a} to {b}")).unwrap_or_default();
    let model = replay.model.as_deref().unwrap_or("model unknown");
    let _ = writeln!(html, "<p class=\"soft\">{}, {}{}</p>", replay.input.format, escape(model), escape(&span));
    for warning in &replay.warnings {
        let _ = writeln!(html, "<p class=\"warn\">{}</p>", escape(warning));
    }
    all(html, &replay.sums, Some(replay));
}

/// Everything that there is of one log and of all alike.
fn all(html: &mut String, sums: &Sums, replay: Option<&Replay>) {
    cards(html, sums);
    if let Some(replay) = replay {
        html.push_str("<h2>Context at each call, in tokens</h2>\n<div class=\"wide\">");
        html.push_str(&context(&replay.timeline, "Tokens of the prompt at each call, without and with pruning"));
        html.push_str("</div>\n");
    }
    html.push_str("<h2>Cost by policy</h2>\n<div class=\"wide\">");
    html.push_str(&bars(&costs(sums), "Dollars by policy"));
    html.push_str("</div>\n");
    policies(html, sums);
    html.push_str("<h2>Tools by the tokens of their results</h2>\n<div class=\"wide\">");
    let tools = sums.tools.iter().take(10).map(|tool| Bar {
        label: if tool.name.is_empty() { "unknown".to_owned() } else { tool.name.clone() },
        text: format!("{} in {}, {} cut", thousands(tool.tokens), counted(tool.results, "result"), thousands(tool.cut)),
        value: tool.tokens,
        part: tool.cut,
        class: "wasbar",
    });
    html.push_str(&bars(&tools.collect::<Vec<_>>(), "Tokens by tool"));
    html.push_str("</div>\n");
    regrets(html, sums);
    let _ = writeln!(html, "<h2>How far to trust this</h2>\n<p>{}.</p>", escape(&capital(&trust(sums))));
    if let Some(replay) = replay {
        let tokens = &replay.tokens;
        let error = tokens.error.map(|e| format!(" ± {e:.2}")).unwrap_or_default();
        let _ = writeln!(
            html,
            "<p class=\"soft\">{:.2}{error} chars a token, fitted to {}; {} tokens beyond the messages; a prompt lies {} tokens off. \
             The cache keeps a prompt for {} s. Prices: {} {}</p>",
            tokens.chars_per_token,
            counted(tokens.requests, "request"),
            thousands(tokens.overhead),
            thousands(tokens.residual),
            commas(replay.cache.lifetime),
            escape(replay.cache.source.trim_start_matches("https://")),
            replay.cache.date
        );
    }
}

fn cards(html: &mut String, sums: &Sums) {
    html.push_str("<div class=\"cards\">");
    let mut card = |big: String, small: String| {
        let _ = write!(html, "<div class=\"card\"><b>{}</b><span class=\"soft\">{}</span></div>", escape(&big), escape(&small));
    };
    let against = |totals: &Totals| change(sums.baseline.usd, totals.usd);
    card(dollars(sums.baseline.usd), format!("{} without pruning", counted(sums.requests, "request")));
    card(dollars(sums.pruned.usd), format!("pruned, {}", against(&sums.pruned)));
    if let Some(transient) = &sums.transient {
        card(dollars(transient.usd), format!("transient, {}", against(transient)));
    }
    card(thousands(sums.pruned.peak), format!("tokens at most, {} without", thousands(sums.baseline.peak)));
    if let Some(error) = sums.truth.simulated.error {
        card(share(error), "simulated beside recorded".to_owned());
    }
    html.push_str("</div>\n");
}

fn costs(sums: &Sums) -> Vec<Bar> {
    let bar = |label: String, totals: &Totals, class| Bar {
        text: format!("{} ({})", dollars(totals.usd), change(sums.baseline.usd, totals.usd)),
        value: totals.usd,
        part: 0.0,
        label,
        class,
    };
    let none = bar("no pruning".to_owned(), &sums.baseline, "wasbar");
    let mut rows: Vec<&PolicyRow> = sums.policies.iter().collect();
    if rows.len() > 12 {
        rows.retain(|row| row.pareto);
    }
    let class = |row: &PolicyRow| if row.manner == "transient" { "otherbar" } else { "nowbar" };
    std::iter::once(none).chain(rows.into_iter().map(|row| bar(name_of(row), &row.totals, class(row)))).collect()
}

fn policies(html: &mut String, sums: &Sums) {
    html.push_str("<div class=\"wide\"><table><tr><th>policy</th>");
    for head in ["dollars", "change", "read", "written", "uncached", "peak", "cuts", "regrets"] {
        let _ = write!(html, "<th>{head}</th>");
    }
    html.push_str("<th>misses</th></tr>\n");
    let mut row = |name: &str, totals: &Totals, cuts: String, regrets: String, best: bool| {
        let cells = [
            dollars(totals.usd),
            change(sums.baseline.usd, totals.usd),
            thousands(totals.cache_read),
            thousands(totals.cache_write),
            thousands(totals.uncached),
            thousands(totals.peak),
            cuts,
            regrets,
        ];
        let best = if best { " class=\"best\"" } else { "" };
        let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", escape(cell))).collect();
        let _ = writeln!(html, "<tr{best}><td>{}</td>{cells}<td>{}</td></tr>", escape(name), commas(totals.missed()));
    };
    row("no pruning", &sums.baseline, "-".to_owned(), "-".to_owned(), false);
    for policy in &sums.policies {
        let best = policy.pareto && sums.policies.len() > 2;
        row(&name_of(policy), &policy.totals, commas(policy.cuts), commas(policy.regret.cuts), best);
    }
    html.push_str("</table></div>\n");
    let (before, after) = (sums.baseline.misses(), sums.pruned.misses());
    let _ = writeln!(html, "<p>Prompts that were not in the cache: without pruning {before}; pruned {after}.</p>");
    if sums.policies.len() > 2 {
        html.push_str("<p class=\"soft\">★ none is cheaper without more regrets, nor less regretted for less.</p>\n");
    }
}

fn regrets(html: &mut String, sums: &Sums) {
    let Some(policy) = sums.policies.iter().find(|row| row.manner == "sticky") else { return };
    let regret = &policy.regret;
    let rate = format!("{:.0} %", regret.rate * 100.0);
    let _ = writeln!(
        html,
        "<h2>Regret</h2>\n<p>{} of {} ({rate}) were wanted later: {} read again, {} quoted.</p>",
        commas(regret.cuts),
        counted(policy.cuts, "cut"),
        regret.read_again,
        regret.quoted
    );
    if regret.examples.is_empty() {
        return;
    }
    html.push_str("<div class=\"wide\"><table><tr><th>line</th><th class=\"left\">tool</th><th class=\"left\">pass</th><th>wanted by</th><th class=\"left\">for</th></tr>\n");
    for example in &regret.examples {
        let why = if example.why == RegretKind::ReadAgain { "reads again" } else { "quotes" };
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td class=\"left\">{}</td><td class=\"left\">{}</td><td>line {}</td><td class=\"text\">{why} <code>{}</code></td></tr>",
            example.line,
            escape(&example.tool),
            example.pass,
            example.by,
            escape(&example.what)
        );
    }
    html.push_str("</table></div>\n");
}

fn groups_table(html: &mut String, label: &str, groups: &[Group]) {
    let _ = writeln!(
        html,
        "<h2>{label}</h2>\n<div class=\"wide\"><table><tr><th></th><th>requests</th><th>no pruning</th><th>pruned</th><th>change</th></tr>"
    );
    for group in groups {
        let name = if group.name.is_empty() { "unknown" } else { &group.name };
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            escape(name),
            commas(group.requests),
            dollars(group.baseline),
            dollars(group.pruned),
            change(group.baseline, group.pruned)
        );
    }
    html.push_str("</table></div>\n");
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
