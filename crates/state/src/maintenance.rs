//! Maintenance of a state file: list sessions, forget them, reclaim disk space.

use super::{StateError, Store};
use rusqlite::{OptionalExtension, params, types::Value};
use serde::Serialize;

/// A row of the list of sessions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionRow {
    /// Its name.
    pub name: String,
    /// The source of the name.
    pub source: String,
    /// Its last call, in milliseconds since 1970.
    pub last_call: i64,
    /// The number of runs.
    pub runs: u64,
    /// The number of stored trims.
    pub trims: u64,
    /// The number of results that were cleared.
    pub clears: u64,
    /// The number of other cuts.
    pub others: u64,
}

/// A row of the list of cuts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CutRow {
    /// Key of the result: a hash of its call's id.
    pub call: String,
    /// `trim`, `clear` or `drop`.
    pub kind: String,
    /// The replacement, as JSON.
    pub instead: String,
    /// The pass that made it.
    pub pass: String,
    /// Time in milliseconds since 1970.
    pub at: i64,
}

/// The selection of sessions to forget.
#[derive(Clone, Copy, Debug)]
pub enum Forget<'a> {
    /// The session with this name.
    Name(&'a str),
    /// All sessions whose last call was before this time.
    Before(i64),
    /// All sessions.
    All,
}

impl Store {
    /// Returns all sessions, the one used last first.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn sessions(&self) -> Result<Vec<SessionRow>, StateError> {
        let all = "SELECT name, source, last_call, runs,
                       (SELECT count(*) FROM decision WHERE session = id AND kind = 'trim'),
                       (SELECT count(*) FROM decision WHERE session = id AND kind = 'clear'),
                       (SELECT count(*) FROM decision WHERE session = id AND kind NOT IN ('trim', 'clear'))
                   FROM session ORDER BY last_call DESC, name";
        self.with_path((|| {
            let mut select = self.connection.prepare(all)?;
            let rows = select.query_map([], |row| {
                let count = |i| row.get::<_, i64>(i).map(i64::cast_unsigned);
                Ok(SessionRow {
                    name: row.get(0)?,
                    source: row.get(1)?,
                    last_call: row.get(2)?,
                    runs: count(3)?,
                    trims: count(4)?,
                    clears: count(5)?,
                    others: count(6)?,
                })
            })?;
            rows.collect()
        })())
    }

    /// Returns the stored cuts of a session, oldest first; `None` if there is no such session.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn cuts(&self, name: &str) -> Result<Option<Vec<CutRow>>, StateError> {
        self.with_path((|| {
            let id: Option<i64> =
                self.connection.query_row("SELECT id FROM session WHERE name = ?1", [name], |row| row.get(0)).optional()?;
            let Some(id) = id else { return Ok(None) };
            let all = "SELECT call, kind, instead, pass, at FROM decision WHERE session = ?1 ORDER BY at, call";
            let mut select = self.connection.prepare(all)?;
            let rows = select.query_map([id], |row| {
                let call = format!("{:016x}", row.get::<_, i64>(0)?);
                Ok(CutRow { call, kind: row.get(1)?, instead: row.get(2)?, pass: row.get(3)?, at: row.get(4)? })
            })?;
            rows.collect::<rusqlite::Result<_>>().map(Some)
        })())
    }

    /// Removes sessions with their cuts and requests; returns their number. Scores and events of workloads stay.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn forget(&mut self, which: Forget<'_>) -> Result<u64, StateError> {
        let (condition, requests, value) = match which {
            Forget::Name(name) => ("name = ?1", "session = ?1", Value::Text(name.to_owned())),
            Forget::Before(time) => ("last_call < ?1", "at < ?1", Value::Integer(time)),
            Forget::All => ("?1 IS NULL", "?1 IS NULL", Value::Null),
        };
        self.transaction(|connection| {
            let decisions = format!(
                "DELETE FROM decision WHERE session IN (SELECT id FROM session WHERE {condition})"
            );
            connection.execute(&decisions, params![value])?;
            connection.execute(
                &format!("DELETE FROM request WHERE {requests}"),
                params![value],
            )?;
            let gone = connection.execute(
                &format!("DELETE FROM session WHERE {condition}"),
                params![value],
            )?;
            Ok(gone as u64)
        })
    }

    /// Returns unused space to the disk, with the file locked. Returns the numbers of bytes before and after.
    ///
    /// # Errors
    /// Another process uses the file, or it cannot be written.
    pub fn vacuum(&mut self) -> Result<(u64, u64), StateError> {
        let before = self.bytes();
        self.with_path(self.connection.execute_batch("VACUUM"))?;
        self.with_path(
            self.connection
                .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())),
        )?;
        Ok((before, self.bytes()))
    }

    /// Returns the size of the file on the disk in bytes, its log included.
    pub fn bytes(&self) -> u64 {
        [self.path(), &self.log_path()]
            .iter()
            .filter_map(|path| std::fs::metadata(path).ok())
            .map(|m| m.len())
            .sum()
    }
}
