//! Moves the cache mark of a removed block to the nearest earlier block that is kept and may carry
//! one, and adds one.
//!
//! A mark says up to where a prefix is cached; without it the next request would write the whole
//! prefix again. Moving does not add marks, and their order stays, so that marks of one hour stay
//! before those of five minutes.

use super::{
    whole::{element_at, items},
    *,
};
use crate::{
    json::locate::{Member, member},
    transcript::{NoteKind, Rules},
};

/// A part of a message: the index of the message, and of the block.
type Part = (usize, u32);

/// Returns the changes that move the marks.
///
/// # Errors
/// The input cannot be read any more.
pub fn moved(view: &View<'_>) -> Result<Vec<Change>> {
    let mut window = Window::new(view.texts);
    let mut changes = Vec::new();
    for (from, to) in moves_of(view) {
        let Some((_, marked)) = element(view, from, &mut window)? else {
            continue;
        };
        let Some(mark) = mark(&marked) else { continue };
        if !view.transcript.messages[to.0].array {
            changes.extend(spell_out(view, to, &mark));
        } else if let Some((place, target)) = element(view, to, &mut window)? {
            changes.extend(change(&mark, &place, &target));
        }
    }
    Ok(changes)
}

/// Returns the changes that put a further cache mark on the last part of the prompt of the first
/// `length` messages. None, if that part may not carry one, or has one with the cuts of the view.
///
/// # Errors
/// The input cannot be read any more.
pub fn added(view: &View<'_>, length: u32, long: bool) -> Result<Vec<Change>> {
    let (transcript, rules) = (view.transcript, &view.rules);
    let Some(i) = (length as usize).checked_sub(1) else {
        return Ok(Vec::new());
    };
    let array = transcript.messages[i].array;
    let is_free = |(index, block): &(u32, &Block)| {
        marked_at(transcript, *index, block).is_none()
            && may_carry(rules, array, true, block)
            && !view.is_block_gone(i, *index)
            && (array || view.cut(*index).is_none())
            && moves_of(view).iter().all(|(_, to)| *to != (i, *index))
    };
    let Some((index, _)) = transcript.parts(i).last().filter(is_free) else {
        return Ok(Vec::new());
    };
    let ttl = if long { r#","ttl":"1h""# } else { "" };
    let mark = if rules.marks_are_parts {
        Mark::Element(format!(r#"{{"cachePoint":{{"type":"default"{ttl}}}}}"#).into())
    } else {
        Mark::Member(format!(r#"{{"type":"ephemeral"{ttl}}}"#).into())
    };
    if !array {
        return Ok(spell_out(view, (i, index), &mark));
    }
    let found = element(view, (i, index), &mut Window::new(view.texts))?;
    Ok(found
        .and_then(|(place, target)| change(&mark, &place, &target))
        .into_iter()
        .collect())
}

/// Returns the marks that the cuts of a view move.
fn moves_of(view: &View<'_>) -> Vec<(Part, Part)> {
    let fate = |i, index| {
        if view.is_block_gone(i, index) {
            PartOutcome::Leaves
        } else {
            PartOutcome::Stays
        }
    };
    moves(view.transcript, &view.rules, &fate, &|_| true, false)
}

/// What happens to a part.
#[derive(Clone, Copy)]
pub enum PartOutcome {
    /// It stays.
    Stays,
    /// It is moved, with its mark.
    RecordMoves,
    /// It is removed.
    Leaves,
}

/// Returns the cache marks that are moved because their parts are removed: for each the block that
/// has it and the part that receives it. That is the last part before it that stays, unless that
/// part has a mark. With `behind`, a mark before all parts that stay moves to the first of them.
/// `spells_out` returns whether a message's string content may become an array for this.
pub fn moves(
    transcript: &Transcript,
    rules: &Rules,
    fate: &dyn Fn(usize, u32) -> PartOutcome,
    spells_out: &dyn Fn(usize) -> bool,
    behind: bool,
) -> Vec<(Part, Part)> {
    let mut moves = Vec::new();
    // The last part that stays and may carry a mark, unless it has one; and the mark that moves to
    // the first such part.
    let (mut free, mut waits, mut first): (Option<Part>, Option<Part>, bool) = (None, None, behind);
    for i in 0..transcript.messages.len() {
        for (index, block) in transcript.parts(i) {
            let marked = marked_at(transcript, index, block).map(|marked| (i, marked));
            let carries = || may_carry(rules, transcript.messages[i].array, spells_out(i), block);
            match fate(i, index) {
                PartOutcome::RecordMoves => {}
                PartOutcome::Leaves if first => waits = waits.or(marked),
                PartOutcome::Leaves if marked.is_some() => moves.extend(marked.zip(free.take())),
                PartOutcome::Leaves => {}
                PartOutcome::Stays if marked.is_some() => {
                    (free, waits, first) = (None, None, false)
                }
                PartOutcome::Stays if carries() => {
                    let taken = waits.take().map(|mark| moves.push((mark, (i, index))));
                    free = if taken.is_none() {
                        Some((i, index))
                    } else {
                        None
                    };
                    first = false;
                }
                PartOutcome::Stays => {}
            }
        }
    }
    moves
}

/// Returns the block that carries the mark of the part at `index`: the part itself or, for a
/// result, the first block of its content that has one.
fn marked_at(transcript: &Transcript, index: u32, block: &Block) -> Option<u32> {
    let children = (index + 1..).zip(transcript.inside(index));
    std::iter::once((index, block))
        .chain(children)
        .find(|(index, block)| is_marked(transcript, *index, block))
        .map(|(index, _)| index)
}

fn is_marked(transcript: &Transcript, index: u32, block: &Block) -> bool {
    let notes = &transcript.notes;
    let at = notes.partition_point(|n| n.block < index);
    let noted = notes[at..]
        .iter()
        .take_while(|n| n.block == index)
        .any(|n| matches!(n.kind, NoteKind::Mark { .. }));
    noted || block.flags.has(Flags::CACHE_MARK)
}

/// Returns whether a block can carry a mark, in a content that is an array or may become one.
fn may_carry(rules: &Rules, array: bool, spells_out: bool, block: &Block) -> bool {
    match block.kind {
        // A string content is equivalent to one text block.
        BlockKind::Text => {
            !block.flags.has(Flags::BLANK) && (array || rules.marks_in_strings && spells_out)
        }
        BlockKind::Image | BlockKind::Call | BlockKind::Result => array && rules.marks_on_parts,
        _ => false,
    }
}

/// The range of an element in the input, and its bytes.
type Element = (Range<u64>, Vec<u8>);

/// Returns the element of a content array that contains a part, with its range.
fn element(view: &View<'_>, (i, index): Part, window: &mut Window<'_>) -> Result<Option<Element>> {
    let at = view.transcript.messages[i].range(view.transcript.block(index).span);
    let Some(item) = items(view, i, window)?
        .into_iter()
        .find(|item| at.start >= item.range.start && at.end <= item.range.end)
    else {
        return Ok(None);
    };
    let Some(found) = element_at(&item.bytes(view.texts)?, item.range.start, &at) else {
        return Ok(None);
    };
    let bytes = view.texts.read(found.start, found.end)?.into_owned();
    Ok(Some((found, bytes)))
}

/// A cache mark as it is written.
enum Mark {
    /// The value of a member `cache_control`.
    Member(Vec<u8>),
    /// A separate element.
    Element(Vec<u8>),
}

/// Returns the mark that the element `marked` has or is, or that an element of its content has.
fn mark(marked: &[u8]) -> Option<Mark> {
    let value = |member: &Member<'_>| marked[member.value.clone()].to_vec();
    let mut inner = None;
    for found in members(marked, 0)? {
        match (&*found.name, found.kind) {
            (b"content", Kind::Array) => {
                let objects = elements(marked, found.value.start)?
                    .into_iter()
                    .filter(|element| marked[element.start] == b'{');
                inner = inner.or(objects
                    .filter_map(|object| member(marked, object.start, "cache_control"))
                    .next());
            }
            (b"cache_control", _) => return Some(Mark::Member(value(&found))),
            (b"cachePoint", _) => return Some(Mark::Element(marked.to_vec())),
            _ => {}
        }
    }
    inner.map(|found| Mark::Member(value(&found)))
}

/// Returns the change that adds a mark to `target`, an element at `place`.
fn change(mark: &Mark, place: &Range<u64>, target: &[u8]) -> Option<Change> {
    let (at, text) = match mark {
        Mark::Member(value) => (
            place.end - 1,
            [br#","cache_control":"#, &value[..]].concat(),
        ),
        Mark::Element(element) => (place.end, [b",", &element[..]].concat()),
    };
    target.ends_with(b"}").then_some(Change::put(at..at, text))
}

/// Returns the changes that turn a string content into an array of one text with a mark.
fn spell_out(view: &View<'_>, (i, index): Part, mark: &Mark) -> Vec<Change> {
    let Mark::Member(value) = mark else {
        return Vec::new();
    };
    let at = view.transcript.messages[i].range(view.transcript.block(index).span);
    let close = [br#","cache_control":"#, &value[..], b"}]"].concat();
    vec![
        Change::put(at.start..at.start, br#"[{"type":"text","text":"#),
        Change::put(at.end..at.end, close),
    ]
}
