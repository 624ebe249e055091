//! `--files-from`: inputs that a list names.

use crate::support::{Place, TINY, deadhead, history, is_refused};
use std::fs;

/// A folder with logs, of which one has a line break in its name.
fn place() -> Place {
    let place = Place::new();
    fs::create_dir(place.path("in")).unwrap();
    for name in ["in/a.jsonl", "in/b.jsonl", "in/c\nd.jsonl", "-"] {
        place.file(name, history(20));
    }
    place
}

/// The paths of what a run wrote into `out`, which must all be pruned logs.
fn written(place: &Place, args: &[&str], stdin: &[u8]) -> Vec<String> {
    let mut command = deadhead();
    command
        .current_dir(place.root())
        .args(["prune", "-q", "--out-dir=out"])
        .args(TINY)
        .args(args)
        .write_stdin(stdin)
        .assert()
        .success();
    let mut names = Vec::new();
    let out = place.path("out");
    for entry in walkdir::WalkDir::new(&out)
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
    {
        assert!(
            fs::read_to_string(entry.path())
                .unwrap()
                .contains("[Tool result trimmed")
        );
        let below = entry.path().strip_prefix(&out).unwrap();
        names.push(below.to_str().unwrap().to_owned());
    }
    names.sort();
    drop(fs::remove_dir_all(place.path("out")));
    names
}

#[test]
fn a_list_names_inputs() {
    let place = place();
    let list = place.file("list", "in/a.jsonl\n\nin/b.jsonl");
    let list = list.to_str().unwrap();
    assert_eq!(
        written(&place, &["--files-from", list], b""),
        ["in/a.jsonl", "in/b.jsonl"]
    );
    assert_eq!(
        written(&place, &["--files-from", "-"], b"in/b.jsonl\n"),
        ["in/b.jsonl"]
    );
    assert_eq!(
        written(&place, &["--files-from=-"], b"in/a.jsonl\0in/c\nd.jsonl\0"),
        ["in/a.jsonl", "in/c\nd.jsonl"]
    );
    assert_eq!(
        written(&place, &["--files-from", list, "./-"], b""),
        ["-", "in/a.jsonl", "in/b.jsonl"]
    );
    assert_eq!(
        written(&place, &["--files-from=-"], b"-\n"),
        ["-"],
        "in a list it is no stdin"
    );
    assert_eq!(
        written(&place, &["-r", "--files-from=-"], b"in\n"),
        ["in/a.jsonl", "in/b.jsonl", "in/c\nd.jsonl"]
    );
}

#[test]
fn a_list_may_be_written_on_any_system() {
    let place = place();
    for list in [
        "in/a.jsonl\r\nin/b.jsonl\r\n",
        "in/a.jsonl\r\n\r\nin/b.jsonl",
        "\u{feff}in/a.jsonl\nin/b.jsonl\r",
    ] {
        assert_eq!(
            written(&place, &["--files-from=-"], list.as_bytes()),
            ["in/a.jsonl", "in/b.jsonl"],
            "{list:?}"
        );
    }
    assert_eq!(written(&place, &["--files-from=-"], b"\r\n"), [""; 0]);
    // A file that has such a name is meant.
    place.file("in/b.jsonl\r", history(20));
    assert_eq!(
        written(&place, &["--files-from=-"], b"in/a.jsonl\r\nin/b.jsonl\r\n"),
        ["in/a.jsonl", "in/b.jsonl\r"]
    );
    assert_eq!(
        written(&place, &["--files-from=-"], b"in/b.jsonl\0in/b.jsonl\r\0"),
        ["in/b.jsonl", "in/b.jsonl\r"]
    );
}

#[test]
fn an_empty_list_is_nothing_to_do() {
    let place = place();
    assert_eq!(written(&place, &["--files-from=-"], b""), [""; 0]);
    assert_eq!(written(&place, &["--files-from=-"], b"\n\n"), [""; 0]);
}

#[test]
fn a_list_that_cannot_be_read_is_refused() {
    let place = place();
    let list = place.file("list", "in/a.jsonl\n");
    let run = |args: &[&str]| {
        deadhead()
            .current_dir(place.root())
            .args(["prune", "-q"])
            .args(args)
            .write_stdin("in/a.jsonl\n")
            .output()
            .unwrap()
    };
    is_refused(&run(&["--files-from=none", "-n"]), "--files-from none");
    is_refused(&run(&["--files-from=in", "-n"]), "--files-from in");
    is_refused(
        &run(&["--files-from=-", "-", "-n"]),
        "stdin is an input already",
    );
    is_refused(
        &run(&["--files-from=-", "--select=@-", "-n"]),
        "--select @-",
    );
    is_refused(&run(&["--files-from=list", "-o", "list"]), "list");
    assert_eq!(fs::read_to_string(list).unwrap(), "in/a.jsonl\n");
    // One file that is missing stops no other.
    let output = run(&["--files-from=-", "-n"]);
    assert_eq!(output.status.code(), Some(0));
}
