//! `deadhead check`: reports defects that a provider would refuse, and writes repaired copies.
//!
//! A check is a run that prunes nothing: the inputs, shapes and checks are those of `prune`, and what it found is in the
//! integrity of the report.

use super::inputs::{Inputs, inputs};
use super::job::Job;
use super::outputs::{Outputs, RequestedOutputs};
use super::reporter::{Bodies, failed, warn, warn_of};
use super::state::counted;
use super::streams::{self, Stderr, stdout};
use super::{AutoChoice, CheckArgs, Verdict, prune, spoken, stderr_line};
use crate::config::flag;
use crate::report::ReportFormat;
use crate::report::json::Array;
use anyhow::{Result, bail};
use deadhead_core::diagnostics::DefectRow;
use deadhead_core::internal::check::REPAIRED;
use deadhead_core::internal::dialect::{is_known_provider, providers};
use deadhead_core::internal::engine::Task;
use deadhead_core::internal::report::Detail;
use deadhead_core::internal::terminal_text::escape;
use deadhead_core::outcome::Report;
use deadhead_core::settings::{Mode, Scope, Settings, nearest};
use deadhead_core::stream::{Note, passed};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

/// Further defects of a code are counted.
const LISTED: usize = 1000;

/// Runs the command.
pub fn run(args: &CheckArgs) -> Result<Verdict> {
    if args.format.as_deref() == Some("help") {
        streams::print(prune::formats(|_| true).as_bytes())?;
        return Ok(Verdict::Done);
    }
    let Inputs {
        files: inputs,
        folders,
        unreadable,
    } = inputs(&args.files, args.recursive, args.out_dir.as_deref())?;
    if let Some(name) = args
        .provider
        .as_deref()
        .filter(|name| !is_known_provider(name))
    {
        let near = nearest(name, providers()).map(|near| format!(": did you mean {near}?"));
        bail!("unknown provider {name:?}{}", near.unwrap_or_default());
    }
    let asked = RequestedOutputs {
        nothing: !args.repair,
        output: &args.output,
        out_dir: &args.out_dir,
        report: &None,
        prints: !args.repair,
        progress: AutoChoice::Never,
    };
    let outputs = Outputs::new(&asked, &inputs, &folders, &[])?;
    let mut settings = Settings::default();
    settings.context_pruning.mode = Mode::Off;
    settings.scope = if args.scope.as_deref() == Some("file") {
        Scope::File
    } else {
        Scope::Context
    };
    settings.model.clone_from(&args.model);
    settings.provider.clone_from(&args.provider);
    let pruner = deadhead_retrieval::pruner(settings.into())?.to(if args.repair {
        Task::Repair
    } else {
        Task::Check
    });
    let pruner = pruner.with(|setup| {
        (setup.strict_input, setup.detail, setup.naming) = (args.strict_input, Detail::Totals, flag)
    });
    let job = Job {
        pruner: prune::of_format(pruner, args.format.as_deref())?,
        session_state: None,
        threads: 0,
        max_input: args.max_input.unwrap_or_default(),
        writes: args.repair,
    };
    let mut list = List::new(args)?;
    for (path, error) in unreadable {
        list.verdict = list.verdict.max(failed(&path, error.into())?);
    }
    for (input, place) in inputs.iter().zip(&outputs.places) {
        let mut bodies = Bodies::default();
        let result = prune::one(input, place, &outputs, &job, &mut |note| match note {
            Note::Report(report, None) => list.add(input, None, &report),
            Note::Report(report, Some(line)) => {
                bodies
                    .add(report, line)
                    .for_each(|(report, line)| list.add(input, Some(line), &report));
            }
            Note::Passed(line, error) => {
                list.verdict = list.verdict.max(Verdict::Failed);
                stderr_line!(
                    "deadhead: {}:{line}: {}",
                    input.display(),
                    passed(&error, flag)
                );
            }
            other => warn_of(args.quiet, input, &other),
        });
        if let Some(report) = bodies.lone() {
            list.add(input, None, &report);
        }
        if let Err(error) = result {
            list.verdict = list.verdict.max(failed(input, error)?);
        }
    }
    list.finish()
}

/// Returns the text of an error; `-` is stdin.
fn error_text(error: &str) -> io::Result<String> {
    if error == "-" {
        return io::read_to_string(io::stdin());
    }
    Ok(error.to_owned())
}

/// The list of defects as it is printed: to stdout, or to stderr where stdout carries repaired copies.
struct List {
    out: Box<dyn Write>,
    format: Option<ReportFormat>,
    repair: bool,
    /// The provider's error of which the first defects are.
    error: Option<String>,
    is_quiet: bool,
    inputs: u64,
    found: u64,
    left: u64,
    array: Array,
    /// Objects, which wait for the end so that warnings come first.
    pending: Vec<u8>,
    verdict: Verdict,
}

impl List {
    fn new(args: &CheckArgs) -> Result<List> {
        let out: Box<dyn Write> = match args.repair || args.quiet {
            true => Box::new(Stderr),
            false => Box::new(io::BufWriter::new(stdout()?)),
        };
        Ok(List {
            out,
            format: (!args.quiet).then_some(args.report_format),
            repair: args.repair,
            error: args.error.as_deref().map(error_text).transpose()?,
            is_quiet: args.quiet,
            inputs: 0,
            found: 0,
            left: 0,
            array: Array::default(),
            pending: Vec::new(),
            verdict: Verdict::Done,
        })
    }

    /// Lists what was found in an input, or in the body of one of its lines. Nobody who stops reading stops the check.
    fn add(&mut self, input: &Path, line: Option<u64>, report: &Report) {
        let mut report = Cow::Borrowed(report);
        let mut stands = None;
        if let Some(error) = &self.error
            && spoken::sort(&mut report.to_mut().integrity.before, error) == 0
        {
            let there = std::fs::read(input).ok();
            let there = there.and_then(|bytes| spoken::stands(error, &bytes));
            let there = there.map_or(String::new(), |there| format!("; there stands {there}"));
            stands = Some(format!("nothing is found of which the error speaks{there}"));
        }
        let path = format!(
            "{}{}",
            input.display(),
            line.map(|l| format!(":{l}")).unwrap_or_default()
        );
        let (found, left) = (&report.integrity.before, &report.integrity.after);
        self.inputs += 1;
        self.found += found.len() as u64;
        self.left += left.len() as u64;
        if !left.is_empty() {
            self.verdict = self.verdict.max(Verdict::Cut);
        }
        report
            .warnings
            .iter()
            .for_each(|warning| warn(self.is_quiet, &path, warning));
        let _ = match self.format {
            None => Ok(()),
            Some(ReportFormat::Text) => {
                if let Some(stands) = stands {
                    let _ = writeln!(self.out, "{}: {}", escape(&path), escape(&stands));
                }
                self.text(&path, found, left)
            }
            Some(ReportFormat::Json) => self
                .array
                .one(&self.object(&path, &report), &mut self.pending),
            Some(_) => writeln!(self.out, "{}", self.object(&path, &report)),
        };
    }

    fn text(&mut self, path: &str, found: &[DefectRow], left: &[DefectRow]) -> io::Result<()> {
        let path = escape(path);
        if found.is_empty() && left.is_empty() {
            return writeln!(self.out, "{path}: ok");
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for defect in if self.repair { left } else { found } {
            let count = counts.entry(defect.code).or_default();
            *count += 1;
            if *count > LISTED {
                continue;
            }
            writeln!(self.out, "{path}:{}", escape(&defect.to_string()))?;
            if let Some(answer) = defect.answer() {
                writeln!(self.out, "    provider: {answer}")?;
            }
            writeln!(
                self.out,
                "    repair: {}",
                Self::advice(defect, self.repair)
            )?;
        }
        for (code, count) in counts.into_iter().filter(|(_, count)| *count > LISTED) {
            writeln!(self.out, "{path}: {code} {} more", count - LISTED)?;
        }
        if self.repair && left.len() < found.len() {
            writeln!(
                self.out,
                "{path}: {} repaired",
                counted((found.len() - left.len()) as u64, "defect")
            )?;
        }
        Ok(())
    }

    /// Returns the advice for a defect, without `--repair` where a repair has left the defect.
    fn advice(defect: &DefectRow, left: bool) -> Cow<'_, str> {
        match defect.repair.strip_suffix(REPAIRED) {
            Some(advice) if left => advice.into(),
            Some(advice) => format!("{advice} (--repair)").into(),
            None => defect.repair.into(),
        }
    }

    fn object(&self, path: &str, report: &Report) -> Value {
        let rows = |rows: &[DefectRow], left: bool| -> Value {
            let row = |d: &DefectRow| json!({"code": d.code, "message": d.message, "part": d.part, "path": d.path, "line": d.line, "callId": d.call_id, "detail": d.detail, "provider": d.answer(), "mend": Self::advice(d, left)});
            rows.iter().map(row).collect()
        };
        let mut object = json!({
            "schema": 1,
            "tool": {"name": "deadhead", "version": env!("CARGO_PKG_VERSION")},
            "input": {"path": path, "format": report.input.format},
            "defects": rows(&report.integrity.before, false),
        });
        if self.repair {
            object["left"] = rows(&report.integrity.after, true);
        }
        object
    }

    fn finish(mut self) -> Result<Verdict> {
        match self.format {
            Some(ReportFormat::Text) if self.found > 0 || self.left > 0 => {
                let over = counted(self.inputs, "input");
                let left = if self.repair {
                    format!(", {} left", self.left)
                } else {
                    String::new()
                };
                writeln!(
                    self.out,
                    "{} in {over}{left}",
                    counted(self.found, "defect")
                )?;
            }
            Some(ReportFormat::Json) => {
                self.out.write_all(&self.pending)?;
                self.array.end(&mut self.out)?;
            }
            _ => {}
        }
        self.out.flush()?;
        Ok(self.verdict)
    }
}
