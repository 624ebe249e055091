//! Retrieved text in transcripts: finds lists of chunks (`chunks`), scores them against the
//! question (`score`), and removes the last ones in a pass of deadhead ([`PASS`]).

#![forbid(unsafe_code)]

mod chunks;
mod pass;
pub mod score;

pub use pass::PASS;

use deadhead_core::{
    Config, Pruner, Result,
    internal::pass::{self as core_pass, Pass},
};
use std::sync::LazyLock;

static PASSES: LazyLock<Vec<Pass>> = LazyLock::new(|| {
    // Before the results are trimmed: a list that was cut in the middle is no list any more.
    [core_pass::REMOVING, &[PASS], core_pass::SHORTENING].concat()
});

/// The passes of the engine and [`PASS`], in the order in which they run.
pub fn passes() -> &'static [Pass] {
    &PASSES
}

/// A [`Pruner`] with these passes.
///
/// # Errors
/// Those of [`Pruner::new`].
pub fn pruner(config: Config) -> Result<Pruner> {
    Pruner::with_passes(config, passes())
}
