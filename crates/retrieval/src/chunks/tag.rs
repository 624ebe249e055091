//! Tags as prompts write them: `<document index="3">`, `</document>`. Other XML syntax is not supported.

use std::ops::Range;

/// A tag that opens or closes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    /// From `<` past `>`.
    pub span: Range<usize>,
    /// Its name as it is written.
    pub name: &'a str,
    /// The text after the name.
    pub attributes: &'a str,
    /// Whether it is `</name>`.
    pub closes: bool,
}

/// Bytes of the longest tag.
const LONGEST: usize = 4096;

/// The tag that begins at byte `at`, if one does.
pub(super) fn tag(text: &str, at: usize) -> Option<Tag<'_>> {
    let rest = text.get(at..)?.strip_prefix('<')?;
    let closes = rest.starts_with('/');
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    let length = rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-')).unwrap_or(rest.len());
    let name = &rest[..length];
    if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return None;
    }
    let after = &rest[length..];
    let near = &after.as_bytes()[..after.len().min(LONGEST)];
    let end = memchr::memchr2(b'>', b'<', near).filter(|&end| near[end] == b'>')?;
    let attributes = &after[..end];
    let fits = attributes.is_empty() || !closes && attributes.starts_with(|c: char| c.is_ascii_whitespace());
    if !fits || attributes.ends_with('/') {
        return None;
    }
    let start = at + if closes { 2 } else { 1 };
    Some(Tag { span: at..start + length + end + 1, name, attributes, closes })
}

/// The tags of `text` from byte `at` on, in order.
pub(super) fn tags(text: &str, at: usize) -> impl Iterator<Item = Tag<'_>> {
    let mut at = at;
    std::iter::from_fn(move || {
        loop {
            at += memchr::memchr(b'<', &text.as_bytes()[at..])?;
            if let Some(found) = tag(text, at) {
                at = found.span.end;
                return Some(found);
            }
            at += 1;
        }
    })
}

/// The values in quotes of attributes: name and value.
pub(super) fn attributes(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (name, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (value, more) = match quote {
            Some(quote) => after[1..].split_once(quote)?,
            None => after.split_at(after.find(char::is_whitespace).unwrap_or(after.len())),
        };
        rest = more;
        Some((name.trim(), value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_recognised() {
        for (text, want) in [
            ("<doc>", Some(("doc", "", false))),
            ("</doc>", Some(("doc", "", true))),
            ("<doc id=\"1\" a=b>x", Some(("doc", " id=\"1\" a=b", false))),
            ("<doc", None),
            ("<doc/>", None),
            ("< doc>", None),
            ("<1>", None),
            ("<T: Ord>", None),
            ("<a <b>", None),
            ("</doc x>", None),
        ] {
            assert_eq!(tag(text, 0).map(|t| (t.name, t.attributes, t.closes)), want, "{text}");
        }
        let found: Vec<_> = attributes(" id=\"a b\" n='2' bare=x ").collect();
        assert_eq!(found, [("id", "a b"), ("n", "2"), ("bare", "x")]);
        assert_eq!(tags("a < b <i>x</i> <é>", 0).map(|t| t.name).collect::<Vec<_>>(), ["i", "i", "é"]);
    }
}
