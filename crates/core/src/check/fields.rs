//! Fields that have a wrong type or a wrong id, or are missing: E24 to E26, E29, E30, E33 and E37,
//! and E23 for items.
//!
//! In OpenAI's Responses, the first letters of an id name the type of the item, and no two items
//! have the same id. Where the server keeps nothing (`store: false`), it cannot find an item that
//! is only referenced, or reasoning without its encrypted content.

use super::{reasoning::turn, *};
use crate::{
    json::{
        Kind,
        locate::{is_value, member},
        text,
    },
    transcript::{
        Arguments, ItemFault, Layout, ReasoningContentRule, Results, Syntax, TextTypeMember,
        Thinking,
    },
};

/// Returns whether a body is a request of its format with an unknown role, or a content that is
/// neither a string nor a list: a defect rather than another format. If nothing else is `certain`,
/// the request must name its model; the message of an unknown role must be understood, as all
/// others.
pub fn is_defective(transcript: &Transcript, certain: bool) -> bool {
    let messages = &transcript.messages;
    let is_said = |i: usize| !transcript.blocks_of(i).is_empty() && !messages[i].odd_content;
    (transcript.layout == Layout::Body && (certain || transcript.model.is_some()))
        && messages.iter().any(|m| m.odd_role || m.odd_content)
        && (0..messages.len()).all(|i| match &messages[i] {
            message if message.odd_role => is_said(i),
            message => message.odd_content || !message.unread,
        })
}

/// Reports these codes.
pub fn check(finder: &mut Finder<'_>) {
    messages(finder);
    ids(finder);
    let open = turn(finder.transcript);
    for note in finder.facts {
        noted(finder, note, open);
    }
    if finder.rules.json_arguments {
        arguments(finder);
    }
}

/// Finds roles and contents of messages that the provider does not accept.
fn messages(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let rules = finder.rules;
    for (i, message) in transcript.messages.iter().enumerate() {
        // Where results are parts, a message with the role of a result has the format of another
        // provider.
        let foreign = message.odd_role || message.role == Role::Tool && rules.roles_checked;
        if foreign && rules.fields
            || message.odd_role && rules.known_roles
            || message.developer && rules.no_developers
        {
            finder.report("E30 role", i);
        }
        if message.odd_content {
            finder.report("E29 content of a message", i);
        }
        let mut blocks = transcript.blocks_of(i).iter();
        let may_be_text = match message.role {
            Role::Tool => true,
            Role::Assistant => blocks.all(|b| b.kind == BlockKind::Call),
            _ => false,
        };
        if message.array && may_be_text && rules.plain_results {
            finder.report("E29 list", i);
        }
    }
}

/// Finds calls and results that name no id.
fn ids(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let rules = finder.rules;
    if rules.fields && transcript.links.iter().all(|link| link.call.is_some()) {
        return;
    }
    for (_, index, block) in transcript.all_blocks().filter(|(.., b)| b.is_linked()) {
        let named = match block.kind {
            BlockKind::Result if rules.fields => !rules.item_ids,
            BlockKind::Result => rules.results_named && answers_named(transcript, index),
            _ => rules.fields && rules.roles_checked,
        };
        let nameless = transcript.link(block).call.is_none() || !rules.fields;
        if named && nameless {
            finder.report("E30", index);
        }
    }
}

/// Returns whether a result has no id of its own, but the call that it answers has one.
fn answers_named(transcript: &Transcript, result: u32) -> bool {
    let mut calls = transcript.paired_with(result).iter();
    transcript.link_at(result).id.is_empty()
        && calls.any(|call| !transcript.link_at(*call).id.is_empty())
}

/// Returns whether a role does not accept this type of a text. A text in a result counts as one of
/// the user's message.
fn is_foreign(spelled: TextTypeMember, role: Role) -> bool {
    match spelled {
        TextTypeMember::Plain => role != Role::Tool,
        TextTypeMember::Input => role == Role::Assistant,
        TextTypeMember::Output => matches!(role, Role::User | Role::System),
    }
}

/// Reports the fault that a note on a block states, if the provider refuses it; `open` is the first
/// message of the open turn.
fn noted(finder: &mut Finder<'_>, &Note { block, kind }: &Note, open: usize) {
    let transcript = finder.transcript;
    let rules = finder.rules;
    let i = transcript.message_of(block);
    let is_call = transcript.block(block).kind == BlockKind::Call;
    let without = if is_call {
        "E30 call without a member"
    } else {
        "E30 no member"
    };
    let wrong = match rules.arguments {
        Arguments::Any => None,
        Arguments::Object => Some((Fault::NoObject, "an object")),
        Arguments::String => Some((Fault::NoString, "a string")),
    };
    let (fault, what) = match kind {
        NoteKind::Item { fault, .. } => match fault {
            ItemFault::Unreasoned
                if rules.reasoned == ReasoningContentRule::Always
                    && transcript.request.thinking != Thinking::Disabled
                    && i >= open =>
            {
                ("E23 item", "")
            }
            ItemFault::Kind if rules.item_ids => ("E25", ""),
            ItemFault::Twice if rules.item_ids => ("E26", ""),
            ItemFault::Unkept if rules.item_ids && transcript.request.forgets => ("E37", ""),
            _ => return,
        },
        NoteKind::TextTypeMember(spelled)
            if rules.fields && is_foreign(spelled, transcript.messages[i].role) =>
        {
            ("E30 type of a text", "")
        }
        NoteKind::Fault(fault) => match (fault, wrong) {
            (Fault::NoContent, _) => ("E29 content of a result", ""),
            (Fault::NoPicture, Some(_)) => ("E29 picture", ""),
            (_, Some((wrong, want))) if fault == wrong => {
                (if is_call { "E29" } else { "E29 answer" }, want)
            }
            (Fault::NoFunction, _) if rules.call_name == Syntax::FREE => {
                (without, "call names no function")
            }
            (Fault::Untyped, _)
                if rules.fields || !is_call && rules.results == Results::Directly =>
            {
                (without, "part does not say its type")
            }
            (Fault::NoId, _) if rules.fields => (without, "call has no id"),
            (Fault::NoText, _) if rules.fields => ("E30 no text", ""),
            (Fault::ServerId, _) if rules.fields => ("E24 server", ""),
            (Fault::Unsigned, _) if rules.thoughts.signed => ("E33", ""),
            _ => return,
        },
        _ => return,
    };
    let defect = finder.report(fault, block);
    let row = &mut defect.with(&[&format_args!("{what}")]).row;
    // The provider's errors number items, and a message may consist of several.
    if let NoteKind::Item { number, .. } = kind {
        (row.message, row.part) = (number, None);
    }
}

/// Finds arguments that are not JSON.
fn arguments(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    for (i, index, block) in transcript.all_blocks() {
        if block.kind == BlockKind::Call {
            let call = transcript.messages[i].bytes(finder.texts, block.span);
            if call.is_ok_and(|call| !has_json_arguments(&call)) {
                finder.report("E29 json", index);
            }
        }
    }
}

/// Returns whether the arguments of a call are JSON, if they are a string.
fn has_json_arguments(call: &[u8]) -> bool {
    let within = member(call, 0, "function").map_or(0, |function| function.value.start);
    let arguments =
        member(call, within, "arguments").filter(|arguments| arguments.kind == Kind::String);
    arguments.is_none_or(|arguments| {
        is_value(&text::decode(
            &call[arguments.value.start + 1..arguments.value.end - 1],
        ))
    })
}
