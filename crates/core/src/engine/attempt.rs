//! One run over a transcript: cache policy, passes, edits, check, report.

use super::cache_state::{asks_cache, cache_state, is_weighed, with_request};
use super::composition::CompositionCap;
use super::context_management::ContextManagementResult;
use super::timed::is_timed;
use super::{Pruned, Setup, Task};
use crate::Error;
use crate::cache_cost::{LastPrompt, cache_cost};
use crate::cache_policy::{CachePolicy, Clock, LastCall, decide, ttl_disagrees};
use crate::check::{Defect, check_by, depends_on_model, new_defects};
use crate::diagnostics::{Integrity, Reranked, Skip, Warning};
use crate::edit::{Action, Edits, Proposal, View};
use crate::listing::listing;
use crate::pass::edits::{self, Origin, StepContext};
use crate::pass::protection::guard;
use crate::pass::weighing::keep_what_pays;
use crate::pass::{Pass, note, thinking};
use crate::prices::row_at;
use crate::read_at::ReadAt;
use crate::recorded::{is_cached_long, recorded};
use crate::report::{self, Detail};
use crate::session::{ends_with, marker, sticky};
use crate::settings::{Mode, OnlyIf, window};
use crate::transcript::{Flags, Transcript};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The output, read again.
pub(super) struct RereadOutput {
    /// Its defects.
    pub defects: Vec<Defect>,
    /// Its bytes, if they were rendered.
    pub output: Option<Vec<u8>>,
    /// The number of its messages, if it was read as a whole. It may be less than that of the kept messages: some formats merge messages of
    /// the model if nothing is left between them.
    pub messages: Option<usize>,
}

pub(super) type RereadResult = Result<RereadOutput, Error>;

/// The reason for skipping a pass whose cuts broke the transcript.
const BREAKS: &str = "what it would cut breaks the transcript";

/// Runs cache policy, passes, edits, check and report. `again` reads the output, given the defects of the input. A pass that may be skipped
/// is left out if its cuts would break the transcript; the report says so.
pub(super) fn run(
    before: &Transcript,
    texts: &dyn ReadAt,
    setup: &Setup,
    again: impl Fn(&View<'_>, &Edits, &[Defect]) -> RereadResult,
) -> Result<Pruned, Error> {
    let mut resting = Vec::new();
    let error = match attempt(before, texts, setup, &again, &mut resting) {
        Err(error @ (Error::Broken(_) | Error::Mismatch { .. } | Error::Fixed { .. }))
            if !resting.is_empty() =>
        {
            error
        }
        other => return other,
    };
    let mut pruned = attempt(before, texts, setup, &again, &mut resting)?;
    pruned.report.warnings.push(Warning::new(format!(
        "{} rests: {error}",
        resting.join(" and ")
    )));
    Ok(pruned)
}

/// Runs without the passes in `resting`. If the output would be broken, adds to `resting` those passes that may be skipped and did cut.
fn attempt(
    before: &Transcript,
    texts: &dyn ReadAt,
    setup: &Setup,
    again: &impl Fn(&View<'_>, &Edits, &[Defect]) -> RereadResult,
    resting: &mut Vec<&'static str>,
) -> Result<Pruned, Error> {
    let settings = &setup.settings;
    let model = settings.model.as_deref().or(before.model.as_deref());
    let provider = settings.provider.as_deref().or(before.provider.as_deref());
    let window = window(settings, model, provider);
    let mut view = View::new(before, texts, settings, window.tokens);
    view.naming = setup.naming;
    let long = is_cached_long(&view)?;
    let (row, priced) = row_at(
        model.unwrap_or_default(),
        Some(setup.clock.now),
        &settings.replay,
    );
    let lifetime = long.map(|is_long| row.lifetime_ms(is_long));
    let mut policy = decide(before, settings, &clock(setup), lifetime, setup.naming);
    let mut pass_notes = PassNotes::default();
    let list = setup.detail == Detail::Parts;
    let parts = if list {
        listing(&view, settings)?
    } else {
        Vec::new()
    };
    let (mut known, mut gone) = (Vec::new(), Vec::new());
    if let Some(why) = &setup.rest {
        (policy.open, policy.decision.ran) = (false, false);
        policy.decision.why.clone_from(why);
    } else if let Some(memory) = &setup.memory {
        known = sticky::known(before, texts, memory.is_structural())?;
        let (proposal, changed) = sticky::replay(&view, &known, memory)?;
        gone = changed;
        pass_notes.take(sticky::NAME, &proposal);
        view.accept_earlier(proposal);
    }
    // Cuts that the agent recorded are used only until there is a state.
    let first_run = setup
        .memory
        .as_ref()
        .is_none_or(|memory| memory.prefix.is_none());
    if setup.rest.is_none() && first_run && !before.projections.is_empty() {
        let proposal = marker::replay(&view)?;
        pass_notes.take(marker::NAME, &proposal);
        view.accept_earlier(proposal);
    }
    let asks_cache = asks_cache(before, &policy, setup);
    policy.decision.is_timed = is_timed(&policy, setup, &row, asks_cache);
    if asks_cache {
        view.cache = Some(cache_state(&view, &policy, setup, long)?);
    }
    let mut cap = CompositionCap::default();
    let mut managed = ContextManagementResult::default();
    if setup.rest.is_none() && !list {
        managed = ContextManagementResult::begin(&mut view, setup)?;
        managed
            .proposals
            .drain(..)
            .for_each(|(name, proposal)| pass_notes.take(name, &proposal));
        pass_notes.warnings.append(&mut managed.warnings);
    }
    if setup.rest.is_none() && !list && !managed.instead {
        passes(
            &mut view,
            &policy,
            setup,
            resting,
            (&mut cap, &mut pass_notes),
        )?;
    }
    let warned = thinking::apply(&mut view, settings.thinking, model)?;
    if view.cuts().any(|cut| cut.pass == thinking::NAME) {
        pass_notes.passes.push((thinking::NAME, 0));
    }
    let cut: BTreeSet<&'static str> = view
        .cuts()
        .map(|cut| cut.pass)
        .chain(view.outside().iter().map(|cut| cut.pass))
        .filter(|name| {
            setup
                .passes
                .iter()
                .any(|pass| pass.name == *name && pass.skips_if_invalid())
        })
        .collect();
    let edits = Edits::of(&view).inspect_err(|_| resting.extend(&cut))?;
    let defects = check_by(before, view.rules, texts, |_, block| {
        block.flags.has(Flags::BLANK)
    });
    let RereadOutput {
        defects: after,
        output,
        messages,
    } = if edits.is_empty() && !view.is_structural() {
        RereadOutput {
            defects: defects.clone(),
            output: None,
            messages: None,
        }
    } else {
        again(&view, &edits, &defects).inspect_err(|_| resting.extend(&cut))?
    };
    let new = new_defects(&defects, &after);
    if !new.is_empty() {
        resting.extend(&cut);
        return Err(Error::Broken(
            new.into_iter().map(|d| d.row.clone()).collect(),
        ));
    }
    let waits = |pass: &&Pass| pass.clocked || pass.is_weighed(settings, before.layout);
    let steps = settings
        .edits
        .iter()
        .map(|step| step.kind.name())
        .chain(managed.applied.iter().map(|edit| edit.pass));
    let waiting: Vec<&str> = setup
        .passes
        .iter()
        .filter(waits)
        .map(|pass| pass.name)
        .chain(steps)
        .collect();
    let learn = |_| sticky::new_state(&view, known, (gone, &waiting), setup.clock.now);
    let mut learned = setup.memory.as_deref().map(learn).transpose()?;
    if let (Some(learned), Some(memory)) = (&mut learned, &setup.memory) {
        learned.ledger = with_request(memory.ledger, &view, setup);
        let same = view
            .cuts()
            .find(|cut| !cut.is_earlier())
            .map_or(u32::MAX, |cut| cut.message);
        learned.ends = ends_with(
            &memory.ends,
            same,
            before.messages.len() as u32,
            setup.clock.now,
        );
    }
    let PassNotes {
        passes,
        skipped,
        mut reranked,
        warnings,
        notes,
    } = pass_notes;
    let mut report = report::build(&view, &edits, policy, window, passes, setup.detail)?;
    report.context_management = managed.account();
    report.after.messages = messages.map_or(report.before.messages, |n| n as u64);
    let last = LastPrompt {
        idle: report.decision.idle_ms,
        long,
        counted: recorded(&view)?,
    };
    report.cache = cache_cost(&view, last, (row, priced));
    report.model = model.map(str::to_owned);
    report.provider = provider.map(str::to_owned);
    report.skipped = skipped;
    report.parts = parts;
    // A later pass may have cut what was ranked.
    reranked.retain(|list| {
        list.block
            .and_then(|block| view.cut(block))
            .is_none_or(|cut| matches!(cut.action, Action::Rewrite(_)))
    });
    report.reranked = reranked;
    cap.add_to(setup, &mut report);
    if view.is_whole() {
        let texts = notes
            .iter()
            .map(|(names, note)| format!("; {names}: {note}"));
        report.decision.why = texts.fold(report.decision.why, |why, text| why + &text);
        report.decision.notes = notes;
    }
    report.integrity = Integrity {
        before: defects.into_iter().map(|d| d.row).collect(),
        after: after.into_iter().map(|d| d.row).collect(),
    };
    report.warnings = [setup.warnings.clone(), before.warnings.clone(), warnings].concat();
    report
        .warnings
        .extend(ttl_disagrees(settings, &report.decision, lifetime).map(Warning::new));
    report.warnings.extend(warned.into_iter().map(Warning::new));
    let codes = if setup.task != Task::Prune {
        depends_on_model(before, texts)
    } else {
        Vec::new()
    };
    if !codes.is_empty() {
        let (codes, model) = (codes.join(", "), (setup.naming)("model"));
        let text = format!(
            "not checked: {codes}; some models refuse this, and none is named: name the model with {model}"
        );
        report.warnings.push(Warning::new(text));
    }
    Ok(Pruned {
        report,
        edits,
        output,
        learned,
    })
}

/// Runs the passes on `view`, as a prune of the same context does, without checking the output.
///
/// # Errors
/// The input cannot be read any more.
pub fn cut(view: &mut View<'_>, policy: &CachePolicy, setup: &Setup) -> Result<(), Error> {
    passes(
        view,
        policy,
        setup,
        &[],
        (&mut CompositionCap::default(), &mut PassNotes::default()),
    )?;
    let model = setup
        .settings
        .model
        .as_deref()
        .or(view.transcript.model.as_deref());
    thinking::apply(view, setup.settings.thinking, model).map(drop)
}

/// Runs the passes in order, without those in `resting`.
fn passes(
    view: &mut View<'_>,
    policy: &CachePolicy,
    setup: &Setup,
    resting: &[&'static str],
    (cap, pass_notes): (&mut CompositionCap, &mut PassNotes),
) -> Result<(), Error> {
    for pass in setup
        .passes
        .iter()
        .filter(|pass| pass.is_on(&setup.settings))
    {
        if pass.name == edits::PASS.name {
            // Without a known time they wait like the others, but without a note.
            if policy.open {
                steps(view, pass, policy, setup, pass_notes)?;
            }
            continue;
        }
        let rests = resting.contains(&pass.name);
        let proposal = if rests {
            note(BREAKS)
        } else {
            propose(view, pass, policy, setup, cap)?
        };
        cap.note(pass, &proposal);
        pass_notes.take(pass.name, &proposal);
        view.accept(proposal);
    }
    Ok(())
}

/// Runs the steps of `edits`, each on what the previous ones left.
fn steps(
    view: &mut View<'_>,
    pass: &Pass,
    policy: &CachePolicy,
    setup: &Setup,
    pass_notes: &mut PassNotes,
) -> Result<(), Error> {
    let (mode, idle) = (policy.mode, policy.decision.idle_ms);
    for (number, step) in setup.settings.edits.iter().enumerate() {
        let moment = StepContext {
            mode,
            idle,
            asked: false,
            number,
            origin: Origin::Edits,
            next: None,
        };
        let (mut proposal, name) = (
            edits::step(view, &setup.settings, step, moment)?,
            step.kind.name(),
        );
        guard(view, &setup.settings, name, &mut proposal)?;
        if is_weighed(pass, view.transcript, policy, &setup.settings) {
            keep_what_pays(view, &setup.settings.break_even, name, &mut proposal);
        }
        pass_notes.take(name, &proposal);
        view.accept(proposal);
    }
    Ok(())
}

/// Returns the proposal of a pass, or the reason why it proposes nothing.
fn propose(
    view: &View<'_>,
    pass: &Pass,
    policy: &CachePolicy,
    setup: &Setup,
    cap: &mut CompositionCap,
) -> Result<Proposal, Error> {
    let settings = &setup.settings;
    if let Some(why) = cap.rests(view, pass, setup)? {
        return Ok(note(why));
    }
    if policy.open || !pass.clocked {
        let mut proposal = (pass.plan)(view, settings, policy.mode)?;
        guard(view, settings, pass.name, &mut proposal)?;
        if is_weighed(pass, view.transcript, policy, settings) {
            let unasked = settings.only_if == OnlyIf::Auto
                && settings.context_pruning.mode != Mode::BreakEven;
            let weighed = if unasked {
                Cow::Owned(settings.break_even.unasked())
            } else {
                Cow::Borrowed(&settings.break_even)
            };
            keep_what_pays(view, &weighed, pass.name, &mut proposal);
        }
        return Ok(proposal);
    }
    // A pass that was named by the user is reported as waiting.
    let note = settings
        .passes
        .on
        .contains(pass.name)
        .then(|| "the cache has not expired".to_owned());
    Ok(Proposal {
        note,
        ..Proposal::default()
    })
}

/// What the passes report besides their cuts.
#[derive(Default)]
struct PassNotes {
    /// Each pass, with the number of parts that it examined and left.
    passes: Vec<(&'static str, u64)>,
    skipped: Vec<Skip>,
    reranked: Vec<Reranked>,
    warnings: Vec<Warning>,
    /// Names of passes, and why they did nothing.
    notes: Vec<(String, String)>,
}

impl PassNotes {
    /// Adds what a pass reported.
    fn take(&mut self, pass: &'static str, proposal: &Proposal) {
        if let Some(note) = &proposal.note {
            // A reason that several passes share is reported once.
            match self.notes.iter_mut().find(|(_, said)| said == note) {
                Some((names, _)) => *names = format!("{names}, {pass}"),
                None => self.notes.push((pass.to_owned(), note.clone())),
            }
        }
        self.reranked.extend(proposal.reranked.iter().cloned());
        self.skipped.extend(proposal.skipped.iter().cloned());
        self.warnings
            .extend(proposal.warnings.iter().cloned().map(Warning::new));
        match self.passes.iter_mut().find(|(name, _)| *name == pass) {
            Some((_, skipped)) => *skipped += proposal.skipped.len() as u64,
            None => self.passes.push((pass, proposal.skipped.len() as u64)),
        }
    }
}

/// Returns the clock. If no last call was given, it is that of the state.
fn clock(setup: &Setup) -> Clock {
    let stored = setup
        .memory
        .as_ref()
        .and_then(|memory| memory.last_call)
        .map(LastCall::Stored);
    Clock {
        last_call: setup.clock.last_call.or(stored),
        ..setup.clock
    }
}
