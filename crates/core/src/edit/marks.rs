//! Cache marks of blocks that go, moved to the nearest earlier block that stays and may carry one.
//!
//! A mark says up to where a prefix is cached; without it the next request would write the whole prefix anew. There are
//! never more marks than before, and their order stays, so that marks of an hour stay before those of five minutes.

use super::Change;
use super::View;
use super::whole::{Item, elements_at, items};
use crate::Error;
use crate::json::{Cursor, Kind, ScanError};
use crate::transcript::{Block, BlockKind, Fact, Flags};
use std::ops::Range;

/// A part of a message: the index of the message, and of the block.
type Part = (usize, u32);

/// The changes that move the marks.
///
/// # Errors
/// The input cannot be read any more.
pub(super) fn moved(view: &View<'_>) -> Result<Vec<Change>, Error> {
    let mut changes = Vec::new();
    for (from, to) in moves(view) {
        let Some((_, marked)) = element(view, from)? else { continue };
        let Some(mark) = mark(&marked).map_err(|_| Error::Changed)? else { continue };
        if !view.transcript.messages[to.0].array {
            changes.extend(spell_out(view, to, &mark));
        } else if let Some((place, target)) = element(view, to)? {
            changes.extend(change(&mark, &place, &target));
        }
    }
    Ok(changes)
}

/// Which marks go, and where to.
fn moves(view: &View<'_>) -> Vec<(Part, Part)> {
    let transcript = view.transcript;
    let mut moves = Vec::new();
    // The last part that stays and may carry a mark, unless it has one.
    let mut free: Option<Part> = None;
    for i in 0..transcript.messages.len() {
        for (index, block) in view.parts(i) {
            let marked = marked_at(view, index, block);
            if view.is_block_gone(i, index) {
                if let Some(marked) = marked
                    && let Some(to) = free.take()
                {
                    moves.push(((i, marked), to));
                }
            } else if marked.is_some() {
                free = None;
            } else if may_carry(view, i, block) {
                free = Some((i, index));
            }
        }
    }
    moves
}

/// The block that carries the mark of the part at `index`: itself or, in a result, the first of its content that has one.
fn marked_at(view: &View<'_>, index: u32, block: &Block) -> Option<u32> {
    let children = (index + 1..).zip(view.children(index));
    std::iter::once((index, block)).chain(children).find(|(index, block)| is_marked(view, *index, block)).map(|(index, _)| index)
}

fn is_marked(view: &View<'_>, index: u32, block: &Block) -> bool {
    let notes = &view.transcript.notes;
    let at = notes.partition_point(|n| n.block < index);
    let noted = notes[at..].iter().take_while(|n| n.block == index).any(|n| matches!(n.fact, Fact::Mark { .. }));
    noted || block.flags.has(Flags::CACHE_MARK)
}

fn may_carry(view: &View<'_>, i: usize, block: &Block) -> bool {
    let array = view.transcript.messages[i].array;
    match block.kind {
        // A content that is a string is the same as one text.
        BlockKind::Text => !block.flags.has(Flags::BLANK) && (array || view.answers.marks_in_strings),
        BlockKind::Image | BlockKind::Call | BlockKind::Result => array && view.answers.marks_on_parts,
        _ => false,
    }
}

/// Where an element lies, and its bytes.
type Element = (Range<u64>, Vec<u8>);

/// The element of a content array that holds a part, and where it lies.
fn element(view: &View<'_>, (i, index): Part) -> Result<Option<Element>, Error> {
    let message = &view.transcript.messages[i];
    let span = view.transcript.blocks[index as usize].span;
    let at = message.record + u64::from(span.start)..message.record + u64::from(span.end);
    for Item { range, bytes, .. } in items(view, i)? {
        if at.start >= range.start && at.end <= range.end {
            let found = elements_at(&bytes, range.start, &at).map_err(|_| Error::Changed)?;
            return Ok(found.map(|r| {
                let (from, to) = ((r.start - range.start) as usize, (r.end - range.start) as usize);
                (r, bytes[from..to].to_vec())
            }));
        }
    }
    Ok(None)
}

/// A mark as it stands.
enum Mark {
    /// The value of a member `cache_control`.
    Member(Vec<u8>),
    /// An element of its own.
    Element(Vec<u8>),
}

/// The mark that the element `marked` has or is, or that an element of its content has.
fn mark(marked: &[u8]) -> Result<Option<Mark>, ScanError> {
    let mut cursor = Cursor::new(marked);
    if cursor.kind()? != Kind::Object {
        return Ok(None);
    }
    let mut inner = None;
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        cursor.peek();
        let from = cursor.at();
        if &*key == b"content" && cursor.kind()? == Kind::Array {
            let mut elements = cursor.enter_array()?;
            while cursor.object_element(&mut elements)? {
                inner = inner.or(member(&mut cursor)?);
            }
            continue;
        }
        cursor.skip()?;
        match &*key {
            b"cache_control" => return Ok(Some(Mark::Member(marked[from..cursor.at()].to_vec()))),
            b"cachePoint" => return Ok(Some(Mark::Element(marked.to_vec()))),
            _ => {}
        }
    }
    Ok(inner.map(|value| Mark::Member(marked[value].to_vec())))
}

/// Where the value of the member `cache_control` of the object at the cursor lies, if it has one.
fn member(cursor: &mut Cursor<'_>) -> Result<Option<Range<usize>>, ScanError> {
    let mut found = None;
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        cursor.peek();
        let from = cursor.at();
        cursor.skip()?;
        if &*key == b"cache_control" {
            found = Some(from..cursor.at());
        }
    }
    Ok(found)
}

/// The change that gives `target`, an element at `place`, a mark.
fn change(mark: &Mark, place: &Range<u64>, target: &[u8]) -> Option<Change> {
    let (at, text) = match mark {
        Mark::Member(value) => (place.end - 1, [br#","cache_control":"#, &value[..]].concat()),
        Mark::Element(element) => (place.end, [b",", &element[..]].concat()),
    };
    target.ends_with(b"}").then_some(Change::Put { start: at, end: at, text })
}

/// The changes that make a content that is a string an array of one text with a mark.
fn spell_out(view: &View<'_>, (i, index): Part, mark: &Mark) -> Vec<Change> {
    let Mark::Member(value) = mark else { return Vec::new() };
    let (record, span) = (view.transcript.messages[i].record, view.transcript.blocks[index as usize].span);
    let put = |at: u32, text: Vec<u8>| Change::Put { start: record + u64::from(at), end: record + u64::from(at), text };
    vec![put(span.start, br#"[{"type":"text","text":"#.to_vec()), put(span.end, [br#","cache_control":"#, &value[..], b"}]"].concat())]
}
