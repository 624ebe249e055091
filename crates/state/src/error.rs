//! Errors of a state file, each with what to do.

use StateErrorKind::*;
use rusqlite::ErrorCode;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A state file that cannot be used.
#[derive(Debug)]
pub struct StateError {
    /// The file.
    pub path: PathBuf,
    /// The kind of the error.
    pub kind: StateErrorKind,
}

/// The kind of the error.
#[derive(Debug)]
pub enum StateErrorKind {
    /// It cannot be opened or created.
    Open(io::Error),
    /// It does not exist, and this command does not create it.
    Missing,
    /// It is not a database.
    NoDatabase,
    /// It is a database that another program made.
    Foreign,
    /// It was made by another version of this program.
    OtherSchema {
        /// Its schema.
        found: i64,
        /// The schema of this program.
        known: i64,
    },
    /// Another process kept the lock.
    Locked {
        /// The time that this process waited, in milliseconds.
        waited: u64,
    },
    /// It is read-only.
    ReadOnly,
    /// The disk is full.
    Full,
    /// It is damaged.
    Damaged(String),
    /// Another error, as SQLite reports it.
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

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "state file {}: ", self.path.display())?;
        f.write_str(match &self.kind {
            Missing => "there is none; a run with --state makes it",
            NoDatabase => "is no SQLite database, and is left alone; name another file",
            Foreign => "is another program's database, and is left alone; name another file",
            ReadOnly => "cannot be written",
            Full => "cannot be written: the disk is full",
            Other(text) => text,
            Open(error) => return write!(f, "cannot be opened: {error}"),
            OtherSchema { found, known } => {
                return write!(
                    f,
                    "has schema {found}, and this version knows {known}; use the version that made it, or another file"
                );
            }
            Locked { waited } => {
                return write!(
                    f,
                    "is locked by another process, for more than {waited} ms; see state.timeout"
                );
            }
            Damaged(text) => {
                return write!(f, "is damaged ({text}); move it away to start anew");
            }
        })
    }
}

impl std::error::Error for StateError {}
