//! Faults found by attacking the program: each test is named after the number of its fault.

mod folders;
mod gateway;
mod kills;
mod live;
mod outputs;
mod shared_parent;
mod sizes;
mod streams;
mod text;
mod threads;
mod totals;

/// A small log of Claude Code.
fn log() -> &'static str {
    std::str::from_utf8(&crate::data::sample("claude-code/claude-code-log__edge_cases.jsonl").bytes)
        .unwrap()
}
