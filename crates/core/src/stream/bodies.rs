//! Bodies, one a line: each line is pruned separately and answered in order.
//!
//! An answer is written as soon as its line was read. If no further line is waiting, the output is
//! flushed, so that a gateway on the other side of the pipe receives the answer before it sends the
//! next line.

use super::{batch::batch, *};
use crate::input_kind::body_format;

/// The lines of an input. If there is only one line, its error is that of the input. With several,
/// or in a filter if the line is complete, it is a warning and the line is written unchanged.
#[derive(Default)]
pub struct Bodies {
    pub lines: Lines,
    /// The file of the lines, if other processes may change it.
    pub source: Option<Source>,
    /// The first byte of a record and its format, if that is known already.
    pub first: Option<(u64, Detected)>,
    pub is_filter: bool,
    /// The number of lines read so far, and of their bytes.
    pub number: u64,
    pub offset: u64,
    pub between: Bytes,
    /// Whether any output was written.
    pub has_begun: bool,
    /// Lines before the first body, which are held back until there is one.
    pub pending: Vec<(Vec<u8>, u64, Option<Error>)>,
}

impl Bodies {
    /// Returns the line that is being answered.
    pub fn line(&self) -> &[u8] {
        self.lines.line()
    }

    /// Answers the next line; returns false at the end.
    pub fn step(&mut self, run: &Run<'_>, queue: &mut Queue) -> Result<bool> {
        if !self.lines.next()? {
            return self.end(queue).map(|()| false);
        }
        self.number += 1;
        let (line, number, offset) = (self.lines.line(), self.number, self.offset);
        let first = self
            .first
            .take_if(|(at, _)| *at < offset + line.len() as u64)
            .map(|(_, found)| found);
        let answered = answer(line, number, offset, first, run)
            .map_err(|error| in_file(error, line, number, offset));
        self.has_begun |= self.is_filter && line.ends_with(b"\n");
        match answered {
            Ok(Some(mut answer)) => {
                self.has_begun = true;
                for (bytes, number, error) in self.pending.drain(..) {
                    queue.push_back(Queued::Earlier(bytes));
                    queue.extend(error.map(|error| Queued::note(Note::Passed(number, error))));
                }
                self.between
                    .add_rest(line.len(), answer.size(line.len()), &answer.notes);
                let notes = std::mem::take(&mut answer.notes);
                queue.push_back(Queued::Answer(answer));
                queue.extend(notes.into_iter().map(Queued::note));
            }
            unanswered => {
                self.between.add_rest(line.len(), line.len() as u64, &[]);
                let error = unanswered.err();
                if self.has_begun {
                    queue.push_back(Queued::Answer(Answer::default()));
                    queue.extend(error.map(|error| Queued::note(Note::Passed(number, error))));
                } else {
                    self.pending.push((line.to_vec(), number, error));
                }
            }
        }
        self.offset += line.len() as u64;
        if self.has_begun && !self.lines.is_waiting() {
            queue.push_back(Queued::Event(Event::Flush));
        }
        Ok(true)
    }

    fn end(&mut self, queue: &mut Queue) -> Result<()> {
        self.source.as_ref().map_or(Ok(()), Source::unchanged)?;
        if !self.has_begun {
            return self
                .pending
                .drain(..)
                .find_map(|(_, _, error)| error)
                .map_or(Ok(()), Err);
        }
        queue.extend([
            Queued::Event(Event::Finish),
            Queued::note(Note::Between(self.between)),
        ]);
        Ok(())
    }
}

/// Prunes the bodies in a line; returns `None` for a blank line.
fn answer(
    line: &[u8],
    number: u64,
    offset: u64,
    found: Option<Detected>,
    run: &Run<'_>,
) -> Result<Option<Answer>> {
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    let found = found.map_or_else(|| body_format(line, run.pruner.format), Ok)?;
    if found.batch {
        return batch(line, offset, run).map(Some);
    }
    let pruned = run.record(&Record::Body {
        bytes: line,
        line: number,
        found,
    })?;
    Ok(Some(Answer::of(pruned, offset, Some(number))))
}

/// Adds the place in the file to the error of a line. An incomplete value is reported at its end,
/// before the newline.
pub fn in_file(error: Error, line: &[u8], number: u64, offset: u64) -> Error {
    match error {
        Error::Json { byte, error, .. } => {
            let at = byte.min(line.trim_ascii_end().len() as u64);
            Error::Json {
                line: number,
                column: at + 1,
                byte: offset + at,
                error,
            }
        }
        error => error,
    }
}
