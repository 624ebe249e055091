//! A table of a large run: the inputs with the largest savings, and the sum of the rest.

use super::*;

/// Inputs that have a row of their own.
const ROWS: usize = 100;

/// Inputs that a text report lists.
const LINES: usize = 10;

/// The largest inputs so far. At most [`ROWS`] are kept, so that many bodies of a pipe need no memory.
#[derive(Default)]
pub struct Largest {
    /// By the removed chars and the order of the inputs, so that the first is the smallest.
    rows: BTreeMap<(i128, u64), Row>,
    added: u64,
    rest: Row,
}

/// The sums of one input or several: chars before and after, cuts, new defects, warnings, and the inputs.
#[derive(Default)]
struct Row {
    name: String,
    counts: [u64; 6],
}

impl Largest {
    /// Adds an input.
    pub fn add(&mut self, report: &Report) {
        self.added += 1;
        let (before, after) = (report.before.chars, report.after.chars);
        let defects = new_defects(&report.integrity).values().sum();
        let counts = [
            before,
            after,
            report.cuts.len() as u64,
            defects,
            report.warnings.len() as u64,
            1,
        ];
        // Of inputs with equal savings, the earlier ones stay.
        let key = (
            i128::from(before) - i128::from(after),
            u64::MAX - self.added,
        );
        let name = report.input.path.clone();
        self.rows.insert(key, Row { name, counts });
        if self.rows.len() > ROWS
            && let Some((_, least)) = self.rows.pop_first()
        {
            for (sum, n) in self.rest.counts.iter_mut().zip(least.counts) {
                *sum += n;
            }
            self.rest.name = format!("{} more", counted(self.rest.counts[5], "input"));
        }
    }

    /// Adds the table, most removed first: to a text the first rows, to a page all of them.
    pub fn show<'a>(&'a self, report: &mut Document<'a>, has_page: bool) {
        let columns: [Column<&Row>; 6] = [
            (ALL, "input", Name, |row| row.name.clone()),
            (ALL, "chars", Right, |row| {
                change(row.counts[0], row.counts[1])
            }),
            (ALL, "change", Right, |row| {
                percent(row.counts[0], row.counts[1])
            }),
            (ALL, "cuts", Right, |row| commas(row.counts[2])),
            (HTML, "new defects", Right, |row| commas(row.counts[3])),
            (HTML, "warnings", Right, |row| commas(row.counts[4])),
        ];
        let rows = || self.rows.values().rev();
        let rest = Some(&self.rest).filter(|rest| rest.counts[5] > 0);
        if has_page {
            report.heading("Inputs, most chars removed first");
            report.table(HTML, rows().chain(rest), &columns);
            let rest =
                "The page of one input, or of few, has every cut; so have the reports in JSON.";
            report.paragraph(HTML, Detail, rest.to_owned());
        }
        let cut: Vec<&Row> = rows().filter(|row| row.counts[2] > 0).take(LINES).collect();
        let more = self.added.saturating_sub(cut.len() as u64);
        report.table(BRIEF, cut, &columns);
        let warnings: u64 = rows().chain(rest).map(|row| row.counts[4]).sum();
        if self.added > 0 {
            let text = format!(
                "{} more, {} in all; -v lists each",
                counted(more, "input"),
                counted(warnings, "warning")
            );
            report.field(BRIEF, "", text);
        }
    }
}
