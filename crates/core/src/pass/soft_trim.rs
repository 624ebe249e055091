//! soft-trim: shortens large old tool results to their head and tail.
//!
//! **What.** When the context fills `softTrimRatio` of the window, every candidate (`candidates`) of more than `softTrim.maxChars`
//! UTF-16 units is replaced by its first `headChars` and last `tailChars` and a note with its size. With `images: "prune"` the
//! images of a candidate are replaced by a marker as well, whatever its size.
//!
//! **Why.** Most of a transcript is old tool output, and its beginning and end are its most useful parts.
//!
//! **Safety.** Only the content of results changes; calls, ids and errors stay. Cuts fall between characters. A result that already
//! has the note, or was cleared, is left alone, so that a second run changes nothing.
//!
//! ```text
//! before  {"type":"text","text":"AAAAAAAA…ZZZZZZZZ"}
//! after   {"type":"text","text":"AAA\n...\nZZZ\n\n[Tool result trimmed: kept first 3 chars and last 3 chars of 9000 chars.]"}
//! ```

mod kept;

use super::candidates::{Candidate, candidates};
use super::hard_clear::{foreseen, is_placeholder};
use super::{Pass, note, too_small};
use crate::diagnostics::Skip;
use crate::edit::{Action, Cut, Proposal, Reason, Trim, View};
use crate::settings::{Estimator, Mode, Settings, SoftTrim};
use crate::transcript::{BlockKind, Flags, trim_note};
use kept::{IMAGE_REMOVED, NewText, Part, head, tail};
use std::collections::HashSet;

/// The table's row.
pub const PASS: Pass = Pass {
    name: "soft-trim",
    about: "keep head and tail of large old tool results",
    on: |settings| settings.edits.is_empty(),
    clocked: true,
    size: None,
    plan,
};

/// The text between head and tail, as escaped in JSON.
const GAP: &str = "\\n...\\n";

fn plan(view: &View<'_>, settings: &Settings, mode: Mode) -> Result<Proposal, crate::Error> {
    let pruning = &settings.context_pruning;
    if matches!(mode, Mode::Off | Mode::BreakEven) {
        return Ok(Proposal::default());
    }
    if mode == Mode::Aggressive {
        return Ok(note("the aggressive mode clears and does not trim"));
    }
    let ratio = view.ratio();
    if ratio < pruning.soft_trim_ratio {
        return Ok(note(too_small(ratio, "pruning", pruning.soft_trim_ratio, "softTrimRatio")));
    }
    let (candidates, skipped) = match candidates(view, settings, PASS.name)? {
        Ok(found) => found,
        Err(why) => return Ok(note(why)),
    };
    let cleared = foreseen(view, settings, &candidates, |at| {
        let is_new = view.cut(at.block).is_none();
        least(view, at, &pruning.soft_trim).filter(|_| is_new)
    })?;
    trims(view, settings, candidates, skipped, &cleared)
}

/// Trims the results in reach but those in `cleared`.
fn trims(
    view: &View<'_>,
    settings: &Settings,
    candidates: Vec<Candidate>,
    mut skipped: Vec<Skip>,
    cleared: &HashSet<u32>,
) -> Result<Proposal, crate::Error> {
    let pruning = &settings.context_pruning;
    let mut cuts = Vec::new();
    for at in candidates {
        // What an earlier run or pass cut keeps its bytes, and what will be cleared need not be trimmed.
        if cleared.contains(&at.block) || view.cut(at.block).is_some() || is_placeholder(view, at, &pruning.hard_clear.placeholder)? {
            continue;
        }
        match trim(view, at, &pruning.soft_trim)? {
            Outcome::Trimmed(trim, chars_after, reason) => {
                let chars_before = view.chars_of_result_before(at.block);
                let Candidate { message, block } = at;
                let action = Action::Trim(trim);
                cuts.push(Cut { pass: PASS.name, message, block, action, chars_before, chars_after, linked: false, reason })
            }
            Outcome::Left => {}
            Outcome::Skipped(why) => skipped.push(Skip {
                pass: PASS.name,
                message: view.transcript.messages[at.message as usize].number,
                part: view.transcript.blocks[at.block as usize].part.into(),
                why: why.to_owned(),
            }),
        }
    }
    Ok(Proposal { cuts, skipped, ..Proposal::default() })
}

/// Trims the result at `at` to `sizes`. Returns the trim and the chars that it leaves; `None` if there is nothing to trim.
///
/// # Errors
/// The input cannot be read any more.
pub fn trimmed(view: &View<'_>, at: Candidate, sizes: &SoftTrim) -> Result<Option<(Trim, u64)>, crate::Error> {
    Ok(match trim(view, at, sizes)? {
        Outcome::Trimmed(trim, chars, _) => Some((trim, chars)),
        Outcome::Left | Outcome::Skipped(_) => None,
    })
}

/// The outcome of a trim.
pub enum Outcome {
    /// The new text, its chars as they are weighed, and why.
    Trimmed(Trim, u64, Reason),
    /// The result is short.
    Left,
    /// The result is not to be trimmed, and why.
    Skipped(&'static str),
}

/// The least chars that a trim of the result at `at` leaves, as far as that is known without reading it, and whether the result has
/// as many as that leaves at most; none where there is nothing to trim.
fn least(view: &View<'_>, at: Candidate, sizes: &SoftTrim) -> Option<(u64, bool)> {
    let children = view.children(at.block);
    if children.last().is_some_and(|child| child.flags.has(Flags::TRIMMED)) {
        return None;
    }
    if children.iter().any(|child| child.kind != BlockKind::Text) {
        return Some((0, false));
    }
    let whole = children.iter().map(|child| u64::from(child.chars)).sum::<u64>() + (children.len() as u64).saturating_sub(1);
    let is_large = whole > sizes.max_chars && sizes.head_chars.saturating_add(sizes.tail_chars) < whole;
    if !is_large {
        return None;
    }
    let new = 5 + trim_note(sizes.head_chars, sizes.tail_chars, whole).len() as u64;
    let kept = sizes.head_chars + sizes.tail_chars;
    // A part of a text can weigh more than all of it only by this estimator, and by as much only.
    let weight = if view.estimator == Estimator::CjkV1 { kept.saturating_mul(3) } else { 0 };
    let shrinks = whole >= new + kept && view.chars_of_result_before(at.block) >= (new + kept).saturating_add(weight);
    // A cut that would split a pair leaves one unit less.
    Some((new + sizes.head_chars.saturating_sub(1) + sizes.tail_chars.saturating_sub(1), shrinks))
}

/// Trims one result, if it is to be.
pub fn trim(view: &View<'_>, at: Candidate, sizes: &SoftTrim) -> Result<Outcome, crate::Error> {
    let children = view.children(at.block);
    if children.last().is_some_and(|c| c.flags.has(Flags::TRIMMED)) {
        return Ok(Outcome::Skipped("it was trimmed before"));
    }
    let has_image = children.iter().any(|c| c.kind == BlockKind::Image);
    let lengths: Vec<u64> =
        children.iter().map(|c| if c.kind == BlockKind::Image { IMAGE_REMOVED.len() as u64 } else { u64::from(c.chars) }).collect();
    // Texts are joined by newlines.
    let whole = lengths.iter().sum::<u64>() + (lengths.len() as u64).saturating_sub(1);
    let keep = sizes.head_chars.saturating_add(sizes.tail_chars);
    let short = whole <= sizes.max_chars || keep >= whole;
    if short && !has_image {
        return Ok(Outcome::Left);
    }
    let record = view.transcript.messages[at.message as usize].record;
    let parts: Vec<Part<'_>> = children.iter().zip(&lengths).map(|(child, &length)| Part { view, record, child, length }).collect();
    let mut text = NewText::default();
    if short {
        head(&parts, u64::MAX, &mut text)?;
    } else {
        head(&parts, sizes.head_chars, &mut text)?;
        text.literal(GAP, 5);
        tail(&parts, sizes.tail_chars, &mut text)?;
        text.escaped(&trim_note(sizes.head_chars, sizes.tail_chars, whole));
    }
    let reason = if short {
        Reason::Shared("images are replaced by a marker".into())
    } else {
        Reason::Larger { chars: whole, limit: sizes.max_chars }
    };
    let chars = text.units + text.extra.sum() as u64;
    Ok(Outcome::Trimmed(Trim { segments: text.segments }, chars, reason))
}

#[cfg(test)]
mod tests {
    use super::super::hard_clear;
    use super::*;
    use crate::dialect::builder::TranscriptBuilder;
    use crate::dialect::{by_name, transcript};
    use crate::json::Cursor;
    use crate::settings::{Images, Scope};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    /// A conversation with results of these lengths; 0 is an image.
    fn body(sizes: &[usize]) -> String {
        let mut messages = vec![json!({"role": "user", "content": "go"})];
        for (i, size) in sizes.iter().enumerate() {
            let id = format!("c{i}");
            let content = match size {
                0 => json!([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aaaa"}}]),
                // Pairs, so that a cut may fall into one.
                size if size % 3 == 0 => {
                    json!([{"type": "text", "text": "a".to_owned() + &"😀".repeat(size / 2)}, {"type": "text", "text": "b"}])
                }
                size => Value::from("x".repeat(*size)),
            };
            messages.push(json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "f", "input": {}}]}));
            messages.push(json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": content}]}));
        }
        messages.push(json!({"role": "assistant", "content": "done"}));
        json!({"model": "m", "messages": messages}).to_string()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        /// Leaving out what is cleared anyway leaves the same cuts as trimming all and clearing then.
        #[test]
        fn cleared_results_are_not_trimmed_first(
            sizes in prop::collection::vec(prop_oneof![Just(0), 1..60usize, 60..250usize, 200..900usize], 1..14),
            (head, tail, max) in (0..60u64, 0..60u64, 0..300u64),
            (hard, soft, window) in (0.0..1.2f64, 0.0..0.5f64, 100..3000u64),
            (least, placeholder, skip_shorter, hard_on) in (0..3000u64, 0..200usize, any::<bool>(), prop::bool::weighted(0.9)),
        ) {
            let mut settings = Settings::default();
            let pruning = &mut settings.context_pruning;
            pruning.soft_trim = SoftTrim { max_chars: max, head_chars: head, tail_chars: tail };
            (pruning.hard_clear_ratio, pruning.soft_trim_ratio, pruning.min_prunable_tool_chars) = (hard, soft, least);
            (pruning.hard_clear.placeholder, pruning.hard_clear.skip_shorter) = ("p".repeat(placeholder), skip_shorter);
            (pruning.hard_clear.enabled, pruning.images, pruning.keep_last_assistants) = (hard_on, Images::Prune, 1);
            let text = body(&sizes);
            let (format, bytes) = (by_name("anthropic").unwrap(), text.as_bytes());
            let mut builder = TranscriptBuilder::new(settings.context_pruning.estimator);
            builder.begin(0, 1);
            (format.read)(&mut Cursor::new(bytes), &mut builder).unwrap();
            let read = transcript(format, builder, Scope::Context).unwrap();
            let cuts = |lazy: bool| {
                let mut view = View::new(&read, &bytes, &settings, window / 4);
                let proposal = if lazy || view.ratio() < soft {
                    plan(&view, &settings, Mode::Adaptive).unwrap()
                } else {
                    match candidates(&view, &settings, PASS.name).unwrap() {
                        Ok((candidates, skipped)) => trims(&view, &settings, candidates, skipped, &HashSet::new()).unwrap(),
                        Err(_) => Proposal::default(),
                    }
                };
                let skipped = proposal.skipped.len();
                view.accept(proposal);
                let proposal = (hard_clear::PASS.plan)(&view, &settings, Mode::Adaptive).unwrap();
                let (note, left) = (proposal.note.clone(), proposal.skipped.len());
                view.accept(proposal);
                let cuts: Vec<_> = view.cuts().map(|cut| (cut.block, cut.action.clone(), cut.chars_after)).collect();
                (cuts, note, skipped, left)
            };
            prop_assert_eq!(cuts(true), cuts(false));
        }
    }
}
