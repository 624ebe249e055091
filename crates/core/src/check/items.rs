//! E25, E26 and E37: ids of the items of OpenAI's Responses; and E23 for items.
//!
//! The first letters of an id name the type of the item, and no two items have the same id. Where the server keeps nothing (`store:
//! false`), it cannot find an item that is only referenced, or reasoning without its encrypted content. A defect names the number
//! of the item, as the provider's errors do; other defects name the number of the message, which may consist of several items.

use super::Finder;
use super::thinking::turn;
use crate::transcript::{ItemFault, NoteKind, ReasoningContentRule, Thinking};

/// Reports E25, E26 and E37.
pub(super) fn check(finder: &mut Finder<'_>) {
    let (transcript, rules) = (finder.transcript, finder.rules);
    let thinks = rules.reasoned == ReasoningContentRule::Always
        && transcript.request.thinking != Thinking::Disabled;
    let open = turn(transcript);
    for note in finder.facts {
        let NoteKind::Item { fault, number } = note.kind else {
            continue;
        };
        let (code, detail) = match fault {
            ItemFault::Unreasoned if thinks && transcript.message_of(note.block) >= open => {
                ("E23", "the call is not directly behind its reasoning")
            }
            ItemFault::Unreasoned => continue,
            _ if !rules.item_ids => continue,
            ItemFault::Kind => ("E25", "the id of the item is not of the item's kind"),
            ItemFault::Twice => ("E26", "the id of the item was used before"),
            ItemFault::Unkept if transcript.request.forgets => {
                ("E37", "the item is named, and not kept")
            }
            ItemFault::Unkept => continue,
        };
        let row = &mut finder.report(code, note.block, detail).row;
        (row.message, row.part) = (number, None);
    }
}
