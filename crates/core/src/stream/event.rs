//! The events of an input: bytes to write, reports and notes.

use super::*;
use crate::{edit::Edits, naming::Naming, read_at::pieces};

/// The next action for the consumer.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'e> {
    /// Write these pieces in order. When pruning, they are these bytes of the input with these
    /// edits.
    Write(Vec<IoSlice<'e>>, &'e [u8], &'e Edits),
    /// Write an input with its edits.
    Copy(Copied<'e>),
    /// Flush the output: no further line is waiting.
    Flush,
    /// Skip these bytes when the output starts again: they are written already.
    Behind(Vec<u8>),
    /// A log has grown while it was written. A consumer that can discard the output calls
    /// [`Stream::again`](super::Stream::again); otherwise the output stays as it is.
    Grown,
    /// Finish the output, which is complete.
    Finish,
    /// Report something.
    Note(Note),
}

/// Something to report.
#[derive(Debug)]
#[non_exhaustive]
pub enum Note {
    /// The report of an input that is one transcript or, with its line or number, of one body of
    /// several.
    Report(Box<Report>, Option<u64>),
    /// A line or a request of a batch that is written unchanged, and the reason.
    Passed(u64, Error),
    /// Bytes of an input of bodies that belong to no report: those between bodies, and lines
    /// written unchanged.
    Between(Bytes),
    /// The input was empty or white space, and is written unchanged.
    Empty,
}

/// Numbers of bytes of an input and its output.
#[derive(Clone, Copy, Debug, Default)]
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
}

impl Event<'_> {
    /// Writes the bytes of an event; other events write nothing.
    ///
    /// # Errors
    /// Reading or writing fails.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Event::Write(slices, ..) => slices.iter().try_for_each(|slice| out.write_all(slice)),
            Event::Copy(Copied { source, edits }) => {
                edits.apply(0, source.size(), out, |out, from, to| {
                    pieces(from, to)
                        .try_for_each(|piece| out.write_all(&source.read(piece.start, piece.end)?))
                })
            }
            Event::Flush | Event::Finish => out.flush(),
            Event::Behind(_) | Event::Grown | Event::Note(_) => Ok(()),
        }
    }
}

impl Bytes {
    /// Adds the bytes of a piece of the input and of its answer that belong to none of its reports.
    pub(super) fn add_rest(&mut self, read: usize, written: u64, notes: &[Note]) {
        let (mut inside, mut made) = (0, 0);
        for note in notes {
            if let Note::Report(report, _) = note {
                inside += report.input.bytes;
                made += report.output.bytes;
            }
        }
        self.read += (read as u64).saturating_sub(inside);
        self.written += written.saturating_sub(made);
    }
}

/// Returns the text of the warning about a line that is written unchanged.
pub fn passed(error: &Error, naming: Naming) -> String {
    match error {
        Error::Json {
            column,
            byte,
            error,
            ..
        } => format!("malformed line, passed through: {error} at column {column} (byte {byte})"),
        error => {
            // The warning begins with the place.
            let place = if let Error::NotUnderstood { line, .. } = error {
                format!("{line}: ")
            } else {
                String::new()
            };
            format!(
                "passed through: {}",
                error.text(naming).trim_start_matches(&place)
            )
        }
    }
}
