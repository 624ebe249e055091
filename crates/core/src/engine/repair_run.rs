//! Repairs inputs, and reports for logs what a repair would change.

use super::*;
use crate::{
    check,
    check::thinking_warning,
    diagnostics::{DefectRow, Integrity},
    dialect::{Dialect, Layout, accept::accept_repair},
    input::Source,
    reader,
    repair::{Rounds, cut_off, rows},
    settings::{ContextPruning, Scope},
    values,
};
use std::borrow::Cow;

/// Completes the run of an input that has defects or is torn: bytes, and what was read of them.
type Finish = fn(Pruned, &Rounds<'_>, Cow<'_, [u8]>, Transcript) -> Result<Pruned>;

fn finish(setup: &Setup) -> Finish {
    match setup.task {
        Task::Check => checked,
        _ => repaired,
    }
}

/// Repairs one body, and changes nothing else in it, or checks what a repair would leave, as the
/// task is. Remaining defects are in the report's integrity.
///
/// # Errors
/// The body is no JSON or not all of it was understood, or it does not read any more when it is
/// repaired.
pub fn mend(bytes: &[u8], line: u64, found: Detected, setup: &Setup) -> Result<Pruned> {
    let is_log = found.format.layout == Layout::History;
    let pruned = body(bytes, line, found, &without_pruning(setup, is_log))?;
    if pruned.report.integrity.before.is_empty() {
        return Ok(pruned);
    }
    let read = |bytes: &[u8], _| read_body(bytes, line, found, setup);
    let rounds = Rounds {
        read: &read,
        whole: false,
    };
    finish(setup)(pruned, &rounds, bytes.into(), read(bytes, None)?)
}

/// Like [`mend`], for a history, which is read into memory if it has a defect.
///
/// # Errors
/// The input cannot be read any more or not all of it was understood, half of a pair is in such a
/// part, or it does not read when it is repaired.
pub fn mend_history(
    read: Transcript,
    source: &Source,
    found: Detected,
    setup: &Setup,
) -> Result<Pruned> {
    let pruned = history(&read, source, &without_pruning(setup, true))?;
    if setup.task == Task::Check {
        accept_pairs(&read, found, &pruned.report)?;
    }
    let is_whole = pruned.report.integrity.before.is_empty()
        && read.torn.is_none()
        && read.torn_before.is_empty();
    if is_whole && read.damaged.is_none() {
        return Ok(pruned);
    }
    let bytes = source.read(0, source.size())?;
    if is_whole && cut_off(&read, &bytes).is_none() {
        return Ok(pruned);
    }
    let rounds = Rounds {
        read: &reading(found.format, setup, read.multiline_records),
        whole: true,
    };
    finish(setup)(pruned, &rounds, bytes, read)
}

/// Repairs an input, and reports the defects that it had and those that are left.
fn repaired(
    mut pruned: Pruned,
    rounds: &Rounds<'_>,
    mut bytes: Cow<'_, [u8]>,
    mut before: Transcript,
) -> Result<Pruned> {
    accept_repair(&before, &pruned.report)?;
    let torn = torn(&before, &bytes);
    let mut changed = false;
    let mut found = None;
    while let Some(within) = cut_off(&before, &bytes) {
        bytes = within.mended(&bytes).into();
        before = (rounds.read)(&bytes, None)?;
        changed = true;
    }
    let last = loop {
        // Removes the incomplete records that have a whole one behind them.
        for (_, torn) in before.torn_before.iter().rev() {
            bytes.to_mut().drain(torn.start as usize..torn.end as usize);
            changed = true;
        }
        if !before.torn_before.is_empty() {
            before = (rounds.read)(&bytes, None)?;
        }
        // Removes the incomplete end.
        if let Some(end) = whole_end(&before, &bytes) {
            bytes = bytes[..end].to_vec().into();
            before = (rounds.read)(&bytes, None)?;
            changed = true;
        }
        let first = rounds.state(None, bytes, before)?;
        let repaired = rounds.run(&first)?;
        found.get_or_insert_with(|| rows(&first, repaired.as_ref()));
        if let Some(repaired) = repaired.as_ref().filter(|_| !rounds.whole) {
            pruned.report.warnings.extend(
                invalid_thinking(&first.read, &first.bytes, &repaired.bytes).map(Warning::new),
            );
        }
        changed |= repaired.is_some();
        let state = repaired.unwrap_or(first);
        if whole_end(&state.read, &state.bytes).is_none() {
            break state;
        }
        // Continues without what followed a torn line.
        bytes = state.bytes;
        before = state.read;
    };
    let report = &mut pruned.report;
    report.integrity = Integrity {
        before: found.into_iter().flatten().chain(torn).collect(),
        after: rows(&last, None),
    };
    report
        .integrity
        .after
        .extend(self::torn(&last.read, &last.bytes));
    if changed {
        report.output.bytes = last.bytes.len() as u64;
    }
    pruned.output = changed.then(|| last.bytes.into_owned());
    Ok(pruned)
}

/// Returns the warning about the thinking of a body behind the first byte that a repair has
/// changed.
fn invalid_thinking(read: &Transcript, before: &[u8], after: &[u8]) -> Option<String> {
    let byte = before.iter().zip(after).take_while(|(a, b)| a == b).count() as u64;
    let message = read
        .messages
        .partition_point(|m| m.range(m.span).end <= byte);
    thinking_warning(read, read.model.as_deref(), message as u32)
}

/// Reports the defects of an input, each with whether a repair removes it.
fn checked(
    mut pruned: Pruned,
    rounds: &Rounds<'_>,
    bytes: Cow<'_, [u8]>,
    read: Transcript,
) -> Result<Pruned> {
    let torn = torn(&read, &bytes);
    if !pruned.report.integrity.before.is_empty() {
        let accepted = accept_repair(&read, &pruned.report).is_ok();
        let first = rounds.state(None, bytes, read)?;
        let repaired = if accepted { rounds.run(&first)? } else { None };
        pruned.report.integrity.before = rows(&first, repaired.as_ref());
    }
    let integrity = &mut pruned.report.integrity;
    integrity.before.extend(torn);
    integrity.after.clone_from(&integrity.before);
    Ok(pruned)
}

/// The defect of a log that ends in the middle of a record.
fn torn(read: &Transcript, bytes: &[u8]) -> Vec<DefectRow> {
    let within = cut_off(read, bytes);
    let within = within.map(|within| (within.line, within.torn.start as u64));
    check::torn(read, whole_end(read, bytes).is_some(), within)
}

/// Returns the length of the complete records of a log. `None` if its end is complete, or if too
/// much would be removed with it.
fn whole_end(read: &Transcript, bytes: &[u8]) -> Option<usize> {
    let whole = &bytes[..read.torn?.start as usize];
    if read.multiline_records {
        return Some(whole.len()).filter(|_| !whole.trim_ascii().is_empty());
    }
    reader::written_whole(whole)
}

/// Returns a setup that prunes nothing; of a log it looks for all defects.
fn without_pruning(setup: &Setup, is_log: bool) -> Setup {
    let mut off = setup.clone();
    if is_log {
        off.task = Task::Check;
    }
    off.settings.context_pruning.mode = Mode::Off;
    off.passes = &[];
    off
}

/// Returns a function that reads a history again, in the scope of the run or in another one.
fn reading(
    format: &'static Dialect,
    setup: &Setup,
    multiline_records: bool,
) -> impl Fn(&[u8], Option<Scope>) -> Result<Transcript> {
    let Settings {
        context_pruning: ContextPruning { estimator, .. },
        scope: of_run,
        ..
    } = setup.settings;
    move |bytes, scope| {
        let reading = Reading {
            table: true,
            ..Reading::new(format, estimator, scope.unwrap_or(of_run))
        };
        values::log_again(&bytes, &reading, multiline_records)
    }
}
