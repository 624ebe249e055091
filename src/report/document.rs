//! What a report says, before anybody decides how it looks: a headline and blocks of facts, notes, tables and pictures.
//!
//! A document is built once from what a run came to. The renderers [`text`](super::text), [`markdown`](super::markdown) and
//! [`html`](super::html) know nothing of runs: a block, a fact or a column names the [`Media`] that show it.

use super::chart::Bar;
use deadhead_replay::summary::Moment;

/// Kinds of output that show something.
#[derive(Clone, Copy, PartialEq, Eq)]
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
/// Those that have tables.
pub const TABLES: Media = Media(4 | 8);
/// Those that have room for details.
pub const ROOMY: Media = Media(1 | 2 | 8);
pub const ALL: Media = Media(15);

impl Media {
    /// Whether some of these are among `others`.
    pub fn meets(self, others: Media) -> bool {
        self.0 & others.0 != 0
    }
}

/// A report.
#[derive(Default)]
pub struct Document<'a> {
    /// The line that a text report begins with, and all that a brief one has.
    pub line: String,
    /// The title without the name in it: `Replay of `.
    pub title: String,
    /// The name that ends the title, as the input has it.
    pub name: String,
    /// What the report comes to, below the title.
    pub sentence: String,
    pub blocks: Vec<(Media, Block<'a>)>,
}

/// A piece of a report.
pub enum Block<'a> {
    /// Labels, each with a text.
    Facts(Facts),
    /// Defects or warnings, under one label. Markdown has them at the end.
    Notes(&'static str, Vec<Note>),
    /// Lines that are laid out.
    Lines(Vec<String>),
    /// Lines for a list that may be as long as the input.
    Entries(Box<dyn Iterator<Item = Entry> + 'a>),
    Heading(&'static str),
    /// A sentence or more.
    Paragraph(Style, String),
    /// Figures that are to be seen first, each with what it is.
    Cards(Vec<(String, String)>),
    Table(Table<'a>),
    /// Bars and their title.
    Bars(&'static str, Vec<Bar>),
    /// The context over the calls, and its title.
    Context(&'static str, &'a [Moment]),
}

/// What a line is about, and so its colour.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Headline,
    Detail,
    Warning,
    Defect,
    /// A defect that was there before.
    OldDefect,
}

/// How a paragraph looks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Plain,
    Soft,
    Code,
    Warning,
    Defect,
}

/// A label with a text; without a label it continues the one before.
pub struct Fact {
    pub media: Media,
    pub tone: Tone,
    pub label: &'static str,
    pub text: String,
}

/// Facts in their order.
#[derive(Default)]
pub struct Facts(Vec<Fact>);

impl Facts {
    pub fn add(&mut self, media: Media, label: &'static str, text: String) {
        self.0.push(Fact { media, tone: Tone::Detail, label, text });
    }

    /// Adds texts of which the first has the label.
    pub fn list(&mut self, media: Media, label: &'static str, texts: impl IntoIterator<Item = String>) {
        for (at, text) in texts.into_iter().enumerate() {
            self.add(media, if at == 0 { label } else { "" }, text);
        }
    }

    pub fn warn(&mut self, label: &'static str, text: String) {
        self.0.push(Fact { media: ALL, tone: Tone::Warning, label, text });
    }

    /// The facts that one kind of output shows.
    pub fn shown(self, media: Media) -> impl Iterator<Item = Fact> {
        self.0.into_iter().filter(move |fact| fact.media.meets(media))
    }
}

/// Something to notice: what it is, where that is not plain, and one text or several.
pub struct Note {
    pub tone: Tone,
    pub what: &'static str,
    pub texts: Vec<String>,
}

/// A line of a long list: fixed words around a name, which is shortened where it must be, and a reason.
#[derive(Default)]
pub struct Entry {
    pub lead: String,
    pub name: String,
    pub tail: String,
    pub reason: Option<String>,
}

/// How the cells of a column are set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// To the right, as numbers are.
    Right,
    /// To the left, on one line.
    Left,
    /// To the left, as a page sets its first column anyway.
    First,
    /// The place of a message: a number where columns are narrow.
    Place,
    /// To the left: a name or an id of the input.
    Name,
    /// To the left, on as many lines as it takes.
    Text,
    /// The same; what is behind a tab is quoted.
    Quote,
    /// No cell of its own: whether the row is one of the best.
    Best,
}

/// A column: who shows it, its title, and how it is set.
pub type Column = (Media, &'static str, Side);

/// A table, whose rows are made when they are asked for.
pub struct Table<'a> {
    /// Whether a page has it without a head that is repeated on paper.
    pub plain: bool,
    pub columns: Vec<Column>,
    pub rows: Box<dyn Iterator<Item = Vec<String>> + 'a>,
}

impl<'a> Table<'a> {
    pub fn new<I>(columns: &[Column], rows: I) -> Table<'a>
    where
        I: IntoIterator<Item = Vec<String>>,
        I::IntoIter: 'a,
    {
        Table { plain: false, columns: columns.to_vec(), rows: Box::new(rows.into_iter()) }
    }

    pub fn plain(self) -> Table<'a> {
        Table { plain: true, ..self }
    }
}

impl<'a> Document<'a> {
    /// Adds a block that some media show.
    pub fn add(&mut self, media: Media, block: Block<'a>) {
        self.blocks.push((media, block));
    }

    /// Adds notes, if there are any.
    pub fn note(&mut self, label: &'static str, notes: Vec<Note>) {
        if !notes.is_empty() {
            self.add(ALL, Block::Notes(label, notes));
        }
    }

    /// The blocks that one kind of output shows.
    pub fn shown(self, media: Media) -> impl Iterator<Item = Block<'a>> {
        self.blocks.into_iter().filter(move |(shown, _)| shown.meets(media)).map(|(_, block)| block)
    }
}
