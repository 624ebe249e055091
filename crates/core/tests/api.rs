//! The public API, as the crate's front page shows it.

#![allow(clippy::unwrap_used)]

use deadhead_core::{Config, Error, Pruner, Session, Source};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A time in 2026, in milliseconds since 1970.
const NOW: i64 = 1_767_225_600_000;
const HOUR: i64 = 3_600_000;

/// A body whose old results fill the context; `turns` of them.
fn body(turns: usize) -> Vec<u8> {
    let message =
        |role: &str, content: String| format!(r#"{{"role":"{role}","content":{content}}}"#);
    let turn = |i: usize| {
        let call = format!(r#"[{{"type":"tool_use","id":"c{i}","name":"run","input":{{}}}}]"#);
        let result = format!(
            r#"[{{"type":"tool_result","tool_use_id":"c{i}","content":"{}"}}]"#,
            "x".repeat(200_000)
        );
        [
            message("assistant", call),
            message("user", result),
            message("assistant", "\"so\"".into()),
            message("user", "\"on\"".into()),
        ]
    };
    let first = [message("user", "\"go\"".into())];
    let messages: Vec<String> = first.into_iter().chain((0..turns).flat_map(turn)).collect();
    format!(
        r#"{{"model":"claude-sonnet-4-5","max_tokens":1,"messages":[{}]}}"#,
        messages.join(",")
    )
    .into_bytes()
}

fn pruner(text: &str) -> Pruner {
    Pruner::new(Config::from_json5(text).unwrap()).unwrap()
}

#[test]
fn an_unchanged_body_is_borrowed() {
    let small = br#"{"model":"claude-sonnet-4-5","max_tokens":1,"messages":[{"role":"user","content":"hi"}]}"#;
    let out = pruner("{}").prune(small).unwrap();
    assert!(matches!(out.bytes, Cow::Borrowed(bytes) if bytes == small));
    assert_eq!(serde_json::to_value(&out.report).unwrap()["schema"], 1);
    let large = body(8);
    let out = pruner("{}").prune(&large).unwrap();
    assert!(out.bytes.len() < large.len() && !out.report.cuts.is_empty());
}

#[test]
fn the_clock_decides() {
    let pruner = pruner("{contextPruning: {mode: 'cache-ttl', ttl: '1h'}}");
    let large = body(8);
    assert!(
        pruner
            .at(NOW)
            .last_call(NOW - HOUR / 2)
            .prune(&large)
            .unwrap()
            .report
            .cuts
            .is_empty()
    );
    assert!(
        !pruner
            .at(NOW)
            .last_call(NOW - HOUR)
            .prune(&large)
            .unwrap()
            .report
            .cuts
            .is_empty()
    );
}

#[test]
fn a_session_makes_its_cuts_again_wherever_it_was_kept() {
    let pruner = pruner("{contextPruning: {mode: 'cache-ttl', ttl: '1h'}}").at(NOW);
    let mut session = Session::default();
    let earlier = body(8);
    let first = pruner
        .last_call(NOW - HOUR)
        .session(&mut session)
        .prune(&earlier)
        .unwrap();
    assert!(!first.report.cuts.is_empty());
    let kept = serde_json::to_string(&session).unwrap();
    let mut session: Session = serde_json::from_str(&kept).unwrap();
    assert_eq!(serde_json::to_string(&session).unwrap(), kept);
    // A minute later the cache is warm: nothing new is cut, and what was cut is cut again.
    let later = body(9);
    let second = pruner
        .at(NOW + 60_000)
        .session(&mut session)
        .prune(&later)
        .unwrap();
    assert!(
        second
            .bytes
            .starts_with(&first.bytes[..first.bytes.len() - 2])
    );
    let found = second.report.session.unwrap();
    assert!(found.kept > 0 && found.added == 0, "{found:?}");
    assert!(
        serde_json::from_str::<Session>(&kept.replacen("\"kind\":\"", "\"kind\":\"?", 1)).is_err()
    );
}

#[test]
fn defects_are_listed_and_repaired() {
    let broken = br#"{"model":"claude-sonnet-4-5","max_tokens":1,"tools":[{"name":"f","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":"on"}]}"#;
    let defects: Vec<String> = deadhead_core::check(broken)
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(defects.len(), 1, "{defects:?}");
    assert!(
        defects[0].starts_with("messages.1.content.0: call a: E01 "),
        "{defects:?}"
    );
    let repaired = deadhead_core::repair(broken).unwrap();
    assert!(deadhead_core::check(&repaired.bytes).unwrap().is_empty());
}

fn log() -> String {
    ["user", "assistant", "user"]
        .iter()
        .map(|role| {
            format!(
                "{{\"type\":\"message\",\"id\":\"{role}\",\"timestamp\":\"t\",\"message\":{{\"role\":\"{role}\",\"content\":\"hi\"}}}}\n"
            )
        })
        .collect()
}

#[test]
fn a_log_in_memory_is_one_transcript() {
    let log = log();
    let out = pruner("{}").prune(log.as_bytes()).unwrap();
    assert_eq!(
        (out.report.input.format.as_str(), &*out.bytes),
        ("openclaw", log.as_bytes())
    );
}

#[test]
fn a_log_is_streamed_and_so_are_bodies_in_lines() {
    let prune = |input: Vec<u8>| {
        let mut out = Vec::new();
        let reports = pruner("{}")
            .at(NOW)
            .prune_log(&mut Source::Memory(input), &mut out)
            .unwrap();
        (
            out,
            reports
                .into_iter()
                .map(|report| report.input.format)
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(
        prune(log().into_bytes()),
        (log().into_bytes(), vec!["openclaw".to_owned()])
    );
    let one = body(8);
    let alone = pruner("{}").at(NOW).prune(&one).unwrap().bytes.into_owned();
    let (out, formats) = prune([&one[..], b"\nno body\n\n", &one].concat());
    assert_eq!(out, [&alone[..], b"\nno body\n\n", &alone].concat());
    assert_eq!(formats, ["anthropic", "anthropic"]);
    let batch = |body: &[u8]| {
        [
            br#"{"requests":[{"custom_id":"a","params":"#,
            body,
            br#"}]}"#,
        ]
        .concat()
    };
    assert_eq!(prune(batch(&one)).0, batch(&alone));
}

#[test]
fn several_bodies_are_refused_where_one_is_expected() {
    let one = r#"{"model":"claude-sonnet-4-5","max_tokens":1,"messages":[]}"#;
    let batch = format!(r#"{{"requests":[{{"custom_id":"a","params":{one}}}]}}"#);
    let in_lines = [
        format!("{one}\n{one}"),
        format!("\n{one}\n\n{one}\n"),
        format!("{one}\r\nno body\r\n"),
    ];
    for several in in_lines.iter().chain([&batch]) {
        for error in [
            pruner("{}").prune(several.as_bytes()).unwrap_err(),
            deadhead_core::check(several.as_bytes()).unwrap_err(),
        ] {
            assert!(matches!(error, Error::SeveralBodies), "{several}: {error}");
        }
    }
    for alone in [
        one.to_owned(),
        format!("{one}\n"),
        format!("\r\n{one}\n \n"),
        one.replace(',', ",\n"),
    ] {
        assert_eq!(
            *pruner("{}").prune(alone.as_bytes()).unwrap().bytes,
            *alone.as_bytes()
        );
    }
}

#[test]
fn errors_name_the_setting() {
    let error = |text: &str| {
        Config::from_json5(text)
            .and_then(Pruner::new)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        error("{passes: {on: ['nope']}}").split(';').next(),
        Some("unknown pass nope")
    );
    assert!(error("{contextPruning: {ttl: 'soon'}}").contains("contextPruning.ttl"));
    assert!(
        pruner("{}")
            .prune(b"{\"a\":")
            .unwrap_err()
            .to_string()
            .starts_with("1:6: ")
    );
}

/// `internal` is the only door to what is no part of the call from outside.
#[test]
fn the_front_page_is_all_that_can_be_reached() {
    let root = include_str!("../src/lib.rs");
    let starting = |start: &str| -> Vec<&str> {
        root.lines()
            .filter_map(|line| line.strip_prefix(start))
            .map(|rest| rest.trim_end_matches([';', '{', ' ']))
            .collect()
    };
    assert_eq!(
        starting("pub mod "),
        [
            "diagnostics",
            "input",
            "naming",
            "outcome",
            "request",
            "settings",
            "stream",
            "internal"
        ]
    );
    let types = [
        "compose::Caller",
        "diagnostics::DefectRow as Defect",
        "error::{Error, Refusal, Result, TooLarge}",
        "input::Source",
        "outcome::Report",
        "pruner::{Config, InSession, Outcome, Pruner, check, repair}",
        "request::Request",
        "session::Session",
    ];
    assert_eq!(starting("pub use "), types);
    assert_eq!(
        (
            root.matches("#[doc(hidden)]").count(),
            root.matches("macro_export").count()
        ),
        (1, 0)
    );
}

/// Texts of the library name settings: a program has flags for them, and says so.
#[test]
fn no_text_names_a_flag() {
    fn files(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files(&path, found)
            } else {
                found.push(path)
            }
        }
    }
    let mut all = Vec::new();
    files(
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")),
        &mut all,
    );
    let (mut lines, mut named) = (0, Vec::new());
    // An agent's own command, by which a copy of its session is resumed, is in the files of `agents`.
    for path in all.iter().filter(|path| {
        ![".merges", "tests.rs", ".json5"]
            .iter()
            .any(|end| path.to_str().unwrap().ends_with(end))
    }) {
        let text = std::fs::read_to_string(path).unwrap();
        for line in text
            .split("#[cfg(test)]\nmod")
            .next()
            .unwrap()
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
        {
            lines += 1;
            let mut flags = line
                .split("--")
                .skip(1)
                .filter(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()));
            named.extend(flags.next().map(|_| format!("{}: {line}", path.display())));
        }
    }
    assert!(
        lines > 10_000 && named.is_empty(),
        "{lines} lines\n{}",
        named.join("\n")
    );
}

#[test]
fn it_is_shared_between_threads() {
    fn shared<T: Send + Sync + Clone + 'static>(_: T) {}
    shared(pruner("{}"));
}

#[test]
fn it_needs_no_command_line_no_database_and_no_packer() {
    let tree = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--offline",
            "--locked",
            "-p",
            "deadhead-core",
            "-e",
            "normal",
            "--prefix",
            "none",
            "--format",
            "{p}",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let tree = String::from_utf8(tree.stdout).unwrap();
    let names: Vec<&str> = tree
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert!(names.contains(&"deadhead-core"), "{tree}");
    for banned in [
        "clap",
        "rusqlite",
        "libsqlite3-sys",
        "flate2",
        "zstd",
        "indicatif",
    ] {
        assert!(!names.contains(&banned), "{banned} in\n{tree}");
    }
}

/// Runs an example with `input` on stdin. `cargo test` builds the examples and puts them beside the tests' folder.
fn example(name: &str, arguments: &[&str], input: &[u8]) -> String {
    use std::io::Write;
    use std::process::Stdio;
    let tests = std::env::current_exe().unwrap();
    let path = tests
        .ancestors()
        .nth(2)
        .unwrap()
        .join("examples")
        .join(name);
    assert!(
        path.exists(),
        "{} is not there: `cargo build -p deadhead-core --examples` builds it",
        path.display()
    );
    let mut command = Command::new(path);
    command.args(arguments);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success(), "{name}");
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn the_examples_run_and_are_short() {
    let line = r#"{"model":"claude-sonnet-4-5","max_tokens":1,"messages":[{"role":"user","content":"hi"}]}"#;
    assert_eq!(
        example("filter", &[], format!("{line}\nno body\n").as_bytes()),
        format!("{line}\nno body\n")
    );
    assert!(
        example("gateway", &[], b"")
            .starts_with("x-deadhead-context-pruned: turns_removed=0,rag_kept=0\n{")
    );
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.jsonl"), log()).unwrap();
    assert!(
        example("log_walk", &[folder.path().to_str().unwrap()], b"")
            .contains("a.jsonl: 1 of 1 tokens stay")
    );
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/examples")).unwrap() {
        let lines = std::fs::read_to_string(entry.unwrap().path())
            .unwrap()
            .lines()
            .count();
        assert!(lines <= 40, "{lines} lines");
    }
}
