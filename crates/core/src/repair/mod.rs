//! Repairs defects in bodies of every provider and in logs, by changes that name byte ranges.
//!
//! The kinds of fixes run one after the other, and the input is read again between them, so that no fix depends on the effects of
//! another: calls in the wrong message first; then results whose id fits no call (`bind`); then ids, because they pair results with
//! calls; then each result is moved to its call (`arrange`); then contents; then consecutive messages of one role. E07 is repaired when
//! each call has its result.

mod arrange;
mod bind;
mod calls;
mod calls_last;
mod copies;
mod insert;
mod marks;
mod matching;
mod merge;
mod off_context;
mod places;
mod removal;
mod rename;
mod respell;
mod rounds;
mod verify;

use crate::Error;
use crate::check::Defect;
use crate::dialect::shared::reply::{Inline, NO_RESULT};
use crate::dialect::{DIALECTS, Dialect, Layout, by_name};
use crate::edit::{Change, Gap, RecordMoves, ids};
use crate::json::locate::member;
use crate::json::{Id, IdSet};
use crate::transcript::{Block, BlockKind, Rules, Span, Transcript};
use insert::{Insertion, InsertionPoint};
use off_context::OffContext;
use places::Content;
pub use rounds::{Rounds, rows, unpaired};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::rc::Rc;

/// A kind of fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fix {
    /// Moves calls into assistant messages.
    Calls,
    /// Gives a result that answers a call by its place the id of that call.
    Bind,
    /// Replaces ids and names that the provider does not accept.
    Spelling,
    /// Gives each call and its result an id of their own.
    Ids,
    /// Moves results to their calls, and answers calls without a result.
    Pairs,
    /// Repairs content that is empty, too much, or half of a pair.
    Contents,
    /// Moves calls behind all other content of their turn.
    CallsLast,
    /// Adds a first message of the user, and merges consecutive messages of one role.
    Roles,
}

/// All kinds of fixes, in order.
const FIXES: [Fix; 8] = [
    Fix::Calls,
    Fix::Bind,
    Fix::Spelling,
    Fix::Ids,
    Fix::Pairs,
    Fix::Contents,
    Fix::CallsLast,
    Fix::Roles,
];

/// The codes of content that is empty, too much, or half of a pair.
const CONTENTS: [&str; 12] = [
    "E08", "E09", "E13", "E14", "E17", "E20", "E21", "E22", "E33", "E34", "E35", "E37",
];

/// Returns the changes of one kind of fix, if there are any. `bytes` is the input.
///
/// # Errors
/// `bytes` are not what was read.
fn changes(
    fix: Fix,
    transcript: &Transcript,
    bytes: &[u8],
    defects: &[Defect],
    off_context: &OffContext,
) -> Result<Vec<Change>, Error> {
    let found = |codes: &[&str]| -> Vec<&Defect> {
        // A defect of a declared tool belongs to no message.
        let is_multi_record = |d: &Defect| {
            transcript
                .messages
                .get(d.message)
                .is_some_and(|message| message.multi_record)
        };
        defects
            .iter()
            .filter(|d| codes.contains(&d.row.code) && !is_multi_record(d))
            .collect()
    };
    let mut context = RepairContext::new(transcript, bytes, off_context);
    match fix {
        Fix::Bind if found(&["E02"]).is_empty() => {}
        Fix::Bind => context.bind(),
        Fix::Ids => context.rename(&found(&["E06"])),
        Fix::Spelling => context.respell(&found(&["E24", "E25", "E26", "E27"])),
        Fix::Calls => context.move_calls(&found(&["E31"])),
        Fix::CallsLast => context.calls_last(&found(&["E32"])),
        Fix::Pairs => {
            let unanswered = found(&["E01"])
                .into_iter()
                .filter_map(|d| d.block)
                .collect();
            context.arrange(&unanswered);
        }
        Fix::Contents => {
            // Both halves of a server tool's pair are there, each in the wrong place.
            let mut halves = HashMap::new();
            found(&["E20"])
                .into_iter()
                .for_each(|d| *halves.entry(d.about).or_insert(0) += 1);
            let is_apart = |d: &&Defect| d.row.code == "E20" && halves[&d.about] > 1;
            found(&CONTENTS)
                .into_iter()
                .filter(|d| !is_apart(d))
                .for_each(|d| context.fix_content(d));
        }
        Fix::Roles => {
            found(&["E10"])
                .into_iter()
                .for_each(|d| context.begin(d.message));
            if context.rules.alternates {
                context.merge(&found(&["E11"]));
            }
        }
    }
    context.finish()?;
    Ok(context.changes)
}

/// Returns the results that answer calls, placeholders excluded, as pairs of a call's id and the digest of the result's texts, in the order
/// of the calls. A repair loses and duplicates none of them.
fn said(transcript: &Transcript, bytes: &[u8], off_context: &OffContext) -> Vec<(Id, Id)> {
    let context = RepairContext::new(transcript, bytes, off_context);
    let matching = context.matching();
    let id = |call: u32| transcript.link_at(call).call;
    if context.repeats_calls() {
        // A result that contains its call answers it anywhere, so that only its presence counts.
        let stays = |(i, at, b): &(usize, u32, Block)| {
            b.kind == BlockKind::Result
                && !matching.surplus.contains(at)
                && !context.is_neutral(*i, *at, transcript.link(b).children)
        };
        let stay = context.linked().filter(stays);
        let texts: BTreeMap<Id, Id> = stay
            .filter_map(|(_, at, _)| Some((context.texts_of(at)?, id(at))))
            .collect();
        return texts.into_iter().map(|(text, call)| (call, text)).collect();
    }
    let answered = matching.calls.into_iter().filter(|call| !call.is_open());
    answered
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
    /// The results, by index, computed when first needed.
    results: Option<Vec<u32>>,
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
            results: None,
            ids: None,
            content: None,
            around: None,
            entries: (None, Vec::new()),
        }
    }

    /// Returns whether the result at `at`, with `children` blocks, is our own placeholder.
    fn is_neutral(&self, i: usize, at: u32, children: u32) -> bool {
        let Some(text) = self
            .transcript
            .blocks
            .get(at as usize + 1)
            .filter(|b| children == 1 && b.kind == BlockKind::Text)
        else {
            return false;
        };
        self.bytes[self.place(i, text.span)]
            .get(1..)
            .is_some_and(|said| said.starts_with(NO_RESULT.as_bytes()))
    }

    /// Returns the digest of the texts of the result at index `result`; `None` if it has none.
    fn texts_of(&self, result: u32) -> Option<Id> {
        let children = (result + 1..).zip(self.transcript.inside(result));
        let texts = children.filter(|(_, child)| child.kind == BlockKind::Text && child.chars > 0);
        let texts: Vec<u8> = texts
            .flat_map(|(child, _)| &self.bytes[self.place_of(child)])
            .copied()
            .collect();
        Some(texts)
            .filter(|texts| !texts.is_empty())
            .map(|texts| Id::of_value(&texts))
    }

    /// Returns all calls and results with their messages and indices.
    fn linked(&self) -> impl Iterator<Item = (usize, u32, Block)> + use<'a> {
        let transcript = self.transcript;
        let of = move |i: usize| {
            transcript
                .numbered_blocks_of(i)
                .map(move |(n, b)| (i, n, *b))
        };
        (0..transcript.messages.len())
            .flat_map(of)
            .filter(|(_, _, b)| b.is_linked())
    }

    /// Returns the message that contains the block at index `block`.
    fn message_of(&self, block: u32) -> usize {
        self.transcript
            .messages
            .partition_point(|m| m.blocks <= block)
            .saturating_sub(1)
    }

    /// Returns the rules for results inside the records of their calls; `None` if the format has them elsewhere.
    fn inline(&self) -> Option<&'static Inline> {
        self.dialect.replies.inline
    }

    /// Returns the member of a message that contains its parts.
    fn content_name(&self) -> &'static str {
        if self.repeats_calls() {
            "tool_results"
        } else {
            self.rules.content
        }
    }

    /// Returns whether results contain their calls and so answer them anywhere: in a turn of results, or beside all turns.
    fn repeats_calls(&self) -> bool {
        self.rules.results_repeat_calls && self.transcript.calls_elsewhere
    }

    /// Returns the bytes around a JSON string that make it a text part.
    fn text_around(&self) -> (&'static [u8], &'static [u8]) {
        if self.rules.typed_texts {
            (b"{\"type\":\"text\",\"text\":", b"}")
        } else {
            (b"{\"text\":", b"}")
        }
    }

    /// Returns the ids of all lines of a history, new ones included.
    fn ids(&mut self) -> Result<&mut IdSet, Error> {
        if self.ids.is_none() {
            let references = self
                .dialect
                .references
                .map(|references| ids(&self.bytes, self.transcript, references))
                .transpose()?;
            self.ids = references.or_else(|| Some(IdSet::default()));
        }
        Ok(self.ids.get_or_insert_default())
    }

    fn put(&mut self, place: Range<usize>, text: Vec<u8>) {
        self.changes.push(Change::Put {
            start: place.start as u64,
            end: place.end as u64,
            text,
        });
    }

    /// Removes an element of an array or a member of an object.
    fn cut(&mut self, place: Range<usize>) {
        self.changes.push(Change::Drop {
            start: place.start as u64,
            end: place.end as u64,
        });
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
        self.changes.push(Change::Rename {
            ends: ends
                .iter()
                .map(|end| (end.start as u64, end.end as u64))
                .collect(),
            text,
        });
    }

    /// Removes the member `name` of the object at `start`.
    fn remove_member(&mut self, start: usize, name: &str) {
        if let Some(found) = member(self.bytes, start, name) {
            self.cut(found.whole);
        }
    }

    /// Returns the range in the input of a span of message `i`.
    fn place(&self, i: usize, span: Span) -> Range<usize> {
        let record = self.transcript.messages[i].record as usize;
        record + span.start as usize..record + span.end as usize
    }

    /// Returns the range in the input of the block at index `block`.
    fn place_of(&self, block: u32) -> Range<usize> {
        self.place(
            self.message_of(block),
            self.transcript.blocks[block as usize].span,
        )
    }

    /// Returns the range in the input of message `i`, without its envelope.
    fn whole(&self, i: usize) -> Range<usize> {
        self.place(i, self.transcript.messages[i].span)
    }

    fn start(&self, i: usize) -> usize {
        self.whole(i).start
    }
}
