//! The report of a replayed log, and of several logs together.

mod policies;
mod sentences;

pub use policies::add_misses;

use super::{document::*, number_format::*, printer::Kind, several::Figures};
use deadhead_replay::{
    recorded::Cause,
    regret::RegretKind,
    report::{SessionTotals, monday},
    summary::{Example, Group, Replay, Sums, TimelinePoint},
    sums::add_group,
};

/// Tools that have a row.
const TOOLS: usize = 10;
/// The number of groups that a brief text lists.
const GROUPS: usize = 8;
/// The number of examples of regrets that a brief text lists.
const EXAMPLES: usize = 2;
/// The misses that are listed.
const MISSES: usize = 20;

/// Reports of replays.
pub enum Replays {}

impl Kind for Replays {
    type One = Replay;
    type All = SessionTotals;
    const NAME: Option<&'static str> = Some("replay");
    const PAGE: &'static str = "Replay";
    const TERMS: &'static str = include_str!("terms.tsv");

    fn one(replay: &Replay) -> Document<'_> {
        let mut one = Document::new(replay.input.path.clone(), sentences::headline(&replay.sums))
            .titled("Replay of ");
        let model = replay.model.as_deref().unwrap_or("model unknown");
        let times = replay.from.iter().chain(&replay.to);
        let times = joined(times.map(|time| sentences::minute(time)), " to ");
        let facts = [replay.input.format, model, &times].into_iter();
        one.fact("log", joined(facts.filter(|fact| !fact.is_empty()), ", "));
        one.add(Block::Context(&replay.timeline));
        policies::add(&mut one, &replay.sums, &[replay.input.format]);
        one.detail(|more| add_missed(more, &replay.timeline));
        one.heading("How far to trust this");
        one.fact("trust", sentences::trust(&replay.sums));
        one.fact("tokens", sentences::fit_and_cache(replay));
        add_sums(&mut one, &replay.sums, false);
        one.warnings(&replay.warnings);
        one
    }

    fn all(totals: &SessionTotals) -> Document<'_> {
        let failed = match totals.failed {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        let sums = &totals.sums;
        let mut all = Document::new(
            counted(totals.inputs, "log") + &failed,
            sentences::headline(sums),
        )
        .titled("Replay of ");
        let formats: Vec<&str> = totals.formats.iter().copied().collect();
        policies::add(&mut all, sums, &formats);
        all.heading("How far to trust this");
        all.fact("trust", sentences::trust(sums));
        add_sums(&mut all, sums, true);
        all.warnings(sums.unpriced_warning());
        let (unit, trend) = trend(&sums.days);
        for (heading, unit, rows) in [
            ("The trend", unit, &trend),
            ("Models", "model", &sums.models),
            ("Projects", "project", &sums.projects),
        ] {
            all.heading(heading);
            all.table(groups(unit, rows));
        }
        all
    }

    fn figures(replay: &Replay) -> Figures {
        let sums = &replay.sums;
        let first = sums.policies.first();
        let [cuts, again] = first
            .map_or([0, 0], |row| [row.cuts, row.regret.cuts])
            .map(|count| count as f64);
        [
            sums.baseline.usd,
            sums.pruned.usd,
            sums.requests as f64,
            cuts,
            again,
            0.0,
        ]
    }

    fn columns<'a>() -> Vec<Column<(&'a str, Figures)>> {
        vec![
            ("no pruning", Right, |(_, of)| dollars(of[0])),
            ("pruned", Right, |(_, of)| dollars(of[1])),
            ("change", Right, |(_, of)| growth(of[0], of[1])),
            ("requests", Right, |(_, of)| commas(of[2] as u64)),
            ("needed again", Aside, |(_, of)| {
                format!("{} of {}", commas(of[4] as u64), commas(of[3] as u64))
            }),
            ("log", Tail, |(name, _)| name.to_owned()),
        ]
    }

    fn has_totals(totals: &SessionTotals) -> bool {
        totals.inputs + totals.failed > 1
    }
}

/// Adds what one log and all logs have beside their policies.
fn add_sums(document: &mut Document<'_>, sums: &Sums, is_several: bool) {
    if sums.beside.requests > 0 {
        document.fact("beside", sentences::beside(&sums.beside));
    }
    let heartbeat = sums.heartbeat.iter().map(sentences::heartbeat);
    document.facts("heartbeat", heartbeat);
    add_regrets(document, sums, is_several);
    let tools = sums.tools.iter().take(TOOLS);
    let bars = tools.clone().map(|tool| [tool.tokens, tool.cut]);
    document.heading("Tools by the tokens of their results");
    document.table(
        Table::new(
            tools,
            &[
                ("tool", Left, |tool| named(&tool.name, "unknown").to_owned()),
                ("results", Right, |tool| commas(tool.results)),
                ("tokens", Right, |tool| thousands(tool.tokens)),
                ("cut", Right, |tool| thousands(tool.cut)),
            ],
        )
        .bars(bars),
    );
}

/// Adds the requests whose prompt was not in the cache, the dearest first.
fn add_missed(document: &mut Document<'_>, timeline: &[TimelinePoint]) {
    let mut missed: Vec<&TimelinePoint> = timeline.iter().filter(|call| call.lost > 0.0).collect();
    missed.sort_by(|a, b| b.lost.total_cmp(&a.lost));
    missed.truncate(MISSES);
    document.table(Table::new(
        missed,
        &[
            ("line", Right, |call| call.line.to_string()),
            ("why", Left, |call| {
                call.miss.map_or("", Cause::name).to_owned()
            }),
            ("tokens", Right, |call| thousands(call.lost)),
            ("cost more", Right, |call| dollars(call.lost_usd)),
        ],
    ));
}

fn add_regrets(document: &mut Document<'_>, sums: &Sums, is_several: bool) {
    let Some(policy) = sums.policies.first() else {
        return;
    };
    document.heading("What was cut and needed again");
    document.fact("needed", sentences::needed(policy));
    let of: Column<&Example> = match is_several {
        true => ("log", Tail, |example| example.path.clone()),
        false => ("pass", Left, |example| example.pass.to_owned()),
    };
    document.table(
        Table::new(
            &policy.regret.examples,
            &[
                ("line", Right, |example| example.line.to_string()),
                ("needed by", Right, |example| format!("line {}", example.by)),
                ("tool", Left, |example| example.tool.clone()),
                of,
                ("for", Quote, |example| {
                    format!("{}\t{}", verb(example), example.what)
                }),
            ],
        )
        .brief(EXAMPLES),
    );
}

pub fn verb(example: &Example) -> &'static str {
    if example.why == RegretKind::ReadAgain {
        "reads again"
    } else {
        "quotes"
    }
}

/// Returns a table of days, weeks, models or projects.
pub fn groups(unit: &'static str, groups: &[Group]) -> Table {
    let bars = groups.iter().map(|group| [group.baseline, group.pruned]);
    Table::new(
        groups,
        &[
            (unit, Left, |group| named(&group.name, "unknown").to_owned()),
            ("requests", Right, |group| commas(group.requests)),
            ("no pruning", Right, |group| dollars(group.baseline)),
            ("pruned", Right, |group| dollars(group.pruned)),
            ("change", Right, |group| {
                growth(group.baseline, group.pruned)
            }),
        ],
    )
    .brief(GROUPS)
    .bars(bars)
}

/// Returns the weeks, and where there is only one the days.
fn trend(days: &[Group]) -> (&'static str, Vec<Group>) {
    let mut weeks: Vec<Group> = Vec::new();
    for day in days {
        let mut week = day.clone();
        week.name = monday(&day.name).unwrap_or(week.name);
        add_group(&mut weeks, &week);
    }
    match weeks.len() {
        0 | 1 => ("day", days.to_vec()),
        _ => ("week of", weeks),
    }
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
        let rows = |days: &[Group]| {
            let (unit, rows) = trend(days);
            let rows = rows
                .iter()
                .map(|row| format!(" {} ${:.2}", row.name, row.pruned));
            unit.to_owned() + &rows.collect::<String>()
        };
        let days = [day("2026-01-04"), day("2026-01-05"), day("2026-01-11")];
        assert_eq!(rows(&days), "week of 2025-12-29 $8.00 2026-01-05 $16.00");
        assert_eq!(rows(&days[1..]), "day 2026-01-05 $8.00 2026-01-11 $8.00");
        assert_eq!(rows(&[day("")]), "day  $8.00");
    }
}
