//! How results are inserted: as parts, as messages, as lines.

use super::Bench;
use super::answer::Answer;
use super::lines::line;
use super::place::{Seat, line_end, member, members, record};
use crate::Error;
use crate::edit::{Change, relink};
use crate::transcript::Role;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// Where results are inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Spot {
    /// Before the part that this block is.
    Before(u32),
    /// Behind the part that this block is.
    Behind(u32),
    /// First in the message of this index.
    First(usize),
    /// In a new message of the user's behind the message of this index.
    NewUser(usize),
    /// As messages of their own behind the message of this index.
    After(usize),
    /// As lines of their own before the message of this index.
    Line(usize),
    /// As lines of their own behind the last message.
    End,
}

/// A result that is inserted.
#[derive(Clone, Debug)]
pub(super) struct Coming {
    pub(super) answer: Answer,
    /// The index of the block that it was before, if it was one.
    pub(super) from: Option<u32>,
    /// The line that it was, where it is moved as a whole.
    pub(super) line: Option<Range<usize>>,
    /// Where the record of its call begins.
    pub(super) call: usize,
    /// What an id of its own is made of.
    pub(super) seed: Vec<u8>,
}

/// What records come to name instead, by where they name it: up to which byte, and what.
type Links = HashMap<u64, (u64, Vec<u8>)>;

/// What is inserted into the content of a message, by where.
pub(super) type Inserts = Vec<(Spot, Vec<u8>)>;

impl Bench<'_> {
    /// Turns what was gathered into changes.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        let mut into: BTreeMap<usize, Inserts> = BTreeMap::new();
        let mut lines = Vec::new();
        self.move_marks();
        self.gone.append(&mut self.moved);
        for (spot, results) in std::mem::take(&mut self.news) {
            for coming in &results {
                match (&coming.line, coming.from) {
                    (Some(_), Some(block)) => self.take_line(self.message_of(block)),
                    (_, from) => self.gone.extend(from),
                }
            }
            match spot {
                Spot::Before(block) | Spot::Behind(block) => into.entry(self.message_of(block)).or_default().push((spot, joined(&results))),
                Spot::First(i) => into.entry(i).or_default().push((spot, joined(&results))),
                Spot::NewUser(i) => {
                    let role: &[u8] = if self.repeats_calls() { b"TOOL" } else { b"user" };
                    let open = [b"{\"role\":\"", role, b"\",\"", self.content_name().as_bytes(), b"\":["].concat();
                    self.put_after_message(i, &[[&open[..], &joined(&results), b"]}"].concat()]);
                }
                Spot::After(i) => {
                    let results: Vec<Vec<u8>> = results.into_iter().map(|coming| coming.answer.into_bytes()).collect();
                    self.put_after_message(i, &results);
                }
                Spot::Line(_) | Spot::End => lines.push((spot, results)),
            }
        }
        for (i, runs) in std::mem::take(&mut self.runs) {
            self.add_runs(i, &runs);
        }
        let mut gone: BTreeMap<usize, Vec<u32>> = into.keys().map(|&i| (i, Vec::new())).collect();
        for block in std::mem::take(&mut self.gone) {
            gone.entry(self.message_of(block)).or_default().push(block);
        }
        for (i, blocks) in gone {
            let inserts = into.remove(&i).unwrap_or_default();
            self.change_content(i, &blocks, inserts);
        }
        self.finish_lines(lines)
    }

    /// Removes and inserts lines, and links those around them.
    fn finish_lines(&mut self, lines: Vec<(Spot, Vec<Coming>)>) -> Result<(), Error> {
        self.moves.gone.sort_by_key(|record| record.start);
        self.moves.moved.sort_by_key(|record| record.start);
        let (before, behind): (Vec<_>, Vec<_>) = lines.into_iter().partition(|(spot, _)| *spot != Spot::End);
        for (_, results) in behind {
            self.lines_behind(results)?;
        }
        for (spot, results) in &before {
            if let Spot::Line(i) = spot
                && let Seat::Line(record) = self.seat(*i)
            {
                *self.moves.come.entry(record.start as u64).or_default() += results.len();
            }
        }
        let mut links = HashMap::new();
        if let Some(lineage) = self.lineage {
            for change in relink(&self.bytes, self.transcript, lineage, &self.moves)? {
                match change {
                    Change::Put { start, end, text } => drop(links.insert(start, (end, text))),
                    other => self.changes.push(other),
                }
            }
        }
        for (spot, results) in before {
            if let Spot::Line(i) = spot {
                self.lines_before(i, results, &mut links)?;
            }
        }
        self.changes.extend(links.into_iter().map(|(start, (end, text))| Change::Put { start, end, text }));
        Ok(())
    }

    /// Takes the record of message `i` away, as it is inserted elsewhere.
    fn take_line(&mut self, i: usize) {
        match self.seat(i) {
            Seat::Line(record) => {
                self.put(super::place::line(self.bytes, &record), Vec::new());
                self.moves.moved.push(record.start as u64..record.end as u64);
            }
            Seat::Element(place) => self.cut(place),
            Seat::Fixed => {}
        }
    }

    /// The record of message `i`.
    pub(super) fn line_of(&mut self, i: usize) -> Option<Range<usize>> {
        match self.seat(i) {
            Seat::Line(record) | Seat::Element(record) => Some(record),
            Seat::Fixed => None,
        }
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

    /// Results come before message `i` of a history, as lines of their own, and into its tree: the first is the child of
    /// that message's parent, and the message comes to be the child of the last.
    fn lines_before(&mut self, i: usize, results: Vec<Coming>, links: &mut Links) -> Result<(), Error> {
        let (start, element) = match self.seat(i) {
            Seat::Line(record) => (record.start, false),
            Seat::Element(place) => (place.start, true),
            Seat::Fixed => return Ok(()),
        };
        let Some(next) = members(self.bytes, start) else { return Ok(()) };
        let end: &[u8] = if element { b"," } else { line_end(self.bytes, start) };
        let parent = self.parent(start);
        // It may hang on a line that does not stay.
        let link = parent.as_ref().map(|place| place.start as u64);
        let above = match (link.and_then(|link| links.get(&link)), &parent) {
            (Some((_, text)), _) => Some(text.clone()),
            (_, place) => place.clone().map(|place| self.bytes[place].to_vec()),
        };
        let above = above.filter(|above| above.first() == Some(&b'"'));
        let (text, last) = self.lines(results, &next, above, end)?;
        self.put(start..start, text);
        if let Some((parent, last)) = parent.zip(last) {
            link.map(|link| links.remove(&link));
            self.put(parent, last);
        }
        Ok(())
    }

    /// Results come behind the last line of a history that stays, and its children become those of the last of them.
    fn lines_behind(&mut self, results: Vec<Coming>) -> Result<(), Error> {
        let messages = &self.transcript.messages;
        let in_call = |i: usize| self.is_held() && messages[i].role == Role::Tool;
        let stays = |i: &usize| !in_call(*i) && !self.moves.takes(messages[*i].record);
        // The last line of the file: others that are sent last may hang beside the way to the leaf.
        let Some(i) = (0..messages.len()).filter(stays).max_by_key(|&i| messages[i].record) else { return Ok(()) };
        let (record, element) = match self.seat(i) {
            Seat::Line(record) => (record, false),
            Seat::Element(place) => (place, true),
            Seat::Fixed => return Ok(()),
        };
        let Some(last) = members(self.bytes, record.start) else { return Ok(()) };
        let own = self.lineage.and_then(|lineage| last.iter().rfind(|m| *m.name == *lineage.id.as_bytes()));
        let own = own.map(|m| self.bytes[m.value.clone()].to_vec());
        let end: &[u8] = if element { b"," } else { line_end(self.bytes, record.end) };
        let (text, id) = self.lines(results, &last, own.clone(), end)?;
        // Behind a record, what separates two comes first.
        let text = [end, text.strip_suffix(end).unwrap_or(&text)].concat();
        self.put(record.end..record.end, text);
        self.moves.adopted.extend(own.zip(id));
        Ok(())
    }

    /// Lines of results, each with `end` behind it, the first the child of `above`; and the id of the last of them.
    fn lines(
        &mut self,
        results: Vec<Coming>,
        next: &[super::place::Member<'_>],
        mut above: Option<Vec<u8>>,
        end: &[u8],
    ) -> Result<(Vec<u8>, Option<Vec<u8>>), Error> {
        let (mut text, mut last) = (Vec::new(), None);
        let mut call = (usize::MAX, Vec::new());
        for coming in results {
            let id = match &coming.line {
                Some(record) => {
                    let bytes = &self.bytes[record.clone()];
                    let parent = self.parent(record.start);
                    match parent.zip(above.as_ref()) {
                        Some((place, above)) => {
                            text.extend_from_slice(&self.bytes[record.start..place.start]);
                            text.extend_from_slice(above);
                            text.extend_from_slice(&self.bytes[place.end..record.end]);
                        }
                        None => text.extend_from_slice(bytes),
                    }
                    let id = self.lineage.and_then(|lineage| member(self.bytes, record.start, lineage.id));
                    id.map(|m| self.bytes[m.value].to_vec())
                }
                None => {
                    if call.0 != coming.call {
                        call = (coming.call, members(self.bytes, coming.call).unwrap_or_default());
                    }
                    let bytes = self.bytes;
                    let line = line(bytes, &call.1, next, above.as_deref(), &coming, self.ids()?);
                    text.extend_from_slice(&line.bytes);
                    line.id
                }
            };
            text.extend_from_slice(end);
            if above.is_some() && id.is_some() {
                (above, last) = (id.clone(), id);
            }
        }
        Ok((text, last))
    }

    /// Where the record that begins at `start` names its parent.
    fn parent(&self, start: usize) -> Option<Range<usize>> {
        let name = self.lineage.map(|lineage| lineage.parent).filter(|name| !name.is_empty())?;
        member(self.bytes, start, name).map(|m| m.value)
    }
}

fn joined(results: &[Coming]) -> Vec<u8> {
    results.iter().map(|coming| coming.answer.bytes()).collect::<Vec<_>>().join(&b","[..])
}
