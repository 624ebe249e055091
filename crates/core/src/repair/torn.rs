//! A record that was not written to its end, in the middle of a log whose records name their
//! parents: what follows names it, so that all that came before is cut off.

use crate::{json::locate::member_value, transcript::Transcript};
use std::ops::Range;

/// A torn line, and what a repair of it changes.
pub struct CutOff {
    /// The line, from 1.
    pub line: u64,
    /// The place of the torn record.
    pub torn: Range<usize>,
    /// The place of the parent that the record behind it names.
    parent: Range<usize>,
    /// The place of the id that the record before it has.
    id: Range<usize>,
}

/// Returns the first torn line of a log that cuts off what came before it, if there is one. `bytes`
/// are the log.
pub fn cut_off(read: &Transcript, bytes: &[u8]) -> Option<CutOff> {
    let (line, missing) = (read.damaged?.line, u64::from(read.missing.as_ref()?.line));
    let references = read.references?;
    let start = |line: u64| -> usize {
        bytes
            .split_inclusive(|&byte| byte == b'\n')
            .take(line as usize - 1)
            .map(<[u8]>::len)
            .sum()
    };
    // A whole record may stand behind it in its line.
    let glued = read.torn_before.iter().find(|(torn, _)| *torn == line);
    let glued = glued.map(|(_, place)| place.start as usize..place.end as usize);
    let torn = glued.unwrap_or(start(line)..start(line + 1));
    let text = bytes[torn.clone()].trim_ascii();
    if missing < line || !text.starts_with(b"{") || text.ends_with(b"}") {
        return None;
    }
    let behind = torn.end.max(start(missing));
    let ids = (1..line)
        .rev()
        .take(64)
        .find_map(|line| member_value(bytes, start(line), references.id));
    Some(CutOff {
        line,
        torn,
        parent: member_value(bytes, behind, references.parent)?,
        id: ids?,
    })
}

impl CutOff {
    /// Returns the log without the record, in which the one behind it follows the one before it.
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
