//! The passes under the composition cap: whether they may run, and what they did.

use super::*;
use crate::{compose::Composition, diagnostics::Prune, pass::eligible::too_small};

/// The state of the cap in this run.
#[derive(Default)]
pub struct CompositionCap {
    /// Whether one of them was on and the conversation large enough, before any cut.
    candidate: bool,
    cut: bool,
    turns_removed: u64,
    why: Option<String>,
}

impl CompositionCap {
    /// Returns the reason if `pass` must not run: the request is too small for it, or was changed
    /// before.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn rests(&mut self, view: &View<'_>, pass: &Pass, setup: &Setup) -> Result<Option<String>> {
        let Some(size) = pass.size else {
            return Ok(None);
        };
        let small = too_small(view, size(&setup.settings))?;
        self.candidate |= small.is_none();
        Ok(setup
            .caller
            .already_mutated
            .as_ref()
            .map(|name| format!("{name} has changed the request already"))
            .or(small))
    }

    /// Records the proposal of `pass`.
    pub fn note(&mut self, pass: &Pass, proposal: &Proposal) {
        if pass.size.is_some() {
            self.cut |= !proposal.cuts.is_empty() || !proposal.outside.is_empty();
            self.turns_removed += proposal.turns_removed;
            if let Some(note) = &proposal.note {
                self.why = Some(format!("{}: {note}", pass.name));
            }
        }
    }

    /// Adds the result to the report.
    pub fn report(&mut self, setup: &Setup, report: &mut Report) {
        let caller = &setup.caller;
        let turns_removed = self.turns_removed;
        let rag_kept = report.reranked.iter().map(|list| list.kept).sum();
        let header = &caller.header;
        report.prune = Prune {
            turns_removed,
            rag_kept,
            rag_dropped: report.reranked.iter().map(|list| list.dropped).sum(),
            messages_before: report.before.messages,
            messages_after: report.after.messages,
            header: format!("{header}: turns_removed={turns_removed},rag_kept={rag_kept}"),
        };
        report.composition = Composition::of(caller, self.candidate, self.cut, self.why.take());
    }
}
