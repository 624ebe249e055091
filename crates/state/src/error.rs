//! Errors of a state file, each with what to do.

use StateErrorKind::*;
use rusqlite::ErrorCode;
use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};
use thiserror::Error;

/// What may fail, mostly with a [`StateError`].
pub type Result<T, E = StateError> = std::result::Result<T, E>;

/// A state file that cannot be used.
#[derive(Debug, Error)]
#[error("state file {}: {kind}", path.display())]
pub struct StateError {
    /// The file.
    pub path: PathBuf,
    /// The kind of the error.
    pub kind: StateErrorKind,
}

/// The kind of the error.
#[derive(Debug, Error)]
pub enum StateErrorKind {
    /// It cannot be opened or created.
    #[error("cannot be opened: {0}")]
    Open(io::Error),
    /// It does not exist, and this command does not create it.
    #[error("there is none; a run with --state makes it")]
    Missing,
    /// It is not a database.
    #[error("is no SQLite database, and is left alone; name another file")]
    NoDatabase,
    /// It is a database that another program made.
    #[error("is another program's database, and is left alone; name another file")]
    Foreign,
    /// It was made by another version of this program.
    #[error(
        "has schema {found}, and this version knows {known}; use the version that made it, or another file"
    )]
    OtherSchema {
        /// Its schema.
        found: i64,
        /// The schema of this program.
        known: i64,
    },
    /// Another process kept the lock.
    #[error("is locked by another process, for more than {waited} ms; see state.timeout")]
    Locked {
        /// The time that this process waited, in milliseconds.
        waited: u64,
    },
    /// It is read-only.
    #[error("cannot be written")]
    ReadOnly,
    /// The disk is full.
    #[error("cannot be written: the disk is full")]
    Full,
    /// It is damaged.
    #[error("is damaged ({0}); move it away to start anew")]
    Damaged(String),
    /// Another error, as SQLite reports it.
    #[error("{0}")]
    Other(String),
}

impl From<StateError> for deadhead_core::Error {
    fn from(error: StateError) -> deadhead_core::Error {
        deadhead_core::Error::State(Box::new(error))
    }
}

impl StateError {
    /// Creates an error of the file at `path`.
    pub fn new(path: &Path, kind: StateErrorKind) -> StateError {
        StateError {
            path: path.to_owned(),
            kind,
        }
    }

    /// Makes an error from an error of SQLite that occurred after a wait of up to `timeout`.
    pub(super) fn sqlite(path: &Path, error: &rusqlite::Error, timeout: Duration) -> StateError {
        let text = || match error {
            rusqlite::Error::SqliteFailure(_, Some(text)) => text.clone(),
            error => error.to_string(),
        };
        let kind = match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Locked {
                waited: u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX),
            },
            Some(ErrorCode::NotADatabase) => NoDatabase,
            Some(ErrorCode::ReadOnly) => ReadOnly,
            Some(ErrorCode::DiskFull) => Full,
            Some(ErrorCode::DatabaseCorrupt) => Damaged(text()),
            Some(ErrorCode::CannotOpen) => Open(io::Error::other(
                "its folder must exist, and allow files beside it",
            )),
            _ => Other(text()),
        };
        StateError::new(path, kind)
    }
}
