//! The smallest inputs of faults that were fixed, in `tests/golden/hand_made.jsonl`: their defects, and the copies that a repair writes.

use crate::support::deadhead;
use serde_json::Value;

#[test]
fn hand_made_inputs_have_these_defects_and_copies() {
    let mut wrong = Vec::new();
    for row in crate::data::lines("golden/hand_made.jsonl") {
        let (input, why) = (row["input"].as_str().unwrap(), row["why"].as_str().unwrap());
        assert!(
            row["source"]
                .as_str()
                .is_some_and(|source| !source.is_empty()),
            "{why}"
        );
        let output = deadhead()
            .args(["check", "--repair", "--report-format", "jsonl"])
            .write_stdin(input)
            .output()
            .unwrap();
        let (copy, reports) = (
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        );
        let refused = output.status.code() == Some(2);
        let rows: Vec<Value> = reports
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        let all = |key: &str| -> Vec<Value> {
            rows.iter()
                .flat_map(|report| report[key].as_array().cloned().unwrap_or_default())
                .collect()
        };
        let code = |defect: &Value| defect["code"].clone();
        let (defects, left): (Vec<Value>, Vec<Value>) = (all("defects"), all("left"));
        let codes: Vec<Value> = defects.iter().map(code).collect();
        // The advice says of each defect whether a repair leaves it.
        let stays = defects
            .iter()
            .filter(|defect| !defect["repair"].as_str().unwrap().ends_with("(--repair)"));
        let known: Vec<Value> = stays.map(code).collect();
        let honest = left
            .iter()
            .all(|defect| !codes.contains(&defect["code"]) || known.contains(&defect["code"]));
        let fits = match &row["copy"] {
            Value::String(wanted) => copy == *wanted,
            _ => refused && copy.is_empty(),
        };
        let warns = row["warning"]
            .as_str()
            .is_none_or(|warning| reports.contains(warning));
        if !fits
            || !warns
            || !honest
            || !row["codes"].is_null() && !refused && row["codes"] != Value::Array(codes.clone())
        {
            wrong.push(format!("{why}: {codes:?}\n{input}\n{copy}\n{reports}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
