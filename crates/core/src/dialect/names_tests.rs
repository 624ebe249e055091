//! No module outside `dialect` names a single format.

use super::DIALECTS;
use regex::Regex;
use std::fs;
use std::path::{Path, PathBuf};

/// The places where such a word is not the name of a dialect, or is data: the end of a file's path,
/// and the word in it.
const ELSEWHERE: &[(&str, &str)] = &[
    // Members of bodies and of reports.
    ("src/config/report_schema.rs", "messages"),
    ("src/report/prune/mod.rs", "messages"),
    ("src/cli/audit.rs", "messages"),
    ("core/src/edit/hint.rs", "messages"),
    ("core/src/emit/body.rs", "messages"),
    ("core/src/session/name.rs", "messages"),
    // Providers, in tables of windows and prices, and in OpenClaw's own configuration.
    ("core/src/settings/models.rs", "anthropic"),
    ("core/src/prices.rs", "anthropic"),
    ("core/src/settings/openclaw.rs", "anthropic"),
    ("core/src/settings/openclaw.rs", "messages"),
    // Words of the settings `providers` and `over`, and a selector of messages.
    ("core/src/settings/keys/edits.rs", "messages"),
    ("core/src/settings/keys/context_pruning.rs", "anthropic"),
    ("core/src/cache_policy.rs", "anthropic"),
    ("replay/src/warnings.rs", "anthropic"),
    ("core/src/pass/select/resolve.rs", "messages"),
    ("core/src/pass/select/selector.rs", "messages"),
    // Agents that have a hook.
    ("src/report/command.rs", "claude-code"),
    ("src/report/command.rs", "codex"),
    ("src/report/command.rs", "gemini"),
    // A unit of counts.
    ("core/src/settings/explain.rs", "messages"),
    ("core/src/pass/edits/count.rs", "messages"),
    ("core/src/pass/edits/keep.rs", "messages"),
    ("core/src/pass/edits/drop.rs", "messages"),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() && !["dialect", "tests", "examples", "target"].contains(&&*name) {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") && !name.ends_with("tests") {
            found.push(path);
        }
    }
}

#[test]
fn a_dialect_is_named_nowhere_else() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    sources(&root.join("src"), &mut all);
    sources(&root.join("crates"), &mut all);
    let tests = Regex::new(r"\n#\[cfg\(test\)\]\s*\n(?:#\[[^\n]*\]\s*\n)*mod \w+ \{").unwrap();
    let variant = |name: &str| {
        name.split('-')
            .map(|word| word[..1].to_uppercase() + &word[1..])
            .collect::<String>()
    };
    let names: Vec<(&str, Regex)> = DIALECTS
        .iter()
        .map(|dialect| {
            (
                dialect.name,
                Regex::new(&format!(
                    r#""{}"|::{}\b"#,
                    dialect.name,
                    variant(dialect.name)
                ))
                .unwrap(),
            )
        })
        .collect();
    let mut wrong = Vec::new();
    for path in all {
        let text = fs::read_to_string(&path).unwrap();
        let code = &text[..tests.find(&text).map_or(text.len(), |found| found.start())];
        for line in code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
        {
            for (name, _) in names.iter().filter(|(_, spelled)| spelled.is_match(line)) {
                if !ELSEWHERE
                    .iter()
                    .any(|(file, known)| path.ends_with(file) && known == name)
                {
                    wrong.push(format!("{}: {name} in {}", path.display(), line.trim()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
