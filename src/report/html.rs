//! Renders a document as an HTML page, for a browser or a printer: a head with all of its style, and escaped text.
//!
//! A page loads nothing and runs nothing. It is dark where the reader's screen is, and never on paper.

use super::chart::{bars, context};
use super::document::*;
use super::number_format::capital;
use deadhead_core::internal::terminal_text::is_hidden;
use std::fmt::Write;

/// Colours and layout; those of the pictures are in [`chart`](super::chart).
const STYLE: &str = "\
:root{color-scheme:light dark;--paper:#fff;--ink:#1f2933;--soft:#52606d;--line:#d9e2ec;--card:#f5f7fa}\
@media screen and (prefers-color-scheme:dark){:root{--paper:#102a43;--ink:#f0f4f8;--soft:#bcccdc;--line:#334e68;--card:#16344f}}\
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif}\
main{max-width:1040px;margin:0 auto;padding:24px 20px 60px}h1{font-size:1.5rem;margin:0 0 4px;overflow-wrap:anywhere}\
h2{font-size:1.15rem;margin:36px 0 10px}p{margin:8px 0}.soft{color:var(--soft)}\
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(170px,1fr));gap:12px;margin:20px 0}\
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 14px}.card b{display:block;font-size:1.35rem;line-height:1.3}\
.wide{overflow-x:auto}svg{display:block;width:100%;height:auto}.wide svg{min-width:620px}\
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}th,td{padding:6px 10px;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}\
th{color:var(--soft);font-weight:600}th:first-child,td:first-child,td.left,td.name,th.left{text-align:left}td.name{white-space:normal;overflow-wrap:anywhere;min-width:110px}td.text{white-space:normal;text-align:left;overflow-wrap:anywhere;min-width:200px}\
tr.best td:first-child::after{content:' ★'}details{margin-top:28px;border-top:1px solid var(--line);padding-top:14px}summary{cursor:pointer;font-weight:600;overflow-wrap:anywhere}\
.bars{list-style:none;margin:0;padding:0}.bars li{display:grid;grid-template-columns:minmax(90px,24%) 1fr;gap:10px;margin:6px 0;line-height:20px;font-size:.85rem}\
.bars li>span{text-align:right;overflow-wrap:anywhere}.bars div{display:flex;gap:8px;align-items:start}.bars i{flex:none;min-width:1px;height:20px;border-radius:2px;print-color-adjust:exact}\
.bars i i{display:block;position:relative;top:6px;height:8px}\
@media screen and (max-width:700px){.bars li{display:block}.bars li>span{display:block;text-align:left}.bars div{flex-wrap:wrap;gap:2px 8px}\
.stack thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}.stack,.stack tbody{display:block}.stack tr{display:grid;grid-template-columns:1fr 1fr;gap:0 16px;padding:8px 0;border-bottom:1px solid var(--line)}\
.stack td,.stack td.left,.stack td.text,.stack td.name{display:flex;justify-content:space-between;gap:8px;min-width:0;padding:2px 0;border:0;font-size:.9rem;white-space:normal;text-align:right}\
.stack td::before{content:attr(data-of);color:var(--soft);text-align:left}.stack td:first-child,.stack td.name,.stack td.text{grid-column:1/-1}\
.stack td.text{display:block;text-align:left}.stack td.text::before{margin-right:8px}.stack td:first-child{justify-content:start;font-weight:600;text-align:left}.stack td:first-child::before{font-weight:400}}\
code{font:.9em ui-monospace,monospace;overflow-wrap:anywhere}.warn{border-left:4px solid #c77700;padding-left:12px;overflow-wrap:anywhere}\
.bad{border-left:4px solid #c81e1e;padding-left:12px}article+article{margin-top:44px;border-top:1px solid var(--line);padding-top:20px}\
@media print{:root{color-scheme:light}body{font-size:10pt}main{max-width:none;padding:0}.wide{overflow:visible}.wide svg{min-width:0}\
th,td{white-space:normal;overflow-wrap:anywhere;padding:3px 6px}td.text{min-width:0}tr,svg,.card{break-inside:avoid}h1,h2{break-after:avoid}thead{display:table-header-group}\
details::details-content{content-visibility:visible}}";

/// Columns that fit on a narrow screen.
const WIDE: usize = 3;

/// Returns a page with these articles.
pub fn page(title: &str, articles: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>{}</title><style>{STYLE}{}</style></head>\n<body><main>\n{articles}<p class=\"soft\">deadhead {}</p>\n</main></body></html>\n",
        escape(title),
        super::chart::STYLE,
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
            Block::Line(_) | Block::Row(..) | Block::Entries(_) => continue,
        };
    }
    page
}

fn note(label: &str, note: &Note) -> String {
    let what = if note.what.is_empty() {
        String::new()
    } else {
        format!("{} {}: ", capital(label), note.what)
    };
    paragraph(note.kind, &(what + &note.texts.join(", ")))
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
    let class = |name: &str| format!(" class=\"{name}\"");
    // On a narrow screen each row of a wide table is a card, in which each cell has its column's title.
    let is_wide = columns.len() > WIDE;
    let stack = if is_wide {
        class("stack")
    } else {
        String::new()
    };
    let mut text = format!("<table{stack}>");
    if columns.iter().any(|(_, title, _)| !title.is_empty()) {
        text += "<thead><tr>";
        for (_, title, side) in columns.iter().filter(|column| column.2 != Best) {
            let class = match side {
                Right | First => String::new(),
                _ => class("left"),
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
        for &(at, title, side) in &columns {
            let of = if is_wide {
                format!(" data-of=\"{}\"", escape(title))
            } else {
                String::new()
            };
            let class = match side {
                Best => continue,
                Right | First => String::new(),
                Left | Place => class("left"),
                Name => class("name"),
                Text | Quote => class("text"),
            };
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
    use super::super::chart::Bar;
    use super::super::document::Column;
    use super::*;

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
