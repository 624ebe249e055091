//! Repairs inputs, and reports for logs what a repair would change.

use super::{Pruned, Setup, body, history, read_body};
use crate::Error;
use crate::check::{self, is_refused_everywhere, thinking_warning};
use crate::diagnostics::{DefectRow, Integrity, Warning};
use crate::dialect::accept::{accept, accept_pairs, accept_repair};
use crate::dialect::{Detected, Dialect};
use crate::input::Source;
use crate::read_at::ReadAt;
use crate::reader::{self, Reading};
use crate::repair::{Rounds, rows};
use crate::settings::{ContextPruning, Mode, Scope, Settings};
use crate::transcript::Transcript;
use crate::values;
use std::borrow::Cow;

/// Repairs one body, and changes nothing else in it. Remaining defects are in the report's integrity.
///
/// # Errors
/// The body is no JSON or not all of it was understood, or it does not read any more when it is repaired.
pub fn repair(bytes: &[u8], line: u64, found: Detected, setup: &Setup) -> Result<Pruned, Error> {
    let read = |bytes: &[u8], _| read_body(bytes, line, found, setup);
    let before = read(bytes, None)?;
    if !is_refused_everywhere(&before) {
        accept(&before, found)?;
    }
    let mut pruned = body(bytes, line, found, &without_pruning(setup))?;
    if pruned.report.integrity.before.is_empty() {
        return Ok(pruned);
    }
    accept_repair(&before, &pruned.report)?;
    let rounds = Rounds {
        read: &read,
        whole: false,
    };
    let first = rounds.state(bytes.into(), before)?;
    let last = rounds.run(&first)?;
    if let Some(repaired) = &last {
        let same = bytes.iter().zip(&repaired.bytes[..]);
        let byte = same.take_while(|(a, b)| a == b).count() as u64;
        let read = &first.read;
        let message = read
            .messages
            .partition_point(|m| m.record + u64::from(m.span.end) <= byte);
        let warning = thinking_warning(read, read.model.as_deref(), message as u32);
        pruned.report.warnings.extend(warning.map(Warning::new));
    }
    let integrity = &mut pruned.report.integrity;
    integrity.before = rows(&first, last.as_ref());
    integrity.after = rows(last.as_ref().unwrap_or(&first), None);
    set_output(&mut pruned, last.map(|last| last.bytes.into_owned()));
    Ok(pruned)
}

/// Like [`repair`], for a history. If it has defects, it is read into memory.
///
/// # Errors
/// The input cannot be read any more or not all of it was understood, or it does not read when it is repaired.
pub fn repair_history(
    before: Transcript,
    source: &Source,
    format: &'static Dialect,
    setup: &Setup,
) -> Result<Pruned, Error> {
    let mut pruned = history(&before, source, &without_pruning(setup))?;
    if pruned.report.integrity.before.is_empty() && before.torn.is_none() {
        return Ok(pruned);
    }
    accept_repair(&before, &pruned.report)?;
    let read = reading(format, setup, before.multiline_records);
    let rounds = Rounds {
        read: &read,
        whole: true,
    };
    let mut bytes = source.read(0, source.size())?;
    let torn = torn(&before, &bytes);
    let (mut before, mut changed, mut found) = (before, false, None);
    let last = loop {
        // Removes the incomplete end.
        if let Some(end) = whole_end(&before, &bytes) {
            bytes = bytes[..end].to_vec().into();
            before = read(&bytes, None)?;
            changed = true;
        }
        let first = rounds.state(bytes, before)?;
        let repaired = rounds.run(&first)?;
        found.get_or_insert_with(|| rows(&first, repaired.as_ref()));
        changed |= repaired.is_some();
        let state = repaired.unwrap_or(first);
        if whole_end(&state.read, &state.bytes).is_none() {
            break state;
        }
        // Continues without what followed a torn line.
        (bytes, before) = (state.bytes, state.read);
    };
    let integrity = &mut pruned.report.integrity;
    integrity.before = found.unwrap_or_default();
    integrity.before.extend(torn);
    integrity.after = rows(&last, None);
    integrity.after.extend(self::torn(&last.read, &last.bytes));
    set_output(&mut pruned, changed.then(|| last.bytes.into_owned()));
    Ok(pruned)
}

/// Checks one body, and reports which defects [`repair`] would leave.
///
/// # Errors
/// Those of [`body`].
pub fn check_body(
    bytes: &[u8],
    line: u64,
    found: Detected,
    setup: &Setup,
) -> Result<Pruned, Error> {
    let mut pruned = body(bytes, line, found, &without_pruning(setup))?;
    if !pruned.report.integrity.before.is_empty() {
        let read = |bytes: &[u8], _| read_body(bytes, line, found, setup);
        let rounds = Rounds {
            read: &read,
            whole: false,
        };
        try_repair(&mut pruned, &rounds, bytes.into(), read(bytes, None)?)?;
    }
    Ok(pruned)
}

/// Checks a history, and reports which defects [`repair_history`] would leave.
///
/// # Errors
/// The input cannot be read any more, or half of a pair is in a part that was not understood.
pub fn check_history(
    read: Transcript,
    source: &Source,
    found: Detected,
    setup: &Setup,
) -> Result<Pruned, Error> {
    let mut pruned = history(&read, source, &without_pruning(setup))?;
    accept_pairs(&read, found, &pruned.report)?;
    let whole = || source.read(0, source.size());
    let torn = match read.torn {
        Some(_) => torn(&read, &whole()?),
        None => None,
    };
    if !pruned.report.integrity.before.is_empty() {
        let rounds = Rounds {
            read: &reading(found.format, setup, read.multiline_records),
            whole: true,
        };
        try_repair(&mut pruned, &rounds, whole()?, read)?;
    }
    let integrity = &mut pruned.report.integrity;
    integrity.before.extend(torn);
    integrity.after.clone_from(&integrity.before);
    Ok(pruned)
}

/// Sets the defects of an input, each with whether a repair removes it.
fn try_repair(
    pruned: &mut Pruned,
    rounds: &Rounds<'_>,
    bytes: Cow<'_, [u8]>,
    read: Transcript,
) -> Result<(), Error> {
    let accepted = accept_repair(&read, &pruned.report).is_ok();
    pruned.report.integrity = Integrity::default();
    let first = rounds.state(bytes, read)?;
    let repaired = if accepted { rounds.run(&first)? } else { None };
    let integrity = &mut pruned.report.integrity;
    integrity.before = rows(&first, repaired.as_ref());
    integrity.after.clone_from(&integrity.before);
    Ok(())
}

/// The defect of a log that ends in the middle of a record.
fn torn(read: &Transcript, bytes: &[u8]) -> Option<DefectRow> {
    check::torn(read, whole_end(read, bytes).is_some())
}

/// Returns the length of the complete records of a log. `None` if its end is complete, or if too much would be removed with it.
fn whole_end(read: &Transcript, bytes: &[u8]) -> Option<usize> {
    let whole = &bytes[..read.torn?.start as usize];
    if read.multiline_records {
        return Some(whole.len()).filter(|_| !whole.trim_ascii().is_empty());
    }
    reader::written_whole(whole)
}

/// Sets the output; `None` if it is the input unchanged.
fn set_output(pruned: &mut Pruned, output: Option<Vec<u8>>) {
    if let Some(output) = &output {
        pruned.report.output.bytes = output.len() as u64;
    }
    pruned.output = output;
}

/// Returns a setup that prunes nothing.
fn without_pruning(setup: &Setup) -> Setup {
    let mut off = setup.clone();
    off.settings.context_pruning.mode = Mode::Off;
    off.passes = &[];
    off
}

/// Returns a function that reads a history again, in the scope of the run or in another one.
fn reading(
    format: &'static Dialect,
    setup: &Setup,
    multiline_records: bool,
) -> impl Fn(&[u8], Option<Scope>) -> Result<Transcript, Error> {
    let Settings {
        context_pruning: ContextPruning { estimator, .. },
        scope: of_run,
        ..
    } = setup.settings;
    move |bytes, scope| {
        let scope = scope.unwrap_or(of_run);
        if multiline_records {
            return values::history(bytes, format, estimator, scope);
        }
        let reading = Reading {
            table: true,
            ..Reading::new(format, estimator, scope)
        };
        reader::log(&Source::Memory(bytes.to_vec()), &reading, 1, &|_| {})
    }
}
