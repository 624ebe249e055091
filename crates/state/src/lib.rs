//! State between runs, in one SQLite file: the time of the last call of each session, the cuts that
//! must be reproduced byte for byte, and the quality gate of workloads.
//!
//! A run loads the state of its session ([`store`]), reproduces earlier cuts
//! ([`sticky`](deadhead_core::internal::session::sticky)), prunes, and stores its new cuts *before*
//! it writes anything: each output has its cuts in the file. A crash between the two leaves a cut
//! whose output was never written, which costs nothing; in the other order an output could lack its
//! cuts, and the next request would differ from it. [`memory`] enforces this order, and handles two
//! processes that work on one session.

#![forbid(unsafe_code)]

pub mod canary;
mod error;
pub mod files;
pub mod maintenance;
pub mod memory;
pub mod requests;
mod schema;
pub mod store;

pub use error::{Result, StateError, StateErrorKind};
pub use memory::Memory;
pub use store::{Access, Store};
