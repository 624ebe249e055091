//! `deadhead replay`: from flags to policies, logs and a report.

use super::atomic_file::{AtomicFile, Terms};
use super::identity::Reads;
use super::inputs::{Inputs, listed};
use super::progress::Progress;
use super::reporter::report_error;
use super::streams;
use super::{ReplayArgs, Verdict, configuration, job, prune, stderr_line, times};
use crate::report::replay::Replays;
use crate::report::{Look, Printer};
use anyhow::{Context, Result, bail};
use deadhead_core::Error;
use deadhead_core::dialect::accept::accept;
use deadhead_core::dialect::usage;
use deadhead_core::dialect::{self, Dialect, Layout};
use deadhead_core::input::{MaxInput, Source};
use deadhead_core::input_kind::{Beginning, InputKind, input_kind};
use deadhead_core::json::IdSet;
use deadhead_core::read_at::ReadAt;
use deadhead_core::settings::Settings;
use deadhead_core::stream::threads;
use deadhead_replay::policy::Policy;
use deadhead_replay::report::{ClosingSums, Counts, Range, build};
use deadhead_replay::session::Session;
use deadhead_replay::simulation::Manner;
use deadhead_replay::summary::Replay;
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Settings of a grid at most: more is a slip of the pen.
const GRID: usize = 10_000;

/// Runs the command.
pub fn run(args: &ReplayArgs) -> Result<Verdict> {
    if args.format.as_deref() == Some("help") {
        streams::print(prune::formats(|format| format.calls.row.is_some()).as_bytes())?;
        return Ok(Verdict::Done);
    }
    let format = args.format.as_deref().map(named_format).transpose()?;
    let policies = policies(args)?;
    let range = Range { since: limit(&args.since, "--since")?, until: limit(&args.until, "--until")? };
    let (Inputs { files: inputs, unreadable, .. }, walked) = inputs(&args.files)?;
    let sizes: Vec<u64> = inputs.iter().map(|path| std::fs::metadata(path).map_or(0, |m| m.len())).collect();
    let progress = Progress::new(args.progress, sizes.iter().sum());
    let colour = args.color.colours(args.report.is_none() && io::stdout().is_terminal());
    let mut printer = Printer::<Replays>::new(args.report_format, Look { colour, verbose: args.verbose });
    let reads = Reads::new(&inputs, &configuration::files(&args.policy)?);
    let file = args.report.as_deref().filter(|path| *path != Path::new("-"));
    streams::spare(&reads, file.is_none())?;
    let mut pending = file.map(|path| AtomicFile::new(path, Terms::of_report(&inputs, reads))).transpose()?;
    let mut stdout: Box<dyn Write> = if pending.is_none() { Box::new(BufWriter::new(streams::stdout()?)) } else { Box::new(io::sink()) };
    let mut closing = ClosingSums::default();
    let mut verdict = Verdict::Done;
    for (path, error) in unreadable {
        closing.failed += 1;
        verdict = verdict.max(report_error(&path, &error.into()));
    }
    let count = threads(args.jobs, inputs.len());
    let pool = job::pool(count)?;
    let mut seen = IdSet::default();
    for batch in inputs.iter().zip(&sizes).collect::<Vec<_>>().chunks(count * 4) {
        let read: Vec<Result<Option<Session>>> = pool.install(|| {
            let each = batch.par_iter().map(|(path, _)| read(path, args.max_input.unwrap_or_default(), format, walked, args.strict_input));
            each.collect()
        });
        // A request that several inputs have counts in the first of them, in their order.
        let read: Vec<_> = read.into_iter().map(|read| read.map(|s| s.map(|s| (range.counts(&s, &mut seen), s)))).collect();
        let found: Vec<Result<Option<Replay>>> = pool.install(|| {
            let each = batch.par_iter().zip(read).map(|((path, size), read)| {
                let replay = |(counts, session): (Counts, Session)| build(&session, &path.display().to_string(), &policies, &counts);
                let found = read.and_then(|read| Ok(read.map(replay).transpose()?));
                progress.part(**size, **size).finish();
                found
            });
            each.collect()
        });
        for ((path, _), found) in batch.iter().zip(found) {
            match found {
                // Of many, what has no call in the range, or is no log, is passed over.
                Ok(None) => {}
                Ok(Some(replay)) if replay.sums.requests == 0 && replay.repeated == 0 && inputs.len() > 1 => {}
                Ok(Some(replay)) => {
                    closing.add(&replay);
                    let out: &mut dyn Write = pending.as_mut().map_or(&mut stdout as &mut dyn Write, |p| &mut p.sink);
                    printer.one(&replay, out)?;
                }
                Err(error) => {
                    progress.clear();
                    closing.failed += 1;
                    verdict = verdict.max(report_error(path, &error));
                }
            }
        }
    }
    progress.clear();
    if closing.inputs == 0 && closing.failed == 0 {
        bail!("no log with calls in {}", listed(&args.files));
    }
    if closing.inputs > 0 {
        let out: &mut dyn Write = pending.as_mut().map_or(&mut stdout as &mut dyn Write, |p| &mut p.sink);
        printer.end(&closing, out)?;
        pending.map_or(Ok(()), AtomicFile::finish)?;
    }
    stdout.flush()?;
    Ok(verdict)
}

/// What `--since` or `--until` says, in milliseconds since 1970.
fn limit(text: &Option<String>, flag: &str) -> Result<Option<i64>> {
    let Some(text) = text else { return Ok(None) };
    match day_or_time(text) {
        Some(time) => Ok(Some(time)),
        None => bail!("{flag} {text}: expected a day such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z"),
    }
}

/// The format that `--format` names.
fn named_format(name: &str) -> Result<&'static Dialect> {
    match dialect::by_name(name).filter(|format| format.calls.row.is_some()) {
        Some(format) => Ok(format),
        None => bail!("--format {name}: a replay reads {}", usage::replayed()),
    }
}

/// Reads one input; none where it was only met on a walk and is no log.
fn read(path: &Path, most: MaxInput, format: Option<&'static Dialect>, walked: bool, strict: bool) -> Result<Option<Session>> {
    let file = if path == Path::new("-") { streams::stdin_file()? } else { File::open(path)? };
    let source = Source::from_file(file, most).map_err(Error::Io)?;
    if source.size() > u64::from(u32::MAX) {
        bail!("is larger than 4 GiB, and a replay holds a log in memory");
    }
    let bytes = match source {
        Source::Memory(bytes) => bytes,
        file => {
            let (read_buffer, size) = file.into_memory()?;
            read_buffer[..size].to_vec()
        }
    };
    let found = match input_kind(&bytes, true, format) {
        Ok(Beginning::Kind(InputKind::Log(found))) => found,
        _ if walked => return Ok(None),
        Ok(Beginning::Kind(InputKind::Empty)) => bail!("the input is empty"),
        Ok(_) => bail!("is no history: a replay needs the log of an agent"),
        Err(error) => return Err(error.into()),
    };
    if found.format.layout == Layout::History && walked && found.format.calls.row.is_none() {
        return Ok(None);
    }
    let session = Session::read(bytes, found.format)?;
    accept(&session.transcript, found)?;
    if let Some(missing) = session.transcript.missing.as_ref().filter(|_| strict) {
        return Err(Error::Missing(missing.clone()).into());
    }
    Ok(Some(session))
}

/// The inputs: folders are walked, patterns that no shell has expanded are; and whether any was only met on the way.
fn inputs(files: &[PathBuf]) -> Result<(Inputs, bool)> {
    let (mut named, mut matching, mut walked) = (Vec::new(), Inputs::default(), false);
    for path in files {
        let text = path.to_string_lossy();
        if path.exists() || !text.contains(['*', '?', '[']) {
            walked |= path.is_dir();
            named.push(path.clone());
            continue;
        }
        walked = true;
        let pattern = globset::GlobBuilder::new(&text).literal_separator(true).build().with_context(|| text.to_string())?.compile_matcher();
        let base: PathBuf = path.components().take_while(|c| !c.as_os_str().to_string_lossy().contains(['*', '?', '['])).collect();
        let base = if base.as_os_str().is_empty() { PathBuf::from(".") } else { base };
        matching.walk(&base, None, |file| pattern.is_match(file.strip_prefix("./").unwrap_or(file)) || pattern.is_match(file));
        named.append(&mut matching.files);
    }
    let mut found = match named.is_empty() && !files.is_empty() {
        false => super::inputs::inputs(&named, true, None)?,
        true if matching.unreadable.is_empty() => bail!("nothing matches {}", listed(files)),
        true => Inputs::default(),
    };
    found.unreadable.append(&mut matching.unreadable);
    Ok((found, walked))
}

/// A time, or a day, which begins at midnight UTC.
fn day_or_time(text: &str) -> Option<i64> {
    times::time(text).filter(|_| text.len() > 8).or_else(|| times::time(&format!("{text}T00:00:00Z")))
}

/// The policies: each preset as this program and as OpenClaw ran it, or each setting of the grid.
fn policies(args: &ReplayArgs) -> Result<Vec<Policy>> {
    let presets: Vec<Option<String>> = match &args.policy.preset {
        Some(names) => names.split(',').map(|name| Some(name.trim().to_owned())).collect(),
        None => vec![None],
    };
    let grid = grid(&args.sweep)?;
    let mut policies = Vec::new();
    for preset in &presets {
        for sets in &grid {
            let mut policy = args.policy.clone();
            policy.preset.clone_from(preset);
            let sweeps = sets.iter().map(|(key, value)| format!("{key}={value}")).collect();
            let resolved = configuration::swept(&policy, Vec::new(), sweeps)?;
            if policies.is_empty() {
                resolved.warnings.iter().for_each(|w| stderr_line!("deadhead: warning: {}", w.text));
            }
            let swept: Vec<String> = sets.iter().map(|(key, value)| format!("{}={value}", key.rsplit('.').next().unwrap_or(key))).collect();
            let name = match (preset, swept.is_empty()) {
                (None, true) => "as configured".to_owned(),
                (Some(preset), true) => preset.clone(),
                (None, false) => swept.join(" "),
                (Some(preset), false) => format!("{preset} {}", swept.join(" ")),
            };
            let settings: Settings = resolved.settings;
            policies.push(Policy { name: name.clone(), settings: settings.clone(), manner: Manner::Sticky });
            if grid.len() == 1 {
                policies.push(Policy { name, settings, manner: Manner::Transient });
            }
        }
    }
    Ok(policies)
}

/// All settings of `--sweep KEY=A,B …`: one of each list, every way.
fn grid(sweeps: &[String]) -> Result<Vec<Vec<(String, String)>>> {
    let mut grid = vec![Vec::new()];
    for sweep in sweeps {
        let Some((key, values)) = sweep.split_once('=').filter(|(key, values)| !key.trim().is_empty() && !values.trim().is_empty()) else {
            bail!("--sweep {sweep}: expected KEY=VALUE,VALUE such as contextPruning.ttl=5m,1h");
        };
        let values = values_of(values);
        if grid.len().saturating_mul(values.len()) > GRID {
            bail!("--sweep: more than {GRID} settings");
        }
        grid = grid
            .iter()
            .flat_map(|sets: &Vec<(String, String)>| {
                values.iter().map(|value| sets.iter().cloned().chain([(key.trim().to_owned(), value.clone())]).collect())
            })
            .collect();
    }
    Ok(grid)
}

/// Values between commas; a list or an object keeps its own.
fn values_of(text: &str) -> Vec<String> {
    let (mut values, mut depth) = (vec![String::new()], 0usize);
    for c in text.chars() {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                values.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = values.last_mut() {
            last.push(c);
        }
    }
    values.iter().map(|value| value.trim().to_owned()).filter(|value| !value.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_has_every_way() {
        let found = grid(&["a=1,2".into(), "b=[x,y],z".into()]).unwrap();
        let named: Vec<String> = found.iter().map(|sets| sets.iter().map(|(k, v)| format!("{k}{v}")).collect()).collect();
        assert_eq!(named, ["a1b[x,y]", "a1bz", "a2b[x,y]", "a2bz"]);
        assert!(grid(&["a".into()]).is_err() && grid(&["=1".into()]).is_err() && grid(&["a=".into()]).is_err());
        assert_eq!(grid(&[]).unwrap().len(), 1);
    }

    #[test]
    fn days_and_times() {
        assert_eq!(day_or_time("2026-01-01"), Some(1_767_225_600_000));
        assert_eq!(day_or_time("2026-01-01T01:00:00Z"), Some(1_767_229_200_000));
        assert_eq!(day_or_time("yesterday"), None);
    }
}
