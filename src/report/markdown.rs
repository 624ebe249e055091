//! Renders a document as Markdown, for a pull request or a mail. All names from the input are escaped or in a code span.

use super::document::*;
use super::number_format::capital;
use deadhead_core::internal::terminal_text::escape;
use std::io::{self, Write};

/// Writes a document; notes come at its end.
pub fn write(document: Document<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "## {}{}\n\n{}\n",
        document.title,
        name(&document.name),
        prose(&document.sentence)
    )?;
    let (notes, blocks): (Vec<_>, Vec<_>) = document
        .shown(MARKDOWN)
        .partition(|block| matches!(block, Block::Notes(..)));
    let mut blocks = blocks.into_iter().chain(notes).peekable();
    while let Some(block) = blocks.next() {
        let continues = matches!(
            (&block, blocks.peek()),
            (Block::Field(..), Some(Block::Field(..)))
        );
        match block {
            Block::Field(_, label, text) => writeln!(out, "- {label}: {}", prose(&text))?,
            Block::Paragraph(LineKind::Code, text) => writeln!(out, "`{text}`")?,
            Block::Paragraph(_, text) => writeln!(out, "{}", prose(&text))?,
            Block::Table(found) => table(found, out)?,
            Block::Notes(label, found) if !found.is_empty() => list(label, &found, out)?,
            _ => continue,
        }
        if !continues {
            writeln!(out)?;
        }
    }
    Ok(())
}

fn list(label: &str, notes: &[Note], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}:\n", capital(label))?;
    let what = |note: &Note| {
        if note.what.is_empty() {
            String::new()
        } else {
            format!("{}: ", note.what)
        }
    };
    let texts = notes
        .iter()
        .flat_map(|note| note.texts.iter().map(move |text| what(note) + text));
    texts
        .into_iter()
        .try_for_each(|text| writeln!(out, "- {}", prose(&text)))
}

fn table(table: Table<'_>, out: &mut dyn Write) -> io::Result<()> {
    let columns = table.shown(MARKDOWN);
    let rule = |side| {
        if matches!(side, Right | Place) {
            "---:"
        } else {
            "---"
        }
    };
    let titles: Vec<_> = columns.iter().map(|column| column.1).collect();
    let rules: Vec<_> = columns.iter().map(|column| rule(column.2)).collect();
    writeln!(out, "| {} |\n| {} |", titles.join(" | "), rules.join(" | "))?;
    for row in table.rows {
        let cells = columns.iter().map(|&(at, _, side)| {
            if side == Name {
                name(&row[at])
            } else {
                prose(&row[at])
            }
        });
        writeln!(out, "| {} |", cells.collect::<Vec<_>>().join(" | "))?;
    }
    Ok(())
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
