//! Makes text safe for a terminal: no control characters, and a known width.
//!
//! Names in a transcript are written by models and tools. One with an escape sequence could repaint
//! the screen or hide a line of the report; one that reverses the reading direction could disguise
//! another. Both are printed as escapes. Widths are those of Unicode, rounded up: a combining mark
//! counts as a column, so that a text of such marks is not endless.

use unicode_width::UnicodeWidthChar;

/// `text` with everything that does not print spelled out: `\n`, `\u{1b}`.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            safe.extend(c.escape_default());
        } else {
            safe.push(c);
        }
    }
    safe
}

/// Whether `c` steers the terminal or the reader's eye and draws nothing.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{feff}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{e0000}'..='\u{e007f}')
}

/// Columns that `c` takes, at least one.
fn columns(c: char) -> usize {
    c.width().unwrap_or_default().max(1)
}

/// Columns that printable text takes.
pub fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

/// `text`, escaped, in at most this many columns, with `…` for an end that did not fit.
pub fn shorten(text: &str, limit: usize) -> String {
    let text = escape(text);
    if width(&text) <= limit {
        return text;
    }
    let head = head(&text, limit.saturating_sub(1));
    format!("{head}…")
}

/// `text`, escaped, in exactly this many columns: shortened or filled up.
pub fn fill(text: &str, limit: usize) -> String {
    let text = shorten(text, limit);
    let missing = limit.saturating_sub(width(&text));
    format!("{text}{:missing$}", "")
}

/// `text`, escaped, in lines of at most this many columns, broken at spaces where it can be; at
/// least one line.
pub fn wrap(text: &str, limit: usize) -> Vec<String> {
    let text = escape(text);
    let mut lines = Vec::new();
    let mut rest = text.as_str();
    while width(rest) > limit {
        let fits = head(rest, limit);
        let end = match fits.rfind(' ') {
            _ if rest[fits.len()..].starts_with(' ') => fits.len(),
            Some(space) if !fits[..space].trim().is_empty() => space,
            _ if fits.is_empty() => rest.chars().next().map_or(rest.len(), char::len_utf8),
            _ => fits.len(),
        };
        lines.push(rest[..end].trim_end().to_owned());
        rest = rest[end..].trim_start();
    }
    if !rest.is_empty() || lines.is_empty() {
        lines.push(rest.to_owned());
    }
    lines
}

/// The longest beginning of `text` that takes at most this many columns.
fn head(text: &str, limit: usize) -> &str {
    let mut taken = 0;
    for (at, c) in text.char_indices() {
        taken += columns(c);
        if taken > limit {
            return &text[..at];
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_that_steers_a_terminal_gets_through() {
        assert_eq!(
            escape("\x1b[2Jrm\r\n\u{9b}31m"),
            r"\u{1b}[2Jrm\r\n\u{9b}31m"
        );
        assert_eq!(escape("a\u{202e}b\u{200b}"), r"a\u{202e}b\u{200b}");
        assert_eq!(escape("naïve 日本 \\"), "naïve 日本 \\");
    }

    #[test]
    fn wide_characters_take_two_columns() {
        for (text, columns) in [
            ("abc", 3),
            ("日本", 4),
            ("한글", 4),
            ("ｆ", 2),
            ("→…", 2),
            ("🦀", 2),
            ("✓", 1),
            ("⌚", 2),
            ("e\u{301}", 2),
            ("❤\u{fe0f}", 2),
        ] {
            assert_eq!(width(text), columns, "{text}");
        }
        assert_eq!(shorten("日本語", 6), "日本語");
        assert_eq!(shorten("日本語", 5), "日本…");
        assert_eq!(shorten("日本語", 4), "日…");
        assert_eq!(fill("日", 4), "日  ");
    }

    #[test]
    fn lines_break_at_spaces_where_they_can() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh ij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("a  b", 4), ["a  b"]);
        assert_eq!(wrap("", 4), [""]);
    }

    proptest! {
        #[test]
        fn lines_fit_and_lose_nothing_but_spaces(text in any::<String>(), limit in 2usize..90) {
            let lines = wrap(&text, limit);
            prop_assert!(lines.iter().all(|line| width(line) <= limit));
            let solid = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(solid(&lines.concat()), solid(&escape(&text)));
            prop_assert_eq!(width(&fill(&text, limit)), limit);
        }
    }
}
