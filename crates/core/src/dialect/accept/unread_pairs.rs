//! Calls and results in members that no reader knows.
//!
//! Other programs keep calls beside a message that otherwise has a known shape: in LangChain's `additional_kwargs`, under
//! `metadata`, in a list of their own. Such a message is read without its calls, and a result then seems to answer no call.
//! Therefore, where one half of a pair is missing, its id is searched in the unread members of other messages. The search runs only
//! if there is such a defect.

use crate::Error;
use crate::dialect::shared::unread::{key, members};
use crate::json::{Cursor, Id, IdMap, Kind, ScanError};
use crate::read_at::ReadAt;
use crate::transcript::{BlockKind, Span, Transcript, UnknownKind};
use memchr::memmem;

/// Members that the readers of messages read, whatever the format.
const READ: [&[u8]; 15] = [
    b"content",
    b"parts",
    b"tool_calls",
    b"toolCalls",
    b"toolRequests",
    b"function_call",
    b"arguments",
    b"input",
    b"output",
    b"summary",
    b"action",
    b"results",
    b"call",
    b"usage",
    b"images",
];

/// Ids that are looked for at most, of an input with more halves of pairs.
const MOST: usize = 32;

/// The first message that has the other half of a pair in a member that was not read.
///
/// # Errors
/// The input cannot be read any more.
pub fn find(read: &Transcript, texts: &dyn ReadAt) -> Result<Option<UnknownKind>, Error> {
    let halves = halves(read, texts)?;
    let places = if halves.is_empty() { &[] } else { &read.messages[..] };
    for (i, message) in places.iter().enumerate() {
        let own = |id: Id| read.blocks_of(i).iter().any(|b| b.is_linked() && read.link(b).call == id);
        let wanted: Vec<&[u8]> = halves.iter().filter(|(id, _)| !own(*id)).map(|(_, quoted)| &quoted[..]).collect();
        let (start, end) = (message.record + u64::from(message.span.start), message.record + u64::from(message.span.end));
        let bytes = texts.read(start, end)?;
        if let Ok(Some(what)) = member(&mut Cursor::new(&bytes), &wanted) {
            return Ok(Some(UnknownKind { line: message.line.into(), message: message.number, what }));
        }
    }
    Ok(None)
}

/// Whether the other half of a pair is anywhere in the input but in what was read.
///
/// # Errors
/// The input cannot be read any more.
pub fn is_anywhere(read: &Transcript, texts: &dyn ReadAt) -> Result<bool, Error> {
    let halves = halves(read, texts)?;
    let all = texts.read(0, texts.size())?;
    let known = |id: Id| read.links.iter().filter(|link| link.call == id).count();
    Ok(halves.iter().any(|(id, quoted)| memmem::find_iter(&all, quoted).take(known(*id) + 1).count() > known(*id)))
}

/// Ids of calls without a result and of results without a call, each with its bytes in quotes.
fn halves(read: &Transcript, texts: &dyn ReadAt) -> Result<Vec<(Id, Vec<u8>)>, Error> {
    // Bits for a call and for a result, and where the id is.
    let mut pairs: IdMap<(u8, u64, Span)> = IdMap::default();
    for (i, message) in read.messages.iter().enumerate() {
        for block in read.blocks_of(i).iter().filter(|b| b.is_linked()) {
            let link = read.link(block);
            if !link.id.is_empty() {
                let half = if block.kind == BlockKind::Call { 1 } else { 2 };
                pairs.entry(link.call).or_insert((0, message.record, link.id)).0 |= half;
            }
        }
    }
    let mut open: Vec<(Id, u64, Span)> =
        pairs.into_iter().filter(|(_, (has, ..))| *has < 3).map(|(id, (_, at, span))| (id, at, span)).collect();
    open.sort_by_key(|(_, record, span)| (*record, span.start));
    let quoted = |(id, record, span): (Id, u64, Span)| {
        let id_bytes = texts.read(record + u64::from(span.start) - 1, record + u64::from(span.end) + 1)?;
        Ok((id, id_bytes.into_owned()))
    };
    open.into_iter().take(MOST).map(quoted).collect()
}

/// The first member of a message that was not read and that names any of these ids.
fn member(cursor: &mut Cursor<'_>, ids: &[&[u8]]) -> Result<Option<String>, ScanError> {
    if ids.is_empty() || cursor.kind()? != Kind::Object {
        return Ok(None);
    }
    let mut found = None;
    members(cursor, cursor.at(), |name, kind, value| {
        let may = found.is_none() && matches!(kind, Kind::Object | Kind::Array) && !READ.contains(&name);
        if may && ids.iter().any(|id| memmem::find(value, id).is_some()) {
            found = Some(key(name));
        }
    })?;
    Ok(found)
}
