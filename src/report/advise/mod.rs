//! The report of `deadhead advise`: some lines, or a page with every policy that was tried.

mod sentences;

pub use sentences::{figures, headline};

use super::{
    chart::Bar,
    document::*,
    html,
    number_format::*,
    printer::Kind,
    replay::{policies::add_misses, verb},
};
use deadhead_replay::{
    advice::{Advice, Row},
    summary::{Example, Group},
};
use sentences::{percent, range};

/// The page of an advice.
#[derive(Default)]
pub struct Advices(String);

impl Kind for Advices {
    type One = Advice;
    type All = ();

    fn one(advice: &Advice) -> Document<'_> {
        let sentence = sentences::sentence(advice);
        let mut one = Document {
            line: headline(advice),
            title: "What pruning would have saved".to_owned(),
            sentence,
            ..Document::default()
        };
        add_facts(&mut one, advice);
        one.paragraph(HTML, Detail, format!("{}.", headline(advice)));
        one.add(HTML, Block::Cards(cards(advice)));
        let rows = [("best", advice.best), ("today's", Some(advice.today))]
            .into_iter()
            .filter_map(|(label, at)| Some((label, advice.policy(at)?)));
        one.table(HTML, rows, &columns());
        let commands = advice
            .run_agents
            .iter()
            .chain(&advice.use_it)
            .cloned()
            .collect();
        one.use_it(commands, "no pruning: nothing pays on these logs");
        one.heading("Why the cache was not read");
        add_misses(&mut one, DETAILED, &advice.misses);
        add_weeks(&mut one, &advice.weeks);
        add_regrets(&mut one, &advice.examples);
        add_all(&mut one, advice);
        one.terms(include_str!("terms.tsv"));
        one.warnings(TABLES, &advice.warnings);
        one
    }

    fn all<'a>(&'a self, (): &'a ()) -> Document<'a> {
        Document::default()
    }

    fn has_totals((): &()) -> bool {
        false
    }

    fn add(&mut self, advice: &Advice) {
        self.0 += &html::article(Self::one(advice));
    }

    fn page(&self, (): &()) -> String {
        html::page("What pruning would have saved", &self.0)
    }
}

/// Adds the best policy, today's, and what they would have saved.
fn add_facts(one: &mut Document<'_>, advice: &Advice) {
    let fact = |row: &Row| {
        let name = &row.candidate.name;
        format!("{name} {}", figures(&row.measured))
    };
    let or =
        |at: Option<usize>, none: &str| advice.policy(at).map_or_else(|| none.to_owned(), fact);
    one.field(LISTS, "best", or(advice.best, sentences::NOTHING));
    one.field(LISTS, "today's", or(Some(advice.today), ""));
    let best = advice.policy(advice.best);
    one.facts(
        LISTS,
        "at worst",
        best.map(|best| &best.measured)
            .filter(|measured| measured.has_range())
            .map(sentences::at_worst),
    );
    one.facts(LISTS, "agents", advice.agents.iter().map(sentences::agent));
}

fn cards(advice: &Advice) -> Vec<(String, String)> {
    let mut cards = vec![(
        dollars(advice.spent),
        format!("spent in {}", counted(advice.sessions, "session")),
    )];
    if let Some(best) = advice.policy(advice.best).map(|row| &row.measured) {
        cards.extend([
            (
                dollars(best.saved),
                format!(
                    "of {} would have been saved, {}",
                    dollars(best.baseline),
                    range(best)
                ),
            ),
            (
                percent(best.left_share),
                "left if everything that is needed again is paid for once more".to_owned(),
            ),
            (
                commas(best.dearer),
                format!(
                    "of {} would have been dearer",
                    counted(advice.measured_on, "session")
                ),
            ),
        ]);
    }
    cards
}

/// Returns the columns of a table of policies with their ranks.
fn columns<'a>() -> [Column<(&'static str, &'a Row)>; 10] {
    [
        (ALL, "answer", First, |(label, _)| label.to_owned()),
        (ALL, "policy", Name, |(_, row)| marked(row)),
        (ALL, "saves", Right, |(_, row)| signed(row.measured.saved)),
        (ALL, "share", Right, |(_, row)| percent(row.measured.share)),
        (ALL, "range", Right, |(_, row)| range(&row.measured)),
        (ALL, "left", Right, |(_, row)| {
            percent(row.measured.left_share)
        }),
        (ALL, "needed again", Right, |(_, row)| {
            format!(
                "{} of {}",
                commas(row.measured.regrets),
                commas(row.measured.cuts)
            )
        }),
        (ALL, "dearer", Right, |(_, row)| commas(row.measured.dearer)),
        (ALL, "at risk", Right, |(_, row)| {
            dollars(row.measured.at_risk)
        }),
        (ALL, "worst", Right, |(_, row)| {
            row.measured
                .worst
                .as_ref()
                .map_or("-".to_owned(), |worst| percent(worst.share))
        }),
    ]
}

/// The name of a policy, with a mark where it cuts unread texts.
fn marked(row: &Row) -> String {
    format!(
        "{}{}",
        row.candidate.name,
        if row.unread > 0 { " †" } else { "" }
    )
}

fn add_weeks<'a>(one: &mut Document<'a>, weeks: &'a [Group]) {
    if weeks.len() < 2 {
        return;
    }
    let bar = |week: &Group| Bar::pruned(&format!("week of {}", week.name), week, "");
    one.bars(
        "By week: dollars without pruning, and with the best policy",
        "Dollars by week, without pruning and with the best policy",
        weeks.iter().map(bar).collect(),
    );
}

fn add_regrets<'a>(one: &mut Document<'a>, examples: &'a [Example]) {
    if examples.is_empty() {
        return;
    }
    let columns: [Column<&Example>; 5] = [
        (TABLES, "log", Name, |example| example.path.clone()),
        (TABLES, "line", Right, |example| example.line.to_string()),
        (TABLES, "tool", Left, |example| example.tool.clone()),
        (TABLES, "needed by line", Right, |example| {
            example.by.to_string()
        }),
        (TABLES, "which", Quote, |example| {
            format!("{}\t{}", verb(example), example.what)
        }),
    ];
    one.heading("What the best policy cut and the model needed again: examples");
    one.table(HTML, examples, &columns);
}

fn add_all<'a>(one: &mut Document<'a>, advice: &'a Advice) {
    let mut rows: Vec<(&'static str, &Row)> = advice.policies.iter().map(|row| ("", row)).collect();
    rows.sort_by(|(_, a), (_, b)| b.measured.left.total_cmp(&a.measured.left));
    let unread = rows.iter().any(|(_, row)| row.unread > 0);
    one.heading("Every policy that was tried");
    one.table(DETAILED, rows, &columns()[1..]);
    if unread {
        one.field(DETAILED, "†", sentences::UNREAD.to_owned());
    }
    let places = advice
        .places
        .iter()
        .map(|place| format!("{} ({})", place.path, counted(place.sessions, "session")));
    one.field(VERBOSE, "logs", joined(places, ", "));
}
