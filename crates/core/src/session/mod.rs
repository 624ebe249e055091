//! The state of a session between requests, as plain data: the cuts that must be reproduced byte
//! for byte, digests of the last output, and the name of the session. `deadhead-state` stores it in
//! a file.
//!
//! No content is stored: a cut is a row of hashes and replacement text ([`recipe`]), the last
//! output a row of running digests ([`prefix`]).

mod again;
mod data;
pub mod digest;
pub mod marker;
mod name;
pub mod prefix;
pub mod recipe;
pub mod sticky;

pub use again::needed_again;
pub use data::{Decision, Ledger, NewState, SentPrompt, Session, ends_with};
pub use name::SessionName;
