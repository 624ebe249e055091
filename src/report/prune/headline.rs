//! The summary of a run in one sentence.

use super::{totals::Actions, *};

/// Returns the summary of one input, to follow its path: `103,077 → 37,005 tokens (-64 %), 9 trimmed, last call 47 m ago`.
pub fn of_report(report: &Report) -> String {
    if report.cuts.is_empty() {
        let text = format!("{} tokens, nothing cut", commas(report.before.tokens));
        return match why_nothing(&report.decision) {
            why if why.is_empty() => text,
            why => format!("{text}: {why}"),
        };
    }
    let actions = Actions::of(&report.cuts);
    let dry = report.output.path.is_none();
    let cuts = cuts(report.before.tokens, report.after.tokens, &actions, dry);
    let Some(idle) = report.decision.idle_ms else {
        return cuts;
    };
    let when = if idle < 0 { "ahead of now" } else { "ago" };
    format!("{cuts}, last call {} {when}", age(idle.unsigned_abs()))
}

/// Returns the reason why nothing was cut: what the passes found if they were let run, else why they were not.
pub fn why_nothing(decision: &Decision) -> String {
    match &decision.notes[..] {
        [(_, note)] if decision.ran => note.clone(),
        notes @ [_, ..] if decision.ran => joined(
            notes.iter().map(|(names, note)| format!("{names}: {note}")),
            "; ",
        ),
        _ => decision.why.clone(),
    }
}

/// Returns the summary of several inputs: `12 inputs, 3 unchanged and skipped, 1 failed: 103,077 → 37,005 tokens (-64 %), 9 trimmed`.
pub fn of_totals(totals: &Totals) -> String {
    let inputs = counted(totals.inputs, "input");
    let of = |n, what: &str| match n {
        0 => String::new(),
        _ => format!(", {} {what}", commas(n)),
    };
    let failed = of(totals.skipped, "unchanged and skipped") + &of(totals.failed, "failed");
    if totals.skipped > 0 && totals.skipped + totals.failed == totals.inputs {
        return format!("{inputs}{failed}");
    }
    let (before, after) = (totals.before.tokens, totals.after.tokens);
    let text = match &*totals.fullest.1 {
        _ if totals.cuts.done().next().is_some() => {
            cuts(before, after, &totals.cuts, totals.written == 0)
        }
        "" => format!("{} tokens, nothing cut", commas(before)),
        why => format!("{} tokens, nothing cut; the fullest: {why}", commas(before)),
    };
    format!("{inputs}{failed}: {text}")
}

fn cuts(before: u64, after: u64, actions: &Actions, dry: bool) -> String {
    let would = if dry { "would be " } else { "" };
    let mut text = resized(before, after, "tokens");
    for (done, n) in actions.done() {
        text += &format!(", {} {would}{done}", commas(n));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{pruned, untouched},
        *,
    };
    use deadhead_core::diagnostics::Output;

    #[test]
    fn a_run_in_a_sentence() {
        let mut report = pruned();
        report.before.tokens = 412_310;
        report.after.tokens = 148_022;
        let (trim, clear) = (report.cuts[0].clone(), report.cuts[1].clone());
        report.cuts = [vec![trim; 9], vec![clear; 31]].concat();
        let expected =
            "412,310 → 148,022 tokens (-64 %), 9 trimmed, 31 cleared, last call 47 m ago";
        assert_eq!(of_report(&report), expected);

        report.output = Output::default();
        report.decision.idle_ms = Some(-12_000);
        let expected = "412,310 → 148,022 tokens (-64 %), 9 would be trimmed, 31 would be cleared, \
            last call 12 s ahead of now";
        assert_eq!(of_report(&report), expected);
    }

    #[test]
    fn nothing_cut_says_why() {
        let expected = "249 tokens, nothing cut: the window is not full enough";
        assert_eq!(of_report(&untouched()), expected);
        let mut report = untouched();
        report.decision.why =
            "by size alone; soft-trim: no result is large; dedupe: nothing comes again".into();
        report.decision.notes = vec![
            ("soft-trim".into(), "no result is large".into()),
            ("dedupe".into(), "nothing comes again".into()),
        ];
        report.decision.ran = false;
        assert!(of_report(&report).ends_with(
            "nothing cut: by size alone; soft-trim: no result is large; dedupe: nothing comes again"
        ));
        report.decision.ran = true;
        assert!(
            of_report(&report).ends_with(
                "nothing cut: soft-trim: no result is large; dedupe: nothing comes again"
            )
        );
        report.decision.notes.pop();
        assert!(of_report(&report).ends_with("nothing cut: no result is large"));
    }

    #[test]
    fn several_inputs_in_a_sentence() {
        let mut totals = Totals::default();
        totals.add(&untouched());
        totals.add(&untouched());
        assert_eq!(
            of_totals(&totals),
            "2 inputs: 498 tokens, nothing cut; the fullest: the window is not full enough"
        );
        totals.add(&pruned());
        totals.add_failed();
        let expected = "4 inputs, 1 failed: 10,748 → 6,261 tokens (-42 %), 1 trimmed, 2 cleared";
        assert_eq!(of_totals(&totals), expected);
        totals.add_skipped();
        assert!(
            of_totals(&totals).starts_with("5 inputs, 1 unchanged and skipped, 1 failed: 10,748")
        );
        let mut totals = Totals::default();
        totals.add_skipped();
        assert_eq!(of_totals(&totals), "1 input, 1 unchanged and skipped");
    }
}
