//! The terms of a question, and the search for them in the words of a chunk.

use super::{
    language::{is_stop_gram, is_stop_word, stem},
    words::{Word, grams, ideographs, parts, words},
};
use std::{collections::HashMap, hash::Hash};

/// Weight of a word without a meaning of its own, of a word that has one being 1.
const STOP_WORD: f64 = 0.2;
/// Weight of the letters of a word together, by three, beside the word's own. Shared by the root of
/// their number, so that long words count more, though not by their length.
const LETTERS: f64 = 0.8;
/// Weight of a pair of characters: they overlap, and a word has two or more of them.
const PAIR: f64 = 0.5;
/// Weight of an ideograph by itself, beside the pairs it is in: it finds what is said with another
/// word of the same meaning.
const IDEOGRAPH: f64 = 0.2;
/// Letters that are looked up together.
const TRIGRAM: usize = 3;

/// A question as terms.
#[derive(Default)]
pub struct Question {
    /// The weight of each term.
    pub weights: Vec<f64>,
    /// Stems and grams of runs.
    keys: HashMap<String, u32>,
    /// Letters by three.
    trigrams: HashMap<[char; TRIGRAM], u32>,
    /// Words as they are written, with the terms they hold.
    known: HashMap<String, Box<[u32]>>,
}

impl Question {
    /// The terms of `text`.
    pub fn new(text: &str) -> Question {
        let mut question = Question::default();
        words(text, |word| question.ask(word));
        question
    }

    /// Whether it has a word with a meaning of its own.
    pub fn has_meaning(&self) -> bool {
        self.weights.iter().any(|weight| *weight > STOP_WORD)
    }

    /// Makes the terms of a word of the question.
    fn ask(&mut self, word: Word<'_>) {
        let weight = |is_stop: bool| if is_stop { STOP_WORD } else { 1.0 };
        let weights = &mut self.weights;
        match word {
            Word::Run(run) => {
                let pairs = grams(run).map(|gram| (gram, PAIR));
                for (key, share) in pairs.chain(ideographs(run).map(|sign| (sign, IDEOGRAPH))) {
                    let weight = weight(is_stop_gram(key)) * share;
                    add(&mut self.keys, weights, key.to_owned(), weight);
                }
            }
            Word::Spaced(word) => {
                for spelling in spellings(word) {
                    let weight = weight(is_stop_word(&spelling));
                    add(
                        &mut self.keys,
                        weights,
                        stem(&spelling).into_owned(),
                        weight,
                    );
                }
                let whole = word.to_lowercase();
                if !is_stop_word(&whole) {
                    let letters = trigrams(&whole);
                    let share = LETTERS / (letters.len() as f64).sqrt();
                    for key in letters {
                        add(&mut self.trigrams, weights, key, share);
                    }
                }
            }
        }
    }

    /// Passes the terms that `word`, of a chunk, holds to `each`, one for each time.
    pub fn hits(&mut self, word: Word<'_>, each: impl FnMut(u32)) {
        let text = match word {
            Word::Run(text) | Word::Spaced(text) => text,
        };
        if let Some(found) = self.known.get(text) {
            found.iter().copied().for_each(each);
            return;
        }
        let found: Box<[u32]> = match word {
            Word::Run(run) => {
                let keys = grams(run).chain(ideographs(run));
                keys.filter_map(|key| self.keys.get(key)).copied().collect()
            }
            Word::Spaced(word) => {
                let (spellings, letters) = (spellings(word), trigrams(&word.to_lowercase()));
                let stems = spellings
                    .iter()
                    .filter_map(|word| self.keys.get(&*stem(word)));
                let letters = letters.iter().filter_map(|key| self.trigrams.get(key));
                stems.chain(letters).copied().collect()
            }
        };
        found.iter().copied().for_each(each);
        self.known.insert(text.to_owned(), found);
    }
}

/// A term that is asked for twice has the larger weight.
fn add<K: Eq + Hash>(terms: &mut HashMap<K, u32>, weights: &mut Vec<f64>, key: K, weight: f64) {
    let at = *terms.entry(key).or_insert(weights.len() as u32) as usize;
    match weights.get_mut(at) {
        Some(known) => *known = known.max(weight),
        None => weights.push(weight),
    }
}

/// The parts of an identifier, and the whole of it as one word, in lower case.
pub fn spellings(word: &str) -> Vec<String> {
    let mut all: Vec<String> = parts(word).into_iter().map(str::to_lowercase).collect();
    if all.len() < 2 {
        all.clear();
    }
    all.push(word.to_lowercase().replace('_', ""));
    all
}

/// Every three neighbouring letters; a shorter word is one of its own.
fn trigrams(word: &str) -> Vec<[char; TRIGRAM]> {
    let letters: Vec<char> = word.chars().collect();
    letters
        .windows(TRIGRAM.min(letters.len().max(1)))
        .map(|three| std::array::from_fn(|i| three.get(i).copied().unwrap_or_default()))
        .collect()
}
