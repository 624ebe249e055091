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
mod broken_pairs;
mod by_hand;
mod context_management;
mod edits;
mod edits_again;
mod edits_documented;
mod edits_faults;
mod every_format;
mod golden;
mod it_pays;
mod laws;
mod ledger;
mod next_request;
mod notation;
mod repair;
mod result_copies;
mod runs;
mod sdk_loops;
mod system_messages;
mod ttl;
mod turns;
mod user_words;
