//! A policy to simulate.

use super::simulation::Retention;
use deadhead_core::settings::Settings;

/// A policy to run.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Its name in reports.
    pub name: String,
    /// Its settings.
    pub settings: Settings,
    /// How it keeps what it cut.
    pub retention: Retention,
}
