//! Turns of the user: the messages that a person wrote.
//!
//! A turn is a message of the user with content that is neither a result nor inserted by a program:
//! reminders, the output of commands, a description of the machine. Formats that mark such messages
//! use their marks ([`crate::transcript::Message::injected`]); otherwise the first words of a text
//! decide.

use super::*;
use crate::agents::AGENTS;

/// Bytes of a text that are looked at.
const HEAD: u32 = 512;

/// The messages, by their indices, that are turns of the user and are left, in order.
///
/// # Errors
/// The input cannot be read any more.
pub fn turns(view: &View<'_>) -> Result<Vec<u32>> {
    let mut found = Vec::new();
    for (i, message) in view.transcript.messages.iter().enumerate() {
        let may_be = message.role == Role::User && !message.injected && !view.is_gone(i);
        if may_be && has_own_words(view, i)? {
            found.push(i as u32);
        }
    }
    Ok(found)
}

/// Whether a message has a part that is neither a result nor injected.
fn has_own_words(view: &View<'_>, i: usize) -> Result<bool> {
    for (_, block) in view.parts(i) {
        match block.kind {
            BlockKind::Result => {}
            BlockKind::Text => {
                if !is_injected(&view.text(i, block.span.inside().head(HEAD))?) {
                    return Ok(true);
                }
            }
            _ => return Ok(true),
        }
    }
    Ok(false)
}

/// Whether a program wrote a text with this beginning, by what is known of agents.
fn is_injected(head: &str) -> bool {
    let head = head.trim_start();
    let mut texts = AGENTS.iter().flat_map(|agent| &agent.injected);
    texts.any(|text| head.starts_with(text))
}
