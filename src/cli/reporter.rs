//! Prints reports, warnings, errors and totals, and determines the verdict of a run.

use super::atomic_file::{AtomicFile, WriteOptions};
use super::gateway_output::GatewayOutput;
use super::outputs::ReportOutput;
use super::streams::Stderr;
use super::unchanged::Work;
use super::{PruneArgs, Verdict, stderr_line};
use crate::config::flag;
use crate::report::prune::{Pruning, Totals};
use crate::report::{Printer, TextStyle};
use anyhow::Result;
use deadhead_core::outcome::Report;
use deadhead_core::stream::{Bytes, Note, passed};
use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal};
use std::path::{Path, PathBuf};

/// The reports of the bodies of an input. The first is kept back: whether it is the only one, and needs no line, shows later.
#[derive(Default)]
pub struct Bodies {
    first: Option<(Box<Report>, u64)>,
    are_any: bool,
}

impl Bodies {
    /// Takes the report of a body with its line; gives those to print now.
    pub fn add(
        &mut self,
        report: Box<Report>,
        line: u64,
    ) -> impl Iterator<Item = (Box<Report>, u64)> + use<> {
        let mut now = [self.first.take(), Some((report, line))];
        if !std::mem::replace(&mut self.are_any, true) {
            self.first = now[1].take();
        }
        now.into_iter().flatten()
    }

    /// The report of the only body.
    pub fn lone(self) -> Option<Box<Report>> {
        self.first.map(|(report, _)| report)
    }
}

/// Warns of a body that passes through, and of an empty input.
pub fn warn_of(is_quiet: bool, input: &Path, note: &Note) {
    let name = input.display();
    match note {
        Note::Passed(line, error) => warn(is_quiet, &format!("{name}:{line}"), passed(error, flag)),
        Note::Empty => warn(is_quiet, &name.to_string(), "the input is empty"),
        _ => {}
    }
}

/// Warns of an input.
pub fn warn(is_quiet: bool, path: &str, text: impl Display) {
    if !is_quiet {
        stderr_line!("deadhead: {path}: warning: {text}");
    }
}

/// The reports of one input so far.
pub struct Outcome {
    /// The path of its output for the report; `-` is stdout.
    place: String,
    bodies: Bodies,
    /// The bytes that belong to none of the bodies.
    between: Bytes,
    empty: bool,
    verdict: Verdict,
}

impl Outcome {
    pub fn new(place: &Option<PathBuf>) -> Outcome {
        let place = place
            .as_ref()
            .map_or_else(|| "-".to_owned(), |place| place.display().to_string());
        Outcome {
            place,
            bodies: Bodies::default(),
            between: Bytes::default(),
            empty: false,
            verdict: Verdict::Done,
        }
    }
}

/// Reports, errors and the verdict of a whole run.
pub struct Reporter {
    printer: Option<Printer<Pruning>>,
    out: ReportOutput,
    totals: Totals,
    verdict: Verdict,
    exit_code: bool,
    quiet: bool,
    dry_run: bool,
    /// Whether a dry run says where it would write.
    plans: bool,
    gateway: GatewayOutput,
}

impl Reporter {
    pub fn new(args: &PruneArgs, terms: &WriteOptions) -> Result<Reporter> {
        let (out, terminal) = match args.report.as_deref() {
            None if !args.dry_run => (
                ReportOutput::Stream(Box::new(BufWriter::new(Stderr))),
                io::stderr().is_terminal(),
            ),
            path => ReportOutput::new(path, terms)?,
        };
        let silent = args.quiet && args.report.is_none() && !args.dry_run;
        let look = TextStyle {
            colour: args.running.color.colours(terminal),
            verbose: args.verbose,
        };
        let printer = (!silent).then(|| Printer::new(args.report_format, look));
        Ok(Reporter {
            printer,
            out,
            totals: Totals::default(),
            verdict: Verdict::Done,
            exit_code: args.exit_code,
            quiet: args.quiet,
            dry_run: args.dry_run,
            plans: args.dry_run && args.out_dir.is_some(),
            gateway: GatewayOutput::new(args, terms)?,
        })
    }

    pub fn note(&mut self, input: &Path, note: Note, outcome: &mut Outcome) {
        // A gateway has a line for each request, in their order, and waits for it.
        let written = match &note {
            Note::Report(report, _) => self.gateway.report(report),
            Note::Passed(..) => self.gateway.passed(),
            _ => Ok(()),
        };
        if let Err(error) = written {
            self.verdict = self.verdict.max(report_error(input, &error));
        }
        warn_of(self.quiet, input, &note);
        match note {
            Note::Report(report, None) => self.report(input, &outcome.place, None, *report),
            Note::Report(report, Some(line)) => {
                outcome.bodies.add(report, line).for_each(|(report, line)| {
                    self.report(input, &outcome.place, Some(line), *report)
                });
            }
            Note::Passed(_, error) => {
                outcome.verdict = outcome.verdict.max(match &error {
                    deadhead_core::Error::State(_) => Verdict::Failed,
                    error if error.is_refusal() => Verdict::Refused,
                    _ => Verdict::Done,
                });
            }
            Note::Between(bytes) => outcome.between = bytes,
            Note::Empty => outcome.empty = true,
            _ => {}
        }
    }

    fn report(&mut self, input: &Path, place: &str, line: Option<u64>, mut report: Report) {
        report.output.path = (!self.dry_run).then(|| place.to_owned());
        report.output.planned = self.plans.then(|| place.to_owned());
        if self.exit_code && report.is_cut() {
            self.verdict = self.verdict.max(Verdict::Cut);
        }
        self.totals.add(&report);
        if let Some(printer) = &mut self.printer {
            let brief = line.is_some();
            let line = line.map(|l| format!(":{l}")).unwrap_or_default();
            report.input.path = format!("{}{line}", input.display());
            let out = self.out.writer();
            let _ = if brief {
                printer.brief(&report, out)
            } else {
                printer.one(&report, out)
            };
        }
    }

    /// Takes note of how an input ended. A closed pipe ends the run.
    pub fn finish_input(
        &mut self,
        input: &Path,
        result: Result<Work>,
        outcome: Outcome,
    ) -> Result<()> {
        let between = outcome.between;
        if let Some(mut lone) = outcome.bodies.lone() {
            // The report of a lone body is that of its input.
            lone.input.bytes += between.read;
            lone.output.bytes += between.written;
            self.report(input, &outcome.place, None, *lone);
        } else {
            self.totals.add_bytes(between.read, between.written);
        }
        self.verdict = self.verdict.max(outcome.verdict);
        let error = match result {
            Ok(Work::Done) => {
                if outcome.empty {
                    self.totals.add_empty(!self.dry_run);
                }
                return Ok(());
            }
            Ok(Work::Skipped) => {
                self.totals.add_skipped();
                return Ok(());
            }
            Err(error) => error,
        };
        self.verdict = self.verdict.max(failed(input, error)?);
        self.totals.add_failed();
        Ok(())
    }

    /// Writes the totals and puts the files in their places. A run in which every input failed leaves those that are there.
    pub fn finish(mut self, has_failed: bool) -> Result<Verdict> {
        if has_failed {
            self.verdict = self.verdict.max(Verdict::Failed);
        }
        // Of one input that failed the error says all.
        let failed = self.totals.inputs == 1
            && self.totals.failed == 1
            && matches!(self.out, ReportOutput::Stream(_));
        if let Some(printer) = self.printer.as_mut().filter(|_| !failed) {
            printer.end(&self.totals, self.out.writer())?;
        }
        let is_failure = self.totals.failed > 0 && self.totals.failed == self.totals.inputs;
        let report = match self.out {
            ReportOutput::File(file) => Some(file),
            stream => stream.finish().map(|()| None)?,
        };
        let files = report.into_iter().chain(self.gateway.files());
        files
            .filter(|file| !is_failure || file.is_stream())
            .try_for_each(AtomicFile::finish)?;
        Ok(self.verdict)
    }
}

/// Reports the error of a failed input and returns the verdict. A closed pipe ends the run.
///
/// # Errors
/// The pipe was closed.
pub fn failed(input: &Path, error: anyhow::Error) -> Result<Verdict> {
    if super::is_closed_pipe(&error) {
        Err(error)
    } else {
        Ok(report_error(input, &error))
    }
}

/// An error that came when stdout had the beginning of an output already.
#[derive(Debug)]
pub struct PartialFailure(pub anyhow::Error);

impl std::fmt::Display for PartialFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#}", self.0)
    }
}

impl std::error::Error for PartialFailure {}

/// Reports why an input failed, and what that means for its output; returns what it means for the verdict.
pub fn report_error(input: &Path, error: &anyhow::Error) -> Verdict {
    let partial = error.downcast_ref::<PartialFailure>();
    let error = partial.map_or(error, |partial| &partial.0);
    let ours = error
        .chain()
        .find_map(|e| e.downcast_ref::<deadhead_core::Error>());
    // A position follows its file without a space.
    let space = if ours.is_some_and(deadhead_core::Error::has_place) {
        ""
    } else {
        " "
    };
    let name = input.display().to_string();
    let text = error
        .downcast_ref::<deadhead_core::Error>()
        .map_or_else(|| format!("{error:#}"), |error| error.text(flag));
    let text = text.strip_prefix(&format!("{name}: ")).unwrap_or(&text);
    let outcome = match partial {
        Some(_) => "; the output is incomplete",
        None if ours.is_some_and(deadhead_core::Error::is_unwritten) => "; nothing was written",
        None => "",
    };
    stderr_line!("deadhead: {name}:{space}{text}{outcome}");
    if ours.is_some_and(deadhead_core::Error::is_refusal) {
        Verdict::Refused
    } else {
        Verdict::Failed
    }
}
