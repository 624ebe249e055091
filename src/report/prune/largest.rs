//! The inputs of a large run in one table: those of which most was removed, and the rest together.

use super::super::document::{Block, Document, HTML, Side, Style, Table};
use super::super::number_format::{change, commas, counted, percent};
use super::tally::new_defects;
use deadhead_core::outcome::Report;
use std::collections::BTreeMap;

/// Inputs that have a row of their own.
const ROWS: usize = 100;

/// The inputs so far. No more than [`ROWS`] are kept, so that many bodies of a pipe need no memory.
#[derive(Default)]
pub struct Largest {
    /// By the chars that were removed and the order of the inputs, so that the first one is the least.
    rows: BTreeMap<(i128, u64), Row>,
    added: u64,
    rest: Row,
}

/// What one input came to, or several.
#[derive(Default)]
struct Row {
    name: String,
    inputs: u64,
    before: u64,
    after: u64,
    cuts: u64,
    defects: u64,
    warnings: u64,
}

impl Largest {
    /// Adds an input.
    pub fn add(&mut self, report: &Report) {
        self.added += 1;
        let (before, after) = (report.before.chars, report.after.chars);
        let row = Row {
            name: report.input.path.clone(),
            inputs: 1,
            before,
            after,
            cuts: report.cuts.len() as u64,
            defects: new_defects(&report.integrity).values().sum(),
            warnings: report.warnings.len() as u64,
        };
        // Of inputs that lost the same, the earlier ones stay.
        self.rows.insert((i128::from(before) - i128::from(after), u64::MAX - self.added), row);
        if self.rows.len() > ROWS
            && let Some((_, least)) = self.rows.pop_first()
        {
            let rest = &mut self.rest;
            rest.inputs += 1;
            rest.before += least.before;
            rest.after += least.after;
            rest.cuts += least.cuts;
            rest.defects += least.defects;
            rest.warnings += least.warnings;
        }
    }

    /// Adds the table to a page, most removed first.
    pub fn show<'a>(&'a self, page: &mut Document<'a>) {
        let columns = ["input", "chars", "", "cuts", "new defects", "warnings"];
        let columns = columns.map(|title| (HTML, title, if title == "input" { Side::Name } else { Side::Right }));
        let rest = Some(&self.rest).filter(|rest| rest.inputs > 0);
        let others = rest.map(|rest| cells(format!("{} more", counted(rest.inputs, "input")), rest));
        let rows = self.rows.values().rev().map(|row| cells(row.name.clone(), row)).chain(others);
        page.add(HTML, Block::Heading("Inputs, most chars removed first"));
        page.add(HTML, Block::Table(Table::new(&columns, rows)));
        let where_to_look = "The page of one input, or of few, has every cut; so have the reports in JSON.";
        page.add(HTML, Block::Paragraph(Style::Soft, where_to_look.to_owned()));
    }
}

fn cells(name: String, row: &Row) -> Vec<String> {
    let change = [change(row.before, row.after), percent(row.before, row.after)];
    [name].into_iter().chain(change).chain([row.cuts, row.defects, row.warnings].map(commas)).collect()
}
