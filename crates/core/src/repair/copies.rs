//! Results that say again what another one says.

use super::RepairContext;
use crate::json::{Id, IdSet};
use crate::transcript::BlockKind;
use std::collections::{BTreeSet, HashMap};

impl RepairContext<'_> {
    /// Returns results that repeat an earlier one of their id or, if nothing has an id, of their tool: as many as there are more results
    /// than calls.
    pub(super) fn copies(&self) -> BTreeSet<u32> {
        let named = self.transcript.links.iter().any(|link| !link.id.is_empty());
        let mut all: HashMap<(Id, u32), PairedByOrder> = HashMap::new();
        // A zone consists of the calls of a step and the results after them.
        let (mut zone, mut answered) = (0, false);
        for (message, block, linked) in self.linked() {
            let link = self.transcript.link(&linked);
            let neutral =
                linked.kind == BlockKind::Result && self.is_neutral(message, block, link.children);
            // A call without an id may have been paired with a result that has one.
            let guessed = named && linked.kind == BlockKind::Call && link.id.is_empty();
            if link.call.is_none()
                || neutral
                || guessed
                || !named && self.transcript.calls_elsewhere
            {
                continue;
            }
            let alike = all
                .entry(if named {
                    (link.call, 0)
                } else {
                    (Id::NONE, link.tool)
                })
                .or_default();
            if linked.kind == BlockKind::Call {
                zone += usize::from(std::mem::take(&mut answered));
                alike.calls += 1;
                *alike.spare.entry(zone).or_default() -= 1;
                continue;
            }
            answered = true;
            alike.results += 1;
            *alike.spare.entry(zone).or_default() += 1;
            if !alike.said.insert(self.content_of(block)) {
                alike.again.push((zone, block));
            }
        }
        let mut copies = BTreeSet::new();
        for mut alike in all
            .into_values()
            .filter(|alike| alike.results > alike.calls)
        {
            // Results in zones with too many come first.
            alike
                .again
                .sort_by_key(|(zone, block)| (alike.spare[zone] <= 0, std::cmp::Reverse(*block)));
            copies.extend(
                alike
                    .again
                    .iter()
                    .take(alike.results - alike.calls)
                    .map(|(_, block)| *block),
            );
        }
        copies
    }
}

/// Calls and results that only their order pairs.
#[derive(Default)]
struct PairedByOrder {
    calls: usize,
    results: usize,
    /// For each zone, the number of results minus that of calls.
    spare: HashMap<usize, i64>,
    said: IdSet,
    /// Results that repeat another, with their zones.
    again: Vec<(usize, u32)>,
}
