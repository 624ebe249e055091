//! Schema 1 as lines: one compact object per report, then one with the key `totals`.

use super::Totals;
use super::totals::Closing;
use deadhead_core::outcome::Report;
use serde_jsonlines::JsonLinesWriter;
use std::io::{self, Write};

/// Prints a report on a line.
pub(super) fn one(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    JsonLinesWriter::new(out).write(report)
}

/// Prints the totals on a line.
pub(super) fn totals(totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
    JsonLinesWriter::new(out).write(&Closing::new(totals))
}

#[cfg(test)]
mod tests {
    use super::super::ReportFormat;
    use super::super::samples::{self, print};
    use deadhead_core::outcome::Report;
    use serde_json::Value;

    const UNTOUCHED: &str = r#"{"schema":1,"tool":{"name":"deadhead","version":"0.1.0"},"input":{"path":"-:1","format":"anthropic","bytes":1000,"records":3},"output":{"path":null,"bytes":1000},"decision":{"mode":"adaptive","ran":true,"why":"the window is not full enough","lastCall":null,"lastCallSource":null,"ttlMs":300000,"now":"2026-01-02T03:51:05Z","idleMs":null},"window":{"tokens":200000,"source":"default"},"model":null,"provider":null,"before":{"messages":3,"chars":999,"tokens":249,"ratio":0.0},"after":{"messages":3,"chars":999,"tokens":249,"ratio":0.0},"tokensSource":"chars","passes":[],"cuts":[],"skipped":[],"reranked":[],"workload":null,"session":null,"prefixStable":null,"prune":{"turnsRemoved":0,"ragKept":0,"ragDropped":0,"messagesBefore":0,"messagesAfter":0,"header":""},"composition":{"applied":null,"mutatingCandidatePresent":false,"contentMutationApplied":false,"forcedOff":[],"shortCircuited":[],"why":""},"mirrors":{"cuts":0,"bytesRemoved":0,"left":0},"firstChange":null,"integrity":{"before":[],"after":[]},"cache":{"writeTokensBefore":0,"writeTokensAfter":0,"usdBefore":null,"usdAfter":null,"priceSource":null},"warnings":[]}
"#;
    const TOTALS: &str = r#"{"schema":1,"totals":{"inputs":2,"failed":0,"written":0,"bytesIn":2000,"bytesOut":2000,"before":{"chars":1998,"tokens":498},"after":{"chars":1998,"tokens":498},"cuts":{"clear":0,"drop":0,"rerank":0,"trim":0},"mirrors":{"cuts":0,"bytesRemoved":0,"left":0}}}
"#;

    fn lines(reports: &[Report]) -> String {
        print(ReportFormat::Jsonl, 0, reports)
    }

    #[test]
    fn one_input_is_one_line() {
        assert_eq!(lines(&[samples::untouched()]), UNTOUCHED);
    }

    #[test]
    fn several_inputs_end_with_totals() {
        let expected = format!("{UNTOUCHED}{UNTOUCHED}{TOTALS}");
        assert_eq!(lines(&[samples::untouched(), samples::untouched()]), expected);
    }

    #[test]
    fn every_line_is_json_whatever_the_names() {
        let mut report = samples::pruned();
        report.cuts[0].tool = "a\n\u{1b}\u{2028}\"日".into();
        let text = lines(&[report.clone(), report]);
        let values: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        assert_eq!(values[0]["cuts"][0]["tool"], "a\n\u{1b}\u{2028}\"日");
        assert!(values.len() == 3 && values[2].get("totals").is_some());
    }
}
