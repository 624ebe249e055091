//! State between runs, in one SQLite file: the clock of every session, the cuts that must be reproduced byte for byte, and the
//! quality gate of workloads.
//!
//! A run loads the state of its session ([`store`]), reproduces earlier cuts
//! ([`sticky`](deadhead_core::internal::session::sticky)), prunes, and stores its new cuts *before* anything is written: every
//! output is known to the file. A crash between the two leaves a cut whose output was never written, which costs nothing; the other
//! order would leave output without a stored cut, and the next request would differ from it. [`memory`] enforces this order, and
//! handles two processes that work on one session.

pub mod canary;
mod error;
pub mod maintenance;
pub mod memory;
pub mod requests;
mod schema;
pub mod store;

pub use error::{StateError, StateErrorKind};
pub use memory::Memory;
pub use store::{Access, Store};
