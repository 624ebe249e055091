//! The help of every command is short, and its examples run.

use crate::docs::scratch::{add_sessions, bash, scratch, shell};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn short_help_is_short_and_long_help_is_the_same_by_both_ways() {
    for path in commands() {
        let short = help(&[&path, "-h"].join(" "));
        assert!(
            short.lines().count() < 60,
            "deadhead {path} -h has {} lines: hide rare flags (hide_short_help)",
            short.lines().count()
        );
        assert!(
            short.contains("\nExamples:\n"),
            "deadhead {path} -h has no examples"
        );
        assert_eq!(
            help(&format!("{path} --help")),
            help(&format!("help {path}")),
            "{path}"
        );
    }
}

#[test]
fn examples_run() {
    let dir = scratch();
    add_sessions(dir.path());
    let mut ran = 0;
    for path in commands() {
        let help = help(&[&path, "--help"].join(" "));
        let (_, examples) = help.split_once("\nExamples:\n").expect("examples");
        for line in examples
            .lines()
            .map_while(|line| line.strip_prefix("  "))
            .filter(|line| !line.starts_with('#'))
        {
            ran += 1;
            if line.starts_with("deadhead proxy") {
                serves(line, dir.path());
                continue;
            }
            let output = bash(line, dir.path());
            let error = String::from_utf8_lossy(&output.stderr)
                .replace("deadhead: warning: ", "warning: ")
                .replace("deadhead: note: ", "note: ");
            // Exit code 1 says that defects were found. The agent that is run sends nothing.
            let is_fine = line.starts_with("deadhead run") || !error.contains("deadhead: ");
            assert!(
                matches!(output.status.code(), Some(0 | 1)) && is_fine,
                "{path}: {line}\n{error}"
            );
        }
    }
    assert!(ran > 30, "{ran} examples");
}

/// Starts a proxy, at a port of its own, and ends it when it serves.
fn serves(line: &str, dir: &Path) {
    let script = format!("exec {line} --listen 127.0.0.1:0");
    let mut proxy = shell(&script, dir).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    let mut lines = BufReader::new(proxy.stderr.take().unwrap());
    lines.read_line(&mut said).unwrap();
    assert!(
        said.starts_with("deadhead: listening on http://127.0.0.1:"),
        "{said}"
    );
    let pid = Pid::from_raw(proxy.id() as i32).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    assert!(proxy.wait().unwrap().success());
}

#[test]
fn man_pages_end_with_examples_and_other_pages() {
    let dir = tempfile::tempdir().unwrap();
    let output = bash_in(&dir, "man .");
    assert!(output.status.success());
    let pages: Vec<_> = fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(pages.len(), commands().len());
    for path in &pages {
        let page = fs::read_to_string(path).unwrap();
        let (_, rest) = page.split_once("\n.SH EXAMPLES\n").expect("examples");
        let (examples, others) = rest
            .split_once("\n.SH \"SEE ALSO\"\n")
            .expect("other pages");
        assert!(examples.contains("\n.nf\n"), "{}", path.display());
        let others: Vec<String> = others
            .lines()
            .filter_map(|line| {
                line.strip_prefix("\\fB")?
                    .split_once("\\fR")
                    .map(|(name, _)| name.replace("\\-", "-"))
            })
            .collect();
        assert!(!others.is_empty(), "{}", path.display());
        for other in others {
            assert!(
                dir.path().join(format!("{other}.1")).is_file(),
                "{}: {other}",
                path.display()
            );
        }
    }
}

/// All commands, as they are typed behind the program's name; the program itself is empty.
fn commands() -> Vec<String> {
    let mut all = vec![String::new()];
    let mut next = 0;
    while next < all.len() {
        let text = help(&[&all[next], "-h"].join(" "));
        // The program has its commands in groups, up to its options.
        let below = match next {
            0 => ("Usage: deadhead <COMMAND>\n\n", "Options:"),
            _ => ("\nCommands:\n", "\n\n"),
        };
        let listed = text.split_once(below.0).map_or("", |(_, rest)| {
            rest.split(below.1).next().unwrap_or_default()
        });
        let names = listed
            .lines()
            .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next())
            .filter(|name| *name != "help");
        let below: Vec<String> = names
            .map(|name| format!("{} {name}", all[next]).trim().to_owned())
            .collect();
        all.extend(below);
        next += 1;
    }
    assert!(all.len() > 15, "{all:?}");
    all
}

fn help(args: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_deadhead"))
        .args(args.split_whitespace())
        .output()
        .unwrap();
    assert!(output.status.success(), "deadhead {args}");
    String::from_utf8(output.stdout).unwrap()
}

fn bash_in(dir: &tempfile::TempDir, args: &str) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_deadhead"))
        .args(args.split(' '))
        .current_dir(dir.path())
        .output()
        .unwrap()
}
