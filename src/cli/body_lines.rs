//! Bodies, one a line: one line in, one line out, in order, each pruned by itself.
//!
//! An answer is written as soon as its line is there; when no further line is waiting, the answers so far are let go, so
//! that a gateway on the other side of the pipe gets its line before it sends the next.

use super::batch::{Answer, batch};
use super::job::{Job, Opened, Told};
use anyhow::{Context, Result};
use deadhead::engine::Pruned;
use deadhead::format::{Detected, Format, Layout, detect, fits};
use deadhead::json::Cursor;
use deadhead::report::Warning;
use std::fs::File;
use std::io::{self, Read, Write};

/// Room for a read.
const CHUNK: usize = 256 << 10;
/// Size of a file up to which room for all of it is made at once.
const AHEAD: u64 = 64 << 20;

/// Lines of a file or a pipe, as they come.
pub struct Lines {
    file: Option<File>,
    bytes: Vec<u8>,
    /// The lines not given out yet begin here.
    start: usize,
    /// No newline before this.
    searched: usize,
    /// Bytes read.
    filled: usize,
    ended: bool,
    /// Bytes of the file that were not read yet; what it grows by meanwhile is not seen. A pipe has no end that is known.
    left: Option<u64>,
}

impl Lines {
    /// Lines of a pipe, of which `begun` was read already.
    pub fn new(file: File, begun: Vec<u8>) -> Lines {
        Lines { file: Some(file), filled: begun.len(), bytes: begun, start: 0, searched: 0, ended: false, left: None }
    }

    /// Lines of the first `size` bytes of a file.
    pub fn of_file(file: File, size: u64) -> Lines {
        Lines { left: Some(size), ..Lines::new(file, Vec::new()) }
    }

    /// Lines of bytes that are all here.
    pub fn held(bytes: Vec<u8>) -> Lines {
        Lines { file: None, filled: bytes.len(), bytes, start: 0, searched: 0, ended: true, left: None }
    }

    /// The next line with its end; `None` at the end of the input.
    fn next(&mut self) -> io::Result<Option<&[u8]>> {
        loop {
            let from = self.searched.max(self.start);
            if let Some(i) = memchr::memchr(b'\n', &self.bytes[from..self.filled]) {
                let line = self.start..from + i + 1;
                (self.start, self.searched) = (line.end, line.end);
                return Ok(Some(&self.bytes[line]));
            }
            self.searched = self.filled;
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
        let from = self.searched.max(self.start);
        memchr::memchr(b'\n', &self.bytes[from..self.filled]).is_some()
    }

    fn read_more(&mut self) -> io::Result<()> {
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.filled, 0);
            self.filled -= self.start;
            self.searched -= self.start;
            self.start = 0;
        }
        // What is left of a small file, or of one whose line goes on and on, is read at once.
        if let (Some(file), Some(left)) = (&mut self.file, self.left)
            && (1..=AHEAD).contains(&left)
            && (self.filled > 0 || left <= CHUNK as u64)
        {
            self.bytes.truncate(self.filled);
            self.bytes.reserve_exact(left as usize);
            file.take(left).read_to_end(&mut self.bytes)?;
            if ((self.bytes.len() - self.filled) as u64) < left {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            (self.filled, self.left) = (self.bytes.len(), Some(0));
            return Ok(());
        }
        if self.bytes.len() - self.filled < CHUNK {
            self.bytes.resize(self.filled + CHUNK.max(self.filled), 0);
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        loop {
            let room = self.bytes.len() - self.filled;
            let room = self.left.map_or(room, |left| room.min(usize::try_from(left).unwrap_or(room)));
            match file.read(&mut self.bytes[self.filled..self.filled + room]) {
                Ok(0) if room > 0 && self.left.is_some() => return Err(io::ErrorKind::UnexpectedEof.into()),
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

/// Prunes all lines. With one line only, what is wrong with it is an error; with several it is told and passes through.
/// `unchanged` says at the end whether the input still is what was read.
pub fn run(
    lines: &mut Lines,
    job: &Job,
    name: &str,
    unchanged: &dyn Fn() -> Result<(), deadhead::Error>,
    open: &mut dyn FnMut() -> Result<Opened>,
    told: &mut dyn FnMut(Told),
) -> Result<()> {
    let (mut number, mut offset) = (0, 0);
    let mut opened: Option<Opened> = None;
    // Lines before the first body: not written until there is one.
    let mut held: Vec<(Vec<u8>, u64, Option<deadhead::Error>)> = Vec::new();
    loop {
        let Some(line) = lines.next().map_err(deadhead::Error::from).with_context(|| name.to_owned())? else { break };
        number += 1;
        let outcome = answer(line, number, offset, job).map_err(|error| in_file(error, line, number, offset));
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
                opened.sink().write_all(answer.output.as_deref().unwrap_or(line))?;
                answer.told.into_iter().for_each(&mut *told);
            }
            Ok(None) if opened.is_none() => held.push((line.to_vec(), number, None)),
            Err(error) if opened.is_none() => held.push((line.to_vec(), number, Some(error))),
            Ok(None) => opened.as_mut().map_or(Ok(()), |o| o.sink().write_all(line))?,
            Err(error) => {
                opened.as_mut().map_or(Ok(()), |o| o.sink().write_all(line))?;
                told_of(Some(error), number, told);
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
        Some(opened) => opened.finish(),
        None => held.into_iter().find_map(|(_, _, error)| error).map_or(Ok(()), |error| Err(error.into())),
    }
}

pub(super) fn told_of(error: Option<deadhead::Error>, number: u64, told: &mut dyn FnMut(Told)) {
    let Some(error) = error else { return };
    let refused = error.is_refusal();
    let text = match error {
        deadhead::Error::Json { column, byte, error, .. } => {
            format!("malformed line, passed through: {error} at column {column} (byte {byte})")
        }
        error => format!("passed through: {error}"),
    };
    told(Told::Line(Warning::at(number, text), refused));
}

/// The error of a line with its place in the file; what is missing at its end is missing before the newline.
fn in_file(error: deadhead::Error, line: &[u8], number: u64, offset: u64) -> deadhead::Error {
    match error {
        deadhead::Error::Json { byte, error, .. } => {
            let at = byte.min(line.trim_ascii_end().len() as u64);
            deadhead::Error::Json { line: number, column: at + 1, byte: offset + at, error }
        }
        error => error,
    }
}

/// Prunes what stands in one line; `None` for a blank one.
fn answer(line: &[u8], number: u64, offset: u64, job: &Job) -> Result<Option<Answer>, deadhead::Error> {
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    let found = body_format(line, job.format)?;
    if found.batch {
        return batch(line, offset, job).map(Some);
    }
    let Pruned { mut report, output, .. } = job.work()(line, number, found, &job.setup)?;
    report.output.bytes = output.as_ref().map_or(line.len(), Vec::len) as u64;
    if let Some(first) = &mut report.first_change {
        first.byte += offset;
    }
    Ok(Some(Answer { output, told: vec![Told::Body(Box::new(report), number)] }))
}

/// The format of a line that is a body, or a wrapper around one: as named, else as it looks.
pub(super) fn body_format(line: &[u8], named: Option<&'static Format>) -> Result<Detected, deadhead::Error> {
    let mut cursor = Cursor::new(line);
    if line.starts_with(b"\xef\xbb\xbf") {
        cursor.go_to(3);
    }
    if let Some(format) = named {
        // What it holds may be anything; a line that is no JSON is found when it is read.
        return Ok(fits(format, &mut cursor).ok().flatten().unwrap_or(format.into()));
    }
    let found = detect(&mut cursor).map_err(|error| deadhead::Error::json(line, error))?;
    found.filter(|d| d.format.layout == Layout::Body).ok_or(deadhead::Error::UnknownFormat)
}
