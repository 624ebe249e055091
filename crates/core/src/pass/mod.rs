//! Passes. Each has a row in [`REMOVING`] or [`SHORTENING`] and a function that proposes cuts from
//! a view of the transcript and the settings. What the engine asks of a pass is a field of its row.
//!
//! They run once, in the order of the tables; the comment on a row gives the reason. The cuts of a
//! pass are accepted before the next one runs.

pub mod break_even;
pub mod candidates;
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
pub mod server;
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
    sync::{Arc, LazyLock},
};

/// One pass.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Name for `--pass` and reports.
    pub name: &'static str,
    /// One line for `--pass help`.
    pub about: &'static str,
    /// Whether the settings turn it on if it is named neither on nor off.
    pub on: fn(&Settings) -> bool,
    /// Whether it needs an expired cache.
    pub clocked: bool,
    /// For a pass under the composition cap: from which size on a conversation is eligible. Such a
    /// pass rests if its cuts would break the transcript.
    pub size: Option<fn(&Settings) -> Eligibility>,
    /// Whether it may remove whole messages, so that the records of a log must be known.
    pub removes: bool,
    /// Where its cuts lie from one request to the next.
    pub reach: Reach,
    /// Whether it rests if its cuts would break the transcript, though it is not under the
    /// composition cap.
    pub rests_if_invalid: bool,
    /// Proposes cuts.
    pub plan: fn(&View<'_>, &Settings, Mode) -> Result<Proposal, Rest>,
}

/// Where the cuts of a pass lie from one request to the next: what decides whether they are weighed
/// against the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Behind the cuts of earlier requests, as content becomes old enough.
    Onward,
    /// Anywhere: the newest message decides about content of any age.
    AnyAge,
    /// As for [`Reach::AnyAge`] in logs. In a body, whose turns the caller chose, as for
    /// [`Reach::Onward`].
    AnyAgeInLogs,
    /// It weighs its cuts itself.
    Weighed,
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
/// A failed pass: its error.
pub(crate) fn proposed(found: Result<Proposal, Rest>) -> Result<Proposal> {
    match found {
        Ok(proposal) => Ok(proposal),
        Err(Rest::Because(why)) => Ok(note(why)),
        Err(Rest::Failed(error)) => Err(error),
    }
}

/// The passes that remove whole parts, in the order in which they run. A pass of another crate runs
/// behind them, before those that shorten.
pub const REMOVING: &[Pass] = &[
    // First: a person's choice comes before any rule.
    select::PASS,
    // Before stale-resource: a call that is removed for its age holds no version.
    ephemeral::PASS,
    // stale-resource, before all passes that shorten: a removed result need not be trimmed.
    versions::PASS,
    // Before the passes by size: duplicates are removed before anything is trimmed.
    dedupe::PASS,
    // Turns are removed before results are trimmed: a smaller context may need no trimming.
    turn_drop::PASS,
];

/// The passes that shorten results, in the order in which they run.
pub const SHORTENING: &[Pass] = &[
    // Where soft-trim is, in whose place it is.
    edits::PASS,
    // Before hard-clear, which asks whether trimming was enough.
    edits::SOFT_TRIM,
    edits::HARD_CLEAR,
    // In a mode of its own, without the other two passes that clear and trim.
    break_even::PASS,
];

/// All passes of this crate, in the order in which they run.
pub static PASSES: LazyLock<Vec<Pass>> = LazyLock::new(|| [REMOVING, SHORTENING].concat());

/// Whether a pass of `passes` that `settings` have on may remove messages.
pub fn may_remove(passes: &[Pass], settings: &Settings) -> bool {
    passes
        .iter()
        .any(|pass| pass.removes && pass.is_on(settings))
}

impl Pass {
    /// A pass that is off, asks no clock, removes no message and cuts nothing: a row names what
    /// differs from it.
    pub const REST: Pass = Pass {
        name: "",
        about: "",
        on: |_| false,
        clocked: false,
        size: None,
        removes: false,
        reach: Reach::Onward,
        rests_if_invalid: false,
        plan: |_, _, _| Ok(Proposal::default()),
    };

    /// Whether `settings` have it on.
    pub fn is_on(&self, settings: &Settings) -> bool {
        !settings.passes.off.contains(self.name)
            && ((self.on)(settings) || settings.passes.on.contains(self.name))
    }

    /// Whether what it proposes is weighed against the cache that it breaks, where the cache is
    /// known. `layout` is that of the input.
    pub fn is_weighed(&self, settings: &Settings, layout: Layout) -> bool {
        let asks_clock = matches!(
            settings.context_pruning.mode,
            Mode::Auto | Mode::CacheTtl | Mode::BreakEven
        );
        let changes_old = match self.reach {
            Reach::AnyAge => true,
            Reach::AnyAgeInLogs => layout != Layout::Body,
            Reach::Onward | Reach::Weighed => false,
        };
        match settings.only_if {
            OnlyIf::Always => false,
            OnlyIf::ItPays => self.reach != Reach::Weighed,
            OnlyIf::Auto => asks_clock && changes_old,
        }
    }

    /// Whether it rests if its cuts would break the transcript: a pass that removes much by a rule
    /// of its own.
    pub fn skips_if_invalid(&self) -> bool {
        self.size.is_some() || self.rests_if_invalid
    }
}

/// A proposal that cuts nothing, and why.
pub(crate) fn note(text: impl Into<String>) -> Proposal {
    Proposal {
        note: Some(text.into()),
        ..Proposal::default()
    }
}

/// Returns why a pass by size does not act yet: the share of the window that the context has, and
/// the share from which on it acts.
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
