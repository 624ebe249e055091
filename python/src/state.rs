//! The state file of a pruner.
//!
//! SQLite's files and locks must not be carried over a fork, as servers with several processes do:
//! they are closed before, and each process opens its own when it needs one.

use deadhead_core::{
    Result,
    internal::{
        engine::{Pruned, Record, Setup},
        session::SessionName,
    },
    stream::Sessions,
};
use deadhead_state::{Access, Memory, Store};
use pyo3::{exceptions::PyUserWarning, prelude::*};
use std::{
    cell::Cell,
    ffi::CString,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak},
    time::Duration,
};

/// An open state file, and the process that opened it.
type Opened = Mutex<Option<(u32, Memory)>>;

/// Whoever uses a state file shares it; a fork needs it alone.
static USED: RwLock<()> = RwLock::new(());
/// What is closed before a fork.
static ALL: Mutex<Vec<Weak<Opened>>> = Mutex::new(Vec::new());

thread_local! {
    static FORKING: Cell<Option<RwLockWriteGuard<'static, ()>>> = const { Cell::new(None) };
}

/// Waits until no state file is in use, and closes them.
#[pyfunction]
pub fn _before_fork(py: Python<'_>) {
    py.detach(|| {
        FORKING.set(Some(USED.write().unwrap_or_else(PoisonError::into_inner)));
        locked(&ALL).retain(|one| {
            let opened = one.upgrade();
            opened.inspect(|opened| *locked(opened) = None).is_some()
        });
    });
}

/// Lets state files be opened again.
#[pyfunction]
pub fn _after_fork() {
    FORKING.set(None);
}

/// Waits for a value that threads share.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A state file.
pub struct State {
    path: PathBuf,
    timeout: Duration,
    opened: Arc<Opened>,
}

impl State {
    /// Opens a state file, or makes it.
    pub fn new(path: PathBuf, timeout: Duration) -> Result<State> {
        let state = State {
            path,
            timeout,
            opened: Arc::default(),
        };
        locked(&ALL).push(Arc::downgrade(&state.opened));
        let _used = State::used();
        state.memory()?;
        Ok(state)
    }

    /// There is no fork until what this returns is dropped.
    pub fn used() -> RwLockReadGuard<'static, ()> {
        USED.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the state of `session`, or of the session that each input names, in requests of a
    /// workload.
    pub fn of<'a>(
        &self,
        session: Option<&'a str>,
        workload: Option<&str>,
    ) -> Result<NamedSession<'a>> {
        let workload = workload.map(str::to_owned);
        Ok(NamedSession {
            memory: self.memory()?.of_workload(workload, None),
            session,
        })
    }

    fn memory(&self) -> Result<Memory> {
        let mut opened = locked(&self.opened);
        let process = std::process::id();
        if let Some((own, memory)) = &*opened
            && *own == process
        {
            return Ok(memory.clone());
        }
        let store = Store::open(&self.path, Access::Write, self.timeout)?;
        Python::attach(|py| {
            for text in &store.warnings {
                let text = CString::new(format!("state file {}: {text}", self.path.display()));
                let (kind, text) = (py.get_type::<PyUserWarning>(), text.unwrap_or_default());
                // Where warnings are errors, a state is used all the same.
                let _ = PyErr::warn(py, &kind, &text, 1);
            }
        });
        let memory = Memory::new(Some(store), false);
        // What the parent of this process opened is the parent's to close.
        std::mem::forget(opened.replace((process, memory.clone())));
        Ok(memory)
    }
}

/// The state of one session.
pub struct NamedSession<'a> {
    memory: Memory,
    session: Option<&'a str>,
}

impl Sessions for NamedSession<'_> {
    fn run(&self, record: &Record<'_>, setup: &Setup) -> Result<Pruned> {
        let name = match self.session {
            Some(session) => SessionName::new(session, "flag"),
            None => record.session_name()?,
        };
        self.memory.prune(&name, setup, &mut |setup, session| {
            record.run_in(session, setup)
        })
    }
}
