//! Texts: messages of the user and the model lose the middle or the end of long texts, or texts that come again later.

use super::new_text::{is_shorter, kept};
use super::rules::Rules;
use super::{act, keep};
use crate::Error;
use crate::edit::{Action, Cut, Proposal, Question, Reason, Rewrite, View};
use crate::json::{Id, text};
use crate::pass::note;
use crate::settings::{Step, Unit};
use crate::shorten::{self, TemplateValues};
use crate::transcript::{Block, BlockKind, Flags, Role, Span};
use std::collections::HashSet;

/// The cuts of step `number`, which is about texts.
///
/// # Errors
/// The input cannot be read any more.
pub fn cuts(view: &View<'_>, step: &Step, number: usize) -> Result<Proposal, Error> {
    let (mut kept_from, mut spared_from) = (u32::MAX, u32::MAX);
    for (stated, from) in [(step.keep, &mut kept_from), (step.spare, &mut spared_from)] {
        let Some(stated) = stated else { continue };
        let unit = stated.amount.unit;
        if matches!(unit, Unit::ToolUses | Unit::ToolResults | Unit::Tokens | Unit::Chars | Unit::ThinkingTurns) {
            return Ok(note(format!("{} are not counted of texts, but messages and turns", unit.name())));
        }
        match keep::first_kept(view, unit, stated.amount.number)? {
            Ok(first) => *from = first,
            Err(why) => return Ok(note(why)),
        }
    }
    let Some(rules) = Rules::of(view, step, number) else { return Ok(Proposal::default()) };
    let reason = Reason::Shared(act::reason(step).into());
    let (mut cuts, mut seen) = (Vec::new(), HashSet::new());
    // The newest first: of what comes twice the newest stays.
    for i in (0..view.transcript.messages.len().min(spared_from as usize)).rev() {
        let message = &view.transcript.messages[i];
        if !matches!(message.role, Role::User | Role::Assistant) || message.not_removable || view.is_gone(i) {
            continue;
        }
        for (index, block) in view.parts_left(i).filter(|(_, block)| is_text(block)) {
            let start = view.place(i as u32, index);
            let read = || view.texts.read(start + 1, start + block.span.len() as u64 - 1);
            let is_first = step.duplicates.is_some() && {
                let said = view.once(Question::of("said", start), || Ok(Id::of_all([text::lossy(&read()?).as_bytes()])))?;
                seen.insert((message.role == Role::User, said))
            };
            if is_first || i >= kept_from as usize || view.cut(index).is_some() {
                continue;
            }
            let shorter = view.once(Question { step: number, ..Question::of("shorter", start) }, || {
                let raw = read()?;
                Ok(shorter(view, &rules, block, &raw, &text::lossy(&raw)))
            });
            let Some((rewrite, chars_after)) = shorter? else { continue };
            let chars_before = view.chars_of_block_before(i, index);
            let (pass, message, action) = (step.kind.name(), i as u32, Action::Preview(rewrite));
            cuts.push(Cut { pass, message, block: index, action, chars_before, chars_after, linked: false, reason: reason.clone() });
        }
    }
    cuts.sort_by_key(|cut| cut.block);
    Ok(Proposal { cuts, ..Proposal::default() })
}

fn is_text(block: &Block) -> bool {
    block.kind == BlockKind::Text && !block.flags.has(Flags::BLANK) && !block.flags.has(Flags::SIGNED)
}

/// Returns the rewrite that replaces the text `old`, and the chars of the new text; `None` if it stays as it is.
fn shorter(view: &View<'_>, rules: &Rules, block: &Block, raw: &[u8], old: &str) -> Option<(Rewrite, u64)> {
    if rules.fits(old) {
        return None;
    }
    let segments = rules.apply(old, TemplateValues { tool: "", id: "", subject: "" })?;
    let new = shorten::joined(old, &segments);
    // A text must say something, and some providers refuse one at whose end is white space.
    let ends_worse = new.trim_end() != new && old.trim_end() == old;
    if new == old || new.trim().is_empty() || ends_worse || !is_shorter(rules, old, &new) {
        return None;
    }
    let span = Span { start: block.span.start + 1, end: block.span.end - 1 };
    Some((Rewrite { span, segments: kept(&segments, raw, span.start) }, view.chars_of_text(&new)))
}
