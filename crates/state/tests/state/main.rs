//! Sessions in a file, without the program.

#![allow(clippy::unwrap_used)]

mod sticky;
