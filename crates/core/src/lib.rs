//! deadhead prunes LLM transcripts: it reads session logs and request bodies, and writes the same
//! JSON without old tool output, with a report of each cut and its reason.
//!
//! [`Pruner`] is the public API: it takes a validated [`Config`], and returns an [`Outcome`] for
//! each body.
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
//! // With a session, earlier cuts are reproduced byte for byte. The caller stores it: it is plain serde data.
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
//! [`Pruner::prune_log`] prunes a log that is too large for the memory; [`Pruner::stream`] returns
//! any input as events.
//!
//! How it works:
//!
//! ```text
//! bytes ── json ──▶ dialect ─▶ Transcript ─▶ cache policy ─▶ passes ──▶ View of accepted cuts
//!   │              (spans into the input)                   (in order)          │
//!   │                                                                           ▼
//!   └─────────────── one forward copy ◀── Edits ◀── read again, checked ◀──── edit
//! ```
//!
//! Our own crates use more than the public API: these modules are in `internal`, which may change
//! with any version. Within this crate they have the same paths as the other modules:
//! `crate::json`.
//!
//! A module imports only from those above it in this table; `tests/layers.rs` holds the order.
//! Above this crate are `deadhead-replay` (what pruning would have saved), `deadhead-state` (the
//! file that sessions are kept in), `deadhead-retrieval` (a pass that ranks retrieved texts) and
//! the program.
//!
//! | what | modules |
//! |---|---|
//! | plain data and tools | [`diagnostics`] (rows of reports), [`naming`] (how texts name a setting), `wildcard`, `terminal_text`, `read_at` (bytes by position), `tables` (rows of a text), `json` (where values, records and lines are), `schema` (JSON Schemas of types), `compose`, [`outcome`] (report schema 1) |
//! | settings and the transcript | [`settings`], `agents` (what is known of each), `transcript`, [`Error`], `estimate` (how chars are counted), `shorten` (what a text becomes when it is cut) |
//! | reading | [`input`], `dialect` (what values mean), `input_kind` (a body, bodies, or a log), `prices`, `message_tokens`, `cache_state`, `reader` (lines), `values` (records over several lines), `emit` (the next request of a log) |
//! | editing and checking | `edit` (cuts, the view of them, byte edits), `check` (what a provider refuses), `reread` (what comes out), `repair` (rounds of fixes) |
//! | deciding | `recorded` (tokens that a log counted), `cache_policy` (the clock), `resource` (files that calls name), `pass`, `session` (what earlier requests left), `listing` |
//! | counting | `report`, `cache_cost` |
//! | running | `engine`, `gateway_output`, `pruner`, [`stream`], `slim` (a log without what is not sent), `fork` (a log under another id), [`request`] (what a path and headers say) |

// The vector kernels need it.
#![deny(unsafe_code)]

mod cache_cost;
pub mod diagnostics;
mod error;
mod gateway_output;
pub mod input;
mod listing;
pub mod naming;
pub mod outcome;
mod pruner;
mod repair;
pub mod request;
mod reread;
pub mod settings;
pub mod stream;

pub use compose::Caller;
pub use diagnostics::DefectRow as Defect;
pub use error::{Error, Refusal, Result, TooLarge};
pub use input::Source;
pub use outcome::Report;
pub use pruner::{Config, InSession, Outcome, Pruner, check, repair};
pub use request::Request;
pub use session::Session;

/// Modules for our own crates, which may change with any version.
#[doc(hidden)]
#[path = "."]
pub mod internal {
    pub mod agents;
    pub mod cache_policy;
    pub mod cache_state;
    pub mod check;
    pub mod compose;
    pub mod dialect;
    pub mod edit;
    pub mod emit;
    pub mod engine;
    pub mod estimate;
    pub mod fork;
    pub mod input_kind;
    pub mod json;
    pub mod message_tokens;
    pub mod pass;
    pub mod prices;
    pub mod read_at;
    pub mod reader;
    pub mod recorded;
    pub mod report;
    pub mod resource;
    pub mod schema;
    pub mod session;
    pub mod shorten;
    pub mod slim;
    pub mod tables;
    pub mod terminal_text;
    pub mod transcript;
    pub mod values;
    pub mod wildcard;
}

use internal::{
    agents, cache_policy, cache_state, check, compose, dialect, edit, emit, engine, estimate,
    input_kind, json, message_tokens, pass, prices, read_at, reader, recorded, report, resource,
    session, shorten, tables, terminal_text, transcript, values, wildcard,
};

/// The examples of `docs/library.md`.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
mod library_page {}
