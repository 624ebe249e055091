//! `deadhead prune --why`: reports what cut the parts that a selector names, or why each pass kept
//! them.

use super::*;

use deadhead_core::{
    diagnostics::{CutRow, PartRow},
    internal::wildcard,
};

/// A part and what became of it.
#[derive(Serialize)]
pub struct Part<'a> {
    #[serde(flatten)]
    pub row: &'a PartRow,
    /// The cut, if it was cut.
    pub cut: Option<&'a CutRow>,
    /// Passes, and why each of them kept the part.
    pub kept: Vec<(&'a str, &'a str)>,
}

/// Prints the answer for the parts of one input that `selector` names.
pub fn run(
    args: &PruneArgs,
    selector: &str,
    inputs: &Inputs,
    outputs: &Outputs,
    job: Job,
) -> Result<Verdict> {
    let [input] = &inputs.files[..] else {
        bail!("--why needs one input");
    };
    let report = |job: &Job| -> Result<Report> {
        let mut reports = Vec::new();
        let mut take = |note| {
            if let Note::Report(report, _) = note {
                reports.push(*report);
            }
        };
        prune::one(input, &None, outputs, job, &mut take)?;
        match reports.len() {
            1 => Ok(reports.swap_remove(0)),
            n => bail!("--why needs one body or log; {} has {n}", input.display()),
        }
    };
    let done = report(&job)?;
    let more = report(&job.with_preset(&args.policy, replay::MORE)?)?;
    let listed = report(&Job {
        pruner: job
            .pruner
            .clone()
            .with(|setup| setup.detail = Detail::Parts),
        ..job
    })?;
    let parts = parts(selector, &done, &listed);
    let is_cleared = |part: &Part<'_>| {
        let is_asked = part.cut.is_none() && part.row.kind == "result";
        is_asked && self::part(part.row, &more).cut.is_some()
    };
    if parts.is_empty() {
        bail!("--why {selector}: no such part; `deadhead prune --list` lists the selectors");
    }
    let decision = &done.decision;
    let text = match args.shown.report_format {
        ReportFormat::Text => {
            let mut mode = Document::default();
            mode.fact("mode", format!("{}: {}", decision.mode, decision.why));
            let texts = parts.iter().map(|part| text(part, is_cleared(part)));
            texts.chain([mode]).map(printed).collect()
        }
        ReportFormat::Json | ReportFormat::Jsonl => {
            format!(
                "{}\n",
                json!({"schema": 1, "kind": "why", "decision": decision, "parts": parts})
            )
        }
        _ => bail!("--why prints text, json or jsonl; --report-format names another"),
    };
    streams::print(text)
}

/// Returns the parts of an input that a selector names, and what happened to them.
pub fn parts<'a>(selector: &str, done: &'a Report, listed: &'a Report) -> Vec<Part<'a>> {
    listed
        .parts
        .iter()
        .filter(|row| is_named(selector, row))
        .map(|row| part(row, done))
        .collect()
}

/// Whether a selector names a part: by message, part, range of messages, call, tool or resource.
fn is_named(selector: &str, row: &PartRow) -> bool {
    if let Some(call) = selector.strip_prefix("tool:") {
        let tool = row.tool.trim().to_lowercase();
        let glob = call.strip_suffix("@name").filter(|_| !tool.is_empty());
        return row.call_id.as_deref() == Some(call)
            || glob.is_some_and(|glob| wildcard::matches(&glob.to_lowercase(), &tool));
    }
    if let Some(path) = selector.strip_prefix("resource:") {
        return row.resource.as_deref() == Some(path);
    }
    let (from, to) = selector.split_once('-').unwrap_or((selector, selector));
    let range = from.parse().ok().zip(to.parse().ok());
    row.select == selector || range.is_some_and(|(from, to)| (from..=to).contains(&row.message))
}

fn part<'a>(row: &'a PartRow, report: &'a Report) -> Part<'a> {
    let here = |message, part| row.message == message && row.part.is_none_or(|own| own == part);
    let cut = report.cuts.iter().find(|cut| here(cut.message, cut.part));
    let mut kept: Vec<(&str, &str)> = report
        .skipped
        .iter()
        .filter(|skip| here(skip.message, skip.part))
        .map(|skip| (skip.pass, &*skip.why))
        .collect();
    if cut.is_none() {
        kept.extend(row.stays.iter().map(|why| ("every pass", &**why)));
        kept.extend(
            report
                .decision
                .notes
                .iter()
                .map(|(passes, note)| (&**passes, &**note)),
        );
    }
    Part { row, cut, kept }
}

fn text(part: &Part<'_>, is_cleared_by_more: bool) -> Document<'static> {
    let row = part.row;
    let tool = match &*row.tool {
        "" => String::new(),
        tool => format!(" of {tool}"),
    };
    let mut text = Document::new(
        format!("{} {}{tool}", row.select, row.kind),
        counted(row.chars, "char"),
    );
    match part.cut {
        Some(cut) => {
            let sizes = resized(cut.chars_before, cut.chars_after, "chars");
            text.fact("cut", format!("by {}: {sizes}", cut.pass));
            text.fact("", &*cut.reason);
        }
        None if part.kept.is_empty() => text.fact("kept", untold(row)),
        None => {}
    }
    let kept = part.kept.iter();
    text.facts("kept", kept.map(|(pass, why)| format!("by {pass}: {why}")));
    if is_cleared_by_more {
        text.fact("", format!("--preset {} clears it", replay::MORE));
    }
    text
}

/// Why a part is kept of which no pass says anything.
fn untold(row: &PartRow) -> &'static str {
    match row.kind {
        "result" => {
            "it is among the newest (keepLastAssistants), before the first message of the user, or shorter than a placeholder"
        }
        "call" => "a call goes only with its result, and this policy removes none",
        _ => "this policy cuts results of tools",
    }
}
