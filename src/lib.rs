//! deadhead prunes LLM transcripts: session histories and request bodies go in, the same JSON comes out with spent tool
//! output cut, and a report says what was cut and why.
//!
//! ```text
//! bytes ── json ──▶ format ──▶ Transcript ──▶ gate ──▶ passes ──▶ View of accepted cuts
//!   │              (spans into the input)    (clock)  (in order)          │
//!   │                                                                     ▼
//!   └──────────── one forward copy ◀── Edits ◀── read again, checked ◀─ splice
//! ```
//!
//! The rooms, in the order of the story: [`json`] finds where values are, [`format`](mod@format) says what they mean, a
//! [`transcript`] holds that as plain data, [`gate`] asks the clock, each [`pass`] proposes cuts, the [`plan`] lets them
//! stand, [`splice`] turns them into byte edits, [`check`] refuses what a provider would refuse, and a [`report`] accounts
//! for all of it ([`account`]). [`engine`] calls them in turn; [`input`] and [`reader`] are the only rooms that read
//! inputs; [`chunks`] finds lists of retrieved text and [`rerank`] scores them; [`values`] reads histories that are
//! spread over lines, [`resource`] tells which calls hold a file, and [`mirrors`] says what repeats a result. [`state`]
//! remembers between runs, in a file of its own; [`compose`] speaks with a caller's other mechanics; [`listing`] shows what can
//! be chosen by hand; [`replay`] sends a recorded session again in mind, to say what pruning would have saved. Settings come
//! from [`config`], and all chars are counted by [`estimate`].

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
pub mod read_at;
pub mod reader;
mod recorded;
pub mod replay;
pub mod report;
pub mod rerank;
mod reread;
pub mod resource;
pub mod session;
pub mod state;
pub mod terminal_text;
pub mod transcript;
pub mod values;
pub mod wildcard;

pub use error::Error;
