//! The size of a line of a log as compact JSON in ASCII, which some programs compare with that of the line as it is.

use super::choose::ClearOutcome;
use crate::Error;
use crate::edit::{Cut, Question, View};
use crate::json::locate::value_at;
use crate::read_at::Window;
use crate::shorten::compact_ascii;
use std::collections::HashMap;

/// Bytes that a text takes in such a line, without its quotes.
pub fn ascii(text: &str) -> usize {
    let of = |c: char| match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        ' '..='~' => 1,
        _ => 6 * c.len_utf16(),
    };
    text.chars().map(of).sum()
}

/// Leaves out what would not make its line shorter: of all that is cut in a line, all or nothing.
///
/// # Errors
/// The input cannot be read any more.
pub fn only_shorter(view: &View<'_>, cuts: &[Cut], done: &mut Vec<ClearOutcome>) -> Result<(), Error> {
    let mut changes: HashMap<u64, i64> = HashMap::new();
    let record = |one: &ClearOutcome| cuts[one.cuts.clone()].first().map(|cut| view.transcript.messages[cut.message as usize].record);
    for one in done.iter() {
        if let Some(record) = record(one) {
            *changes.entry(record).or_default() += one.line;
        }
    }
    let mut shrinks: HashMap<u64, bool> = HashMap::new();
    let mut window = Window::new(view.texts);
    for (start, change) in changes {
        let (compact, length) = view.once(Question::of("line", start), || {
            let found = value_at(&mut window, start)?;
            let raw = view.texts.read(start, found.end)?;
            let compact = std::str::from_utf8(&raw).ok().and_then(compact_ascii);
            Ok((compact.map_or(i64::MAX, |compact| compact.len() as i64), raw.len() as i64))
        })?;
        shrinks.insert(start, compact.saturating_add(change) < length);
    }
    done.retain(|one| record(one).is_none_or(|record| shrinks[&record]));
    Ok(())
}
