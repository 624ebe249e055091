//! E24, E27 and E28: how ids of calls and names of tools are spelled, and that no two tools have one name.

use super::{Finder, words};
use crate::json::{Id, IdSet, text};
use crate::transcript::{BlockKind, Fault};
use std::collections::HashSet;

/// Adds what there is of E24, E27 and E28.
pub(super) fn check(finder: &mut Finder<'_>) {
    ids(finder);
    names(finder);
    let declared = &finder.transcript.request.declared;
    if finder.answers.tools_differ {
        let mut known = HashSet::new();
        for name in declared.iter().filter(|name| !known.insert(name.as_str())) {
            finder.tell_request("E28", Id::of(name.as_bytes()), format!("two tools have the name {name:?}"));
        }
    }
}

/// E24: each id once, where it is first.
fn ids(finder: &mut Finder<'_>) {
    let (transcript, syntax) = (finder.transcript, finder.answers.call_id);
    let free = syntax.refusal.is_empty();
    let mut known = IdSet::default();
    for i in 0..transcript.messages.len() {
        for (index, block) in finder.parts(i) {
            if finder.answers.fields && finder.has(index, Fault::ServerId) {
                finder.tell("E24", i, Some(index), 0, "the id of a server's call does not begin with srvtoolu_, or has other letters");
            }
            if free || !block.is_linked() {
                continue;
            }
            let link = transcript.link(&block);
            // An id that is missing is no id; elsewhere pairs without ids are made by their places.
            if link.call.is_none() || link.id.end == 0 || !known.insert(link.call) {
                continue;
            }
            let start = transcript.messages[i].record;
            let Ok(raw) = finder.texts.read(start + u64::from(link.id.start), start + u64::from(link.id.end)) else { continue };
            let id = text::lossy(&raw);
            if let Some(fault) = syntax.fault(id.as_bytes()) {
                let what = if block.kind == BlockKind::Call { "call" } else { "result" };
                finder.tell("E24", i, Some(index), link.call, format!("the id of a {what} {fault}"));
                finder.said(syntax.refusal);
            }
        }
    }
}

/// E27: each name once, in the call where it is first, else where it is declared.
fn names(finder: &mut Finder<'_>) {
    let (transcript, answers) = (finder.transcript, finder.answers);
    let mut known = HashSet::new();
    if !answers.call_name.refusal.is_empty() {
        for i in 0..transcript.messages.len() {
            for (index, block) in finder.parts(i).into_iter().filter(|(_, b)| b.kind == BlockKind::Call) {
                let name = transcript.tool_of(&block);
                if !known.insert(name) {
                    continue;
                }
                if let Some(fault) = answers.call_name.fault(name.as_bytes()) {
                    finder.tell("E27", i, Some(index), Id::of(name.as_bytes()), format!("the tool's name {name:?} {fault}"));
                    finder.said(answers.call_name.refusal);
                    if name.is_empty() {
                        finder.by_hand(words::NAMELESS);
                    }
                }
            }
        }
    }
    if answers.tool_name.refusal.is_empty() {
        return;
    }
    for name in &transcript.request.declared {
        let told = answers.call_name.fault(name.as_bytes()).is_some() && known.contains(name.as_str());
        if let Some(fault) = answers.tool_name.fault(name.as_bytes()).filter(|_| !told) {
            finder.tell_request("E27", Id::of(name.as_bytes()), format!("the tool's name {name:?} {fault}"));
            finder.said(answers.tool_name.refusal);
        }
    }
}
