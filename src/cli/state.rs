//! `deadhead state`: shows the content of a state file and deletes parts of it.

use super::identity::ReadFiles;
use super::{StateCommand, Verdict, audit, folder, streams, times};
use anyhow::{Result, bail};
use deadhead_core::internal::cache_policy::{LastCall, timestamp};
use deadhead_core::internal::terminal_text::escape;
use deadhead_core::settings::parse_duration;
use deadhead_state::maintenance::{CutRow, Forget, SessionRow};
use deadhead_state::{Access, StateError, StateErrorKind, Store};
use serde::Serialize;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Ends of the names of a state file and of those that SQLite keeps beside it.
const BESIDE: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// The time that a command waits for a lock.
const PATIENCE: Duration = Duration::from_secs(5);

/// The files of a state, which nobody may print into.
pub fn reads(path: &Path) -> ReadFiles {
    ReadFiles::new(&[], &BESIDE.map(|beside| named(path, beside)))
}

/// Opens a state file, unless somebody else may have planted it or one of the files beside it.
pub fn open(path: &Path, access: Access, patience: Duration) -> Result<Store, StateError> {
    for beside in BESIDE {
        folder::refuse_planted(&named(path, beside)).map_err(|error| StateError {
            path: path.to_owned(),
            kind: StateErrorKind::Open(error),
        })?;
    }
    Store::open(path, access, patience)
}

fn named(path: &Path, beside: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(beside);
    name.into()
}

/// Runs `deadhead state …`.
pub fn run(command: StateCommand) -> Result<Verdict> {
    let (StateCommand::Show { state, .. }
    | StateCommand::Audit { state, .. }
    | StateCommand::Forget { state, .. }
    | StateCommand::Vacuum { state, .. }) = &command;
    streams::refuse(&reads(state), true)?;
    let text = match command {
        StateCommand::Show {
            state,
            session: None,
            json,
        } => {
            let store = open(&state, Access::Read, PATIENCE)?;
            let sessions = store.sessions()?;
            if json {
                pretty(&json!({"bytes": store.bytes(), "sessions": sessions}))?
            } else {
                listing(&sessions, store.bytes())
            }
        }
        StateCommand::Show {
            state,
            session: Some(name),
            json,
        } => {
            let Some(cuts) = open(&state, Access::Read, PATIENCE)?.cuts(&name)? else {
                return unknown(&state, &name);
            };
            if json {
                pretty(&json!({"session": name, "cuts": cuts}))?
            } else {
                cuts.iter().map(cut).collect()
            }
        }
        StateCommand::Audit {
            state,
            workload,
            since,
            format,
            now,
        } => {
            let now = times::now(now.as_deref())?;
            let since = since.map_or(Ok(i64::MIN), |since| {
                match times::time_or_age("--since", &since)? {
                    LastCall::Ago(age) => Ok(now.saturating_sub_unsigned(age)),
                    LastCall::At(time) | LastCall::Stored(time) => anyhow::Ok(time),
                }
            })?;
            audit::listing(
                &open(&state, Access::Read, PATIENCE)?.requests(&workload, since)?,
                format,
            )?
        }
        StateCommand::Forget {
            state,
            sessions,
            older_than,
            all,
            now,
            json,
        } => {
            let mut store = open(&state, Access::Existing, PATIENCE)?;
            let gone = match older_than {
                _ if all => store.forget(Forget::All)?,
                Some(age) => {
                    let Ok(age) = parse_duration(&age) else {
                        bail!("--older-than {age}: expected an age such as 30d")
                    };
                    store.forget(Forget::Before(
                        times::now(now.as_deref())?.saturating_sub_unsigned(age),
                    ))?
                }
                None => {
                    let mut gone = 0;
                    for name in &sessions {
                        match store.forget(Forget::Name(name))? {
                            0 => return unknown(&state, name),
                            n => gone += n,
                        }
                    }
                    gone
                }
            };
            if json {
                pretty(&json!({"forgotten": gone}))?
            } else {
                format!("{} forgotten\n", counted(gone, "session"))
            }
        }
        StateCommand::Vacuum { state, json } => {
            let (before, after) = open(&state, Access::Existing, PATIENCE)?.vacuum()?;
            if json {
                pretty(&json!({"bytesBefore": before, "bytesAfter": after}))?
            } else {
                format!("{before} bytes → {after} bytes\n")
            }
        }
    };
    streams::print(text.as_bytes())?;
    Ok(Verdict::Done)
}

fn unknown(state: &Path, name: &str) -> Result<Verdict> {
    bail!(
        "{}: there is no session {name:?}; `deadhead state show` lists them",
        state.display()
    )
}

pub fn pretty(value: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}

fn listing(sessions: &[SessionRow], bytes: u64) -> String {
    let mut text = String::new();
    for row in sessions {
        let SessionRow {
            name,
            source,
            last_call,
            runs,
            trims,
            clears,
            others,
        } = row;
        let other = if *others == 0 {
            String::new()
        } else {
            format!(", {others} other")
        };
        let last = timestamp(*last_call);
        let runs = counted(*runs, "run");
        text += &format!(
            "{}  last call {last}, {runs}, {trims} trimmed, {clears} cleared{other} (name from {source})\n",
            escape(name)
        );
    }
    format!(
        "{text}{}, {bytes} bytes\n",
        counted(sessions.len() as u64, "session")
    )
}

pub fn counted(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn cut(row: &CutRow) -> String {
    escape(&format!(
        "{}  {}  {} by {}: {}",
        row.call,
        timestamp(row.at),
        row.kind,
        row.pass,
        row.instead
    )) + "\n"
}
