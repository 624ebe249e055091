//! Command lines and their output: one file `cases/NAME.txt` each, run in a directory of its own.
//!
//! A file is a list of sections. `args` has one argument a line; `stdin` may be missing; `code`, `stdout` and `stderr` are expected. Any
//! other section is a file, there when the program runs, as are the files beside the cases that are none; `made/NAME` is a file that the
//! program must make. CONTRIBUTING.md has the notation.
//! `UPDATE=1 cargo test --test cases` writes the actual output into the cases; `cargo test --test cases bad-ttl` runs those whose
//! name contains `bad-ttl`.

#![allow(clippy::unwrap_used)]

#[allow(dead_code)]
#[path = "program/support.rs"]
mod support;

use libtest_mimic::{Arguments, Failed, Trial};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use support::{Place, deadhead};

/// Follows the last line of a section that has no newline.
const NO_NEWLINE: &str = "\\ No newline at end of file\n";

/// Contents by name, in the order of the file.
type Sections = Vec<(String, Vec<u8>)>;

/// Contents by path.
type Files = BTreeMap<PathBuf, Vec<u8>>;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let (cases, shared): (Vec<_>, Vec<_>) = files(&root)
        .into_iter()
        .partition(|(path, _)| path.extension() == Some("txt".as_ref()));
    assert!(cases.len() > 50, "{} cases", cases.len());
    let shared: Files = shared.into_iter().collect();
    let mut trials = vec![Trial::test(
        "every byte can be written",
        every_byte_can_be_written,
    )];
    for (path, text) in cases {
        let (name, path, shared) = (
            path.file_stem().unwrap().display().to_string(),
            root.join(path),
            shared.clone(),
        );
        trials.push(Trial::test(name, move || {
            holds(&path, &String::from_utf8(text)?, shared)
        }));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// Runs a case and compares; with `UPDATE`, writes instead.
fn holds(path: &Path, text: &str, shared: Files) -> Result<(), Failed> {
    let (wanted, given): (Sections, Sections) = read(text)
        .into_iter()
        .partition(|(name, _)| is_result(name));
    let found = run(&given, shared);
    if std::env::var_os("UPDATE").is_some() {
        let sections: Sections = given.into_iter().chain(found).collect();
        fs::write(path, written(&sections))?;
        return Ok(());
    }
    let show = |sections: &Sections| -> BTreeMap<String, String> {
        sections
            .iter()
            .map(|(name, bytes)| (name.clone(), escape(bytes)))
            .collect()
    };
    let (wanted, found) = (show(&wanted), show(&found));
    let mut wrong = String::new();
    for name in wanted
        .keys()
        .chain(found.keys().filter(|name| !wanted.contains_key(*name)))
        .filter(|name| wanted.get(*name) != found.get(*name))
    {
        let shown = |from: &BTreeMap<String, String>| {
            from.get(name).map_or("nothing\n".to_owned(), |text| {
                text.chars().take(1500).collect()
            })
        };
        wrong += &format!(
            "{name}:\n  wanted {}  found  {}",
            shown(&wanted),
            shown(&found)
        );
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(format!("{wrong}UPDATE=1 writes what comes back").into())
    }
}

/// What the program prints and makes, without empty outputs.
fn run(given: &Sections, shared: Files) -> Sections {
    let mut before = shared;
    let (mut args, mut stdin) = (String::new(), Vec::new());
    for (name, bytes) in given {
        match name.as_str() {
            "args" => args = String::from_utf8(bytes.clone()).unwrap(),
            "stdin" => stdin = bytes.clone(),
            name => drop(before.insert(name.into(), bytes.clone())),
        }
    }
    let place = Place::new();
    for (path, bytes) in &before {
        place.file(path.to_str().unwrap(), bytes);
    }
    let output = deadhead()
        .current_dir(place.root())
        .args(args.lines())
        .write_stdin(stdin)
        .output()
        .unwrap();
    let mut found = vec![(
        "code".to_owned(),
        format!("{}\n", output.status.code().unwrap_or(-1)).into_bytes(),
    )];
    let printed = [("stdout", &output.stdout), ("stderr", &output.stderr)];
    found.extend(
        printed
            .into_iter()
            .filter(|(_, bytes)| !bytes.is_empty())
            .map(|(name, bytes)| (name.to_owned(), stable(bytes))),
    );
    let mut after = files(place.root());
    for (path, bytes) in &before {
        assert_eq!(
            after.remove(path).as_ref(),
            Some(bytes),
            "{} is as it was",
            path.display()
        );
    }
    found.extend(
        after
            .into_iter()
            .map(|(path, bytes)| (format!("made/{}", path.display()), bytes)),
    );
    found
}

/// The version changes with every release.
fn stable(bytes: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text
            .replace(env!("CARGO_PKG_VERSION"), "[VERSION]")
            .into_bytes(),
        Err(_) => bytes.to_vec(),
    }
}

fn is_result(name: &str) -> bool {
    matches!(name, "code" | "stdout" | "stderr") || name.starts_with("made/")
}

/// All files under a folder, by their path in it.
fn files(folder: &Path) -> Files {
    let entries = walkdir::WalkDir::new(folder)
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file());
    entries
        .map(|entry| {
            (
                entry.path().strip_prefix(folder).unwrap().to_owned(),
                fs::read(entry.path()).unwrap(),
            )
        })
        .collect()
}

fn read(text: &str) -> Sections {
    let mut sections = Sections::new();
    for line in text.split_inclusive('\n') {
        if let Some(name) = head(line) {
            sections.push((name.to_owned(), Vec::new()));
            continue;
        }
        let bytes = &mut sections.last_mut().unwrap().1;
        if line == NO_NEWLINE {
            bytes.pop();
        } else {
            bytes.extend(unescape(line));
        }
    }
    sections
}

fn written(sections: &Sections) -> String {
    sections
        .iter()
        .map(|(name, bytes)| format!("-- {name} --\n{}", escape(bytes)))
        .collect()
}

/// The name in the first line of a section.
fn head(line: &str) -> Option<&str> {
    line.strip_prefix("-- ")?.strip_suffix(" --\n")
}

/// `\x0d` for the byte 13: for what is not UTF-8, control characters, byte order marks, and what would have a meaning here.
fn escape(bytes: &[u8]) -> String {
    let mut text = String::new();
    let hex =
        |bytes: &[u8]| -> String { bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect() };
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().replace("\\x", "\\x5cx").chars() {
            let hidden = c.is_control() && !matches!(c, '\n' | '\t') || c == '\u{feff}';
            if hidden {
                text += &hex(c.encode_utf8(&mut [0; 4]).as_bytes())
            } else {
                text.push(c)
            }
        }
        text += &hex(chunk.invalid());
    }
    if !text.is_empty() && !text.ends_with('\n') {
        return escaped_lines(&(text + "\n")) + NO_NEWLINE;
    }
    escaped_lines(&text)
}

fn escaped_lines(text: &str) -> String {
    let marks = |line: &str| line == NO_NEWLINE || head(line).is_some();
    text.split_inclusive('\n')
        .map(|line| {
            if marks(line) {
                format!("\\x{:02x}{}", line.as_bytes()[0], &line[1..])
            } else {
                line.to_owned()
            }
        })
        .collect()
}

fn unescape(line: &str) -> Vec<u8> {
    let mut parts = line.split("\\x");
    let mut bytes = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend(&part.as_bytes()[2..]);
    }
    bytes
}

fn every_byte_can_be_written() -> Result<(), Failed> {
    let mut contents: Vec<Vec<u8>> = (0..=255)
        .flat_map(|byte| {
            [
                vec![byte],
                vec![b'\\', byte, b'\n'],
                vec![byte, b'x', b'4', b'1'],
            ]
        })
        .collect();
    contents.extend(
        [
            "",
            "\n",
            "a",
            "a\n\n",
            "-- a --\n",
            "-- a --",
            NO_NEWLINE,
            "\\ No newline at end of file",
            "\u{feff}é\r\n",
        ]
        .map(|text| text.into()),
    );
    let sections: Sections = contents
        .into_iter()
        .enumerate()
        .map(|(i, bytes)| (format!("{i}"), bytes))
        .collect();
    if read(&written(&sections)) == sections {
        Ok(())
    } else {
        Err("other bytes come back".into())
    }
}
