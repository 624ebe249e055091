//! The report of a replayed log, and of several logs together.

mod page;
pub mod policies;
mod sentences;

use super::{chart::Bar, document::*, html, number_format::*, printer::Kind};
use deadhead_core::internal::terminal_text::shorten;
use deadhead_replay::{
    recorded::Cause,
    regret::RegretKind,
    report::{SessionTotals, monday},
    summary::{Example, Group, Replay, Sums, TimelinePoint, ToolRow, Totals},
    sums::add_group,
};
use std::path::Path;

/// Tools that have a row, or are drawn.
const TOOLS: usize = 10;
/// The number of groups that text lists, unless it lists all.
const GROUPS: usize = 8;
/// The number of groups that a page lists.
const PAGE_GROUPS: usize = 40;
/// The number of examples of regrets that a brief text lists.
const EXAMPLES: usize = 2;

/// Reports of replays, and the logs of the page.
#[derive(Default)]
pub struct Replays(page::Logs);

impl Kind for Replays {
    type One = Replay;
    type All = SessionTotals;
    const NAME: Option<&'static str> = Some("replay");

    fn one(replay: &Replay) -> Document<'_> {
        let (path, sentence) = (&replay.input.path, sentences::headline(&replay.sums));
        let line = format!("{}: {sentence}", shorten(&file_name(path), 60));
        let mut one = Document {
            line,
            title: "Replay of ".to_owned(),
            name: path.clone(),
            sentence,
            ..Document::default()
        };
        let log = format!(
            "{}, {}",
            replay.input.format,
            replay.model.as_deref().unwrap_or("model unknown")
        );
        let span = match (&replay.from, &replay.to) {
            (Some(from), Some(to)) => format!(
                "{log}, {} to {}",
                sentences::minute(from),
                sentences::minute(to)
            ),
            _ => log,
        };
        let peak = |totals: &Totals| thousands(totals.peak);
        one.paragraph(HTML, Plain, sentences::lead(&replay.sums));
        one.field(ALL, "log", span);
        one.field(LISTS, "context", sentences::sparkline(&replay.timeline));
        let peaks = format!(
            "{} tokens, pruned {}",
            peak(&replay.sums.baseline),
            peak(&replay.sums.pruned)
        );
        one.field(LISTS, "peak", peaks);
        let formats = [replay.input.format];
        add_sums(&mut one, &replay.sums, Some(replay), &formats);
        one.warnings(ALL, &replay.warnings);
        one
    }

    fn all<'a>(&'a self, totals: &'a SessionTotals) -> Document<'a> {
        let (title, sentence) = (
            counted(totals.inputs, "log"),
            sentences::headline(&totals.sums),
        );
        let failed = if totals.failed > 0 {
            format!(", {} failed", totals.failed)
        } else {
            String::new()
        };
        let mut all = Document {
            line: format!("{title}{failed}: {sentence}"),
            title,
            sentence,
            ..Document::default()
        };
        all.paragraph(HTML, Plain, sentences::lead(&totals.sums));
        all.paragraph(HTML, Detail, sentences::days(&totals.sums.days));
        self.0.list_largest(&mut all);
        let formats: Vec<&str> = totals.formats.iter().copied().collect();
        add_sums(&mut all, &totals.sums, None, &formats);
        let sums = &totals.sums;
        all.warnings(ALL, sums.unpriced_warning());
        add_groups(&mut all, "Days", "day", &sums.days);
        add_groups(&mut all, "Models", "model", &sums.models);
        add_groups(&mut all, "Projects", "project", &sums.projects);
        all
    }

    fn has_totals(totals: &SessionTotals) -> bool {
        totals.inputs + totals.failed > 1
    }

    fn sum(&mut self, replay: &Replay) {
        self.0.add_row(replay);
    }

    fn add(&mut self, replay: &Replay) {
        self.0.add(replay, Self::one(replay));
    }

    fn page(&self, totals: &SessionTotals) -> String {
        let is_several = Self::has_totals(totals);
        let logs = self
            .0
            .only()
            .filter(|_| !is_several)
            .map_or_else(|| counted(self.0.len(), "log"), file_name);
        let title = format!("Replay of {logs}");
        let logs = if is_several {
            html::blocks(self.all(totals)) + &self.0.list()
        } else {
            self.0.whole()
        };
        let mut terms = Document::default();
        terms.terms(include_str!("terms.tsv"));
        let (head, terms) = (html::escape(&title), html::blocks(terms));
        html::page(&title, &format!("<h1>{head}</h1>\n{logs}{terms}"))
    }
}

fn file_name(path: &str) -> String {
    Path::new(path)
        .file_name()
        .map_or(path.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Adds the sections that one log and all logs share.
fn add_sums<'a>(
    document: &mut Document<'a>,
    sums: &'a Sums,
    replay: Option<&'a Replay>,
    formats: &[&str],
) {
    document.add(HTML, Block::Cards(page::cards(sums)));
    if let Some(replay) = replay {
        document.heading("Context at each call, in tokens");
        document.add(
            HTML,
            Block::Context(
                "Tokens of the prompt at each call, without and with pruning",
                &replay.timeline,
            ),
        );
    }
    if !sums.days.is_empty() && replay.is_none() {
        document.bars(
            "The trend: dollars without pruning, and pruned",
            "Dollars by week or by day, without pruning and pruned",
            bars(&sums.days),
        );
    }
    policies::add(document, sums, formats);
    if let Some(replay) = replay {
        add_missed(document, &replay.timeline);
    }
    document.heading("How far to trust this");
    document.field(ALL, "trust", sentences::trust(sums));
    if let Some(replay) = replay {
        document.field(ALL, "tokens", sentences::fit_and_cache(replay));
    }
    if sums.beside.requests > 0 {
        document.field(ALL, "beside", sentences::beside(&sums.beside));
    }
    if let Some(heartbeat) = &sums.heartbeat {
        document.field(ALL, "heartbeat", sentences::heartbeat(heartbeat));
    }
    add_regrets(document, sums);
    add_tools(document, sums);
}

/// The misses that are listed.
const MISSES: usize = 20;

/// Adds the requests whose prompt was not in the cache, the dearest first.
fn add_missed<'a>(document: &mut Document<'a>, timeline: &'a [TimelinePoint]) {
    let mut missed: Vec<&TimelinePoint> = timeline.iter().filter(|call| call.lost > 0.0).collect();
    missed.sort_by(|a, b| b.lost.total_cmp(&a.lost));
    missed.truncate(MISSES);
    let columns: [Column<&TimelinePoint>; 4] = [
        (ALL, "line", First, |call| call.line.to_string()),
        (ALL, "why", Left, |call| {
            call.miss.map_or("", Cause::name).to_owned()
        }),
        (ALL, "tokens", Right, |call| thousands(call.lost)),
        (ALL, "cost more", Right, |call| dollars(call.lost_usd)),
    ];
    document.table(FULL, missed, &columns);
}

fn add_tools<'a>(document: &mut Document<'a>, sums: &'a Sums) {
    let tools = sums.tools.iter().take(TOOLS);
    let bar = |tool: &ToolRow| {
        let text = format!(
            "{} in {}, {} cut",
            thousands(tool.tokens),
            counted(tool.results, "result"),
            thousands(tool.cut)
        );
        Bar {
            part: tool.cut,
            ..Bar::new("wasbar", named(&tool.name), text, tool.tokens)
        }
    };
    document.bars(
        "Tools by the tokens of their results",
        "Tokens by tool",
        tools.clone().map(bar).collect(),
    );
    let columns: [Column<&ToolRow>; 4] = [
        (ALL, "tool", Left, |tool| tool.name.clone()),
        (ALL, "results", Right, |tool| commas(tool.results)),
        (ALL, "tokens", Right, |tool| thousands(tool.tokens)),
        (ALL, "cut", Right, |tool| thousands(tool.cut)),
    ];
    document.table(LISTS, tools, &columns);
}

fn add_regrets<'a>(document: &mut Document<'a>, sums: &'a Sums) {
    let Some(policy) = sums.policies.first() else {
        return;
    };
    let regret = &policy.regret;
    let (bad, cuts) = (commas(regret.cuts), counted(policy.cuts, "cut"));
    let why = format!("{} read again, {} quoted", regret.read_again, regret.quoted);
    document.heading("What was cut and needed again");
    let lost = match regret.lost_ground {
        0 => String::new(),
        n => format!(
            "; loss of ground: {} of a text that was only there",
            counted(n, "edit")
        ),
    };
    let passes = regret
        .passes
        .iter()
        .map(|(name, (cuts, bad))| format!("{name} {bad} of {cuts}"));
    let text = match policy.cuts {
        0 => "nothing was cut".to_owned(),
        _ => format!(
            "{bad} of {cuts} ({:.0} %): {why} ({}); {:.1} by the control, {} if each is paid for once more{lost}",
            regret.rate * 100.0,
            joined(passes, ", "),
            regret.expected,
            dollars(regret.usd)
        ),
    };
    document.field(ALL, "needed", text);
    let columns: [Column<&Example>; 5] = [
        (ALL, "line", First, |example| example.line.to_string()),
        (ALL, "tool", Left, |example| example.tool.clone()),
        (HTML, "pass", Left, |example| example.pass.to_owned()),
        (ALL, "needed by", Right, |example| {
            format!("line {}", example.by)
        }),
        (ALL, "for", Quote, |example| {
            format!("{}\t{}", verb(example), example.what)
        }),
    ];
    if !regret.examples.is_empty() {
        document.table(BRIEF, regret.examples.iter().take(EXAMPLES), &columns);
        document.table(FULL, &regret.examples, &columns);
    }
}

pub fn verb(example: &Example) -> &'static str {
    if example.why == RegretKind::ReadAgain {
        "reads again"
    } else {
        "quotes"
    }
}

/// Adds days, models or projects. The page shows days as a trend.
fn add_groups<'a>(
    document: &mut Document<'a>,
    heading: &'static str,
    title: &'static str,
    groups: &'a [Group],
) {
    let columns: [Column<&Group>; 5] = [
        (ALL, title, First, |group| named(&group.name).to_owned()),
        (ALL, "requests", Right, |group| commas(group.requests)),
        (ALL, "no pruning", Right, |group| dollars(group.baseline)),
        (ALL, "pruned", Right, |group| dollars(group.pruned)),
        (ALL, "change", Right, |group| {
            growth(group.baseline, group.pruned)
        }),
    ];
    let more = |shown: usize| commas(groups.len().saturating_sub(shown) as u64);
    if title != "day" {
        document.heading(heading);
        document.table(HTML, groups.iter().take(PAGE_GROUPS), &columns);
        if groups.len() > PAGE_GROUPS {
            document.paragraph(HTML, Detail, format!("{} more.", more(PAGE_GROUPS)));
        }
    }
    document.table(BRIEF, groups.iter().take(GROUPS), &columns);
    if groups.len() > GROUPS {
        document.field(BRIEF, "", format!("{} more with -v", more(GROUPS)));
    }
    document.table(LONG, groups, &columns);
}

fn named(name: &str) -> &str {
    if name.is_empty() { "unknown" } else { name }
}

/// Bars that are drawn at most: the last ones.
const BARS: usize = 60;

/// A bar for each week, and where there is only one a bar for each day.
fn bars(days: &[Group]) -> Vec<Bar> {
    let mut weeks: Vec<Group> = Vec::new();
    for day in days {
        let mut week = day.clone();
        week.name = monday(&day.name).unwrap_or(week.name);
        add_group(&mut weeks, &week);
    }
    let (shown, of) = if weeks.len() > 1 {
        (&weeks[..], "week of ")
    } else {
        (days, "")
    };
    let bar = |group: &Group| {
        let name = if group.name.is_empty() {
            "unknown day".to_owned()
        } else {
            format!("{of}{}", group.name)
        };
        Bar::pruned(
            &name,
            group,
            &format!(" ({})", growth(group.baseline, group.pruned)),
        )
    };
    shown[shown.len().saturating_sub(BARS)..]
        .iter()
        .map(bar)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_weeks_where_there_are_several() {
        let day = |name: &str| Group {
            name: name.to_owned(),
            requests: 1,
            baseline: 10.0,
            pruned: 8.0,
            tokens: 5.0,
        };
        let labels = |days: &[Group]| {
            bars(days)
                .into_iter()
                .map(|bar| format!("{}: {}", bar.label, bar.text))
                .collect::<Vec<_>>()
        };
        let week = labels(&[day("2026-01-04"), day("2026-01-05"), day("2026-01-11")]);
        assert_eq!(
            week,
            [
                "week of 2025-12-29: $10.00 → $8.00 (-20 %)",
                "week of 2026-01-05: $20.00 → $16.00 (-20 %)"
            ]
        );
        assert_eq!(
            labels(&[day("2026-01-05"), day("2026-01-06")])[1],
            "2026-01-06: $10.00 → $8.00 (-20 %)"
        );
        assert_eq!(labels(&[day("")]), ["unknown day: $10.00 → $8.00 (-20 %)"]);
    }
}
