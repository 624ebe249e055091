//! Chunks that an assistant's message cites: they stay.
//!
//! A citation is a number in brackets (`[3]`, `[1, 4]`, `[2-5]`), a number behind a word for a chunk (`source 3`), or the
//! chunk's id, source, address or title as a word of its own. Where chunks carry no numbers and are cited by their place,
//! the list is left alone, for its places would mean others. All names are looked for in one walk.

use super::places::List;
use crate::json::text;
use crate::plan::View;
use crate::transcript::{BlockKind, Role};
use aho_corasick::{AhoCorasick, MatchKind};
use std::collections::BTreeSet;

/// What assistants say, decoded once for all lists.
pub(super) struct Said {
    /// Index of the message, and its text.
    texts: Vec<(usize, String)>,
    /// Messages that cite blocks by their index, as the provider's own citations do.
    by_index: Vec<usize>,
}

/// Names in a citation of the provider's.
const INDICES: [&[u8]; 3] = [b"\"document_index\"", b"\"search_result_index\"", b"\"documentIndex\""];
/// Chars of the shortest name that is looked for: a shorter one is in any text.
const SHORTEST: usize = 3;
/// The largest number that is a citation.
const LARGEST: u32 = 9999;

impl Said {
    /// What the assistants of `view` say after message `first`.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn read(view: &View<'_>, first: usize) -> Result<Said, crate::Error> {
        let mut said = Said { texts: Vec::new(), by_index: Vec::new() };
        for (i, message) in view.transcript.messages.iter().enumerate().skip(first + 1) {
            if message.role != Role::Assistant || view.is_gone(i) {
                continue;
            }
            let raw = super::places::bytes(view, i, message.span)?;
            if INDICES.iter().any(|name| memchr::memmem::find(&raw, name).is_some()) {
                said.by_index.push(i);
            }
            for block in view.transcript.blocks_of(i).iter().filter(|block| block.kind == BlockKind::Text) {
                said.texts.push((i, text::lossy(&super::places::bytes(view, i, block.span)?)));
            }
        }
        Ok(said)
    }

    /// Which chunks of a list in message `message` are cited after it.
    ///
    /// # Errors
    /// They are cited by their places.
    pub fn pins(&self, list: &List, message: usize, blocks: bool) -> Result<Vec<bool>, String> {
        if blocks && self.by_index.iter().any(|i| *i > message) {
            return Err("an assistant message cites blocks by their index".to_owned());
        }
        let later: Vec<&str> = self.texts.iter().filter(|(i, _)| *i > message).map(|(_, text)| text.as_str()).collect();
        let cited: BTreeSet<u32> = later.iter().flat_map(|text| numbers(text)).collect();
        let mut pins: Vec<bool> = list.numbers.iter().map(|number| number.is_some_and(|n| cited.contains(&n))).collect();
        let counts = list.numbers.len() as u32;
        if list.numbers.iter().all(Option::is_none) && cited.iter().any(|n| (1..=counts).contains(n)) {
            return Err("an assistant message cites a number, and the chunks have none".to_owned());
        }
        let mut owners = Vec::new();
        let mut names = Vec::new();
        for (at, name) in list.names.iter().enumerate().flat_map(|(at, all)| all.iter().map(move |name| (at, name))) {
            if name.chars().count() >= SHORTEST {
                owners.push(at);
                names.push(name.as_str());
            }
        }
        if names.is_empty() || later.is_empty() {
            return Ok(pins);
        }
        let finder = AhoCorasick::builder().match_kind(MatchKind::Standard).build(&names).map_err(|error| error.to_string())?;
        for text in later {
            for found in finder.find_overlapping_iter(text) {
                if is_alone(text, found.start(), found.end()) {
                    pins[owners[found.pattern().as_usize()]] = true;
                }
            }
        }
        Ok(pins)
    }
}

/// Whether a stretch of text is no part of a longer word.
fn is_alone(text: &str, start: usize, end: usize) -> bool {
    let before = text[..start].chars().next_back().is_some_and(char::is_alphanumeric);
    let after = text[end..].chars().next().is_some_and(char::is_alphanumeric);
    !before && !after
}

/// Numbers that a text cites.
fn numbers(text: &str) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices(['[', '【']) {
        let inner = text[at..].trim_start_matches(['[', '【', '^']);
        let end = inner.find([']', '】', '†', '\n']).unwrap_or(0).min(60);
        in_brackets(inner.get(..end).unwrap_or_default(), &mut found);
    }
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    for pair in words.windows(2) {
        let is_word = ["document", "doc", "source", "passage", "chunk", "result", "excerpt", "snippet", "reference", "article"]
            .iter()
            .any(|word| pair[0].eq_ignore_ascii_case(word));
        if is_word {
            found.extend(number(pair[1]));
        }
    }
    found
}

/// Numbers between brackets: `3`, `1, 4`, `2-5`, `Source 3`. Anything else is no citation.
fn in_brackets(inner: &str, found: &mut BTreeSet<u32>) {
    for piece in inner.split([',', ';']) {
        let piece = piece.trim();
        let last = piece.rsplit(' ').next().unwrap_or(piece).trim_start_matches('#');
        match last.split_once(['-', '–']) {
            Some((from, to)) => {
                if let (Some(from), Some(to)) = (number(from), number(to)) {
                    found.extend((from..=to).take(100));
                }
            }
            None => found.extend(number(last)),
        }
    }
}

fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|n| digits && *n <= LARGEST)
}

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
            assert_eq!(numbers(text).into_iter().collect::<Vec<_>>(), want, "{text}");
        }
    }

    #[test]
    fn names_that_are_cited() {
        let list = |numbers: &[Option<u32>], names: &[&str]| List {
            layout: String::new(),
            spans: Vec::new(),
            texts: Vec::new(),
            numbers: numbers.to_vec(),
            names: names.iter().map(|name| vec![name.to_string()]).collect(),
        };
        let said = |text: &str| Said { texts: vec![(4, text.to_owned())], by_index: Vec::new() };
        let pins = |text: &str| said(text).pins(&list(&[Some(1), Some(2), Some(3)], &["a.md", "notes", "https://x/y"]), 2, false);
        assert_eq!(pins("by https://x/y and (notes)."), Ok(vec![false, true, true]));
        assert_eq!(pins("footnotes, data.md"), Ok(vec![false, false, false]));
        assert_eq!(pins("as [1]"), Ok(vec![true, false, false]));
        assert!(said("as [1]").pins(&list(&[None, None], &["", ""]), 2, false).is_err());
        assert_eq!(said("as [9]").pins(&list(&[None, None], &["", ""]), 2, false), Ok(vec![false, false]));
        assert_eq!(said("as [1]").pins(&list(&[None, None], &["", ""]), 4, false), Ok(vec![false, false]));
        let by_index = Said { texts: Vec::new(), by_index: vec![5] };
        assert!(by_index.pins(&list(&[None], &["a"]), 2, true).is_err());
    }
}
