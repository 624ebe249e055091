//! Replaces ids and names that a provider does not accept, in calls and results alike.
//!
//! A new id depends only on the old one, so that it is the same in the next request. A new name is
//! the old one with the characters that the provider accepts. It replaces the old one wherever the
//! tool is named: declared, chosen, called and answered.

use super::*;
use crate::{
    dialect::{item_id, shared::SERVER_ID},
    transcript::{First, Letters, NoteKind, Syntax},
};
use xxhash_rust::xxh3::xxh3_64;

/// Where a call or a result has the name of its tool: paths of members.
const CALLED: &[&str] = &[
    "function.name",
    "custom.name",
    "functionCall.name",
    "function_call.name",
    "toolUse.name",
    "functionResponse.name",
    "function_response.name",
    "name",
];

/// Where a request, or its configuration of tools, declares tools, and where it chooses or allows
/// some.
const DECLARED: &[&str] = &[
    "tools.*.name",
    "tools.*.function.name",
    "tools.*.custom.name",
    "tools.*.toolSpec.name",
    "tools.*.functionDeclarations.*.name",
    "tools.*.function_declarations.*.name",
    "tool_choice.name",
    "tool_choice.function.name",
    "tool_choice.custom.name",
    "tool_choice.tool.name",
    "toolChoice.name",
    "toolChoice.function.name",
    "toolChoice.custom.name",
    "toolChoice.tool.name",
    "functionCallingConfig.allowedFunctionNames.*",
    "functionCallingConfig.allowed_function_names.*",
    "function_calling_config.allowedFunctionNames.*",
    "function_calling_config.allowed_function_names.*",
];

impl RepairContext<'_> {
    /// Replaces the ids and names of these defects.
    pub fn respell(&mut self, found: &[&Defect]) {
        let rules = self.rules;
        // An id of the wrong kind gets one that no other item has.
        let renamed: BTreeSet<u32> = found
            .iter()
            .filter(|defect| defect.row.code == "E25")
            .filter_map(|defect| defect.block)
            .collect();
        for (code, block) in found
            .iter()
            .filter_map(|defect| Some((defect.row.code, defect.block?)))
        {
            match code {
                "E24" if self.transcript.block(block).is_linked() => {
                    self.respell_id(self.transcript.link_at(block).call, &rules.call_id);
                }
                "E24" => self.respell_server_id(block),
                "E25" => self.respell_item(block),
                "E26" if !renamed.contains(&block) => self.unname_item(block),
                _ => {}
            }
        }
        if found.iter().any(|defect| defect.row.code == "E27") {
            self.respell_names(if rules.tool_name == Syntax::FREE {
                rules.call_name
            } else {
                rules.tool_name
            });
        }
    }

    /// Replaces a string by one that `syntax` accepts.
    fn respell_at(&mut self, place: Range<usize>, syntax: &Syntax) {
        let new = respelled(syntax, &text::lossy(&self.bytes[place.clone()]));
        self.put(place, new.into_bytes());
    }

    /// Replaces the id of a call and its results.
    fn respell_id(&mut self, id: Id, syntax: &Syntax) {
        let ends: Vec<Range<usize>> = self
            .linked()
            .map(|(i, _, block)| (i, self.transcript.link(block)))
            .filter(|(_, link)| link.call == id && link.id.end > 0)
            .map(|(i, link)| self.place(i, link.id))
            .collect();
        // An empty id is ambiguous, unless exactly one call and one result have it.
        if let Some(end) = ends
            .first()
            .filter(|end| !end.is_empty() || ends.len() == 2)
        {
            self.rename_all(
                &ends,
                respelled(syntax, &text::lossy(&self.bytes[end.clone()])).into_bytes(),
            );
        }
    }

    /// Replaces the id of the server's call at `block`, or of the call that the result there
    /// answers, in the call, its result and the calls that it made.
    fn respell_server_id(&mut self, block: u32) {
        let notes = &self.transcript.notes;
        let id = notes.iter().find_map(|note| match note.kind {
            NoteKind::ServerCall(id) | NoteKind::ServerResult(id) => {
                Some(id).filter(|_| note.block == block)
            }
            _ => None,
        });
        for note in notes {
            let (path, found) = match note.kind {
                NoteKind::ServerCall(found) => ("id", found),
                NoteKind::ServerResult(found) => ("tool_use_id", found),
                NoteKind::Caller(found) => ("caller.tool_id", found),
                _ => continue,
            };
            if Some(found) == id
                && let Some(object) = self.object_of(note.block)
                && let Some(value) = string(self.bytes, object.start, path)
            {
                self.respell_at(value, &SERVER_ID);
            }
        }
    }

    /// Returns the item of `input` that contains the block at `block`.
    pub fn item(&self, block: u32) -> Option<Range<usize>> {
        let at = self.place_of(block).start;
        let record = self.transcript.message_with(block).record as usize;
        let list = if self.bytes[record] == b'[' {
            record
        } else {
            self.value_of(record, "input")?.start
        };
        elements(self.bytes, list)?
            .into_iter()
            .find(|item| item.contains(&at))
    }

    /// Gives an item an id with the prefix of its kind.
    fn respell_item(&mut self, block: u32) {
        let Some(item) = self.item(block) else { return };
        let kind = string(self.bytes, item.start, "type");
        let kind = kind.map_or("message".into(), |kind| text::lossy(&self.bytes[kind]));
        if let Some(syntax) = item_id(&kind)
            && let Some(id) = string(self.bytes, item.start, "id")
        {
            self.respell_at(id, &syntax);
        }
    }

    /// Removes the id of an item, or an item that is only an id.
    fn unname_item(&mut self, block: u32) {
        let Some(item) = self.item(block) else { return };
        let reference = self
            .value_of(item.start, "type")
            .is_none_or(|kind| &self.bytes[kind] == b"\"item_reference\"");
        match self.value_of(item.start, "role") {
            None if reference => self.cut(item),
            _ => self.remove_member(item.start, "id"),
        }
    }

    /// Replaces the names of tools that `syntax` does not accept, wherever they occur.
    fn respell_names(&mut self, syntax: Syntax) {
        let Some(record) = self.transcript.messages.first().map(|m| m.record as usize) else {
            return;
        };
        let mut places = Vec::new();
        let configurations = ["toolConfig", "tool_config"]
            .iter()
            .filter_map(|name| self.value_of(record, name))
            .map(|value| value.start);
        for start in configurations.chain([record]) {
            for path in DECLARED {
                strings(self.bytes, start, path, &mut places);
            }
        }
        for (i, _, block) in self.linked() {
            let start = self.place(i, block.span).start;
            places.extend(
                CALLED
                    .iter()
                    .find_map(|path| string(self.bytes, start, path)),
            );
        }
        let names: BTreeSet<String> = places
            .iter()
            .map(|place| text::lossy(&self.bytes[place.clone()]))
            .collect();
        let is_fine = |name: &str| syntax.fault(name.as_bytes()).is_none();
        let (mut known, wrong): (BTreeSet<String>, BTreeSet<String>) =
            names.into_iter().partition(|name| is_fine(name));
        let mut new: BTreeMap<String, String> = BTreeMap::new();
        // Tools without a name may be different ones.
        for name in wrong.into_iter().filter(|name| !name.is_empty()) {
            let plain = cleaned(&syntax, &name);
            let fits = !plain.is_empty() && is_fine(&plain) && !known.contains(&plain);
            let found = if fits {
                plain
            } else {
                respelled(&syntax, &name)
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

/// Adds the byte ranges of the strings under `path` in the value at `start`, without their quotes.
/// `*` is each element of an array.
fn strings(bytes: &[u8], start: usize, path: &str, found: &mut Vec<Range<usize>>) {
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    let values = if name == "*" {
        elements(bytes, start).unwrap_or_default()
    } else {
        member_value(bytes, start, name).into_iter().collect()
    };
    for value in values {
        if !rest.is_empty() {
            strings(bytes, value.start, rest, found);
        } else if bytes[value.start] == b'"' {
            found.push(value.start + 1..value.end - 1);
        }
    }
}

/// Returns the byte range of the string under `path` in the object at `start`, without the quotes;
/// `None` if there is no string.
fn string(bytes: &[u8], start: usize, path: &str) -> Option<Range<usize>> {
    let mut found = Vec::new();
    strings(bytes, start, path, &mut found);
    found.pop()
}

/// Replaces characters of `word` that `syntax` does not accept by `_`, and adds the required
/// prefix.
fn cleaned(syntax: &Syntax, word: &str) -> String {
    let word: String = word
        .chars()
        .map(|c| {
            if c.is_ascii() && syntax.letters.has(c as u8) {
                c
            } else {
                '_'
            }
        })
        .collect();
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
pub fn respelled(syntax: &Syntax, word: &str) -> String {
    let hash = xxh3_64(word.as_bytes());
    if syntax.letters == Letters::Digits {
        let digits = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        return (0..syntax.max.min(10))
            .map(|n| char::from(digits[(hash / 62u64.pow(n as u32) % 62) as usize]))
            .collect();
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
