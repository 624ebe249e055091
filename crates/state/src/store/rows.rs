//! The rows of a session: how they are read and written.

use super::{Loaded, Store};
use deadhead_core::internal::session::digest::Digests;
use deadhead_core::internal::session::prefix::Prefix;
use deadhead_core::internal::session::recipe::Recipe;
use deadhead_core::internal::session::{
    Decision, Ledger, NewState, SentPrompt, Session, SessionName,
};
use rusqlite::{OptionalExtension, params};

impl Store {
    pub(super) fn read(&self, name: &str) -> rusqlite::Result<Result<Loaded, String>> {
        let mut session = self
            .connection
            .prepare("SELECT id, revision, last_call, prefix, digests, spent, unpruned, ends FROM session WHERE name = ?1")?;
        let found = session
            .query_row([name], |row| {
                let prefix = row.get_ref(3)?.as_blob()?;
                let prefix = Digests::of_number(row.get(4)?)
                    .and_then(|digests| Prefix::from_bytes(prefix, digests));
                let ledger = Ledger {
                    spent: row.get(5)?,
                    unpruned: row.get(6)?,
                };
                Ok((
                    (row.get(0)?, row.get(1)?),
                    (row.get(2)?, ledger, read_ends(row.get_ref(7)?.as_str()?)),
                    prefix,
                ))
            })
            .optional()?;
        let Some((place, (last_call, ledger, ends), prefix)) = found else {
            return Ok(Ok(Loaded::default()));
        };
        let (id, _): (i64, i64) = place;
        let Some(prefix) = prefix else {
            return Ok(Err(format!("session {name:?} has no prefix")));
        };
        let mut remembered = Session::default();
        (
            remembered.last_call,
            remembered.prefix,
            remembered.ledger,
            remembered.ends,
        ) = (Some(last_call), Some(prefix), ledger, ends);
        let mut decisions =
            self.connection.prepare("SELECT call, source, kind, instead, pass, at, digests FROM decision WHERE session = ?1")?;
        let mut rows = decisions.query([id])?;
        while let Some(row) = rows.next()? {
            let call = row.get::<_, i64>(0)?.cast_unsigned();
            let source: [u8; 16] = row.get(1)?;
            let recipe = Recipe::read(row.get_ref(2)?.as_str()?, row.get_ref(3)?.as_str()?);
            let (Some(recipe), Some(digests)) = (recipe, Digests::of_number(row.get(6)?)) else {
                return Ok(Err(format!(
                    "a decision of session {name:?} cannot be read"
                )));
            };
            let source = u128::from_be_bytes(source);
            remembered.decisions.insert(
                call,
                Decision {
                    call,
                    source,
                    digests,
                    recipe,
                    pass: row.get(4)?,
                    at: row.get(5)?,
                },
            );
        }
        Ok(Ok(Loaded {
            remembered,
            row: Some(place),
        }))
    }

    pub(super) fn put(
        &self,
        name: &SessionName,
        loaded: &Loaded,
        learned: &NewState,
        now: i64,
    ) -> rusqlite::Result<bool> {
        let (prefix, digests) = (learned.prefix.to_bytes(), Digests::Today.number());
        let Ledger { spent, unpruned } = learned.ledger;
        let ends = write_ends(&learned.ends);
        let id = match loaded.row {
            Some((id, revision)) => {
                let mut update = self.connection.prepare(
                    "UPDATE session SET revision = revision + 1, last_call = ?1, runs = runs + 1, prefix = ?2, source = ?3, name = ?4, digests = ?5,
                         spent = ?6, unpruned = ?7, ends = ?8
                     WHERE id = ?9 AND revision = ?10",
                )?;
                if update.execute(params![
                    now,
                    prefix,
                    name.source.word(),
                    name.key,
                    digests,
                    spent,
                    unpruned,
                    ends,
                    id,
                    revision
                ])? == 0
                {
                    return Ok(false);
                }
                id
            }
            None => {
                let mut insert = self.connection.prepare(
                    "INSERT INTO session (name, source, revision, last_call, runs, prefix, digests, spent, unpruned, ends)
                     VALUES (?1, ?2, 1, ?3, 1, ?4, ?5, ?6, ?7, ?8)
                     ON CONFLICT (name) DO NOTHING",
                )?;
                if insert.execute(params![
                    name.key,
                    name.source.word(),
                    now,
                    prefix,
                    digests,
                    spent,
                    unpruned,
                    ends
                ])? == 0
                {
                    return Ok(false);
                }
                self.connection.last_insert_rowid()
            }
        };
        if !(learned.gone.is_empty() && learned.renewed.is_empty()) {
            let mut delete = self
                .connection
                .prepare("DELETE FROM decision WHERE session = ?1 AND call = ?2")?;
            for call in learned
                .gone
                .iter()
                .chain(learned.renewed.iter().map(|(call, _)| call))
            {
                delete.execute(params![id, call.cast_signed()])?;
            }
        }
        if !(learned.made.is_empty() && learned.renewed.is_empty()) {
            let mut insert = self.connection.prepare(
                "INSERT OR REPLACE INTO decision (session, call, source, kind, instead, pass, at, digests)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?;
            for Decision {
                call,
                source,
                digests,
                recipe,
                pass,
                at,
            } in learned
                .renewed
                .iter()
                .map(|(_, new)| new)
                .chain(&learned.made)
            {
                let (source, digests) = (source.to_be_bytes(), digests.number());
                let (kind, instead) = recipe.stored();
                insert.execute(params![
                    id,
                    call.cast_signed(),
                    source,
                    kind,
                    instead,
                    pass,
                    at,
                    digests
                ])?;
            }
        }
        Ok(true)
    }
}

/// Reads prompts as they are stored: `messages:time`, separated by spaces. Former versions stored no times.
fn read_ends(text: &str) -> Vec<SentPrompt> {
    let read = |end: &str| {
        let (length, sent) = end
            .split_once(':')
            .map_or((end, None), |(length, sent)| (length, sent.parse().ok()));
        Some(SentPrompt {
            length: length.parse().ok()?,
            sent,
        })
    };
    text.split_ascii_whitespace().filter_map(read).collect()
}

fn write_ends(ends: &[SentPrompt]) -> String {
    let write = |end: &SentPrompt| {
        end.sent.map_or_else(
            || end.length.to_string(),
            |sent| format!("{}:{sent}", end.length),
        )
    };
    ends.iter().map(write).collect::<Vec<_>>().join(" ")
}
