//! A report independent of its output format: a headline and blocks of facts, notes, tables and charts.
//!
//! A document is built once from the result of a run. The renderers [`text`](super::text), [`markdown`](super::markdown) and
//! [`html`](super::html) do not depend on runs: a block or a column names the [`Media`] that show it.

use super::chart::Bar;
use deadhead_core::internal::tables::table;
use deadhead_replay::summary::TimelinePoint;

/// Kinds of output that show something.
#[derive(Clone, Copy)]
pub struct Media(u8);

/// A text report that is not asked for everything.
pub const BRIEF: Media = Media(1);
/// A text report that lists everything.
pub const VERBOSE: Media = Media(2);
pub const TEXT: Media = Media(1 | 2);
pub const MARKDOWN: Media = Media(4);
pub const HTML: Media = Media(8);
/// Those that list lines.
pub const LISTS: Media = Media(1 | 2 | 4);
/// Those whose lists may be long.
pub const LONG: Media = Media(2 | 4);
/// Those that have tables.
pub const TABLES: Media = Media(4 | 8);
/// Those that list everything on a screen.
pub const FULL: Media = Media(2 | 8);
/// Those that list everything.
pub const DETAILED: Media = Media(2 | 4 | 8);
pub const ALL: Media = Media(15);

impl Media {
    /// Returns whether some of these are among `others`.
    pub fn meets(self, others: Media) -> bool {
        self.0 & others.0 != 0
    }
}

/// A report.
#[derive(Default)]
pub struct Document<'a> {
    /// The line that a text report begins with.
    pub line: String,
    /// The title without the name in it: `Replay of `.
    pub title: String,
    /// The name that ends the title, as the input has it.
    pub name: String,
    /// The summary below the title.
    pub sentence: String,
    pub blocks: Vec<(Media, Block<'a>)>,
}

/// A piece of a report.
pub enum Block<'a> {
    /// A label with a text; without a label it continues the one before.
    Field(LineKind, &'static str, String),
    /// Defects or warnings, under one label. Markdown has them at the end.
    Notes(&'static str, Vec<Note>),
    /// A line that is laid out.
    Line(String),
    /// Lines of a list that may be as long as the input.
    Entries(Box<dyn Iterator<Item = Entry> + 'a>),
    Heading(&'static str),
    Paragraph(LineKind, String),
    /// Figures to be seen first, each with what it is.
    Cards(Vec<(String, String)>),
    Table(Table<'a>),
    /// Bars and their title.
    Bars(&'static str, Vec<Bar>),
    /// The context over the calls, and its title.
    Context(&'static str, &'a [TimelinePoint]),
}

/// The kind of a line or paragraph, which decides how it looks.
#[derive(Clone, Copy)]
pub enum LineKind {
    Headline,
    Plain,
    /// A less prominent line.
    Detail,
    Code,
    Warning,
    Defect,
    /// A defect that was there before.
    OldDefect,
}

/// Something to notice: what it is, where that is not plain, and one text or several.
pub struct Note {
    pub kind: LineKind,
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

/// A line of a long list: fixed words around a name, which is shortened where it must be, a reason, and further lines.
#[derive(Default)]
pub struct Entry {
    pub lead: String,
    pub name: String,
    pub tail: String,
    pub reason: Option<String>,
    pub more: Vec<String>,
}

pub use Alignment::*;
pub use LineKind::*;

/// The alignment of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Alignment {
    /// To the right, as numbers are.
    Right,
    /// To the left, on one line.
    Left,
    /// The first column of a table whose head is not repeated on paper; to the left.
    First,
    /// The place of a message: a number where columns are narrow.
    Place,
    /// To the left: a name or an id of the input.
    Name,
    /// To the left, on as many lines as it takes.
    Text,
    /// Like `Text`, with the part after a tab quoted.
    Quote,
    /// No cell: marks the best rows.
    Best,
}

/// A column: the media that show it, its title, its alignment, and the text of its cell in a row.
pub type Column<Row> = (Media, &'static str, Alignment, fn(Row) -> String);

/// A table, whose rows are made on demand.
pub struct Table<'a> {
    pub columns: Vec<(Media, &'static str, Alignment)>,
    pub rows: Box<dyn Iterator<Item = Vec<String>> + 'a>,
}

impl Table<'_> {
    /// Returns the columns that one kind of output shows: their indices, titles and alignments.
    pub fn shown(&self, media: Media) -> Vec<(usize, &'static str, Alignment)> {
        self.columns
            .iter()
            .enumerate()
            .filter(|(_, (shown, ..))| shown.meets(media))
            .map(|(at, &(_, title, side))| (at, title, side))
            .collect()
    }
}

impl<'a> Document<'a> {
    pub fn add(&mut self, media: Media, block: Block<'a>) {
        self.blocks.push((media, block));
    }

    /// Adds commands to be copied, on lines of their own, or why there are none.
    pub fn use_it(&mut self, commands: Vec<String>, none: &str) {
        if commands.is_empty() {
            return self.field(LISTS, "use it", none.to_owned());
        }
        let lines = format!("  use it\n    {}", commands.join("\n    "));
        self.add(TEXT, Block::Line(lines));
        self.heading("Use it");
        for command in commands {
            self.paragraph(TABLES, Code, command);
        }
    }

    /// Explains terms, of which each line has one and a text behind a tab.
    pub fn terms(&mut self, lines: &'static str) {
        self.heading("What the words mean");
        let rows = table("terms.tsv", lines, 2, Ok);
        for [term, text] in rows.expect("a test reads the table") {
            self.field(HTML, term, text.to_owned());
        }
    }

    pub fn heading(&mut self, heading: &'static str) {
        self.add(HTML, Block::Heading(heading));
    }

    /// Adds bars with a heading and, for those who cannot see them, a title.
    pub fn bars(&mut self, heading: &'static str, title: &'static str, bars: Vec<Bar>) {
        self.heading(heading);
        self.add(HTML, Block::Bars(title, bars));
    }

    pub fn field(&mut self, media: Media, label: &'static str, text: String) {
        self.add(media, Block::Field(Detail, label, text));
    }

    /// Adds facts, the first of them with the label.
    pub fn facts(
        &mut self,
        media: Media,
        label: &'static str,
        texts: impl IntoIterator<Item = String>,
    ) {
        for (at, text) in texts.into_iter().enumerate() {
            self.field(media, if at == 0 { label } else { "" }, text);
        }
    }

    pub fn notes(&mut self, label: &'static str, notes: impl Iterator<Item = Note>) {
        self.add(ALL, Block::Notes(label, notes.collect()));
    }

    pub fn warnings(&mut self, media: Media, texts: impl IntoIterator<Item = impl ToString>) {
        let note = |text: &dyn ToString| Note {
            kind: Warning,
            what: "",
            texts: vec![text.to_string()],
        };
        let notes = texts.into_iter().map(|text| note(&text));
        self.add(media, Block::Notes("warnings", notes.collect()));
    }

    pub fn paragraph(&mut self, media: Media, kind: LineKind, text: String) {
        self.add(media, Block::Paragraph(kind, text));
    }

    pub fn table<Row: Copy + 'a>(
        &mut self,
        media: Media,
        rows: impl IntoIterator<Item = Row, IntoIter: 'a>,
        columns: &[Column<Row>],
    ) {
        let cells: Vec<_> = columns.iter().map(|column| column.3).collect();
        let rows = rows
            .into_iter()
            .map(move |row| cells.iter().map(|cell| cell(row)).collect());
        let columns = columns
            .iter()
            .map(|&(media, title, side, _)| (media, title, side))
            .collect();
        self.add(
            media,
            Block::Table(Table {
                columns,
                rows: Box::new(rows),
            }),
        );
    }

    /// Returns the blocks that one kind of output shows.
    pub fn shown(self, media: Media) -> impl Iterator<Item = Block<'a>> {
        self.blocks
            .into_iter()
            .filter(move |(shown, _)| shown.meets(media))
            .map(|(_, block)| block)
    }
}
