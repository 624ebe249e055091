//! Tags as prompts write them: `<document index="3">`, `</document>`. Other XML syntax is not
//! supported.

use super::List;
use regex::Regex;
use std::{collections::HashMap, ops::Range, sync::LazyLock};

/// A tag that opens or closes.
#[derive(Debug)]
pub struct Tag<'a> {
    /// From `<` past `>`.
    pub span: Range<usize>,
    /// Its name as it is written.
    pub name: &'a str,
    /// The text after the name.
    pub attributes: &'a str,
    /// Whether it is `</name>`.
    pub closes: bool,
}

static TAG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"<(/?)([\pL_][\pL\pN_-]*)(\s[^<>]*)?>").expect("the pattern is fixed")
});
static ATTRIBUTE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S*))"#).expect("the pattern is fixed")
});

/// The tags of `text` from byte `at` on, in order.
pub fn tags(text: &str, at: usize) -> impl Iterator<Item = Tag<'_>> {
    let found = TAG.captures_iter(&text[at..]).filter_map(move |found| {
        let (all, name) = (found.get(0)?, found.get(2)?.as_str());
        let attributes = found.get(3).map_or("", |attributes| attributes.as_str());
        Some(Tag {
            span: at + all.start()..at + all.end(),
            name,
            attributes,
            closes: !found[1].is_empty(),
        })
    });
    found.filter(|tag| tag.attributes.is_empty() || !tag.closes && !tag.attributes.ends_with('/'))
}

/// All tags of `text`, in order, each with its other end, if it has one.
pub fn matched(text: &str) -> Vec<(Tag<'_>, Option<Range<usize>>)> {
    let mut found: Vec<(Tag<'_>, Option<Range<usize>>)> = Vec::new();
    let mut open: HashMap<&str, Vec<usize>> = HashMap::new();
    for tag in tags(text, 0) {
        let same = open.entry(tag.name).or_default();
        let mut other = None;
        if !tag.closes {
            same.push(found.len());
        } else if let Some(at) = same.pop() {
            found[at].1 = Some(tag.span.clone());
            other = Some(found[at].0.span.clone());
        }
        found.push((tag, other));
    }
    found
}

/// The tag that begins at byte `at`, if one does.
pub fn tag(text: &str, at: usize) -> Option<Tag<'_>> {
    text[at..]
        .starts_with('<')
        .then(|| tags(text, at).next())?
        .filter(|tag| tag.span.start == at)
}

/// The values of attributes: name and value.
pub fn attributes(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let found = ATTRIBUTE.captures_iter(text);
    found.filter_map(|found| {
        Some((
            found.get(1)?.as_str(),
            (2..5).find_map(|at| found.get(at))?.as_str(),
        ))
    })
}

/// A list of which each chunk closes what it opens, and the reverse; a tag that is not closed needs
/// no end. In the last chunk, a tag may be of what is around the list: it stays where it is.
///
/// # Errors
/// Another one does not.
pub fn balanced(text: &str, mut list: List, mark: &str) -> Result<List, String> {
    let all = matched(text);
    let is_torn = |span: &Range<usize>| {
        let from = all.partition_point(|(tag, _)| tag.span.start < span.start);
        let own = all[from..].iter();
        let mut own = own.take_while(|(tag, _)| tag.span.start < span.end);
        own.any(|(tag, other)| match other {
            Some(other) => !span.contains(&other.start),
            None => tag.closes,
        })
    };
    let mut chunks = list.chunks.iter();
    match chunks.position(|chunk| !chunk.is_fixed && is_torn(&chunk.span)) {
        Some(at) if at + 1 < list.chunks.len() => {
            return Err(format!(
                "a tag in chunk {} in {mark} has its other end outside",
                at + 1
            ));
        }
        Some(at) => list.chunks[at].is_fixed = true,
        None => {}
    }
    Ok(list)
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
            assert_eq!(
                tag(text, 0).map(|t| (t.name, t.attributes, t.closes)),
                want,
                "{text}"
            );
        }
        let found: Vec<_> = attributes(" id=\"a b\" n='2' bare=x ").collect();
        assert_eq!(found, [("id", "a b"), ("n", "2"), ("bare", "x")]);
        assert_eq!(
            tags("a < b <i>x</i> <é>", 0)
                .map(|t| t.name)
                .collect::<Vec<_>>(),
            ["i", "i", "é"]
        );
    }
}
