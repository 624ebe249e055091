//! Finds chunks of retrieved text in prompts and in results of search tools, by the structure of the lists around them.
//!
//! A list is in a tagged fence (`tagged`), between separators or labels of a prompt (`frame`), or in open text, where its headers
//! or the prompt announce it (`series`). Its chunks have tags of their own, numbered headers (`numbered`), key lines (`keys`),
//! names as headers (`names`), separators between them (`separators`), or are lines (`prose`). Blank lines alone do not separate
//! chunks, because a chunk may have paragraphs. [`mod@array`] finds lists in JSON. One text in parts, or a list of another kind, is
//! recognized by the parts themselves (`sequence`).
//!
//! Nothing is guessed: a list that is not closed, not counted without a gap, or not clearly a list is a [`Region`] with the reason
//! why it was left alone. All offsets are bytes of the text. Every function takes time and memory in proportion to it.

pub mod array;
mod frame;
mod keys;
mod lines;
mod member;
mod names;
mod numbered;
mod prose;
mod separators;
mod sequence;
mod series;
mod tag;
mod tagged;
pub(crate) mod templates;
pub(crate) mod vocabulary;

use lines::{Line, is_blank};
use series::End;
use std::ops::Range;

/// A marked region of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// All of it, with its marks: what is outside of all regions may be the question.
    pub span: Range<usize>,
    /// Its chunks, or why they cannot be distinguished.
    pub list: Result<List, String>,
}

/// Neighbouring chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// The layout of the chunks, as a text for people.
    pub layout: String,
    /// The chunks, in order, disjoint.
    pub chunks: Vec<Chunk>,
    /// Whether nothing but line ends parts them, so that they may be one text after all.
    pub loose: bool,
}

/// One chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The byte range that is moved or removed: the text with its tags, its number and its head.
    pub span: Range<usize>,
    /// The number that it carries, if it does.
    pub number: Option<u32>,
    /// The names by which it may be cited: ids, sources, addresses, titles.
    pub names: Vec<String>,
}

/// The regions with retrieved text in a prompt, in order, disjoint.
pub fn find(text: &str) -> Vec<Region> {
    found(text, false)
}

/// The same for what a search tool answered, where nothing need say what it is.
pub fn find_in_answer(text: &str) -> Vec<Region> {
    found(text, true)
}

fn found(text: &str, answer: bool) -> Vec<Region> {
    let mut found = tagged::find(text);
    if found.is_empty() {
        let mut all = lines::lines(text, 0..text.len());
        let mut led = answer;
        for line in all.iter_mut().filter(|line| !line.code) {
            // A list may begin behind its label: `Context: [1] …`.
            let own = &text[line.span.clone()];
            let rest = templates::label(own)
                .filter(|label| label.kind == templates::LabelKind::Context)
                .map(|label| own[label.end..].trim_start());
            if let Some(rest) = rest.filter(|rest| numbered::begins(rest) || keys::begins(rest)) {
                line.span.start = line.span.end - rest.len();
                led = true;
            }
        }
        let open = open(text, &all, led);
        // An open list that is none may be an example before a marked one, whose numbers begin anew.
        let marked = || frame::find(text, &all).filter(|region| open.is_none() || region.list.is_ok());
        let marked = if open.as_ref().is_some_and(|region| region.list.is_ok()) { None } else { marked() };
        let ruled = || answer.then(|| ruled(text, &all)).flatten();
        found.extend(marked.or(open).or_else(ruled));
    }
    found
}

/// The chunks between the rules of an answer, each of which says where it is from.
fn ruled(text: &str, all: &[Line]) -> Option<Region> {
    let list = separators::chunks(text, all, "the text")?.ok()?;
    let sourced = list.chunks.iter().all(|chunk| keys::is_sourced(&text[chunk.span.clone()]));
    sourced.then_some(Region { span: 0..text.len(), list: Ok(list) })
}

/// Why chunks of these texts are no list of retrieved texts, if it shows; `loose` as in [`List`].
pub(crate) fn no_list(texts: &[&str], loose: bool) -> Option<&'static str> {
    sequence::reason(texts, loose)
}

/// A list that is openly in a text: its heads say what they are, or a line before them does; `led` says that one does.
fn open(text: &str, all: &[Line], led: bool) -> Option<Region> {
    let mark = "the text";
    let heads = numbered::series(text, all, false, mark);
    let series = heads.or_else(|| keys::series(text, all, false).map(Ok)).or_else(|| names::series(text, all, false).map(Ok))?;
    let series = match series {
        Ok(series) => series,
        Err(why) => return Some(Region { span: 0..0, list: Err(why) }),
    };
    let first = series.heads.first()?.line;
    let cued = led || series.evident || all[..first].iter().any(|line| !line.code && templates::is_cue(&text[line.span.clone()]));
    if !cued {
        return None;
    }
    let list = series.chunks(text, all, End::Open, mark);
    if series.sourced && list.is_err() {
        return None;
    }
    let start = all[first].span.start;
    let end = list.as_ref().ok().and_then(|list| list.chunks.last()).map_or(start, |chunk| chunk.span.end);
    Some(Region { span: start..end, list })
}

/// Lines that may be before the first chunk of a region.
const HEADINGS: usize = 3;

/// The chunks in the content of a region without inner tags.
fn inside(text: &str, content: Range<usize>, end: End, mark: &str) -> Result<List, String> {
    if text[content.clone()].starts_with(['[', '{'])
        && let Some(list) = array::in_text(text, content.clone(), mark)
    {
        return list;
    }
    let mut all = lines::lines(text, content);
    lines::dedent(text, &mut all);
    let filled = |line: &Line| !is_blank(text, line) && (line.code || separators::delimiter(&text[line.span.clone()]).is_none());
    let next = |from: usize| all[from..].iter().position(filled).map_or(all.len(), |at| from + at);
    let mut begin = next(0);
    for _ in 0..=HEADINGS {
        let lines = &all[begin..];
        let names = || names::series(text, lines, true).map(Ok);
        if let Some(series) = numbered::series(text, lines, true, mark).or_else(|| keys::series(text, lines, true).map(Ok)).or_else(names) {
            return series?.chunks(text, lines, end, mark);
        }
        // A heading or two may lead to the first chunk.
        let line = lines.first().map_or("", |line| text[line.span.clone()].trim_end());
        let leads = line.ends_with([':', '：']) || templates::label(line).is_some_and(|label| label.end >= line.len());
        if !leads || lines.first().is_none_or(|line| line.code) {
            break;
        }
        begin = next(begin + 1);
    }
    let lines = &all[begin..];
    let list = keys::trailing(text, lines, mark)
        .map(Ok)
        .or_else(|| separators::chunks(text, lines, mark))
        .or_else(|| prose::chunks(text, lines, mark).map(Ok));
    let list = list.unwrap_or_else(|| Err(format!("{mark} has nothing that separates its chunks")))?;
    if end == End::Labelled { series::shortened(text, list, mark) } else { Ok(list) }
}

/// `span` without the white space at its ends.
fn trim(text: &str, span: Range<usize>) -> Range<usize> {
    let inner = &text[span.clone()];
    let start = span.start + (inner.len() - inner.trim_start().len());
    start..start.max(span.start + inner.trim_end().len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The chunks of the only region, or the reason.
    pub(super) fn chunks(text: &str) -> Result<Vec<&str>, String> {
        let found = find(text);
        assert!(found.len() < 2, "{found:?}");
        let region = found.into_iter().next().ok_or("no region")?;
        region.list.map(|list| list.chunks.into_iter().map(|chunk| &text[chunk.span]).collect())
    }

    /// Pieces of prompts, as they come in any order.
    const PIECES: &[&str] = &[
        "<context>",
        "</context>",
        "<doc>",
        "</doc>",
        "<doc id=\"ü\">",
        "<documents>",
        "</documents>",
        "<资料>",
        "</资料>",
        "<user_query>",
        "</user_query>",
        "<source>",
        "</source>",
        "<",
        ">",
        "\n",
        "\n",
        "\n",
        "\n\n",
        "\r\n",
        " ",
        "    ",
        "[1] ",
        "[2] ",
        "[3] ",
        "1. ",
        "2. ",
        "3) ",
        "(1)",
        "【1】",
        "【2】",
        "Source 1: ",
        "Source 2: ",
        "Document [1 | a.md] ",
        "资料1：",
        "资料2：",
        "第一章",
        "Quelle Nr. 1:",
        "[CONTEXT 1]:",
        "[END CONTEXT 1]",
        "[CONTEXT 2]:",
        "--- DOCUMENT 1 ---",
        "---",
        "===",
        "\"\"\"",
        "'''",
        "```",
        "---------------------",
        "Context information is below.",
        "Context:",
        "Context: ",
        "Kontext: ",
        "Question: ",
        "Answer:",
        "问题：",
        "已知信息：",
        "## Instructions",
        "=== END ===",
        "Source: a.md",
        "(Source: b.md)",
        "Content: ",
        "Title: A",
        "URL: https://a.example",
        "[a.md]",
        "### src/a.rs",
        "Ann: hi",
        "12:01 ",
        "Use the following documents.",
        "If you don't know, say so.",
        "[{\"text\":\"a\",\"url\":\"b\"}]",
        "{\"results\":[",
        "]}",
        "A b c. D e f.",
        "text",
        "é",
        "文。",
        "😀",
        "?",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn spans_lie_in_the_text(pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..40)) {
            let text = pieces.concat();
            for found in [find(&text), find_in_answer(&text)] {
                let mut at = 0;
                for region in found {
                    prop_assert!(region.list.is_err() || region.span.start >= at && region.span.end <= text.len());
                    if let Ok(list) = region.list {
                        for chunk in &list.chunks {
                            prop_assert!(chunk.span.start >= at && chunk.span.end <= region.span.end, "{:?}", text);
                            prop_assert!(!text[chunk.span.clone()].trim().is_empty(), "{:?}", text);
                            at = chunk.span.end;
                        }
                        no_list(&list.chunks.iter().map(|chunk| &text[chunk.span.clone()]).collect::<Vec<_>>(), list.loose);
                    }
                    at = at.max(region.span.end);
                }
            }
            templates::question(&text);
            array::lists(text.as_bytes());
            array::documents(text.as_bytes());
        }
    }

    /// Texts that would take long if a line were read more than a few times.
    #[test]
    fn long_texts_take_time_in_proportion() {
        for piece in [
            "<context>",
            "<context> and ",
            "<doc>",
            "<doc>a</doc>\n",
            "[1] a\n",
            "1. a\n",
            "Context:\n",
            "Context information is below.\n---\n",
            "Source: a\n",
            "[a.md]\n",
            "a.\n\n",
            "Question: a\n",
            "a:\n",
            "---\n",
            "```\n",
            "[",
            "{\"a\":",
            "<<<<",
            "Document 1: a\nDocument 2: b\n",
            "[END CONTEXT 1]\n",
            "<user_query>",
        ] {
            let start = std::time::Instant::now();
            let text = piece.repeat(60_000 / piece.len());
            find(&text);
            find_in_answer(&text);
            templates::question(&text);
            assert!(start.elapsed().as_secs() < 60, "{piece:?}: {:?}", start.elapsed());
        }
    }
}
