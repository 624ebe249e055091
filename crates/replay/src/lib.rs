//! Replay: what a policy would have saved over a recorded session, in tokens and in money.
//!
//! ```text
//! log ─▶ Session (calls, and the context of each) ─▶ thread: context at a call ─▶ engine ─▶ cuts ─▶ cache ─▶ dollars
//!                                    │                                                           ▲
//!                                    └── what the provider counted ─▶ Tokens, Recorded ──────────┘
//! ```
//!
//! A [`session`] holds the requests of a log and the context that each had. A thread leads a context through it; before each
//! request the engine cuts it as `prune` would. [`recorded`] is what each request was without pruning, and [`tokens`] what its messages
//! were of it; the [`cache`] says what of a pruned prompt is still there, by the [`prices`](deadhead_core::internal::prices) of its provider.

#![forbid(unsafe_code)]

pub mod advice;
mod branch;
mod branches;
pub mod cache;
mod cached_prompts;
pub mod calibration;
mod calls;
mod context;
pub mod cost;
pub mod fit;
pub mod heartbeat;
pub mod new_cut;
mod off_path;
pub mod paid_again;
pub mod recorded;
pub mod regret;
pub mod report;
pub mod resource;
mod rounded;
pub mod run;
pub mod session;
pub mod simulation;
pub mod steps;
pub mod summary;
pub mod sums;
mod thread;
pub mod tokens;
mod warnings;
