//! Made-up reports that the tests of every format print.

mod html_tests;
mod json_tests;
mod markdown_tests;
mod text_tests;

use super::super::{Printer, ReportFormat, TextStyle};
use super::{Pruning, Totals};
use deadhead_core::diagnostics::*;
use deadhead_core::outcome::Report;

/// A session with a trim, a clear and a linked clear, one old defect and two warnings.
pub(super) fn pruned() -> Report {
    row!(Report {
        output: row!(Output {
            path: Some("pruned.jsonl".into()),
            bytes: 42_100
        }),
        input: row!(Input {
            path: "session.jsonl".into(),
            format: "openclaw".into(),
            bytes: 60_200,
            records: 120
        }),
        decision: expired(),
        before: row!(Size {
            messages: 80,
            chars: 41_000,
            tokens: 10_250,
            ratio: 0.52
        }),
        after: row!(Size {
            messages: 80,
            chars: 23_052,
            tokens: 5_763,
            ratio: 0.29
        }),
        tokens_source: "chars",
        passes: totals(),
        cuts: vec![
            cut("trim", 12, ["exec", "call_abc"], 9_012, 3_087),
            cut("clear", 14, ["read", "call_def"], 12_000, 33),
            row!(CutRow {
                linked: true,
                ..cut("clear", 15, ["exec", "call_ghi"], 89, 33)
            }),
        ],
        skipped: vec![row!(Skip {
            pass: "soft-trim",
            message: 10,
            part: 1,
            why: "it holds an image".into()
        })],
        reranked: vec![reranked()],
        workload: Some(row!(WorkloadState {
            name: "chat".into(),
            stack: None,
            state: "active"
        })),
        session: Some(row!(Session {
            name: "s1".into(),
            source: "history",
            kept: 0,
            added: 3,
            dropped: 0
        })),
        prefix_stable: Some(row!(PrefixStable {
            bytes: 9_031,
            messages: 11
        })),
        first_change: Some(row!(FirstChange {
            message: 12,
            byte: 9_031
        })),
        integrity: row!(Integrity {
            before: vec![defect("E04", 7)],
            after: vec![defect("E04", 7)]
        }),
        warnings: vec![
            Warning::at(120, "the last line is torn and passes through"),
            Warning::new("the format is ambiguous")
        ],
        parts: Vec::new(),
        ..untouched()
    })
}

/// A cut of a message, made by the pass that this action is of; `call` is a tool and an id.
fn cut(action: &'static str, message: u32, call: [&str; 2], before: u64, after: u64) -> CutRow {
    row!(CutRow {
        pass: if action == "trim" {
            "soft-trim"
        } else {
            "hard-clear"
        },
        action,
        message,
        part: 0,
        line: message * 2,
        tool: call[0].into(),
        call_id: Some(call[1].into()),
        chars_before: before,
        chars_after: after,
        linked: false,
        reason: "older than the newest 3 assistant turns".into(),
    })
}

fn totals() -> Vec<PassTotal> {
    vec![
        row!(PassTotal {
            name: "soft-trim".into(),
            cuts: 1,
            chars_removed: 5_925,
            skipped: 1
        }),
        row!(PassTotal {
            name: "hard-clear".into(),
            cuts: 2,
            chars_removed: 12_023,
            skipped: 0
        }),
    ]
}

/// The cache expired 42 minutes ago.
fn expired() -> Decision {
    row!(Decision {
        mode: "cache-ttl".into(),
        ran: true,
        why: "the last call is older than the ttl of 5 m".into(),
        last_call: Some("2026-01-02T03:04:05Z".into()),
        last_call_source: Some("assistant".into()),
        ttl_ms: 300_000,
        now: "2026-01-02T03:51:05Z".into(),
        idle_ms: Some(47 * 60_000),
    })
}

/// A dry run over a body in which nothing was to be cut.
pub(super) fn untouched() -> Report {
    row!(Report {
        schema: 1,
        tool: row!(Tool {
            name: "deadhead",
            version: "0.1.0"
        }),
        input: row!(Input {
            path: "-:1".into(),
            format: "anthropic".into(),
            bytes: 1_000,
            records: 3
        }),
        output: row!(Output {
            path: None,
            bytes: 1_000
        }),
        decision: row!(Decision {
            mode: "adaptive".into(),
            ran: true,
            why: "the window is not full enough".into(),
            last_call: None,
            last_call_source: None,
            ttl_ms: 300_000,
            now: "2026-01-02T03:51:05Z".into(),
            idle_ms: None,
        }),
        window: row!(ContextWindow {
            tokens: 200_000,
            source: "default".into()
        }),
        model: None,
        provider: None,
        before: row!(Size {
            messages: 3,
            chars: 999,
            tokens: 249,
            ratio: 0.0
        }),
        after: row!(Size {
            messages: 3,
            chars: 999,
            tokens: 249,
            ratio: 0.0
        }),
        tokens_source: "chars",
        passes: Vec::new(),
        cuts: Vec::new(),
        skipped: Vec::new(),
        reranked: Vec::new(),
        workload: None,
        session: None,
        prefix_stable: None,
        prune: Prune::default(),
        composition: deadhead_core::internal::compose::Composition::default(),
        copies: CopyTotal::default(),
        context_management: None,
        first_change: None,
        integrity: Integrity::default(),
        cache: CacheCost::default(),
        warnings: Vec::new(),
        parts: Vec::new(),
    })
}

/// A list of two chunks, of which one stays.
fn reranked() -> Reranked {
    let chunk = |from, to, score| {
        row!(ChunkRow {
            from,
            to,
            number: Some(from),
            name: Some("a.md".into()),
            score,
            cosine: score / 2.0,
            chars: 40,
            cited: false
        })
    };
    let chunks = vec![chunk(1, None, 0.1), chunk(2, Some(1), 1.0)];
    row!(Reranked {
        message: 79,
        part: 0,
        block: Some(0),
        layout: "<document> in <documents>".into(),
        kept: 1,
        dropped: 1,
        chunks
    })
}

/// A defect with a detail.
pub(super) fn defect(code: &'static str, message: u32) -> DefectRow {
    row!(DefectRow {
        code,
        message,
        detail: "the result answers no call".into()
    })
}

/// Prints `reports` in `format` without colours, all of them counted in the totals.
pub(super) fn print(format: ReportFormat, verbose: bool, reports: &[Report]) -> String {
    render(
        format,
        TextStyle {
            colour: false,
            verbose,
            columns: 80,
            is_terminal: false,
        },
        reports,
    )
}

/// Prints `reports` in `format`.
pub(super) fn render(format: ReportFormat, look: TextStyle, reports: &[Report]) -> String {
    let mut printer = Printer::<Pruning>::new(format, look, String::new());
    let (mut out, mut totals) = (Vec::new(), Totals::default());
    for report in reports {
        printer.one(report, &mut out).unwrap();
        totals.add(report);
    }
    printer.end(&totals, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn every_format_states_the_price_of_the_next_request() {
    let mut report = pruned();
    report.cache.next_request = Some(row!(NextRequest {
        usd_before: 0.42,
        usd_after: 1.26,
        cached_again: 80_112
    }));
    for format in [
        ReportFormat::Text,
        ReportFormat::Markdown,
        ReportFormat::Html,
    ] {
        let page = print(format, false, std::slice::from_ref(&report));
        let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            words.contains("input $0.4200 → $1.26 (+200 %), 80,112 tokens cached again;"),
            "{page}"
        );
    }
}
