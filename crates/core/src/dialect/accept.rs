//! Decides whether an input is accepted: every message of it must have been understood.
//!
//! A message is understood if it has a known part or is empty; readers note the others as they go
//! ([`TranscriptBuilder::judge`](crate::dialect::builder::TranscriptBuilder::judge)). There are two
//! exceptions. A log that is identified by its own marks may have messages whose parts are all of
//! new kinds, as vendors add such kinds every month, and a few damaged ones. And a user who names
//! the format (`--format`) gets everything that can be read, with a warning for each kind that
//! cannot.
//!
//! What was not understood is passed through by all commands. Only a repair that has something to
//! change is refused, where what was not read may be what is missing or wrong.

use crate::{
    Error, Result,
    dialect::{Detected, Layout, detect::known, messages},
    outcome::Report,
    transcript::{Level, Transcript, UnknownKind},
};

/// Accepts an input that was read as `found`, to be pruned and checked.
///
/// # Errors
/// Not all of it was understood.
pub fn accept(read: &Transcript, found: Detected) -> Result<()> {
    let unread = &read.unread;
    let first = |level| unread.first.get(&level);
    let (message, foreign) = (first(Level::Message), first(Level::Foreign));
    let (parts, part) = (first(Level::Parts), first(Level::Part));
    let is_log = is_marked(found);
    let first = match () {
        () if found.named => None,
        () if found.format.layout == Layout::History && read.records == 0 => Some(&NOTHING),
        // A log without a message is known by its records.
        () if is_log && unread.messages == 0 && message.is_none() => first(Level::Record)
            .or(part)
            .or((!found.certain).then_some(&NOTHING)),
        // What is not understood of a mostly understood log is damage, or new.
        () if is_log && unread.understood * 2 > unread.messages => foreign,
        () if is_log && unread.understood > 0 => earliest(&[message, foreign]),
        () if [message, foreign, parts].iter().all(Option::is_none) => None,
        () => earliest(&[message, foreign, parts, part]),
    };
    first.map_or(Ok(()), |first| Err(refused(first, read, false)))
}

/// Accepts the pairs of an input with the defects of `report`: the other half of a pair may be in a
/// part of an unknown kind.
///
/// # Errors
/// There is such a part, and nothing that marks the input as a log.
pub fn accept_pairs(read: &Transcript, found: Detected, report: &Report) -> Result<()> {
    let part = read
        .unread
        .first
        .get(&Level::Part)
        .filter(|_| !found.named && !is_marked(found) && has_half(report));
    part.map_or(Ok(()), |part| Err(refused(part, read, false)))
}

fn has_half(report: &Report) -> bool {
    report
        .integrity
        .before
        .iter()
        .any(|defect| matches!(defect.code, "E01" | "E02"))
}

/// Whether the format found is a log's that has marks of its own.
fn is_marked(found: Detected) -> bool {
    // Messages alone have no agent's mark around them.
    found.format.layout == Layout::History && found.format.name != messages::DIALECT.name
}

/// Accepts an input with the defects of `report`, to be repaired. An input without defects is
/// copied, whatever is in it.
///
/// # Errors
/// A message was not understood; or a part of one was not, and the half of a pair that is missing
/// may be in it, or the message has a defect.
pub fn accept_repair(read: &Transcript, report: &Report) -> Result<()> {
    if report.integrity.before.is_empty() && read.torn.is_none() && read.torn_before.is_empty() {
        return Ok(());
    }
    let has_half = has_half(report);
    let defects = &report.integrity.before;
    let first = |level| read.unread.first.get(&level);
    let concerns =
        |part: &&UnknownKind| has_half || defects.iter().any(|d| d.message == part.message);
    let parts =
        [Level::Parts, Level::Part, Level::Twice].map(|level| first(level).filter(concerns));
    let messages = [Level::Message, Level::Foreign].map(first);
    let first = earliest(&[&messages[..], &parts].concat());
    first.map_or(Ok(()), |first| Err(refused(first, read, true)))
}

fn earliest<'a>(found: &[Option<&'a UnknownKind>]) -> Option<&'a UnknownKind> {
    found
        .iter()
        .copied()
        .flatten()
        .min_by_key(|found| (found.line, found.message))
}

/// The unknown kind for an input that contains nothing this program knows.
static NOTHING: UnknownKind = UnknownKind {
    line: 1,
    message: 0,
    what: String::new(),
};

fn refused(first: &UnknownKind, read: &Transcript, repair: bool) -> Error {
    let what = match &*first.what {
        "" if read.records == 0 => "an input without a whole record".to_owned(),
        "" => "an input without a message".to_owned(),
        what => what.to_owned(),
    };
    let message = (read.unread.messages > 0).then_some(first.message);
    Error::NotUnderstood {
        line: first.line,
        message,
        what,
        format: read.format,
        repair,
        known: known(),
    }
}
