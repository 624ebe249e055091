use super::*;
use crate::dialect::by_name;

fn read(bytes: &[u8], format: &str) -> Log {
    super::read(
        bytes,
        by_name(format).unwrap(),
        &TranscriptBuilder::new(crate::settings::Estimator::Utf16),
    )
}

#[test]
fn a_damaged_line_has_no_row() {
    let log = concat!(
        "{\"type\":\"message\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"message\":{\"role\":\"assistant\",\"usage\":{\"input\":5,\"output\":2}}}\n",
        "{\"type\":\"message\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"message\":{\"role\":\n",
        "\n{\"type\":\"message\",\"timestamp\":\"2026-01-01T00:00:01Z\",\"message\":{\"role\":\"user\"}}",
    );
    let rows = read(log.as_bytes(), "openclaw").rows;
    assert_eq!(
        rows.iter().map(|r| r.time).collect::<Vec<_>>(),
        [Some(1_767_225_600_000), Some(1_767_225_601_000)]
    );
    assert_eq!(rows[0].usage.map(|u| (u.prompt(), u.output)), Some((5, 2)));
    assert!(read(log.as_bytes(), "gemini-cli").rows.is_empty());
}

#[test]
fn logs_of_calls_have_a_table() {
    let has_table = |format: &&Dialect| TABLES.contains_key(format.name);
    let (with, without): (Vec<_>, Vec<_>) = DIALECTS.iter().partition(has_table);
    assert!(with.iter().all(|format| format.calls.can_be_replayed()));
    assert!(without.iter().all(|format| !format.calls.can_be_replayed()));
    assert_eq!(with.len(), TABLES.len());
}

#[test]
fn claude_code_has_both_lifetimes_once_a_message() {
    let line = r#"{"type":"assistant","timestamp":"2026-01-01T00:00:00Z","cwd":"/w","message":{"id":"m","model":"claude-x","usage":{"input_tokens":1,"cache_creation_input_tokens":30,"cache_read_input_tokens":4,"cache_creation":{"ephemeral_5m_input_tokens":10,"ephemeral_1h_input_tokens":20},"output_tokens":7}}}"#;
    let log = read(line.as_bytes(), "claude-code");
    let want = Usage {
        input: 1,
        cache_read: 4,
        cache_write5m: 10,
        cache_write1h: 20,
        output: 7,
        states_lifetime: true,
    };
    assert_eq!(
        (log.rows[0].usage, log.rows[0].kind, log.project.as_deref()),
        (Some(want), RowKind::Answer, Some("/w"))
    );
    let synthetic = line.replace("claude-x", "<synthetic>");
    assert_eq!(
        read(synthetic.as_bytes(), "claude-code").rows[0].kind,
        RowKind::Other
    );
}

#[test]
fn a_compaction_is_counted_apart() {
    let iteration = |kind: &str, input: u32, output: u32| {
        format!(
            r#"{{"input_tokens":{input},"output_tokens":{output},"cache_read_input_tokens":5,"cache_creation":{{"ephemeral_1h_input_tokens":2}},"type":"{kind}"}}"#
        )
    };
    let of = |iterations: &str| {
        let line = format!(
            r#"{{"type":"assistant","message":{{"id":"m","model":"claude-x","usage":{{"input_tokens":23,"iterations":{iterations},"output_tokens":1}}}}}}"#
        );
        let rows = read(line.as_bytes(), "claude-code").rows;
        assert_eq!(
            rows[0].usage,
            Some(Usage {
                input: 23,
                output: 1,
                ..Usage::default()
            }),
            "{iterations}"
        );
        rows[0].summaries
    };
    let (summary, answer) = (iteration("compaction", 180, 3), iteration("message", 23, 1));
    let want = Usage {
        input: 180,
        cache_read: 5,
        cache_write1h: 2,
        output: 3,
        ..Usage::default()
    };
    assert_eq!(of(&format!("[{summary},{answer}]")), want);
    assert_eq!(
        of(&format!("[{summary},{answer},{summary}]")).prompt(),
        2 * want.prompt()
    );
    for none in [
        "[]",
        "null",
        "{}",
        "[1,[],null]",
        &format!("[{answer}]"),
        &format!("[{{\"iterations\":[{summary}]}}]"),
    ] {
        assert_eq!(of(none), Usage::default(), "{none}");
    }
}

#[test]
fn codex_counts_are_taken_once() {
    let count = |total: u64| {
        format!(
            "{{\"timestamp\":\"2026-01-01T00:00:00Z\",\"type\":\"event_msg\",\"payload\":{{\"type\":\"token_count\",\"info\":{{\"total_token_usage\":{{\"total_tokens\":{total}}},\"last_token_usage\":{{\"input_tokens\":100,\"cached_input_tokens\":64,\"output_tokens\":3}}}}}}}}\n"
        )
    };
    let empty = r#"{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{"type":"token_count","info":null}}"#;
    let text = [count(103), count(103), count(206), empty.to_owned()].concat();
    let counts: Vec<Row> = read(text.as_bytes(), "codex")
        .rows
        .into_iter()
        .filter(|r| r.kind == RowKind::Count)
        .collect();
    assert_eq!(counts.len(), 2);
    assert_eq!(
        counts[0].usage,
        Some(Usage {
            input: 36,
            cache_read: 64,
            output: 3,
            ..Usage::default()
        })
    );
}

#[test]
fn prompts_of_every_log_that_counts_them() {
    for (format, text, want) in [
        (
            "claude-code",
            r#"{"id":"m","usage":{"input_tokens":1,"cache_creation_input_tokens":30,"cache_read_input_tokens":4}}"#,
            Some(35),
        ),
        (
            "claude-code",
            r#"{"id":"m","usage":{"input_tokens":0,"output_tokens":3}}"#,
            None,
        ),
        ("claude-code", r#"{"id":"m","content":[]}"#, None),
        (
            "openclaw",
            r#"{"role":"assistant","usage":{"input":5,"output":2,"cacheRead":7,"cacheWrite":1}}"#,
            Some(13),
        ),
        (
            "gemini-cli",
            r#"{"id":"g","tokens":{"input":10342,"output":182,"cached":8192,"total":10760}}"#,
            Some(10342),
        ),
        (
            "opencode",
            r#"{"info":{"tokens":{"input":1,"output":2,"cache":{"read":3,"write":4}}},"parts":[]}"#,
            Some(8),
        ),
        (
            "cline",
            r#"{"role":"assistant","metrics":{"inputTokens":21,"outputTokens":8,"cacheReadTokens":3,"cacheWriteTokens":1}}"#,
            Some(21),
        ),
        (
            "cline",
            r#"{"role":"assistant","metrics":{"tokens":{"prompt":3,"completion":1,"cached":9},"cost":1}}"#,
            None,
        ),
        (
            "codex",
            concat!(
                "{\"type\":\"response_item\",\"payload\":{\"type\":\"message\"}}\n{torn\n",
                "{\"type\":\"event_msg\",\"payload\":{\"type\":\"token_count\",\"info\":{\"last_token_usage\":{\"input_tokens\":100,\"cached_input_tokens\":64}}}}\n"
            ),
            Some(100),
        ),
        (
            "codex",
            "{\"type\":\"response_item\",\"payload\":{\"type\":\"message\"}}\n",
            None,
        ),
    ] {
        assert_eq!(
            by_name(format)
                .unwrap()
                .usage(text.as_bytes(), 0)
                .map(|usage| usage.prompt()),
            want,
            "{format} {text}"
        );
    }
    assert!(
        by_name("anthropic")
            .unwrap()
            .usage(br#"{"id":"m","usage":{"input_tokens":1}}"#, 0)
            .is_none()
    );
}

#[test]
fn a_write_without_a_lifetime_is_counted_and_states_none() {
    let usage = |usage: &str| {
        let line = format!(
            r#"{{"type":"assistant","message":{{"id":"m","model":"claude-x","usage":{usage}}}}}"#
        );
        read(line.as_bytes(), "claude-code").rows[0].usage.unwrap()
    };
    for (text, writes, long) in [
        (r#"{"cache_creation_input_tokens":30}"#, (30, 0), None),
        (
            r#"{"cache_creation_input_tokens":30,"cache_creation":{}}"#,
            (30, 0),
            None,
        ),
        (
            r#"{"cache_creation_input_tokens":30,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0}}"#,
            (30, 0),
            None,
        ),
        (
            r#"{"cache_creation_input_tokens":30,"cache_creation":{"ephemeral_5m_input_tokens":30}}"#,
            (30, 0),
            Some(false),
        ),
        (
            r#"{"cache_creation":{"ephemeral_1h_input_tokens":20},"cache_creation_input_tokens":30}"#,
            (10, 20),
            Some(true),
        ),
        (
            r#"{"cache_creation_input_tokens":0,"cache_creation":{"ephemeral_1h_input_tokens":0}}"#,
            (0, 0),
            None,
        ),
    ] {
        let usage = usage(text);
        assert_eq!(
            ((usage.cache_write5m, usage.cache_write1h), usage.is_long()),
            (writes, long),
            "{text}"
        );
    }
}

#[test]
fn a_prompt_is_kept_for_the_longest_lifetime_of_its_parts() {
    // Read and written for five minutes and an hour, the newest request first.
    let long = |requests: &[(u64, u64, u64)]| {
        is_cached_long(
            requests
                .iter()
                .map(|&(cache_read, cache_write5m, cache_write1h)| Usage {
                    cache_read,
                    cache_write5m,
                    cache_write1h,
                    states_lifetime: true,
                    ..Usage::default()
                }),
        )
    };
    for (requests, want) in [
        (&[][..], None),
        (&[(9, 0, 0)], None),
        (&[(9, 1, 0)], Some(false)),
        (&[(9, 1, 0), (0, 0, 9)], Some(true)),
        (&[(9, 1, 0), (9, 0, 0), (8, 0, 1)], Some(true)),
        // What was cached for an hour was lost.
        (&[(9, 1, 0), (0, 9, 0), (0, 0, 9)], Some(false)),
    ] {
        assert_eq!(long(requests), want, "{requests:?}");
    }
}
