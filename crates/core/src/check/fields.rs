//! E29 and E30: arguments and contents of a wrong type, and required fields that are missing from a message or part.

use super::Finder;
use crate::transcript::{Arguments, BlockKind, Fault, NoteKind, Role, TextTypeMember};

/// Reports E29 and E30.
pub(super) fn check(finder: &mut Finder<'_>) {
    arguments(finder);
    if !finder.rules.fields {
        return;
    }
    let (transcript, rules) = (finder.transcript, finder.rules);
    for (i, message) in transcript.messages.iter().enumerate() {
        // Where results are parts, a message with the role of a result has the format of another provider.
        if message.odd_role || message.role == Role::Tool && rules.roles_checked {
            finder.report("E30", i, None, 0, "the provider does not know this role");
            finder.answered("role");
        }
        let nameless = |kind| {
            kind == BlockKind::Result && !rules.item_ids
                || kind == BlockKind::Call && rules.roles_checked
        };
        if !finder.kinds.nameless {
            continue;
        }
        for (index, block) in transcript.numbered_blocks_of(i) {
            if nameless(block.kind) && transcript.link(block).call.is_none() {
                finder.report("E30", i, Some(index), 0, "a call or result has no id");
            }
        }
    }
    let missing = [
        (Fault::Untyped, "a part does not say its type"),
        (Fault::NoId, "a call has no id"),
        (Fault::NoText, "a text has no text"),
    ];
    for (fault, detail) in missing {
        for block in finder.of_fault(fault) {
            finder.report("E30", finder.message_of(block), Some(block), 0, detail);
            match fault {
                Fault::NoText => finder.answered("no text"),
                _ if transcript.blocks[block as usize].kind == BlockKind::Call => {
                    finder.answered("call without a member")
                }
                _ => {}
            }
        }
    }
    for note in finder.facts.clone() {
        let NoteKind::TextTypeMember(spelled) = note.kind else {
            continue;
        };
        let i = finder.message_of(note.block);
        // A text in a result counts as one of the user's message.
        let wrong = match (spelled, transcript.messages[i].role) {
            (TextTypeMember::Plain, role) => role != Role::Tool,
            (TextTypeMember::Input, role) => role == Role::Assistant,
            (TextTypeMember::Output, role) => matches!(role, Role::User | Role::System),
        };
        if wrong {
            finder.report(
                "E30",
                i,
                Some(note.block),
                0,
                "a text has a type that is not for this role",
            );
            finder.answered("type of a text");
        }
    }
}

/// Finds arguments and contents of a wrong type.
fn arguments(finder: &mut Finder<'_>) {
    let (fault, want) = match finder.rules.arguments {
        Arguments::Any => return,
        Arguments::Object => (Fault::NoObject, "an object"),
        Arguments::String => (Fault::NoString, "a string"),
    };
    for block in finder.of_fault(fault) {
        let what = if finder.transcript.blocks[block as usize].kind == BlockKind::Call {
            "the arguments of a call are"
        } else {
            "what a result says is"
        };
        finder.report(
            "E29",
            finder.message_of(block),
            Some(block),
            0,
            format!("{what} not {want}"),
        );
    }
    for block in finder.of_fault(Fault::NoContent) {
        finder.report(
            "E29",
            finder.message_of(block),
            Some(block),
            0,
            "the content of a result has a type that is not accepted",
        );
        let provider = finder.transcript.interface.refusal("content of a result");
        finder
            .defects
            .iter_mut()
            .last()
            .into_iter()
            .for_each(|last| last.row.provider = provider);
    }
    for block in finder.of_fault(Fault::NoPicture) {
        finder.report(
            "E29",
            finder.message_of(block),
            Some(block),
            0,
            "what the screen showed is not a picture",
        );
    }
}
