//! Edits that leave each line of a log as long as it was, where other files name its bytes.

use super::{Change, Edits};
use crate::{
    Result,
    read_at::{ReadAt, Window},
};
use std::collections::BTreeMap;

/// Makes edits of changes that fill each line which becomes shorter with spaces, up to its old
/// length. A line whose record is removed becomes blank.
///
/// # Errors
/// The input cannot be read any more.
pub fn of_changes(texts: &dyn ReadAt, mut changes: Vec<Change>) -> Result<Edits> {
    for change in &mut changes {
        if let Change::DropLine { start, end } = *change {
            *change = Change::put(start..end, vec![b' '; (end - start) as usize]);
        }
    }
    let mut lacks = BTreeMap::<u64, u64>::new();
    let mut window = Window::new(texts);
    for edit in Edits::of_changes(texts, &changes)?.list {
        let mut end = edit.end;
        while window.byte(end)?.is_some_and(|byte| byte != b'\n') {
            end += 1;
        }
        let short = (edit.end - edit.start).saturating_sub(edit.text.len() as u64);
        if short > 0 {
            *lacks.entry(end).or_default() += short;
        }
    }
    let fill = |(&end, &short): (&u64, &u64)| Change::put(end..end, vec![b' '; short as usize]);
    changes.extend(lacks.iter().map(fill));
    Ok(Edits {
        fills: lacks.len(),
        ..Edits::of_changes(texts, &changes)?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_length() {
        let text = b"{\"a\":\"long text\"}\n{\"b\":\"other\",\"c\":\"words\"}\n{\"d\":1}\n{\"e\":\"last\"}";
        let at = |word: &str| {
            let from = memchr::memmem::find(text, word.as_bytes()).unwrap() as u64;
            from..from + word.len() as u64
        };
        let record = at(r#"{"d":1}"#);
        let changes = [
            Change::put(at("long text"), b"x"),
            Change::put(at("other"), b"y"),
            Change::put(at("words"), b"z"),
            Change::DropLine {
                start: record.start,
                end: record.end,
            },
            Change::put(at("last\"}"), b"\"}"),
        ];
        let kept = of_changes(&&text[..], changes.to_vec()).unwrap();
        let out = kept.render(&&text[..], 0, text.len() as u64).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "{\"a\":\"x\"}        \n{\"b\":\"y\",\"c\":\"z\"}        \n       \n{\"e\":\"\"}    "
        );
        assert_eq!(kept.fills, 3);
    }
}
