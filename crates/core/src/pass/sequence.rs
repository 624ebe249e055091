//! The messages that may begin a conversation, and those that may follow each other, for passes that remove messages.
//!
//! Only what a removal can break is tested here; `check` has the complete rules of each provider.

use super::dependencies::Dependencies;
use crate::edit::View;
use crate::transcript::{BlockKind, Role, StartAfterCut, SystemPlacement};

/// Whether a conversation may begin with message `i`.
pub fn may_begin(view: &View<'_>, i: usize) -> bool {
    let message = &view.transcript.messages[i];
    let own =
        message.role == Role::User && !view.parts_left(i).any(|(_, b)| b.kind == BlockKind::Result);
    match view.rules.start {
        StartAfterCut::User => own,
        StartAfterCut::UserOrAgent => own || message.role == Role::Other,
        StartAfterCut::NotResult => message.role != Role::Tool,
    }
}

/// Whether message `b` may be directly behind message `a`, where something else was between them.
pub fn may_follow(view: &View<'_>, dependencies: &Dependencies<'_>, a: usize, b: usize) -> bool {
    let messages = &view.transcript.messages;
    let (before, after) = (messages[a].role, messages[b].role);
    // A result behind the step of others would count as one of theirs.
    if !view.rules.pairs_by_id
        && holds(view, b, BlockKind::Result)
        && (holds(view, a, BlockKind::Call) || holds(view, a, BlockKind::Result))
        && !of_one_step(view, dependencies, a, b)
    {
        return false;
    }
    if view.rules.alternates {
        return before != after || after == Role::Tool;
    }
    !view.rules.calls_follow_input
        || after != Role::Assistant
        || before != Role::Assistant
        || !holds(view, b, BlockKind::Call)
}

/// Messages that must stay, as a system message is between them where the provider wants it: those beside it, which
/// stays itself.
pub fn around_system(view: &View<'_>) -> Vec<usize> {
    let messages = &view.transcript.messages;
    if matches!(
        view.rules.system,
        SystemPlacement::Anywhere | SystemPlacement::First
    ) {
        return Vec::new();
    }
    let spoken = |i: &usize| messages[*i].role != Role::System && !view.is_gone(*i);
    let mut found = Vec::new();
    for i in (0..messages.len()).filter(|&i| messages[i].role == Role::System && !view.is_gone(i)) {
        // What opens a conversation comes before all of it.
        let Some(before) = (0..i).rev().find(spoken) else {
            continue;
        };
        found.push(before);
        if view.rules.system == SystemPlacement::BeforeAnswer {
            found.extend((i + 1..messages.len()).find(spoken));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether `a` holds a call that `b` answers, or another answer to the calls of the same message.
fn of_one_step(view: &View<'_>, dependencies: &Dependencies<'_>, a: usize, b: usize) -> bool {
    let calls = |i: usize| {
        view.parts_left(i)
            .flat_map(|(index, _)| dependencies.paired_with(index))
            .map(|&block| dependencies.message_of(block))
    };
    calls(b).any(|call| call == a || calls(a).any(|other| other == call))
}

fn holds(view: &View<'_>, i: usize, kind: BlockKind) -> bool {
    view.parts_left(i).any(|(_, block)| block.kind == kind)
}
