//! Pruning by hand, by age and by newer versions, inside the library: on real samples, call by call.

#![allow(clippy::unwrap_used)]

mod support;

use deadhead::Error;
use deadhead::config::settings::Selection;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use support::engine::{list, prune, settings};
use support::shared;

/// Calls of a large file that are tried; all of them with DEADHEAD_ALL.
const TRIED: usize = 12;

#[test]
fn every_call_of_the_kept_samples_can_go() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let tally = files(&root).iter().map(|path| each_call(path)).fold(Tally::default(), Tally::add);
    println!("{tally:?}");
    assert!(tally.cut > 50 && tally.cut > tally.kept, "{tally:?}");
}

#[test]
fn every_call_of_the_shared_samples_can_go() {
    let Some(shared) = shared() else { return println!("skipped: no shared samples") };
    let tally = files(&shared.join("samples")).iter().map(|path| each_call(path)).fold(Tally::default(), Tally::add);
    println!("{tally:?}");
    assert!(tally.cut > 100, "{tally:?}");
}

#[test]
fn every_part_can_go_or_stays_for_a_reason() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples")];
    match shared() {
        Some(shared) => folders.push(shared.join("samples")),
        None => println!("skipped: no shared samples"),
    }
    let mut faults = Vec::new();
    let tally =
        folders.iter().flat_map(|folder| files(folder)).map(|path| each_part(&path, &mut faults)).fold(Tally::default(), Tally::add);
    assert!(faults.is_empty(), "{} faults: {:#?}", faults.len(), &faults[..faults.len().min(40)]);
    println!("{tally:?}");
    assert!(tally.cut > 400 && tally.cut > tally.kept, "{tally:?}");
}

/// Takes every part and every message away, one by one and by force. What cannot be read again as planned is a fault.
fn each_part(path: &Path, faults: &mut Vec<String>) -> Tally {
    let bytes = fs::read(path).unwrap();
    let Ok(listed) = list(&bytes, &settings(&[])) else { return Tally::default() };
    let mut selectors: Vec<String> = listed.report.parts.iter().map(|row| row.select.clone()).collect();
    let distinct: std::collections::BTreeSet<_> = selectors.iter().collect();
    if distinct.len() < selectors.len() {
        faults.push(format!("{}: parts of one name", path.display()));
    }
    selectors.extend(listed.report.parts.iter().map(|row| row.message.to_string()));
    selectors.dedup();
    let large = bytes.len() > 100_000 && std::env::var_os("DEADHEAD_ALL").is_none();
    let step = if large { selectors.len().div_ceil(2 * TRIED).max(1) } else { 1 };
    let mut tally = Tally::default();
    for selector in selectors.iter().step_by(step) {
        let mut chosen = settings(&[]);
        chosen.select = Selection { list: vec![selector.clone()], force: true, ..Selection::default() };
        match prune(&bytes, &chosen) {
            Ok((output, _)) => {
                tally.cut += 1;
                assert!(output != bytes, "{}: {selector}", path.display());
            }
            Err(Error::Selection(_) | Error::Broken(_)) => tally.kept += 1,
            // Of a file of many roots the leaf decides which one counts.
            Err(Error::Mismatch { .. }) if listed.report.parts.len() == 1 => tally.kept += 1,
            Err(error) => faults.push(format!("{}: {selector}: {error}", path.display())),
        }
    }
    tally
}

/// Calls that went, and calls that had to stay.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    cut: usize,
    kept: usize,
}

impl Tally {
    fn add(self, other: Tally) -> Tally {
        Tally { cut: self.cut + other.cut, kept: self.kept + other.kept }
    }
}

/// Cuts the calls of a sample one by one. The engine reads each output again and refuses a new defect.
fn each_call(path: &Path) -> Tally {
    let bytes = fs::read(path).unwrap();
    let Ok(listed) = list(&bytes, &settings(&[])) else { return Tally::default() };
    let rows: Vec<_> = listed.report.parts.iter().filter(|row| row.kind == "call").collect();
    let large = bytes.len() > 100_000 && std::env::var_os("DEADHEAD_ALL").is_none();
    let step = if large { rows.len().div_ceil(TRIED).max(1) } else { 1 };
    let mut tally = Tally::default();
    let mut why: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows.iter().step_by(step) {
        let selector = row.call_id.as_ref().map_or_else(|| row.select.clone(), |id| format!("tool:{id}"));
        let mut chosen = settings(&[]);
        chosen.select = Selection { list: vec![selector.clone()], ..Selection::default() };
        match prune(&bytes, &chosen) {
            Ok((output, pruned)) => {
                tally.cut += 1;
                assert!(output.len() < bytes.len() && !pruned.report.cuts.is_empty(), "{}: {selector}", path.display());
                assert!(
                    pruned.report.cuts.iter().any(|cut| cut.message == row.message && Some(cut.part) == row.part),
                    "{}: {selector}",
                    path.display()
                );
                let left = list(&output, &settings(&[])).unwrap_or_else(|e| panic!("{}: {selector}: {e}", path.display()));
                let gone = row.call_id.is_none() || left.report.parts.iter().filter(|other| other.call_id == row.call_id).count() == 0;
                assert!(gone, "{}: {selector} is still there", path.display());
            }
            Err(Error::Selection(text)) => {
                tally.kept += 1;
                *why.entry(text.split(", ").nth(1).unwrap_or(&text).to_owned()).or_default() += 1;
            }
            Err(error) => panic!("{}: {selector}: {error}", path.display()),
        }
    }
    println!("{}: {tally:?} {why:?}", path.display());
    tally
}

/// All files under a folder that may be transcripts, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|e| e == "json" || e == "jsonl") {
            found.push(path);
        }
    }
    found.sort();
    found
}
