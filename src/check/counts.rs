//! E07: a message of calls and the next, which answers them, hold as many calls as results.
//!
//! Gemini, Bedrock and Mistral count before they look at ids; Mistral's results are messages of their own. A message that
//! answers nothing is E01's, a result that nothing asked for E02's.

use super::Finder;
use crate::transcript::{BlockKind, Role, Rules};

/// Adds what there is of E07.
pub(super) fn check(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    if !matches!(transcript.rules, Rules::Gemini | Rules::Converse | Rules::Mistral) {
        return;
    }
    let count = |i: usize, kind| transcript.blocks_of(i).iter().filter(|b| b.kind == kind).count();
    // The messages that answer together: one, or all of a run of results.
    let answers = |i: usize| {
        let more = transcript.messages[i..].iter().take_while(|m| m.role == Role::Tool).count();
        (i..i + more.max(1)).map(|j| count(j, BlockKind::Result)).sum::<usize>()
    };
    for i in 1..transcript.messages.len() {
        let calls = count(i - 1, BlockKind::Call);
        let results = if calls > 0 { answers(i) } else { 0 };
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

    #[test]
    fn mistral_counts_a_run_of_results() {
        let call = r#"{"id":"null","function":{"name":"f","arguments":{}}}"#;
        let body = |results: &str| {
            format!(r#"{{"messages":[{{"role":"user","content":"x"}},{{"role":"assistant","tool_calls":[{call},{call}]}}{results}]}}"#)
        };
        let one = r#",{"role":"tool","name":"f","content":"x"}"#;
        assert_eq!(codes("mistral", &body(&one.repeat(2))), [""; 0]);
        assert_eq!(codes("mistral", &body(one)), ["E01", "E07"]);
        assert_eq!(codes("mistral", &body(&one.repeat(3))), ["E07", "E02"]);
        assert_eq!(codes("ollama", &body(one).replace(r#""id":"null","#, "")), ["E01"]);
    }
}
