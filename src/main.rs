//! The verdict: run, exit code.
fn main() {}
