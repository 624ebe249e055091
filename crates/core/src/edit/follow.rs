//! Replaces the copies of a cut result elsewhere in the file.

use super::{
    result_copies::{ReplacedSpan, copies_of_cuts, replaced_spans},
    *,
};
use crate::transcript::{ResultCopy, ResultCopyKind};

/// Adds what replaces the copies of all cut results; returns how many that are.
pub fn follow(view: &View<'_>, contents: &mut Vec<Put>) -> Result<CopyTotal> {
    let (found, left) = copies_of_cuts(view);
    let mut total = CopyTotal {
        left,
        ..CopyTotal::default()
    };
    for (cut, copy) in found {
        let from = contents.len();
        follow_copy(view, cut, copy, contents)?;
        total.cuts += u64::from(contents.len() > from);
        for (range, text) in &contents[from..] {
            total.bytes_removed += (range.end - range.start).cast_signed() - text.len() as i64;
        }
    }
    Ok(total)
}

fn follow_copy(
    view: &View<'_>,
    cut: &Cut,
    copy: ResultCopy,
    contents: &mut Vec<Put>,
) -> Result<()> {
    let Range { start: at, end } = copy.span.within(copy.record);
    if let ResultCopyKind::Sent { string } = copy.kind {
        let template = view.transcript.template;
        let block = view.transcript.block(cut.block);
        let (open, close) = match string {
            true => ("\"", "\""),
            false => (template.open_for(block), template.close),
        };
        return repeat(view, cut, at..end, open, close, contents);
    }
    let json = view.texts.read(at, end)?;
    let same = match view.children(cut.block) {
        [one] if one.kind == BlockKind::Text => {
            Some(view.bytes(cut.message as usize, one.span.inside())?)
        }
        _ => None,
    };
    for part in replaced_spans(&json, text_length(&cut.action), same.as_deref()) {
        let within = |from: usize, to: usize| at + from as u64..at + to as u64;
        match part {
            ReplacedSpan::Text(from, to) => {
                repeat(view, cut, within(from, to), "\"", "\"", contents)?;
            }
            ReplacedSpan::List(from, to) => contents.push((within(from, to), b"[]".to_vec())),
        }
    }
    Ok(())
}

/// Replaces a value elsewhere in the file by the new text of `cut`.
fn repeat(
    view: &View<'_>,
    cut: &Cut,
    value: Range<u64>,
    open: &str,
    close: &str,
    contents: &mut Vec<Put>,
) -> Result<()> {
    let record = view.transcript.messages[cut.message as usize].record;
    // The last byte is replaced at the end, so that all edits lie within the value.
    let last = value.end - 1;
    contents.push((value.start..last, open.into()));
    match &cut.action {
        Action::Trim(segments) => {
            for segment in segments {
                let text = segment.bytes(view, record)?.into_owned();
                contents.push((last..last, text));
            }
        }
        Action::Clear(placeholder) => {
            contents.push((last..last, text::encoded(placeholder).into()))
        }
        _ => {}
    }
    contents.push((last..value.end, close.into()));
    Ok(())
}

/// Returns the length in bytes of the escaped new text of a cut.
fn text_length(action: &Action) -> usize {
    match action {
        Action::Trim(segments) => segments
            .iter()
            .map(|segment| match segment {
                Segment::Literal(text) => text.len(),
                Segment::Source(kept) => kept.len(),
            })
            .sum(),
        Action::Clear(placeholder) => placeholder.len(),
        _ => 0,
    }
}
