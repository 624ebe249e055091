//! The records of an input outside the context of its transcript, where the other half of a pair
//! may be.

use super::{rounds::repeats_member, *};
use crate::{check::table, json::Cursor};

/// The records of an input outside the context of its transcript.
#[derive(Default)]
pub struct OffContext {
    /// Ids of calls, whose results are not removed.
    calls: IdSet,
    /// Ids of results, whose calls are not answered again.
    pub results: IdSet,
    /// Digests of the texts of these results.
    pub said: IdSet,
    /// Whether a result has no id.
    nameless: bool,
    /// Digests of the strings on lines that are not JSON, were not understood or say something
    /// twice: each may be the id of a call or a result.
    unread: IdSet,
}

impl RepairContext<'_> {
    /// Returns whether a call has a result outside the context.
    pub fn is_answered_elsewhere(&self, call: u32) -> bool {
        self.off_context
            .answers_call(self.transcript.link_at(call).call, self.raw_id(call))
    }
}

impl OffContext {
    /// Collects the records of `bytes` that are outside `context`; `all` is `bytes` read with every
    /// record in it.
    pub fn of(all: &Transcript, context: &Transcript, bytes: &[u8]) -> OffContext {
        let mut found = OffContext::default();
        let none = OffContext::default();
        let [inside, outside] = [context, all].map(|read| RepairContext::new(read, bytes, &none));
        let places: HashSet<Range<usize>> = inside
            .linked()
            .map(|(_, at, _)| inside.place_of(at))
            .collect();
        for (_, at, block) in outside.linked() {
            let id = all.link(block).call;
            if places.contains(&outside.place_of(at)) {
                continue;
            }
            found.nameless |= id.is_none() || id == Id::of(b"");
            if block.kind == BlockKind::Call {
                found.calls.insert(id);
            } else if !outside.is_neutral(at) {
                found.results.insert(id);
                found.said.extend(outside.texts_of(at));
            }
        }
        let lines = (1u64..)
            .zip(bytes.split(|&byte| byte == b'\n'))
            .filter(|_| !all.multiline_records);
        for (number, line) in lines {
            if all.unread.lines.binary_search(&number).is_ok()
                || !is_json(line)
                || repeats_member(line, 0)
            {
                found
                    .unread
                    .extend(line.split(|&byte| byte == b'"').map(Id::of));
            }
        }
        found
    }

    /// Returns for each of `defects` the advice to the user; `None` unless a repair of `bytes`,
    /// which were read as `read`, leaves the defect because its other half may be elsewhere.
    pub fn advice(
        &self,
        read: &Transcript,
        bytes: &[u8],
        defects: &[Defect],
    ) -> Vec<Option<&'static str>> {
        if !defects
            .iter()
            .any(|defect| matches!(defect.row.code, "E01" | "E02" | "E05"))
        {
            return vec![None; defects.len()];
        }
        let context = RepairContext::new(read, bytes, self);
        let found = context.matching();
        let mut answered = HashSet::new();
        let mut placed = HashSet::new();
        for call in &found.calls {
            answered.extend(call.result.map(|_| call.block));
            placed.extend(call.result);
        }
        placed.extend(found.surplus);
        let advice = |defect: &Defect| {
            let is_repaired = defect.row.repair.ends_with(table::REPAIRED);
            let block = defect.block.filter(|_| is_repaired)?;
            let id = read
                .link(read.blocks.get(block as usize).filter(|b| b.is_linked())?)
                .call;
            let raw = context.raw_id(block);
            match defect.row.code {
                "E01" if answered.contains(&block) => None,
                "E01" if self.answers_call(id, raw) => Some(table::row("E01 elsewhere").1),
                "E01" if found.nameless || id == Id::of(b"") => {
                    Some(table::row("E01 without id").1)
                }
                "E02" | "E05" if placed.contains(&block) => None,
                "E02" if self.calls(id, raw) => Some(table::row("E02 elsewhere").1),
                "E02" | "E05" => Some(table::row("E01 without id").1),
                _ => None,
            }
        };
        defects.iter().map(advice).collect()
    }

    /// Returns whether all results outside the context that answer calls are still in `after`,
    /// which was read as `read_after`.
    pub fn keeps_results(
        &self,
        read: &Transcript,
        after: &OffContext,
        read_after: &Transcript,
    ) -> bool {
        if self.results.is_empty() {
            return true;
        }
        let calls = read.ids(BlockKind::Call);
        let results = read_after.ids(BlockKind::Result);
        self.results
            .iter()
            .filter(|id| calls.contains(id) || self.calls.contains(id))
            .all(|id| after.results.contains(id) || results.contains(id))
    }

    /// Returns whether the call with an id, spelled `raw`, has a result outside the context.
    pub fn answers_call(&self, id: Id, raw: &[u8]) -> bool {
        self.nameless || self.results.contains(&id) || self.is_unread(raw)
    }

    /// Returns whether the result with an id, spelled `raw`, has a call outside the context.
    pub fn calls(&self, id: Id, raw: &[u8]) -> bool {
        self.nameless || self.calls.contains(&id) || self.is_unread(raw)
    }

    fn is_unread(&self, raw: &[u8]) -> bool {
        !raw.is_empty() && self.unread.contains(&Id::of(raw))
    }
}

/// Returns whether a line is JSON or empty.
fn is_json(line: &[u8]) -> bool {
    let mut cursor = Cursor::new(line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line));
    while !cursor.at_end() {
        if cursor.skip().is_err() {
            return false;
        }
    }
    true
}
