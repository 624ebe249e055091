//! Logs that other processes write to while they are read.

use crate::support::{BODY, Place, history, program};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Starts a run of whose output only the first byte is read, so that it is in the middle of writing; `meanwhile` then changes the
/// file.
fn changed(path: &Path, args: &[&str], meanwhile: impl Fn(&mut File)) -> Output {
    let mut command = program();
    command
        .args(["prune", "-q", "--mode=off"])
        .args(args)
        .arg(path);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut first = [0];
    stdout.read_exact(&mut first).unwrap();
    // Until the pipe is full.
    std::thread::sleep(Duration::from_millis(300));
    meanwhile(&mut OpenOptions::new().write(true).open(path).unwrap());
    let mut all = first.to_vec();
    stdout.read_to_end(&mut all).unwrap();
    Output {
        stdout: all,
        ..child.wait_with_output().unwrap()
    }
}

/// Overwrites the last message of a log in place, and adds a line.
fn overwrite_and_grow(file: &mut File) {
    let size = file.metadata().unwrap().len();
    file.seek(SeekFrom::Start(size - 1000)).unwrap();
    file.write_all("X".repeat(500).as_bytes()).unwrap();
    file.seek(SeekFrom::End(0)).unwrap();
    file.write_all(b"{\"more\":1}\n").unwrap();
}

#[test]
fn fault_10_a_log_that_is_overwritten_while_it_grows() {
    let place = Place::new();
    let text = history(5000);
    let path = place.file("log.jsonl", &text);
    let output = changed(&path, &[], overwrite_and_grow);
    let reported = String::from_utf8_lossy(&output.stderr).into_owned();
    let is_right = output.stdout == text.as_bytes();
    assert!(
        is_right || output.status.code() == Some(2),
        "exit {:?}, and the output is none of the file's states: {reported}",
        output.status
    );
}

#[test]
fn fault_10_it_is_said_what_became_of_the_output() {
    for (name, text) in [
        ("log.jsonl", history(5000)),
        ("bodies.jsonl", BODY.repeat(15_000)),
        ("large.jsonl", history(18_000)),
    ] {
        let place = Place::new();
        let path = place.file(name, &text);
        let output = changed(&path, &[], |file| file.set_len(1000).unwrap());
        let reported = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{name}: {reported}");
        assert!(
            !output.stdout.is_empty() && reported.contains("the file changed"),
            "{name}: {reported}"
        );
        assert!(
            reported.contains("the output is incomplete")
                && !reported.contains("nothing was written"),
            "{name}: {reported}"
        );
    }
}

/// Sets a flag when it is removed, also when a test fails.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Two places of a log, far from each other, have the same number, but for the moment between two writes. No output may have the
/// second place's number ahead of the first one's, or fall behind by more than one.
#[test]
fn fault_10_an_output_is_one_state_of_its_input() {
    // A log that is kept, and one that is too large for that, which is only copied when it turns out to grow.
    for (steps, runs, to_stdout) in [(2500, 24, true), (2500, 24, false), (15_500, 6, false)] {
        let place = Place::new();
        let number = |n: usize| {
            format!(
                "{{\"type\":\"custom\",\"id\":\"n\",\"customType\":\"number\",\"data\":\"{n:08}\"}}\n"
            )
        };
        let text = history(steps).replacen('\n', &format!("\n{}", number(0)), 1) + &number(0);
        let path = place.file("log.jsonl", &text);
        let places = [text.find('\n').unwrap() + 1, text.len() - number(0).len()];
        let (done, out) = (AtomicBool::new(false), place.path("out.jsonl"));
        std::thread::scope(|scope| {
            let guard = Done(&done);
            scope.spawn(|| {
                let mut file = OpenOptions::new().write(true).open(&path).unwrap();
                for n in (1..).take_while(|_| !done.load(Ordering::Relaxed)) {
                    for at in places {
                        file.seek(SeekFrom::Start(at as u64)).unwrap();
                        file.write_all(number(n).as_bytes()).unwrap();
                    }
                    file.seek(SeekFrom::End(0)).unwrap();
                    file.write_all(b"{\"type\":\"custom\",\"id\":\"m\"}\n")
                        .unwrap();
                    std::thread::sleep(Duration::from_millis(n as u64 % 30));
                }
            });
            for run in 0..runs {
                let _ = fs::remove_file(&out);
                let mut command = program();
                command
                    .args(["prune", "-q", "--mode=off"])
                    .arg(&path)
                    .stderr(Stdio::null());
                match to_stdout {
                    true => command.stdout(File::create(&out).unwrap()),
                    false => command.arg("-o").arg(&out),
                };
                let status = command.status().unwrap();
                if status.success() {
                    let output = fs::read_to_string(&out).unwrap();
                    let digits = number(0).find("00000000").unwrap();
                    let [first, second] = places.map(|at| {
                        output[at + digits..at + digits + 8]
                            .parse::<usize>()
                            .unwrap()
                    });
                    assert!(
                        first == second || first == second + 1,
                        "run {run} of {steps} steps: {first} and {second}"
                    );
                } else {
                    assert!(status.code() == Some(2) && (to_stdout || !out.exists()));
                }
            }
            drop(guard);
        });
    }
}
