//! Passes. Each has a row in [`PASSES`] and a function that proposes cuts from a view of the transcript and the settings.
//!
//! They run once, in the order of the table; the comment on a row gives the reason. The cuts of a pass are accepted before the next
//! one runs.

pub mod break_even;
pub mod candidates;
#[cfg(test)]
mod contributing_tests;
pub mod dedupe;
pub mod dependencies;
pub mod edits;
pub mod eligible;
pub mod ephemeral;
pub mod malformed;
pub mod protection;
pub mod reads;
pub mod removal;
pub mod select;
#[cfg(test)]
mod shells_tests;
pub mod thinking;
pub mod turn_drop;
pub mod turns;
pub mod versions;
pub mod weighing;

use crate::{
    Error, Result,
    diagnostics::Skip,
    edit::{Action, Cut, Proposal, Reason, View},
    estimate,
    json::text,
    settings::{Eligibility, Mode, OnlyIf, Settings},
    transcript::{BlockKind, Flags, Layout, Role},
    wildcard,
};
use dependencies::Part;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

/// One pass.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Name for `--pass` and reports.
    pub name: &'static str,
    /// One line for `--pass help`.
    pub about: &'static str,
    /// Whether the settings have it on where it is named neither on nor off.
    pub on: fn(&Settings) -> bool,
    /// Whether it asks the clock: it rests when the gate is shut.
    pub clocked: bool,
    /// For a pass under the composition cap: from which size on a conversation is eligible.
    pub size: Option<fn(&Settings) -> Eligibility>,
    /// Proposes cuts.
    pub plan: fn(&View<'_>, &Settings, Mode) -> Result<Proposal, Rest>,
}

/// Why a pass proposes nothing.
#[derive(Debug)]
pub enum Rest {
    /// A reason for the report.
    Because(String),
    /// The input cannot be read any more, or the settings refuse it.
    Failed(Error),
}

impl<T: Into<String>> From<T> for Rest {
    fn from(why: T) -> Rest {
        Rest::Because(why.into())
    }
}

impl From<Error> for Rest {
    fn from(error: Error) -> Rest {
        Rest::Failed(error)
    }
}

/// Returns a proposal, or one that cuts nothing and says why.
///
/// # Errors
/// That for which there is none.
pub(crate) fn proposed(found: Result<Proposal, Rest>) -> Result<Proposal> {
    match found {
        Ok(proposal) => Ok(proposal),
        Err(Rest::Because(why)) => Ok(note(why)),
        Err(Rest::Failed(error)) => Err(error),
    }
}

/// The passes of this crate, in the order in which they run. Another crate's pass is put into its place in a table of its own.
pub const PASSES: &[Pass] = &[
    // First: what a person chose counts before any rule does.
    select::PASS,
    // Before stale-resource: a call that is gone by its age holds no version.
    ephemeral::PASS,
    // stale-resource, before all that shortens: of what is removed nothing need be trimmed.
    versions::PASS,
    // Before the passes by size: what occurs twice is removed before anything is trimmed.
    dedupe::PASS,
    // What is removed whole is removed before what is left is trimmed: a smaller context may need no trimming.
    turn_drop::PASS,
    // Where soft-trim is, in whose place it is.
    edits::PASS,
    // Before hard-clear, which asks whether trimming was enough.
    edits::SOFT_TRIM,
    edits::HARD_CLEAR,
    // Alone of the three that clear and trim: it has a mode of its own.
    break_even::PASS,
];

/// Index in [`PASSES`] of the first pass that shortens results; those before it remove.
pub const TRIMMING: usize = 5;

/// Whether a pass that `settings` have on may remove messages.
pub fn may_remove(settings: &Settings) -> bool {
    let remove = [
        select::PASS,
        ephemeral::PASS,
        versions::PASS,
        turn_drop::PASS,
    ];
    remove.iter().any(|pass| pass.is_on(settings))
}

impl Pass {
    /// Whether `settings` have it on.
    pub fn is_on(&self, settings: &Settings) -> bool {
        !settings.passes.off.contains(self.name)
            && ((self.on)(settings) || settings.passes.on.contains(self.name))
    }

    /// Whether what it proposes is weighed against the cache that it breaks, where the cache is known. `layout` is that of the input.
    pub fn is_weighed(&self, settings: &Settings, layout: Layout) -> bool {
        let asks_clock = matches!(
            settings.context_pruning.mode,
            Mode::Auto | Mode::CacheTtl | Mode::BreakEven
        );
        match settings.only_if {
            OnlyIf::Always => false,
            // It weighs by itself.
            OnlyIf::ItPays => self.name != break_even::PASS.name,
            OnlyIf::Auto => asks_clock && self.changes_old(layout),
        }
    }

    /// Whether it looks for content of any age at every request, so that its cuts lie wherever the newest message makes them.
    fn changes_old(&self, layout: Layout) -> bool {
        let drops_turns = self.name == turn_drop::PASS.name && layout != Layout::Body;
        drops_turns
            || [dedupe::PASS.name, ephemeral::PASS.name, versions::PASS.name].contains(&self.name)
    }

    /// Whether it rather rests than breaks a transcript: a pass that takes much away by a rule of its own.
    pub fn skips_if_invalid(&self) -> bool {
        self.size.is_some() || [ephemeral::PASS.name, versions::PASS.name].contains(&self.name)
    }
}

/// A proposal that cuts nothing, and why.
pub(crate) fn note(text: impl Into<String>) -> Proposal {
    Proposal {
        note: Some(text.into()),
        ..Proposal::default()
    }
}

/// Why a pass that acts by size does not act yet: the share of the window that the context has, and that from which it does.
pub(crate) fn too_small(share: f64, act: &str, from: f64, key: &str) -> String {
    let [share, from] = [share, from].map(percent);
    format!("context is {share} % of the window; {act} starts at {from} % ({key})")
}

/// A share in percent, with one digit after the point unless that is zero.
fn percent(share: f64) -> String {
    let text = format!("{:.1}", share * 100.0);
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// Refuses a name that none of `passes` has.
///
/// # Errors
/// There is one.
pub fn check_names<'a>(passes: &[Pass], mut given: impl Iterator<Item = &'a String>) -> Result<()> {
    let known: Vec<&str> = passes.iter().map(|pass| pass.name).collect();
    match given.find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => Err(Error::UnknownPass {
            name: name.clone(),
            known: known.join(", "),
        }),
    }
}
