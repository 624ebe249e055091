//! Runs the engine with what a state file knows of sessions, without Python types.

use crate::state::State;
use deadhead_core::request::Output;
use deadhead_core::stream::Sessions;
use deadhead_core::{Error, Pruner};

/// Does work of the engine with what a state file knows of a session, in a request of a workload.
pub fn in_session(
    engine: &Pruner,
    state: Option<&State>,
    (session, workload): (Option<&str>, Option<&str>),
    work: impl FnOnce(&Pruner, Option<&dyn Sessions>) -> Result<Output, Error>,
) -> Result<Output, Error> {
    let _used = state.map(|_| State::used());
    let state = state.map(|state| state.of(session, workload)).transpose()?;
    work(engine, state.as_ref().map(|state| state as &dyn Sessions))
}
