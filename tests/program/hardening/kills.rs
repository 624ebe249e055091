//! Every command that writes files, killed at any moment and with writes that fail at any size: a few rounds of what
//! `tests/faults/run.py` does. Nothing but inputs and whole outputs is ever there.

use crate::data::sample;
use crate::dice::Dice;
use crate::support::{Place, deadhead, history, is_refused, program, script};
use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// The commands. What one makes has a name that begins with `out`.
const COMMANDS: [&str; 9] = [
    "prune -q CUT -o out.jsonl in.jsonl",
    "prune -q CUT -o out.jsonl.gz in.jsonl",
    "prune -q CUT -o out.jsonl.zst in.jsonl",
    "prune -q CUT -r --out-dir out logs",
    "prune -q CUT -o out.jsonl --report out.report --report-format=json in.jsonl",
    "prune -q CUT -o out.jsonl --sidecar out.sidecar in.jsonl",
    "check -q --repair -o out.jsonl in.jsonl",
    "slim -q -o out.jsonl in.jsonl",
    "replay --progress=never --report-format=json --report out.report usage.jsonl",
];

const CUT: &str =
    "--mode=aggressive --set=contextPruning.minPrunableToolChars=0 --now=2026-01-31T12:00:00Z";

/// A command and what it makes if nothing happens to it.
struct Run {
    command: String,
    whole: BTreeMap<String, Vec<u8>>,
    takes: Duration,
}

impl Run {
    fn new(command: &str) -> Run {
        let command = command.replace("CUT", CUT);
        let place = prepared();
        let since = Instant::now();
        let code = program()
            .args(command.split(' '))
            .current_dir(place.root())
            .status()
            .unwrap()
            .code();
        assert!(matches!(code, Some(0 | 1)), "{command}: {code:?}");
        let (takes, whole) = (since.elapsed(), outputs(&place, &command));
        assert!(!whole.is_empty(), "{command}");
        Run {
            command,
            whole,
            takes,
        }
    }

    /// Holds that a place has the inputs and whole outputs only.
    fn is_whole(&self, place: &Place, how: &str) {
        let command = &self.command;
        // Only Linux has files without a name, of which a kill leaves nothing.
        let is_named = !cfg!(all(target_os = "linux", not(portable)));
        for (name, text) in outputs(place, command) {
            if is_named && how.starts_with("killed") && name.starts_with(".deadhead-") {
                continue;
            }
            let whole = self.whole.get(&name);
            let whole = whole.unwrap_or_else(|| panic!("{command}, {how}: {name} was left behind"));
            let same = match &*name {
                // It grows from run to run.
                "out.sidecar" => true,
                // It has the time that the run took.
                "out.report" => serde_json::from_slice::<serde_json::Value>(&text).is_ok(),
                _ => text == *whole,
            };
            assert!(same, "{command}, {how}: {name} has {} bytes", text.len());
        }
        if command.contains("--sidecar") {
            let again = program()
                .args(command.split(' '))
                .current_dir(place.root())
                .output()
                .unwrap();
            assert!(again.status.success(), "{command}, {how}: {again:?}");
            let back = deadhead()
                .args(["undo", "out.jsonl", "--sidecar", "out.sidecar"])
                .current_dir(place.root())
                .output()
                .unwrap();
            assert!(
                back.stdout == input(),
                "{command}, {how}: {:?}",
                back.stderr
            );
        }
    }
}

fn input() -> Vec<u8> {
    history(150).into_bytes()
}

/// The inputs, by name.
fn inputs() -> BTreeMap<String, Vec<u8>> {
    let logs = (0..4).map(|i| (format!("logs/a/{i}.jsonl"), history(20).into_bytes()));
    let usage = sample("demo-session.jsonl").bytes.to_vec();
    let single = [("in.jsonl", input()), ("usage.jsonl", usage)];
    let single = single.map(|(name, text)| (name.to_owned(), text));
    logs.chain(single).collect()
}

fn prepared() -> Place {
    let place = Place::new();
    for (name, text) in inputs() {
        place.file(&name, text);
    }
    place
}

/// All files of a place but the inputs, which must be as they were.
fn outputs(place: &Place, about: &str) -> BTreeMap<String, Vec<u8>> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![place.root().to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(place.root()).unwrap().to_str().unwrap();
            found.insert(name.to_owned(), std::fs::read(&path).unwrap());
        }
    }
    for (name, text) in inputs() {
        assert!(found.remove(&name) == Some(text), "{about}: {name} changed");
    }
    found
}

#[test]
fn a_killed_command_leaves_inputs_and_whole_outputs() {
    let mut dice = Dice(33);
    for run in COMMANDS.map(Run::new) {
        for _ in 0..5 {
            let place = prepared();
            let mut child = program()
                .args(run.command.split(' '))
                .current_dir(place.root())
                .stdin(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let share = dice.below(1100) as u32;
            std::thread::sleep(run.takes * share / 1000);
            child.kill().unwrap();
            child.wait().unwrap();
            run.is_whole(&place, &format!("killed after {share} thousandths"));
        }
    }
}

#[test]
fn a_write_that_fails_leaves_inputs_and_whole_outputs() {
    let mut dice = Dice(34);
    for run in COMMANDS.map(Run::new) {
        // In KiB, as `ulimit` counts.
        let largest = run.whole.values().map(Vec::len).max().unwrap() >> 10;
        for _ in 0..3 {
            let (place, limit) = (prepared(), dice.below(largest + 1));
            let how = format!("files of at most {limit} KiB");
            let limited = format!(
                "trap '' XFSZ; ulimit -f {limit}; exec deadhead {}",
                run.command
            );
            let output = script(&place, &limited).output().unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(!errors.contains("panicked"), "{how}: {errors}");
            match output.status.code() {
                Some(2) => assert!(errors.contains("File too large"), "{how}: {errors}"),
                code => {
                    assert!(matches!(code, Some(0 | 1)), "{how}: {code:?}, {errors}");
                    let names = |of: &BTreeMap<String, _>| of.keys().cloned().collect::<Vec<_>>();
                    let made = names(&outputs(&place, &run.command));
                    assert_eq!(made, names(&run.whole), "{how}: {errors}");
                }
            }
            run.is_whole(&place, &how);
        }
    }
}

#[test]
fn a_full_device_is_an_error_of_every_command() {
    for command in [
        "prune -q CUT in.jsonl",
        "check -q --repair in.jsonl",
        "slim -q in.jsonl",
    ] {
        let place = prepared();
        let command = format!("exec deadhead {} >/dev/full", command.replace("CUT", CUT));
        is_refused(&script(&place, &command).output().unwrap(), "No space left");
        assert!(outputs(&place, &command).is_empty(), "{command}");
    }
}
