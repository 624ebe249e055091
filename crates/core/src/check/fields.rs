//! E29 and E30: arguments and contents of a wrong type, and required fields that are missing from a message or part.

use super::Finder;
use crate::json::locate::member;
use crate::json::{Cursor, Kind, text};
use crate::transcript::{
    Arguments, BlockKind, Fault, Layout, NoteKind, Role, TextTypeMember, Transcript,
};

/// Returns whether every provider refuses a body of this format for a content that is neither a string nor a list.
pub fn is_refused_everywhere(transcript: &Transcript) -> bool {
    let messages = || transcript.messages.iter();
    // A request names its model.
    (transcript.layout == Layout::Body && transcript.model.is_some())
        && messages().any(|message| message.odd_content)
        && messages().all(|message| message.role != Role::Other)
}

/// Reports E29 and E30.
pub(super) fn check(finder: &mut Finder<'_>) {
    arguments(finder);
    let (transcript, rules) = (finder.transcript, finder.rules);
    for (i, message) in transcript.messages.iter().enumerate() {
        // Where results are parts, a message with the role of a result has the format of another provider.
        let foreign = message.odd_role || message.role == Role::Tool && rules.roles_checked;
        if foreign && rules.fields || message.developer && !rules.developers {
            finder.report("E30 role", i, "the provider does not know this role");
        }
        if message.odd_content {
            let detail = "the content of a message is neither a string nor a list";
            finder.report("E29 content of a result", i, detail);
        }
    }
    let named = !rules.fields || transcript.links.iter().any(|link| link.call.is_none());
    let linked = transcript
        .all_blocks()
        .filter(|(.., b)| named && b.is_linked());
    for (_, index, block) in linked {
        let named = match block.kind {
            BlockKind::Result if rules.fields => !rules.item_ids,
            BlockKind::Result => rules.results_named && answers_named(transcript, index),
            _ => rules.fields && rules.roles_checked,
        };
        let nameless = transcript.link(block).call.is_none() || !rules.fields;
        if named && nameless {
            finder.report("E30", index, "a call or result has no id");
        }
    }
    let nameless = |fault| fault == Fault::NoFunction && rules.call_name.refusal.is_empty();
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
            NoteKind::Fault(fault) if nameless(fault) => (without, "a call names no function"),
            _ if !rules.fields => continue,
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

/// Returns whether a result has no id of its own, but the call that it answers has one.
fn answers_named(transcript: &Transcript, result: u32) -> bool {
    let mut calls = transcript.paired_with(result).iter();
    transcript.link_at(result).id.is_empty()
        && calls.any(|call| !transcript.link_at(*call).id.is_empty())
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
    let (transcript, rules) = (finder.transcript, finder.rules);
    let wrong = match rules.arguments {
        Arguments::Any => None,
        Arguments::Object => Some((Fault::NoObject, "an object")),
        Arguments::String => Some((Fault::NoString, "a string")),
    };
    for note in finder.facts {
        let NoteKind::Fault(fault) = note.kind else {
            continue;
        };
        let call = transcript.blocks[note.block as usize].kind == BlockKind::Call;
        let (key, detail) = match (fault, wrong) {
            (Fault::NoContent, _) => (
                "E29 content of a result",
                "the content of a result has a type that is not accepted".to_owned(),
            ),
            (Fault::NoPicture, Some(_)) => {
                ("E29", "what the screen showed is not a picture".to_owned())
            }
            (fault, Some((wrong, want))) if fault == wrong && call => {
                ("E29", format!("the arguments of a call are not {want}"))
            }
            (fault, Some((wrong, want))) if fault == wrong => {
                ("E29", format!("what a result says is not {want}"))
            }
            _ => continue,
        };
        let defect = finder.report(key, note.block, detail);
        if fault == Fault::NoContent {
            defect.said(transcript.interface.refusal(key, rules.service));
        }
    }
    if !rules.json_arguments {
        return;
    }
    let calls = transcript
        .all_blocks()
        .filter(|(.., block)| block.kind == BlockKind::Call);
    for (i, index, block) in calls {
        let call = transcript.messages[i].bytes(finder.texts, block.span);
        if call.is_ok_and(|call| !has_json_arguments(&call)) {
            finder.report("E29 json", index, "the arguments of a call are not JSON");
        }
    }
}

/// Returns whether the arguments of a call are JSON, if they are a string.
fn has_json_arguments(call: &[u8]) -> bool {
    let arguments = member(call, 0, "function")
        .and_then(|function| member(call, function.value.start, "arguments"))
        .filter(|arguments| arguments.kind == Kind::String);
    arguments.is_none_or(|arguments| {
        let decoded = text::decode(&call[arguments.value.start + 1..arguments.value.end - 1]);
        let mut cursor = Cursor::new(&decoded);
        cursor.skip().is_ok() && cursor.at_end()
    })
}
