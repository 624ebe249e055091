//! State between runs: the clock of every session, the cuts that must come out again with the same bytes, and the
//! quality gate of workloads. One SQLite file holds all of it.
//!
//! A run loads what is known of its session ([`store`]), replays the cuts that were decided before ([`sticky`]), prunes,
//! and stores what is new, *before* anything is written: what has gone out is always known. A crash between the two
//! leaves a decision whose bytes nobody saw, which costs nothing; the other order would leave bytes that nobody
//! remembers, and the next request would differ from them. [`memory`] holds that order, and what happens when two
//! processes meet on one session.
//!
//! No content is kept: a cut is a row of hashes and of what stands instead ([`recipe`]), the last output a row of running
//! digests ([`prefix`]). Only [`store`], [`upkeep`] and [`canary`] touch the file.

pub mod canary;
pub mod digest;
mod fault;
pub mod marker;

pub mod memory;
pub mod prefix;
pub mod recipe;
mod schema;
pub mod session;
pub mod sticky;
pub mod store;
pub mod upkeep;

pub use fault::{Fault, StateError};
pub use memory::Memory;
pub use session::{NameSource, SessionName};
pub use sticky::{Decision, Learned, Remembered};
pub use store::{Access, Store};
