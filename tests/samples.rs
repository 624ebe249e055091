//! Real sessions and bodies: `samples/` always, and those of `DEADHEAD_SHARED` (or `../shared`) where they are.
//!
//! With the mode off the output is the input, from a file and from a pipe. With cuts, what comes out is JSON wherever the
//! input was, lines without a cut are the same, and a second run changes nothing. Of formats that this program does not
//! know the least is asked: a clear refusal, in one line.

#![allow(clippy::unwrap_used)]

mod support;

use serde_json::Value;
use std::fs;
use std::path::Path;
use support::{deadhead, samples, shared};

/// Policies that cut much: windows so small that all of a sample is too large for it.
const POLICIES: [&[&str]; 6] = [
    &["--mode=adaptive", "--context-window=500", "--set=contextPruning.minPrunableToolChars=0"],
    &["--mode=adaptive", "--preset=openclaw-2026.4", "--context-window=4000", "--set=contextPruning.keepLastAssistants=1"],
    &["--mode=adaptive", "--preset=openclaw-2026.8", "--context-window=20000", "--scope=file"],
    &["--mode=aggressive", "--set=contextPruning.keepLastAssistants=0"],
    &["--mode=aggressive", "--set=contextPruning.keepLastAssistants=0", "--mirrors"],
    &[
        "--mode=adaptive",
        "--context-window=500",
        "--set=contextPruning.hardClear.enabled=false",
        "--set=contextPruning.softTrim={maxChars: 90, headChars: 20, tailChars: 9}",
        "--mirrors",
    ],
];

#[test]
fn kept_samples() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let all = samples(&root);
    all.iter().for_each(|path| check(path, true));
    assert!(all.len() >= 7);
}

#[test]
fn shared_samples() {
    let Some(shared) = shared() else { return println!("skipped: no shared samples") };
    let known = ["openclaw", "claude-code", "cline", "codex", "copilot-cli", "bodies/"];
    for path in samples(&shared.join("samples")) {
        check(&path, known.iter().any(|k| path.starts_with(shared.join("samples").join(k))));
    }
}

/// What a report says of the output is what a report says of that output when it is an input.
#[test]
fn a_report_knows_its_output() {
    let mut all = samples(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples"));
    all.extend(shared().map(|shared| samples(&shared.join("samples"))).unwrap_or_default());
    let (taking, mut seen) = ("--pass=ephemeral,stale-resource,dedupe,turn-drop", 0);
    let small = ["--set=ephemeral.keepTurns=1", "--set=turnDrop={minMessages: 2, minBodyChars: 1, keepTurns: 2}"];
    for path in all {
        let place = support::Place::new();
        let (out, report) = (place.path("out"), place.path("report.json"));
        let [out, report] = [&out, &report].map(|path| path.to_str().unwrap());
        let files = ["-o", out, "--report", report, "--report-format=json"];
        let args = [&["prune", "--assume-cold", "--context-window=20000", taking], &small[..], &files].concat();
        if run(&args, &path, None).0 != 0 {
            continue;
        }
        let after = parse(&fs::read(report).unwrap()).unwrap()["after"].clone();
        let (_, told, _) = run(&["prune", "-n", "--mode=off", "--report-format=json"], Path::new(out), None);
        let told = parse(&told).unwrap();
        assert_eq!((&after["messages"], &after["chars"]), (&told["before"]["messages"], &told["before"]["chars"]), "{}", path.display());
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
}

/// The formats without samples from elsewhere take none of the others', and none of the others takes theirs.
#[test]
fn no_format_takes_the_samples_of_another() {
    let own = ["gemini-cli", "opencode"];
    let mut all = samples(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples"));
    all.extend(shared().map(|shared| samples(&shared.join("samples"))).unwrap_or_default());
    for path in all {
        let folder = own.iter().find(|name| path.parent().unwrap().ends_with(name));
        let (code, told, _) = run(&["prune", "-n", "--mode=off", "--report-format=json"], &path, None);
        let found = if code == 0 { parse(&told).unwrap()["input"]["format"].as_str().map(str::to_owned) } else { None };
        let found = found.as_deref().and_then(|name| own.iter().find(|own| **own == name));
        assert_eq!(found, folder, "{}", path.display());
    }
}

fn check(path: &Path, known: bool) {
    let name = path.display();
    let bytes = fs::read(path).unwrap();
    let off = ["prune", "-q", "--mode=off"];
    for piped in [false, true] {
        let (code, output, told) = run(&off, path, piped.then_some(&bytes[..]));
        assert!(code == 0 || !known && code == 2, "{name}: exit {code}: {told}");
        if code == 0 {
            assert!(output == bytes, "{name}: {} bytes in, {} out", bytes.len(), output.len());
        } else {
            assert!(output.is_empty() && told.lines().count() == 1 && told.starts_with("deadhead: "), "{name}: {told}");
        }
    }
    for policy in POLICIES {
        let args = [&["prune", "-q"], policy].concat();
        let (code, output, told) = run(&args, path, None);
        assert!(code == 0 || !known && code == 2, "{name} {policy:?}: exit {code}: {told}");
        if code != 0 {
            continue;
        }
        compare(&bytes, &output, &format!("{name} {policy:?}"));
        let (code, again, told) = run(&args, path, Some(&output));
        assert!(code == 0 && again == output, "{name} {policy:?}: a second run differs: exit {code} {told}");
        assert!(run(&args, path, Some(&bytes)).1 == output, "{name} {policy:?}: a pipe and a file differ");
    }
    assert!(fs::read(path).unwrap() == bytes, "{name} was written to");
}

/// Holds the output against the input: as many lines, JSON where JSON was, and the same bytes where nothing was cut.
fn compare(input: &[u8], output: &[u8], name: &str) {
    if parse(input).is_some() {
        assert!(parse(output).is_some(), "{name}: no JSON comes out");
        return;
    }
    let (before, after): (Vec<&[u8]>, Vec<&[u8]>) = (split(input), split(output));
    assert_eq!(before.len(), after.len(), "{name}: lines");
    for (i, (a, b)) in before.iter().zip(&after).enumerate().filter(|(_, (a, b))| a != b) {
        let (a, b) = (parse(a), parse(b).unwrap_or_else(|| panic!("{name}, line {}: no JSON comes out", i + 1)));
        let cut = a.is_some_and(|a| a != b);
        let text = b.to_string();
        assert!(
            cut && ["[Tool result trimmed", "[Old tool result", "[image removed"].iter().any(|n| text.contains(n)),
            "{name}, line {}",
            i + 1
        );
    }
}

fn run(args: &[&str], path: &Path, stdin: Option<&[u8]>) -> (i32, Vec<u8>, String) {
    let mut command = deadhead();
    command.args(args);
    match stdin {
        Some(bytes) => command.write_stdin(bytes),
        None => command.arg(path),
    };
    let output = command.output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(!told.contains("panicked"), "{}: {told}", path.display());
    (output.status.code().unwrap(), output.stdout, told)
}

fn parse(bytes: &[u8]) -> Option<Value> {
    serde_json::from_slice(bytes).ok()
}

fn split(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split(|&b| b == b'\n').collect()
}
