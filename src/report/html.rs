//! Renders a document as an HTML page, for a browser or a printer: a head with all of its style, and escaped text.
//!
//! A page loads nothing and runs nothing. It is dark where the reader's screen is, and never on paper.

use super::{
    chart::{bars, context},
    *,
};
use deadhead_core::internal::terminal_text::is_hidden;
use std::fmt::Write;

/// Columns that fit on a narrow screen.
const WIDE: usize = 3;

/// Returns a page with these articles, and in its head page.css, which has the colours of charts at its end.
pub fn page(title: &str, articles: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>{}</title><style>{}</style></head>\n<body><main>\n{articles}<p class=\"soft\">deadhead {}</p>\n</main></body></html>\n",
        escape(title),
        include_str!("page.css").replace('\n', ""),
        env!("CARGO_PKG_VERSION")
    )
}

/// Returns a document with its title.
pub fn article(document: Document<'_>) -> String {
    let title = escape(&format!("{}{}", document.title, document.name));
    let sentence = escape(&document.sentence);
    format!(
        "<article>\n<h1>{title}</h1>\n<p>{sentence}</p>\n{}</article>\n",
        blocks(document)
    )
}

/// Returns a document that is folded until it is opened; `blocks` are its own.
pub fn details(summary: &str, blocks: &str) -> String {
    let summary = escape(summary);
    format!("<details><summary>{summary}</summary>\n{blocks}</details>\n")
}

/// Returns the blocks of a document; facts that follow each other are a table.
pub fn blocks(document: Document<'_>) -> String {
    let mut page = String::new();
    let mut blocks = document.shown(HTML).peekable();
    while let Some(block) = blocks.next() {
        page += &match block {
            Block::Field(_, label, text) => {
                let mut rows = vec![vec![label.to_owned(), text]];
                while let Some(Block::Field(_, label, text)) =
                    blocks.next_if(|next| matches!(next, Block::Field(..)))
                {
                    rows.push(vec![label.to_owned(), text]);
                }
                table(Table {
                    columns: vec![(HTML, "", Left), (HTML, "", Text)],
                    rows: Box::new(rows.into_iter()),
                })
            }
            Block::Notes(label, notes) => notes.iter().map(|found| note(label, found)).collect(),
            Block::Heading(text) => format!("<h2>{}</h2>\n", escape(text)),
            Block::Paragraph(kind, text) => paragraph(kind, &text),
            Block::Cards(figures) => cards(&figures),
            Block::Table(found) => table(found),
            Block::Bars(title, found) => bars(&found, title) + "\n",
            Block::Context(title, calls) => wide(&context(calls, title)),
            Block::Line(_) | Block::Entries(_) => continue,
        };
    }
    page
}

fn note(label: &str, note: &Note) -> String {
    let text = note.with_what(&note.texts.join(", "));
    match note.what {
        "" => paragraph(note.kind, &text),
        _ => paragraph(note.kind, &format!("{} {text}", capital(label))),
    }
}

fn paragraph(kind: LineKind, text: &str) -> String {
    let class = match kind {
        Headline | Plain | Code => "",
        Detail => " class=\"soft\"",
        Warning | OldDefect => " class=\"warn\"",
        Defect => " class=\"bad\"",
    };
    format!("<p{class}>{}</p>\n", escape(text))
}

fn cards(cards: &[(String, String)]) -> String {
    let card = |(figure, what): &(String, String)| {
        format!(
            "<div class=\"card\"><b>{}</b><span class=\"soft\">{}</span></div>\n",
            escape(figure),
            escape(what)
        )
    };
    let cards: String = cards.iter().map(card).collect();
    format!("<div class=\"cards\">\n{cards}</div>\n")
}

/// Returns what is scrolled on a narrow screen.
fn wide(content: &str) -> String {
    format!("<div class=\"wide\" tabindex=\"0\">{content}</div>\n")
}

/// Returns a table; cells are escaped here. Without a title there is no head.
fn table(table: Table<'_>) -> String {
    let columns = table.shown(HTML);
    let cells = || columns.iter().filter(|column| column.2 != Best);
    // On a narrow screen each row of a wide table is a card, in which each cell has its column's title.
    let is_wide = columns.len() > WIDE;
    let stack = if is_wide { " class=\"stack\"" } else { "" };
    let mut text = format!("<table{stack}>");
    if columns.iter().any(|(_, title, _)| !title.is_empty()) {
        text += "<thead><tr>";
        for &(_, title, side) in cells() {
            let class = match class(side) {
                "" => "",
                _ => class(Left),
            };
            let _ = write!(text, "<th scope=\"col\"{class}>{}</th>", escape(title));
        }
        text += "</tr></thead>\n";
    }
    text += "<tbody>\n";
    for row in table.rows {
        let is_best = |&(at, _, side): &(usize, _, _)| side == Best && !row[at].is_empty();
        text += if columns.iter().any(is_best) {
            "<tr class=\"best\">"
        } else {
            "<tr>"
        };
        for &(at, title, side) in cells() {
            let of = if is_wide {
                format!(" data-of=\"{}\"", escape(title))
            } else {
                String::new()
            };
            let class = class(side);
            let cell = match row[at].split_once('\t').filter(|_| side == Quote) {
                Some((words, quoted)) => {
                    format!("{} <code>{}</code>", escape(words), escape(quoted))
                }
                None => escape(&row[at]),
            };
            let _ = write!(text, "<td{class}{of}>{cell}</td>");
        }
        text += "</tr>\n";
    }
    wide(&(text + "</tbody></table>"))
}

/// The class of a cell, as an attribute.
fn class(side: Alignment) -> &'static str {
    match side {
        Right | First | Best => "",
        Left | Place => " class=\"left\"",
        Name => " class=\"name\"",
        Text | Quote => " class=\"text\"",
    }
}

/// Text that is safe between tags and in quotes; what does not print is spelled out.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c if is_hidden(c) && c != '\n' => safe.extend(c.escape_default()),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::{
        super::{chart::Bar, document::Column},
        *,
    };

    #[test]
    fn nothing_becomes_markup_or_turns_the_reader_round() {
        assert_eq!(escape("<a href='x\">&"), "&lt;a href=&#39;x&quot;&gt;&amp;");
        assert_eq!(escape("a\u{202e}b\u{1b}[0m\nc"), "a\\u{202e}b\\u{1b}[0m\nc");
    }

    #[test]
    fn a_page_asks_for_nothing() {
        let page = page("a", "");
        for word in ["http", "url(", "<script", "@import", "src=", "href="] {
            assert!(!page.contains(word), "{word}");
        }
    }

    #[test]
    fn cells_of_a_wide_table_name_their_columns() {
        let column =
            |title| -> Column<&str> { (HTML, title, Alignment::Right, |row| row.to_owned()) };
        let page_of = |titles: &[&'static str]| {
            let mut document = Document::default();
            document.table(
                HTML,
                ["1"],
                &titles.iter().map(|title| column(title)).collect::<Vec<_>>(),
            );
            blocks(document)
        };
        let narrow = page_of(&["a", "b", "c"]);
        assert!(
            !narrow.contains("stack") && narrow.contains("<tr><td>1</td><td>1</td><td>1</td></tr>"),
            "{narrow}"
        );
        let wide = page_of(&["a", "b", "c", "<d>"]);
        assert!(
            wide.contains("<table class=\"stack\"><thead>")
                && wide.contains("<td data-of=\"&lt;d&gt;\">1</td>"),
            "{wide}"
        );
    }

    #[test]
    fn bars_are_a_list_with_their_texts() {
        let bars = vec![
            Bar {
                part: 1.0,
                ..Bar::new("wasbar", "a", "$4".to_owned(), 4.0)
            },
            Bar::new("nowbar", "<b>", "$2".to_owned(), 2.0),
        ];
        let mut document = Document::default();
        document.add(HTML, Block::Bars("Dollars", bars));
        let text = blocks(document);
        assert!(
            text.starts_with("<ul class=\"bars\" aria-label=\"Dollars\"><li><span>a</span>"),
            "{text}"
        );
        assert!(text.contains("<i class=\"wasbar\" style=\"width:62.0%\"><i class=\"nowbar\" style=\"width:25.0%\"></i></i>"), "{text}");
        assert!(
            text.contains("<span>&lt;b&gt;</span><div><i class=\"nowbar\" style=\"width:31.0%\"></i><span class=\"soft\">$2</span>"),
            "{text}"
        );
    }

    #[test]
    fn cells_are_escaped() {
        let mut document = Document::default();
        let columns: [Column<[&str; 3]>; 3] = [
            (HTML, "a", Alignment::Right, |row| row[0].to_owned()),
            (HTML, "b", Alignment::Text, |row| row[1].to_owned()),
            (HTML, "c", Alignment::Quote, |row| row[2].to_owned()),
        ];
        document.table(HTML, [["1", "<b>", "says <i>\t<code>"]], &columns);
        let text = blocks(document);
        let cells = "<tr><td>1</td><td class=\"text\">&lt;b&gt;</td><td class=\"text\">says &lt;i&gt; <code>&lt;code&gt;</code></td></tr>";
        assert!(text.contains(cells), "{text}");
    }
}
