//! Removes from a log what its next request does not hold: messages before a compaction and on
//! other branches, copies, and what belonged to turns that are gone.
//!
//! The log is read twice: for its context, with a note of each record, and as it will be written.
//! Both contexts have a digest, and if these differ nothing is written.

use crate::{
    Error, Result,
    agents::Aside,
    dialect,
    dialect::{Dialect, Layout, accept::accept},
    edit::{Change, Edited, Edits, RecordMoves, id_member, relink},
    emit,
    input::Source,
    input_kind::InputKind,
    json::{Cursor, Scanned},
    read_at::ReadAt,
    reader::{self, Reading},
    settings::{Estimator, Scope},
    stream::beginning,
    transcript::{Record, RecordReferences, Records, ResultCopyKind, Transcript},
    values,
};
use sha2::{Digest, Sha256};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    io,
    ops::Range,
};

/// Bytes of a record in which its types are looked for.
const HEAD: u64 = 4 << 10;

/// What is removed from a log.
#[derive(Debug)]
pub struct Slimmed {
    /// The format of the log.
    pub format: &'static str,
    /// The removal.
    pub edits: Edits,
    /// Removed records and their bytes, by the reason.
    pub removed: BTreeMap<&'static str, (u64, u64)>,
    /// Whether other logs may name bytes of this one, which are elsewhere in the output.
    pub is_read_by_bytes: bool,
    /// SHA-256 of the next request, in hexadecimal, which is that of the output too.
    pub context: String,
}

/// Finds what can be removed from a log; `None` for an input that is no log. `format` is the one
/// that the user names.
///
/// # Errors
/// The input cannot be read or was not understood; or the output would have another context.
pub fn slim(source: &Source, format: Option<&str>, threads: usize) -> Result<Option<Slimmed>> {
    let named = format.map(dialect::named).transpose()?;
    let (found, is_document) = match beginning(source, named)?.0 {
        InputKind::Log(found) => (found, false),
        InputKind::Document(found) if found.format.layout == Layout::History => (found, true),
        _ => return Ok(None),
    };
    let format = found.format;
    let read = |texts: &dyn ReadAt, scope| {
        let reading = Reading::new(format, Estimator::Utf16, scope);
        values::log_again(texts, &reading, is_document)
    };
    let reading = Reading {
        table: true,
        ..Reading::new(format, Estimator::Utf16, Scope::Context)
    };
    let context = if is_document {
        read(source, Scope::Context)?
    } else {
        reader::log(source, &reading, threads, &|_| {})?
    };
    accept(&context, found)?;
    if let Some(damaged) = context.damaged {
        return Err(Error::Json {
            line: damaged.line,
            column: damaged.column,
            byte: damaged.byte,
            error: damaged.error,
        });
    }
    let before = digest(&context, source)?;
    // Where a log without its other branches would not be understood any more, they stay.
    for with_branches in [true, false] {
        let mut slimmed = Slimmed {
            format: format.name,
            edits: Edits::default(),
            removed: BTreeMap::new(),
            is_read_by_bytes: context.read_by_bytes,
            context: before.clone(),
        };
        let changes = if is_document {
            elements(&context, &read(source, Scope::File)?, &mut slimmed)
        } else {
            records(&context, source, with_branches, format, &mut slimmed)?
        };
        slimmed.edits = Edits::of_changes(source, &changes)?;
        let output = Edited::new(&slimmed.edits, source);
        let is_same = || -> Result<bool> {
            match beginning(&output, named)?.0 {
                InputKind::Log(again) | InputKind::Document(again)
                    if again.format.name == format.name =>
                {
                    let context = read(&output, Scope::Context)?;
                    accept(&context, again)?;
                    Ok(digest(&context, &output)? == before)
                }
                _ => Ok(false),
            }
        };
        if changes.is_empty() || matches!(is_same(), Ok(true)) {
            source.unchanged()?;
            return Ok(Some(slimmed));
        }
    }
    let what = "the context of what is left is another one".to_owned();
    Err(Error::Mismatch { message: 0, what })
}

/// The SHA-256 of the next request, with its model, the system prompt and the tools. Of a log of
/// which no request is made it is that of the messages: their roles, and of each block its kind,
/// its id and its bytes.
fn digest(context: &Transcript, texts: &dyn ReadAt) -> io::Result<String> {
    let mut all = Sha256::new();
    if let Some(made) = emit::request(context, texts, Some(emit::PROMPT))? {
        all.update(&made.body);
        return Ok(format!("{:x}", all.finalize()));
    }
    let mut add = |bytes: &[u8]| {
        all.update((bytes.len() as u64).to_le_bytes());
        all.update(bytes);
    };
    for (i, message) in context.messages.iter().enumerate() {
        add(&[message.role as u8]);
        for block in context.blocks_of(i) {
            add(&[block.kind as u8]);
            if block.is_linked() {
                add(&message.bytes(texts, context.link(block).id)?);
            }
            add(&message.bytes(texts, block.span)?);
        }
    }
    Ok(format!("{:x}", all.finalize()))
}

/// The messages of a document that are not in its context, where each is an element of a list.
fn elements(context: &Transcript, all: &Transcript, slimmed: &mut Slimmed) -> Vec<Change> {
    let Some(table) = &all.table else {
        return Vec::new();
    };
    let mut sent: Vec<u64> = context
        .all_blocks()
        .map(|(at, _, block)| context.messages[at].range(block.span).start)
        .collect();
    sent.extend(context.messages.iter().map(|m| m.range(m.span).start));
    sent.sort_unstable();
    let mut places: Vec<_> = all.messages.iter().map(|m| m.range(m.span)).collect();
    places.dedup();
    places.retain(|place| {
        let next = sent.partition_point(|at| *at < place.start);
        table.is_element(place.start) && sent.get(next).is_none_or(|at| *at >= place.end)
    });
    for place in &places {
        slimmed.add(EARLIER, place.end - place.start);
    }
    places.into_iter().map(Change::removal).collect()
}

/// The removal of the records of a log that are not needed.
fn records(
    context: &Transcript,
    source: &Source,
    with_branches: bool,
    format: &Dialect,
    slimmed: &mut Slimmed,
) -> Result<Vec<Change>> {
    let Some(table) = &context.table else {
        return Ok(Vec::new());
    };
    let outside = Outside::of(context, table);
    let mut gone: Vec<Option<&str>> = vec![None; table.list().len()];
    let session = format.session();
    // Of records of a kind, the one that stays so far.
    let mut kept: BTreeMap<&str, usize> = BTreeMap::new();
    for (i, record) in table.list().iter().enumerate() {
        let is_named = context.taken_back.contains(&record.start)
            || record.speaks && context.model_record == Some(record.start);
        if outside.is_sent[i] || is_named {
            continue;
        }
        if let Some(why) = outside.message(i) {
            if with_branches || why != BRANCH {
                gone[i] = Some(why);
            }
            continue;
        }
        let range = record.range();
        let head = source.read(range.start, range.end.min(range.start + HEAD))?;
        let Some((name, aside)) = session.and_then(|file| aside(&file.asides, &head)) else {
            continue;
        };
        let is_shown = *aside == Aside::Screen || outside.shown.contains(&range.start);
        let why = if is_shown { COPY } else { STATE };
        let leaves = match aside {
            _ if is_shown || *aside == Aside::Rewind => Some(i),
            _ if range.start >= outside.start => None,
            Aside::Turn | Aside::Screen | Aside::Rewind => Some(i),
            Aside::Newest => kept.insert(name, i),
            Aside::First => (*kept.entry(name).or_insert(i) != i).then_some(i),
        };
        if let Some(i) = leaves {
            gone[i] = Some(why);
        }
    }
    let mut shown = match session.and_then(|file| file.screen.as_deref()) {
        Some(member) => shown(context, source, member)?,
        None => Vec::new(),
    };
    let is_kept = |at| table.around(at).is_some_and(|i| gone[i].is_none());
    shown.retain(|member| is_kept(member.start));
    let mut dropped: Vec<&Record> = Vec::new();
    for (record, why) in table.list().iter().zip(&gone) {
        if let Some(why) = *why {
            let line = record.line();
            slimmed.add(why, line.end - line.start);
            dropped.push(record);
        }
    }
    // Lines that follow each other leave as one.
    let runs = dropped.chunk_by(|record, next| record.line().end == next.line().start);
    let drop = |run: &[&Record]| Change::DropLine {
        start: run[0].start,
        end: run[run.len() - 1].range().end,
    };
    let mut changes: Vec<Change> = runs.map(drop).collect();
    for member in shown {
        // With its comma.
        slimmed.add(COPY, member.end - member.start + 1);
        changes.push(Change::removal(member));
    }
    if let Some(references) = outside.references {
        let moves = RecordMoves {
            gone: dropped.iter().map(|record| record.range()).collect(),
            ..RecordMoves::default()
        };
        changes.extend(relink(source, context, references, &moves)?);
    }
    Ok(changes)
}

/// The places of the members of this name that show a result.
fn shown(context: &Transcript, source: &Source, member: &str) -> Result<Vec<Range<u64>>> {
    let name = format!("\"{member}\"");
    let mut found = Vec::new();
    for copy in context
        .result_copies
        .iter()
        .filter(|copy| copy.kind == ResultCopyKind::DisplayOnly)
    {
        let value = copy.span.within(copy.record);
        // The name, a colon and what a printer writes between them.
        let from = value.start.saturating_sub(HEAD).max(copy.record);
        let before = source.read(from, value.start)?;
        if let Some(at) = memchr::memmem::rfind(&before, name.as_bytes()) {
            found.push(from + at as u64..value.end);
        }
    }
    Ok(found)
}

const EARLIER: &str = "before the newest compaction";
const BRANCH: &str = "on another branch";
const TWICE: &str = "written twice";
const COPY: &str = "copies for the screen";
const STATE: &str = "states of earlier turns";

impl Slimmed {
    fn add(&mut self, why: &'static str, bytes: u64) {
        let (records, all) = self.removed.entry(why).or_default();
        *records += 1;
        *all += bytes;
    }
}

/// What is outside the context of a log.
struct Outside<'a> {
    table: &'a Records,
    context: &'a Transcript,
    references: Option<&'a RecordReferences>,
    /// By record, whether it is in the context.
    is_sent: Vec<bool>,
    /// The first byte of the first record of the context, if messages precede it; else 0.
    start: u64,
    /// The ids of records on the path to the context.
    path: HashSet<u32>,
    /// First bytes of the records that show a result.
    shown: HashSet<u64>,
}

impl Outside<'_> {
    fn of<'a>(context: &'a Transcript, table: &'a Records) -> Outside<'a> {
        let mut is_sent = vec![false; table.list().len()];
        let blocks = context.all_blocks().map(|(at, _, block)| {
            let message = &context.messages[at];
            message.range(block.span).start
        });
        for at in context
            .messages
            .iter()
            .map(|message| message.record)
            .chain(blocks)
        {
            if let Some(i) = table.around(at) {
                is_sent[i] = true;
            }
        }
        let first = is_sent.iter().position(|is_sent| *is_sent);
        let shown = context.result_copies.iter();
        Outside {
            start: first
                .filter(|first| table.list()[..*first].iter().any(|r| r.speaks))
                .map_or(0, |first| table.list()[first].start),
            path: first
                .map(|first| path(context, table, first))
                .unwrap_or_default(),
            shown: shown
                .filter(|copy| copy.kind == ResultCopyKind::DisplayOnly)
                .map(|copy| copy.record)
                .collect(),
            references: context.references.filter(|found| !found.parent.is_empty()),
            table,
            context,
            is_sent,
        }
    }

    /// Returns why the record at `i`, which is not sent, is removed, if it is one of a message or a
    /// copy.
    fn message(&self, i: usize) -> Option<&'static str> {
        let record = &self.table.list()[i];
        let is_off_path = |references| {
            self.table
                .value(i, id_member(references))
                .is_some_and(|own| !self.path.contains(&own))
        };
        if self.context.copies.contains(&record.start) {
            Some(TWICE)
        } else if !record.speaks {
            None
        } else if self.references.is_some_and(is_off_path) {
            Some(BRANCH)
        } else {
            Some(EARLIER)
        }
    }
}

/// Returns the ids of the ancestors of the record at `first`.
fn path(context: &Transcript, table: &Records, first: usize) -> HashSet<u32> {
    let Some(references) = context.references else {
        return HashSet::new();
    };
    let own = id_member(references);
    let parents: HashMap<u32, u32> = (0..table.list().len())
        .filter_map(|i| table.value(i, own).zip(table.value(i, 0)))
        .collect();
    let mut path = HashSet::new();
    let mut next = table.value(first, 0);
    while let Some(id) = next.filter(|id| path.insert(*id)) {
        next = parents.get(&id).copied();
    }
    path
}

/// Returns the row of `asides` for a record that begins with `head`, by its types.
fn aside<'a>(asides: &'a [(String, Aside)], head: &[u8]) -> Option<&'a (String, Aside)> {
    let mut types = [None, None];
    // The record may go on behind what was read.
    let _ = read_types(&mut Cursor::new(head), &mut types);
    let [outer, inner] = types;
    let outer = outer?;
    let inner = inner.unwrap_or_default();
    let is = |(name, _): &&(String, Aside)| {
        name.strip_prefix(&*outer)
            .is_some_and(|rest| rest.is_empty() || rest.strip_prefix('.') == Some(&inner))
    };
    asides.iter().find(is)
}

/// Finds the `type` of the record at the cursor, or its member that begins with `$`, and the `type`
/// of its `payload`.
fn read_types(cursor: &mut Cursor<'_>, types: &mut [Option<String>; 2]) -> Scanned {
    let [outer, inner] = types;
    cursor.each_member(|key, cursor| {
        match key {
            [b'$', ..] => *outer = Some(String::from_utf8_lossy(key).into_owned()),
            b"type" => *outer = cursor.owned_string_or_skip()?,
            b"payload" => cursor.member(b"type", |cursor| {
                *inner = cursor.owned_string_or_skip()?;
                Ok(())
            })?,
            _ => {}
        }
        Ok(())
    })
}
