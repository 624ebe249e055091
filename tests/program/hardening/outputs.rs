//! Output files: their permissions, the files that they replace, and that they are complete.

use crate::support::{BODY, Place, TINY, deadhead, history, program, pruned, script};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Ways to write a file `out/NAME`: the flags, the input, and which file it is.
const WAYS: [(&[&str], &str, &str); 8] = [
    (
        &["prune", "-q", "-o", "out/body.json"],
        "body.json",
        "body.json",
    ),
    (
        &["prune", "-q", "--out-dir", "out"],
        "body.json",
        "body.json",
    ),
    (
        &["check", "--repair", "-o", "out/body.json"],
        "body.json",
        "body.json",
    ),
    (
        &["check", "--repair", "--out-dir", "out"],
        "body.json",
        "body.json",
    ),
    (
        &["prune", "-n", "--report", "out/report"],
        "body.json",
        "report",
    ),
    (
        &["prune", "-n", "--emit-header", "out/header"],
        "body.json",
        "header",
    ),
    (
        &[
            "prune",
            "-q",
            "-o",
            "/dev/null",
            "--mode=aggressive",
            "--set=contextPruning.keepLastAssistants=0",
            "--set=contextPruning.hardClear.skipShorter=false",
            "--log",
            "out/log",
        ],
        "body.json",
        "log",
    ),
    (&["replay", "-o", "out/report"], "log.jsonl", "report"),
];

/// The inputs of `WAYS`, with a mode.
fn inputs(mode: u32) -> Place {
    let place = Place::new();
    for (name, text) in [("body.json", BODY), ("log.jsonl", super::log())] {
        let path = place.file(name, text);
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
    fs::create_dir(place.path("out")).unwrap();
    place
}

/// Runs the program under a umask.
fn run(place: &Place, umask: &str, args: &[&str]) -> Output {
    script(place, &format!("umask {umask}; exec deadhead \"$@\""))
        .args(args)
        .output()
        .unwrap()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

#[test]
fn fault_03_nothing_is_more_public_than_its_input() {
    for (input, umask, old, copy, report) in [
        (0o600, "022", None, 0o600, 0o600),
        (0o644, "022", None, 0o644, 0o644),
        (0o640, "022", None, 0o640, 0o640),
        (0o755, "022", None, 0o755, 0o644),
        (0o666, "022", None, 0o644, 0o644),
        (0o644, "077", None, 0o600, 0o600),
        (0o600, "000", None, 0o600, 0o600),
        // What is there already is at most as public as it was.
        (0o600, "022", Some(0o644), 0o600, 0o600),
        (0o644, "022", Some(0o600), 0o600, 0o600),
    ] {
        for (args, file, made) in WAYS {
            // Lines are added to a log that is there: its mode is for whoever made it to say.
            if made == "log" && old.is_some() {
                continue;
            }
            let place = inputs(input);
            let out = place.path("out").join(made);
            if let Some(old) = old {
                fs::write(&out, "old").unwrap();
                fs::set_permissions(&out, Permissions::from_mode(old)).unwrap();
            }
            let output = run(&place, umask, &[args, &[file]].concat());
            let about = format!(
                "{args:?} of {input:o}, umask {umask}, over {old:?}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            assert!(out.exists(), "{about}");
            let want = if made == "body.json" { copy } else { report };
            assert_eq!(format!("{:o}", mode(&out)), format!("{want:o}"), "{about}");
        }
    }
}

#[test]
fn fault_03_a_report_is_as_private_as_the_most_private_input() {
    let place = inputs(0o644);
    fs::set_permissions(place.path("log.jsonl"), Permissions::from_mode(0o640)).unwrap();
    run(
        &place,
        "022",
        &[
            "prune",
            "-q",
            "--out-dir",
            "out",
            "--report",
            "all",
            "body.json",
            "log.jsonl",
        ],
    );
    let modes = ["all", "out/body.json", "out/log.jsonl"].map(|name| mode(&place.path(name)));
    assert_eq!(modes, [0o640, 0o644, 0o640]);
}

/// Starts a run that waits for its second line, when its temporary files are there.
fn waiting(place: &Place, before: &str, args: &[&str]) -> Child {
    let mut command = script(place, &format!("{before} exec deadhead prune \"$@\""));
    command.args(TINY).args(args);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .as_mut()
        .unwrap()
        .write_all(BODY.as_bytes())
        .unwrap();
    let wanted = args
        .iter()
        .filter(|arg| matches!(**arg, "-o" | "--report" | "--emit-header"))
        .count();
    let since = Instant::now();
    while temporary(place, &child).len() < wanted {
        assert!(
            since.elapsed() < Duration::from_secs(20),
            "no temporary file"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

/// The temporary files of a run, with links to what it has open: most have no name in the folder.
fn temporary(place: &Place, child: &Child) -> BTreeMap<PathBuf, PathBuf> {
    let is_temporary = |path: &Path| {
        path.file_name()
            .is_some_and(|name| ["#", ".deadhead-"].iter().any(|start| begins(name, start)))
    };
    place
        .open_files(child)
        .into_iter()
        .filter(|(path, _)| is_temporary(path))
        .collect()
}

fn begins(name: &OsStr, start: &str) -> bool {
    name.as_encoded_bytes().starts_with(start.as_bytes())
}

fn send(signal: &str, child: &Child) {
    assert!(
        Command::new("kill")
            .args(["-s", signal, &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
}

/// Ends a run by a signal. Its input stays open until it is gone.
fn end(signal: &str, mut child: Child) {
    let stdin = child.stdin.take();
    send(signal, &child);
    assert_eq!(child.wait().unwrap().code(), None, "{signal}");
    drop(stdin);
}

#[test]
fn fault_03_temporary_files_are_their_owners() {
    let place = Place::new();
    let child = waiting(
        &place,
        "umask 000;",
        &[
            "-o",
            "out",
            "--report",
            "report",
            "--emit-header",
            "header",
            "-",
        ],
    );
    for (name, open) in temporary(&place, &child) {
        assert_eq!(
            format!("{} {:o}", name.display(), mode(&open)),
            format!("{} 600", name.display())
        );
    }
    // What has no name leaves nothing.
    let named = place.names();
    end("KILL", child);
    assert_eq!(place.names(), named);
    assert!(
        named.iter().all(|name| name.starts_with(".deadhead-")),
        "{named:?}"
    );
}

#[test]
fn fault_08_an_ignored_signal_stays_ignored() {
    for signal in ["HUP", "INT", "TERM"] {
        let place = Place::new();
        let mut child = waiting(
            &place,
            &format!("trap '' {signal};"),
            &["-q", "-o", "out", "-"],
        );
        send(signal, &child);
        std::thread::sleep(Duration::from_millis(100));
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(BODY.as_bytes()).unwrap();
        drop(stdin);
        assert_eq!(child.wait().unwrap().code(), Some(0), "{signal}");
        assert_eq!(
            fs::read(place.path("out")).unwrap(),
            pruned().repeat(2),
            "{signal}"
        );
        // One that is not ignored ends the run, and nothing is left.
        let others = ["HUP", "INT", "TERM"]
            .into_iter()
            .filter(|other| *other != signal);
        for other in others {
            let place = Place::new();
            end(
                other,
                waiting(
                    &place,
                    &format!("trap '' {signal};"),
                    &["-q", "-o", "out", "-"],
                ),
            );
            assert_eq!(place.names(), [""; 0], "{other}");
        }
    }
}

#[test]
fn fault_09_a_failed_run_leaves_the_files_that_are_there() {
    let place = Place::new();
    place.file("bad.json", "{\"messages\": [1,");
    place.file("none.jsonl", "{\"hello\":1}\n");
    for (args, input) in [
        (&["prune", "--report", "file"][..], "bad.json"),
        (
            &["prune", "--report", "file", "--report-format=json"],
            "bad.json",
        ),
        (
            &["prune", "-n", "--report", "file", "--report-format=html"],
            "missing.json",
        ),
        (&["prune", "--emit-header", "file"], "bad.json"),
        (
            &["prune", "--emit-header", "file", "--select", "99"],
            "bad.json",
        ),
        (&["prune", "--log", "file"], "bad.json"),
        (&["replay", "-o", "file"], "bad.json"),
        (&["replay", "-o", "file"], "none.jsonl"),
    ] {
        for old in [None, Some("old\n")] {
            let before = old
                .map(|old| place.file("file", old))
                .map(|path| fs::metadata(path).unwrap());
            let output = deadhead()
                .current_dir(place.root())
                .args(args)
                .arg(input)
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(2), "{args:?}");
            let now = fs::metadata(place.path("file")).ok();
            assert_eq!(now.map(|m| m.ino()), before.map(|m| m.ino()), "{args:?}");
            assert_eq!(
                fs::read_to_string(place.path("file")).ok().as_deref(),
                old,
                "{args:?}"
            );
            let _ = fs::remove_file(place.path("file"));
            assert_eq!(place.names(), ["bad.json", "none.jsonl"], "{args:?}");
        }
    }
    // Where some of the inputs are read, the report is about all.
    let body = place.file("body.json", BODY);
    let args = [
        "prune",
        "-n",
        "--report",
        "file",
        "--report-format=json",
        "bad.json",
    ];
    deadhead()
        .current_dir(place.root())
        .args(args)
        .arg(body)
        .assert()
        .code(2);
    assert!(
        fs::read_to_string(place.path("file"))
            .unwrap()
            .contains("\"failed\": 1")
    );
}

#[test]
fn fault_09_files_appear_when_they_are_whole() {
    for signal in ["TERM", "KILL"] {
        let place = Place::new();
        place.file("header", "old\n");
        let args = [
            "-q",
            "-o",
            "out",
            "--report",
            "report",
            "--emit-header",
            "header",
            "--log",
            "log",
            "-",
        ];
        end(signal, waiting(&place, "", &args));
        // A file system without files that have no name keeps those of a run that was killed.
        let left: Vec<String> = place
            .names()
            .into_iter()
            .filter(|name| !name.starts_with(".deadhead-") && name != "log")
            .collect();
        assert_eq!(left, ["header"], "{signal}");
        // The log grows by whole lines, one for each request.
        assert!(
            fs::read_to_string(place.path("log"))
                .unwrap_or_default()
                .lines()
                .all(|line| line.ends_with('}')),
            "{signal}"
        );
        assert_eq!(
            fs::read_to_string(place.path("header")).unwrap(),
            "old\n",
            "{signal}"
        );
    }
}

/// A pipe at the place of the header gets each line at once: a gateway waits for it.
#[test]
fn fault_09_a_header_is_written_to_a_pipe_at_once() {
    use std::io::{BufRead, BufReader};
    let place = Place::new();
    assert!(
        Command::new("mkfifo")
            .arg(place.path("fifo"))
            .status()
            .unwrap()
            .success()
    );
    let mut command = program();
    command
        .current_dir(place.root())
        .args(["prune", "-q", "--emit-header", "fifo"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(fs::File::open(place.path("fifo")).unwrap()).lines();
    let mut stdin = child.stdin.take().unwrap();
    for _ in 0..3 {
        stdin.write_all(BODY.as_bytes()).unwrap();
        assert!(
            lines
                .next()
                .unwrap()
                .unwrap()
                .starts_with("x-deadhead-context-pruned: ")
        );
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

/// A folder like /tmp: everybody may write there, and only owners may take away.
fn shared_folder(place: &Place) {
    fs::set_permissions(place.path("out"), Permissions::from_mode(0o1777)).unwrap();
}

/// Links that are in a shared folder: whose they are depends on who runs the tests. Root can plant one for somebody else, and
/// is refused; anybody else has only links of their own there, which are followed.
#[test]
fn fault_04_a_planted_link_is_not_followed() {
    let is_root = rustix::process::geteuid().is_root();
    for (args, file, made) in WAYS {
        for planted in [false, true] {
            let place = inputs(0o644);
            let victim = place.file("victim", "mine\n");
            shared_folder(&place);
            let link = place.path("out").join(made);
            symlink(&victim, &link).unwrap();
            if is_root {
                // The folder is a third party's: a link of its owner would be followed.
                std::os::unix::fs::chown(place.path("out"), Some(65533), None).unwrap();
                if planted {
                    std::os::unix::fs::lchown(&link, Some(65534), None).unwrap();
                }
            }
            let output = run(&place, "022", &[args, &[file]].concat());
            let reported = String::from_utf8_lossy(&output.stderr).into_owned();
            let refused = is_root && planted;
            assert_eq!(
                fs::read_to_string(&victim).unwrap() == "mine\n",
                refused,
                "{args:?}: {reported}"
            );
            assert!(
                fs::symlink_metadata(&link).unwrap().is_symlink(),
                "{args:?}"
            );
            if refused {
                assert!(
                    output.status.code() == Some(2) && reported.contains("another user"),
                    "{args:?}: {reported}"
                );
            }
        }
    }
}

#[test]
fn fault_04_a_planted_folder_or_pipe_is_not_written_to() {
    let is_root = rustix::process::geteuid().is_root();
    for target in ["link to a folder", "fifo"] {
        let place = inputs(0o644);
        fs::create_dir(place.path("victim")).unwrap();
        shared_folder(&place);
        let planted = place.path("out/planted");
        let out = match target {
            "fifo" => {
                assert!(
                    Command::new("mkfifo")
                        .arg(&planted)
                        .status()
                        .unwrap()
                        .success()
                );
                "out/planted"
            }
            _ => {
                symlink(place.path("victim"), &planted).unwrap();
                "out/planted/body.json"
            }
        };
        if is_root {
            std::os::unix::fs::chown(place.path("out"), Some(65533), None).unwrap();
            std::os::unix::fs::lchown(&planted, Some(65534), None).unwrap();
        } else if target == "fifo" {
            // One's own pipe is written to; a reader must be there.
            let path = planted.clone();
            std::thread::spawn(move || fs::read(path));
        }
        let output = run(&place, "022", &["prune", "-q", "-o", out, "body.json"]);
        assert_eq!(
            output.status.code(),
            Some(if is_root { 2 } else { 0 }),
            "{target}"
        );
        assert_eq!(
            fs::read_dir(place.path("victim")).unwrap().count() == 0,
            is_root || target == "fifo",
            "{target}"
        );
    }
}

/// A state file, or its log, that another user put into a shared folder is not used: it would say what is cut.
#[test]
fn fault_04_a_planted_state_file_is_not_used() {
    let is_root = rustix::process::geteuid().is_root();
    for (planted, is_link) in [("s.db", false), ("s.db", true), ("s.db-wal", false)] {
        let place = inputs(0o644);
        let state = ["prune", "-q", "--state", "out/s.db", "body.json"];
        assert!(run(&place, "022", &state).status.success());
        shared_folder(&place);
        let path = place.path("out").join(planted);
        if is_link {
            fs::rename(&path, place.path("victim")).unwrap();
            symlink(place.path("victim"), &path).unwrap();
        }
        if is_root {
            std::os::unix::fs::chown(place.path("out"), Some(65533), None).unwrap();
            std::os::unix::fs::lchown(&path, Some(65534), None).unwrap();
        }
        for args in [&state[..], &["state", "show", "--state", "out/s.db"]] {
            let output = run(&place, "022", args);
            let reported = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(
                output.status.code(),
                Some(if is_root { 2 } else { 0 }),
                "{planted} {is_link} {args:?}: {reported}"
            );
            assert_eq!(
                reported.contains("another user"),
                is_root,
                "{planted} {is_link} {args:?}: {reported}"
            );
        }
    }
}

/// A sidecar that another user put into a shared folder is not used: it would have the texts that were cut. Neither is a link, and a pipe
/// is not waited for.
#[test]
fn a_planted_sidecar_is_not_used() {
    let is_root = rustix::process::geteuid().is_root();
    for planted in ["file", "link", "pipe"] {
        let place = inputs(0o644);
        let victim = place.file("victim", "");
        shared_folder(&place);
        let path = place.path("out/cuts");
        match planted {
            "file" => fs::write(&path, "").unwrap(),
            "link" => symlink(&victim, &path).unwrap(),
            _ => assert!(
                Command::new("mkfifo")
                    .arg(&path)
                    .status()
                    .unwrap()
                    .success()
            ),
        }
        if is_root {
            std::os::unix::fs::chown(place.path("out"), Some(65533), None).unwrap();
            std::os::unix::fs::lchown(&path, Some(65534), None).unwrap();
        }
        let prune = [
            "prune",
            "-q",
            "--sidecar=out/cuts",
            "-o",
            "new.json",
            "--mode=aggressive",
        ];
        let show = ["show", "0123456789ab", "--sidecar=out/cuts"];
        for args in [&[&prune[..], &["body.json"]].concat()[..], &show] {
            let output = run(&place, "022", args);
            let reported = String::from_utf8_lossy(&output.stderr).into_owned();
            let refused = is_root || planted == "pipe" || args[0] == "show";
            assert_eq!(
                output.status.code() == Some(2),
                refused,
                "{planted} {args:?}: {reported}"
            );
            assert_eq!(
                reported.contains("another user"),
                is_root,
                "{planted} {args:?}: {reported}"
            );
        }
        let is_empty = fs::read(&victim).unwrap().is_empty();
        assert!(is_empty || !is_root && planted == "link", "{planted}");
    }
}

/// Something that happens to the folders of a run.
type Swap = fn(&Place);

/// The output's path becomes another while an earlier input is read: what was compared is what is replaced.
#[test]
fn fault_04_a_path_that_is_swapped_changes_no_input() {
    let swaps: [(&str, Swap); 4] = [
        ("the place is a link to the input", |place| {
            symlink("../in/b.jsonl", place.path("out/b.jsonl")).unwrap()
        }),
        ("the place is the input", |place| {
            fs::hard_link(place.path("in/b.jsonl"), place.path("out/b.jsonl")).unwrap()
        }),
        ("the folder is a link to the inputs'", |place| {
            fs::rename(place.path("out"), place.path("moved")).unwrap();
            symlink("in", place.path("out")).unwrap();
        }),
        ("the folder is the inputs'", |place| {
            fs::rename(place.path("out"), place.path("moved")).unwrap();
            fs::rename(place.path("in"), place.path("out")).unwrap();
            symlink("out", place.path("in")).unwrap();
        }),
    ];
    for (about, swap) in swaps {
        let place = Place::new();
        let input = place.file("in/b.jsonl", history(20));
        let before = fs::metadata(&input).unwrap();
        assert!(
            Command::new("mkfifo")
                .arg(place.path("first.jsonl"))
                .status()
                .unwrap()
                .success()
        );
        let mut command = program();
        command
            .current_dir(place.root())
            .args(["prune", "-q", "-j1", "--out-dir", "out"])
            .args(TINY)
            .args(["first.jsonl", "in/b.jsonl"]);
        let child = command
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // It waits for somebody to write to the first input, when its folder is open.
        let since = Instant::now();
        while !place.path("out").exists() {
            assert!(
                since.elapsed() < Duration::from_secs(20),
                "{about}: no folder"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(100));
        swap(&place);
        fs::write(place.path("first.jsonl"), BODY).unwrap();
        child.wait_with_output().unwrap();
        let now = fs::metadata(&input).unwrap();
        assert_eq!(
            (now.ino(), now.dev()),
            (before.ino(), before.dev()),
            "{about}"
        );
        assert_eq!(fs::read_to_string(&input).unwrap(), history(20), "{about}");
    }
}
