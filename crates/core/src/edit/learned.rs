//! Answers about the texts of an input, kept for whoever cuts the same input many times, as a replay does before each request.
//!
//! A text of the input does not change, so what a policy asks of it has one answer. An answer may depend on the step that asks and on the
//! texts at the named places, and on nothing else: not on the cuts, and not on what comes before or after.

use crate::Error;
use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};

/// A question about texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// The question about the text.
    pub what: &'static str,
    /// The step of the policy that asks, if its answer differs from that of other steps.
    pub step: usize,
    /// The byte of the input at which the text begins.
    pub at: u64,
    /// The same of a second text, where the answer is about two.
    pub with: u64,
}

impl Question {
    /// A question about one text, which has the same answer for all steps.
    pub fn of(what: &'static str, at: u64) -> Question {
        Question { what, step: 0, at, with: 0 }
    }
}

/// Answers that one policy was given about one input.
#[derive(Default)]
pub struct Learned(RefCell<HashMap<Question, Box<dyn Any>, BuildHasherDefault<QuestionHasher>>>);

impl Learned {
    /// The answer to a question, which `find` finds the first time.
    ///
    /// # Errors
    /// Those of `find`.
    pub fn once<T: Clone + 'static>(&self, question: Question, find: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        if let Some(known) = self.0.borrow().get(&question).and_then(|known| known.downcast_ref::<T>()) {
            return Ok(known.clone());
        }
        let found = find()?;
        self.0.borrow_mut().insert(question, Box::new(found.clone()));
        Ok(found)
    }
}

impl fmt::Debug for Learned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} answers", self.0.borrow().len())
    }
}

/// Mixes words by multiplication: questions are asked for each result before each request.
#[derive(Default)]
struct QuestionHasher(u64);

impl Hasher for QuestionHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, byte: u8) {
        self.write_u64(byte.into());
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_question_is_answered_once() {
        let (learned, mut asked) = (Learned::default(), 0);
        let mut ask = |question| {
            let answer = learned.once(question, || {
                asked += 1;
                Ok(asked)
            });
            answer.unwrap()
        };
        let plain = Question::of("size", 8);
        let others = [
            Question { what: "lines", ..plain },
            Question { step: 1, ..plain },
            Question { at: 9, ..plain },
            Question { with: 8, ..plain },
        ];
        assert_eq!((ask(plain), ask(plain)), (1, 1));
        assert_eq!(others.map(&mut ask), [2, 3, 4, 5]);
        assert_eq!(others.map(&mut ask), [2, 3, 4, 5]);
        assert!(learned.once::<u32>(Question::of("bad", 1), || Err(Error::Changed)).is_err());
    }
}
