//! Compares the policies of a replay.

use super::{
    super::{HOOK, commands, document::*, number_format::*},
    sentences::{amount, change, size},
};
use deadhead_replay::{
    recorded::Cause,
    summary::{MissRow, PolicyRow, Sums, Totals},
};
use std::collections::BTreeMap;

/// The number of policies that are listed or drawn; of more, only those that no other beats.
const ROWS: usize = 12;

/// The explanation of the mark of a best policy.
const BEST: &str = "no other costs less and has less needed again";

/// A policy, or none, and the dollars without a policy.
#[derive(Clone, Copy)]
struct Row<'a> {
    totals: &'a Totals,
    policy: Option<&'a PolicyRow>,
    sums: &'a Sums,
    is_best: bool,
}

impl Row<'_> {
    fn name(self) -> String {
        match self.policy {
            None => "no pruning".to_owned(),
            Some(row) if row.manner == "transient" => format!("{}, transient", row.name),
            Some(row) => row.name.clone(),
        }
    }

    fn growth(self) -> String {
        change(self.sums, self.totals)
    }

    fn amount(self) -> String {
        amount(self.sums, self.totals)
    }

    /// Returns a text of the policy; `-` for a row without one.
    fn of_policy(self, text: fn(&PolicyRow) -> String) -> String {
        self.policy.map_or("-".to_owned(), text)
    }
}

/// Adds the command for the policy that saves most.
fn add_use(document: &mut Document<'_>, sums: &Sums, formats: &[&str]) {
    let saving: Vec<&PolicyRow> = sums
        .policies
        .iter()
        .filter(|row| row.manner == "sticky")
        .filter(|row| row.totals.usd < sums.baseline.usd)
        .collect();
    let none = match saving.is_empty() {
        true => "nothing here saves money; deadhead advise tries every preset",
        false => {
            "what saves here cuts results before the model reads them; deadhead advise tries every preset"
        }
    };
    let commands = saving
        .into_iter()
        .filter(|row| row.unread == 0 || row.flags.iter().any(|flag| flag == HOOK))
        .min_by(|a, b| a.totals.usd.total_cmp(&b.totals.usd))
        .map(|best| commands(&best.flags, formats));
    document.use_it(commands.unwrap_or_default(), none);
}

/// Returns no policy and the policies, and the number of those that a brief text shows.
fn rows(sums: &Sums) -> (Vec<Row<'_>>, usize) {
    let are_several = sums.policies.len() > 2;
    let mut rows = vec![Row {
        totals: &sums.baseline,
        policy: None,
        sums,
        is_best: false,
    }];
    for policy in &sums.policies {
        let mut row = Row {
            totals: &policy.totals,
            policy: Some(policy),
            sums,
            is_best: policy.pareto && are_several && policy.cuts > 0,
        };
        // Of rows that are alike the first has the star.
        let of = |row: &Row<'_>| row.amount() + &row.of_policy(|of| commas(of.regret.cuts));
        row.is_best &= !rows.iter().any(|other| of(other) == of(&row));
        rows.push(row);
    }
    if sums.policies.len() > 6 {
        rows[1..].sort_by(|a, b| a.totals.usd.total_cmp(&b.totals.usd));
    }
    let mut brief = rows.len();
    if brief > ROWS {
        // Those that no other beats are first.
        rows[1..].sort_by_key(|row| !row.is_best);
        brief = rows.iter().filter(|row| row.is_best).count() + 1;
    }
    (rows, brief)
}

/// Adds the policies to a report.
pub fn add<'a>(document: &mut Document<'a>, sums: &'a Sums, formats: &[&str]) {
    let (rows, brief) = rows(sums);
    let has_stars = rows.iter().any(|row| row.is_best);
    let all = size(sums, &sums.baseline);
    let bar = |row: &Row<'_>| [all, row.policy.map_or(0.0, |_| size(sums, row.totals))];
    let bars: Vec<_> = rows.iter().map(bar).collect();
    document.heading("Policies");
    document.table(
        Table::new(
            rows,
            &[
                ("policy", Left, Row::name),
                ("costs", Right, Row::amount),
                ("change", Right, Row::growth),
                ("misses", Right, |row| commas(row.totals.missed())),
                ("peak", Right, |row| thousands(row.totals.peak)),
                ("cuts", Right, |row| {
                    row.of_policy(|policy| commas(policy.cuts))
                }),
                ("needed again", Right, |row| {
                    row.of_policy(|policy| commas(policy.regret.cuts))
                }),
                ("read", Aside, |row| thousands(row.totals.cache_read)),
                ("written", Aside, |row| thousands(row.totals.cache_write)),
                ("uncached", Aside, |row| thousands(row.totals.uncached)),
                ("best", Best, |row| {
                    if row.is_best { "*" } else { "" }.to_owned()
                }),
            ],
        )
        .brief(brief)
        .bars(bars.into_iter()),
    );
    if has_stars {
        document.fact("*", BEST);
    }
    if sums.baseline.usd > 0.0 {
        add_use(document, sums, formats);
    }
    document.heading("Why the cache was not read");
    let (before, after) = (&sums.baseline, &sums.pruned);
    if before.above_tier > 0 {
        let (before, after) = (
            counted(before.above_tier, "request"),
            commas(after.above_tier),
        );
        let text = format!("{before} above a price tier, pruned {after}");
        document.fact("tier", text);
    }
    let (before, after) = (before.misses(), after.misses());
    document.fact(
        "misses",
        format!("without pruning {before}; pruned {after}"),
    );
    document.detail(|more| add_misses(more, &sums.baseline.misses));
}

/// Adds the prompts that were not in the cache without pruning, by cause.
pub fn add_misses(document: &mut Document<'_>, misses: &BTreeMap<Cause, MissRow>) {
    document.table(Table::new(
        misses,
        &[
            ("not in the cache", Left, |(cause, _)| {
                cause.name().to_owned()
            }),
            ("requests", Right, |(_, row)| commas(row.calls)),
            ("tokens", Right, |(_, row)| thousands(row.tokens)),
            ("cost more", Right, |(_, row)| dollars(row.usd)),
        ],
    ));
}
