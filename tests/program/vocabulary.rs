//! Words that only this project used are not in any text or name: a reader must not need a dictionary.
//!
//! They are searched as whole words, also inside identifiers, in code, tests, documents, man pages and completions.

use regex::Regex;
use std::fs;
use std::path::{Path, PathBuf};

/// The words.
const WORDS: &str = "told|tells|mends?|mended|mending|goes|stands|takes away|in mind|held|settles?|settled|seats?|seating|strikes?|sheets?|rooms?|\
    clues?|likeness|little|threes|lane";

/// The uses of such words that are allowed: the end of a path, the words around the use, and the reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("diagnostics/rows.rs", "rename = \"mend\"", "a field of the report keeps its name"),
    ("src/cli/check.rs", "\"mend\": ", "a field of the report keeps its name"),
    ("program/check.rs", "d[\"mend\"]", "a field of the report keeps its name"),
    ("program/rules.rs", "defect[\"mend\"]", "a field of the report keeps its name"),
    ("program/hand_made.rs", "defect[\"mend\"]", "a field of the report keeps its name"),
    ("library/anthropic.rs", "a result that goes", "data of a test"),
];

/// The places that are searched, relative to the root of the repository.
const PLACES: &[&str] = &[
    "src",
    "crates",
    "python",
    "npm",
    "packaging",
    "fuzz/fuzz_targets",
    "tests/program",
    "tests/policies",
    "tests/support",
    "tests/cases.rs",
    "tests/layers.rs",
    "tests/policies.rs",
    "docs",
    "man",
    "completions",
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "benches",
    ".ci",
];

/// Folders that tools make.
const MADE: &[&str] = &["benches/out", "node_modules", "__pycache__", "deadhead.data", "dist"];

/// Ends of files that are data.
const DATA: &[&str] = &["zst", "gz", "svg", "db", "bin", "txt"];

fn files(path: PathBuf, found: &mut Vec<PathBuf>) {
    if MADE.iter().any(|folder| path.ends_with(folder)) {
        return;
    }
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| files(entry.unwrap().path(), found));
    } else if !path.ends_with("program/vocabulary.rs") && !path.extension().is_some_and(|end| DATA.iter().any(|data| end == *data)) {
        found.push(path);
    }
}

/// The texts below the places, with their names relative to the root.
fn texts() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    PLACES.iter().for_each(|place| files(root.join(place), &mut paths));
    let name = |path: &Path| path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
    paths.iter().filter_map(|path| Some((name(path), fs::read_to_string(path).ok()?))).collect()
}

#[test]
fn comments_of_items_begin_with_the_item() {
    let question = Regex::new(r"^\s*//[/!] (?:What|How|Where|Which|Whose|Who)\b").unwrap();
    let is_comment = |line: &str| line.trim_start().starts_with("//");
    let mut found = Vec::new();
    for (name, text) in texts().iter().filter(|(name, _)| name.ends_with(".rs")) {
        let lines: Vec<&str> = text.lines().collect();
        for (n, line) in lines.iter().enumerate().filter(|(_, line)| question.is_match(line)) {
            if n == 0 || !is_comment(lines[n - 1]) {
                found.push(format!("{name}:{}: {}", n + 1, line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "name the thing (the size of, the text that, returns the):\n{}", found.join("\n"));
}

#[test]
fn no_text_needs_a_dictionary() {
    let words = Regex::new(&format!(r"(?i)(?:\b|_)({WORDS})(?:\b|_)")).unwrap();
    let (mut found, mut used) = (Vec::new(), vec![false; EXCEPTIONS.len()]);
    let texts = texts();
    assert!(texts.len() > 300, "{} files", texts.len());
    for (name, text) in texts {
        for (n, line) in text.lines().enumerate() {
            for word in words.find_iter(line) {
                let fits = |(end, around, _): &(&str, &str, &str)| {
                    name.ends_with(end) && line.match_indices(around).any(|(at, _)| (at..at + around.len()).contains(&word.start()))
                };
                match EXCEPTIONS.iter().position(fits) {
                    Some(at) => used[at] = true,
                    None => found.push(format!("{name}:{}: {}: {}", n + 1, word.as_str(), line.trim())),
                }
            }
        }
    }
    assert!(found.is_empty(), "write what a stranger knows (detect, repair, remove, keep, report):\n{}", found.join("\n"));
    let unused: Vec<&str> = EXCEPTIONS.iter().zip(used).filter(|(_, used)| !used).map(|((_, around, _), _)| *around).collect();
    assert!(unused.is_empty(), "not needed any more: {unused:?}");
}
