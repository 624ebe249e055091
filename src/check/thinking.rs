//! Reasoning: what binds it to what comes before, and where it must be sent back: E15, E16 and E23.
//!
//! One body shows of E15 only that the turn does not begin as thinking wants it; that the thinking of an open turn was
//! changed, and E16, show in comparison with what came before an edit.

use super::{Defect, Finder, defect};
use crate::transcript::{BlockKind, Fact, Role, Rules, Thinking, Transcript};

/// E15: the turn that is open begins with thinking where that is on, and an answer that was begun has none where it is off.
pub(super) fn open_turn(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let turn = turn(transcript);
    let (Some(last), Rules::Anthropic) = (transcript.messages.len().checked_sub(1), transcript.rules) else { return };
    let asked = transcript.request.thinking;
    if transcript.messages[last].role == Role::Assistant {
        let thinks = transcript.blocks_of(last).iter().any(|b| b.kind == BlockKind::Thinking);
        if thinks && matches!(asked, Thinking::Unsaid | Thinking::Disabled) {
            finder.tell("E15", last, None, 0, "the last message has thinking, but the request turns it off");
            finder.answered(super::words::THINKING_OFF);
        }
    } else if let Some(i) = (turn..last).find(|&i| transcript.messages[i].role == Role::Assistant) {
        let bare = transcript.blocks_of(i).first().is_some_and(|b| matches!(b.kind, BlockKind::Text | BlockKind::Call));
        if bare && asked == Thinking::Enabled {
            finder.tell("E15", i, Some(transcript.messages[i].blocks), 0, "the open turn does not begin with its thinking");
        }
    }
}

/// Adds E15 where the thinking of the turn that was open `before` is not what it was `after`.
pub fn changed(before: &Transcript, after: &Transcript, defects: &mut Vec<Defect>) {
    let thinking = |transcript: &Transcript| -> Vec<u32> {
        let blocks = transcript.messages.get(turn(transcript)).map_or(&[][..], |m| &transcript.blocks[m.blocks as usize..]);
        blocks.iter().filter(|b| b.kind == BlockKind::Thinking).map(|b| b.chars).collect()
    };
    if before.rules == Rules::Anthropic && !after.messages.is_empty() && thinking(before) != thinking(after) {
        let i = turn(after).min(after.messages.len() - 1);
        defects.push(defect(after, "E15", i, None, 0, "thinking of the open turn was changed"));
    }
}

/// The first message of the turn that is open: the one behind the last that a user wrote.
fn turn(transcript: &Transcript) -> usize {
    let own = |&i: &usize| transcript.messages[i].role == Role::User && !transcript.is_only_results(i);
    (0..transcript.messages.len()).rev().find(own).map_or(0, |i| i + 1)
}

/// E23: services that want `reasoning_content` back want it of every later call, too. Calls before the first message that
/// has it are left: some services let the reasoning of earlier turns go.
pub(super) fn check(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    if !matches!(transcript.rules, Rules::OpenAiChat | Rules::Generic) {
        return;
    }
    let mut reasoned = transcript.notes.iter().filter(|n| n.fact == Fact::ReasoningContent).map(|n| n.block).peekable();
    if reasoned.peek().is_none() {
        if always_reasons(transcript) {
            unreasoned(finder);
        }
        return;
    }
    let (mut wanted, mut turn) = (false, Vec::new());
    for (i, message) in transcript.messages.iter().enumerate() {
        if message.role == Role::User && !wanted {
            turn.clear();
        }
        let blocks = transcript.blocks_of(i);
        let end = message.blocks + blocks.len() as u32;
        let mut has = false;
        while reasoned.next_if(|block| *block < end).is_some() {
            has = true;
        }
        wanted |= has;
        if !has && message.role == Role::Assistant && blocks.iter().any(|b| b.kind == BlockKind::Call) {
            turn.push(i);
        }
    }
    // Of the calls before the first reasoning, those of its own turn want theirs.
    for i in turn {
        finder.tell("E23", i, None, 0, "the calls have no reasoning_content, though others do");
    }
}

/// E23 where no message has its reasoning, and the model refuses calls without: those of the turn that is open.
fn unreasoned(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    for i in turn(transcript)..transcript.messages.len() {
        let calls = transcript.blocks_of(i).iter().any(|b| b.kind == BlockKind::Call);
        if calls && transcript.messages[i].role == Role::Assistant {
            finder.tell("E23", i, None, 0, "the calls have no reasoning_content, and this model wants it back");
        }
    }
}

/// Whether the model, by its name or as it is asked to, reasons before each of its calls and wants that back.
fn always_reasons(transcript: &Transcript) -> bool {
    let model = transcript.model.as_deref().unwrap_or_default().to_lowercase();
    let asked = transcript.request.thinking == Thinking::Enabled;
    model.contains("deepseek") && (asked || model.contains("reasoner")) || model.contains("kimi") && (asked || model.contains("thinking"))
}

/// The model's version where it is a Claude that names one, as (major, minor).
pub(super) fn claude_version(model: &str) -> Option<(u32, u32)> {
    let model = model.to_lowercase();
    let name = &model[model.find("claude")?..];
    let mut numbers = name
        .split(['-', '.', '@', ':'])
        .skip_while(|w| w.parse::<u32>().is_err())
        .map_while(|w| w.parse::<u32>().ok())
        .filter(|n| *n < 1000);
    Some((numbers.next()?, numbers.next().unwrap_or(0)))
}

/// Whether thinking in a transcript for `model` is bound to all that comes before it, unless its agent is exempt: from Claude 5.1
/// on. A Claude that does not tell its version counts as new.
pub fn binds_thinking(transcript: &Transcript, model: Option<&str>) -> bool {
    match model {
        Some(model) if model.to_lowercase().contains("claude") => claude_version(model).is_none_or(|v| v >= (5, 1)),
        Some(_) => false,
        None => transcript.rules == Rules::Anthropic,
    }
}

/// What a change at message `first` means to thinking behind it, where it may mean something.
pub fn thinking_warning(transcript: &Transcript, model: Option<&str>, first: u32) -> Option<String> {
    let from = transcript.messages.get(first as usize)?.blocks as usize;
    let after = transcript.blocks[from..].iter().filter(|b| b.kind == BlockKind::Thinking).count();
    (after > 0 && !transcript.thinking_is_free && binds_thinking(transcript, model)).then(|| {
        format!("E16: {after} thinking blocks follow the first change; Claude 5.1 and later bind them to what comes before and answer 400 (bound to a different conversation) unless they are removed or block_binding is drop_block")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        for (model, want) in [
            ("claude-opus-5-5", Some((5, 5))),
            ("anthropic/claude-sonnet-4.5", Some((4, 5))),
            ("claude-haiku-4-5-20251001", Some((4, 5))),
            ("claude-sonnet-4-20250514", Some((4, 0))),
            ("us.anthropic.claude-fable-5-1-v1:0", Some((5, 1))),
            ("claude-3-7-sonnet-20250219", Some((3, 7))),
            ("claude-x", None),
            ("gpt-5.1", None),
        ] {
            assert_eq!(claude_version(model), want, "{model}");
        }
    }
}
