//! What a session remembers from one request to the next, as plain data: the cuts that must come out again with the same
//! bytes, what was sent last, and how a session is named. `deadhead-state` keeps it in a file.
//!
//! No content is kept: a cut is a row of hashes and of what replaces it ([`recipe`]), the last output a row of running
//! digests ([`prefix`]).

mod data;
pub mod digest;
mod digest_0_1;
pub mod marker;
mod name;
pub mod prefix;
pub mod recipe;
pub mod sticky;

pub use data::{Decision, Ledger, NewState, Session};
pub use name::{NameSource, SessionName};
