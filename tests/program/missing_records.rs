//! Parts of a log: missing records are a warning, or exit 2 if that is requested.

use crate::dice::Dice;
use crate::logs::FORMATS;
use crate::support::deadhead;
use serde_json::Value;
use std::process::Output;

fn run(args: &[&str], input: &str) -> Output {
    deadhead().args(args).write_stdin(input).output().unwrap()
}

#[test]
fn r1_a_part_of_a_log_is_not_taken_for_all_of_it() {
    let commands: [&[&str]; 3] = [
        &["prune", "-n", "--now=2026-10-01T00:00:00Z"],
        &["check"],
        &["replay"],
    ];
    for (n, format) in FORMATS.into_iter().enumerate() {
        let log = format(&mut Dice(n as u64 + 1));
        let named = format!("--format={}", log.format);
        let lines: Vec<&Value> = log.lines.iter().collect();
        let from = log.head.max(lines.len() / 2);
        for args in commands {
            let of = |more: &[&str], input: &str| {
                let output = run(&[args, &[named.as_str()], more].concat(), input);
                let reported = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
                (
                    output.status.code(),
                    reported.split_whitespace().collect::<Vec<_>>().join(" "),
                )
            };
            let text = |lines: &[&Value]| {
                lines
                    .iter()
                    .map(|line| format!("{line}\n"))
                    .collect::<String>()
            };
            let (whole, part) = (text(&lines), text(&lines[from..]));
            let (code, reported) = of(&["--strict-input"], &whole);
            assert!(
                code == Some(0) && !reported.contains("is not in the input"),
                "{args:?} {named}: {code:?} {reported}"
            );
            let (code, reported) = of(&[], &part);
            assert!(
                code < Some(2)
                    && reported.contains("is not in the input: the head of the log is missing"),
                "{args:?} {named}: {code:?} {reported}"
            );
            let (code, reported) = of(&["--strict-input"], &part);
            let line = reported.contains("-:1: parent ")
                && reported.contains("; give the whole log, or leave out --strict-input");
            assert!(
                code == Some(2) && line,
                "{args:?} {named}: {code:?} {reported}"
            );
        }
    }
}
