//! Results that repeat another one.

use super::*;
use std::cmp::Reverse;

impl RepairContext<'_> {
    /// Returns results that repeat an earlier one of their id or, if nothing has an id, of their
    /// tool: as many as there are more results than calls.
    pub fn copies(&self) -> BTreeSet<u32> {
        let named = self.transcript.links.iter().any(|link| !link.id.is_empty());
        if !named && self.transcript.calls_elsewhere {
            return BTreeSet::new();
        }
        let mut all: HashMap<(Id, u32), PairedByOrder> = HashMap::new();
        // A zone consists of the calls of a step and the results after them.
        let mut zone = 0;
        let mut answered = false;
        for (_, block, linked) in self.linked() {
            let link = self.transcript.link(linked);
            let call = linked.kind == BlockKind::Call;
            // A call without an id may have been paired with a result that has one.
            let guessed = named && call && link.id.is_empty();
            if link.call.is_none() || guessed || !call && self.is_neutral(block) {
                continue;
            }
            let key = if named {
                (link.call, 0)
            } else {
                (Id::NONE, link.tool)
            };
            let alike = all.entry(key).or_default();
            if call {
                zone += usize::from(std::mem::take(&mut answered));
                alike.calls += 1;
                *alike.spare.entry(zone).or_default() -= 1;
                continue;
            }
            answered = true;
            alike.results += 1;
            *alike.spare.entry(zone).or_default() += 1;
            if !alike.said.insert(Id::of_value(self.content_at(block))) {
                alike.again.push((zone, block));
            }
        }
        let surplus = |alike: PairedByOrder| {
            let PairedByOrder {
                spare, mut again, ..
            } = alike;
            // Results in zones with too many come first.
            again.sort_by_key(|(zone, block)| (spare[zone] <= 0, Reverse(*block)));
            let count = alike.results.saturating_sub(alike.calls);
            again.into_iter().take(count).map(|(_, block)| block)
        };
        all.into_values().flat_map(surplus).collect()
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
