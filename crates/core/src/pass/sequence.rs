//! The messages that may begin a conversation, and those that may follow each other, for passes that remove messages.
//!
//! Only what a removal can break is tested here; `check` has the complete rules of each provider.

use crate::edit::View;
use crate::transcript::{BlockKind, Role, StartAfterCut, SystemPlacement};

/// Whether a conversation may begin with message `i`.
pub fn may_begin(view: &View<'_>, i: usize) -> bool {
    let message = &view.transcript.messages[i];
    let own = message.role == Role::User && !view.holds(i, BlockKind::Result);
    match view.rules.start {
        StartAfterCut::User => own,
        StartAfterCut::UserOrAgent => own || message.role == Role::Other,
        StartAfterCut::NotResult => message.role != Role::Tool,
    }
}

/// Whether message `b` may be directly behind message `a`, where something else was between them.
pub fn may_follow(view: &View<'_>, a: usize, b: usize) -> bool {
    let messages = &view.transcript.messages;
    let (before, after) = (messages[a].role, messages[b].role);
    // A result behind the step of others would count as one of theirs.
    if !view.rules.pairs_by_id
        && view.holds(b, BlockKind::Result)
        && (view.holds(a, BlockKind::Call) || view.holds(a, BlockKind::Result))
        && !of_one_step(view, a, b)
    {
        return false;
    }
    if view.rules.alternates {
        return before != after || after == Role::Tool;
    }
    !view.rules.calls_follow_input
        || after != Role::Assistant
        || before != Role::Assistant
        || !view.holds(b, BlockKind::Call)
}

/// Messages that must stay, as a system message is between them where the provider wants it: those beside it, which
/// stays itself.
pub fn around_system(view: &View<'_>) -> Vec<usize> {
    let placement = view.rules.system;
    if matches!(
        placement,
        SystemPlacement::Anywhere | SystemPlacement::First | SystemPlacement::FirstMessage
    ) {
        return Vec::new();
    }
    let is_system = |i: usize| view.transcript.messages[i].role == Role::System;
    let (mut found, mut before, mut is_behind) = (Vec::new(), None, false);
    for i in view.left() {
        if is_system(i) {
            // What opens a conversation comes before all of it.
            found.extend(before);
            is_behind = before.is_some() && placement == SystemPlacement::BeforeAnswer;
            continue;
        }
        found.extend(Some(i).filter(|_| std::mem::take(&mut is_behind)));
        before = Some(i);
    }
    found.dedup();
    found
}

/// Whether `a` holds a call that `b` answers, or another answer to the calls of the same message.
fn of_one_step(view: &View<'_>, a: usize, b: usize) -> bool {
    let calls = |i: usize| {
        view.parts_left(i)
            .flat_map(|(index, _)| view.paired_with(index))
            .map(|&block| view.message_of(block))
    };
    calls(b).any(|call| call == a || calls(a).any(|other| other == call))
}
