//! An input from a pipe: bodies are answered as they arrive, other inputs when they are complete.

use super::{
    early_lines::{EarlyLines, First, wait_for_more},
    lines::CHUNK,
    *,
};
use crate::{
    input::{Packing, Spool, line_limit::Length},
    reader,
};
use std::io::Read;

/// A pipe whose content is not known yet. A filter answers every line.
pub struct Pipe {
    file: File,
    head: ReadBuffer,
    line: Length,
    waits: bool,
    early: Option<EarlyLines>,
}

impl Pipe {
    pub fn new(file: File, is_filter: bool, format: Option<&'static Dialect>) -> Pipe {
        // In a format of logs, lines are not bodies.
        let early =
            (is_filter && format.is_none_or(|format| format.layout == Layout::Body)).then(|| {
                EarlyLines {
                    named: format,
                    ..EarlyLines::default()
                }
            });
        Pipe {
            file,
            head: ReadBuffer::default(),
            line: Length::default(),
            waits: false,
            early,
        }
    }

    /// Reads on; returns the input, as far as it is known then.
    pub fn step(mut self: Box<Self>, run: &Run<'_>, queue: &mut Queue) -> Result<Input> {
        if let Some(early) = self.early.as_mut().filter(|_| self.waits)
            && !wait_for_more(&self.file)?
        {
            self.waits = false;
            early.give_up(&self.head, queue);
            return Ok(Input::Pipe(self));
        }
        let had = self.head.len();
        if self.head.room() - had < CHUNK / 2 {
            self.head.grow(had + CHUNK.max(had));
        }
        let space = self.head.room() - had;
        let n = self.head.read(space, |space| self.file.read(space))?;
        let head = &*self.head;
        if Packing::of(head).is_some() {
            return self.whole(run, queue);
        }
        self.line.add(&head[had..]);
        self.line.check()?;
        if n > 0 && self.line.is_first() {
            return Ok(Input::Pipe(self));
        }
        let kind = match &mut self.early {
            Some(early) => match early.first(head, n == 0, queue)? {
                First::End => {
                    queue.extend(early.has_begun.then_some(Queued::Event(Event::Finish)));
                    queue.push_back(Queued::note(Note::Between(early.passed())));
                    return Ok(Input::Done);
                }
                First::Kind(kind) => kind,
                wait => {
                    self.waits = matches!(wait, First::Wait);
                    return Ok(Input::Pipe(self));
                }
            },
            None => match input_kind(head, n == 0, run.pruner.format)? {
                Beginning::More | Beginning::NextLine => return Ok(Input::Pipe(self)),
                Beginning::Kind(kind) => kind,
            },
        };
        match kind {
            InputKind::Bodies(first) => {
                let is_filter = self.early.is_some();
                let early = self.early.unwrap_or_default();
                Ok(Input::Bodies(Box::new(Bodies {
                    lines: Lines::new(self.file, self.head, early.bytes),
                    first,
                    is_filter,
                    number: early.lines,
                    offset: early.bytes as u64,
                    between: early.passed(),
                    has_begun: early.has_begun,
                    ..Bodies::default()
                })))
            }
            InputKind::Log(found) => {
                let spool = Spool::new(head, run.max_input)?;
                self.behind(queue);
                let lines = self.early.map(|early| early.lines);
                drop(self.head);
                let (transcript, source) =
                    reader::from_pipe(&self.file, spool, &run.pruner.setup.reading(found.format))?;
                Ok(Input::Log(Box::new(Log {
                    lines: lines.filter(|lines| *lines > 0),
                    read: Some(Box::new(transcript)),
                    ..Log::new(source, found)
                })))
            }
            _ => self.whole(run, queue),
        }
    }

    /// Reads all of the pipe, and detects its kind like that of a file.
    fn whole(self, run: &Run<'_>, queue: &mut Queue) -> Result<Input> {
        self.behind(queue);
        let source = Source::spool(self.file, &self.head, run.max_input)?;
        drop(self.head);
        file::detect(source, run, queue)
    }

    /// Reports the bytes that were written already.
    fn behind(&self, queue: &mut Queue) {
        let passed = self
            .early
            .as_ref()
            .map_or(&[][..], |early| &self.head[..early.bytes]);
        if !passed.is_empty() {
            queue.push_back(Queued::Event(Event::Behind(passed.to_vec())));
        }
    }
}
