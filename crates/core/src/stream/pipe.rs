//! An input from a pipe: bodies are answered as they arrive, other inputs when they are complete.

use super::bodies::Bodies;
use super::early_lines::{EarlyLines, First, wait_for_more};
use super::file;
use super::lines::{CHUNK, Lines};
use super::log::Log;
use super::{Event, Input, Note, Queue, Queued, Run};
use crate::Error;
use crate::dialect::{Detected, Dialect, Layout};
use crate::input::line_limit::Length;
use crate::input::{Packing, ReadBuffer, Source, Spool};
use crate::input_kind::{Beginning, InputKind, input_kind};
use crate::reader;
use std::fs::File;
use std::io::{self, Read};

/// A pipe whose content is not known yet. A filter answers every line.
pub(super) struct Pipe {
    file: Option<File>,
    head: ReadBuffer,
    size: usize,
    line: Length,
    waits: bool,
    early: Option<EarlyLines>,
}

impl Pipe {
    pub(super) fn new(file: File, is_filter: bool, format: Option<&Dialect>) -> Pipe {
        // In a format of logs, lines are not bodies.
        let early = (is_filter && format.is_none_or(|format| format.layout == Layout::Body))
            .then(EarlyLines::default);
        Pipe {
            file: Some(file),
            head: ReadBuffer::default(),
            size: 0,
            line: Length::default(),
            waits: false,
            early,
        }
    }

    /// Reads on; returns the kind of the input once it is known.
    pub(super) fn step(
        &mut self,
        run: &Run<'_>,
        queue: &mut Queue,
    ) -> Result<Option<Input>, Error> {
        let Some(file) = &mut self.file else {
            return Ok(Some(Input::Done));
        };
        if let Some(early) = self.early.as_mut().filter(|_| self.waits)
            && !wait_for_more(file)?
        {
            self.waits = false;
            early.give_up(&self.head[..self.size], queue);
            return Ok(None);
        }
        if self.head.len() - self.size < CHUNK / 2 {
            self.head.grow(self.size + CHUNK.max(self.size), self.size);
        }
        let n = match file.read(&mut self.head[self.size..]) {
            Ok(n) => n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        self.size += n;
        let head = &self.head[..self.size];
        if Packing::of(head).is_some() {
            return self.whole(run, queue).map(Some);
        }
        self.line.add(&head[self.size - n..]);
        self.line.check()?;
        if n > 0 && self.line.is_first() {
            return Ok(None);
        }
        let format = run.pruner.format;
        let kind = match &mut self.early {
            Some(early) => match early.first(head, n == 0, format, queue)? {
                First::End => {
                    queue.extend(early.has_begun.then_some(Queued::Event(Event::Finish)));
                    queue.push_back(Queued::note(Note::Between(early.passed())));
                    return Ok(Some(Input::Done));
                }
                First::Kind(kind) => kind,
                wait => {
                    self.waits = matches!(wait, First::Wait);
                    return Ok(None);
                }
            },
            None => match input_kind(head, n == 0, format)? {
                Beginning::More | Beginning::NextLine => return Ok(None),
                Beginning::Kind(kind) => kind,
            },
        };
        match kind {
            InputKind::Bodies(first) => {
                Ok(self.bodies(first.map(|(at, found)| (at as u64, found))))
            }
            InputKind::Log(found) => {
                let Some(file) = self.file.take() else {
                    return Ok(None);
                };
                let spool = Spool::new(head, run.max_input)?;
                let lines = self
                    .early
                    .as_ref()
                    .map(|early| early.lines)
                    .filter(|lines| *lines > 0);
                self.behind(queue);
                self.head = ReadBuffer::default();
                let (transcript, source) =
                    reader::from_pipe(&file, spool, &run.pruner.setup.reading(found.format))?;
                Ok(Some(Input::Log(Box::new(Log::of(
                    transcript, source, found, lines,
                )))))
            }
            _ => self.whole(run, queue).map(Some),
        }
    }

    fn bodies(&mut self, first: Option<(u64, Detected)>) -> Option<Input> {
        let (file, head) = (self.file.take()?, std::mem::take(&mut self.head));
        let start = self.early.as_ref().map_or(0, |early| early.bytes);
        let lines = Lines::new(file, head, start, self.size);
        Some(Input::Bodies(Box::new(match &self.early {
            Some(early) => Bodies::behind(early, lines, first),
            None => Bodies::new(lines, None, first),
        })))
    }

    /// Reads all of the pipe, and detects its kind like that of a file.
    fn whole(&mut self, run: &Run<'_>, queue: &mut Queue) -> Result<Input, Error> {
        let Some(file) = self.file.take() else {
            return Ok(Input::Done);
        };
        self.behind(queue);
        let source = Source::spool(file, &self.head[..self.size], run.max_input)?;
        self.head = ReadBuffer::default();
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
