//! The effect of a cut on the price of the next request, for logs that count the tokens of their calls.

use deadhead_core::diagnostics::NextRequest;
use deadhead_core::{Config, Pruner};
use serde_json::{Value, json};

const MINUTE: i64 = 60_000;

/// A log of Claude Code with an old result of 80,000 chars, the rest of the same size behind it. Each answer counts its prompt.
fn log(counted: bool) -> Vec<u8> {
    let (mut lines, mut parent, mut prompt) = (String::new(), Value::Null, 1000);
    let mut put = |role: &str, time: usize, message: Value| {
        let id = format!("{role}{time}");
        let line = json!({"type": role, "uuid": id, "parentUuid": parent, "sessionId": "s", "isSidechain": false,
            "timestamp": format!("2026-01-01T00:00:{time:02}.000Z"), "message": message});
        lines.push_str(&format!("{line}\n"));
        parent = json!(id);
    };
    put("user", 0, json!({"role": "user", "content": "begin"}));
    for i in 1..=9 {
        let mut message = json!({"id": format!("m{i}"), "type": "message", "model": "claude-sonnet-4-5", "role": "assistant",
            "content": [{"type": "tool_use", "id": format!("t{i}"), "name": "Bash", "input": {"command": "x"}}]});
        let written = if i == 2 { 20_000 } else { 1000 };
        if counted {
            message["usage"] = json!({"input_tokens": 0, "cache_read_input_tokens": prompt, "cache_creation_input_tokens": written,
                "output_tokens": 1, "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": written}});
        }
        prompt += written;
        put("assistant", 2 * i, message);
        let text = "word ".repeat(if i == 1 { 16_000 } else { 800 });
        let result =
            json!({"type": "tool_result", "tool_use_id": format!("t{i}"), "content": text});
        put(
            "user",
            2 * i + 1,
            json!({"role": "user", "content": [result]}),
        );
    }
    lines.into_bytes()
}

fn next_request(log: &[u8], config: &str, idle: i64) -> Option<NextRequest> {
    let last = 1_767_225_618_000;
    // Only the large result is trimmed.
    let pruning = "mode: 'adaptive', keepLastAssistants: 2, softTrimRatio: 0, softTrim: {maxChars: 50000}, hardClear: {enabled: false}";
    let config = format!("{{contextPruning: {{{pruning}}}, {config}}}");
    let pruner = Pruner::new(Config::from_json5(&config).unwrap())
        .unwrap()
        .at(last + idle);
    let report = pruner.prune(log).unwrap().report;
    assert!(!report.cuts.is_empty());
    report.cache.next_request
}

#[test]
fn a_cut_of_a_warm_cache_makes_it_dearer_and_of_a_cold_one_cheaper() {
    // An hour of cache: half an hour is warm.
    for (minutes, is_warm) in [(1, true), (30, true), (61, false), (600, false)] {
        let next = next_request(&log(true), "", minutes * MINUTE).unwrap();
        assert_eq!(
            next.usd_after > next.usd_before,
            is_warm,
            "{minutes}: {next:?}"
        );
        assert_eq!(next.cached_again > 0, is_warm, "{minutes}: {next:?}");
    }
    let warm = next_request(&log(true), "", MINUTE).unwrap();
    // 28,000 tokens are read for $0.30 a million, the newest result of 1,000 is written for $6; behind the cut 8,000 are written.
    assert!((warm.usd_before - 0.0147).abs() < 0.002, "{warm:?}");
    assert!(
        (warm.usd_after - 0.05).abs() < 0.01 && warm.cached_again.abs_diff(8000) < 1500,
        "{warm:?}"
    );
}

#[test]
fn nothing_is_stated_that_nobody_counted_or_priced() {
    assert_eq!(next_request(&log(false), "", MINUTE), None);
    assert_eq!(next_request(&log(true), "model: 'llama'", MINUTE), None);
    let hostile = "replay: {rates: {'claude-sonnet-4-5': {input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWriteLong: 0}}}";
    let free = next_request(&log(true), hostile, MINUTE).unwrap();
    assert_eq!((free.usd_before, free.usd_after), (0.0, 0.0));
}
