//! Tokens of each message and each prompt, from the prompts that the log recorded.
//!
//! The messages between two requests account for the difference of their prompts. The answer has the tokens that the provider counted; the
//! rest of the difference is distributed over the other messages by their size. A difference that no text can cause (the agent dropped old
//! reasoning, or changed its system prompt) is added to the front of the prompt, which the log does not contain.

use super::fit::Fit;
use super::session::Session;
use super::steps::Step;
use deadhead_core::internal::message_tokens::Weight;

/// Tokens of a session.
#[derive(Clone, Debug)]
pub struct Tokens {
    /// Those of each message.
    pub messages: Vec<Message>,
    /// Those of the prompt of each call.
    pub prompts: Vec<Prompt>,
}

/// Tokens of a message.
#[derive(Clone, Copy, Debug, Default)]
pub struct Message {
    /// Those of the whole message.
    pub total: f64,
    /// Those of a UTF-16 unit of its text.
    pub per_unit: f64,
}

impl Message {
    fn new(weight: Weight, per_unit: f64, said_again: f64) -> Message {
        Message {
            total: weight.tokens(per_unit, said_again),
            per_unit,
        }
    }

    /// Returns the tokens of a part of the message.
    pub fn of(&self, part: Weight) -> f64 {
        part.tokens(self.per_unit, 0.0)
    }
}

/// Tokens of a prompt.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prompt {
    /// Those of the whole prompt: the recorded number, if the log has one.
    pub total: f64,
    /// Tokens before the messages: those of the system prompt and the tools.
    pub front: f64,
    /// The factor for the tokens of the messages: below 1 where their sum exceeds the prompt, else 1.
    pub scale: f64,
}

/// A thread during the walk.
struct Thread {
    context: Vec<u32>,
    /// The number of these messages that were part of a prompt.
    measured: usize,
    /// Tokens of the first n of these.
    sums: Vec<f64>,
    front: Option<f64>,
}

impl Tokens {
    /// Measures a session: `weights` are the sizes of its messages, `fit` is used for logs without counts.
    pub fn of(session: &Session, weights: &[Weight], fit: &Fit) -> Tokens {
        let fitted = weights
            .iter()
            .map(|weight| Message::new(*weight, 1.0 / fit.chars_per_token, fit.said_again));
        let mut tokens = Tokens {
            messages: fitted.collect(),
            prompts: vec![Prompt::default(); session.calls.len()],
        };
        let mut known = vec![false; weights.len()];
        for steps in &session.threads {
            let mut thread = Thread {
                context: Vec::new(),
                measured: 0,
                sums: vec![0.0],
                front: None,
            };
            for step in steps {
                match *step {
                    Step::Keep(length, _) => {
                        thread.context.truncate(length as usize);
                        thread.measured = thread.measured.min(length as usize);
                        thread.sums.truncate(thread.measured + 1);
                    }
                    Step::Push { message, .. } => thread.context.push(message),
                    Step::Call(number) => {
                        let counted = session.calls[number as usize]
                            .usage
                            .map(|usage| usage.prompt())
                            .filter(|prompt| *prompt > 0);
                        tokens.prompts[number as usize] =
                            tokens.prompt(&mut thread, &mut known, counted, weights, fit);
                    }
                }
            }
        }
        tokens
    }

    /// Measures the messages since the last prompt of a thread, and the prompt.
    fn prompt(
        &mut self,
        thread: &mut Thread,
        known: &mut [bool],
        counted: Option<u64>,
        weights: &[Weight],
        fit: &Fit,
    ) -> Prompt {
        let new = &thread.context[thread.measured..];
        // A message of an earlier prompt keeps its tokens.
        let new: Vec<u32> = new
            .iter()
            .copied()
            .filter(|message| !known[*message as usize])
            .collect();
        if let (Some(counted), Some(front)) = (counted, thread.front) {
            let before = thread.sums[thread.measured];
            let back: f64 = thread.context[thread.measured..]
                .iter()
                .filter(|message| known[**message as usize])
                .map(|message| self.messages[*message as usize].total)
                .sum();
            let sum = new
                .iter()
                .map(|message| weights[*message as usize])
                .fold(Weight::default(), |sum, weight| sum + weight);
            if let Some(per_unit) =
                sum.per_unit(counted as f64 - front - before - back, fit.said_again)
            {
                for message in &new {
                    self.messages[*message as usize] =
                        Message::new(weights[*message as usize], per_unit, fit.said_again);
                }
            }
        }
        new.iter()
            .for_each(|message| known[*message as usize] = true);
        for message in &thread.context[thread.measured..] {
            thread
                .sums
                .push(thread.sums[thread.sums.len() - 1] + self.messages[*message as usize].total);
        }
        thread.measured = thread.context.len();
        let messages = thread.sums[thread.measured];
        let Some(counted) = counted.map(|counted| counted as f64) else {
            let front = thread.front.unwrap_or(fit.overhead);
            return Prompt {
                total: front + messages,
                front,
                scale: 1.0,
            };
        };
        let front = (counted - messages).max(0.0);
        thread.front = Some(front);
        let scale = if messages > counted {
            counted / messages
        } else {
            1.0
        };
        Prompt {
            total: counted,
            front,
            scale,
        }
    }
}
