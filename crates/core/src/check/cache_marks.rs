//! E14: cache marks. A request has at most four, and none for an hour after one for five minutes. A mark that the provider sets
//! automatically after the last block counts as the last one.

use super::Finder;
use crate::transcript::NoteKind;

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
    let outside = transcript
        .request
        .tool_marks
        .iter()
        .chain(&transcript.request.system_marks)
        .map(|long| (*long, None));
    let inside: Vec<(bool, Option<u32>)> = finder
        .facts
        .iter()
        .filter_map(|note| match note.kind {
            NoteKind::Mark { long } => Some((long, Some(note.block))),
            _ => None,
        })
        .collect();
    let marks: Vec<(bool, Option<u32>)> = outside
        .chain(inside)
        .chain(transcript.request.automatic_mark.map(|long| (long, None)))
        .collect();
    let message = |block: Option<u32>| {
        block.map_or(0, |block| {
            transcript
                .messages
                .partition_point(|m| m.blocks <= block)
                .saturating_sub(1)
        })
    };
    if let Some((_, block)) = marks.get(most) {
        finder.report(
            "E14",
            message(*block),
            *block,
            1,
            format!(
                "there are {} cache marks, at most {most} are allowed",
                marks.len()
            ),
        );
    }
    let short = marks.iter().position(|(long, _)| !long);
    if let Some((_, block)) = short.and_then(|short| marks[short..].iter().find(|(long, _)| *long))
    {
        finder.report(
            "E14",
            message(*block),
            *block,
            2,
            "a cache mark for an hour is behind one for five minutes",
        );
        finder.answered("order of marks");
    }
}
