//! Cache marks: E14, more than four of them, or one for an hour behind one for five minutes. One that the provider is asked to
//! put behind the last block counts, and comes last.

use super::{Finder, words};
use crate::transcript::{Fact, Rules};

/// How many marks a request may carry.
const MOST: usize = 4;

/// Counts the marks of a body in the order in which the provider reads them: tools, system, messages.
pub(super) fn check(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    if !matches!(transcript.rules, Rules::Anthropic | Rules::Converse | Rules::Generic) || transcript.messages.is_empty() {
        return;
    }
    let outside = transcript.request.tool_marks.iter().chain(&transcript.request.system_marks).map(|long| (*long, None));
    let mut inside: Vec<(bool, Option<u32>)> = transcript
        .notes
        .iter()
        .filter_map(|note| match note.fact {
            Fact::Mark { long } => Some((long, Some(note.block))),
            _ => None,
        })
        .collect();
    inside.sort_by_key(|(_, block)| *block);
    let marks: Vec<(bool, Option<u32>)> = outside.chain(inside).chain(transcript.request.automatic_mark.map(|long| (long, None))).collect();
    let message =
        |block: Option<u32>| block.map_or(0, |block| transcript.messages.partition_point(|m| m.blocks <= block).saturating_sub(1));
    if let Some((_, block)) = marks.get(MOST) {
        finder.tell("E14", message(*block), *block, 1, format!("there are {} cache marks, at most {MOST} are allowed", marks.len()));
    }
    let short = marks.iter().position(|(long, _)| !long);
    if let Some((_, block)) = short.and_then(|short| marks[short..].iter().find(|(long, _)| *long)) {
        finder.tell("E14", message(*block), *block, 2, "a cache mark for an hour stands behind one for five minutes");
        if transcript.rules == Rules::Anthropic {
            finder.answered(words::TTL_ORDER);
        }
    }
}
