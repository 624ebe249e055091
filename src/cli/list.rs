//! `deadhead prune --list`: lists the parts of an input that can be selected.

use super::*;
use crate::report::json::Array;
use deadhead_core::diagnostics::PartRow;
use std::io::{BufWriter, Stdout};

/// Columns of a line in a terminal.
const WIDTH: usize = 80;

/// Lists all inputs.
pub fn run(args: &PruneArgs, inputs: Inputs, outputs: &Outputs, job: &Job) -> Result<Verdict> {
    if !matches!(
        args.report_format,
        ReportFormat::Text | ReportFormat::Json | ReportFormat::Jsonl
    ) {
        bail!("--list prints text, json or jsonl; --report-format names another");
    }
    let mut list = List {
        out: BufWriter::new(stdout()?),
        args,
        width: io::stdout().is_terminal().then_some(WIDTH),
        several: inputs.files.len() > 1,
        array: Array::default(),
        verdict: Verdict::Done,
        failed: None,
    };
    prune::each(inputs, outputs, job, None, 1, &mut list)?;
    if args.report_format == ReportFormat::Json {
        list.array.end(&mut list.out)?;
    }
    list.out.flush()?;
    Ok(list.verdict)
}

struct List<'a> {
    out: BufWriter<Stdout>,
    args: &'a PruneArgs,
    /// Columns to cut a line to.
    width: Option<usize>,
    several: bool,
    array: Array,
    verdict: Verdict,
    failed: Option<io::Error>,
}

impl prune::Listener for List<'_> {
    fn note(&mut self, input: &Path, note: Note) {
        reporter::warn_of(self.args.quiet, input, &note);
        if let Note::Report(report, line) = note {
            let result = self.add(&place_of(input, line), &report);
            self.failed = self.failed.take().or(result.err());
        }
    }

    fn finish_input(&mut self, input: &Path, result: Result<Work>) -> Result<()> {
        let unwritten = self.failed.take().map(Into::into);
        if let Some(error) = unwritten.or(result.err()) {
            self.verdict.raise(failed(input, error)?);
        }
        Ok(())
    }
}

impl List<'_> {
    fn add(&mut self, path: &str, report: &Report) -> io::Result<()> {
        reporter::warn_all(self.args.quiet, path, report);
        match self.args.report_format {
            ReportFormat::Json => {
                let input = json!({"path": path, "format": report.input.format});
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
        let id = |row: &PartRow| {
            row.call_id
                .as_ref()
                .map(|id| escape(&format!("tool:{id}")))
                .unwrap_or_default()
        };
        let select = rows
            .iter()
            .map(|row| row.select.len())
            .fold("SELECT".len(), usize::max);
        let ids = rows
            .iter()
            .map(|row| id(row).len())
            .fold(2, usize::max)
            .min(48);
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
            line([
                &row.select,
                kind,
                &escape(&row.tool),
                &row.chars.to_string(),
                &row.tokens.to_string(),
                &row.age.to_string(),
                &id(row),
                &escape(&what),
            ])?;
        }
        Ok(())
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
