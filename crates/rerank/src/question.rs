//! The terms of a question, and the search for them in the words of a chunk.
//!
//! Most words of a chunk have none of the terms. So the first letters of an ASCII word are tested before it is stemmed, and its
//! letters are looked up three by three in a small table; other words are cached by their spelling.

use super::language::{Languages, is_stop_gram};
use super::tokenizer::{Script, Word, grams, ideographs, parts, words};
use super::trigrams::{MASK, TRIGRAM, trigrams};
use std::collections::{HashMap, HashSet};

/// Weight of a word without a meaning of its own, of a word that has one being 1.
const STOP_WORD: f64 = 0.2;
/// Weight of the letters of a word together, by three, beside the word's own. Shared by the root of their number, so that
/// long words count more, though not by their length.
const LETTERS: f64 = 0.8;
/// Weight of an ideograph by itself, beside the pairs it is in: it finds what is said with another word of the same meaning.
const IDEOGRAPH: f64 = 0.2;

/// A question as terms.
pub struct Question {
    /// The weight of each term.
    pub weights: Vec<f64>,
    languages: Languages,
    /// Stems and grams of runs.
    keys: HashMap<String, u32>,
    /// Letters by three.
    trigrams: hashbrown::HashMap<u64, u32>,
    /// First three letters of words and stems that are terms, a bit each.
    beginnings: Box<[u32; 1024]>,
    /// Words beyond ASCII, as they are written, with the terms they hold.
    known: HashMap<String, Box<[u32]>>,
    /// Words of ASCII in lower case, by a hash: the last one that had it, with its term.
    recent: Vec<(u128, Option<u32>)>,
}

/// Words of ASCII that are remembered; a power of two.
const RECENT: usize = 1024;

impl Question {
    /// The terms of `text`. `chunks` help to tell its language.
    pub fn new(text: &str, chunks: &[&str]) -> Question {
        let asked = sample(&[text], 4000);
        let mut all = sample(&chunks[..chunks.len().min(3)], 1000);
        all.extend(asked.iter().cloned());
        let mut question = Question {
            weights: Vec::new(),
            languages: Languages::of(&all, &asked),
            keys: HashMap::new(),
            trigrams: hashbrown::HashMap::new(),
            beginnings: Box::new([0; 1024]),
            known: HashMap::new(),
            recent: vec![(0, None); RECENT],
        };
        words(text, |word| question.ask(word));
        question
    }

    /// Whether it has a word with a meaning of its own.
    pub fn has_meaning(&self) -> bool {
        self.weights.iter().any(|weight| *weight > STOP_WORD)
    }

    /// Makes the terms of a word of the question.
    fn ask(&mut self, word: Word<'_>) {
        let (word, gram) = match word {
            Word::Ascii(word) | Word::Spaced(word) => (word, None),
            Word::Run(run, script) => (run, Some(script)),
        };
        if let Some(script) = gram {
            grams(word, script, |gram| {
                let weight = if is_stop_gram(gram) { STOP_WORD } else { 1.0 };
                self.term(gram.to_owned(), weight * share(script));
            });
            ideographs(word, script, |sign| {
                let weight = if is_stop_gram(sign) { STOP_WORD } else { 1.0 };
                self.term(sign.to_owned(), weight * IDEOGRAPH);
            });
            return;
        }
        let mut n = 0;
        parts(word, |_| n += 1);
        if n > 1 {
            parts(word, |part| self.ask_word(&fold(part)));
        }
        let whole = fold(word);
        self.ask_word(&whole.replace('_', ""));
        if !self.languages.is_stop_word(&whole) {
            self.ask_letters(&whole);
        }
    }

    fn ask_word(&mut self, word: &str) {
        let weight = if self.languages.is_stop_word(word) { STOP_WORD } else { 1.0 };
        let stem = self.languages.stem(word).into_owned();
        for text in [word, &stem] {
            if let [first, second, rest @ ..] = text.as_bytes() {
                self.beginnings[beginning(*first, *second)] |= rest.first().map_or(u32::MAX, |byte| third(*byte));
            }
        }
        self.term(stem, weight);
    }

    fn ask_letters(&mut self, word: &str) {
        let n = (word.chars().count().max(TRIGRAM) - TRIGRAM + 1) as f64;
        trigrams(word.chars(), |key| {
            let at = *self.trigrams.entry(key).or_insert(self.weights.len() as u32);
            weigh(&mut self.weights, at, LETTERS / n.sqrt());
        });
    }

    fn term(&mut self, key: String, weight: f64) {
        let next = self.weights.len() as u32;
        let at = *self.keys.entry(key).or_insert(next);
        weigh(&mut self.weights, at, weight);
    }

    /// Gives the terms that `word`, of a chunk, holds, one for each time.
    pub fn hits(&mut self, word: Word<'_>, mut each: impl FnMut(u32)) {
        match word {
            Word::Run(run, script) => self.run_hits(run, script, each),
            Word::Ascii(word) => self.ascii_hits(word, &mut each),
            Word::Spaced(word) => {
                if let Some(found) = self.known.get(word) {
                    found.iter().for_each(|term| each(*term));
                    return;
                }
                let mut found = Vec::new();
                let whole = fold(word);
                self.stem_hits(word, &whole, &mut |term| found.push(term));
                trigrams(whole.chars(), |key| found.extend(self.trigrams.get(&key)));
                found.iter().for_each(|term| each(*term));
                self.known.insert(word.to_owned(), found.into());
            }
        }
    }

    fn run_hits(&self, run: &str, script: Script, mut each: impl FnMut(u32)) {
        let mut hit = |key: &str| self.keys.get(key).into_iter().for_each(|term| each(*term));
        grams(run, script, &mut hit);
        ideographs(run, script, &mut hit);
    }

    fn ascii_hits(&mut self, word: &str, each: &mut impl FnMut(u32)) {
        let bytes = word.as_bytes();
        let mut folded = 0u64;
        let (mut identifier, mut before) = (false, b'a');
        for (i, &byte) in bytes.iter().enumerate() {
            folded = (folded << 21 | u64::from(byte.to_ascii_lowercase())) & MASK;
            if i + 1 >= TRIGRAM {
                self.trigrams.get(&folded).copied().into_iter().for_each(&mut *each);
            }
            let (digit, upper) = (byte.is_ascii_digit(), byte.is_ascii_uppercase());
            identifier |= byte == b'_' || i > 0 && (upper || digit != before.is_ascii_digit());
            before = byte;
        }
        if bytes.len() < TRIGRAM {
            self.trigrams.get(&folded).copied().into_iter().for_each(&mut *each);
        }
        if identifier {
            self.stem_hits(word, &fold(word), each);
        } else if self.may_begin(bytes) {
            self.short_hit(bytes, word, each);
        }
    }

    /// The term of a word of ASCII that is no identifier. Stemming takes most of the time, and words come again.
    fn short_hit(&mut self, bytes: &[u8], word: &str, each: &mut impl FnMut(u32)) {
        let mut buffer = [0; 16];
        let Some(lower) = buffer.get_mut(..bytes.len()) else { return self.key_hit(&fold(word), each) };
        lower.copy_from_slice(bytes);
        lower.make_ascii_lowercase();
        let key = u128::from_le_bytes(buffer);
        let at = (key as u64 ^ (key >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize >> (usize::BITS - RECENT.ilog2());
        if self.recent[at].0 != key {
            let mut found = None;
            self.key_hit(&fold(word), &mut |term| found = Some(term));
            self.recent[at] = (key, found);
        }
        self.recent[at].1.into_iter().for_each(each);
    }

    /// The whole of a word, and its parts where it is an identifier.
    fn stem_hits(&self, word: &str, whole: &str, each: &mut impl FnMut(u32)) {
        let mut n = 0;
        parts(word, |_| n += 1);
        if n > 1 {
            parts(word, |part| {
                if self.may_begin(part.as_bytes()) {
                    self.key_hit(&fold(part), each);
                }
            });
        }
        if whole.contains('_') { self.key_hit(&whole.replace('_', ""), each) } else { self.key_hit(whole, each) }
    }

    fn key_hit(&self, word: &str, each: &mut impl FnMut(u32)) {
        self.keys.get(&*self.languages.stem(word)).into_iter().for_each(|term| each(*term));
    }

    /// Whether a word may have a stem that is a term, by its first letters. No stemmer changes the first two of ASCII, and
    /// of the third only whether it is `y` or `i`.
    fn may_begin(&self, word: &[u8]) -> bool {
        match word {
            [first, second, rest @ ..] if first.is_ascii() && second.is_ascii() => {
                self.beginnings[beginning(*first, *second)] & rest.first().map_or(u32::MAX, |byte| third(*byte)) != 0
            }
            _ => true,
        }
    }
}

/// Returns the weight of a gram relative to a word of another script. Grams overlap, and a word has two or more of them.
fn share(script: Script) -> f64 {
    match script {
        Script::Syllables => 0.5,
        Script::Letters => 0.25,
    }
}

/// A term that is asked for twice has the larger weight.
fn weigh(weights: &mut Vec<f64>, at: u32, weight: f64) {
    match weights.get_mut(at as usize) {
        Some(known) => *known = known.max(weight),
        None => weights.push(weight),
    }
}

/// Returns the index of two letters of any case among the beginnings.
fn beginning(first: u8, second: u8) -> usize {
    usize::from(first & 31) << 5 | usize::from(second & 31)
}

/// The bit of a third letter of any case; all bits where it is not of ASCII, as an accent may go.
fn third(byte: u8) -> u32 {
    match byte {
        0x80.. => u32::MAX,
        b'y' | b'Y' => 1 << (b'i' & 31),
        byte => 1 << (byte & 31),
    }
}

/// The words in lower case of the first `bytes` bytes of each text.
fn sample(texts: &[&str], bytes: usize) -> HashSet<String> {
    let mut found = HashSet::new();
    for text in texts {
        let end = (0..=bytes.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        words(&text[..end], |word| {
            if let Word::Ascii(word) | Word::Spaced(word) = word {
                found.insert(fold(word));
            }
        });
    }
    found
}

/// A word in lower case, and as one of the spellings that are in use side by side: Romanian with a cedilla or a comma, Russian
/// with its two dots or without. The dot that a Turkish capital leaves is removed.
fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let spelt = |c: char| match c {
        '\u{307}' => None,
        'ş' => Some('ș'),
        'ţ' => Some('ț'),
        'ё' => Some('е'),
        c => Some(c),
    };
    word.to_lowercase().chars().filter_map(spelt).collect()
}
