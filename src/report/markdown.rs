//! Renders a document as Markdown, for a pull request or a mail. All names from the input are escaped or in a code span.

use super::{chart::sparkline, *};
use deadhead_core::internal::terminal_text::escape;

/// Returns a document.
pub fn render(document: Document<'_>) -> String {
    let (name, sentence) = (name(&document.name), prose(&document.sentence));
    let mut page = format!("## {}{name}\n\n{sentence}\n\n", document.title);
    let mut blocks = document.flat(true).into_iter().peekable();
    while let Some(block) = blocks.next() {
        let is_fact = |block: &Block<'_>| matches!(block, Block::Fact(..) | Block::Context(_));
        let continues = is_fact(&block) && blocks.peek().is_some_and(is_fact);
        page += &match block {
            Block::Fact("", text) => format!("  {}\n", prose(&text)),
            Block::Fact(label, text) => format!("- {label}: {}\n", prose(&text)),
            Block::Context(calls) => format!("- context: {}\n", sparkline(calls)),
            Block::Commands(lines) => format!("```sh\n{}\n```\n", lines.join("\n")),
            Block::Table(found) => table(&found),
            Block::Notes(label, found) => list(label, &found),
            Block::Heading(_) | Block::Detail(_) => continue,
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

fn table(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let rule = |side| match side {
        Right | Aside | Place => "---:",
        _ => "---",
    };
    let titles = table.columns.iter().map(|column| column.0.to_owned());
    let rules = table.columns.iter().map(|column| rule(column.1).to_owned());
    let head = line(titles.collect()) + &line(rules.collect());
    let cell = |(cell, &(_, side)): (&String, &(_, Alignment))| match side {
        Name => name(cell),
        Quote => match cell.split_once('\t') {
            Some((words, quoted)) => {
                let quoted = name(quoted);
                format!("{} {quoted}", prose(words)).trim_end().to_owned()
            }
            None => prose(cell),
        },
        _ => prose(cell),
    };
    let rows = table.rows.iter();
    let row = |row: &Vec<String>| line(row.iter().zip(&table.columns).map(cell).collect());
    rows.map(row).fold(head, |page, row| page + &row)
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
