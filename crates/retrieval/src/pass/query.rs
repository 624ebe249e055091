//! Finds the question by which a list is ranked.
//!
//! The text of the list's own message comes first, so that the treatment of a list does not change
//! as the conversation continues, and a cached prefix stays valid. The result of a search is ranked
//! by the search query, and by the question of the user's message before it. A system prompt at the
//! beginning applies to all that follows, and is ranked by the latest question. Without any of
//! these, the latest message of a user that asks something counts.

use super::places::{At, MessageText};
use crate::chunks;
use deadhead_core::internal::{edit::View, transcript::Role};

/// The messages of `own` that ask something, with what they ask.
pub fn questions(own: Vec<MessageText>) -> Vec<MessageText> {
    own.into_iter()
        .filter_map(|own| chunks::question(&own.text).map(|text| MessageText { text, ..own }))
        .collect()
}

/// Messages of the same turn that are looked through: some clients send the context and the
/// question as two of them.
const NEAR: usize = 8;

/// The question for a list at `at`, if anybody asks one. `asked` are those that do, in order.
pub fn question<'a>(view: &View<'_>, asked: &'a [MessageText], at: At) -> Option<&'a str> {
    let messages = &view.transcript.messages;
    let is_users = |i: usize| messages[i].role == Role::User && !view.transcript.is_only_results(i);
    let text = |own: &'a MessageText| own.text.as_str();
    let Some(message) = at.message else {
        let own = asked.iter().find(|own| own.message.is_none());
        return own.or(asked.last()).map(text);
    };
    let next = asked.partition_point(|own| own.message.is_none_or(|asking| asking < message));
    let (before, after) = (
        asked[..next].last().filter(|own| own.message.is_some()),
        asked.get(next),
    );
    let same_turn = |own: &&MessageText| {
        own.message.is_some_and(|asking| {
            let (from, to) = (asking.min(message), asking.max(message));
            to - from <= NEAR
                && (from..=to).all(|i| is_users(i) || messages[i].role == Role::System)
        })
    };
    let found = match messages[message].role {
        Role::System => {
            let own = after.filter(|own| own.message == Some(message));
            // Before the first word of a user it is for all that follows; else for what is asked
            // next.
            own.or_else(|| {
                (0..message)
                    .any(is_users)
                    .then(|| after.or(before))
                    .flatten()
            })
        }
        Role::User if is_users(message) => after.filter(same_turn).or(before.filter(same_turn)),
        _ => before,
    };
    found.or(asked.last()).map(text)
}
