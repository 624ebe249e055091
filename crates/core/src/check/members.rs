//! E39, E30, E27 and E08 of members: those that an item must not have, lacks or leaves empty, by
//! the types of the provider's SDK.

use super::*;
use crate::{
    json::{
        Kind,
        locate::{Member, elements, member_value, members, text_member},
    },
    tables::table_file,
};
use std::sync::LazyLock;

/// A member of a kind of item, as the table has it.
struct Known {
    name: &'static str,
    /// What a repair adds where it is missing; `Some("")` if it is required and nothing can be
    /// added.
    needed: Option<&'static str>,
    filled: bool,
    /// Whether it names a declared tool.
    declared: bool,
    /// Whether an item that has it must be the last.
    last: bool,
    /// The place of what it holds, if that is checked.
    place: Option<&'static str>,
}

/// The members of each kind of item (`.ci/members` makes the table), by the name of the API, a
/// space, and the place with the kind: `.` is the body, of which only the member with its messages
/// is known, and `*` every kind.
static ROWS: LazyLock<HashMap<String, Vec<Known>>> = LazyLock::new(|| {
    let row = |[api, kind, _, members]: [&'static str; 4]| {
        let members = members.split(' ').map(known).collect();
        Ok((format!("{api} {kind}"), members))
    };
    table_file!("members.tsv", 4, row).into_iter().collect()
});

fn known(cell: &'static str) -> Known {
    let (cell, place) = match cell.split_once('>') {
        Some((cell, place)) => (cell, Some(place)),
        None => (cell, None),
    };
    let (name, needed) = match cell.split_once('=') {
        Some((name, added)) => (name, Some(added)),
        None => (
            cell.trim_end_matches('!'),
            cell.ends_with('!').then_some(""),
        ),
    };
    Known {
        name: name.trim_end_matches(['+', '@', '$']),
        needed,
        filled: name.ends_with('+'),
        declared: name.ends_with('@'),
        last: name.ends_with('$'),
        place,
    }
}

/// What is wrong with a member.
#[derive(Debug, PartialEq, Eq)]
pub enum MemberFault {
    /// It is not accepted; the range from its key to the end of its value.
    Refused(Range<usize>),
    /// It is missing; what a repair adds, if that is sure.
    Missing(Option<&'static str>),
    /// It is empty.
    Empty,
    /// It names a tool that is not declared.
    Undeclared,
    /// Its item is not the last; the place behind the last.
    NotLast(usize),
}

/// A member of an item that the provider refuses.
pub struct RefusedMember {
    /// The index of the message or item in the body.
    pub element: usize,
    /// The kind of the item or part.
    pub kind: String,
    /// The range of the object.
    pub object: Range<usize>,
    /// The member's name; its value if that is what is wrong.
    pub name: String,
    /// What is wrong with it.
    pub fault: MemberFault,
}

/// Returns the members that the rules of a transcript refuse in its body at `start`.
pub fn refused_members(bytes: &[u8], start: usize, transcript: &Transcript) -> Vec<RefusedMember> {
    let api = transcript.rules().types;
    let body = ROWS.get(&format!("{api} .")).map_or(&[][..], |row| row);
    let [
        Known {
            name,
            place: Some(place),
            ..
        },
    ] = body
    else {
        return Vec::new();
    };
    let list = member_value(bytes, start, name).map_or(start, |value| value.start);
    let items = elements(bytes, list).unwrap_or_default();
    let mut walk = Walk {
        bytes,
        api,
        declared: match &transcript.request {
            request if request.unnamed_tools => &[],
            request => &request.declared,
        },
        element: 0,
        end: items.last().map_or(0, |last| last.end),
        found: Vec::new(),
    };
    for (i, item) in items.into_iter().enumerate() {
        walk.element = i;
        walk.object(place, item);
    }
    walk.found
}

struct Walk<'a> {
    bytes: &'a [u8],
    api: &'static str,
    /// The names of the declared tools; empty if they are not known.
    declared: &'a [String],
    /// The index of the item that is read, and the end of the last.
    element: usize,
    end: usize,
    found: Vec<RefusedMember>,
}

impl Walk<'_> {
    /// Returns what is known of a kind of item.
    fn row(&self, kind: &str) -> Option<&'static Vec<Known>> {
        ROWS.get(&format!("{} {kind}", self.api))
    }

    /// Returns what is known of an object in a place, and the name of its kind.
    fn kind(&self, place: &str, object: &[u8]) -> Option<(&'static Vec<Known>, String)> {
        if let Some(row) = self.row(place) {
            return Some((row, place.trim_end_matches('s').to_owned()));
        }
        let role = text_member(object, "role");
        let kind = text_member(object, "type").or_else(|| role.as_ref().map(|_| "message".into()));
        let mut kinds = [kind, role].into_iter().flatten();
        kinds.find_map(|kind| Some((self.row(&format!("{place}:{kind}"))?, kind)))
    }

    /// Checks the object `at` of a place, and what its members hold.
    fn object(&mut self, place: &str, at: Range<usize>) {
        let Some(members) = members(self.bytes, at.start) else {
            return;
        };
        let Some((row, kind)) = self.kind(place, &self.bytes[at.clone()]) else {
            return;
        };
        let of_all = self.row("*").map_or(&[][..], |row| row);
        let mut found = Vec::new();
        let mut inside = Vec::new();
        for member in &members {
            let is = |known: &&Known| is_named(member, known.name);
            let Some(known) = row.iter().chain(of_all).find(is) else {
                let name = String::from_utf8_lossy(&member.name).into_owned();
                found.push((name, MemberFault::Refused(member.whole.clone())));
                continue;
            };
            let value = &self.bytes[member.value.clone()];
            let text = || String::from_utf8_lossy(value).trim_matches('"').to_owned();
            if known.filled && value == b"\"\"" {
                found.push((known.name.to_owned(), MemberFault::Empty));
            }
            if known.declared && !self.declared.is_empty() && !self.declared.contains(&text()) {
                found.push((text(), MemberFault::Undeclared));
            }
            if known.last && at.end < self.end {
                found.push((known.name.to_owned(), MemberFault::NotLast(self.end)));
            }
            if let Some(place) = known.place {
                inside.push((place, member.value.clone(), member.kind));
            }
        }
        for known in row {
            let there = members.iter().any(|member| is_named(member, known.name));
            if let Some(added) = known.needed.filter(|_| !there) {
                let added = Some(added).filter(|added| !added.is_empty());
                found.push((known.name.to_owned(), MemberFault::Missing(added)));
            }
        }
        // An object without any of the members is of another API, and not understood.
        let is_refused =
            |(_, fault): &&(String, MemberFault)| matches!(fault, MemberFault::Refused(_));
        if !members.is_empty() && found.iter().filter(is_refused).count() == members.len() {
            return;
        }
        let of_item = |(name, fault)| RefusedMember {
            element: self.element,
            kind: kind.clone(),
            object: at.clone(),
            name,
            fault,
        };
        self.found.extend(found.into_iter().map(of_item));
        for (place, value, kind) in inside {
            if kind == Kind::Array {
                let parts = elements(self.bytes, value.start).unwrap_or_default();
                parts.into_iter().for_each(|part| self.object(place, part));
            } else {
                self.object(place, value);
            }
        }
    }
}

/// Returns whether a member has this name, in camel case or with underscores, as Google's services
/// accept both.
fn is_named(member: &Member<'_>, name: &str) -> bool {
    let letters = |text: &[u8]| -> Vec<u8> {
        let letters = text.iter().filter(|byte| **byte != b'_');
        letters.map(u8::to_ascii_lowercase).collect()
    };
    *member.name == *name.as_bytes()
        || name.bytes().any(|byte| byte.is_ascii_uppercase())
            && letters(&member.name) == letters(name.as_bytes())
}

/// Reports refused members of the body that begins at `start`, except where another code of the
/// part says so.
pub fn check(finder: &mut Finder<'_>, bytes: &[u8], start: usize) {
    let transcript = finder.transcript;
    let rules = finder.rules;
    let told: HashSet<Option<u32>> = finder
        .defects
        .iter()
        .filter(|defect| {
            matches!(
                defect.row.code,
                "E08" | "E24" | "E25" | "E27" | "E29" | "E30" | "E33" | "E35"
            )
        })
        .map(|defect| defect.block)
        .collect();
    for member in refused_members(bytes, start, transcript) {
        let place = searched::place(transcript, member.object.start as u64);
        if let Place::Block(block) = place
            && told.contains(&Some(block))
        {
            continue;
        }
        let RefusedMember { kind, name, .. } = &member;
        let lacks = format!("{kind} has no {name}");
        let lacks = format_args!("{lacks}");
        let defect = match member.fault {
            MemberFault::Refused(_) => finder.report("E39", place).with(&[name]),
            MemberFault::Missing(None) => finder.report("E30 no member", place).with(&[&lacks]),
            MemberFault::Missing(_) => finder.report("E30 absent", place).with(&[&lacks]),
            MemberFault::Undeclared => finder.report("E19 reference", place).with(&[name]),
            MemberFault::NotLast(_) => finder.report("E12 trigger", place),
            MemberFault::Empty if name.ends_with("name") => {
                let empty: [&dyn Debug; 2] = [&"", &format_args!("is empty")];
                finder.report("E27 nameless", place).with(&empty)
            }
            MemberFault::Empty => finder.report("E08 member", place).with(&[name]),
        };
        // The provider's errors number items.
        if rules.items {
            (defect.row.message, defect.row.part) = (member.element as u32 + 1, None);
        }
    }
}
