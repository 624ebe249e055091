//! Runs the passes, each on what the earlier ones left.

use super::{
    cache_state::{is_unasked, is_weighed, redoes_reasoning},
    *,
};
use crate::{
    pass::{edits, note, proposed, protection::guard, weighing::keep_what_pays},
    settings::Step,
};

/// The reason for skipping a pass whose cuts broke the transcript.
const BREAKS: &str = "what it would cut breaks the transcript";

/// Runs the passes in order.
pub fn cut(run: &mut Run<'_>) -> Result<()> {
    let setup = run.setup;
    if !run.may_cut() || run.is_left_to_server {
        return Ok(());
    }
    for pass in setup
        .passes
        .iter()
        .filter(|pass| pass.is_on(&setup.settings))
    {
        if pass.name == edits::PASS.name {
            // Without a known time they wait like the others, but without a note.
            if run.policy.open {
                steps(run, pass)?;
            }
            continue;
        }
        let proposal = if run.resting.contains(&pass.name) {
            note(BREAKS)
        } else {
            propose(run, pass)?
        };
        run.cap.note(pass, &proposal);
        run.accept(pass.name, proposal);
    }
    Ok(())
}

/// Runs the steps of `edits`.
fn steps(run: &mut Run<'_>, pass: &Pass) -> Result<()> {
    let policy = &run.setup.settings.edits;
    for (number, wanted) in policy.iter().enumerate() {
        // The tools of a preset are those of its program.
        if run.setup.settings.preset.is_empty() {
            run.report
                .warnings
                .extend(edits::unmatched(&run.view, wanted).map(Warning::new));
        }
        let mut proposal = match run.policy.mode {
            Mode::Off => Proposal::default(),
            _ => step(run, policy, number, run.policy.decision.idle_ms)?,
        };
        weigh(run, pass, wanted.kind.name(), &mut proposal);
        run.accept(wanted.kind.name(), proposal);
    }
    Ok(())
}

/// Returns what step `number` of a policy proposes, without what is protected.
pub fn step(run: &Run<'_>, policy: &[Step], number: usize, idle: Option<i64>) -> Result<Proposal> {
    let view = &run.view;
    let settings = &run.setup.settings;
    let mut proposal = proposed(edits::step(view, settings, policy, number, idle))?;
    guard(view, settings, policy[number].kind.name(), &mut proposal)?;
    Ok(proposal)
}

/// Returns the proposal of a pass, or the reason why it proposes nothing.
fn propose(run: &mut Run<'_>, pass: &Pass) -> Result<Proposal> {
    let view = &run.view;
    let settings = &run.setup.settings;
    if let Some(why) = run.cap.rests(view, pass, run.setup)? {
        return Ok(note(why));
    }
    if !run.policy.open && pass.clocked {
        // A pass that was named by the user is reported as waiting.
        return Ok(if settings.passes.on.contains(pass.name) {
            note("the cache has not expired")
        } else {
            Proposal::default()
        });
    }
    let mut proposal = proposed((pass.plan)(view, settings, run.policy.mode))?;
    guard(view, settings, pass.name, &mut proposal)?;
    weigh(run, pass, pass.name, &mut proposal);
    Ok(proposal)
}

/// Takes out of a proposal the cuts that do not pay, if the cuts of `pass` are weighed.
fn weigh(run: &Run<'_>, pass: &Pass, name: &'static str, proposal: &mut Proposal) {
    let settings = &run.setup.settings;
    if is_weighed(pass, run.view.transcript, &run.policy, settings) {
        let mut weighed = settings.break_even.clone();
        if is_unasked(settings) && !redoes_reasoning(run.view.transcript, settings) {
            weighed = weighed.unasked();
        }
        keep_what_pays(&run.view, &weighed, name, proposal);
    }
}
