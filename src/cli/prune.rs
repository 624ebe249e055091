//! `deadhead prune`: from flags to inputs, outputs and reports.

use super::atomic_file::AtomicFile;
use super::identity::{self, Identity};
use super::in_order::in_order;
use super::inputs::{Inputs, inputs, named};
use super::job::Job;
use super::linux::widen;
use super::output::{PlainFile, Sink, is_discarded};
use super::outputs::{Outputs, RequestedOutputs};
use super::privacy::Privacy;
use super::reporter::{Outcome, PartialFailure, Reporter};
use super::session_state::{self, SessionState};
use super::unchanged::{Earlier, Work};
use super::{
    PruneArgs, Verdict, configuration, gateway_output, list, selection, stderr_line, streams, times,
};
use crate::config::flag;
use crate::report::ReportFormat;
use anyhow::{Result, bail};
use deadhead_core::input::Source;
use deadhead_core::internal::compose::Caller;
use deadhead_core::internal::dialect::{self, Dialect};
use deadhead_core::internal::pass::Pass;
use deadhead_core::internal::read_at::ReadAt;
use deadhead_core::internal::report::Detail;
use deadhead_core::stream::{Note, threads};
use deadhead_core::{Error, Pruner};
use serde_json::json;
use std::cell::Cell;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Runs the command.
pub fn run(args: &PruneArgs) -> Result<Verdict> {
    if let Some(help) = listing(args) {
        streams::print(help.as_bytes())?;
        return Ok(Verdict::Done);
    }
    if args.choice.force && args.choice.select.is_empty() && args.out_dir.is_none() {
        bail!("--force needs --select or --out-dir");
    }
    let named = named(&args.files, args.files_from.as_deref())?;
    if named.is_empty() && args.files_from.is_some() {
        return Ok(Verdict::Done);
    }
    let mut found = inputs(&named, args.recursive, args.out_dir.as_deref())?;
    let own = found.leave_out(args.out_dir.as_deref());
    if own > 0 && !args.quiet {
        stderr_line!(
            "deadhead: warning: {own} of the inputs are in the output directory, and not read"
        );
    }
    let Inputs {
        files: inputs,
        folders,
        unreadable,
    } = found;
    let nothing = args.dry_run || args.choice.list;
    let prints = nothing || args.report.as_deref() == Some(Path::new("-"));
    let (output, out_dir, report) = (&args.output, &args.out_dir, &args.report);
    let asked = RequestedOutputs {
        nothing,
        output,
        out_dir,
        report,
        prints,
        progress: args.running.progress,
    };
    let read: Vec<PathBuf> = configuration::files(&args.policy)?
        .into_iter()
        .chain(selection::files(&args.choice))
        .chain(
            args.files_from
                .clone()
                .filter(|path| path != Path::new("-")),
        )
        .collect();
    let outputs = Outputs::new(&asked, &inputs, &folders, &read)?;
    let places = &outputs.places;
    if let Some(state) = &args.state {
        outputs.terms.reads.refuse_path(state)?;
        streams::refuse(&super::state::reads(state), outputs.prints)?;
        session_state::check_path(state, places.iter().flatten().chain(&args.report))?;
    }
    gateway_output::check_paths(args, &outputs)?;
    let job = job(args, &inputs, &outputs)?;
    if args.choice.list {
        return list::run(args, &inputs, unreadable, &outputs, job);
    }
    let earlier = args
        .out_dir
        .as_ref()
        .and_then(|dir| Earlier::new(dir, args, &job, &inputs, places));
    let work =
        |input: &Path, place: &Option<PathBuf>, note: &mut dyn FnMut(Note)| match (&earlier, place)
        {
            (Some(earlier), Some(path)) => earlier.skip_or(input, path, note, |note| {
                one(input, place, &outputs, &job, note)
            }),
            _ => one(input, place, &outputs, &job, note).map(|_| Work::Done),
        };
    let mut reporter = Reporter::new(args, &outputs.terms)?;
    // Of folders that cannot be read the other inputs are processed all the same.
    for (path, error) in unreadable {
        reporter.finish_input(&path, Err(error.into()), Outcome::new(&None))?;
    }
    let count = if inputs.len() == 1 {
        1
    } else {
        threads(args.running.jobs, inputs.len())
    };
    if count == 1 {
        for (input, place) in inputs.iter().zip(places) {
            let mut outcome = Outcome::new(place);
            let result = work(input, place, &mut |note| {
                outputs
                    .progress
                    .suspend(|| reporter.note(input, note, &mut outcome));
            });
            outputs
                .progress
                .suspend(|| reporter.finish_input(input, result, outcome))?;
        }
    } else {
        let all: Vec<_> = inputs.iter().zip(places).collect();
        let noted = |(input, place): &(&PathBuf, &Option<PathBuf>)| {
            let mut notes = Vec::new();
            let result = work(input, place, &mut |note| notes.push(note));
            (notes, result)
        };
        in_order(count, &all, noted, |(input, place), (notes, result)| {
            let mut outcome = Outcome::new(place);
            outputs.progress.suspend(|| {
                notes
                    .into_iter()
                    .for_each(|note| reporter.note(input, note, &mut outcome));
                reporter.finish_input(input, result, outcome)
            })
        })?;
    }
    outputs.progress.clear();
    reporter.finish(
        job.session_state
            .as_ref()
            .is_some_and(SessionState::has_failed),
    )
}

/// Returns the formats that a command takes, as `--format help` prints them.
pub fn formats(takes: fn(&Dialect) -> bool) -> String {
    dialect::DIALECTS
        .iter()
        .filter(|f| takes(f))
        .map(|f| format!("{:<16} {}\n", f.name, f.about))
        .collect()
}

/// Returns the description of a pass, with the flag for its setting.
pub fn about(pass: &Pass) -> String {
    pass.about.replace("the setting select", &flag("select"))
}

/// Returns the text that `--format help` or `--pass help` prints.
fn listing(args: &PruneArgs) -> Option<String> {
    if args.format.as_deref() == Some("help") {
        return Some(formats(|_| true));
    }
    let passes = args.policy.pass.iter().chain(&args.policy.no_pass);
    passes.into_iter().any(|p| p == "help").then(|| {
        let listed = deadhead_retrieval::passes().iter();
        listed
            .map(|p| format!("{:<16} {}\n", p.name, about(p)))
            .collect()
    })
}

fn job(args: &PruneArgs, inputs: &[PathBuf], outputs: &Outputs) -> Result<Job> {
    args.format.as_deref().map(dialect::named).transpose()?;
    let scope = args.scope.as_ref().map(|s| ("scope", json!(s)));
    let mirrors = args.mirrors.then(|| ("mirrors", json!(true)));
    let mut resolved = configuration::resolve(
        &args.policy,
        scope.into_iter().chain(mirrors).collect(),
        Vec::new(),
    )?;
    let reads_stdin = inputs
        .iter()
        .chain(&args.files_from)
        .any(|input| input == Path::new("-"));
    selection::choose(&args.choice, reads_stdin, &mut resolved.settings)?;
    let now = times::now(args.now.as_deref())?;
    let last_call = args
        .last_call
        .as_deref()
        .map(|text| times::time_or_age("--last-call", text))
        .transpose()?;
    let is_piped = |path: &PathBuf| {
        identity::input(path).map_or(path == Path::new("-"), |found| {
            !found.is_file() && !found.is_dir()
        })
    };
    let is_piped = inputs.iter().any(is_piped);
    let session_state = args
        .state
        .as_ref()
        .map(|path| SessionState::new(path, args, &resolved.settings, is_piped))
        .transpose()?;
    let pruner = deadhead_retrieval::pruner(resolved.into())?.with(|setup| {
        (setup.detail, setup.caller, setup.strict_input) =
            (detail(args), caller(args), args.strict_input);
        setup.naming = flag;
        (setup.clock.last_call, setup.clock.assume_cold) = (last_call, args.assume_cold);
    });
    let pruner = of_format(pruner, args.format.as_deref())?;
    // A filter process with a state lives long; each of its calls has a time of its own.
    let pruner = if args.now.is_some() || session_state.is_none() {
        pruner.at(now)
    } else {
        pruner
    };
    let threads = if inputs.len() == 1 {
        args.running.jobs
    } else {
        1
    };
    let is_unseen = outputs.nowhere || outputs.is_stdout() && is_discarded();
    Ok(Job {
        pruner,
        session_state,
        threads,
        max_input: args.max_input.unwrap_or_default(),
        writes: !is_unseen,
    })
}

/// The same for inputs of the format that `--format` names.
pub fn of_format(pruner: Pruner, name: Option<&str>) -> Result<Pruner> {
    Ok(name.map_or_else(|| Ok(pruner.clone()), |name| pruner.format(name))?)
}

/// The text report names no ids, a quiet run nothing.
fn detail(args: &PruneArgs) -> Detail {
    match args.report_format {
        _ if args.choice.list => Detail::Parts,
        ReportFormat::Text if args.quiet && args.report.is_none() && !args.dry_run => {
            Detail::Totals
        }
        ReportFormat::Text if !args.verbose => Detail::Rows,
        _ => Detail::Full,
    }
}

/// Returns the caller's other mechanics, as the flags name them.
fn caller(args: &PruneArgs) -> Caller {
    let mut caller = Caller::default();
    caller.mechanics.clone_from(&args.compose);
    caller.already_mutated.clone_from(&args.already_mutated);
    args.header_name
        .iter()
        .for_each(|name| caller.header.clone_from(name));
    caller
}

/// Processes one input; returns its output, if that is a file.
pub fn one(
    input: &Path,
    place: &Option<PathBuf>,
    outputs: &Outputs,
    job: &Job,
    note: &mut dyn FnMut(Note),
) -> Result<Option<File>> {
    let is_stdin = input == Path::new("-");
    let file = if is_stdin {
        streams::stdin_file()?
    } else {
        File::open(input)?
    };
    let found = file.metadata()?;
    let identity = found.is_file().then(|| Identity::of(&found));
    identity
        .filter(|_| outputs.prints)
        .map_or(Ok(()), streams::refuse_opened)?;
    let has_begun = Cell::new(false);
    let mut open = || -> Result<AtomicFile> {
        Ok(match place {
            _ if outputs.nowhere => AtomicFile::stdout(Sink::Nowhere(std::io::sink())),
            Some(place) => outputs.create(place, identity, Privacy::of(&found))?,
            None => {
                let stdout = PlainFile::stdout()?;
                has_begun.set(true);
                AtomicFile::stdout(Sink::PlainFile(stdout))
            }
        })
    };
    let result = if !found.is_file() && !found.is_dir() {
        widen(&file);
        let is_filter = !outputs.nowhere && place.is_none();
        job.run(job.pruner.pipe(file, is_filter), &mut open, note)
    } else {
        let source = Source::from_file(file, job.max_input).map_err(Error::Io)?;
        let part = outputs.progress.part(found.len(), source.size());
        let progress = |done| part.at(done);
        let result = job.run(
            job.pruner.stream(source).progress(&progress),
            &mut open,
            note,
        );
        part.finish();
        result
    };
    match result {
        Err(error) if has_begun.get() && !super::is_closed_pipe(&error) => {
            Err(PartialFailure(error).into())
        }
        result => result,
    }
}
