//! Act: the cuts of a step that puts other text in the place of results and of the arguments of
//! calls; where it stops, from the oldest candidate on, and which savings are too small.

use super::{pruning::reason, rules::new_text, *};
use crate::{
    edit::Rewrite,
    json::Kind,
    pass::{candidates::exclusion, note},
    resource::arguments::place,
    settings::Images,
    transcript::{Block, EmptyContent},
};
use std::cell::LazyCell;

/// Excludes what must stay, and reports it.
///
/// # Errors
/// The input cannot be read any more.
pub fn guard(
    view: &View<'_>,
    settings: &Settings,
    step: &Step,
    uses: &mut [ToolUse],
    skipped: &mut Vec<Skip>,
) -> Result<()> {
    let protection = UserProtection::new(view, settings)?;
    let truncates = step.kind == StepType::TruncateToolResults;
    let images = if truncates {
        Images::Skip
    } else {
        Images::Prune
    };
    let is_malformed = |child: &Block| child.kind == BlockKind::Malformed;
    for one in uses.iter_mut().filter(|one| one.is_candidate()) {
        let Some((message, block)) = one.result else {
            continue;
        };
        let malformed = || truncates && view.children(block).iter().any(is_malformed);
        let why = protection
            .reason(block)
            .or_else(|| exclusion(view, block, images, !truncates))
            .or_else(|| malformed().then_some("a text in it is no string"));
        if let Some(why) = why {
            one.stays = true;
            skipped.push(view.skip(step.kind.name(), (message, block), why));
        }
    }
    Ok(())
}

/// The cuts of a step, which puts other text in the place of results.
///
/// # Errors
/// The input cannot be read any more.
pub fn cuts(
    view: &View<'_>,
    step: &Step,
    rules: &Rules,
    uses: &[ToolUse],
    count: &mut Count,
) -> Result<Proposal> {
    let pass = step.name();
    let usual = LazyCell::new(|| reason(step));
    let (mut cuts, mut done, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
    let mut progress = Progress::new(view, step, uses, count);
    let counts_tokens = step.clear_at_least.is_some() || matches!(step.until, Stop::Freed(_));
    let skips_shorter = step.kind == StepType::ClearToolResults
        && step.pruning.is_some_and(|pruning| pruning.skip_shorter);
    for one in uses.iter().filter(|one| one.is_candidate()) {
        let Some(result) = one.result else { continue };
        if progress.is_enough() {
            break;
        }
        let begin = cuts.len();
        if !one.done
            && let Some(new) = new_text(view, rules, one, result)?
        {
            let why = if new.blank && must_say_something(view, result) {
                Some("the provider refuses a result that says nothing")
            } else {
                (skips_shorter && view.chars_of_result(result.1) <= new.chars)
                    .then_some("it is no longer than the placeholder")
            };
            if let Some(why) = why {
                skipped.push(view.skip(pass, result, why));
                continue;
            }
            let own = new.reason.filter(|_| step.pruning.is_some());
            let reason = own.unwrap_or_else(|| usual.clone());
            cuts.push(view.new_cut(pass, result, (new.action, new.chars), reason));
        }
        if let Some(call) = one.call.filter(|_| one.clears_input)
            && let Some(action) = inputs_cleared(view, call)?
        {
            cuts.push(view.new_cut(pass, call, (action, EMPTY_OBJECT), usual.clone()));
        }
        if cuts.len() > begin {
            let tokens = if counts_tokens {
                count.freed(view, one, &cuts[begin..])?
            } else {
                0.0
            };
            progress.add(&cuts[begin..], tokens);
            done.push(ClearOutcome {
                end: cuts.len(),
                tokens,
            });
        }
    }
    match worthwhile(step, &done) {
        Ok(number) => cuts.truncate(number.checked_sub(1).map_or(0, |last| done[last].end)),
        Err(why) => return Ok(note(why)),
    }
    cuts.sort_by_key(|cut| (cut.message, cut.block));
    Ok(Proposal {
        cuts,
        skipped,
        ..Proposal::default()
    })
}

/// Whether a result without any words is refused: as an error, or as a list of texts.
fn must_say_something(view: &View<'_>, result: Part) -> bool {
    let flags = view.block(result.1).flags;
    matches!(view.rules.empty, EmptyContent::No { .. }) && !flags.has(Flags::STRING)
        || view.rules.error_filled && flags.has(Flags::ERROR)
}

/// The effect of clearing one call.
#[derive(Debug)]
struct ClearOutcome {
    /// The number of cuts of this call and all before it.
    end: usize,
    /// Tokens that it frees.
    tokens: f64,
}

/// Chars that a cut removes from what earlier cuts left.
pub fn removed(view: &View<'_>, cut: &Cut) -> f64 {
    view.cut(cut.block)
        .map_or(cut.chars_before, |earlier| earlier.chars_after) as f64
        - cut.chars_after as f64
}

/// The stop of a step: counts what its cuts free, from the oldest on.
struct Progress<'a> {
    view: &'a View<'a>,
    until: Stop,
    /// The amount that was freed, or that is left, in the unit of `until`.
    amount: f64,
}

impl<'a> Progress<'a> {
    /// A stop before any cut. `uses` are all uses that the step is about.
    fn new(view: &'a View<'a>, step: &Step, uses: &[ToolUse], count: &Count) -> Progress<'a> {
        let amount = match step.until {
            Stop::All => 0.0,
            Stop::Freed(_) => freed_before(view, uses, count),
            Stop::Fits(limit) if limit.unit == Unit::Chars => keep::chars(view, uses),
            Stop::Fits(_) => view.chars() as f64,
        };
        Progress {
            view,
            until: step.until,
            amount,
        }
    }

    /// Whether enough was cut.
    fn is_enough(&self) -> bool {
        match self.until {
            Stop::All => false,
            Stop::Freed(tokens) => self.amount >= tokens && tokens > 0.0,
            Stop::Fits(limit) if limit.unit == Unit::Chars => self.amount <= limit.number,
            Stop::Fits(limit) => self.view.fill(self.amount as u64) < limit.number,
        }
    }

    /// Counts the cuts of a use, which free `tokens`.
    fn add(&mut self, cuts: &[Cut], tokens: f64) {
        let view = self.view;
        // In the chars of all results, a cleared one counts 0, and a trimmed one what is left of
        // it.
        let of_results = matches!(self.until, Stop::Fits(limit) if limit.unit == Unit::Chars);
        if let Stop::Freed(_) = self.until {
            self.amount += tokens;
            return;
        }
        for cut in cuts {
            self.amount -= match cut.action {
                Action::ClearInput(_) if of_results => 0.0,
                Action::Clear(_) if of_results => removed(view, cut) + cut.chars_after as f64,
                _ => removed(view, cut),
            };
        }
    }
}

/// Returns how many elements of `done`, from the oldest on, are cut because they free enough, or
/// the reason why none is.
fn worthwhile(step: &Step, done: &[ClearOutcome]) -> Result<usize, String> {
    let Some(least) = step.clear_at_least else {
        return Ok(done.len());
    };
    if !least.batches {
        let sum: f64 = done.iter().map(|one| one.tokens).sum();
        if sum >= least.tokens {
            return Ok(done.len());
        }
        let least = least.tokens;
        return Err(format!(
            "it would free {sum:.0}, less than clear_at_least {least} (input_tokens)"
        ));
    }
    // The end of the last batch that frees enough.
    let (mut end, mut freed) = (0, 0.0);
    for (i, one) in done.iter().enumerate() {
        freed += one.tokens;
        if freed >= least.tokens {
            (end, freed) = (i + 1, 0.0);
        }
    }
    Ok(end)
}

/// The tokens that earlier requests freed from the uses of the step: an equal request frees no
/// more.
fn freed_before(view: &View<'_>, uses: &[ToolUse], count: &Count) -> f64 {
    let done = uses.iter().filter(|one| one.done);
    let cuts = done
        .flat_map(|one| one.result.into_iter().chain(one.call))
        .filter_map(|part| view.cut(part.1))
        .filter(|cut| cut.is_earlier());
    cuts.map(|cut| (cut.chars_before as f64 - cut.chars_after as f64) / count.chars_per_token())
        .sum()
}

/// Chars of an empty object.
const EMPTY_OBJECT: u64 = 2;

/// Returns the action that clears the arguments of a call; `None` where they are empty or must not
/// change.
///
/// # Errors
/// The input cannot be read any more.
pub fn inputs_cleared(view: &View<'_>, (message, index): Part) -> Result<Option<Action>> {
    let (transcript, block) = (view.transcript, view.block(index));
    // A call without an id is identified by its content, and a signature is for the signed content.
    let mut beside = transcript.blocks_of(message as usize).iter();
    let is_bound =
        transcript.reasoning_binds && beside.any(|block| block.kind == BlockKind::Thinking);
    if transcript.link(block).id == Span::default()
        || block.flags.has(Flags::SIGNED)
        || is_bound
        || view.cut(index).is_some()
    {
        return Ok(None);
    }
    view.once(("arguments", 0, view.place((message, index))), || {
        let raw = view.bytes(message as usize, block.span)?;
        let Some((kind, at)) = place(&raw) else {
            return Ok(None);
        };
        // Some providers have arguments as a text of JSON.
        let new = if kind == Kind::String { "\"{}\"" } else { "{}" };
        let span = Span {
            start: block.span.start + at.start as u32,
            end: block.span.start + at.end as u32,
        };
        let clear = || {
            Action::ClearInput(Rewrite {
                span,
                segments: vec![Segment::Literal(new.to_owned())],
            })
        };
        Ok((raw[at] != *new.as_bytes()).then(clear))
    })
}
