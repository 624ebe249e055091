//! State between runs: the clock of every session, the cuts that must come out again with the same bytes, and the
//! quality gate of workloads. One SQLite file holds all of it.
//!
//! A run loads what is known of its session ([`store`]), makes the cuts again that were decided before
//! ([`sticky`](deadhead_core::internal::session::sticky)), prunes,
//! and stores what is new, *before* anything is written: what has gone out is always known. A crash between the two
//! leaves a decision whose bytes nobody saw, which costs nothing; the other order would leave bytes that nobody
//! remembers, and the next request would differ from them. [`memory`] holds that order, and what happens when two
//! processes meet on one session.
//!
//! Only [`store`], [`maintenance`] and [`canary`] touch the file.

pub mod canary;
mod error;
pub mod maintenance;
pub mod memory;
mod schema;
pub mod store;

pub use error::{StateError, StateErrorKind};
pub use memory::Memory;
pub use store::{Access, Store};
