//! A run with a state file: load, prune, store, and only then allow output.
//!
//! There is no lock while a transcript is pruned: a run names the revision it built on, and if
//! another run has stored a newer one for the same session, it prunes again with the newer state.
//! After a few failed attempts it takes the lock first.

use super::{
    Result,
    requests::{Account, RequestRow},
    store::{Loaded, Store},
};
use deadhead_core::{
    Error,
    diagnostics::WorkloadState,
    internal::{
        engine::{Pruned, Setup},
        session::{NewState, Session, SessionName},
    },
};
use rusqlite::Transaction;
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

    /// Returns a memory of this state in which nothing is stored.
    #[must_use]
    pub fn dry(&self) -> Memory {
        Memory {
            dry: true,
            ..self.clone()
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
    pub fn sync(&self) -> Result<()> {
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
        let at = setup.clock.now;
        let mut attempt = 0;
        let (mut pruned, is_retired) = loop {
            attempt += 1;
            let Some(shared) = &self.store else {
                break run(setup, &mut Loaded::default(), None, work)?;
            };
            let stored = if self.dry || attempt <= ATTEMPTS {
                let (mut loaded, retired) = self.load(&lock(shared), name)?;
                let outcome = run(setup, &mut loaded, retired, work)?;
                if self.dry {
                    break outcome;
                }
                let store = lock(shared);
                self.store(&store, store.begin()?, name, &loaded, outcome, at)?
            } else {
                let store = lock(shared);
                let transaction = store.begin()?;
                let (mut loaded, retired) = self.load(&store, name)?;
                let outcome = run(setup, &mut loaded, retired, work)?;
                self.store(&store, transaction, name, &loaded, outcome, at)?
            };
            // Else another run has stored first.
            if let Some(outcome) = stored {
                break outcome;
            }
        };
        if let Some((name, stack)) = &self.workload {
            let state = if is_retired { "retired" } else { "active" };
            pruned.report.workload = Some(WorkloadState::new(name, stack.as_deref(), state));
        }
        pruned.name_session(name);
        Ok(pruned)
    }

    /// Loads a session, and the reason to prune nothing if the workload is retired.
    fn load(&self, store: &Store, name: &SessionName) -> Result<(Loaded, Option<String>)> {
        let retired = match &self.workload {
            Some((workload, stack)) => store.retired(workload, stack.as_deref())?,
            None => None,
        };
        Ok((store.load(&name.key)?, retired))
    }

    /// Stores what a run learned and, if a workload is named, the request; returns `None` if
    /// another run stored first.
    fn store(
        &self,
        store: &Store,
        transaction: Transaction<'_>,
        name: &SessionName,
        loaded: &Loaded,
        (pruned, is_retired): Outcome,
        at: i64,
    ) -> Result<Option<Outcome>, Error> {
        let nothing = NewState::default();
        let learned = pruned.learned.as_ref().unwrap_or(&nothing);
        if !store.write(name, loaded, learned, at)? {
            return Ok(None);
        }
        if let Some((workload, stack)) = &self.workload {
            store.add_request(&RequestRow {
                at,
                workload: workload.clone(),
                session: name.key.clone(),
                account: Account::of(&pruned.report, stack.as_deref(), is_retired),
            })?;
        }
        store.commit(transaction)?;
        Ok(Some((pruned, is_retired)))
    }
}

/// Prunes with what was loaded; nothing is cut if there is a reason to rest.
fn run(
    setup: &Setup,
    loaded: &mut Loaded,
    rest: Option<String>,
    work: Work<'_>,
) -> Result<Outcome, Error> {
    let session = std::mem::take(&mut loaded.remembered);
    let is_retired = rest.is_some();
    let resting = rest.map(|why| Setup {
        rest: Some(why),
        ..setup.clone()
    });
    let pruned = work(resting.as_ref().unwrap_or(setup), session)?;
    Ok((pruned, is_retired))
}

fn lock(store: &Mutex<Store>) -> MutexGuard<'_, Store> {
    store.lock().unwrap_or_else(PoisonError::into_inner)
}
