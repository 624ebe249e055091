//! Replaces ids and names that a provider does not accept, in calls and results alike.
//!
//! A new id depends only on the old one, so that it is the same in the next request. A new name is the old one with the characters that the
//! provider accepts. It replaces the old one wherever the tool is named: declared, chosen, called and answered.

use super::{Defect, RepairContext};
use crate::dialect::item_prefix;
use crate::json::locate::{elements, member};
use crate::json::{Id, text};
use crate::transcript::{BlockKind, First, Letters, NoteKind, Syntax};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

impl RepairContext<'_> {
    /// Replaces the ids and names of these defects.
    pub(super) fn respell(&mut self, found: &[&Defect]) {
        let rules = self.rules;
        let (mut ids, mut server) = (Vec::new(), Vec::new());
        // An id of the wrong kind gets one that no other item has.
        let renamed: BTreeSet<Option<u32>> = found
            .iter()
            .filter(|defect| defect.row.code == "E25")
            .map(|defect| defect.block)
            .collect();
        for defect in found {
            match (defect.row.code, defect.block) {
                ("E24", Some(block)) if self.transcript.blocks[block as usize].is_linked() => {
                    ids.push(self.transcript.link_at(block).call);
                }
                ("E24", Some(block)) => server.extend(self.server_id(block)),
                ("E25", Some(block)) => self.respell_item(block),
                ("E26", Some(block)) if !renamed.contains(&defect.block) => self.unname_item(block),
                _ => {}
            }
        }
        for id in ids {
            self.respell_id(id, &rules.call_id);
        }
        let taken = Syntax {
            first: First::Prefix("srvtoolu_"),
            letters: Letters::Underscore,
            min: 10,
            ..Syntax::FREE
        };
        for id in server {
            self.respell_server_id(id, &taken);
        }
        if found.iter().any(|defect| defect.row.code == "E27") {
            self.respell_names(if rules.tool_name.refusal.is_empty() {
                rules.call_name
            } else {
                rules.tool_name
            });
        }
    }

    /// Replaces the id of a call and its results.
    fn respell_id(&mut self, id: Id, syntax: &Syntax) {
        let ends: Vec<Range<usize>> = self
            .linked()
            .map(|(i, _, block)| (i, self.transcript.link(&block)))
            .filter(|(_, link)| link.call == id && link.id.end > 0)
            .map(|(i, link)| self.place(i, link.id))
            .collect();
        // An empty id is ambiguous, unless exactly one call and one result have it.
        if let Some(end) = ends
            .first()
            .filter(|end| !end.is_empty() || ends.len() == 2)
        {
            let new = respelled(syntax, &text::lossy(&self.bytes[end.clone()]));
            self.rename_all(&ends, new.into_bytes());
        }
    }

    /// Returns the id of the server's call at `block`, or of the call that the result there answers.
    fn server_id(&self, block: u32) -> Option<Id> {
        let of_block = |note: &&crate::transcript::Note| note.block == block;
        self.transcript
            .notes
            .iter()
            .filter(of_block)
            .find_map(|note| match note.kind {
                NoteKind::ServerCall(id) | NoteKind::ServerResult(id) => Some(id),
                _ => None,
            })
    }

    /// Replaces the id of a server's call, its result and the calls that it made.
    fn respell_server_id(&mut self, id: Id, syntax: &Syntax) {
        let transcript = self.transcript;
        for note in &transcript.notes {
            let (name, within) = match note.kind {
                NoteKind::ServerCall(found) if found == id => ("id", None),
                NoteKind::ServerResult(found) if found == id => ("tool_use_id", None),
                NoteKind::Caller(found) if found == id => ("tool_id", Some("caller")),
                _ => continue,
            };
            let i = self.message_of(note.block);
            let Some(object) = self.object_of(i, note.block) else {
                continue;
            };
            let inner = within
                .and_then(|within| member(self.bytes, object.start, within))
                .map(|m| m.value.start);
            let Some(value) = string(self.bytes, inner.unwrap_or(object.start), name) else {
                continue;
            };
            let new = respelled(syntax, &text::lossy(&self.bytes[value.clone()]));
            self.put(value, new.into_bytes());
        }
    }

    /// Returns the item of `input` that contains the block at `block`.
    fn item(&self, block: u32) -> Option<Range<usize>> {
        let i = self.message_of(block);
        let at = self
            .place(i, self.transcript.blocks[block as usize].span)
            .start;
        let record = self.transcript.messages[i].record as usize;
        let list = if self.bytes[record] == b'[' {
            record
        } else {
            member(self.bytes, record, "input")?.value.start
        };
        elements(self.bytes, list)?
            .into_iter()
            .find(|item| item.contains(&at))
    }

    /// Gives an item an id with the prefix of its kind.
    fn respell_item(&mut self, block: u32) {
        let Some(item) = self.item(block) else { return };
        let kind = string(self.bytes, item.start, "type");
        let kind = kind.map_or_else(
            || "message".to_owned(),
            |kind| text::lossy(&self.bytes[kind]),
        );
        let Some((prefix, id)) = item_prefix(&kind).zip(string(self.bytes, item.start, "id"))
        else {
            return;
        };
        let syntax = Syntax {
            first: First::Prefix(prefix),
            letters: Letters::Word,
            max: 64,
            ..Syntax::FREE
        };
        let new = respelled(&syntax, &text::lossy(&self.bytes[id.clone()]));
        self.put(id, new.into_bytes());
    }

    /// Removes the id of an item, or an item that is only an id.
    fn unname_item(&mut self, block: u32) {
        let Some(item) = self.item(block) else { return };
        let reference = member(self.bytes, item.start, "type")
            .is_none_or(|kind| &self.bytes[kind.value] == b"\"item_reference\"");
        match member(self.bytes, item.start, "role") {
            None if reference => self.cut(item),
            _ => self.remove_member(item.start, "id"),
        }
    }

    /// Replaces the names of tools that `syntax` does not accept, wherever they occur.
    fn respell_names(&mut self, syntax: Syntax) {
        let Some(record) = self.transcript.messages.first().map(|m| m.record as usize) else {
            return;
        };
        let mut places = declared(self.bytes, record);
        for (i, _, block) in self.linked() {
            let span = self.place(i, block.span);
            places.extend(called(self.bytes, span.start, block.kind));
        }
        let names: BTreeSet<String> = places
            .iter()
            .map(|place| text::lossy(&self.bytes[place.clone()]))
            .collect();
        let mut new: BTreeMap<&str, String> = BTreeMap::new();
        let mut known: BTreeSet<String> = names
            .iter()
            .filter(|name| syntax.fault(name.as_bytes()).is_none())
            .cloned()
            .collect();
        // Tools without a name may be different ones.
        for name in names
            .iter()
            .filter(|name| !name.is_empty() && syntax.fault(name.as_bytes()).is_some())
        {
            let plain = cleaned(&syntax, name);
            let fits = !plain.is_empty()
                && syntax.fault(plain.as_bytes()).is_none()
                && !known.contains(&plain);
            let found = if fits {
                plain
            } else {
                respelled(&syntax, name)
            };
            known.insert(found.clone());
            new.insert(name, found);
        }
        for place in places {
            if let Some(found) = new.get(&*text::lossy(&self.bytes[place.clone()])) {
                self.put(place, found.clone().into_bytes());
            }
        }
    }
}

/// Returns the byte range of the string under `name` in the object at `start`, without the quotes; `None` if there is no string.
fn string(bytes: &[u8], start: usize, name: &str) -> Option<Range<usize>> {
    let value = member(bytes, start, name)?.value;
    (bytes[value.start] == b'"').then(|| value.start + 1..value.end - 1)
}

/// Returns the byte range of the tool's name in a call or a result.
fn called(bytes: &[u8], start: usize, kind: BlockKind) -> Option<Range<usize>> {
    let holders: &[&str] = match kind {
        BlockKind::Call => &[
            "function",
            "custom",
            "functionCall",
            "function_call",
            "toolUse",
        ],
        _ => &["functionResponse", "function_response"],
    };
    let holder = holders
        .iter()
        .find_map(|key| member(bytes, start, key))
        .filter(|m| bytes[m.value.start] == b'{');
    string(bytes, holder.map_or(start, |m| m.value.start), "name")
}

/// Returns the byte ranges of the names of tools that the request at `record` declares, and of those that it chooses or allows.
fn declared(bytes: &[u8], record: usize) -> Vec<Range<usize>> {
    let object = |start: usize, name: &str| {
        member(bytes, start, name)
            .map(|m| m.value.start)
            .filter(|at| bytes[*at] == b'{')
    };
    let list = |start: usize, name: &str| {
        member(bytes, start, name)
            .and_then(|m| elements(bytes, m.value.start))
            .unwrap_or_default()
    };
    if bytes.get(record) != Some(&b'{') {
        return Vec::new();
    }
    let outer: Vec<usize> = [
        Some(record),
        object(record, "toolConfig"),
        object(record, "tool_config"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut found = Vec::new();
    for tool in outer
        .iter()
        .flat_map(|at| list(*at, "tools"))
        .filter(|tool| bytes[tool.start] == b'{')
    {
        found.extend(string(bytes, tool.start, "name"));
        let inner = ["function", "custom", "toolSpec"]
            .iter()
            .filter_map(|key| object(tool.start, key));
        found.extend(inner.filter_map(|at| string(bytes, at, "name")));
        let functions = ["functionDeclarations", "function_declarations"]
            .iter()
            .flat_map(|key| list(tool.start, key));
        found.extend(
            functions
                .filter(|f| bytes[f.start] == b'{')
                .filter_map(|f| string(bytes, f.start, "name")),
        );
    }
    for at in outer {
        for choice in ["tool_choice", "toolChoice"]
            .iter()
            .filter_map(|key| object(at, key))
        {
            let inner = [
                Some(choice),
                object(choice, "function"),
                object(choice, "custom"),
                object(choice, "tool"),
            ];
            found.extend(
                inner
                    .into_iter()
                    .flatten()
                    .filter_map(|at| string(bytes, at, "name")),
            );
        }
        for calling in ["functionCallingConfig", "function_calling_config"]
            .iter()
            .filter_map(|key| object(at, key))
        {
            let names = ["allowedFunctionNames", "allowed_function_names"]
                .iter()
                .flat_map(|key| list(calling, key));
            found.extend(
                names
                    .filter(|name| bytes[name.start] == b'"')
                    .map(|name| name.start + 1..name.end - 1),
            );
        }
    }
    found
}

/// Replaces characters of `word` that `syntax` does not accept by `_`, and adds the required prefix.
fn cleaned(syntax: &Syntax, word: &str) -> String {
    let letter = |c: char| {
        if c.is_ascii() && syntax.letters.has(c as u8) {
            c
        } else {
            '_'
        }
    };
    let word: String = word.chars().map(letter).collect();
    match syntax.first {
        First::Prefix(prefix) if !word.starts_with(prefix) => {
            format!("{}_{word}", prefix.trim_end_matches('_'))
        }
        First::Letter | First::LetterOrUnderscore
            if !word.starts_with(|c: char| c.is_ascii_alphabetic()) =>
        {
            format!("t{word}")
        }
        _ => word,
    }
}

/// Returns an id or a name that `syntax` accepts and that no other word is replaced by.
fn respelled(syntax: &Syntax, word: &str) -> String {
    let hash = xxh3_64(word.as_bytes());
    if syntax.letters == Letters::Digits {
        let digits = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        let digit = |n: usize| char::from(digits[(hash / 62u64.pow(n as u32) % 62) as usize]);
        return (0..syntax.max.min(10)).map(digit).collect();
    }
    let tail = format!("_{hash:08x}", hash = hash as u32);
    let mut word = cleaned(syntax, word);
    word.truncate(syntax.max.saturating_sub(tail.len()));
    word + &tail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn respelled_ids_are_accepted() {
        let any = Syntax::FREE;
        for (syntax, plain) in [
            (
                Syntax {
                    letters: Letters::Digits,
                    min: 9,
                    max: 9,
                    ..any
                },
                "",
            ),
            (
                Syntax {
                    letters: Letters::Word,
                    min: 1,
                    ..any
                },
                "a_b_c",
            ),
            (Syntax { max: 40, ..any }, "a.b/c"),
            (
                Syntax {
                    first: First::Prefix("fc"),
                    letters: Letters::Word,
                    max: 64,
                    ..any
                },
                "fc_a_b_c",
            ),
            (
                Syntax {
                    first: First::Prefix("srvtoolu_"),
                    letters: Letters::Underscore,
                    min: 10,
                    ..any
                },
                "srvtoolu_a_b_c",
            ),
            (
                Syntax {
                    first: First::Letter,
                    letters: Letters::Word,
                    min: 1,
                    max: 64,
                    ..any
                },
                "a_b_c",
            ),
        ] {
            let long = "é.".repeat(200);
            for word in ["a.b/c", "9", "", "call_PTLP8xhu3uwZk4l3nlnrrJha", &long] {
                let found = respelled(&syntax, word);
                assert!(
                    syntax.fault(found.as_bytes()).is_none(),
                    "{word}: {found}: {:?}",
                    syntax.fault(found.as_bytes())
                );
                assert_eq!(found, respelled(&syntax, word));
            }
            if !plain.is_empty() {
                assert_eq!(cleaned(&syntax, "a.b/c"), plain);
            }
        }
    }
}
