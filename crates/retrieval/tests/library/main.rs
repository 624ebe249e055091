//! The pass in runs of the engine.

#![allow(clippy::unwrap_used)]

mod around;
mod laws;
mod shapes;
