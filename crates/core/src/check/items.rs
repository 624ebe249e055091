//! E25, E26 and E37: ids of the items of OpenAI's Responses.
//!
//! An id says by its first letters what the item is, and no two items have the same. Where nothing is kept (`store: false`), an
//! item that is only named, or reasoning without what was encrypted of it, cannot be found. These are recognized by the number of the
//! item, as the provider says them, where others have the number of the message that several items make.

use super::Finder;
use crate::transcript::{Fact, ItemFault};

/// Adds what there is of E25, E26 and E37.
pub(super) fn check(finder: &mut Finder<'_>) {
    if !finder.rules.item_ids {
        return;
    }
    for note in finder.facts.clone() {
        let Fact::Item { fault, number } = note.fact else { continue };
        let (code, detail) = match fault {
            ItemFault::Kind => ("E25", "the id of the item is not of the item's kind"),
            ItemFault::Twice => ("E26", "the id of the item was used before"),
            ItemFault::Unkept if finder.transcript.request.forgets => ("E37", "the item is named, and not kept"),
            ItemFault::Unkept => continue,
        };
        finder.report(code, finder.message_of(note.block), Some(note.block), 0, detail);
        finder.at_item(number);
    }
}
