//! Renders a document as text: labels, indents, 80 columns, few colours.
//!
//! Only the first line may be longer, because a path is useful only in full. All text from the input is escaped by
//! [`terminal_text`](deadhead_core::internal::terminal_text), and colours are added last, so that they do not count as columns.

use super::document::*;
use super::number_format::commas;
use deadhead_core::internal::terminal_text::{escape, fill, shorten, width, wrap};
use std::io::{self, Write};

/// Columns of a line, the first of a report excepted.
const COLUMNS: usize = 80;
/// Columns that a fact's label takes, its indent included.
const LABEL: usize = 15;
/// The number of notes that are listed; the others are counted.
const NOTES: usize = 5;

/// The style of a text report.
#[derive(Clone, Copy)]
pub struct TextStyle {
    /// Whether to use ANSI colours.
    pub colour: bool,
    /// Whether to list everything.
    pub verbose: bool,
}

/// Writes a document.
pub fn write(document: Document<'_>, look: TextStyle, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page { look, out };
    page.line(LineKind::Headline, &escape(&document.line))?;
    document
        .shown(if look.verbose { VERBOSE } else { BRIEF })
        .try_for_each(|block| match block {
            Block::Field(kind, label, text) => page.field(kind, label, &text),
            Block::Notes(label, notes) => page.notes(label, &notes),
            Block::Line(line) => page.line(LineKind::Detail, &line),
            Block::Entries(mut entries) => entries.try_for_each(|entry| page.entry(&entry)),
            _ => Ok(()),
        })
}

/// Writes the headline of a document alone.
pub fn write_line(line: &str, look: TextStyle, out: &mut dyn Write) -> io::Result<()> {
    Page { look, out }.line(LineKind::Headline, &escape(line))
}

/// The output under construction.
struct Page<'a> {
    look: TextStyle,
    out: &'a mut dyn Write,
}

impl Page<'_> {
    fn notes(&mut self, label: &str, notes: &[Note]) -> io::Result<()> {
        for (at, Note { kind, what, texts }) in notes.iter().take(NOTES).enumerate() {
            let what = if what.is_empty() {
                String::new()
            } else {
                format!("{what}: ")
            };
            self.field(
                *kind,
                if at == 0 { label } else { "" },
                &format!("{what}{}", texts.join(", ")),
            )?;
        }
        match notes.len().saturating_sub(NOTES) {
            0 => Ok(()),
            n => self.field(
                notes[0].kind,
                "",
                &format!("… and {} more", commas(n as u64)),
            ),
        }
    }

    /// Writes an entry: on one line with its reason if that fits, else with the reason on further lines.
    fn entry(&mut self, entry: &Entry) -> io::Result<()> {
        let Entry {
            lead,
            name,
            tail,
            reason,
        } = entry;
        let tail = if tail.is_empty() {
            String::new()
        } else {
            format!("  {tail}")
        };
        let facts = match name.trim() {
            "" => format!("{lead}{tail}"),
            name => format!(
                "{lead}  {}{tail}",
                shorten(name, COLUMNS.saturating_sub(4 + width(lead) + width(&tail)))
            ),
        };
        let Some(reason) = reason else {
            return self.indented("  ", &facts);
        };
        let reason = escape(reason);
        if 2 + width(&facts) + 2 + width(&reason) <= COLUMNS {
            return self.indented("  ", &format!("{facts}  {reason}"));
        }
        self.indented("  ", &facts)?;
        self.indented("    ", &reason)
    }

    /// Writes a label with a text; further lines are aligned with the first.
    fn field(&mut self, kind: LineKind, label: &str, text: &str) -> io::Result<()> {
        let mut lead = fill(&format!("  {label}"), LABEL);
        for line in wrap(text, COLUMNS - LABEL) {
            self.line(kind, &format!("{lead}{line}"))?;
            lead = " ".repeat(LABEL);
        }
        Ok(())
    }

    /// Writes a line with this indent; if it is broken, further lines are indented by four more.
    fn indented(&mut self, indent: &str, text: &str) -> io::Result<()> {
        let mut lead = indent.to_owned();
        let limit = COLUMNS - indent.len();
        let text = escape(text);
        for line in wrap(
            &text,
            if width(&text) <= limit {
                limit
            } else {
                limit - 4
            },
        ) {
            self.line(LineKind::Detail, &format!("{lead}{line}"))?;
            lead = format!("{indent}    ");
        }
        Ok(())
    }

    /// Escapes and writes a line.
    fn line(&mut self, kind: LineKind, text: &str) -> io::Result<()> {
        let code = match kind {
            _ if !self.look.colour => return writeln!(self.out, "{text}"),
            LineKind::Headline => 1,
            LineKind::Plain | LineKind::Detail | LineKind::Code => 2,
            LineKind::Warning => 33,
            LineKind::Defect | LineKind::OldDefect => 31,
        };
        writeln!(self.out, "\x1b[{code}m{text}\x1b[0m")
    }
}
