//! A batch in one document, `{"requests":[{"custom_id":…,"params":…},…]}`: each body in it is
//! pruned in place.
//!
//! Each body has its own format and report, with its number in the batch. A body that cannot be
//! pruned is reported and left unchanged.

use super::*;
use crate::{
    dialect::{unknown_format, wrapper},
    edit::Edits,
    input_kind::body_format,
};

/// The answer to a line, or to a whole batch.
#[derive(Default)]
pub struct Answer {
    /// The output, if it does not consist of the input and the edits.
    pub output: Option<Vec<u8>>,
    /// The changes to the input; not those of a repair, which has an output.
    pub edits: Edits,
    /// The notes about the bodies, for the report.
    pub notes: Vec<Note>,
}

impl Answer {
    /// Returns the answer to a body that begins at byte `offset` of the input, with its number if
    /// there may be others.
    pub fn of(pruned: Pruned, offset: u64, number: Option<u64>) -> Answer {
        let mut report = pruned.report;
        if let Some(first) = &mut report.first_change {
            first.byte += offset;
        }
        Answer {
            output: pruned.output,
            edits: pruned.edits,
            notes: vec![Note::Report(Box::new(report), number)],
        }
    }

    /// Returns the output for `bytes`, in pieces.
    pub fn slices<'a>(&'a self, bytes: &'a [u8]) -> io::Result<Vec<IoSlice<'a>>> {
        self.edits.slices(self.output.as_deref(), bytes)
    }

    /// Returns the size of the output for an input of `bytes` bytes, in bytes.
    pub fn size(&self, bytes: usize) -> u64 {
        self.output.as_ref().map_or_else(
            || (bytes as u64).saturating_add_signed(self.edits.growth()),
            |output| output.len() as u64,
        )
    }
}

/// Prunes all bodies of the batch that begins at byte `offset` of the input.
///
/// # Errors
/// It is no JSON, or nothing in it is a body.
pub fn batch(bytes: &[u8], offset: u64, run: &Run<'_>) -> Result<Answer> {
    let requests = wrapper::requests(bytes).map_err(|error| Error::json(bytes, error))?;
    let (mut output, mut at) = (Vec::with_capacity(bytes.len()), 0);
    let (mut notes, mut edits) = (Vec::new(), Edits::default());
    for (number, request) in (1..).zip(requests) {
        output.extend_from_slice(&bytes[at..request.start]);
        at = request.end;
        let inside = &bytes[request.clone()];
        match one(inside, number, run) {
            Ok(pruned) => {
                let start = request.start as u64;
                let answer = Answer::of(pruned, offset + start, Some(number));
                for slice in answer.slices(inside)? {
                    output.extend_from_slice(&slice);
                }
                edits.append(start, &answer.edits);
                notes.extend(answer.notes);
            }
            Err(error) => {
                notes.push(Note::Passed(number, error));
                output.extend_from_slice(inside);
            }
        }
    }
    output.extend_from_slice(&bytes[at..]);
    if notes.iter().all(|note| matches!(note, Note::Passed(..))) {
        return Err(match notes.into_iter().next() {
            Some(Note::Passed(_, error)) => error,
            _ => unknown_format("a batch without a body is".to_owned()),
        });
    }
    Ok(Answer {
        output: Some(output),
        edits,
        notes,
    })
}

/// Prunes one element of a batch.
fn one(element: &[u8], number: u64, run: &Run<'_>) -> Result<Pruned> {
    let found = body_format(element, run.pruner.format)?;
    if found.batch {
        // A batch contains no batches.
        return Err(unknown_format("a batch in a batch is".to_owned()));
    }
    run.record(&Record::Body {
        bytes: element,
        line: number,
        found,
    })
}
