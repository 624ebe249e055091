//! A policy to simulate.

use super::simulation::Retention;
use deadhead_core::settings::Settings;

/// A policy to run.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Its name in reports.
    pub name: String,
    /// The flags of a prune that runs it.
    pub flags: Vec<String>,
    /// Its settings.
    pub settings: Settings,
    /// The way in which the policy keeps its cuts.
    pub retention: Retention,
}
