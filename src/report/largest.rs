//! The inputs of a large run in one table: those of which most was removed, and the rest together.

use super::figures::{change, commas, counted, percent};
use super::hypertext::{Side, table};
use super::tally::new_defects;
use deadhead_core::outcome::Report;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Inputs that have a row of their own.
const ROWS: usize = 100;

/// The inputs so far. No more than [`ROWS`] are kept, so that many bodies of a pipe need no memory.
#[derive(Default)]
pub(super) struct Largest {
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
    pub(super) fn add(&mut self, report: &Report) {
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

    /// Writes the table, most removed first.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "<h2>Inputs, most chars removed first</h2>")?;
        let columns = [
            ("input", Side::Name),
            ("chars", Side::Right),
            ("", Side::Right),
            ("cuts", Side::Right),
            ("new defects", Side::Right),
            ("warnings", Side::Right),
        ];
        let rest = Some(&self.rest).filter(|rest| rest.inputs > 0);
        let others = rest.map(|rest| cells(format!("{} more", counted(rest.inputs, "input")), rest));
        table(out, &columns, self.rows.values().rev().map(|row| cells(row.name.clone(), row)).chain(others))?;
        writeln!(out, "<p class=\"soft\">The page of one input, or of few, has every cut; so have the reports in JSON.</p>")
    }
}

fn cells(name: String, row: &Row) -> [String; 6] {
    let counts = [row.cuts, row.defects, row.warnings].map(commas);
    let [cuts, defects, warnings] = counts;
    [name, change(row.before, row.after), percent(row.before, row.after), cuts, defects, warnings]
}
