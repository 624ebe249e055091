//! Prints reports, warnings, errors and totals, and determines the verdict of a run.

use super::*;
use crate::report::{
    Printer, TextStyle, headline,
    number_format::{dollars, growth},
    prune::{Pruning, Totals, diff},
};
use deadhead_core::stream::{Bytes, passed};
use std::fmt::Display;

/// The reports of the bodies of an input. The first is kept back until it is known whether it is
/// the only one, which needs no line.
#[derive(Default)]
pub struct Bodies {
    first: Option<Body>,
    are_any: bool,
}

/// A report, and its line if it is that of a body in lines.
type Body = (Box<Report>, Option<u64>);

impl Bodies {
    /// Receives the report of an input or of one of its bodies; returns those to print now.
    pub fn add(&mut self, (report, line): Body) -> impl Iterator<Item = Body> + use<> {
        let mut now = [line.and_then(|_| self.first.take()), Some((report, line))];
        if line.is_some() && !std::mem::replace(&mut self.are_any, true) {
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

/// Prints the warnings of a report.
pub fn warn_all(is_quiet: bool, path: &str, report: &Report) {
    for warning in &report.warnings {
        warn(is_quiet, path, warning);
    }
}

/// Warns of an input.
fn warn(is_quiet: bool, path: &str, text: impl Display) {
    if !is_quiet {
        stderr_line!("deadhead: {path}: warning: {text}");
    }
}

/// The reports of one input so far.
#[derive(Default)]
struct Outcome {
    bodies: Bodies,
    /// The bytes that belong to none of the bodies.
    between: Bytes,
    empty: bool,
}

/// Reports, errors and the verdict of a whole run.
pub struct Reporter<'a> {
    args: &'a PruneArgs,
    printer: Option<Printer<Pruning>>,
    look: TextStyle,
    out: AtomicFile,
    /// The input whose notes come.
    outcome: Outcome,
    totals: Totals,
    verdict: Verdict,
    /// Whether only the totals of the inputs are printed.
    sums: bool,
    gateway: gateway_output::GatewayOutput,
    /// Whether diffs are printed, and in colour.
    diff: Option<bool>,
    /// What is shown at the end by a pager.
    page: Option<File>,
    /// The run with another policy that is tried where nothing is cut.
    pub alternative: Option<Job>,
    /// The inputs of which nothing is cut.
    whole: Vec<PathBuf>,
    /// The policy, where it is asked what it would have saved of the whole session.
    pub settings: Option<Settings>,
    /// An input of which something is cut.
    cut: Option<PathBuf>,
}

/// The largest number of inputs of which a text report lists each.
pub const FEW: usize = 10;

impl<'a> Reporter<'a> {
    pub fn new(
        args: &'a PruneArgs,
        inputs: usize,
        terms: &WriteOptions,
        policy: &str,
    ) -> Result<Reporter<'a>> {
        let (mut out, terminal) = match args.report.as_deref() {
            None if !args.dry_run => (AtomicFile::printing(Stderr), io::stderr().is_terminal()),
            path => report_output(path, terms)?,
        };
        let page = (args.diff && terminal)
            .then(tempfile::tempfile)
            .transpose()?;
        if let Some(file) = &page {
            out = AtomicFile::printing(file.try_clone()?);
        }
        let silent = args.quiet && args.report.is_none() && !args.dry_run;
        let look = args.running.style(terminal, args.verbose);
        let policy = format!("{policy}: ");
        let printer = (!silent).then(|| Printer::new(args.shown.report_format, look, policy));
        Ok(Reporter {
            args,
            printer,
            look,
            out,
            outcome: Outcome::default(),
            totals: Totals::default(),
            verdict: Verdict::Done,
            sums: inputs > FEW && !args.verbose,
            gateway: gateway_output::GatewayOutput::new(args, terms)?,
            diff: args.diff.then_some(look.colour),
            page,
            alternative: None,
            whole: Vec::new(),
            settings: None,
            cut: None,
        })
    }

    fn report(&mut self, input: &Path, line: Option<u64>, mut report: Report) {
        if self.args.dry_run {
            report.output.planned = report
                .output
                .path
                .take()
                .filter(|_| self.args.out_dir.is_some());
        }
        if self.args.exit_code && report.is_cut() {
            self.verdict.raise(Verdict::Cut);
        }
        self.totals.add(&report);
        match report.is_cut() {
            _ if line.is_some() => {}
            true => self.cut = Some(input.to_owned()),
            false => self.whole.push(input.to_owned()),
        }
        if let Some(printer) = &mut self.printer {
            report.input.path = place_of(input, line);
            let out = &mut self.out.sink;
            let _ = if self.sums {
                printer.sum(&report, out)
            } else if line.is_some() {
                printer.brief(&report, out)
            } else {
                printer.one(&report, out)
            };
            if let Some(colour) = self.diff {
                let name = &report.input.path;
                for cut in &report.cuts {
                    let _ = out.write_all(diff(name, cut, colour).as_bytes());
                }
            }
        }
    }

    /// Writes the totals and puts the files in their places. A run in which every input failed
    /// leaves those that are there.
    pub fn finish(mut self, has_failed: bool) -> Result<Verdict> {
        if has_failed {
            self.verdict.raise(Verdict::Failed);
        }
        // For a single failed input, the error is enough.
        let failed = self.totals.inputs == 1 && self.totals.failed == 1 && self.out.is_stream();
        if let Some(printer) = self.printer.as_mut().filter(|_| !failed) {
            printer.end(&self.totals, &mut self.out.sink)?;
            if let Some((settings, input)) = self.settings.zip(self.cut)
                && let Some(saved) = whole_session::saved(self.args, settings, &input)
            {
                let line = headline(&Document::new("", saved), self.look);
                self.out.sink.write_all(line.as_bytes())?;
            }
            if let Some(job) = &self.alternative
                && self.totals.cuts == Default::default()
                && let Some(hint) = hint(&self.whole, job, self.args.running.jobs)?
            {
                let line = headline(&Document::new("hint", hint), self.look);
                self.out.sink.write_all(line.as_bytes())?;
            }
        }
        let is_failure = self.totals.failed > 0 && self.totals.failed == self.totals.inputs;
        for file in [self.out].into_iter().chain(self.gateway.files()) {
            if !is_failure || file.is_stream() {
                file.finish()?;
            }
        }
        self.page.map(pager::show).transpose()?;
        Ok(self.verdict)
    }
}

impl prune::Listener for Reporter<'_> {
    fn note(&mut self, input: &Path, note: Note) {
        // A gateway has a line for each request, in their order, and waits for it.
        let written = match &note {
            Note::Report(report, _) => self.gateway.report(report),
            Note::Passed(..) => self.gateway.passed(),
            _ => Ok(()),
        };
        if let Err(error) = written {
            self.verdict.raise(report_error(input, &error));
        }
        warn_of(self.args.quiet, input, &note);
        match note {
            Note::Report(report, line) => {
                for (report, line) in self.outcome.bodies.add((report, line)) {
                    self.report(input, line, *report);
                }
            }
            Note::Passed(_, error) => {
                let verdict = match &error {
                    Error::State(_) => Verdict::Failed,
                    error if error.is_refusal() => Verdict::Refused,
                    _ => Verdict::Done,
                };
                self.verdict.raise(verdict);
            }
            Note::Between(bytes) => self.outcome.between = bytes,
            Note::Empty => self.outcome.empty = true,
            _ => {}
        }
    }

    fn finish_input(&mut self, input: &Path, result: Result<Work>) -> Result<()> {
        let outcome = std::mem::take(&mut self.outcome);
        let between = outcome.between;
        if let Some(mut lone) = outcome.bodies.lone() {
            // The report of the only body is that of its input.
            lone.input.bytes += between.read;
            lone.output.bytes += between.written;
            self.report(input, None, *lone);
        } else {
            self.totals.bytes_in += between.read;
            self.totals.bytes_out += between.written;
        }

        match result {
            Ok(Work::Done) if outcome.empty => self.totals.add_empty(!self.args.dry_run),
            Ok(Work::Done) => {}
            Ok(Work::Skipped) => self.totals.add_skipped(),
            Err(error) => {
                self.verdict.raise(failed(input, error)?);
                self.totals.add_failed();
            }
        }
        Ok(())
    }
}

/// Returns what the run of `job` would cut from inputs, as the text behind `hint:`.
fn hint(inputs: &[PathBuf], job: &Job, jobs: usize) -> Result<Option<String>> {
    let (mut totals, mut saved) = (Totals::default(), 0.0);
    let tried = |input: &PathBuf| tried(input, job);
    in_order::in_order(threads(jobs, inputs.len()), inputs, tried, |_, report| {
        if let Some(report) = report {
            totals.add(&report);
            let next = report.cache.next_request.as_ref();
            saved += next.map_or(0.0, |next| next.usd_before - next.usd_after);
        }
        Ok(())
    })?;
    let cuts: u64 = totals.cuts.done().map(|(_, count)| count).sum();
    let share = growth(totals.before.tokens as f64, totals.after.tokens as f64);
    let saved = match saved {
        0.0001.. if inputs.len() == 1 => format!(", about {} of the next request", dollars(saved)),
        _ => String::new(),
    };
    let (preset, cuts_of) = (configuration::SAFE, counted(cuts, "result"));
    Ok((cuts > 0).then(|| format!("--preset {preset} would cut {cuts_of} ({share}{saved})")))
}

/// The report of a run that writes nothing; `None` where the input cannot be read.
fn tried(input: &Path, job: &Job) -> Option<Box<Report>> {
    let source = Source::from_file(open_input(input).ok()?, job.max_input).ok()?;
    let mut found = None;
    let mut open = || Ok(AtomicFile::stdout(Sink::Nowhere(io::sink())));
    let mut take = |note| {
        if let Note::Report(report, None) = note {
            found = Some(report);
        }
    };
    job.run(job.pruner.stream(source), &mut open, &mut take)
        .ok()?;
    found
}

/// The name of an input, or of one of its lines.
pub fn place_of(input: &Path, line: Option<u64>) -> String {
    let line = line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{}{line}", input.display())
}

/// Reports the error of a failed input and returns the verdict. A closed pipe ends the run.
///
/// # Errors
/// The pipe was closed.
pub fn failed(input: &Path, error: anyhow::Error) -> Result<Verdict> {
    if is_closed_pipe(&error) {
        Err(error)
    } else {
        Ok(report_error(input, &error))
    }
}

/// Marks an error that occurred after the beginning of an output was written to stdout.
#[derive(Debug, thiserror::Error)]
#[error("{0:#}")]
pub struct PartialFailure(pub anyhow::Error);

/// Reports why an input failed, and what that means for its output; returns what it means for the
/// verdict.
pub fn report_error(input: &Path, error: &anyhow::Error) -> Verdict {
    let partial = error.downcast_ref::<PartialFailure>();
    let error = partial.map_or(error, |partial| &partial.0);
    let ours = error.chain().find_map(|e| e.downcast_ref::<Error>());
    // A position follows its file without a space.
    let space = if ours.is_some_and(Error::has_place) {
        ""
    } else {
        " "
    };
    let name = input.display().to_string();
    let text = error
        .downcast_ref::<Error>()
        .map_or_else(|| format!("{error:#}"), |error| error.text(flag));
    let text = text.strip_prefix(&format!("{name}: ")).unwrap_or(&text);
    let outcome = match partial {
        Some(_) => "; the output is incomplete",
        None if ours.is_some_and(Error::is_unwritten) => "; nothing was written",
        None => "",
    };
    stderr_line!("deadhead: {name}:{space}{text}{outcome}");
    if ours.is_some_and(Error::is_refusal) {
        Verdict::Refused
    } else {
        Verdict::Failed
    }
}
