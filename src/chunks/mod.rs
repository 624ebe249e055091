//! Where the chunks of retrieved text are: lists in a user's text, told by the marks that prompts put around them.
//!
//! A list stands in a region that is marked as one: a tagged fence (`fence`), or the layouts of LlamaIndex and LangChain
//! (`label`). In the region chunks are told apart by inner tags, by numbered heads (`heads`) or by rules (`rules`).
//! [`mod@array`] finds them in a JSON array instead. Nothing is guessed: what is not closed, not counted without a gap, or not
//! clearly a list is a [`Region`] with the reason why it was left.
//!
//! All offsets are bytes of the text. Every function takes time and memory in proportion to it.

pub mod array;
mod fence;
mod heads;
mod label;
mod lines;
mod rules;
mod tag;

use std::ops::Range;

/// A marked region of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// All of it, with its marks: what is outside of all regions may be the question.
    pub span: Range<usize>,
    /// Its chunks, or why they cannot be told apart.
    pub list: Result<List, String>,
}

/// Chunks that stand beside each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// How they are laid out, for people.
    pub layout: String,
    /// The chunks, in order, disjoint.
    pub chunks: Vec<Chunk>,
}

/// One chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// What moves and goes: the text with its tags, its number and its head.
    pub span: Range<usize>,
    /// The number that it carries, if it does.
    pub number: Option<u32>,
    /// What it may be cited by: ids, sources, addresses, titles.
    pub names: Vec<String>,
}

/// The marked regions of a user's text, in order, disjoint.
pub fn find(text: &str) -> Vec<Region> {
    let mut found = fence::find(text);
    if found.is_empty() {
        found.extend(label::find(text));
    }
    found
}

/// The chunks in the content of a region without inner tags.
fn inside(text: &str, content: Range<usize>, mark: &str) -> Result<List, String> {
    let lines = lines::lines(text, content);
    if let Some(list) = heads::chunks(text, &lines, mark) {
        return list;
    }
    if let Some(list) = rules::chunks(text, &lines, mark) {
        return list;
    }
    Err(format!("{mark} has nothing that tells its chunks apart"))
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

    proptest! {
        #[test]
        fn spans_lie_in_the_text(pieces in prop::collection::vec(prop::sample::select(vec![
            "<context>", "</context>", "<doc>", "</doc>", "<doc id=\"ü\">", "<documents>", "</documents>", "\n", " ", "[1] ", "[2] ", "1. ", "2. ", "---", "===",
            "--- DOCUMENT 1 ---", "```", "text", "é", "Context information is below.", "---------------------", "Question: ", "Context:", "<source>", "</source>",
        ]), 0..40)) {
            let text = pieces.concat();
            let mut at = 0;
            for region in find(&text) {
                prop_assert!(region.span.start >= at && region.span.end <= text.len());
                at = region.span.start;
                if let Ok(list) = region.list {
                    for chunk in list.chunks {
                        prop_assert!(chunk.span.start >= at && chunk.span.end <= region.span.end, "{:?}", text);
                        prop_assert!(!text[chunk.span.clone()].trim().is_empty());
                        at = chunk.span.end;
                    }
                }
                at = at.max(region.span.end);
            }
        }
    }
}
