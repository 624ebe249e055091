//! E24, E27 and E28: the characters of call ids and tool names, and tool names that are declared twice.

use super::{Finder, Place, table};
use crate::json::{Id, IdSet};
use crate::transcript::{BlockKind, Fault, Syntax};
use std::collections::HashSet;

/// Reports E24, E27 and E28.
pub(super) fn check(finder: &mut Finder<'_>) {
    ids(finder);
    names(finder);
    let (transcript, differ) = (finder.transcript, finder.rules.tools_differ);
    let mut known = HashSet::new();
    let declared = transcript.request.declared.iter();
    for name in declared.filter(|name| differ && !known.insert(*name)) {
        let detail = format!("two tools have the name {name:?}");
        finder
            .report("E28", Place::Request, detail)
            .about(Id::of(name.as_bytes()));
    }
}

/// E24: each id of a call once, at its first call. A result without a call is reported as E02.
fn ids(finder: &mut Finder<'_>) {
    let (transcript, rules) = (finder.transcript, finder.rules);
    for block in finder.of_fault(Fault::ServerId).filter(|_| rules.fields) {
        let detail =
            "the id of a server's call does not begin with srvtoolu_, or has other letters";
        finder.report("E24 server", block, detail);
    }
    let mut known = IdSet::default();
    for (i, index, block) in transcript.all_blocks() {
        if block.kind != BlockKind::Call || rules.call_id == Syntax::FREE {
            continue;
        }
        let link = transcript.link(block);
        // Without an id, pairs are made by position.
        if link.call.is_some()
            && link.id.end > 0
            && let Ok(raw) = transcript.messages[i].bytes(finder.texts, link.id)
            && let Some(fault) = rules.call_id.fault_of_raw(&raw)
            && known.insert(link.call)
        {
            finder
                .report("E24", index, format!("the id of a call {fault}"))
                .about(link.call);
        }
    }
}

/// E27: each name once, in its first call or else in its declaration.
fn names(finder: &mut Finder<'_>) {
    let (transcript, rules) = (finder.transcript, finder.rules);
    let mut known = HashSet::new();
    let calls = transcript.all_blocks().filter_map(|(_, index, block)| {
        let new = block.kind == BlockKind::Call && known.insert(transcript.link(block).tool);
        new.then(|| (Place::Block(index), transcript.tool_of(block)))
    });
    let mut called = HashSet::new();
    for (place, name) in calls {
        if name_fault(finder, place, name, "E27", &rules.call_name) {
            called.insert(name);
        }
    }
    for name in &transcript.request.declared {
        if !called.contains(name.as_str()) {
            name_fault(
                finder,
                Place::Request,
                name,
                "E27 declared",
                &rules.tool_name,
            );
        }
    }
}

/// Reports a name of a tool that `syntax` does not accept; returns whether there is one.
fn name_fault(
    finder: &mut Finder<'_>,
    place: Place,
    name: &str,
    key: &'static str,
    syntax: &Syntax,
) -> bool {
    let Some(fault) = syntax.fault(name.as_bytes()) else {
        return false;
    };
    let by_hand = name.is_empty() && matches!(place, Place::Block(_));
    let detail = format!("the tool's name {name:?} {fault}");
    let defect = finder.report(key, place, detail);
    defect.about(Id::of(name.as_bytes()));
    if by_hand {
        defect.by_hand(table::NAMELESS);
    }
    true
}
