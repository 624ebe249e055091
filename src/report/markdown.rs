//! A document as Markdown, for a pull request or a mail. Everything that the input named is escaped or in a code span.

use super::document::{Block, Document, MARKDOWN, Note, Side, Style, Table};
use super::number_format::capital;
use deadhead_core::terminal_text::escape;
use std::io::{self, Write};

/// Writes a document; notes come at its end.
pub fn write(document: Document<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "## {}{}\n\n{}\n", document.title, name(&document.name), prose(&document.sentence))?;
    let mut notes = Vec::new();
    for block in document.shown(MARKDOWN) {
        match block {
            Block::Facts(facts) => {
                for fact in facts.shown(MARKDOWN) {
                    writeln!(out, "- {}: {}", fact.label, prose(&fact.text))?;
                }
                writeln!(out)?;
            }
            Block::Paragraph(Style::Code, text) => writeln!(out, "`{text}`\n")?,
            Block::Paragraph(_, text) => writeln!(out, "{}\n", prose(&text))?,
            Block::Table(found) => table(found, out)?,
            Block::Notes(label, found) => notes.push((label, found)),
            Block::Heading(_) | Block::Lines(_) | Block::Entries(_) | Block::Cards(_) | Block::Bars(..) | Block::Context(..) => {}
        }
    }
    notes.iter().try_for_each(|(label, notes)| list(label, notes, out))
}

fn list(label: &str, notes: &[Note], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}:\n", capital(label))?;
    for note in notes {
        let what = if note.what.is_empty() { String::new() } else { format!("{}: ", note.what) };
        note.texts.iter().try_for_each(|text| writeln!(out, "- {}", prose(&format!("{what}{text}"))))?;
    }
    writeln!(out)
}

fn table(table: Table<'_>, out: &mut dyn Write) -> io::Result<()> {
    let shown = table.columns.iter().filter(|(media, ..)| media.meets(MARKDOWN));
    let (titles, rules): (Vec<_>, Vec<_>) =
        shown.map(|&(_, title, side)| (title, if matches!(side, Side::Right | Side::Place) { "---:" } else { "---" })).unzip();
    writeln!(out, "| {} |\n| {} |", titles.join(" | "), rules.join(" | "))?;
    for row in table.rows {
        let cells = row.iter().zip(&table.columns).filter(|(_, (media, ..))| media.meets(MARKDOWN));
        let cells = cells.map(|(cell, (.., side))| if *side == Side::Name { name(cell) } else { prose(cell) });
        writeln!(out, "| {} |", cells.collect::<Vec<_>>().join(" | "))?;
    }
    writeln!(out)
}

/// A name of the input as a code span, or as prose if it would break out of one.
fn name(text: &str) -> String {
    let printable = escape(text);
    match printable.as_str() {
        "" => String::new(),
        span if span.trim().is_empty() || span.contains(['`', '|']) => prose(span),
        span => format!("`{span}`"),
    }
}

/// Text in which nothing is markup, on one line.
fn prose(text: &str) -> String {
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
