//! `deadhead prune`: from flags to inputs, outputs and reports.

use super::configuration;
use super::job::{self, Job, Opened, Told};
use super::output::{Pending, Plain, Sink, Stderr, is_input, is_same};
use super::progress::Progress;
use super::{PruneArgs, Verdict, When, tell, times};
use anyhow::{Context, Result, bail};
use deadhead::account::Detail;
use deadhead::engine::{self, Setup};
use deadhead::format::{self, Format};
use deadhead::gate::Clock;
use deadhead::input::Source;
use deadhead::plan::Texts;
use deadhead::report::{Renderer, Report, ReportFormat, Totals};
use rayon::prelude::*;
use serde_json::json;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

/// Runs the command.
pub fn run(args: &PruneArgs) -> Result<Verdict> {
    if let Some(help) = listing(args) {
        io::stdout().write_all(help.as_bytes())?;
        return Ok(Verdict::Done);
    }
    let inputs = inputs(&args.files, args.recursive)?;
    let progress = if inputs.len() > 1 { When::Never } else { args.progress };
    let going = Going { nowhere: args.dry_run, output: &args.output, out_dir: &args.out_dir, progress };
    let places = places(&going, &args.report, &inputs)?;
    let job = job(args, inputs.len())?;
    let mut account = Account::new(args)?;
    let threads = if inputs.len() == 1 { 1 } else { job::threads(args.jobs) };
    if threads == 1 {
        for (input, place) in inputs.iter().zip(&places) {
            let mut outcome = Outcome::new(place);
            let result = one(input, place, &going, &job, &mut |told| account.tell(input, told, &mut outcome));
            account.settle(input, result, outcome)?;
        }
    } else {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        for batch in inputs.iter().zip(&places).collect::<Vec<_>>().chunks(threads * 4) {
            let told: Vec<(Vec<Told>, Result<()>)> = pool.install(|| {
                let each = batch.par_iter().map(|(input, place)| {
                    let mut told = Vec::new();
                    let result = one(input, place, &going, &job, &mut |t| told.push(t));
                    (told, result)
                });
                each.collect()
            });
            for ((input, place), (told, result)) in batch.iter().zip(told) {
                let mut outcome = Outcome::new(place);
                told.into_iter().for_each(|t| account.tell(input, t, &mut outcome));
                account.settle(input, result, outcome)?;
            }
        }
    }
    account.finish()
}

/// What `--format help` prints.
pub fn formats() -> String {
    format::FORMATS.iter().map(|f| format!("{:<14} {}\n", f.name, f.about)).collect()
}

/// What `--format help` or `--pass help` prints.
fn listing(args: &PruneArgs) -> Option<String> {
    if args.format.as_deref() == Some("help") {
        return Some(formats());
    }
    let passes = args.policy.pass.iter().chain(&args.policy.no_pass);
    passes.into_iter().any(|p| p == "help").then(|| {
        let listed = deadhead::pass::PASSES.iter().filter(|p| !p.about.is_empty());
        listed.map(|p| format!("{:<14} {}\n", p.name, p.about)).collect()
    })
}

/// The inputs, directories walked; `-` is stdin.
pub fn inputs(files: &[PathBuf], recursive: bool) -> Result<Vec<PathBuf>> {
    if files.is_empty() {
        if io::stdin().is_terminal() {
            bail!("no input: name a FILE, or pipe one in");
        }
        return Ok(vec!["-".into()]);
    }
    let mut found = Vec::new();
    for path in files {
        if recursive && path.is_dir() {
            for entry in walkdir::WalkDir::new(path).sort_by_file_name() {
                let entry = entry?;
                let jsonl = entry.path().extension() == Some(OsStr::new("jsonl"));
                if jsonl && entry.file_type().is_file() {
                    found.push(entry.into_path());
                }
            }
        } else {
            found.push(path.clone());
        }
    }
    if found.is_empty() {
        bail!("no *.jsonl in {}", files.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join(", "));
    }
    Ok(found)
}

/// Where outputs go.
pub struct Going<'a> {
    /// Nothing is written.
    pub nowhere: bool,
    /// `--output`
    pub output: &'a Option<PathBuf>,
    /// `--out-dir`
    pub out_dir: &'a Option<PathBuf>,
    /// `--progress`
    pub progress: When,
}

/// Where each input goes; checks that no output is an input.
pub fn places(going: &Going<'_>, report: &Option<PathBuf>, inputs: &[PathBuf]) -> Result<Vec<Option<PathBuf>>> {
    if inputs.len() > 1 && going.out_dir.is_none() && !going.nowhere {
        bail!("{} inputs need --out-dir DIR, or -n to only report", inputs.len());
    }
    let to_stdout = going.out_dir.is_none() && going.output.as_deref().is_none_or(|o| o == Path::new("-")) && !going.nowhere;
    if report.as_deref() == Some(Path::new("-")) && to_stdout {
        bail!("--report - needs -o, --out-dir or -n: stdout carries the pruned JSON");
    }
    let places: Vec<Option<PathBuf>> = match (going.out_dir, going.output) {
        (Some(dir), _) => {
            std::fs::create_dir_all(dir).with_context(|| format!("{}: cannot make it", dir.display()))?;
            let names = names(inputs);
            names.into_iter().map(|name| Some(dir.join(name))).collect()
        }
        (None, output) => vec![output.clone().filter(|o| o != Path::new("-")); inputs.len()],
    };
    if report.is_some() && report == going.output {
        bail!("-o and --report name the same file");
    }
    for place in places.iter().flatten().chain(report) {
        if is_input(place, inputs) {
            bail!("{}: is an input, and inputs are never written to", place.display());
        }
    }
    if let Some(report) = report.as_ref().filter(|report| places.iter().flatten().any(|place| is_same(place, report))) {
        bail!("{}: is where the pruned JSON goes; the report needs a file of its own", report.display());
    }
    Ok(places)
}

/// A name for each input: its own, or with as many parents as tell it from the others.
fn names(inputs: &[PathBuf]) -> Vec<PathBuf> {
    let tail = |path: &Path, n: usize| -> PathBuf {
        let parts: Vec<_> = path.components().filter(|c| matches!(c, std::path::Component::Normal(_))).collect();
        parts[parts.len().saturating_sub(n)..].iter().collect()
    };
    let stdin = |path: &Path| path == Path::new("-");
    let longest = inputs.iter().map(|p| p.components().count()).max().unwrap_or(1);
    let mut depth = vec![1; inputs.len()];
    for _ in 0..longest {
        let mut seen: HashMap<PathBuf, usize> = HashMap::new();
        inputs.iter().zip(&depth).for_each(|(path, n)| *seen.entry(tail(path, *n)).or_default() += 1);
        for (path, n) in inputs.iter().zip(&mut depth) {
            if seen[&tail(path, *n)] > 1 {
                *n += 1;
            }
        }
    }
    inputs.iter().zip(depth).map(|(path, n)| if stdin(path) { "stdin".into() } else { tail(path, n) }).collect()
}

fn job(args: &PruneArgs, inputs: usize) -> Result<Job> {
    let format = args.format.as_deref().map(named_format).transpose()?;
    let scope = args.scope.as_ref().map(|s| ("scope", json!(s)));
    let resolved = configuration::resolve(&args.policy, scope.into_iter().collect())?;
    let clock = Clock {
        now: times::now(args.now.as_deref())?,
        last_call: args.last_call.as_deref().map(times::last_call).transpose()?,
        assume_cold: args.assume_cold,
    };
    let setup = Setup { settings: resolved.settings, clock, warnings: resolved.warnings, detail: detail(args) };
    Ok(Job { setup, work: engine::body, format, threads: if inputs == 1 { args.jobs } else { 1 } })
}

/// The text report names no ids, a quiet run nothing.
fn detail(args: &PruneArgs) -> Detail {
    match args.report_format {
        ReportFormat::Text if args.quiet && args.report.is_none() && !args.dry_run => Detail::Totals,
        ReportFormat::Text if !args.verbose => Detail::Rows,
        _ => Detail::Full,
    }
}

/// The format that `--format` names.
pub fn named_format(name: &str) -> Result<&'static Format> {
    match format::by_name(name) {
        Some(format) => Ok(format),
        None => bail!("unknown format {name}; there are {}", format::FORMATS.iter().map(|f| f.name).collect::<Vec<_>>().join(", ")),
    }
}

/// Processes one input.
pub fn one(input: &Path, place: &Option<PathBuf>, going: &Going<'_>, job: &Job, told: &mut dyn FnMut(Told)) -> Result<()> {
    let mut open = || -> Result<Opened> {
        Ok(match place {
            _ if going.nowhere => Opened::Stream(Sink::Nowhere),
            Some(place) => {
                if let Some(folder) = place.parent().filter(|_| going.out_dir.is_some()) {
                    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
                }
                Opened::File(Box::new(Pending::new(place)?))
            }
            None => Opened::Stream(Sink::Plain(Plain::stdout()?)),
        })
    };
    let name = input.display().to_string();
    if input == Path::new("-") {
        let file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        if !file.metadata()?.is_file() {
            let progress = Progress::new(When::Never, 0);
            return job::pipe(file, &name, job, &progress, &mut open, told);
        }
        let source = Source::from_file(file)?;
        let progress = Progress::new(going.progress, source.size());
        return job::file(source, &name, job, &progress, &mut open, told);
    }
    let source = Source::open(input)?;
    let progress = Progress::new(going.progress, source.size());
    let result = job::file(source, &name, job, &progress, &mut open, told);
    progress.clear();
    result
}

/// Tells why an input failed; returns what that means for the verdict.
pub fn tell_error(input: &Path, error: &anyhow::Error) -> Verdict {
    let ours = error.chain().find_map(|e| e.downcast_ref::<deadhead::Error>());
    // A position follows its file without a space.
    let space = if matches!(ours, Some(deadhead::Error::Json { .. })) { "" } else { " " };
    let name = input.display().to_string();
    let text = format!("{error:#}");
    let text = text.strip_prefix(&format!("{name}: ")).unwrap_or(&text);
    tell!("deadhead: {name}:{space}{text}");
    if ours.is_some_and(deadhead::Error::is_refusal) { Verdict::Refused } else { Verdict::Failed }
}

/// What one input has told so far.
struct Outcome {
    /// Where its output goes, for the report; `-` is stdout.
    place: String,
    /// The first body of a pipe: whether it is the only one shows later.
    first: Option<(Box<Report>, u64)>,
    bodies: u64,
    refused: bool,
}

impl Outcome {
    fn new(place: &Option<PathBuf>) -> Outcome {
        let place = place.as_ref().map_or_else(|| "-".to_owned(), |place| place.display().to_string());
        Outcome { place, first: None, bodies: 0, refused: false }
    }
}

/// Reports, errors and the verdict of a whole run.
struct Account {
    renderer: Option<Renderer>,
    out: Box<dyn Write>,
    file: Option<Pending>,
    totals: Totals,
    verdict: Verdict,
    exit_code: bool,
    quiet: bool,
    dry_run: bool,
}

impl Account {
    fn new(args: &PruneArgs) -> Result<Account> {
        let colour = |terminal: bool| match args.color {
            When::Always => true,
            When::Never => false,
            When::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
        };
        let (out, file, terminal): (Box<dyn Write>, _, _) = match &args.report {
            Some(path) if path != Path::new("-") => (Box::new(io::sink()), Some(Pending::new(path)?), false),
            Some(_) => (Box::new(BufWriter::new(io::stdout())), None, io::stdout().is_terminal()),
            None if args.dry_run => (Box::new(BufWriter::new(io::stdout())), None, io::stdout().is_terminal()),
            None => (Box::new(BufWriter::new(Stderr)), None, io::stderr().is_terminal()),
        };
        let silent = args.quiet && args.report.is_none() && !args.dry_run;
        let renderer = (!silent).then(|| Renderer::new(args.report_format, colour(terminal), i8::from(args.verbose)));
        Ok(Account {
            renderer,
            out,
            file,
            totals: Totals::default(),
            verdict: Verdict::Done,
            exit_code: args.exit_code,
            quiet: args.quiet,
            dry_run: args.dry_run,
        })
    }

    fn tell(&mut self, input: &Path, told: Told, outcome: &mut Outcome) {
        match told {
            Told::Whole(report) => self.report(input, &outcome.place, None, *report),
            Told::Body(report, line) => {
                outcome.bodies += 1;
                match outcome.bodies {
                    1 => outcome.first = Some((report, line)),
                    _ => {
                        if let Some((first, line)) = outcome.first.take() {
                            self.report(input, &outcome.place, Some(line), *first);
                        }
                        self.report(input, &outcome.place, Some(line), *report);
                    }
                }
            }
            Told::Line(warning, refused) => {
                outcome.refused |= refused;
                if !self.quiet {
                    let line = warning.line.map(|l| format!(":{l}")).unwrap_or_default();
                    tell!("deadhead: {}{line}: warning: {}", input.display(), warning.text);
                }
            }
            Told::Empty => {
                if !self.quiet {
                    tell!("deadhead: {}: warning: the input is empty", input.display());
                }
            }
        }
    }

    fn report(&mut self, input: &Path, place: &str, line: Option<u64>, mut report: Report) {
        let brief = line.is_some();
        let line = line.map(|l| format!(":{l}")).unwrap_or_default();
        report.input.path = format!("{}{line}", input.display());
        report.output.path = (!self.dry_run).then(|| place.to_owned());
        if self.exit_code && report.passes.iter().any(|pass| pass.cuts > 0) {
            self.verdict = self.verdict.max(Verdict::Cut);
        }
        self.totals.add(&report);
        if let Some(renderer) = &mut self.renderer {
            let out: &mut dyn Write = match &mut self.file {
                Some(file) => &mut file.sink,
                None => &mut self.out,
            };
            let _ = if brief { renderer.brief(&report, out) } else { renderer.one(&report, out) };
        }
    }

    /// Takes note of how an input ended. A closed pipe ends the run.
    fn settle(&mut self, input: &Path, result: Result<()>, outcome: Outcome) -> Result<()> {
        if let Some((first, _)) = outcome.first {
            self.report(input, &outcome.place, None, *first);
        }
        if outcome.refused {
            self.verdict = self.verdict.max(Verdict::Refused);
        }
        let Err(error) = result else { return Ok(()) };
        if error.chain().any(|e| e.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)) {
            return Err(error);
        }
        self.totals.add_failed();
        self.verdict = self.verdict.max(tell_error(input, &error));
        Ok(())
    }

    fn finish(mut self) -> Result<Verdict> {
        if let Some(renderer) = &mut self.renderer {
            match &mut self.file {
                Some(file) => renderer.end(&self.totals, &mut file.sink)?,
                None => renderer.end(&self.totals, &mut self.out)?,
            }
        }
        self.out.flush()?;
        self.file.map_or(Ok(()), Pending::finish)?;
        Ok(self.verdict)
    }
}
