//! Handles thinking blocks that the cuts of the passes make invalid.
//!
//! **What.** From Claude 5.1 on a thinking block is bound to all that comes before it: after a cut
//! there, the server refuses the block and every later one. Those blocks are removed with the cut
//! (`thinking: "strip"`); in an open tool loop, where they must be sent back unchanged, the cuts
//! before them are undone instead.
//!
//! **Why.** A refused request saves nothing, and neither does a stale block that the server drops
//! at every request.
//!
//! Cuts of an earlier run count as already made: thinking that came since was made with them, and
//! would be invalid without them.
//!
//! **Safety.** Content before the first cut is left alone. `drop-block` asks the server to drop the
//! blocks that it finds invalid, `keep` leaves them and warns, `refuse` refuses the input. What the
//! server clears by itself makes nothing invalid.
//!
//! ```text
//! before  user · [thinking, tool_use] · [tool_result, long] · [thinking, text] · user
//! after   user · [thinking, tool_use] · [tool_result, cut]  · [text]           · user
//! ```

use super::{dependencies::drops, *};
use crate::{
    check::binds_thinking,
    diagnostics::Warning,
    edit::{member, set_member},
    outcome::Report,
    settings::Thinking,
};
use serde_json::{Value, json};

/// Name under which reports list what is removed.
pub const NAME: &str = "thinking";

/// Handles the thinking behind the cuts of `view`, and reports to the user and the sender.
///
/// # Errors
/// The settings refuse such an input, or it cannot be read any more.
pub fn apply(
    view: &mut View<'_>,
    how: Thinking,
    model: Option<&str>,
    report: &mut Report,
) -> Result<()> {
    let (transcript, naming) = (view.transcript, view.naming);
    let bound = binds_thinking(transcript, model);
    // In a log only what this run adds makes thinking invalid.
    if !view.is_changed() && transcript.layout != Layout::Body || bound == Some(false) {
        return Ok(());
    }
    let all = behind(view, view.cuts());
    let how = if all.is_empty() {
        how
    } else {
        chosen(view, how)?
    };
    // The server is asked anew with every request; else only what this run adds makes anything
    // invalid.
    let asks_server = how == Thinking::DropBlock && may_ask(view);
    let behind = match asks_server && bound.is_some() {
        true => all,
        false => behind(view, view.new_cuts()),
    };
    let Some(&(first, _)) = behind.first() else {
        return Ok(());
    };
    let why = match how {
        _ if bound.is_none() => format!(
            "Claude 5.1 and later refuse them then: name the model with {}",
            naming("model")
        ),
        Thinking::Refuse => {
            let message = transcript.messages[first as usize].number;
            return Err(Error::Bound { message });
        }
        _ if asks_server => {
            let mut thinking = member(view, "thinking")?;
            if thinking.is_null() {
                thinking["type"] = json!("adaptive");
            }
            if !asks(&thinking) {
                thinking["block_binding"] = json!({"prefix_mismatch_behavior": "drop_block"});
                set_member(view, "thinking", &thinking)?;
            }
            "the server is asked to drop them".to_owned()
        }
        Thinking::Keep if !view.rules.thinking_lost => {
            "Claude 5.1 and later bind them to what comes before and answer 400 (bound to a different conversation)".to_owned()
        }
        _ => {
            let may_lose = view.rules.thinking_lost;
            if !(may_lose && how == Thinking::DropBlock || how == Thinking::Keep)
                && leave_open_loop(view, &behind, report)
            {
                return Ok(());
            }
            if !may_lose {
                strip(view, &behind);
                return Ok(());
            }
            "GPT-6.2 and later drop such reasoning without an error, and may do it again".to_owned()
        }
    };
    let number = behind.len();
    let text = format!("{number} thinking blocks follow the first change; {why}");
    report.warnings.push(Warning::new(text));
    Ok(())
}

/// Returns whether a cut makes the model do reasoning behind it again.
///
/// # Errors
/// The input cannot be read any more.
pub fn is_lost(view: &View<'_>, how: Thinking, model: Option<&str>) -> Result<bool> {
    let drops = |how| how == Thinking::DropBlock && may_ask(view);
    Ok(binds_thinking(view.transcript, model) == Some(true)
        && (view.rules.thinking_lost || drops(chosen(view, how)?)))
}

/// Whether the body can ask the server to drop thinking.
fn may_ask(view: &View<'_>) -> bool {
    view.rules.drops_thinking && view.transcript.layout == Layout::Body
}

/// Returns how thinking is handled: as the settings say or, if they leave it open, as the body
/// asks.
fn chosen(view: &View<'_>, how: Thinking) -> Result<Thinking> {
    let is_open = matches!(how, Thinking::Auto | Thinking::Server);
    Ok(
        if is_open && may_ask(view) && asks(&member(view, "thinking")?) {
            Thinking::DropBlock
        } else {
            how
        },
    )
}

/// Whether a body with this member `thinking` asks the server to drop what has become invalid.
fn asks(thinking: &Value) -> bool {
    thinking["block_binding"]["prefix_mismatch_behavior"] == "drop_block"
}

/// Takes back the cuts before the last of `parts` (bound thinking) in an open tool loop, if there
/// is one.
fn leave_open_loop(view: &mut View<'_>, parts: &[Part], report: &mut Report) -> bool {
    let open = open_loop(view);
    let Some(&(message, block)) = parts.last().filter(|part| part.0 as usize >= open) else {
        return false;
    };
    let number = view.transcript.messages[message as usize].number;
    view.retain(|cut| {
        let at = (cut.message, cut.block);
        cut.is_earlier() || cut.action.by_server().is_some() || at > (message, block)
    });
    let thinking = (view.naming)("thinking");
    let server = if may_ask(view) { "server, " } else { "" };
    report.is_bound = true;
    report.warnings.push(Warning::new(format!(
        "nothing before message {number} is cut: the thinking in the open tool loop is bound to it; {thinking} {server}drop-block or keep would cut"
    )));
    true
}

/// Removes the thinking at `parts`.
fn strip(view: &mut View<'_>, parts: &[Part]) {
    let reason: Reason = "bound to what was cut before it (Claude 5.1 and later)".into();
    let wanted: BTreeMap<Part, Reason> = parts.iter().map(|part| (*part, reason.clone())).collect();
    let mut cuts = drops(view, NAME, &wanted);
    cuts.iter_mut().for_each(|cut| cut.linked = true);
    view.accept(Proposal {
        cuts,
        ..Proposal::default()
    });
}

/// Thinking behind the first of `cuts` that is made here, or behind what is changed outside the
/// messages, as far as the cuts leave it.
fn behind<'c>(view: &View<'_>, cuts: impl Iterator<Item = &'c Cut>) -> Vec<Part> {
    let mut cuts = cuts.filter(|cut| cut.action.by_server().is_none());
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

/// Index of the first message of the tool loop that is open: behind the last question, where calls
/// or results are the last that was said; past the end where none is, or where the provider passes
/// over thinking.
pub fn open_loop(view: &View<'_>) -> usize {
    let messages = &view.transcript.messages;
    let has = |i: usize, kind| view.parts(i).any(|(_, b)| b.kind == kind);
    let last = messages
        .iter()
        .rposition(|m| m.role != Role::System && m.role != Role::Other);
    // A request that ends with an answer continues it; a log that does, waits for the next
    // question.
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
