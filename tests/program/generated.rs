//! Committed files that the program or the tests generate are generated again and compared.
//!
//! `UPDATE=1 cargo test --test program generated` writes them anew; read the diff.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The shells and the names that their completion files go by.
const SHELLS: [(&str, &str); 3] = [
    ("bash", "deadhead.bash"),
    ("fish", "deadhead.fish"),
    ("zsh", "_deadhead"),
];

/// The run of the picture in `docs/passes.md`, in a folder with the sample.
const RUN: &str = "deadhead prune --preset break-even --now 2025-11-21T00:47:00Z -o pruned.jsonl demo-session.jsonl";

#[test]
fn man_pages() {
    let dir = tempfile::tempdir().expect("a scratch folder");
    let status = deadhead(dir.path())
        .args(["man", "."])
        .status()
        .expect("it starts");
    assert!(status.success());
    let pages = files(dir.path());
    for (name, page) in &pages {
        let text = String::from_utf8_lossy(page);
        let title = text
            .lines()
            .find(|line| line.starts_with(".TH"))
            .expect("a title");
        assert_eq!(
            title,
            format!(
                ".TH {} 1  \"deadhead {}\" ",
                name.trim_end_matches(".1"),
                env!("CARGO_PKG_VERSION")
            ),
            "no date"
        );
    }
    compare("man", &pages);
}

#[test]
fn completions() {
    let made = SHELLS.map(|(shell, file)| {
        let output = deadhead(Path::new("."))
            .args(["completions", shell])
            .output()
            .expect("it starts");
        assert!(output.status.success(), "{shell}");
        (file.to_owned(), output.stdout)
    });
    compare("completions", &BTreeMap::from(made));
}

/// In bash, which the tests need anyhow; `.ci/full` does the same in zsh and fish.
#[test]
fn completions_know_presets_passes_formats_and_keys() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/completions");
    let program = Path::new(env!("CARGO_BIN_EXE_deadhead"))
        .parent()
        .expect("it is in a folder");
    let path = std::env::join_paths(
        [program.into()]
            .into_iter()
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    )
    .unwrap();
    let output = Command::new(script)
        .arg("bash")
        .env("PATH", path)
        .output()
        .expect("it starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn picture_of_a_run() {
    let dir = tempfile::tempdir().expect("a scratch folder");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples/demo-session.jsonl");
    fs::copy(sample, dir.path().join("demo-session.jsonl")).expect("the sample is there");
    let args = RUN.split(' ').skip(1).chain(["--color", "always"]);
    let output = deadhead(dir.path()).args(args).output().expect("it starts");
    assert!(output.status.success() && output.stdout.is_empty());
    let picture = svg(RUN, &String::from_utf8_lossy(&output.stderr));
    compare(
        "docs",
        &BTreeMap::from([("run.svg".to_owned(), picture.into_bytes())]),
    );
}

#[test]
fn schemas() {
    let output = deadhead(Path::new("."))
        .args(["config", "schema"])
        .output()
        .expect("it starts");
    assert!(output.status.success());
    compare(
        "docs",
        &BTreeMap::from([("schema.json".to_owned(), output.stdout)]),
    );
}

/// A terminal as a picture: a command and what it printed, in the colours of the reader's light or dark page.
fn svg(command: &str, printed: &str) -> String {
    let lines: Vec<(&str, &str)> = printed.lines().map(classed).collect();
    let columns = lines
        .iter()
        .map(|(_, text)| text.chars().count())
        .max()
        .unwrap_or(0)
        .max(command.len() + 2);
    let (width, height) = (columns * 8 + 32, (lines.len() + 1) * 19 + 32);
    let mut rows = String::new();
    for (i, (class, text)) in [("c", format!("$ {command}").as_str())]
        .into_iter()
        .chain(lines)
        .enumerate()
    {
        let text = text
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        rows += &format!(
            "<text x=\"16\" y=\"{}\" class=\"{class}\">{text}</text>\n",
            31 + i * 19
        );
    }
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">
<title>A run of deadhead on a session of 246 kB</title>
<style>
text {{ font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }}
rect {{ fill: #f6f8fa; stroke: #d0d7de }}
.c, .h {{ fill: #1f2328 }} .h {{ font-weight: bold }} .d {{ fill: #59636e }} .w {{ fill: #9a6700 }} .e {{ fill: #d1242f }}
@media (prefers-color-scheme: dark) {{
rect {{ fill: #151b23; stroke: #3d444d }}
.c, .h {{ fill: #f0f6fc }} .d {{ fill: #9198a1 }} .w {{ fill: #d29922 }} .e {{ fill: #f85149 }}
}}
</style>
<rect x="0.5" y="0.5" width="{}" height="{}" rx="8"/>
{rows}</svg>
"##,
        width - 1,
        height - 1
    )
}

/// The class of a line's colour, and its text without the colour's codes.
fn classed(line: &str) -> (&str, &str) {
    let (code, text) = line
        .strip_prefix("\x1b[")
        .and_then(|l| l.split_once('m'))
        .unwrap_or(("", line));
    let class = match code {
        "1" => "h",
        "2" => "d",
        "31" => "e",
        "33" => "w",
        _ => "c",
    };
    (class, text.trim_end_matches("\x1b[0m"))
}

/// The program, in `dir`, without the configuration of whoever runs the tests.
fn deadhead(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_deadhead"));
    command
        .current_dir(dir)
        .env_remove("DEADHEAD_CONFIG")
        .env("XDG_CONFIG_HOME", "/nonexistent");
    command
}

/// All files of a folder.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir)
        .expect("the folder is there")
        .map(|e| e.expect("an entry"));
    entries
        .filter(|e| e.path().is_file())
        .map(|e| {
            (
                e.file_name().to_string_lossy().into_owned(),
                fs::read(e.path()).expect("a file"),
            )
        })
        .collect()
}

/// Compares what was made with what is committed in `folder`, or writes it there.
/// Node's fetch knows the routes of the proxy and of Python.
#[test]
fn routes_of_node() {
    let rows = include_str!("../../crates/core/src/routes.tsv")
        .lines()
        .filter(|line| !line.starts_with('#') && !line.contains("\tsummary\t"))
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            match cells[2] {
                "" => format!("  [{:?}],\n", cells[0]),
                provider => format!("  [{:?}, {provider:?}],\n", cells[0]),
            }
        });
    let text = format!(
        "// The ends of paths that carry a transcript, and the provider where the path says more than the body.\n\
         // Generated from crates/core/src/routes.tsv: UPDATE=1 cargo test --test program generated\n\
         export const ROUTES = [\n{}];\n",
        rows.collect::<String>()
    );
    compare(
        "npm/deadhead",
        &BTreeMap::from([("routes.js".to_owned(), text.into_bytes())]),
    );
}

fn compare(folder: &str, made: &BTreeMap<String, Vec<u8>>) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let whole = !matches!(folder, "docs" | "npm/deadhead");
    if std::env::var_os("UPDATE").is_some() {
        if whole {
            let _ = fs::remove_dir_all(&dir);
        }
        fs::create_dir_all(&dir).expect("the folder can be made");
        for (name, bytes) in made {
            fs::write(dir.join(name), bytes).expect("the file can be written");
        }
    }
    let mut committed = files(&dir);
    committed.retain(|name, _| whole || made.contains_key(name));
    let stale: Vec<&String> = made
        .keys()
        .chain(committed.keys())
        .filter(|name| made.get(*name) != committed.get(*name))
        .collect();
    assert!(
        stale.is_empty(),
        "stale in {folder}/: {stale:?}; UPDATE=1 cargo test --test program generated writes them anew"
    );
}
