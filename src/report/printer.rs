//! Prints reports in every format: each report as soon as its input is done, the totals last.
//!
//! A pipe may bring ten thousand bodies, so nothing is kept here but, for JSON, the first report until it is known whether there is
//! a second, and of a page what [`Several`] keeps.

use super::*;
use clap::{
    ValueEnum,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use serde::Serialize;
use several::{Figures, Several};
use std::{
    io::{self, Write},
    marker::PhantomData,
};

/// The formats of `--report-format`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For people: a line that says it all, then details, in 80 columns
    #[default]
    Text,
    /// Schema 1, indented; several inputs give an array that ends with totals
    Json,
    /// Schema 1, one object per line; several inputs end with a line of totals
    Jsonl,
    /// Tables, for a pull request or a mail
    Markdown,
    /// One page with its pictures in it, for a browser or a printer
    Html,
}

/// Formats of a command that says more of each.
pub fn formats(
    help: &[(&'static str, &'static str)],
) -> impl TypedValueParser<Value = ReportFormat> + use<> {
    let values = help
        .iter()
        .map(|&(name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(values).try_map(|name| ReportFormat::from_str(&name, false))
}

/// A kind of report: documents for one input and for all.
pub trait Kind {
    /// The report of one input.
    type One: Serialize;
    /// The totals of all inputs.
    type All: Serialize;
    /// The kind that the totals name in JSON.
    const NAME: Option<&'static str> = None;
    /// The title of a page.
    const PAGE: &'static str;
    /// The lines of a page's glossary.
    const TERMS: &'static str = "";

    /// The report of one input.
    fn one(one: &Self::One) -> Document<'_>;

    /// The report of all inputs, before the table of them.
    fn all(all: &Self::All) -> Document<'_>;

    /// The figures of one input, and the columns for them and the name.
    fn figures(one: &Self::One) -> Figures;
    fn columns<'a>() -> Vec<Column<(&'a str, Figures)>>;

    /// Whether an input is worth a line in a brief report.
    fn is_worth_a_line(_: &Self::One) -> bool {
        true
    }

    /// Returns whether the totals add to the report of a single input.
    fn has_totals(all: &Self::All) -> bool;
}

/// Prints reports in one format.
pub struct Printer<K> {
    format: ReportFormat,
    look: TextStyle,
    /// The policy in force, which begins each result; empty where reports name policies themselves.
    policy: String,
    array: json::Array,
    several: Several,
    kind: PhantomData<K>,
}

/// The last object of a stream of reports, known by its key `totals`.
#[derive(Serialize)]
struct TotalsObject<'a, T> {
    schema: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    totals: &'a T,
}

impl<K: Kind> Printer<K> {
    /// Creates a printer. The look applies to text only: files for programs do not depend on the terminal.
    pub fn new(format: ReportFormat, look: TextStyle, policy: String) -> Printer<K> {
        Printer {
            format,
            look,
            policy,
            array: json::Array::default(),
            several: Several::default(),
            kind: PhantomData,
        }
    }

    /// Prints the report of one input.
    pub fn one(&mut self, one: &K::One, out: &mut dyn Write) -> io::Result<()> {
        match self.format {
            ReportFormat::Text => put(text::render(self.document(one), self.look), out),
            ReportFormat::Json => self.array.one(one, out),
            ReportFormat::Jsonl => line(one, out),
            ReportFormat::Markdown => put(markdown::render(self.document(one)), out),
            ReportFormat::Html => {
                self.several.add(self.document(one), K::figures(one), true);
                Ok(())
            }
        }
    }

    /// Prints the report of one body of a pipe: in text at most the first line, and only if there is something to report.
    pub fn brief(&mut self, one: &K::One, out: &mut dyn Write) -> io::Result<()> {
        match self.format {
            ReportFormat::Text if !self.look.verbose => match K::is_worth_a_line(one) {
                true => put(text::headline(&self.document(one), self.look), out),
                false => Ok(()),
            },
            _ => self.one(one, out),
        }
    }

    /// Takes one of many inputs: text shows only those that the totals name.
    pub fn sum(&mut self, one: &K::One, out: &mut dyn Write) -> io::Result<()> {
        if self.format == ReportFormat::Text {
            self.several.add(K::one(one), K::figures(one), false);
            return Ok(());
        }
        self.one(one, out)
    }

    /// Prints the totals, if there was more than one input, and the end that the format requires.
    pub fn end(&mut self, all: &K::All, out: &mut dyn Write) -> io::Result<()> {
        let is_several = K::has_totals(all);
        let last = TotalsObject {
            schema: 1,
            kind: K::NAME,
            totals: all,
        };
        match self.format {
            ReportFormat::Html => put(self.page(all), out),
            ReportFormat::Json if is_several || self.array.is_empty() => {
                self.array.end_with(&last, out)
            }
            ReportFormat::Json => self.array.end(out),
            _ if !is_several => Ok(()),
            ReportFormat::Text => put(text::render(self.all(all), self.look), out),
            ReportFormat::Jsonl => line(&last, out),
            ReportFormat::Markdown => put(markdown::render(self.all(all)), out),
        }
    }

    fn document<'a>(&self, one: &'a K::One) -> Document<'a> {
        let mut document = K::one(one);
        document.sentence.insert_str(0, &self.policy);
        document
    }

    /// The report of all inputs, with a table of those that have none of their own.
    fn all<'a>(&self, all: &'a K::All) -> Document<'a> {
        let mut document = K::all(all);
        document.sentence.insert_str(0, &self.policy);
        let is_page = self.format == ReportFormat::Html;
        document.heading("Inputs, most saved first");
        document.table(self.several.table::<K>(is_page));
        document
    }

    /// The page, with the totals unless there is one input with a report.
    fn page(&self, all: &K::All) -> String {
        let only = self.several.only().filter(|_| !K::has_totals(all));
        let article = only.unwrap_or_else(|| {
            let document = self.all(all);
            let (title, sentence) = (document.whole_title(), document.sentence.clone());
            let blocks = html::blocks(document) + &self.several.whole();
            html::article(&title, &sentence, &blocks)
        });
        let terms = match K::TERMS {
            "" => String::new(),
            lines => html::blocks(terms(lines)),
        };
        html::page(K::PAGE, &(article + &terms))
    }
}

fn line(object: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    put(serde_json::to_string(object)? + "\n", out)
}

fn put(text: String, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(text.as_bytes())
}
