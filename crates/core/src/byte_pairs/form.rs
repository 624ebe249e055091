//! The form NFKC as the tokenizer knows it: characters that Unicode has since version 12.1 stay as they are.

use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// Returns `text` in the form NFKC.
pub fn nfkc(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for part in text.split_inclusive(is_newer) {
        let last = part.chars().next_back().filter(|last| is_newer(*last));
        out.extend(part[..part.len() - last.map_or(0, char::len_utf8)].nfkc());
        out.extend(last);
    }
    Cow::Owned(out)
}

/// Whether a character has another form only in newer versions of Unicode.
fn is_newer(c: char) -> bool {
    matches!(c,
        '\u{558}' | '\u{58b}'..='\u{58c}' | '\u{209d}'..='\u{209f}' | '\u{32ff}' | '\u{a7f1}'..='\u{a7f4}' | '\u{ab69}'
        | '\u{10781}'..='\u{107bf}' | '\u{1b123}'..='\u{1b126}' | '\u{1ccd6}'..='\u{1ccf9}' | '\u{1d6a6}' | '\u{1df95}'
        | '\u{1dfcd}'..='\u{1dfff}' | '\u{1e030}'..='\u{1e06d}' | '\u{1f16c}' | '\u{1fbf0}'..='\u{1fbf9}')
}
