//! Parents that are missing from the input, because only a part of a log was given.
//!
//! Only parents of messages of the conversation count. A notice that names a record of another file
//! leads to no message, and Claude Code writes such notices.

use crate::{
    Result,
    diagnostics::Warning,
    dialect::{
        Dialect,
        builder::{Entry, EntryKind, NONE, TranscriptBuilder},
        tree::parents::Tree,
    },
    json::{Cursor, IdSet, bom, locate},
    read_at::{ReadAt, Window},
    transcript::{MissingParents, Transcript},
};

/// Whether each entry is a message of the conversation, or leads to one.
pub fn leads_to_message(entries: &[Entry], tree: &Tree) -> Vec<bool> {
    let is_said = |e: &Entry| e.message != NONE && !matches!(e.kind, EntryKind::Side(_));
    let said = (0..).zip(entries).filter(|(_, entry)| is_said(entry));
    tree.parents.leads_to(said.map(|(i, _)| i))
}

/// An entry whose parent was not found.
#[derive(Clone, Copy, Debug)]
pub struct Orphan {
    /// The entry.
    pub entry: Entry,
    /// Whether it leads to a message of the conversation.
    leads: bool,
}

impl Orphan {
    /// The entry at index `i`; `lead` says which entries lead to messages.
    pub fn of(entries: &[Entry], lead: &[bool], i: u32) -> Orphan {
        Orphan {
            entry: entries[i as usize],
            leads: lead[i as usize],
        }
    }
}

/// The line of the first of these entries that leads to a message.
pub fn first_line(entries: &[Entry], lead: &[bool]) -> Option<u32> {
    let first = entries.iter().zip(lead).find(|(_, lead)| **lead);
    first.map(|(entry, _)| entry.line)
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
    let left = tree.orphans.iter().map(|&i| Orphan::of(entries, &lead, i));
    // An event may name one that was never written down. Where the head of the chain is there,
    // nothing is missing.
    let counts = |orphan: &Orphan| orphan.leads && (!orphan.entry.is_event() || !rooted);
    let all = released.orphans.iter().copied().chain(left).filter(counts);
    let (lines, parents): (Vec<u32>, IdSet) = all
        .map(|Orphan { entry, .. }| (entry.line, entry.parent))
        .unzip();
    let Some(line) = lines.into_iter().min() else {
        return;
    };
    let first = released.first_line.or(first_line(entries, &lead));
    builder.missing = Some(MissingParents {
        count: parents.len() as u64,
        line,
        id: String::new(),
        head: first == Some(line),
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
) -> Result<()> {
    let Some(missing) = &mut transcript.missing else {
        return Ok(());
    };
    // The record may follow a torn one in its line.
    let line = u64::from(missing.line);
    let torn = transcript.torn_before.iter().find(|(at, _)| *at == line);
    let start = match torn {
        Some((_, range)) => range.end,
        None => line_start(texts, missing.line)?,
    };
    let record = locate::value_at(&mut Window::new(texts), start)?;
    let bytes = texts.read(record.start, record.end)?;
    let parent = format
        .references
        .and_then(|references| locate::member_value(&bytes, 0, references.parent));
    let id = parent.and_then(|parent| {
        let mut cursor = Cursor::new_at(&bytes, parent.start);
        cursor.string_or_skip().ok()?
    });
    missing.id = id.unwrap_or_default().into_owned();
    transcript
        .warnings
        .insert(0, Warning::at(u64::from(missing.line), missing.to_string()));
    Ok(())
}

/// Bytes read at a time.
const WINDOW: u64 = 1 << 20;

/// Returns the byte of the input at which a line begins. Lines are counted from 1.
fn line_start(texts: &dyn ReadAt, line: u32) -> Result<u64> {
    let mut start = bom(&texts.read(0, texts.size().min(3))?) as u64;
    let mut before = line.saturating_sub(1);
    while before > 0 && start < texts.size() {
        let bytes = texts.read(start, texts.size().min(start + WINDOW))?;
        for end in memchr::memchr_iter(b'\n', &bytes) {
            before -= 1;
            if before == 0 {
                return Ok(start + end as u64 + 1);
            }
        }
        start += bytes.len() as u64;
    }
    Ok(start)
}
