//! E14: cache marks. A request has at most four, and none for an hour after one for five minutes. A mark that the provider sets
//! automatically after the last block counts as the last one.

use super::{Finder, Place};

/// Counts the marks of a body in the order in which the provider reads them: tools, system, messages.
pub(super) fn check(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let Some(most) = finder
        .rules
        .marks
        .filter(|_| !transcript.messages.is_empty())
    else {
        return;
    };
    let marks = transcript.cache_marks();
    // A mark outside the messages is reported at the first message.
    let place = |block: Option<u32>| block.map_or(Place::Message(0), Place::Block);
    if let Some((_, block)) = marks.get(most) {
        let count = marks.len();
        let detail = format!("there are {count} cache marks, at most {most} are allowed");
        finder.report("E14", place(*block), detail).about(1);
    }
    let mut behind = marks.iter().skip_while(|(long, _)| *long);
    if let Some((_, block)) = behind.find(|(long, _)| *long) {
        let detail = "a cache mark for an hour is behind one for five minutes";
        finder
            .report("E14 order of marks", place(*block), detail)
            .about(2);
    }
}
