//! `breakEven`: the condition under which a cut pays for the cache that it invalidates.

use crate::settings::kinds::{As, Count, Nullable, Price, Whole};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `breakEven`: what the mode break-even weighs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct BreakEven {
    /// Assistant messages at the end whose tool results are left alone.
    #[serde(with = "As::<Count>")]
    pub keep_last_assistants: usize,
    /// Tool results of fewer tokens are left alone.
    #[serde(with = "As::<Whole>")]
    pub min_tokens: u64,
    /// Number of further requests to expect, as a multiple of those so far; at least 5 and at most 80.
    #[serde(with = "As::<Price>")]
    pub expect_factor: f64,
    /// Number of further requests to expect, whatever there were so far.
    #[serde(with = "As::<Nullable<Whole>>")]
    pub expect_requests: Option<u64>,
    /// Weight of the cost of a broken cache: more than 1 cuts less.
    #[serde(with = "As::<Price>")]
    pub caution: f64,
    /// The most that a session that ends now may cost above its cost without cuts, as a share of its cost so far; null sets no limit in the
    /// mode break-even and with an --only-if other than auto, else 0.0005.
    #[serde(with = "As::<Nullable<Price>>")]
    pub budget: Option<f64>,
}

/// The budget where the user did not ask for cuts to be weighed: the share by which a session that ends now may cost more.
const DEFAULT_BUDGET: f64 = 0.0005;

impl BreakEven {
    /// Returns these settings with the default budget if none is set.
    pub fn unasked(&self) -> BreakEven {
        BreakEven {
            budget: self.budget.or(Some(DEFAULT_BUDGET)),
            ..self.clone()
        }
    }
}

impl Default for BreakEven {
    fn default() -> BreakEven {
        BreakEven {
            keep_last_assistants: 2,
            min_tokens: 2000,
            expect_factor: 1.0,
            expect_requests: None,
            caution: 1.0,
            budget: None,
        }
    }
}

/// `onlyIf`: which passes cut only where that pays for the cache that it breaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnlyIf {
    /// dedupe, ephemeral, stale-resource and, on logs, turn-drop: in the modes that ask the clock, and where the last call is known.
    #[default]
    Auto,
    /// All passes.
    ItPays,
    /// None: a pass cuts whatever the cache is.
    Always,
}
