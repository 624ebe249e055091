//! ephemeral: removes calls without lasting effect after a few turns of the user.
//!
//! **What.** In the messages before the last `ephemeral.keepTurns` turns of the user, calls of tools that hold no resource are
//! removed with their results, and so are calls of other tools that failed or have no result. Unknown tools count as ephemeral, and
//! the report lists them. `ephemeral.compat: "anahata"` keeps one turn more, as its code does.
//!
//! **Why.** The output of a command serves the turn in which it ran. Its consequences are in the texts around it, which are kept.
//!
//! **Safety.** Calls are removed with their results, and with reasoning that would be left alone. Calls that read or wrote a file
//! are kept whatever their age; only a newer version replaces them (`stale_resource`). Protected parts are kept and reported.
//!
//! ```text
//! before  user "find it" · assistant [text, call grep] · user [result] · … five turns …
//! after   user "find it" · assistant [text] · … five turns …
//! ```

use super::dependencies::Dependencies;
use super::protection::Protection;
use super::removal::remove;
use super::turns::turns;
use super::versions::{CallKind, call_kind, is_listed, results};
use super::{Pass, note};
use crate::Error;
use crate::edit::{Proposal, Reason, View};
use crate::resource::is_stateful_tool;
use crate::settings::{Mode, Settings};
use crate::transcript::BlockKind;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The table's row.
pub const PASS: Pass = Pass {
    name: "ephemeral",
    about: "remove old calls that hold no file, with their results",
    on: |settings| settings.ephemeral.enabled,
    clocked: false,
    size: None,
    plan,
};

fn plan(view: &View<'_>, settings: &Settings, _: Mode) -> Result<Proposal, Error> {
    let keep = settings
        .ephemeral
        .keep_turns
        .saturating_add(usize::from(settings.ephemeral.compat.is_some()));
    let transcript = view.transcript;
    let turns = turns(view)?;
    let cutoff = match turns.len().checked_sub(keep) {
        _ if keep == 0 => transcript.messages.len(),
        Some(n) => turns[n] as usize,
        None => {
            return Ok(note(format!(
                "there are {} turns of the user, and {keep} stay as they are",
                turns.len()
            )));
        }
    };
    let dependencies = Dependencies::new(view);
    let (mut wanted, mut unlisted) = (Vec::new(), BTreeSet::new());
    let mut reasons: HashMap<(u32, usize), Arc<str>> = HashMap::new();
    for i in (0..cutoff).filter(|&i| !view.is_gone(i)) {
        let age = turns.len() - turns.partition_point(|&turn| turn as usize <= i);
        let parts = view
            .parts(i)
            .filter(|(index, b)| b.is_linked() && !view.is_block_gone(i, *index));
        for (index, block) in parts {
            let tool = transcript.tool_of(block);
            let mut want = |block: u32, why: Arc<str>| {
                wanted.push((dependencies.part(block), Reason::Shared(why)))
            };
            let mut ephemeral = |listed: bool| {
                if !listed {
                    unlisted.insert(if tool.is_empty() {
                        "one without a name"
                    } else {
                        tool
                    });
                }
                let name = transcript.link(block).tool;
                reasons
                    .entry((name, age))
                    .or_insert_with(|| {
                        format!("natural-ephemeral: {tool:?}, {age} turns ago").into()
                    })
                    .clone()
            };
            if block.kind == BlockKind::Call {
                match call_kind(view, &dependencies, i, index, settings)? {
                    CallKind::Version(_) => {}
                    CallKind::Orphan => want(
                        index,
                        format!("orphaned-call: nothing answers this call of {tool:?}").into(),
                    ),
                    CallKind::Failed => {
                        results(view, &dependencies, index)
                            .into_iter()
                            .for_each(|b| {
                                want(
                                    b,
                                    format!("failed-stateful: {tool:?} gave no resource").into(),
                                )
                            });
                    }
                    CallKind::Ephemeral { listed } => {
                        let why = ephemeral(listed);
                        want(index, why.clone());
                        results(view, &dependencies, index)
                            .into_iter()
                            .for_each(|b| want(b, why.clone()));
                    }
                }
            } else if dependencies.paired_with(index).is_empty()
                && !transcript.calls_elsewhere
                && !is_stateful_tool(tool, &settings.resources)
            {
                let why = ephemeral(is_listed(tool, settings));
                want(index, why);
            }
        }
    }
    let protection = Protection::new(view, &dependencies, settings)?;
    let mut proposal = remove(
        view,
        PASS.name,
        &dependencies,
        &protection,
        wanted.into_iter().collect(),
    );
    if !unlisted.is_empty() {
        let names = unlisted.into_iter().collect::<Vec<_>>().join(", ");
        proposal.warnings.push(format!(
            "ephemeral: no table knows these tools, so they count as ephemeral: {names} (see ephemeral.tools, resources.stateful and protect.tools)"
        ));
    }
    Ok(proposal)
}
