//! What a first run prints: a next step where nothing is cut, totals of many inputs.

use crate::support::{Place, deadhead};
use std::fs;

const SAMPLE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/samples/demo-session.jsonl"
);
const NOW: [&str; 2] = ["--now", "2026-06-01T00:00:00Z"];

fn printed(args: &[&str]) -> String {
    let output = deadhead().args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn where_nothing_is_cut_a_hint_says_what_another_policy_would_cut() {
    let default = printed(&["prune", "-n", NOW[0], NOW[1], SAMPLE]);
    let hint = default.lines().last().unwrap();
    let shown = "hint: --preset break-even-safe would cut ";
    let (count, _) = hint
        .strip_prefix(shown)
        .expect(hint)
        .split_once(' ')
        .unwrap();
    let other = printed(&[
        "prune",
        "-n",
        NOW[0],
        NOW[1],
        "--preset",
        "break-even-safe",
        SAMPLE,
    ]);
    assert!(
        other.contains(&format!(", {count} would be cleared")),
        "{hint}\n{other}"
    );
    assert!(!other.contains("hint:"), "{other}");
    // Of several inputs it is about all of them.
    let place = Place::new();
    for name in ["a.jsonl", "b.jsonl"] {
        place.file(name, fs::read(SAMPLE).unwrap());
    }
    let both = printed(&[
        "prune",
        "-n",
        NOW[0],
        NOW[1],
        place.root().to_str().unwrap(),
    ]);
    let last = both.lines().last().unwrap();
    let count: u64 = count.parse().unwrap();
    let want = format!("{shown}{} results (", 2 * count);
    assert!(last.starts_with(&want), "{both}");
    assert!(both.contains(" nothing cut; the fullest: "), "{both}");
    // A name cannot write to the terminal.
    place.file("c\u{1b}[2J\n.jsonl", fs::read(SAMPLE).unwrap());
    let hostile = printed(&[
        "prune",
        "-n",
        NOW[0],
        NOW[1],
        place.root().to_str().unwrap(),
    ]);
    let last = hostile.lines().last().unwrap();
    assert!(
        last.starts_with("hint: ") && !hostile.contains('\u{1b}'),
        "{hostile:?}"
    );
}

#[test]
fn many_inputs_are_totals() {
    let place = Place::new();
    let log = fs::read(SAMPLE).unwrap();
    for i in 0..12 {
        fs::write(place.root().join(format!("log{i:02}.jsonl")), &log).unwrap();
    }
    let root = place.root().to_str().unwrap();
    let args = [
        "prune",
        "-n",
        "-r",
        NOW[0],
        NOW[1],
        "--preset",
        "break-even",
        root,
    ];
    let brief = printed(&args);
    let named = |text: &str| {
        (0..12)
            .filter(|i| text.contains(&format!("log{i:02}")))
            .count()
    };
    assert!(brief.contains(": 12 inputs: "), "{brief}");
    assert_eq!((named(&brief), brief.lines().count()), (10, 13), "{brief}");
    assert_eq!(named(&printed(&[&args[..], &["-v"]].concat())), 12);
}

#[test]
fn alone_the_program_names_the_logs_and_the_next_commands() {
    let place = Place::new();
    let screen = || {
        let mut command = deadhead();
        command.env("HOME", place.root());
        let output = command.output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let empty = screen();
    assert!(empty.contains("No logs of a known agent"), "{empty}");
    place.file(".claude/projects/app/notes.txt", "no log");
    place.file(".codex/sessions/a.jsonl", vec![b'x'; 2_500_000]);
    let found = screen();
    for text in [
        "~/.codex/sessions",
        "Codex: 1 log, 3 MB",
        "deadhead run -- codex",
    ] {
        assert!(found.contains(text), "{text}\n{found}");
    }
    let commands = found.lines().filter(|line| line.starts_with("  deadhead "));
    assert_eq!(commands.count(), 4, "{found}");
    assert!(!found.contains(".claude"), "{found}");
    place.file(".codex/sessions/a.jsonl", vec![b'x'; 281_001]);
    let small = screen();
    assert!(small.contains("Codex: 1 log, 282 kB"), "{small}");
}

/// Each line of a diff is one of the input or of the output: the texts of both are read from their JSON.
#[test]
fn a_diff_has_the_texts_of_input_and_output() {
    let policy = ["--assume-cold", "--context-window", "90000", NOW[0], NOW[1]];
    let run = |more: &[&str]| printed(&[&["prune"], more, &policy, &[SAMPLE]].concat());
    let texts = |log: &str| -> Vec<String> {
        let mut found = Vec::new();
        for line in log.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let parts = line["message"]["content"].as_array().into_iter().flatten();
            found.extend(parts.filter_map(|part| part["text"].as_str().map(str::to_owned)));
        }
        found
    };
    let plain = |text: &str| -> String {
        let lines = text.lines().map(|line| {
            let each = line.chars().map(|c| match c.is_control() {
                true => c.escape_default().to_string(),
                false => c.to_string(),
            });
            each.collect::<String>() + "\n"
        });
        lines.collect()
    };
    let before = texts(&fs::read_to_string(SAMPLE).unwrap());
    let after = texts(&run(&["-q"]));
    let changed = before.iter().zip(&after).filter(|(a, b)| a != b).count();
    let shown = run(&["-n", "--diff"]);
    let diffs: Vec<&str> = shown.split("\n--- ").skip(1).collect();
    assert!(changed > 4, "{changed}");
    assert_eq!(diffs.len(), changed);
    for diff in diffs {
        for (sign, texts) in [('-', &before), ('+', &after)] {
            let lines = diff.lines().skip(3);
            let own = lines.filter(|line| line.starts_with([sign, ' ']));
            let own: String = own.map(|line| format!("{}\n", &line[1..])).collect();
            let is_there = texts.iter().any(|text| plain(text).contains(&own));
            assert!(is_there && !own.is_empty(), "{sign}{own}");
        }
    }
}

/// A folder has the same logs for every command that reads logs, whatever flag is given.
#[test]
fn every_command_sees_the_same_logs() {
    let place = Place::new();
    let log = fs::read(SAMPLE).unwrap();
    let mut names = [
        "a.jsonl",
        "b.jsonl.zst",
        "deep/c.jsonl.reset.2026",
        "session-1.json",
    ];
    for name in names {
        let packed = zstd::encode_all(&log[..], 1).unwrap();
        place.file(name, if name.ends_with("zst") { &packed } else { &log });
    }
    place.file("notes.txt", "no log");
    place.file("a.trajectory.jsonl", "no log");
    names.sort();
    let root = place.root().to_str().unwrap();
    for args in [
        &["prune", "-n", "--report-format", "jsonl"][..],
        &["prune", "-n", "-r", "--report-format", "jsonl"],
        &["prune", "--list", "--report-format", "jsonl"],
        &["check", "--report-format", "jsonl"],
        &["replay", "--report-format", "jsonl"],
    ] {
        let seen = |at: &str| {
            let text = printed(&[args, &[at]].concat());
            let mut found = names.to_vec();
            found.retain(|name| text.contains(&format!("{root}/{name}")));
            found
        };
        assert_eq!(seen(root), names, "{args:?}");
        assert_eq!(seen(&format!("{root}/*.zst")), [names[1]], "{args:?}");
        let below = seen(&format!("{root}/**/*.reset.*"));
        assert_eq!(below, [names[2]], "{args:?}");
    }
}
