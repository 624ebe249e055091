//! A pass that breaks a pair, to prove that the check catches it. Builds without debug assertions do not have it.

use super::Pass;
use crate::config::settings::{Mode, Settings};
use crate::edit::{Action, Cut, Proposal, Reason, View};
use crate::transcript::BlockKind;

/// The table's row; without a description it is hidden.
pub const PASS: Pass = Pass { name: "spoil", about: "", on: |_| false, gated: false, size: None, plan };

/// Drops the first result and leaves its call.
fn plan(view: &View<'_>, _: &Settings, _: Mode) -> Result<Proposal, crate::Error> {
    let transcript = view.transcript;
    let first = (0..transcript.messages.len()).find_map(|i| {
        let at = transcript.blocks_of(i).iter().position(|b| b.kind == BlockKind::Result)?;
        Some((i, transcript.messages[i].blocks + at as u32))
    });
    let cut = first.map(|(message, block)| Cut {
        pass: PASS.name,
        message: message as u32,
        block,
        action: Action::Drop,
        chars_before: view.chars_of_result_before(block),
        chars_after: 0,
        linked: false,
        reason: Reason::Shared("to prove the check".into()),
    });
    Ok(Proposal { cuts: cut.into_iter().collect(), ..Proposal::default() })
}
