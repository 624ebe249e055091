//! `deadhead run`: a made agent, its answers, its end, its signals, and the end of either by force.

use crate::bodies::claude;
use crate::client::{raw, read, request};
use crate::process::{Lines, program, program_by};
use crate::provider::{PATIENCE, Provider};
use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Instant;

/// An agent that sends requests which are files, and writes what came back; it has the code 7.
const AGENT: &str = r#"
address=${ANTHROPIC_BASE_URL#http://}
for request in request-*; do
    exec 3<>"/dev/tcp/${address%%[:/]*}/$(echo "$address" | sed 's/.*:\([0-9]*\).*/\1/')"
    sed "1s#PATH#/${address#*/}#" "$request" >&3
    cat <&3 >"answer-${request#request-}"
    exec 3<&-
done
exit 7
"#;

/// Without the terminal that the tests may have.
fn bash(home: &Path, script: &str) -> std::process::Command {
    let mut command = program_by(home, Some("setsid"));
    command.args(["run", "--", "bash", "-c", script]);
    command
}

/// A session through `run`: the answers are those without it, the prompts are smaller, and the last three lines say by how much. Nothing is
/// left in the user's folder (headroom #992, #1768, #2238, #2340: the address stays in settings and shells).
#[test]
fn a_session_is_smaller_and_its_answers_the_same() {
    let (provider, home) = (Provider::start(), tempfile::tempdir().unwrap());
    let turns = 30;
    for turn in 1..=turns {
        let sent = request("POST", "PATH/v1/messages", &[], &claude(turn, 18_000, "a"));
        fs::write(home.path().join(format!("request-{turn:02}")), sent).unwrap();
    }
    let before = names(home.path());
    let output = bash(home.path(), AGENT)
        .env("ANTHROPIC_BASE_URL", format!("{}/gateway", provider.url))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(7));
    let seen = provider.seen(turns);
    assert_eq!(seen.len(), turns);
    for (turn, seen) in (1..).zip(&seen) {
        assert_eq!(seen.line, "POST /gateway/v1/messages HTTP/1.1");
        let answer = read(&fs::read(home.path().join(format!("answer-{turn:02}"))).unwrap());
        let direct = read(&raw(
            &provider.url,
            &request("POST", "/gateway/v1/messages", &[], &seen.body),
        ));
        assert_eq!(
            (answer.status, answer.body),
            (direct.status, direct.body),
            "{turn}"
        );
    }
    assert!(seen[turns - 1].body.len() * 4 < claude(turns, 18_000, "a").len());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with(
        "deadhead: bash is no agent that is known; its requests may reach http://127.0.0.1:"
    ));
    let lines: Vec<&str> = said.lines().skip(1).collect();
    assert_eq!(lines.len(), 3, "{said}");
    assert!(
        lines[0].starts_with("deadhead: 30 requests, ") && lines[0].ends_with(" of them pruned"),
        "{said}"
    );
    assert!(
        lines[1].starts_with("deadhead: messages of ") && lines[1].contains("; about $0."),
        "{said}"
    );
    assert_eq!(
        lines[2],
        "deadhead: the provider read 300 tokens from its cache and wrote 0 to it; results needed again: 0"
    );
    let after = names(home.path())
        .into_iter()
        .filter(|name| !name.starts_with("answer-"));
    assert_eq!(after.collect::<Vec<_>>(), before);
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn the_exit_code_is_the_agents() {
    let home = tempfile::tempdir().unwrap();
    for (script, code) in [
        ("exit 0", 0),
        ("exit 3", 3),
        ("exit 255", 255),
        ("kill -9 $$", 137),
        ("kill -TERM $$", 143),
    ] {
        assert_eq!(
            bash(home.path(), script).output().unwrap().status.code(),
            Some(code),
            "{script}"
        );
    }
    let missing = program(home.path())
        .args(["run", "--", "./nothing"])
        .output()
        .unwrap();
    assert_eq!(missing.status.code(), Some(127));
    let folder = program(home.path())
        .args(["run", "--", "/"])
        .output()
        .unwrap();
    assert_eq!(folder.status.code(), Some(126));
    // Input and output are the agent's.
    let mut cat = program(home.path())
        .args(["run", "--", "cat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    cat.stdin.take().unwrap().write_all(b"bytes").unwrap();
    assert_eq!(cat.wait_with_output().unwrap().stdout, b"bytes");
}

/// An agent that starts a process, which says both their numbers, and then waits. Between its start and its program a process of bash has
/// the trap of bash, and would lose the signal: the one that says the numbers has none.
const WAITING: &str = "trap 'echo caught; exit 5' TERM
bash -c 'echo $0 $$; exec sleep 1000' $$ & wait";

/// Starts it; returns what its lines are read from, and both numbers.
fn waiting(home: &Path, script: &str) -> (Child, BufReader<std::process::ChildStdout>, [Pid; 2]) {
    let mut run = bash(home, script)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(run.stdout.take().unwrap());
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    let numbers: Vec<Pid> = line
        .split_whitespace()
        .map(|n| Pid::from_raw(n.parse().unwrap()).unwrap())
        .collect();
    (run, lines, [numbers[0], numbers[1]])
}

/// Waits until a process has ended: it is gone, or nobody has asked how.
fn ended(pid: Pid) {
    let begun = Instant::now();
    let is_left = || {
        let state =
            fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
        test_kill_process(pid).is_ok() && !state.contains(") Z ")
    };
    while is_left() {
        assert!(begun.elapsed() < PATIENCE, "{pid:?}");
        std::thread::yield_now();
    }
}

/// A signal reaches the agent and what it has started: some agents are a process that starts another one, and end alone.
#[test]
fn signals_are_passed_on_to_the_group() {
    let home = tempfile::tempdir().unwrap();
    let (mut run, mut lines, [_, started]) = waiting(home.path(), WAITING);
    kill_process(Pid::from_raw(run.id() as i32).unwrap(), Signal::TERM).unwrap();
    let mut said = String::new();
    lines.read_line(&mut said).unwrap();
    assert_eq!(
        (said.as_str(), run.wait().unwrap().code()),
        ("caught\n", Some(5))
    );
    ended(started);
}

/// The process groups that a process named `guard` is in, and that of a process.
fn groups(pid: Pid) -> (Vec<String>, String) {
    let group = |folder: &Path| {
        let stat = fs::read_to_string(folder.join("stat")).unwrap_or_default();
        let (_, fields) = stat.rsplit_once(") ")?;
        fields.split(' ').nth(2).map(str::to_owned)
    };
    let is_guard = |folder: &Path| {
        let words = fs::read(folder.join("cmdline")).unwrap_or_default();
        words.ends_with(b"deadhead\0guard\0")
    };
    let all = fs::read_dir("/proc").unwrap().flatten();
    let guards = all.map(|entry| entry.path()).filter(|path| is_guard(path));
    let own = group(&Path::new("/proc").join(pid.as_raw_nonzero().to_string()));
    (
        guards.filter_map(|path| group(&path)).collect(),
        own.unwrap(),
    )
}

/// What stops or kills the agent's group does not reach the guard.
#[test]
fn the_guard_is_apart_from_the_agent() {
    let home = tempfile::tempdir().unwrap();
    let (mut run, _lines, [agent, started]) = waiting(home.path(), WAITING);
    let begun = Instant::now();
    // The one that makes the group is there until the agent is.
    while groups(agent).0.contains(&groups(agent).1) {
        assert!(begun.elapsed() < PATIENCE);
    }
    let group = Pid::from_raw(groups(agent).1.parse().unwrap()).unwrap();
    kill_process_group(group, Signal::STOP).unwrap();
    run.kill().unwrap();
    run.wait().unwrap();
    ended(agent);
    ended(started);

    let (mut run, _lines, [agent, started]) = waiting(home.path(), WAITING);
    let group = Pid::from_raw(groups(agent).1.parse().unwrap()).unwrap();
    kill_process_group(group, Signal::KILL).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(137));
    ended(started);
}

/// Killed, neither leaves a process.
#[test]
fn killed_neither_leaves_a_process() {
    let home = tempfile::tempdir().unwrap();
    let (mut run, _lines, [agent, started]) = waiting(home.path(), WAITING);
    run.kill().unwrap();
    run.wait().unwrap();
    ended(agent);
    ended(started);

    let (mut run, _lines, [agent, started]) = waiting(home.path(), WAITING);
    let said = Lines::of(&mut run);
    kill_process(agent, Signal::KILL).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(137));
    ended(started);
    said.wait("no request came to http://127.0.0.1:");
    assert!(names(home.path()).is_empty());
}
