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
    let shown = "hint: --preset break-even would cut ";
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
        "break-even",
        SAMPLE,
    ]);
    assert!(
        other.contains(&format!(", {count} would be cleared")),
        "{hint}\n{other}"
    );
    assert!(!other.contains("hint:"), "{other}");
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
    assert!(brief.starts_with("12 inputs: "), "{brief}");
    assert_eq!((named(&brief), brief.lines().count()), (10, 12), "{brief}");
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
    place.file(".codex/sessions/a.jsonl", vec![b'x'; 2_500_000]);
    let found = screen();
    for text in [
        "~/.codex/sessions",
        "Codex: 1 file, 2 MB",
        "deadhead run -- codex",
    ] {
        assert!(found.contains(text), "{text}\n{found}");
    }
    let commands = found.lines().filter(|line| line.starts_with("  deadhead "));
    assert_eq!(commands.count(), 4, "{found}");
}
