//! An input that is a file or complete: detects its kind and reads on.

use super::{batch::batch, *};
use crate::values;
use std::io::{Seek, SeekFrom};

/// The number of bytes read at first to detect the kind.
const HEAD: usize = 256 << 10;
/// After this many bytes that are not JSON, a search for a record ends.
const HOPELESS: usize = 16 << 20;

/// Reads the beginning of an input until it shows its kind; returns it with what was read.
pub fn beginning(
    source: &dyn ReadAt,
    named: Option<&'static Dialect>,
) -> Result<(InputKind, ReadBuffer)> {
    let size = usize::try_from(source.size()).unwrap_or(usize::MAX);
    let (mut head, mut is_hopeless) = (ReadBuffer::default(), false);
    loop {
        let had = head.len();
        let wanted = (had * 4).max(HEAD).min(size);
        let more = head.read(wanted - had, |space| source.read_at(had as u64, space))?;
        is_hopeless &= head.len() > HOPELESS;
        let is_complete = more == 0 || head.len() == size || is_hopeless;
        match input_kind(&head, is_complete, named)? {
            Beginning::Kind(kind) => return Ok((kind, head)),
            // A sparse file may begin with any number of zero bytes.
            rest => is_hopeless = matches!(rest, Beginning::NextLine),
        }
    }
}

/// Detects the kind of an input.
pub fn detect(source: Source, run: &Run<'_>, queue: &mut Queue) -> Result<Input> {
    let (kind, head) = beginning(&source, run.pruner.format)?;
    let is_all = head.len() as u64 == source.size();
    Ok(match kind {
        InputKind::Empty => {
            let (read, written) = (source.size(), source.size());
            queue.push_back(Queued::Input);
            let between = Note::Between(Bytes { read, written });
            Input::Whole(source, vec![between, Note::Empty])
        }
        InputKind::Document(found) => {
            let bytes = if is_all {
                source.unchanged()?;
                head
            } else {
                drop(head);
                source.into_memory()?
            };
            if found.format.layout == Layout::Body || !values::are_many(&bytes) {
                return document(bytes, found, run, queue);
            }
            let read = values::history(&bytes, &run.pruner.setup.reading(found.format))?;
            let source = Source::Buffer(bytes);
            Input::Log(Box::new(Log {
                read: Some(Box::new(read)),
                ..Log::new(source, found)
            }))
        }
        InputKind::Bodies(first) => {
            let bodies = |lines, source| {
                Input::Bodies(Box::new(Bodies {
                    lines,
                    source,
                    first,
                    ..Bodies::default()
                }))
            };
            let lines = match source.file() {
                Some(file) if !is_all => {
                    let one_line = find(b'\n', &head).is_none();
                    let mut file = file.try_clone()?;
                    file.seek(SeekFrom::Start(0))?;
                    Lines::of_file(file, source.size(), one_line)
                }
                Some(_) => Lines::in_memory(head),
                None => return Ok(bodies(Lines::in_memory(source.into_memory()?), None)),
            };
            bodies(lines, Some(source))
        }
        InputKind::Log(found) => Input::Log(Box::new(Log::new(source, found))),
    })
}

/// Answers one document: a body, or a batch.
fn document(bytes: ReadBuffer, found: Detected, run: &Run<'_>, queue: &mut Queue) -> Result<Input> {
    let size = bytes.len();
    let mut answer = if found.batch {
        let (mut answer, mut between) = (batch(&bytes, 0, run)?, Bytes::default());
        between.add_rest(size, answer.size(size), &answer.notes);
        answer.notes.push(Note::Between(between));
        answer
    } else {
        let pruned = run.record(&Record::Body {
            bytes: &bytes,
            line: 1,
            found,
        })?;
        Answer::of(pruned, 0, None)
    };
    let notes = std::mem::take(&mut answer.notes);
    queue.extend([Queued::Answer(answer), Queued::Event(Event::Finish)]);
    queue.extend(notes.into_iter().map(Queued::note));
    Ok(Input::Document(bytes))
}
