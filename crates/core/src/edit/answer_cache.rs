//! Caches answers about the texts of an input, for callers that cut the same input many times, as a replay does before each request.
//!
//! A text of the input does not change, so each question about it has one answer. An answer may depend on the step that asks and on the
//! texts at the given places, but not on other texts, nor on cuts that may change.

use crate::Error;
use hashbrown::HashMap;
use std::any::Any;
use std::cell::RefCell;

/// A question about one or two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// The name of the question.
    pub name: &'static str,
    /// The index of the step that asks, if other steps have other answers.
    pub step: usize,
    /// The byte of the input at which the text begins.
    pub at: u64,
    /// The byte at which a second text begins, if the question is about two; else 0.
    pub with: u64,
}

impl Question {
    /// Creates a question about one text, with the same answer for all steps.
    pub fn of(name: &'static str, at: u64) -> Question {
        Question {
            name,
            step: 0,
            at,
            with: 0,
        }
    }
}

/// The answers for one policy and one input.
#[derive(Debug, Default)]
pub struct AnswerCache(RefCell<HashMap<Question, Box<dyn Any>>>);

impl AnswerCache {
    /// Returns the cached answer, or the one that `find` computes.
    ///
    /// # Errors
    /// Those of `find`.
    pub fn once<T: Clone + 'static>(
        &self,
        question: Question,
        find: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        if let Some(known) = self
            .0
            .borrow()
            .get(&question)
            .and_then(|known| known.downcast_ref::<T>())
        {
            return Ok(known.clone());
        }
        let found = find()?;
        self.0
            .borrow_mut()
            .insert(question, Box::new(found.clone()));
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_question_is_answered_once() {
        let (cache, mut asked) = (AnswerCache::default(), 0);
        let mut ask = |question| {
            let answer = cache.once(question, || {
                asked += 1;
                Ok(asked)
            });
            answer.unwrap()
        };
        let plain = Question::of("size", 8);
        let others = [
            Question {
                name: "lines",
                ..plain
            },
            Question { step: 1, ..plain },
            Question { at: 9, ..plain },
            Question { with: 8, ..plain },
        ];
        assert_eq!((ask(plain), ask(plain)), (1, 1));
        assert_eq!(others.map(&mut ask), [2, 3, 4, 5]);
        assert_eq!(others.map(&mut ask), [2, 3, 4, 5]);
        assert!(
            cache
                .once::<u32>(Question::of("bad", 1), || Err(Error::Changed))
                .is_err()
        );
    }
}
