//! The table of rules: for each family the function that finds its defects, and for each code the way to repair it.

use super::{
    Finder, alternation, cache_marks, contents, counts, fields, items, order, pairs, places,
    reasoning, reasoning_content, server_tools, signatures, syntax, system, thinking,
};

/// A family of rules.
pub(super) struct Family {
    /// Reports its defects, but for those that only a comparison of two transcripts shows.
    pub find: fn(&mut Finder<'_>),
    /// Its codes, each with the way to repair it, which says whether `--repair` does.
    pub codes: &'static [(&'static str, &'static str)],
}

/// The advice for a defect code.
pub(super) fn advice(code: &str) -> &'static str {
    let codes = FAMILIES.iter().flat_map(|family| family.codes);
    codes
        .chain(SEARCHED)
        .find(|(known, _)| *known == code)
        .map_or("", |(_, advice)| advice)
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

/// The advice for what only a search shows.
const SEARCHED: &[(&str, &str)] = &[
    ("E39", "send the message without this member (repair)"),
    ("E40", "write \\ufffd instead (repair)"),
];

/// All families. Only the first applies to logs, whose agent repairs the rest.
pub(super) const FAMILIES: &[Family] = &[
    Family {
        find: pairs::check,
        codes: &[
            (
                "E01",
                "add a result which says that none was recorded (repair)",
            ),
            (
                "E02",
                "give the result the id of its call, or delete it (repair)",
            ),
            ("E03", "move the result next to its call (repair)"),
            ("E05", "keep the result that says more (repair)"),
            (
                "E06",
                "give the second call and its result another id (repair)",
            ),
        ],
    },
    Family {
        find: contents::check,
        codes: &[
            ("E08", "delete the empty text or message (repair)"),
            ("E09", "delete the key tool_calls (repair)"),
            ("E10", "begin with a message of the user (repair)"),
            ("E19", "declare the tools, or remove the calls and results"),
            (
                "E22",
                "send only text in the result, or remove is_error (repair)",
            ),
        ],
    },
    Family {
        find: counts::check,
        codes: &[(
            "E07",
            "answer each call once: repaired with E01, E02 and E03 (repair)",
        )],
    },
    Family {
        find: alternation::check,
        codes: &[("E11", "join consecutive messages of one role (repair)")],
    },
    Family {
        find: reasoning::check,
        codes: &[("E17", "remove reasoning that nothing follows (repair)")],
    },
    Family {
        find: order::check,
        codes: &[
            ("E04", "put the results before all other content (repair)"),
            ("E12", "end with a message of the user"),
            ("E13", "remove the white space at the end (repair)"),
        ],
    },
    Family {
        find: system::check,
        codes: &[(
            "E36",
            "put the message between a message of the user and an answer, or last",
        )],
    },
    Family {
        find: server_tools::check,
        codes: &[
            ("E20", "delete the call or result that is left (repair)"),
            (
                "E21",
                "send the caller's call again, or remove caller (repair)",
            ),
        ],
    },
    Family {
        find: cache_marks::check,
        codes: &[(
            "E14",
            "keep the last four marks, those for an hour first (repair)",
        )],
    },
    Family {
        find: signatures::check,
        codes: &[("E18", "send thoughtSignature back on the part that had it")],
    },
    Family {
        find: thinking::check,
        codes: &[
            (
                "E15",
                "send the thinking of the open turn back unchanged, or turn thinking off for this request",
            ),
            (
                "E16",
                "remove the thinking after the change, or set block_binding to drop_block",
            ),
            ("E33", "remove thinking that is not signed (repair)"),
            ("E34", "remove thinking that nothing follows (repair)"),
        ],
    },
    Family {
        find: reasoning_content::check,
        codes: &[("E23", "send reasoning_content back unchanged")],
    },
    Family {
        find: places::check,
        codes: &[
            ("E31", "move the part to a message of its role (repair)"),
            ("E32", "put calls last in their turn (repair)"),
            ("E35", "remove the cache mark (repair)"),
        ],
    },
    Family {
        find: syntax::check,
        codes: &[
            (
                "E24",
                "give the call, and its result, an id that the provider accepts (repair)",
            ),
            (
                "E27",
                "give the tool, wherever it is named, a name that the provider accepts (repair)",
            ),
            ("E28", "give each tool another name, or declare it once"),
        ],
    },
    Family {
        find: fields::check,
        codes: &[
            (
                "E29",
                "send the arguments or the content in a JSON type that the provider accepts (repair)",
            ),
            (
                "E30",
                "send a type, a role or an id that the provider accepts (repair)",
            ),
        ],
    },
    Family {
        find: items::check,
        codes: &[
            (
                "E25",
                "send the item without its id, or with an id of its kind (repair)",
            ),
            (
                "E26",
                "send each item once, or the second without its id (repair)",
            ),
            (
                "E37",
                "send the encrypted reasoning, or remove the item (repair)",
            ),
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::DIALECTS;

    fn codes() -> impl Iterator<Item = (&'static str, &'static str)> {
        let torn = [("E38", TORN)];
        FAMILIES
            .iter()
            .flat_map(|family| family.codes)
            .chain(SEARCHED)
            .copied()
            .chain(torn)
    }

    #[test]
    fn every_answer_has_advice() {
        let interfaces = DIALECTS.iter().map(|format| format.interface);
        let rows = interfaces.flat_map(|interface| interface.refusals.lines());
        let codes = rows.map(|row| &row.split('\t').nth(4).unwrap()[..3]);
        assert!(codes.clone().count() > 50);
        for code in codes {
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
        let mut want: Vec<(&str, bool)> = codes()
            .map(|(code, advice)| (code, advice.ends_with("(repair)")))
            .collect();
        want.sort_unstable();
        assert_eq!(reported, want);
    }

    #[test]
    fn every_code_has_one_row() {
        let codes: Vec<&str> = codes().map(|(code, _)| code).collect();
        let want: Vec<String> = (1..=codes.len()).map(|n| format!("E{n:02}")).collect();
        let mut sorted = codes.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, want);
    }
}
