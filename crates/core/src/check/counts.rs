//! E07: a turn with calls must be followed by a turn with as many results.
//!
//! Gemini, Bedrock and Mistral count before they compare ids; Mistral's results are separate messages. A turn without any results is left
//! to E01, one without any calls to E02.

use super::Finder;
use crate::transcript::{BlockKind, Role};
use std::ops::Range;

/// Reports E07.
pub(super) fn check(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    if !finder.rules.results_counted {
        return;
    }
    let count = |turn: &Range<usize>, kind| {
        let blocks = turn.clone().flat_map(|i| transcript.blocks_of(i));
        blocks.filter(|b| b.kind == kind).count()
    };
    let turns: Vec<_> = finder.turns().collect();
    for pair in turns
        .windows(2)
        .filter(|pair| transcript.messages[pair[0].start].role == Role::Assistant)
    {
        let calls = count(&pair[0], BlockKind::Call);
        let results = count(&pair[1], BlockKind::Result);
        if calls > 0 && results > 0 && calls != results {
            let detail = format!("{calls} calls and {results} results after them");
            finder.report("E07", pair[1].start, detail);
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
        assert_eq!(
            codes("gemini", &body(&format!("{one},{one},{one}"))),
            ["E02", "E07"]
        );
        assert_eq!(
            codes("gemini", &body(r#"{"text":"never mind"}"#)),
            ["E01", "E01"]
        );
    }

    #[test]
    fn mistral_counts_a_run_of_results() {
        let call = r#"{"id":"null","function":{"name":"f","arguments":{}}}"#;
        let body = |results: &str| {
            format!(
                r#"{{"messages":[{{"role":"user","content":"x"}},{{"role":"assistant","tool_calls":[{call},{call}]}}{results}]}}"#
            )
        };
        let one = r#",{"role":"tool","name":"f","content":"x"}"#;
        assert_eq!(codes("mistral", &body(&one.repeat(2))), [""; 0]);
        assert_eq!(codes("mistral", &body(one)), ["E01", "E07"]);
        assert_eq!(codes("mistral", &body(&one.repeat(3))), ["E07", "E02"]);
        assert_eq!(
            codes("ollama", &body(one).replace(r#""id":"null","#, "")),
            ["E01"]
        );
    }
}
