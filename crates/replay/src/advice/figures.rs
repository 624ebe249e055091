//! Savings of a policy over several sessions, and how certain they are.

use super::{
    super::rounded::{dollars, thousandths},
    DEARER, FEW,
    trial::{Trial, mixed},
};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The number of draws of the bootstrap.
const DRAWS: usize = 1000;
/// The seed of the draws, constant so that the same sessions give the same range.
const SEED: u64 = 20_261_122;

/// The savings of a policy on several sessions.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// The number of the sessions.
    #[serde(skip)]
    pub sessions: usize,
    /// Dollars without pruning.
    #[serde(serialize_with = "dollars")]
    pub baseline: f64,
    /// Dollars that the policy saves.
    #[serde(serialize_with = "dollars")]
    pub saved: f64,
    /// The saving as a share of that.
    #[serde(serialize_with = "thousandths")]
    pub share: f64,
    /// The lower end of the share's 95 % range, by a bootstrap over the weeks.
    #[serde(serialize_with = "thousandths")]
    pub low: f64,
    /// Its upper end.
    #[serde(serialize_with = "thousandths")]
    pub high: f64,
    /// Dollars saved if each regretted cut is paid for again.
    #[serde(serialize_with = "dollars")]
    pub left: f64,
    /// What is left as a share.
    #[serde(serialize_with = "thousandths")]
    pub left_share: f64,
    /// The number of cuts.
    pub cuts: u64,
    /// The number of regretted cuts: read again, or quoted.
    pub regrets: u64,
    /// How many of the cut results would be used again if they were like results that were not cut.
    #[serde(serialize_with = "thousandths")]
    pub expected: f64,
    /// Dollars that the dearer sessions cost more, all together.
    #[serde(serialize_with = "dollars")]
    pub at_risk: f64,
    /// The number of sessions that cost more than without pruning, by more than 0.05 %.
    pub dearer: u64,
    /// The session with the largest increase.
    pub worst: Option<WorstSession>,
}

/// The session that a policy makes dearer by the largest share.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WorstSession {
    /// Its log.
    pub path: String,
    /// The increase of the cost, as a share.
    #[serde(serialize_with = "thousandths")]
    pub share: f64,
    /// The increase in dollars.
    #[serde(serialize_with = "dollars")]
    pub usd: f64,
}

impl Figures {
    /// Returns whether there are enough sessions for a range, of more than one week.
    pub fn has_range(&self) -> bool {
        self.sessions >= FEW && self.low < self.high
    }

    /// Returns the figures of the policy at an index, over these sessions.
    pub fn of(trials: &[&Trial], at: usize) -> Figures {
        let mut figures = Figures {
            sessions: trials.len(),
            ..Figures::default()
        };
        let mut worst: Option<(f64, &Trial)> = None;
        for trial in trials {
            let tried = &trial.policies[at];
            figures.baseline += trial.usd;
            figures.saved += trial.usd - tried.usd;
            figures.left += trial.usd - tried.usd - tried.again;
            figures.cuts += tried.cuts;
            figures.regrets += tried.regrets;
            figures.expected += tried.expected;
            let more = tried.usd / trial.usd - 1.0;
            if more > DEARER {
                figures.dearer += 1;
                figures.at_risk += tried.usd - trial.usd;
                worst = Some((more, *trial))
                    .filter(|_| worst.is_none_or(|(most, _)| more > most))
                    .or(worst);
            }
        }
        if figures.baseline > 0.0 {
            (figures.share, figures.left_share) = (
                figures.saved / figures.baseline,
                figures.left / figures.baseline,
            );
        }
        figures.worst = worst.map(|(share, trial)| WorstSession {
            path: trial.path.clone(),
            share,
            usd: trial.policies[at].usd - trial.usd,
        });
        (figures.low, figures.high) = range(trials, at);
        figures
    }
}

/// Returns the range of the share in 95 % of the draws. Each draws as many weeks as there are, with repetition: sessions of one week are
/// alike.
fn range(trials: &[&Trial], at: usize) -> (f64, f64) {
    let mut weeks: BTreeMap<&Option<String>, (f64, f64)> = BTreeMap::new();
    for trial in trials {
        let week = weeks.entry(&trial.week).or_default();
        week.0 += trial.usd - trial.policies[at].usd;
        week.1 += trial.usd;
    }
    let weeks: Vec<(f64, f64)> = weeks.into_values().collect();
    if weeks.is_empty() {
        return (0.0, 0.0);
    }
    let mut state = SEED;
    let mut draw = || {
        let (mut saved, mut all) = (0.0, 0.0);
        for _ in &weeks {
            state = mixed(state, 0);
            let week = weeks[((u128::from(state) * weeks.len() as u128) >> 64) as usize];
            saved += week.0;
            all += week.1;
        }
        saved / all
    };
    let mut shares: Vec<f64> = (0..DRAWS).map(|_| draw()).collect();
    shares.sort_by(f64::total_cmp);
    (shares[DRAWS / 40], shares[DRAWS - 1 - DRAWS / 40])
}
