//! What calls read: the file, the address or the command that a call names, so that a second reading is known.

use super::session::Session;
use crate::format::sheet::id_hash;
use crate::json::{Cursor, Kind, ScanError, text};
use crate::transcript::{Block, BlockKind};
use std::collections::HashMap;

/// Arguments that name a resource, the surest first.
const NAMES: [&str; 10] = ["path", "file_path", "filePath", "filepath", "notebook_path", "target_file", "filename", "file", "url", "uri"];
/// Arguments that say which part of it is read.
const PARTS: [&str; 8] = ["offset", "limit", "start_line", "end_line", "view_range", "startLine", "endLine", "pages"];
/// Words in the names of tools that change a resource and do not read it.
const WRITERS: [&str; 8] = ["write", "edit", "patch", "replace", "create", "delete", "todo", "plan"];
/// Where a call keeps its arguments.
const ARGUMENTS: [&str; 3] = ["arguments", "input", "action"];

/// A call and what it reads.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Message that makes the call.
    pub message: u32,
    /// Its tool, as an index of the transcript's tools.
    pub tool: u32,
    /// Hash of the resource.
    pub resource: u64,
    /// Hash of the part that is read; 0 for all of it.
    pub part: u64,
    /// The block of the result that answers it.
    pub result: Option<u32>,
    /// Where the resource stands in the input.
    start: u64,
    end: u64,
}

impl Reading {
    /// Whether this reading has all that `other` read.
    pub fn covers(&self, other: &Reading) -> bool {
        self.part == 0 || self.part == other.part
    }

    /// The resource, shortened.
    pub fn label(&self, session: &Session) -> String {
        let raw = session.bytes.get(self.start as usize..self.end as usize).unwrap_or_default();
        let text = text::lossy(raw);
        let mut short: String = text.chars().take(80).collect();
        if short.len() < text.len() {
            short.push('…');
        }
        short
    }
}

/// All calls of a session that name what they read, in file order.
pub fn readings(session: &Session) -> Vec<Reading> {
    let transcript = &session.transcript;
    let mut readings: Vec<Reading> = Vec::new();
    let mut open: HashMap<u64, usize> = HashMap::new();
    for (i, message) in transcript.messages.iter().enumerate() {
        for (index, block) in (message.blocks..).zip(transcript.blocks_of(i)) {
            match block.kind {
                BlockKind::Call => {
                    let link = transcript.link(block);
                    let tool = transcript.tool_of(block).to_ascii_lowercase();
                    if WRITERS.iter().any(|word| tool.contains(word)) {
                        continue;
                    }
                    if let Some(found) = of_call(session, message.record, block) {
                        open.insert(link.call, readings.len());
                        readings.push(Reading { message: i as u32, tool: link.tool, ..found });
                    }
                }
                BlockKind::Result => {
                    if let Some(at) = open.remove(&transcript.link(block).call) {
                        readings[at].result = Some(index);
                    }
                }
                _ => {}
            }
        }
    }
    readings
}

/// What one call reads.
fn of_call(session: &Session, record: u64, block: &Block) -> Option<Reading> {
    let (start, end) = (record as usize + block.span.start as usize, record as usize + block.span.end as usize);
    let bytes = session.bytes.get(..end)?;
    let mut cursor = Cursor::new(bytes);
    cursor.go_to(start);
    let found = arguments(&mut cursor).ok()??;
    if found.0 == Kind::String {
        // Arguments as text: the whole of it is read as JSON again.
        let raw = &bytes[found.1 + 1..found.2 - 1];
        let inner = text::decode(raw);
        let (resource, part, _) = resource(&mut Cursor::new(&inner)).unwrap_or((0, 0, (0, 0)));
        let whole = if resource == 0 { id_hash(&inner) } else { resource };
        let (from, to) = label_in(raw).unwrap_or((0, raw.len()));
        return Some(reading(whole, part, found.1 + 1 + from, found.1 + 1 + to));
    }
    cursor.go_to(found.1);
    match resource(&mut cursor) {
        Ok((resource, part, (from, to))) if resource != 0 => Some(reading(resource, part, from, to)),
        _ => Some(reading(id_hash(&bytes[found.1..found.2]), 0, found.1, found.2)),
    }
}

fn reading(resource: u64, part: u64, start: usize, end: usize) -> Reading {
    Reading { message: 0, tool: 0, resource, part, result: None, start: start as u64, end: end as u64 }
}

/// The kind and place of a call's arguments.
fn arguments(cursor: &mut Cursor<'_>) -> Result<Option<(Kind, usize, usize)>, ScanError> {
    let mut found = None;
    if cursor.kind()? != Kind::Object {
        return Ok(None);
    }
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        let kind = cursor.kind()?;
        let from = cursor.at();
        cursor.skip()?;
        if found.is_none() && matches!(kind, Kind::Object | Kind::String) && ARGUMENTS.iter().any(|name| name.as_bytes() == &*key) {
            found = Some((kind, from, cursor.at()));
        }
    }
    Ok(found)
}

/// Hashes of the resource and the part that an object names, and where the resource stands.
fn resource(cursor: &mut Cursor<'_>) -> Result<(u64, u64, (usize, usize)), ScanError> {
    let (mut resource, mut rank, mut part, mut place) = (0, NAMES.len(), 0u64, (0, 0));
    if cursor.kind()? != Kind::Object {
        return Ok((0, 0, place));
    }
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        let kind = cursor.kind()?;
        let from = cursor.at();
        cursor.skip()?;
        let value = &cursor.bytes()[from..cursor.at()];
        if let Some(better) = NAMES.iter().take(rank).position(|name| name.as_bytes() == &*key).filter(|_| kind == Kind::String) {
            (resource, rank, place) = (id_hash(value), better, (from + 1, cursor.at() - 1));
        } else if PARTS.iter().any(|name| name.as_bytes() == &*key) && kind != Kind::Null {
            part = part.rotate_left(7) ^ id_hash(&[&*key, value].concat());
        }
    }
    Ok((resource, part, place))
}

/// Where the value of a command or path lies in arguments that are escaped text, for a label.
fn label_in(raw: &[u8]) -> Option<(usize, usize)> {
    let from = memchr::memmem::find(raw, b"\\\":\\\"").map(|i| i + 5)?;
    let end = memchr::memmem::find(&raw[from..], b"\\\"").map_or(raw.len(), |i| from + i);
    Some((from, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> (u64, u64) {
        resource(&mut Cursor::new(json.as_bytes())).map(|(a, b, _)| (a, b)).unwrap()
    }

    #[test]
    fn a_path_is_the_resource_and_an_offset_a_part() {
        let whole = of(r#"{"path":"/a"}"#);
        assert_eq!(whole, of(r#"{"explain":"x","path":"/a"}"#));
        assert_ne!(whole.0, of(r#"{"path":"/b"}"#).0);
        let part = of(r#"{"path":"/a","offset":3}"#);
        assert!(part.0 == whole.0 && part.1 != 0 && whole.1 == 0);
        assert_eq!(of(r#"{"command":"ls"}"#).0, 0);
        assert_eq!(of(r#"{"file":"/b","path":"/a"}"#).0, whole.0);
    }
}
