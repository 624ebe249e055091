//! `deadhead prune --list`: lists the parts of an input that can be selected.

use super::job::Job;
use super::outputs::Outputs;
use super::reporter::{failed, warn, warn_of};
use super::streams::stdout;
use super::{PruneArgs, Verdict, prune};
use crate::report::ReportFormat;
use crate::report::json::Array;
use anyhow::{Result, bail};
use deadhead_core::diagnostics::PartRow;
use deadhead_core::internal::terminal_text::escape;
use deadhead_core::outcome::Report;
use deadhead_core::stream::Note;
use serde_json::json;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Columns of a line in a terminal.
const WIDTH: usize = 80;

/// Lists all inputs.
pub fn run(
    args: &PruneArgs,
    inputs: &[PathBuf],
    unreadable: Vec<(PathBuf, io::Error)>,
    outputs: &Outputs,
    job: Job,
) -> Result<Verdict> {
    if !matches!(
        args.report_format,
        ReportFormat::Text | ReportFormat::Json | ReportFormat::Jsonl
    ) {
        bail!("--list prints text, json or jsonl; --report-format names another");
    }
    let mut list = List {
        out: Box::new(BufWriter::new(stdout()?)),
        format: args.report_format,
        width: if io::stdout().is_terminal() {
            Some(WIDTH)
        } else {
            None
        },
        several: inputs.len() > 1,
        quiet: args.quiet,
        array: Array::default(),
        verdict: Verdict::Done,
        failed: None,
    };
    for (path, error) in unreadable {
        list.verdict = list.verdict.max(failed(&path, error.into())?);
    }
    for input in inputs {
        let result = prune::one(input, &None, outputs, &job, &mut |note| {
            outputs.progress.suspend(|| list.note(input, note))
        });
        let result = list.failed.take().map_or(result, |error| Err(error.into()));
        if let Err(error) = result {
            list.verdict = list
                .verdict
                .max(outputs.progress.suspend(|| failed(input, error))?);
        }
    }
    outputs.progress.clear();
    list.finish()
}

struct List {
    out: Box<dyn Write>,
    format: ReportFormat,
    /// Columns to cut a line to.
    width: Option<usize>,
    several: bool,
    quiet: bool,
    array: Array,
    verdict: Verdict,
    failed: Option<io::Error>,
}

impl List {
    fn note(&mut self, input: &Path, note: Note) {
        warn_of(self.quiet, input, &note);
        if let Note::Report(report, line) = note {
            let line = line.map(|line| format!(":{line}")).unwrap_or_default();
            let result = self.add(&format!("{}{line}", input.display()), &report);
            self.failed = self.failed.take().or(result.err());
        }
    }

    fn add(&mut self, path: &str, report: &Report) -> io::Result<()> {
        report
            .warnings
            .iter()
            .for_each(|warning| warn(self.quiet, path, warning));
        let input = json!({"path": path, "format": report.input.format});
        match self.format {
            ReportFormat::Json => {
                let object = json!({"schema": 1, "tool": report.tool, "input": input, "parts": report.parts});
                self.array.one(&object, &mut self.out)
            }
            ReportFormat::Jsonl => report.parts.iter().try_for_each(|row| {
                let mut object = serde_json::to_value(row)?;
                object["input"] = json!(path);
                writeln!(self.out, "{object}")
            }),
            _ => self.table(path, &report.parts),
        }
    }

    fn table(&mut self, path: &str, rows: &[PartRow]) -> io::Result<()> {
        if self.several {
            writeln!(self.out, "{}", escape(path))?;
        }
        let select = rows
            .iter()
            .map(|row| row.select.len())
            .max()
            .unwrap_or(0)
            .max("SELECT".len());
        let id = |row: &PartRow| {
            row.call_id
                .as_ref()
                .map(|id| escape(&format!("tool:{id}")))
                .unwrap_or_default()
        };
        let ids = rows
            .iter()
            .map(|row| id(row).len())
            .max()
            .unwrap_or(0)
            .clamp(2, 48);
        let mut line = |cells: [&str; 8]| {
            let [selector, kind, tool, chars, tokens, age, id, what] = cells;
            let id = if self.width.is_some() {
                String::new()
            } else {
                format!("{id:ids$}  ")
            };
            let text = format!(
                "{selector:select$}  {kind:9}  {:12}  {chars:>8}  {tokens:>7}  {age:>4}  {id}{what}",
                cut(tool, 12)
            );
            writeln!(
                self.out,
                "{}",
                cut(text.trim_end(), self.width.unwrap_or(usize::MAX))
            )
        };
        line([
            "SELECT", "KIND", "TOOL", "CHARS", "TOKENS", "AGE", "ID", "WHAT",
        ])?;
        for row in rows {
            let kind = if row.kind == "text" {
                row.role
            } else {
                row.kind
            };
            let what = match (&row.stays, &row.resource) {
                (Some(why), _) => format!(
                    "stays: {}",
                    why.trim_start_matches("it is ").trim_start_matches("the ")
                ),
                (None, Some(path)) if self.width.is_some() => path.clone(),
                (None, _) => row.text.clone(),
            };
            let (chars, tokens, age) = (
                row.chars.to_string(),
                row.tokens.to_string(),
                row.age.to_string(),
            );
            line([
                &row.select,
                kind,
                &escape(&row.tool),
                &chars,
                &tokens,
                &age,
                &id(row),
                &escape(&what),
            ])?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Verdict> {
        if self.format == ReportFormat::Json {
            self.array.end(&mut self.out)?;
        }
        self.out.flush()?;
        Ok(self.verdict)
    }
}

/// The first `columns` chars of a text, the last of them an ellipsis where it continues.
pub fn cut(text: &str, columns: usize) -> String {
    match text.chars().nth(columns) {
        None => text.to_owned(),
        Some(_) => text
            .chars()
            .take(columns.saturating_sub(1))
            .chain(['…'])
            .collect(),
    }
}
