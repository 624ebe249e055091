//! `deadhead state audit`: lists what was done to the requests of a workload.

use super::{list::cut, *};
use crate::report::number_format::signed;
use deadhead_state::requests::{Account, Mechanic, RequestRow};

/// The columns of a table; the last two are aligned to the left.
const HEAD: [&str; 7] = [
    "time",
    "session",
    "messages",
    "chars",
    "tokens saved",
    "$ saved",
    "mechanics",
];
/// Columns of numbers.
const NUMBERS: std::ops::Range<usize> = 2..6;
/// Chars of a session's name in a table.
const NAME: usize = 24;

/// The listing of requests in a format.
pub fn listing(rows: &[RequestRow], format: AuditFormat) -> String {
    match format {
        AuditFormat::Table => table(rows),
        AuditFormat::Jsonl => rows
            .iter()
            .map(|row| format!("{}\n", object(row)))
            .collect(),
    }
}

fn object(row: &RequestRow) -> Value {
    let mut object = json!({"at": row.time(), "workload": row.workload, "session": row.session});
    if let (Some(object), Value::Object(account)) = (object.as_object_mut(), json!(row.account)) {
        object.extend(account);
    }
    object
}

/// A line for each request, and the sums.
fn table(rows: &[RequestRow]) -> String {
    let mut cells: Vec<[String; 7]> = vec![HEAD.map(str::to_owned)];
    cells.extend(rows.iter().map(cells_of));
    let width = |i: usize| {
        cells
            .iter()
            .map(|row| row[i].chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
    let line = |row: &[String; 7]| {
        let padded = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(i, (cell, width))| {
                if NUMBERS.contains(&i) {
                    format!("{cell:>width$}")
                } else {
                    format!("{cell:<width$}")
                }
            });
        joined(padded, "  ").trim_end().to_owned() + "\n"
    };
    let text: String = cells
        .iter()
        .filter(|_| !rows.is_empty())
        .map(line)
        .collect();
    let sum = |of: fn(&Account) -> u64| rows.iter().map(|row| of(&row.account)).sum::<u64>();
    let (before, after) = (
        sum(|account| account.chars_before),
        sum(|account| account.chars_after),
    );
    let cut = rows
        .iter()
        .filter(|row| !row.account.mechanics.is_empty())
        .count();
    let requests = counted(rows.len() as u64, "request");
    text + &format!(
        "{requests}, {} cut: {}\n",
        commas(cut as u64),
        resized(before, after, "chars")
    )
}

fn cells_of(row: &RequestRow) -> [String; 7] {
    let Account {
        messages_before,
        messages_after,
        chars_before,
        chars_after,
        tokens_before,
        tokens_after,
        usd_before,
        usd_after,
        ..
    } = row.account;
    // What the new cuts save at the provider's cache.
    let saved = usd_before
        .zip(usd_after)
        .map(|(before, after)| signed(before - after));
    [
        row.time(),
        cut(&escape(&row.session), NAME),
        change(messages_before, messages_after),
        change(chars_before, chars_after),
        commas(i128::from(tokens_before) - i128::from(tokens_after)),
        saved.unwrap_or_default(),
        match (&row.account.mechanics[..], row.account.retired) {
            ([], true) => "none: the workload is retired".to_owned(),
            ([], false) => "none".to_owned(),
            (all, _) => {
                let each = |one: &Mechanic| format!("{} {}", one.name, commas(one.cuts));
                joined(all.iter().map(each), ", ")
            }
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_nothing_is_its_sum() {
        assert_eq!(table(&[]), "0 requests, 0 cut: 0 chars (0 %)\n");
    }
}
