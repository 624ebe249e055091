//! Renders a document as an HTML page, for a browser or a printer: a head with all of its style, and escaped text.
//!
//! A page loads nothing and runs nothing. It is dark where the reader's screen is, and never on paper.

use super::{chart::context, *};
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

/// Returns blocks under their title.
pub fn article(title: &str, sentence: &str, blocks: &str) -> String {
    let [title, sentence] = [title, sentence].map(escape);
    format!("<h1>{title}</h1>\n<p class=\"result\">{sentence}</p>\n{blocks}")
}

/// Returns blocks that are folded until they are opened.
pub fn details(summary: &str, blocks: &str) -> String {
    let summary = escape(summary);
    format!("<details><summary>{summary}</summary>\n{blocks}</details>\n")
}

/// Returns the blocks of a document; facts that follow each other are a table.
pub fn blocks(document: Document<'_>) -> String {
    let mut page = String::new();
    let mut blocks = document.flat(true).into_iter().peekable();
    while let Some(block) = blocks.next() {
        page += &match block {
            Block::Fact(label, text) => {
                let mut rows = vec![vec![label.to_owned(), text]];
                while let Some(Block::Fact(label, text)) =
                    blocks.next_if(|next| matches!(next, Block::Fact(..)))
                {
                    rows.push(vec![label.to_owned(), text]);
                }
                table(&Table {
                    columns: vec![("", Left), ("", Text)],
                    rows,
                    ..Table::default()
                })
            }
            Block::Notes(label, notes) => notes.iter().map(|found| note(label, found)).collect(),
            Block::Heading(text) => match blocks.peek() {
                None | Some(Block::Heading(_)) => continue,
                _ => format!("<h2>{}</h2>\n", escape(text)),
            },
            Block::Commands(lines) => {
                format!(
                    "<pre tabindex=\"0\"><code>{}</code></pre>\n",
                    escape(&lines.join("\n"))
                )
            }
            Block::Table(found) => table(&found),
            Block::Context(calls) => {
                format!("<h2>{CONTEXT}</h2>\n{}", wide(&context(calls, CONTEXT)))
            }
            Block::Detail(_) => continue,
        };
    }
    page
}

/// What the picture of a context shows.
const CONTEXT: &str = "Tokens of the prompt at each request, without and with pruning";

fn note(label: &str, note: &Note) -> String {
    let text = note.with_what(&note.texts.join(", "));
    let text = match note.what {
        "" => text,
        _ => format!("{} {text}", capital(label)),
    };
    let class = if note.is_defect { "bad" } else { "warn" };
    format!("<p class=\"{class}\">{}</p>\n", escape(&text))
}

/// Returns what is scrolled on a narrow screen.
fn wide(content: &str) -> String {
    format!("<div class=\"wide\" tabindex=\"0\">{content}</div>\n")
}

/// Returns a table; cells are escaped here. Without a title there is no head. Behind the first column are the bars.
fn table(table: &Table) -> String {
    let columns: Vec<_> = table.columns.iter().enumerate().collect();
    let (best, columns): (Vec<_>, Vec<_>) = columns
        .into_iter()
        .partition(|(_, column)| column.1 == Best);
    // On a narrow screen each row of a wide table is a card, in which each cell has its column's title.
    let is_wide = columns.len() > WIDE;
    let stack = if is_wide { " class=\"stack\"" } else { "" };
    let mut text = format!("<table{stack}>");
    if columns.iter().any(|(_, (title, _))| !title.is_empty()) {
        text += "<thead><tr>";
        for (n, &(_, &(title, side))) in columns.iter().enumerate() {
            let class = match class(side) {
                "" => "",
                _ => class(Left),
            };
            let _ = write!(text, "<th scope=\"col\"{class}>{}</th>", escape(title));
            if n == 0 && !table.bars.is_empty() {
                text += "<td></td>";
            }
        }
        text += "</tr></thead>\n";
    }
    text += "<tbody>\n";
    let most = table
        .bars
        .iter()
        .flatten()
        .fold(f64::MIN_POSITIVE, |a, b| a.max(*b));
    for (number, row) in table.rows.iter().enumerate() {
        let is_best = best.iter().any(|(at, _)| !row[*at].is_empty());
        text += if is_best {
            "<tr class=\"best\">"
        } else {
            "<tr>"
        };
        for (n, &(at, &(title, side))) in columns.iter().enumerate() {
            let of = match is_wide {
                true => format!(" data-of=\"{}\"", escape(title)),
                false => String::new(),
            };
            let cell = match row[at].split_once('\t').filter(|_| side == Quote) {
                Some((words, quoted)) => {
                    format!("{} <code>{}</code>", escape(words), escape(quoted))
                }
                None => escape(&row[at]),
            };
            let _ = write!(text, "<td{}{of}>{cell}</td>", class(side));
            if let Some(bar) = table.bars.get(number).filter(|_| n == 0) {
                let [was, now] = bar.map(|amount| 100.0 * (amount / most).clamp(0.0, 1.0));
                let _ = write!(
                    text,
                    "<td class=\"bar\"><i style=\"width:{was:.1}%\"></i><i class=\"nowbar\" style=\"width:{now:.1}%\"></i></td>"
                );
            }
        }
        text += "</tr>\n";
    }
    wide(&(text + "</tbody></table>"))
}

/// The class of a cell, as an attribute.
fn class(side: Alignment) -> &'static str {
    match side {
        Right | Aside | Best => "",
        Left | Place => " class=\"left\"",
        Name | Tail => " class=\"name\"",
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
    use super::{super::document::Column, *};

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

    fn page_of(table: Table) -> String {
        let mut document = Document::default();
        document.table(table);
        blocks(document)
    }

    #[test]
    fn cells_of_a_wide_table_name_their_columns() {
        let page_of = |titles: &[&'static str]| {
            let column = |title: &&'static str| -> Column<&str> {
                (title, Alignment::Right, |row| row.to_owned())
            };
            page_of(Table::new(
                ["1"],
                &titles.iter().map(column).collect::<Vec<_>>(),
            ))
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
    fn bars_are_behind_the_first_column() {
        let columns: [Column<&str>; 2] = [
            ("tool", Alignment::Left, |row| row.to_owned()),
            ("tokens", Alignment::Right, |_| "4".to_owned()),
        ];
        let table = Table::new(["<b>", "c"], &columns);
        let text = page_of(table.bars([[4.0, 1.0], [2.0, 0.0]].into_iter()));
        let bar = |was: &str, now: &str| {
            format!(
                "<td class=\"bar\"><i style=\"width:{was}%\"></i><i class=\"nowbar\" style=\"width:{now}%\"></i></td>"
            )
        };
        for row in [
            format!("&lt;b&gt;</td>{}<td>4</td>", bar("100.0", "25.0")),
            format!("c</td>{}<td>4</td>", bar("50.0", "0.0")),
        ] {
            assert!(text.contains(&row), "{row}\n{text}");
        }
    }

    #[test]
    fn a_heading_without_blocks_is_none() {
        let mut document = Document::default();
        document.heading("a");
        document.table(Table::default());
        document.heading("b");
        document.fact("c", "d");
        document.heading("e");
        let page = blocks(document);
        assert!(
            page.starts_with("<h2>b</h2>") && !page.contains("<h2>e"),
            "{page}"
        );
    }

    #[test]
    fn cells_are_escaped() {
        let columns: [Column<[&str; 3]>; 3] = [
            ("a", Alignment::Right, |row| row[0].to_owned()),
            ("b", Alignment::Text, |row| row[1].to_owned()),
            ("c", Alignment::Quote, |row| row[2].to_owned()),
        ];
        let text = page_of(Table::new([["1", "<b>", "says <i>\t<code>"]], &columns));
        let cells = "<tr><td>1</td><td class=\"text\">&lt;b&gt;</td><td class=\"text\">says &lt;i&gt; <code>&lt;code&gt;</code></td></tr>";
        assert!(text.contains(cells), "{text}");
    }
}
