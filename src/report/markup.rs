//! Markdown's own letters: tables, and text that a tool or a model wrote and that must not become markup.

use deadhead_core::terminal_text::escape;
use std::io::{self, Write};

/// The head of a table; `sides` has `l` or `r` for each column.
pub(super) fn table(out: &mut dyn Write, columns: &[&str], sides: &str) -> io::Result<()> {
    writeln!(out, "| {} |", columns.join(" | "))?;
    let rules: Vec<_> = sides.chars().map(|c| if c == 'r' { "---:" } else { "---" }).collect();
    writeln!(out, "| {} |", rules.join(" | "))
}

/// A row of a table, its cells escaped.
pub(super) fn row(out: &mut dyn Write, cells: &[String]) -> io::Result<()> {
    writeln!(out, "| {} |", cells.join(" | "))
}

/// A name of the input as a code span, or as prose if it would break out of one.
pub(super) fn name(text: &str) -> String {
    let printable = escape(text);
    match printable.as_str() {
        "" => String::new(),
        span if span.trim().is_empty() || span.contains(['`', '|']) => prose(span),
        span => format!("`{span}`"),
    }
}

/// Text in which nothing is markup, on one line.
pub(super) fn prose(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in escape(&text.replace(['\r', '\n', '\t'], " ")).chars() {
        if "\\`*_[]<>#~&|".contains(c) {
            plain.push('\\');
        }
        plain.push(c);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out() {
        for (text, expected) in [
            ("", ""),
            ("exec", "`exec`"),
            ("a|b", "a\\|b"),
            ("a`b`", "a\\`b\\`"),
            ("a\nb\u{1b}", "`a\\nb\\u{1b}`"),
            ("@team/tool", "`@team/tool`"),
        ] {
            assert_eq!(name(text), expected);
        }
        assert_eq!(prose("a|b\nc *d* <e> \\"), "a\\|b c \\*d\\* \\<e\\> \\\\");
    }
}
