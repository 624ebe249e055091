//! Repairs defects in bodies of every provider and in logs, by changes that name byte ranges.
//!
//! The kinds of fixes run one after the other, and the input is read again between them, so that no
//! fix depends on the effects of another: calls in the wrong message first; then results whose id
//! fits no call (`bind`); then ids, because they pair results with calls; then each result is moved
//! to its call (`arrange`); then contents; then consecutive messages of one role. E07 is repaired
//! when each call has its result.

mod arrange;
mod bind;
mod copies;
mod insert;
mod marks;
mod matching;
mod messages;
mod off_context;
mod places;
mod removal;
mod respell;
mod retype;
mod rounds;
mod served;
mod torn;
mod verify;

use crate::{
    Result,
    check::Defect,
    dialect::{
        DIALECTS, Dialect, Layout, by_name,
        shared::reply::{Inline, NO_RESULT, array},
    },
    edit::{Change, Gap, RecordMoves, ids},
    json::{
        Id, IdMap, IdSet,
        locate::{elements, member, member_value, members},
        text,
    },
    transcript::{Block, BlockKind, Role, Rules, Span, Transcript},
};
use insert::{Insertion, InsertionPoint};
use off_context::OffContext;
use places::Content;
pub use rounds::{Rounds, rows};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    ops::Range,
    rc::Rc,
};
pub use torn::cut_off;

/// A kind of fix: the codes of the defects that it repairs, and the function that does.
type Fix = (&'static str, fn(&mut RepairContext<'_>, &[&Defect]));

/// The fix that also runs where another one has repaired all defects, as it puts results in the
/// order of their calls.
const TIDIES: &str = "E01";

/// The codes that are repaired in a log: other defects of its requests are repaired by its agent.
pub const IN_LOGS: &str = "E01 E02 E03 E05 E06 E20 E40";

/// All kinds of fixes, in order.
const FIXES: [Fix; 9] = [
    ("E31", |context, found| context.move_calls(found)),
    ("E02", |context, found| context.bind(found)),
    ("E24 E25 E26 E27", |context, found| context.respell(found)),
    ("E29 E30", |context, found| context.retype(found)),
    ("E06", |context, found| context.rename(found)),
    (TIDIES, |context, found| context.arrange(found)),
    (
        "E08 E09 E12 E13 E14 E17 E19 E20 E21 E22 E33 E34 E35 E37 E39",
        |context, found| context.fix_contents(found),
    ),
    ("E32", |context, found| context.calls_last(found)),
    ("E10 E11", |context, found| context.merge(found)),
];

/// Returns the changes of one kind of fix, if there are any. `bytes` is the input.
///
/// # Errors
/// `bytes` are not what was read.
fn changes(
    (codes, repair): Fix,
    transcript: &Transcript,
    bytes: &[u8],
    defects: &[Defect],
    off_context: &OffContext,
) -> Result<Vec<Change>> {
    // Where there is no message nothing is repaired.
    let is_multi_record = |d: &Defect| {
        let message = transcript.messages.get(d.message);
        message.is_none_or(|message| message.multi_record)
    };
    let found: Vec<&Defect> = defects
        .iter()
        .filter(|d| codes.contains(d.row.code))
        .filter(|d| !transcript.rules().is_history || IN_LOGS.contains(d.row.code))
        .filter(|d| !is_multi_record(d))
        .collect();
    let mut context = RepairContext::new(transcript, bytes, off_context);
    repair(&mut context, &found);
    context.finish()?;
    Ok(context.changes)
}

/// Returns the results that answer calls, placeholders excluded, as pairs of a call's id and the
/// digest of the result's texts, in the order of the calls. A repair loses and duplicates none of
/// them.
fn said(transcript: &Transcript, bytes: &[u8], off_context: &OffContext) -> Vec<(Id, Id)> {
    let context = RepairContext::new(transcript, bytes, off_context);
    let matching = context.matching();
    let id = |call: u32| transcript.link_at(call).call;
    if context.repeats_calls() {
        // A result that contains its call answers it anywhere, so that only its presence counts.
        let texts: BTreeMap<Id, Id> = context
            .linked()
            .filter(|(.., block)| block.kind == BlockKind::Result)
            .map(|(_, result, _)| result)
            .filter(|result| {
                matching.surplus.binary_search(result).is_err() && !context.is_neutral(*result)
            })
            .filter_map(|result| Some((context.texts_of(result)?, id(result))))
            .collect();
        return texts.into_iter().map(|(text, call)| (call, text)).collect();
    }
    matching
        .calls
        .into_iter()
        .filter(|call| !call.is_open())
        .filter_map(|call| Some((id(call.block), context.texts_of(call.result?)?)))
        .collect()
}

/// The state of one kind of fix.
struct RepairContext<'a> {
    transcript: &'a Transcript,
    bytes: &'a [u8],
    dialect: &'static Dialect,
    rules: Rules,
    off_context: &'a OffContext,
    /// Whether records are lines of one transcript.
    lines: bool,
    changes: Vec<Change>,
    /// Blocks that are removed, by index.
    removed: BTreeSet<u32>,
    /// Blocks that are moved, by index.
    moved: BTreeSet<u32>,
    /// Records of lines that are removed, moved and inserted.
    moves: RecordMoves,
    /// Results to insert.
    insertions: BTreeMap<InsertionPoint, Vec<Insertion>>,
    /// The ids of lines, computed when first needed.
    ids: Option<IdSet>,
    // The content that was read last: the defects of a message read it several times.
    content: Option<(usize, Rc<Content>)>,
    around: Option<(usize, Range<usize>)>,
    entries: (Option<usize>, Vec<Range<usize>>),
}

impl<'a> RepairContext<'a> {
    fn new(
        transcript: &'a Transcript,
        bytes: &'a [u8],
        off_context: &'a OffContext,
    ) -> RepairContext<'a> {
        // All names are in the table.
        let dialect = by_name(transcript.format).unwrap_or(&DIALECTS[0]);
        RepairContext {
            transcript,
            bytes,
            dialect,
            rules: transcript.rules(),
            off_context,
            lines: dialect.layout == Layout::History,
            changes: Vec::new(),
            removed: BTreeSet::new(),
            moved: BTreeSet::new(),
            moves: RecordMoves::default(),
            insertions: BTreeMap::new(),
            ids: None,
            content: None,
            around: None,
            entries: (None, Vec::new()),
        }
    }

    /// Returns whether the result at index `result` is our own placeholder.
    fn is_neutral(&self, result: u32) -> bool {
        let text = match self.transcript.inside(result) {
            [only] if only.kind == BlockKind::Text => &self.bytes[self.place_of(result + 1)],
            _ => return false,
        };
        text.get(1..)
            .unwrap_or_default()
            .starts_with(NO_RESULT.as_bytes())
    }

    /// Returns the digest of the texts of the result at index `result`; `None` if it has none.
    fn texts_of(&self, result: u32) -> Option<Id> {
        let children = (result + 1..).zip(self.transcript.inside(result));
        let texts = children
            .filter(|(_, child)| child.kind == BlockKind::Text && child.chars > 0)
            .map(|(child, _)| &self.bytes[self.place_of(child)])
            .collect::<Vec<_>>()
            .concat();
        (!texts.is_empty()).then(|| Id::of_value(&texts))
    }

    /// Returns all calls and results with their messages and indices.
    fn linked(&self) -> impl Iterator<Item = (usize, u32, &'a Block)> + use<'a> {
        self.transcript
            .all_blocks()
            .filter(|(_, _, block)| block.is_linked())
    }

    /// Returns the message that contains the block at index `block`.
    fn message_of(&self, block: u32) -> usize {
        self.transcript.message_of(block)
    }

    /// Returns the rules for results inside the records of their calls; `None` if the format has
    /// them elsewhere.
    fn inline(&self) -> Option<&'static Inline> {
        self.dialect.replies.inline
    }

    /// Returns the member of a message that contains its parts.
    fn content_name(&self) -> &'static str {
        if self.repeats_calls() {
            "tool_results"
        } else {
            self.rules.content.unwrap_or("content")
        }
    }

    /// Returns whether results contain their calls and so answer them anywhere: in a turn of
    /// results, or beside all turns.
    fn repeats_calls(&self) -> bool {
        self.rules.results_repeat_calls && self.transcript.calls_elsewhere
    }

    /// Returns the text part with a text, a JSON string, and further members.
    fn text_part(&self, text: &[u8], members: &[u8]) -> Vec<u8> {
        let open: &[u8] = if self.rules.untyped_texts {
            b"{\"text\":"
        } else {
            b"{\"type\":\"text\",\"text\":"
        };
        [open, text, members, b"}"].concat()
    }

    /// Returns the message of `role` with these parts.
    fn message(&self, role: &str, parts: &[u8]) -> Vec<u8> {
        let open = format!("{{\"role\":\"{role}\",\"{}\":[", self.content_name());
        [open.as_bytes(), parts, b"]}"].concat()
    }

    /// Returns the ids of all lines of a history, new ones included.
    fn ids(&mut self) -> Result<&mut IdSet> {
        if let Some(references) = self.dialect.references.filter(|_| self.ids.is_none()) {
            self.ids = Some(ids(&self.bytes, self.transcript, references)?);
        }
        Ok(self.ids.get_or_insert_default())
    }

    fn put(&mut self, place: Range<usize>, text: Vec<u8>) {
        self.changes
            .push(Change::put(place.start as u64..place.end as u64, text));
    }

    /// Removes an element of an array or a member of an object.
    fn cut(&mut self, place: Range<usize>) {
        self.changes
            .push(Change::removal(place.start as u64..place.end as u64));
    }

    fn insert(&mut self, at: Gap, text: Vec<u8>) {
        self.changes.push(Change::Insert { at, text });
    }

    /// Moves an element of an array.
    fn move_to(&mut self, place: Range<usize>, to: Gap) {
        self.changes.push(Change::Move {
            start: place.start as u64,
            end: place.end as u64,
            line: false,
            to,
        });
    }

    /// Replaces an id at all these places.
    fn rename_all(&mut self, ends: &[Range<usize>], text: Vec<u8>) {
        let ends = ends.iter().map(|end| (end.start as u64, end.end as u64));
        self.changes.push(Change::Rename {
            ends: ends.collect(),
            text,
        });
    }

    /// Returns the value of the member `name` of the object at `start`.
    fn value_of(&self, start: usize, name: &str) -> Option<Range<usize>> {
        member_value(self.bytes, start, name)
    }

    /// Gives the object at `start` the member `name` with this value, as its first one if it has
    /// none.
    fn set_member(&mut self, start: usize, name: &str, value: Vec<u8>) {
        match self.value_of(start, name) {
            Some(old) => self.put(old, value),
            None => {
                let member = [format!("\"{name}\":").as_bytes(), &value].concat();
                self.insert(Gap::Before(start as u64 + 1), member);
            }
        }
    }

    /// Removes the member `name` of the object at `start`.
    fn remove_member(&mut self, start: usize, name: &str) {
        if let Some(found) = member(self.bytes, start, name) {
            self.cut(found.whole);
        }
    }

    /// Returns the range in the input of a span of message `i`.
    fn place(&self, i: usize, span: Span) -> Range<usize> {
        let range = self.transcript.messages[i].range(span);
        range.start as usize..range.end as usize
    }

    /// Returns the range in the input of the block at index `block`.
    fn place_of(&self, block: u32) -> Range<usize> {
        self.place(self.message_of(block), self.transcript.block(block).span)
    }

    /// Returns the range in the input of message `i`, without its envelope.
    fn whole(&self, i: usize) -> Range<usize> {
        self.place(i, self.transcript.messages[i].span)
    }

    fn start(&self, i: usize) -> usize {
        self.whole(i).start
    }
}
