//! Faults of single items of OpenAI's Responses, and of an item together with the one before it.

use crate::dialect::openai_responses::items::ItemMembers;
use crate::json::{IdSet, Kind};
use crate::transcript::{Fault, First, ItemFault, Letters, NoteKind, Syntax};

/// The items so far.
#[derive(Debug, Default)]
pub struct ItemSequence {
    ids: IdSet,
    count: u32,
    /// Whether the item before was reasoning that has an id.
    reasoned: bool,
    /// Whether it was reasoning.
    thought: bool,
    /// Whether an id is not one of OpenAI's: a gateway, which made it, takes any.
    pub is_foreign: bool,
}

/// Returns the prefix of the ids of items of this type; `None` where it is unknown.
pub fn item_prefix(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "message" => "msg",
        "reasoning" => "rs",
        "function_call" | "function_call_output" => "fc",
        "custom_tool_call" => "ctc",
        "web_search_call" => "ws",
        _ => return None,
    })
}

impl ItemSequence {
    /// Counts an item, whatever it is.
    pub fn begin(&mut self) {
        self.count += 1;
    }

    /// Returns the faults for which a provider refuses the item that was counted last.
    pub fn faults(&mut self, seen: &ItemMembers<'_>, kind: &str, record: &[u8]) -> Vec<NoteKind> {
        let mut found = Vec::new();
        let number = self.count;
        let item = |fault| NoteKind::Item { fault, number };
        let named = seen.id.hash.is_some();
        let reasoned = std::mem::replace(&mut self.reasoned, kind == "reasoning" && named);
        let thought = std::mem::replace(&mut self.thought, kind == "reasoning");
        if !thought && matches!(kind, "function_call" | "custom_tool_call") {
            found.push(item(ItemFault::Unreasoned));
        }
        let id = seen.id.span.of(record);
        self.is_foreign |= named && (id.len() > 64 || id.iter().any(|b| b"+/=".contains(b)));
        // The id of a shell's output is that of its call.
        if named && kind != "local_shell_call_output" && !self.ids.insert(seen.id.hash) {
            found.push(item(ItemFault::Twice));
        }
        let syntax = |prefix| Syntax {
            first: First::Prefix(prefix),
            letters: Letters::Word,
            max: 64,
            ..Syntax::FREE
        };
        let wanted = item_prefix(kind).map(syntax);
        if named && wanted.is_some_and(|syntax| syntax.fault_of_raw(id).is_some()) {
            found.push(item(ItemFault::Kind));
        }
        match kind {
            "reasoning" if !named => found.push(NoteKind::Fault(Fault::Unnamed)),
            "reasoning" if !seen.sealed => found.push(item(ItemFault::Unkept)),
            "item_reference" => found.push(item(ItemFault::Unkept)),
            "function_call" | "custom_tool_call" if !seen.string => {
                found.push(NoteKind::Fault(Fault::NoString))
            }
            "function_call_output" | "custom_tool_call_output"
                if !matches!(seen.output, Some(Kind::String | Kind::Array)) =>
            {
                found.push(NoteKind::Fault(Fault::NoContent));
            }
            "computer_call_output" if seen.output != Some(Kind::Object) => {
                found.push(NoteKind::Fault(Fault::NoPicture))
            }
            "message" if reasoned && !named && seen.role.as_deref() == Some("assistant") => {
                found.push(NoteKind::Fault(Fault::Unbound));
            }
            _ => {}
        }
        found
    }
}
