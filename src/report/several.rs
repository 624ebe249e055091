//! The inputs of a run over several: a row for those of which most was saved, and the sum of the others.

use super::{document::*, html, number_format::commas, printer::Kind};

/// Inputs that have a row of their own.
const ROWS: usize = 100;
/// Inputs that a text lists.
const LINES: usize = 10;
/// Inputs of which a page has the whole report, and the bytes that these may have.
const WHOLE: usize = 10;
const DETAILS: usize = 512 << 10;

/// The figures of an input: its size without pruning and with it, and what else a kind of report has columns for.
pub type Figures = [f64; 6];

/// The inputs so far. At most [`ROWS`] are kept, so that many bodies of a pipe need no memory.
#[derive(Default)]
pub struct Several {
    /// Those of which most was saved first.
    rows: Vec<Row>,
    /// The number of the others, and the sums of their figures.
    rest: (u64, Figures),
}

struct Row {
    title: String,
    name: String,
    sentence: String,
    figures: Figures,
    /// The whole report, for a page.
    details: String,
}

impl Several {
    /// Adds an input.
    pub fn add(&mut self, document: Document<'_>, figures: Figures, is_page: bool) {
        let saved = |row: &Row| row.figures[0] - row.figures[1];
        let mut new = Row {
            title: document.whole_title(),
            name: document.name.clone(),
            sentence: document.sentence.clone(),
            figures,
            details: String::new(),
        };
        // Of inputs with equal savings, the earlier ones stay.
        let at = self.rows.partition_point(|row| saved(row) >= saved(&new));
        if is_page && at < WHOLE {
            new.details = html::blocks(document);
        }
        self.rows.insert(at, new);
        let mut space = DETAILS;
        for (at, row) in self.rows.iter_mut().enumerate().skip(1) {
            space = space.saturating_sub(row.details.len());
            if at >= WHOLE || space == 0 {
                row.details.clear();
            }
        }
        if self.rows.len() > ROWS
            && let Some(least) = self.rows.pop()
        {
            self.rest.0 += 1;
            add(&mut self.rest.1, &least.figures);
        }
    }

    /// Returns the report of the only input, for a page.
    pub fn only(&self) -> Option<String> {
        match &self.rows[..] {
            [row] => Some(html::article(&row.title, &row.sentence, &row.details)),
            _ => None,
        }
    }

    /// Returns rows and the sum of the others: for a page all that are kept, for a text a few of which something was saved.
    pub fn table<K: Kind>(&self, is_page: bool) -> Table {
        let is_shown =
            |(at, row): &(usize, &Row)| is_page || *at < LINES && row.figures[0] != row.figures[1];
        let rows = self.rows.iter().enumerate();
        let (shown, others): (Vec<_>, Vec<_>) = rows.partition(is_shown);
        let (mut count, mut sums) = self.rest;
        for (_, row) in others {
            add(&mut sums, &row.figures);
            count += 1;
        }
        let more = if is_page { "" } else { "; -v lists each" };
        let rest = format!("{} more{more}", commas(count));
        let rest = (count > 0 && !shown.is_empty()).then_some((&*rest, sums));
        let shown = shown.iter().map(|(_, row)| (&*row.name, row.figures));
        Table::new(shown.chain(rest), &K::columns())
    }

    /// Returns the whole reports, folded.
    pub fn whole(&self) -> String {
        let rows = self.rows.iter().filter(|row| !row.details.is_empty());
        rows.map(|row| html::details(&format!("{}: {}", row.name, row.sentence), &row.details))
            .collect()
    }
}

fn add(sums: &mut Figures, figures: &Figures) {
    for (sum, figure) in sums.iter_mut().zip(figures) {
        *sum += figure;
    }
}
