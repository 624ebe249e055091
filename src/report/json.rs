//! Schema 1, indented by two: one report alone, or an array of them that ends with an object of totals.
//!
//! Which of the two it is shows only when a second report comes or the end does: until then the first is held back.

use super::Totals;
use super::totals::Closing;
use deadhead_core::outcome::Report;
use serde::Serialize;
use std::io::{self, Write};

/// What has been printed of the array, and the report held back.
#[derive(Default)]
pub(super) struct Array {
    /// Invariant: `Some` only while nothing is printed.
    first: Option<String>,
    open: bool,
}

impl Array {
    /// Prints a report, or holds it back if it is the first.
    pub(super) fn one(&mut self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let text = pretty(report)?;
        if let Some(first) = self.first.take() {
            self.element(&first, out)?;
        } else if !self.open {
            self.first = Some(text);
            return Ok(());
        }
        self.element(&text, out)
    }

    /// Prints the report held back if it is alone, else the totals. Without any report there is still valid JSON.
    pub(super) fn end(&mut self, totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
        if let Some(first) = self.first.take() {
            if totals.inputs <= 1 {
                return writeln!(out, "{first}");
            }
            self.element(&first, out)?;
        }
        self.element(&pretty(&Closing::new(totals))?, out)?;
        writeln!(out, "\n]")
    }

    fn element(&mut self, text: &str, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(if self.open { b",\n  " } else { b"[\n  " })?;
        self.open = true;
        // A line feed inside a JSON string is always escaped, so those here are all layout.
        out.write_all(text.replace('\n', "\n  ").as_bytes())
    }
}

fn pretty(value: &impl Serialize) -> io::Result<String> {
    Ok(serde_json::to_string_pretty(value)?)
}

#[cfg(test)]
mod tests {
    use super::super::ReportFormat;
    use super::super::samples::{self, print};
    use super::*;
    use serde_json::Value;

    fn json(reports: &[Report]) -> String {
        print(ReportFormat::Json, 0, reports)
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
        let value = serde_json::from_str(&json(&[samples::pruned()])).unwrap();
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
    fn one_report_stands_alone() {
        let report = samples::pruned();
        let text = json(std::slice::from_ref(&report));
        assert_eq!(text, serde_json::to_string_pretty(&report).unwrap() + "\n");
        assert!(text.starts_with("{\n  \"schema\": 1,\n  \"tool\": {\n    \"name\": \"deadhead\",\n"));
    }

    #[test]
    fn several_reports_are_an_array_that_ends_with_totals() {
        let reports = [samples::pruned(), samples::untouched(), samples::pruned()];
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
        let (mut out, mut totals, mut array) = (Vec::new(), Totals::default(), Array::default());
        totals.add_failed();
        totals.add(&samples::untouched());
        array.one(&samples::untouched(), &mut out).unwrap();
        array.end(&totals, &mut out).unwrap();
        let value: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(value[1]["totals"]["failed"], 1);
    }

    #[test]
    fn without_reports_there_is_valid_json() {
        let value: Value = serde_json::from_str(&json(&[])).unwrap();
        assert_eq!(value[0]["totals"]["inputs"], 0);
    }
}
