//! Reports as Markdown.

use super::super::super::ReportFormat;
use super::print;
use deadhead_core::outcome::Report;

fn markdown(reports: &[Report]) -> String {
    print(ReportFormat::Markdown, false, reports)
}

const PRUNED: &str = "\
## `session.jsonl`

41,000 → 23,052 chars (-44 %), 1 trimmed, 2 cleared, last call 47 m ago

|  | before | after |
| --- | ---: | ---: |
| messages | 80 | 80 |
| chars | 41,000 | 23,052 |
| tokens (chars / 4) | 10,250 | 5,763 |
| ratio | 0.52 | 0.29 |
| bytes | 60,200 | 42,100 |

- decision: cache-ttl, ran: the last call is older than the ttl of 5 m
- last call: 2026-01-02T03:04:05Z, from the newest assistant record
- window: 200,000 tokens (default), ratio 0.52 → 0.29
- format: openclaw, 120 records, 60,200 bytes
- workload: chat, active
- session: s1 (history), 0 cuts kept, 3 new, 0 forgotten
- as before: 11 messages, 9,031 bytes
- first change: message 12, byte 9,031

| pass | cuts | chars removed | left |
| --- | ---: | ---: | ---: |
| soft-trim | 1 | 5,925 | 1 |
| hard-clear | 2 | 12,023 | 0 |

| message | line | tool | call | names | before | after | action | pass | reason, and what goes |
| ---: | ---: | --- | --- | --- | ---: | ---: | --- | --- | --- |
| 12/0 | 24 | `exec` | `call_abc` |  | 9,012 | 3,087 | trim | soft-trim | older than the newest 3 assistant turns |
| 14/0 | 28 | `read` | `call_def` |  | 12,000 | 33 | clear | hard-clear | older than the newest 3 assistant turns |
| 15/0 | 30 | `exec` | `call_ghi` |  | 89 | 33 | clear, linked | hard-clear | older than the newest 3 assistant turns |

Defects:

- in the input: E04 × 1

Warnings:

- line 120: the last line is torn and passes through
- the format is ambiguous

";

const TOTAL: &str = "\
## Total

2 inputs: 41,999 → 24,051 chars (-43 %), 1 trimmed, 2 cleared

|  | before | after |
| --- | ---: | ---: |
| chars | 41,999 | 24,051 |
| tokens | 10,499 | 6,012 |
| bytes | 61,200 | 43,100 |

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
    assert_eq!((rows.len(), bars), (1, 11), "{}", rows[0]);
}
