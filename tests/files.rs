//! Pipes, devices, signals and files that change: what a shell, a disk and other programs do to a run.

mod support;

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};
use support::{BODY, Place, TINY, deadhead, program};

/// A body whose result is trimmed, as the program answers it.
fn pruned() -> Vec<u8> {
    deadhead().arg("prune").arg("-q").args(TINY).write_stdin(BODY).output().unwrap().stdout
}

/// A history of `n` steps, some 1.1 KB each, that `TINY` cuts.
fn history(n: usize) -> String {
    let mut lines = vec![r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}"#.to_owned()];
    let mut entry = |message: String| {
        let parent = if lines.len() > 1 { format!("\"e{}\"", lines.len() - 1) } else { "null".to_owned() };
        lines.push(format!(r#"{{"type":"message","id":"e{}","parentId":{parent},"timestamp":"t","message":{message}}}"#, lines.len()));
    };
    entry(r#"{"role":"user","content":"go"}"#.to_owned());
    for i in 0..n {
        entry(format!(r#"{{"role":"assistant","content":[{{"type":"toolCall","id":"t{i}","name":"exec","arguments":{{}}}}]}}"#));
        let text = "0123456789".repeat(80);
        entry(format!(r#"{{"role":"toolResult","toolCallId":"t{i}","toolName":"exec","content":[{{"type":"text","text":"{text}"}}]}}"#));
    }
    entry(r#"{"role":"assistant","content":[{"type":"text","text":"ok"}]}"#.to_owned());
    lines.join("\n") + "\n"
}

fn started(args: &[&str]) -> Child {
    let mut command = program();
    command.arg("prune").args(TINY).args(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// One line on stderr, exit 2.
fn is_refused(output: &Output, words: &str) {
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.lines().count() == 1 && told.starts_with("deadhead: ") && told.contains(words), "{told}");
}

#[test]
fn a_filter_answers_line_by_line() {
    let mut child = started(&["-q"]);
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let wanted = String::from_utf8(pruned()).unwrap();
    for line in [BODY, "\n", BODY, "{\"torn\":\n", BODY] {
        stdin.write_all(line.as_bytes()).unwrap();
        let mut answer = String::new();
        stdout.read_line(&mut answer).unwrap();
        assert_eq!(answer, if line == BODY { wanted.clone() } else { line.to_owned() });
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_filter_takes_lines_in_pieces() {
    let mut child = started(&["-q"]);
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    for half in [&BODY[..100], &BODY[100..]] {
        stdin.write_all(half.as_bytes()).unwrap();
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut answer = Vec::new();
    stdout.read_until(b'\n', &mut answer).unwrap();
    assert_eq!(answer, pruned());
    stdin.write_all(BODY.trim_end().as_bytes()).unwrap();
    drop(stdin);
    answer.clear();
    stdout.read_to_end(&mut answer).unwrap();
    assert_eq!(answer, pruned()[..pruned().len() - 1]);
    child.wait().unwrap();
}

#[test]
fn a_closed_pipe_is_quiet() {
    let place = Place::new();
    let file = place.file("log.jsonl", history(4000));
    for args in [
        &["prune", "-q"][..],
        &["prune", "-n"],
        &["prune", "-n", "-v"],
        &["prune", "-n", "--report-format=json"],
        &["config", "schema"],
        &["--help"],
    ] {
        let mut command = program();
        command.args(args);
        if args[0] == "prune" {
            command.args(TINY).arg(&file);
        }
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    }
}

#[test]
fn nobody_has_to_listen_to_stderr() {
    let place = Place::new();
    let body = place.file("body.json", BODY);
    let full = || OpenOptions::new().write(true).open("/dev/full").unwrap();
    for (args, code) in [(vec![body.to_str().unwrap()], 0), (vec!["none.json"], 2), (vec!["-"], 0), (vec!["--nonsense"], 2)] {
        let mut command = program();
        command.arg("prune").args(TINY).args(&args).stdin(Stdio::null()).stdout(Stdio::null());
        assert_eq!(command.stderr(full()).status().unwrap().code(), Some(code), "{args:?}");
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stderr.take());
        assert_eq!(child.wait().unwrap().code(), Some(code), "{args:?}");
    }
}

#[test]
fn a_full_device_is_told() {
    let place = Place::new();
    let (body, log) = (place.file("body.json", BODY), place.file("log.jsonl", history(300)));
    let off = ["prune", "-q", "--mode=off"];
    for args in [&off[..], &["prune", "-q"], &["prune", "-n"], &["config", "schema"], &["--help"]] {
        for input in [&body, &log] {
            let mut command = program();
            command.args(args);
            if args[0] == "prune" {
                command.args(&TINY[if args == off { 1 } else { 0 }..]).arg(input);
            }
            let output = command.stdout(OpenOptions::new().write(true).open("/dev/full").unwrap()).output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{args:?}");
            if args[0] != "--help" {
                is_refused(&output, "No space left");
            }
        }
    }
}

#[test]
fn a_disk_that_is_full_leaves_nothing_behind() {
    let place = Place::new();
    // Noise does not pack, so that packed outputs meet the limit as well, at their very end.
    let mut seed = 7u64;
    let mut noise = |_| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        format!("{:016x}", seed)
    };
    let text: String = (0..3000).map(&mut noise).collect();
    let log = place.file("log.jsonl", history(60).replace("\"go\"", &format!("\"{text}\"")));
    for name in ["out.jsonl", "out.jsonl.gz", "out.zst", "report.txt"] {
        let flag = if name == "report.txt" { "--mode=aggressive --report-format=json --report" } else { "--mode=off -o" };
        let script =
            format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" prune -q {flag} {name} log.jsonl", if name == "report.txt" { 1 } else { 20 });
        let mut command = std::process::Command::new("bash");
        command.current_dir(place.root()).args(["-c", &script]).arg(program().get_program()).env("XDG_CONFIG_HOME", "/nonexistent");
        is_refused(&command.output().unwrap(), "File too large");
        assert_eq!(place.names(), ["log.jsonl"], "{name}");
    }
    assert!(log.exists());
}

#[test]
fn devices_and_pipes_are_written_as_they_stand() {
    let place = Place::new();
    let body = place.file("body.json", BODY);
    let fifo = place.path("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let reader = std::thread::spawn({
        let fifo = fifo.clone();
        move || fs::read(fifo).unwrap()
    });
    deadhead().args(["prune", "-q"]).args(TINY).arg("-o").arg(&fifo).arg(&body).assert().success();
    assert_eq!(reader.join().unwrap(), pruned());
    let out = place.file("out", "before\n");
    let log = OpenOptions::new().append(true).open(&out).unwrap();
    let status = program().args(["prune", "-q"]).args(TINY).args(["-o", "/dev/stdout"]).arg(&body).stdout(log).status().unwrap();
    assert!(status.success());
    assert_eq!(fs::read(&out).unwrap(), [b"before\n", &pruned()[..]].concat());
    let output = deadhead().args(["prune", "-q"]).args(TINY).arg("--report=/dev/stderr").arg(&body).output().unwrap();
    assert!(output.status.success() && output.stdout == pruned() && String::from_utf8_lossy(&output.stderr).contains("1 trimmed"));
    assert_eq!(place.names(), ["body.json", "fifo", "out"]);
}

#[test]
fn a_fifo_is_read() {
    let place = Place::new();
    let fifo = place.path("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let writer = std::thread::spawn({
        let fifo = fifo.clone();
        move || fs::write(fifo, BODY).unwrap()
    });
    let output = deadhead().args(["prune", "-q"]).args(TINY).arg(&fifo).output().unwrap();
    writer.join().unwrap();
    assert_eq!(output.stdout, pruned());
}

#[test]
fn nothing_can_be_written_there() {
    let place = Place::new();
    let body = place.file("body.json", BODY);
    fs::create_dir(place.path("locked")).unwrap();
    fs::set_permissions(place.path("locked"), fs::Permissions::from_mode(0o555)).unwrap();
    let mut outputs = vec![place.path("no/such/out.json"), "/proc/out.json".into(), body.join("out.json")];
    // Permissions do not hold root.
    if File::create(place.path("locked/probe")).is_err() {
        outputs.push(place.path("locked/out.json"));
    }
    for out in outputs {
        let output = program().args(["prune", "-q"]).args(TINY).arg("-o").arg(&out).arg(&body).output().unwrap();
        is_refused(&output, "");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn an_input_is_never_written_to() {
    let place = Place::new();
    let log = place.file("log.jsonl", history(20));
    let before = (fs::read(&log).unwrap(), fs::metadata(&log).unwrap());
    std::os::unix::fs::symlink(&log, place.path("soft.jsonl")).unwrap();
    fs::hard_link(&log, place.path("hard.jsonl")).unwrap();
    fs::create_dir(place.path("dir")).unwrap();
    std::os::unix::fs::symlink(place.root(), place.path("dir/up")).unwrap();
    for out in ["log.jsonl", "./log.jsonl", "soft.jsonl", "hard.jsonl", "dir/up/log.jsonl", "dir/../log.jsonl"] {
        for flag in ["-o", "--report"] {
            let output = program().args(["prune", "-q"]).args(TINY).arg(flag).arg(place.path(out)).arg(&log).output().unwrap();
            is_refused(&output, "is an input");
        }
    }
    for to in [&["-o", "out.jsonl"][..], &["--out-dir", "out"], &["-n"], &[]] {
        deadhead().current_dir(place.root()).args(["prune", "-q"]).args(TINY).args(to).arg("log.jsonl").assert().success();
        let now = fs::metadata(&log).unwrap();
        assert_eq!((now.mtime(), now.mtime_nsec(), now.ino(), now.mode()), {
            let m = &before.1;
            (m.mtime(), m.mtime_nsec(), m.ino(), m.mode())
        });
        assert_eq!(fs::read(&log).unwrap(), before.0);
    }
    assert_eq!(place.names(), ["dir", "hard.jsonl", "log.jsonl", "out", "out.jsonl", "soft.jsonl"]);
}

#[test]
fn an_output_is_replaced_whole_and_keeps_its_mode() {
    let place = Place::new();
    let body = place.file("body.json", BODY);
    let out = place.file("out.json", "old");
    fs::set_permissions(&out, fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("out.json", place.path("link.json")).unwrap();
    let held = fs::read(&out).unwrap();
    deadhead().current_dir(place.root()).args(["prune", "-q", "-o", "link.json"]).args(TINY).arg("none.json").assert().code(2);
    assert_eq!(fs::read(&out).unwrap(), held, "a failed run leaves the old output");
    deadhead().current_dir(place.root()).args(["prune", "-q", "-o", "link.json"]).args(TINY).arg(&body).assert().success();
    assert_eq!(fs::read(&out).unwrap(), pruned());
    assert_eq!(fs::metadata(&out).unwrap().mode() & 0o7777, 0o640);
    assert!(fs::symlink_metadata(place.path("link.json")).unwrap().is_symlink());
    assert_eq!(place.names(), ["body.json", "link.json", "out.json"]);
}

#[test]
fn packed_in_and_out() {
    let place = Place::new();
    let text = history(40);
    let plain = place.file("log.jsonl", &text);
    let gzip = |bytes: &[u8]| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    };
    let gz = place.file("log.jsonl.gz", gzip(text.as_bytes()));
    // Several members, as a log that was appended to; and a name that does not say it.
    place.file("members", [gzip(&text.as_bytes()[..5000]), gzip(&text.as_bytes()[5000..])].concat());
    place.file("log.zst", zstd::encode_all(text.as_bytes(), 1).unwrap());
    let run = |input: &Path| deadhead().args(["prune", "-q"]).args(TINY).arg(input).output().unwrap();
    let wanted = run(&plain).stdout;
    assert!(!wanted.is_empty() && wanted != text.as_bytes());
    for name in ["log.jsonl.gz", "members", "log.zst"] {
        assert!(run(&place.path(name)).stdout == wanted, "{name}");
        let piped = deadhead().args(["prune", "-q"]).args(TINY).write_stdin(fs::read(place.path(name)).unwrap()).output().unwrap();
        assert!(piped.stdout == wanted, "{name}");
    }
    for name in ["out.jsonl.gz", "out.zst", "out.jsonl"] {
        deadhead().args(["prune", "-q"]).args(TINY).arg("-o").arg(place.path(name)).arg(&gz).assert().success();
    }
    let mut unpacked = Vec::new();
    flate2::read::MultiGzDecoder::new(File::open(place.path("out.jsonl.gz")).unwrap()).read_to_end(&mut unpacked).unwrap();
    assert!(unpacked == wanted);
    assert!(zstd::decode_all(File::open(place.path("out.zst")).unwrap()).unwrap() == wanted);
    assert!(fs::read(place.path("out.jsonl")).unwrap() == wanted);
    let whole = fs::read(&gz).unwrap();
    let torn = place.file("torn.gz", &whole[..whole.len() / 2]);
    is_refused(&program().args(["prune", "-q"]).args(TINY).arg(&torn).output().unwrap(), "unpack");
}

#[test]
fn deep_nesting_neither_overflows_nor_is_refused() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let object = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
    for value in [&deep, &object] {
        let body = BODY.replacen('{', &format!("{{\"deep\":{value},"), 1).replace(r#"{"command":"ls"}"#, value);
        let output = deadhead().args(["prune", "-q"]).args(TINY).write_stdin(body.clone()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let wanted =
            String::from_utf8(pruned()).unwrap().replacen('{', &format!("{{\"deep\":{value},"), 1).replace(r#"{"command":"ls"}"#, value);
        assert!(output.stdout == wanted.as_bytes());
        let odd = BODY.replace(r#""0123456789abcdefghijABCDEFGHIJ""#, value);
        let output = deadhead().args(["prune", "-q"]).args(TINY).write_stdin(odd.clone()).output().unwrap();
        assert!(output.status.success() && output.stdout == odd.as_bytes());
        let line = history(3).replace(r#""arguments":{}"#, &format!(r#""arguments":{value}"#));
        let output = deadhead().args(["prune", "-q", "--mode=off", "--format=openclaw"]).write_stdin(line.clone()).output().unwrap();
        assert!(output.status.success() && output.stdout == line.as_bytes());
    }
}

#[test]
fn interrupted_it_leaves_nothing_behind() {
    for signal in ["INT", "TERM", "HUP"] {
        let place = Place::new();
        let out = place.path("out.jsonl");
        let mut child = started(&["-q", "-o", out.to_str().unwrap()]);
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(BODY.as_bytes()).unwrap();
        // The temporary file is there once the first line was answered.
        let since = Instant::now();
        while place.names().is_empty() {
            assert!(since.elapsed() < Duration::from_secs(20), "nothing is written");
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(30));
        assert!(std::process::Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap().success());
        let status = child.wait().unwrap();
        assert_eq!(status.code(), None, "it dies of the signal: {status}");
        assert_eq!(place.names(), [""; 0], "{signal}");
        drop(stdin);
    }
}

/// Starts a run whose output nobody reads yet, so that it stands in the middle of copying; `meanwhile` then changes the file.
fn changed_while_read(name: &str, bytes: &str, meanwhile: impl Fn(&Path)) -> Output {
    let place = Place::new();
    let path = place.file(name, bytes);
    let mut command = program();
    command.args(["prune", "-q", "--mode=off"]).arg(&path);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    meanwhile(&path);
    child.wait_with_output().unwrap()
}

#[test]
fn a_file_that_grows_is_taken_as_it_stood() {
    for (name, bytes) in [("log.jsonl", history(5000)), ("bodies.jsonl", BODY.repeat(15_000))] {
        let output = changed_while_read(name, &bytes, |path| {
            let mut file = OpenOptions::new().append(true).open(path).unwrap();
            file.write_all(b"{\"more\":1}\n").unwrap();
        });
        assert_eq!(output.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stdout == bytes.as_bytes(), "{name}: {} bytes, wanted {}", output.stdout.len(), bytes.len());
    }
}

#[test]
fn a_file_that_changes_under_the_reader_is_refused() {
    for (name, bytes) in [("log.jsonl", history(5000)), ("bodies.jsonl", BODY.repeat(15_000))] {
        let shrunk = changed_while_read(name, &bytes, |path| OpenOptions::new().write(true).open(path).unwrap().set_len(1000).unwrap());
        is_refused(&shrunk, "changed");
        let changed = changed_while_read(name, &bytes, |path| {
            let mut file = OpenOptions::new().write(true).open(path).unwrap();
            file.write_all(b"{\"type\":\"SESSION\"").unwrap();
        });
        is_refused(&changed, "changed");
    }
}
