//! The rows of a session: how they are read and written.

use super::{super::error::Result, Loaded, Store};
use deadhead_core::internal::session::{
    Decision, Ledger, NewState, SentPrompt, Session, SessionName, prefix::Prefix, recipe::Recipe,
};
use rusqlite::{OptionalExtension, Row, params};

impl Store {
    /// Loads the session with this name.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn load(&self, name: &str) -> Result<Loaded> {
        let select = "SELECT id, revision, last_call, prefix, spent, unpruned, ends FROM session WHERE name = ?1";
        let read = |row: &Row<'_>| {
            let mut session = Session::default();
            session.last_call = row.get(2)?;
            session.prefix = Prefix::from_bytes(row.get_ref(3)?.as_blob()?);
            session.ledger = Ledger {
                spent: row.get(4)?,
                unpruned: row.get(5)?,
            };
            session.ends = read_ends(row.get_ref(6)?.as_str()?);
            Ok((row.get(0)?, row.get(1)?, session))
        };
        let found = self.connection.prepare_cached(select);
        let found = found.and_then(|mut found| found.query_row([name], read).optional());
        let Some((id, revision, mut remembered)) = self.with_path(found)? else {
            return Ok(Loaded::default());
        };
        if remembered.prefix.is_none() {
            return Err(self.damaged(format!("session {name:?} has no prefix")));
        }
        let select =
            "SELECT call, source, kind, instead, pass, at FROM decision WHERE session = ?1";
        let decisions: Vec<Option<Decision>> = self.select(select, [id], |row| {
            let recipe = Recipe::read(row.get_ref(2)?.as_str()?, row.get_ref(3)?.as_str()?);
            let (call, source) = (row.get::<_, i64>(0)?, row.get(1)?);
            let (pass, at) = (row.get(4)?, row.get(5)?);
            Ok(recipe.map(|recipe| Decision {
                call: call.cast_unsigned(),
                source: u128::from_be_bytes(source),
                recipe,
                pass,
                at,
            }))
        })?;
        for decision in decisions {
            let decision = decision.ok_or_else(|| {
                self.damaged(format!("a decision of session {name:?} cannot be read"))
            })?;
            remembered.decisions.insert(decision.call, decision);
        }
        Ok(Loaded {
            remembered,
            row: Some((id, revision)),
        })
    }

    /// Stores what a run at `now` learned, with the lock held. If another run has stored first,
    /// stores nothing and returns false.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(
        &self,
        name: &SessionName,
        loaded: &Loaded,
        learned: &NewState,
        now: i64,
    ) -> Result<bool> {
        let put = || {
            let (id, revision) = loaded.row.unzip();
            let Ledger { spent, unpruned } = learned.ledger;
            // A session that was forgotten meanwhile is not made again: it would lack the cuts that
            // were kept.
            let upsert = "INSERT INTO session (name, source, revision, last_call, runs, prefix, spent, unpruned, ends)
                 SELECT ?1, ?2, 1, ?3, 1, ?4, ?5, ?6, ?7 WHERE ?8 IS NULL OR EXISTS (SELECT 1 FROM session WHERE id = ?8)
                 ON CONFLICT (name) DO UPDATE SET revision = revision + 1, last_call = excluded.last_call, runs = runs + 1,
                     source = excluded.source, prefix = excluded.prefix, spent = excluded.spent, unpruned = excluded.unpruned, ends = excluded.ends
                 WHERE id = ?8 AND revision = ?9 RETURNING id";
            let values = params![
                name.key,
                name.source,
                now,
                learned.prefix.to_bytes(),
                spent,
                unpruned,
                write_ends(&learned.ends),
                id,
                revision
            ];
            let Some(id): Option<i64> = self
                .connection
                .prepare_cached(upsert)?
                .query_row(values, |row| row.get(0))
                .optional()?
            else {
                return Ok(false);
            };
            if let (Some(most), None) = (self.most, loaded.row) {
                let forget = "DELETE FROM session WHERE ?1 < (SELECT count(*) FROM session)
                     AND id = (SELECT id FROM session WHERE id <> ?2 ORDER BY last_call, id LIMIT 1)";
                let mut forget = self.connection.prepare_cached(forget)?;
                forget.execute([i64::from(most), id])?;
            }
            let delete = "DELETE FROM decision WHERE session = ?1 AND call = ?2";
            let mut delete = self.connection.prepare_cached(delete)?;
            for call in &learned.gone {
                delete.execute(params![id, call.cast_signed()])?;
            }
            let mut insert = self.connection.prepare_cached(
                "INSERT OR REPLACE INTO decision (session, call, source, kind, instead, pass, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?;
            for made in &learned.made {
                let (kind, instead) = made.recipe.stored();
                insert.execute(params![
                    id,
                    made.call.cast_signed(),
                    made.source.to_be_bytes(),
                    kind,
                    instead,
                    made.pass,
                    made.at
                ])?;
            }
            Ok(true)
        };
        self.with_path(put())
    }
}

/// Reads prompts as they are stored: `messages:time`, separated by spaces. Former versions stored
/// no times.
fn read_ends(text: &str) -> Vec<SentPrompt> {
    let read = |end: &str| {
        let (length, sent) = end.split_once(':').unwrap_or((end, ""));
        Some(SentPrompt {
            length: length.parse().ok()?,
            sent: sent.parse().ok(),
        })
    };
    text.split_ascii_whitespace().filter_map(read).collect()
}

fn write_ends(ends: &[SentPrompt]) -> String {
    let write = |end: &SentPrompt| match end.sent {
        Some(sent) => format!("{}:{sent}", end.length),
        None => end.length.to_string(),
    };
    ends.iter().map(write).collect::<Vec<_>>().join(" ")
}
