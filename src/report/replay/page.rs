//! The logs on an HTML page: full details of the largest, a row for each of the next, and a folded row for the others as far as a
//! page that is mailed has space.

use super::{
    super::{document::*, html, number_format::*},
    sentences::{self, headline},
};
use deadhead_core::internal::terminal_text::shorten;
use deadhead_replay::summary::{Replay, Sums, Totals};
use std::cmp::Ordering;

/// The number of logs with full details.
const WHOLE: usize = 10;
/// The number of logs with a row.
const ROWS: usize = 100;
/// The maximum size of the paths of folded rows, in bytes; the rest of a row is about as long.
const FOLDED: usize = 300 << 10;
/// Columns of a path in a table.
const PATH: usize = 100;

/// The logs of a page.
#[derive(Default)]
pub struct Logs {
    logs: Vec<Log>,
    /// Full details of the largest logs, with their index; the largest first.
    whole: Vec<(usize, String)>,
}

/// A log in a row.
struct Log {
    path: String,
    sentence: String,
    requests: u64,
    tokens: f64,
    baseline: f64,
    pruned: f64,
    cuts: u64,
    regrets: u64,
}

impl Log {
    fn of(replay: &Replay) -> Log {
        let sums = &replay.sums;
        let (cuts, regrets) = sums
            .policies
            .first()
            .map_or((0, 0), |row| (row.cuts, row.regret.cuts));
        Log {
            path: replay.input.path.clone(),
            sentence: headline(sums),
            requests: sums.requests,
            tokens: sums.baseline.prompt,
            baseline: sums.baseline.usd,
            pruned: sums.pruned.usd,
            cuts,
            regrets,
        }
    }
}

impl Logs {
    /// Adds a log without its details.
    pub fn add_row(&mut self, replay: &Replay) {
        self.logs.push(Log::of(replay));
    }

    /// Adds a line for each of a few logs to a text report, that which saves most first.
    pub fn list_largest<'a>(&'a self, report: &mut Document<'a>) {
        let mut logs: Vec<&Log> = self.logs.iter().collect();
        logs.sort_by(|a, b| (b.baseline - b.pruned).total_cmp(&(a.baseline - a.pruned)));
        let left = logs.len().saturating_sub(WHOLE);
        let lines = logs.into_iter().take(WHOLE).map(|log| Entry {
            name: log.path.clone(),
            tail: log.sentence.clone(),
            ..Entry::default()
        });
        report.add(BRIEF, Block::Entries(Box::new(lines)));
        if left > 0 {
            let text = format!("{}; -v lists each", counted(left as u64, "further log"));
            report.field(BRIEF, "", text);
        }
    }

    /// Adds a log; `blocks` are its full details.
    pub fn add(&mut self, replay: &Replay, blocks: Document<'_>) {
        let log = Log::of(replay);
        let place = self
            .whole
            .partition_point(|(at, _)| order(&self.logs[*at], &log) != Ordering::Greater);
        if place < WHOLE {
            let blocks = html::blocks(blocks);
            self.whole.insert(place, (self.logs.len(), blocks));
            self.whole.truncate(WHOLE);
        }
        self.logs.push(log);
    }

    /// Returns the number of logs.
    pub fn len(&self) -> u64 {
        self.logs.len() as u64
    }

    /// Returns the path of the only log.
    pub fn only(&self) -> Option<&str> {
        if let [log] = &self.logs[..] {
            Some(&log.path)
        } else {
            None
        }
    }

    /// Returns the logs in full, without a fold.
    pub fn whole(&self) -> String {
        self.whole.iter().map(|(_, blocks)| &**blocks).collect()
    }

    /// Returns all logs.
    pub fn list(&self) -> String {
        let mut sorted: Vec<&Log> = self.logs.iter().collect();
        sorted.sort_by(|a, b| order(a, b));
        let (rows, rest) = sorted.split_at(sorted.len().min(ROWS));
        let mut document = Document::default();
        let mut heading = "Each log in full";
        if self.logs.len() > WHOLE {
            document.heading(if rest.is_empty() {
                "Logs, the dearest first"
            } else {
                "The hundred dearest logs"
            });
            document.table(HTML, rows.iter().copied(), &columns());
            heading = "The ten dearest logs in full";
        }
        document.heading(heading);
        let mut page = html::blocks(document);
        for (at, blocks) in &self.whole {
            let log = &self.logs[*at];
            let summary = format!("{}: {}", shorten(&log.path, PATH), log.sentence);
            page += &html::details(&summary, blocks);
        }
        page + &folded(rest)
    }
}

/// Returns the other logs, folded.
fn folded(rest: &[&Log]) -> String {
    if rest.is_empty() {
        return String::new();
    }
    let mut space = FOLDED;
    let fits = |log: &&&Log| {
        space = space.saturating_sub(log.path.len().min(4 * PATH) + 40);
        space > 0
    };
    let shown = &rest[..rest.iter().take_while(fits).count()];
    let mut document = Document::default();
    document.table(HTML, shown.iter().copied(), &columns());
    let sum = |of: fn(&Log) -> f64| dollars(rest.iter().map(|log| of(log)).sum());
    let hidden = rest.len() - shown.len();
    let without = if hidden > 0 {
        format!(", {} of them without a row", commas(hidden as u64))
    } else {
        String::new()
    };
    let summary = format!(
        "{}{without}: {} → {}",
        counted(rest.len() as u64, "other log"),
        sum(|log| log.baseline),
        sum(|log| log.pruned)
    );
    html::details(&summary, &html::blocks(document))
}

/// Orders by cost, descending, and logs without a price by tokens.
fn order(a: &Log, b: &Log) -> Ordering {
    b.baseline
        .total_cmp(&a.baseline)
        .then(b.tokens.total_cmp(&a.tokens))
}

fn columns<'a>() -> [Column<&'a Log>; 6] {
    [
        (HTML, "log", Name, |log| shorten(&log.path, PATH)),
        (HTML, "requests", Right, |log| commas(log.requests)),
        (HTML, "no pruning", Right, |log| dollars(log.baseline)),
        (HTML, "pruned", Right, |log| dollars(log.pruned)),
        (HTML, "change", Right, |log| {
            growth(log.baseline, log.pruned)
        }),
        (HTML, "needed again", Right, |log| {
            format!("{} of {}", commas(log.regrets), commas(log.cuts))
        }),
    ]
}

pub fn cards(sums: &Sums) -> Vec<(String, String)> {
    let card = |what: &str, totals: &Totals| {
        let change = sentences::change(sums, totals);
        (sentences::amount(sums, totals), format!("{what}, {change}"))
    };
    let mut cards = vec![
        (
            sentences::amount(sums, &sums.baseline),
            format!("{} without pruning", counted(sums.requests, "request")),
        ),
        card("pruned", &sums.pruned),
    ];
    cards.extend(
        sums.transient
            .iter()
            .map(|totals| card("transient", totals)),
    );
    cards.push((
        thousands(sums.pruned.peak),
        format!(
            "tokens in the largest prompt, {} without pruning",
            thousands(sums.baseline.peak)
        ),
    ));
    cards.extend(sums.calibration.forecast.error.map(|error| {
        (
            share(error),
            "off the bill for prompts, where the first half of each log predicts the second"
                .to_owned(),
        )
    }));
    cards
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(count: u64, path: impl Fn(u64) -> String) -> String {
        let log = |i: u64| Log {
            path: path(i),
            sentence: "1,234 requests, $1.00 → $0.90 pruned (-10 %)".to_owned(),
            requests: 1234,
            tokens: 1e6,
            baseline: i as f64 + 1000.0,
            pruned: i as f64 + 900.0,
            cuts: 1234,
            regrets: 123,
        };
        let logs = Logs {
            logs: (0..count).map(log).collect(),
            whole: Vec::new(),
        };
        logs.list()
    }

    #[test]
    fn a_folder_of_many_logs_is_a_page_that_can_be_mailed() {
        // Besides the rows, a page has ten logs in full, of some 15 kB each.
        let usual = page(3600, |i| {
            format!(
                "/home/user/.claude/projects/-home-user-work-project/{i:08x}-e70b-48a1-b6ae-c6aaa99ec2b1.jsonl"
            )
        });
        assert!(usual.len() < 800_000, "{}", usual.len());
        let (large, folded) = usual.split_once("<details>").unwrap();
        assert_eq!(
            large.matches("<tr>").count(),
            101,
            "a head and a hundred rows"
        );
        assert!(
            large.contains("/00000e0f-")
                && large.contains("/00000dac-")
                && !large.contains("/00000dab-"),
            "the dearest are the last"
        );
        assert!(folded.contains("3,500 other logs") && folded.contains("</details>"));
        let hostile = page(3600, |i| format!("/{}/{i}", "<&\"é".repeat(200)));
        assert!(
            hostile.len() < 800_000 && !hostile.contains("<&"),
            "{}",
            hostile.len()
        );
        assert!(page(3, |i| i.to_string()).contains("Each log in full"));
    }
}
