//! The state file from outside: clocks and cuts between processes, errors that lose no body, many processes at once.

use crate::data::{Sample, samples};
use crate::support::{Place, deadhead, history, program};
use rayon::prelude::*;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Output, Stdio};

/// A body of `n` steps with results of 900 chars.
fn body(n: usize) -> String {
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    for i in 0..n {
        let call = json!({"type": "tool_use", "id": format!("t{i}"), "name": "run", "input": {}});
        messages.push(json!({"role": "assistant", "content": [call]}));
        let text = format!("{i} {}", "x".repeat(900));
        messages.push(json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": format!("t{i}"), "content": text}]}));
    }
    json!({"model": "m", "max_tokens": 1, "messages": messages}).to_string()
}

/// Flags under which `body` is cut when its clock has run out.
const SMALL: [&str; 8] = [
    "--mode=cache-ttl",
    "--context-window=2000",
    "--set=contextPruning.minPrunableToolChars=0",
    "--set=contextPruning.softTrim.maxChars=500",
    "--set=contextPruning.softTrim.headChars=50",
    "--set=contextPruning.softTrim.tailChars=50",
    "--set=state.timeout=300ms",
    "--report-format=json",
];

/// Runs `prune` at a minute of the first of January; returns what came out and the report.
fn prune(place: &Place, minute: u32, args: &[&str], input: &str) -> (String, Value) {
    let report = place.path("report.json");
    let now = format!("2026-01-01T00:{minute:02}:00Z");
    let output = deadhead()
        .current_dir(place.root())
        .args([
            "prune",
            "--state",
            "s.db",
            "--now",
            &now,
            "--report",
            "report.json",
        ])
        .args(SMALL)
        .args(args)
        .write_stdin(input)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let report = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    (String::from_utf8(output.stdout).unwrap(), report)
}

#[test]
fn the_clock_lives_between_runs() {
    let place = Place::new();
    let (first, report) = prune(&place, 0, &[], &body(9));
    assert_eq!(
        (first, &report["decision"]["ran"]),
        (body(9), &json!(false))
    );
    assert_eq!(report["session"]["source"], "content");
    assert_eq!(report["prefixStable"], Value::Null);
    let (_, report) = prune(&place, 4, &[], &body(9));
    assert_eq!(report["decision"]["lastCallSource"], "state");
    assert_eq!(
        report["prefixStable"],
        json!({"bytes": body(9).len() - 2, "messages": 19})
    );
    // A dry run is no call.
    deadhead()
        .current_dir(place.root())
        .args(["prune", "-n", "-q", "--state", "s.db"])
        .write_stdin(body(9))
        .assert()
        .success();
    let (cut, report) = prune(&place, 9, &[], &body(9));
    assert_eq!(report["decision"]["ran"], true);
    assert!(report["cuts"].as_array().unwrap().len() > 3);
    // A prune resets it, and what was cut stays.
    let (again, report) = prune(&place, 10, &["--set=contextPruning.mode=off"], &body(9));
    assert_eq!((again, &report["decision"]["ran"]), (cut, &json!(false)));
    assert_eq!(report["passes"][0]["name"], "sticky");
    // Another session has its own.
    let (_, report) = prune(&place, 20, &["--session", "other"], &body(9));
    assert_eq!(
        (
            &report["decision"]["lastCall"],
            &report["session"]["source"]
        ),
        (&Value::Null, &json!("flag"))
    );
}

#[test]
fn selected_cuts_are_repeated() {
    let place = Place::new();
    let off = ["--set=contextPruning.mode=off"];
    let (cut, report) = prune(
        &place,
        0,
        &[&off[..], &["--select=tool:t1", "--reason=old"]].concat(),
        &body(4),
    );
    assert!(!cut.contains("\"t1\"") && cut.contains("\"t2\""), "{cut}");
    assert_eq!(
        (&report["session"]["added"], &report["cuts"][0]["pass"]),
        (&json!(2), &json!("select"))
    );
    let (again, report) = prune(&place, 1, &off, &body(4));
    assert_eq!((again, &report["cuts"][0]["pass"]), (cut, &json!("sticky")));
    let (grown, report) = prune(&place, 2, &off, &body(5));
    assert!(!grown.contains("\"t1\"") && grown.contains("\"t4\""));
    assert_eq!(
        (
            &report["session"]["kept"],
            &report["prefixStable"]["messages"]
        ),
        (&json!(2), &json!(7))
    );
}

/// A body for a model that binds thinking to what comes before: steps with thinking, an answer, a question, and then, with
/// `open`, a step of the loop that the question began.
fn thinking(open: bool) -> String {
    let mut body: Value = serde_json::from_str(&body(9)).unwrap();
    body["model"] = json!("claude-opus-5-1");
    let think = |i: usize| json!({"type": "thinking", "thinking": format!("thought {i}"), "signature": format!("sig{i}")});
    let messages = body["messages"].as_array_mut().unwrap();
    for (i, message) in messages
        .iter_mut()
        .filter(|m| m["role"] == "assistant")
        .enumerate()
    {
        message["content"]
            .as_array_mut()
            .unwrap()
            .insert(0, think(i));
    }
    messages.push(
        json!({"role": "assistant", "content": [think(20), {"type": "text", "text": "done"}]}),
    );
    messages.push(json!({"role": "user", "content": "next"}));
    if open {
        let call = json!({"type": "tool_use", "id": "t30", "name": "run", "input": {}});
        messages.push(json!({"role": "assistant", "content": [think(30), call]}));
        messages.push(json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t30", "content": "new"}]}));
    }
    body.to_string()
}

#[test]
fn thinking_that_came_after_a_cut_stays_with_it() {
    let place = Place::new();
    prune(&place, 0, &[], &thinking(false));
    let (cut, report) = prune(&place, 6, &[], &thinking(false));
    assert!(
        report["cuts"]
            .as_array()
            .unwrap()
            .iter()
            .any(|c| c["pass"] == "thinking"),
        "{report}"
    );
    assert!(
        !cut.contains("sig20") && cut.contains("sig0") && cut.contains("[Tool result trimmed"),
        "{cut}"
    );
    // What follows was thought with the cut, in the loop that is open and after it.
    let (grown, report) = prune(&place, 7, &[], &thinking(true));
    assert_eq!(report["session"]["added"], 0);
    assert_eq!(
        grown[..cut.len() - 60],
        cut[..cut.len() - 60],
        "the beginning stays"
    );
    assert!(grown.contains("sig30") && !grown.contains("sig20"));
    let later =
        thinking(true).replace("]}]}],", "]}]},{\"role\":\"assistant\",\"content\":\"so\"},{\"role\":\"user\",\"content\":\"and\"}],");
    let (later, report) = prune(&place, 8, &[], &later);
    assert!(
        later.contains("sig30") && !later.contains("sig20"),
        "{report}"
    );
    assert_eq!(report["prefixStable"]["messages"], 23);
}

#[test]
fn the_file_is_the_owners() {
    let place = Place::new();
    prune(&place, 0, &[], &body(2));
    for name in ["s.db", "s.db-wal", "s.db-shm"]
        .iter()
        .filter(|name| place.path(name).exists())
    {
        let mode = std::fs::metadata(place.path(name))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    // A dry run makes none.
    let other = Place::new();
    deadhead()
        .current_dir(other.root())
        .args(["prune", "-n", "-q", "--state", "s.db"])
        .write_stdin(body(2))
        .assert()
        .success();
    assert!(other.names().is_empty());
}

#[test]
fn histories_have_sessions() {
    let place = Place::new();
    let path = place.file("h.jsonl", history(12));
    let run = |minute, args: &[&str]| {
        prune(
            &place,
            minute,
            &[args, &[path.to_str().unwrap()]].concat(),
            "",
        )
    };
    let (_, report) = run(0, &[]);
    assert_eq!(
        report["session"],
        json!({"name": "s", "source": "history", "kept": 0, "added": 0, "dropped": 0})
    );
    let (cut, report) = run(5, &[]);
    assert!(report["session"]["added"].as_u64().unwrap() > 3, "{report}");
    let mut grown = history(13);
    grown.truncate(grown.trim_end().rfind('\n').unwrap() + 1);
    place.file("h.jsonl", grown);
    let (again, report) = run(6, &[]);
    let lines = cut.lines().count() - 1;
    assert!(again.lines().take(lines).eq(cut.lines().take(lines)));
    assert_eq!(report["prefixStable"]["messages"], json!(25));
}

#[test]
fn a_filter_process_keeps_sessions_apart() {
    let place = Place::new();
    let line = |user: &str, n| {
        body(n).replacen(
            '{',
            &format!("{{\"metadata\":{{\"user_id\":\"{user}\"}},"),
            1,
        ) + "\n"
    };
    let both = [line("a", 9), line("b", 9)].concat();
    prune(&place, 0, &[], &both);
    prune(&place, 3, &[], &line("b", 9));
    let (_, reports) = prune(&place, 5, &[], &both);
    let ran: Vec<&Value> = reports
        .as_array()
        .unwrap()
        .iter()
        .map(|r| &r["decision"]["ran"])
        .collect();
    assert_eq!(
        ran[..2],
        [&json!(true), &json!(false)],
        "each has its own clock"
    );
    assert_eq!(reports[0]["session"]["name"], "a");
}

#[test]
fn a_state_file_that_cannot_be_used_costs_no_body() {
    let place = Place::new();
    place.file(
        "text",
        "no database, but more than a hundred bytes of text ".repeat(9),
    );
    place.file(
        "torn",
        "SQLite format 3\0 and then nothing that makes sense".repeat(50),
    );
    place.file("body.json", body(3));
    std::fs::create_dir(place.path("folder")).unwrap();
    prune(&place, 0, &[], &body(2));
    for (name, change) in [
        ("newer", "PRAGMA user_version = 99"),
        ("foreign", "PRAGMA application_id = 7"),
        ("locked", ""),
    ] {
        std::fs::copy(place.path("s.db"), place.path(name)).unwrap();
        std::fs::copy(place.path("s.db-wal"), place.path(format!("{name}-wal"))).unwrap();
        Connection::open(place.path(name))
            .unwrap()
            .execute_batch(change)
            .unwrap();
    }
    let holder = Connection::open(place.path("locked")).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    for (state, words) in [
        ("text", "is no SQLite database"),
        ("torn", "is"),
        ("folder", "is no regular file"),
        ("text/s.db", "cannot be opened: Not a directory"),
        ("newer", "has schema 99, and this version knows 6"),
        ("foreign", "is another program's database"),
        ("locked", "is locked by another process"),
    ] {
        let before = std::fs::read(place.path(state)).ok();
        let run = |args: &[&str]| {
            let mut command = deadhead();
            command
                .current_dir(place.root())
                .args(["prune", "-q", "--state", state])
                .args(&SMALL[..7])
                .args(args);
            command.write_stdin(body(3)).output().unwrap()
        };
        // A file can be read again; what came through a pipe continues.
        let output = run(&["body.json"]);
        crate::support::is_refused(&output, words);
        assert!(output.stdout.is_empty(), "{state}");
        let output = run(&[]);
        crate::support::is_refused(&output, words);
        assert!(output.stdout == body(3).as_bytes(), "{state}");
        let output = run(&["--state-optional"]);
        assert!(
            output.status.success() && output.stdout == body(3).as_bytes(),
            "{state}: {output:?}"
        );
        assert_eq!(
            std::fs::read(place.path(state)).ok(),
            before,
            "{state} is as it was"
        );
    }
}

#[test]
fn a_state_file_that_cannot_be_written_costs_no_body() {
    let place = Place::new();
    prune(&place, 0, &[], &body(2));
    // A full disk: no file may grow beyond what there is.
    let run = |script: &str, user: Option<u32>| {
        let script = script.replace("DEADHEAD", env!("CARGO_BIN_EXE_deadhead"));
        let mut bash = std::process::Command::new("bash");
        bash.args(["-c", &script]).current_dir(place.root());
        bash.stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(user) = user {
            bash.uid(user);
        }
        let mut child = bash.spawn().unwrap();
        // Whoever cannot open its state file does not even read.
        let _ = child.stdin.take().unwrap().write_all(body(300).as_bytes());
        child.wait_with_output().unwrap()
    };
    let full = "trap '' XFSZ; ulimit -f 8; exec DEADHEAD prune -q --state s.db --assume-cold --context-window 5000";
    let output = run(full, None);
    assert_eq!(
        (output.status.code(), output.stdout.len()),
        (Some(2), body(300).len()),
        "{output:?}"
    );
    let output = run(&format!("{full} --state-optional"), None);
    assert!(output.status.success() && output.stdout == body(300).as_bytes());
    // A file that may not be written; root may write all, so another user asks.
    std::fs::set_permissions(place.path("s.db"), std::fs::Permissions::from_mode(0o444)).unwrap();
    std::fs::set_permissions(place.root(), std::fs::Permissions::from_mode(0o777)).unwrap();
    for beside in ["s.db-wal", "s.db-shm"] {
        let _ =
            std::fs::set_permissions(place.path(beside), std::fs::Permissions::from_mode(0o666));
    }
    std::fs::copy(env!("CARGO_BIN_EXE_deadhead"), place.path("deadhead")).unwrap();
    let other = rustix::process::geteuid().is_root().then_some(65534);
    let output = run("exec ./deadhead prune -q --state s.db", other);
    crate::support::is_refused(&output, "cannot be written");
    assert!(output.stdout == body(300).as_bytes());
    let output = run(
        "exec ./deadhead prune -q --state s.db --state-optional",
        other,
    );
    assert!(output.status.success() && output.stdout == body(300).as_bytes());
}

#[test]
fn in_a_pipe_only_the_line_passes_unpruned() {
    let place = Place::new();
    let mut child = start(
        &place,
        &[
            "--session",
            "k",
            "--state",
            "s.db",
            "-q",
            "--set=state.timeout=100ms",
        ],
    );
    let mut input = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |line: String| {
        writeln!(input, "{line}").unwrap();
        answers.next().unwrap().unwrap()
    };
    assert_eq!(ask(body(2)), body(2));
    let holder = Connection::open(place.path("s.db")).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(ask(body(3)), body(3));
    drop(holder);
    assert_eq!(ask(body(4)), body(4));
    drop(input);
    let output = child.wait_with_output().unwrap();
    let reported = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{reported}");
    let runs: i64 = connect(&place)
        .query_row("SELECT runs FROM session", [], |row| row.get(0))
        .unwrap();
    assert_eq!(runs, 2);
}

#[test]
fn the_state_file_is_no_output() {
    let place = Place::new();
    let input = place.file("h.jsonl", history(2));
    for args in [
        ["--state", "h.jsonl", "-n", "-q"],
        ["--state", "s.db", "-o", "s.db"],
        ["--state", "s.db", "--session", " "],
    ] {
        let output = deadhead()
            .current_dir(place.root())
            .arg("prune")
            .args(args)
            .arg(&input)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert_eq!(std::fs::read_to_string(&input).unwrap(), history(2));
    }
}

fn start(place: &Place, args: &[&str]) -> Child {
    let mut command = program();
    command
        .current_dir(place.root())
        .arg("prune")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn connect(place: &Place) -> Connection {
    Connection::open(place.path("s.db")).unwrap()
}

/// Many processes on one file, some of them killed: what was answered is remembered, and nothing is damaged.
fn many(processes: usize, rounds: usize) {
    let place = Place::new();
    let mut answered = 0;
    for round in 0..rounds {
        let now = format!("--now=2026-01-01T{:02}:{:02}:00Z", round / 9, round % 9 * 6);
        let mut children: Vec<(usize, Child)> = (0..processes)
            .map(|i| {
                let session = format!("--session=k{}", i % 5);
                let args = [
                    "--state=s.db",
                    "-q",
                    &now,
                    &session,
                    "--set=state.timeout=20s",
                ];
                let mut child = start(&place, &[&args[..], &SMALL[..6]].concat());
                let _ = child
                    .stdin
                    .take()
                    .unwrap()
                    .write_all(body(6 + round).as_bytes());
                (i, child)
            })
            .collect();
        for (i, child) in &mut children {
            if (*i * 7 + round) % 3 == 0 {
                std::thread::sleep(std::time::Duration::from_micros((*i as u64 * 977) % 3000));
                child.kill().unwrap();
            }
        }
        for (_, child) in children {
            let output: Output = child.wait_with_output().unwrap();
            match output.status.code() {
                Some(code) => {
                    assert_eq!(code, 0, "{}", String::from_utf8_lossy(&output.stderr));
                    answered += 1;
                }
                None => assert!(
                    output.stdout.is_empty()
                        || serde_json::from_slice::<Value>(&output.stdout).is_ok()
                ),
            }
        }
    }
    let file = connect(&place);
    let one = |sql: &str| file.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let check: String = file
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(check, "ok");
    assert!(
        one("SELECT sum(runs) FROM session") >= answered,
        "no answer is without its record"
    );
    assert_eq!(one("SELECT count(*) FROM session"), 5);
    assert!(one("SELECT count(*) FROM decision") > 5);
}

#[test]
fn many_may_make_the_file() {
    for _ in 0..12 {
        let place = Place::new();
        let session = |i: usize| format!("--session=k{i}");
        let children: Vec<Child> = (0..12)
            .map(|i| {
                let mut child = start(
                    &place,
                    &["--state=s.db", "-q", "--set=state.timeout=20s", &session(i)],
                );
                child
                    .stdin
                    .take()
                    .unwrap()
                    .write_all(body(1).as_bytes())
                    .unwrap();
                child
            })
            .collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert!(
                output.status.success(),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
        let sessions: i64 = connect(&place)
            .query_row("SELECT count(*) FROM session", [], |row| row.get(0))
            .unwrap();
        assert_eq!(sessions, 12);
    }
}

#[test]
fn fifty_processes_that_are_killed_lose_nothing() {
    many(50, 12);
}

#[test]
fn a_state_file_is_listed_and_forgotten() {
    let place = Place::new();
    for session in ["one", "two"] {
        prune(&place, 0, &["--session", session], &body(9));
        prune(&place, 6, &["--session", session], &body(9));
    }
    let run = |args: &[&str]| {
        let output = deadhead()
            .current_dir(place.root())
            .arg("state")
            .args(args)
            .output()
            .unwrap();
        (
            output.status.code().unwrap(),
            String::from_utf8(output.stdout).unwrap() + &String::from_utf8_lossy(&output.stderr),
        )
    };
    let shown: Value =
        serde_json::from_str(&run(&["show", "--json", "--state", "s.db"]).1).unwrap();
    assert_eq!(shown["sessions"].as_array().unwrap().len(), 2);
    assert_eq!(
        (&shown["sessions"][0]["name"], &shown["sessions"][0]["runs"]),
        (&json!("one"), &json!(2))
    );
    assert!(shown["bytes"].as_u64().unwrap() > 1000);
    let (code, text) = run(&["show", "--state", "s.db"]);
    assert!(
        code == 0
            && text.contains("  2026-01-01T00:06:00Z     2 ")
            && text.contains("  two\n")
            && text.contains("2 sessions"),
        "{text}"
    );
    let (_, text) = run(&["show", "--state", "s.db", "two"]);
    assert!(
        text.contains("[Tool result trimmed:") && text.contains("  soft-trim  "),
        "{text}"
    );
    let cuts: Value =
        serde_json::from_str(&run(&["show", "--json", "--state", "s.db", "two"]).1).unwrap();
    assert!(cuts["cuts"].as_array().unwrap().len() > 3);
    assert_eq!(run(&["forget", "--state", "s.db", "none"]).0, 2);
    assert_eq!(
        run(&["forget", "--state", "s.db", "two"]),
        (0, "1 session forgotten\n".to_owned())
    );
    assert_eq!(
        run(&[
            "forget",
            "--state",
            "s.db",
            "--older-than",
            "1d",
            "--now",
            "2026-01-01T12:00:00Z"
        ])
        .1,
        "0 sessions forgotten\n"
    );
    assert_eq!(
        run(&[
            "forget",
            "--state",
            "s.db",
            "--older-than",
            "1h",
            "--now",
            "2026-01-01T12:00:00Z"
        ])
        .1,
        "1 session forgotten\n"
    );
    assert_eq!(run(&["vacuum", "--state", "s.db"]).0, 0);
    assert_eq!(run(&["show", "--state", "none.db"]).0, 2);
    assert_eq!(run(&["forget", "--state", "s.db"]).0, 2);
    let left: i64 = connect(&place)
        .query_row("SELECT count(*) FROM decision", [], |row| row.get(0))
        .unwrap();
    assert_eq!(left, 0);
}

/// Flags under which nearly every real body with a result is cut when its clock has run out.
const TINY: [&str; 9] = [
    "--mode=cache-ttl",
    "--context-window=10",
    "--set=contextPruning.providers=all",
    "--set=contextPruning.keepLastAssistants=0",
    "--set=contextPruning.minPrunableToolChars=0",
    "--set=contextPruning.softTrim.maxChars=20",
    "--set=contextPruning.softTrim.headChars=4",
    "--set=contextPruning.softTrim.tailChars=4",
    "--set=contextPruning.hardClear.enabled=false",
];

#[test]
fn real_bodies_stay_cut() {
    let bodies: Vec<&Sample> = samples()
        .iter()
        .filter(|sample| sample.name.starts_with("bodies/"))
        .collect();
    let cut = bodies.par_iter().filter(|Sample { name, bytes }| {
        let place = Place::new();
        let [first, cold, soon, later, last] = [0, 6, 7, 30, 31].map(|minute| {
            let now = format!("--now=2026-01-01T00:{minute:02}:00Z");
            let args = [&["prune", "-q", "--state=s.db", &now], &TINY[..]].concat();
            let output = deadhead()
                .current_dir(place.root())
                .args(args)
                .write_stdin(bytes.as_slice())
                .output()
                .unwrap();
            assert!(
                output.status.success(),
                "{name}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            output.stdout
        });
        assert!(
            first == *bytes && cold == soon && soon == later && later == last,
            "{name}"
        );
        cold != *bytes
    });
    let cut = cut.count();
    assert!(cut > 20, "{cut} of {} bodies are cut", bodies.len());
}

#[test]
fn a_state_file_that_all_may_read_is_made_private() {
    for (mode, want, warnings) in [(0o666, 0o600, 1), (0o604, 0o600, 1), (0o660, 0o660, 0)] {
        let place = Place::new();
        let state = place.file("s.db", "");
        std::fs::set_permissions(&state, std::fs::Permissions::from_mode(mode)).unwrap();
        let reported: Vec<usize> = (0..2)
            .map(|_| {
                let mut command = deadhead();
                command
                    .args(["prune", "-q", "--session=a", "--state"])
                    .arg(&state);
                let output = command.write_stdin(body(3)).output().unwrap();
                assert!(output.status.success());
                let text = String::from_utf8(output.stderr).unwrap();
                assert_eq!(
                    text.matches("its mode is 600 now").count(),
                    text.lines().count(),
                    "{text}"
                );
                text.lines().count()
            })
            .collect();
        assert_eq!(reported, [warnings, 0], "{mode:o}");
        let now = std::fs::metadata(&state).unwrap().permissions().mode() & 0o777;
        assert_eq!(now, want, "{mode:o}");
    }
}
