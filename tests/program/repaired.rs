//! Repaired copies, each tested for the properties that all of them have.

use crate::support::deadhead;

/// The text of the placeholder that answers a call without a result.
pub const NONE: &str = "[No result was recorded for this call; assume nothing about its effects.]";

/// The repaired copy of these lines, which passes the check, and the exit code.
pub fn repaired(lines: &str) -> String {
    let run = |args: &[&str], input: &str| {
        deadhead()
            .arg("check")
            .args(args)
            .write_stdin(input)
            .output()
            .unwrap()
    };
    let output = run(&["--repair", "-q"], lines);
    let copy = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).as_ref()
        ),
        (Some(0), ""),
        "{copy}"
    );
    assert_eq!(run(&["-q"], &copy).status.code(), Some(0), "{copy}");
    assert_eq!(
        String::from_utf8(run(&["--repair", "-q"], &copy).stdout).unwrap(),
        copy
    );
    copy
}

/// Pruning a repaired copy works, and its calls keep their results.
pub fn prunes(copy: &str) {
    let args = [
        "prune",
        "-q",
        "--mode=aggressive",
        "--set=contextPruning.keepLastAssistants=0",
    ];
    let output = deadhead().args(args).write_stdin(copy).output().unwrap();
    assert_eq!(
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).as_ref()
        ),
        (Some(0), ""),
        "{copy}"
    );
    let pruned = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        deadhead()
            .args(["check", "-q"])
            .write_stdin(pruned.clone())
            .output()
            .unwrap()
            .status
            .code(),
        Some(0),
        "{pruned}"
    );
}
