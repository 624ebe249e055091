//! Handles thinking blocks that the cuts of the passes make invalid.
//!
//! **What.** From Claude 5.1 on a thinking block is bound to all that comes before it: after a cut there, the server refuses the
//! block and every later one. By default (`thinking: "strip"`) those blocks are removed with the cut; in an open tool loop, where
//! they must be sent back unchanged, the cuts before them are undone instead.
//!
//! **Why.** A refused request saves nothing, and neither does a stale block that the server drops at every request.
//!
//! Cuts of an earlier run count as already made: thinking that came since was made with them, and would be invalid without them.
//!
//! **Safety.** Content before the first cut is left alone. `drop-block` asks the server to drop the blocks that it finds invalid,
//! `keep` leaves them and warns, `refuse` refuses the input. The provider exempts Claude Code: there nothing becomes invalid, and a
//! user who chose another option than the default is warned.
//!
//! ```text
//! before  user · [thinking, tool_use] · [tool_result, long] · [thinking, text] · user
//! after   user · [thinking, tool_use] · [tool_result, cut]  · [text]           · user
//! ```

use super::{dependencies::drops, *};
use crate::{
    check::binds_thinking,
    edit::drop_block,
    settings::{Thinking, word},
};

/// Name under which reports list what is removed.
pub const NAME: &str = "thinking";

/// Decides what the cuts of `view` mean for thinking behind them; returns what the user should know.
///
/// # Errors
/// The settings refuse such an input, or it cannot be read any more.
pub fn apply(view: &mut View<'_>, how: Thinking, model: Option<&str>) -> Result<Vec<String>> {
    let (transcript, naming) = (view.transcript, view.naming);
    let is_body = transcript.layout == Layout::Body;
    let bound = binds_thinking(transcript, model);
    // In a log only what this run adds makes thinking invalid.
    if !view.is_changed() && !is_body || bound == Some(false) {
        return Ok(Vec::new());
    }
    let is_free = bound.is_some() && transcript.thinking_is_free;
    let hint = view.rules.drops_thinking && is_body;
    // The server is asked anew with every request; else only what this run adds makes anything invalid.
    let behind = match how {
        Thinking::DropBlock if hint && bound.is_some() && !is_free => behind(view, view.cuts()),
        _ => behind(view, view.new_cuts()),
    };
    let Some(&(first, _)) = behind.first() else {
        return Ok(Vec::new());
    };
    let follow = format!("{} thinking blocks follow the first change", behind.len());
    let text = match how {
        _ if bound.is_none() => format!(
            "{follow}; Claude 5.1 and later refuse them then: name the model with {}",
            naming("model")
        ),
        Thinking::Strip if is_free => return Ok(Vec::new()),
        _ if is_free => format!(
            "{follow} and stay valid: the provider exempts {}, so that {} {} does nothing",
            transcript.format,
            naming("thinking"),
            word(how)
        ),
        Thinking::Refuse => {
            let message = transcript.messages[first as usize].number;
            return Err(Error::Bound { message });
        }
        Thinking::Keep => format!(
            "{follow}; Claude 5.1 and later bind them to what comes before and answer 400 (bound to a different conversation)"
        ),
        Thinking::DropBlock if hint => {
            view.change(drop_block(view)?);
            format!("{follow}; the server is asked to drop them")
        }
        Thinking::Strip | Thinking::DropBlock => return Ok(strip(view, behind)),
    };
    Ok(vec![text])
}

/// Takes the thinking at `parts` away, or where that may not be the cuts before it back.
fn strip(view: &mut View<'_>, parts: Vec<Part>) -> Vec<String> {
    let open = open_loop(view);
    if let Some(&(message, block)) = parts
        .iter()
        .rev()
        .find(|(message, _)| *message as usize >= open)
    {
        let number = view.transcript.messages[message as usize].number;
        let thinking = (view.naming)("thinking");
        view.retain(|cut| cut.is_earlier() || (cut.message, cut.block) > (message, block));
        return vec![format!(
            "nothing before message {number} is cut: the thinking in the open tool loop is bound to it; {thinking} drop-block or keep would cut"
        )];
    }
    let reason: Reason = "bound to what was cut before it (Claude 5.1 and later)".into();
    let wanted: BTreeMap<Part, Reason> = parts.iter().map(|part| (*part, reason.clone())).collect();
    let mut cuts = drops(view, NAME, &wanted);
    cuts.iter_mut().for_each(|cut| cut.linked = true);
    view.accept(Proposal {
        cuts,
        ..Proposal::default()
    });
    Vec::new()
}

/// Thinking behind the first of `cuts`, or behind what is changed outside the messages, as far as the cuts leave it.
fn behind<'c>(view: &View<'_>, mut cuts: impl Iterator<Item = &'c Cut>) -> Vec<Part> {
    // What is outside the messages comes before all of them.
    let first = match cuts.next() {
        _ if !view.outside().is_empty() => None,
        Some(cut) => Some((cut.message, cut.block)),
        None => return Vec::new(),
    };
    let from = first.map_or(0, |(message, _)| message);
    let thinking = (from..view.transcript.messages.len() as u32).flat_map(|i| {
        let thinking = view.left_of(i as usize, BlockKind::Thinking);
        thinking.map(move |index| (i, index))
    });
    thinking.filter(|part| Some(*part) > first).collect()
}

/// Index of the first message of the tool loop that is open: behind the last question, where calls or results are the last
/// that was said; past the end where none is, or where the provider passes over thinking.
pub fn open_loop(view: &View<'_>) -> usize {
    let messages = &view.transcript.messages;
    let has = |i: usize, kind| view.parts(i).any(|(_, b)| b.kind == kind);
    let last = messages
        .iter()
        .rposition(|m| m.role != Role::System && m.role != Role::Other);
    // A request that ends with an answer continues it; a log that does, waits for the next question.
    let is_open = !view.rules.is_history
        || last.is_some_and(|i| {
            has(i, BlockKind::Result)
                || messages[i].role == Role::Assistant && has(i, BlockKind::Call)
        });
    if !is_open || view.transcript.ignores_thinking(&view.rules) {
        return messages.len();
    }
    (0..messages.len())
        .rfind(|&i| messages[i].role == Role::User && !has(i, BlockKind::Result))
        .map_or(0, |i| i + 1)
}
