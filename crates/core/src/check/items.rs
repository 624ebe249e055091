//! E25, E26 and E37: ids of the items of OpenAI's Responses.
//!
//! The first letters of an id name the type of the item, and no two items have the same id. Where the server keeps nothing (`store:
//! false`), it cannot find an item that is only referenced, or reasoning without its encrypted content. A defect names the number
//! of the item, as the provider's errors do; other defects name the number of the message, which may consist of several items.

use super::Finder;
use crate::transcript::{ItemFault, NoteKind};

/// Reports E25, E26 and E37.
pub(super) fn check(finder: &mut Finder<'_>) {
    let checked = finder.rules.item_ids;
    for note in finder.facts.iter().filter(|_| checked) {
        let NoteKind::Item { fault, number } = note.kind else {
            continue;
        };
        let (code, detail) = match fault {
            ItemFault::Kind => ("E25", "the id of the item is not of the item's kind"),
            ItemFault::Twice => ("E26", "the id of the item was used before"),
            ItemFault::Unkept if finder.transcript.request.forgets => {
                ("E37", "the item is named, and not kept")
            }
            ItemFault::Unkept => continue,
        };
        let row = &mut finder.report(code, note.block, detail).row;
        (row.message, row.part) = (number, None);
    }
}
