//! `deadhead state audit`: lists what was done to the requests of a workload.

use super::flags::AuditFormat;
use crate::report::number_format::{change, commas, counted, dollars, percent};
use anyhow::Result;
use deadhead_core::internal::terminal_text::escape;
use deadhead_state::requests::{Account, RequestRow};
use serde_json::json;

/// The columns of a table; the last two are aligned to the left.
const HEAD: [&str; 7] = ["time", "session", "messages", "chars", "tokens saved", "$ saved", "mechanics"];
/// Columns of numbers.
const NUMBERS: std::ops::Range<usize> = 2..6;
/// Chars of a session's name in a table.
const NAME: usize = 24;

/// The listing of requests in a format.
pub fn listing(rows: &[RequestRow], format: AuditFormat) -> Result<String> {
    Ok(match format {
        AuditFormat::Table => table(rows),
        AuditFormat::Csv => csv(rows),
        AuditFormat::Jsonl => {
            let lines: serde_json::Result<Vec<String>> = rows.iter().map(|row| Ok(serde_json::to_string(&object(row))? + "\n")).collect();
            lines?.concat()
        }
    })
}

fn object(row: &RequestRow) -> serde_json::Value {
    let mut object = json!({"at": row.time(), "workload": row.workload, "session": row.session});
    if let (Some(object), serde_json::Value::Object(account)) = (object.as_object_mut(), json!(row.account)) {
        object.extend(account);
    }
    object
}

/// A line for each request, and the sums.
fn table(rows: &[RequestRow]) -> String {
    let mut cells: Vec<[String; 7]> = vec![HEAD.map(str::to_owned)];
    cells.extend(rows.iter().map(cells_of));
    let width = |i: usize| cells.iter().map(|row| row[i].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
    let mut text = String::new();
    for row in cells.iter().filter(|_| !rows.is_empty()) {
        let padded = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(i, (cell, width))| if NUMBERS.contains(&i) { format!("{cell:>width$}") } else { format!("{cell:<width$}") });
        text += padded.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    let sum = |of: fn(&Account) -> u64| rows.iter().map(|row| of(&row.account)).sum::<u64>();
    let (before, after) = (sum(|account| account.chars_before), sum(|account| account.chars_after));
    let cut = rows.iter().filter(|row| !row.account.mechanics.is_empty()).count();
    let requests = counted(rows.len() as u64, "request");
    text + &format!("{requests}, {} cut: {} chars ({})\n", commas(cut as u64), change(before, after), percent(before, after))
}

fn cells_of(row: &RequestRow) -> [String; 7] {
    let Account { messages_before, messages_after, chars_before, chars_after, tokens_before, tokens_after, .. } = row.account;
    let mut name: String = escape(&row.session).chars().take(NAME + 1).collect();
    if name.chars().count() > NAME {
        name = name.chars().take(NAME - 1).chain(['…']).collect();
    }
    [
        row.time(),
        name,
        change(messages_before, messages_after),
        change(chars_before, chars_after),
        commas(i128::from(tokens_before) - i128::from(tokens_after)),
        saved(&row.account).map(|usd| if usd < 0.0 { format!("-{}", dollars(-usd)) } else { dollars(usd) }).unwrap_or_default(),
        match (&row.account.mechanics[..], row.account.retired) {
            ([], true) => "none: the workload is retired".to_owned(),
            ([], false) => "none".to_owned(),
            (all, _) => all.iter().map(|one| format!("{} {}", one.name, commas(one.cuts))).collect::<Vec<_>>().join(", "),
        },
    ]
}

/// Returns the dollars that the new cuts save at the provider's cache.
fn saved(account: &Account) -> Option<f64> {
    account.usd_before.zip(account.usd_after).map(|(before, after)| before - after)
}

/// Comma-separated values (RFC 4180), with a line of names.
fn csv(rows: &[RequestRow]) -> String {
    let mut text = "at,workload,stack,session,retired,mechanics,cuts,turnsRemoved,ragKept,ragDropped,messagesBefore,messagesAfter,\
        charsBefore,charsAfter,tokensBefore,tokensAfter,usdBefore,usdAfter,why\r\n"
        .to_owned();
    for row in rows {
        let account = &row.account;
        let mechanics: Vec<String> = account.mechanics.iter().map(|one| format!("{}:{}", one.name, one.cuts)).collect();
        let usd = |usd: Option<f64>| usd.map(|usd| usd.to_string()).unwrap_or_default();
        let cells = [
            row.time(),
            row.workload.clone(),
            account.stack.clone().unwrap_or_default(),
            row.session.clone(),
            account.retired.to_string(),
            mechanics.join(";"),
            account.mechanics.iter().map(|one| one.cuts).sum::<u64>().to_string(),
            account.turns_removed.to_string(),
            account.rag_kept.to_string(),
            account.rag_dropped.to_string(),
            account.messages_before.to_string(),
            account.messages_after.to_string(),
            account.chars_before.to_string(),
            account.chars_after.to_string(),
            account.tokens_before.to_string(),
            account.tokens_after.to_string(),
            usd(account.usd_before),
            usd(account.usd_after),
            account.why.clone(),
        ];
        text += &cells.map(|cell| quoted(&cell)).join(",");
        text += "\r\n";
    }
    text
}

/// A cell, in quotes where it needs them.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_with_commas_are_quoted() {
        for (cell, want) in [("a", "a"), ("a,b", "\"a,b\""), ("say \"x\"", "\"say \"\"x\"\"\""), ("a\nb", "\"a\nb\""), ("", "")] {
            assert_eq!(quoted(cell), want);
        }
    }

    #[test]
    fn a_table_of_nothing_is_its_sum() {
        assert_eq!(table(&[]), "0 requests, 0 cut: 0 chars (0 %)\n");
    }
}
