//! Mends what can be mended, in bodies of every provider and in histories: changes that name bytes, made from the defects
//! that were found.
//!
//! Kinds of mends come one after the other, and the input is read again between them, so that no mend has to know what
//! another one does to the place where it stands: ids first, as they say which result is whose; then roles; then what
//! goes; then what moves; then what is missing. What E07 counts is right once each call has its result.

mod answer;
mod calls_last;
mod held;
mod lines;
mod place;
mod relink;
mod rename;
mod respell;
mod seating;
mod strike;

use super::Defect;
use crate::format::{Layout, by_name};
use crate::json::{IdMap, IdSet};
use crate::splice::Change;
use crate::transcript::{Block, BlockKind, Role, Rules, Span, Transcript};
use answer::{Answer, NO_RESULT, answer};
use held::Record;
use place::member;
use seating::{Coming, Destination, Manner};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::rc::Rc;
use strike::Content;

/// Codes that are mended together, in the order in which they are.
const TURNS: [&[&str]; 8] = [
    &["E24", "E25", "E26", "E27"],
    &["E06"],
    &["E11"],
    &["E02", "E05", "E08", "E09", "E13", "E14", "E17", "E20", "E21", "E22", "E33", "E34", "E35", "E37"],
    &["E32"],
    &["E03", "E04"],
    &["E01"],
    &["E10"],
];

/// The changes that mend the first kind of defect that can be mended; none when nothing can. `bytes` is the input, and `recorded`
/// are calls whose results stand somewhere in it: they get no new answer.
pub fn changes(transcript: &Transcript, bytes: &[u8], defects: &[Defect], recorded: &IdSet) -> Vec<Change> {
    for codes in TURNS {
        let found: Vec<&Defect> = defects.iter().filter(|d| codes.contains(&d.row.code)).collect();
        if found.is_empty() {
            continue;
        }
        let mut bench = Bench::new(transcript, bytes);
        let found: Vec<&Defect> = found.into_iter().filter(|defect| !is_recorded(transcript, defect, recorded)).collect();
        match codes {
            ["E06"] => bench.rename(&found.into_iter().filter(|d| !transcript.messages[d.message].pieced).collect::<Vec<_>>()),
            ["E24", ..] => bench.respell(&found),
            ["E32"] => bench.calls_last(&found),
            ["E11"] if transcript.answers().alternates => bench.merge(&found),
            ["E11"] => {}
            _ => found.into_iter().for_each(|defect| bench.mend(defect)),
        }
        bench.settle();
        if !bench.changes.is_empty() {
            return bench.changes;
        }
    }
    Vec::new()
}

/// Whether a defect is a call without a result whose result stands elsewhere in the input.
fn is_recorded(transcript: &Transcript, defect: &Defect, recorded: &IdSet) -> bool {
    let call = defect.block.filter(|_| defect.row.code == "E01").map(|block| transcript.blocks[block as usize]);
    call.is_some_and(|call| call.is_linked() && recorded.contains(&transcript.link(&call).call))
}

/// One kind of mends at work.
struct Bench<'a> {
    transcript: &'a Transcript,
    bytes: &'a [u8],
    /// Whether records are lines of one transcript.
    lines: bool,
    changes: Vec<Change>,
    /// Blocks that go, by index.
    gone: BTreeSet<u32>,
    /// Records of lines that go.
    gone_lines: Vec<Range<usize>>,
    /// How many lines come before the record that begins at a byte.
    come_lines: BTreeMap<usize, usize>,
    /// Results that come.
    news: BTreeMap<Destination, Vec<Coming>>,
    /// Records of tools' runs that come, by the message that they come into.
    runs: BTreeMap<usize, Vec<Vec<u8>>>,
    /// The calls of each id: message and block, in order. Filled when it is wanted.
    calls: IdMap<Vec<(usize, u32)>>,
    /// The results, by index. Filled when it is wanted.
    results: Option<Vec<u32>>,
    /// The ids of lines. Filled when it is wanted.
    ids: Option<IdSet>,
    /// Neutral results, by those that came after them. Filled when it is wanted.
    placeholders: Option<HashMap<u32, u32>>,
    // What was asked for last, as it is asked for again for every defect of a message.
    known: Option<(usize, Manner, Option<Destination>)>,
    content: Option<(usize, Rc<Content>)>,
    record: Option<(usize, Rc<Record>)>,
    around: Option<(usize, Range<usize>)>,
    entries: (Option<usize>, Vec<Range<usize>>),
}

impl<'a> Bench<'a> {
    fn new(transcript: &'a Transcript, bytes: &'a [u8]) -> Bench<'a> {
        Bench {
            transcript,
            bytes,
            lines: by_name(transcript.format).is_some_and(|format| format.layout == Layout::History),
            changes: Vec::new(),
            gone: BTreeSet::new(),
            gone_lines: Vec::new(),
            come_lines: BTreeMap::new(),
            news: BTreeMap::new(),
            runs: BTreeMap::new(),
            calls: IdMap::default(),
            results: None,
            ids: None,
            placeholders: None,
            known: None,
            content: None,
            record: None,
            around: None,
            entries: (None, Vec::new()),
        }
    }

    fn mend(&mut self, defect: &Defect) {
        if self.transcript.messages[defect.message].pieced {
            return;
        }
        match (defect.row.code, defect.block) {
            ("E01", Some(block)) => self.answer(defect.message, block),
            ("E08", Some(block)) if self.transcript.blocks[block as usize].kind == BlockKind::Result => {
                self.fill(defect.message, block);
            }
            ("E05", Some(block)) => {
                let goes = self.placeholder_before(block).unwrap_or(block);
                self.gone.insert(goes);
            }
            ("E02" | "E08" | "E20" | "E33" | "E34", Some(block)) => drop(self.gone.insert(block)),
            ("E03" | "E04", Some(block)) => self.bring(defect.message, block),
            ("E08", None) => self.empty(defect.message),
            ("E09", _) => self.strike(self.start(defect.message), "tool_calls"),
            ("E10", _) => self.begin(defect.message),
            ("E13", Some(block)) => self.trim(defect.message, block),
            ("E14", _) => self.unmark(defect),
            ("E17", Some(block)) => self.unbind(defect.message, block),
            ("E17", _) => self.end_reasoning(defect.message),
            ("E35", Some(block)) => self.strike_in(defect.message, block, &["cache_control"]),
            ("E37", Some(block)) => self.cut(self.place(defect.message, self.transcript.blocks[block as usize].span)),
            ("E21", Some(block)) => self.strike_in(defect.message, block, &["caller"]),
            ("E22", Some(block)) => self.strike_in(defect.message, block, &["is_error", "status"]),
            _ => {}
        }
    }

    /// A neutral result for a call that has none.
    fn answer(&mut self, i: usize, block: u32) {
        if self.is_held() {
            return self.hold(i, block);
        }
        let call = &self.transcript.blocks[block as usize];
        let link = self.transcript.link(call);
        let place = self.place(i, call.span);
        let id = &self.bytes[self.place(i, link.id)];
        let history = self.transcript.rules == Rules::History;
        let Some(answer) = answer(&self.bytes[place.clone()], id, self.transcript.tool_of(call), history) else { return };
        let around = if history { self.record_around(i, place.start) } else { None };
        let manner = match &answer {
            _ if around.is_some() => Manner::Line,
            Answer::Block(_) => Manner::Block,
            Answer::Message(_) => Manner::Message,
        };
        let destination = self.destination(i, manner);
        let coming = Coming { answer, from: None, call: around.unwrap_or(0), seed: id.to_vec() };
        destination.into_iter().for_each(|place| self.news.entry(place).or_default().push(coming.clone()));
    }

    /// The result before the one at `block` that answers the same call with the neutral text: what was found later is the
    /// real one.
    fn placeholder_before(&mut self, block: u32) -> Option<u32> {
        if self.placeholders.is_none() {
            self.placeholders = Some(self.placeholders());
        }
        self.placeholders.as_ref()?.get(&block).copied()
    }

    /// For each result that follows a neutral one of the same call, that one.
    fn placeholders(&self) -> HashMap<u32, u32> {
        let (mut neutral, mut found): (IdMap<u32>, HashMap<u32, u32>) = Default::default();
        for (i, at, block) in self.linked() {
            let link = self.transcript.link(&block);
            if block.kind == BlockKind::Call {
                neutral.remove(&link.call);
            } else if self.is_neutral(i, at, link.children) {
                neutral.insert(link.call, at);
            } else if let Some(&before) = neutral.get(&link.call) {
                found.insert(at, before);
            }
        }
        found
    }

    /// Whether the result at `at`, of so many parts, says that none was recorded.
    fn is_neutral(&self, i: usize, at: u32, children: u32) -> bool {
        let Some(text) = self.transcript.blocks.get(at as usize + 1).filter(|b| children == 1 && b.kind == BlockKind::Text) else {
            return false;
        };
        self.bytes[self.place(i, text.span)].get(1..).is_some_and(|said| said.starts_with(NO_RESULT.as_bytes()))
    }

    /// Moves a result to where its call wants it.
    fn bring(&mut self, i: usize, block: u32) {
        let result = self.transcript.blocks[block as usize];
        let link = self.transcript.link(&result);
        if self.calls.is_empty() {
            for (message, index, call) in self.linked().filter(|b| b.2.kind == BlockKind::Call) {
                self.calls.entry(self.transcript.link(&call).call).or_default().push((message, index));
            }
        }
        let Some(calls) = self.calls.get(&link.call) else { return };
        let Some(&(call, _)) = calls[..calls.partition_point(|c| c.1 < block)].last() else { return };
        let message = self.transcript.messages[i].role == Role::Tool;
        let manner = if message { Manner::Message } else { Manner::Block };
        let Some(destination) = self.destination(call, manner) else { return };
        let bytes = if message { self.bytes[self.whole(i)].to_vec() } else { self.bytes[self.place(i, result.span)].to_vec() };
        let answer = if message { Answer::Message(bytes) } else { Answer::Block(bytes) };
        self.news.entry(destination).or_default().push(Coming { answer, from: Some(block), call: 0, seed: Vec::new() });
    }

    /// All calls and results, with their messages and their indices.
    fn linked(&self) -> impl Iterator<Item = (usize, u32, Block)> + use<'a> {
        let transcript = self.transcript;
        let of = move |i: usize| (transcript.messages[i].blocks..).zip(transcript.blocks_of(i)).map(move |(n, b)| (i, n, *b));
        (0..transcript.messages.len()).flat_map(of).filter(|(_, _, b)| b.is_linked())
    }

    /// The message that the block at index `block` belongs to.
    fn message_of(&self, block: u32) -> usize {
        self.transcript.messages.partition_point(|m| m.blocks <= block).saturating_sub(1)
    }

    /// The member of a message that holds its parts.
    fn content_name(&self) -> &'static str {
        match self.transcript.rules {
            Rules::Gemini => "parts",
            _ if self.is_first_cohere() => "tool_results",
            _ => "content",
        }
    }

    /// Whether this is a body of Cohere's first interface: turns of results, and results beside the turns.
    fn is_first_cohere(&self) -> bool {
        self.transcript.rules == Rules::Cohere && self.transcript.calls_elsewhere
    }

    /// A text as a part of a message, around the JSON string that it is.
    fn text_around(&self) -> (&'static [u8], &'static [u8]) {
        match self.transcript.rules {
            Rules::Gemini | Rules::Converse => (b"{\"text\":", b"}"),
            _ => (b"{\"type\":\"text\",\"text\":", b"}"),
        }
    }

    fn put(&mut self, place: Range<usize>, text: Vec<u8>) {
        self.changes.push(Change::Put { start: place.start as u64, end: place.end as u64, text });
    }

    /// An element of an array or a member of an object goes.
    fn cut(&mut self, place: Range<usize>) {
        self.changes.push(Change::Drop { start: place.start as u64, end: place.end as u64 });
    }

    /// The member `name` of the object at `start` goes.
    fn strike(&mut self, start: usize, name: &str) {
        if let Some(found) = member(self.bytes, start, name) {
            self.cut(found.whole);
        }
    }

    /// A span of message `i` in the input.
    fn place(&self, i: usize, span: Span) -> Range<usize> {
        let record = self.transcript.messages[i].record as usize;
        record + span.start as usize..record + span.end as usize
    }

    /// Message `i` in the input, without what is around it.
    fn whole(&self, i: usize) -> Range<usize> {
        self.place(i, self.transcript.messages[i].span)
    }

    fn start(&self, i: usize) -> usize {
        self.whole(i).start
    }
}
