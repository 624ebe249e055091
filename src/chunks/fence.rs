//! Tagged fences: `<documents>…</documents>` and their kin, with chunks in inner tags or without.
//!
//! A fence that stands in a block of code is somebody's example. A chunk ends at its closing tag only where nothing but
//! white space stands before the next chunk or the end of the fence, so that a chunk may hold the tag's name in its text.

use super::lines::{Line, lines};
use super::tag::{Tag, attributes, tag, tags};
use super::{Chunk, List, Region, inside, trim};
use std::ops::Range;

/// Names of fences; one may also begin with `retrieved`.
const FENCES: [&str; 8] = ["context", "documents", "docs", "search_results", "sources", "passages", "chunks", "results"];
/// Names of the tags around a chunk.
const INNER: [&str; 9] = ["document", "doc", "chunk", "passage", "source", "result", "search_result", "item", "snippet"];
/// Elements of a chunk, and attributes, that name it.
const NAMES: [&str; 9] = ["id", "source", "url", "uri", "title", "name", "file", "path", "doc_id"];

/// The fences of a text.
pub(super) fn find(text: &str) -> Vec<Region> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut all = Vec::new();
    while let Some(open) = tags(text, at).find(is_fence) {
        let Some(close) = closing(text, &open) else {
            found.push(Region { span: open.span.start..text.len(), list: Err(format!("<{}> is not closed", open.name)) });
            break;
        };
        let span = open.span.start..close.span.end;
        if all.is_empty() {
            all = lines(text, 0..text.len());
        }
        let list = if in_code(&all, span.start) {
            Err(format!("<{}> stands in a block of code", open.name))
        } else {
            content(text, open.name, open.span.end..close.span.start)
        };
        at = span.end;
        found.push(Region { span, list });
    }
    found
}

fn is_fence(tag: &Tag<'_>) -> bool {
    let name = tag.name.to_ascii_lowercase();
    !tag.closes && (FENCES.contains(&&*name) || name.starts_with("retrieved"))
}

/// The tag that closes `open`, tags of its name inside of it counted.
fn closing<'a>(text: &'a str, open: &Tag<'_>) -> Option<Tag<'a>> {
    let mut depth = 1;
    tags(text, open.span.end).filter(|tag| tag.name == open.name).find(|tag| {
        if tag.closes {
            depth -= 1;
        } else {
            depth += 1;
        }
        depth == 0
    })
}

/// Whether byte `at` is in a block of code; `all` are the lines of the text.
fn in_code(all: &[Line], at: usize) -> bool {
    let after = all.partition_point(|line| line.span.start <= at);
    after > 0 && all[after - 1].code
}

/// The chunks of a fence. A fence that holds nothing but another fence is that one.
fn content(text: &str, name: &str, content: Range<usize>) -> Result<List, String> {
    let mark = format!("<{name}>");
    let mut content = trim(text, content);
    let mut within = Vec::new();
    while let Some(open) = tag(text, content.start).filter(|tag| is_fence(tag) && !within.contains(&tag.name)) {
        let close = tags(text, open.span.end).filter(|tag| tag.closes && tag.name == open.name).last();
        let Some(close) = close.filter(|close| close.span.end == content.end) else { break };
        within.push(open.name);
        content = trim(text, open.span.end..close.span.start);
    }
    match tags(&text[..content.end], content.start).find(|tag| !tag.closes && INNER.contains(&&*tag.name.to_ascii_lowercase())) {
        Some(first) if is_lead(&text[content.start..first.span.start]) => elements(text, content, &first, &mark),
        _ => inside(text, content, &mark),
    }
}

/// Whether what stands before the first chunk may be its heading: a line of its own that ends with a colon, or nothing.
fn is_lead(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || text.ends_with(':') && !text.contains('\n')
}

/// Chunks in tags of one name, nothing but white space between them.
fn elements(text: &str, content: Range<usize>, first: &Tag<'_>, mark: &str) -> Result<List, String> {
    let mut chunks = Vec::new();
    let mut open = Some(first.clone());
    let mut at = first.span.start;
    while let Some(tag) = open {
        let Some((close, end, next)) = element_end(text, &tag, content.end) else {
            return Err(format!("<{}> number {} in {mark} has no clear end", tag.name, chunks.len() + 1));
        };
        let inner = &text[tag.span.end..close];
        if inner.trim().is_empty() {
            return Err(format!("<{}> number {} in {mark} is empty", tag.name, chunks.len() + 1));
        }
        if tags(inner, 0).any(|other| other.name == tag.name && !other.closes) {
            return Err(format!("<{}> number {} in {mark} holds another", tag.name, chunks.len() + 1));
        }
        chunks.push(chunk(at..end, &tag, inner));
        at = next.as_ref().map_or(end, |next| next.span.start);
        open = next;
    }
    Ok(List { layout: format!("<{}> in {mark}", first.name), chunks })
}

/// Where the closing tag of the element that `open` begins starts and ends, and the tag of the next one. It is the first after
/// which nothing but another element or the end follows.
fn element_end<'a>(text: &'a str, open: &Tag<'_>, end: usize) -> Option<(usize, usize, Option<Tag<'a>>)> {
    tags(&text[..end], open.span.end).filter(|tag| tag.closes && tag.name == open.name).find_map(|close| {
        let rest = text[close.span.end..end].trim_start();
        let next = end - rest.len();
        if rest.is_empty() {
            return Some((close.span.start, close.span.end, None));
        }
        tag(text, next).filter(|tag| !tag.closes && tag.name == open.name).map(|tag| (close.span.start, close.span.end, Some(tag)))
    })
}

/// The chunk of an element, with its number and names.
fn chunk(span: Range<usize>, open: &Tag<'_>, inner: &str) -> Chunk {
    let mut chunk = Chunk { span, number: None, names: Vec::new() };
    for (name, value) in attributes(open.attributes) {
        let name = name.to_ascii_lowercase();
        if matches!(&*name, "index" | "number" | "n" | "id" | "i") && chunk.number.is_none() {
            chunk.number = value.trim().parse().ok();
        }
        if NAMES.contains(&&*name) {
            chunk.names.push(value.trim().to_owned());
        }
    }
    // Elements at the beginning of a chunk name it: `<source>…</source><document_content>`.
    let mut at = inner.len() - inner.trim_start().len();
    while let Some(open) = tag(inner, at).filter(|tag| !tag.closes && NAMES.contains(&&*tag.name.to_ascii_lowercase())) {
        let Some(close) = tags(inner, open.span.end).next().filter(|tag| tag.closes && tag.name == open.name) else { break };
        chunk.names.push(inner[open.span.end..close.span.start].trim().to_owned());
        let rest = &inner[close.span.end..];
        at = inner.len() - rest.trim_start().len();
    }
    chunk.names.retain(|name| !name.is_empty());
    chunk
}

#[cfg(test)]
mod tests {
    use super::super::tests::chunks;
    use super::*;

    #[test]
    fn elements_of_a_fence() {
        let text = "<documents>\n<document index=\"1\">\n<source>a.md</source>\n<document_content>\nA </document> in text\n</document_content>\n</document>\n<document index=\"2\">B</document>\n</documents>\n\nWhy?";
        let [region] = &find(text)[..] else { panic!("one region") };
        assert_eq!(&text[region.span.end..], "\n\nWhy?");
        let list = region.list.as_ref().expect("chunks");
        assert_eq!(
            list.chunks.iter().map(|c| (c.number, c.names.join(" "))).collect::<Vec<_>>(),
            [(Some(1), "a.md".to_owned()), (Some(2), String::new())]
        );
        assert_eq!(&text[list.chunks[1].span.clone()], "<document index=\"2\">B</document>");
        assert_eq!(
            chunks("<context>\n<documents>\n<doc>A</doc>\n<doc>B</doc></documents></context>").unwrap(),
            ["<doc>A</doc>", "<doc>B</doc>"]
        );
        assert_eq!(chunks("<retrieved_context>Passages:\n<passage>A</passage> <passage>B</passage></retrieved_context>").unwrap().len(), 2);
    }

    #[test]
    fn what_is_no_list_has_a_reason() {
        for (text, want) in [
            ("<context><doc>a</doc>", "<context> is not closed"),
            ("<documents><document>a<document>b</document></documents>", "holds another"),
            ("<documents><document>a</document> and <document>b</document></documents>", "holds another"),
            ("<documents>\n<doc>a</doc>\n<doc>b\n</documents>", "<doc> number 2 in <documents> has no clear end"),
            ("<documents><doc>a</doc><doc> </doc></documents>", "is empty"),
            ("```xml\n<context><doc>a</doc></context>\n```", "stands in a block of code"),
            ("<context>one text</context>", "nothing that tells its chunks apart"),
        ] {
            let why = chunks(text).unwrap_err();
            assert!(why.contains(want), "{text}: {why}");
        }
    }
}
