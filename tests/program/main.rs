//! The command line: arguments, streams, files and reports, a module for each subject. The output of whole command lines is in
//! `tests/cases`.

#![allow(clippy::unwrap_used)]

#[allow(dead_code)]
#[path = "../support/data.rs"]
mod data;
#[allow(dead_code)]
#[path = "../support/dice.rs"]
mod dice;
#[allow(dead_code)]
#[path = "../support/logs.rs"]
mod logs;

mod advise;
mod agents;
mod audit;
mod bodies;
mod broken_transcripts;
mod canary;
mod check;
mod cline;
mod copies;
mod damage;
mod dedupe;
mod dialect_repair;
mod docs;
mod emit;
mod files;
mod files_from;
mod filter;
mod first_screens;
mod foreign;
mod functions;
mod generated;
mod hand_made;
mod hardening;
mod help;
mod histories;
mod hook;
mod ids;
mod include;
mod inline_results;
mod judge;
mod missing_records;
mod next_requests;
mod policy_test;
mod prices;
mod printed;
mod recipes;
mod recorded;
mod recorded_cuts;
mod repaired;
mod replay_command;
mod rewriting;
mod rules;
mod samples;
mod schemas;
mod sidecar;
mod state;
mod statusline;
mod streams;
mod support;
mod unchanged;
