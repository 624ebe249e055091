//! E29 and E30: arguments that are not written as the provider reads them, and fields that every message and part must have.

use super::Finder;
use crate::transcript::{Arguments, BlockKind, Fact, Fault, Role, Spelled};

/// Adds what there is of E29 and E30.
pub(super) fn check(finder: &mut Finder<'_>) {
    arguments(finder);
    if !finder.answers.fields {
        return;
    }
    let transcript = finder.transcript;
    for i in 0..transcript.messages.len() {
        let message = &transcript.messages[i];
        // A message that is a result is another provider's where results are parts.
        if message.odd_role || message.role == Role::Tool && finder.answers.roles_checked {
            finder.tell("E30", i, None, 0, "the provider does not know this role");
            finder.answered("role");
        }
        for (index, block) in finder.parts(i) {
            let linked = block.is_linked() && transcript.link(&block).call.is_none();
            if linked && (finder.answers.roles_checked || block.kind == BlockKind::Result && !finder.answers.item_ids) {
                finder.tell("E30", i, Some(index), 0, "a call or result has no id");
            }
            let spelled = finder.facts_of(index).find_map(|fact| match fact {
                Fact::Spelled(spelled) => Some(spelled),
                _ => None,
            });
            let wrong = match (spelled, message.role) {
                (Some(Spelled::Plain), Role::Assistant | Role::User | Role::System) => true,
                (Some(Spelled::Input), role) => role == Role::Assistant,
                (Some(Spelled::Output), role) => matches!(role, Role::User | Role::System),
                _ => false,
            };
            if wrong {
                finder.tell("E30", i, Some(index), 0, "a text has a type that is not for this role");
                finder.answered("type of a text");
            }
        }
    }
    for block in of_fault(finder, Fault::Untyped) {
        finder.tell("E30", finder.message_of(block), Some(block), 0, "a part does not say its type");
    }
}

/// E29.
fn arguments(finder: &mut Finder<'_>) {
    let (fault, want) = match finder.answers.arguments {
        Arguments::Any => return,
        Arguments::Object => (Fault::NoObject, "an object"),
        Arguments::String => (Fault::NoString, "a string"),
    };
    for block in of_fault(finder, fault) {
        let what = if finder.transcript.blocks[block as usize].kind == BlockKind::Call {
            "the arguments of a call are"
        } else {
            "what a result says is"
        };
        finder.tell("E29", finder.message_of(block), Some(block), 0, format!("{what} not {want}"));
    }
}

/// The blocks of which `fault` is known.
fn of_fault(finder: &Finder<'_>, fault: Fault) -> Vec<u32> {
    finder.facts.iter().filter(|note| note.fact == Fact::Fault(fault)).map(|note| note.block).collect()
}
