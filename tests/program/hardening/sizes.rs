//! Inputs that are larger than they look, or without an end: memory stays bounded.

use crate::support::{BODY, Place, history, is_refused, pruned, script};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::process::Output;
use std::time::{Duration, Instant};

/// Runs the program with so many megabytes of address space, on what a script gives it.
fn run(place: &Place, megabytes: u64, commands: &str) -> Output {
    script(
        place,
        &format!("ulimit -v {}; {commands}", megabytes * 1024),
    )
    .output()
    .unwrap()
}

/// Bytes that pack well.
fn zeros(size: u64) -> impl std::io::Read {
    std::io::Read::take(std::io::repeat(0), size)
}

#[test]
fn fault_07_unpacking_stops() {
    let place = Place::new();
    zstd::stream::copy_encode(
        zeros((1 << 30) + 7),
        File::create(place.path("bomb.zst")).unwrap(),
        1,
    )
    .unwrap();
    assert!(fs::metadata(place.path("bomb.zst")).unwrap().len() < 200_000);
    let output = run(&place, 700, "deadhead prune -n bomb.zst");
    is_refused(&output, "unpacks to more than 1G");
    is_refused(&output, "--max-input");
    // Text of which there is more than allowed, in every way that it can come.
    let mut packer = flate2::write::GzEncoder::new(
        File::create(place.path("log.gz")).unwrap(),
        flate2::Compression::fast(),
    );
    packer.write_all(history(4000).as_bytes()).unwrap();
    packer.finish().unwrap();
    for command in [
        "deadhead prune -q --max-input 1M log.gz",
        "deadhead prune -q --max-input 1M < log.gz",
        "cat log.gz | deadhead prune -q --max-input 1M",
        "deadhead prune -q --max-input 1M <(cat log.gz)",
        "deadhead check -q --max-input 1000k log.gz",
        "deadhead check --repair -q --max-input 1M log.gz",
        "deadhead replay --max-input 1M log.gz",
        "cat log.gz | deadhead replay --max-input 1M -",
    ] {
        let output = run(&place, 700, command);
        is_refused(&output, "--max-input");
        assert!(output.stdout.is_empty(), "{command}");
    }
    let output = run(
        &place,
        700,
        "deadhead prune -q --mode off --max-input 10M log.gz",
    );
    assert!(output.status.success() && output.stdout == history(4000).as_bytes());
    for size in ["", "x", "1.5G", "5MB"] {
        is_refused(
            &run(
                &place,
                700,
                &format!("deadhead prune --max-input '{size}' log.gz"),
            ),
            "--max-input",
        );
    }
}

#[test]
fn fault_07_what_has_no_end_ends() {
    let place = Place::new();
    place.file("log.jsonl", history(50));
    let since = Instant::now();
    for command in [
        "deadhead prune -n /dev/urandom",
        "deadhead prune -n < /dev/urandom",
        "deadhead check /dev/urandom",
        "cat /dev/urandom | deadhead prune -n",
        "deadhead prune -n --format openclaw --max-input 20M /dev/urandom",
        "cat /dev/urandom | deadhead prune -n --format claude-code --max-input 20M",
        "deadhead replay --max-input 20M /dev/urandom",
        "(cat log.jsonl; yes '{\"type\":\"custom\",\"id\":\"x\"}') | deadhead prune --max-input 20M",
        "(cat log.jsonl; yes '{\"type\":\"custom\",\"id\":\"x\"}') | deadhead prune --max-input 20M <(cat)",
        "deadhead prune -n -c /dev/urandom --max-input 1M log.jsonl",
    ] {
        let output = run(&place, 1400, command);
        let reported = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{command}: {reported}");
        assert!(
            !reported.contains("panicked") && !reported.contains("memory allocation"),
            "{command}: {reported}"
        );
        let is_named = command.contains("20M") && !reported.contains("line of 256 MiB");
        assert!(
            !is_named || reported.contains("--max-input"),
            "{command}: {reported}"
        );
    }
    assert!(since.elapsed() < Duration::from_secs(120));
    // Bodies are answered one by one, so that there may be any number of them.
    let bodies = run(
        &place,
        400,
        &format!(
            "yes '{}' | head -n 3000 | deadhead prune -q --max-input 10k --mode off | wc -c",
            BODY.trim_end()
        ),
    );
    assert_eq!(
        String::from_utf8_lossy(&bodies.stdout).trim(),
        (BODY.len() * 3000).to_string()
    );
    assert!(!pruned().is_empty());
}

/// A filter keeps no lines that it has answered, also where no body has come yet.
#[test]
fn a_filter_forgets_what_it_has_answered() {
    let place = Place::new();
    for (line, size) in [
        (format!("{{\"hello\":\"{}\"}}", "x".repeat(1000)), 120 << 20),
        (format!("{{\"model\": {}", "x".repeat(1000)), 120 << 20),
        ("// of no body".to_owned(), 8 << 20),
        (String::new(), 8 << 20),
    ] {
        let lines = size / (line.len() + 1);
        let output = run(
            &place,
            100,
            &format!(
                "yes '{line}' | head -n {lines} | deadhead prune -q -j1 | cksum; yes '{line}' | head -n {lines} | cksum"
            ),
        );
        let sums = String::from_utf8_lossy(&output.stdout).into_owned();
        let sums: Vec<&str> = sums.lines().collect();
        assert!(
            sums.len() == 2 && sums[0] == sums[1],
            "{line:.20}: {output:?}"
        );
    }
}

/// A level of arguments takes a bit, not a frame.
#[test]
fn nested_arguments_take_no_more_than_they_have_bytes() {
    let place = Place::new();
    let levels = 2_000_000;
    let arguments = "[".repeat(levels) + &"]".repeat(levels);
    let body = BODY.replacen(
        "\"input\":{",
        &format!("\"input\":{{\"deep\":{arguments},"),
        1,
    );
    assert!(body.len() > 2 * levels, "{BODY}");
    place.file("body.json", &body);
    for command in ["prune -q --mode off", "check -q"] {
        let output = run(&place, 200, &format!("deadhead {command} body.json"));
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{command}: {text}"
        );
    }
}

/// A file that says how large it is may be so large, also where a part of it was never written.
#[test]
fn fault_07_a_sparse_log_is_streamed() {
    let place = Place::new();
    let text = history(40);
    let log = place.file("log.jsonl", &text);
    let size: u64 = 400 << 20;
    OpenOptions::new()
        .write(true)
        .open(&log)
        .unwrap()
        .set_len(size)
        .unwrap();
    for jobs in ["-j1", "-j2"] {
        let output = run(
            &place,
            300,
            &format!("deadhead prune -n {jobs} --report-format json log.jsonl"),
        );
        assert!(
            output.status.success(),
            "{jobs}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (&report["input"]["bytes"], &report["before"]["messages"]),
            (&size.into(), &82.into()),
            "{jobs}"
        );
        assert!(
            report["warnings"][0]["text"]
                .as_str()
                .unwrap()
                .starts_with("zero bytes"),
            "{jobs}: {report}"
        );
    }
    // Nothing but a hole is no log, which shows at its beginning.
    File::create(place.path("hole.jsonl"))
        .unwrap()
        .set_len(size)
        .unwrap();
    is_refused(
        &run(&place, 300, "deadhead prune -n hole.jsonl"),
        "1:1: not JSON: expected a value",
    );
    // A size that is asked for holds for files as well.
    is_refused(
        &run(&place, 300, "deadhead prune -n --max-input 300M log.jsonl"),
        "--max-input",
    );
}

/// A line that is no JSON, a comment and a hole between lines, each longer than is kept.
#[test]
fn fault_07_long_lines_that_are_no_records() {
    let place = Place::new();
    let text = history(40);
    let long = "x".repeat(3 << 20);
    let text = format!(
        "{text}{long}\n// {long}\n{}\n{}\n{{\"type\":\"custom\",\"id\":\"e\"}}\n",
        "\0".repeat(3 << 20),
        "[".repeat(3 << 20)
    );
    place.file("odd.jsonl", &text);
    for jobs in ["-j1", "-j2"] {
        let output = run(
            &place,
            300,
            &format!("deadhead prune --mode off {jobs} --report r --report-format json odd.jsonl"),
        );
        assert!(
            output.status.success() && output.stdout == text.as_bytes(),
            "{jobs}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let report: serde_json::Value =
            serde_json::from_slice(&fs::read(place.path("r")).unwrap()).unwrap();
        let warnings: Vec<&str> = report["warnings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|w| w["text"].as_str().unwrap())
            .collect();
        let begins = [
            "malformed line",
            "a comment",
            "zero bytes",
            "malformed line",
        ];
        assert!(
            warnings.len() == 4
                && warnings
                    .iter()
                    .zip(begins)
                    .all(|(text, begin)| text.starts_with(begin)),
            "{jobs}: {warnings:?}"
        );
        assert_eq!(
            report["warnings"][3]["line"],
            text.lines().count() as u64 - 1
        );
    }
}
