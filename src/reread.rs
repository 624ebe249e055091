//! What would come out, read again: the second look on which nothing wrong leaves the program.

use crate::Error;
use crate::estimate;
use crate::format::blocks;
use crate::format::sheet::Sheet;
use crate::json::{Cursor, text};
use crate::plan::{Action, View};
use crate::splice::Edits;
use crate::transcript::{BlockKind, Role, Transcript};
use std::collections::HashMap;

/// Compares a body that was read again with what the plan said: every message is there and has its size.
///
/// # Errors
/// They differ.
pub fn compare(view: &View<'_>, after: &Transcript) -> Result<(), Error> {
    if view.cuts().any(|cut| cut.action == Action::Drop) {
        return Ok(());
    }
    let before = view.transcript;
    if after.messages.len() != before.messages.len() {
        return Err(Error::Mismatch {
            message: 0,
            what: format!("{} messages instead of {}", after.messages.len(), before.messages.len()),
        });
    }
    let mut cuts = view.cuts().peekable();
    for (i, message) in before.messages.iter().enumerate() {
        let mut planned = estimate::message(before, i, view.estimator);
        while let Some(cut) = cuts.next_if(|cut| cut.message == i as u32) {
            planned = (planned + cut.chars_after).saturating_sub(view.chars_of_result_before(cut.block));
        }
        let found = estimate::message(after, i, view.estimator);
        if found != planned {
            return Err(Error::Mismatch { message: message.number, what: format!("{found} chars instead of {planned}") });
        }
    }
    Ok(())
}

/// Whether all that the cuts do is to put another content into results: no pair, no message, no block comes or goes.
pub fn is_of_contents(view: &View<'_>) -> bool {
    view.cuts().all(|cut| matches!(cut.action, Action::Trim(_) | Action::Clear(_)))
}

/// Reads the content of every result that a cut changes, as it would come out; returns, by the index of its text, whether
/// that is blank. There is no edit beside them.
///
/// # Errors
/// It is not what the plan said, or the input cannot be read any more.
pub fn reread(view: &View<'_>, edits: &Edits) -> Result<HashMap<u32, bool>, Error> {
    let mut blank = HashMap::new();
    let mut sheet = Sheet::new(view.estimator);
    let (mut bytes, mut seen) = (Vec::new(), 0);
    for cut in view.cuts() {
        let message = &view.transcript.messages[cut.message as usize];
        let content = view.transcript.link(&view.transcript.blocks[cut.block as usize]).content;
        let region = match view.children(cut.block) {
            [one] if one.kind == BlockKind::Text => one.span,
            _ => content,
        };
        let (start, end) = (message.record + u64::from(region.start), message.record + u64::from(region.end));
        edits.render_into(view.texts, start, end, &mut bytes)?;
        seen += edits.count(start, end);
        let mismatch = |what: String| Error::Mismatch { message: message.number, what };
        let mark = sheet.mark();
        let mut cursor = Cursor::new(&bytes);
        let read = if bytes.starts_with(b"\"") { blocks::SHAPE.read } else { view.transcript.shape.read };
        read(&mut cursor, &mut sheet).map_err(|error| mismatch(error.to_string()))?;
        if !cursor.at_end() {
            return Err(mismatch("bytes after the content".to_owned()));
        }
        let found = &sheet.blocks[sheet.blocks.len().min(mark.blocks())..];
        let chars: u64 = found.iter().map(|b| estimate::block(b, Role::Tool, view.estimator)).sum();
        if chars != cut.chars_after {
            return Err(mismatch(format!("{chars} chars instead of {}", cut.chars_after)));
        }
        if !view.children(cut.block).is_empty() {
            let raw = bytes.strip_prefix(b"\"").and_then(|b| b.strip_suffix(b"\"")).unwrap_or(&bytes);
            blank.insert(cut.block + 1, text::is_blank(raw));
        }
        sheet.rollback(mark);
    }
    if seen != edits.len() {
        return Err(Error::Mismatch { message: 0, what: format!("{} edits instead of {seen}", edits.len()) });
    }
    Ok(blank)
}
