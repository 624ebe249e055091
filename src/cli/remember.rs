//! `--state`: the memory of a run, and what happens where it cannot be used.
//!
//! The file is opened before any input is read, so that a state file that cannot be used costs nobody a body: the run ends
//! at once, or, with `--state-optional`, passes everything through unpruned.

use super::atomic_file::is_same_place;
use super::{PruneArgs, tell, times};
use anyhow::{Result, bail};
use deadhead::Error;
use deadhead::config::Settings;
use deadhead::engine::{Pruned, Setup};
use deadhead::format::Detected;
use deadhead::input::Source;
use deadhead::plan::Texts;
use deadhead::report::Warning;
use deadhead::state::memory::Work;
use deadhead::state::{Access, Fault, Memory, NameSource, SessionName, StateError};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes of a history in which its id is looked for.
const HEAD: u64 = 64 << 10;

/// What a run remembers.
pub struct Recall {
    /// None where the file cannot be used, and need not.
    memory: Result<Memory, String>,
    session: Option<String>,
    optional: bool,
    /// Whether the time of each call is that of the clock.
    live: bool,
}

/// Refuses a state file that is an output.
pub fn stands_alone<'a>(state: &Path, mut outputs: impl Iterator<Item = &'a PathBuf>) -> Result<()> {
    match outputs.find(|output| is_same_place(output, state)) {
        Some(output) => bail!("{}: is the state file, which needs a place of its own", output.display()),
        None => Ok(()),
    }
}

impl Recall {
    /// Opens the state file.
    pub fn new(path: &Path, args: &PruneArgs, settings: &Settings) -> Result<Recall> {
        if args.session.as_deref().is_some_and(|name| name.trim().is_empty()) {
            bail!("--session: expected a name");
        }
        let access = if args.dry_run { Access::Read } else { Access::Write };
        let memory = match super::state::open(path, access, Duration::from_millis(settings.state_timeout_ms)) {
            Ok(store) => Ok(Memory::new(Some(store), args.dry_run)),
            Err(StateError { fault: Fault::Missing, .. }) if args.dry_run => Ok(Memory::new(None, true)),
            Err(error) if args.state_optional => {
                if !args.quiet {
                    tell!("deadhead: warning: {error}; inputs pass through unpruned");
                }
                Err(error.to_string())
            }
            Err(error) => return Err(error.into()),
        };
        let memory = memory.map(|memory| memory.of_workload(args.policy.workload.clone(), args.stack.clone()));
        Ok(Recall { memory, session: args.session.clone(), optional: args.state_optional, live: args.now.is_none() })
    }

    /// Prunes a body with what is known of its session.
    pub fn body(&self, bytes: &[u8], found: Detected, setup: &Setup, work: Work<'_>) -> Result<Pruned, Error> {
        self.run(setup, work, || SessionName::of_body(bytes, found).map_err(|error| Error::json(bytes, error)))
    }

    /// Prunes a history with what is known of its session.
    pub fn history(&self, source: &Source, setup: &Setup, work: Work<'_>) -> Result<Pruned, Error> {
        self.run(setup, work, || Ok(SessionName::of_history(&source.read(0, source.size().min(HEAD))?)))
    }

    fn run(&self, setup: &Setup, work: Work<'_>, name: impl FnOnce() -> Result<SessionName, Error>) -> Result<Pruned, Error> {
        let memory = match &self.memory {
            Ok(memory) => memory,
            Err(why) => return rest(setup, why.clone(), work),
        };
        let mut now = setup.clone();
        if self.live {
            // A filter process lives long; each of its calls has a time of its own.
            now.clock.now = times::now(None).unwrap_or(setup.clock.now);
        }
        let name = match &self.session {
            Some(session) => SessionName::new(session, NameSource::Flag),
            None => name()?,
        };
        match memory.prune(&name, &now, work) {
            Err(Error::State(error)) if self.optional => rest(&now, error.to_string(), work),
            outcome => outcome,
        }
    }
}

/// Lets an input pass through unpruned.
fn rest(setup: &Setup, why: String, work: Work<'_>) -> Result<Pruned, Error> {
    let mut pruned = work(&Setup { rest: Some(why.clone()), ..setup.clone() })?;
    pruned.report.warnings.push(Warning::new(why));
    Ok(pruned)
}
