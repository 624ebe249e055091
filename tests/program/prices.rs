//! `--prices` and `replay.prices`: a price table of the user's.

use crate::replay_command::session;
use crate::support::{Place, deadhead};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// A row for a family whose prices are `times` those of claude-sonnet-4-5.
pub fn line(family: &str, times: u32) -> String {
    let price = |usd: f64| usd * f64::from(times);
    let [input, output, read, write, long] = [3.0, 15.0, 0.3, 3.75, 6.0].map(price);
    format!(
        "# mine\n{family}\tanthropic\t{input}\t{output}\t{read}\t{write}\t{long}\t200000\t2\t1.5\t300\t3600\t1024\t1\t20\tyes\t\t\town prices\n"
    )
}

fn run(place: &Place, args: &[&str], code: i32) -> (String, String) {
    let run = deadhead()
        .current_dir(place.root())
        .args(args)
        .assert()
        .code(code);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (
        text(&run.get_output().stdout),
        text(&run.get_output().stderr),
    )
}

fn spent(place: &Place, args: &[&str]) -> f64 {
    let all = [
        &["replay", "--report-format", "json"],
        args,
        &["session.jsonl"],
    ]
    .concat();
    let replay: Value = serde_json::from_str(&run(place, &all, 0).0).unwrap();
    replay["baseline"]["usd"].as_f64().unwrap()
}

#[test]
fn a_table_changes_what_a_replay_and_an_advice_cost() {
    let place = Place::new();
    session(place.root());
    place.file("dear.tsv", line("claude-sonnet-4-5", 10).as_bytes());
    place.file("other.tsv", line("llama-4", 10).as_bytes());
    place.file("conf/prices.tsv", line("claude-sonnet-4-5", 10).as_bytes());
    place.file("conf/own.json5", b"{ replay: { prices: 'prices.tsv' } }");
    let usual = spent(&place, &[]);
    let is = |args: &[&str], times: f64| {
        let usd = spent(&place, args);
        assert!(
            (usd - usual * times).abs() < 1e-3,
            "{args:?}: {usd}, {usual}"
        );
    };
    is(&["--prices", "dear.tsv"], 10.0);
    is(&["--prices", "other.tsv"], 1.0);
    // A path in a file is one below its folder, and a flag wins.
    is(&["-c", "conf/own.json5"], 10.0);
    is(&["-c", "conf/own.json5", "--prices", "other.tsv"], 1.0);
    let advise = |args: &[&str]| {
        let all = [
            &["advise", "--report-format", "json", "session.jsonl"],
            args,
        ]
        .concat();
        let advice: Value = serde_json::from_str(&run(&place, &all, 0).0).unwrap();
        advice["spent"].as_f64().unwrap()
    };
    assert!((advise(&["--prices", "dear.tsv"]) - 10.0 * advise(&[])).abs() < 1e-3);
    let (shown, _) = run(
        &place,
        &["config", "show", "--json", "--prices", "dear.tsv"],
        0,
    );
    let rows: Vec<Value> = serde_json::from_str(&shown).unwrap();
    let row = rows
        .iter()
        .find(|row| row["key"] == "replay.prices")
        .unwrap();
    assert_eq!(row["source"], "--prices");
}

#[test]
fn a_table_prices_the_cuts_of_a_prune() {
    let place = Place::new();
    place.file("own.tsv", line("nobody-knows-it", 1).as_bytes());
    let call = json!({"type": "tool_use", "id": "t", "name": "Read", "input": {}});
    let result = json!({"type": "tool_result", "tool_use_id": "t", "content": "x ".repeat(9000)});
    let body = json!({"model": "nobody-knows-it", "max_tokens": 9, "messages": [
        {"role": "user", "content": "go"}, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]},
        {"role": "assistant", "content": "a"}, {"role": "user", "content": "b"}, {"role": "assistant", "content": "c"},
        {"role": "user", "content": "d"}, {"role": "assistant", "content": "e"}, {"role": "user", "content": "f"},
    ]});
    place.file("body.json", body.to_string().as_bytes());
    let prune = |args: &[&str]| -> Value {
        let all = [
            &[
                "prune",
                "-n",
                "--mode",
                "aggressive",
                "--report-format",
                "json",
                "body.json",
            ],
            args,
        ]
        .concat();
        serde_json::from_str::<Value>(&run(&place, &all, 0).0).unwrap()["cache"].clone()
    };
    assert_eq!(prune(&[])["usdBefore"], Value::Null);
    let priced = prune(&["--prices", "own.tsv"]);
    assert!(priced["usdBefore"].as_f64().unwrap() > 0.0, "{priced}");
    assert_eq!(priced["priceSource"], "own prices");
    // What is read is never written to.
    let (_, error) = run(
        &place,
        &["prune", "--prices", "own.tsv", "-o", "own.tsv", "body.json"],
        2,
    );
    assert_eq!(
        error,
        "deadhead: own.tsv: is read for this run, and what is read is never written to\n"
    );
}

#[test]
fn a_path_that_is_not_utf_8_is_refused() {
    let place = Place::new();
    for command in [&["config", "show"][..], &["prune", "-n", "none.json"]] {
        let run = deadhead()
            .current_dir(place.root())
            .args(command)
            .arg("--prices")
            .arg(OsStr::from_bytes(b"own\xff.tsv"))
            .assert()
            .code(2);
        assert_eq!(
            String::from_utf8_lossy(&run.get_output().stderr),
            "deadhead: --prices own\u{fffd}.tsv: the path is not UTF-8, as a setting must be\n"
        );
    }
}

#[test]
fn a_wrong_table_is_refused_with_its_line() {
    let place = Place::new();
    session(place.root());
    let wrong = line("claude-sonnet-4-5", 1).replace("\t3\t", "\tthree\t");
    place.file("wrong.tsv", wrong.as_bytes());
    let refused = |name: &str| run(&place, &["replay", "--prices", name, "session.jsonl"], 2).1;
    let folder = place.root().display();
    assert_eq!(
        refused("wrong.tsv"),
        format!(
            "deadhead: {folder}/wrong.tsv:2: cell 3 (input) must be a number from 0, not \"three\"\n"
        )
    );
    assert!(
        refused("none.tsv").starts_with(&format!("deadhead: {folder}/none.tsv: No such file")),
        "{}",
        refused("none.tsv")
    );
}
