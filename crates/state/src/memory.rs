//! A run with a state file: load, prune, store, and only then allow output.
//!
//! There is no lock while a transcript is pruned: a run names the revision it built on, and if another run has stored a newer one
//! for the same session, it prunes again with the newer state. After a few failed attempts it takes the lock first.

use super::StateError;
use super::requests::{Account, RequestRow};
use super::store::{Loaded, Store};
use deadhead_core::Error;
use deadhead_core::diagnostics::WorkloadState;
use deadhead_core::internal::engine::{Pruned, Setup};
use deadhead_core::internal::session::{NewState, Session, SessionName};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The number of attempts without a lock.
const ATTEMPTS: usize = 4;

/// The state file. Its clones share it, for several runs in one process.
#[derive(Clone, Debug)]
pub struct Memory {
    store: Option<Arc<Mutex<Store>>>,
    dry: bool,
    workload: Option<(String, Option<String>)>,
}

/// A function that prunes with a setup and the state of the session.
pub type Work<'a> = &'a mut dyn FnMut(&Setup, Session) -> Result<Pruned, Error>;

/// The pruned input, and whether the workload is retired.
type Outcome = (Pruned, bool);

impl Memory {
    /// Creates a memory in `store`; a dry run stores nothing, and needs no file.
    pub fn new(store: Option<Store>, dry: bool) -> Memory {
        Memory {
            store: store.map(|store| Arc::new(Mutex::new(store))),
            dry,
            workload: None,
        }
    }

    /// Sets the workload of the runs and its stack; without a stack, any.
    #[must_use]
    pub fn of_workload(self, workload: Option<String>, stack: Option<String>) -> Memory {
        Memory {
            workload: workload.map(|name| (name, stack)),
            ..self
        }
    }

    /// Waits until all commits are on the disk.
    ///
    /// # Errors
    /// The disk cannot take it.
    pub fn sync(&self) -> Result<(), StateError> {
        self.store
            .as_ref()
            .filter(|_| !self.dry)
            .map_or(Ok(()), |store| lock(store).sync())
    }

    /// Prunes with the state of session `name`, and stores the changes.
    ///
    /// # Errors
    /// Those of `work`, or the state file cannot be read or written.
    pub fn prune(
        &self,
        name: &SessionName,
        setup: &Setup,
        work: Work<'_>,
    ) -> Result<Pruned, Error> {
        let mut attempt = 0;
        let (mut pruned, retired) = loop {
            attempt += 1;
            let found = match &self.store {
                None => Some((run(setup, Session::default(), None, work)?, false)),
                Some(_) if self.dry || attempt <= ATTEMPTS => self.attempt(name, setup, work)?,
                Some(store) => self.attempt_locked(&lock(store), name, setup, work)?,
            };
            if let Some(pruned) = found {
                break pruned;
            }
        };
        if let Some((name, stack)) = &self.workload {
            let state = if retired { "retired" } else { "active" };
            pruned.report.workload = Some(WorkloadState::new(name, stack.as_deref(), state));
        }
        pruned.name_session(name);
        Ok(pruned)
    }

    /// Loads, prunes and stores without a lock in between; returns `None` if another run stored first.
    fn attempt(
        &self,
        name: &SessionName,
        setup: &Setup,
        work: Work<'_>,
    ) -> Result<Option<Outcome>, Error> {
        let Some(store) = &self.store else {
            return Ok(None);
        };
        let (mut loaded, retired) = {
            let store = lock(store);
            (store.find(name)?, self.retired(&store)?)
        };
        let is_retired = retired.is_some();
        let pruned = run(setup, std::mem::take(&mut loaded.remembered), retired, work)?;
        let stored = self.dry || {
            let store = lock(store);
            store.lock()?;
            store.release(self.write(
                &store,
                (name, &loaded),
                &pruned,
                (setup.clock.now, is_retired),
            ))?
        };
        Ok(stored.then_some((pruned, is_retired)))
    }

    /// Loads, prunes and stores under the lock.
    fn attempt_locked(
        &self,
        store: &Store,
        name: &SessionName,
        setup: &Setup,
        work: Work<'_>,
    ) -> Result<Option<Outcome>, Error> {
        store.lock()?;
        let mut outcome = None;
        let mut inner = || -> Result<bool, Error> {
            let mut loaded: Loaded = store.find(name)?;
            let retired = self.retired(store)?;
            let is_retired = retired.is_some();
            let pruned = run(setup, std::mem::take(&mut loaded.remembered), retired, work)?;
            let stored = self.write(
                store,
                (name, &loaded),
                &pruned,
                (setup.clock.now, is_retired),
            )?;
            outcome = Some((pruned, is_retired));
            Ok(stored)
        };
        match inner() {
            Ok(stored) => {
                store.release(Ok(stored))?;
                Ok(outcome.filter(|_| stored))
            }
            Err(error) => {
                let _ = store.release(Ok(false));
                Err(error)
            }
        }
    }

    /// Stores what a run learned and, if a workload is named, the request.
    fn write(
        &self,
        store: &Store,
        (name, loaded): (&SessionName, &Loaded),
        pruned: &Pruned,
        (at, is_retired): (i64, bool),
    ) -> Result<bool, StateError> {
        let is_stored = store.write(name, loaded, learned(pruned), at)?;
        if let Some((workload, stack)) = self.workload.as_ref().filter(|_| is_stored) {
            let account = Account::of(&pruned.report, stack.as_deref(), is_retired);
            store.add_request(&RequestRow {
                at,
                workload: workload.clone(),
                session: name.key.clone(),
                account,
            })?;
        }
        Ok(is_stored)
    }

    /// Returns the reason to prune nothing if the workload is retired.
    fn retired(&self, store: &Store) -> Result<Option<String>, StateError> {
        match &self.workload {
            Some((workload, stack)) => store.retired(workload, stack.as_deref()),
            None => Ok(None),
        }
    }
}

fn run(
    setup: &Setup,
    session: Session,
    rest: Option<String>,
    work: Work<'_>,
) -> Result<Pruned, Error> {
    match rest {
        Some(why) => work(
            &Setup {
                rest: Some(why),
                ..setup.clone()
            },
            session,
        ),
        None => work(setup, session),
    }
}

fn learned(pruned: &Pruned) -> &NewState {
    static NOTHING: std::sync::LazyLock<NewState> = std::sync::LazyLock::new(NewState::default);
    pruned.learned.as_ref().unwrap_or(&NOTHING)
}

fn lock(store: &Mutex<Store>) -> MutexGuard<'_, Store> {
    store.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Access;
    use deadhead_core::internal::cache_policy::Clock;
    use deadhead_core::internal::compose::Caller;
    use deadhead_core::internal::dialect::by_name;
    use deadhead_core::internal::engine::Record;
    use deadhead_core::internal::report::Detail;
    use deadhead_core::internal::session::NameSource;
    use deadhead_core::settings::Settings;
    use std::time::Duration;

    const BODY: &[u8] =
        br#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}]}"#;

    #[test]
    fn a_run_that_others_outrun_takes_the_lock_in_the_end() {
        let dir = tempfile::tempdir().unwrap();
        let open = || {
            Store::open(
                &dir.path().join("s.db"),
                Access::Write,
                Duration::from_secs(1),
            )
            .unwrap()
        };
        let (memory, mut other) = (Memory::new(Some(open()), false), open());
        let name = SessionName::new("s", NameSource::Flag);
        let clock = Clock {
            now: 99,
            last_call: None,
            assume_cold: false,
        };
        let (settings, caller) = (Settings::default(), Caller::default());
        let setup = Setup {
            caller,
            ..Setup::new(settings, clock, Detail::Full)
        };
        let record = Record::Body {
            bytes: BODY,
            line: 1,
            found: by_name("anthropic").unwrap().into(),
        };
        let mut seen = Vec::new();
        let pruned = memory.prune(&name, &setup, &mut |setup, session| {
            seen.push(session.last_call);
            if seen.len() <= ATTEMPTS {
                let loaded = other.load("s")?;
                assert!(other.commit(&name, &loaded, &NewState::default(), seen.len() as i64)?);
            }
            record.run_in(session, setup)
        });
        assert!(pruned.unwrap().report.session.is_some());
        // Each attempt knew what the one that was faster had stored.
        assert_eq!(seen, [None, Some(1), Some(2), Some(3), Some(4)]);
        assert_eq!(other.load("s").unwrap().remembered.last_call, Some(99));
        // A lock that is not to be had is reported, and given back.
        other.lock().unwrap();
        let refused = memory.prune(&name, &setup, &mut |setup, session| {
            record.run_in(session, setup)
        });
        assert!(matches!(refused, Err(Error::State(_))));
        other.release(Ok(false)).unwrap();
        assert!(
            memory
                .prune(&name, &setup, &mut |_, _| Err(Error::TooLong))
                .is_err()
        );
        assert!(
            memory
                .prune(&name, &setup, &mut |setup, session| record
                    .run_in(session, setup))
                .is_ok()
        );
    }
}
