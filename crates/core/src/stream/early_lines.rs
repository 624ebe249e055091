//! Lines of a pipe that are answered before the kind of the input is known, as a gateway that sends one line at a time requires.
//!
//! A complete line is answered before the next one is needed: one of unknown format passes through with a warning. The line itself
//! shows its kind, with two exceptions: the beginning of a document over several lines, and a single message, which may be the
//! first of a log or one among bodies. For those the next line is awaited for a limited time. Answered lines are kept, up to a limit:
//! if the rest is a log, it begins with these lines.

use super::bodies::in_file;
use super::lines::CHUNK;
use super::{Bytes, Event, Note, Queue, Queued};
use crate::Error;
use crate::dialect::{Detected, Dialect, Layout, unknown, unknown_format};
use crate::input_kind::{Beginning, Detection, InputKind, detect_value, input_kind, next_is_body};
use crate::json::{Cursor, ScanError, bom, find};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::File;

/// The time that a line waits for the next line, which shows its kind: one second.
const PATIENCE: Timespec = Timespec {
    tv_sec: 1,
    tv_nsec: 0,
};

/// The bytes of answered lines behind which a log can begin: 1 MB. Behind more of them lines are bodies or pass, so that what was
/// answered need not be kept.
const MOST: usize = CHUNK;

/// The kind of the input, as far as the first lines show it.
pub(super) enum First {
    /// Not known yet: the first line is incomplete.
    More,
    /// Not known yet, and the next line may not come soon.
    Wait,
    /// The kind of the input from here on.
    Kind(InputKind),
    /// The input has ended.
    End,
}

/// The kind of a line.
enum Line {
    More,
    Wait,
    /// It is written unchanged, with the error to report.
    Passes(Option<Error>),
    /// A comment. Whether it is reported depends on what follows.
    Comment(Error),
    Kind(InputKind),
}

/// The lines that were answered early.
#[derive(Default)]
pub(super) struct EarlyLines {
    /// The number of their bytes.
    pub(super) bytes: usize,
    /// The number of lines.
    pub(super) lines: u64,
    /// Whether any was written.
    pub(super) has_begun: bool,
    /// Whether one of them contained anything but white space and comments.
    odd: bool,
    unreported: Vec<(u64, Error)>,
}

impl EarlyLines {
    /// Returns the bytes that were read and written.
    pub(super) fn passed(&self) -> Bytes {
        Bytes {
            read: self.bytes as u64,
            written: self.bytes as u64,
        }
    }

    /// Answers the lines at the beginning of `head` that can be answered, and returns the kind of the rest.
    ///
    /// # Errors
    /// The input is one document that is nothing this program knows.
    pub(super) fn first(
        &mut self,
        head: &[u8],
        complete: bool,
        named: Option<&'static Dialect>,
        queue: &mut Queue,
    ) -> Result<First, Error> {
        loop {
            if complete && self.bytes == head.len() {
                self.report(queue);
                if !self.odd {
                    queue.push_back(Queued::note(Note::Empty));
                }
                return Ok(First::End);
            }
            let line = match self.line(head, complete, named)? {
                Line::More | Line::Wait if self.bytes >= MOST => {
                    Line::Kind(InputKind::Bodies(None))
                }
                line => line,
            };
            match line {
                Line::More => return Ok(First::More),
                Line::Wait => return Ok(First::Wait),
                Line::Passes(error) => {
                    self.odd |= error.is_some();
                    self.report(queue);
                    self.pass(head, queue);
                    queue.extend(error.map(|error| Queued::note(Note::Passed(self.lines, error))));
                }
                Line::Comment(error) => {
                    self.pass(head, queue);
                    self.unreported.push((self.lines, error));
                }
                Line::Kind(kind) => {
                    if matches!(kind, InputKind::Bodies(_)) {
                        self.report(queue);
                    }
                    return Ok(First::Kind(kind));
                }
            }
        }
    }

    /// Writes the first waiting line unchanged, as no line followed it.
    pub(super) fn give_up(&mut self, head: &[u8], queue: &mut Queue) {
        let end = find(b'\n', &head[self.bytes..]).map_or(head.len(), |i| self.bytes + i);
        let error = self.unfit(head, self.bytes, end);
        self.odd = true;
        self.report(queue);
        self.pass(head, queue);
        queue.push_back(Queued::note(Note::Passed(self.lines, error)));
    }

    fn line(
        &self,
        head: &[u8],
        complete: bool,
        named: Option<&'static Dialect>,
    ) -> Result<Line, Error> {
        let start = if self.bytes == 0 {
            bom(head)
        } else {
            self.bytes
        };
        let Some(end) = find(b'\n', &head[start..]).map(|i| start + i) else {
            if !complete {
                return Ok(Line::More);
            }
            // A text without a line break is a line of a filter only if lines came before it.
            if !self.odd {
                return Ok(match input_kind(head, true, named)? {
                    Beginning::Kind(kind) => Line::Kind(kind),
                    Beginning::More | Beginning::NextLine => Line::More,
                });
            }
            return self.known(head, start, head.len(), true, named);
        };
        let line = head[start..end].trim_ascii();
        if line.is_empty() {
            return Ok(Line::Passes(None));
        }
        if line.starts_with(b"//") {
            return Ok(Line::Comment(self.unfit(head, start, end)));
        }
        self.known(head, start, end, complete, named)
    }

    /// Detects the kind of the line from `start` to `end` of `head`.
    fn known(
        &self,
        head: &[u8],
        start: usize,
        end: usize,
        complete: bool,
        named: Option<&'static Dialect>,
    ) -> Result<Line, Error> {
        match detect_value(&mut Cursor::lines(head, start), named) {
            Ok(Detection::Fits(found)) => Ok(fits(found, head, start, end, complete)),
            Ok(Detection::Not(error)) => Ok(Line::Passes(Some(error))),
            Ok(Detection::Unknown) => {
                Ok(Line::Passes(Some(unknown(&mut Cursor::lines(head, start)))))
            }
            Err(_) if !self.odd && continues_on_next_line(&head[start..end]) => {
                self.document(head, start, end, complete, named)
            }
            Err(error) => Ok(Line::Passes(Some(self.malformed(head, start, end, error)))),
        }
    }

    /// Detects the kind of the lines from `start` on, which may be one document.
    fn document(
        &self,
        head: &[u8],
        start: usize,
        end: usize,
        complete: bool,
        named: Option<&'static Dialect>,
    ) -> Result<Line, Error> {
        let mut whole = Cursor::new_at(head, start);
        let more = head.len() > end + 1;
        Ok(match detect_value(&mut whole, named) {
            Ok(Detection::Fits(found)) if more || complete => {
                Line::Kind(InputKind::Document(found))
            }
            Ok(Detection::Fits(_)) => Line::Wait,
            Err(error) if error.open && !complete => Line::Wait,
            Err(error) if error.open || next_is_body(head, end, true, named) == Some(true) => {
                Line::Passes(Some(self.malformed(head, start, end, error)))
            }
            Ok(Detection::Not(error)) => return Err(error),
            Ok(Detection::Unknown) => {
                whole.go_to(start);
                return Err(unknown(&mut whole));
            }
            // The error is reported with its place once the line is complete.
            Err(_) if !complete && find(b'\n', &head[end + 1..]).is_none() => Line::Wait,
            Err(error) => return Err(Error::json(head, error)),
        })
    }

    /// Writes the first waiting line unchanged.
    fn pass(&mut self, head: &[u8], queue: &mut Queue) {
        let rest = &head[self.bytes..];
        let line = &rest[..find(b'\n', rest).map_or(rest.len(), |i| i + 1)];
        // Lines that are answered together are one write, as there may be a million blank ones.
        if matches!(queue.back(), Some(Queued::Event(Event::Flush))) {
            queue.pop_back();
        }
        match queue.back_mut() {
            Some(Queued::Earlier(lines)) => lines.extend_from_slice(line),
            _ => queue.push_back(Queued::Earlier(line.to_vec())),
        }
        queue.push_back(Queued::Event(Event::Flush));
        (self.bytes, self.lines, self.has_begun) = (self.bytes + line.len(), self.lines + 1, true);
    }

    /// Returns why the line from `start` to `end` is passed through.
    fn unfit(&self, head: &[u8], start: usize, end: usize) -> Error {
        Cursor::lines(head, start)
            .skip()
            .map_or_else(|error| self.malformed(head, start, end, error), |_| alone())
    }

    /// Returns the error of the line from `start` to `end` of `head`, with its place in the input.
    fn malformed(&self, head: &[u8], start: usize, end: usize, error: ScanError) -> Error {
        let line = &head[start..end];
        // The error of the line alone is more exact.
        let alone = Cursor::new(line).skip().err();
        let error = alone.unwrap_or(ScanError {
            at: error.at.clamp(start, end) - start,
            ..error
        });
        in_file(Error::json(line, error), line, self.lines + 1, start as u64)
    }

    fn report(&mut self, queue: &mut Queue) {
        queue.extend(
            self.unreported
                .drain(..)
                .map(|(line, error)| Queued::note(Note::Passed(line, error))),
        );
    }
}

/// Returns the kind of a line that ends at `end` of `head` and fits a format.
fn fits(found: Detected, head: &[u8], start: usize, end: usize, complete: bool) -> Line {
    match found.format.layout {
        Layout::Body => Line::Kind(InputKind::Bodies(Some((start, found)))),
        Layout::History => match next_is_body(head, end, complete, None) {
            None => Line::Wait,
            Some(true) => Line::Passes(Some(alone())),
            Some(false) => Line::Kind(InputKind::Log(found)),
        },
    }
}

/// Returns whether a value that begins in this line seems to continue in the next, as in pretty-printed JSON.
fn continues_on_next_line(line: &[u8]) -> bool {
    matches!(line.trim_ascii_end().last(), Some(b'{' | b'[' | b','))
}

fn alone() -> Error {
    unknown_format("a line of a history among bodies is".to_owned())
}

/// Waits for more of `input`; returns whether more came, or the input ended, in time.
///
/// # Errors
/// The system call fails.
pub(super) fn wait_for_more(input: &File) -> std::io::Result<bool> {
    loop {
        match poll(&mut [PollFd::new(input, PollFlags::IN)], Some(&PATIENCE)) {
            Ok(n) => return Ok(n > 0),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
