//! Reports as JSON, one object or an array, and as JSON lines.

use super::super::super::{Printer, ReportFormat, TextStyle};
use super::super::{Pruning, Totals};
use super::print;
use clap::ValueEnum;
use deadhead_core::outcome::Report;
use serde_json::Value;

fn json(reports: &[Report]) -> String {
    print(ReportFormat::Json, false, reports)
}

/// Every key of `value` as a path, those of array elements under `[]`, in order, once.
fn keys(value: &Value, at: &str, list: &mut Vec<String>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(key, value)| {
            let path = format!("{at}{key}");
            if !list.contains(&path) {
                list.push(path.clone());
            }
            keys(value, &format!("{path}."), list);
        }),
        Value::Array(items) => items.iter().for_each(|item| keys(item, at, list)),
        _ => {}
    }
}

#[test]
fn keys_are_those_of_schema_1() {
    let value = serde_json::from_str(&json(&[super::pruned()])).unwrap();
    let mut list = Vec::new();
    keys(&value, "", &mut list);
    let expected = "schema \
        tool tool.name tool.version \
        input input.path input.format input.bytes input.records \
        output output.path output.bytes \
        decision decision.mode decision.ran decision.why decision.lastCall decision.lastCallSource \
        decision.ttlMs decision.now decision.idleMs \
        window window.tokens window.source \
        model provider \
        before before.messages before.chars before.tokens before.ratio \
        after after.messages after.chars after.tokens after.ratio \
        tokensSource \
        passes passes.name passes.cuts passes.charsRemoved passes.skipped \
        cuts cuts.pass cuts.action cuts.message cuts.part cuts.line cuts.tool cuts.callId \
        cuts.charsBefore cuts.charsAfter cuts.linked cuts.reason \
        skipped skipped.pass skipped.message skipped.part skipped.why \
        reranked reranked.message reranked.part reranked.layout reranked.kept reranked.dropped reranked.chunks \
        reranked.chunks.from reranked.chunks.to reranked.chunks.number reranked.chunks.name reranked.chunks.score \
        reranked.chunks.cosine reranked.chunks.chars reranked.chunks.cited \
        workload workload.name workload.stack workload.state \
        session session.name session.source session.kept session.added session.dropped \
        prefixStable prefixStable.bytes prefixStable.messages \
        prune prune.turnsRemoved prune.ragKept prune.ragDropped prune.messagesBefore prune.messagesAfter prune.header \
        composition composition.applied composition.mutatingCandidatePresent composition.contentMutationApplied \
        composition.forcedOff composition.shortCircuited composition.why \
        mirrors mirrors.cuts mirrors.bytesRemoved mirrors.left \
        firstChange firstChange.message firstChange.byte \
        integrity integrity.before integrity.before.code integrity.before.message \
        integrity.before.detail integrity.after integrity.after.code integrity.after.message \
        integrity.after.detail \
        cache cache.writeTokensBefore cache.writeTokensAfter cache.usdBefore cache.usdAfter cache.priceSource \
        warnings warnings.line warnings.text";
    assert_eq!(list, expected.split_whitespace().collect::<Vec<_>>());
}

#[test]
fn one_report_is_no_array() {
    let report = super::pruned();
    let text = json(std::slice::from_ref(&report));
    assert_eq!(text, serde_json::to_string_pretty(&report).unwrap() + "\n");
    assert!(text.starts_with("{\n  \"schema\": 1,\n  \"tool\": {\n    \"name\": \"deadhead\",\n"));
}

#[test]
fn several_reports_are_an_array_that_ends_with_totals() {
    let reports = [super::pruned(), super::untouched(), super::pruned()];
    let text = json(&reports);
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(text, serde_json::to_string_pretty(&value).unwrap() + "\n");
    for (at, report) in reports.iter().enumerate() {
        assert_eq!(value[at], serde_json::to_value(report).unwrap());
    }
    assert_eq!(value[3]["schema"], 1);
    assert_eq!(value[3]["totals"]["cuts"]["clear"], 4);
    assert_eq!(value.as_array().unwrap().len(), 4);
}

#[test]
fn a_failed_input_makes_an_array_of_what_is_left() {
    let (mut out, mut totals) = (Vec::new(), Totals::default());
    let mut printer = Printer::<Pruning>::new(
        ReportFormat::Json,
        TextStyle {
            colour: false,
            verbose: false,
            columns: 80,
            is_terminal: false,
        },
        String::new(),
    );
    totals.add_failed();
    totals.add(&super::untouched());
    printer.one(&super::untouched(), &mut out).unwrap();
    printer.end(&totals, &mut out).unwrap();
    let value: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(value[1]["totals"]["failed"], 1);
}

#[test]
fn without_reports_there_is_valid_json() {
    let value: Value = serde_json::from_str(&json(&[])).unwrap();
    assert_eq!(value[0]["totals"]["inputs"], 0);
}

const UNTOUCHED: &str = r#"{"schema":1,"tool":{"name":"deadhead","version":"0.1.0"},"input":{"path":"-:1","format":"anthropic","bytes":1000,"records":3},"output":{"path":null,"bytes":1000},"decision":{"mode":"adaptive","ran":true,"why":"the window is not full enough","lastCall":null,"lastCallSource":null,"ttlMs":300000,"now":"2026-01-02T03:51:05Z","idleMs":null},"window":{"tokens":200000,"source":"default"},"model":null,"provider":null,"before":{"messages":3,"chars":999,"tokens":249,"ratio":0.0},"after":{"messages":3,"chars":999,"tokens":249,"ratio":0.0},"tokensSource":"chars","passes":[],"cuts":[],"skipped":[],"reranked":[],"workload":null,"session":null,"prefixStable":null,"prune":{"turnsRemoved":0,"ragKept":0,"ragDropped":0,"messagesBefore":0,"messagesAfter":0,"header":""},"composition":{"applied":null,"mutatingCandidatePresent":false,"contentMutationApplied":false,"forcedOff":[],"shortCircuited":[],"why":""},"mirrors":{"cuts":0,"bytesRemoved":0,"left":0},"firstChange":null,"integrity":{"before":[],"after":[]},"cache":{"writeTokensBefore":0,"writeTokensAfter":0,"usdBefore":null,"usdAfter":null,"priceSource":null},"warnings":[]}
"#;
const TOTALS: &str = r#"{"schema":1,"totals":{"inputs":2,"failed":0,"skipped":0,"written":0,"bytesIn":2000,"bytesOut":2000,"before":{"chars":1998,"tokens":498},"after":{"chars":1998,"tokens":498},"cuts":{"clear":0,"drop":0,"rerank":0,"trim":0},"mirrors":{"cuts":0,"bytesRemoved":0,"left":0}}}
"#;

fn lines(reports: &[Report]) -> String {
    print(ReportFormat::Jsonl, false, reports)
}

#[test]
fn one_input_is_one_line() {
    assert_eq!(lines(&[super::untouched()]), UNTOUCHED);
}

#[test]
fn several_inputs_end_with_totals() {
    let expected = format!("{UNTOUCHED}{UNTOUCHED}{TOTALS}");
    assert_eq!(lines(&[super::untouched(), super::untouched()]), expected);
}

#[test]
fn every_line_is_json_whatever_the_names() {
    let mut report = super::pruned();
    report.cuts[0].tool = "a\n\u{1b}\u{2028}\"日".into();
    let text = lines(&[report.clone(), report]);
    let values: Vec<Value> = text
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(values[0]["cuts"][0]["tool"], "a\n\u{1b}\u{2028}\"日");
    assert!(values.len() == 3 && values[2].get("totals").is_some());
}

#[test]
fn names_are_those_of_the_flag() {
    let names = ReportFormat::value_variants()
        .iter()
        .filter_map(|f| f.to_possible_value());
    let names: Vec<_> = names.map(|v| v.get_name().to_owned()).collect();
    assert_eq!(names, ["text", "json", "jsonl", "markdown", "html"]);
}

#[test]
fn a_file_does_not_depend_on_the_terminal() {
    let reports = [super::pruned(), super::untouched()];
    for &format in &ReportFormat::value_variants()[1..] {
        assert_eq!(
            print(format, false, &reports),
            print(format, true, &reports)
        );
    }
}
