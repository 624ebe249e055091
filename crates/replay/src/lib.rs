//! Replay: what a policy would have saved over a recorded session, in tokens and in money.
//!
//! ```text
//! log ─▶ Session (calls, and the context of each) ─▶ Sizes ─▶ run: policy ─▶ cuts ─▶ cache ─▶ dollars
//!                                    │                                        ▲
//!                                    └── what the provider counted ─▶ Tokens, Recorded
//! ```
//!
//! A [`session`] holds the requests of a log and the context that each had. [`sizes`] says how large every message and
//! result is, and what a cut leaves of it; a [`context`] decides from that, as the passes themselves would, what a policy
//! cuts before a request; [`recorded`] is what each request was without pruning, and [`tokens`] what its messages
//! were of it; the [`cache`] says what of a pruned prompt is still there, by the [`prices`](deadhead_core::prices) of its provider.

pub mod account;
pub mod adding;
mod beside;
pub mod cache;
mod calls;
pub mod context;
pub mod fit;
pub mod policy;
pub mod recorded;
pub mod regret;
pub mod resource;
pub mod run;
pub mod session;
pub mod simulation;
pub mod sizes;
pub mod steps;
pub mod summary;
pub mod tokens;
mod told;
mod tracks;
pub mod truth;
