//! Pipes, devices and signals.

use crate::support::{BODY, Place, TINY, deadhead, history, is_refused, program, pruned, script};
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

fn started(args: &[&str]) -> Child {
    let mut command = program();
    command.arg("prune").args(TINY).args(args);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn a_filter_answers_line_by_line() {
    let mut child = started(&["-q"]);
    let (mut stdin, mut stdout) = (
        child.stdin.take().unwrap(),
        BufReader::new(child.stdout.take().unwrap()),
    );
    let wanted = String::from_utf8(pruned()).unwrap();
    for line in [BODY, "\n", BODY, "{\"torn\":\n", BODY] {
        stdin.write_all(line.as_bytes()).unwrap();
        let mut answer = String::new();
        stdout.read_line(&mut answer).unwrap();
        assert_eq!(
            answer,
            if line == BODY {
                wanted.clone()
            } else {
                line.to_owned()
            }
        );
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_filter_takes_lines_in_pieces() {
    let mut child = started(&["-q"]);
    let (mut stdin, mut stdout) = (
        child.stdin.take().unwrap(),
        BufReader::new(child.stdout.take().unwrap()),
    );
    for half in [&BODY[..100], &BODY[100..]] {
        stdin.write_all(half.as_bytes()).unwrap();
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut answer = Vec::new();
    stdout.read_until(b'\n', &mut answer).unwrap();
    assert_eq!(answer, pruned());
    stdin.write_all(BODY.trim_end().as_bytes()).unwrap();
    drop(stdin);
    answer.clear();
    stdout.read_to_end(&mut answer).unwrap();
    assert_eq!(answer, pruned()[..pruned().len() - 1]);
    child.wait().unwrap();
}

/// A line without an end is refused, wherever it begins, before it fills the memory.
#[test]
fn a_line_without_an_end_is_refused() {
    const WHY: &str = "a line of 256 MiB has no end yet";
    let place = Place::new();
    let body = place.file("body.json", BODY);
    let body = body.to_str().unwrap();
    for args in [
        &["prune", "-n"][..],
        &["check"],
        &["replay", "-"],
        &["prune", "-n", "/dev/zero"],
        &["prune", "-n", "-c", "/dev/zero", body],
        &["prune", "-n", "--select", "@-", body],
    ] {
        let zero = fs::File::open("/dev/zero").unwrap();
        let output = program()
            .args(args)
            .stdin(Stdio::from(zero))
            .output()
            .unwrap();
        let reported = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.code() == Some(2)
                && reported.contains(WHY)
                && reported.lines().count() == 1,
            "{args:?}: {reported}"
        );
    }
    for (begin, is_answered) in [(BODY, true), (&history(3), false), ("{\n", false)] {
        let mut child = started(&["-q"]);
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(begin.as_bytes()).unwrap();
        let feeder = std::thread::spawn(move || while stdin.write_all(&[b'x'; 1 << 16]).is_ok() {});
        let output = child.wait_with_output().unwrap();
        feeder.join().unwrap();
        let reported = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.code() == Some(2) && reported.contains(WHY),
            "{begin:.20}: {reported}"
        );
        assert_eq!(!output.stdout.is_empty(), is_answered);
    }
}

#[test]
fn a_closed_pipe_is_quiet() {
    let place = Place::new();
    let file = place.file("log.jsonl", history(4000));
    for args in [
        &["prune", "-q"][..],
        &["prune", "-n"],
        &["prune", "-n", "-v"],
        &["prune", "-n", "--report-format=json"],
        &["config", "schema"],
        &["--help"],
    ] {
        let mut command = program();
        command.args(args);
        if args[0] == "prune" {
            command.args(TINY).arg(&file);
        }
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    }
}

#[test]
fn nobody_has_to_listen_to_stderr() {
    let place = Place::new();
    let body = place.file("body.json", BODY);
    let full = || OpenOptions::new().write(true).open("/dev/full").unwrap();
    for (args, code) in [
        (vec![body.to_str().unwrap()], 0),
        (vec!["none.json"], 2),
        (vec!["-"], 0),
        (vec!["--nonsense"], 2),
    ] {
        let mut command = program();
        command
            .arg("prune")
            .args(TINY)
            .args(&args)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        assert_eq!(
            command.stderr(full()).status().unwrap().code(),
            Some(code),
            "{args:?}"
        );
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stderr.take());
        assert_eq!(child.wait().unwrap().code(), Some(code), "{args:?}");
    }
}

#[test]
fn a_full_device_is_reported() {
    let place = Place::new();
    let (body, log) = (
        place.file("body.json", BODY),
        place.file("log.jsonl", history(300)),
    );
    let off = ["prune", "-q", "--mode=off"];
    for args in [
        &off[..],
        &["prune", "-q"],
        &["prune", "-n"],
        &["config", "schema"],
        &["--help"],
    ] {
        for input in [&body, &log] {
            let mut command = program();
            command.args(args);
            if args[0] == "prune" {
                command
                    .args(&TINY[if args == off { 1 } else { 0 }..])
                    .arg(input);
            }
            let output = command
                .stdout(OpenOptions::new().write(true).open("/dev/full").unwrap())
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(2), "{args:?}");
            if args[0] != "--help" {
                is_refused(&output, "No space left");
            }
        }
    }
    // The error names what cannot be written, beside the input.
    let named: [(&[&str], &str); 2] = [
        (&[], "log.jsonl: stdout: cannot write: No space left"),
        (&["-o", "/dev/full"], "log.jsonl: /dev/full: cannot write: "),
    ];
    for (flags, says) in named {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        is_refused(
            &program()
                .args(off)
                .args(flags)
                .arg(&log)
                .stdout(full)
                .output()
                .unwrap(),
            says,
        );
    }
}

#[test]
fn devices_and_pipes_are_written_in_place() {
    let place = Place::new();
    let body = place.file("body.json", BODY);
    let fifo = place.path("fifo");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    let reader = std::thread::spawn({
        let fifo = fifo.clone();
        move || fs::read(fifo).unwrap()
    });
    deadhead()
        .args(["prune", "-q"])
        .args(TINY)
        .arg("-o")
        .arg(&fifo)
        .arg(&body)
        .assert()
        .success();
    assert_eq!(reader.join().unwrap(), pruned());
    let out = place.file("out", "before\n");
    let log = OpenOptions::new().append(true).open(&out).unwrap();
    let status = program()
        .args(["prune", "-q"])
        .args(TINY)
        .args(["-o", "/dev/stdout"])
        .arg(&body)
        .stdout(log)
        .status()
        .unwrap();
    assert!(status.success());
    assert_eq!(
        fs::read(&out).unwrap(),
        [b"before\n", &pruned()[..]].concat()
    );
    let output = deadhead()
        .args(["prune", "-q"])
        .args(TINY)
        .arg("--report=/dev/stderr")
        .arg(&body)
        .output()
        .unwrap();
    assert!(
        output.status.success()
            && output.stdout == pruned()
            && String::from_utf8_lossy(&output.stderr).contains("1 trimmed")
    );
    assert_eq!(place.names(), ["body.json", "fifo", "out"]);
}

#[test]
fn a_fifo_is_read() {
    let place = Place::new();
    let fifo = place.path("fifo");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    let writer = std::thread::spawn({
        let fifo = fifo.clone();
        move || fs::write(fifo, BODY).unwrap()
    });
    let output = deadhead()
        .args(["prune", "-q"])
        .args(TINY)
        .arg(&fifo)
        .output()
        .unwrap();
    writer.join().unwrap();
    assert_eq!(output.stdout, pruned());
}

#[test]
fn interrupted_it_leaves_nothing_behind() {
    for signal in ["INT", "TERM", "HUP"] {
        let place = Place::new();
        let mut command = script(&place, "exec deadhead prune \"$@\"");
        let mut child = command
            .args(TINY)
            .args(["-q", "-o", "out.jsonl"])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(BODY.as_bytes()).unwrap();
        // The output is open once the first line was answered.
        let since = Instant::now();
        while place.open_files(&child).is_empty() {
            assert!(
                since.elapsed() < Duration::from_secs(20),
                "nothing is written"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(30));
        assert!(
            std::process::Command::new("kill")
                .args(["-s", signal, &child.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
        let status = child.wait().unwrap();
        assert_eq!(status.code(), None, "it dies of the signal: {status}");
        assert_eq!(place.names(), [""; 0], "{signal}");
        drop(stdin);
    }
}

#[test]
fn deep_nesting_neither_overflows_nor_is_refused() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let object = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
    for value in [&deep, &object] {
        let body = BODY
            .replacen('{', &format!("{{\"deep\":{value},"), 1)
            .replace(r#"{"command":"ls"}"#, value);
        let output = deadhead()
            .args(["prune", "-q"])
            .args(TINY)
            .write_stdin(body.clone())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let wanted = String::from_utf8(pruned())
            .unwrap()
            .replacen('{', &format!("{{\"deep\":{value},"), 1)
            .replace(r#"{"command":"ls"}"#, value);
        assert!(output.stdout == wanted.as_bytes());
        let odd = BODY.replace(r#""0123456789abcdefghijABCDEFGHIJ""#, value);
        let output = deadhead()
            .args(["prune", "-q"])
            .args(TINY)
            .write_stdin(odd.clone())
            .output()
            .unwrap();
        assert!(output.status.success() && output.stdout == odd.as_bytes());
        let line = history(3).replace(r#""arguments":{}"#, &format!(r#""arguments":{value}"#));
        let output = deadhead()
            .args(["prune", "-q", "--mode=off", "--format=openclaw"])
            .write_stdin(line.clone())
            .output()
            .unwrap();
        assert!(output.status.success() && output.stdout == line.as_bytes());
    }
}
