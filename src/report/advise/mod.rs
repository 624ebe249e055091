//! The report of `deadhead advise`: some lines, and every policy that was tried.

mod sentences;

pub use sentences::{figures, headline};

use super::{
    document::*,
    number_format::*,
    printer::Kind,
    replay::{add_misses, groups, verb},
    several::Figures,
};
use deadhead_replay::{
    advice::{Advice, Row},
    summary::Example,
};
use sentences::range;

/// The report of an advice.
pub enum Advices {}

impl Kind for Advices {
    type One = Advice;
    type All = ();
    const PAGE: &'static str = "What pruning would have saved";
    const TERMS: &'static str = include_str!("terms.tsv");

    fn one(advice: &Advice) -> Document<'_> {
        let mut one = Document::new("", headline(advice)).titled(Self::PAGE);
        add_facts(&mut one, advice);
        one.warnings(&advice.warnings);
        let commands = advice.run_agents.iter().chain(&advice.use_it);
        let none = "no pruning: nothing pays on these logs";
        one.use_it(commands.cloned().collect(), none);
        one.detail(|more| {
            more.heading("Why the cache was not read");
            add_misses(more, &advice.misses);
            if advice.weeks.len() > 1 {
                more.heading("By week, without pruning and with the best policy");
                more.table(groups("week of", &advice.weeks));
            }
            add_regrets(more, &advice.examples);
            add_all(more, advice);
        });
        one
    }

    fn all((): &()) -> Document<'_> {
        Document::default()
    }

    fn figures(_: &Advice) -> Figures {
        Figures::default()
    }

    fn columns<'a>() -> Vec<Column<(&'a str, Figures)>> {
        Vec::new()
    }

    fn has_totals((): &()) -> bool {
        false
    }
}

/// Adds the best policy, today's, and what they would have saved.
fn add_facts(one: &mut Document<'_>, advice: &Advice) {
    let fact = |row: &Row| format!("{} {}", row.candidate.name, figures(&row.measured));
    let best = advice.policy(advice.best);
    one.fact("best", best.map_or(sentences::NOTHING.to_owned(), fact));
    one.facts("today's", advice.policy(Some(advice.today)).map(fact));
    let measured = best.map(|best| &best.measured);
    let worst = measured.filter(|measured| measured.has_range());
    one.facts("at worst", worst.map(sentences::at_worst));
    one.facts("agents", advice.agents.iter().map(sentences::agent));
}

fn add_regrets(one: &mut Document<'_>, examples: &[Example]) {
    one.heading("What the best policy cut and the model needed again: examples");
    one.table(Table::new(
        examples,
        &[
            ("line", Right, |example| example.line.to_string()),
            ("needed by line", Right, |example| example.by.to_string()),
            ("tool", Left, |example| example.tool.clone()),
            ("which", Quote, |example| {
                format!("{}\t{}", verb(example), example.what)
            }),
            ("log", Tail, |example| example.path.clone()),
        ],
    ));
}

fn add_all(one: &mut Document<'_>, advice: &Advice) {
    let mut rows: Vec<&Row> = advice.policies.iter().collect();
    rows.sort_by(|a, b| b.measured.left.total_cmp(&a.measured.left));
    one.heading("Every policy that was tried");
    let has_unread = rows.iter().any(|row| row.unread > 0);
    one.table(Table::new(
        rows,
        &[
            ("policy", Name, |row| {
                let mark = if row.unread > 0 { " †" } else { "" };
                format!("{}{mark}", row.candidate.name)
            }),
            ("saves", Right, |row| signed(row.measured.saved)),
            ("share", Right, |row| percent(row.measured.share)),
            ("range", Aside, |row| range(&row.measured)),
            ("left", Right, |row| percent(row.measured.left_share)),
            ("needed again", Right, |row| {
                let of = &row.measured;
                format!("{} of {}", commas(of.regrets), commas(of.cuts))
            }),
            ("dearer", Right, |row| commas(row.measured.dearer)),
            ("at risk", Aside, |row| dollars(row.measured.at_risk)),
            ("worst", Aside, |row| {
                let worst = row.measured.worst.as_ref();
                worst.map_or("-".to_owned(), |worst| percent(worst.share))
            }),
        ],
    ));
    if has_unread {
        one.fact("†", sentences::UNREAD);
    }
    let places = advice
        .places
        .iter()
        .map(|place| format!("{} ({})", place.path, counted(place.sessions, "session")));
    one.fact("logs", joined(places, ", "));
}
