//! How much each message of a session sends.

use super::session::Session;
use super::steps::Step;
use deadhead_core::transcript::{Block, BlockKind, Role};

/// What is sent: text, images, and what the model said itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// UTF-16 units of text.
    pub units: u64,
    /// Images.
    pub images: u32,
    /// Tokens that the provider counted when the model said it. Its text is not in `units` then: logs leave out reasoning.
    pub said: u64,
}

/// What each message sends.
pub fn weights(session: &Session) -> Vec<Weight> {
    let transcript = &session.transcript;
    let of_message = |i: usize| {
        let shown = weight(transcript.blocks_of(i));
        Weight { units: shown.units + u64::from(session.hidden[i]), ..shown }
    };
    let mut weights: Vec<Weight> = (0..transcript.messages.len()).map(of_message).collect();
    for steps in &session.threads {
        let mut answered = None;
        for step in steps {
            match *step {
                Step::Call(number) => answered = Some(&session.calls[number as usize]).filter(|call| call.output > 0),
                // What the model said since, in one message or in several pieces, is the answer.
                Step::Push { message, .. } if transcript.messages[message as usize].role == Role::Assistant => {
                    if let Some(call) = answered.filter(|call| message >= call.message) {
                        let said = if message == call.message { call.output } else { 0 };
                        weights[message as usize] = Weight { said, ..Weight::default() };
                    }
                }
                _ => {}
            }
        }
    }
    weights
}

impl std::ops::Add for Weight {
    type Output = Weight;

    fn add(self, other: Weight) -> Weight {
        Weight { units: self.units + other.units, images: self.images + other.images, said: self.said + other.said }
    }
}

/// What a part of a message sends, with all that is in it.
pub fn weight(blocks: &[Block]) -> Weight {
    blocks.iter().fold(Weight::default(), |weight, block| match block.kind {
        BlockKind::Image => Weight { images: weight.images + 1, ..weight },
        BlockKind::Result => weight,
        _ => Weight { units: weight.units + u64::from(block.chars), ..weight },
    })
}
