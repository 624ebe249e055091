//! Finds chunks of retrieved text in prompts and in results of search tools, by the structure of
//! the lists around them.
//!
//! A list is in a tagged fence (`tagged`), between labels of a prompt, or in open text, where its
//! heads or the prompt announce it. Its chunks have tags of their own, numbered heads (`numbered`),
//! key lines (`keys`), separators between them, or are lines (`unmarked`). Blank lines alone do not
//! separate chunks, because a chunk may have paragraphs. [`mod@array`] finds lists in JSON. A list
//! of another kind is recognized by its parts (`kinds`).
//!
//! Nothing is guessed: a list that is not closed, not counted without a gap, or not clearly a list
//! is a [`Region`] with the reason why it was left alone; a chunk whose end is not clear stays
//! where it is (`series`). All offsets are bytes of the text. Every function takes time and memory
//! in proportion to it.

pub mod array;
mod keys;
mod kinds;
mod labels;
mod lines;
mod numbered;
mod series;
mod tag;
mod tagged;
mod unmarked;
mod vocabulary;

pub use kinds::other_kind;
pub use labels::{marked_question, question};
pub use vocabulary::has;

use deadhead_core::internal::json::locate;
use labels::{LabelKind, is_cue, label};
use lines::Lines;
use series::Series;
use std::ops::Range;
use tag::balanced;

/// A marked region of a text.
#[derive(Debug)]
pub struct Region {
    /// All of it, with its marks: what is outside of all regions may be the question.
    pub span: Range<usize>,
    /// Its chunks, or why they cannot be distinguished.
    pub list: Result<List, String>,
}

/// Neighbouring chunks.
#[derive(Debug, PartialEq, Eq)]
pub struct List {
    /// The layout of the chunks, as a text for people.
    pub layout: String,
    /// The chunks, in order, disjoint.
    pub chunks: Vec<Chunk>,
}

/// One chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The byte range that is moved or removed: the text with its tags, its number and its head.
    pub span: Range<usize>,
    /// The text that is scored.
    pub text: String,
    /// The number that it carries, if it does.
    pub number: Option<u32>,
    /// The names by which it may be cited: ids, sources, addresses, titles.
    pub names: Vec<String>,
    /// Whether it stays where it is, because nothing marks where it begins or ends. Only the first
    /// and the last chunk may.
    pub is_fixed: bool,
}

impl Chunk {
    /// A chunk that may be moved and removed.
    pub fn new(span: Range<usize>, text: impl Into<String>) -> Chunk {
        Chunk {
            span,
            text: text.into(),
            number: None,
            names: Vec::new(),
            is_fixed: false,
        }
    }

    /// The chunk that lines of `text` are; none where they are blank.
    fn of(text: &str, lines: Lines<'_>) -> Option<Chunk> {
        let span = trim(text, lines.first()?.span.start..lines.last()?.span.end);
        (!span.is_empty()).then(|| Chunk::new(span.clone(), &text[span]))
    }
}

impl List {
    /// The list with its chunks at other bytes.
    pub fn moved(mut self, place: impl Fn(usize) -> usize) -> List {
        for chunk in &mut self.chunks {
            chunk.span = place(chunk.span.start)..place(chunk.span.end);
        }
        self
    }
}

/// The regions with retrieved text, in order, disjoint. In an answer of a search tool, nothing need
/// say what it is.
pub fn find(text: &str, is_answer: bool) -> Vec<Region> {
    let found = tagged::find(text);
    if !found.is_empty() {
        return found;
    }
    let mut all = lines::lines(text, 0..text.len());
    let mut is_led = is_answer;
    for line in &mut all {
        // A list may begin behind its label: `Context: [1] …`.
        let named = line.read(label);
        let named = named.filter(|(kind, _)| *kind == LabelKind::Context);
        let rest = named.map(|(_, end)| line.text[end..].trim_start());
        if let Some(rest) = rest.filter(|rest| numbered::begins(rest) || keys::begins(rest)) {
            line.span.start = line.span.end - rest.len();
            line.text = rest;
            is_led = true;
        }
    }
    let found = open(text, &all, is_led).or_else(|| labelled(text, &all));
    found.into_iter().collect()
}

/// The heads in `lines`; `is_led` is of [`keys::series`].
fn series(
    lines: Lines<'_>,
    mark: &str,
    is_led: fn(&str) -> bool,
) -> Option<Result<Series, String>> {
    numbered::series(lines, mark).or_else(|| keys::series(lines, is_led).map(Ok))
}

/// A list that is openly in a text: its heads say what they are, or a line before them does;
/// `is_led` says that one does.
fn open(text: &str, all: Lines<'_>, is_led: bool) -> Option<Region> {
    let mark = "the text";
    let series = match series(all, mark, is_cue)? {
        Ok(series) => series,
        Err(why) => {
            return Some(Region {
                span: 0..0,
                list: Err(why),
            });
        }
    };
    let (before, lines) = all.split_at(series.heads.first()?.line);
    let mut leads = before.iter().map(|line| !line.code && is_cue(line.text));
    if !is_led && !series.evident && !leads.any(|leads| leads) {
        return None;
    }
    let list = series.chunks(text, all, mark);
    let list = list.and_then(|list| balanced(text, list, mark));
    let start = lines.first()?.span.start;
    let last = list.as_ref().ok().and_then(|list| list.chunks.last());
    Some(Region {
        span: start..last.map_or(start, |chunk| chunk.span.end),
        list,
    })
}

/// The list between the label `Context:` and that of the question, or in JSON behind the label.
fn labelled(text: &str, all: Lines<'_>) -> Option<Region> {
    let labels = lines::found(all, label);
    let mark = "the labelled text";
    let is_context = |(_, (kind, _)): &(usize, (LabelKind, usize))| *kind == LabelKind::Context;
    let at = labels.iter().rposition(is_context)?;
    let (line, (_, end)) = labels[at];
    let start = all[line].span.start + end;
    let behind = locate::value(text.as_bytes(), start)
        .filter(|span| text[span.start..].starts_with(['[', '{']));
    if let Some(span) = behind {
        return array::in_text(text, span.clone(), mark).map(|list| Region { span, list });
    }
    let (next, _) = labels.get(at + 1)?;
    let span = trim(text, start..all[*next].span.start);
    (!span.is_empty()).then(|| Region {
        list: inside(text, span.clone(), mark),
        span,
    })
}

/// Lines that may be before the first chunk of a region, unless a word in its head says what it is.
const HEADINGS: usize = 3;

/// The chunks in the content of a region without inner tags.
fn inside(text: &str, content: Range<usize>, mark: &str) -> Result<List, String> {
    let inner = trim(text, content.clone());
    if let Some(list) = array::in_text(text, inner, mark) {
        return list;
    }
    let lines = lines::lines(text, content);
    let above = |series: &Series| {
        let above = lines[..series.heads[0].line].iter();
        above.filter(|line| !line.is_blank()).count()
    };
    let series = series(&lines, mark, |_| false).transpose()?;
    let list = match series.filter(|series| series.evident || above(series) <= HEADINGS) {
        Some(series) => Some(series.chunks(text, &lines, mark)),
        None => unmarked::separated(text, &lines, mark)
            .or_else(|| unmarked::rows(text, &lines, mark).map(Ok)),
    };
    let nothing = || Err(format!("{mark} has nothing that separates its chunks"));
    balanced(text, list.unwrap_or_else(nothing)?, mark)
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
    pub fn chunks(text: &str) -> Result<Vec<&str>, String> {
        let found = find(text, false);
        assert!(found.len() < 2, "{found:?}");
        let region = found.into_iter().next().ok_or("no region")?;
        region.list.map(|list| {
            list.chunks
                .into_iter()
                .map(|chunk| &text[chunk.span])
                .collect()
        })
    }

    /// The chunks of the only list that stay where they are.
    pub fn fixed(text: &str) -> Vec<usize> {
        let list = find(text, false).into_iter().next().unwrap().list.unwrap();
        list.chunks
            .iter()
            .enumerate()
            .filter(|(_, chunk)| chunk.is_fixed)
            .map(|(at, _)| at)
            .collect()
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
            for found in [find(&text, false), find(&text, true)] {
                let mut at = 0;
                for region in found {
                    prop_assert!(region.list.is_err() || region.span.start >= at && region.span.end <= text.len());
                    if let Ok(list) = region.list {
                        for chunk in &list.chunks {
                            prop_assert!(chunk.span.start >= at && chunk.span.end <= region.span.end, "{:?}", text);
                            prop_assert!(!text[chunk.span.clone()].trim().is_empty(), "{:?}", text);
                            at = chunk.span.end;
                        }
                        other_kind(&list.chunks.iter().map(|chunk| &text[chunk.span.clone()]).collect::<Vec<_>>());
                    }
                    at = at.max(region.span.end);
                }
            }
            question(&text);
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
            let text = piece.repeat(20_000 / piece.len());
            find(&text, false);
            find(&text, true);
            question(&text);
            assert!(
                start.elapsed().as_secs() < 60,
                "{piece:?}: {:?}",
                start.elapsed()
            );
        }
    }
}
