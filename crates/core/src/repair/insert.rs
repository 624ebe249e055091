//! Inserts results: as parts, as messages, or as lines.

use super::{places::Container, *};
use crate::{
    dialect::shared::{
        envelope::{AdjacentLines, message},
        reply::{Reply, Set},
    },
    edit::relink,
};

/// The position of an inserted result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum InsertionPoint {
    /// Before the part at this block index.
    Before(u32),
    /// After the part at this block index.
    Behind(u32),
    /// First in the message of this index.
    First(usize),
    /// In a new user message after the message of this index.
    NewUser(usize),
    /// As separate messages after the message of this index.
    After(usize),
    /// As lines before the message of this index.
    Line(usize),
    /// As lines after the last message.
    End,
}

/// A result to insert.
pub struct Insertion {
    pub reply: Reply,
    /// The index of its block, if it is moved.
    pub from: Option<u32>,
    /// Its line, if that is moved as a whole.
    pub line: Option<Range<usize>>,
    /// The byte offset of the record of its call.
    pub call: usize,
    /// The bytes from which its id is made.
    pub seed: Vec<u8>,
}

/// New targets of links between records: by the first byte of the old value, its end and the new
/// value.
type Links = HashMap<u64, (u64, Vec<u8>)>;

/// The parts to insert into contents, by position.
pub type Inserts = Vec<(InsertionPoint, Vec<u8>)>;

impl RepairContext<'_> {
    /// Turns the collected insertions and removals into changes.
    pub fn finish(&mut self) -> Result<()> {
        // By message, the blocks that are removed from it and the parts that are inserted into it.
        let mut contents: BTreeMap<usize, (Vec<u32>, Inserts)> = BTreeMap::new();
        let (mut lines, mut end) = (Vec::new(), Vec::new());
        self.move_marks();
        self.removed.append(&mut self.moved);
        for (spot, results) in std::mem::take(&mut self.insertions) {
            for insertion in &results {
                match (&insertion.line, insertion.from) {
                    (Some(_), Some(block)) => {
                        let record = self.remove_whole(self.message_of(block));
                        self.moves.moved.extend(record);
                    }
                    (_, from) => self.removed.extend(from),
                }
            }
            match (self.touches(spot), spot) {
                (Some(i), _) => {
                    let inserts = &mut contents.entry(i).or_default().1;
                    inserts.push((spot, joined(&results)));
                }
                (_, InsertionPoint::NewUser(i)) => {
                    let role = if self.repeats_calls() { "TOOL" } else { "user" };
                    self.insert_message(i, true, self.message(role, &joined(&results)));
                }
                (_, InsertionPoint::After(i)) => results.iter().for_each(|insertion| {
                    self.insert_message(i, true, insertion.reply.bytes().to_vec())
                }),
                (_, InsertionPoint::Line(i)) => lines.push((i, results)),
                _ => end = results,
            }
        }
        for block in std::mem::take(&mut self.removed) {
            contents
                .entry(self.message_of(block))
                .or_default()
                .0
                .push(block);
        }
        for (i, (removed, inserts)) in contents {
            self.change_content(i, &removed, inserts);
        }
        self.finish_lines(lines, end)
    }

    /// Returns the message whose content an insertion changes.
    pub fn touches(&self, spot: InsertionPoint) -> Option<usize> {
        match spot {
            InsertionPoint::Before(block) | InsertionPoint::Behind(block) => {
                Some(self.message_of(block))
            }
            InsertionPoint::First(i) => Some(i),
            _ => None,
        }
    }

    /// Inserts a message before or after message `i`.
    pub fn insert_message(&mut self, i: usize, behind: bool, message: Vec<u8>) {
        if let Some(container) = self.container(i) {
            self.insert(container.gap(behind), message);
        }
    }

    /// Adds the change of a value.
    pub fn set(&mut self, set: Set) {
        match set {
            Set::Before(at, text) => self.insert(Gap::Before(at as u64), text),
            Set::Behind(at, text) => self.insert(Gap::Behind(at as u64), text),
            Set::Value(place, text) => self.put(place, text),
            Set::Member(object, name, value) => {
                let Some(members) = members(self.bytes, object) else {
                    return;
                };
                if let Some(old) = members.iter().rfind(|m| *m.name == *name.as_bytes()) {
                    if self.bytes[old.value.clone()] != value {
                        self.put(old.value.clone(), value);
                    }
                } else {
                    let end = members.last().map_or(object + 1, |last| last.whole.end);
                    let member = [format!("\"{name}\":").as_bytes(), &value].concat();
                    self.insert(Gap::Behind(end as u64), member);
                }
            }
        }
    }

    /// Removes lines, inserts those before messages and at the end, and changes the links of those
    /// around them.
    fn finish_lines(
        &mut self,
        before: Vec<(usize, Vec<Insertion>)>,
        end: Vec<Insertion>,
    ) -> Result<()> {
        self.moves.gone.sort_by_key(|record| record.start);
        self.moves.moved.sort_by_key(|record| record.start);
        if !end.is_empty() {
            self.lines_behind(end)?;
        }
        for (i, results) in &before {
            if let Some(record) = self.container(*i).filter(|record| record.is_line) {
                *self
                    .moves
                    .come
                    .entry(record.place.start as u64)
                    .or_default() += results.len();
            }
        }
        let mut links = HashMap::new();
        if let Some(references) = self.dialect.references {
            for change in relink(&self.bytes, self.transcript, references, &self.moves)? {
                match change {
                    Change::Put { start, end, text } => drop(links.insert(start, (end, text))),
                    other => self.changes.push(other),
                }
            }
        }
        for (i, results) in before {
            self.lines_before(i, results, &mut links)?;
        }
        self.changes
            .extend(
                links
                    .into_iter()
                    .map(|(start, (end, text))| Change::Put { start, end, text }),
            );
        Ok(())
    }

    /// Inserts results as lines before message `i` of a history. In its tree, the first becomes a
    /// child of that message's parent, and the message becomes a child of the last.
    fn lines_before(&mut self, i: usize, results: Vec<Insertion>, links: &mut Links) -> Result<()> {
        let Some(container) = self.container(i) else {
            return Ok(());
        };
        let parent = self.parent(container.place.start);
        // Its parent may be a line that is removed.
        let above = parent.as_ref().map(|place| {
            links
                .get(&(place.start as u64))
                .map_or_else(|| self.bytes[place.clone()].to_vec(), |(_, id)| id.clone())
        });
        let above = above.filter(|above| above.first() == Some(&b'"'));
        let last = self.insert_lines(results, &container, false, above)?;
        if let Some((parent, last)) = parent.zip(last) {
            links.remove(&(parent.start as u64));
            self.put(parent, last);
        }
        Ok(())
    }

    /// Inserts results after the last line of a history that stays. The children of that line
    /// become those of the last result.
    fn lines_behind(&mut self, results: Vec<Insertion>) -> Result<()> {
        let messages = &self.transcript.messages;
        let in_call = |i: usize| self.inline().is_some() && messages[i].role == Role::Tool;
        let stays = |i: &usize| !in_call(*i) && !self.moves.takes(messages[*i].record);
        // The last line of the file: messages that are sent later may be on side branches.
        let last = (0..messages.len())
            .filter(stays)
            .max_by_key(|&i| messages[i].record);
        let Some(container) = last.and_then(|i| self.last_container(i)) else {
            return Ok(());
        };
        let own = self.id_at(container.place.start);
        let id = self.insert_lines(results, &container, true, own.clone())?;
        self.moves.adopted.extend(own.zip(id));
        Ok(())
    }

    /// Inserts lines of results before or behind a record, the first as a child of `above`; returns
    /// the id of the last one.
    fn insert_lines(
        &mut self,
        results: Vec<Insertion>,
        container: &Container,
        behind: bool,
        mut above: Option<Vec<u8>>,
    ) -> Result<Option<Vec<u8>>> {
        let Some(next) = members(self.bytes, container.place.start) else {
            return Ok(None);
        };
        let bytes = self.bytes;
        let mut last = None;
        let mut call = (usize::MAX, Vec::new());
        for insertion in results {
            let (line, id) = if let Some(record) = &insertion.line {
                let line = match self.parent(record.start).zip(above.as_ref()) {
                    Some((place, above)) => [
                        &bytes[record.start..place.start],
                        above,
                        &bytes[place.end..record.end],
                    ]
                    .concat(),
                    None => bytes[record.clone()].to_vec(),
                };
                (line, self.id_at(record.start))
            } else if let Some(envelope) = self.dialect.replies.line {
                if call.0 != insertion.call {
                    call = (
                        insertion.call,
                        members(bytes, insertion.call).unwrap_or_default(),
                    );
                }
                let around = AdjacentLines {
                    bytes,
                    call: &call.1,
                    next: &next,
                };
                let reply = &insertion.reply;
                let seed = &insertion.seed;
                let line = envelope.line(&around, above.as_deref(), reply, seed, self.ids()?);
                (line.bytes, line.id)
            } else {
                (message(&insertion.reply), None)
            };
            self.insert(container.gap(behind), line);
            if above.is_some() && id.is_some() {
                above = id.clone();
                last = id;
            }
        }
        Ok(last)
    }

    /// Returns the id of the record at `start`.
    fn id_at(&self, start: usize) -> Option<Vec<u8>> {
        let id = self.value_of(start, self.dialect.references?.id)?;
        Some(self.bytes[id].to_vec())
    }

    /// Returns the byte range of the value that names the parent of the record at `start`.
    fn parent(&self, start: usize) -> Option<Range<usize>> {
        let name = self.dialect.references?.parent;
        self.value_of(start, name).filter(|_| !name.is_empty())
    }
}

fn joined(results: &[Insertion]) -> Vec<u8> {
    results
        .iter()
        .map(|insertion| insertion.reply.bytes())
        .collect::<Vec<_>>()
        .join(&b","[..])
}
