//! E07: a message of calls and the next, which answers them, hold as many calls as results.
//!
//! Gemini and Bedrock count before they look at ids. A message that answers nothing is E01's, a result that nothing asked
//! for E02's.

use super::Finder;
use crate::transcript::{BlockKind, Rules};

/// Adds what there is of E07.
pub(super) fn check(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    if !matches!(transcript.rules, Rules::Gemini | Rules::Converse) {
        return;
    }
    let count = |i: usize, kind| transcript.blocks_of(i).iter().filter(|b| b.kind == kind).count();
    for i in 1..transcript.messages.len() {
        let (calls, results) = (count(i - 1, BlockKind::Call), count(i, BlockKind::Result));
        if calls > 0 && results > 0 && calls != results {
            finder.tell("E07", i, None, 0, format!("{calls} calls and {results} results after them"));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check::rules_tests::codes;

    #[test]
    fn calls_and_results_are_counted() {
        let body = |results: &str| {
            format!(
                r#"{{"contents":[{{"parts":[{{"text":"x"}}]}},{{"role":"model","parts":[{{"functionCall":{{"name":"f"}}}},{{"functionCall":{{"name":"f"}}}}]}},{{"role":"user","parts":[{results}]}}]}}"#
            )
        };
        let one = r#"{"functionResponse":{"name":"f","response":{}}}"#;
        assert_eq!(codes("gemini", &body(&format!("{one},{one}"))), [""; 0]);
        assert_eq!(codes("gemini", &body(one)), ["E01", "E07"]);
        assert_eq!(codes("gemini", &body(&format!("{one},{one},{one}"))), ["E02", "E07"]);
        assert_eq!(codes("gemini", &body(r#"{"text":"never mind"}"#)), ["E01", "E01"]);
    }
}
