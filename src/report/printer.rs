//! Prints reports in every format: each report as soon as its input is done, the totals last.
//!
//! A pipe may bring ten thousand bodies, so nothing is kept here but, for JSON, the first report until it is known whether there is
//! a second. Each [`Kind`] decides what its page keeps.

use super::*;
use clap::{
    ValueEnum,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use serde::Serialize;
use std::io::{self, Write};

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

/// A kind of report: documents for one input and for all, and their page.
pub trait Kind: Default {
    /// The report of one input.
    type One: Serialize;
    /// The totals of all inputs.
    type All: Serialize;
    /// The kind that the totals name in JSON.
    const NAME: Option<&'static str> = None;

    /// The report of one input.
    fn one(one: &Self::One) -> Document<'_>;

    /// The report of all inputs.
    fn all<'a>(&'a self, all: &'a Self::All) -> Document<'a>;

    /// The line of an input in a brief report, if it is worth one.
    fn brief(_: &Self::One) -> Option<String> {
        None
    }

    /// Returns whether the totals add to the report of a single input.
    fn has_totals(all: &Self::All) -> bool;

    /// Adds an input to the page.
    fn add(&mut self, one: &Self::One);

    /// Adds an input to the totals of a text report.
    fn sum(&mut self, _: &Self::One) {}

    /// Returns the page.
    fn page(&self, all: &Self::All) -> String;
}

/// Prints reports in one format.
pub struct Printer<K> {
    format: ReportFormat,
    look: TextStyle,
    array: json::Array,
    kind: K,
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
    pub fn new(format: ReportFormat, look: TextStyle) -> Printer<K> {
        Printer {
            format,
            look,
            array: json::Array::default(),
            kind: K::default(),
        }
    }

    /// Prints the report of one input.
    pub fn one(&mut self, one: &K::One, out: &mut dyn Write) -> io::Result<()> {
        match self.format {
            ReportFormat::Text => put(text::render(K::one(one), self.look), out),
            ReportFormat::Json => self.array.one(one, out),
            ReportFormat::Jsonl => line(one, out),
            ReportFormat::Markdown => put(markdown::render(K::one(one)), out),
            ReportFormat::Html => {
                self.kind.add(one);
                Ok(())
            }
        }
    }

    /// Prints the report of one body of a pipe: in text at most the first line, and only if there is something to report.
    pub fn brief(&mut self, one: &K::One, out: &mut dyn Write) -> io::Result<()> {
        match self.format {
            ReportFormat::Text if !self.look.verbose => {
                let line = K::brief(one).map(|line| text::headline(&line, self.look));
                put(line.unwrap_or_default(), out)
            }
            _ => self.one(one, out),
        }
    }

    /// Takes one of many inputs: text shows only those that the totals name.
    pub fn sum(&mut self, one: &K::One, out: &mut dyn Write) -> io::Result<()> {
        if self.format == ReportFormat::Text {
            self.kind.sum(one);
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
            ReportFormat::Html => put(self.kind.page(all), out),
            ReportFormat::Json if is_several || self.array.is_empty() => {
                self.array.end_with(&last, out)
            }
            ReportFormat::Json => self.array.end(out),
            _ if !is_several => Ok(()),
            ReportFormat::Text => put(text::render(self.kind.all(all), self.look), out),
            ReportFormat::Jsonl => line(&last, out),
            ReportFormat::Markdown => put(markdown::render(self.kind.all(all)), out),
        }
    }
}

fn line(object: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    put(serde_json::to_string(object)? + "\n", out)
}

fn put(text: String, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(text.as_bytes())
}
