//! The tokenizer of Claude's first models: its count of a text, for programs that still count with it.
//!
//! Anthropic published it with its Python library until 0.38.0, as `anthropic/tokenizer.json` (MIT licence, beside the vocabulary
//! here). It is a byte-pair encoding: a text is brought into the form NFKC and divided into words, numbers, signs and white space, and in
//! each of these pieces the pair of neighbours that the vocabulary has first is joined, until it has none.
//!
//! `anthropic.merges` has the pairs, each as the numbers of two tokens, the low byte first: all numbers are below 65,536. Token
//! 261 + i is the i-th pair, tokens 5 to 260 are the bytes, and those before are marks. The pairs are read when the first text is counted.

mod bytes;
mod form;
mod pairs;

use regex::Regex;
use std::sync::LazyLock;

/// Texts that are one token wherever they occur.
static MARKS: LazyLock<Regex> = LazyLock::new(|| expression("<(?:EOT|META|META_START|META_END|SOS)>"));
/// The pieces of a text, but that white space before a word leaves its last character to it.
static PIECES: LazyLock<Regex> = LazyLock::new(|| expression(r"'(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+"));

fn expression(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a test compiles it")
}

/// Returns the number of tokens of a text.
pub fn count(text: &str) -> u64 {
    let (mut tokens, mut from) = (0, 0);
    for mark in MARKS.find_iter(text) {
        tokens += of_plain(&text[from..mark.start()]) + 1;
        from = mark.end();
    }
    tokens + of_plain(&text[from..])
}

/// The tokens of a text without marks.
fn of_plain(text: &str) -> u64 {
    let text = form::nfkc(text);
    let (mut tokens, mut from) = (0, 0);
    while let Some(piece) = PIECES.find_at(&text, from) {
        let found = piece.as_str();
        let last = found.chars().next_back().filter(|last| last.is_whitespace()).map_or(0, char::len_utf8);
        let is_divided = last > 0 && last < found.len() && piece.end() < text.len();
        let end = if is_divided { piece.end() - last } else { piece.end() };
        tokens += pairs::count(&text.as_bytes()[piece.start()..end]);
        from = end;
    }
    tokens
}

#[cfg(test)]
#[path = "byte_pairs/tests.rs"]
mod tests;
