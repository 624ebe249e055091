//! Tagged fences: `<documents>…</documents>` and similar tags, with or without inner tags around
//! the chunks.
//!
//! A fence inside a code block is an example and is left alone. The end of a fence is the tag that
//! closes it, tags of its name inside of it counted.

use super::{
    Chunk, HEADINGS, List, Region, inside,
    lines::{Lines, lines},
    numbered,
    tag::{Tag, attributes, matched, tags},
    unmarked,
    vocabulary::{CONTEXT, HEADS, are_in, has},
};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// Names of tags around a chunk that no prompt calls one otherwise.
const INNER: [&str; 6] = ["item", "entry", "hit", "webpage", "page", "doc"];
/// Elements of a chunk, and attributes, that name it.
const NAMES: &str = "id source url uri title name file path doc_id href filename link";

/// An element that names a chunk.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!("(?i)<(?:{})>([^<]*)</", NAMES.replace(' ', "|")))
        .expect("the pattern is fixed")
});

/// The fences of a text, and rows of chunks in tags that are in none.
pub fn find(text: &str) -> Vec<Region> {
    let all = lines(text, 0..text.len());
    let mut found: Vec<Region> = Vec::new();
    for (open, close) in matched(text) {
        let at = found.last().map_or(0, |region| region.span.end);
        if !open.closes && open.span.start >= at {
            found.extend(region(text, &all, &open, close));
        }
    }
    found
}

/// The fence, or the row of chunks, that begins with a tag; `all` are the lines of the text.
fn region(
    text: &str,
    all: Lines<'_>,
    open: &Tag<'_>,
    close: Option<Range<usize>>,
) -> Option<Region> {
    let start = open.span.start;
    let region = |end, list| {
        Some(Region {
            span: start..end,
            list,
        })
    };
    let before = text[..start].trim_end_matches([' ', '\t']);
    let begins = before.is_empty() || before.ends_with('\n');
    let after = all.partition_point(|line| line.span.start <= start);
    let code = all[..after].last().is_some_and(|line| line.code);
    if is_inner(open.name) && begins && !code {
        let row = elements(text, start..text.len(), open, "the text");
        if let Some(list) = row.ok().filter(|list| list.chunks.len() > 2) {
            return region(list.chunks[list.chunks.len() - 1].span.end, Ok(list));
        }
    }
    if !is_fence(open.name) {
        return None;
    }
    let Some(close) = close else {
        let why = format!("<{}> is not closed", open.name);
        return region(text.len(), Err(why)).filter(|_| begins);
    };
    let content = open.span.end..close.start;
    let inner = &text[content.clone()];
    // A sentence may name both tags.
    if inner.trim().is_empty() || !begins && !inner.contains(['\n', '<']) {
        return None;
    }
    let list = match code {
        true => Err(format!("<{}> is in a block of code", open.name)),
        false => self::content(text, open.name, content),
    };
    region(close.end, list)
}

fn is_fence(name: &str) -> bool {
    let name = name.to_lowercase();
    name == "context" || !is_inner(&name) && are_in(CONTEXT, &name.replace('_', " "))
}

/// Whether a name is that of one chunk.
fn is_inner(name: &str) -> bool {
    let name = name.to_lowercase();
    let last = name.rsplit(['_', '-']).next().unwrap_or(&name);
    last != "context" && (INNER.contains(&last) || has(HEADS, last))
}

/// The chunks of a fence.
fn content(text: &str, name: &str, content: Range<usize>) -> Result<List, String> {
    let mark = format!("<{name}>");
    let is_heading = |above: &str| {
        above.lines().filter(|line| !line.trim().is_empty()).count() <= HEADINGS
            && !above.lines().any(numbered::begins)
    };
    match tags(&text[..content.end], content.start).find(|tag| !tag.closes && is_inner(tag.name)) {
        Some(first) if is_heading(&text[content.start..first.span.start]) => {
            elements(text, first.span.start..content.end, &first, &mark)
        }
        _ => inside(text, content, &mark),
    }
}

/// The first byte of `span` that is neither white space nor of a rule that parts chunks.
fn beyond(text: &str, span: Range<usize>) -> usize {
    let mut rest = text[span.clone()].trim_start();
    while let Some(line) = rest.lines().next()
        && unmarked::rule(line).is_some()
    {
        rest = rest[line.len()..].trim_start();
    }
    span.end - rest.len()
}

/// Chunks in tags of one name, nothing but white space and rules between them. What follows the
/// last one is no chunk.
fn elements(text: &str, within: Range<usize>, first: &Tag<'_>, mark: &str) -> Result<List, String> {
    let named = tags(&text[..within.end], within.start);
    let named: Vec<_> = named.filter(|tag| tag.name == first.name).collect();
    let fault = |number: usize, what: &str| {
        Err(format!("<{}> number {number} in {mark} {what}", first.name))
    };
    let mut chunks = Vec::new();
    let mut at = within.start;
    for pair in named.chunks(2) {
        if pair[0].closes || pair[0].span.start != beyond(text, at..within.end) {
            return fault(chunks.len(), "has no clear end");
        }
        let number = chunks.len() + 1;
        let [open, close] = pair else {
            return fault(number, "has no clear end");
        };
        if !close.closes {
            return fault(number, "holds another");
        }
        let inner = &text[open.span.end..close.span.start];
        if inner.trim().is_empty() {
            return fault(number, "is empty");
        }
        at = close.span.end;
        let own = Chunk::new(open.span.start..at, &text[open.span.start..at]);
        chunks.push(chunk(own, open, inner));
    }
    Ok(List {
        layout: format!("<{}> in {mark}", first.name),
        chunks,
    })
}

/// The chunk of an element, with its number and names.
fn chunk(mut chunk: Chunk, open: &Tag<'_>, inner: &str) -> Chunk {
    for (name, value) in attributes(open.attributes) {
        let name = name.to_ascii_lowercase();
        if matches!(&*name, "index" | "number" | "n" | "id" | "i") && chunk.number.is_none() {
            chunk.number = value.trim().parse().ok();
        }
        if has(NAMES, &name) {
            chunk.names.push(value.trim().to_owned());
        }
    }
    // Elements name it, too: `<source>…</source><document_content>`.
    let named = NAMED.captures_iter(inner);
    let named = named.map(|found| found[1].trim().to_owned());
    chunk.names.extend(named);
    chunk.names.retain(|name| !name.is_empty());
    chunk
}

#[cfg(test)]
mod tests {
    use super::{super::tests::chunks, *};

    #[test]
    fn elements_of_a_fence() {
        let text = "<documents>\n<document index=\"1\">\n<source>a.md</source>\n<document_content>\nA in text\n</document_content>\n</document>\n<document index=\"2\">B</document>\n</documents>\n\nWhy?";
        let [region] = &find(text)[..] else {
            panic!("one region")
        };
        assert_eq!(&text[region.span.end..], "\n\nWhy?");
        let list = region.list.as_ref().expect("chunks");
        assert_eq!(
            list.chunks
                .iter()
                .map(|c| (c.number, c.names.join(" ")))
                .collect::<Vec<_>>(),
            [(Some(1), "a.md".to_owned()), (Some(2), String::new())]
        );
        assert_eq!(
            &text[list.chunks[1].span.clone()],
            "<document index=\"2\">B</document>"
        );
        assert_eq!(
            chunks("<context>\n<documents>\n<doc>A</doc>\n<doc>B</doc></documents></context>")
                .unwrap(),
            ["<doc>A</doc>", "<doc>B</doc>"]
        );
        assert_eq!(chunks("<retrieved_context>Passages:\n<passage>A</passage> <passage>B</passage></retrieved_context>").unwrap().len(), 2);
    }

    #[test]
    fn a_text_without_a_list_has_a_reason() {
        for (text, want) in [
            ("<context><doc>a</doc>", "<context> is not closed"),
            (
                "<documents><document>a<document>b</document></documents>",
                "holds another",
            ),
            (
                "<documents><document>a</document> and <document>b</document></documents>",
                "has no clear end",
            ),
            (
                "<documents><document>a</document> in text</document><document>b</document></documents>",
                "has no clear end",
            ),
            (
                "<documents>\n<doc>a</doc>\n<doc>b\n</documents>",
                "<doc> number 2 in <documents> has no clear end",
            ),
            (
                "<documents><doc>a</doc><doc> </doc></documents>",
                "is empty",
            ),
            (
                "```xml\n<context><doc>a</doc></context>\n```",
                "is in a block of code",
            ),
            (
                "<context>one text</context>",
                "nothing that separates its chunks",
            ),
        ] {
            let why = chunks(text).unwrap_err();
            assert!(why.contains(want), "{text}: {why}");
        }
    }
}
