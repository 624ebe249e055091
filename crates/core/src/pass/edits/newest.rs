//! Newest: ways of counting messages, and where each counted unit begins.

use crate::edit::View;
use crate::transcript::{BlockKind, Role};

/// The newest result that is left.
pub fn result(view: &View<'_>) -> Option<u32> {
    let results = |i: usize| view.parts_left(i).filter(|(_, block)| block.kind == BlockKind::Result).map(|(index, _)| index).last();
    (0..view.transcript.messages.len()).rev().filter(|&i| !view.is_gone(i)).find_map(results)
}

/// The messages that are left, except system prompts.
fn remaining<'a>(view: &'a View<'_>) -> impl DoubleEndedIterator<Item = usize> + 'a {
    (0..view.transcript.messages.len()).filter(|&i| !view.is_gone(i) && view.transcript.messages[i].role != Role::System)
}

/// Whether message `i` is nothing but results.
fn is_results(view: &View<'_>, i: usize) -> bool {
    view.transcript.messages[i].role == Role::Tool || view.transcript.is_only_results(i)
}

/// Returns the indices at which messages begin. The pieces of a message that a log split count as one, and so do consecutive results.
pub fn messages(view: &View<'_>) -> Vec<u32> {
    beginnings(view, remaining(view))
}

/// The same with those that earlier steps removed.
pub fn all_messages(view: &View<'_>) -> Vec<u32> {
    let messages = &view.transcript.messages;
    beginnings(view, (0..messages.len()).filter(|&i| messages[i].role != Role::System))
}

fn beginnings(view: &View<'_>, messages: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut after_results = false;
    let mut begins = |i: &usize| {
        let results = is_results(view, *i);
        let continues = view.transcript.messages[*i].continues || results && after_results;
        after_results = results;
        !continues
    };
    messages.filter(|i| begins(i)).map(|i| i as u32).collect()
}

/// Returns the indices at which turns begin. Each user message is a turn, and so is all that the model and its tools write between two.
pub fn turns(view: &View<'_>) -> Vec<u32> {
    let mut after_user = true;
    let mut begins = |i: &usize| {
        let of_user = view.transcript.messages[*i].role == Role::User && !is_results(view, *i);
        std::mem::replace(&mut after_user, of_user) || of_user
    };
    remaining(view).filter(|i| begins(i)).map(|i| i as u32).collect()
}

/// The `number`-th newest message that holds a call, or the first of them, or the newest answer if that comes before; each piece of an
/// answer that a log split is a message of its own.
pub fn calling(view: &View<'_>, number: f64) -> u32 {
    let holds_call = |i: &usize| view.parts_left(*i).any(|(_, block)| block.kind == BlockKind::Call);
    let calls: Vec<usize> = remaining(view).filter(holds_call).collect();
    let answer = remaining(view).rfind(|&i| view.transcript.messages[i].role == Role::Assistant);
    let end = view.transcript.messages.len();
    let from = match calls.len() {
        0 => end,
        _ if number < 1.0 => end,
        count if number >= count as f64 => calls[0],
        count => calls[count - number as usize],
    };
    from.min(answer.unwrap_or(end)) as u32
}
