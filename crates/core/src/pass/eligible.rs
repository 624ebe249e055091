//! The minimum size of a conversation for turn-drop and rag-rerank, the passes under the
//! composition cap.

use super::*;
use crate::{json::locate::value_at, read_at::Window};

/// Returns why the conversation of `view` is too small, if it is, with both numbers.
///
/// # Errors
/// The input cannot be read any more.
pub fn too_small(view: &View<'_>, size: Eligibility) -> Result<Option<String>> {
    let messages = messages(view);
    if messages > size.min_messages {
        return Ok(None);
    }
    let chars = body_chars(view)?;
    let small = chars <= size.min_body_chars;
    Ok(small.then(|| {
        format!(
            "{messages} messages and {chars} chars of JSON are not more than {} and {}",
            size.min_messages, size.min_body_chars
        )
    }))
}

/// Entries of the history: each item counts, also where several make one message.
fn messages(view: &View<'_>) -> u64 {
    let transcript = view.transcript;
    let entries = |i: usize| match transcript.messages[i].role {
        Role::Assistant if transcript.reasoning_binds => view.parts(i).count().max(1) as u64,
        _ => 1,
    };
    (0..transcript.messages.len()).map(entries).sum()
}

/// Unicode scalar values of the JSON text: of the whole body, of a history of the records in its
/// context.
fn body_chars(view: &View<'_>) -> Result<u64> {
    if view.transcript.layout == Layout::Body {
        return scalars(view, 0, view.texts.size());
    }
    let mut records: Vec<u64> = view.transcript.messages.iter().map(|m| m.record).collect();
    records.sort_unstable();
    records.dedup();
    let mut window = Window::new(view.texts);
    let mut sum = 0;
    for start in records {
        sum += scalars(view, start, value_at(&mut window, start)?.end)?;
    }
    Ok(sum)
}

fn scalars(view: &View<'_>, mut start: u64, end: u64) -> Result<u64> {
    let mut sum = 0;
    while start < end {
        let to = end.min(start + (1 << 20));
        let bytes = view.texts.read(start, to)?;
        sum += bytes.iter().filter(|byte| (**byte & 0xc0) != 0x80).count() as u64;
        start = to;
    }
    Ok(sum)
}
