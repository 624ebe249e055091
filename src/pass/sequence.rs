//! Which message may begin a conversation and which may follow which, for passes that take messages away.
//!
//! Only what a drop can break is asked here; `check` has the whole of each provider's rules.

use crate::plan::View;
use crate::transcript::{BlockKind, Role, Rules};

/// Whether a conversation may begin with message `i`.
pub fn may_begin(view: &View<'_>, rules: Rules, i: usize) -> bool {
    let message = &view.transcript.messages[i];
    let own = message.role == Role::User && !view.parts(i).any(|(_, b)| b.kind == BlockKind::Result);
    match rules {
        Rules::OpenAiChat | Rules::Responses => message.role != Role::Tool,
        // An agent mends the rest itself, but a result without its call is lost.
        Rules::History => own || message.role == Role::Other || message.role == Role::Assistant,
        _ => own,
    }
}

/// Whether message `b` may stand directly behind message `a`.
pub fn may_follow(view: &View<'_>, rules: Rules, a: usize, b: usize) -> bool {
    let messages = &view.transcript.messages;
    let (before, after) = (messages[a].role, messages[b].role);
    match rules {
        Rules::Converse => before != after,
        Rules::Mistral => !matches!((before, after), (Role::Tool, Role::User) | (Role::User, Role::Tool)),
        // A call comes immediately after a user's turn or a response.
        Rules::Gemini => {
            after != Role::Assistant || before != Role::Assistant || !view.parts(b).any(|(_, block)| block.kind == BlockKind::Call)
        }
        _ => true,
    }
}
