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
mod parts;
pub mod protection;
pub mod reads;
pub mod removal;
pub mod select;
pub mod sequence;
#[cfg(test)]
mod shells_tests;
pub mod stale_resource;
pub mod thinking;
pub mod turn_drop;
pub mod turns;
pub mod versions;
pub mod weighing;

use crate::Error;
use crate::edit::{Proposal, View};
use crate::settings::{Eligibility, Mode, OnlyIf, Settings};
use crate::transcript::Layout;
use std::fmt;

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

impl From<String> for Rest {
    fn from(why: String) -> Rest {
        Rest::Because(why)
    }
}

impl From<&str> for Rest {
    fn from(why: &str) -> Rest {
        Rest::Because(why.to_owned())
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
pub(crate) fn proposed(found: Result<Proposal, Rest>) -> Result<Proposal, Error> {
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
    // Before all that shortens: of what is removed nothing need be trimmed.
    stale_resource::PASS,
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
    [
        select::PASS,
        ephemeral::PASS,
        stale_resource::PASS,
        turn_drop::PASS,
    ]
    .iter()
    .any(|pass| pass.is_on(settings))
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
            || [
                dedupe::PASS.name,
                ephemeral::PASS.name,
                stale_resource::PASS.name,
            ]
            .contains(&self.name)
    }

    /// Whether it rather rests than breaks a transcript: a pass that takes much away by a rule of its own.
    pub fn skips_if_invalid(&self) -> bool {
        self.size.is_some()
            || [ephemeral::PASS.name, stale_resource::PASS.name].contains(&self.name)
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
    format!(
        "context is {}% of the window; {act} starts at {}% ({key})",
        Percent(share),
        Percent(from)
    )
}

/// A share in percent, which is written with a space behind it and one digit after the point unless that is zero.
struct Percent(f64);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = self.0 * 100.0;
        if percent.fract() == 0.0 {
            return write!(f, "{percent} ");
        }
        let text = format!("{percent:.1}");
        write!(f, "{} ", text.strip_suffix(".0").unwrap_or(&text))
    }
}

/// Refuses a name that none of `passes` has.
///
/// # Errors
/// There is one.
pub fn check_names<'a>(
    passes: &[Pass],
    mut given: impl Iterator<Item = &'a String>,
) -> Result<(), Error> {
    let unknown = given.find(|name| !passes.iter().any(|pass| pass.name == **name));
    let known = || {
        passes
            .iter()
            .map(|pass| pass.name)
            .collect::<Vec<_>>()
            .join(", ")
    };
    unknown.map_or(Ok(()), |name| {
        Err(Error::UnknownPass {
            name: name.clone(),
            known: known(),
        })
    })
}
