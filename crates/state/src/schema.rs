//! The tables of a state file.
//!
//! They are made, or brought from the schema before, in one transaction with their number, so that a process killed in the middle leaves
//! the file unchanged. A file of another number is refused.

use super::error::StateErrorKind;
use rusqlite::{Connection, TransactionBehavior};

/// Marks the file as ours: "dead".
pub(super) const APPLICATION: i64 = 0x6465_6164;

/// The number of the schema.
pub const NEWEST: i64 = 6;
/// The schema before, whose files can be read as they are.
pub(super) const FORMER: i64 = 5;
/// The number of a file that has no tables yet.
pub(super) const EMPTY: i64 = 0;

/// Makes the tables. Times are milliseconds since 1970. `session.revision` grows with every write, so that a run sees that another one was
/// faster; `spent` and `unpruned` are the ledger, in millionths of a dollar; `ends` are the prompts that the cache has. `decision.call` is
/// the key of a call, `source` the digest of the text it was for. `request.account` is JSON: what was done, by which passes, and what that
/// saved.
const SCHEMA: &str = "CREATE TABLE session (
     id        INTEGER PRIMARY KEY,
     name      TEXT    NOT NULL UNIQUE,
     source    TEXT    NOT NULL,
     revision  INTEGER NOT NULL,
     last_call INTEGER NOT NULL,
     runs      INTEGER NOT NULL,
     prefix    BLOB    NOT NULL,
     spent     REAL    NOT NULL,
     unpruned  REAL    NOT NULL,
     ends      TEXT    NOT NULL
 ) STRICT;
 CREATE TABLE decision (
     session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
     call    INTEGER NOT NULL,
     source  BLOB    NOT NULL CHECK (length(source) = 16),
     kind    TEXT    NOT NULL,
     instead TEXT    NOT NULL,
     pass    TEXT    NOT NULL,
     at      INTEGER NOT NULL,
     PRIMARY KEY (session, call)
 ) STRICT, WITHOUT ROWID;
 CREATE TABLE score (
     id       INTEGER PRIMARY KEY,
     workload TEXT    NOT NULL,
     stack    TEXT    NOT NULL,
     arm      TEXT    NOT NULL CHECK (arm IN ('pruned', 'control')),
     score    REAL    NOT NULL,
     at       INTEGER NOT NULL
 ) STRICT;
 CREATE INDEX score_in_order ON score (workload, stack, arm, id);
 CREATE TABLE gate (
     workload TEXT    NOT NULL,
     stack    TEXT    NOT NULL,
     since    INTEGER NOT NULL,
     retired  INTEGER,
     reason   TEXT,
     PRIMARY KEY (workload, stack)
 ) STRICT, WITHOUT ROWID;
 CREATE TABLE audit (
     id       INTEGER PRIMARY KEY,
     at       INTEGER NOT NULL,
     workload TEXT    NOT NULL,
     stack    TEXT    NOT NULL,
     event    TEXT    NOT NULL,
     reason   TEXT    NOT NULL
 ) STRICT;
 CREATE INDEX audit_in_order ON audit (workload, id);
 CREATE TABLE request (
     id       INTEGER PRIMARY KEY,
     at       INTEGER NOT NULL,
     workload TEXT    NOT NULL,
     session  TEXT    NOT NULL,
     account  TEXT    NOT NULL
 ) STRICT;
 CREATE INDEX request_in_order ON request (workload, at, id);
 CREATE INDEX request_of_session ON request (session);";

/// Brings the tables from the schema before.
const FROM_FORMER: &str = "ALTER TABLE session DROP COLUMN digests;
 ALTER TABLE decision DROP COLUMN digests;";

/// Returns the number of a file's schema: [`EMPTY`], [`FORMER`] or [`NEWEST`]. It is read in one transaction, as another process may be
/// creating the file.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<Result<i64, StateErrorKind>> {
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
pub(super) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    // Cannot be set within a transaction.
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
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
