//! Maintenance of a state file: list sessions, forget them, reclaim disk space.

use super::{Result, Store};
use rusqlite::types::Value;
use serde::Serialize;

/// A row of the list of sessions.
#[derive(Debug, Serialize)]
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
#[derive(Clone, Debug, Serialize)]
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
    pub fn sessions(&self) -> Result<Vec<SessionRow>> {
        let all = "SELECT name, source, last_call, runs,
                       (SELECT count(*) FROM decision WHERE session = id AND kind = 'trim'),
                       (SELECT count(*) FROM decision WHERE session = id AND kind = 'clear'),
                       (SELECT count(*) FROM decision WHERE session = id AND kind NOT IN ('trim', 'clear'))
                   FROM session ORDER BY last_call DESC, name";
        self.select(all, [], |row| {
            let (name, source, last_call, runs, trims, clears, others) = row.try_into()?;
            let [runs, trims, clears, others] =
                [runs, trims, clears, others].map(i64::cast_unsigned);
            Ok(SessionRow {
                name,
                source,
                last_call,
                runs,
                trims,
                clears,
                others,
            })
        })
    }

    /// Returns the stored cuts of a session, oldest first; `None` if there is no such session.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn cuts(&self, name: &str) -> Result<Option<Vec<CutRow>>> {
        let session = "SELECT id FROM session WHERE name = ?1";
        let found = self.select(session, [name], |row| row.get::<_, i64>(0))?;
        let Some(id) = found.first() else {
            return Ok(None);
        };
        let all = "SELECT format('%016x', call), kind, instead, pass, at FROM decision WHERE session = ?1 ORDER BY at, call";
        let cuts = self.select(all, [id], |row| {
            let (call, kind, instead, pass, at) = row.try_into()?;
            Ok(CutRow {
                call,
                kind,
                instead,
                pass,
                at,
            })
        })?;
        Ok(Some(cuts))
    }

    /// Removes sessions with their cuts and requests; returns their number. Scores and events of
    /// workloads stay.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn forget(&mut self, which: Forget<'_>) -> Result<u64> {
        let (condition, requests, value) = match which {
            Forget::Name(name) => ("name = ?1", "session = ?1", Value::Text(name.to_owned())),
            Forget::Before(time) => ("last_call < ?1", "at < ?1", Value::Integer(time)),
            Forget::All => ("?1 IS NULL", "?1 IS NULL", Value::Null),
        };
        self.transaction(|connection| {
            let sessions = format!("session WHERE {condition}");
            let decisions = format!("decision WHERE session IN (SELECT id FROM {sessions})");
            let delete = |rows: &str| connection.execute(&format!("DELETE FROM {rows}"), [&value]);
            delete(&decisions)?;
            delete(&format!("request WHERE {requests}"))?;
            Ok(delete(&sessions)? as u64)
        })
    }

    /// Returns unused space to the disk, with the file locked. Returns the numbers of bytes before
    /// and after.
    ///
    /// # Errors
    /// Another process uses the file, or it cannot be written.
    pub fn vacuum(&mut self) -> Result<(u64, u64)> {
        let before = self.bytes();
        let vacuum = "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)";
        self.with_path(self.connection.execute_batch(vacuum))?;
        Ok((before, self.bytes()))
    }

    /// Returns the size of the file on the disk in bytes, its log included.
    pub fn bytes(&self) -> u64 {
        [self.path(), &self.log_path()]
            .iter()
            .filter_map(|path| Some(std::fs::metadata(path).ok()?.len()))
            .sum()
    }
}
