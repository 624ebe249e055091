//! deadhead prunes LLM transcripts: session histories and request bodies go in, the same JSON comes out with spent tool
//! output cut, and a report says what was cut and why.
//!
//! ```text
//! bytes ── json ──▶ format ──▶ Transcript ──▶ gate ──▶ passes ──▶ View of accepted cuts
//!   │              (spans into the input)    (clock)  (in order)          │
//!   │                                                                     ▼
//!   └──────────── one forward copy ◀── Edits ◀── read again, checked ◀── edit
//! ```
//!
//! A module imports only from those above it in this table; `tests/layers.rs` holds the order. Above this crate are `deadhead-replay`
//! (what pruning would have saved), `deadhead-state` (the file that sessions are kept in) and the program; below it is `deadhead-rerank`
//! (scores of texts).
//!
//! | what | modules |
//! |---|---|
//! | plain data and tools | [`diagnostics`] (rows of reports), [`wildcard`], [`terminal_text`], [`read_at`] (bytes by position), [`json`] (where values are), [`compose`], [`outcome`] (report schema 1) |
//! | settings and the transcript | [`config`], [`transcript`], [`Error`], [`estimate`] (how chars are counted), [`locate`] (records and lines in the input) |
//! | reading | [`input`], [`format`](mod@format) (what values mean), [`usage`] (what a log counted), [`prices`], [`reader`] (lines), [`values`] (records over several lines) |
//! | editing and checking | [`edit`] (cuts, the view of them, byte edits), [`check`] (what a provider refuses), `reread` (what comes out), `repair` (rounds of fixes) |
//! | deciding | [`gate`] (the clock), [`chunks`] (retrieved texts), [`resource`] (files that calls name), [`pass`], [`session`] (what earlier requests left), [`listing`] |
//! | counting | `recorded`, [`account`], [`cache_cost`] |
//! | running | [`engine`] |

pub mod account;
pub mod cache_cost;
pub mod check;
pub mod chunks;
pub mod compose;
pub mod config;
pub mod diagnostics;
pub mod edit;
pub mod engine;
mod error;
pub mod estimate;
pub mod format;
pub mod gate;
pub mod input;
pub mod json;
pub mod listing;
pub mod locate;
pub mod outcome;
pub mod pass;
pub mod prices;
pub mod read_at;
pub mod reader;
mod recorded;
mod repair;
mod reread;
pub mod resource;
pub mod session;
pub mod terminal_text;
pub mod transcript;
pub mod usage;
pub mod values;
pub mod wildcard;

pub use error::Error;
