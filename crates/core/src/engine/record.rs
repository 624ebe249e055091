//! A body, or a log that was read, as one record to prune, check or repair.

use super::*;
use crate::{input::Source, session::SessionName};

/// The number of bytes of a log that are searched for its id.
const HEAD: u64 = 64 << 10;

/// The task: prune, check or repair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Task {
    /// Prune the input.
    #[default]
    Prune,
    /// Check the input.
    Check,
    /// Repair the input.
    Repair,
}

/// One transcript to work on.
#[derive(Clone, Copy, Debug)]
pub enum Record<'a> {
    /// A body.
    Body {
        /// The input from the body's first byte on.
        bytes: &'a [u8],
        /// Its line.
        line: u64,
        /// Its format.
        found: Detected,
    },
    /// A log.
    Log {
        /// The transcript that was read from it.
        read: &'a Transcript,
        /// Its bytes.
        source: &'a Source,
        /// Its format.
        found: Detected,
    },
}

impl Record<'_> {
    /// Prunes, checks or repairs a body, or prunes a log. Checking and repairing a log consumes
    /// what was read, and is done elsewhere.
    ///
    /// # Errors
    /// It is no JSON, or not understood, or the result would be broken.
    pub fn run(&self, setup: &Setup) -> Result<Pruned> {
        match *self {
            Record::Body { bytes, line, found } => match setup.task {
                Task::Prune => body(bytes, line, found, setup),
                _ => mend(bytes, line, found, setup),
            },
            Record::Log {
                read,
                source,
                found,
            } => {
                let pruned = history(read, source, setup)?;
                accept_pairs(read, found, &pruned.report)?;
                Ok(pruned)
            }
        }
    }

    /// Like [`Record::run`], with the state of its session.
    ///
    /// # Errors
    /// Those of [`Record::run`].
    pub fn run_in(&self, session: Session, setup: &Setup) -> Result<Pruned> {
        let setup = Setup {
            memory: Some(Arc::new(session)),
            ..setup.clone()
        };
        let outcome = self.run(&setup);
        match (&outcome, setup.memory.clone()) {
            // A conversation may have changed so that a message that was removed before cannot be
            // removed now.
            (Err(error), Some(session)) if error.is_refusal() && session.is_structural() => {
                let mut less = Session::clone(&session);
                less.decisions
                    .retain(|_, decision| !decision.recipe.is_structural());
                self.run(&Setup {
                    memory: Some(Arc::new(less)),
                    ..setup
                })
            }
            _ => outcome,
        }
    }

    /// Returns the name of its session, if the user gives none.
    ///
    /// # Errors
    /// It is no JSON, or cannot be read any more.
    pub fn session_name(&self) -> Result<SessionName> {
        match *self {
            Record::Body { bytes, found, .. } => {
                SessionName::of_body(bytes, found).map_err(|error| Error::json(bytes, error))
            }
            Record::Log { source, .. } => Ok(SessionName::of_history(
                &source.read(0, source.size().min(HEAD))?,
            )),
        }
    }

    /// Returns the name of its conversation within a session, `named` or its own.
    ///
    /// # Errors
    /// Those of [`Record::session_name`].
    pub fn conversation(&self, named: Option<&str>) -> Result<SessionName> {
        match *self {
            Record::Body { bytes, found, .. } => SessionName::of_conversation(named, bytes, found)
                .map_err(|error| Error::json(bytes, error)),
            Record::Log { .. } => self.session_name(),
        }
    }
}

impl Pruned {
    /// Adds the name of the session and its changes to the report.
    pub fn name_session(&mut self, name: &SessionName) {
        let Some(NewState {
            made,
            gone,
            kept,
            stable,
            ..
        }) = &self.learned
        else {
            return;
        };
        let added = made.len() as u64;
        let dropped = gone.len() as u64;
        self.report.prefix_stable = *stable;
        let (name, source) = (name.key.clone(), name.source);
        self.report.session = Some(crate::diagnostics::Session {
            name,
            source,
            kept: *kept,
            added,
            dropped,
        });
    }
}
