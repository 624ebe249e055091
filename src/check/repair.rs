//! Mends what can be mended in a body: changes that name bytes, made from the defects that were found.
//!
//! Kinds of mends come one after the other, and the body is read again between them, so that no mend has to know what
//! another one does to the place where it stands: ids first, as they say which result is whose; then what goes; then what
//! moves; then what is missing.

mod place;

use super::Defect;
use crate::format::sheet::id_hash;
use crate::json::text;
use crate::splice::Change;
use crate::transcript::{Block, BlockKind, Role, Rules, Span, Transcript};
use place::{Content, content, member};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

/// The answer to a call that has none.
const NO_RESULT: &str = "[No result was recorded for this call; assume nothing about its effects.]";
/// What stands for a message of which nothing is left, at an end of the conversation that must stay.
const NOTHING_LEFT: &str = "[What stood here was removed or is elsewhere.]";

/// Codes that are mended together, in the order in which they are.
const TURNS: [&[&str]; 4] = [&["E06"], &["E02", "E05", "E08", "E09", "E13"], &["E03", "E04"], &["E01"]];

/// The changes that mend the first kind of defect that can be mended; none when nothing can. `bytes` is the input.
pub fn changes(transcript: &Transcript, bytes: &[u8], defects: &[Defect]) -> Vec<Change> {
    // What is written anew is written in these two spellings.
    if !matches!(transcript.rules, Rules::Anthropic | Rules::OpenAiChat | Rules::Generic) {
        return Vec::new();
    }
    for codes in TURNS {
        let mut bench = Bench { transcript, bytes, changes: Vec::new(), gone: BTreeSet::new(), news: BTreeMap::new() };
        for defect in defects.iter().filter(|d| codes.contains(&d.row.code)) {
            bench.mend(defect);
        }
        bench.settle();
        if !bench.changes.is_empty() {
            return bench.changes;
        }
    }
    Vec::new()
}

/// Where results come to stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Destination {
    /// First in the user message of this index.
    Into(usize),
    /// In a new user message after the message of this index.
    After(usize),
    /// As messages of their own after the message of this index.
    Among(usize),
}

/// A result that comes: its bytes, and the index of the block that it was before, if it was one.
type Coming = (Vec<u8>, Option<u32>);

/// One kind of mends at work.
struct Bench<'a> {
    transcript: &'a Transcript,
    bytes: &'a [u8],
    changes: Vec<Change>,
    /// Blocks that go, by index.
    gone: BTreeSet<u32>,
    /// Results that come.
    news: BTreeMap<Destination, Vec<Coming>>,
}

impl Bench<'_> {
    fn mend(&mut self, defect: &Defect) {
        match (defect.row.code, defect.block) {
            ("E01", Some(block)) => self.answer(defect.message, block),
            ("E02" | "E05" | "E08", Some(block)) => drop(self.gone.insert(block)),
            ("E03" | "E04", Some(block)) => self.bring(defect.message, block),
            ("E06", Some(block)) => self.rename(defect.message, block),
            ("E08", None) => self.empty(defect.message),
            ("E09", _) => {
                let place = member(self.bytes, self.start(defect.message), b"tool_calls");
                self.changes.extend(place.map(|m| Change::Drop { start: m.start as u64, end: m.end as u64 }));
            }
            ("E13", Some(block)) => {
                let raw = self.place(defect.message, self.transcript.blocks[block as usize].span);
                let inside = &self.bytes[raw.start + 1..raw.end - 1];
                let kept = (raw.start + 1 + text::trimmed_len(inside)) as u64;
                self.put(kept as usize..raw.end - 1, Vec::new());
            }
            _ => {}
        }
    }

    /// A new id for a call whose id was used before, and for the result that answers it: of several calls in a row the
    /// second result is the second call's.
    fn rename(&mut self, i: usize, block: u32) {
        let link = self.transcript.link(&self.transcript.blocks[block as usize]);
        let of_id = |b: &&(usize, u32, Block)| self.transcript.link(&b.2).call == link.call;
        let all = self.linked();
        let same: Vec<&(usize, u32, Block)> = all.iter().filter(of_id).collect();
        let Some(at) = same.iter().position(|b| b.1 == block) else { return };
        let batch = same[..at].iter().rev().take_while(|b| b.2.kind == BlockKind::Call).count();
        let results: Vec<_> = same[at + 1..].iter().skip_while(|b| b.2.kind == BlockKind::Call).collect();
        let answered = results.iter().take_while(|b| b.2.kind == BlockKind::Result).nth(batch);
        let known: HashSet<u64> = all.iter().map(|b| self.transcript.link(&b.2).call).collect();
        let id = self.bytes[self.place(i, link.id)].to_vec();
        let new = (2u32..).map(|n| [&id[..], b"_", n.to_string().as_bytes()].concat()).find(|new| !known.contains(&id_hash(new)));
        let Some(new) = new else { return };
        // One at a time for each id: the next one is counted anew.
        let first = self.place(i, link.id);
        if self.changes.iter().any(|c| matches!(c, Change::Put { text, .. } if *text == new)) {
            return;
        }
        self.put(first, new.clone());
        if let Some((message, _, result)) = answered {
            let place = self.place(*message, self.transcript.link(result).id);
            self.put(place, new);
        }
    }

    /// A neutral result for a call that has none.
    fn answer(&mut self, i: usize, block: u32) {
        let call = &self.transcript.blocks[block as usize];
        let id = &self.bytes[self.place(i, self.transcript.link(call).id)];
        let is_block = content(self.bytes, self.start(i)).is_some_and(|c| c.holds(self.place(i, call.span).start));
        let (open, between) = match is_block {
            true => ("{\"type\":\"tool_result\",\"tool_use_id\":\"", "\",\"content\":\""),
            false => ("{\"role\":\"tool\",\"tool_call_id\":\"", "\",\"content\":\""),
        };
        let result = [open.as_bytes(), id, between.as_bytes(), NO_RESULT.as_bytes(), b"\"}"].concat();
        let place = if is_block { self.next_user(i) } else { self.after_answers(i) };
        self.news.entry(place).or_default().push((result, None));
    }

    /// Moves a result to where its call wants it.
    fn bring(&mut self, i: usize, block: u32) {
        let result = self.transcript.blocks[block as usize];
        let link = self.transcript.link(&result);
        let calls = self.linked().into_iter().filter(|b| b.1 < block && b.2.kind == BlockKind::Call);
        let mut calls = calls.filter(|b| self.transcript.link(&b.2).call == link.call);
        let Some((call, ..)) = calls.next_back() else { return };
        let place = if self.transcript.messages[i].role == Role::Tool { self.after_answers(call) } else { self.next_user(call) };
        let bytes = self.bytes[self.place(i, result.span)].to_vec();
        self.news.entry(place).or_default().push((bytes, Some(block)));
    }

    /// Where a user message answers the calls of message `i`: the first behind it and those that are merged with it.
    fn next_user(&self, i: usize) -> Destination {
        let messages = &self.transcript.messages;
        let next = (i + 1..messages.len()).find(|&j| messages[j].role != messages[i].role);
        match next {
            Some(j) if messages[j].role == Role::User => Destination::Into(j),
            Some(j) => Destination::After(j - 1),
            None => Destination::After(messages.len() - 1),
        }
    }

    /// Where messages answer the calls of message `i`: behind those that do already.
    fn after_answers(&self, i: usize) -> Destination {
        let answers = self.transcript.messages[i + 1..].iter().take_while(|m| m.role == Role::Tool).count();
        Destination::Among(i + answers)
    }

    /// Turns what was gathered into changes.
    fn settle(&mut self) {
        for (place, results) in std::mem::take(&mut self.news) {
            self.gone.extend(results.iter().filter_map(|(_, from)| *from));
            let bytes: Vec<Vec<u8>> = results.into_iter().map(|(result, _)| result).collect();
            self.set_down(place, &bytes.join(&b","[..]));
        }
        let gone = std::mem::take(&mut self.gone);
        let mut by_message: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for block in gone {
            by_message.entry(self.transcript.messages.partition_point(|m| m.blocks <= block) - 1).or_default().push(block);
        }
        for (i, blocks) in by_message {
            self.take_away(i, &blocks);
        }
    }

    fn set_down(&mut self, place: Destination, results: &[u8]) {
        match place {
            Destination::Among(i) => {
                let end = self.end(i);
                self.put(end..end, [b",", results].concat());
            }
            Destination::After(i) => {
                let end = self.end(i);
                self.put(end..end, [b",{\"role\":\"user\",\"content\":[", results, b"]}"].concat());
            }
            Destination::Into(i) => match content(self.bytes, self.start(i)) {
                Some(Content { elements: Some(elements), value }) => match elements.first() {
                    Some(first) => self.put(first.start..first.start, [results, b","].concat()),
                    None => self.put(value.start + 1..value.start + 1, results.to_vec()),
                },
                Some(Content { value, .. }) if self.bytes[value.start] == b'"' => {
                    self.put(value.start..value.start, [b"[", results, b",{\"type\":\"text\",\"text\":"].concat());
                    self.put(value.end..value.end, b"}]".to_vec());
                }
                _ => {}
            },
        }
    }

    /// Takes blocks out of message `i`, or the message itself when nothing else is in it.
    fn take_away(&mut self, i: usize, blocks: &[u32]) {
        if self.transcript.messages[i].role == Role::Tool {
            return self.drop_message(i);
        }
        let Some(Content { elements: Some(elements), value }) = content(self.bytes, self.start(i)) else { return self.empty(i) };
        let parts: BTreeSet<usize> = blocks.iter().map(|b| usize::from(self.transcript.blocks[*b as usize].part)).collect();
        let filled =
            self.changes.iter().any(|c| matches!(c, Change::Put { start, end, .. } if start == end && value.contains(&(*start as usize))));
        if parts.len() >= elements.len() && !filled {
            let calls = self.transcript.blocks_of(i).iter().any(|b| b.kind == BlockKind::Call);
            return if calls { self.put(value, b"null".to_vec()) } else { self.empty(i) };
        }
        if parts.len() >= elements.len() {
            // All of it goes and something came: the comma behind that has nothing to part any more.
            let first = elements.first().map_or(value.start + 1, |e| e.start);
            for change in &mut self.changes {
                if let Change::Put { start, end, text } = change
                    && *start as usize == first
                    && start == end
                {
                    text.pop_if(|b| *b == b',');
                }
            }
            let last = elements.last().map_or(first, |e| e.end);
            return self.put(first..last, Vec::new());
        }
        let places = parts.iter().filter_map(|part| elements.get(*part));
        self.changes.extend(places.map(|e| Change::Drop { start: e.start as u64, end: e.end as u64 }));
    }

    /// A message with nothing in it goes, unless the conversation begins or ends with it as the user's.
    fn empty(&mut self, i: usize) {
        let messages = &self.transcript.messages;
        let first = messages.iter().position(|m| m.role != Role::System) == Some(i);
        let at_an_end = first || i + 1 == messages.len();
        if messages[i].role != Role::User || !at_an_end {
            return self.drop_message(i);
        }
        if let Some(Content { value, .. }) = content(self.bytes, self.start(i)) {
            self.put(value, format!("\"{NOTHING_LEFT}\"").into_bytes());
        }
    }

    fn drop_message(&mut self, i: usize) {
        self.changes.push(Change::Drop { start: self.start(i) as u64, end: self.end(i) as u64 });
    }

    fn put(&mut self, place: Range<usize>, text: Vec<u8>) {
        self.changes.push(Change::Put { start: place.start as u64, end: place.end as u64, text });
    }

    /// All calls and results, with their messages and their indices.
    fn linked(&self) -> Vec<(usize, u32, Block)> {
        let of = |i: usize| (self.transcript.messages[i].blocks..).zip(self.transcript.blocks_of(i)).map(move |(n, b)| (i, n, *b));
        (0..self.transcript.messages.len()).flat_map(of).filter(|(_, _, b)| b.is_linked()).collect()
    }

    /// A span of message `i` in the input.
    fn place(&self, i: usize, span: Span) -> Range<usize> {
        let record = self.transcript.messages[i].record as usize;
        record + span.start as usize..record + span.end as usize
    }

    fn start(&self, i: usize) -> usize {
        self.place(i, self.transcript.messages[i].span).start
    }

    fn end(&self, i: usize) -> usize {
        self.place(i, self.transcript.messages[i].span).end
    }
}
