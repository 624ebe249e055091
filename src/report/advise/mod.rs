//! The report of `deadhead advise`: some lines, or a page with every policy that was tried.

mod sentences;

pub use sentences::{figures, headline};

use super::chart::Bar;
use super::document::*;
use super::html;
use super::number_format::*;
use super::printer::Kind;
use super::replay::verb;
use deadhead_core::internal::terminal_text::{escape, fill};
use deadhead_replay::advice::{Advice, Row};
use deadhead_replay::summary::{Example, Group};
use sentences::{percent, range};

/// Columns of the name of a policy.
const NAME: usize = 24;

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
        let lines = lines(advice);
        for (label, text) in &lines {
            one.line(TEXT, escape(&format!("{}{text}", fill(label, 10))));
        }
        for (label, text) in lines {
            one.field(MARKDOWN, label, text);
        }
        one.paragraph(HTML, Detail, format!("{}.", headline(advice)));
        one.add(HTML, Block::Cards(cards(advice)));
        let rows = [("best", advice.best), ("today's", Some(advice.today))];
        let rows = rows
            .into_iter()
            .filter_map(|(label, at)| Some((label, advice.policy(at)?)));
        one.table(HTML, rows, &columns());
        if let Some(command) = &advice.use_it {
            one.heading("Use it");
            one.paragraph(HTML, Code, command.clone());
        }
        add_weeks(&mut one, &advice.weeks);
        add_regrets(&mut one, &advice.examples);
        add_all(&mut one, advice);
        one.heading("What the words mean");
        sentences::TERMS
            .iter()
            .for_each(|(term, text)| one.field(HTML, term, (*text).to_owned()));
        advice
            .warnings
            .iter()
            .for_each(|warning| one.paragraph(TABLES, Warning, warning.clone()));
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

/// Returns the lines after the first: a label and a text.
fn lines(advice: &Advice) -> Vec<(&'static str, String)> {
    let line = |row: &Row| {
        format!(
            "{} {}",
            fill(
                &row.candidate.name,
                NAME.max(row.candidate.name.chars().count())
            ),
            figures(&row.measured)
        )
    };
    let or =
        |at: Option<usize>, none: &str| advice.policy(at).map_or_else(|| none.to_owned(), line);
    let mut lines = vec![
        ("best", or(advice.best, sentences::NOTHING)),
        ("today's", or(Some(advice.today), "")),
    ];
    let best = advice.policy(advice.best);
    lines.extend(best.map(|best| ("at worst", sentences::at_worst(&best.measured))));
    for (at, agent) in advice.agents.iter().enumerate() {
        let label = if at == 0 { "agents" } else { "" };
        lines.push((label, sentences::agent(agent)));
    }
    lines.extend(advice.run_agents.iter().map(|run| ("use it", run.clone())));
    let label = if advice.run_agents.is_empty() {
        "use it"
    } else {
        "or"
    };
    lines.extend([(
        label,
        advice
            .use_it
            .clone()
            .unwrap_or_else(|| "no pruning: nothing pays on these logs".to_owned()),
    )]);
    lines
}

fn cards(advice: &Advice) -> Vec<(String, String)> {
    let mut cards = vec![(
        dollars(advice.spent),
        format!("spent in {}", counted(advice.sessions, "session")),
    )];
    if let Some(best) = advice.policy(advice.best).map(|row| &row.measured) {
        cards.push((
            dollars(best.saved),
            format!(
                "of {} would have been saved, {}",
                dollars(best.baseline),
                range(best)
            ),
        ));
        cards.push((
            percent(best.left_share),
            "left if everything that is needed again is paid for once more".to_owned(),
        ));
        cards.push((
            commas(best.dearer),
            format!(
                "of {} would have been dearer",
                counted(advice.measured_on, "session")
            ),
        ));
    }
    cards
}

/// Returns the columns of a table of policies with their ranks.
fn columns<'a>() -> [Column<(&'static str, &'a Row)>; 10] {
    [
        (TABLES, "answer", First, |(label, _)| label.to_owned()),
        (TABLES, "policy", Name, |(_, row)| marked(row)),
        (TABLES, "saves", Right, |(_, row)| {
            signed(row.measured.saved)
        }),
        (TABLES, "share", Right, |(_, row)| {
            percent(row.measured.share)
        }),
        (TABLES, "range", Right, |(_, row)| range(&row.measured)),
        (TABLES, "left", Right, |(_, row)| {
            percent(row.measured.left_share)
        }),
        (TABLES, "needed again", Right, |(_, row)| {
            format!(
                "{} of {}",
                commas(row.measured.regrets),
                commas(row.measured.cuts)
            )
        }),
        (TABLES, "dearer", Right, |(_, row)| {
            commas(row.measured.dearer)
        }),
        (TABLES, "at risk", Right, |(_, row)| {
            dollars(row.measured.at_risk)
        }),
        (TABLES, "worst", Right, |(_, row)| {
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
    for &(_, row) in &rows {
        one.line(
            VERBOSE,
            escape(&format!(
                "{}{}  {}",
                " ".repeat(10),
                fill(&marked(row), 44),
                figures(&row.measured)
            )),
        );
    }
    let unread = rows.iter().any(|(_, row)| row.unread > 0);
    one.heading("Every policy that was tried");
    one.table(TABLES, rows, &columns()[1..]);
    if unread {
        one.paragraph(TABLES, Detail, sentences::UNREAD.to_owned());
        one.line(VERBOSE, sentences::UNREAD.to_owned());
    }
    let places = advice
        .places
        .iter()
        .map(|place| format!("{} ({})", place.path, counted(place.sessions, "session")));
    let found = format!("found in {}", joined(places, ", "));
    one.line(VERBOSE, escape(&found));
}
