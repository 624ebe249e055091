//! The policies that `deadhead advise` tries: the configuration in force, every preset, and settings of break-even.

use super::configuration::resolve;
use super::replay::{grid, short};
use super::{PolicyArgs, stderr_line};
use crate::report::CONFIGURED;
use anyhow::Result;
use deadhead_core::settings::{self, Mode, Preset, presets};
use deadhead_replay::advice::Candidate;
use deadhead_replay::policy::Policy;
use deadhead_replay::simulation::Retention;
use serde_json::{Map, Value};

/// The preset that the grid varies.
const BASE: &str = "break-even";
/// The grid, beside the defaults of the preset.
const GRID: [&str; 3] = [
    "breakEven.minTokens=1000,2000,4000,8000",
    "breakEven.keepLastAssistants=2,4",
    "breakEven.budget=null,0.0005",
];

/// The candidates and what is replayed of each; the first is the configuration in force.
pub fn candidates(policy: &PolicyArgs) -> Result<Vec<(Candidate, Policy)>> {
    let today = resolve(policy, Vec::new(), Vec::new())?;
    today
        .warnings
        .iter()
        .for_each(|w| stderr_line!("deadhead: warning: {}", w.text));
    let is_configured = today.rows().iter().any(|row| row.source != "default");
    let name = match &policy.preset {
        Some(name) => name.clone(),
        None if is_configured => CONFIGURED.to_owned(),
        None => "default".to_owned(),
    };
    let mut found = vec![candidate(name, policy.words(), &today)];
    // What of the flags is a policy gives way to the candidates; protections, rates and the model stay.
    let rest = PolicyArgs {
        preset: None,
        mode: None,
        ttl: None,
        only_if: None,
        expect_requests: None,
        pass: Vec::new(),
        no_pass: Vec::new(),
        ..policy.clone()
    };
    for (name, preset, sets) in tried()? {
        let mut with = PolicyArgs {
            preset: Some(preset.name.clone()),
            ..rest.clone()
        };
        with.set
            .extend(sets.iter().map(|(key, value)| format!("{key}={value}")));
        found.push(candidate(
            name,
            with.words(),
            &resolve(&with, Vec::new(), Vec::new())?,
        ));
    }
    Ok(found)
}

/// A name, the preset, and what is set beside it.
type Attempt = (String, &'static Preset, Map<String, Value>);

/// Each preset, and each setting of the grid that is none.
fn tried() -> Result<Vec<Attempt>> {
    let mut tried: Vec<_> = presets()
        .iter()
        .map(|preset| (preset.name.clone(), preset, Map::new()))
        .collect();
    let Some(base) = presets().iter().find(|preset| preset.name == BASE) else {
        return Ok(tried);
    };
    let defaults = settings::keys();
    for sets in grid(&GRID.map(str::to_owned))? {
        let mut sets: Map<String, Value> = sets
            .into_iter()
            .map(|(key, value)| Ok((key, value.parse()?)))
            .collect::<Result<_>>()?;
        // What is the default need not be set.
        sets.retain(|key, value| {
            defaults
                .iter()
                .all(|known| known.path != *key || known.default != *value)
        });
        let is_preset = presets().iter().any(|preset| {
            let all: Map<String, Value> = base
                .settings
                .clone()
                .into_iter()
                .chain(sets.clone())
                .collect();
            preset.settings == all
        });
        if !is_preset {
            let mut shorts: Vec<String> =
                sets.iter().map(|(key, value)| short(key, value)).collect();
            shorts.sort();
            tried.push((format!("{BASE} {}", shorts.join(" ")), base, sets));
        }
    }
    Ok(tried)
}

fn candidate(
    name: String,
    flags: Vec<String>,
    resolved: &settings::Resolved,
) -> (Candidate, Policy) {
    let stated = resolved
        .rows()
        .into_iter()
        .filter(|row| row.source != "default")
        .map(|row| (row.key.to_owned(), row.value));
    let settings = stated.collect();
    let policy = Policy {
        name: name.clone(),
        flags: flags.clone(),
        settings: resolved.settings.clone(),
        retention: Retention::Sticky,
    };
    let bounded = policy.settings.context_pruning.mode == Mode::BreakEven
        && policy.settings.break_even.budget.is_some();
    (
        Candidate {
            name,
            flags,
            settings,
            bounded,
        },
        policy,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_and_a_small_grid_are_tried() {
        let tried = tried().expect("a grid");
        let names: Vec<&str> = tried.iter().map(|(name, ..)| &**name).collect();
        assert!(
            presets()
                .iter()
                .all(|preset| names.contains(&&*preset.name))
        );
        // Sixteen settings, of which two are presets.
        assert_eq!(names.len(), presets().len() + 14, "{names:?}");
        assert!(
            names.contains(&"break-even budget=0.0005 minTokens=4000"),
            "{names:?}"
        );
        assert_eq!(
            names.iter().collect::<std::collections::HashSet<_>>().len(),
            names.len()
        );
    }
}
