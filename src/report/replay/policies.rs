//! Compares the policies of a replay: as lines, as a table, as bars.

use super::{
    super::{agent_command, chart::Bar, document::*, number_format::*, proxy_command},
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
const BEST: &str = "none is cheaper with no more needed again, nor has less needed again for less";

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

    fn bar(self) -> Bar {
        let class = self.policy.map_or("wasbar", |row| {
            if row.manner == "transient" {
                "otherbar"
            } else {
                "nowbar"
            }
        });
        Bar::new(
            class,
            &self.name(),
            format!("{} ({})", self.amount(), self.growth()),
            size(self.sums, self.totals),
        )
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
        .filter(|row| row.unread == 0)
        .min_by(|a, b| a.totals.usd.total_cmp(&b.totals.usd))
        .map(|best| {
            formats
                .iter()
                .filter_map(|format| agent_command(&best.flags, format))
                .chain([proxy_command(&best.flags)])
                .collect()
        });
    document.use_it(commands.unwrap_or_default(), none);
}

/// Adds the policies to a report.
pub fn add<'a>(document: &mut Document<'a>, sums: &'a Sums, formats: &[&str]) {
    let are_several = sums.policies.len() > 2;
    let none = Row {
        totals: &sums.baseline,
        policy: None,
        sums,
        is_best: false,
    };
    let row = |policy: &'a PolicyRow| Row {
        totals: &policy.totals,
        policy: Some(policy),
        sums,
        is_best: policy.pareto && are_several,
    };
    let rows: Vec<Row<'a>> = [none]
        .into_iter()
        .chain(sums.policies.iter().map(row))
        .collect();
    let are_many = sums.policies.len() > ROWS;
    let is_drawn = |row: &&Row<'_>| !are_many || row.policy.is_none_or(|policy| policy.pareto);
    document.bars(
        "Cost by policy",
        "Dollars by policy",
        rows.iter().filter(is_drawn).map(|row| row.bar()).collect(),
    );
    let mut sorted = rows.clone();
    if sums.policies.len() > 6 {
        sorted[1..].sort_by(|a, b| a.totals.usd.total_cmp(&b.totals.usd));
    }
    let (best, others): (Vec<Row<'a>>, Vec<Row<'a>>) = sorted.iter().partition(|row| is_drawn(row));
    add_table(document, BRIEF, best);
    add_table(document, VERBOSE, sorted);
    add_table(document, TABLES, rows);
    if are_several {
        let hidden = match others.len() {
            0 => String::new(),
            others => format!("; {others} others with -v"),
        };
        document.field(BRIEF, "*", format!("{BEST}{hidden}"));
        document.field(VERBOSE, "*", BEST.to_owned());
        document.paragraph(HTML, Detail, format!("★ {BEST}."));
    }
    if sums.baseline.usd > 0.0 {
        add_use(document, sums, formats);
    }
    let (before, after) = (&sums.baseline, &sums.pruned);
    if before.above_tier > 0 {
        let (before, after) = (
            counted(before.above_tier, "request"),
            commas(after.above_tier),
        );
        let text = format!("{before} above a price tier, pruned {after}");
        document.field(ALL, "tier", text);
    }
    let (before, after) = (before.misses(), after.misses());
    let text = format!("without pruning {before}; pruned {after}");
    document.heading("Why the cache was not read");
    document.field(ALL, "misses", text);
    add_misses(document, ALL, &sums.baseline.misses);
}

/// Adds the prompts that were not in the cache without pruning, by cause.
pub fn add_misses<'a>(
    document: &mut Document<'a>,
    media: Media,
    misses: &'a BTreeMap<Cause, MissRow>,
) {
    let columns: [Column<(&Cause, &MissRow)>; 4] = [
        (ALL, "not in the cache", First, |(cause, _)| {
            cause.name().to_owned()
        }),
        (ALL, "requests", Right, |(_, row)| commas(row.calls)),
        (ALL, "tokens", Right, |(_, row)| thousands(row.tokens)),
        (ALL, "cost more", Right, |(_, row)| dollars(row.usd)),
    ];
    document.table(media, misses, &columns);
}

fn add_table<'a>(document: &mut Document<'a>, media: Media, rows: Vec<Row<'a>>) {
    let columns: [Column<Row<'a>>; 11] = [
        (ALL, "policy", First, Row::name),
        (ALL, "costs", Right, Row::amount),
        (ALL, "change", Right, Row::growth),
        (TABLES, "read", Right, |row| {
            thousands(row.totals.cache_read)
        }),
        (TABLES, "written", Right, |row| {
            thousands(row.totals.cache_write)
        }),
        (TABLES, "uncached", Right, |row| {
            thousands(row.totals.uncached)
        }),
        (ALL, "misses", Right, |row| commas(row.totals.missed())),
        (ALL, "peak", Right, |row| thousands(row.totals.peak)),
        (ALL, "cuts", Right, |row| {
            row.of_policy(|policy| commas(policy.cuts))
        }),
        (ALL, "needed again", Right, |row| {
            row.of_policy(|policy| commas(policy.regret.cuts))
        }),
        (ALL, "best", Best, |row| yes(row.is_best)),
    ];
    document.table(media, rows, &columns);
}

fn yes(is: bool) -> String {
    if is { "yes".to_owned() } else { String::new() }
}
