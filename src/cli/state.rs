//! `deadhead state`: shows the content of a state file and deletes parts of it.

use super::*;

use anyhow::Error;
use deadhead_core::{
    internal::cache_policy::{LastCall, timestamp},
    settings::parse_duration,
};
use deadhead_state::{
    Access, StateError, StateErrorKind, Store,
    files::{BESIDE, named},
    maintenance::{self, CutRow, Forget, SessionRow},
};

/// The time that a command waits for a lock.
const PATIENCE: Duration = Duration::from_secs(5);

/// The files of a state, which nobody may print into.
pub fn reads(path: &Path) -> ReadFiles {
    ReadFiles::new(&[], &BESIDE.map(|beside| named(path, beside)))
}

/// Opens a state file, unless somebody else may have planted it or one of the files beside it.
pub fn open(path: &Path, access: Access, patience: Duration) -> Result<Store, StateError> {
    for beside in BESIDE {
        folder::refuse_planted(&named(path, beside))
            .map_err(|error| StateError::new(path, StateErrorKind::Open(error)))?;
    }
    let store = Store::open(path, access, patience)?;
    for text in &store.warnings {
        let name = path.display().to_string();
        stderr_line!("deadhead: warning: state file {}: {text}", escape(&name));
    }
    Ok(store)
}

/// Runs `deadhead state …`.
pub fn run(command: StateCommand) -> Result<Verdict> {
    use StateCommand::*;
    let (Show { state, .. } | Audit { state, .. } | Forget { state, .. } | Vacuum { state, .. }) =
        &command;
    streams::refuse(&reads(state), true)?;
    let access = match command {
        Show { .. } | Audit { .. } => Access::Read,
        Forget { .. } | Vacuum { .. } => Access::Existing,
    };

    let mut store = open(state, access, PATIENCE)?;
    let text = match &command {
        Show { session, json, .. } => show(&store, session.as_deref(), *json)?,
        Audit {
            workload,
            since,
            report_format,
            now,
            ..
        } => {
            let now = times::now(now)?;
            let since = since.as_ref().map_or(Ok(i64::MIN), |since| {
                match times::time_or_age("--since", since)? {
                    LastCall::Ago(age) => Ok(now.saturating_sub_unsigned(age)),
                    LastCall::At(time) | LastCall::Stored(time) => anyhow::Ok(time),
                }
            })?;
            audit::listing(&store.requests(workload, since)?, *report_format)
        }
        Forget {
            sessions,
            older_than,
            all,
            now,
            json,
            ..
        } => {
            let gone = match older_than {
                _ if *all => store.forget(maintenance::Forget::All)?,
                Some(age) => {
                    let Ok(age) = parse_duration(age) else {
                        bail!("--older-than {age}: expected an age such as 30d")
                    };
                    store.forget(maintenance::Forget::Before(
                        times::now(now)?.saturating_sub_unsigned(age),
                    ))?
                }
                None => forget(&mut store, sessions)?,
            };
            if *json {
                pretty(&json!({"forgotten": gone}))?
            } else {
                format!("{} forgotten\n", counted(gone, "session"))
            }
        }
        Vacuum { json, .. } => {
            let (before, after) = store.vacuum()?;
            if *json {
                pretty(&json!({"bytesBefore": before, "bytesAfter": after}))?
            } else {
                resized(before, after, "bytes") + "\n"
            }
        }
    };
    streams::print(text)
}

/// Lists the sessions, or the cuts of one.
fn show(store: &Store, session: Option<&str>, json: bool) -> Result<String> {
    let Some(name) = session else {
        let sessions = store.sessions()?;
        return if json {
            pretty(&json!({"bytes": store.bytes(), "sessions": sessions}))
        } else {
            Ok(printed(listing(&sessions, store.bytes())))
        };
    };
    let Some(cuts) = store.cuts(name)? else {
        return Err(unknown(store, name));
    };
    if json {
        pretty(&json!({"session": name, "cuts": cuts}))
    } else {
        Ok(printed(cuts_of(name, &cuts)))
    }
}

/// Forgets sessions by their names; returns their number.
fn forget(store: &mut Store, sessions: &[String]) -> Result<u64> {
    let mut gone = 0;
    for name in sessions {
        match store.forget(Forget::Name(name))? {
            0 => return Err(unknown(store, name)),
            n => gone += n,
        }
    }
    Ok(gone)
}

fn unknown(store: &Store, name: &str) -> Error {
    anyhow!(
        "{}: there is no session {name:?}; `deadhead state show` lists them",
        store.path().display()
    )
}

pub fn pretty(value: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}

fn listing(sessions: &[SessionRow], bytes: u64) -> Document<'static> {
    let sessions_of = counted(sessions.len() as u64, "session");
    let mut document = Document::new("", format!("{sessions_of}, {}", counted(bytes, "byte")));
    document.table(Table::new(
        sessions,
        &[
            ("last call", Left, |row| timestamp(row.last_call)),
            ("runs", Right, |row| commas(row.runs)),
            ("trimmed", Right, |row| commas(row.trims)),
            ("cleared", Right, |row| commas(row.clears)),
            ("others", Right, |row| commas(row.others)),
            ("name from", Left, |row| row.source.clone()),
            ("session", Text, |row| row.name.clone()),
        ],
    ));
    document
}

fn cuts_of(name: &str, cuts: &[CutRow]) -> Document<'static> {
    let mut document = Document::new(name.to_owned(), counted(cuts.len() as u64, "cut"));
    document.table(Table::new(
        cuts,
        &[
            ("at", Left, |row| timestamp(row.at)),
            ("cut", Left, |row| row.kind.clone()),
            ("by", Left, |row| row.pass.clone()),
            ("call", Left, |row| row.call.clone()),
            ("instead", Text, |row| row.instead.clone()),
        ],
    ));
    document
}
