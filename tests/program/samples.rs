//! Real sessions and bodies, all of `samples/`.
//!
//! With the mode off the output is the input, from a file and from a pipe. With cuts, what comes out is JSON wherever the
//! input was, lines without a cut are the same, and a second run changes nothing.

use crate::data::{Sample, samples};
use crate::support::{Place, deadhead};
use rayon::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Policies that cut much: windows so small that all of a sample is too large for it. The last two stop in between, at a share of the window that
/// a second run must find again from what the log recorded before the first.
const POLICIES: [&[&str]; 8] = [
    &[
        "--mode=adaptive",
        "--context-window=500",
        "--set=contextPruning.minPrunableToolChars=0",
    ],
    &[
        "--mode=adaptive",
        "--preset=openclaw-2026.4",
        "--context-window=4000",
        "--set=contextPruning.keepLastAssistants=1",
    ],
    &[
        "--mode=adaptive",
        "--preset=openclaw-2026.8",
        "--context-window=20000",
        "--scope=file",
    ],
    &[
        "--mode=aggressive",
        "--set=contextPruning.keepLastAssistants=0",
    ],
    &[
        "--mode=aggressive",
        "--set=contextPruning.keepLastAssistants=0",
        "--mirrors",
    ],
    &[
        "--mode=adaptive",
        "--context-window=500",
        "--set=contextPruning.hardClear.enabled=false",
        "--set=contextPruning.softTrim={maxChars: 90, headChars: 20, tailChars: 9}",
        "--mirrors",
    ],
    &["--mode=adaptive", "--context-window=300000"],
    &[
        "--mode=adaptive",
        "--set=contextPruning.hardClearRatio=0.6",
        "--context-window=200000",
    ],
];

#[test]
fn only_what_is_cut_changes() {
    samples().par_iter().for_each(check);
}

/// Each sample has a row of `SOURCES.tsv`, which names its source and a licence that lets this repository keep it.
#[test]
fn each_sample_has_a_source_and_a_licence() {
    let table = include_str!("../samples/SOURCES.tsv");
    let rows = table
        .lines()
        .skip(1)
        .map(|row| row.split('\t').collect::<Vec<_>>());
    let mut rows: BTreeMap<&str, Vec<&str>> = rows.map(|row| (row[0], row)).collect();
    for Sample { name, bytes } in samples() {
        let row = rows
            .remove(name.as_str())
            .unwrap_or_else(|| panic!("{name} has no row"));
        let [_, repository, path, commit, licence, size] = row[..] else {
            panic!("{name}: a row has six columns")
        };
        assert!(
            !path.is_empty() && (commit.len() == 40 || repository == "this repository"),
            "{name}: {repository} {path} {commit}"
        );
        let licence = licence.split(", Copyright ").next().unwrap();
        assert!(
            ["MIT", "Apache-2.0", "MIT OR Apache-2.0"].contains(&licence),
            "{name}: {licence}"
        );
        assert_eq!(size, bytes.len().to_string(), "{name}");
    }
    assert!(rows.is_empty(), "rows without a sample: {:?}", rows.keys());
    assert!(samples().len() >= 61, "{} samples", samples().len());
}

/// Tests that a report describes its output as a report on that output as an input does.
#[test]
fn a_report_knows_its_output() {
    let removing = "--pass=ephemeral,stale-resource,dedupe,turn-drop";
    let small = [
        "--set=ephemeral.keepTurns=1",
        "--set=turnDrop={minMessages: 2, minBodyChars: 1, keepTurns: 2}",
    ];
    let cuts = samples().par_iter().map(|sample| {
        let place = Place::new();
        let [out, report] =
            ["out", "report.json"].map(|name| place.path(name).to_str().unwrap().to_owned());
        let files = ["-o", &out, "--report", &report, "--report-format=json"];
        let args = [
            &["prune", "--assume-cold", "--context-window=20000", removing],
            &small[..],
            &files,
        ]
        .concat();
        let (code, _, reported) = run(&args, &place.file(&sample.name, &sample.bytes), None);
        assert_eq!(code, 0, "{}: {reported}", sample.name);
        let report = parse(&fs::read(report).unwrap()).unwrap();
        let after = &report["after"];
        let (_, reported, _) = run(
            &["prune", "-n", "--mode=off", "--report-format=json"],
            Path::new(&out),
            None,
        );
        let reported = parse(&reported).unwrap();
        assert_eq!(
            (&after["messages"], &after["chars"]),
            (
                &reported["before"]["messages"],
                &reported["before"]["chars"]
            ),
            "{}",
            sample.name
        );
        report["cuts"].as_array().unwrap().len()
    });
    let cuts: usize = cuts.sum();
    assert!(cuts > 1000, "{cuts} cuts");
}

/// The formats without samples from elsewhere take none of the others', and none of the others takes theirs.
#[test]
fn no_format_takes_the_samples_of_another() {
    let own = ["gemini-cli", "opencode"];
    samples().par_iter().for_each(|sample| {
        let place = Place::new();
        let (code, reported, error) = run(
            &["prune", "-n", "--mode=off", "--report-format=json"],
            &place.file(&sample.name, &sample.bytes),
            None,
        );
        assert_eq!(code, 0, "{}: {error}", sample.name);
        let found = parse(&reported).unwrap()["input"]["format"]
            .as_str()
            .unwrap()
            .to_owned();
        let one_of_them = |name: &str| own.into_iter().find(|own| *own == name);
        assert_eq!(
            one_of_them(&found),
            one_of_them(sample.folder()),
            "{}: {found}",
            sample.name
        );
    });
}

fn check(sample: &Sample) {
    let Sample { name, bytes } = sample;
    let place = Place::new();
    let path = place.file(&sample.name, &sample.bytes);
    for piped in [false, true] {
        let (code, output, reported) = run(
            &["prune", "-q", "--mode=off"],
            &path,
            piped.then_some(&bytes[..]),
        );
        assert_eq!(code, 0, "{name}: {reported}");
        assert!(
            output == *bytes,
            "{name}: {} bytes in, {} out",
            bytes.len(),
            output.len()
        );
    }
    for policy in POLICIES {
        let args = [&["prune", "-q"], policy].concat();
        let (code, output, reported) = run(&args, &path, None);
        assert_eq!(code, 0, "{name} {policy:?}: {reported}");
        compare(bytes, &output, &format!("{name} {policy:?}"));
        let (code, again, reported) = run(&args, &path, Some(&output));
        assert!(
            code == 0 && again == output,
            "{name} {policy:?}: a second run differs: exit {code} {reported}"
        );
        assert!(
            run(&args, &path, Some(bytes)).1 == output,
            "{name} {policy:?}: a pipe and a file differ"
        );
    }
    assert!(fs::read(path).unwrap() == *bytes, "{name} was written to");
}

/// Holds the output against the input: as many lines, JSON where JSON was, and the same bytes where nothing was cut.
fn compare(input: &[u8], output: &[u8], name: &str) {
    if parse(input).is_some() {
        assert!(parse(output).is_some(), "{name}: no JSON comes out");
        return;
    }
    let (before, after): (Vec<&[u8]>, Vec<&[u8]>) = (split(input), split(output));
    assert_eq!(before.len(), after.len(), "{name}: lines");
    for (i, (a, b)) in before
        .iter()
        .zip(&after)
        .enumerate()
        .filter(|(_, (a, b))| a != b)
    {
        let (a, b) = (
            parse(a),
            parse(b).unwrap_or_else(|| panic!("{name}, line {}: no JSON comes out", i + 1)),
        );
        let cut = a.is_some_and(|a| a != b);
        let text = b.to_string();
        assert!(
            cut && ["[Tool result trimmed", "[Old tool result", "[image removed"]
                .iter()
                .any(|n| text.contains(n)),
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
    let reported = String::from_utf8(output.stderr).unwrap();
    assert!(
        !reported.contains("panicked"),
        "{}: {reported}",
        path.display()
    );
    (output.status.code().unwrap(), output.stdout, reported)
}

fn parse(bytes: &[u8]) -> Option<Value> {
    serde_json::from_slice(bytes).ok()
}

fn split(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split(|&b| b == b'\n').collect()
}
