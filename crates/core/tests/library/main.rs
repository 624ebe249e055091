//! The library without the program: what holds for every transcript, in every format.

#![allow(clippy::unwrap_used)]

#[allow(dead_code)]
#[path = "../../../../tests/support/data.rs"]
mod data;
#[allow(dead_code)]
#[path = "../../../../tests/support/dice.rs"]
mod dice;

mod again;
mod anahata;
mod anthropic;
mod by_hand;
mod context_management;
mod edits;
mod edits_again;
mod edits_documented;
mod edits_faults;
mod every_format;
mod golden;
mod inside;
mod it_pays;
mod laws;
mod ledger;
mod mirrors;
mod net;
mod next_request;
mod notation;
mod repair;
mod repair_laws;
mod runs;
mod ttl;
mod turns;
mod user_words;
