//! A record that was not written to its end, in the middle of a log whose records name their parents: what follows names it, so that all
//! that came before is cut off.

use crate::{
    json::{Cursor, locate::member_value},
    transcript::Transcript,
};
use std::ops::Range;

/// A torn line, and what a repair of it changes.
pub struct CutOff {
    /// The line, from 1.
    pub line: u64,
    /// The place of the line.
    pub torn: Range<usize>,
    /// The place of the parent that the record behind it names.
    parent: Range<usize>,
    /// The place of the id that the record before it has.
    id: Range<usize>,
}

/// Returns the first torn line of a log that cuts off what came before it, if there is one. `bytes` are the log.
pub fn cut_off(read: &Transcript, bytes: &[u8]) -> Option<CutOff> {
    let (damaged, missing) = (read.damaged?, read.missing.as_ref()?);
    let references = read.references.filter(|r| !r.parent.is_empty())?;
    let value = |start: usize, name| member_value(bytes, start, name);
    let (mut before, mut torn) = (None, None);
    let mut start = 0;
    for (number, line) in (1..).zip(bytes.split_inclusive(|&byte| byte == b'\n')) {
        let place = start..start + line.len();
        start = place.end;
        let mut record = place.start;
        if number == damaged.line {
            // A whole record may stand behind it in its line.
            let glued = read.torn_before.iter().find(|(line, _)| *line == number);
            let glued = glued.map(|(_, place)| place.start as usize..place.end as usize);
            let is_open = || Cursor::new(line.trim_ascii()).skip().is_err_and(|e| e.open);
            record = glued.as_ref().map_or(record, |torn| torn.end);
            torn = glued.or_else(|| Some(place).filter(|_| is_open()));
        } else if torn.is_none() {
            before = value(record, references.id).or(before);
        }
        if torn.is_some() && number == u64::from(missing.line) {
            let parent = value(record, references.parent)?;
            let (line, torn, id) = (damaged.line, torn?, before?);
            return Some(CutOff {
                line,
                torn,
                parent,
                id,
            });
        }
    }
    None
}

impl CutOff {
    /// Returns the log without the line, in which the record behind it follows the one before it.
    pub fn mended(&self, bytes: &[u8]) -> Vec<u8> {
        [
            &bytes[..self.torn.start],
            &bytes[self.torn.end..self.parent.start],
            &bytes[self.id.clone()],
            &bytes[self.parent.end..],
        ]
        .concat()
    }
}
