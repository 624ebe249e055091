//! The recipes of CONTRIBUTING.md, written into a copy of the project as their texts say: how many files each touches, and that the
//! program which is built then has the made format, pass, rule, key and agent.

use crate::support::{Place, without_settings};
use regex::Regex;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

const PROJECT: &str = env!("CARGO_MANIFEST_DIR");

/// The recipes, each with the number of files that it may touch.
const RECIPES: [(&str, usize); 5] = [
    ("A format", 2),
    ("A pass", 2),
    ("A rule", 4),
    ("A key", 1),
    ("An agent", 4),
];

/// What a recipe says of a file: all of a new one, or what an old one gets.
struct Block<'a> {
    path: &'a str,
    is_diff: bool,
    text: &'a str,
}

/// The blocks of a section. A block belongs to the file that the text before it names last.
fn blocks<'a>(page: &'a str, section: &str) -> Vec<Block<'a>> {
    let (_, rest) = page.split_once(&format!("\n## {section}\n")).unwrap();
    let section = rest.split("\n## ").next().unwrap();
    let block = Regex::new(r"(?ms)^```(\w+)\n(.*?)^```$").unwrap();
    let path = Regex::new(r"`(crates/[\w/]+\.\w+)`").unwrap();
    let found = block.captures_iter(section).map(|found| {
        let before = &section[..found.get(0).unwrap().start()];
        let path = path.captures_iter(before).last().unwrap();
        Block {
            path: path.get(1).unwrap().as_str(),
            is_diff: &found[1] == "diff",
            text: found.get(2).unwrap().as_str(),
        }
    });
    found.collect()
}

/// A file with the added lines of a diff, whose other lines must be there once.
fn applied(path: &str, mut file: String, diff: &str) -> String {
    for hunk in diff.split("@@\n") {
        let is_old = |line: &&str| line.starts_with(' ');
        let text = |line: &str| format!("{}\n", &line[1..]);
        let old: String = hunk.lines().filter(is_old).map(text).collect();
        let new: String = hunk.lines().map(text).collect();
        assert_eq!(file.matches(&old).count(), 1, "{path} has once:\n{old}");
        file = file.replace(&old, &new);
    }
    file
}

/// Copies a folder, with the times of its files so that nothing is built twice; what recipes touch has the time of the recipes.
fn copy(from: &Path, to: &Path, written: &BTreeMap<PathBuf, String>, time: SystemTime) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let from = entry.unwrap().path();
        let to = to.join(from.file_name().unwrap());
        if from.is_dir() {
            copy(&from, &to, written, time);
        } else if !written.contains_key(&to) {
            let time = fs::metadata(&from).unwrap().modified().unwrap();
            fs::copy(&from, &to).unwrap();
            fs::File::open(&to).unwrap().set_modified(time).unwrap();
        }
    }
    for (path, text) in written.iter().filter(|(path, _)| path.parent() == Some(to)) {
        fs::write(path, text).unwrap();
        fs::File::open(path).unwrap().set_modified(time).unwrap();
    }
}

/// Builds the program of the copy. It shares the dependencies that the tests were built with.
fn build(copy: &Path) -> PathBuf {
    let built = Path::new(env!("CARGO_BIN_EXE_deadhead")).parent().unwrap();
    let folder = built.file_name().unwrap().to_str().unwrap();
    let profile = if folder == "debug" { "dev" } else { folder };
    let target = copy.join("target");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .current_dir(copy)
        .args([
            "build",
            "--quiet",
            "--offline",
            "--locked",
            "--profile",
            profile,
        ])
        .env("CARGO_TARGET_DIR", &target)
        .env("CARGO_BUILD_BUILD_DIR", built.parent().unwrap());
    // What cargo says of the tests' own package would have some dependencies built again.
    for (name, _) in std::env::vars() {
        if ["CARGO_PKG_", "CARGO_MANIFEST_"]
            .iter()
            .any(|own| name.starts_with(own))
        {
            cargo.env_remove(name);
        }
    }
    // Cargo takes a package for that of the project, as its name and its path in the workspace are equal, unless its profile differs.
    for member in ["", "-core", "-proxy", "-replay", "-retrieval", "-state"] {
        let own = format!("profile.{profile}.package.deadhead{member}");
        let settings = ["codegen-units=255", "opt-level=0"].map(|it| format!("{own}.{it}"));
        cargo.args(settings.iter().flat_map(|it| ["--config", it]));
    }
    let output = cargo.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    target.join(folder).join("deadhead")
}

#[test]
fn each_recipe_adds_what_it_says() {
    let page = Path::new(PROJECT).join("CONTRIBUTING.md");
    let time = fs::metadata(&page).unwrap().modified().unwrap();
    let page = fs::read_to_string(page).unwrap();
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recipes");
    let mut written: BTreeMap<PathBuf, String> = BTreeMap::new();
    for (section, most) in RECIPES {
        let blocks = blocks(&page, section);
        let touched: BTreeSet<&str> = blocks.iter().map(|block| block.path).collect();
        assert!(
            (1..=most).contains(&touched.len()),
            "{section}: {touched:?}, at most {most}"
        );
        for Block {
            path,
            is_diff,
            text,
        } in blocks
        {
            let of_project = Path::new(PROJECT).join(path);
            let file = written.entry(place.join(path)).or_insert_with(|| {
                assert_eq!(of_project.exists(), is_diff, "{path}");
                fs::read_to_string(of_project).unwrap_or_default()
            });
            *file = if is_diff {
                applied(path, std::mem::take(file), text)
            } else {
                text.to_owned()
            };
        }
    }
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).unwrap();
    for entry in fs::read_dir(PROJECT).unwrap() {
        let from = entry.unwrap().path();
        let name = from.file_name().unwrap().to_str().unwrap();
        match name {
            "crates" | "src" | "python" => copy(&from, &place.join(name), &written, time),
            _ if name.starts_with('.') || name == "target" => {}
            _ => symlink(&from, place.join(name)).unwrap(),
        }
    }
    let program = build(&place);
    format_is_read(&program);
    pass_and_key_cut(&program);
    rule_is_checked(&program);
    agent_is_run(&program);
}

/// Runs the program of the copy; returns its exit code and its output.
fn run(program: &Path, args: &[&str], input: &Value) -> (i32, String) {
    let place = Place::new();
    let input = place.file("input.json", input.to_string());
    let mut command = without_settings(program);
    let output = command.args(args).arg(input).output().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.code().unwrap(), text)
}

fn format_is_read(program: &Path) {
    let call = json!({"ts": 1, "model": "m", "prompt": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]});
    let (code, report) = run(program, &["check", "--report-format=json"], &call);
    assert_eq!(code, 0, "{report}");
    assert!(report.contains(r#""format": "proxy-log""#), "{report}");
}

fn pass_and_key_cut(program: &Path) {
    let mut messages = vec![json!({"role": "user", "content": "list"})];
    for i in 0..6 {
        let call = json!({"type": "tool_use", "id": format!("c{i}"), "name": "bash", "input": {}});
        let result = json!({"type": "tool_result", "tool_use_id": format!("c{i}"), "content": "total 536\n".repeat(900)});
        messages.push(json!({"role": "assistant", "content": [call]}));
        messages.push(json!({"role": "user", "content": [result]}));
    }
    let body = json!({"model": "claude-sonnet-4-5", "max_tokens": 1, "messages": messages});
    let flags = [
        "--mode=aggressive",
        "--pass=shells",
        "--context-window=3000",
    ];
    let (code, output) = run(program, &[&["prune"], &flags[..]].concat(), &body);
    assert_eq!(code, 0, "{output}");
    assert!(output.contains("[Old shell output]"), "{output}");
    let set = "--set=dedupe.maxChars=7";
    let mut command = without_settings(program);
    let shown = command.args(["config", "show", set]).output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    let key = shown
        .lines()
        .find(|line| line.starts_with("dedupe.maxChars"));
    assert!(key.is_some_and(|key| key.contains('7')), "{shown}");
}

fn rule_is_checked(program: &Path) {
    let body =
        |messages: Value| json!({"model": "llama3.2", "keep_alive": 1, "messages": messages});
    let said = json!({"role": "user", "content": "hi"});
    let (code, report) = run(program, &["check"], &body(json!([said])));
    assert!(
        code == 1 && report.contains("E41 it is the only message"),
        "{report}"
    );
    let (code, report) = run(program, &["check"], &body(json!([said, said])));
    assert!(code == 0 && !report.contains("E41"), "{report}");
}

fn agent_is_run(program: &Path) {
    let place = Place::new();
    let agent = place.file("bin/crow", "#!/bin/sh\necho \"asks $CROW_BASE_URL\"\n");
    fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = without_settings(program);
    command.env("HOME", place.root()).args(["run", "--"]);
    let output = command.arg(agent).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("asks http://127.0.0.1:"), "{said}{errors}");
    place.file(
        ".crow/sessions/s.jsonl",
        "{\"role\":\"user\",\"content\":\"hi\"}\n",
    );
    let mut welcome = without_settings(program);
    let output = welcome.env("HOME", place.root()).output().unwrap();
    let screen = String::from_utf8(output.stdout).unwrap();
    assert!(screen.contains("~/.crow/sessions"), "{screen}");
}
