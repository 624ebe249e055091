//! The place of a defect as reports show it: the path in a body, as its provider writes it, or the
//! line of a log; and the call that it concerns.

use super::*;
use crate::{
    json::{locate::Paths, text},
    transcript::Link,
};

/// Returns the rows of defects of a transcript that was read from `bytes`, with their places and
/// calls.
pub fn located(transcript: &Transcript, bytes: &[u8], defects: &[Defect]) -> Vec<DefectRow> {
    let mut paths = Paths::new(bytes);
    let is_log = transcript.records > 1 || transcript.rules().is_history;
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let row = |defect: &Defect| {
        let mut row = defect.row.clone();
        let count = counts.entry(row.code).or_default();
        *count += 1;
        if *count > DETAILED {
            return row;
        }
        let Some(message) = transcript.messages.get(defect.message) else {
            return row;
        };
        let of = |span| {
            let place = message.range(span);
            place.start as usize..place.end as usize
        };
        let span = |block: u32| transcript.block(block).span;
        if is_log {
            row.line = Some(message.line);
        } else if row.message > 0 {
            let place = of(defect.block.map_or(message.span, span));
            let path = paths.path(
                message.record as usize,
                &place,
                transcript.provider.bracketed,
            );
            row.path = Some(path).filter(|path| !path.is_empty());
        }
        row.call_id = call(transcript, defect).map(|link| text::lossy(&bytes[of(link.id)]));
        row
    };
    defects.iter().map(row).collect()
}

/// Returns the link of the block that a defect concerns, or of the only call or result in its
/// message; `None` if that has no id.
fn call(transcript: &Transcript, defect: &Defect) -> Option<Link> {
    let only = |i| {
        let mut linked = transcript.parts(i).filter(|(_, block)| block.is_linked());
        linked.next().filter(|_| linked.next().is_none())
    };
    let block = match defect.block {
        Some(block) => transcript.block(block),
        None => only(defect.message)?.1,
    };
    let link = Some(block).filter(|block| block.is_linked());
    link.map(|block| transcript.link(block))
        .filter(|link| !link.id.is_empty())
}
