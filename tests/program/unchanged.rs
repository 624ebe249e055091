//! `--out-dir` skips what has not changed since an earlier run.

use crate::support::{Place, TINY, deadhead, history, script};
use serde_json::Value;
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Output;

/// A folder with two logs.
fn place() -> Place {
    let place = Place::new();
    place.file("in/a.jsonl", history(4));
    place.file("in/b/c.jsonl", history(5));
    place
}

fn run(place: &Place, args: &[&str]) -> Output {
    let mut command = deadhead();
    command
        .current_dir(place.root())
        .env("XDG_STATE_HOME", place.path("state"));
    // What a test says itself comes once.
    let flag = |arg: &str| arg.split_once('=').map_or(arg, |(flag, _)| flag).to_owned();
    let tiny = TINY
        .iter()
        .filter(|tiny| tiny.starts_with("--set") || args.iter().all(|arg| flag(arg) != flag(tiny)));
    let out = if args.iter().any(|arg| arg.starts_with("--out-dir")) {
        None
    } else {
        Some("--out-dir=out")
    };
    command
        .args(["prune", "-r"])
        .args(out)
        .args(tiny)
        .args(args)
        .output()
        .unwrap()
}

/// Returns the number of inputs that a run skipped, and the number of all inputs. The run must succeed and print only its report.
fn skipped(place: &Place, args: &[&str]) -> (u64, u64) {
    let output = run(place, &[args, &["--report-format=jsonl"]].concat());
    let reported = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{reported}");
    let lines: Vec<Value> = reported
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{reported}")))
        .collect();
    match &lines[..] {
        [] => panic!("no report"),
        [only] if only.get("totals").is_none() => (0, 1),
        [.., last] => {
            let count = |name: &str| last["totals"][name].as_u64().unwrap();
            assert_eq!(
                count("skipped") + lines.len() as u64 - 1,
                count("inputs"),
                "each other input has its report"
            );
            (count("skipped"), count("inputs"))
        }
    }
}

#[test]
fn unchanged_files_are_skipped() {
    let place = place();
    assert_eq!(skipped(&place, &["in"]), (0, 2));
    let made = |name: &str| fs::metadata(place.path(name)).unwrap().ino();
    let first = (made("out/a.jsonl"), made("out/b/c.jsonl"));
    assert_eq!(skipped(&place, &["in"]), (2, 2));
    assert_eq!(
        skipped(&place, &["in/a.jsonl"]),
        (1, 1),
        "however it is named"
    );
    assert_eq!(first, (made("out/a.jsonl"), made("out/b/c.jsonl")));
    // The report of one that is skipped is a line, in all formats.
    for (format, want) in [
        ("text", "1 input, 1 unchanged and skipped\n"),
        ("markdown", "1 unchanged and skipped"),
        ("html", "skipped"),
    ] {
        let output = run(&place, &["in/a.jsonl", "--report-format", format]);
        assert!(
            String::from_utf8_lossy(&output.stderr).contains(want),
            "{output:?}"
        );
    }
    assert!(run(&place, &["in", "-q"]).stderr.is_empty());
    // Nothing but the outputs is in the output folder.
    assert_eq!(walk(&place.path("out")), ["a.jsonl", "b", "b/c.jsonl"]);
    assert_eq!(
        fs::metadata(place.path("state/deadhead")).unwrap().mode() & 0o7777,
        0o700
    );
}

#[test]
fn a_dry_run_names_what_would_be_written() {
    let place = place();
    // The report of each input that would be processed, as its path and where it would go.
    let planned = |args: &[&str]| -> Vec<(String, String)> {
        let output = run(&place, &[args, &["-n", "--report-format=json"]].concat());
        assert!(
            output.status.success() && output.stderr.is_empty(),
            "{output:?}"
        );
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        let reports = found.as_array().cloned().unwrap_or_else(|| vec![found]);
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let named = |report: &Value| {
            Some((
                text(&report["input"]["path"])?,
                text(&report["output"]["planned"])?,
            ))
        };
        assert!(
            reports
                .iter()
                .all(|report| report["output"]["path"].is_null())
        );
        reports.iter().filter_map(named).collect()
    };
    let row = |input: &str, output: &str| (input.to_owned(), output.to_owned());
    let all = [
        row("in/a.jsonl", "out/a.jsonl"),
        row("in/b/c.jsonl", "out/b/c.jsonl"),
    ];
    assert_eq!(planned(&["in"]), all);
    assert_eq!(
        walk(place.root()),
        ["in", "in/a.jsonl", "in/b", "in/b/c.jsonl"],
        "not even the folder is made"
    );
    let shown = run(&place, &["in/a.jsonl", "-n"]).stdout;
    assert!(
        String::from_utf8_lossy(&shown).contains("\n  would write  out/a.jsonl\n"),
        "{}",
        String::from_utf8_lossy(&shown)
    );
    run(&place, &["in"]);
    let before = walk(place.root());
    assert_eq!(planned(&["in"]), []);
    assert_eq!(planned(&["in", "--force"]), all);
    place.file("in/a.jsonl", history(6));
    assert_eq!(planned(&["in"]), all[..1]);
    assert_eq!(planned(&["in"]), all[..1], "it is not noted as done");
    assert_eq!(walk(place.root()), before);
    // What the real run refuses is refused here, too.
    let refused = run(&place, &["-n", "--out-dir=in", "in/a.jsonl"]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    fs::remove_dir_all(place.path("state")).unwrap();
    assert_eq!(planned(&["in"]), all);
    assert!(!place.path("state").exists());
}

#[test]
fn changed_files_are_processed() {
    let place = place();
    let input = place.path("in/a.jsonl");
    let output = place.path("out/a.jsonl");
    let keep_time = |path: &Path, change: &dyn Fn()| {
        let modified = fs::metadata(path).unwrap().modified().unwrap();
        change();
        fs::File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_modified(modified)
            .unwrap();
    };
    run(&place, &["in"]);
    let changes: [(&str, &dyn Fn()); 6] = [
        ("a longer input", &|| fs::write(&input, history(6)).unwrap()),
        ("an input of the same size", &|| {
            fs::write(&input, history(6).replace("\"go\"", "\"do\"")).unwrap()
        }),
        ("one with its old time", &|| {
            keep_time(&input, &|| fs::write(&input, history(6)).unwrap())
        }),
        ("another mode", &|| {
            fs::set_permissions(&input, Permissions::from_mode(0o600)).unwrap()
        }),
        ("no output", &|| fs::remove_file(&output).unwrap()),
        ("a link in its place", &|| {
            fs::remove_file(&output).unwrap();
            std::os::unix::fs::symlink("../in/b/c.jsonl", &output).unwrap();
        }),
    ];
    for (what, change) in changes {
        assert_eq!(skipped(&place, &["in"]), (2, 2), "before {what}");
        change();
        if what.contains("link") {
            assert_eq!(
                run(&place, &["in"]).status.code(),
                Some(2),
                "a link to an input is refused as ever"
            );
            continue;
        }
        assert_eq!(skipped(&place, &["in"]), (1, 2), "{what}");
        let text = fs::read_to_string(&output).unwrap();
        assert!(text.contains("[Tool result trimmed"), "{what}: {text}");
    }
}

#[test]
fn settings_and_force_process_again() {
    let place = place();
    run(&place, &["in"]);
    for args in [
        &["--set=contextPruning.softTrim.headChars=5"][..],
        &["--scope=file"],
        &["--select=2", "--lenient"],
        &["--select=3", "--lenient"],
        &["--already-mutated=x"],
        &["--strict-input"],
        &["--format=openclaw"],
        &["--last-call=2h"],
        &["--assume-cold"],
    ] {
        let args = [&["in"], args].concat();
        assert_eq!(skipped(&place, &args), (0, 2), "{args:?}");
        assert_eq!(skipped(&place, &args), (2, 2), "{args:?}");
        assert_eq!(
            skipped(&place, &[&args[..], &["--force"]].concat()).0,
            0,
            "{args:?}"
        );
    }
    // The settings that an output was made by last are what counts, also of one that another run has left.
    assert_eq!(skipped(&place, &["in/a.jsonl"]), (0, 1));
    assert_eq!(skipped(&place, &["in"]), (1, 2));
    // What changes nothing about an output changes nothing here.
    assert_eq!(
        skipped(
            &place,
            &[
                "in",
                "-j1",
                "--exit-code",
                "-v",
                "--mode=off",
                "--pass=soft-trim,hard-clear",
                "--force"
            ]
        ),
        (0, 2)
    );
    assert_eq!(
        skipped(
            &place,
            &["in", "-j2", "--mode=off", "--pass=soft-trim,hard-clear"]
        ),
        (2, 2)
    );
    let output = deadhead()
        .args(["prune", "-n", "--force"])
        .arg(place.path("in/a.jsonl"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("--force needs --select or --out-dir")
    );
}

/// A log is pruned once its cache has expired, though nothing has changed but the time.
#[test]
fn the_clock_is_a_change_while_it_matters() {
    let place = Place::new();
    let log = history(20)
        .replace(
            "\"timestamp\":\"t\"",
            "\"timestamp\":\"2026-01-31T12:00:00Z\"",
        )
        .replace(
            "\"role\":\"assistant\"",
            "\"role\":\"assistant\",\"provider\":\"anthropic\",\"timestamp\":1769860800000",
        );
    place.file("in/a.jsonl", log);
    let at = |time: &str, more: &[&str]| {
        let now = format!("--now=2026-01-31T{time}Z");
        let mut args = vec!["in", "--ttl=5m", &*now];
        args.extend(Some("--mode=auto").filter(|_| more.is_empty()));
        args.extend(more);
        let (skipped, _) = skipped(&place, &args);
        (
            skipped == 1,
            fs::read_to_string(place.path("out/a.jsonl"))
                .unwrap()
                .contains("[Tool result trimmed"),
        )
    };
    let twice = |time: &str, more: &[&str]| (at(time, more), at(time, more));
    assert_eq!(
        twice("12:01:00", &[]),
        ((false, false), (false, false)),
        "the cache is warm"
    );
    assert_eq!(
        twice("12:05:00", &[]),
        ((false, true), (true, true)),
        "now it has expired"
    );
    assert_eq!(
        at("12:01:00", &[]),
        (false, false),
        "the clock was set back"
    );
    // Break-even asks for the lifetime of the cache, here 5 minutes or an hour.
    assert!(!twice("12:01:00", &["--mode=break-even"]).1.0);
    assert!(!twice("12:30:00", &["--mode=break-even"]).1.0);
    assert!(twice("15:30:00", &["--mode=break-even"]).1.0);
    // Without a condition on the cache the time does not matter.
    assert!(twice("12:01:00", &["--mode=adaptive"]).1.0);
}

#[test]
fn the_exit_code_is_that_of_the_run_that_was_skipped() {
    let place = place();
    let code = |more: &[&str]| {
        run(&place, &[&["in", "--exit-code"], more].concat())
            .status
            .code()
    };
    assert_eq!((code(&[]), code(&[])), (Some(1), Some(1)));
    assert_eq!(
        (code(&["--mode=off"]), code(&["--mode=off"])),
        (Some(0), Some(0))
    );
}

#[test]
fn failures_and_warnings_are_tried_again() {
    let place = place();
    place.file("in/bad.jsonl", "no JSON\n");
    place.file(
        "bodies.jsonl",
        format!(
            "{}{{\"no\":1}}\n",
            crate::support::BODY.replace('\n', "") + "\n"
        ),
    );
    let passed = |output: &Output| {
        String::from_utf8_lossy(&output.stderr)
            .matches("passed through")
            .count()
    };
    for _ in 0..2 {
        let output = run(&place, &["in", "-j1"]);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(
            passed(&run(&place, &["bodies.jsonl", "--out-dir=bodies"])),
            1
        );
    }
    assert!(
        String::from_utf8_lossy(&run(&place, &["in"]).stderr)
            .contains("3 inputs, 2 unchanged and skipped, 1 failed")
    );
}

#[test]
fn runs_that_depend_on_more_skip_nothing() {
    let place = place();
    for more in [
        &["--state=state.db"][..],
        &["--emit-header=header"],
        &["--emit-response-fields=fields"],
    ] {
        let args = [&["in"], more].concat();
        assert_eq!(
            (skipped(&place, &args), skipped(&place, &args)),
            ((0, 2), (0, 2)),
            "{more:?}"
        );
    }
    assert!(!place.path("state").exists());
    // What they leave is not taken for what another run makes.
    run(&place, &["in"]);
    run(&place, &["in", "--state=state.db"]);
    assert_eq!(skipped(&place, &["in"]), (0, 2));
}

#[test]
fn each_output_folder_has_a_stamp_and_no_input_is_mistaken_for_another() {
    let place = place();
    run(&place, &["in"]);
    fs::rename(place.path("out"), place.path("moved")).unwrap();
    assert_eq!(
        skipped(&place, &["in"]),
        (0, 2),
        "a folder that was removed"
    );
    // The same name, from another folder.
    place.file("other/a.jsonl", history(4));
    assert_eq!(skipped(&place, &["other"]), (0, 1));
    assert_eq!(skipped(&place, &["other"]), (1, 1));
    assert_eq!(skipped(&place, &["in"]), (0, 2));
    // By a link it is the same folder.
    std::os::unix::fs::symlink("out", place.path("link")).unwrap();
    assert_eq!(skipped(&place, &["in", "--out-dir=link"]), (2, 2));
}

#[test]
fn outputs_of_earlier_runs_are_not_read() {
    let place = place();
    let run = || {
        let find = "find . -name '*.jsonl' | deadhead prune --files-from - --out-dir in/out";
        script(&place, find)
            .env("XDG_STATE_HOME", place.path("state"))
            .output()
            .unwrap()
    };
    run();
    let first = walk(place.root());
    for _ in 0..3 {
        let output = run();
        assert!(output.status.success());
        let reported = String::from_utf8_lossy(&output.stderr);
        assert!(
            reported.contains("2 of the inputs are in the output directory"),
            "{reported}"
        );
        assert!(
            reported.contains("2 inputs, 2 unchanged and skipped"),
            "{reported}"
        );
        assert_eq!(walk(place.root()), first);
    }
}

#[test]
fn names_that_are_no_text() {
    let place = Place::new();
    let names = [
        &b"\xff.jsonl"[..],
        b"\xfe.jsonl",
        b"new\nline.jsonl",
        b"\xef\xbf\xbd.jsonl",
    ];
    fs::create_dir(place.path("in")).unwrap();
    for (i, name) in names.iter().enumerate() {
        fs::write(
            place.path("in").join(OsStr::from_bytes(name)),
            history(3 + i),
        )
        .unwrap();
    }
    assert_eq!(skipped(&place, &["in"]), (0, 4));
    assert_eq!(skipped(&place, &["in"]), (4, 4));
    fs::write(
        place.path("in").join(OsStr::from_bytes(names[1])),
        history(9),
    )
    .unwrap();
    assert_eq!(skipped(&place, &["in"]), (3, 4));
}

#[test]
fn without_a_place_for_the_stamp_nothing_is_skipped() {
    let place = place();
    place.file("file", "");
    let run = |variables: &[(&str, &str)]| {
        let mut command = deadhead();
        command
            .current_dir(place.root())
            .envs(variables.iter().copied())
            .args(["prune", "-r", "--out-dir=out", "in"])
            .args(TINY);
        let output = command.output().unwrap();
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let file = place.path("file");
    let file = file.to_str().unwrap();
    for (variables, warnings) in [
        (&[][..], 0),
        (&[("XDG_STATE_HOME", "relative")], 0),
        (&[("XDG_STATE_HOME", "")], 0),
        // A file is in the place of the folder.
        (&[("XDG_STATE_HOME", file)], 1),
        (&[("HOME", file)], 1),
        (&[("XDG_STATE_HOME", "/proc")], 1),
    ] {
        for _ in 0..2 {
            let reported = run(variables);
            assert!(!reported.contains("skipped as"), "{reported}");
            assert_eq!(
                reported.matches("warning").count(),
                warnings,
                "{variables:?}: {reported}"
            );
            assert!(reported.contains("2 inputs: "), "{reported}");
        }
    }
    assert!(!place.path("relative").exists());
}

#[test]
fn a_damaged_stamp_costs_work_and_no_more() {
    let place = place();
    run(&place, &["in"]);
    let stamp = fs::read_dir(place.path("state/deadhead"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let whole = fs::read(&stamp).unwrap();
    for damaged in [&whole[..whole.len() - 9], b"", b"\xff"] {
        fs::write(&stamp, damaged).unwrap();
        assert_eq!(skipped(&place, &["in"]), (0, 2));
        assert_eq!(skipped(&place, &["in"]), (2, 2));
    }
    fs::remove_file(&stamp).unwrap();
    fs::create_dir(&stamp).unwrap();
    let output = run(&place, &["in"]);
    let reported = String::from_utf8_lossy(&output.stderr);
    let warning = format!("deadhead: warning: {}: is a directory", stamp.display());
    assert!(
        output.status.success()
            && reported.matches("warning").count() == 1
            && reported.starts_with(&warning),
        "{reported}"
    );
}

/// A run that is killed leaves whole outputs, and the next one makes what is missing.
#[test]
fn a_run_that_is_killed_and_two_at_once() {
    let place = Place::new();
    for i in 0..40 {
        place.file(&format!("in/{i}.jsonl"), history(300));
    }
    let flags = TINY.join(" ");
    let command = format!("deadhead prune -q -r --out-dir out {flags} in");
    let script = |text: String| {
        script(&place, &text)
            .env("XDG_STATE_HOME", place.path("state"))
            .output()
            .unwrap()
    };
    script(format!("{command} & sleep 0.3; kill -9 $!; wait $!"));
    let twice = script(format!(
        "{command} & {command}; first=$?; wait $! && exit $first"
    ));
    assert!(twice.status.success(), "{twice:?}");
    let (skipped, inputs) = skipped(&place, &["in"]);
    assert_eq!(inputs, 40);
    // Of an output that both runs made, the entry of the other may be the last.
    assert!(skipped > 0);
    for i in 0..40 {
        assert!(
            fs::read_to_string(place.path(format!("out/{i}.jsonl")))
                .unwrap()
                .contains("[Tool result trimmed")
        );
    }
    assert_eq!(self::skipped(&place, &["in"]), (40, 40));
}

/// All that is below a folder.
fn walk(folder: &Path) -> Vec<String> {
    let entries = walkdir::WalkDir::new(folder)
        .min_depth(1)
        .sort_by_file_name()
        .into_iter()
        .map(Result::unwrap);
    let names = entries.map(|entry| {
        entry
            .path()
            .strip_prefix(folder)
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned()
    });
    names.filter(|name| !name.starts_with("state")).collect()
}
