//! Scores chunks of retrieved text by how well they answer a question, from their words alone: no service, no model, no file.
//!
//! Question and chunks are vectors of terms. A term is a word's stem ([`tokenizer`], [`language`]), a part of an identifier, a pair
//! of characters where a script has no spaces, or three letters in a row, which find words that no stemmer knows: compounds,
//! prefixes, inflections of languages without one. A term that few of the chunks have weighs more (TF-IDF), a second occurrence
//! adds less than the first, and long chunks are normalized to the length of the others, both as in BM25. The score is the cosine
//! of the two (`score`), from 0 (nothing in common) to 1. The threshold below which a chunk is removed is derived from the
//! distribution of the scores of its list ([`fn@threshold`]).

pub mod language;
pub mod question;
mod score;
mod threshold;
pub mod tokenizer;
mod trigrams;

pub use score::{order, scores};
pub use threshold::threshold;
