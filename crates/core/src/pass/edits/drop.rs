//! Drop: removes calls with their results, reasoning, and answers at the end.

use super::candidates::ToolUse;
use super::{StepContext, keep};
use crate::Error;
use crate::edit::{Action, Cut, Proposal, Reason, Rewrite, Segment, View};
use crate::json::text;
use crate::pass::dependencies::{Dependencies, Part};
use crate::pass::note;
use crate::pass::protection::Protection;
use crate::pass::removal::remove;
use crate::pass::thinking::open_loop;
use crate::settings::{Exemption, Settings, Step, StepType, Unit};
use crate::shorten::{Template, TemplateValues};
use crate::transcript::{BlockKind, Flags, Layout, Role};
use std::collections::BTreeMap;

/// Removes the candidates of `uses`.
///
/// # Errors
/// The input cannot be read any more.
pub fn calls(
    view: &View<'_>,
    settings: &Settings,
    step: &Step,
    dependencies: &Dependencies<'_>,
    uses: &[ToolUse],
) -> Result<Proposal, Error> {
    let reason = Reason::Shared(super::act::reason(step).into());
    let part = |one: &ToolUse| one.call.or(one.result.map(|at| (at.message, at.block)));
    // Reasoning that the model continues from must come back as it was, and is removed with the last call beside it.
    let open = open_loop(view);
    let reasons = |i: usize| view.parts_left(i).any(|(_, block)| block.kind == BlockKind::Thinking);
    let is_bound = |part: &Part| part.0 as usize >= open && dependencies.pieces_of(part.0 as usize).any(reasons);
    let wanted: BTreeMap<Part, Reason> = uses
        .iter()
        .filter(|one| one.is_candidate())
        .filter_map(part)
        .filter(|part| !is_bound(part))
        .map(|part| (part, reason.clone()))
        .collect();
    if wanted.is_empty() {
        return Ok(note("no call is to be removed"));
    }
    let protection = Protection::new(view, dependencies, settings)?;
    let protection = if step.unread == Exemption::Clear { protection.without_step() } else { protection };
    let proposal = remove(view, StepType::DropToolCalls.name(), dependencies, &protection, wanted);
    match &step.note {
        Some(note) => noted(view, note, proposal),
        None => Ok(proposal),
    }
}

/// Leaves a text in the place of each call that `proposal` removes, where the format has texts beside calls and the provider accepts
/// answers that follow each other, unless another call stays before it. The note of the newest call comes first: they are added from the newest to the oldest.
fn noted(view: &View<'_>, note: &str, mut proposal: Proposal) -> Result<Proposal, Error> {
    let transcript = view.transcript;
    let Some((begin, end)) = transcript.text_part.filter(|_| !view.rules.alternates && !view.rules.calls_follow_input) else {
        return Ok(proposal);
    };
    let template = Template::new(note);
    let mut calls: BTreeMap<u32, Vec<(usize, String)>> = BTreeMap::new();
    for (at, cut) in proposal.cuts.iter().enumerate() {
        let block = &transcript.blocks[cut.block as usize];
        let is_part = transcript.messages[cut.message as usize].array && !block.flags.has(Flags::CACHE_MARK);
        if block.kind == BlockKind::Call && cut.action == Action::Drop && is_part {
            let link = transcript.link(block);
            let record = transcript.messages[cut.message as usize].record;
            let id = text::lossy(&view.texts.read(record + u64::from(link.id.start), record + u64::from(link.id.end))?);
            let facts = TemplateValues { tool: transcript.tool_of(block), id: &id, subject: "" };
            calls.entry(cut.message).or_default().push((at, template.of("", facts)));
        }
    }
    // A text must not be behind a call that stays.
    calls.retain(|message, cuts| {
        let removed: Vec<u32> = cuts.iter().map(|(at, _)| proposal.cuts[*at].block).collect();
        let mut kept = view.parts_left(*message as usize).filter(|(index, b)| b.kind == BlockKind::Call && !removed.contains(index));
        kept.all(|(index, _)| removed.iter().all(|call| *call < index))
    });
    for cuts in calls.values() {
        let places: Vec<usize> = cuts.iter().map(|(at, _)| *at).collect();
        for (at, (_, new)) in places.into_iter().zip(cuts.iter().rev()) {
            let cut = &mut proposal.cuts[at];
            let mut raw = Vec::new();
            text::encode(new, &mut raw);
            let segments = vec![Segment::Literal(format!("{begin}{}{end}", String::from_utf8_lossy(&raw)))];
            cut.chars_after = view.chars_of_text(new);
            cut.action = Action::Preview(Rewrite { span: transcript.blocks[cut.block as usize].span, segments });
        }
    }
    // Reasoning beside a note stays: it is removed only with the last part behind it.
    let is_reasoning = |cut: &Cut| transcript.blocks[cut.block as usize].kind == BlockKind::Thinking;
    proposal.cuts.retain(|cut| !(is_reasoning(cut) && calls.contains_key(&cut.message)));
    Ok(proposal)
}

/// Removes reasoning, but for that of the newest answers.
///
/// # Errors
/// The input cannot be read any more.
pub fn thinking(
    view: &View<'_>,
    settings: &Settings,
    step: &Step,
    dependencies: &Dependencies<'_>,
    _: StepContext,
) -> Result<Proposal, Error> {
    let transcript = view.transcript;
    let holds = |i: usize| view.parts_left(i).any(|(_, block)| block.kind == BlockKind::Thinking);
    let unit = step.keep.map_or(Unit::ThinkingTurns, |keep| keep.amount.unit);
    let answers = (0..transcript.messages.len()).filter(|&i| transcript.messages[i].role == Role::Assistant && !view.is_gone(i));
    let mut turns: Vec<u32> =
        answers.filter(|&i| unit == Unit::AssistantMessages || holds(i)).map(|i| dependencies.begin_of(i as u32)).collect();
    turns.dedup();
    let number = step.keep.map_or(1.0, |keep| keep.amount.number);
    let go = match unit {
        Unit::Messages | Unit::AllMessages => match keep::first_kept(view, unit, number)? {
            Ok(from) => turns.partition_point(|begin| *begin < from),
            Err(why) => return Ok(note(why)),
        },
        _ if number >= turns.len() as f64 => 0,
        _ => turns.len() - number as usize,
    };
    let reason = Reason::Shared(super::act::reason(step).into());
    let mut wanted = BTreeMap::new();
    // What the model continues from must come back as it was.
    let open = open_loop(view) as u32;
    for &begin in turns[..go].iter().filter(|begin| **begin < open) {
        for i in dependencies.pieces_of(begin as usize) {
            let parts = view.parts_left(i).filter(|(_, block)| block.kind == BlockKind::Thinking);
            wanted.extend(parts.map(|(index, _)| ((i as u32, index), reason.clone())));
        }
    }
    if wanted.is_empty() {
        return Ok(note("no reasoning is old enough"));
    }
    Ok(remove(view, StepType::ClearThinking.name(), dependencies, &Protection::new(view, dependencies, settings)?, wanted))
}

/// Removes the answers behind which nobody said anything. A log ends with an answer until the next question.
///
/// # Errors
/// The input cannot be read any more.
pub fn last_answers(view: &View<'_>, settings: &Settings, step: &Step, dependencies: &Dependencies<'_>) -> Result<Proposal, Error> {
    let transcript = view.transcript;
    if transcript.layout != Layout::Body {
        return Ok(note("a log ends with an answer"));
    }
    let spoken = (0..transcript.messages.len()).rev().filter(|&i| transcript.messages[i].role != Role::System && !view.is_gone(i));
    let reason = Reason::Shared(super::act::reason(step).into());
    let answers = spoken.take_while(|&i| transcript.messages[i].role == Role::Assistant);
    let parts = answers.flat_map(|i| view.parts_left(i).map(move |(index, _)| (i as u32, index)));
    let wanted: BTreeMap<Part, Reason> = parts.map(|part| (part, reason.clone())).collect();
    if wanted.is_empty() {
        return Ok(note("no answer is at the end"));
    }
    let protection = Protection::new(view, dependencies, settings)?.without_step();
    Ok(remove(view, step.kind.name(), dependencies, &protection, wanted))
}
