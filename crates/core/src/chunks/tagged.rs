//! Tagged fences: `<documents>…</documents>` and similar tags, with or without inner tags around the chunks.
//!
//! A fence inside a code block is an example and is ignored. A chunk ends at its closing tag only if nothing but white space comes
//! before the next chunk or the end of the fence, so that the text of a chunk may contain the tag's name.

use super::lines::{Line, lines};
use super::series::End;
use super::tag::{Tag, attributes, tag, tags};
use super::{Chunk, List, Region, inside, separators, trim, vocabulary};
use std::ops::Range;

/// Names of tags around a chunk that no prompt calls one otherwise.
const INNER: [&str; 6] = ["item", "entry", "hit", "webpage", "page", "doc"];
/// Names that are a fence's, though a head may have them.
const FENCES: [&str; 4] = ["context", "kontext", "contexte", "contexto"];
/// Sentences that may speak of a fence that is not there: for each the text is read to its end.
const MENTIONS: usize = 16;
/// Elements of a chunk, and attributes, that name it.
const NAMES: [&str; 12] = ["id", "source", "url", "uri", "title", "name", "file", "path", "doc_id", "href", "filename", "link"];

/// The fences of a text, and rows of chunks in tags that are in none.
pub(super) fn find(text: &str) -> Vec<Region> {
    let mut found = Vec::new();
    let (mut at, mut mentions) = (0, 0);
    let all = lines(text, 0..text.len());
    while let Some(open) = tags(text, at).find(|tag| is_fence(tag) || is_inner(tag)) {
        at = open.span.end;
        if is_inner(&open) {
            if let Some(region) = row(text, &all, &open) {
                at = region.span.end;
                found.push(region);
                continue;
            }
            // In scripts without a plural one name serves for the fence and for a chunk.
            if !open.name.starts_with(vocabulary::is_unspaced) {
                continue;
            }
        }
        let begins = text[..open.span.start].trim_end_matches([' ', '\t']).ends_with('\n') || text[..open.span.start].trim().is_empty();
        let Some(close) = closing(text, &open) else {
            // A sentence may speak of the fence.
            mentions += 1;
            if begins {
                found.push(Region { span: open.span.start..text.len(), list: Err(format!("<{}> is not closed", open.name)) });
            }
            if begins || mentions > MENTIONS {
                break;
            }
            continue;
        };
        let content = open.span.end..close.span.start;
        let inner = &text[content.clone()];
        if inner.trim().is_empty() || !begins && !inner.contains(['\n', '<']) && !close_is_last(text, &close) {
            continue;
        }
        let span = open.span.start..close.span.end;
        let list = if in_code(&all, span.start) {
            Err(format!("<{}> is in a block of code", open.name))
        } else {
            self::content(text, open.name, content)
        };
        at = span.end;
        found.push(Region { span, list });
    }
    found
}

/// Whether nothing of the line follows a fence's end.
fn close_is_last(text: &str, close: &Tag<'_>) -> bool {
    text[close.span.end..].split('\n').next().is_none_or(|rest| rest.trim().is_empty())
}

/// A row of chunks in tags that begins with `first`, without a fence around it: at least three, side by side, none in a sentence.
fn row(text: &str, all: &[Line], first: &Tag<'_>) -> Option<Region> {
    let begins = text[..first.span.start].trim_end_matches([' ', '\t']).ends_with('\n') || text[..first.span.start].trim().is_empty();
    if !begins || in_code(all, first.span.start) {
        return None;
    }
    let mut end = first.span.end;
    let mut count = 0;
    let mut open = Some(first.clone());
    while let Some(tag) = open {
        let close = tags(text, tag.span.end).find(|other| other.name == tag.name).filter(|other| other.closes)?;
        (end, count) = (close.span.end, count + 1);
        open = self::tag(text, beyond(text, end..text.len())).filter(|next| !next.closes && next.name == first.name);
    }
    let span = first.span.start..end;
    (count > 2).then(|| Region { list: elements(text, span.clone(), first, "the text"), span })
}

fn is_fence(tag: &Tag<'_>) -> bool {
    let name = tag.name.to_lowercase();
    let words = || name.split(['_', '-']);
    !tag.closes
        && (FENCES.contains(&&*name)
            || name.starts_with("retrieved")
            || !is_inner_name(&name) && (words().any(|word| vocabulary::context().has(word)) || vocabulary::context().are_in(&name)))
}

fn is_inner(tag: &Tag<'_>) -> bool {
    !tag.closes && is_inner_name(&tag.name.to_lowercase())
}

/// Whether a name in lower case is that of one chunk.
fn is_inner_name(name: &str) -> bool {
    let last = name.rsplit(['_', '-']).next().unwrap_or(name);
    !FENCES.contains(&last) && (INNER.contains(&last) || vocabulary::heads().has(last))
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
    match tags(&text[..content.end], content.start).find(is_inner) {
        Some(first) if is_lead(&text[content.start..first.span.start]) => elements(text, content, &first, &mark),
        _ => inside(text, content, End::Marked, &mark),
    }
}

/// Whether what comes before the first chunk may be its heading: a line of its own that ends with a colon, or nothing.
fn is_lead(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || text.ends_with(':') && !text.contains('\n')
}

/// The first byte of `span` that is neither white space nor of a rule that parts chunks.
fn beyond(text: &str, span: Range<usize>) -> usize {
    let mut at = span.start;
    loop {
        let rest = text[at..span.end].trim_start();
        let line = rest.split('\n').next().unwrap_or_default();
        if line.is_empty() || separators::delimiter(line).is_none() {
            return span.end - rest.len();
        }
        at = span.end - rest.len() + line.len();
    }
}

/// Chunks in tags of one name, nothing but white space and rules between them.
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
    Ok(List { layout: format!("<{}> in {mark}", first.name), chunks, loose: false })
}

/// Returns the byte range of the closing tag of the element that `open` begins, and the tag of the next element. The closing
/// tag is the first after which only another element or the end follows.
fn element_end<'a>(text: &'a str, open: &Tag<'_>, end: usize) -> Option<(usize, usize, Option<Tag<'a>>)> {
    tags(&text[..end], open.span.end).filter(|tag| tag.closes && tag.name == open.name).find_map(|close| {
        let next = beyond(text, close.span.end..end);
        if next == end {
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
    fn a_text_without_a_list_has_a_reason() {
        for (text, want) in [
            ("<context><doc>a</doc>", "<context> is not closed"),
            ("<documents><document>a<document>b</document></documents>", "holds another"),
            ("<documents><document>a</document> and <document>b</document></documents>", "holds another"),
            ("<documents>\n<doc>a</doc>\n<doc>b\n</documents>", "<doc> number 2 in <documents> has no clear end"),
            ("<documents><doc>a</doc><doc> </doc></documents>", "is empty"),
            ("```xml\n<context><doc>a</doc></context>\n```", "is in a block of code"),
            ("<context>one text</context>", "nothing that separates its chunks"),
        ] {
            let why = chunks(text).unwrap_err();
            assert!(why.contains(want), "{text}: {why}");
        }
    }
}
