//! E24, E27 and E28: the characters of call ids and tool names, and tool names that are declared twice.

use super::{Finder, advice};
use crate::json::{Id, IdSet};
use crate::transcript::{BlockKind, Fault, Syntax};
use std::collections::HashSet;

/// Reports E24, E27 and E28.
pub(super) fn check(finder: &mut Finder<'_>) {
    ids(finder);
    names(finder);
    let declared = &finder.transcript.request.declared;
    if finder.rules.tools_differ {
        let mut known = HashSet::with_capacity(declared.len());
        for name in declared.iter().filter(|name| !known.insert(name.as_str())) {
            finder.report_request(
                "E28",
                Id::of(name.as_bytes()),
                format!("two tools have the name {name:?}"),
            );
        }
    }
}

/// E24: each id of a call once, at its first call. A result without a call is reported as E02.
fn ids(finder: &mut Finder<'_>) {
    let (transcript, syntax) = (finder.transcript, finder.rules.call_id);
    for block in finder.of_fault(Fault::ServerId) {
        if finder.rules.fields {
            let detail =
                "the id of a server's call does not begin with srvtoolu_, or has other letters";
            finder.report("E24", finder.message_of(block), Some(block), 0, detail);
        }
    }
    if syntax.refusal.is_empty() {
        return;
    }
    let mut known = IdSet::default();
    for (i, message) in transcript.messages.iter().enumerate() {
        for (index, block) in transcript
            .numbered_blocks_of(i)
            .filter(|(_, b)| b.kind == BlockKind::Call)
        {
            let link = transcript.link(block);
            // Without an id, pairs are made by position.
            if link.call.is_none() || link.id.end == 0 {
                continue;
            }
            let Ok(raw) = finder.texts.read(
                message.record + u64::from(link.id.start),
                message.record + u64::from(link.id.end),
            ) else {
                continue;
            };
            let Some(fault) = syntax
                .fault_of_raw(&raw)
                .filter(|_| known.insert(link.call))
            else {
                continue;
            };
            finder.report(
                "E24",
                i,
                Some(index),
                link.call,
                format!("the id of a call {fault}"),
            );
            finder.said(syntax.refusal);
        }
    }
}

/// E27: each name once, in its first call or else in its declaration.
fn names(finder: &mut Finder<'_>) {
    let (transcript, rules) = (finder.transcript, finder.rules);
    let fault = |syntax: &Syntax, name: &str| {
        Some(name)
            .filter(|_| !syntax.refusal.is_empty())
            .and_then(|name| syntax.fault(name.as_bytes()))
    };
    let mut known = vec![false; transcript.tools.len()];
    let mut called = HashSet::new();
    for i in 0..transcript.messages.len() {
        for (index, block) in transcript
            .numbered_blocks_of(i)
            .filter(|(_, b)| b.kind == BlockKind::Call)
        {
            if std::mem::replace(&mut known[transcript.link(block).tool as usize], true) {
                continue;
            }
            let name = transcript.tool_of(block);
            let Some(fault) = fault(&rules.call_name, name) else {
                continue;
            };
            called.insert(name);
            finder.report(
                "E27",
                i,
                Some(index),
                Id::of(name.as_bytes()),
                format!("the tool's name {name:?} {fault}"),
            );
            finder.said(rules.call_name.refusal);
            if name.is_empty() {
                finder.by_hand(advice::NAMELESS);
            }
        }
    }
    for name in transcript
        .request
        .declared
        .iter()
        .filter(|name| !called.contains(name.as_str()))
    {
        if let Some(fault) = fault(&rules.tool_name, name) {
            finder.report_request(
                "E27",
                Id::of(name.as_bytes()),
                format!("the tool's name {name:?} {fault}"),
            );
            finder.said(rules.tool_name.refusal);
        }
    }
}
