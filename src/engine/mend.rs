//! Mends inputs: all that can be mended is, kind after kind, and what comes out is read again between them.

use super::{Pruned, Setup, body, history, read_body};
use crate::Error;
use crate::check::{check, repair::changes, thinking_warning};
use crate::config::settings::{Mode, Scope};
use crate::format::{Detected, Format};
use crate::input::Source;
use crate::json::IdSet;
use crate::plan::Texts;
use crate::reader;
use crate::report::Warning;
use crate::splice::Edits;
use crate::transcript::{BlockKind, Flags, Rules, Transcript};
use crate::values;

/// Mends one body where it can be mended, and nothing else in it: what is left to be told is in the report's integrity.
///
/// # Errors
/// The body is no JSON, or it does not read any more when it is mended.
pub fn repair(bytes: &[u8], line: u64, found: Detected, setup: &Setup) -> Result<Pruned, Error> {
    let mut pruned = body(bytes, line, found, &off(setup))?;
    let read = |now: &[u8]| read_body(now, line, found, setup);
    mend(read_body(bytes, line, found, setup)?, bytes, &mut pruned, read, |_| Ok(IdSet::default()))?;
    Ok(pruned)
}

/// Mends a history as [`repair`] does a body. It is held once where it has defects.
///
/// # Errors
/// The input cannot be read any more, or it does not read when it is mended.
pub fn repair_history(before: Transcript, source: &Source, format: &'static Format, setup: &Setup) -> Result<Pruned, Error> {
    let mut pruned = history(&before, source, &off(setup))?;
    if pruned.report.integrity.before.is_empty() {
        return Ok(pruned);
    }
    let settings = &setup.settings;
    let bytes = Texts::read(source, 0, source.size())?;
    let spread = before.spread;
    let read = |now: &[u8], scope: Scope| {
        if spread {
            return values::history(now, format, settings.context_pruning.estimator, scope);
        }
        let source = Source::Memory(now.to_vec());
        reader::history(&source, format, settings.context_pruning.estimator, scope, 1, &|_| {})
    };
    // A call whose result is elsewhere in the log is not answered anew.
    let recorded = |now: &[u8]| Ok(results(&read(now, Scope::File)?));
    mend(before, &bytes, &mut pruned, |now| read(now, settings.scope), recorded)?;
    Ok(pruned)
}

/// The calls that have a result.
fn results(read: &Transcript) -> IdSet {
    read.blocks.iter().filter(|block| block.kind == BlockKind::Result).map(|block| read.link(block).call).collect()
}

/// How often an input is mended and read again at most: for every kind of mend, a few times.
const ROUNDS: usize = 64;

/// A setup that prunes nothing.
fn off(setup: &Setup) -> Setup {
    let mut off = setup.clone();
    off.settings.context_pruning.mode = Mode::Off;
    off
}

/// Mends kind after kind, and reads `again` between them. A call that has no result here gets no new one
/// where `recorded` has it.
fn mend(
    mut read: Transcript,
    bytes: &[u8],
    pruned: &mut Pruned,
    again: impl Fn(&[u8]) -> Result<Transcript, Error>,
    recorded: impl Fn(&[u8]) -> Result<IdSet, Error>,
) -> Result<(), Error> {
    let mut mended: Option<Vec<u8>> = None;
    let model = read.model.clone();
    for round in 0..=ROUNDS {
        let now = mended.as_deref().unwrap_or(bytes);
        let defects = check(&read, &now, |_, block| block.flags.has(Flags::BLANK));
        let unanswered = defects.iter().any(|defect| defect.row.code == "E01");
        let recorded: IdSet = if unanswered { recorded(now)?.difference(&results(&read)).copied().collect() } else { IdSet::default() };
        let edits = Edits::of_changes(&now, &changes(&read, now, &defects, &recorded))?;
        pruned.report.integrity.after = defects.into_iter().map(|d| d.row).collect();
        if edits.is_empty() || round == ROUNDS {
            break;
        }
        if let Some(first) = edits.first().filter(|_| mended.is_none()) {
            let message = read.messages.partition_point(|m| m.record + u64::from(m.span.end) <= first);
            let warning = thinking_warning(&read, model.as_deref(), message as u32);
            pruned.report.warnings.extend(warning.filter(|_| read.rules != Rules::History).map(Warning::new));
        }
        let next = edits.render(&now, 0, now.len() as u64)?;
        read = again(&next).map_err(|error| Error::Mismatch { message: 0, what: error.to_string() })?;
        mended = Some(next);
    }
    if let Some(mended) = &mended {
        pruned.report.output.bytes = mended.len() as u64;
    }
    pruned.output = mended;
    Ok(())
}
