//! Replays of recorded sessions, without the program.

#![allow(clippy::unwrap_used)]

#[allow(dead_code)]
#[path = "../../../../tests/support/data.rs"]
mod data;
#[allow(dead_code)]
#[path = "../../../../tests/support/dice.rs"]
mod dice;
#[allow(dead_code)]
#[path = "../../../../tests/support/logs.rs"]
mod logs;

mod agents;
mod bill;
mod bound;
mod contexts;
mod economics;
mod formats;
mod graphs;
mod growth;
mod log;
mod order;
mod recorded;
mod savings;
mod state;
