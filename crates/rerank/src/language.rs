//! Detects the language of a text, for stemming and stop words.
//!
//! A script that mostly one language uses identifies it. Latin letters are distinguished by the stop words that every sentence has;
//! a text without any, such as code, counts as English. The lists are short on purpose: a word that is common in the chunks of a
//! list has a low weight anyway, and a question word that no chunk has must not count as missing.

mod table;

pub use table::Language;

use rust_stemmers::Stemmer;
use std::collections::HashSet;
use table::{LATIN, OTHER, STOP_SYLLABLES};

/// The letters of a word, by its first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Letters {
    Latin,
    Cyrillic,
    Greek,
    Arabic,
    Devanagari,
    Tamil,
    Others,
}

fn letters(word: &str) -> Letters {
    match word.chars().next().map_or(0, |c| c as u32) {
        0..=0x24f | 0x1e00..=0x1eff => Letters::Latin,
        0x370..=0x3ff | 0x1f00..=0x1fff => Letters::Greek,
        0x400..=0x52f => Letters::Cyrillic,
        0x600..=0x6ff | 0x750..=0x77f | 0x8a0..=0x8ff | 0xfb50..=0xfdff | 0xfe70..=0xfeff => Letters::Arabic,
        0x900..=0x97f => Letters::Devanagari,
        0xb80..=0xbff => Letters::Tamil,
        _ => Letters::Others,
    }
}

/// The languages of a text: one for its Latin letters, one for each other script.
pub struct Languages {
    latin: Option<Stemmer>,
    others: Vec<(Letters, Stemmer)>,
    stop_words: HashSet<&'static str>,
    /// The name of the language of the Latin letters.
    pub name: &'static str,
}

impl Languages {
    /// The languages of a sample, as words in lower case. `question` are those of the question, whose stop words count
    /// also where it is asked in another language than the chunks have.
    pub fn of(sample: &HashSet<String>, question: &HashSet<String>) -> Languages {
        let latin = likely(sample);
        let asked = likely(question);
        let mut stop_words: HashSet<&'static str> = [latin, asked].iter().flat_map(|l| l.stop_words.split_ascii_whitespace()).collect();
        let others = OTHER.iter().filter(|(script, _)| question.iter().any(|word| letters(word) == *script));
        let mut stemmers = Vec::new();
        for (script, language) in others {
            stop_words.extend(language.stop_words.split_ascii_whitespace());
            stemmers.extend(language.stemmer.map(|algorithm| (*script, Stemmer::create(algorithm))));
        }
        Languages { latin: latin.stemmer.map(Stemmer::create), others: stemmers, stop_words, name: latin.name }
    }

    /// Whether a word in lower case carries no meaning of its own.
    pub fn is_stop_word(&self, word: &str) -> bool {
        self.stop_words.contains(word)
    }

    /// The stem of a word in lower case. What is too long for a word is its own stem.
    pub fn stem<'a>(&self, word: &'a str) -> std::borrow::Cow<'a, str> {
        let script = letters(word);
        let stemmer = match script {
            Letters::Latin => self.latin.as_ref(),
            _ => self.others.iter().find(|(known, _)| *known == script).map(|(_, stemmer)| stemmer),
        };
        match stemmer {
            Some(stemmer) if word.len() <= LONGEST => stemmer.stem(word),
            _ => word.into(),
        }
    }
}

/// Bytes of the longest word that is stemmed.
const LONGEST: usize = 64;

/// Whether a gram is likely to be no word because of a character that is a word of its own, or none.
pub fn is_stop_gram(gram: &str) -> bool {
    gram.chars().any(|c| STOP_SYLLABLES.contains(c))
}

/// The language of Latin letters that most of the stop words are of; English where there are none.
fn likely(words: &HashSet<String>) -> &'static Language {
    let votes = |language: &Language| language.stop_words.split_ascii_whitespace().filter(|word| words.contains(*word)).count();
    // `max_by_key` takes the last of equals.
    LATIN.iter().rev().max_by_key(|language| votes(language)).unwrap_or(&LATIN[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> Languages {
        let words: HashSet<String> = text.split_whitespace().map(str::to_lowercase).collect();
        Languages::of(&words, &words)
    }

    #[test]
    fn languages_by_their_stop_words() {
        for (text, want) in [
            ("Where is the park that he founded", "English"),
            ("Wann wurde die Universität von den Bürgern gegründet", "German"),
            ("Quand est-ce que la ville a été fondée par les Romains", "French"),
            ("¿ Cuándo se fundó la ciudad y por quién", "Spanish"),
            ("Quando foi fundada a cidade e por quem não", "Portuguese"),
            ("Quando fu fondata la città e da chi", "Italian"),
            ("Wanneer werd de stad door het leger veroverd", "Dutch"),
            ("Când a fost construit orașul și de către cine", "Romanian"),
            ("Şehir ne zaman ve kim tarafından kuruldu", "Turkish"),
            ("Thành phố được thành lập khi nào và bởi ai", "Vietnamese"),
            ("Milloin kaupunki on perustettu ja kuka sen perusti", "Finnish"),
            ("Kiedy miasto zostało założone i przez kogo", "Polish"),
            ("fn main() { println!(x) }", "English"),
            ("", "English"),
        ] {
            assert_eq!(of(text).name, want, "{text}");
        }
    }

    #[test]
    fn stems_of_many_scripts() {
        let all = of("where is the что это τι είναι ما هو");
        for (a, b) in [("principles", "principle"), ("города", "городе"), ("πόλεις", "πόλη"), ("المدرسة", "مدرسة")]
        {
            assert_eq!(all.stem(a), all.stem(b), "{a} {b}");
        }
        assert!(all.is_stop_word("the") && all.is_stop_word("что") && !all.is_stop_word("park"));
        assert_eq!(all.stem(&"running".repeat(20)), "running".repeat(20));
    }

    proptest! {
        #[test]
        fn any_word_has_a_stem(word in "[a-zçğıöşüâêîäßñéèàœøåæőűăâîșțа-яёα-ωάέήίόύώϊΰ\u{620}-\u{64f}அ-ஹா-ௌ]{0,24}") {
            for language in LATIN.iter().chain(OTHER.iter().map(|(_, language)| language)) {
                if let Some(algorithm) = language.stemmer {
                    Stemmer::create(algorithm).stem(&word);
                }
            }
        }
    }
}
