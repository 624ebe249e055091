//! Lines of a pipe that are answered before the kind of the input is known, as a gateway that sends
//! one line at a time requires.
//!
//! A complete line is answered before the next one is needed: one of unknown format passes through
//! with a warning. The line itself shows its kind, with two exceptions: the beginning of a document
//! over several lines, and a single message, which may be the first of a log or one among bodies.
//! For those the next line is awaited for a limited time. Answered lines are kept, up to a limit:
//! if the rest is a log, it begins with these lines.

use super::{bodies::in_file, lines::CHUNK, *};
use crate::{
    dialect::{unknown, unknown_format},
    input_kind::{Detection, detect_value, next_is_body},
    json::{Cursor, ScanError, bom},
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::ops::Range;

/// The time that a line waits for the next line, which shows its kind: one second.
const PATIENCE: Timespec = Timespec {
    tv_sec: 1,
    tv_nsec: 0,
};

/// The bytes of answered lines behind which a log can begin: 1 MB. Behind more of them lines are
/// bodies or pass, so that what was answered need not be kept.
const MOST: usize = CHUNK;

/// The kind of the input, as far as the first lines show it.
pub enum First {
    /// Not known yet: the first line is incomplete.
    More,
    /// Not known yet, and the next line may not come soon.
    Wait,
    /// The kind of the input from here on.
    Kind(InputKind),
    /// The input has ended.
    End,
}

/// What becomes of a line.
enum Line {
    /// It shows the kind of the input, or not yet.
    Shows(First),
    /// It is written unchanged, with the error to report.
    Passes(Option<Error>),
    /// A comment. Whether it is reported depends on what follows.
    Comment(Error),
}

/// The lines that were answered early.
#[derive(Default)]
pub struct EarlyLines {
    /// The format that was named.
    pub named: Option<&'static Dialect>,
    /// The number of their bytes.
    pub bytes: usize,
    /// The number of lines.
    pub lines: u64,
    /// Whether any was written.
    pub has_begun: bool,
    /// Whether one of them contained anything but white space and comments.
    pub odd: bool,
    pub unreported: Vec<(u64, Error)>,
}

impl EarlyLines {
    /// Returns the bytes that were read and written.
    pub fn passed(&self) -> Bytes {
        Bytes {
            read: self.bytes as u64,
            written: self.bytes as u64,
        }
    }

    /// Answers the lines at the beginning of `head` that can be answered, and returns the kind of
    /// the rest.
    ///
    /// # Errors
    /// The input is one document that is nothing this program knows.
    pub fn first(&mut self, head: &[u8], complete: bool, queue: &mut Queue) -> Result<First> {
        loop {
            if complete && self.bytes == head.len() {
                self.report(queue);
                if !self.odd {
                    queue.push_back(Queued::note(Note::Empty));
                }
                return Ok(First::End);
            }
            match self.line(head, complete)? {
                Line::Passes(error) => self.answer(head, error, queue),
                Line::Comment(error) => {
                    self.pass(head, queue);
                    self.unreported.push((self.lines, error));
                }
                Line::Shows(mut first) => {
                    if matches!(first, First::More | First::Wait) && self.bytes >= MOST {
                        first = First::Kind(InputKind::Bodies(None));
                    }
                    if matches!(first, First::Kind(InputKind::Bodies(_))) {
                        self.report(queue);
                    }
                    return Ok(first);
                }
            }
        }
    }

    /// Writes the first waiting line unchanged, as no line followed it.
    pub fn give_up(&mut self, head: &[u8], queue: &mut Queue) {
        let end = find(b'\n', &head[self.bytes..]).map_or(head.len(), |i| self.bytes + i);
        let error = self.unfit(head, self.bytes..end);
        self.answer(head, Some(error), queue);
    }

    /// Writes the first waiting line unchanged, with the error to report.
    fn answer(&mut self, head: &[u8], error: Option<Error>, queue: &mut Queue) {
        self.odd |= error.is_some();
        self.report(queue);
        self.pass(head, queue);
        queue.extend(error.map(|error| Queued::note(Note::Passed(self.lines, error))));
    }

    fn line(&self, head: &[u8], complete: bool) -> Result<Line> {
        let start = if self.bytes == 0 {
            bom(head)
        } else {
            self.bytes
        };
        let Some(end) = find(b'\n', &head[start..]).map(|i| start + i) else {
            if !complete {
                return Ok(Line::Shows(First::More));
            }
            // A text without a line break is a line of a filter only if lines came before it.
            if !self.odd {
                return Ok(Line::Shows(match input_kind(head, true, self.named)? {
                    Beginning::Kind(kind) => First::Kind(kind),
                    Beginning::More | Beginning::NextLine => First::More,
                }));
            }
            return self.known(head, start..head.len(), true);
        };
        let line = head[start..end].trim_ascii();
        if line.is_empty() {
            return Ok(Line::Passes(None));
        }
        if line.starts_with(b"//") {
            return Ok(Line::Comment(self.unfit(head, start..end)));
        }
        self.known(head, start..end, complete)
    }

    /// Detects the kind of a line of `head`.
    fn known(&self, head: &[u8], line: Range<usize>, complete: bool) -> Result<Line> {
        let cursor = || Cursor::lines(head, line.start);
        Ok(match detect_value(&mut cursor(), self.named) {
            Ok(Detection::Fits(found)) => fits(found, head, line, complete),
            Ok(Detection::Not(error)) => Line::Passes(Some(error)),
            Ok(Detection::Unknown) => Line::Passes(Some(unknown(&mut cursor()))),
            Err(_) if !self.odd && continues_on_next_line(&head[line.clone()]) => {
                return self.document(head, line, complete);
            }
            Err(error) => Line::Passes(Some(self.malformed(head, line, error))),
        })
    }

    /// Detects the kind of the lines from `line` on, which may be one document.
    fn document(&self, head: &[u8], line: Range<usize>, complete: bool) -> Result<Line> {
        let (mut whole, end) = (Cursor::new_at(head, line.start), line.end);
        let more = head.len() > end + 1;
        Ok(Line::Shows(match detect_value(&mut whole, self.named) {
            Ok(Detection::Fits(found)) if more || complete => {
                First::Kind(InputKind::Document(found))
            }
            Ok(Detection::Fits(_)) => First::Wait,
            Err(error) if error.open && !complete => First::Wait,
            Err(error) if error.open || next_is_body(head, end, true, self.named) == Some(true) => {
                return Ok(Line::Passes(Some(self.malformed(head, line, error))));
            }
            Ok(Detection::Not(error)) => return Err(error),
            Ok(Detection::Unknown) => {
                whole.go_to(line.start);
                return Err(unknown(&mut whole));
            }
            // The error is reported with its place once the line is complete.
            Err(_) if !complete && find(b'\n', &head[end + 1..]).is_none() => First::Wait,
            Err(error) => return Err(Error::json(head, error)),
        }))
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

    /// Returns why a line of `head` is passed through.
    fn unfit(&self, head: &[u8], line: Range<usize>) -> Error {
        match Cursor::lines(head, line.start).skip() {
            Err(error) => self.malformed(head, line, error),
            Ok(_) => alone(),
        }
    }

    /// Returns the error of a line of `head`, with its place in the input.
    fn malformed(&self, head: &[u8], line: Range<usize>, error: ScanError) -> Error {
        let (start, end) = (line.start, line.end);
        let line = &head[line];
        // The error of the line alone is more exact.
        let error = Cursor::new(line).skip().err().unwrap_or(ScanError {
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

/// Returns what a line of `head` that fits a format shows.
fn fits(found: Detected, head: &[u8], line: Range<usize>, complete: bool) -> Line {
    Line::Shows(match found.format.layout {
        Layout::Body => First::Kind(InputKind::Bodies(Some((line.start as u64, found)))),
        Layout::History => match next_is_body(head, line.end, complete, None) {
            None => First::Wait,
            Some(true) => return Line::Passes(Some(alone())),
            Some(false) => First::Kind(InputKind::Log(found)),
        },
    })
}

/// Returns whether a value that begins in this line seems to continue in the next, as in
/// pretty-printed JSON.
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
pub fn wait_for_more(input: &File) -> std::io::Result<bool> {
    loop {
        match poll(&mut [PollFd::new(input, PollFlags::IN)], Some(&PATIENCE)) {
            Ok(n) => return Ok(n > 0),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
