//! select: removes the parts that the user names, with all that depends on them.
//!
//! **What.** Every selector (`--select`) is resolved against the input before anything is cut: messages and parts by their numbers,
//! calls by id or by their tool's name, resources by path. `ephemeral:` and `other:` are guarded: `ephemeral:` refuses a call that
//! holds a resource, `other:` refuses calls and results.
//!
//! **Why.** A person, or a model that manages its own context, knows which parts are no longer useful.
//!
//! **Safety.** All or nothing: a selector that matches nothing, or that would remove protected content, ends the run with exit code
//! 2 and a line that names all of them. `lenient` ignores selectors without a match and keeps protected content; `force` removes
//! content that the user protected. The state of the cache does not matter.
//!
//! ```text
//! --select tool:c1   before  [text, call c1, call c2] · [result c1, result c2]
//!                    after   [text, call c2] · [result c2]
//! ```

mod resolve;
mod selector;

pub(crate) use resolve::id_of;
pub use selector::Selector;

use super::dependencies::{Dependencies, Part, drops_traced};
use super::protection::Protection;
use super::removal::{broken_order, remove};
use super::versions::{CallKind, call_kind};
use super::{Pass, Rest};
use crate::edit::{Action, Cut, Proposal, Reason, View};
use crate::estimate;
use crate::settings::{Mode, Selection, Settings};
use crate::transcript::BlockKind;
use crate::{Error, Refusal};
use resolve::{Guard, Index, SelectorMatch};
use selector::shown;
use std::collections::BTreeMap;

/// Selectors that are listed where they cannot be had; of the others there is the number.
const LISTED: usize = 20;

/// The table's row.
pub const PASS: Pass = Pass {
    name: "select",
    about: "remove what the setting select names",
    on: |settings| !settings.select.list.is_empty(),
    clocked: false,
    size: None,
    plan,
};

fn plan(view: &View<'_>, settings: &Settings, _: Mode) -> Result<Proposal, Rest> {
    let selection = &settings.select;
    if selection.list.is_empty() {
        let setting = (view.naming)("select");
        return Err(format!("nothing is selected; see {setting}").into());
    }
    let dependencies = Dependencies::new(view);
    let index = Index::new(view, &dependencies, settings);
    let (mut wanted, mut empty, mut guarded) =
        (BTreeMap::<Part, &str>::new(), BTreeMap::new(), Vec::new());
    let mut unresolved = Vec::new();
    for text in &selection.list {
        let found = match Selector::parse(text) {
            Ok(selector) => index.find(&selector)?.map_err(str::to_owned),
            Err(why) => Err(why),
        };
        match found {
            Err(why) => unresolved.push(format!("{} ({why})", shown(text))),
            Ok(SelectorMatch {
                parts,
                messages,
                guard,
                missing,
            }) => {
                unresolved.extend(
                    missing
                        .into_iter()
                        .map(|(what, why)| format!("{} ({why})", shown(&what))),
                );
                if let Some(guard) = guard {
                    guarded.push((text.as_str(), guard, parts.clone()));
                }
                for part in parts {
                    wanted.entry(part).or_insert(text);
                }
                for i in messages {
                    empty.entry(i).or_insert(text.as_str());
                }
            }
        }
    }
    let mut warnings = Vec::new();
    if !unresolved.is_empty() {
        let more = unresolved.len().saturating_sub(LISTED);
        unresolved.truncate(LISTED);
        if more > 0 {
            unresolved.push(format!("and {more} more"));
        }
        let text = format!("could not resolve {}", unresolved.join(", "));
        if !selection.lenient {
            return Err(Rest::Failed(Error::Selection(vec![Refusal {
                what: text,
                ways: &[("lenient", "skips such selectors")],
            }])));
        }
        warnings.push(text);
    }
    let all = dependencies.trace(wanted.keys().copied());
    let mut refused = Vec::new();
    for (text, guard, parts) in guarded {
        refused.extend(
            guards(view, &dependencies, settings, text, guard, &parts)?
                .into_iter()
                .map(Refusal::from),
        );
    }
    let protection = Protection::new(view, &dependencies, settings)?;
    if !selection.lenient {
        refused.extend(pinned(view, &protection, selection, &wanted, &all, &empty));
        if refused.is_empty() && !selection.force {
            let order_refusal = |(part, why): (Part, String)| {
                let text = all
                    .get(&part)
                    .and_then(|cause| wanted.get(cause))
                    .copied()
                    .unwrap_or("the selection");
                Refusal::from(format!(
                    "{} takes {}, and {why}",
                    shown(text),
                    view.named(part)
                ))
            };
            refused.extend(
                broken_order(view, &dependencies, &all.keys().copied().collect())
                    .into_iter()
                    .map(order_refusal),
            );
        }
    }
    if !refused.is_empty() {
        refused.dedup();
        return Err(Rest::Failed(Error::Selection(refused)));
    }
    let reason = |text: &str| -> Reason {
        Reason::Shared(match &selection.reason {
            Some(reason) => format!("manual: {reason}").into(),
            None => format!("manual: selected by {text}").into(),
        })
    };
    let reasons = wanted
        .iter()
        .map(|(part, text)| (*part, reason(text)))
        .collect();
    let mut proposal = if selection.lenient && !selection.force {
        remove(view, settings, PASS.name, &dependencies, reasons)?
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
    proposal.cuts.extend(
        empty
            .iter()
            .filter(|(i, _)| !stays(**i))
            .map(|(&i, text)| drop_message(view, i, reason(text))),
    );
    proposal.warnings = warnings;
    Ok(proposal)
}

/// The cut that takes a message away that has no parts.
fn drop_message(view: &View<'_>, i: u32, reason: Reason) -> Cut {
    Cut {
        pass: PASS.name,
        message: i,
        block: view.transcript.messages[i as usize].blocks,
        action: Action::DropMessage,
        chars_before: estimate::message(view.transcript, i as usize, view.estimator),
        chars_after: 0,
        linked: false,
        reason,
    }
}

/// The parts that a guarded selector refuses.
fn guards(
    view: &View<'_>,
    dependencies: &Dependencies<'_>,
    settings: &Settings,
    text: &str,
    guard: Guard,
    parts: &[Part],
) -> Result<Vec<String>, Error> {
    let mut refused = Vec::new();
    for part in dependencies.close(parts.iter().copied()) {
        let block = &view.transcript.blocks[part.1 as usize];
        match guard {
            Guard::Ephemeral if block.kind == BlockKind::Call => {
                if let CallKind::Version(touches) =
                    call_kind(view, dependencies, part.0 as usize, part.1, settings)?
                {
                    let path = touches
                        .first()
                        .map(|touch| touch.path.clone())
                        .unwrap_or_default();
                    let id = text.trim().strip_prefix("ephemeral:").unwrap_or(text);
                    let what = if parts.contains(&part) {
                        "names"
                    } else {
                        "takes"
                    };
                    refused.push(format!(
                        "{} {what} a call of {:?}, which is stateful: it holds {path}; use resource:{path} for all its versions, or tool:{id}",
                        shown(text),
                        view.transcript.tool_of(block)
                    ));
                }
            }
            Guard::Other if block.is_linked() => {
                let kind = if block.kind == BlockKind::Call {
                    "call"
                } else {
                    "result"
                };
                let name = resolve::id_of(view, part)?
                    .map_or_else(|| view.named(part), |id| format!("tool:{id}"));
                let what = if parts.contains(&part) {
                    "names"
                } else {
                    "takes with it"
                };
                refused.push(format!(
                    "{} {what} a {kind} of {:?}; use ephemeral:ID, resource:PATH or {name}",
                    shown(text),
                    view.transcript.tool_of(block)
                ));
            }
            _ => {}
        }
    }
    refused.truncate(8);
    Ok(refused)
}

/// The flags for a part that must stay, each with its effect on that part.
const WAYS: [(&str, &str); 2] = [("lenient", "leaves it"), ("force", "takes it")];

/// Returns the refusals: one for each part or message that the selection would remove and that must stay.
fn pinned(
    view: &View<'_>,
    protection: &Protection<'_>,
    selection: &Selection,
    wanted: &BTreeMap<Part, &str>,
    all: &BTreeMap<Part, Part>,
    empty: &BTreeMap<u32, &str>,
) -> Vec<Refusal> {
    let forced = |i: u32| selection.force && !protection.is_not_removable(i);
    let ways = |i: u32| {
        if protection.is_not_removable(i) {
            &WAYS[..1]
        } else {
            &WAYS
        }
    };
    let mut refused = Vec::new();
    for (part, cause) in all.iter().filter(|(part, _)| !forced(part.0)) {
        if let Some(why) = protection.reason(*part) {
            let text = wanted.get(cause).copied().unwrap_or("the selection");
            let what = format!("{} takes {}, but {why}", shown(text), view.named(*part));
            refused.push(Refusal {
                what,
                ways: ways(part.0),
            });
        }
    }
    for (&i, text) in empty.iter().filter(|(i, _)| !forced(**i)) {
        if let Some(why) = protection.why_message(i) {
            let what = format!(
                "{} takes message {}, but {why}",
                shown(text),
                view.transcript.messages[i as usize].number
            );
            refused.push(Refusal {
                what,
                ways: ways(i),
            });
        }
    }
    let more = refused.len().saturating_sub(8);
    refused.truncate(8);
    if more > 0 {
        refused.push(format!("and {more} more").into());
    }
    refused
}
