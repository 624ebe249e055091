//! Renders a document as text: labels, indents, the columns of the terminal, few colours.
//!
//! Only the first line may be longer, because a path is useful only in full. All text from the input is escaped by
//! [`terminal_text`](deadhead_core::internal::terminal_text), and colours are added last, so that they do not count as columns.

use super::*;
use deadhead_core::internal::terminal_text::{escape, fill, shorten, width, wrap};

/// Columns of a line where there is no terminal, the first line of a report excepted.
pub const COLUMNS: usize = 80;
/// Columns that a fact's label takes, its indent included.
const LABEL: usize = 15;
/// The number of notes that are listed; the others are counted.
const NOTES: usize = 5;

/// The style of a text report.
#[derive(Clone, Copy)]
pub struct TextStyle {
    /// Whether to use ANSI colours.
    pub colour: bool,
    /// Whether to list everything.
    pub verbose: bool,
    /// Columns of a line.
    pub columns: usize,
}

/// Returns a document.
pub fn render(document: Document<'_>, look: TextStyle) -> String {
    let mut page = Page {
        text: headline(&document.line, look),
        look,
    };
    let media = if look.verbose { VERBOSE } else { BRIEF };
    for block in document.shown(media) {
        match block {
            Block::Field(kind, label, text) => page.field(kind, label, &text),
            Block::Notes(label, notes) => page.notes(label, &notes),
            Block::Line(line) => page.text += &styled(Detail, &line, look),
            Block::Table(table) => page.table(table, media),
            Block::Entries(entries) => entries.for_each(|entry| page.entry(&entry)),
            _ => {}
        }
    }
    page.text
}

/// Returns the headline of a document alone.
pub fn headline(line: &str, look: TextStyle) -> String {
    styled(Headline, &escape(line), look)
}

/// Returns a line with its colour.
fn styled(kind: LineKind, text: &str, look: TextStyle) -> String {
    let code = match kind {
        _ if !look.colour => return format!("{text}\n"),
        Headline => 1,
        Plain | Detail | Code => 2,
        Warning => 33,
        Defect | OldDefect => 31,
    };
    format!("\x1b[{code}m{text}\x1b[0m\n")
}

/// The output under construction.
struct Page {
    text: String,
    look: TextStyle,
}

impl Page {
    fn notes(&mut self, label: &str, notes: &[Note]) {
        for (at, note) in notes.iter().take(NOTES).enumerate() {
            let label = if at == 0 { label } else { "" };
            self.field(note.kind, label, &note.with_what(&note.texts.join(", ")));
        }
        if notes.len() > NOTES {
            let more = commas((notes.len() - NOTES) as u64);
            self.field(notes[0].kind, "", &format!("… and {more} more"));
        }
    }

    /// Adds a table, if it has rows. The first column has what is left beside the others, and a longer name a line of its own; the last
    /// is shortened unless it has figures.
    fn table(&mut self, table: Table<'_>, media: Media) {
        let shown = table.shown(media);
        let cell = |row: &[String], &(at, _, side): &(usize, _, _)| match side {
            Best if row[at].is_empty() => String::new(),
            Best => "*".to_owned(),
            _ => escape(&row[at].replace('\t', " ")),
        };
        let cells = |row: Vec<String>| shown.iter().map(|column| cell(&row, column)).collect();
        let title = |&(_, title, side): &(usize, &str, _)| match side {
            Best => String::new(),
            _ => title.to_owned(),
        };
        let titles = shown.iter().map(title);
        let mut rows: Vec<Vec<String>> = vec![titles.collect()];
        rows.extend(table.rows.map(cells));
        if rows.len() == 1 {
            return;
        }
        let widest = |at: usize| rows.iter().map(|row| width(&row[at])).max().unwrap_or(0);
        let widths: Vec<usize> = (0..shown.len()).map(widest).collect();
        let line = self.look.columns.min(COLUMNS);
        for row in &rows {
            let mut others = String::new();
            for ((cell, width), column) in row.iter().zip(&widths).zip(&shown).skip(1) {
                let gap = " ".repeat(2 + width.saturating_sub(super::text::width(cell)));
                others += &match column.2 {
                    Right => gap + cell,
                    _ => format!("  {}", fill(cell, *width)),
                };
            }
            let left = (2 + widths[0]).min(line.saturating_sub(width(&others)).max(LABEL));
            let name = format!("  {}", row[0]);
            if width(&name) > left {
                self.text += &styled(Detail, &shorten(&name, line), self.look);
            }
            let name = fill(if width(&name) > left { "" } else { &name }, left);
            let text = shorten((name + &others).trim_end(), line);
            self.text += &styled(Detail, &text, self.look);
        }
    }

    /// Adds an entry: on one line with its reason if that fits, else with the reason on further lines.
    fn entry(&mut self, entry: &Entry) {
        let Entry {
            lead,
            name,
            tail,
            reason,
            more,
        } = entry;
        let tail = if tail.is_empty() {
            String::new()
        } else {
            format!("  {tail}")
        };
        let facts = match name.trim() {
            "" => format!("{lead}{tail}"),
            name => {
                let left = self
                    .look
                    .columns
                    .saturating_sub(4 + width(lead) + width(&tail));
                format!("{lead}  {}{tail}", shorten(name, left))
            }
        };
        let reason = reason.as_ref().map(|reason| escape(reason));
        match reason {
            None => self.indented("  ", &facts),
            Some(reason) if 2 + width(&facts) + 2 + width(&reason) <= self.look.columns => {
                self.indented("  ", &format!("{facts}  {reason}"));
            }
            Some(reason) => {
                self.indented("  ", &facts);
                self.indented("    ", &reason);
            }
        }
        for text in more {
            self.indented("    ", text);
        }
    }

    /// Adds a label with a text; further lines are aligned with the first.
    fn field(&mut self, kind: LineKind, label: &str, text: &str) {
        let lead = fill(&format!("  {label}"), LABEL);
        self.wrapped(
            kind,
            [lead, " ".repeat(LABEL)],
            text,
            self.look.columns - LABEL,
        );
    }

    /// Adds a line with this indent; if it is broken, further lines are indented by four more.
    fn indented(&mut self, indent: &str, text: &str) {
        let limit = self.look.columns - indent.len();
        let text = escape(text);
        let limit = if width(&text) <= limit {
            limit
        } else {
            limit - 4
        };
        let leads = [indent.to_owned(), format!("{indent}    ")];
        self.wrapped(Detail, leads, &text, limit);
    }

    /// Adds a text on as many lines as it takes; the leads are those of the first line and of the others.
    fn wrapped(&mut self, kind: LineKind, [first, others]: [String; 2], text: &str, limit: usize) {
        for (at, line) in wrap(text, limit).into_iter().enumerate() {
            let lead = if at == 0 { &first } else { &others };
            self.text += &styled(kind, &format!("{lead}{line}"), self.look);
        }
    }
}
