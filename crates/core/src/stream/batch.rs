//! A batch in one document, `{"requests":[{"custom_id":…,"params":…},…]}`: each body in it is pruned in place.
//!
//! Each body has its own format and report, with its number in the batch. A body that cannot be pruned is reported and left unchanged.

use super::{Note, Run};
use crate::Error;
use crate::dialect::{unknown_format, wrapper};
use crate::edit::Edits;
use crate::engine::{Pruned, Record};
use crate::input_kind::body_format;
use std::io::{self, IoSlice};

/// The answer to a line, or to a whole batch.
#[derive(Default)]
pub(super) struct Answer {
    /// The output, if it does not consist of the input and the edits.
    pub(super) output: Option<Vec<u8>>,
    /// The changes to the input; not those of a repair, which has an output.
    pub(super) edits: Edits,
    /// The notes about the bodies, for the report.
    pub(super) notes: Vec<Note>,
}

impl Answer {
    /// Returns the output for `bytes`, in pieces.
    pub(super) fn slices<'a>(&'a self, bytes: &'a [u8]) -> io::Result<Vec<IoSlice<'a>>> {
        self.edits.slices_or(self.output.as_deref(), bytes)
    }

    /// Returns the size of the output for an input of `bytes` bytes, in bytes.
    pub(super) fn size(&self, bytes: usize) -> u64 {
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
pub(super) fn batch(bytes: &[u8], offset: u64, run: &Run<'_>) -> Result<Answer, Error> {
    let requests = wrapper::requests(bytes).map_err(|error| Error::json(bytes, error))?;
    let (mut output, mut at) = (Vec::with_capacity(bytes.len()), 0);
    let (mut pruned, mut failed, mut edits) = (Vec::new(), Vec::new(), Edits::default());
    for (number, request) in (1..).zip(requests) {
        output.extend_from_slice(&bytes[at..request.start]);
        at = request.end;
        let inside = &bytes[request.clone()];
        match one(inside, number, run) {
            Ok(mut done) => {
                if let Some(first) = &mut done.report.first_change {
                    first.byte += offset + request.start as u64;
                }
                done.slices(inside)?
                    .iter()
                    .for_each(|slice| output.extend_from_slice(slice));
                edits.append(request.start as u64, &done.edits);
                pruned.push((number, Note::Report(Box::new(done.report), Some(number))));
            }
            Err(error) => {
                failed.push((number, error));
                output.extend_from_slice(inside);
            }
        }
    }
    output.extend_from_slice(&bytes[at..]);
    if pruned.is_empty() {
        return Err(failed.into_iter().next().map_or_else(
            || unknown_format("a batch without a body is".to_owned()),
            |(_, error)| error,
        ));
    }
    pruned.extend(
        failed
            .into_iter()
            .map(|(number, error)| (number, Note::Passed(number, error))),
    );
    pruned.sort_by_key(|(number, _)| *number);
    Ok(Answer {
        output: Some(output),
        edits,
        notes: pruned.into_iter().map(|(_, note)| note).collect(),
    })
}

/// Prunes one element of a batch.
fn one(element: &[u8], number: u64, run: &Run<'_>) -> Result<Pruned, Error> {
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
