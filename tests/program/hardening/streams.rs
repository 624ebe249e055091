//! Standard streams that are also an input, or closed.

use crate::support::{BODY, Place, deadhead, program, script};
use std::fs::{self, File, OpenOptions};
use std::process::{Output, Stdio};

/// Commands that print to stdout, and the file that they read.
const PRINTING: [(&[&str], &str); 14] = [
    (&["prune", "--mode=aggressive"], "log.jsonl"),
    (&["prune", "-n"], "log.jsonl"),
    (&["prune", "-n", "--report-format=json"], "log.jsonl"),
    (&["prune", "--list"], "log.jsonl"),
    (&["prune", "-o", "/dev/null", "--report", "-"], "log.jsonl"),
    (&["prune", "-o", "/dev/stdout"], "log.jsonl"),
    (&["prune", "-q"], "body.json"),
    (&["check"], "log.jsonl"),
    (&["check", "--report-format=json"], "body.json"),
    (&["check", "--repair"], "body.json"),
    (&["replay"], "log.jsonl"),
    (&["prune", "-n", "-r", "."], "log.jsonl"),
    (&["config", "show", "-c"], "config.json5"),
    (&["prune", "-q", "body.json", "-c"], "config.json5"),
];

fn inputs() -> Place {
    let place = Place::new();
    place.file("log.jsonl", super::log());
    place.file("body.json", BODY);
    place.file("config.json5", "{\n}\n");
    place
}

/// Runs a command with a file as its stdout, opened as `1<> FILE` or `>> FILE` does.
fn run(place: &Place, args: &[&str], append: bool, stdout: &str, stdin: Option<&str>) -> Output {
    let file = OpenOptions::new()
        .read(!append)
        .write(!append)
        .append(append)
        .open(place.path(stdout))
        .unwrap();
    let stdin = stdin.map_or(Stdio::null(), |path| {
        File::open(place.path(path)).unwrap().into()
    });
    let mut command = program();
    command
        .current_dir(place.root())
        .args(args)
        .stdin(stdin)
        .stdout(file)
        .stderr(Stdio::piped())
        .output()
        .unwrap()
}

#[test]
fn fault_02_stdout_is_no_input() {
    let place = inputs();
    for (args, input) in PRINTING {
        let before = fs::read(place.path(input)).unwrap();
        for append in [false, true] {
            let file = [args, &[input]].concat();
            let piped = [args, &["-"]].concat();
            let is_config = input == "config.json5" || args.contains(&".");
            for (args, stdin) in [(&file, None), (&piped, Some(input))] {
                if is_config && stdin.is_some() {
                    continue;
                }
                let output = run(&place, args, append, input, stdin);
                let reported = String::from_utf8_lossy(&output.stderr).into_owned();
                assert_eq!(output.status.code(), Some(2), "{args:?}: {reported}");
                assert!(
                    reported.lines().count() == 1 && reported.contains("never written to"),
                    "{args:?}: {reported}"
                );
                assert_eq!(
                    fs::read(place.path(input)).unwrap(),
                    before,
                    "{args:?}, appended: {append}"
                );
                // Any other file is written to.
                place.file("other", "");
                let output = run(&place, args, append, "other", stdin);
                assert_eq!(
                    output.status.code().map(|code| code > 1),
                    Some(false),
                    "{args:?}: {}",
                    String::from_utf8_lossy(&output.stderr)
                );
                assert!(
                    fs::metadata(place.path("other")).unwrap().len() > 0,
                    "{args:?}"
                );
                fs::remove_file(place.path("other")).unwrap();
            }
        }
    }
}

#[test]
fn fault_02_other_names_of_an_input() {
    let place = inputs();
    std::os::unix::fs::symlink("log.jsonl", place.path("soft")).unwrap();
    fs::hard_link(place.path("log.jsonl"), place.path("hard")).unwrap();
    for name in ["soft", "hard"] {
        let output = run(
            &place,
            &["prune", "--mode=aggressive", "log.jsonl"],
            true,
            name,
            None,
        );
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(
            fs::read_to_string(place.path("log.jsonl")).unwrap(),
            super::log(),
            "{name}"
        );
    }
    // Where nothing is printed, stdout is nobody's business.
    let output = run(
        &place,
        &["prune", "-q", "-o", "out", "log.jsonl"],
        true,
        "log.jsonl",
        None,
    );
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(
        fs::read_to_string(place.path("log.jsonl")).unwrap(),
        super::log()
    );
}

/// A report, a warning and an error go to stderr: where that is an input nothing is said at all.
#[test]
fn fault_02_stderr_is_no_input() {
    let place = inputs();
    for args in [
        &["prune", "-o", "out", "log.jsonl"][..],
        &["check", "log.jsonl"],
        &["replay", "log.jsonl"],
        &["check", "--repair", "log.jsonl"],
    ] {
        let stderr = OpenOptions::new()
            .append(true)
            .open(place.path("log.jsonl"))
            .unwrap();
        let output = program()
            .current_dir(place.root())
            .args(args)
            .stderr(stderr)
            .output()
            .unwrap();
        assert_eq!(
            (output.status.code(), output.stdout.len()),
            (Some(2), 0),
            "{args:?}"
        );
        assert_eq!(
            fs::read_to_string(place.path("log.jsonl")).unwrap(),
            super::log(),
            "{args:?}"
        );
    }
}

#[test]
fn fault_02_nothing_is_printed_into_a_state_file() {
    let place = inputs();
    deadhead()
        .current_dir(place.root())
        .args(["prune", "-q", "--state", "s.db", "body.json"])
        .assert()
        .success();
    let before = fs::read(place.path("s.db")).unwrap();
    for args in [
        &["state", "show", "--state", "s.db"][..],
        &["prune", "-q", "--state", "s.db", "body.json"],
    ] {
        let output = run(&place, args, true, "s.db", None);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert_eq!(fs::read(place.path("s.db")).unwrap(), before, "{args:?}");
    }
}

/// A terminal, a pipe and the null device may be read and written at once.
#[test]
fn fault_02_only_ordinary_files_are_refused() {
    let null = || {
        OpenOptions::new()
            .read(true)
            .write(true)
            .open("/dev/null")
            .unwrap()
    };
    let status = program()
        .args(["prune", "-q", "/dev/null"])
        .stdin(null())
        .stdout(null())
        .status()
        .unwrap();
    assert!(status.success());
    let status = program()
        .args(["prune", "-q"])
        .stdin(null())
        .stdout(null())
        .status()
        .unwrap();
    assert!(status.success());
}

/// Runs a script of the shell, which can close what Rust cannot.
fn shell(place: &Place, commands: &str) -> Output {
    script(place, commands).output().unwrap()
}

#[test]
fn fault_16_a_closed_stdout_is_an_error() {
    let place = inputs();
    for command in [
        "prune -q body.json",
        "prune -q - < body.json",
        "prune -n log.jsonl",
        "prune --list log.jsonl",
        "prune -q -o /dev/stdout body.json",
        "prune -q -o out body.json --report -",
        "check log.jsonl",
        "check --repair body.json",
        "replay log.jsonl",
        "config show",
        "config presets",
        "completions bash",
        "man",
        "--help",
        "--version",
        "prune --help",
        "prune --format help",
    ] {
        let output = shell(&place, &format!("deadhead {command} >&-"));
        let reported = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{command}: {reported}");
        assert!(
            reported.contains("stdout is closed") && !reported.contains("panicked"),
            "{command}: {reported}"
        );
        let output = shell(&place, &format!("deadhead {command} > /dev/null"));
        assert_eq!(
            output.status.code().map(|code| code > 1),
            Some(false),
            "{command}"
        );
    }
    // Where nothing is printed, nothing is missing.
    assert!(
        shell(&place, "deadhead prune -q -o out.json body.json >&-")
            .status
            .success()
    );
    assert!(
        shell(&place, "deadhead prune --out-dir dir body.json >&- 2>&-")
            .status
            .success()
    );
    assert_eq!(
        fs::read(place.path("out.json")).unwrap(),
        fs::read(place.path("dir/body.json")).unwrap()
    );
    // So is a closed stdin, where it is the input.
    let output = shell(&place, "deadhead prune -q <&-");
    assert!(
        output.status.code() == Some(2)
            && String::from_utf8_lossy(&output.stderr).contains("stdin is closed")
    );
    assert!(
        shell(&place, "deadhead prune -q body.json <&-")
            .status
            .success()
    );
}
