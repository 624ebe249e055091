//! deadhead prunes LLM transcripts: session histories and request bodies go in, the same JSON comes out with spent tool
//! output cut, and a report says what was cut and why.
//!
//! [`Pruner`] is the call from outside: it takes a validated [`Config`], and gives an [`Outcome`] for each body.
//!
//! ```
//! use deadhead_core::{Config, Pruner, Session};
//!
//! # fn main() -> Result<(), deadhead_core::Error> {
//! # let body = br#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"hi"}]}"#;
//! let pruner = Pruner::new(Config::from_json5("{contextPruning: {ttl: '1h'}}")?)?;
//! let out = pruner.prune(body)?;
//! assert_eq!(out.bytes.len() as u64, out.report.output.bytes);
//!
//! // With a session, earlier cuts are reproduced byte for byte. Its owner keeps it: it is plain serde data.
//! let mut session = Session::default();
//! let out = pruner.session(&mut session).prune(body)?;
//!
//! for defect in deadhead_core::check(&out.bytes)? {
//!     eprintln!("{defect}");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`Pruner::prune_log`] prunes a log that is too large for the memory; [`Pruner::stream`] gives whatever an input holds as events.
//!
//! How it works:
//!
//! ```text
//! bytes ── json ──▶ format ──▶ Transcript ──▶ gate ──▶ passes ──▶ View of accepted cuts
//!   │              (spans into the input)    (clock)  (in order)          │
//!   │                                                                     ▼
//!   └──────────── one forward copy ◀── Edits ◀── read again, checked ◀── edit
//! ```
//!
//! What our own crates need beyond the call from outside is in `internal`, without a promise: it may change with any version.
//!
//! A module imports only from those above it in this table; `tests/layers.rs` holds the order. Above this crate are `deadhead-replay`
//! (what pruning would have saved), `deadhead-state` (the file that sessions are kept in) and the program; below it is `deadhead-rerank`
//! (scores of texts).
//!
//! | what | modules |
//! |---|---|
//! | plain data and tools | [`diagnostics`] (rows of reports), [`naming`] (how texts name a setting), `wildcard`, `terminal_text`, `read_at` (bytes by position), `json` (where values, records and lines are), `schema` (JSON Schemas of types), `compose`, [`outcome`] (report schema 1) |
//! | settings and the transcript | [`settings`], `transcript`, [`Error`], `estimate` (how chars are counted), `shorten` (what a text becomes when it is cut) |
//! | reading | [`input`], `dialect` (what values mean), `input_kind` (a body, bodies, or a log), `prices`, `message_tokens`, `cache_state`, `reader` (lines), `values` (records over several lines) |
//! | editing and checking | `edit` (cuts, the view of them, byte edits), `check` (what a provider refuses), `reread` (what comes out), `repair` (rounds of fixes) |
//! | deciding | `recorded` (tokens that a log counted), `cache_policy` (the clock), `chunks` (retrieved texts), `resource` (files that calls name), `pass`, [`session`] (what earlier requests left), `listing` |
//! | counting | `report`, `cache_cost` |
//! | running | `engine`, `gateway_output`, `pruner`, [`stream`] |

#[doc(hidden)]
pub mod cache_cost;
#[doc(hidden)]
pub mod cache_policy;
#[doc(hidden)]
pub mod cache_state;
#[doc(hidden)]
pub mod check;
#[doc(hidden)]
pub mod chunks;
#[doc(hidden)]
pub mod compose;
pub mod diagnostics;
#[doc(hidden)]
pub mod dialect;
#[doc(hidden)]
pub mod edit;
#[doc(hidden)]
pub mod engine;
mod error;
#[doc(hidden)]
pub mod estimate;
mod gateway_output;
pub mod input;
#[doc(hidden)]
pub mod input_kind;
#[doc(hidden)]
pub mod json;
#[doc(hidden)]
pub mod listing;
#[doc(hidden)]
pub mod message_tokens;
pub mod naming;
pub mod outcome;
#[doc(hidden)]
pub mod pass;
#[doc(hidden)]
pub mod prices;
mod pruner;
#[doc(hidden)]
pub mod read_at;
#[doc(hidden)]
pub mod reader;
mod recorded;
mod repair;
#[doc(hidden)]
pub mod report;
mod reread;
#[doc(hidden)]
pub mod resource;
#[doc(hidden)]
pub mod schema;
pub mod session;
pub mod settings;
#[doc(hidden)]
pub mod shorten;
pub mod stream;
#[doc(hidden)]
pub mod terminal_text;
#[doc(hidden)]
pub mod transcript;
#[doc(hidden)]
pub mod values;
#[doc(hidden)]
pub mod wildcard;

pub use compose::Caller;
pub use diagnostics::DefectRow as Defect;
pub use error::{Error, Refusal, TooLarge};
pub use input::Source;
pub use outcome::Report;
pub use pruner::{Config, InSession, Outcome, Pruner, check, repair};
pub use session::Session;

/// What our own crates need beyond the call from outside. It may change with any version.
#[doc(hidden)]
pub mod internal {
    pub use crate::{
        cache_cost, cache_policy, check, chunks, compose, dialect, edit, engine, estimate, input_kind, json, listing, pass, prices,
        read_at, reader, resource, schema, terminal_text, transcript, values, wildcard,
    };
}

/// The examples of `docs/library.md`.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
mod library_page {}
