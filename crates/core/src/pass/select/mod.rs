//! select: removes the parts that the user names, with all that depends on them.
//!
//! **What.** Every selector (`--select`) is resolved against the input before anything is cut:
//! messages and parts by their numbers, calls by id or by their tool's name, resources by path.
//! `ephemeral:` and `other:` are guarded: `ephemeral:` refuses a call that holds a resource,
//! `other:` refuses calls and results.
//!
//! **Why.** A person, or a model that manages its own context, knows which parts are no longer
//! useful.
//!
//! **Safety.** All or nothing: a selector that matches nothing, or that would remove protected
//! content, ends the run with exit code 2 and a line that names all of them. `lenient` ignores
//! selectors without a match and keeps protected content; `force` removes content that the user
//! protected. The state of the cache does not matter.
//!
//! ```text
//! --select tool:c1   before  [text, call c1, call c2] · [result c1, result c2]
//!                    after   [text, call c2] · [result c2]
//! ```

mod resolve;
mod selector;

pub(crate) use resolve::id_of;

use super::{
    Pass, Rest,
    dependencies::{Part, drops_traced},
    protection::Protection,
    removal::{broken_order, remove},
    versions::{CallKind, call_kind},
};
use crate::{
    Error, Refusal, Result,
    edit::{Proposal, View},
    settings::{Mode, Selection, Settings},
    transcript::BlockKind,
};
use resolve::{Guard, Index};
use selector::shown;
use std::collections::BTreeMap;

/// The number of refused selectors that an error lists; the others are counted.
const LISTED: usize = 20;

/// The table's row.
pub const PASS: Pass = Pass {
    name: "select",
    about: "remove what the setting select names",
    on: |settings| !settings.select.list.is_empty(),
    removes: true,
    plan,
    ..Pass::REST
};

fn plan(view: &View<'_>, settings: &Settings, _: Mode) -> Result<Proposal, Rest> {
    let selection = &settings.select;
    if selection.list.is_empty() {
        let setting = (view.naming)("select");
        return Err(format!("nothing is selected; see {setting}").into());
    }
    let mut chosen = chosen(view, settings)?;
    let mut warnings = Vec::new();
    if !chosen.unresolved.is_empty() {
        at_most(LISTED, &mut chosen.unresolved);
        let what = format!("could not resolve {}", chosen.unresolved.join(", "));
        if !selection.lenient {
            let ways = &[("lenient", "skips such selectors")];
            let refusal = Refusal { what, ways };
            return Err(Rest::Failed(Error::Selection(vec![refusal])));
        }
        warnings.push(what);
    }
    let all = view.trace(chosen.wanted.keys().copied());
    let protection = Protection::new(view, settings)?;
    let mut refused = refusals(view, settings, &protection, &chosen, &all)?;
    if !refused.is_empty() {
        refused.dedup();
        return Err(Rest::Failed(Error::Selection(refused)));
    }
    let reason = |text: &str| {
        let why = match &selection.reason {
            Some(reason) => format!("manual: {reason}"),
            None => format!("manual: selected by {text}"),
        };
        why.into()
    };
    let wanted = chosen.wanted.iter();
    let reasons = wanted.map(|(part, text)| (*part, reason(text))).collect();
    let mut proposal = if selection.lenient && !selection.force {
        remove(view, settings, PASS.name, reasons)?
    } else {
        Proposal {
            cuts: drops_traced(view, PASS.name, &all, &reasons),
            ..Proposal::default()
        }
    };
    let stays = |i: u32| {
        if selection.force {
            protection.is_not_removable(i)
        } else {
            protection.why_message(i).is_some()
        }
    };
    let whole = chosen.whole.iter().filter(|(i, _)| !stays(**i));
    proposal
        .cuts
        .extend(whole.map(|(&i, text)| view.drop_message(PASS.name, i as usize, reason(text))));
    proposal.warnings = warnings;
    Ok(proposal)
}

/// What selectors name.
#[derive(Default)]
struct Chosen<'a> {
    /// Parts, each with the first selector that names it.
    wanted: BTreeMap<Part, &'a str>,
    /// Messages that are removed whole, each with the first selector that names it.
    whole: BTreeMap<u32, &'a str>,
    /// Selectors that refuse a kind of parts, with that kind.
    guarded: Vec<(&'a str, Guard, Vec<Part>)>,
    /// What is not there, with why.
    unresolved: Vec<String>,
}

fn chosen<'a>(view: &View<'_>, settings: &'a Settings) -> Result<Chosen<'a>> {
    let index = Index::new(view, settings);
    let mut chosen = Chosen::default();
    for text in &settings.select.list {
        let found = index.find(text)?;
        if let Some(guard) = found.guard {
            chosen.guarded.push((text, guard, found.parts.clone()));
        }
        for part in found.parts {
            chosen.wanted.entry(part).or_insert(text);
        }
        for i in found.messages {
            chosen.whole.entry(i).or_insert(text);
        }
        chosen.unresolved.extend(found.missing);
    }
    Ok(chosen)
}

/// Returns why the selection is refused: what its guards refuse, what must stay, and what the order
/// of messages needs.
fn refusals(
    view: &View<'_>,
    settings: &Settings,
    protection: &Protection<'_>,
    chosen: &Chosen<'_>,
    all: &BTreeMap<Part, Part>,
) -> Result<Vec<Refusal>> {
    let selection = &settings.select;
    let mut refused = Vec::new();
    for (text, guard, parts) in &chosen.guarded {
        refused.extend(guards(view, settings, text, *guard, parts)?);
    }
    if selection.lenient {
        return Ok(refused);
    }
    refused.extend(pinned(view, protection, selection, chosen, all));
    if refused.is_empty() && !selection.force {
        for (part, why) in broken_order(view, &all.keys().copied().collect()) {
            let text = shown(chosen.cause(all.get(&part)));
            let what = format!("{text} takes {}, and {why}", view.named(part));
            refused.push(what.into());
        }
    }
    Ok(refused)
}

impl Chosen<'_> {
    /// The selector that names a part, for errors.
    fn cause(&self, part: Option<&Part>) -> &str {
        part.and_then(|part| self.wanted.get(part))
            .copied()
            .unwrap_or("the selection")
    }
}

/// Shortens a list to its first elements and the number of the others.
fn at_most<T: From<String>>(most: usize, list: &mut Vec<T>) {
    let more = list.len().saturating_sub(most);
    list.truncate(most);
    if more > 0 {
        list.push(format!("and {more} more").into());
    }
}

/// The parts that a guarded selector refuses.
fn guards(
    view: &View<'_>,
    settings: &Settings,
    text: &str,
    guard: Guard,
    parts: &[Part],
) -> Result<Vec<Refusal>> {
    let mut refused: Vec<Refusal> = Vec::new();
    for part in view.close(parts.iter().copied()) {
        let (block, tool) = (view.block(part.1), view.tool(part.1));
        let names = |takes| match parts.contains(&part) {
            true => format!("{} names", shown(text)),
            false => format!("{} {takes}", shown(text)),
        };
        match guard {
            Guard::Ephemeral if block.kind == BlockKind::Call => {
                if let CallKind::Version(touches) =
                    call_kind(view, part.0 as usize, part.1, settings)?
                {
                    let path = touches.first().map_or("", |touch| &touch.path);
                    let id = text.trim().strip_prefix("ephemeral:").unwrap_or(text);
                    refused.push(format!(
                        "{} a call of {tool:?}, which is stateful: it holds {path}; use resource:{path} for all its versions, or tool:{id}",
                        names("takes")
                    ).into());
                }
            }
            Guard::Other if block.is_linked() => {
                let kind = block.kind.name();
                let name = match resolve::id_of(view, part)? {
                    Some(id) => format!("tool:{id}"),
                    None => view.named(part),
                };
                refused.push(
                    format!(
                        "{} a {kind} of {tool:?}; use ephemeral:ID, resource:PATH or {name}",
                        names("takes with it")
                    )
                    .into(),
                );
            }
            _ => {}
        }
    }
    refused.truncate(8);
    Ok(refused)
}

/// The flags for a part that must stay, each with its effect on that part.
const WAYS: [(&str, &str); 2] = [("lenient", "leaves it"), ("force", "takes it")];

/// Returns the refusals: one for each part or message that the selection would remove and that must
/// stay.
fn pinned(
    view: &View<'_>,
    protection: &Protection<'_>,
    selection: &Selection,
    chosen: &Chosen<'_>,
    all: &BTreeMap<Part, Part>,
) -> Vec<Refusal> {
    let forced = |i: u32| selection.force && !protection.is_not_removable(i);
    let refusal = |i: u32, text: &str, what: String, why: &str| Refusal {
        what: format!("{} takes {what}, but {why}", shown(text)),
        ways: if protection.is_not_removable(i) {
            &WAYS[..1]
        } else {
            &WAYS
        },
    };
    let mut refused = Vec::new();
    for (part, cause) in all.iter().filter(|(part, _)| !forced(part.0)) {
        if let Some(why) = protection.reason(*part) {
            let text = chosen.cause(Some(cause));
            refused.push(refusal(part.0, text, view.named(*part), why));
        }
    }
    for (&i, text) in chosen.whole.iter().filter(|(i, _)| !forced(**i)) {
        if let Some(why) = protection.why_message(i) {
            let number = view.transcript.messages[i as usize].number;
            refused.push(refusal(i, text, format!("message {number}"), why));
        }
    }
    at_most(8, &mut refused);
    refused
}
