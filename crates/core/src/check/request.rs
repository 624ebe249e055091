//! E15, E31 and E39 of a request to Anthropic: members that it may not have beside others, or not
//! at its API version.

use super::*;
use crate::json::{
    Kind,
    locate::{elements, member, member_value, text_member},
};

/// The version from which on an answer has no document, a user's text no citations, and a request
/// no sampling parameters (platform.claude.com, migration-2026-10-21).
const STRICTER: &str = "2026-10-21";

/// Reports these defects of the body at `start`.
pub fn check(finder: &mut Finder<'_>, bytes: &[u8], start: usize) {
    let transcript = finder.transcript;
    let request = &transcript.request;
    let managed = member_value(bytes, start, "context_management");
    if let Some(managed) = &managed {
        let edits = member_value(bytes, managed.start, "edits");
        let edits = edits.and_then(|edits| elements(bytes, edits.start));
        let clears = |edit: &Range<usize>| {
            let kind = text_member(&bytes[edit.clone()], "type");
            kind.is_some_and(|kind| kind.starts_with("clear_thinking_"))
        };
        if transcript.ignores_thinking(&finder.rules)
            && edits.is_some_and(|edits| edits.iter().any(clears))
        {
            at(
                finder.report("E15 cleared", Place::Request),
                "context_management",
            );
        }
        if request.summarizes {
            refused(finder, "context_management");
        }
    }
    if request.api_version.as_deref() < Some(STRICTER) {
        return;
    }
    for name in ["temperature", "top_p", "top_k"] {
        if member_value(bytes, start, name).is_some() {
            refused(finder, name);
        }
    }
    for message in &transcript.messages {
        let start = message.range(message.span).start as usize;
        parts(finder, bytes, start, message.role == Role::User);
    }
}

/// Checks the parts of a message, or of a part of it.
fn parts(finder: &mut Finder<'_>, bytes: &[u8], holder: usize, is_user: bool) {
    let content = member_value(bytes, holder, "content");
    for part in content
        .and_then(|list| elements(bytes, list.start))
        .into_iter()
        .flatten()
    {
        let place = searched::place(finder.transcript, part.start as u64);
        let kind = text_member(&bytes[part.clone()], "type").unwrap_or_default();
        let cites = member(bytes, part.start, "citations")
            .is_some_and(|member| member.kind == Kind::Array && member.value.len() > 2);
        if kind == "document" && !is_user {
            finder.report("E31 document", place);
        } else if kind == "text" && is_user && cites {
            finder.report("E39", place).with(&[&"citations"]);
        } else if kind == "search_result" && is_user {
            parts(finder, bytes, part.start, true);
        }
    }
}

/// Reports a member of the body that is not accepted.
fn refused(finder: &mut Finder<'_>, name: &str) {
    at(finder.report("E39", Place::Request).with(&[&name]), name);
}

/// Names the member of the body that a defect concerns.
fn at(defect: &mut Defect, name: &str) {
    defect.row.path = Some(name.to_owned());
}
