//! Where results come to stand, and how neighbours of one role become one message.

use super::answer::Answer;
use super::lines::line;
use super::place::{Seat, line_end, member, members, record};
use super::relink::{self, PARENTS};
use super::{Bench, Defect};
use crate::transcript::{BlockKind, Role, Rules};
use std::collections::{BTreeMap, BTreeSet};

/// Where results come to stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Destination {
    /// First in the user message of this index.
    Into(usize),
    /// In a new user message after the message of this index.
    After(usize),
    /// As messages of their own after the answers that the message of this index has; the second is the last of those.
    Among(usize, usize),
    /// As lines of their own before the message of this index.
    Before(usize),
}

/// How an answer stands in its transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// As a block of a user's message.
    Block,
    /// As a message of its own.
    Message,
    /// As a line of a history, with an envelope around the message.
    Line,
}

/// A result that comes.
#[derive(Clone)]
pub(super) struct Coming {
    pub(super) answer: Answer,
    /// The index of the block that it was before, if it was one.
    pub(super) from: Option<u32>,
    /// Where the record of its call begins.
    pub(super) call: usize,
    /// What an id of its own is made of.
    pub(super) seed: Vec<u8>,
}

impl Bench<'_> {
    /// Where the answers to the calls of message `i` stand, if there is a place.
    pub(super) fn destination(&mut self, i: usize, manner: Manner) -> Option<Destination> {
        if let Some((_, _, known)) = self.known.filter(|k| (k.0, k.1) == (i, manner)) {
            return known;
        }
        let found = match manner {
            Manner::Block => Some(self.next_user(i)),
            Manner::Message => Some(self.after_answers(i)),
            Manner::Line => self.before_next(i),
        };
        self.known = Some((i, manner, found));
        found
    }

    /// Where a user message answers the calls of message `i`: the first behind it and those that are merged with it.
    fn next_user(&self, i: usize) -> Destination {
        let messages = &self.transcript.messages;
        if self.transcript.rules == Rules::Gemini || self.is_first_cohere() {
            // The very next content; a text of the user's begins a turn, and stays apart.
            let answers = |j: usize| self.transcript.blocks_of(j).iter().any(|b| b.kind == BlockKind::Result);
            return if i + 1 < messages.len() && answers(i + 1) { Destination::Into(i + 1) } else { Destination::After(i) };
        }
        // Where an id may be used again, a later call of it must not come between.
        let merged = matches!(self.transcript.rules, Rules::Anthropic | Rules::Converse);
        let next = (i + 1..messages.len()).find(|&j| messages[j].role != messages[i].role || !merged);
        match next {
            Some(j) if messages[j].role == Role::User => Destination::Into(j),
            Some(j) => Destination::After(j - 1),
            None => Destination::After(messages.len() - 1),
        }
    }

    /// Where messages answer the calls of message `i`: behind those that do already.
    fn after_answers(&self, i: usize) -> Destination {
        let answers = self.transcript.messages[i + 1..].iter().take_while(|m| m.role == Role::Tool).count();
        Destination::Among(i, i + answers)
    }

    /// Before the first message after message `i` that is no answer, in a history. What stands last is still open.
    fn before_next(&self, i: usize) -> Option<Destination> {
        let messages = &self.transcript.messages;
        let next = (i + 1..messages.len()).find(|&j| messages[j].role != Role::Tool && !self.transcript.is_only_results(j));
        next.map(Destination::Before)
    }

    /// Where the record begins that holds the byte at `at` of message `i`, where a record is more than the message: a line,
    /// or an entry around it.
    pub(super) fn record_around(&mut self, i: usize, at: usize) -> Option<usize> {
        if let Some((_, record)) = self.around.as_ref().filter(|(message, record)| *message == i && record.contains(&at)) {
            return Some(record.start);
        }
        match self.seat(i) {
            Seat::Line(_) => {
                let found = record(self.bytes, at)?;
                self.around = Some((i, found.clone()));
                Some(found.start)
            }
            Seat::Element(place) => Some(place).filter(|place| *place != self.whole(i)).map(|place| place.start),
            Seat::Fixed => None,
        }
    }

    /// Turns what was gathered into changes.
    pub(super) fn settle(&mut self) {
        let mut into: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
        let news = std::mem::take(&mut self.news);
        self.gone.extend(news.values().flatten().filter_map(|coming| coming.from));
        let moved: BTreeSet<usize> = news.values().flatten().filter_map(|coming| coming.from).map(|b| self.message_of(b)).collect();
        for (place, results) in news {
            match place {
                Destination::Before(i) => self.lines_before(i, results),
                Destination::Into(i) => drop(into.insert(i, joined(&results))),
                Destination::After(i) => {
                    let role: &[u8] = if self.is_first_cohere() { b"TOOL" } else { b"user" };
                    let open = [b"{\"role\":\"", role, b"\",\"", self.content_name().as_bytes(), b"\":["].concat();
                    self.put_after_message(i, &[[&open[..], &joined(&results), b"]}"].concat()]);
                }
                Destination::Among(i, last) => {
                    // One that is moved away itself is no place to stand behind.
                    let last = (i..=last).rev().find(|j| !moved.contains(j)).unwrap_or(i);
                    let results: Vec<Vec<u8>> = results.into_iter().map(|coming| coming.answer.into_bytes()).collect();
                    self.put_after_message(last, &results);
                }
            }
        }
        for (i, runs) in std::mem::take(&mut self.runs) {
            self.add_runs(i, &runs);
        }
        let mut by_message: BTreeMap<usize, Vec<u32>> = into.keys().map(|&i| (i, Vec::new())).collect();
        for block in std::mem::take(&mut self.gone) {
            by_message.entry(self.message_of(block)).or_default().push(block);
        }
        for (i, blocks) in by_message {
            self.change_content(i, &blocks, into.get(&i).map_or(&[], Vec::as_slice));
        }
        self.gone_lines.sort_by_key(|record| record.start);
        let (gone, come) = (std::mem::take(&mut self.gone_lines), std::mem::take(&mut self.come_lines));
        self.changes.extend(relink::relink(self.bytes, &gone));
        self.changes.extend(relink::renumber(self.bytes, &gone, &come));
    }

    /// Messages come after message `i`.
    fn put_after_message(&mut self, i: usize, messages: &[Vec<u8>]) {
        match self.seat(i) {
            Seat::Element(place) => self.put(place.end..place.end, [b",", &messages.join(&b","[..])[..]].concat()),
            Seat::Line(record) => {
                let end = line_end(self.bytes, record.end);
                let text = messages.iter().flat_map(|m| [end, m]).collect::<Vec<_>>().concat();
                let alone = self.bytes[record.end..].iter().find(|b| !matches!(b, b' ' | b'\t' | b'\r')).is_none_or(|b| *b == b'\n');
                self.put(record.end..record.end, if alone { text } else { [&text, end].concat() });
            }
            Seat::Fixed => {}
        }
    }

    /// A message comes before message `i`.
    pub(super) fn put_before_message(&mut self, i: usize, message: &[u8]) {
        match self.seat(i) {
            Seat::Element(place) => self.put(place.start..place.start, [message, b","].concat()),
            Seat::Line(record) => {
                let end = line_end(self.bytes, record.end);
                self.put(record.start..record.start, [message, end].concat());
            }
            Seat::Fixed => {}
        }
    }

    /// Answers come before message `i` of a history, as lines of their own, and into its tree.
    fn lines_before(&mut self, i: usize, results: Vec<Coming>) {
        let (start, element) = match self.seat(i) {
            Seat::Line(record) => (record.start, false),
            Seat::Element(place) => (place.start, true),
            Seat::Fixed => return,
        };
        let parent = PARENTS.iter().find_map(|name| member(self.bytes, start, std::str::from_utf8(name).unwrap_or_default()));
        let parent = parent.map(|m| m.value).filter(|v| self.bytes[v.start] == b'"');
        let mut above: Option<Vec<u8>> = parent.clone().map(|v| self.bytes[v].to_vec());
        let mut text = Vec::new();
        let mut ids = self.ids.take().unwrap_or_else(|| relink::ids(self.bytes));
        let Some(next) = members(self.bytes, start) else { return };
        if !element {
            *self.come_lines.entry(start).or_default() += results.len();
        }
        let mut call = (usize::MAX, Vec::new());
        for coming in results {
            if call.0 != coming.call {
                call = (coming.call, members(self.bytes, coming.call).unwrap_or_default());
            }
            let line = line(self.bytes, &call.1, &next, above.as_deref(), &coming, &mut ids);
            text.extend_from_slice(&line.bytes);
            text.extend_from_slice(if element { b"," } else { line_end(self.bytes, start) });
            above = line.id.filter(|_| above.is_some()).or(above);
        }
        self.ids = Some(ids);
        self.put(start..start, text);
        if let Some((parent, above)) = parent.zip(above) {
            self.put(parent, above);
        }
    }

    /// Messages of these defects join the one before them that has their role.
    pub(super) fn merge(&mut self, defects: &[&Defect]) {
        let roles = |i: usize| self.transcript.messages[i].role;
        let later: BTreeSet<usize> = defects.iter().map(|d| d.message).collect();
        let mut joined: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut base = 0;
        for i in (0..self.transcript.messages.len()).filter(|&i| roles(i) != Role::System) {
            if later.contains(&i) { joined.entry(base).or_default().push(i) } else { base = i }
        }
        for (base, more) in joined {
            let Some(content) = self.content(base) else { continue };
            let (value, own) = (content.value.clone(), &content.elements);
            let mut parts: Vec<Vec<u8>> = Vec::new();
            for i in more {
                if let Some(content) = self.content(i) {
                    match &content.elements {
                        Some(elements) => parts.extend(elements.iter().map(|e| self.bytes[e.clone()].to_vec())),
                        None => parts.extend(self.as_part(&self.bytes[content.value.clone()])),
                    }
                }
                self.drop_message(i);
            }
            let parts = parts.join(&b","[..]);
            match own {
                Some(own) => {
                    let end = own.last().map_or(value.start + 1, |last| last.end);
                    let comma: &[u8] = if own.is_empty() || parts.is_empty() { b"" } else { b"," };
                    self.put(end..end, [comma, &parts].concat());
                }
                None => {
                    let own = self.as_part(&self.bytes[value.clone()]).unwrap_or_default();
                    let comma: &[u8] = if own.is_empty() || parts.is_empty() { b"" } else { b"," };
                    self.put(value, [b"[", &own[..], comma, &parts, b"]"].concat());
                }
            }
        }
    }

    /// A content that is no array as the one part that it says.
    fn as_part(&self, content: &[u8]) -> Option<Vec<u8>> {
        let (open, close) = self.text_around();
        (content.first() == Some(&b'"')).then(|| [open, content, close].concat())
    }
}

fn joined(results: &[Coming]) -> Vec<u8> {
    results.iter().map(|coming| coming.answer.bytes()).collect::<Vec<_>>().join(&b","[..])
}
