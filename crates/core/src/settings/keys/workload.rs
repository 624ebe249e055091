//! `workloads`: settings for one kind of request, and its quality gate.

use crate::settings::kinds::{FromOne, Kind, camel, section};
use crate::settings::maps::MeanOrShare;
use serde_json::{Map, Value};

/// `workloads.NAME`: the settings of one kind of request.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// Settings as the configuration writes them, by section; not checked yet.
    pub settings: Map<String, Value>,
    /// Its quality gate.
    pub canary: Canary,
}

section! {
    /// `workloads.NAME.canary`: what the scores of a workload are compared with.
    #[derive(Copy)]
    pub struct Canary(camel) {
        /// The mean may not fall below this: a mean, or a share of the control's mean.
        floor: MeanOrShare = Floor::OfControl(0.95),
        /// Scores from which on it is judged.
        min_samples: FromOne = 20,
        /// Newest scores of each arm that count.
        window: FromOne = 100,
    }
}

/// `canary.floor`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Floor {
    /// A mean.
    Absolute(f64),
    /// A share of the control's mean.
    OfControl(f64),
}
