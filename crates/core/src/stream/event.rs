//! The events of an input: bytes to write, reports and notes.

use crate::Error;
use crate::edit::Edits;
use crate::input::Source;
use crate::naming::Naming;
use crate::outcome::Report;
use crate::read_at::ReadAt;
use std::io::{self, IoSlice, Write};

/// Bytes of a log that are read at a time.
const PIECE: u64 = 256 << 10;

/// The next action for the consumer.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'e> {
    /// To write these pieces, one after the other.
    Write(Vec<IoSlice<'e>>),
    /// To write an input with its edits.
    Copy(Copied<'e>),
    /// To let out what was written: no further line has come yet.
    Flush,
    /// To drop these bytes where the output begins anew: they were written already.
    Behind(Vec<u8>),
    /// A log has grown while it was written. Whoever can take back what was written calls [`Stream::again`](super::Stream::again);
    /// else what was written is kept.
    Grown,
    /// To finish the output, which is complete.
    Finish,
    /// To take note of something.
    Note(Note),
}

/// Something to take note of.
#[derive(Debug)]
#[non_exhaustive]
pub enum Note {
    /// The report of an input that is one transcript, or of one body of several, with its line or its number.
    Report(Box<Report>, Option<u64>),
    /// A line, or a request of a batch, that comes out as it came, and why.
    Passed(u64, Error),
    /// Bytes of an input of bodies that belong to no report: what is between bodies, and what came out as it came.
    Between(Bytes),
    /// The input was empty, or white space, which comes out as it came.
    Empty,
}

/// So many bytes of an input and of its output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    /// Read, after decompression.
    pub read: u64,
    /// Written, before compression.
    pub written: u64,
}

/// An input with its edits.
#[derive(Clone, Copy, Debug)]
pub struct Copied<'e> {
    /// The input.
    pub source: &'e Source,
    /// The changes to the input.
    pub edits: &'e Edits,
    /// The number of threads that the copy is worth.
    pub threads: usize,
}

impl Event<'_> {
    /// Writes what is to be written; the rest is for others.
    ///
    /// # Errors
    /// Reading or writing fails.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Event::Write(slices) => slices.iter().try_for_each(|slice| out.write_all(slice)),
            Event::Copy(Copied { source, edits, .. }) => edits.apply(0, source.size(), out, |out, from, to| {
                let mut at = from;
                while at < to {
                    let end = to.min(at + PIECE);
                    out.write_all(&source.read(at, end)?)?;
                    at = end;
                }
                Ok(())
            }),
            Event::Flush | Event::Finish => out.flush(),
            Event::Behind(_) | Event::Grown | Event::Note(_) => Ok(()),
        }
    }
}

impl Bytes {
    /// Adds what is left of a piece of the input and its answer once its reports have taken theirs.
    pub(super) fn add_rest(&mut self, read: usize, written: u64, notes: &[Note]) {
        let reports = notes.iter().filter_map(|note| if let Note::Report(report, _) = note { Some(report) } else { None });
        let (inside, made) = reports.fold((0, 0), |(read, made), report| (read + report.input.bytes, made + report.output.bytes));
        self.read += (read as u64).saturating_sub(inside);
        self.written += written.saturating_sub(made);
    }
}

/// Why a line comes out as it came, for its warning.
pub fn passed(error: &Error, naming: Naming) -> String {
    match error {
        Error::Json { column, byte, error, .. } => format!("malformed line, passed through: {error} at column {column} (byte {byte})"),
        error => {
            // Where it is is said before it.
            let place = if let Error::NotUnderstood { line, .. } = error { format!("{line}: ") } else { String::new() };
            format!("passed through: {}", error.text(naming).trim_start_matches(&place))
        }
    }
}
