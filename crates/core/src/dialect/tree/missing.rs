//! Parents that are missing from the input, because only a part of a log was given.
//!
//! Only parents of messages of the conversation count. A notice that names a line of another file leads to no message, and Claude
//! Code writes such notices.

use crate::Error;
use crate::diagnostics::Warning;
use crate::dialect::Dialect;
use crate::dialect::builder::{Entry, EntryKind, NONE, TranscriptBuilder};
use crate::dialect::tree::parents::Tree;
use crate::json::{Cursor, Id, IdSet, bom, locate};
use crate::read_at::{ReadAt, Window};
use crate::transcript::{MissingParents, Transcript};

/// Whether each entry is a message of the conversation, or leads to one.
pub fn leads_to_message(entries: &[Entry], tree: &Tree) -> Vec<bool> {
    let mut leads = vec![false; entries.len()];
    for (i, _) in entries
        .iter()
        .enumerate()
        .filter(|(_, e)| e.message != NONE && !matches!(e.kind, EntryKind::Side(_)))
    {
        for at in tree.parents.up(i as u32) {
            if std::mem::replace(&mut leads[at], true) {
                break;
            }
        }
    }
    leads
}

/// Whether one of these entries begins a conversation: it leads to a message and has no parent.
pub fn is_rooted(entries: &[Entry], lead: &[bool]) -> bool {
    let is_root =
        |e: &Entry| e.kind != EntryKind::Header && (e.parent.is_none() || e.parent == e.id);
    entries
        .iter()
        .zip(lead)
        .any(|(entry, lead)| *lead && is_root(entry))
}

/// Notes which parents are not in the input.
pub fn note_missing(builder: &mut TranscriptBuilder, tree: &Tree) {
    let released = &builder.released;
    if tree.orphans.is_empty() && released.orphans.is_empty() {
        return;
    }
    let entries = &builder.entries;
    let lead = leads_to_message(entries, tree);
    let rooted = released.rooted || is_rooted(entries, &lead);
    // An event may name one that was never written down. Where the head of the chain is there, nothing is missing.
    let counts = |kind: EntryKind| kind != EntryKind::Event || !rooted;
    let gone = released
        .orphans
        .iter()
        .filter(|orphan| orphan.leads && counts(orphan.kind))
        .map(|orphan| (orphan.parent, orphan.line));
    let left = tree
        .orphans
        .iter()
        .map(|&i| i as usize)
        .filter(|&i| lead[i] && counts(entries[i].kind));
    let orphans: Vec<(Id, u32)> = gone
        .chain(left.map(|i| (entries[i].parent, entries[i].line)))
        .collect();
    let Some(line) = orphans.iter().map(|(_, line)| *line).min() else {
        return;
    };
    let count = orphans.iter().map(|(id, _)| *id).collect::<IdSet>().len() as u64;
    let first = entries
        .iter()
        .zip(&lead)
        .filter(|(_, lead)| **lead)
        .map(|(entry, _)| entry.line)
        .min();
    let head = released.first_line.or(first) == Some(line);
    builder.missing = Some(MissingParents {
        count,
        line,
        id: String::new(),
        head,
    });
}

/// Looks up the id of the first parent that is missing, and warns of it.
///
/// # Errors
/// The input cannot be read any more.
pub fn name_missing(
    texts: &dyn ReadAt,
    format: &Dialect,
    transcript: &mut Transcript,
) -> Result<(), Error> {
    let Some(missing) = &mut transcript.missing else {
        return Ok(());
    };
    let member = format.references.map_or("", |references| references.parent);
    let start = line_start(texts, missing.line)?;
    let record = locate::value_at(&mut Window::new(texts), start)?;
    missing.id = string_member(&texts.read(record.start, record.end)?, member).unwrap_or_default();
    transcript
        .warnings
        .insert(0, Warning::at(u64::from(missing.line), missing.to_string()));
    Ok(())
}

/// Bytes read at a time.
const WINDOW: u64 = 1 << 20;

/// Returns the byte of the input at which a line begins. Lines are counted from 1.
fn line_start(texts: &dyn ReadAt, line: u32) -> Result<u64, Error> {
    let (mut start, mut before) = (0, u64::from(line.saturating_sub(1)));
    while before > 0 && start < texts.size() {
        let bytes = texts.read(start, texts.size().min(start + WINDOW))?;
        match memchr::memchr_iter(b'\n', &bytes).nth(before as usize - 1) {
            Some(at) => return Ok(start + at as u64 + 1),
            None => before -= memchr::memchr_iter(b'\n', &bytes).count() as u64,
        }
        start += bytes.len() as u64;
    }
    Ok(if start == 0 {
        bom(&texts.read(0, texts.size().min(3))?) as u64
    } else {
        start
    })
}

/// The member of an object that is a string.
fn string_member(bytes: &[u8], name: &str) -> Option<String> {
    let mut cursor = Cursor::new_at(bytes, locate::member(bytes, 0, name)?.value.start);
    cursor.string_or_skip().ok()?.map(|text| text.into_owned())
}
