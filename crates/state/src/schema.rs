//! The tables of a state file.
//!
//! They are made, or brought from the schema before, in one transaction with their number, so that
//! a process killed in the middle leaves the file unchanged. A file of another number is refused.

use super::error::StateErrorKind;
use rusqlite::{Connection, Transaction, TransactionBehavior};

/// Marks the file as ours: "dead".
pub const APPLICATION: i64 = 0x6465_6164;

/// The number of the schema.
pub const NEWEST: i64 = 6;
/// The schema before, whose files can be read as they are.
pub const FORMER: i64 = 5;
/// The number of a file that has no tables yet.
pub const EMPTY: i64 = 0;

/// Makes the tables. Times are milliseconds since 1970. `session.revision` grows with every write,
/// so that a run sees that another one was faster; `spent` and `unpruned` are the ledger, in
/// millionths of a dollar; `ends` are the prompts that the cache has. `decision.call` is the key of
/// a call, `source` the digest of the text it was for. `request.account` is JSON: what was done, by
/// which passes, and what that saved.
const SCHEMA: &str = include_str!("schema.sql");

/// Brings the tables from the schema before.
const FROM_FORMER: &str = "ALTER TABLE session DROP COLUMN digests;
 ALTER TABLE decision DROP COLUMN digests;";

/// Returns the number of a file's schema: [`EMPTY`], [`FORMER`] or [`NEWEST`]. It is read in one
/// transaction, as another process may be creating the file.
pub fn version(connection: &Connection) -> rusqlite::Result<Result<i64, StateErrorKind>> {
    let moment = connection.unchecked_transaction()?;
    let number = |pragma| moment.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let (version, application) = (number("user_version")?, number("application_id")?);
    let tables = "SELECT count(*) FROM sqlite_schema";
    let tables: i64 = moment.query_row(tables, [], |row| row.get(0))?;
    moment.finish()?;
    Ok(match (application, version) {
        (APPLICATION, EMPTY | FORMER | NEWEST) => Ok(version),
        (APPLICATION, found) => Err(StateErrorKind::OtherSchema {
            found,
            known: NEWEST,
        }),
        (0, EMPTY) if tables == 0 => Ok(EMPTY),
        _ => Err(StateErrorKind::Foreign),
    })
}

/// Brings a file to the newest schema.
pub fn migrate(connection: &Connection) -> rusqlite::Result<()> {
    // Cannot be set within a transaction.
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    // Another process may have done it first.
    match transaction.pragma_query_value(None, "user_version", |row| row.get(0))? {
        EMPTY => transaction.execute_batch(SCHEMA)?,
        FORMER => transaction.execute_batch(FROM_FORMER)?,
        _ => {}
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", NEWEST)?;
    transaction.commit()
}
