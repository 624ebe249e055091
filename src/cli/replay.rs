//! `deadhead replay`: from flags to policies, logs and a report.

use super::{inputs::listed, logs::Reading, reporter::FEW, *};
use crate::report::{CONFIGURED, HOOK, Printer, replay::Replays};
use deadhead_core::settings::{self, Preset};
use deadhead_replay::{
    report::{SessionTotals, build},
    simulation::{Policy, Retention},
};
use std::fmt::Display;

/// The policy that saves most as a rule.
pub const MORE: &str = "break-even-more";
/// The most settings of a grid: more are a typing error.
const GRID: usize = 10_000;

/// Runs the command.
pub fn run(args: &ReplayArgs) -> Result<Verdict> {
    let (policies, read) = policies(args)?;
    let reading = Reading::new(&args.logs, &args.files, &read)?;
    let (mut report, terminal) = report_output(args.logs.report.as_deref(), &reading.terms)?;
    let look = args.logs.running.style(terminal, args.logs.verbose);
    let mut printer = Printer::<Replays>::new(args.logs.shown.report_format, look, String::new());
    let mut closing = SessionTotals::default();
    let inputs = reading.inputs.files.len();
    let (is_one, sums) = (inputs == 1, inputs > FEW && !args.logs.verbose);
    let ended = reading.each(
        |session, path, counts| Ok(build(session, path, &policies, counts)?),
        |_, replay| {
            // Among many logs, those without a call in the range are skipped.
            if is_one || replay.sums.requests > 0 || replay.repeated > 0 {
                closing.add(&replay);
                match sums {
                    true => printer.sum(&replay, &mut report.sink)?,
                    false => printer.one(&replay, &mut report.sink)?,
                }
            }
            Ok(())
        },
    )?;
    closing.failed = ended.failed;
    if closing.inputs == 0 && closing.failed == 0 {
        let left_out = ended.and_left_out();
        bail!("no log with calls in {}{left_out}", listed(&args.files));
    }
    ended.say_left_out();
    if closing.inputs > 0 {
        printer.end(&closing, &mut report.sink)?;
        report.finish()?;
    }
    Ok(ended.verdict)
}

/// Returns the policies, each preset with each setting of the grid, and the files of the
/// configuration.
fn policies(args: &ReplayArgs) -> Result<(Vec<Policy>, Vec<PathBuf>)> {
    let presets: Vec<Option<String>> = match &args.logs.policy.preset {
        Some(names) => names
            .split(',')
            .map(|name| Some(name.trim().to_owned()))
            .collect(),
        None if compares(args)? => {
            let others = [configuration::SAFE, MORE].map(|name| Some(name.to_owned()));
            [None].into_iter().chain(others).collect()
        }
        None => vec![None],
    };
    let grid = grid(&args.sweep)?;
    let (mut policies, mut files) = (Vec::new(), Vec::new());
    for preset in &presets {
        for sets in &grid {
            let mut policy = args.logs.policy.clone();
            policy.preset.clone_from(preset);
            if let Some(most) = args.at_entry {
                let half = most / 2;
                // Alone it is all that is cut.
                if preset.is_none() && policy.mode.is_none() {
                    policy.mode = Some("aggressive".to_owned());
                }
                policy.set.push(format!(
                    "edits=[{{type: 'truncate_tool_results', over: {{chars: {most}}}, head: {{chars: {half}}}, \
                     tail: {{chars: {half}}}, keep: {{tool_results: 0}}, errors: 'keep'}}]"
                ));
            }
            let set = |(key, value): &(String, String)| format!("{key}={value}");
            let sweeps: Vec<String> = sets.iter().map(set).collect();
            let found = configuration::resolve(&policy, Vec::new(), sweeps.clone())?;
            if policies.is_empty() {
                found.warn();
            }
            policy.set.extend(sweeps);
            let at_entry = args.at_entry.map(|most| format!("at-entry {most}"));
            let mut named = joined(preset.clone().into_iter().chain(at_entry), " + ");
            if named.is_empty() && sets.is_empty() {
                let own = if presets.len() > 1 {
                    "default"
                } else {
                    CONFIGURED
                };
                own.clone_into(&mut named);
            }
            let named = Some(named).filter(|named| !named.is_empty());
            let swept = sets.iter().map(|(key, value)| short(key, value));
            let is_named = |known: &&Preset| Some(&known.name) == preset.as_ref();
            let is_transient = settings::presets()
                .iter()
                .find(is_named)
                .is_some_and(|preset| preset.is_transient);
            let first = Policy {
                name: joined(named.into_iter().chain(swept), " "),
                flags: match args.at_entry {
                    Some(most) => vec![HOOK.to_owned(), most.to_string()],
                    None => policy.words(),
                },
                settings: found.resolved.settings,
                retention: match is_transient {
                    true => Retention::Transient,
                    false => Retention::Sticky,
                },
            };
            let transient = Policy {
                retention: Retention::Transient,
                ..first.clone()
            };
            policies.push(first);
            policies.extend((args.transient && !is_transient).then_some(transient));
            files = found.files;
        }
    }
    Ok((policies, files))
}

/// Whether nobody chose a policy: then the default is compared with others.
fn compares(args: &ReplayArgs) -> Result<bool> {
    let policy = &args.logs.policy;
    let is_plain = policy.words().is_empty() && !args.transient;
    let is_one = args.sweep.is_empty() && args.at_entry.is_none();
    Ok(is_plain && is_one && !configuration::of(policy)?.is_chosen())
}

/// Returns a setting by the last name of its key.
pub fn short(key: &str, value: impl Display) -> String {
    format!("{}={value}", key.rsplit('.').next().unwrap_or(key))
}

/// Returns all settings of `--sweep KEY=A,B …`: one value of each list, in every combination.
pub fn grid(sweeps: &[String]) -> Result<Vec<Vec<(String, String)>>> {
    let mut grid = vec![Vec::new()];
    for sweep in sweeps {
        let Some((key, values)) = sweep
            .split_once('=')
            .filter(|(key, values)| !key.trim().is_empty() && !values.trim().is_empty())
        else {
            bail!("--sweep {sweep}: expected KEY=VALUE,VALUE such as contextPruning.ttl=5m,1h");
        };
        let values = values_of(values);
        if grid.len().saturating_mul(values.len()) > GRID {
            bail!("--sweep: more than {GRID} settings");
        }
        grid = grid
            .iter()
            .flat_map(|sets: &Vec<(String, String)>| {
                values.iter().map(|value| {
                    sets.iter()
                        .cloned()
                        .chain([(key.trim().to_owned(), value.clone())])
                        .collect()
                })
            })
            .collect();
    }
    Ok(grid)
}

/// Returns the values between commas; a list or an object keeps its own commas.
fn values_of(text: &str) -> Vec<String> {
    let (mut values, mut depth) = (vec![String::new()], 0usize);
    for c in text.chars() {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                values.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = values.last_mut() {
            last.push(c);
        }
    }
    values
        .iter()
        .map(|value| value.trim().to_owned())
        .filter(|value| !value.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_has_every_way() {
        let found = grid(&["a=1,2".into(), "b=[x,y],z".into()]).unwrap();
        let named: Vec<String> = found
            .iter()
            .map(|sets| sets.iter().map(|(k, v)| format!("{k}{v}")).collect())
            .collect();
        assert_eq!(named, ["a1b[x,y]", "a1bz", "a2b[x,y]", "a2bz"]);
        assert!(
            grid(&["a".into()]).is_err()
                && grid(&["=1".into()]).is_err()
                && grid(&["a=".into()]).is_err()
        );
        assert_eq!(grid(&[]).unwrap().len(), 1);
    }
}
