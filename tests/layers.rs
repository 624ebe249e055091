//! The order of the modules: each imports only from those before it. Also, the pages that name files and modules name existing
//! ones.

#![allow(clippy::unwrap_used)]

use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules of `deadhead-core`, the lowest first. The order is that of the table in its `lib.rs`. Cargo keeps the order of the crates.
const ORDER: &[&str] = &[
    "diagnostics",
    "naming",
    "wildcard",
    "terminal_text",
    "read_at",
    "tables",
    "json",
    "schema",
    "compose",
    "outcome",
    "settings",
    "agents",
    "transcript",
    "error",
    "estimate",
    "shorten",
    "input",
    "dialect",
    "input_kind",
    "prices",
    "message_tokens",
    "cache_state",
    "reader",
    "values",
    "emit",
    "edit",
    "check",
    "reread",
    "repair",
    "recorded",
    "cache_policy",
    "resource",
    "pass",
    "session",
    "listing",
    "report",
    "cache_cost",
    "engine",
    "gateway_output",
    "pruner",
    "stream",
    "slim",
    "fork",
    "request",
];

/// The names that the root of the crate re-exports, each with its module.
const ROOT: &[(&str, &str)] = &[
    ("Error", "error"),
    ("format", "dialect"),
    ("Refusal", "error"),
    ("TooLarge", "error"),
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs")
            && !path
                .file_stem()
                .unwrap()
                .to_str()
                .unwrap()
                .ends_with("tests")
        {
            found.push(path);
        }
    }
}

/// The code of a file, without its tests and comments.
fn code(text: &str) -> String {
    let tests = Regex::new(r"\n#\[cfg\(test\)\]\s*\n(?:#\[[^\n]*\]\s*\n)*mod \w+ \{").unwrap();
    let end = tests.find(text).map_or(text.len(), |found| found.start());
    Regex::new(r"//[^\n]*")
        .unwrap()
        .replace_all(&text[..end], "")
        .into_owned()
}

/// The modules at the root that the code of a file names, which lies `depth` modules below the root.
fn named(code: &str, depth: usize) -> Vec<String> {
    let root = format!(r"\b(?:crate::|(?:super::){{{depth}}})(\{{[^;]*\}}|\w+)");
    let words = Regex::new(r"\w+").unwrap();
    // Of a list, only the first word of each path is at the root.
    let rest = Regex::new(r"::\s*(?:\{[^{}]*\}|\w+)").unwrap();
    let mut found = Vec::new();
    for path in Regex::new(&root).unwrap().captures_iter(code) {
        let list = rest.replace_all(&path[1], "").into_owned();
        found.extend(words.find_iter(&list).map(|word| word.as_str().to_owned()));
    }
    found
}

#[test]
fn a_module_imports_only_from_those_below_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/core/src");
    let mut all = Vec::new();
    files(&source, &mut all);
    let rank: BTreeMap<&str, usize> = ORDER
        .iter()
        .zip(0..)
        .map(|(name, at)| (*name, at))
        .collect();
    let (mut seen, mut wrong) = (BTreeMap::new(), Vec::new());
    for path in all {
        let within = path.strip_prefix(&source).unwrap();
        let first = within
            .components()
            .next()
            .unwrap()
            .as_os_str()
            .to_str()
            .unwrap()
            .trim_end_matches(".rs")
            .to_owned();
        if first == "lib" {
            continue;
        }
        let Some(&own) = rank.get(first.as_str()) else {
            panic!("{first} has no place in the order")
        };
        seen.insert(first.clone(), ());
        let depth = within.components().count() - usize::from(path.ends_with("mod.rs"));
        for name in named(&code(&fs::read_to_string(&path).unwrap()), depth) {
            let name = ROOT
                .iter()
                .find(|(export, _)| *export == name)
                .map_or(&*name, |(_, module)| module);
            if rank.get(name).is_some_and(|&other| other > own) {
                wrong.push(format!("{}: {first} imports {name}", within.display()));
            }
        }
    }
    assert_eq!(seen.len(), ORDER.len(), "a module of the order is gone");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the names that each module of a crate imports from the same crate.
fn imports(source: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut all = Vec::new();
    files(source, &mut all);
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in all {
        let within = path.strip_prefix(source).unwrap();
        let own = within
            .components()
            .next()
            .unwrap()
            .as_os_str()
            .to_str()
            .unwrap()
            .trim_end_matches(".rs")
            .to_owned();
        if ["lib", "main"].contains(&own.as_str()) {
            continue;
        }
        let depth = within.components().count() - usize::from(path.ends_with("mod.rs"));
        let names = named(&code(&fs::read_to_string(&path).unwrap()), depth)
            .into_iter()
            .filter(|name| *name != own);
        found.entry(own.clone()).or_default().extend(names);
    }
    found
}

/// The modules that are left when those without imports among the rest are taken out again and again.
fn in_cycles(mut imports: BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    loop {
        let left: BTreeSet<String> = imports.keys().cloned().collect();
        let before = imports.len();
        imports.retain(|_, names| !names.is_disjoint(&left));
        if imports.len() == before {
            return imports.into_keys().collect();
        }
    }
}

#[test]
fn no_two_modules_import_each_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for source in [
        "src",
        "crates/core/src",
        "crates/replay/src",
        "crates/retrieval/src",
        "crates/state/src",
        "python/src",
    ] {
        let imports = imports(&root.join(source));
        assert!(imports.len() > 2, "{source} has no modules");
        assert_eq!(in_cycles(imports), [""; 0], "{source}");
    }
}

#[test]
fn a_cycle_is_found() {
    let names = |names: &[&str]| {
        names
            .iter()
            .map(|name| name.to_string())
            .collect::<BTreeSet<_>>()
    };
    let imports = [
        ("a", names(&["b"])),
        ("b", names(&["c"])),
        ("c", names(&["b", "d"])),
        ("d", names(&[])),
    ];
    assert_eq!(
        in_cycles(imports.map(|(name, names)| (name.to_owned(), names)).into()),
        ["a", "b", "c"]
    );
}

#[test]
fn paths_to_the_root_are_found() {
    let code = code(
        "use crate::{a, b::{c, d}};\n// crate::no\nfn f() { super::super::e::g(); crate::Error }\n#[cfg(test)]\nmod tests { use crate::h; }",
    );
    assert_eq!(named(&code, 2), ["a", "b", "e", "Error"]);
}

/// The files that the examples in CONTRIBUTING would add.
const EXAMPLES: &[&str] = &[
    "crates/core/src/dialect/proxy_log.rs",
    "crates/core/src/pass/shells.rs",
    "crates/core/src/agents/crow.json5",
];

/// The paths and the names with `::` that a page has as code, but not in its blocks.
fn mentioned(page: &str) -> (Vec<String>, Vec<String>) {
    let prose = Regex::new(r"(?ms)^```.*?^```$")
        .unwrap()
        .replace_all(page, "")
        .into_owned();
    let found = |pattern: &str| {
        Regex::new(pattern)
            .unwrap()
            .captures_iter(&prose)
            .map(|found| found[1].to_owned())
            .collect()
    };
    (
        found(r"`([\w./-]*/[\w./-]*|[\w-]+\.(?:rs|md|py|toml|json5?|jsonl|tsv))`"),
        found(r"`(?:\w+::)+(\w+)`"),
    )
}

/// All files and folders of the checkout below `folder`.
fn everything(folder: &Path, found: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir()
            && !["target", ".git"].contains(&entry.file_name().to_str().unwrap())
        {
            everything(&entry.path(), found);
            *found += &format!("{}/\n", entry.path().display());
        } else {
            *found += &format!("{}\n", entry.path().display());
        }
    }
}

#[test]
fn only_the_kernels_may_be_unsafe() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut sources, mut without) = (Vec::new(), Vec::new());
    for folder in ["crates", "src", "python/src", "tests", "benches"] {
        files(&root.join(folder), &mut sources);
    }
    let allows = Regex::new(r"(?:allow|expect)\(.*unsafe_code").unwrap();
    let forbids = Regex::new(r"(?m)^#!\[forbid\(unsafe_code\)\]").unwrap();
    let denies = Regex::new(r"(?m)^#!\[deny\(unsafe_code\)\]").unwrap();
    let mut allowed = Vec::new();
    for path in &sources {
        let (text, name) = (
            fs::read_to_string(path).unwrap(),
            path.strip_prefix(root).unwrap(),
        );
        let name = name.display().to_string();
        if name != "tests/layers.rs" && allows.is_match(&text) {
            allowed.push(name.clone());
        }
        // The macro that looks at the streams before `main` allows itself what it makes.
        let wanted = match &*name {
            "crates/core/src/lib.rs" | "src/main.rs" => &denies,
            name if name.ends_with("src/lib.rs") || name.ends_with("src/main.rs") => &forbids,
            _ => continue,
        };
        if !wanted.is_match(&text) {
            without.push(name);
        }
    }
    assert_eq!(allowed, ["crates/core/src/json/mod.rs"]);
    assert_eq!(without, [""; 0]);
}

#[test]
fn the_pages_on_the_code_name_what_there_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut names, mut sources, mut code_of_all) = (String::new(), Vec::new(), String::new());
    everything(root, &mut names);
    files(&root.join("crates"), &mut sources);
    sources
        .iter()
        .for_each(|path| code_of_all += &code(&fs::read_to_string(path).unwrap()));
    let mut wrong = Vec::new();
    for page in ["CONTRIBUTING.md", "docs/architecture.md"] {
        let (paths, items) = mentioned(&fs::read_to_string(root.join(page)).unwrap());
        assert!(paths.len() > 15, "{page}: {paths:?}");
        let is_there = |path: &str| {
            names.contains(&format!("/{path}\n")) || names.contains(&format!("/{path}/\n"))
        };
        wrong.extend(
            paths
                .into_iter()
                .filter(|path| !is_there(path) && !EXAMPLES.contains(&&**path))
                .map(|path| format!("{page}: {path}")),
        );
        let defined = |name: &str| {
            Regex::new(&format!(
                r"\b(?:fn|mod|const|struct|enum|trait|type) {name}\b"
            ))
            .unwrap()
            .is_match(&code_of_all)
        };
        wrong.extend(
            items
                .into_iter()
                .filter(|name| !defined(name))
                .map(|name| format!("{page}: {name}")),
        );
    }
    assert_eq!(wrong, [""; 0]);
}
