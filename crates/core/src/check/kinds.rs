//! The kinds of blocks that a transcript contains, so that rules about rare kinds are skipped in most bodies.

use crate::transcript::{BlockKind, Flags, Role, Transcript};

/// For each kind, whether such a block is present.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PresentKinds {
    /// A call or thinking in a user message, or a result in an assistant message.
    pub misplaced: bool,
    /// Content after a call in one turn of the assistant.
    pub behind_calls: bool,
    /// A call or a result without an id.
    pub nameless: bool,
    /// A result that is an error or has no content.
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
                        found.odd_results |=
                            block.flags.has(Flags::ERROR) || block.flags.has(Flags::ABSENT);
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
