//! The state file of a pruner.
//!
//! SQLite's files must not be carried over a fork, as servers with several processes do: each process opens its own.

use deadhead_core::Error;
use deadhead_core::internal::engine::{Pruned, Record, Setup};
use deadhead_core::internal::session::{NameSource, SessionName};
use deadhead_core::stream::Sessions;
use deadhead_state::{Access, Memory, Store};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A state file.
pub struct State {
    path: PathBuf,
    timeout: Duration,
    /// The process that opened it.
    opened: Mutex<Option<(u32, Memory)>>,
}

impl State {
    /// Opens a state file, or makes it.
    pub fn new(path: PathBuf, timeout: Duration) -> Result<State, Error> {
        let state = State {
            path,
            timeout,
            opened: Mutex::new(None),
        };
        state.memory()?;
        Ok(state)
    }

    /// Returns the state of `session`, or of the session that each input names, in requests of a workload.
    pub fn of<'a>(
        &self,
        session: Option<&'a str>,
        workload: Option<&str>,
    ) -> Result<NamedSession<'a>, Error> {
        Ok(NamedSession {
            memory: self
                .memory()?
                .of_workload(workload.map(str::to_owned), None),
            session,
        })
    }

    fn memory(&self) -> Result<Memory, Error> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, memory)) = opened
            .as_ref()
            .filter(|(process, _)| *process == std::process::id())
        {
            return Ok(memory.clone());
        }
        let store = Store::open(&self.path, Access::Write, self.timeout)?;
        let memory = Memory::new(Some(store), false);
        // What the parent of this process opened is the parent's to close.
        std::mem::forget(opened.replace((std::process::id(), memory.clone())));
        Ok(memory)
    }
}

/// The state of one session.
pub struct NamedSession<'a> {
    memory: Memory,
    session: Option<&'a str>,
}

impl Sessions for NamedSession<'_> {
    fn run(&self, record: &Record<'_>, setup: &Setup) -> Result<Pruned, Error> {
        let name = match self.session {
            Some(session) => SessionName::new(session, NameSource::Flag),
            None => record.session_name()?,
        };
        self.memory.prune(&name, setup, &mut |setup, session| {
            record.run_in(session, setup)
        })
    }
}
