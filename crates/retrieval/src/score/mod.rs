//! Scores chunks of retrieved text by how well they answer a question, from their words alone: no
//! service, no model, no file.
//!
//! Question and chunks are vectors of terms. A term is a word's stem, a part of an identifier, a
//! pair of characters where a script has no spaces, or three letters in a row, which find words
//! that no stemmer knows. The score is their cosine, from 0 (nothing in common) to 1, with BM25's
//! saturation and length.
//!
//! A term's weight is that of its kind times how rare it is among the chunks. A chunk has of it the
//! share `tf / (tf + K)`, where `K` grows with the length of the chunk. The chunk's own norm is
//! pivoted in that way instead of divided by, which would favour short chunks; so a chunk that had
//! all terms without end would score 1.

mod language;
mod question;
mod threshold;
pub mod words;

pub use question::spellings;
pub use threshold::threshold;

use question::Question;
use std::collections::BTreeMap;
use words::{Word, words};

/// The saturation of a term that occurs often in a chunk: BM25's k1.
const SATURATION: f64 = 1.2;
/// The influence of a chunk's length: BM25's b.
const LENGTH: f64 = 0.75;

/// Returns for each chunk its relevance to the question, from 0 to 1; 0 for all where the question
/// has no word with a meaning of its own. Time and memory are proportional to the texts.
pub fn scores(question: &str, chunks: &[&str]) -> Vec<f64> {
    let mut question = Question::new(question);
    if !question.has_meaning() {
        return vec![0.0; chunks.len()];
    }
    let read = chunks.iter();
    let read: Vec<Chunk> = read.map(|text| Chunk::read(text, &mut question)).collect();
    let mut chunks_with = vec![0u32; question.weights.len()];
    for (term, _) in read.iter().flat_map(|chunk| &chunk.terms) {
        chunks_with[*term as usize] += 1;
    }
    let n = chunks.len() as f64;
    let mean = read.iter().map(|chunk| chunk.length).sum::<f64>() / n;
    let weigh = |(weight, with): (&f64, u32)| {
        let with = f64::from(with);
        weight * (1.0 + (n - with + 0.5) / (with + 0.5)).ln()
    };
    let weights = question.weights.iter().zip(chunks_with);
    let weights: Vec<f64> = weights.map(weigh).collect();
    let whole: f64 = weights.iter().sum();
    let score = |chunk: &Chunk| {
        let k = SATURATION * (1.0 - LENGTH + LENGTH * chunk.length / mean);
        let have = chunk.terms.iter().map(|(&term, &times)| {
            weights[term as usize] * f64::from(times) / (f64::from(times) + k)
        });
        if whole > 0.0 {
            have.sum::<f64>() / whole
        } else {
            0.0
        }
    };
    read.iter().map(score).collect()
}

/// The chunks from the best on, as indices; of equals the earlier one comes first.
pub fn order(scores: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    order
}

/// The terms of the question in a chunk.
struct Chunk {
    /// Its words; of a run, its characters.
    length: f64,
    /// Terms with how often they occur.
    terms: BTreeMap<u32, u32>,
}

impl Chunk {
    fn read(text: &str, question: &mut Question) -> Chunk {
        let (mut length, mut terms) = (0, BTreeMap::new());
        words(text, |word| {
            length += match word {
                Word::Run(run) => run.len().div_ceil(3),
                Word::Spaced(_) => 1,
            };
            question.hits(word, |term| *terms.entry(term).or_default() += 1);
        });
        // A chunk without words is as long as one with one, so that no length is divided by
        // nothing.
        Chunk {
            length: length.max(1) as f64,
            terms,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_chunk_that_answers_comes_first() {
        for (question, chunks, want) in [
            (
                "When do the flies leave?",
                ["a stone", "it may fly at dawn", "a bird"],
                1,
            ),
            (
                "Who wrote principles of geology?",
                ["of rivers", "the cook", "a principle was written down"],
                2,
            ),
            (
                "Where is the weight column set?",
                ["fn main", "let setWeightColumn = 3;", "WeightedMean"],
                1,
            ),
            (
                "What does read_file return?",
                ["readFile(path) -> Text", "writes a file", "nothing"],
                0,
            ),
            (
                "誰が東京タワーを建てた？",
                ["京都の寺", "東京タワーの建設", "海"],
                1,
            ),
            (
                "猫何时入睡？",
                ["河里的水", "猫每晚都睡得很早", "山上的树"],
                1,
            ),
            (
                "谁建了学校？",
                ["水里的鱼", "他所创建的校园", "山上的树"],
                1,
            ),
        ] {
            assert_eq!(
                order(&scores(question, &chunks))[0],
                want,
                "{question} {:?}",
                scores(question, &chunks)
            );
        }
    }

    #[test]
    fn more_of_a_term_and_less_around_it_score_more() {
        let found = scores(
            "the moon",
            &[
                "moon",
                "moon moon",
                "moon and bread and stone and water and sand",
                "bread",
                "bread",
            ],
        );
        assert!(
            found[1] > found[0] && found[0] > found[2] && found[2] > found[3],
            "{found:?}"
        );
        assert_eq!(order(&found), [1, 0, 2, 3, 4]);
        assert_eq!(scores("", &["a", "b"]), [0.0, 0.0]);
        assert_eq!(
            scores("And why is that so?", &["and that is why", "bread"]),
            [0.0, 0.0]
        );
        assert_eq!(scores("那是什么呢？", &["那是什么", "面包"]).len(), 2);
        assert_eq!(scores("a", &[]), [0.0; 0]);
    }

    proptest! {
        #[test]
        fn scores_are_shares(question: String, chunks in prop::collection::vec(".{0,80}|[a-zA-Z_0-9 .漢字カนี้ا']{0,80}", 0..6)) {
            let texts: Vec<&str> = chunks.iter().map(String::as_str).collect();
            let found = scores(&question, &texts);
            prop_assert_eq!(found.len(), texts.len());
            prop_assert!(found.iter().all(|score| (0.0..=1.0).contains(score)), "{:?}", found);
        }
    }
}
