//! E24, E27 and E28: the characters of call ids and tool names, and tool names that are declared
//! twice.

use super::*;
use crate::transcript::Syntax;

/// Reports E24, E27 and E28.
pub fn check(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let rules = finder.rules;
    if rules.call_id != Syntax::FREE {
        ids(finder);
    }
    names(finder);
    let mut known = HashSet::new();
    for name in transcript
        .request
        .declared
        .iter()
        .filter(|name| rules.tools_differ && !known.insert(*name))
    {
        finder.report("E28", Place::Request).with(&[name]).about = Id::of(name.as_bytes());
    }
}

/// E24: each id of a call once, at its first call. A result without a call is reported as E02.
fn ids(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let syntax = finder.rules.call_id;
    let mut known = IdSet::default();
    for (i, index, block) in transcript.all_blocks() {
        if block.kind != BlockKind::Call {
            continue;
        }
        let link = transcript.link(block);
        // Without an id, pairs are made by position.
        if link.call.is_some()
            && link.id.end > 0
            && let Ok(raw) = transcript.messages[i].bytes(finder.texts, link.id)
            && let Some(fault) = syntax.fault_of_raw(&raw)
            && known.insert(link.call)
        {
            finder
                .report("E24", index)
                .with(&[&format_args!("{fault}")])
                .about = link.call;
        }
    }
}

/// E27: each name once, in its first call or else in its declaration.
fn names(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let rules = finder.rules;
    let mut known = HashSet::new();
    let mut called = HashSet::new();
    for (_, index, block) in transcript.all_blocks() {
        if block.kind == BlockKind::Call && known.insert(transcript.link(block).tool) {
            let name = transcript.tool_of(block);
            let fault = if name.is_empty() {
                "E27 nameless"
            } else {
                "E27"
            };
            if let Some(why) = rules.call_name.fault(name.as_bytes()) {
                name_fault(finder, fault, Place::Block(index), name, &why);
                called.insert(name);
            }
        }
    }
    for name in &transcript.request.declared {
        if !called.contains(name.as_str())
            && let Some(why) = rules.tool_name.fault(name.as_bytes())
        {
            name_fault(finder, "E27 declared", Place::Request, name, &why);
        }
    }
}

/// Reports a name of a tool, and why it is not accepted.
fn name_fault(finder: &mut Finder<'_>, fault: &'static str, place: Place, name: &str, why: &str) {
    finder
        .report(fault, place)
        .with(&[&name, &format_args!("{why}")])
        .about = Id::of(name.as_bytes());
}
