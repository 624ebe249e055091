//! An input that is a file or complete: detects its kind and reads on.

use super::batch::{Answer, batch};
use super::bodies::Bodies;
use super::lines::Lines;
use super::log::Log;
use super::{Bytes, Event, Input, Note, Queue, Queued, Run};
use crate::Error;
use crate::dialect::{Detected, Dialect, Layout};
use crate::engine::Record;
use crate::input::{ReadBuffer, Source};
use crate::input_kind::{Beginning, InputKind, input_kind};
use crate::json::find;
use crate::read_at::ReadAt;
use crate::values;
use std::io::{Seek, SeekFrom};

/// The number of bytes read at first to detect the kind.
const HEAD: usize = 256 << 10;
/// After this many bytes that are not JSON, a search for a record ends.
const HOPELESS: usize = 16 << 20;

/// Reads the beginning of an input until it shows its kind, which is `None` if nothing does; returns it with what was read.
pub(crate) fn beginning(
    source: &dyn ReadAt,
    named: Option<&'static Dialect>,
) -> Result<(Option<InputKind>, ReadBuffer, usize), Error> {
    let size = usize::try_from(source.size()).unwrap_or(usize::MAX);
    let mut head = ReadBuffer::new(HEAD.min(size));
    let mut n = source.read_at(0, &mut head[..HEAD.min(size)])?;
    let mut kind = input_kind(&head[..n], n == size, named)?;
    while let Beginning::More | Beginning::NextLine = kind {
        let wider = (n * 4).min(size);
        head.grow(wider, n);
        let more = source.read_at(n as u64, &mut head[n..wider])?;
        n += more;
        // A sparse file may begin with any number of zero bytes.
        let is_hopeless = matches!(kind, Beginning::NextLine) && n > HOPELESS;
        let is_complete = more == 0 || n == size || is_hopeless;
        kind = input_kind(&head[..n], is_complete, named)?;
    }
    let kind = match kind {
        Beginning::Kind(kind) => Some(kind),
        _ => None,
    };
    Ok((kind, head, n))
}

/// Detects the kind of an input.
pub(super) fn detect(source: Source, run: &Run<'_>, queue: &mut Queue) -> Result<Input, Error> {
    let (kind, head, n) = beginning(&source, run.pruner.format)?;
    let size = usize::try_from(source.size()).unwrap_or(usize::MAX);
    let Some(kind) = kind else {
        return Ok(Input::Done);
    };
    match kind {
        InputKind::Document(found) if n == size && is_body(&found) => {
            source.unchanged()?;
            return document(head, n, found, run, queue);
        }
        InputKind::Bodies(first) if n == size => {
            return Ok(bodies(Lines::in_memory(head, n), Some(source), first));
        }
        _ => {}
    }
    let one_line = find(b'\n', &head[..n]).is_none();
    drop(head);
    read_on(source, kind, one_line, run, queue)
}

fn is_body(found: &Detected) -> bool {
    found.format.layout == Layout::Body
}

fn bodies(lines: Lines, source: Option<Source>, first: Option<(usize, Detected)>) -> Input {
    let first = first.map(|(at, found)| (at as u64, found));
    Input::Bodies(Box::new(Bodies::new(lines, source, first)))
}

/// Reads an input of this kind, which is larger than its head or no body. `one_line`: its head has no line end.
fn read_on(
    source: Source,
    kind: InputKind,
    one_line: bool,
    run: &Run<'_>,
    queue: &mut Queue,
) -> Result<Input, Error> {
    Ok(match kind {
        InputKind::Empty => {
            let (read, written) = (source.size(), source.size());
            queue.push_back(Queued::Whole);
            let between = Note::Between(Bytes { read, written });
            Input::Whole(source, vec![between, Note::Empty])
        }
        InputKind::Document(found) => {
            let (read_buffer, size) = source.into_memory()?;
            if is_body(&found) || !values::are_many(&read_buffer[..size]) {
                return document(read_buffer, size, found, run, queue);
            }
            let settings = &run.pruner.setup.settings;
            let read = values::history(
                &read_buffer[..size],
                found.format,
                settings.context_pruning.estimator,
                settings.scope,
            )?;
            let source = Source::Buffer(read_buffer, size);
            Input::Log(Box::new(Log::of(read, source, found, None)))
        }
        InputKind::Bodies(first) => {
            let Some(file) = source.file() else {
                let (read_buffer, size) = source.into_memory()?;
                return Ok(bodies(Lines::in_memory(read_buffer, size), None, first));
            };
            let mut file = file.try_clone()?;
            file.seek(SeekFrom::Start(0))?;
            let lines = Lines::of_file(file, source.size(), one_line);
            bodies(lines, Some(source), first)
        }
        InputKind::Log(found) => Input::Log(Box::new(Log::new(source, found))),
    })
}

/// Answers one document: a body, or a batch.
fn document(
    read_buffer: ReadBuffer,
    size: usize,
    found: Detected,
    run: &Run<'_>,
    queue: &mut Queue,
) -> Result<Input, Error> {
    let bytes = &read_buffer[..size];
    let (answer, notes) = if found.batch {
        let mut answer = batch(bytes, 0, run)?;
        let (mut between, mut notes) = (Bytes::default(), std::mem::take(&mut answer.notes));
        between.add_rest(size, answer.size(size), &notes);
        notes.push(Note::Between(between));
        (answer, notes)
    } else {
        let line = 1;
        let pruned = run.record(&Record::Body { bytes, line, found })?;
        let answer = Answer {
            output: pruned.output,
            edits: pruned.edits,
            notes: Vec::new(),
        };
        (answer, vec![Note::Report(Box::new(pruned.report), None)])
    };
    queue.extend([Queued::Answer(answer), Queued::Event(Event::Finish)]);
    queue.extend(notes.into_iter().map(Queued::note));
    Ok(Input::Document(read_buffer, size))
}
