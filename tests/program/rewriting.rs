//! The report on the provider's cache: tokens behind the first change, and their cost.

use crate::support::{TINY, deadhead};
use serde_json::{Value, json};

/// A call, its result of `n` chars, an answer of 40 and a question of 80, all behind a question of 4,000.
fn body(model: &str, n: usize) -> String {
    json!({"model": model, "max_tokens": 9, "tools": [{"name": "exec", "input_schema": {"type": "object"}}], "messages": [
        {"role": "user", "content": "q".repeat(4000)},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "exec", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "r".repeat(n)}]},
        {"role": "assistant", "content": "a".repeat(40)},
        {"role": "user", "content": "u".repeat(80)},
    ]})
    .to_string()
}

fn cache(body: String, flags: &[&str]) -> Value {
    let args = ["prune", "-n", "--report-format", "json"];
    let output = deadhead()
        .args(args)
        .args(TINY)
        .args(flags)
        .write_stdin(body)
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (before, after, cache) = (&report["before"], &report["after"], report["cache"].clone());
    // What lies before the first change is the same, so that both differences are one.
    let removed = |of: &Value| of.as_i64().unwrap();
    if flags.is_empty() {
        let tokens = removed(&cache["writeTokensBefore"]) - removed(&cache["writeTokensAfter"]);
        assert!(
            (tokens - (removed(&before["tokens"]) - removed(&after["tokens"]))).abs() <= 1,
            "{report}"
        );
    }
    cache
}

#[test]
fn bytes_after_the_first_change_are_rewritten() {
    let found = cache(body("claude-opus-4-5", 4000), &[]);
    assert_eq!(found["writeTokensBefore"], 1030, "{found}");
    let after = found["writeTokensAfter"].as_u64().unwrap();
    assert!(after < 100, "{found}");
    // Writing costs 6.25 dollars for a million tokens.
    assert_eq!(found["usdBefore"], 0.006438);
    let usd = found["usdAfter"].as_f64().unwrap();
    assert!((usd - after as f64 * 6.25e-6).abs() < 1e-5, "{found}");
    assert!(
        found["priceSource"]
            .as_str()
            .unwrap()
            .starts_with("https://")
    );
}

#[test]
fn a_warm_cache_would_be_read() {
    let cold = cache(body("claude-opus-4-5", 4000), &["--last-call", "10m"]);
    let warm = cache(body("claude-opus-4-5", 4000), &["--last-call", "1m"]);
    assert_eq!(cold["writeTokensBefore"], 1030);
    // The answer and the new question: 120 chars.
    assert_eq!(warm["writeTokensBefore"], 30);
    assert_eq!(warm["writeTokensAfter"], cold["writeTokensAfter"]);
    // 1,000 tokens are read for half a dollar a million, 30 written.
    assert_eq!(warm["usdBefore"], 0.000688);
}

#[test]
fn without_a_price_there_are_tokens_only() {
    let found = cache(body("nobody-knows-it", 4000), &[]);
    assert_eq!(
        (
            &found["writeTokensBefore"],
            &found["usdBefore"],
            &found["priceSource"]
        ),
        (&json!(1030), &Value::Null, &Value::Null)
    );
    let rate = ["--set", "replay.rates={'nobody-knows-it':{input:2}}"];
    let found = cache(body("nobody-knows-it", 4000), &rate);
    assert_eq!(
        (&found["usdBefore"], &found["priceSource"]),
        (&json!(0.002575), &json!("replay.rates"))
    );
}

#[test]
fn without_a_cut_nothing_is_written_again() {
    let found = cache(body("claude-opus-4-5", 10), &[]);
    assert_eq!(found["writeTokensBefore"], 0);
    assert_eq!(found["writeTokensAfter"], 0);
    assert_eq!(found["usdAfter"], 0.0);
}
