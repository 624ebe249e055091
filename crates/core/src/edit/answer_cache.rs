//! Caches answers about the texts of an input, for callers that cut the same input many times, as a
//! replay does before each request.
//!
//! A text of the input does not change, so each question about it has one answer. An answer may
//! depend on the step that asks and on the texts at the given places, but not on other texts, nor
//! on cuts that may change.

use crate::Result;
use hashbrown::HashMap;
use std::{any::Any, cell::RefCell};

/// A question about a text: its name, the index of the step that asks if other steps have other
/// answers (else 0), and the byte of the input at which the text begins.
pub type Question = (&'static str, usize, u64);

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
        find: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
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
    use crate::Error;

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
        let plain = ("size", 0, 8);
        let others = [("lines", 0, 8), ("size", 1, 8), ("size", 0, 9)];
        assert_eq!((ask(plain), ask(plain)), (1, 1));
        assert_eq!(others.map(&mut ask), [2, 3, 4]);
        assert_eq!(others.map(&mut ask), [2, 3, 4]);
        assert!(
            cache
                .once::<u32>(("bad", 0, 1), || Err(Error::Changed))
                .is_err()
        );
    }
}
