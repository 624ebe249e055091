//! The examples of README.md and of docs/ are run. This needs bash and jq.
//!
//! What a fenced block is follows from its language:
//!
//! | language | the test |
//! |---|---|
//! | `sh` | runs the script; each comment `<!-- prints: TEXT -->` behind the block names a text that it prints or writes |
//! | `cron` | runs the command of the line in the same way |
//! | `console` | runs each command behind `$ ` and compares what it prints; `UPDATE=1` writes it anew |
//! | `json5` | reads the configuration |
//! | `rust` | compiles and runs it (doc tests of deadhead-core, `crates/core/src/lib.rs`) |
//! | `python`, `js` | nothing: their own tests are in `python/tests` and `npm/test` |
//! | `text` | nothing: it is a drawing or a piece of output |

pub mod scratch;

use scratch::{add_logs, add_sessions, bash, root, scratch};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;

#[test]
fn examples() {
    let mut ran = 0;
    for path in pages() {
        let page = fs::read_to_string(&path).expect("a page");
        let mut updated = page.clone();
        for block in blocks(&page) {
            let place = format!("{}:{}", path.display(), page[..block.at].lines().count());
            match block.language {
                "sh" | "cron" => script(&block, &place),
                "console" => updated = updated.replace(block.text, &commands(block.text, &place)),
                "json5" => configuration(block.text, &place),
                "rust" => assert!(
                    path.ends_with("library.md") || path.ends_with("CONTRIBUTING.md"),
                    "{place}: it is not compiled"
                ),
                "python" | "js" | "text" => {}
                other => panic!("{place}: {other:?} is no language of an example"),
            }
            ran += usize::from(!matches!(block.language, "python" | "js" | "text"));
        }
        if updated != page {
            fs::write(&path, updated).expect("the page can be written");
        }
    }
    assert!(ran > 20, "{ran} examples");
}

#[test]
fn links_lead_somewhere() {
    for path in pages() {
        let page = fs::read_to_string(&path).expect("a page");
        for target in page
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split_once(')'))
            .map(|(target, _)| target)
        {
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            if target.starts_with("https://") {
                continue;
            }
            let file = if file.is_empty() {
                path.clone()
            } else {
                path.parent().expect("a folder").join(file)
            };
            assert!(file.exists(), "{}: {target} is not there", path.display());
            let has_heading = |page: String| {
                page.lines()
                    .filter(|line| line.starts_with('#'))
                    .any(|line| anchor(line) == heading)
            };
            assert!(
                heading.is_empty() || has_heading(fs::read_to_string(file).expect("a page")),
                "{}: {target}",
                path.display()
            );
        }
    }
}

#[test]
fn the_readme_is_short_and_its_first_commands_are_those_of_ci() {
    let readme = fs::read_to_string(root().join("README.md")).expect("the README");
    assert!(
        readme.split_whitespace().count() < 1400,
        "{} words",
        readme.split_whitespace().count()
    );
    let (_, start) = readme
        .split_once("\n## Try it\n")
        .expect("the section is there");
    let commands: Vec<&str> = start
        .lines()
        .filter(|line| line.starts_with("cargo "))
        .take(2)
        .collect();
    let ci = fs::read_to_string(root().join(".ci/run")).expect("the script is there");
    for command in &commands {
        assert!(
            ci.lines().any(|line| line == format!("step {command}")),
            "{command} is not a step of .ci/run"
        );
    }
    assert_eq!(commands.len(), 2);
    assert!(
        root()
            .join(commands[0].split(' ').next_back().unwrap_or_default())
            .is_file(),
        "the sample is in the repository"
    );
}

#[test]
fn costs_of_policies_on_the_sample_logs() {
    let dir = scratch();
    add_logs(dir.path(), usize::MAX);
    let output = bash(
        "deadhead replay --preset openclaw-2026.1,break-even-safe,break-even,break-even-more --report-format json sessions",
        dir.path(),
    );
    let report: Vec<Value> = serde_json::from_slice(&output.stdout).expect("a report");
    let (totals, logs) = report.split_last().expect("totals");
    let baseline = totals["totals"]["baseline"]["usd"]
        .as_f64()
        .expect("dollars");
    let requests = totals["totals"]["requests"].as_u64().expect("a number");
    let thousands = format!("{},{:03}", requests / 1000, requests % 1000);
    replace_between("README.md", "repository (", " requests of", &thousands);
    let mut table = String::from(
        "| policy | cost | change | left | sessions that cost more | results cut | of these needed again |\n|---|---:|---:|---:|---:|---:|---:|\n",
    );
    table += &format!("| no pruning | ${baseline:.0} | | | | | |\n");
    let mut lines: Vec<(f64, String)> = Vec::new();
    for (i, row) in totals["totals"]["policies"]
        .as_array()
        .expect("policies")
        .iter()
        .enumerate()
        .filter(|(_, row)| row["manner"] == "sticky")
    {
        let usd = row["usd"].as_f64().expect("dollars");
        let dearer = logs.iter().filter(|log| {
            let usd = |value: &Value| value["usd"].as_f64().unwrap_or_default();
            usd(&log["policies"][i]) > usd(&log["baseline"]) * 1.0005
        });
        let (name, change) = (
            row["name"].as_str().expect("a name"),
            (usd / baseline - 1.0) * 100.0,
        );
        let change = format!("{change:.1} %").replace('-', "−");
        let again = row["regret"]["usd"].as_f64().expect("dollars");
        let left = (baseline - usd - again) / baseline * 100.0;
        let line = format!(
            "| `{name}` | ${usd:.0} | {change} | {left:.1} % | {} | {} | {} |\n",
            dearer.count(),
            row["cuts"],
            row["regret"]["cuts"]
        );
        lines.push((left, line));
    }
    lines.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    lines.iter().for_each(|(_, line)| table += line);
    replace_between("README.md", "<!-- savings -->\n", "<!-- end -->", &table);
}

#[test]
fn policies_are_listed_with_their_tests() {
    let mut table = String::from(
        "| preset | original | compared inputs | identical | differences |\n|---|---|---:|---:|---|\n",
    );
    for preset in deadhead_core::settings::presets() {
        let (inputs, identical) = match preset.vectors {
            Some(vectors) => (vectors.inputs.to_string(), vectors.identical.to_string()),
            None if preset.source == deadhead_core::settings::OWN => {
                ("its own".to_owned(), String::new())
            }
            None => ("from its documentation".to_owned(), String::new()),
        };
        table += &format!(
            "| `{}` | {} | {inputs} | {identical} | {} |\n",
            preset.name, preset.source, preset.differs
        );
    }
    replace_between(
        "docs/policies.md",
        "<!-- policies -->\n",
        "<!-- end -->",
        &table,
    );
}

#[test]
fn tables_name_what_there_is() {
    let page = |name: &str| fs::read_to_string(root().join(name)).expect("a page");
    let presets = page("docs/configuration.md");
    for preset in deadhead_core::settings::presets() {
        assert!(
            presets.contains(&format!("`{}`", preset.name)),
            "{}",
            preset.name
        );
    }
    let passes = page("docs/passes.md");
    for pass in deadhead_retrieval::passes() {
        assert!(
            passes.contains(&format!("**{}**", pass.name)),
            "{}",
            pass.name
        );
    }
    let formats = page("docs/formats.md");
    for dialect in deadhead_core::internal::dialect::DIALECTS {
        assert!(
            formats.contains(&format!("| `{}` |", dialect.name)),
            "{}",
            dialect.name
        );
    }
    let help = Command::new(env!("CARGO_BIN_EXE_deadhead"))
        .arg("--help")
        .output()
        .expect("it starts");
    let help = String::from_utf8_lossy(&help.stdout);
    let (_, table) = presets
        .split_once("| code | meaning |\n|---|---|\n")
        .expect("exit codes");
    for row in table.lines().take_while(|line| line.starts_with('|')) {
        let cells: Vec<String> = row
            .trim_matches('|')
            .split('|')
            .map(|cell| cell.trim().replace('`', ""))
            .collect();
        assert!(
            help.contains(&format!("  {}  {}\n", cells[0], cells[1])),
            "{row}"
        );
    }
}

/// Compares what is between two marks of a page, or writes it there.
pub fn replace_between(page: &str, from: &str, to: &str, wanted: &str) {
    // Tests run at once, and two of them may write one page.
    static PAGES: Mutex<()> = Mutex::new(());
    let _guard = PAGES.lock();
    let path = root().join(page);
    let text = fs::read_to_string(&path).expect("a page");
    let (before, rest) = text.split_once(from).expect("the mark is there");
    let (shown, after) = rest.split_once(to).expect("its end is there");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(path, format!("{before}{from}{wanted}{to}{after}"))
            .expect("the page can be written");
    } else {
        assert_eq!(
            shown, wanted,
            "UPDATE=1 cargo test --test program docs writes {page} anew"
        );
    }
}

struct Block<'a> {
    language: &'a str,
    text: &'a str,
    /// The texts that the comments behind the block say it prints.
    prints: Vec<&'a str>,
    at: usize,
}

/// The fenced blocks of a page.
fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut at = 0;
    while let Some(start) = page[at..].find("\n```").map(|i| at + i + 4) {
        let line_end = start + page[start..].find('\n').expect("a line");
        let end = line_end + page[line_end..].find("\n```").expect("the end of a block") + 1;
        let behind = page[end + 3..].trim_start();
        let comments = behind
            .lines()
            .map_while(|line| line.strip_prefix("<!-- prints: ")?.strip_suffix(" -->"));
        blocks.push(Block {
            language: &page[start..line_end],
            text: &page[line_end + 1..end],
            prints: comments.collect(),
            at: start,
        });
        at = end + 3;
    }
    blocks
}

fn script(block: &Block<'_>, place: &str) {
    // Installing is left to CI, which runs the first commands of the README, and to the tests of packages.
    if ["cargo ", "npm ", "pip "]
        .iter()
        .any(|tool| block.text.starts_with(tool))
    {
        return;
    }
    assert!(
        !block.prints.is_empty(),
        "{place}: <!-- prints: TEXT --> behind the block says what it prints"
    );
    let dir = scratch();
    if block.text.contains("sessions") || block.text.contains(".claude") {
        add_sessions(dir.path());
    }
    let command = if block.language == "cron" {
        block.text.splitn(6, ' ').nth(5).expect("five fields")
    } else {
        block.text
    };
    let output = bash(command, dir.path());
    let mut seen = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    for made in ["slim.json", "slim.jsonl", "repaired.json"] {
        seen += &fs::read_to_string(dir.path().join(made)).unwrap_or_default();
    }
    let shown: String = seen.chars().take(3000).collect();
    assert!(
        output.status.success(),
        "{place}: {}\n{shown}",
        output.status
    );
    for text in &block.prints {
        assert!(seen.contains(text), "{place}: {text:?} is not in\n{shown}");
    }
}

/// Runs the commands of a block in one folder and returns the block with what they print.
fn commands(text: &str, place: &str) -> String {
    let dir = scratch();
    if text.contains("sessions") {
        add_sessions(dir.path());
    }
    let mut printed = String::new();
    for command in text.lines().filter_map(|line| line.strip_prefix("$ ")) {
        let output = bash(&format!("{{ {command}\n}} 2>&1"), dir.path());
        printed += &format!("$ {command}\n{}", String::from_utf8_lossy(&output.stdout));
    }
    if std::env::var_os("UPDATE").is_none() {
        assert_eq!(
            text, printed,
            "{place}: UPDATE=1 cargo test --test program docs writes it anew"
        );
    }
    printed
}

fn configuration(text: &str, place: &str) {
    let dir = scratch();
    fs::write(dir.path().join("config.json5"), text).expect("a file");
    let workload = if text.contains("chat:") {
        "--workload chat"
    } else {
        ""
    };
    let output = bash(
        &format!("deadhead config show {workload} -c config.json5"),
        dir.path(),
    );
    assert!(
        output.status.success(),
        "{place}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// README.md and all pages of docs/.
fn pages() -> Vec<PathBuf> {
    let docs = fs::read_dir(root().join("docs"))
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path());
    let mut pages: Vec<PathBuf> = docs
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect();
    pages.push(root().join("README.md"));
    pages.sort();
    pages
}

/// The anchor that a heading has in a rendered page.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    text.chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}
