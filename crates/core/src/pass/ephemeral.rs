//! ephemeral: removes calls without lasting effect after a few turns of the user.
//!
//! **What.** In the messages before the last `ephemeral.keepTurns` turns of the user, calls of
//! tools that hold no resource are removed with their results, and so are calls of other tools that
//! failed or have no result. Unknown tools count as ephemeral, and the report lists them.
//! `ephemeral.compat: "anahata"` keeps one turn more, as its code does.
//!
//! **Why.** The output of a command serves the turn in which it ran. Its consequences are in the
//! texts around it, which are kept.
//!
//! **Safety.** Calls are removed with their results, and with reasoning that would be left alone.
//! Calls that read or wrote a file are kept whatever their age; only a newer version replaces them
//! (`stale_resource`). Protected parts are kept and reported.
//!
//! ```text
//! before  user "find it" · assistant [text, call grep] · user [result] · … five turns …
//! after   user "find it" · assistant [text] · … five turns …
//! ```

use super::{
    removal::remove,
    turns::turns,
    versions::{CallKind, call_kind, is_listed, results},
    *,
};
use crate::resource::is_stateful_tool;

/// The table's row.
pub const PASS: Pass = Pass {
    name: "ephemeral",
    about: "remove old calls that hold no file, with their results",
    on: |settings| settings.ephemeral.enabled,
    removes: true,
    reach: Reach::AnyAge,
    rests_if_invalid: true,
    plan,
    ..Pass::REST
};

fn plan(view: &View<'_>, settings: &Settings, _: Mode) -> Result<Proposal, Rest> {
    let more = usize::from(settings.ephemeral.compat.is_some());
    let keep = settings.ephemeral.keep_turns.saturating_add(more);
    let (transcript, turns) = (view.transcript, turns(view)?);
    let cutoff = match turns.len().checked_sub(keep) {
        _ if keep == 0 => transcript.messages.len(),
        Some(n) => turns[n] as usize,
        None => {
            let found = turns.len();
            return Err(Rest::Because(format!(
                "there are {found} turns of the user, and {keep} stay as they are"
            )));
        }
    };
    let (mut wanted, mut unlisted) = (BTreeMap::new(), BTreeSet::new());
    for i in view.left().take_while(|i| *i < cutoff) {
        let age = turns.len() - turns.partition_point(|&turn| turn as usize <= i);
        for (index, block) in view.parts_left(i).filter(|(_, block)| block.is_linked()) {
            let tool = view.tool(index);
            let kind = match block.kind {
                BlockKind::Call => call_kind(view, i, index, settings)?,
                _ if !view.paired_with(index).is_empty()
                    || transcript.calls_elsewhere
                    || is_stateful_tool(tool, &settings.resources) =>
                {
                    continue;
                }
                _ => CallKind::Ephemeral {
                    listed: is_listed(tool, settings),
                },
            };
            let (takes_call, why): (bool, Reason) = match kind {
                CallKind::Version(_) => continue,
                CallKind::Orphan => (
                    true,
                    format!("orphaned-call: nothing answers this call of {tool:?}").into(),
                ),
                CallKind::Failed => (
                    false,
                    format!("failed-stateful: {tool:?} gave no resource").into(),
                ),
                CallKind::Ephemeral { listed } => {
                    if !listed {
                        let unnamed = "one without a name";
                        unlisted.insert(if tool.is_empty() { unnamed } else { tool });
                    }
                    let reason = format!("natural-ephemeral: {tool:?}, {age} turns ago");
                    (true, reason.into())
                }
            };
            let blocks = results(view, index)
                .into_iter()
                .chain(takes_call.then_some(index));
            wanted.extend(blocks.map(|block| (view.part(block), why.clone())));
        }
    }
    let mut proposal = remove(view, settings, PASS.name, wanted)?;
    if !unlisted.is_empty() {
        let names = unlisted.into_iter().collect::<Vec<_>>().join(", ");
        proposal.warnings.push(format!(
            "ephemeral: no table knows these tools, so they count as ephemeral: {names} (see ephemeral.tools, resources.stateful and protect.tools)"
        ));
    }
    Ok(proposal)
}
