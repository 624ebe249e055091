//! Folders of logs as input and as output.

use crate::support::{Place, TINY, deadhead, history, program};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, mkdirat, openat, unlinkat};
use serde_json::Value;
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Output;

/// A folder below `root` that no walk can read, as root or as anybody: its path is longer than the system takes.
struct Unreadable {
    folders: Vec<OwnedFd>,
    name: String,
}

impl Unreadable {
    fn new(root: &Path) -> Unreadable {
        let name = "n".repeat(250);
        let open =
            |at: &OwnedFd, name: &str| openat(at, name, OFlags::DIRECTORY, Mode::empty()).unwrap();
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
        self.folders
            .iter()
            .rev()
            .for_each(|folder| unlinkat(folder, self.name.as_str(), AtFlags::REMOVEDIR).unwrap());
    }
}

fn run(place: &Place, args: &[&str]) -> Output {
    program()
        .current_dir(place.root())
        .args(args)
        .output()
        .unwrap()
}

#[test]
fn r6_a_folder_that_cannot_be_read_stops_nothing() {
    let place = Place::new();
    let log = super::log();
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
        let reported = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_reported = reported.lines().any(|line| {
            line.starts_with("deadhead: logs/m/nnn") && line.contains("File name too long")
        });
        assert!(
            is_reported && !reported.contains("panicked"),
            "{args:?}: {reported}"
        );
        assert_eq!(output.status.code(), Some(2), "{args:?}: {reported}");
        assert_ne!(before.status.code(), Some(2), "{args:?}");
        assert_eq!(
            found(&output),
            found(&before),
            "{args:?}: the other folders are read all the same"
        );
    }
    for name in ["out/a/log.jsonl", "out/z/log.jsonl"] {
        assert!(place.path(name).exists(), "{name}");
    }
    let report = run(
        &place,
        &["prune", "-n", "-r", "--report-format=jsonl", "logs"],
    )
    .stdout;
    let totals: Value =
        serde_json::from_slice(report.split(|b| *b == b'\n').rev().nth(1).unwrap()).unwrap();
    assert_eq!(
        (&totals["totals"]["inputs"], &totals["totals"]["failed"]),
        (&3.into(), &1.into())
    );
    drop(unreadable);
}

/// A folder that is named and holds nothing else fails as a file does.
#[test]
fn r6_nothing_but_a_folder_that_cannot_be_read() {
    let place = Place::new();
    std::fs::create_dir(place.path("m")).unwrap();
    let unreadable = Unreadable::new(&place.path("m"));
    for args in [
        &["prune", "-n", "-r", "m"][..],
        &["check", "-r", "m"],
        &["replay", "m"],
    ] {
        let output = run(&place, args);
        assert_eq!(
            (output.status.code(), output.stdout.len()),
            (Some(2), 0),
            "{args:?}"
        );
        assert_eq!(
            String::from_utf8_lossy(&output.stderr).lines().count(),
            1,
            "{args:?}"
        );
    }
    drop(unreadable);
}

/// A file as it lies on the disk: which it is, and when it was written.
type Stamp = (u64, i64, i64);

/// All files below a folder, by their path in it, with their inode and time.
fn files(folder: &Path) -> BTreeMap<PathBuf, Stamp> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        let name = PathBuf::from(entry.file_name().unwrap());
        if entry.is_dir() {
            found.extend(
                files(&entry)
                    .into_iter()
                    .map(|(path, stamp)| (name.join(path), stamp)),
            );
        } else {
            let metadata = std::fs::metadata(&entry).unwrap();
            found.insert(
                name,
                (metadata.ino(), metadata.mtime(), metadata.mtime_nsec()),
            );
        }
    }
    found
}

fn paths(folder: &Path) -> String {
    files(folder)
        .keys()
        .map(|path| path.display().to_string())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Prunes what `args` name into `out`.
fn night(place: &Place, out: &str, args: &[&str]) {
    deadhead()
        .current_dir(place.root())
        .args(["prune", "-q", "-r", "--out-dir", out])
        .args(TINY)
        .args(args)
        .assert()
        .success();
}

#[test]
fn r6_a_place_does_not_depend_on_what_else_is_there() {
    let place = Place::new();
    place.file("in/a/x.jsonl", history(4));
    place.file("in/top.jsonl", history(2));
    night(&place, "out", &["in"]);
    assert_eq!(paths(&place.path("out")), "a/x.jsonl top.jsonl");
    let before = files(&place.path("out"));
    // Equal names elsewhere, a folder that is gone: what was there lies where it lay.
    place.file("in/b/x.jsonl", history(4));
    place.file("other/x.jsonl", history(3));
    night(&place, "out", &["in", "other/x.jsonl"]);
    assert_eq!(
        paths(&place.path("out")),
        "a/x.jsonl b/x.jsonl top.jsonl x.jsonl"
    );
    assert!(
        before
            .iter()
            .all(|(path, stamp)| files(&place.path("out"))[path] == *stamp)
    );
    // Of two folders with equal paths both are written.
    place.file("in2/a/x.jsonl", history(7));
    night(&place, "both", &["in", "in2"]);
    assert_eq!(
        paths(&place.path("both")),
        "b/x.jsonl in/a/x.jsonl in2/a/x.jsonl top.jsonl"
    );
    night(&place, "named", &["in/a/x.jsonl"]);
    assert_eq!(paths(&place.path("named")), "x.jsonl");
}

#[test]
fn r6_what_has_not_changed_is_left_alone() {
    let place = Place::new();
    for name in ["in/a.jsonl", "in/deep/er/b.jsonl", "in/c.jsonl"] {
        place.file(name, history(5));
    }
    // A packed one, too: the same bytes make the same file.
    std::fs::write(place.path("in/packed.jsonl.gz"), history(5)).unwrap();
    let all = ["in", "in/packed.jsonl.gz"];
    night(&place, "out", &all);
    let first = files(&place.path("out"));
    assert_eq!(first.len(), 4);
    night(&place, "out", &all);
    assert_eq!(files(&place.path("out")), first);
    // One that changes is written anew, one that somebody spoiled too.
    place.file("in/a.jsonl", history(6));
    std::fs::write(place.path("out/c.jsonl"), "spoiled").unwrap();
    night(&place, "out", &all);
    let second = files(&place.path("out"));
    let changed: Vec<&PathBuf> = first
        .keys()
        .filter(|path| first[*path] != second[*path])
        .collect();
    assert_eq!(changed, [Path::new("a.jsonl"), Path::new("c.jsonl")]);
    assert_eq!(first.len(), second.len(), "nothing but outputs is there");
    // So is one that is more public than its input has become.
    std::fs::set_permissions(
        place.path("in/a.jsonl"),
        std::fs::Permissions::from_mode(0o600),
    )
    .unwrap();
    night(&place, "out", &all);
    let third = files(&place.path("out"));
    assert_eq!(
        second
            .keys()
            .filter(|path| second[*path] != third[*path])
            .collect::<Vec<_>>(),
        [Path::new("a.jsonl")]
    );
    // Under -o a file is written each time, as make would have it.
    let run = || {
        deadhead()
            .current_dir(place.root())
            .args(["prune", "-q", "-o", "one.jsonl", "in/a.jsonl"])
            .assert()
            .success();
        std::fs::metadata(place.path("one.jsonl")).unwrap().ino()
    };
    let first = run();
    std::fs::hard_link(place.path("one.jsonl"), place.path("keeps the inode")).unwrap();
    assert_ne!(run(), first);
}

#[test]
fn r6_outputs_below_the_input_are_not_read_again() {
    for (out, args) in [
        ("in/pruned", &["in"][..]),
        ("pruned", &["."]),
        ("in/deep/pruned", &["in", "in/deep/x.jsonl"]),
        ("link", &["in"]),
    ] {
        let place = Place::new();
        place.file("in/a/x.jsonl", history(4));
        place.file("in/deep/x.jsonl", history(5));
        std::fs::create_dir_all(place.path("in/linked")).unwrap();
        std::os::unix::fs::symlink("in/linked", place.path("link")).unwrap();
        night(&place, out, args);
        let first = files(place.root());
        for command in [&["prune"][..], &["check", "--repair"]] {
            let mut run = deadhead();
            run.current_dir(place.root())
                .args(command)
                .args(["-q", "-r", "--out-dir", out]);
            run.args(if command[0] == "prune" {
                &TINY[..]
            } else {
                &[]
            })
            .args(args)
            .output()
            .unwrap();
            assert_eq!(
                files(place.root()).keys().collect::<Vec<_>>(),
                first.keys().collect::<Vec<_>>(),
                "{out} {command:?}"
            );
        }
    }
    // The folder of the inputs itself is refused as ever.
    let place = Place::new();
    let input = place.file("in/x.jsonl", history(4));
    let output = deadhead()
        .current_dir(place.root())
        .args(["prune", "-q", "-r", "--out-dir", "in", "in"])
        .args(TINY)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(input).unwrap(), history(4));
}

/// The line of progress that is in no terminal, with what is done and what there is.
fn lines_of_progress(output: &Output) -> Vec<String> {
    let reported = String::from_utf8_lossy(&output.stderr).into_owned();
    reported
        .lines()
        .filter(|line| line.contains("B of ") && line.ends_with("B done"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn r6_progress_is_shown_for_several_inputs() {
    let place = Place::new();
    for name in ["in/a.jsonl", "in/b/c.jsonl", "in/d.jsonl"] {
        place.file(name, history(300));
    }
    let runs: [&[&str]; 6] = [
        &["prune", "-q", "-r", "--out-dir=out", "in"],
        &["prune", "-n", "-r", "-j1", "in"],
        &["prune", "-n", "-r", "-j3", "in"],
        &["prune", "-n", "in/a.jsonl"],
        &["prune", "-r", "--list", "in"],
        &["replay", "in"],
    ];
    for args in runs {
        let always = run(&place, &[args, &["--progress=always"]].concat());
        let shown = lines_of_progress(&always);
        assert!(
            shown.len() == 1,
            "{args:?}: {}",
            String::from_utf8_lossy(&always.stderr)
        );
        let all = if args.contains(&"in/a.jsonl") {
            "of 334.47 KiB"
        } else {
            "of 1003.40 KiB"
        };
        assert!(
            shown.iter().all(|line| line.contains(all)),
            "{args:?}: {shown:?}"
        );
        for when in ["--progress=never", "--progress=auto"] {
            let output = run(&place, &[args, &[when]].concat());
            assert!(lines_of_progress(&output).is_empty(), "{args:?} {when}");
            assert_eq!(
                output.stdout, always.stdout,
                "{args:?}: what is printed is the same"
            );
        }
    }
}
