//! The state file: opens it, reads a session, and writes the changes of a run.
//!
//! A write is one short transaction that names the revision on which it is based, so that there is
//! no lock while a transcript is pruned. Commits do not wait for the disk (`synchronous=NORMAL`): a
//! killed process loses nothing, a power failure may lose the last moments, after which the session
//! continues from its older state. [`Store::sync`] waits for all commits at once, which makes them
//! as durable as `FULL` would have made each.

mod rows;

use super::{
    error::{Result, StateError, StateErrorKind},
    files::{LOG as LOG_NAME, lost_commits, make_private, named, synced},
    schema::{EMPTY, FORMER, migrate, version},
};
use deadhead_core::internal::session::Session;
use rusqlite::{
    Connection, OpenFlags, Params, Row, Transaction, TransactionBehavior, config::DbConfig,
};
use std::{
    cell::Cell,
    fs::{DirBuilder, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// The access mode of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// For reading and writing; created if it does not exist.
    Write,
    /// For reading and writing; it must exist.
    Existing,
    /// For reading.
    Read,
}

/// The size of the write-ahead log from which on it is checkpointed. Every process reads the log
/// when it opens the file, so it must be short; a checkpoint waits for the disk, so it must not be
/// too short.
const LOG: u64 = 1 << 20;

/// An open state file.
#[derive(Debug)]
pub struct Store {
    pub(super) connection: Connection,
    path: PathBuf,
    timeout: Duration,
    /// The size of the log at the last checkpoint.
    log: Cell<u64>,
    /// The number of sessions that are kept, and requests are not: a state in memory has no other
    /// limit.
    pub(super) most: Option<u32>,
    /// What the user should know of the file.
    pub warnings: Vec<String>,
}

/// A session as it was read, and the revision on which a write is based.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The stored state of the session.
    pub remembered: Session,
    /// Its row and revision; `None` for a new session.
    row: Option<(i64, i64)>,
}

impl Store {
    /// Opens a file, and makes its folder if it may be made. Waits at most `timeout` for the lock
    /// of another process.
    ///
    /// # Errors
    /// It cannot be opened, or is not ours.
    pub fn open(path: &Path, access: Access, timeout: Duration) -> Result<Store> {
        let mut made = Ok(());
        if access == Access::Write {
            // If the folder cannot be made, opening the file fails and says so.
            let folder = path.parent().unwrap_or(path);
            let _ = DirBuilder::new().recursive(true).mode(0o700).create(folder);
            // SQLite would make it readable for all users.
            let mut options = OpenOptions::new();
            made = options
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(path)
                .map(drop);
        }
        let found = match made {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => std::fs::metadata(path),
        };
        let kind = match found {
            Ok(found) if found.is_file() => None,
            Ok(_) => Some(StateErrorKind::Open(io::Error::other("is no regular file"))),
            Err(error) if access != Access::Write && error.kind() == io::ErrorKind::NotFound => {
                Some(StateErrorKind::Missing)
            }
            Err(error) => Some(StateErrorKind::Open(error)),
        };
        if let Some(kind) = kind {
            return Err(StateError::new(path, kind));
        }
        let lost = lost_commits(path);
        let until = Instant::now() + timeout;
        let mut store = loop {
            // SQLite does not wait for every lock while opening a file.
            match Store::try_open(path, access, timeout) {
                Err(error)
                    if matches!(error.kind, StateErrorKind::Locked { .. })
                        && Instant::now() < until =>
                {
                    std::thread::sleep(Duration::from_millis(2));
                }
                opened => break opened?,
            }
        };
        if let Some(why) = lost {
            let text = format!("{why}: what the last runs cut may be cut otherwise, once");
            store.warnings.push(text);
        }
        if access == Access::Write && make_private(path) {
            let text = "other users had access to it; its mode is 600 now";
            store.warnings.push(text.to_owned());
        }
        Ok(store)
    }

    fn try_open(path: &Path, access: Access, timeout: Duration) -> Result<Store> {
        let flags = match access {
            Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
            Access::Write | Access::Existing => OpenFlags::SQLITE_OPEN_READ_WRITE,
        };
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags);
        Store::of(connection, path, access, timeout)
    }

    /// A state that ends with the process, of the `most` sessions that were used last. The list of
    /// requests is not kept.
    ///
    /// # Errors
    /// SQLite cannot have the memory.
    pub fn in_memory(most: u32) -> Result<Store> {
        let (connection, path) = (Connection::open_in_memory(), Path::new(":memory:"));
        Ok(Store {
            most: Some(most),
            ..Store::of(connection, path, Access::Write, Duration::ZERO)?
        })
    }

    /// Makes the tables where there are none.
    fn of(
        opened: rusqlite::Result<Connection>,
        path: &Path,
        access: Access,
        timeout: Duration,
    ) -> Result<Store> {
        let prepared = opened.and_then(|connection| {
            let refused = prepared(&connection, access, timeout)?;
            Ok((connection, refused))
        });
        match prepared.map_err(|error| StateError::sqlite(path, &error, timeout))? {
            (_, Some(kind)) => Err(StateError::new(path, kind)),
            (connection, None) => Ok(Store {
                connection,
                path: path.to_owned(),
                timeout,
                log: Cell::new(0),
                most: None,
                warnings: Vec::new(),
            }),
        }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes the writers' lock. What is written is undone unless it is committed.
    ///
    /// # Errors
    /// Another process keeps the lock for too long.
    pub fn begin(&self) -> Result<Transaction<'_>> {
        let behavior = TransactionBehavior::Immediate;
        self.with_path(Transaction::new_unchecked(&self.connection, behavior))
    }

    /// Commits what was written, and releases the lock.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn commit(&self, transaction: Transaction<'_>) -> Result<()> {
        self.with_path(transaction.commit())?;
        self.truncate_log();
        Ok(())
    }

    /// Checkpoints and truncates a long log, unless others use it. SQLite's own checkpoints keep
    /// its length, which tells another process nothing about what is in it.
    fn truncate_log(&self) {
        let long = std::fs::metadata(self.log_path()).map_or(0, |found| found.len());
        if long < LOG || long.saturating_sub(self.log.get()) < LOG / 4 {
            self.log.set(self.log.get().min(long));
            return;
        }
        self.log.set(long);
        // The commit is done; failing to truncate the log is harmless.
        let _ = self.connection.busy_timeout(Duration::ZERO);
        let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
        let _ = self.connection.query_row(checkpoint, [], |_| Ok(()));
        let _ = self.connection.busy_timeout(self.timeout);
    }

    /// Waits until all commits are on the disk.
    ///
    /// # Errors
    /// The disk cannot take it.
    pub fn sync(&self) -> Result<()> {
        // The file itself must not be opened again: closing it would release SQLite's locks. Its
        // content was synced by the checkpoint; everything newer is in the log.
        let folder = self
            .path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        synced(&self.log_path())
            .and_then(|()| synced(folder))
            .map_err(|error| StateError::new(&self.path, StateErrorKind::Open(error)))
    }

    /// Returns the path of the write-ahead log.
    pub(super) fn log_path(&self) -> PathBuf {
        named(&self.path, LOG_NAME)
    }

    /// Runs `work` in a transaction that takes the writers' lock first.
    pub(super) fn transaction<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let transaction = self.begin()?;
        let answer = self.with_path(work(&transaction))?;
        self.commit(transaction)?;
        Ok(answer)
    }

    /// Returns what `read` makes of each row that is selected.
    pub(super) fn select<T>(
        &self,
        select: &str,
        values: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        self.with_path((|| {
            self.connection
                .prepare_cached(select)?
                .query_map(values, read)?
                .collect()
        })())
    }

    /// Returns the error of a file whose content makes no sense.
    pub(super) fn damaged(&self, text: String) -> StateError {
        StateError::new(&self.path, StateErrorKind::Damaged(text))
    }

    /// Adds the path to an error of SQLite.
    pub(super) fn with_path<T>(&self, outcome: rusqlite::Result<T>) -> Result<T> {
        outcome.map_err(|error| StateError::sqlite(&self.path, &error, self.timeout))
    }
}

/// Makes the tables where there are none, and sets how the file is used. Returns why it is not
/// used.
fn prepared(
    connection: &Connection,
    access: Access,
    timeout: Duration,
) -> rusqlite::Result<Option<StateErrorKind>> {
    connection.busy_timeout(timeout)?;
    let writes = access != Access::Read;
    // SQLite opens a read-only file without an error, which it would report too late.
    if writes && connection.is_readonly("main")? {
        return Ok(Some(StateErrorKind::ReadOnly));
    }
    match version(connection)? {
        Err(kind) => return Ok(Some(kind)),
        Ok(EMPTY) if !writes => return Ok(Some(StateErrorKind::Missing)),
        Ok(EMPTY | FORMER) if writes => migrate(connection)?,
        Ok(_) => {}
    }
    if writes {
        // With a process for each request, a checkpoint at each exit would wait for the disk.
        // `truncate_log` makes them.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        for (setting, value) in [
            ("synchronous", "normal"),
            ("wal_autocheckpoint", "0"),
            ("foreign_keys", "1"),
        ] {
            connection.pragma_update(None, setting, value)?;
        }
    }
    Ok(None)
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
