//! Chunks that an assistant's message cites, which are kept.
//!
//! A citation is a number in brackets (`[3]`, `[1, 4]`, `[2-5]`), a number behind a word for a
//! chunk (`source 3`), or the chunk's id, source, address or title as a word of its own. Where
//! chunks have no numbers and are cited by their position, the list is left alone, because
//! positions would change. All names are searched in one walk.

use super::places::{Place, bytes, has_any};
use crate::chunks::{Chunk, List};
use aho_corasick::AhoCorasick;
use deadhead_core::{
    Result,
    internal::{
        edit::View,
        json::text,
        transcript::{BlockKind, Role},
    },
};
use regex::Regex;
use std::{
    collections::{BTreeSet, HashMap},
    sync::LazyLock,
};

/// Citations by assistants, each with the index of the last message that has it.
#[derive(Default)]
pub struct Citations {
    numbers: HashMap<u32, usize>,
    names: HashMap<String, usize>,
    /// The provider's own citations, which count blocks.
    blocks: Option<usize>,
}

/// Names in a citation of the provider's.
const INDICES: [&[u8]; 3] = [
    b"\"document_index\"",
    b"\"search_result_index\"",
    b"\"documentIndex\"",
];
/// Members in which a provider notes what a text cites, by id or by name.
const NOTES: [&[u8]; 2] = [b"\"citations\"", b"\"annotations\""];
/// Bytes of a name that is looked for: a shorter one is in any text, and a longer one is none.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=400;

impl Citations {
    /// Reads the citations of the chunks at `places` in the assistant messages of `view`.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn read(view: &View<'_>, places: &[Place]) -> Result<Citations> {
        let mut cited = Citations::default();
        let first = places.first().and_then(|place| place.at.message);
        let lists = places.iter().flat_map(|place| &place.lists).flatten();
        let names = lists
            .flat_map(|list| &list.chunks)
            .flat_map(|chunk| &chunk.names);
        let names = names
            .map(String::as_str)
            .filter(|name| LENGTHS.contains(&name.len()));
        let names: Vec<&str> = BTreeSet::from_iter(names).into_iter().collect();
        // Without names, or with more of them than an automaton takes, numbers are all that is
        // looked for.
        let finder = AhoCorasick::new(&names).ok().filter(|_| !names.is_empty());
        let messages = view.transcript.messages.iter().enumerate();
        for (i, message) in messages.skip(first.map_or(0, |first| first + 1)) {
            if message.role != Role::Assistant || view.is_gone(i) {
                continue;
            }
            let raw = bytes(view, message.record, message.span)?;
            if has_any(&raw, &INDICES) {
                cited.blocks = Some(i);
            }
            if has_any(&raw, &NOTES) {
                cited.names(i, &text::lossy(&raw), &names, finder.as_ref());
            }
            let blocks = view.transcript.blocks_of(i).iter();
            for block in blocks.filter(|block| block.kind == BlockKind::Text) {
                let raw = bytes(view, message.record, block.span)?;
                let text = text::lossy(&raw);
                let numbers = numbers(&text).into_iter();
                cited.numbers.extend(numbers.map(|number| (number, i)));
                cited.names(i, &text, &names, finder.as_ref());
            }
        }
        Ok(cited)
    }

    /// Takes note of the names in what message `i` says.
    fn names(&mut self, i: usize, text: &str, names: &[&str], finder: Option<&AhoCorasick>) {
        let finder = finder.into_iter();
        for found in finder.flat_map(|finder| finder.find_overlapping_iter(text)) {
            if is_alone(text, found.start(), found.end()) {
                let name = names[found.pattern().as_usize()];
                *self.names.entry(name.to_owned()).or_default() = i;
            }
        }
    }

    /// Returns for each chunk of a list in message `message` (`None`: before all messages) whether
    /// a later message cites it.
    ///
    /// # Errors
    /// The chunks are cited by their positions.
    pub fn cited_chunks(
        &self,
        list: &List,
        message: Option<usize>,
    ) -> Result<Vec<bool>, &'static str> {
        let later = |last: Option<&usize>| {
            last.is_some_and(|last| message.is_none_or(|message| *last > message))
        };
        if later(self.blocks.as_ref()) {
            return Err("an assistant message cites blocks by their index");
        }
        let unnumbered = list.chunks.iter().all(|chunk| chunk.number.is_none());
        if unnumbered && (1..=list.chunks.len() as u32).any(|place| later(self.numbers.get(&place)))
        {
            return Err("an assistant message cites a number, and the chunks have none");
        }
        let is_cited = |chunk: &Chunk| {
            let number = chunk.number.and_then(|number| self.numbers.get(&number));
            later(number) || chunk.names.iter().any(|name| later(self.names.get(name)))
        };
        Ok(list.chunks.iter().map(is_cited).collect())
    }
}

/// Whether a stretch of text is no part of a longer word.
fn is_alone(text: &str, start: usize, end: usize) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    !is_word(text[..start].chars().next_back()) && !is_word(text[end..].chars().next())
}

/// Numbers that a text cites.
fn numbers(text: &str) -> BTreeSet<u32> {
    let cited = CITED.captures_iter(text);
    let cited = cited.filter_map(|found| found.name("listed").or(found.name("named")));
    let mut found = BTreeSet::new();
    for piece in cited.flat_map(|cited| cited.as_str().split([',', ';'])) {
        let mut ends = piece
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|digits| digits.parse::<u32>().ok());
        if let Some(from) = ends.next() {
            found.extend((from..=ends.next().unwrap_or(from)).take(100));
        }
    }
    found
}

/// Numbers between brackets, `3`, `1, 4`, `2-5` or `Source 3`, and a number behind a word for a
/// chunk.
static CITED: LazyLock<Regex> = LazyLock::new(|| {
    let number = r"(?:\pL[\pL ]*)?#?\d{1,4}(?:[-–]\d{1,4})?";
    let words = "document|doc|source|passage|chunk|result|excerpt|snippet|reference|article";
    let brackets = format!(r"[\[【]\^?(?<listed>{number}(?:[,;] ?{number})*)[\]】†]");
    Regex::new(&format!(
        r"(?i){brackets}|\b(?:{words})\W+(?<named>\d{{1,4}})\b"
    ))
    .expect("the pattern is fixed")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_cited() {
        for (text, want) in [
            ("as said [3] and [1, 4]", &[1, 3, 4][..]),
            ("[2-4][Source 7]", &[2, 3, 4, 7]),
            ("【3†source】", &[3]),
            ("see document 5 and Source #6", &[5, 6]),
            ("[^8]", &[8]),
            ("[a] [] [1.5] 9 [12345678]", &[]),
        ] {
            assert_eq!(
                numbers(text).into_iter().collect::<Vec<_>>(),
                want,
                "{text}"
            );
        }
    }

    #[test]
    fn names_that_are_cited() {
        let list = |numbers: &[Option<u32>], names: &[&str]| {
            let chunks = numbers
                .iter()
                .zip(names)
                .map(|(number, name)| Chunk {
                    number: *number,
                    names: vec![(*name).to_owned()],
                    ..Chunk::new(0..0, "")
                })
                .collect();
            List {
                layout: String::new(),
                chunks,
            }
        };
        let names = ["a.md", "https://x/y", "notes"];
        let said = |text: &str| {
            let mut cited = Citations::default();
            cited
                .numbers
                .extend(numbers(text).into_iter().map(|number| (number, 4)));
            cited.names(4, text, &names, AhoCorasick::new(names).ok().as_ref());
            cited
        };
        let is_cited = |text: &str| {
            said(text).cited_chunks(
                &list(
                    &[Some(1), Some(2), Some(3)],
                    &["a.md", "notes", "https://x/y"],
                ),
                Some(2),
            )
        };
        assert_eq!(
            is_cited("by https://x/y and (notes)."),
            Ok(vec![false, true, true])
        );
        assert_eq!(
            is_cited("footnotes, data.md"),
            Ok(vec![false, false, false])
        );
        assert_eq!(is_cited("as [1]"), Ok(vec![true, false, false]));
        assert!(
            said("as [1]")
                .cited_chunks(&list(&[None, None], &["", ""]), Some(2))
                .is_err()
        );
        assert_eq!(
            said("as [9]").cited_chunks(&list(&[None, None], &["", ""]), Some(2)),
            Ok(vec![false, false])
        );
        assert_eq!(
            said("as [1]").cited_chunks(&list(&[None, None], &["", ""]), Some(4)),
            Ok(vec![false, false])
        );
        let by_index = Citations {
            blocks: Some(5),
            ..Citations::default()
        };
        assert!(
            by_index
                .cited_chunks(&list(&[None], &["a"]), Some(2))
                .is_err()
        );
    }
}
