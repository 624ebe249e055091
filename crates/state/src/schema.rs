//! The tables of a state file, and migrations from older versions.
//!
//! A migration is a step from one number to the next, run in one transaction with the number itself, so that a process killed in
//! the middle leaves the file unchanged. A file of a later number is refused.

use super::error::StateErrorKind;
use rusqlite::{Connection, TransactionBehavior};

/// Marks the file as ours: "dead".
pub(super) const APPLICATION: i64 = 0x6465_6164;

/// The SQL statements from each version to the next. Their number is the newest version.
const MIGRATIONS: [&str; 5] = [
    // 1. Times are milliseconds since 1970. `session.revision` grows with every write, so that a run sees that another
    // one was faster. `decision.call` is the key of a call, `source` the digest of the text it was for.
    "CREATE TABLE session (
         id        INTEGER PRIMARY KEY,
         name      TEXT    NOT NULL UNIQUE,
         source    TEXT    NOT NULL,
         revision  INTEGER NOT NULL,
         last_call INTEGER NOT NULL,
         runs      INTEGER NOT NULL,
         prefix    BLOB    NOT NULL
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
     CREATE INDEX audit_in_order ON audit (workload, id);",
    // 2. The number of the functions that made the digests of a row (`Digests`).
    "ALTER TABLE session ADD COLUMN digests INTEGER NOT NULL DEFAULT 1;
     ALTER TABLE decision ADD COLUMN digests INTEGER NOT NULL DEFAULT 1;",
    // 3. The ledger: what a session has cost, and would have cost without cuts, in millionths of a dollar.
    "ALTER TABLE session ADD COLUMN spent REAL NOT NULL DEFAULT 0;
     ALTER TABLE session ADD COLUMN unpruned REAL NOT NULL DEFAULT 0;",
    // 4. The prompts that the cache has: how many messages each had, a space between two.
    "ALTER TABLE session ADD COLUMN ends TEXT NOT NULL DEFAULT '';",
    // 5. The requests of workloads. `account` is JSON: what was done, by which passes, and what that saved.
    "CREATE TABLE request (
         id       INTEGER PRIMARY KEY,
         at       INTEGER NOT NULL,
         workload TEXT    NOT NULL,
         session  TEXT    NOT NULL,
         account  TEXT    NOT NULL
     ) STRICT;
     CREATE INDEX request_in_order ON request (workload, at, id);
     CREATE INDEX request_of_session ON request (session);",
];

/// The newest schema.
pub const NEWEST: i64 = MIGRATIONS.len() as i64;

/// The state of a file's schema.
pub(super) enum SchemaState {
    /// Ready to be used.
    Ready,
    /// Empty, or of an older schema.
    Behind,
}

/// Examines a file without changing it, in one transaction: another process may be creating it.
pub(super) fn schema_state(
    connection: &Connection,
) -> rusqlite::Result<Result<SchemaState, StateErrorKind>> {
    let moment = connection.unchecked_transaction()?;
    let found = read_state(&moment)?;
    moment.finish()?;
    Ok(found)
}

fn read_state(connection: &Connection) -> rusqlite::Result<Result<SchemaState, StateErrorKind>> {
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let (version, application) = (number("user_version")?, number("application_id")?);
    if application == APPLICATION {
        return Ok(match version {
            NEWEST => Ok(SchemaState::Ready),
            found if found > NEWEST => Err(StateErrorKind::Newer {
                found,
                known: NEWEST,
            }),
            _ => Ok(SchemaState::Behind),
        });
    }
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(if tables == 0 && version == 0 && application == 0 {
        Ok(SchemaState::Behind)
    } else {
        Err(StateErrorKind::Foreign)
    })
}

/// Migrates a file to the newest schema.
pub(super) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    // Cannot be set within a transaction.
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have migrated it first.
    let version: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    for step in MIGRATIONS
        .iter()
        .skip(usize::try_from(version).unwrap_or(0))
    {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", NEWEST)?;
    transaction.commit()
}
