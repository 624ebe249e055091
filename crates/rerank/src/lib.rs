//! How well a chunk of retrieved text answers a question, judged from their words alone: no service, no model, no file.
//!
//! Question and chunks are vectors of terms. A term is a word's stem ([`tokenizer`], [`language`]), a part of an identifier, a
//! pair of characters where a script has no spaces, or three letters in a row, which find what no stemmer knows: compounds,
//! prefixes, inflections of languages without one. A term that few of the chunks have weighs more (TF-IDF), a second
//! occurrence adds less than the first, and long chunks are brought to the length of the others, both as in BM25. The score
//! is the cosine of the two (`score`), from 0 (nothing in common) to 1. Which of the chunks score too low is derived from how
//! the scores of their list are spread ([`fn@threshold`]).

pub mod language;
pub mod question;
mod score;
mod threshold;
pub mod tokenizer;
mod trigrams;

pub use score::{order, scores};
pub use threshold::threshold;
