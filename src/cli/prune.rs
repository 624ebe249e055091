//! `deadhead prune`: from flags to inputs, outputs and reports.

use super::{
    folder::try_write,
    inputs::named,
    reporter::{PartialFailure, Reporter},
    session_state::SessionState,
    unchanged::Earlier,
    *,
};
use deadhead_core::{
    internal::{compose::Caller, dialect::Layout, pass::Pass},
    settings::{Mode, Resolved, Words, listing, presets},
};
use deadhead_retrieval::passes;
use std::{cell::Cell, env::ArgsOs, ffi::OsString};

/// Runs the command. A log is no text for a screen: at a terminal it is a dry run, unless an output
/// is named.
pub fn run(args: &mut PruneArgs) -> Result<Verdict> {
    let is_unread = !args.dry_run
        && args.output.is_none()
        && args.out_dir.is_none()
        && streams::would_fill_screen(&args.files);
    args.dry_run |= is_unread;
    let verdict = run_as_asked(args)?;
    if is_unread {
        hints::say("-o FILE writes the pruned log".to_owned());
    }
    Ok(verdict)
}

fn run_as_asked(args: &PruneArgs) -> Result<Verdict> {
    if args.choice.force && args.choice.select.is_empty() && args.out_dir.is_none() {
        bail!("--force needs --select or --out-dir");
    }
    if args.diff && args.shown.report_format != ReportFormat::Text {
        bail!("--diff prints text; --report-format names another");
    }
    let named = named(&args.files, args.files_from.as_deref())?;
    if named.is_empty() && args.files_from.is_some() {
        return Ok(Verdict::Done);
    }
    let mut found = inputs(&named, args.out_dir.as_deref())?;
    let own = found.leave_out(args.out_dir.as_deref());
    found.listed(&named[args.files.len()..]);
    if own > 0 && !args.quiet {
        stderr_line!(
            "deadhead: warning: {own} of the inputs are in the output directory, and not read"
        );
    }
    let scope = args.scope.as_ref().map(|s| ("scope", json!(s)));
    let copies = args.log_copies.then(|| ("mirrors", json!(true)));
    let flags = scope.into_iter().chain(copies).collect();
    let configuration = configuration::resolve(&args.policy, flags, Vec::new())?;
    let outputs = outputs(args, &found, configuration.files)?;
    let policy = configuration::in_force(&configuration.resolved);
    let mode = configuration.resolved.settings.context_pruning.mode;
    let settings =
        whole_session::is_asked(args, &found).then(|| configuration.resolved.settings.clone());
    let job = job(args, &found.files, &outputs, configuration.resolved)?;
    if args.choice.list {
        return list::run(args, found, &outputs, &job);
    }
    if let Some(selector) = &args.choice.why {
        return why::run(args, selector, &found, &outputs, job);
    }
    let earlier = args
        .out_dir
        .as_ref()
        .and_then(|dir| Earlier::new(dir, args, &job, &found.files, &outputs.places));
    let mut reporter = Reporter::new(args, found.files.len(), &outputs.terms, &policy)?;
    reporter.alternative = alternative(args, &found, &job, mode)?;
    reporter.settings = settings;
    let count = match found.files.len() {
        1 => 1,
        several => threads(args.running.jobs, several),
    };
    each(
        found,
        &outputs,
        &job,
        earlier.as_ref(),
        count,
        &mut reporter,
    )?;
    reporter.finish(
        job.session_state
            .as_ref()
            .is_some_and(SessionState::has_failed),
    )
}

/// Returns the run that a hint describes if nothing is cut: with the policy for running sessions,
/// if all inputs are files.
fn alternative(args: &PruneArgs, found: &Inputs, job: &Job, mode: Mode) -> Result<Option<Job>> {
    let are_files = found.files.iter().all(|input| input.is_file());
    let is_text = args.shown.report_format == ReportFormat::Text && !args.quiet;
    let differs = !matches!(mode, Mode::BreakEven | Mode::Off);
    let is_wanted = are_files && is_text && differs && job.session_state.is_none();
    is_wanted
        .then(|| job.with_preset(&args.policy, configuration::SAFE))
        .transpose()
}

/// Where the notes of an input go.
pub type Noted<'a> = &'a mut dyn FnMut(Note);

/// What a command makes of its inputs.
pub trait Listener {
    /// Receives a note about an input; a report names the output.
    fn note(&mut self, input: &Path, note: Note);

    /// Receives the result of an input.
    ///
    /// # Errors
    /// The run ends.
    fn finish_input(&mut self, input: &Path, result: Result<Work>) -> Result<()>;
}

/// Processes each input on `count` threads, unless its output is one of an `earlier` run; the
/// listener hears of them in their order.
pub fn each(
    inputs: Inputs,
    outputs: &Outputs,
    job: &Job,
    earlier: Option<&Earlier>,
    count: usize,
    listener: &mut dyn Listener,
) -> Result<()> {
    // If a folder cannot be read, the other inputs are still processed.
    for (path, error) in inputs.unreadable {
        listener.finish_input(&path, Err(error.into()))?;
    }
    let work = |(input, place): &(&PathBuf, &Option<PathBuf>), note: Noted<'_>| {
        let note: Noted<'_> = &mut |mut found| {
            if let Note::Report(report, _) = &mut found {
                let place = place.as_deref().unwrap_or(Path::new("-"));
                report.output.path = Some(place.display().to_string());
            }
            note(found);
        };
        let process = |note: Noted<'_>| one(input, place, outputs, job, note);
        match (earlier, place) {
            (Some(earlier), Some(path)) => earlier.skip_or(input, path, note, process),
            _ => process(note).map(|_| Work::Done),
        }
    };
    let all: Vec<_> = inputs.files.iter().zip(&outputs.places).collect();
    let progress = &outputs.progress;
    if count == 1 {
        for each in &all {
            let result = work(each, &mut |note| {
                progress.suspend(|| listener.note(each.0, note));
            });
            progress.suspend(|| listener.finish_input(each.0, result))?;
        }
    } else {
        let noted = |each: &_| {
            let mut notes = Vec::new();
            let result = work(each, &mut |note| notes.push(note));
            (notes, result)
        };
        in_order::in_order(count, &all, noted, |(input, _), (notes, result)| {
            progress.suspend(|| {
                for note in notes {
                    listener.note(input, note);
                }
                listener.finish_input(input, result)
            })
        })?;
    }
    progress.clear();
    Ok(())
}

/// Plans the outputs; `read` is what the run reads beside its inputs.
fn outputs(args: &PruneArgs, found: &Inputs, mut read: Vec<PathBuf>) -> Result<Outputs> {
    let nothing = args.dry_run || args.choice.list || args.choice.why.is_some();
    let asked = RequestedOutputs {
        nothing,
        output: &args.output,
        out_dir: &args.out_dir,
        report: &args.report,

        progress: args.running.progress,
    };
    read.extend(selection::files(&args.choice));
    read.extend(args.files_from.clone().filter(|path| !is_dash(path)));
    let outputs = Outputs::new(&asked, found, &read)?;
    if let Some(state) = &args.state {
        streams::refuse(&state::reads(state), outputs.prints)?;
    }
    gateway_output::check_paths(args, &outputs)?;
    // A dry run must not succeed where the run fails. Only a state makes its folders.
    let state = args.state.as_ref().filter(|_| !args.state_optional);
    let written = [
        (state, usize::MAX),
        (args.sidecar.as_ref(), 2),
        (args.log.as_ref(), 2),
    ];
    for (path, above) in written {
        if let Some(path) = path.filter(|_| args.dry_run) {
            try_write(path, above).with_context(|| cannot_write(path))?;
        }
    }
    Ok(outputs)
}

/// Returns the formats that a command takes, if `--format help` asks for them, whatever else is
/// typed.
pub fn formats(typed: ArgsOs) -> Option<String> {
    let typed: Vec<_> = typed.collect();
    if asks(&typed, "--mode") {
        return Some(Mode::WORDS.join("\n") + "\n");
    }
    if asks(&typed, "--preset") {
        return Some(listing(None));
    }
    if asks(&typed, "--pass") || asks(&typed, "--no-pass") {
        return Some(lines(known("pass")));
    }
    let takes: fn(&&Dialect) -> bool = match typed.get(1)?.to_str()? {
        "prune" | "check" | "test" => |_| true,
        // An agent's log has calls, and is written as a request.
        "replay" | "advise" | "emit" | "judge" => |format| format.calls.can_be_replayed(),
        "fork" => |format| format.session().is_some(),
        "slim" => |format| format.layout == Layout::History,
        _ => return None,
    };
    let formats = DIALECTS.iter().filter(takes);
    let formats = formats.map(|format| (format.name, format.about.to_owned()));
    asks(&typed, "--format").then(|| lines(formats))
}

fn lines(named: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let named = named.into_iter();
    named
        .map(|(name, about)| format!("{name:<16} {about}\n"))
        .collect()
}

/// Whether a flag is asked what it takes.
fn asks(typed: &[OsString], flag: &str) -> bool {
    let joined = OsString::from(format!("{flag}=help"));
    typed
        .windows(2)
        .any(|two| two == [flag, "help"] || two[1] == joined)
}

/// Returns the names that a flag knows, each with a line about it: presets, passes or formats.
pub fn known(name: &str) -> Vec<(&'static str, String)> {
    match name {
        "preset" => presets()
            .iter()
            .map(|preset| (&*preset.name, preset.about.clone()))
            .collect(),
        "pass" | "no-pass" => {
            let select = flag("select");
            let about = |pass: &Pass| pass.about.replace("the setting select", &select);
            passes()
                .iter()
                .map(|pass| (pass.name, about(pass)))
                .collect()
        }
        "format" => DIALECTS
            .iter()
            .map(|format| (format.name, format.about.to_owned()))
            .collect(),
        _ => Vec::new(),
    }
}

fn job(
    args: &PruneArgs,
    inputs: &[PathBuf],
    outputs: &Outputs,
    mut resolved: Resolved,
) -> Result<Job> {
    let reads_stdin = inputs
        .iter()
        .chain(&args.files_from)
        .any(|input| is_dash(input));
    selection::choose(&args.choice, reads_stdin, &mut resolved.settings)?;
    let now = times::now(&args.now)?;
    let last_call = args
        .last_call
        .as_deref()
        .map(|text| times::time_or_age("--last-call", text))
        .transpose()?;
    let is_piped = |path: &PathBuf| {
        identity::input(path).map_or(is_dash(path), |found| !found.is_file() && !found.is_dir())
    };
    let is_piped = inputs.iter().any(is_piped);
    let session_state = args
        .state
        .as_ref()
        .map(|path| SessionState::new(path, args, &resolved.settings, is_piped))
        .transpose()?;
    let mut pruner = of_format(
        deadhead_retrieval::pruner(resolved.into())?,
        &args.input.format,
    )?;
    pruner = pruner.with(|setup| {
        (setup.detail, setup.caller, setup.strict_input) =
            (detail(args), caller(args), args.input.strict_input);
        setup.naming = flag;
        (setup.clock.last_call, setup.clock.assume_cold) = (last_call, args.assume_cold);
    });
    // A filter process with a state lives long; each of its calls has a time of its own.
    if args.now.is_some() || session_state.is_none() {
        pruner = pruner.at(now);
    }
    let sidecar = args.sidecar.as_ref().filter(|_| !outputs.nowhere);
    Ok(Job {
        pruner,
        session_state,
        sidecar: sidecar
            .map(|path| sidecar::Sidecar::new(path))
            .transpose()?,
        threads: if inputs.len() == 1 {
            args.running.jobs
        } else {
            1
        },
        max_input: args.input.max_input.unwrap_or_default(),
        writes: !(outputs.nowhere || outputs.is_stdout() && output::is_discarded()),
    })
}

/// Returns a pruner for inputs of the format that `--format` names.
pub fn of_format(pruner: Pruner, name: &Option<String>) -> Result<Pruner> {
    Ok(match name {
        Some(name) => pruner.format(name)?,
        None => pruner,
    })
}

/// A text report names no ids, and a quiet run prints nothing.
fn detail(args: &PruneArgs) -> Detail {
    match args.shown.report_format {
        _ if args.choice.list => Detail::Parts,
        _ if args.choice.why.is_some() => Detail::Full,
        ReportFormat::Text if args.quiet && args.report.is_none() && !args.dry_run => {
            Detail::Totals
        }
        _ if args.diff => Detail::Texts,
        ReportFormat::Text if !args.verbose => Detail::Rows,
        ReportFormat::Text | ReportFormat::Html => Detail::Shown,
        _ => Detail::Full,
    }
}

/// Returns the caller's other mechanics, as the flags name them.
fn caller(args: &PruneArgs) -> Caller {
    let mut caller = Caller::default();
    caller.mechanics.clone_from(&args.compose);
    caller.already_mutated.clone_from(&args.already_mutated);
    if let Some(name) = &args.header_name {
        caller.header.clone_from(name);
    }
    caller
}

/// Processes one input; returns its output, if that is a file.
pub fn one(
    input: &Path,
    place: &Option<PathBuf>,
    outputs: &Outputs,
    job: &Job,
    note: Noted<'_>,
) -> Result<Option<File>> {
    let file = open_input(input)?;
    let found = file.metadata()?;
    let identity = found.is_file().then(|| Identity::of(&found));
    identity
        .filter(|_| outputs.prints)
        .map_or(Ok(()), streams::refuse_opened)?;
    let has_begun = Cell::new(false);
    let mut open = || -> Result<AtomicFile> {
        Ok(match place {
            _ if outputs.nowhere => AtomicFile::stdout(Sink::Nowhere(io::sink())),
            Some(place) => outputs.create(place, identity, Privacy::of(&found))?,
            None => {
                let stdout = PlainFile::stdout()?;
                has_begun.set(true);
                AtomicFile::stdout(Sink::PlainFile(stdout))
            }
        })
    };
    let result = if !found.is_file() && !found.is_dir() {
        linux::widen(&file);
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
        Err(error) if has_begun.get() && !is_closed_pipe(&error) => {
            Err(PartialFailure(error).into())
        }
        result => result,
    }
}
