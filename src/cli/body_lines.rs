//! Bodies, one a line: one line in, one line out, in order, each pruned by itself.
//!
//! An answer is written as soon as its line is there; when no further line is waiting, the answers so far are let go, so
//! that a gateway on the other side of the pipe gets its line before it sends the next.

use super::Verdict;
use super::batch::{Answer, batch};
use super::filter::Begun;
use super::job::{Job, Opened, Told};
use anyhow::{Context, Result};
use deadhead_core::diagnostics::Warning;
use deadhead_core::engine::Pruned;
use deadhead_core::input::{Room, endless};
use deadhead_core::input_kind::body_format;
use deadhead_core::json::find;
use std::fs::File;
use std::io::{self, Read, Write};

/// Room for a read: all that a pipe may hold, and no more than a processor's cache.
pub const CHUNK: usize = 1 << 20;
/// Bytes of a file that are read at once at most, where one line goes on and on.
const AHEAD: u64 = 64 << 20;

/// Lines of a file or a pipe, as they come.
pub struct Lines {
    file: Option<File>,
    bytes: Room,
    /// The lines not given out yet begin here.
    start: usize,
    /// No newline before this but the one found.
    searched: usize,
    /// The end of the line that begins at `start`, where it was looked for and is here.
    found: Option<usize>,
    /// Bytes read.
    filled: usize,
    ended: bool,
    /// Bytes of the file that were not read yet; what it grows by meanwhile is not seen. A pipe has no end that is known.
    left: Option<u64>,
    /// What is left of a file is probably one line.
    one_line: bool,
}

impl Lines {
    /// Lines of a pipe, of which the first `filled` of `begun` were read already; those before `start` are done with.
    pub fn new(file: File, begun: Room, start: usize, filled: usize) -> Lines {
        Lines { file: Some(file), filled, bytes: begun, start, searched: start, found: None, ended: false, left: None, one_line: false }
    }

    /// Lines of the first `size` bytes of a file; `one_line` says that it looks as if all of it was one.
    pub fn of_file(file: File, size: u64, one_line: bool) -> Lines {
        Lines { left: Some(size), one_line, ..Lines::new(file, Room::default(), 0, 0) }
    }

    /// Lines of the first `filled` bytes of a room, which are all.
    pub fn held(bytes: Room, filled: usize) -> Lines {
        Lines { file: None, filled, bytes, start: 0, searched: 0, found: None, ended: true, left: None, one_line: false }
    }

    /// The next line with its end; `None` at the end of the input.
    fn next(&mut self) -> io::Result<Option<&[u8]>> {
        loop {
            if let Some(end) = self.find() {
                let line = self.start..end;
                (self.start, self.searched, self.found) = (end, end, None);
                return Ok(Some(&self.bytes[line]));
            }
            if self.ended {
                let line = self.start..self.filled;
                self.start = self.filled;
                return Ok((!line.is_empty()).then(|| &self.bytes[line]));
            }
            self.read_more()?;
        }
    }

    /// Whether a whole line is here already.
    fn is_waiting(&mut self) -> bool {
        self.find().is_some()
    }

    /// The end of the next line, if it is here; no byte is looked at twice.
    fn find(&mut self) -> Option<usize> {
        if self.found.is_none() {
            let newline = find(b'\n', &self.bytes[self.searched..self.filled]);
            self.found = newline.map(|i| self.searched + i + 1);
            self.searched = self.found.unwrap_or(self.filled);
        }
        self.found
    }

    fn read_more(&mut self) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        if self.left.is_none() {
            endless::check(self.filled - self.start)?;
        }
        if self.left == Some(0) {
            self.ended = true;
            return Ok(());
        }
        // What was given out makes room; a line that has begun moves only where it must.
        if self.start > 0 && (self.start == self.filled || self.bytes.len() - self.filled < CHUNK / 2) {
            self.bytes.copy_within(self.start..self.filled, 0);
            self.filled -= self.start;
            self.searched -= self.start;
            self.start = 0;
        }
        self.one_line |= self.filled - self.start >= CHUNK;
        let left = self.left.map_or(usize::MAX, |left| usize::try_from(left).unwrap_or(usize::MAX));
        let wanted = match self.left {
            Some(1..=AHEAD) if self.one_line => left,
            _ => left.min(CHUNK / 2),
        };
        if self.bytes.len() - self.filled < wanted {
            // As much again as there is, so that a long line is not moved often.
            self.bytes.grow(self.filled + wanted.max(left.min(self.filled.max(CHUNK))), self.filled);
        }
        // No more than the cache holds, so that the newline is looked for there.
        let room = left.min(self.bytes.len() - self.filled).min(CHUNK);
        loop {
            match file.read(&mut self.bytes[self.filled..self.filled + room]) {
                Ok(0) if self.left.is_some() => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(n) => {
                    self.filled += n;
                    self.left = self.left.map(|left| left - n as u64);
                    self.ended = n == 0;
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Prunes all lines. With one line only, what is wrong with it is an error; with several it is told and passes through, and so does
/// every line of a filter that ends with a line break. `begun` are the lines before these. `unchanged` says at the end whether
/// the input still is what was read.
pub fn run(
    lines: &mut Lines,
    begun: Option<Begun>,
    job: &Job,
    name: &str,
    unchanged: &dyn Fn() -> Result<(), deadhead_core::Error>,
    open: &mut dyn FnMut() -> Result<Opened>,
    told: &mut dyn FnMut(Told),
) -> Result<()> {
    let is_filter = begun.is_some();
    let begun = begun.unwrap_or_default();
    let (mut number, mut offset, mut between, mut opened) = (begun.lines, begun.bytes as u64, begun.passed(), begun.opened);
    // Lines before the first body: not written until there is one.
    let mut held: Vec<(Vec<u8>, u64, Option<deadhead_core::Error>)> = Vec::new();
    loop {
        let Some(line) = lines.next().map_err(deadhead_core::Error::from).with_context(|| name.to_owned())? else { break };
        number += 1;
        let outcome = answer(line, number, offset, job).map_err(|error| in_file(error, line, number, offset));
        if opened.is_none() && is_filter && line.ends_with(b"\n") {
            opened = Some(open()?);
        }
        match outcome {
            Ok(Some(answer)) => {
                let opened = match &mut opened {
                    Some(opened) => opened,
                    none => none.insert(open()?),
                };
                for (bytes, number, error) in held.drain(..) {
                    opened.sink().write_all(&bytes)?;
                    told_of(error, number, told);
                }
                let written = opened.sink().write_slices(&mut answer.slices(line)?)?;
                between.add_rest(line.len(), written as usize, &answer.told);
                answer.told.into_iter().for_each(&mut *told);
            }
            unanswered => {
                between.add_rest(line.len(), line.len(), &[]);
                match (&mut opened, unanswered.err()) {
                    (None, error) => held.push((line.to_vec(), number, error)),
                    (Some(opened), error) => {
                        opened.sink().write_all(line)?;
                        told_of(error, number, told);
                    }
                }
            }
        }
        offset += line.len() as u64;
        if !lines.is_waiting()
            && let Some(opened) = &mut opened
        {
            opened.sink().flush()?;
        }
    }
    unchanged()?;
    match opened {
        Some(opened) => {
            job.finish(opened)?;
            told(Told::Between(between));
            Ok(())
        }
        None => held.into_iter().find_map(|(_, _, error)| error).map_or(Ok(()), |error| Err(error.into())),
    }
}

pub(super) fn told_of(error: Option<deadhead_core::Error>, number: u64, told: &mut dyn FnMut(Told)) {
    let Some(error) = error else { return };
    let verdict = match &error {
        deadhead_core::Error::State(_) => Verdict::Failed,
        error if error.is_refusal() => Verdict::Refused,
        _ => Verdict::Done,
    };
    let text = match error {
        deadhead_core::Error::Json { column, byte, error, .. } => {
            format!("malformed line, passed through: {error} at column {column} (byte {byte})")
        }
        error => {
            // Where it stands is said before it.
            let place = if let deadhead_core::Error::NotUnderstood { line, .. } = &error { format!("{line}: ") } else { String::new() };
            format!("passed through: {}", error.to_string().trim_start_matches(&place))
        }
    };
    told(Told::Line(Warning::at(number, text), verdict));
}

/// The error of a line with its place in the file; what is missing at its end is missing before the newline.
pub(super) fn in_file(error: deadhead_core::Error, line: &[u8], number: u64, offset: u64) -> deadhead_core::Error {
    match error {
        deadhead_core::Error::Json { byte, error, .. } => {
            let at = byte.min(line.trim_ascii_end().len() as u64);
            deadhead_core::Error::Json { line: number, column: at + 1, byte: offset + at, error }
        }
        error => error,
    }
}

/// Prunes what stands in one line; `None` for a blank one.
fn answer(line: &[u8], number: u64, offset: u64, job: &Job) -> Result<Option<Answer>, deadhead_core::Error> {
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    let found = body_format(line, job.format)?;
    if found.batch {
        return batch(line, offset, job).map(Some);
    }
    let Pruned { mut report, edits, output, .. } = job.body(line, number, found)?;
    if let Some(first) = &mut report.first_change {
        first.byte += offset;
    }
    Ok(Some(Answer { output, edits, told: vec![Told::Body(Box::new(report), number)] }))
}
