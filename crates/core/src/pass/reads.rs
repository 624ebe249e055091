//! The file, address or command that a call reads, to recognize repeated reads.

use crate::{
    json::{
        Id, Kind,
        locate::{Member, members, value},
        text,
    },
    resource::{
        accesses_by,
        arguments::{self, Argument, Arguments},
        says, words,
    },
    settings::Resources,
};
use std::ops::Range;

/// The resource that a call reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// The resource; all arguments where they name none.
    pub resource: Id,
    /// Whether they name one.
    pub named: bool,
    /// The part of it.
    pub part: Part,
    /// The byte range in the call that names the resource, or the command; all arguments if neither
    /// is there.
    pub label: Range<usize>,
}

/// The part of a resource that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// Lines, the last one excluded.
    Lines(u64, u64),
    /// A part recognized by other arguments, of which this is the whole.
    Other(Id),
}

impl Part {
    /// Whether this part has all that `other` has.
    pub fn covers(self, other: Part) -> bool {
        match (self, other) {
            (Part::Whole, _) => true,
            (Part::Lines(from, to), Part::Lines(first, last)) => from <= first && last <= to,
            _ => self == other,
        }
    }
}

/// Whether a tool of this name changes a text that its call quotes.
pub fn is_editor(tool: &str) -> bool {
    says(tool, "editor")
}

/// Whether a tool of this name reads rather than writes.
pub fn is_reader(tool: &str) -> bool {
    !says(tool, "writer")
}

/// Returns the resource that the call with the JSON `call` reads; `None` if it has no arguments.
pub fn of_call(call: &[u8]) -> Option<Read> {
    let (kind, place) = arguments::place(call)?;
    let unread = Read {
        resource: Id::of(&call[place.clone()]),
        named: false,
        part: Part::Whole,
        label: place.clone(),
    };
    let found = if kind == Kind::String {
        // Arguments as text: what the text says is JSON again.
        let from = place.start + 1;
        let raw = &call[from..place.end - 1];
        let inner = text::decode(raw);
        let all = Read {
            resource: Id::of(&inner),
            ..unread.clone()
        };
        let label = label_in(raw).unwrap_or(0..raw.len());
        let label = from + label.start..from + label.end;
        value(&inner, 0)
            .and_then(|at| read(&inner, at.start, all))
            .map(|found| Read { label, ..found })
    } else {
        read(call, place.start, unread.clone())
    };
    Some(found.unwrap_or(unread))
}

/// Returns what a call is about: the resource of its tool, else the command or pattern, else its
/// first text. `None` if it has none.
pub fn target(tool: &str, call: &[u8]) -> Option<String> {
    let arguments = Arguments::of(call)?;
    let path = accesses_by(tool, &arguments, &Resources::default());
    let path = path.into_iter().next().map(|access| access.path);
    let text = |value: &Argument| Some(value.texts().join(" ")).filter(|text| !text.is_empty());
    let command = || {
        words("command")
            .iter()
            .find_map(|name| text(arguments.get(name)?))
    };
    let first = || arguments.values.iter().find_map(|(_, value)| text(value));
    path.or_else(command).or_else(first).or(arguments.text)
}

/// Reads the object that begins at `at` as arguments; what it does not state is as in `all`.
fn read(bytes: &[u8], at: usize, all: Read) -> Option<Read> {
    let mut found = all.clone();
    let names = words("resource");
    let (mut rank, mut from, mut to, mut limit, mut other) =
        (names.len(), None, None, None, Vec::new());
    for Member {
        name,
        kind,
        value: place,
        ..
    } in members(bytes, at)?
    {
        let value = &bytes[place.clone()];
        let has = |role| words(role).iter().any(|known| known.as_bytes() == &*name);
        let number = || std::str::from_utf8(value).ok()?.trim().parse::<u64>().ok();
        let mut better = names.iter().take(rank);
        let better = better.position(|known| known.as_bytes() == &*name);
        if let Some(better) = better.filter(|_| kind == Kind::String) {
            (rank, found.named, found.resource) = (better, true, Id::of(value));
            found.label = place.start + 1..place.end - 1;
        } else if !found.named && kind == Kind::String && has("command") {
            found.label = place.start + 1..place.end - 1;
        } else if has("from") {
            from = number();
        } else if has("to") {
            to = number();
        } else if &*name == b"limit" {
            limit = number();
        } else if has("part") && kind != Kind::Null {
            other.extend([name.to_vec(), value.to_vec()]);
        }
    }
    let first = from.unwrap_or(1).max(1);
    let end = to
        .map(|to| to.saturating_add(1))
        .or(limit.map(|limit| first.saturating_add(limit)));
    found.part = match (&other[..], end) {
        ([], None | Some(u64::MAX)) if first == 1 => Part::Whole,
        ([], end) => Part::Lines(first, end.unwrap_or(u64::MAX)),
        _ => Part::Other(Id::of_all(other)),
    };
    if found.label.is_empty() {
        found.label = all.label;
    }
    Some(found)
}

/// Returns the byte range of the first string value in arguments that are escaped text.
fn label_in(raw: &[u8]) -> Option<Range<usize>> {
    let from = memchr::memmem::find(raw, b"\\\":\\\"").map(|i| i + 5)?;
    let end = memchr::memmem::find(&raw[from..], b"\\\"").map_or(raw.len(), |i| from + i);
    Some(from..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arguments: &str) -> Read {
        of_call(format!("{{\"name\":\"read\",\"arguments\":{arguments}}}").as_bytes())
            .expect("a call")
    }

    #[test]
    fn a_path_is_the_resource_and_lines_are_a_part() {
        let whole = of(r#"{"path":"/a"}"#);
        assert_eq!(
            whole.resource,
            of(r#"{"explain":"x","path":"/a"}"#).resource
        );
        assert_eq!(whole.resource, of(r#"{"file":"/b","path":"/a"}"#).resource);
        assert_ne!(whole.resource, of(r#"{"path":"/b"}"#).resource);
        assert_eq!(
            of(r#"{"path":"/a","offset":30,"limit":20}"#).part,
            Part::Lines(30, 50)
        );
        assert_eq!(
            of(r#"{"path":"/a","start_line":3,"end_line":9}"#).part,
            Part::Lines(3, 10)
        );
        assert!(whole.part == Part::Whole && whole.named && !of(r#"{"command":"ls"}"#).named);
    }

    #[test]
    fn parts_cover_parts() {
        let other = |text: &[u8]| Part::Other(Id::of(text));
        let (all, some, less) = (Part::Whole, Part::Lines(10, 100), Part::Lines(20, 30));
        assert!(all.covers(some) && some.covers(less) && !less.covers(some) && !some.covers(all));
        assert!(!other(b"1").covers(other(b"2")) && other(b"1").covers(other(b"1")));
    }

    #[test]
    fn arguments_as_text_and_deeper() {
        let text = of(r#""{\"path\":\"/a\",\"limit\":5}""#);
        assert_eq!(
            (text.resource, text.part),
            (of(r#"{"path":"/a"}"#).resource, Part::Lines(1, 6))
        );
        let deep =
            of_call(br#"{"id":"c","function":{"name":"read","arguments":"{\"path\":\"/a\"}"}}"#)
                .expect("a call");
        assert_eq!(deep.resource, text.resource);
        assert_eq!(of_call(b"{\"name\":\"x\"}"), None);
        assert!(of_call(b"{\"arguments\":\"not json\"}").is_some_and(|read| !read.named));
    }

    #[test]
    fn a_call_is_about_its_resource_its_command_or_its_first_text() {
        for (tool, call, want) in [
            (
                "Read",
                r#"{"input":{"note":"n","file_path":"/a","limit":3}}"#,
                Some("/a"),
            ),
            (
                "read",
                r#"{"function":{"arguments":"{\"why\":\"n\",\"path\":\"/a\"}"}}"#,
                Some("/a"),
            ),
            (
                "Bash",
                r#"{"input":{"description":"n","command":"ls -l"}}"#,
                Some("ls -l"),
            ),
            (
                "shell",
                r#"{"arguments":"{\"command\":[\"ls\",\"-l\"]}"}"#,
                Some("ls -l"),
            ),
            (
                "Grep",
                r#"{"input":{"path":"/a","pattern":"x.y"}}"#,
                Some("x.y"),
            ),
            (
                "mcp__jira__get",
                r#"{"input":{"limit":1,"issue":"D-3","as":"me"}}"#,
                Some("D-3"),
            ),
            (
                "apply_patch",
                r#"{"input":"*** Begin Patch\n*** Update File: a.rs\n@@"}"#,
                Some("a.rs"),
            ),
            ("note", r#"{"input":"as it is"}"#, Some("as it is")),
            ("list", r#"{"input":{}}"#, None),
            ("list", r#"{"type":"text","text":"x"}"#, None),
        ] {
            assert_eq!(
                target(tool, call.as_bytes()).as_deref(),
                want,
                "{tool} {call}"
            );
        }
    }
}
