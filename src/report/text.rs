//! Renders a document as text: labels, indents, the columns of the terminal, few colours.
//!
//! Only the first line may be longer where there is no terminal. All text from the input is escaped by
//! [`terminal_text`](deadhead_core::internal::terminal_text), and colours are added last, so that they do not count as columns.

use super::{chart::sparkline, *};
use deadhead_core::internal::terminal_text::{escape, fill, shorten, width, wrap};
use rustix::termios::tcgetwinsize;
use std::io::{IsTerminal, stderr, stdout};

/// Columns of a line where there is no terminal, the first line of a report excepted.
pub const COLUMNS: usize = 80;
/// Columns that a fact's label takes, its indent included.
const LABEL: usize = 15;
/// Columns of a path for which others give way.
const PATH: usize = 30;
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
    /// Whether the first line is broken as well: elsewhere a path is useful only in full.
    pub is_terminal: bool,
}

/// What a line is, which decides its colour.
#[derive(Clone, Copy)]
enum Kind {
    Headline,
    Plain,
    Warning,
    Defect,
}

/// Returns a document.
pub fn render(document: Document<'_>, look: TextStyle) -> String {
    let mut page = Page {
        text: headline(&document, look),
        // A table alone is for programs as well.
        indent: if document.sentence.is_empty() {
            ""
        } else {
            "  "
        },
        look,
    };
    page.blocks(document);
    page.text
}

/// Returns a document whole and without colours, in the columns of the terminal if stdout is one; elsewhere lines have no end.
pub fn printed(document: Document<'_>) -> String {
    let columns = columns().filter(|_| stdout().is_terminal());
    let look = TextStyle {
        colour: false,
        verbose: true,
        columns: columns.unwrap_or(usize::MAX),
        is_terminal: columns.is_some(),
    };
    render(document, look)
}

/// The columns of the terminal, if there is one: from 60 to 120.
pub fn columns() -> Option<usize> {
    let size = tcgetwinsize(stderr()).or_else(|_| tcgetwinsize(stdout()));
    let columns = usize::from(size.ok()?.ws_col);
    (columns > 0).then(|| columns.clamp(60, 120))
}

/// Returns the first line of a document alone; none where it says nothing.
pub fn headline(document: &Document<'_>, look: TextStyle) -> String {
    let line = match (&*document.name, &*document.sentence) {
        ("", "") => return String::new(),
        ("", line) | (line, "") => line.to_owned(),
        (name, sentence) => format!("{name}: {sentence}"),
    };
    let lines = match look.is_terminal {
        true => wrap(&line, look.columns).join("\n"),
        false => escape(&line),
    };
    styled(Kind::Headline, &lines, look)
}

/// Returns a line with its colour.
fn styled(kind: Kind, text: &str, look: TextStyle) -> String {
    let code = match kind {
        _ if !look.colour => return format!("{text}\n"),
        Kind::Headline => 1,
        Kind::Plain => 2,
        Kind::Warning => 33,
        Kind::Defect => 31,
    };
    format!("\x1b[{code}m{text}\x1b[0m\n")
}

/// The output under construction.
struct Page {
    text: String,
    /// Before the lines of tables.
    indent: &'static str,
    look: TextStyle,
}

impl Page {
    fn blocks(&mut self, document: Document<'_>) {
        for block in document.flat(self.look.verbose) {
            match block {
                Block::Fact(label, text) => self.fact(Kind::Plain, label, &text),
                Block::Context(calls) => self.fact(Kind::Plain, "context", &sparkline(calls)),
                Block::Notes(label, notes) => self.notes(label, &notes),
                Block::Commands(commands) => {
                    let commands = commands.iter().map(|command| escape(command));
                    self.line(&format!("  use it\n    {}", joined(commands, "\n    ")));
                }
                Block::Table(table) => self.table(table),
                Block::Detail(_) | Block::Heading(_) => {}
            }
        }
    }

    fn line(&mut self, text: &str) {
        self.text += &styled(Kind::Plain, text, self.look);
    }

    fn notes(&mut self, label: &str, notes: &[Note]) {
        let kind = |note: &Note| match note.is_defect {
            true => Kind::Defect,
            false => Kind::Warning,
        };
        for (at, note) in notes.iter().take(NOTES).enumerate() {
            let label = if at == 0 { label } else { "" };
            self.fact(kind(note), label, &note.with_what(&note.texts.join(", ")));
        }
        if notes.len() > NOTES {
            let more = commas((notes.len() - NOTES) as u64);
            self.fact(kind(&notes[0]), "", &format!("… and {more} more"));
        }
    }

    /// Adds a table. The first column has what is left beside the others, and a longer name a line of its own. Texts are behind the
    /// other columns as far as the line goes or, where everything is listed, whole below them.
    fn table(&mut self, mut table: Table) {
        let more = table.rows.len();
        if !self.look.verbose {
            table.rows.truncate(table.brief);
        }
        let more = more - table.rows.len();
        let mut titles: Vec<String> = table.columns.iter().map(|column| column.0.into()).collect();
        for (at, &(_, side)) in table.columns.iter().enumerate() {
            let cells = table.rows.iter_mut().map(|row| &mut row[at]);
            match side {
                Best => {
                    titles[at].clear();
                    cells.for_each(|cell| cell.truncate(1));
                }
                Tail => titles[at] += &without_common_folder(cells.collect()),
                _ => {}
            }
        }
        table.rows.insert(0, titles);
        for cell in table.rows.iter_mut().flatten() {
            *cell = joined(cell.split('\t').map(escape), "\t");
        }
        let widest = |at: usize| table.rows.iter().map(|row| width(&row[at])).max();
        let columns = table.columns.iter().enumerate();
        let (texts, mut columns): (Vec<_>, Vec<_>) = columns
            .map(|(at, column)| (at, column.1, widest(at).unwrap_or(0)))
            .partition(|column| matches!(column.1, Text | Quote));
        let limit = self.look.columns;
        let needs = |column: &(_, Alignment, usize)| match column.1 {
            Tail => 2 + column.2.min(PATH),
            _ => 2 + column.2,
        };
        let is_wide = columns.iter().map(needs).sum::<usize>() > limit;
        columns.retain(|column| !is_wide || column.1 != Aside);
        for (number, row) in table.rows.iter().enumerate() {
            let mut line = String::new();
            let (first, first_side, widest) = columns[0];
            let first_widest = widest + self.indent.len();
            for &(at, side, widest) in columns.iter().skip(1) {
                line += "  ";
                line += &match side {
                    Right | Aside => " ".repeat(widest.saturating_sub(width(&row[at]))) + &row[at],
                    Tail => end(&row[at], limit.saturating_sub(width(&line) + first_widest)),
                    _ => fill(&row[at], widest),
                };
            }
            let left = first_widest.min(limit.saturating_sub(width(&line)).max(LABEL));
            let mut name = match first_side {
                Right | Place => format!("{:>first_widest$}", row[first]),
                _ => format!("{}{}", self.indent, row[first]),
            };
            if width(&name) > left {
                self.line(&shorten(&name, limit));
                name.clear();
            }
            line.insert_str(0, &fill(&name, left));
            let behind = texts.iter().map(|text| &*row[text.0]);
            let behind = behind.filter(|text| !text.trim().is_empty());
            let beside = joined(behind.clone(), "; ").replace('\t', " ");
            let is_below = self.look.verbose && width(&line) + 2 + width(&beside) > limit;
            if !is_below {
                line += &format!("  {beside}");
            }
            self.line(&shorten(line.trim_end(), limit));
            for text in behind.flat_map(|text| text.split('\t')) {
                if is_below && number > 0 && !text.is_empty() {
                    self.wrapped(Kind::Plain, ["    ", "        "], text);
                }
            }
        }
        if more > 0 {
            self.line(&format!("  {} more with -v", commas(more as u64)));
        }
    }

    /// Adds a label with a text; further lines are aligned with the first.
    fn fact(&mut self, kind: Kind, label: &str, text: &str) {
        let lead = fill(&format!("  {label}"), LABEL);
        self.wrapped(kind, [&lead, &" ".repeat(LABEL)], text);
    }

    /// Adds a text on as many lines as it takes; the leads are those of the first line and of the others.
    fn wrapped(&mut self, kind: Kind, [first, others]: [&str; 2], text: &str) {
        let lines = wrap(text, self.look.columns - others.len());
        for (at, line) in lines.into_iter().enumerate() {
            let lead = if at == 0 { first } else { others };
            self.text += &styled(kind, &format!("{lead}{line}"), self.look);
        }
    }
}

/// Takes away the folder that all paths lie in, if there are several; returns it, to stand behind a title.
fn without_common_folder(mut paths: Vec<&mut String>) -> String {
    paths.retain(|path| path.contains('/'));
    let [first, others @ ..] = &paths[..] else {
        return String::new();
    };
    let alike = |other: &&mut String| {
        let pairs = first.bytes().zip(other.bytes());
        pairs.take_while(|(a, b)| a == b).count()
    };
    let length = others.iter().map(alike).min().unwrap_or(0);
    let Some(slash @ 1..) = first[..].as_bytes()[..length]
        .iter()
        .rposition(|byte| *byte == b'/')
    else {
        return String::new();
    };
    let title = format!(" in {}", &first[..=slash]);
    paths.iter_mut().for_each(|path| drop(path.drain(..=slash)));
    title
}

/// The end of a text in at most this many columns, with `…` for a beginning that did not fit.
fn end(text: &str, limit: usize) -> String {
    if width(text) <= limit {
        return text.to_owned();
    }
    let reversed: String = text.chars().rev().collect();
    shorten(&reversed, limit).chars().rev().collect()
}
