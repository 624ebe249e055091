//! A report independent of its output format: what it is about, its result in a sentence, and blocks.
//!
//! A document is built once from the result of a run. Each renderer ([`text`](super::text), [`markdown`](super::markdown) and
//! [`html`](super::html)) draws every block in its own way and knows nothing of runs.

use deadhead_core::internal::tables::table;
use deadhead_replay::summary::TimelinePoint;

/// A report.
#[derive(Default)]
pub struct Document<'a> {
    /// The title without the name in it: `Replay of `.
    pub title: &'static str,
    /// The name that ends the title and begins a text, as the input has it.
    pub name: String,
    /// The result.
    pub sentence: String,
    pub blocks: Vec<Block<'a>>,
}

/// A piece of a report.
pub enum Block<'a> {
    /// A label with a text; without a label it continues the one before.
    Fact(&'static str, String),
    /// Defects or warnings, under one label.
    Notes(&'static str, Vec<Note>),
    /// Commands to be copied, each on a line of its own.
    Commands(Vec<String>),
    /// What the next blocks are about; a text needs none.
    Heading(&'static str),
    Table(Table),
    /// The context over the calls.
    Context(&'a [TimelinePoint]),
    /// What a brief text leaves out, made when it is drawn.
    Detail(Box<dyn FnOnce() -> Document<'a> + 'a>),
}

/// Something to notice: what it is, where that is not plain, and one text or several.
pub struct Note {
    pub is_defect: bool,
    pub what: &'static str,
    pub texts: Vec<String>,
}

impl Note {
    /// Returns some of its texts behind what it is.
    pub fn with_what(&self, text: &str) -> String {
        match self.what {
            "" => text.to_owned(),
            what => format!("{what}: {text}"),
        }
    }
}

pub use Alignment::*;

/// The alignment of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Alignment {
    /// To the right, as numbers are.
    Right,
    /// Like `Right`; left out of a text where there is no space.
    Aside,
    /// To the left, on one line.
    Left,
    /// The place of a message: a number where columns are narrow.
    Place,
    /// To the left: a name or an id of the input.
    Name,
    /// The last column, a path of which the end tells most: what all rows have in common stands in its title.
    Tail,
    /// To the left, on as many lines as it takes; behind the other columns.
    Text,
    /// Like `Text`, with the part after a tab quoted.
    Quote,
    /// No cell: marks the best rows.
    Best,
}

/// A column: its title, its alignment, and the text of its cell in a row.
pub type Column<Row> = (&'static str, Alignment, fn(Row) -> String);

/// A table.
#[derive(Default)]
pub struct Table {
    pub columns: Vec<(&'static str, Alignment)>,
    pub rows: Vec<Vec<String>>,
    /// The number of rows that a brief text shows.
    pub brief: usize,
    /// For each row, if a page draws them, an amount without pruning and with it.
    pub bars: Vec<[f64; 2]>,
}

impl Table {
    pub fn new<Row: Copy>(rows: impl IntoIterator<Item = Row>, columns: &[Column<Row>]) -> Table {
        let cells = |row| columns.iter().map(|column| column.2(row)).collect();
        Table {
            columns: columns.iter().map(|column| (column.0, column.1)).collect(),
            rows: rows.into_iter().map(cells).collect(),
            brief: usize::MAX,
            bars: Vec::new(),
        }
    }

    /// Shows so many rows in a brief text.
    pub fn brief(self, brief: usize) -> Table {
        Table { brief, ..self }
    }

    /// Draws a bar for each row.
    pub fn bars(self, bars: impl Iterator<Item = [f64; 2]>) -> Table {
        Table {
            bars: bars.collect(),
            ..self
        }
    }
}

impl<'a> Document<'a> {
    /// A report on what has this name.
    pub fn new(name: impl Into<String>, sentence: impl Into<String>) -> Document<'a> {
        Document {
            name: name.into(),
            sentence: sentence.into(),
            ..Document::default()
        }
    }

    /// Gives it a title, without the name in it.
    pub fn titled(self, title: &'static str) -> Document<'a> {
        Document { title, ..self }
    }

    /// Returns the title with the name.
    pub fn whole_title(&self) -> String {
        format!("{}{}", self.title, self.name)
    }

    /// Returns the blocks, with those of details or without.
    pub fn flat(self, is_whole: bool) -> Vec<Block<'a>> {
        let all = self.blocks.into_iter().flat_map(|block| match block {
            Block::Detail(more) if is_whole => more().flat(true),
            Block::Detail(_) => Vec::new(),
            block => vec![block],
        });
        all.collect()
    }

    pub fn add(&mut self, block: Block<'a>) {
        self.blocks.push(block);
    }

    pub fn fact(&mut self, label: &'static str, text: impl Into<String>) {
        self.add(Block::Fact(label, text.into()));
    }

    /// Adds facts, the first of them with the label.
    pub fn facts(&mut self, label: &'static str, texts: impl IntoIterator<Item = String>) {
        for (at, text) in texts.into_iter().enumerate() {
            self.fact(if at == 0 { label } else { "" }, text);
        }
    }

    /// Adds commands to be copied, or why there are none.
    pub fn use_it(&mut self, commands: Vec<String>, none: &str) {
        if commands.is_empty() {
            return self.fact("use it", none);
        }
        self.heading("Use it");
        self.add(Block::Commands(commands));
    }

    pub fn heading(&mut self, heading: &'static str) {
        self.add(Block::Heading(heading));
    }

    pub fn notes(&mut self, label: &'static str, notes: impl Iterator<Item = Note>) {
        let notes: Vec<Note> = notes.collect();
        if !notes.is_empty() {
            self.add(Block::Notes(label, notes));
        }
    }

    pub fn warnings(&mut self, texts: impl IntoIterator<Item = impl ToString>) {
        let notes = texts.into_iter().map(|text| Note {
            is_defect: false,
            what: "",
            texts: vec![text.to_string()],
        });
        self.notes("warnings", notes);
    }

    /// Adds a table, if it has rows.
    pub fn table(&mut self, table: Table) {
        if !table.rows.is_empty() {
            self.add(Block::Table(table));
        }
    }

    /// Adds what a brief text leaves out.
    pub fn detail(&mut self, of: impl FnOnce(&mut Document<'a>) + 'a) {
        let made = || {
            let mut detail = Document::default();
            of(&mut detail);
            detail
        };
        self.add(Block::Detail(Box::new(made)));
    }
}

/// A glossary, of whose lines each has a term and a text behind a tab.
pub fn terms(lines: &'static str) -> Document<'static> {
    let mut document = Document::default();
    document.heading("What the words mean");
    let rows = table("terms.tsv", lines, 2, Ok);
    for [term, text] in rows.expect("a test reads the table") {
        document.fact(term, text);
    }
    document
}
