//! The tables of rules: the functions that find defects, and for each fault what is reported and
//! how it is repaired (faults.tsv).

use super::*;
use crate::tables::table_file;
use std::sync::LazyLock;

/// The families of rules: each reports its defects, but for those that only a comparison of two
/// transcripts shows. Only the first applies to logs, whose agent repairs the rest.
pub(super) const FAMILIES: &[fn(&mut Finder<'_>)] = &[
    pairs::check,
    pairs::counts,
    pairs::of_servers,
    contents::check,
    order::check,
    order::of_systems,
    places::check,
    reasoning::check,
    syntax::check,
    fields::check,
];

/// The end of each advice that a repair carries out.
pub const REPAIRED: &str = " (repair)";

/// The advice for a defect of a message that consists of several records of a log.
pub const BY_HAND: &str = "several records make this message: have the agent write it again, or repair the last of them by hand";

/// Returns the text that is reported of a fault, with `{}` for its particulars, and the advice for
/// it, which ends with [`REPAIRED`] if a repair carries it out.
pub(crate) fn row(fault: &str) -> (&'static str, &'static str) {
    static ROWS: LazyLock<HashMap<&str, (&str, &str)>> = LazyLock::new(|| {
        let rows = rows();
        rows.map(|(fault, detail, advice)| (fault, (detail, advice)))
            .collect()
    });
    debug_assert!(ROWS.contains_key(fault), "{fault} is no fault of the table");
    let row = |fault: &str| ROWS.get(fault).copied().unwrap_or_default();
    match row(fault) {
        (detail, "") => (detail, row(&fault[..3]).1),
        row => row,
    }
}

/// The faults, each with what is reported, and the advice.
fn rows() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let row = |[fault, detail, advice]: [_; 3]| Ok((fault, detail, advice));
    table_file!("faults.tsv", 3, row).into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::DIALECTS;

    /// The codes with their advice.
    fn codes() -> impl Iterator<Item = (&'static str, &'static str)> {
        rows()
            .filter(|(fault, ..)| fault.len() == 3)
            .map(|(code, _, advice)| (code, advice))
    }

    #[test]
    fn every_answer_has_advice() {
        let providers = DIALECTS.iter().map(|format| format.provider);
        let faults =
            providers.flat_map(|provider| (provider.refusals)().iter().map(|row| row.fault));
        assert!(faults.clone().count() > 50);
        for fault in faults {
            assert!(!row(fault).1.is_empty(), "{fault}");
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
            .map(|(code, advice)| (code, advice.ends_with(REPAIRED)))
            .collect();
        want.sort_unstable();
        assert_eq!(reported, want);
    }

    #[test]
    fn every_code_has_one_row_and_advice() {
        let codes: Vec<&str> = codes()
            .filter(|(_, advice)| !advice.is_empty())
            .map(|(code, _)| code)
            .collect();
        let want: Vec<String> = (1..=codes.len()).map(|n| format!("E{n:02}")).collect();
        let mut sorted = codes.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, want);
    }

    #[test]
    fn every_fault_has_one_row() {
        let mut faults: Vec<&str> = rows().map(|(fault, ..)| fault).collect();
        faults.dedup();
        assert_eq!(faults.len(), rows().count());
        assert!(faults.is_sorted());
    }
}
