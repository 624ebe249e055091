//! Reasoning: what binds it to what comes before, and where it must be sent back.

use super::Finder;
use crate::transcript::{BlockKind, Fact, Role, Rules, Transcript};

/// E23: services that want `reasoning_content` back want it of every later call, too. Calls before the first message that
/// has it are left: some services let the reasoning of earlier turns go.
pub(super) fn check(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    if !matches!(transcript.rules, Rules::OpenAiChat | Rules::Generic) {
        return;
    }
    let mut reasoned = transcript.notes.iter().filter(|n| n.fact == Fact::ReasoningContent).map(|n| n.block).peekable();
    if reasoned.peek().is_none() {
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

/// Whether thinking in a transcript for `model` is bound to all that comes before it: from Claude 5.1 on
/// (`spec/wire-formats.md` section 1.5). A Claude that does not tell its version counts as new.
pub fn binds_thinking(transcript: &Transcript, model: Option<&str>) -> bool {
    !transcript.thinking_is_free
        && match model {
            Some(model) if model.to_lowercase().contains("claude") => claude_version(model).is_none_or(|v| v >= (5, 1)),
            Some(_) => false,
            None => transcript.rules == Rules::Anthropic,
        }
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
