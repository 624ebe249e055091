//! deadhead prunes LLM transcripts.

pub mod config;
pub mod report;
pub mod json;
pub mod transcript;
