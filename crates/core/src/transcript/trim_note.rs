//! The note that a trim leaves at the end of a result: written and recognized here.

/// Returns the note after a text of `whole` chars (UTF-16 units) of which the first `head` and the
/// last `tail` were kept.
pub fn trim_note(head: u64, tail: u64, whole: u64) -> String {
    format!(
        "\n\n[Tool result trimmed: kept first {head} chars and last {tail} chars of {whole} chars.]"
    )
}

/// The beginning of the note, as escaped in JSON.
const NOTE: &[u8] = b"\\n\\n[Tool result trimmed: kept first ";

/// Returns whether a raw string ends with the note of a trim, and reminders that the trim left;
/// read from its end.
pub fn ends_with_note(raw: &[u8]) -> bool {
    let raw = match raw.ends_with(b"</system-reminder>") {
        true => memchr::memmem::rfind(raw, b" chars.]\\n\\n<system-reminder>")
            .map_or(raw, |at| &raw[..at + 8]),
        false => raw,
    };
    fn before<'a>(raw: &'a [u8], words: &[u8]) -> Option<&'a [u8]> {
        let rest = raw.strip_suffix(words)?;
        let digits = rest
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        (digits > 0).then(|| &rest[..rest.len() - digits])
    }
    let whole = before(raw, b" chars.]");
    let head = whole
        .and_then(|rest| before(rest, b" chars of "))
        .and_then(|rest| before(rest, b" chars and last "));
    head.is_some_and(|rest| rest.ends_with(NOTE))
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
        assert!(!ends_with_note(
            b"x\\n\\n[Tool result trimmed: kept first  chars and last 30 chars of 4001 chars.]"
        ));
        assert!(ends_with_note(b"x\\n\\n[Tool result trimmed: kept first 3 chars and last 30 chars of 4001 chars.]\\n\\n<system-reminder>a</system-reminder>\\n<system-reminder>b</system-reminder>"));
        assert!(!ends_with_note(b"a sentence of 12 chars.]"));
        assert!(!ends_with_note(b" chars.]"));
    }
}
