//! Files that are written, packed, replaced or changed by others while they are read.

use crate::support::{BODY, Place, TINY, deadhead, history, is_refused, program, pruned, script};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

#[test]
fn a_disk_that_is_full_leaves_nothing_behind() {
    let place = Place::new();
    // Noise does not pack, so that packed outputs meet the limit as well, at their very end.
    let mut seed = 7u64;
    let mut noise = |_| {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        format!("{:016x}", seed)
    };
    let text: String = (0..3000).map(&mut noise).collect();
    let log = place.file(
        "log.jsonl",
        history(60).replace("\"go\"", &format!("\"{text}\"")),
    );
    for name in ["out.jsonl", "out.jsonl.gz", "out.zst", "report.txt"] {
        let flag = if name == "report.txt" {
            "--mode=aggressive --report-format=json --report"
        } else {
            "--mode=off -o"
        };
        let commands = format!(
            "trap '' XFSZ; ulimit -f {}; exec deadhead prune -q {flag} {name} log.jsonl",
            if name == "report.txt" { 1 } else { 20 }
        );
        is_refused(
            &script(&place, &commands).output().unwrap(),
            "File too large",
        );
        assert_eq!(place.names(), ["log.jsonl"], "{name}");
    }
    assert!(log.exists());
}

#[test]
fn nothing_can_be_written_there() {
    let place = Place::new();
    let body = place.file("body.json", BODY);
    fs::create_dir(place.path("locked")).unwrap();
    fs::set_permissions(place.path("locked"), fs::Permissions::from_mode(0o555)).unwrap();
    let mut outputs = vec![
        place.path("no/such/out.json"),
        "/proc/out.json".into(),
        body.join("out.json"),
    ];
    // Permissions do not hold root.
    if File::create(place.path("locked/probe")).is_err() {
        outputs.push(place.path("locked/out.json"));
    }
    for out in outputs {
        let output = program()
            .args(["prune", "-q"])
            .args(TINY)
            .arg("-o")
            .arg(&out)
            .arg(&body)
            .output()
            .unwrap();
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
    for out in [
        "log.jsonl",
        "./log.jsonl",
        "soft.jsonl",
        "hard.jsonl",
        "dir/up/log.jsonl",
        "dir/../log.jsonl",
    ] {
        for flag in ["-o", "--report"] {
            let output = program()
                .args(["prune", "-q"])
                .args(TINY)
                .arg(flag)
                .arg(place.path(out))
                .arg(&log)
                .output()
                .unwrap();
            is_refused(&output, "is an input");
        }
    }
    for to in [
        &["-o", "out.jsonl"][..],
        &["--out-dir", "out"],
        &["-n"],
        &[],
    ] {
        deadhead()
            .current_dir(place.root())
            .args(["prune", "-q"])
            .args(TINY)
            .args(to)
            .arg("log.jsonl")
            .assert()
            .success();
        let now = fs::metadata(&log).unwrap();
        assert_eq!((now.mtime(), now.mtime_nsec(), now.ino(), now.mode()), {
            let m = &before.1;
            (m.mtime(), m.mtime_nsec(), m.ino(), m.mode())
        });
        assert_eq!(fs::read(&log).unwrap(), before.0);
    }
    assert_eq!(
        place.names(),
        [
            "dir",
            "hard.jsonl",
            "log.jsonl",
            "out",
            "out.jsonl",
            "soft.jsonl"
        ]
    );
}

#[test]
fn an_output_is_replaced_whole_and_keeps_its_mode() {
    let place = Place::new();
    let body = place.file("body.json", BODY);
    let out = place.file("out.json", "old");
    fs::set_permissions(&out, fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("out.json", place.path("link.json")).unwrap();
    let before_run = fs::read(&out).unwrap();
    deadhead()
        .current_dir(place.root())
        .args(["prune", "-q", "-o", "link.json"])
        .args(TINY)
        .arg("none.json")
        .assert()
        .code(2);
    assert_eq!(
        fs::read(&out).unwrap(),
        before_run,
        "a failed run leaves the old output"
    );
    deadhead()
        .current_dir(place.root())
        .args(["prune", "-q", "-o", "link.json"])
        .args(TINY)
        .arg(&body)
        .assert()
        .success();
    assert_eq!(fs::read(&out).unwrap(), pruned());
    assert_eq!(fs::metadata(&out).unwrap().mode() & 0o7777, 0o640);
    assert!(
        fs::symlink_metadata(place.path("link.json"))
            .unwrap()
            .is_symlink()
    );
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
    place.file(
        "members",
        [
            gzip(&text.as_bytes()[..5000]),
            gzip(&text.as_bytes()[5000..]),
        ]
        .concat(),
    );
    place.file("log.zst", zstd::encode_all(text.as_bytes(), 1).unwrap());
    let run = |input: &Path| {
        deadhead()
            .args(["prune", "-q"])
            .args(TINY)
            .arg(input)
            .output()
            .unwrap()
    };
    let wanted = run(&plain).stdout;
    assert!(!wanted.is_empty() && wanted != text.as_bytes());
    for name in ["log.jsonl.gz", "members", "log.zst"] {
        assert!(run(&place.path(name)).stdout == wanted, "{name}");
        let piped = deadhead()
            .args(["prune", "-q"])
            .args(TINY)
            .write_stdin(fs::read(place.path(name)).unwrap())
            .output()
            .unwrap();
        assert!(piped.stdout == wanted, "{name}");
    }
    for name in ["out.jsonl.gz", "out.zst", "out.jsonl"] {
        deadhead()
            .args(["prune", "-q"])
            .args(TINY)
            .arg("-o")
            .arg(place.path(name))
            .arg(&gz)
            .assert()
            .success();
    }
    let mut unpacked = Vec::new();
    flate2::read::MultiGzDecoder::new(File::open(place.path("out.jsonl.gz")).unwrap())
        .read_to_end(&mut unpacked)
        .unwrap();
    assert!(unpacked == wanted);
    assert!(zstd::decode_all(File::open(place.path("out.zst")).unwrap()).unwrap() == wanted);
    assert!(fs::read(place.path("out.jsonl")).unwrap() == wanted);
    let whole = fs::read(&gz).unwrap();
    let torn = place.file("torn.gz", &whole[..whole.len() / 2]);
    is_refused(
        &program()
            .args(["prune", "-q"])
            .args(TINY)
            .arg(&torn)
            .output()
            .unwrap(),
        "unpack",
    );
}

/// Starts a run whose output nobody reads yet, so that it is in the middle of copying; `meanwhile` then changes the file.
fn changed_while_read(name: &str, bytes: &str, meanwhile: impl Fn(&Path)) -> Output {
    let place = Place::new();
    let path = place.file(name, bytes);
    let mut command = program();
    command.args(["prune", "-q", "--mode=off"]).arg(&path);
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    meanwhile(&path);
    child.wait_with_output().unwrap()
}

#[test]
fn a_file_that_grows_is_taken_as_it_stood() {
    for (name, bytes) in [
        ("log.jsonl", history(5000)),
        ("bodies.jsonl", BODY.repeat(15_000)),
    ] {
        let output = changed_while_read(name, &bytes, |path| {
            let mut file = OpenOptions::new().append(true).open(path).unwrap();
            file.write_all(b"{\"more\":1}\n").unwrap();
        });
        assert_eq!(
            output.status.code(),
            Some(0),
            "{name}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(
            output.stdout == bytes.as_bytes(),
            "{name}: {} bytes, wanted {}",
            output.stdout.len(),
            bytes.len()
        );
    }
}

#[test]
fn a_file_that_changes_under_the_reader_is_refused() {
    for (name, bytes) in [
        ("log.jsonl", history(5000)),
        ("bodies.jsonl", BODY.repeat(15_000)),
    ] {
        let shrunk = changed_while_read(name, &bytes, |path| {
            OpenOptions::new()
                .write(true)
                .open(path)
                .unwrap()
                .set_len(1000)
                .unwrap()
        });
        is_refused(&shrunk, "changed");
        let changed = changed_while_read(name, &bytes, |path| {
            let mut file = OpenOptions::new().write(true).open(path).unwrap();
            file.write_all(b"{\"type\":\"SESSION\"").unwrap();
        });
        is_refused(&changed, "changed");
    }
}

/// An input that comes by redirection is one all the same.
#[test]
fn a_redirected_input_is_never_written_to() {
    let place = Place::new();
    let file = place.file("body.json", BODY);
    for flag in ["-o", "--emit-header", "--log"] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_deadhead"));
        let output = command
            .args(["prune", flag])
            .arg(&file)
            .stdin(fs::File::open(&file).unwrap())
            .output()
            .unwrap();
        assert_eq!(
            output.status.code(),
            Some(2),
            "{flag}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert_eq!(fs::read_to_string(&file).unwrap(), BODY, "{flag}");
    }
}

#[test]
fn a_stretch_that_several_threads_copy_is_in_order() {
    let place = Place::new();
    // Longer than a stretch that is worth it, and no multiple of what a thread takes; each line says where it is.
    let mut log = history(1);
    for i in 0..90_000 {
        log.push_str(&format!("{{\"type\":\"custom\",\"id\":\"x{i}\",\"customType\":\"note\",\"data\":\"{i:0>800}\"}}\n"));
    }
    assert!(log.len() > 65 << 20);
    place.file("log.jsonl", &log);
    let run = |jobs: &str| {
        let args = [
            "prune",
            "-q",
            "--mode=off",
            "-j",
            jobs,
            "-o",
            "out.jsonl",
            "log.jsonl",
        ];
        deadhead()
            .current_dir(place.root())
            .args(args)
            .assert()
            .success();
        assert!(
            fs::read(place.path("out.jsonl")).unwrap() == log.as_bytes(),
            "-j {jobs}"
        );
    };
    run("1");
    run("3");
}
