//! What is wrong with items of OpenAI's Responses: unknown members and values, and faults of an
//! item, also together with the one before it.

use crate::{
    dialect::{
        openai_responses::items::{ItemKind, ItemMembers, ItemType, item_id},
        reading::*,
        shared::{
            content::Content,
            unread::{Odd, first_key, foreign_key, no_role, odd_content},
        },
    },
    json::IdSet,
    transcript::ItemFault,
};

/// Members that calls and outputs may have.
const KNOWN: &str = "type id call_id name namespace arguments input output status action operation execution caller max_output_length";

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
        if named && item_id(kind).is_some_and(|syntax| syntax.fault_of_raw(id).is_some()) {
            found.push(item(ItemFault::Kind));
        }
        if kind == "item_reference" || kind == "reasoning" && named && !seen.sealed {
            found.push(item(ItemFault::Unkept));
        }
        let fault = match kind {
            "reasoning" if !named => Fault::Unnamed,
            "function_call" | "custom_tool_call" if !seen.string => Fault::NoString,
            "function_call_output" | "custom_tool_call_output"
                if !matches!(seen.output, Some(Kind::String | Kind::Array)) =>
            {
                Fault::NoContent
            }
            "computer_call_output" if seen.output != Some(Kind::Object) => Fault::NoPicture,
            "message" if reasoned && !named && seen.role.as_deref() == Some("assistant") => {
                Fault::Unbound
            }
            _ => return found,
        };
        found.push(NoteKind::Fault(fault));
        found
    }
}

/// Returns the thing that was not understood of an item, with its level. The item has the type
/// `kind`.
pub fn unknown_content(
    kind: &str,
    seen: &mut ItemMembers<'_>,
    cursor: &mut Cursor<'_>,
    builder: &TranscriptBuilder,
) -> Scanned<Option<Odd>> {
    let needs = match seen.is {
        ItemKind::Message => return words(seen, cursor, builder),
        ItemKind::Unknown if kind.is_empty() => {
            let none = || (Level::Message, "item without a type".to_owned());
            let said = first_key(cursor, seen.at, "", false)?;
            return Ok(Some(said.unwrap_or_else(none)));
        }
        ItemKind::Unknown => {
            let what = format!("item of type {}", printable(kind));
            return Ok(Some((Level::Message, what)));
        }
        _ => ItemType::of(kind).map_or("", |row| row.needs),
    };
    let has_own_id = matches!(
        seen.is,
        ItemKind::Call("local_shell") | ItemKind::Output("local_shell")
    );
    let lacks = |member: &&str| match *member {
        "call_id" => seen.call.hash.is_none() && !(has_own_id && seen.id.hash.is_some()),
        "name" => seen.name.is_none(),
        "output" => !seen.said,
        _ => seen.arguments.is_none(),
    };
    // An item that lacks a member, and has none of another spelling, is a fault that the check
    // reports.
    let Some(member) = needs.split_whitespace().find(lacks) else {
        return Ok(None);
    };
    let instead = foreign_key(cursor, seen.at, KNOWN)?;
    Ok(instead.map(|key| {
        let what = format!("{key} in an item of type {kind} without {member}");
        (Level::Message, what)
    }))
}

/// Returns the thing that was not understood of an item that is a message, with its level.
fn words(
    seen: &mut ItemMembers<'_>,
    cursor: &mut Cursor<'_>,
    builder: &TranscriptBuilder,
) -> Scanned<Option<Odd>> {
    let known = matches!(
        seen.role.as_deref(),
        Some("user" | "assistant" | "system" | "developer")
    );
    if known
        && !builder.is_empty_since(seen.first)
        && seen.foreign.is_none()
        && builder.unknown_kinds() == seen.unknown_kinds
    {
        return Ok(None);
    }
    if let Some(key) = seen.foreign.take() {
        return Ok(Some((Level::Message, key)));
    }
    if !known {
        return no_role(cursor, seen.at, seen.role.as_deref().map(str::as_bytes)).map(Some);
    }
    let said = match seen.content {
        Content::Odd(_) => Some(odd_content()),
        _ => first_key(cursor, seen.at, "content", seen.said)?,
    };
    Ok(builder.verdict(seen.first, seen.unknown_kinds, said))
}
