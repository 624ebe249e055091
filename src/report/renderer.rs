//! One door to all report formats: reports go in one by one as inputs are done, the totals last.
//!
//! A pipe may bring ten thousand bodies, so nothing is held here but, for JSON, the first report until it is known
//! whether there is a second.

use super::{Totals, html, json, jsonl, markdown, page, text};
use deadhead_core::outcome::Report;
use std::io::{self, Write};

/// The formats of `--report-format`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
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

/// Prints reports in one format.
pub struct Renderer(Kind);

enum Kind {
    Silent,
    Text(page::Look),
    Json(json::Array),
    Jsonl,
    Markdown,
    Html(html::Page),
}

impl Renderer {
    /// A renderer. `colour` and `verbosity` concern text alone: 1 lists every cut and skip, -1 prints nothing; files
    /// that a program reads do not depend on how chatty the terminal is.
    pub fn new(format: ReportFormat, colour: bool, verbosity: i8) -> Renderer {
        Renderer(match format {
            ReportFormat::Text if verbosity < 0 => Kind::Silent,
            ReportFormat::Text => Kind::Text(page::Look { colour, verbose: verbosity > 0 }),
            ReportFormat::Json => Kind::Json(json::Array::default()),
            ReportFormat::Jsonl => Kind::Jsonl,
            ReportFormat::Markdown => Kind::Markdown,
            ReportFormat::Html => Kind::Html(html::Page::default()),
        })
    }

    /// Prints what one input came to.
    pub fn one(&mut self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        match &mut self.0 {
            Kind::Silent => Ok(()),
            Kind::Text(look) => text::one(report, *look, out),
            Kind::Json(array) => array.one(report, out),
            Kind::Jsonl => jsonl::one(report, out),
            Kind::Markdown => markdown::one(report, out),
            Kind::Html(page) => page.one(report),
        }
    }

    /// Prints what one body of a pipe came to: in text no more than the first line, and that only if something was cut.
    pub fn brief(&mut self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        match &mut self.0 {
            Kind::Text(look) if !look.verbose => text::brief(report, *look, out),
            _ => self.one(report, out),
        }
    }

    /// Prints the totals, if there was more than one input, and what the format needs to end well.
    pub fn end(&mut self, totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
        let several = totals.inputs > 1;
        match &mut self.0 {
            Kind::Json(array) => array.end(totals, out),
            Kind::Html(page) => page.end(totals, out),
            Kind::Text(look) if several => text::totals(totals, *look, out),
            Kind::Jsonl if several => jsonl::totals(totals, out),
            Kind::Markdown if several => markdown::totals(totals, out),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{self, print};
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn names_are_those_of_the_flag() {
        let names = ReportFormat::value_variants().iter().filter_map(|f| f.to_possible_value());
        let names: Vec<_> = names.map(|v| v.get_name().to_owned()).collect();
        assert_eq!(names, ["text", "json", "jsonl", "markdown", "html"]);
    }

    #[test]
    fn quiet_silences_text_and_nothing_else() {
        let reports = [samples::pruned(), samples::untouched()];
        assert_eq!(print(ReportFormat::Text, -1, &reports), "");
        for &format in &ReportFormat::value_variants()[1..] {
            assert_eq!(print(format, -1, &reports), print(format, 1, &reports));
        }
    }
}
