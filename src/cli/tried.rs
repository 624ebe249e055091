//! The policies that `deadhead advise` tries: the configuration in force, every preset, and
//! settings of break-even.

use super::{
    replay::{grid, short},
    *,
};
use crate::report::CONFIGURED;
use deadhead_core::settings::{self, Preset, Resolved, Row, presets};
use deadhead_replay::{
    advice::Candidate,
    simulation::{Policy, Retention},
};
use serde_json::Map;

/// The preset that the grid varies.
const BASE: &str = "break-even";
/// The grid, beside the defaults of the preset.
const GRID: [&str; 3] = [
    "breakEven.minTokens=500,1000,2000,4000",
    "breakEven.keepLastAssistants=2,4",
    "breakEven.budget=null,0.0005",
];

/// The candidates, what is replayed of each, and the files of the configuration.
pub struct Tried {
    pub candidates: Vec<Candidate>,
    pub policies: Vec<Policy>,
    /// The number of policies at the end that are agents' own configurations, and no candidates.
    pub own: usize,
    pub files: Vec<PathBuf>,
}

/// Returns what is tried; the first candidate is the configuration in force. Without one, it is for
/// the logs of each agent that has a configuration of `own` that one.
pub fn candidates(policy: &PolicyArgs, own: &mut Vec<known_folders::Folder>) -> Result<Tried> {
    let today = configuration::of(policy)?;
    today.warn();
    let is_configured = today.resolved.rows().iter().any(is_stated);
    let name = match &policy.preset {
        Some(name) => name,
        None if is_configured => CONFIGURED,
        None => "default",
    };
    let mut found = vec![candidate(name.to_owned(), policy, &today.resolved)];
    for (name, preset, sets) in tried()? {
        let mut with = policy.with_preset(&preset.name);
        with.set
            .extend(sets.iter().map(|(key, value)| format!("{key}={value}")));
        let resolved = configuration::of(&with)?.resolved;
        found.push(candidate(name, &with, &resolved));
    }
    let (mut candidates, mut policies): (Vec<Candidate>, Vec<Policy>) = found.into_iter().unzip();
    own.retain(|folder| {
        let with = PolicyArgs {
            config: folder.configuration.clone(),
            ..policy.clone()
        };
        // What cannot be read is not in force.
        configuration::of(&with)
            .ok()
            .filter(|_| !is_configured && policy.preset.is_none())
            .map(|found| candidate(folder.agent.to_owned(), &with, &found.resolved))
            .map(|(_, policy)| policies.push(policy))
            .is_some()
    });
    if !own.is_empty() {
        let agents = own.iter().map(|folder| folder.agent);
        candidates[0].name += &format!(", {}'s own", joined(agents, "'s and "));
    }
    Ok(Tried {
        candidates,
        policies,
        own: own.len(),
        files: today.files,
    })
}

/// A name, the preset, and what is set beside it.
type Attempt = (String, &'static Preset, Map<String, Value>);

/// Returns each preset, and each setting of the grid that is not a preset.
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
        let mut all = base.settings.clone();
        all.extend(sets.clone());
        if presets().iter().all(|preset| preset.settings != all) {
            let mut shorts: Vec<String> =
                sets.iter().map(|(key, value)| short(key, value)).collect();
            shorts.sort();
            tried.push((format!("{BASE} {}", shorts.join(" ")), base, sets));
        }
    }
    Ok(tried)
}

fn is_stated(row: &Row) -> bool {
    row.source != "default"
}

fn candidate(name: String, policy: &PolicyArgs, resolved: &Resolved) -> (Candidate, Policy) {
    let settings = resolved.settings.clone();
    let stated = resolved.rows().into_iter().filter(is_stated);
    let candidate = Candidate {
        name: name.clone(),
        flags: policy.words(),
        settings: stated.map(|row| (row.key.to_owned(), row.value)).collect(),
    };
    let policy = Policy {
        name,
        flags: candidate.flags.clone(),
        settings,
        retention: Retention::Sticky,
    };
    (candidate, policy)
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
        // Sixteen settings, of which none is a preset.
        assert_eq!(names.len(), presets().len() + 16, "{names:?}");
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
