//! Totals over several inputs: the last object of a JSON report and the last line of a text one.

use super::{headline::why_nothing, *};

/// Sums over all inputs of a run; those that failed are counted but add no sizes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// The number of inputs, failed and empty ones included; in a pipe of bodies each body is one.
    pub inputs: u64,
    /// The number of inputs without a report.
    pub failed: u64,
    /// The number of inputs that were skipped because they had not changed.
    pub skipped: u64,
    /// The number of inputs whose output was written, also as an empty file; 0 in a dry run.
    pub written: u64,
    /// Bytes read, after decompression, also those that belong to no report: between bodies, or passed through.
    pub bytes_in: u64,
    /// Bytes written, or that would have been, before compression.
    pub bytes_out: u64,
    /// Sizes before.
    pub before: Sum,
    /// Sizes after.
    pub after: Sum,
    /// Cuts by action.
    pub cuts: Actions,
    /// Copies of the results cut.
    #[serde(rename = "mirrors")]
    pub copies: CopyTotal,
    /// The largest share of a window, and why nothing was cut of that input.
    #[serde(skip)]
    pub fullest: (f64, String),
}

/// A sum of sizes. There is no ratio: the windows may differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sum {
    /// Chars as the estimator counts them.
    pub chars: u64,
    /// Chars / 4, summed over the inputs.
    pub tokens: u64,
}

impl Totals {
    /// Adds the report of one input.
    pub fn add(&mut self, report: &Report) {
        self.inputs += 1;
        self.written += u64::from(report.output.path.is_some());
        self.bytes_in += report.input.bytes;
        self.bytes_out += report.output.bytes;
        self.before.chars += report.before.chars;
        self.before.tokens += report.before.tokens;
        self.after.chars += report.after.chars;
        self.after.tokens += report.after.tokens;
        self.cuts.add(&report.cuts);
        self.copies.cuts += report.copies.cuts;
        self.copies.bytes_removed += report.copies.bytes_removed;
        self.copies.left += report.copies.left;
        if !report.is_cut() && report.before.ratio >= self.fullest.0 {
            self.fullest = (report.before.ratio, why_nothing(&report.decision));
        }
    }

    /// Adds an empty input, which has no report.
    pub fn add_empty(&mut self, written: bool) {
        self.inputs += 1;
        self.written += u64::from(written);
    }

    /// Adds a skipped input, which has no report.
    pub fn add_skipped(&mut self) {
        self.inputs += 1;
        self.skipped += 1;
    }

    /// Adds a failed input, which has no report.
    pub fn add_failed(&mut self) {
        self.inputs += 1;
        self.failed += 1;
    }
}

/// The number of cuts of each action. The actions of schema 1 are always present, if only with a zero.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Actions(BTreeMap<&'static str, u64>);

/// The actions of schema 1, mildest first, each with its participle.
const ACTIONS: [(&str, &str); 4] = [
    ("trim", "trimmed"),
    ("clear", "cleared"),
    ("drop", "dropped"),
    ("rerank", "reranked"),
];

impl Default for Actions {
    fn default() -> Actions {
        Actions(ACTIONS.iter().map(|(action, _)| (*action, 0)).collect())
    }
}

impl Actions {
    /// Counts `cuts`.
    pub fn of(cuts: &[CutRow]) -> Actions {
        let mut actions = Actions::default();
        actions.add(cuts);
        actions
    }

    fn add(&mut self, cuts: &[CutRow]) {
        for cut in cuts {
            *self.0.entry(cut.action).or_default() += 1;
        }
    }

    /// Returns the number of cuts of one action.
    pub fn get(&self, action: &str) -> u64 {
        self.0.get(action).copied().unwrap_or_default()
    }

    /// Returns the actions that occur, as participles with their counts, mildest first.
    pub fn done(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let known = |action| ACTIONS.iter().any(|(name, _)| *name == action);
        let others = self.0.keys().filter(move |action| !known(**action));
        ACTIONS
            .iter()
            .copied()
            .chain(others.map(|name| (*name, *name)))
            .map(|(action, done)| (done, self.get(action)))
            .filter(|(_, n)| *n > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{pruned, untouched},
        *,
    };

    #[test]
    fn totals_are_sums() {
        let mut totals = Totals::default();
        totals.add(&pruned());
        totals.add(&untouched());
        totals.add_failed();
        totals.add_empty(true);
        totals.add_empty(false);
        totals.add_skipped();
        assert_eq!(
            (totals.inputs, totals.failed, totals.written, totals.skipped),
            (6, 1, 2, 1)
        );
        assert_eq!((totals.bytes_in, totals.bytes_out), (61_200, 43_100));
        assert_eq!(
            totals.before,
            Sum {
                chars: 41_999,
                tokens: 10_499
            }
        );
        assert_eq!(
            totals.after,
            Sum {
                chars: 24_051,
                tokens: 6_012
            }
        );
        assert_eq!((totals.cuts.get("trim"), totals.cuts.get("clear")), (1, 2));
        assert_eq!(totals.cuts.get("drop"), 0);
    }

    #[test]
    fn an_action_of_a_later_pass_is_counted_too() {
        let mut cut = pruned().cuts.remove(0);
        cut.action = "fold";
        let actions = Actions::of(&[cut]);
        assert_eq!(actions.done().collect::<Vec<_>>(), [("fold", 1)]);
    }
}
