//! E29 and E30: arguments and contents of a wrong type, and required fields that are missing from a message or part.

use super::Finder;
use crate::transcript::{Arguments, BlockKind, Fault, NoteKind, Role, TextTypeMember};

/// Reports E29 and E30.
pub(super) fn check(finder: &mut Finder<'_>) {
    arguments(finder);
    let (transcript, rules) = (finder.transcript, finder.rules);
    if !rules.fields {
        return;
    }
    for (i, message) in transcript.messages.iter().enumerate() {
        // Where results are parts, a message with the role of a result has the format of another provider.
        if message.odd_role || message.role == Role::Tool && rules.roles_checked {
            finder.report("E30 role", i, "the provider does not know this role");
        }
    }
    for (_, index, block) in transcript.all_blocks() {
        let named = match block.kind {
            BlockKind::Result => !rules.item_ids,
            BlockKind::Call => rules.roles_checked,
            _ => false,
        };
        if named && transcript.link(block).call.is_none() {
            finder.report("E30", index, "a call or result has no id");
        }
    }
    for note in finder.facts {
        let (i, call) = (
            transcript.message_of(note.block),
            transcript.blocks[note.block as usize].kind == BlockKind::Call,
        );
        let without = if call {
            "E30 call without a member"
        } else {
            "E30"
        };
        let (fault, detail) = match note.kind {
            NoteKind::Fault(Fault::Untyped) => (without, "a part does not say its type"),
            NoteKind::Fault(Fault::NoId) => (without, "a call has no id"),
            NoteKind::Fault(Fault::NoText) => ("E30 no text", "a text has no text"),
            NoteKind::TextTypeMember(spelled)
                if is_foreign(spelled, transcript.messages[i].role) =>
            {
                (
                    "E30 type of a text",
                    "a text has a type that is not for this role",
                )
            }
            _ => continue,
        };
        finder.report(fault, note.block, detail);
    }
}

/// Returns whether a role does not accept this type of a text. A text in a result counts as one of the user's message.
fn is_foreign(spelled: TextTypeMember, role: Role) -> bool {
    match spelled {
        TextTypeMember::Plain => role != Role::Tool,
        TextTypeMember::Input => role == Role::Assistant,
        TextTypeMember::Output => matches!(role, Role::User | Role::System),
    }
}

/// Finds arguments and contents of a wrong type.
fn arguments(finder: &mut Finder<'_>) {
    let (fault, want) = match finder.rules.arguments {
        Arguments::Any => return,
        Arguments::Object => (Fault::NoObject, "an object"),
        Arguments::String => (Fault::NoString, "a string"),
    };
    let transcript = finder.transcript;
    for block in finder.of_fault(fault) {
        let what = if transcript.blocks[block as usize].kind == BlockKind::Call {
            "the arguments of a call are"
        } else {
            "what a result says is"
        };
        finder.report("E29", block, format!("{what} not {want}"));
    }
    for block in finder.of_fault(Fault::NoContent) {
        let detail = "the content of a result has a type that is not accepted";
        finder
            .report("E29", block, detail)
            .said(transcript.interface.refusal("E29 content of a result"));
    }
    for block in finder.of_fault(Fault::NoPicture) {
        finder.report("E29", block, "what the screen showed is not a picture");
    }
}
