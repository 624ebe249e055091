//! The path of a value: the members and elements that lead to it.

use super::{elements, members};
use std::{collections::HashMap, ops::Range};

/// Finds the paths of values in `bytes`. Each object and array is read once.
pub struct Paths<'a> {
    bytes: &'a [u8],
    children: HashMap<usize, Vec<Child>>,
}

/// A member of an object by its name, or an element of an array by its index.
type Child = (Result<String, usize>, Range<usize>);

impl<'a> Paths<'a> {
    /// Creates a finder for `bytes`.
    pub fn new(bytes: &'a [u8]) -> Paths<'a> {
        Paths {
            bytes,
            children: HashMap::new(),
        }
    }

    /// Returns the path from the value at `root` to the innermost one that contains `place`, or to
    /// the element of an array in which that is a member, as in `messages.1.content.0`;
    /// `bracketed`: as in `messages[1].content[0]`.
    pub fn path(&mut self, root: usize, place: &Range<usize>, bracketed: bool) -> String {
        let (mut path, mut element) = (String::new(), 0);
        let mut at = root;
        loop {
            let children = self
                .children
                .entry(at)
                .or_insert_with(|| children(self.bytes, at));
            let before = children.partition_point(|(_, value)| value.start <= place.start);
            let child = children[..before].last();
            let Some((step, value)) = child.filter(|(_, value)| place.end <= value.end) else {
                break;
            };
            let dot = if path.is_empty() { "" } else { "." };
            path += &match step {
                Ok(name) => format!("{dot}{name}"),
                Err(index) if bracketed => format!("[{index}]"),
                Err(index) => format!("{dot}{index}"),
            };
            if step.is_err() {
                element = path.len();
            }
            at = value.start;
        }
        path.truncate(element);
        path
    }
}

fn children(bytes: &[u8], start: usize) -> Vec<Child> {
    if let Some(members) = members(bytes, start) {
        let named = members.into_iter();
        let child = |member: super::Member<'_>| {
            let name = String::from_utf8_lossy(&member.name).into_owned();
            (Ok(name), member.value)
        };
        return named.map(child).collect();
    }
    let elements = elements(bytes, start).unwrap_or_default();
    let numbered = elements.into_iter().enumerate();
    numbered.map(|(i, value)| (Err(i), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_as_providers_write_them() {
        let text =
            br#" {"m":0,"messages":[{"content":"x"},{"content":[{"type":"text","text":"hi"}]}]}"#;
        let at = |word: &str| {
            let start = text
                .windows(word.len())
                .position(|part| part == word.as_bytes())
                .unwrap();
            start..start + word.len()
        };
        let mut paths = Paths::new(text);
        for (word, dotted, bracketed) in [
            ("\"hi\"", "messages.1.content.0", "messages[1].content[0]"),
            ("\"x\"", "messages.0", "messages[0]"),
            ("[{\"type\"", "messages.1", "messages[1]"),
        ] {
            assert_eq!(paths.path(1, &at(word), false), dotted);
            assert_eq!(paths.path(1, &at(word), true), bracketed);
        }
    }
}
