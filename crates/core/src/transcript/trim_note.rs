//! The note that a trim leaves at the end of a result: written and recognized here.

/// The note behind a text of `whole` chars (UTF-16 units) of which the first `head` and the last `tail` were kept.
pub fn trim_note(head: u64, tail: u64, whole: u64) -> String {
    format!("\n\n[Tool result trimmed: kept first {head} chars and last {tail} chars of {whole} chars.]")
}

/// The beginning of the note, as escaped in JSON.
const NOTE: &[u8] = b"\\n\\n[Tool result trimmed: kept first ";

/// Whether a raw string ends with the note that a trim leaves.
pub fn ends_with_note(raw: &[u8]) -> bool {
    if !raw.ends_with(b" chars.]") {
        return false;
    }
    let near = &raw[raw.len().saturating_sub(200)..];
    let Some(at) = near.windows(NOTE.len()).rposition(|part| part == NOTE) else { return false };
    let mut words = near[at + NOTE.len()..near.len() - 8].split(|&b| b == b' ');
    let number = |word: Option<&[u8]>| word.is_some_and(|w| !w.is_empty() && w.iter().all(u8::is_ascii_digit));
    let is = |word: Option<&[u8]>, want: &[u8]| word == Some(want);
    number(words.next())
        && [&b"chars"[..], b"and", b"last"].iter().all(|w| is(words.next(), w))
        && number(words.next())
        && [&b"chars"[..], b"of"].iter().all(|w| is(words.next(), w))
        && number(words.next())
        && words.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_note_is_known_again() {
        let written = serde_json::to_string(&trim_note(3, 30, 4001)).unwrap();
        assert!(ends_with_note(written.trim_matches('"').as_bytes()));
        assert!(ends_with_note(b"x\\n...\\ny\\n\\n[Tool result trimmed: kept first 3 chars and last 30 chars of 4001 chars.]"));
        assert!(!ends_with_note(b"x\\n\\n[Tool result trimmed: kept first 3 chars and last thirty chars of 4001 chars.]"));
        assert!(!ends_with_note(b"a sentence of 12 chars.]"));
        assert!(!ends_with_note(b" chars.]"));
    }
}
