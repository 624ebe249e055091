//! `deadhead prune --list`: lists the parts of an input that can be selected.

use super::*;
use crate::report::{document::Aside, json::Array};
use deadhead_core::diagnostics::PartRow;
use std::io::{BufWriter, Stdout};

/// Lists all inputs.
pub fn run(args: &PruneArgs, inputs: Inputs, outputs: &Outputs, job: &Job) -> Result<Verdict> {
    if !matches!(
        args.shown.report_format,
        ReportFormat::Text | ReportFormat::Json | ReportFormat::Jsonl
    ) {
        bail!("--list prints text, json or jsonl; --report-format names another");
    }
    let mut list = List {
        out: BufWriter::new(stdout()?),
        args,
        several: inputs.files.len() > 1,
        array: Array::default(),
        verdict: Verdict::Done,
        failed: None,
    };
    prune::each(inputs, outputs, job, None, 1, &mut list)?;
    if args.shown.report_format == ReportFormat::Json {
        list.array.end(&mut list.out)?;
    }
    list.out.flush()?;
    Ok(list.verdict)
}

struct List<'a> {
    out: BufWriter<Stdout>,
    args: &'a PruneArgs,
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
        match self.args.shown.report_format {
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
        let mut document = Document::default();
        if self.several {
            path.clone_into(&mut document.name);
        }
        document.table(Table::new(
            rows,
            &[
                ("select", Left, |row| row.select.clone()),
                ("kind", Left, |row| match row.kind {
                    "text" => row.role.to_owned(),
                    kind => kind.to_owned(),
                }),
                ("tool", Name, |row| row.tool.clone()),
                ("chars", Right, |row| row.chars.to_string()),
                ("tokens", Right, |row| row.tokens.to_string()),
                ("age", Right, |row| row.age.to_string()),
                ("id", Aside, |row| {
                    let id = row.call_id.as_ref();
                    id.map(|id| format!("tool:{id}")).unwrap_or_default()
                }),
                ("what", Text, |row| match (&row.stays, &row.resource) {
                    (Some(why), _) => format!(
                        "stays: {}",
                        why.trim_start_matches("it is ").trim_start_matches("the ")
                    ),
                    (None, Some(path)) if row.text.is_empty() => path.clone(),
                    (None, _) => row.text.clone(),
                }),
            ],
        ));
        self.out.write_all(printed(document).as_bytes())
    }
}
