//! Sums of rows for reports: defects by code, cuts by tool.

use super::*;

/// Returns the defects by code that the output has more often than the input. Places are not compared, as removed messages change them.
pub fn new_defects(integrity: &Integrity) -> BTreeMap<&'static str, u64> {
    let before = by_code(&integrity.before);
    let mut after = by_code(&integrity.after);
    for (code, n) in &mut after {
        *n = n.saturating_sub(before.get(code).copied().unwrap_or_default());
    }
    after.retain(|_, n| *n > 0);
    after
}

/// Returns the number of defects by code.
pub fn by_code(rows: &[DefectRow]) -> BTreeMap<&'static str, u64> {
    let mut counts = BTreeMap::new();
    for row in rows {
        *counts.entry(row.code).or_default() += 1;
    }
    counts
}

/// Returns the tools by the chars that their cuts removed, most first, without those that lost none.
pub fn by_tool(cuts: &[CutRow]) -> Vec<(&str, i128)> {
    let mut removed: BTreeMap<&str, i128> = BTreeMap::new();
    // Chunks in a user message, whole messages and thinking belong to no tool.
    for cut in cuts
        .iter()
        .filter(|cut| !matches!(cut.action, "rerank" | "drop") || !cut.tool.is_empty())
    {
        *removed.entry(&cut.tool).or_default() +=
            i128::from(cut.chars_before) - i128::from(cut.chars_after);
    }
    let mut tools: Vec<_> = removed
        .into_iter()
        .filter(|(_, chars)| *chars > 0)
        .collect();
    tools.sort_by_key(|(_, chars)| -chars);
    tools
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{defect, pruned},
        *,
    };

    #[test]
    fn a_defect_is_new_by_its_code_and_count() {
        let integrity = row!(Integrity {
            before: vec![defect("E01", 1), defect("E04", 7), defect("E04", 9)],
            after: vec![
                defect("E04", 6),
                defect("E01", 1),
                defect("E01", 2),
                defect("E07", 3)
            ],
        });
        assert_eq!(
            new_defects(&integrity),
            BTreeMap::from([("E01", 1), ("E07", 1)])
        );
        assert_eq!(
            by_code(&integrity.before),
            BTreeMap::from([("E01", 1), ("E04", 2)])
        );
    }

    #[test]
    fn tools_come_by_what_they_lost() {
        let mut cuts = pruned().cuts;
        cuts[2].chars_after = 90;
        assert_eq!(by_tool(&cuts), [("read", 11_967), ("exec", 5_924)]);
        cuts[0].chars_after = 9_012;
        assert_eq!(by_tool(&cuts), [("read", 11_967)]);
    }
}
