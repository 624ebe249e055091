//! shells: replaces old shell output by a note.
//!
//! **What.** The content of each result of the tool `bash` among the candidates is replaced by a note.
//!
//! **Why.** An old listing is seldom asked for again.
//!
//! **Safety.** Only contents change, and calls keep their results. A note is shorter than the text it replaces, so that a second
//! run changes nothing.
//!
//! ```text
//! before  {"type":"text","text":"total 536\n…"}
//! after   {"type":"text","text":"[Old shell output]"}
//! ```

use super::candidates::candidates;
use super::{Pass, Rest};
use crate::edit::{Action, Proposal, Reason, View};
use crate::settings::{Mode, Settings};
use std::sync::Arc;

/// The table's row.
pub const PASS: Pass = Pass {
    name: "shells",
    about: "replace old shell output by a note",
    clocked: true,
    plan,
    ..Pass::REST
};

fn plan(view: &View<'_>, settings: &Settings, _: Mode) -> Result<Proposal, Rest> {
    let (reached, skipped) = candidates(view, settings, PASS.name)?;
    let note: Arc<str> = Arc::from("[Old shell output]");
    let chars_after = view.chars_of_text(&note);
    let reason: Reason = Arc::from("an old output of the shell");
    let mut cuts = Vec::new();
    for (message, block) in reached {
        let tool = view.transcript.link_at(block).tool;
        if view.transcript.tools[tool as usize] == "bash"
            && view.chars_of_result(block) > chars_after
        {
            let new = (Action::Clear(note.clone()), chars_after);
            cuts.push(view.new_cut(PASS.name, (message, block), new, reason.clone()));
        }
    }
    Ok(Proposal {
        cuts,
        skipped,
        ..Proposal::default()
    })
}
