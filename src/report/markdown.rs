//! Renders a document as Markdown, for a pull request or a mail. All names from the input are escaped or in a code span.

use super::*;
use deadhead_core::internal::terminal_text::escape;

/// Returns a document; notes come at its end.
pub fn render(document: Document<'_>) -> String {
    let (name, sentence) = (name(&document.name), prose(&document.sentence));
    let mut page = format!("## {}{name}\n\n{sentence}\n\n", document.title);
    let (notes, blocks): (Vec<_>, Vec<_>) = document
        .shown(MARKDOWN)
        .partition(|block| matches!(block, Block::Notes(..)));
    let mut blocks = blocks.into_iter().chain(notes).peekable();
    while let Some(block) = blocks.next() {
        let continues = matches!(
            (&block, blocks.peek()),
            (Block::Field(..), Some(Block::Field(..)))
        );
        page += &match block {
            Block::Field(_, "", text) => format!("  {}\n", prose(&text)),
            Block::Field(_, label, text) => format!("- {label}: {}\n", prose(&text)),
            Block::Paragraph(Code, text) => format!("`{text}`\n"),
            Block::Paragraph(_, text) => prose(&text) + "\n",
            Block::Table(found) => table(found),
            Block::Notes(label, found) if !found.is_empty() => list(label, &found),
            _ => continue,
        };
        if !continues {
            page.push('\n');
        }
    }
    page
}

fn list(label: &str, notes: &[Note]) -> String {
    let item = |note: &Note, text: &str| format!("- {}\n", prose(&note.with_what(text)));
    let items = notes
        .iter()
        .flat_map(|note| note.texts.iter().map(move |text| item(note, text)));
    format!("{}:\n\n", capital(label)) + &items.collect::<String>()
}

fn table(table: Table<'_>) -> String {
    let columns = table.shown(MARKDOWN);
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let rule = |side| match side {
        Right | Place => "---:",
        _ => "---",
    };
    let titles = columns.iter().map(|column| column.1.to_owned()).collect();
    let rules = columns.iter().map(|column| rule(column.2).to_owned());
    let head = line(titles) + &line(rules.collect());
    let cell = |row: &[String], &(at, _, side): &(usize, _, _)| match side {
        Name => name(&row[at]),
        Quote => match row[at].split_once('\t') {
            Some((words, quoted)) => {
                let quoted = name(quoted);
                format!("{} {quoted}", prose(words)).trim_end().to_owned()
            }
            None => prose(&row[at]),
        },
        _ => prose(&row[at]),
    };
    let row = |row: Vec<String>| line(columns.iter().map(|column| cell(&row, column)).collect());
    table.rows.map(row).fold(head, |page, row| page + &row)
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
