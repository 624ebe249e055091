//! Folders of logs: walked, and written into.

use super::support::{Place, program};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, mkdirat, openat, unlinkat};
use serde_json::Value;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Output;

/// A folder below `root` that no walk can read, as root or as anybody: its path is longer than the system takes.
struct Unreadable {
    folders: Vec<OwnedFd>,
    name: String,
}

impl Unreadable {
    fn new(root: &Path) -> Unreadable {
        let name = "n".repeat(250);
        let open = |at: &OwnedFd, name: &str| openat(at, name, OFlags::DIRECTORY, Mode::empty()).unwrap();
        let mut folders = vec![openat(CWD, root, OFlags::DIRECTORY, Mode::empty()).unwrap()];
        for _ in 0..17 {
            let last = folders.last().unwrap();
            mkdirat(last, &name, Mode::RWXU).unwrap();
            folders.push(open(last, &name));
        }
        Unreadable { folders, name }
    }
}

impl Drop for Unreadable {
    fn drop(&mut self) {
        self.folders.pop();
        self.folders.iter().rev().for_each(|folder| unlinkat(folder, self.name.as_str(), AtFlags::REMOVEDIR).unwrap());
    }
}

fn run(place: &Place, args: &[&str]) -> Output {
    program().current_dir(place.root()).args(args).output().unwrap()
}

#[test]
fn r6_a_folder_that_cannot_be_read_stops_nothing() {
    let place = Place::new();
    let log = include_str!("../samples/claude-code/claude-code-log__edge_cases.jsonl");
    for name in ["logs/a/log.jsonl", "logs/z/log.jsonl"] {
        place.file(name, log);
    }
    std::fs::create_dir(place.path("logs/m")).unwrap();
    let runs: [&[&str]; 6] = [
        &["prune", "-n", "-r", "--report-format=jsonl", "logs"],
        &["prune", "-q", "-r", "--out-dir=out", "logs"],
        &["prune", "-r", "--list", "logs"],
        &["check", "-r", "logs"],
        &["replay", "--report-format=jsonl", "logs"],
        &["replay", "--report-format=jsonl", "logs/*/*.jsonl"],
    ];
    let found = |output: &Output| {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        ["logs/a/log.jsonl", "logs/z/log.jsonl"].map(|name| text.contains(name))
    };
    let open: Vec<Output> = runs.iter().map(|args| run(&place, args)).collect();
    let unreadable = Unreadable::new(&place.path("logs/m"));
    for (args, before) in runs.iter().zip(open) {
        let output = run(&place, args);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let tells = told.lines().any(|line| line.starts_with("deadhead: logs/m/nnn") && line.contains("File name too long"));
        assert!(tells && !told.contains("panicked"), "{args:?}: {told}");
        assert_eq!(output.status.code(), Some(2), "{args:?}: {told}");
        assert_ne!(before.status.code(), Some(2), "{args:?}");
        assert_eq!(found(&output), found(&before), "{args:?}: the other folders are read all the same");
    }
    for name in ["out/a/log.jsonl", "out/z/log.jsonl"] {
        assert!(place.path(name).exists(), "{name}");
    }
    let report = run(&place, &["prune", "-n", "-r", "--report-format=jsonl", "logs"]).stdout;
    let totals: Value = serde_json::from_slice(report.split(|b| *b == b'\n').rev().nth(1).unwrap()).unwrap();
    assert_eq!((&totals["totals"]["inputs"], &totals["totals"]["failed"]), (&3.into(), &1.into()));
    drop(unreadable);
}

/// A folder that is named and holds nothing else fails as a file does.
#[test]
fn r6_nothing_but_a_folder_that_cannot_be_read() {
    let place = Place::new();
    std::fs::create_dir(place.path("m")).unwrap();
    let unreadable = Unreadable::new(&place.path("m"));
    for args in [&["prune", "-n", "-r", "m"][..], &["check", "-r", "m"], &["replay", "m"]] {
        let output = run(&place, args);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1, "{args:?}");
    }
    drop(unreadable);
}
