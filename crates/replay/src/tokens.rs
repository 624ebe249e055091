//! Tokens of each message and each prompt, from the prompts that the log recorded.
//!
//! The messages between two requests account for the difference of their prompts. The answer has the tokens that the provider counted; the
//! rest of the difference is distributed over the other messages by their size. A difference that no text can cause (the agent dropped old
//! reasoning, or changed its system prompt) is added to the front of the prompt, which the log does not contain. A prompt that is smaller
//! than its messages shows that the agent pruned them: the oldest results that it cannot hold are taken as left out.

use super::{
    fit::Fit,
    session::Session,
    steps::{Call, Step, walk},
};
use deadhead_core::internal::{
    message_tokens::{PrefixSums, Weight},
    transcript::{Block, BlockKind},
};
use std::{collections::HashMap, ops::RangeInclusive};

/// Tokens by which a prompt must be too small for its messages before these are taken as left out.
const SHRUNK: f64 = 2048.0;
/// Tokens that a unit of new text has, at least and at most.
const IMPLIED: RangeInclusive<f64> = 0.1..=2.0;

/// Tokens of a session.
#[derive(Debug)]
pub struct Tokens {
    /// Those of each message.
    pub messages: Vec<Message>,
    /// Those of the prompt of each call.
    pub prompts: Vec<Prompt>,
    /// For each call whose prompt is too small for its context, or large enough again, the positions of the results that the agent left
    /// out or put back, with the tokens that this adds.
    pub left_out: HashMap<u32, Vec<(usize, f64)>>,
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

/// A context during the walk.
#[derive(Clone, Default)]
struct Context {
    messages: Vec<u32>,
    /// Tokens of the messages that were part of a prompt.
    sums: PrefixSums<f64>,
    /// Whether the first of these is another one since.
    is_summarized: bool,
    front: Option<f64>,
    /// The positions and tokens of the results that the agent left out, the newest last, and the sum of these.
    left_out: Vec<(usize, f64)>,
    missing: f64,
    /// The position of the oldest result that may be left out next.
    next: usize,
}

impl Tokens {
    /// Measures a session: `calls` are its requests with what was counted of them, `weights` are the sizes of its messages, `fit` is used for logs without counts.
    pub fn of(session: &Session, calls: &[Call], weights: &[Weight], fit: &Fit) -> Tokens {
        let fitted = weights
            .iter()
            .map(|weight| Message::new(*weight, 1.0 / fit.chars_per_token, fit.said_again));
        let mut tokens = Tokens {
            messages: fitted.collect(),
            prompts: vec![Prompt::default(); session.calls.len()],
            left_out: HashMap::new(),
        };
        let mut known = vec![false; weights.len()];
        walk(&session.threads, |context: &mut Context, step| match step {
            Step::Keep(length, _) => {
                let length = length as usize;
                context.messages.truncate(length);
                context.sums.truncate(length);
                while let Some((_, tokens)) = context.left_out.pop_if(|(at, _)| *at >= length) {
                    context.missing -= tokens;
                }
                context.next = context.next.min(length);
                context.is_summarized &= length > 0;
            }
            Step::Push { message, .. } => context.messages.push(message),
            Step::Summary(message) => {
                context.messages[0] = message;
                context.is_summarized = context.sums.length() > 0;
                context.sums.replace_first(0.0);
            }
            Step::Branch(..) => {}
            Step::Call(number) => {
                let counted = calls[number as usize].counted().map(|usage| usage.prompt());
                if let Some(counted) = counted {
                    tokens.shrink(session, context, number, counted as f64, weights);
                }
                tokens.prompts[number as usize] =
                    tokens.prompt(context, &mut known, counted, weights, fit);
            }
        });
        tokens
    }

    /// Finds the results that a prompt of `counted` tokens cannot hold, and those that it holds again.
    fn shrink(
        &mut self,
        session: &Session,
        context: &mut Context,
        call: u32,
        counted: f64,
        weights: &[Weight],
    ) {
        let measured = context.sums.length();
        let (Some(front), before) = (context.front, context.sums.all() - context.missing) else {
            return;
        };
        let new = context.messages[measured..].iter();
        let units = units(new.clone(), weights);
        let least = before + IMPLIED.start() * units;
        let most = front + before + IMPLIED.end() * units;
        let usual: f64 = new
            .map(|&message| self.messages[message as usize].total)
            .sum();
        // What the usual prompt has too many tokens, or too few.
        let mut gap = front + before + usual - counted;
        let mut changes = Vec::new();
        if least > counted + SHRUNK {
            for at in context.next..measured {
                let message = context.messages[at] as usize;
                let tokens = self.messages[message].total;
                let is_result = |(_, block): (u32, &Block)| block.kind == BlockKind::Result;
                if session.transcript.parts(message).any(is_result) {
                    if gap < tokens / 2.0 {
                        break;
                    }
                    gap -= tokens;
                    context.left_out.push((at, tokens));
                    changes.push((at, -tokens));
                }
                context.next = at + 1;
            }
        } else if counted > most + SHRUNK {
            while let Some((at, tokens)) =
                context.left_out.pop_if(|(_, tokens)| -gap >= *tokens / 2.0)
            {
                gap += tokens;
                context.next = at;
                changes.push((at, tokens));
            }
        }
        if !changes.is_empty() {
            context.missing -= changes.iter().map(|(_, tokens)| tokens).sum::<f64>();
            self.left_out.insert(call, changes);
        }
    }

    /// Measures the messages since the last prompt of a thread, and the prompt.
    fn prompt(
        &mut self,
        context: &mut Context,
        known: &mut [bool],
        counted: Option<u64>,
        weights: &[Weight],
        fit: &Fit,
    ) -> Prompt {
        let measured = context.sums.length();
        let first = context.messages[..usize::from(context.is_summarized)].iter();
        let added = first.chain(&context.messages[measured..]).copied();
        // A message of an earlier prompt keeps its tokens.
        let (back, new): (Vec<u32>, Vec<u32>) = added.partition(|message| known[*message as usize]);
        if let (Some(counted), Some(front)) = (counted, context.front) {
            let before = context.sums.all() - context.missing;
            let back: f64 = back
                .iter()
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
        for message in &new {
            known[*message as usize] = true;
        }
        for message in &context.messages[measured..] {
            context.sums.push(self.messages[*message as usize].total);
        }
        if std::mem::take(&mut context.is_summarized) {
            let first = self.messages[context.messages[0] as usize].total;
            context.sums.replace_first(first);
        }
        let messages = context.sums.all() - context.missing;
        let Some(counted) = counted.map(|counted| counted as f64) else {
            let front = context.front.unwrap_or(fit.overhead);
            return Prompt {
                total: front + messages,
                front,
                scale: 1.0,
            };
        };
        let front = (counted - messages).max(0.0);
        context.front = Some(front);
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

/// Returns the units of messages, of which the model's own output counts as one a token.
fn units<'a>(messages: impl Iterator<Item = &'a u32>, weights: &[Weight]) -> f64 {
    messages
        .map(|message| weights[*message as usize])
        .map(|weight| (weight.units + weight.said) as f64)
        .sum()
}
