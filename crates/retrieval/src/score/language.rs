//! Stems and words without a meaning of their own: English for ASCII letters, Arabic for its
//! script. A word of another script is its own stem. The lists are short on purpose: a word that is
//! common in the chunks of a list has a low weight anyway, and a question word that no chunk has
//! must not count as missing.

use rust_stemmers::{Algorithm, Stemmer};
use std::borrow::Cow;

/// English and Arabic articles, prepositions, pronouns, auxiliary verbs, question words.
const STOP_WORDS: &str = include_str!("../words/stop_words.txt");
/// Characters of which two neighbours are mostly no word: particles, copulas, question words.
const STOP_SYLLABLES: &str = "的是了在和与與于於由被有为為什么麼哪谁誰何些个個吗嗎呢";
/// Bytes of the longest word that is stemmed.
const LONGEST: usize = 64;

/// Whether a word in lower case carries no meaning of its own.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS
        .split_ascii_whitespace()
        .any(|known| known == word)
}

/// Whether a gram is likely to be no word because of a character that is a word of its own, or
/// none.
pub fn is_stop_gram(gram: &str) -> bool {
    gram.chars().any(|c| STOP_SYLLABLES.contains(c))
}

/// The stem of a word in lower case.
pub fn stem(word: &str) -> Cow<'_, str> {
    let algorithm = match word.chars().next().map_or(0, |c| c as u32) {
        _ if word.len() > LONGEST => return word.into(),
        0..=0x24f => Algorithm::English,
        0x600..=0x6ff | 0x750..=0x77f | 0x8a0..=0x8ff | 0xfb50..=0xfdff | 0xfe70..=0xfeff => {
            Algorithm::Arabic
        }
        _ => return word.into(),
    };
    Stemmer::create(algorithm).stem(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn stems_and_stop_words() {
        for (a, b) in [("principles", "principle"), ("المدرسة", "مدرسة")] {
            assert_eq!(stem(a), stem(b), "{a} {b}");
        }
        assert!(is_stop_word("the") && is_stop_word("هو") && !is_stop_word("park"));
        assert_eq!(stem(&"running".repeat(20)), "running".repeat(20));
    }

    proptest! {
        #[test]
        fn any_word_has_a_stem(word in "[a-zçğıöşüâêîäßñéèàœøåæőűăâîșțа-я\u{620}-\u{64f}]{0,24}") {
            prop_assert!(stem(&word).len() <= 2 * word.len());
        }
    }
}
