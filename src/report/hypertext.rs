//! What the pages of `prune` and `replay` have in common: a head with all of its style, tables, and text that is safe in it.
//!
//! A page loads nothing and runs nothing. It is dark where the reader's screen is, and never on paper.

use deadhead_core::terminal_text::is_hidden;
use std::io::{self, Write};

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
code{font:.9em ui-monospace,monospace;overflow-wrap:anywhere}.warn{border-left:4px solid #c77700;padding-left:12px;overflow-wrap:anywhere}\
.bad{border-left:4px solid #c81e1e;padding-left:12px}article+article{margin-top:44px;border-top:1px solid var(--line);padding-top:20px}\
@media print{:root{color-scheme:light}body{font-size:10pt}main{max-width:none;padding:0}.wide{overflow:visible}.wide svg{min-width:0}\
th,td{white-space:normal;overflow-wrap:anywhere;padding:3px 6px}td.text{min-width:0}tr,svg,.card{break-inside:avoid}h1,h2{break-after:avoid}thead{display:table-header-group}\
details::details-content{content-visibility:visible}}";

/// Everything before the first word of a page.
pub(super) fn open(title: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>{}</title><style>{STYLE}{}</style></head>\n<body><main>\n",
        escape(title),
        super::chart::STYLE
    )
}

/// Everything behind the last one.
pub(super) fn close() -> String {
    format!("<p class=\"soft\">deadhead {}</p>\n</main></body></html>\n", env!("CARGO_PKG_VERSION"))
}

/// Text that is safe between tags and in quotes; what does not print is spelled out.
pub(super) fn escape(text: &str) -> String {
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

/// How the cells of a column stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// To the right, as numbers do.
    Right,
    /// To the left, on one line.
    Left,
    /// To the left, broken wherever it must be, as names and ids may.
    Name,
    /// To the left, on as many lines as it takes.
    Text,
}

/// Writes a table; columns are titles with their sides, cells are escaped here. Without a title there is no head.
pub(super) fn table<const N: usize>(
    out: &mut dyn Write,
    columns: &[(&str, Side); N],
    rows: impl Iterator<Item = [String; N]>,
) -> io::Result<()> {
    write!(out, "<div class=\"wide\"><table>")?;
    if columns.iter().any(|(title, _)| !title.is_empty()) {
        write!(out, "<thead><tr>")?;
        for (title, side) in columns {
            let class = if *side == Side::Right { "" } else { " class=\"left\"" };
            write!(out, "<th{class}>{}</th>", escape(title))?;
        }
        writeln!(out, "</tr></thead>")?;
    }
    writeln!(out, "<tbody>")?;
    for row in rows {
        write!(out, "<tr>")?;
        for (cell, (_, side)) in row.iter().zip(columns) {
            let class = match side {
                Side::Right => "",
                Side::Left => " class=\"left\"",
                Side::Name => " class=\"name\"",
                Side::Text => " class=\"text\"",
            };
            write!(out, "<td{class}>{}</td>", escape(cell))?;
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody></table></div>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_becomes_markup_or_turns_the_reader_round() {
        assert_eq!(escape("<a href='x\">&"), "&lt;a href=&#39;x&quot;&gt;&amp;");
        assert_eq!(escape("a\u{202e}b\u{1b}[0m\nc"), "a\\u{202e}b\\u{1b}[0m\nc");
    }

    #[test]
    fn a_page_asks_for_nothing() {
        let page = open("a") + &close();
        for word in ["http", "url(", "<script", "@import", "src=", "href="] {
            assert!(!page.contains(word), "{word}");
        }
    }

    #[test]
    fn cells_are_escaped() {
        let mut out = Vec::new();
        table(&mut out, &[("a", Side::Right), ("b", Side::Text)], [["1".to_owned(), "<b>".to_owned()]].into_iter()).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("<tr><td>1</td><td class=\"text\">&lt;b&gt;</td></tr>"), "{text}");
    }
}
