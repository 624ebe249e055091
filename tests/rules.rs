//! What `check` says of bodies that providers refused, and that it says nothing of those that they took.
//!
//! The lists are in `tests/golden`, a body a line with its source. Of a refused one they say the code, the message and the part that
//! must be told; `?` is any code but those in `not`.

#![allow(clippy::unwrap_used)]

use deadhead::account::Detail;
use deadhead::config::Settings;
use deadhead::engine::{self, Setup};
use deadhead::format::{Detected, by_name, detect, fits};
use deadhead::gate::Clock;
use deadhead::json::Cursor;
use deadhead::report::DefectRow;
use serde_json::Value;

const REFUSED: &[&str] = &[include_str!("golden/refusals.jsonl"), include_str!("golden/refusals_documented.jsonl")];
const TAKEN: &[&str] = &[include_str!("golden/accepted.jsonl"), include_str!("golden/accepted_documented.jsonl")];

/// The rows of a list.
fn rows(lists: &'static [&'static str]) -> impl Iterator<Item = Value> {
    lists.iter().flat_map(|list| list.lines()).map(|line| serde_json::from_str(line).unwrap())
}

/// What is found in a body, and what is warned of. A batch is the bodies in it.
fn found(body: &Value, format: Option<&str>, model: Option<&str>) -> (Vec<DefectRow>, Vec<String>) {
    if let Some(requests) = body["requests"].as_array() {
        let all: Vec<_> = requests.iter().map(|request| found(request, format, model)).collect();
        return (all.iter().flat_map(|(rows, _)| rows.clone()).collect(), all.into_iter().flat_map(|(_, warnings)| warnings).collect());
    }
    let bytes = body.to_string();
    let cursor = &mut Cursor::new(bytes.as_bytes());
    let detected: Detected = match format {
        Some(name) => fits(by_name(name).unwrap(), cursor).unwrap().unwrap_or_else(|| panic!("{bytes} is no {name}")),
        None => detect(cursor).unwrap().unwrap_or_else(|| panic!("{bytes} is nothing that is known")),
    };
    let settings = Settings { model: model.map(str::to_owned), ..Settings::default() };
    let clock = Clock { now: 0, last_call: None, assume_cold: false };
    let setup = Setup { check: true, ..Setup::new(settings, clock, Detail::Totals) };
    let report = engine::body(bytes.as_bytes(), 1, detected, &setup).unwrap().report;
    (report.integrity.before, report.warnings.into_iter().map(|warning| warning.text).collect())
}

#[test]
fn what_was_refused_is_found() {
    let mut bad = Vec::new();
    for row in rows(REFUSED) {
        let (told, _) = found(&row["body"], row["format"].as_str(), row["model"].as_str());
        let expect = &row["expect"];
        let not: Vec<&str> = expect["not"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let fits = |defect: &DefectRow| {
            let code = match expect["code"].as_str().unwrap() {
                "?" => !not.contains(&defect.code),
                codes => codes.split('|').any(|code| code == defect.code),
            };
            let number = |of: &Value, is: u64| of.is_null() || of.as_u64() == Some(is);
            code && number(&expect["message"], defect.message.into())
                && (expect["part"].is_null() || defect.part.map(u64::from) == expect["part"].as_u64())
        };
        if !told.iter().any(fits) {
            bad.push(format!("{} {expect}: {}\n  found {told:?}\n  in {}", row["provider"], row["error"], row["body"]));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn of_what_was_taken_nothing_is_told() {
    let mut bad = Vec::new();
    for row in rows(TAKEN) {
        let (told, _) = found(&row["body"], row["format"].as_str(), row["model"].as_str());
        if !told.is_empty() {
            bad.push(format!("{}: {told:?}\n  in {}", row["why"], row["body"]));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn every_row_has_a_source() {
    for row in rows(REFUSED).chain(rows(TAKEN).skip(40)) {
        assert!(["source", "source_url"].iter().any(|key| row[key].as_str().is_some_and(|source| !source.is_empty())), "{row}");
    }
}
