//! A batch in one document, `{"requests":[{"custom_id":…,"params":…},…]}`: every body in it is pruned where it stands.
//!
//! Each is a body like one of a pipe: it has a format and a report of its own, named by its number in the batch. One that
//! cannot be pruned is told and passes through, and what lies between them is not touched.

use super::body_lines::told_of;
use super::job::{Job, Told};
use deadhead_core::Error;
use deadhead_core::edit::Edits;
use deadhead_core::engine::Pruned;
use deadhead_core::format::{unknown_format, wrapper};
use deadhead_core::input_kind::body_format;
use std::io::{self, IoSlice};

/// What a line, or a whole batch, came to.
pub struct Answer {
    /// What comes out, where that is not what came in with the edits.
    pub output: Option<Vec<u8>>,
    /// What changes.
    pub edits: Edits,
    /// What is told of the bodies in it.
    pub told: Vec<Told>,
}

impl Answer {
    /// What comes out of `bytes`, in pieces.
    pub fn slices<'a>(&'a self, bytes: &'a [u8]) -> io::Result<Vec<IoSlice<'a>>> {
        self.edits.slices_or(self.output.as_deref(), bytes)
    }
}

/// Prunes all bodies of the batch that begins at byte `offset` of the input.
///
/// # Errors
/// It is no JSON, or nothing in it is a body.
pub fn batch(bytes: &[u8], offset: u64, job: &Job) -> Result<Answer, Error> {
    let requests = wrapper::requests(bytes).map_err(|error| Error::json(bytes, error))?;
    let (mut output, mut at) = (Vec::with_capacity(bytes.len()), 0);
    let (mut pruned, mut failed) = (Vec::new(), Vec::new());
    for (number, request) in (1..).zip(requests) {
        output.extend_from_slice(&bytes[at..request.start]);
        at = request.end;
        let inside = &bytes[request.clone()];
        match one(inside, number, job) {
            Ok(mut done) => {
                if let Some(first) = &mut done.report.first_change {
                    first.byte += offset + request.start as u64;
                }
                done.slices(inside)?.iter().for_each(|slice| output.extend_from_slice(slice));
                pruned.push((number, Told::Body(Box::new(done.report), number)));
            }
            Err(error) => {
                failed.push((number, error));
                output.extend_from_slice(inside);
            }
        }
    }
    output.extend_from_slice(&bytes[at..]);
    if pruned.is_empty() {
        return Err(failed.into_iter().next().map_or_else(|| unknown_format("a batch without a body is".to_owned()), |(_, error)| error));
    }
    for (number, error) in failed {
        told_of(Some(error), number, &mut |told| pruned.push((number, told)));
    }
    pruned.sort_by_key(|(number, _)| *number);
    Ok(Answer { output: Some(output), edits: Edits::default(), told: pruned.into_iter().map(|(_, told)| told).collect() })
}

/// Prunes one element of a batch.
fn one(element: &[u8], number: u64, job: &Job) -> Result<Pruned, Error> {
    let found = body_format(element, job.format)?;
    // A batch holds no batches.
    if found.batch { Err(unknown_format("a batch in a batch is".to_owned())) } else { job.body(element, number, found) }
}
