//! A system that refuses to create threads.

use crate::support::{BODY, Place, deadhead, history, program};
use std::io::Write;
use std::process::Stdio;

/// A stack for which no memory is to be had, so that no thread is: the standard library takes the size of one from here.
const NO_THREADS: (&str, &str) = ("RUST_MIN_STACK", "70000000000000");

#[test]
fn fault_16_one_thread_is_enough() {
    let place = Place::new();
    for name in ["a/1.jsonl", "a/2.jsonl", "a/3.jsonl"] {
        place.file(name, super::log());
    }
    // Large enough to be read, and written, by several threads.
    let mut large = history(2);
    (0..90_000).for_each(|i| large += &format!("{{\"type\":\"custom\",\"id\":\"x{i}\",\"customType\":\"note\",\"data\":\"{i:0>800}\"}}\n"));
    place.file("large.jsonl", &large);
    let commands: [&[&str]; 6] = [
        &[
            "prune",
            "-n",
            "-r",
            "-j4",
            "--report-format=jsonl",
            "--now=2026-01-01T00:00:00Z",
            "a",
        ],
        &[
            "prune",
            "-q",
            "-r",
            "-j4",
            "--mode=aggressive",
            "--out-dir=OUT",
            "a",
        ],
        &["replay", "-j4", "--report-format=jsonl", "a"],
        &[
            "prune",
            "-q",
            "-j4",
            "--mode=off",
            "-o",
            "OUT",
            "large.jsonl",
        ],
        &["prune", "-q", "-j4", "--mode=off", "large.jsonl"],
        &["check", "-r", "a"],
    ];
    for args in commands {
        let mut outputs = Vec::new();
        for (out, none) in [("many", false), ("one", true)] {
            let args: Vec<String> = args.iter().map(|arg| arg.replace("OUT", out)).collect();
            let mut command = deadhead();
            command
                .current_dir(place.root())
                .args(&args)
                .envs(none.then_some(NO_THREADS));
            let output = command.output().unwrap();
            let reported = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(
                output.status.code() < Some(2),
                "{args:?}: {:?} {reported}",
                output.status
            );
            outputs.push((
                output.stdout,
                std::fs::read(place.path(out)).ok(),
                std::fs::read(place.path(out).join("1.jsonl")).ok(),
            ));
            let _ = std::fs::remove_file(place.path(out))
                .or_else(|_| std::fs::remove_dir_all(place.path(out)));
        }
        assert!(outputs[0] == outputs[1], "{args:?}");
    }
}

/// A history from a pipe is read while it comes; without a thread for that, one after the other. A signal still ends a run that writes a
/// file, though nobody waits for it.
#[test]
fn fault_16_one_thread_is_enough_for_a_pipe() {
    let place = Place::new();
    for (input, args) in [
        (history(3000), &["-q", "--mode=off"][..]),
        (BODY.to_owned(), &["-q", "--mode=off", "-o", "out"]),
    ] {
        let mut command = program();
        command
            .current_dir(place.root())
            .arg("prune")
            .args(args)
            .envs([NO_THREADS]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let bytes = input.clone();
        let feeder = std::thread::spawn(move || drop(stdin.write_all(bytes.as_bytes())));
        let output = child.wait_with_output().unwrap();
        feeder.join().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let written = std::fs::read(place.path("out")).unwrap_or(output.stdout);
        assert!(written == input.as_bytes());
    }
    let mut command = program();
    command
        .current_dir(place.root())
        .args(["prune", "-q", "-o", "never"])
        .envs([NO_THREADS]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child
        .stdin
        .as_mut()
        .unwrap()
        .write_all(BODY.as_bytes())
        .unwrap();
    while place.open_files(&child).is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let stdin = child.stdin.take();
    assert!(
        std::process::Command::new("kill")
            .arg(child.id().to_string())
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(child.wait().unwrap().code(), None);
    drop(stdin);
}
