//! `--state`: opens the state file of a run, and handles the cases in which it cannot be used.
//!
//! A state file that cannot be used must not lose a body. It is opened before any input is read, so
//! that a run over files ends before anything is lost. Data from a pipe is lost unless it is
//! written: it passes through unpruned, and the run still ends with exit code 2. With
//! `--state-optional` everything passes through, and the run succeeds.

use super::*;
use deadhead_core::{
    diagnostics::Warning,
    internal::{
        engine::{Pruned, Record, Setup},
        session::SessionName,
    },
    stream::Sessions,
};
use deadhead_state::{Access, Memory, StateError, StateErrorKind};
use std::sync::atomic::{AtomicBool, Ordering};

/// The treatment of an input when the state file cannot be used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fallback {
    /// It fails.
    Fail,
    /// It passes through, and the run fails.
    PassAndFail,
    /// It passes through.
    Pass,
}

/// The session state of a run.
pub struct SessionState {
    /// `None` if the file cannot be used, and need not be.
    memory: Result<Memory, String>,
    session: Option<String>,
    fallback: Fallback,
    has_failed: AtomicBool,
}

impl SessionState {
    /// Opens the state file. `is_piped` says that an input cannot be read again.
    pub fn new(
        path: &Path,
        args: &PruneArgs,
        settings: &Settings,
        is_piped: bool,
    ) -> Result<SessionState> {
        let session = &args.session;
        if session.as_ref().is_some_and(|name| name.trim().is_empty()) {
            bail!("--session: expected a name");
        }
        let fallback = match (args.state_optional, is_piped && !args.dry_run) {
            (true, _) => Fallback::Pass,
            (false, true) => Fallback::PassAndFail,
            (false, false) => Fallback::Fail,
        };
        let access = if args.dry_run {
            Access::Read
        } else {
            Access::Write
        };
        let patience = Duration::from_millis(settings.state.timeout_ms);
        let store = match state::open(path, access, patience) {
            Err(error) if args.dry_run && matches!(error.kind, StateErrorKind::Missing) => Ok(None),
            opened => opened.map(Some),
        };
        let memory = match store {
            Ok(store) => Ok(Memory::new(store, args.dry_run)
                .of_workload(args.policy.workload.clone(), args.stack.clone())),
            Err(error) if fallback == Fallback::Fail => return Err(error.into()),
            Err(error) => {
                if fallback == Fallback::PassAndFail {
                    stderr_line!("deadhead: {error}; inputs pass through unpruned");
                } else if !args.quiet {
                    stderr_line!("deadhead: warning: {error}; inputs pass through unpruned");
                }
                Err(error.to_string())
            }
        };
        let has_failed = AtomicBool::new(memory.is_err() && fallback == Fallback::PassAndFail);
        Ok(SessionState {
            memory,
            session: session.clone(),
            fallback,
            has_failed,
        })
    }

    /// Waits until the stored cuts are on the disk, before a file is put in its place: they must be
    /// known after a power cut.
    pub fn sync(&self) -> Result<(), StateError> {
        self.memory.as_ref().map_or(Ok(()), Memory::sync)
    }

    /// Whether an input passed through because its state file, which is optional, could not be
    /// used.
    pub fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }
}

impl Sessions for SessionState {
    fn run(&self, record: &Record<'_>, setup: &Setup) -> Result<Pruned, Error> {
        let memory = match &self.memory {
            Ok(memory) => memory,
            Err(why) => return rest(setup, why.clone(), record),
        };
        let name = match &self.session {
            Some(session) => SessionName::new(session, "flag"),
            None => record.session_name()?,
        };
        match memory.prune(&name, setup, &mut |setup, session| {
            record.run_in(session, setup)
        }) {
            Err(Error::State(error)) if self.fallback != Fallback::Fail => {
                if self.fallback == Fallback::PassAndFail {
                    self.has_failed.store(true, Ordering::Relaxed);
                    stderr_line!("deadhead: {error}; the input passes through unpruned");
                }
                rest(setup, error.to_string(), record)
            }
            outcome => outcome,
        }
    }
}

/// Lets an input pass through unpruned.
fn rest(setup: &Setup, why: String, record: &Record<'_>) -> Result<Pruned, Error> {
    let mut pruned = record.run(&Setup {
        rest: Some(why.clone()),
        ..setup.clone()
    })?;
    pruned.report.warnings.push(Warning::new(why));
    Ok(pruned)
}
