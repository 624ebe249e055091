//! Pruning by hand, by age and by newer versions, inside the library: on real samples, call by call.

use crate::data::{Sample, samples};
use crate::runs::{list, prune, settings};
use deadhead_core::Error;
use deadhead_core::settings::Selection;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Calls of a large file that are tried; all of them with DEADHEAD_ALL.
const TRIED: usize = 12;

#[test]
fn every_call_can_go() {
    let tally = samples()
        .par_iter()
        .map(each_call)
        .reduce(Tally::default, Tally::add);
    println!("{tally:?}");
    assert!(tally.cut >= 150 && tally.cut > 2 * tally.kept, "{tally:?}");
}

#[test]
fn every_part_can_go_or_stays_for_a_reason() {
    let (tally, faults) = samples().par_iter().map(each_part).reduce(
        Default::default,
        |(a, mut faults), (b, more)| {
            faults.extend(more);
            (a.add(b), faults)
        },
    );
    assert!(
        faults.is_empty(),
        "{} faults: {:#?}",
        faults.len(),
        &faults[..faults.len().min(40)]
    );
    println!("{tally:?}");
    assert!(tally.cut >= 700 && tally.cut > 10 * tally.kept, "{tally:?}");
}

/// Takes every part and every message away, one by one and by force. What cannot be read again as planned is a fault.
fn each_part(Sample { name, bytes }: &Sample) -> (Tally, Vec<String>) {
    let listed = list(bytes, &settings(&[])).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut faults = Vec::new();
    let mut selectors: Vec<String> = listed
        .report
        .parts
        .iter()
        .map(|row| row.select.clone())
        .collect();
    let distinct: std::collections::BTreeSet<_> = selectors.iter().collect();
    if distinct.len() < selectors.len() {
        faults.push(format!("{name}: parts of one name"));
    }
    selectors.extend(
        listed
            .report
            .parts
            .iter()
            .map(|row| row.message.to_string()),
    );
    selectors.dedup();
    let large = bytes.len() > 100_000 && std::env::var_os("DEADHEAD_ALL").is_none();
    let step = if large {
        selectors.len().div_ceil(2 * TRIED).max(1)
    } else {
        1
    };
    let mut tally = Tally::default();
    for selector in selectors.iter().step_by(step) {
        let mut chosen = settings(&[]);
        chosen.select = Selection {
            list: vec![selector.clone()],
            force: true,
            ..Selection::default()
        };
        match prune(bytes, &chosen) {
            Ok((output, _)) => {
                tally.cut += 1;
                assert!(output != *bytes, "{name}: {selector}");
            }
            Err(Error::Selection(_) | Error::Broken(_)) => tally.kept += 1,
            // Of a file of many roots the leaf decides which one counts.
            Err(Error::Mismatch { .. }) if listed.report.parts.len() == 1 => tally.kept += 1,
            Err(error) => faults.push(format!("{name}: {selector}: {error}")),
        }
    }
    (tally, faults)
}

/// Calls that went, and calls that had to stay.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    cut: usize,
    kept: usize,
}

impl Tally {
    fn add(self, other: Tally) -> Tally {
        Tally {
            cut: self.cut + other.cut,
            kept: self.kept + other.kept,
        }
    }
}

/// Cuts the calls of a sample one by one. The engine reads each output again and refuses a new defect.
fn each_call(Sample { name, bytes }: &Sample) -> Tally {
    let listed = list(bytes, &settings(&[])).unwrap_or_else(|error| panic!("{name}: {error}"));
    let rows: Vec<_> = listed
        .report
        .parts
        .iter()
        .filter(|row| row.kind == "call")
        .collect();
    let large = bytes.len() > 100_000 && std::env::var_os("DEADHEAD_ALL").is_none();
    let step = if large {
        rows.len().div_ceil(TRIED).max(1)
    } else {
        1
    };
    let mut tally = Tally::default();
    let mut why: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows.iter().step_by(step) {
        let selector = row
            .call_id
            .as_ref()
            .map_or_else(|| row.select.clone(), |id| format!("tool:{id}"));
        let mut chosen = settings(&[]);
        chosen.select = Selection {
            list: vec![selector.clone()],
            ..Selection::default()
        };
        match prune(bytes, &chosen) {
            Ok((output, pruned)) => {
                tally.cut += 1;
                assert!(
                    output.len() < bytes.len() && !pruned.report.cuts.is_empty(),
                    "{name}: {selector}"
                );
                let is_cut = pruned
                    .report
                    .cuts
                    .iter()
                    .any(|cut| cut.message == row.message && Some(cut.part) == row.part);
                assert!(is_cut, "{name}: {selector}");
                let left = list(&output, &settings(&[]))
                    .unwrap_or_else(|e| panic!("{name}: {selector}: {e}"));
                let gone = row.call_id.is_none()
                    || left
                        .report
                        .parts
                        .iter()
                        .filter(|other| other.call_id == row.call_id)
                        .count()
                        == 0;
                assert!(gone, "{name}: {selector} is still there");
            }
            Err(Error::Selection(refusals)) => {
                tally.kept += 1;
                let text = &refusals[0].what;
                *why.entry(text.split(", ").nth(1).unwrap_or(text).to_owned())
                    .or_default() += 1;
            }
            Err(error) => panic!("{name}: {selector}: {error}"),
        }
    }
    println!("{name}: {tally:?} {why:?}");
    tally
}
