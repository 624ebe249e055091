//! `deadhead judge`: asks a model for the next step, with prompts as they are and as a policy
//! leaves them, and compares the answers.

use super::{
    emit::{Log, Request},
    paired::Paired,
    *,
};
use crate::report::number_format::share;
use deadhead_core::{
    internal::{pass::reads::target, resource::arguments::Arguments, terminal_text::shorten},
    settings::format_duration,
};
use deadhead_replay::advice::mixed;
use rustix::process::{Pid, Signal, kill_process_group};
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    flag::register_usize,
    low_level::emulate_default_handler,
};
use std::{
    io::{Read, Seek},
    os::unix::process::CommandExt,
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
    time::Instant,
};

/// Chooses the requests, always the same ones.
const SEED: u64 = 1;
/// Bytes of an answer at most.
const LARGEST: u64 = 64 << 20;
/// The time between two looks at a command.
const PAUSE: Duration = Duration::from_millis(10);
/// Chars of a target in the text report.
const SHOWN: usize = 40;

/// Returns the next step of an answer, or why it has none: the tool of the first call and its
/// subject; `text` if there is no call.
type Step = Result<(String, String), String>;

/// A request behind cuts.
struct Row<'a> {
    input: &'a Path,
    /// The line before its answer; none for the last request of a document.
    line: Option<usize>,
    /// The whole request and the pruned one, and the steps that follow each.
    pair: [Request; 2],
    steps: [Vec<Step>; 2],
}

/// Runs the command.
pub fn run(args: &JudgeArgs) -> Result<Verdict> {
    let (pruner, files) = emit::policy(&args.policy)?;
    let found = inputs(&args.logs, None)?.all()?;
    streams::refuse(&ReadFiles::new(&found, &files), true)?;
    let read = |path: PathBuf| -> Result<(PathBuf, Log)> {
        let log = Log::read(&path, args.format.as_deref());
        // A request can be made of it.
        let log = log
            .and_then(|log| log.request(None, None, None).map(|_| log))
            .with_context(|| path.display().to_string())?;
        Ok((path, log))
    };
    let logs: Vec<(PathBuf, Log)> = found.into_iter().map(read).collect::<Result<_>>()?;
    let mut rows = requests(&logs, &pruner, args.requests as usize)?;
    let tokens: u64 = rows.iter().flat_map(Row::tokens).sum();
    stderr_line!(
        "deadhead: note: {} behind cuts: {}, about {} tokens of prompts",
        counted(rows.len() as u64, "request"),
        counted(4 * rows.len() as u64, "call"),
        commas(2 * tokens)
    );
    if !args.yes {
        bail!("nothing was asked: --yes is missing");
    }
    let stop = Arc::new(AtomicUsize::new(0));
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        if !process::ignores(signal) {
            register_usize(signal, stop.clone(), signal as usize)?;
        }
    }
    for row in &mut rows {
        for _ in 0..2 {
            for (request, steps) in row.pair.iter().zip(&mut row.steps) {
                let answer = ask(args, &request.body, &stop).context("--command")?;
                steps.push(answer.and_then(|answer| {
                    step(&answer).ok_or_else(|| "no answer of a known form".to_owned())
                }));
            }
        }
        if !args.json {
            streams::print(row.text())?;
        }
    }
    report(args, &rows)
}

/// Chooses requests behind cuts, spread over all logs.
fn requests<'a>(logs: &'a [(PathBuf, Log)], pruner: &Pruner, most: usize) -> Result<Vec<Row<'a>>> {
    let places = logs.iter().zip(0..).flat_map(|((path, log), at)| {
        let number = move |line: Option<usize>| (at << 32) | line.unwrap_or_default() as u64;
        log.asked
            .iter()
            .map(move |&line| (mixed(SEED, number(line)), &**path, log, line))
    });
    let mut places: Vec<(u64, &Path, &Log, Option<usize>)> = places.collect();
    places.sort_unstable_by_key(|place| place.0);
    let row = |&(_, input, log, line): &(u64, &'a Path, &Log, Option<usize>)| {
        // The first lines of a log may give no request.
        let pruned = log
            .request(line, Some(pruner), None)
            .ok()
            .filter(|pruned| pruned.is_cut)?;
        let whole = log.request(line, None, None).ok();
        Some(Row {
            input,
            line,
            pair: [whole.filter(|whole| whole.body != pruned.body)?, pruned],
            steps: Default::default(),
        })
    };
    let mut rows: Vec<Row<'a>> = places.iter().filter_map(row).take(most).collect();
    if rows.is_empty() {
        let count = counted(places.len() as u64, "request");
        bail!("the policy cuts nothing before any of {count}; choose another one");
    }
    rows.sort_unstable_by_key(|row| (row.input, row.line));
    Ok(rows)
}

/// Asks the command for an answer to a body; returns the answer, or why there is none.
fn ask(args: &JudgeArgs, body: &[u8], stop: &AtomicUsize) -> Result<Result<Vec<u8>, String>> {
    let (mut input, mut output) = (tempfile::tempfile()?, tempfile::tempfile()?);
    input.write_all(body)?;
    input.rewind()?;
    let mut command = Command::new("sh");
    command.args(["-c", &args.command]);
    command.stdin(input).stdout(output.try_clone()?);
    // What it starts is ended with it.
    let mut child = command.process_group(0).spawn()?;
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        let signal = stop.load(Ordering::Relaxed);
        let is_late = begun.elapsed() >= Duration::from_millis(args.timeout);
        if signal == 0 && !is_late && output.metadata()?.len() <= LARGEST {
            std::thread::sleep(PAUSE);
            continue;
        }
        let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
        child.wait()?;
        if signal != 0 {
            emulate_default_handler(signal as i32)?;
        }
        return Ok(Err(if is_late {
            format!("no answer in {}", format_duration(args.timeout))
        } else {
            "an answer of more than 64 MB".to_owned()
        }));
    };
    if !status.success() {
        return Ok(Err(status.to_string()));
    }
    let mut answer = Vec::new();
    output.rewind()?;
    output.read_to_end(&mut answer)?;
    Ok(Ok(answer))
}

/// Returns the next step of an answer.
fn step(answer: &[u8]) -> Option<(String, String)> {
    let answer: Value = serde_json::from_slice(answer).ok()?;
    let parts =
        DIALECTS
            .iter()
            .flat_map(|format| format.answer)
            .find_map(|pointer| match answer.pointer(pointer)? {
                Value::Array(parts) => Some(&parts[..]).filter(|parts| !parts.is_empty()),
                part => part.is_object().then_some(std::slice::from_ref(part)),
            })?;
    let call = parts.iter().find_map(|part| {
        let call = part.to_string().into_bytes();
        Arguments::of(&call)?;
        let tool = ["/name", "/function/name", "/type"]
            .iter()
            .find_map(|name| part.pointer(name)?.as_str())?;
        Some((tool.to_owned(), target(tool, &call).unwrap_or_default()))
    });
    Some(call.unwrap_or_else(|| ("text".to_owned(), String::new())))
}

/// Says how often the steps agree.
fn report(args: &JudgeArgs, rows: &[Row<'_>]) -> Result<Verdict> {
    let mut failures: BTreeMap<&str, u64> = BTreeMap::new();
    let steps = rows.iter().flat_map(|row| row.steps.iter().flatten());
    for why in steps.filter_map(|step| step.as_ref().err()) {
        *failures.entry(why).or_default() += 1;
    }
    let failed: Vec<String> = failures
        .iter()
        .map(|(why, count)| format!("{count} × {why}"))
        .collect();
    let agreed = agreement(rows, |a, b| a == b);
    let compared = agreed.count().round() as u64;
    if compared == 0 {
        bail!(
            "no request has answers to compare: {}",
            joined(failed, ", ")
        );
    }
    let tools = agreement(rows, |a, b| a.0 == b.0);
    let figures =
        [("tool", tools), ("tool and target", agreed)].map(|(name, cases)| (name, cases.figures()));
    let text = if args.json {
        let agreement = figures.map(|(name, [pruned, whole, difference, low, high])| {
            json!({"of": name, "whole": whole, "pruned": pruned, "difference": difference, "low": low, "high": high})
        });
        let requests: Vec<Value> = rows.iter().map(Row::json).collect();
        let all = json!({"schema": 1, "kind": "judge", "compared": compared, "calls": 4 * rows.len(),
            "failures": failures, "agreement": agreement, "requests": requests});
        format!("{all}\n")
    } else {
        let mut document = Document::new("", format!("{} compared", counted(compared, "request")));
        document.table(Table::new(
            figures,
            &[
                ("step", Left, |(name, _)| name.to_owned()),
                ("whole/whole", Right, |(_, of)| {
                    format!("{:.1} %", of[1] * 100.0)
                }),
                ("whole/pruned", Right, |(_, of)| {
                    format!("{:.1} %", of[0] * 100.0)
                }),
                ("difference", Right, |(_, of)| share(of[2])),
                ("interval of 95 %", Right, |(_, of)| {
                    format!("{} to {}", share(of[3]), share(of[4]))
                }),
            ],
        ));
        document.facts("failed", failed);
        printed(document)
    };
    streams::print(text)
}

/// Compares whole with pruned (first) and whole with whole (second). Each request counts once, its
/// pairs of answers in parts.
fn agreement(
    rows: &[Row<'_>],
    is_same: impl Fn(&(String, String), &(String, String)) -> bool,
) -> Paired {
    let mut cases = Paired::default();
    for row in rows {
        let [whole, pruned] = [0, 1].map(|at| row.steps[at].iter().flatten().collect::<Vec<_>>());
        if let [one, other] = whole[..] {
            for step in &pruned {
                for whole in [one, other] {
                    cases.add(
                        is_same(whole, step),
                        is_same(one, other),
                        0.5 / pruned.len() as f64,
                    );
                }
            }
        }
    }
    cases
}

impl Row<'_> {
    /// Returns the tokens of the prompts, as they are estimated.
    fn tokens(&self) -> [u64; 2] {
        [0, 1].map(|at| self.pair[at].repair.after.tokens)
    }

    fn text(&self) -> String {
        let [whole, pruned] = [0, 1].map(|at| {
            let said = self.steps[at].iter().map(|step| match step {
                Ok((tool, target)) if target.is_empty() => tool.clone(),
                Ok((tool, target)) => format!("{tool} {}", shorten(target, SHOWN)),
                Err(why) => format!("({why})"),
            });
            joined(said, " | ")
        });
        printed(Document::new(
            place_of(self.input, self.line.map(|line| line as u64)),
            format!("whole: {whole}  pruned: {pruned}"),
        ))
    }

    fn json(&self) -> Value {
        let [whole, pruned] = [0, 1].map(|at| {
            let steps = self.steps[at].iter().map(|step| match step {
                Ok((tool, target)) => json!({"tool": tool, "target": target}),
                Err(error) => json!({"error": error}),
            });
            Value::from_iter(steps)
        });
        json!({"input": self.input.display().to_string(), "line": self.line, "tokens": self.tokens(), "whole": whole, "pruned": pruned})
    }
}
