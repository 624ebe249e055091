//! The kinds of blocks that a transcript contains. Most rules concern kinds that most bodies do not have, and are skipped there.

use crate::transcript::{BlockKind, Flags, Role, Transcript};

/// Whether there is a block of a kind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PresentKinds {
    /// A call or thinking in a message of the user, or a result in one of the assistant.
    pub misplaced: bool,
    /// Something else than a call behind a call in one turn of the assistant.
    pub behind_calls: bool,
    /// A call or a result without an id.
    pub nameless: bool,
    /// A result that is an error, or has no content.
    pub odd_results: bool,
    /// Thinking.
    pub thinking: bool,
}

impl PresentKinds {
    /// Returns the kinds that are present in a transcript.
    pub fn of(transcript: &Transcript) -> PresentKinds {
        let (mut found, mut called) = (PresentKinds::default(), false);
        for (i, message) in transcript.messages.iter().enumerate() {
            let (user, assistant) = (message.role == Role::User, message.role == Role::Assistant);
            called &= assistant;
            for block in transcript.blocks_of(i) {
                found.behind_calls |= called && block.kind != BlockKind::Call;
                match block.kind {
                    BlockKind::Call => {
                        (called, found.misplaced) = (called || assistant, found.misplaced || user);
                        found.nameless |= transcript.link(block).call.is_none();
                    }
                    BlockKind::Result => {
                        found.misplaced |= assistant;
                        found.odd_results |= block.flags.has(Flags::ERROR) || block.flags.has(Flags::ABSENT);
                        found.nameless |= transcript.link(block).call.is_none();
                    }
                    BlockKind::Thinking => {
                        (found.thinking, found.misplaced) = (true, found.misplaced || user);
                    }
                    _ => {}
                }
            }
        }
        found
    }
}
