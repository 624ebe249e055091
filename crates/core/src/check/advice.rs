//! Advice for each defect code: how to repair it, and whether `--repair` does.

/// The advice for a defect code.
pub(super) fn advice(code: &str) -> &'static str {
    ADVICE
        .iter()
        .find(|(c, _)| *c == code)
        .map_or("", |(_, text)| text)
}

/// The advice for a role after another that does not accept it, which only a person can repair.
pub(super) const ORDER: &str = "put the message where the provider accepts it";

/// The advice of a call that names no tool.
pub(super) const NAMELESS: &str = "name the tool that is called";

/// The advice for a call that only a screenshot answers, with the safety checks that a person must confirm.
pub(super) const SCREEN: &str = "send the screenshot, with the safety checks that a person has acknowledged, or remove the call";

/// The advice for a defect of a message that consists of several records of a log.
pub(super) const BY_HAND: &str = "several records make this message: have the agent write it again, or repair the last of them by hand";

/// The advice for a call or a result whose other half is in another part of the log.
pub(crate) const RESULT_ELSEWHERE: &str = "its result is on a line that is not read or not sent: bring that line back, or answer the call by hand";
pub(crate) const CALL_ELSEWHERE: &str = "its call is on a line that is not read or not sent: bring that line back, or delete the result by hand";

/// The advice for a call or a result beside one that has no id and may be its other half.
pub(crate) const WITHOUT_ID: &str =
    "a call or result without an id may be its other half: write that id by hand";

/// The end of each advice that a repair carries out.
pub const REPAIRED: &str = " (repair)";

/// The advice for a part that only a person can move to another message.
pub(super) const MOVE: &str = "move the part to a message of its role";

/// The advice for an incomplete line.
pub(super) const TORN: &str = "remove the line (repair)";

/// The advice for a log with more incomplete lines at its end than an agent leaves.
pub(super) const DAMAGED: &str =
    "many lines at the end are incomplete: restore the log, or remove the lines by hand";

const ADVICE: &[(&str, &str)] = &[
    (
        "E01",
        "add a result which says that none was recorded (repair)",
    ),
    (
        "E02",
        "give the result the id of its call, or delete it (repair)",
    ),
    ("E03", "move the result next to its call (repair)"),
    ("E04", "put the results before all other content (repair)"),
    ("E05", "keep the result that says more (repair)"),
    (
        "E06",
        "give the second call and its result another id (repair)",
    ),
    ("E08", "delete the empty text or message (repair)"),
    ("E09", "delete the key tool_calls (repair)"),
    (
        "E07",
        "answer each call once: repaired with E01, E02 and E03 (repair)",
    ),
    ("E10", "begin with a message of the user (repair)"),
    ("E11", "join consecutive messages of one role (repair)"),
    ("E12", "end with a message of the user"),
    ("E13", "remove the white space at the end (repair)"),
    (
        "E14",
        "keep the last four marks, those for an hour first (repair)",
    ),
    (
        "E15",
        "send the thinking of the open turn back unchanged, or turn thinking off for this request",
    ),
    (
        "E16",
        "remove the thinking after the change, or set block_binding to drop_block",
    ),
    ("E17", "remove reasoning that nothing follows (repair)"),
    ("E18", "send thoughtSignature back on the part that had it"),
    ("E19", "declare the tools, or remove the calls and results"),
    ("E20", "delete the call or result that is left (repair)"),
    (
        "E21",
        "send the caller's call again, or remove caller (repair)",
    ),
    (
        "E22",
        "send only text in the result, or remove is_error (repair)",
    ),
    ("E23", "send reasoning_content back unchanged"),
    (
        "E24",
        "give the call, and its result, an id that the provider accepts (repair)",
    ),
    (
        "E25",
        "send the item without its id, or with an id of its kind (repair)",
    ),
    (
        "E26",
        "send each item once, or the second without its id (repair)",
    ),
    (
        "E27",
        "give the tool, wherever it is named, a name that the provider accepts (repair)",
    ),
    ("E28", "give each tool another name, or declare it once"),
    (
        "E29",
        "send the arguments or the content in a JSON type that the provider accepts",
    ),
    (
        "E30",
        "send a type, a role or an id that the provider accepts",
    ),
    ("E31", "move the part to a message of its role (repair)"),
    ("E32", "put calls last in their turn (repair)"),
    ("E33", "remove thinking that is not signed (repair)"),
    ("E34", "remove thinking that nothing follows (repair)"),
    ("E35", "remove the cache mark (repair)"),
    (
        "E36",
        "put the message between a message of the user and an answer, or last",
    ),
    (
        "E37",
        "send the encrypted reasoning, or remove the item (repair)",
    ),
    ("E38", TORN),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::DIALECTS;

    #[test]
    fn every_answer_has_advice() {
        let answers = DIALECTS
            .iter()
            .flat_map(|format| format.interface.refusals.lines())
            .map(|line| line.split_once('\t').unwrap());
        let codes = answers.clone().filter(|(what, _)| what.starts_with('E'));
        assert!(answers.clone().all(|(_, text)| !text.is_empty()) && codes.clone().count() > 50);
        for (code, _) in codes {
            assert!(!advice(code).is_empty(), "{code}");
        }
    }

    #[test]
    fn the_documented_codes_are_these() {
        let rows = include_str!("../../../../docs/check.md")
            .lines()
            .filter(|line| line.starts_with("| E"));
        let reported: Vec<(&str, bool)> = rows
            .map(|row| (&row[2..5], !row.ends_with("| no |")))
            .collect();
        let mut want: Vec<(&str, bool)> = ADVICE
            .iter()
            .map(|(code, advice)| (*code, advice.ends_with("(repair)")))
            .collect();
        want.sort_unstable();
        assert_eq!(reported, want);
    }

    #[test]
    fn every_code_has_one_row() {
        let codes: Vec<&str> = ADVICE.iter().map(|(code, _)| *code).collect();
        let want: Vec<String> = (1..=codes.len()).map(|n| format!("E{n:02}")).collect();
        let mut sorted = codes.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, want);
    }
}
