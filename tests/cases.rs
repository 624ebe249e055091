//! Command lines and their output: one folder of `cases/` each, run in a directory of its own.
//!
//! A case has `args` (one argument a line), perhaps `stdin`, and the expected `stdout`, `stderr` and `code`. Its other files, and
//! those that lie beside all cases, are there when the program runs; the files that the program makes must be those under `made/`.
//! `UPDATE=1 cargo test --test cases` writes the actual output into the cases; `cargo test --test cases bad-ttl` runs those whose
//! name contains `bad-ttl`.

#![allow(clippy::unwrap_used)]

#[allow(dead_code)]
#[path = "program/support.rs"]
mod support;

use libtest_mimic::{Arguments, Failed, Trial};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use support::{Place, deadhead};

/// Files of a case that are not there for the program.
const OWN: [&str; 6] = ["args", "stdin", "stdout", "stderr", "code", "made"];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let folders: Vec<PathBuf> = entries(&root).into_iter().filter(|path| path.is_dir()).collect();
    assert!(folders.len() > 50, "{} cases", folders.len());
    let trial = |case: PathBuf| {
        let (name, root) = (case.file_name().unwrap().to_str().unwrap().to_owned(), root.clone());
        Trial::test(name, move || holds(&root, &case))
    };
    libtest_mimic::run(&Arguments::from_args(), folders.into_iter().map(trial).collect()).exit();
}

/// Runs a case and compares; with `UPDATE`, writes instead.
fn holds(root: &Path, case: &Path) -> Result<(), Failed> {
    let found = run(root, case);
    if std::env::var_os("UPDATE").is_some() {
        write(case, &found);
        return Ok(());
    }
    let wrong = differences(case, &found);
    if wrong.is_empty() { Ok(()) } else { Err(format!("{}\nUPDATE=1 writes what comes back", wrong.join("\n")).into()) }
}

/// The output of a case: the bytes of each file that records it, by path.
type Found = BTreeMap<PathBuf, Vec<u8>>;

fn run(root: &Path, case: &Path) -> Found {
    let place = Place::new();
    for file in entries(root).iter().filter(|p| p.is_file()) {
        fs::copy(file, place.path(file.file_name().unwrap())).unwrap();
    }
    for file in entries(case).iter().filter(|p| !OWN.iter().any(|own| p.ends_with(own))) {
        copy(file, &place.path(file.file_name().unwrap()));
    }
    let before = files(place.root());
    let args = fs::read_to_string(case.join("args")).unwrap();
    let stdin = fs::read(case.join("stdin")).unwrap_or_default();
    let output = deadhead().current_dir(place.root()).args(args.lines()).write_stdin(stdin).output().unwrap();
    let mut found = Found::from([
        ("stdout".into(), stable(&output.stdout)),
        ("stderr".into(), stable(&output.stderr)),
        ("code".into(), format!("{}\n", output.status.code().unwrap_or(-1)).into_bytes()),
    ]);
    let after = files(place.root());
    for (name, bytes) in &before {
        assert_eq!(after.get(name), Some(bytes), "{}: {} is as it was", case.display(), name.display());
    }
    found.extend(
        after.into_iter().filter(|(name, _)| !before.contains_key(name)).map(|(name, bytes)| (Path::new("made").join(name), bytes)),
    );
    found
}

/// The version changes with every release.
fn stable(bytes: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.replace(env!("CARGO_PKG_VERSION"), "[VERSION]").into_bytes(),
        Err(_) => bytes.to_vec(),
    }
}

fn differences(case: &Path, found: &Found) -> Vec<String> {
    let name = case.file_name().unwrap().display();
    let wanted: Found = files(case).into_iter().filter(|(path, _)| is_result(path)).collect();
    let mut paths: Vec<&PathBuf> = wanted.keys().chain(found.keys()).collect();
    paths.sort();
    paths.dedup();
    let show =
        |bytes: Option<&Vec<u8>>| bytes.map_or("nothing".to_owned(), |b| format!("{:?}", String::from_utf8_lossy(&b[..b.len().min(1500)])));
    let empty = Vec::new();
    let of = |from: &Found, path: &PathBuf| from.get(path).filter(|b| !b.is_empty() || path.starts_with("made")).cloned();
    let differing = paths.into_iter().filter(|path| of(&wanted, path) != of(found, path));
    differing
        .map(|path| {
            format!("{name}/{}:\n  wanted {}\n  found  {}", path.display(), show(wanted.get(path).or(Some(&empty))), show(found.get(path)))
        })
        .collect()
}

fn write(case: &Path, found: &Found) {
    for (path, _) in files(case).iter().filter(|(path, _)| is_result(path)) {
        fs::remove_file(case.join(path)).unwrap();
    }
    for (path, bytes) in found.iter().filter(|(path, bytes)| !bytes.is_empty() || path.starts_with("made")) {
        let path = case.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

fn is_result(path: &Path) -> bool {
    ["stdout", "stderr", "code", "made"].iter().any(|own| path.starts_with(own))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        fs::copy(from, to).unwrap();
        return;
    }
    fs::create_dir(to).unwrap();
    entries(from).iter().for_each(|path| copy(path, &to.join(path.file_name().unwrap())));
}

/// All files under a folder, by their path in it.
fn files(folder: &Path) -> Found {
    let mut found = Found::new();
    for path in entries(folder) {
        let name = PathBuf::from(path.file_name().unwrap());
        if path.is_dir() {
            found.extend(files(&path).into_iter().map(|(inner, bytes)| (name.join(inner), bytes)));
        } else {
            found.insert(name, fs::read(&path).unwrap());
        }
    }
    found
}
