//! `deadhead replay`: from flags to policies, logs and a report.

use super::atomic_file::{AtomicFile, WriteOptions};
use super::identity::ReadFiles;
use super::inputs::{Inputs, listed};
use super::logs::{self, Reading, inputs, limit, named_format};
use super::progress::Progress;
use super::reporter::report_error;
use super::streams;
use super::{ReplayArgs, Verdict, configuration, prune, stderr_line};
use crate::report::replay::Replays;
use crate::report::{CONFIGURED, Printer, TextStyle};
use anyhow::{Result, bail};
use deadhead_core::settings::Settings;
use deadhead_replay::policy::Policy;
use deadhead_replay::report::{Range, SessionTotals, build};
use deadhead_replay::simulation::Retention;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

/// Settings of a grid at most: more is a slip of the pen.
const GRID: usize = 10_000;

/// Runs the command.
pub fn run(args: &ReplayArgs) -> Result<Verdict> {
    if args.logs.format.as_deref() == Some("help") {
        streams::print(prune::formats(|format| format.calls.can_be_replayed()).as_bytes())?;
        return Ok(Verdict::Done);
    }
    let format = args.logs.format.as_deref().map(named_format).transpose()?;
    let policies = policies(args)?;
    let range = Range { since: limit(&args.logs.since, "--since")?, until: limit(&args.logs.until, "--until")? };
    let (Inputs { files: inputs, unreadable, .. }, walked) = inputs(&args.files)?;
    let progress = Progress::new(args.logs.running.progress, logs::sizes(&inputs).iter().sum());
    let colour = args.logs.running.color.colours(args.logs.report.is_none() && io::stdout().is_terminal());
    let mut printer = Printer::<Replays>::new(args.report_format, TextStyle { colour, verbose: args.verbose });
    let reads = ReadFiles::new(&inputs, &configuration::files(&args.logs.policy)?);
    let file = args.logs.report.as_deref().filter(|path| *path != Path::new("-"));
    streams::refuse(&reads, file.is_none())?;
    let mut pending = file.map(|path| AtomicFile::new(path, WriteOptions::of_report(&inputs, reads))).transpose()?;
    let mut stdout: Box<dyn Write> = if pending.is_none() { Box::new(BufWriter::new(streams::stdout()?)) } else { Box::new(io::sink()) };
    let mut closing = SessionTotals::default();
    let mut verdict = Verdict::Done;
    for (path, error) in unreadable {
        closing.failed += 1;
        verdict = verdict.max(report_error(&path, &error.into()));
    }
    let reading = Reading {
        format,
        most: args.logs.max_input.unwrap_or_default(),
        walked,
        strict: args.logs.strict_input,
        range,
        jobs: args.logs.running.jobs,
        progress: &progress,
    };
    let uncounted = reading.each(
        &inputs,
        |session, path, counts| Ok(build(session, path, &policies, counts)?),
        |path, found| {
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
                    closing.failed += 1;
                    verdict = verdict.max(report_error(path, &error));
                }
            }
            Ok(())
        },
    )?;
    progress.clear();
    if closing.inputs == 0 && closing.failed == 0 {
        let left_out = uncounted.said().map_or_else(String::new, |said| format!("; {said}"));
        bail!("no log with calls in {}{left_out}", listed(&args.files));
    }
    uncounted.said().iter().for_each(|said| stderr_line!("deadhead: note: {said}"));
    if closing.inputs > 0 {
        let out: &mut dyn Write = pending.as_mut().map_or(&mut stdout as &mut dyn Write, |p| &mut p.sink);
        printer.end(&closing, out)?;
        pending.map_or(Ok(()), AtomicFile::finish)?;
    }
    stdout.flush()?;
    Ok(verdict)
}

/// The policies: each preset as this program and as OpenClaw ran it, or each setting of the grid.
fn policies(args: &ReplayArgs) -> Result<Vec<Policy>> {
    let presets: Vec<Option<String>> = match &args.logs.policy.preset {
        Some(names) => names.split(',').map(|name| Some(name.trim().to_owned())).collect(),
        None => vec![None],
    };
    let grid = grid(&args.sweep)?;
    let mut policies = Vec::new();
    for preset in &presets {
        for sets in &grid {
            let mut policy = args.logs.policy.clone();
            policy.preset.clone_from(preset);
            let sweeps = sets.iter().map(|(key, value)| format!("{key}={value}")).collect();
            let resolved = configuration::resolve_with_sweeps(&policy, Vec::new(), sweeps)?;
            if policies.is_empty() {
                resolved.warnings.iter().for_each(|w| stderr_line!("deadhead: warning: {}", w.text));
            }
            let swept: Vec<String> = sets.iter().map(|(key, value)| format!("{}={value}", key.rsplit('.').next().unwrap_or(key))).collect();
            let name = match (preset, swept.is_empty()) {
                (None, true) => CONFIGURED.to_owned(),
                (Some(preset), true) => preset.clone(),
                (None, false) => swept.join(" "),
                (Some(preset), false) => format!("{preset} {}", swept.join(" ")),
            };
            let settings: Settings = resolved.settings;
            policies.push(Policy { name: name.clone(), settings: settings.clone(), retention: Retention::Sticky });
            if grid.len() == 1 {
                policies.push(Policy { name, settings, retention: Retention::Transient });
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
}
