//! `--sidecar`, `undo` and `show`: what is cut comes back byte for byte, or nothing does.

use crate::data::samples;
use crate::support::{BODY, Place, TINY, deadhead, history, is_refused};
use sha2::{Digest, Sha256};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

/// A step that clears all results, and names each.
const REF: &str =
    "--set=edits=[{type: 'clear_tool_results', keep: {tool_uses: 0}, placeholder: 'cut {ref}'}]";

fn run(place: &Place, args: &[&str]) -> Output {
    let mut command = deadhead();
    command.current_dir(place.root()).args(args);
    command.output().unwrap()
}

/// Runs what must succeed; returns what it printed.
fn done(place: &Place, args: &[&str]) -> Vec<u8> {
    let output = run(place, args);
    let reported = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {reported}");
    output.stdout
}

fn prune<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["prune", "-q", "--sidecar=cuts"], &TINY[..], more].concat()
}

/// A place with a history, its pruned copy and the sidecar.
fn pruned() -> Place {
    let place = Place::new();
    place.file("in.jsonl", history(4));
    done(&place, &prune(&["-o", "out.jsonl", "in.jsonl"]));
    place
}

fn size(place: &Place) -> u64 {
    fs::metadata(place.path("cuts")).unwrap().len()
}

#[test]
fn every_sample_comes_back() {
    let policies: [&[&str]; 3] = [
        &["--mode=aggressive", "--log-copies"],
        &[
            "--mode=aggressive",
            "--assume-cold",
            "--only-if=always",
            "--pass=dedupe,ephemeral,stale-resource,turn-drop",
        ],
        &["--mode=aggressive", "--assume-cold", REF],
    ];
    let place = Place::new();
    let (mut cut, mut all) = (0, 0);
    for sample in samples() {
        place.file("in", &sample.bytes);
        for policy in policies {
            let args = [
                &["prune", "-q", "--sidecar=cuts", "-o", "out", "in"],
                policy,
            ]
            .concat();
            let output = run(&place, &args);
            if !output.status.success() {
                continue;
            }
            all += 1;
            cut += usize::from(fs::read(place.path("out")).unwrap() != sample.bytes);
            let back = done(&place, &["undo", "out", "--sidecar=cuts"]);
            assert!(back == sample.bytes, "{} {policy:?}", sample.name);
        }
    }
    assert!(all > 100 && cut > 50, "{cut} of {all}");
}

#[test]
fn every_way_in_and_out() {
    let place = Place::new();
    let one = BODY.trim_end().replace('\n', "");
    let batch = format!(
        r#"{{"requests":[{{"custom_id":"a","params":{one}}},{{"custom_id":"b","params":{one}}}]}}"#
    );
    let inputs = [
        ("log", history(3)),
        ("body", BODY.to_owned()),
        ("lines", format!("\n{one}\n// no body\n{one}\n")),
        ("batch", batch),
    ];
    for (name, input) in &inputs {
        place.file(&format!("in/{name}.jsonl"), input);
        let out = deadhead()
            .current_dir(place.root())
            .args(prune(&[]))
            .write_stdin(input.as_str())
            .output()
            .unwrap();
        assert!(
            out.status.success() && out.stdout != input.as_bytes(),
            "{name}"
        );
        place.file("piped", out.stdout);
        assert!(
            done(&place, &["undo", "piped", "--sidecar=cuts"]) == input.as_bytes(),
            "{name}"
        );
    }
    done(&place, &prune(&["-r", "in", "--out-dir=out", "--jobs=4"]));
    let before = size(&place);
    for (name, input) in &inputs {
        let (from, to) = (format!("in/{name}.jsonl"), format!("out/{name}.jsonl"));
        let back = done(&place, &["undo", &to, "--sidecar=cuts"]);
        assert!(back == input.as_bytes(), "{name}");
        done(&place, &prune(&["-o", "packed.zst", &from]));
        done(
            &place,
            &["undo", "packed.zst", "--sidecar=cuts", "-o", "back"],
        );
        assert!(
            fs::read(place.path("back")).unwrap() == input.as_bytes(),
            "{name}"
        );
    }
    assert_eq!(size(&place), before, "one recipe for one output");
}

#[test]
fn whatever_byte_is_changed_it_is_refused() {
    let place = pruned();
    let good = fs::read(place.path("cuts")).unwrap();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        place.file("cuts", bad);
        let output = run(&place, &["undo", "out.jsonl", "--sidecar=cuts"]);
        assert_eq!(output.status.code(), Some(2), "byte {at}");
        assert!(output.stdout.is_empty(), "byte {at}");
    }
    // And nothing is added to it.
    place.file("cuts", [&good[..40], b"x", &good[41..]].concat());
    is_refused(
        &run(&place, &prune(&["-o", "new.jsonl", "in.jsonl"])),
        "was changed or damaged",
    );
    assert!(!place.path("new.jsonl").exists());
}

#[test]
fn what_is_of_another_run_is_refused() {
    let place = pruned();
    let words = "is not of the run that wrote";
    is_refused(&run(&place, &["undo", "in.jsonl", "--sidecar=cuts"]), words);
    place.file("other", "");
    is_refused(
        &run(&place, &["undo", "out.jsonl", "--sidecar=other"]),
        words,
    );
    is_refused(
        &run(&place, &["undo", "out.jsonl", "--sidecar=none"]),
        "No such file",
    );
    is_refused(
        &run(&place, &["undo", "out.jsonl", "--sidecar=in.jsonl"]),
        "is no sidecar",
    );
    is_refused(
        &run(
            &place,
            &["undo", "out.jsonl", "--sidecar=cuts", "-o", "cuts"],
        ),
        "is an input",
    );
}

#[test]
fn a_second_run_adds_and_equal_texts_are_kept_once() {
    let place = pruned();
    let first = size(&place);
    done(&place, &prune(&["-o", "again.jsonl", "in.jsonl"]));
    assert_eq!(size(&place), first);
    let other = history(4).replace(r#""id":"s""#, r#""id":"t""#);
    place.file("other.jsonl", &other);
    done(&place, &prune(&["-o", "second.jsonl", "other.jsonl"]));
    assert!(size(&place) > first);
    for (out, input) in [("out.jsonl", history(4)), ("second.jsonl", other)] {
        assert!(done(&place, &["undo", out, "--sidecar=cuts"]) == input.as_bytes());
    }
    let kept = frames(&place.path("cuts"));
    let sizes: Vec<usize> = kept.iter().map(|(_, texts)| texts.len()).collect();
    assert!(
        sizes[0] > 700 && sizes[0] < 900 && sizes[1..] == [0],
        "{sizes:?}"
    );
}

/// The recipes and the texts of a sidecar, by another reader.
fn frames(path: &Path) -> Vec<(String, Vec<u8>)> {
    let file = fs::read(path).unwrap();
    let (mut rest, mut found) = (
        file.strip_prefix(b"deadhead sidecar 1\n").unwrap(),
        Vec::new(),
    );
    while !rest.is_empty() {
        let size = u64::from_le_bytes(rest[..8].try_into().unwrap()) as usize;
        let bytes = zstd::decode_all(&rest[48..48 + size]).unwrap();
        let line = bytes.iter().position(|byte| *byte == b'\n').unwrap();
        found.push((
            String::from_utf8(bytes[..line].to_vec()).unwrap(),
            bytes[line + 1..].to_vec(),
        ));
        rest = &rest[48 + size..];
    }
    found
}

#[test]
fn two_inputs_of_one_output_need_to_be_named() {
    let place = Place::new();
    let inputs = ["aaaa", "bbbb"].map(|text| BODY.replace("0123", text));
    for (i, input) in inputs.iter().enumerate() {
        place.file("in.json", input);
        let all = [
            "prune",
            "-q",
            "--sidecar=cuts",
            "--mode=aggressive",
            "--assume-cold",
            "--set=edits=[{type: 'clear_tool_results', keep: {tool_uses: 0}}]",
            "in.json",
        ];
        place.file(&format!("out{i}"), done(&place, &all));
    }
    let [a, b] = [0, 1].map(|i| fs::read(place.path(format!("out{i}"))).unwrap());
    assert!(
        a == b && inputs[0] != inputs[1],
        "{}",
        String::from_utf8_lossy(&a)
    );
    is_refused(
        &run(&place, &["undo", "out0", "--sidecar=cuts"]),
        "--input names one",
    );
    for input in &inputs {
        let digest = format!("{:X}", Sha256::digest(input));
        assert!(
            done(
                &place,
                &["undo", "out0", "--sidecar=cuts", "--input", &digest[..9]]
            ) == input.as_bytes()
        );
    }
}

#[test]
fn a_name_in_a_placeholder_prints_the_text() {
    let place = Place::new();
    for sample in samples() {
        place.file("in", &sample.bytes);
        let _ = fs::remove_file(place.path("cuts"));
        let output = run(
            &place,
            &[
                "prune",
                "-q",
                "--mode=aggressive",
                "--assume-cold",
                REF,
                "--sidecar=cuts",
                "-o",
                "out",
                "in",
            ],
        );
        if !output.status.success() {
            continue;
        }
        let out = fs::read_to_string(place.path("out")).unwrap_or_default();
        let names = out.split("cut ").skip(1).filter_map(|rest| rest.get(..12));
        let is_name = |name: &&str| name.bytes().all(|byte| byte.is_ascii_hexdigit());
        for name in names.filter(is_name).take(3) {
            let text = done(&place, &["show", name, "--sidecar=cuts"]);
            assert!(
                format!("{:x}", Sha256::digest(text)).starts_with(name),
                "{}",
                sample.name
            );
        }
    }
    is_refused(
        &run(&place, &["show", "0000000000000000", "--sidecar=cuts"]),
        "keeps no such text",
    );
}

#[test]
fn it_is_whole_and_for_its_owner_or_no_output_has_a_name() {
    let place = pruned();
    let mode = |name: &str| fs::metadata(place.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("cuts"), 0o600);
    // A process was killed while it wrote: what it began is no output's.
    let good = fs::read(place.path("cuts")).unwrap();
    place.file("cuts", &good[..good.len() - 1]);
    fs::set_permissions(place.path("cuts"), fs::Permissions::from_mode(0o644)).unwrap();
    is_refused(
        &run(&place, &["undo", "out.jsonl", "--sidecar=cuts"]),
        "is not of the run",
    );
    done(&place, &prune(&["-o", "out.jsonl", "in.jsonl"]));
    assert!(fs::read(place.path("cuts")).unwrap() == good && mode("cuts") == 0o600);

    place.file("text", "not a sidecar");
    for (sidecar, words) in [
        ("text", "is no sidecar"),
        ("/dev/full", "is no sidecar"),
        (".", "is no sidecar"),
        ("none/cuts", "No such file"),
        ("in.jsonl", "is an input"),
        ("new.jsonl", "is another output"),
    ] {
        let args = [
            "prune",
            "-q",
            "--sidecar",
            sidecar,
            "-o",
            "new.jsonl",
            "in.jsonl",
        ];
        is_refused(&run(&place, &args), words);
        assert!(!place.path("new.jsonl").exists(), "{sidecar}");
    }
    assert_eq!(fs::read(place.path("text")).unwrap(), b"not a sidecar");
    // Nothing is written, and nothing is kept.
    for args in [
        ["-n", "in.jsonl"],
        ["--list", "in.jsonl"],
        ["-oout", "none.jsonl"],
    ] {
        run(
            &place,
            &[&["prune", "-q", "--sidecar=dry"], &args[..]].concat(),
        );
    }
    assert_eq!(place.names(), ["cuts", "in.jsonl", "out.jsonl", "text"]);
}
