//! Words of a text by the Unicode rules (UAX 29), and runs of Han, kana and Hangul, which write no
//! spaces between words.
//!
//! An ASCII sign parts words, an apostrophe too, so that `l'eau` is found by `eau`. [`grams`]
//! represent the words of a run.

use std::mem;
use unicode_segmentation::UnicodeSegmentation;

/// One of a text's words.
#[derive(Clone, Copy, Debug)]
pub enum Word<'a> {
    /// Letters, digits and `_` between spaces or signs.
    Spaced(&'a str),
    /// Neighbouring characters of a script without spaces between words.
    Run(&'a str),
}

/// Passes every word of `text` to `each`, in order.
pub fn words<'a>(text: &'a str, mut each: impl FnMut(Word<'a>)) {
    let is_sign = |c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && c != '_';
    for stretch in text.split(is_sign).filter(|stretch| !stretch.is_empty()) {
        if stretch.is_ascii() {
            each(Word::Spaced(stretch));
            continue;
        }
        let segments: Vec<(usize, &str)> = stretch.unicode_word_indices().collect();
        let of_run = |segment: &str| segment.starts_with(is_unspaced);
        for run in
            segments.chunk_by(|(at, a), (next, b)| of_run(a) && of_run(b) && at + a.len() == *next)
        {
            let (from, first) = run[0];
            let to = run[run.len() - 1].0 + run[run.len() - 1].1.len();
            if of_run(first) {
                each(Word::Run(&stretch[from..to]));
            } else {
                let words = first.split('\u{2019}').filter(|word| !word.is_empty());
                words.for_each(|word| each(Word::Spaced(word)));
            }
        }
    }
}

/// Whether a character is of a script that writes no spaces between words.
pub fn is_unspaced(c: char) -> bool {
    matches!(c as u32, 0x1100..=0x11ff | 0x2e80..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff | 0xff66..=0xff9f | 0x2_0000..=0x3_ffff)
}

/// The grams of a run: pairs of characters; a single one is a gram of its own.
pub fn grams(run: &str) -> impl Iterator<Item = &str> {
    let starts = run.char_indices().map(|(at, _)| at);
    let starts: Vec<usize> = starts.chain([run.len()]).collect();
    let single = (starts.len() == 2).then_some(run);
    let pairs = (2..starts.len()).map(move |at| &run[starts[at - 2]..starts[at]]);
    pairs.chain(single)
}

/// The ideographs of a run of several characters, each by itself: most have a meaning of their own.
pub fn ideographs(run: &str) -> impl Iterator<Item = &str> {
    let several = run.chars().nth(1).is_some();
    let is_ideograph = |c: char| matches!(c as u32, 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff);
    run.char_indices()
        .filter(move |&(_, c)| several && is_ideograph(c))
        .map(|(at, c)| &run[at..at + c.len_utf8()])
}

/// The parts of an identifier, split at `_`, at case (`readFile`, `HTTPServer`) and between letters
/// and digits; of a word that is no identifier there is one.
pub fn parts(word: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = word.char_indices().collect();
    let begins = |i: usize| {
        let ((_, before), (_, c)) = (chars[i - 1], chars[i]);
        let next = chars.get(i + 1);
        let next = next.is_some_and(|(_, next)| next.is_lowercase());
        before == '_'
            || c == '_'
            || before.is_ascii_digit() != c.is_ascii_digit()
            || c.is_uppercase() && (before.is_lowercase() || before.is_uppercase() && next)
    };
    let starts = (1..chars.len()).filter(|&i| begins(i)).map(|i| chars[i].0);
    let mut from = 0;
    let parts = starts
        .chain([word.len()])
        .map(|end| &word[mem::replace(&mut from, end)..end]);
    parts
        .filter(|part| !part.is_empty() && *part != "_")
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        words(text, |word| match word {
            Word::Spaced(word) => found.push(word.to_owned()),
            Word::Run(run) => found.extend(grams(run).map(|gram| format!("<{gram}>"))),
        });
        found
    }

    #[test]
    fn words_of_many_scripts() {
        for (text, want) in [
            (
                "The l'eau d\u{2019}été, e.g. read_file(x2)",
                "The l eau d été e g read_file x2",
            ),
            ("Straße\u{a0}«Grüße»", "Straße Grüße"),
            ("что это?", "что это"),
            ("الكتاب، في", "الكتاب في"),
            ("IPCC主席是谁？", "IPCC <主席> <席是> <是谁>"),
            ("東京タワー", "<東京> <京タ> <タワ> <ワー>"),
            ("학교는 크다", "<학교> <교는> <크다>"),
            ("水", "<水>"),
        ] {
            assert_eq!(all(text).join(" "), want);
        }
    }

    #[test]
    fn ideographs_of_a_run() {
        for (text, want) in [
            ("东京タワー", "东 京"),
            ("学校", "学 校"),
            ("水", ""),
            ("학교는", ""),
        ] {
            assert_eq!(
                ideographs(text).collect::<Vec<_>>().join(" "),
                want,
                "{text}"
            );
        }
    }

    #[test]
    fn parts_of_identifiers() {
        for (word, want) in [
            ("readFile", "read File"),
            ("HTTPServer2", "HTTP Server 2"),
            ("__init__", "init"),
            ("snake_case_id", "snake case id"),
            ("word", "word"),
            ("Word", "Word"),
            ("größeÄndern", "größe Ändern"),
            ("_", ""),
        ] {
            assert_eq!(parts(word).join(" "), want);
        }
    }

    proptest! {
        #[test]
        fn nothing_is_invented(text: String) {
            words(&text, |word| match word {
                Word::Spaced(word) => {
                    assert!(text.contains(word));
                    parts(word).into_iter().for_each(|part| assert!(word.contains(part)));
                }
                Word::Run(run) => grams(run).for_each(|gram| assert!(run.contains(gram))),
            });
        }
    }
}
