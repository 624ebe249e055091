//! `workloads`: settings for one kind of request, and its quality gate.

use crate::settings::kinds::{As, FromOne};
use crate::settings::maps::MeanOrShare;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// `workloads.NAME`: the settings of one kind of request.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// Settings as the configuration writes them, by section; not checked yet.
    pub settings: Map<String, Value>,
    /// Its quality gate.
    pub canary: Canary,
}

/// `workloads.NAME.canary`: what the scores of a workload are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Canary {
    /// The mean may not fall below this: a mean, or a share of the control's mean.
    #[serde(with = "As::<MeanOrShare>")]
    pub floor: Floor,
    /// Scores from which on it is judged.
    #[serde(with = "As::<FromOne>")]
    pub min_samples: u64,
    /// Newest scores of each arm that count.
    #[serde(with = "As::<FromOne>")]
    pub window: u64,
}

impl Default for Canary {
    fn default() -> Canary {
        Canary {
            floor: Floor::OfControl(0.95),
            min_samples: 20,
            window: 100,
        }
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
