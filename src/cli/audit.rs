//! `deadhead state audit`: lists what was done to the requests of a workload.

use super::*;
use crate::report::number_format::signed;
use deadhead_state::requests::{Account, Mechanic, RequestRow};

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

/// The sums, and a line for each request.
fn table(rows: &[RequestRow]) -> String {
    let sum = |of: fn(&Account) -> u64| rows.iter().map(|row| of(&row.account)).sum::<u64>();
    let (before, after) = (
        sum(|account| account.chars_before),
        sum(|account| account.chars_after),
    );
    let cut = rows.iter().filter(|row| !row.account.mechanics.is_empty());
    let requests = counted(rows.len() as u64, "request");
    let mut document = Document::new(
        "",
        format!(
            "{requests}, {} cut: {}",
            commas(cut.count() as u64),
            resized(before, after, "chars")
        ),
    );
    document.table(Table::new(
        rows,
        &[
            ("time", Left, RequestRow::time),
            ("session", Name, |row| row.session.clone()),
            ("messages", Right, |row| {
                change(row.account.messages_before, row.account.messages_after)
            }),
            ("chars", Right, |row| {
                change(row.account.chars_before, row.account.chars_after)
            }),
            ("tokens saved", Right, |row| {
                let (before, after) = (row.account.tokens_before, row.account.tokens_after);
                commas(i128::from(before) - i128::from(after))
            }),
            // What the new cuts save at the provider's cache.
            ("$ saved", Right, |row| {
                let usd = row.account.usd_before.zip(row.account.usd_after);
                usd.map_or(String::new(), |(before, after)| signed(before - after))
            }),
            ("mechanics", Text, |row| {
                match (&row.account.mechanics[..], row.account.retired) {
                    ([], true) => "none: the workload is retired".to_owned(),
                    ([], false) => "none".to_owned(),
                    (all, _) => {
                        let each = |one: &Mechanic| format!("{} {}", one.name, commas(one.cuts));
                        joined(all.iter().map(each), ", ")
                    }
                }
            }),
        ],
    ));
    printed(document)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_nothing_is_its_sum() {
        assert_eq!(table(&[]), "0 requests, 0 cut: 0 chars (0 %)\n");
    }
}
