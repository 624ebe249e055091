//! Reports as Markdown.

use super::super::super::ReportFormat;
use super::print;
use deadhead_core::outcome::Report;

fn markdown(reports: &[Report]) -> String {
    print(ReportFormat::Markdown, false, reports)
}

const PRUNED: &str = "\
## `session.jsonl`

10,250 → 5,763 tokens (-44 %), 1 trimmed, 2 cleared, last call 47 m ago

- decision: cache-ttl, ran: the last call is older than the ttl of 5 m
- last call: 2026-01-02T03:04:05Z, from the newest assistant record
- window: 200,000 tokens (default), ratio 0.52 → 0.29
- tokens: chars / 4
- format: openclaw, 120 records, 60,200 bytes
- workload: chat, active
- session: s1 (history), 0 cuts kept, 3 new, 0 forgotten
- as before: 11 messages, 9,031 bytes
- messages: 80
- chars: 41,000 → 23,052
- bytes: 60,200 → 42,100
- first change: message 12, byte 9,031

| pass | cuts | chars removed | left |
| --- | ---: | ---: | ---: |
| soft-trim | 1 | 5,925 | 1 |
| hard-clear | 2 | 12,023 | 0 |

| top tools | chars removed |
| --- | ---: |
| read | 11,967 |
| exec | 5,981 |

Defects:

- in the input: E04 × 1

Warnings:

- line 120: the last line is torn and passes through
- the format is ambiguous

| message | line | before | after | action | pass | tool | call | reason, and what goes |
| ---: | ---: | ---: | ---: | --- | --- | --- | --- | --- |
| 12/0 | 24 | 9,012 | 3,087 | trim | soft-trim | `exec` | call\\_abc | older than the newest 3 assistant turns |
| 14/0 | 28 | 12,000 | 33 | clear | hard-clear | `read` | call\\_def | older than the newest 3 assistant turns |
| 15/0 | 30 | 89 | 33 | clear, linked | hard-clear | `exec` | call\\_ghi | older than the newest 3 assistant turns |

| message | left by | why |
| ---: | --- | --- |
| 10/1 | soft-trim | it holds an image |

";

const TOTAL: &str = "\
## Total

2 inputs: 10,499 → 6,012 tokens (-43 %), 1 trimmed, 2 cleared

- chars: 41,999 → 24,051
- bytes: 61,200 → 43,100

";

#[test]
fn a_pruned_session() {
    assert_eq!(markdown(&[super::pruned()]), PRUNED);
}

#[test]
fn several_inputs_end_with_a_total() {
    let text = markdown(&[super::pruned(), super::untouched()]);
    assert!(text.starts_with(PRUNED), "{text}");
    assert!(text.ends_with(TOTAL), "{text}");
}

#[test]
fn a_row_keeps_its_columns() {
    let mut report = super::pruned();
    report.cuts[0].tool = "a|b`\n| c |".into();
    report.cuts[0].reason = "x | y\n\\| z".into();
    let text = markdown(&[report]);
    let rows: Vec<_> = text.lines().filter(|l| l.starts_with("| 12/0")).collect();
    let bars = rows[0]
        .replace("\\\\", "")
        .replace("\\|", "")
        .matches('|')
        .count();
    assert_eq!((rows.len(), bars), (1, 10), "{}", rows[0]);
}
