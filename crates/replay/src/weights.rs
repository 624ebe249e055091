//! The size of each message of a session in the form in which it is sent.

use super::session::Session;
use super::steps::{Branched, Step};
use deadhead_core::internal::message_tokens::Weight;
use deadhead_core::internal::transcript::Role;

/// Returns the size of each message as it is sent.
pub fn weights(session: &Session) -> Vec<Weight> {
    let transcript = &session.transcript;
    let of_message = |i: usize| {
        let shown = Weight::of(transcript.blocks_of(i));
        Weight {
            units: shown.units + u64::from(session.hidden[i]),
            ..shown
        }
    };
    let mut weights: Vec<Weight> = (0..transcript.messages.len()).map(of_message).collect();
    for steps in &session.threads {
        let mut answered = Branched::new(None);
        for step in steps {
            match *step {
                Step::Call(number) => {
                    *answered = Some(&session.calls[number as usize]).filter(|call| call.output > 0)
                }
                Step::Branch(to, ends) => answered.turn(to, ends),
                // The messages of the model since then are the answer, in one or several pieces.
                Step::Push { message, .. }
                    if transcript.messages[message as usize].role == Role::Assistant =>
                {
                    if let Some(call) = answered.filter(|call| message >= call.message) {
                        let said = if message == call.message {
                            call.output
                        } else {
                            0
                        };
                        weights[message as usize] = Weight {
                            said,
                            ..Weight::default()
                        };
                    }
                }
                _ => {}
            }
        }
    }
    weights
}
