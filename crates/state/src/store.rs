//! The state file: opens it, reads a session, and writes the changes of a run.
//!
//! A write is one short transaction that names the revision on which it is based, so that there is no lock while a transcript is pruned.
//! Commits do not wait for the disk (`synchronous=NORMAL`): a killed process loses nothing, a power failure may lose the last moments,
//! after which the session continues from its older state. [`Store::sync`] waits for all commits at once, which makes them as durable as
//! `FULL` would have made each.

mod rows;

use super::error::{StateError, StateErrorKind};
use super::schema::{SchemaState, migrate, schema_state};
use deadhead_core::internal::session::{NewState, Session, SessionName};
use rusqlite::{Connection, OpenFlags, config::DbConfig};
use std::cell::Cell;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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

/// The size of the write-ahead log from which on it is checkpointed. Every process reads the log when it opens the file, so it must be
/// short; a checkpoint waits for the disk, so it must not be too short.
const LOG: u64 = 1 << 20;

/// An open state file.
#[derive(Debug)]
pub struct Store {
    pub(super) connection: Connection,
    path: PathBuf,
    timeout: Duration,
    /// The size of the log at the last checkpoint.
    log: Cell<u64>,
    /// The folder with the migrated copy of an older file; it is removed with the store.
    #[allow(dead_code, reason = "it is kept for its drop")]
    copy: Option<tempfile::TempDir>,
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
    /// Opens a file. Waits at most `timeout` for the lock of another process.
    ///
    /// # Errors
    /// It cannot be opened, or is not ours.
    pub fn open(path: &Path, access: Access, timeout: Duration) -> Result<Store, StateError> {
        let state_error = |kind| StateError::new(path, kind);
        if access == Access::Write {
            // SQLite would make it readable for all users.
            match OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(path)
            {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(state_error(StateErrorKind::Open(error))),
            }
        }
        match std::fs::metadata(path) {
            Ok(found) if !found.is_file() => {
                return Err(state_error(StateErrorKind::Open(io::Error::other(
                    "is no regular file",
                ))));
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(state_error(StateErrorKind::Missing));
            }
            Err(error) => return Err(state_error(StateErrorKind::Open(error))),
        }
        let until = Instant::now() + timeout;
        loop {
            // SQLite does not wait for every lock while opening a file.
            match Store::try_open(path, access, timeout) {
                Err(error)
                    if matches!(error.kind, StateErrorKind::Locked { .. })
                        && Instant::now() < until =>
                {
                    std::thread::sleep(Duration::from_millis(2));
                }
                opened => return opened,
            }
        }
    }

    fn try_open(path: &Path, access: Access, timeout: Duration) -> Result<Store, StateError> {
        let flags = match access {
            Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
            Access::Write | Access::Existing => OpenFlags::SQLITE_OPEN_READ_WRITE,
        };
        let waited = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
        let sqlite = |error: rusqlite::Error| StateError::sqlite(path, &error, waited);
        let mut connection =
            Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
                .map_err(sqlite)?;
        connection.busy_timeout(timeout).map_err(sqlite)?;
        // SQLite opens a read-only file without an error, which it would report too late.
        if access != Access::Read && connection.is_readonly("main").map_err(sqlite)? {
            return Err(StateError::new(path, StateErrorKind::ReadOnly));
        }
        match schema_state(&connection)
            .map_err(sqlite)?
            .map_err(|kind| StateError::new(path, kind))?
        {
            SchemaState::Behind if access == Access::Read => {
                return Store::migrated_copy(&connection, path, timeout);
            }
            SchemaState::Behind => migrate(&mut connection).map_err(sqlite)?,
            SchemaState::Ready => {}
        }
        if access != Access::Read {
            // With a process for each request, a checkpoint at each exit would wait for the disk. `truncate_log` makes them.
            connection
                .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
                .map_err(sqlite)?;
            connection
                .pragma_update(None, "synchronous", "normal")
                .map_err(sqlite)?;
            connection
                .pragma_update(None, "wal_autocheckpoint", 0)
                .map_err(sqlite)?;
            connection
                .pragma_update(None, "foreign_keys", true)
                .map_err(sqlite)?;
        }
        Ok(Store {
            connection,
            path: path.to_owned(),
            timeout,
            log: Cell::new(0),
            copy: None,
        })
    }

    /// Copies a file of an older schema and migrates the copy, as a file that is only read must not change.
    fn migrated_copy(
        old: &Connection,
        path: &Path,
        timeout: Duration,
    ) -> Result<Store, StateError> {
        let sqlite = |error: rusqlite::Error| StateError::sqlite(path, &error, 0);
        if old
            .pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))
            .map_err(sqlite)?
            == 0
        {
            return Err(StateError::new(path, StateErrorKind::Missing));
        }
        let folder = tempfile::tempdir()
            .map_err(|error| StateError::new(path, StateErrorKind::Open(error)))?;
        let copy = folder.path().join("copy");
        old.execute("VACUUM INTO ?1", [copy.to_string_lossy()])
            .map_err(sqlite)?;
        let store = Store::try_open(&copy, Access::Existing, timeout)?;
        Ok(Store {
            path: path.to_owned(),
            copy: Some(folder),
            ..store
        })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Loads a session, also one stored under the name that former versions gave it.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn find(&self, name: &SessionName) -> Result<Loaded, StateError> {
        let found = self.load(&name.key)?;
        match &name.former {
            Some(former) if found.row.is_none() => self.load(former),
            _ => Ok(found),
        }
    }

    /// Loads the session with this name.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn load(&self, name: &str) -> Result<Loaded, StateError> {
        self.with_path(self.read(name)).and_then(|found| {
            found.map_err(|text| StateError::new(&self.path, StateErrorKind::Damaged(text)))
        })
    }

    /// Stores what a run at `now` learned. If another run has stored first, stores nothing and returns false.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn commit(
        &mut self,
        name: &SessionName,
        loaded: &Loaded,
        learned: &NewState,
        now: i64,
    ) -> Result<bool, StateError> {
        self.lock()?;
        let stored = self.write(name, loaded, learned, now);
        self.release(stored)
    }

    /// Takes the writers' lock.
    ///
    /// # Errors
    /// Another process keeps it for too long.
    pub fn lock(&self) -> Result<(), StateError> {
        self.with_path(self.connection.execute_batch("BEGIN IMMEDIATE"))
    }

    /// Releases the lock; the writes are committed only if `outcome` is true.
    ///
    /// # Errors
    /// That of `outcome`, or the commit fails.
    pub fn release(&self, outcome: Result<bool, StateError>) -> Result<bool, StateError> {
        let kept = match outcome {
            Ok(true) => self
                .with_path(self.connection.execute_batch("COMMIT"))
                .map(|()| true),
            other => other,
        };
        match kept {
            Ok(true) => self.truncate_log(),
            _ => drop(self.connection.execute_batch("ROLLBACK")),
        }
        kept
    }

    /// Checkpoints and truncates a long log, unless others use it. SQLite's own checkpoints keep its length, which tells another process
    /// nothing about what is in it.
    fn truncate_log(&self) {
        let long = std::fs::metadata(self.log_path()).map_or(0, |found| found.len());
        if long < LOG || long.saturating_sub(self.log.get()) < LOG / 4 {
            self.log.set(self.log.get().min(long));
            return;
        }
        self.log.set(long);
        // The commit is done; failing to truncate the log is harmless.
        let _ = self.connection.busy_timeout(Duration::ZERO);
        let _ = self
            .connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        let _ = self.connection.busy_timeout(self.timeout);
    }

    /// Waits until all commits are on the disk.
    ///
    /// # Errors
    /// The disk cannot take it.
    pub fn sync(&self) -> Result<(), StateError> {
        let synced = |path: &Path| match std::fs::File::open(path) {
            Ok(file) => file.sync_all(),
            // The log was checkpointed, which waits for the disk.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        };
        // The file itself must not be opened again: closing it would release SQLite's locks. Its content was synced by the checkpoint;
        // everything newer is in the log.
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
        let mut name = self.path.as_os_str().to_owned();
        name.push("-wal");
        name.into()
    }

    /// Like [`Store::commit`], with the lock held.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(
        &self,
        name: &SessionName,
        loaded: &Loaded,
        learned: &NewState,
        now: i64,
    ) -> Result<bool, StateError> {
        self.with_path(self.put(name, loaded, learned, now))
    }

    /// Runs `work` in a transaction that takes the writers' lock first.
    pub(super) fn transaction<T>(
        &mut self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StateError> {
        self.lock()?;
        let mut answer = None;
        let done = self
            .with_path(work(&self.connection))
            .map(|found| answer = Some(found));
        self.release(done.map(|()| true))?;
        answer.ok_or_else(|| {
            StateError::new(
                &self.path,
                StateErrorKind::Other("nothing was done".to_owned()),
            )
        })
    }

    /// Adds the path to an error of SQLite.
    pub(super) fn with_path<T>(&self, outcome: rusqlite::Result<T>) -> Result<T, StateError> {
        let waited = u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX);
        outcome.map_err(|error| StateError::sqlite(&self.path, &error, waited))
    }
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
