//! `deadhead canary`: records scores, disables a workload that scores too low, and enables it
//! again.

use super::*;

use deadhead_core::{input::line_limit::LimitedLines, internal::cache_policy::timestamp};
use deadhead_state::{
    Access, Store,
    canary::{Arm, Score, WorkloadStatus},
};
use serde_jsonlines::JsonLinesReader;
use std::io::{BufReader, Read};

/// Runs `deadhead canary …`.
pub fn run(command: CanaryCommand) -> Result<Verdict> {
    use CanaryCommand::*;
    let (Record { which, .. } | Status { which, .. } | Reset { which, .. }) = &command;
    streams::refuse(&state::reads(&which.state), true)?;
    let policy = PolicyArgs {
        config: which.config.clone(),
        workload: which.workload.clone(),
        ..PolicyArgs::default()
    };
    let settings = configuration::of(&policy)?.resolved.settings;

    let open = |access| {
        let patience = Duration::from_millis(settings.state.timeout_ms);
        state::open(&which.state, access, patience)
    };
    match &command {
        Record {
            score,
            arm,
            now,
            file,
            ..
        } => {
            let at = times::now(now)?;
            let reader = |line: Line| to_score(line, which, arm, at, &settings);
            let scores = match *score {
                Some(score) => vec![reader(Line {
                    score,
                    ..Line::default()
                })?],
                None => lines(file.as_deref(), reader)?,
            };
            open(Access::Write)?.record(&scores)?;
        }
        Status { json, .. } => {
            return status(which, &settings, &open(Access::Read)?, *json);
        }
        Reset { reason, now, .. } => {
            let name = which
                .workload
                .as_ref()
                .context("which workload? See --workload")?;
            rules(&settings, name)?;
            if reason.trim().is_empty() {
                bail!("--reason: say why");
            }
            let stack = which.stack.as_deref();
            open(Access::Existing)?.reset(name, stack, reason, times::now(now)?)?;
        }
    }
    Ok(Verdict::Done)
}

fn status(which: &CanaryArgs, settings: &Settings, store: &Store, json: bool) -> Result<Verdict> {
    let names: Vec<&String> = match &which.workload {
        Some(name) => vec![name],
        None => settings.workloads.keys().collect(),
    };
    let (mut standings, mut events) = (Vec::new(), Vec::new());
    for name in names {
        standings.extend(store.statuses(name, which.stack.as_deref(), &rules(settings, name)?)?);
        events.extend(store.events(name)?);
    }
    let text = if json {
        pretty(&json!({"workloads": standings, "audit": events}))?
    } else {
        standings.iter().map(line).collect()
    };
    streams::print(text)?;
    let is_breached = standings.iter().any(WorkloadStatus::is_breached);
    Ok(if is_breached {
        Verdict::Cut
    } else {
        Verdict::Done
    })
}

/// One line for each stack, short enough for a cron mail.
fn line(found: &WorkloadStatus) -> String {
    let mean = |mean: Option<f64>, count| match mean {
        Some(mean) => format!("mean {mean:.3} of {count}"),
        None => "no scores".to_owned(),
    };
    let mut name = found.workload.clone();
    if !found.stack.is_empty() {
        name += &format!("/{}", found.stack);
    }
    let mut line = format!("{}, {}", found.state, mean(found.mean, found.count));
    if found.control_count > 0 {
        line += ", control ";
        line += &mean(found.control_mean, found.control_count);
    }
    match found.floor {
        Some(floor) => line += &format!(", floor {floor:.3}"),
        None => line += ", no floor yet",
    }
    if let (Some(at), Some(reason)) = (found.retired_at, &found.reason) {
        line += &format!("; retired at {}: {reason}", timestamp(at));
    }
    printed(Document::new(name, line))
}

/// A score as a line has it.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    score: f64,
    workload: Option<String>,
    arm: Option<String>,
    stack: Option<String>,
    at: Option<String>,
}

fn to_score(
    line: Line,
    which: &CanaryArgs,
    arm: &str,
    at: i64,
    settings: &Settings,
) -> Result<Score> {
    let workload = line.workload.or_else(|| which.workload.clone());
    let workload = workload.context("expected a workload; see --workload")?;
    let arm = line.arm.as_deref().unwrap_or(arm);
    let arm =
        Arm::parse(arm).with_context(|| format!("unknown arm {arm}; there are pruned, control"))?;
    if !line.score.is_finite() {
        bail!("the score {} is no number", line.score);
    }
    let at = match line.at {
        None => at,
        Some(text) => times::time(&text)
            .with_context(|| format!("{text}: expected a time such as 2026-01-31T12:00:00Z"))?,
    };
    let rules = rules(settings, &workload)?;
    let stack = line
        .stack
        .or_else(|| which.stack.clone())
        .unwrap_or_default();
    Ok(Score {
        workload,
        stack,
        arm,
        score: line.score,
        at,
        rules,
    })
}

/// The scores of a file of lines, or of stdin.
fn lines(file: Option<&Path>, read: impl Fn(Line) -> Result<Score>) -> Result<Vec<Score>> {
    let file = file.filter(|path| !is_dash(path));
    let name = file.map_or("-".to_owned(), |path| path.display().to_string());
    let input: Box<dyn Read> = match file {
        Some(path) => Box::new(File::open(path).with_context(|| name.clone())?),
        None if io::stdin().is_terminal() => bail!("no score: give --score, or a FILE of them"),
        None => Box::new(streams::stdin()?),
    };
    let input = BufReader::new(LimitedLines::new(input));
    let mut scores = Vec::new();
    for (i, line) in JsonLinesReader::new(input).read_all::<Line>().enumerate() {
        let place = format!("{name}:{}", i + 1);
        let line = line.map_err(|error| malformed(&place, error))?;
        scores.push(read(line).with_context(|| place)?);
    }
    if scores.is_empty() {
        bail!("{name}: no score; see --score");
    }
    Ok(scores)
}

/// Returns the error of a line, with its column behind its number. The line and column at the end
/// of the parser's message count within the given text, and are removed.
fn malformed(place: &str, error: io::Error) -> anyhow::Error {
    match error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<serde_json::Error>())
    {
        None => anyhow::Error::from(error).context(place.to_owned()),
        Some(inner) => {
            let (column, text) = (inner.column(), inner.to_string());
            let what = text
                .strip_suffix(&format!(" at line {} column {column}", inner.line()))
                .unwrap_or(&text);
            // The parser reports what is missing at the end of a line behind its line break.
            let column = if inner.line() == 1 {
                format!(":{column}")
            } else {
                String::new()
            };
            anyhow!("{place}{column}: {what}")
        }
    }
}

/// Returns the requirements for a workload.
fn rules(settings: &Settings, name: &str) -> Result<deadhead_core::settings::Canary> {
    settings
        .workloads
        .get(name)
        .map(|workload| workload.canary)
        .with_context(|| {
            let all = joined(settings.workloads.keys(), ", ");
            format!("unknown workload {name}; there are {all}")
        })
}
