//! soft-trim: large old tool results keep their head and tail.
//!
//! **What.** When the context fills `softTrimRatio` of the window, every result in reach (`reach`) of more than
//! `softTrim.maxChars` UTF-16 units gives way to its first `headChars` and last `tailChars` and a note of what it was.
//! With `images: "prune"` the images of a result in reach give way to a marker as well, whatever its size.
//!
//! **Why.** Most of a transcript is old tool output, and its beginning and end say what it was.
//!
//! **Safety.** Only the content of results changes; calls, ids and errors stay. Cuts fall between characters. A result that
//! already carries the note, or was cleared, is left alone, so that a second run changes nothing.
//!
//! ```text
//! before  {"type":"text","text":"AAAAAAAA…ZZZZZZZZ"}
//! after   {"type":"text","text":"AAA\n...\nZZZ\n\n[Tool result trimmed: kept first 3 chars and last 3 chars of 9000 chars.]"}
//! ```

mod kept;

use super::hard_clear::is_placeholder;
use super::reach::{Reached, reach};
use super::{Pass, note};
use crate::config::settings::{Mode, Settings, SoftTrim};
use crate::diagnostics::Skip;
use crate::edit::{Action, Cut, Proposal, Reason, Trim, View};
use crate::transcript::{BlockKind, Flags, trim_note};
use kept::{IMAGE_REMOVED, NewText, Part, head, tail};

/// The table's row.
pub const PASS: Pass =
    Pass { name: "soft-trim", about: "keep head and tail of large old tool results", on: |_| true, gated: true, size: None, plan };

/// What stands between head and tail, as escaped in JSON.
const GAP: &str = "\\n...\\n";

fn plan(view: &View<'_>, settings: &Settings, mode: Mode) -> Result<Proposal, crate::Error> {
    let pruning = &settings.context_pruning;
    if mode == Mode::Off {
        return Ok(Proposal::default());
    }
    if mode == Mode::Aggressive {
        return Ok(note("the aggressive mode clears and does not trim"));
    }
    let ratio = view.ratio();
    if ratio < pruning.soft_trim_ratio {
        return Ok(note(format!("the context fills {:.3} of the window, less than softTrimRatio {}", ratio, pruning.soft_trim_ratio)));
    }
    let (reached, mut skipped) = match reach(view, settings, PASS.name)? {
        Ok(found) => found,
        Err(why) => return Ok(note(why)),
    };
    let mut cuts = Vec::new();
    for at in reached {
        // What an earlier run or pass cut keeps its bytes.
        if view.cut(at.block).is_some() || is_placeholder(view, at, &pruning.hard_clear.placeholder)? {
            continue;
        }
        match trim(view, at, &pruning.soft_trim)? {
            Outcome::Trimmed(trim, chars_after, reason) => {
                let chars_before = view.chars_of_result_before(at.block);
                let Reached { message, block } = at;
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

/// How the result at `at` is trimmed to `sizes`, and the chars that leaves; none where there is nothing to trim.
///
/// # Errors
/// The input cannot be read any more.
pub fn trimmed(view: &View<'_>, at: Reached, sizes: &SoftTrim) -> Result<Option<(Trim, u64)>, crate::Error> {
    Ok(match trim(view, at, sizes)? {
        Outcome::Trimmed(trim, chars, _) => Some((trim, chars)),
        Outcome::Left | Outcome::Skipped(_) => None,
    })
}

/// What a trim comes to.
pub enum Outcome {
    /// The new text, its chars as they are weighed, and why.
    Trimmed(Trim, u64, Reason),
    /// The result is short.
    Left,
    /// The result is not to be trimmed, and why.
    Skipped(&'static str),
}

/// Trims one result, if it is to be.
pub fn trim(view: &View<'_>, at: Reached, sizes: &SoftTrim) -> Result<Outcome, crate::Error> {
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
    let reason =
        if short { Reason::Shared("images give way to a marker".into()) } else { Reason::Larger { chars: whole, limit: sizes.max_chars } };
    let chars = text.units + text.extra.sum() as u64;
    Ok(Outcome::Trimmed(Trim { pieces: text.pieces }, chars, reason))
}
