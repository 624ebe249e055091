//! `contextPruning.ttl: "auto"`: the lifetime of the cache that a conversation uses, from its marks or counts.

use deadhead_core::{Config, Pruner, Report};
use serde_json::{Value, json};

const NOW: i64 = 1_800_000_000_000;
const MINUTE: i64 = 60_000;

/// A body of one question and one answer; each of its marks is for an hour or not, or it is not there.
fn body(system: Option<bool>, message: Option<bool>, automatic: Option<bool>) -> Vec<u8> {
    let marked = |mut part: Value, long: Option<bool>| {
        if let Some(long) = long {
            part["cache_control"] = if long {
                json!({"type": "ephemeral", "ttl": "1h"})
            } else {
                json!({"type": "ephemeral"})
            };
        }
        part
    };
    let text = |text: &str| json!({"type": "text", "text": text});
    let body = json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "system": [marked(text("s"), system)], "messages": [
        {"role": "user", "content": [marked(text("a"), message)]}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]});
    marked(body, automatic).to_string().into_bytes()
}

/// A log of Claude Code in which each answer wrote so many tokens to a cache of five minutes and to one of an hour.
fn log(written: &[(u64, u64)]) -> Vec<u8> {
    let mut parent = Value::Null;
    let mut lines = String::new();
    for (i, (short, long)) in written.iter().enumerate() {
        let usage = json!({"input_tokens": 3, "cache_read_input_tokens": 9, "cache_creation_input_tokens": short + long, "output_tokens": 1,
            "cache_creation": {"ephemeral_5m_input_tokens": short, "ephemeral_1h_input_tokens": long}});
        for (role, message) in [
            ("user", json!({"role": "user", "content": "a"})),
            (
                "assistant",
                json!({"id": format!("m{i}"), "type": "message", "model": "claude-sonnet-4-5", "role": "assistant",
                "content": [{"type": "text", "text": "b"}], "usage": usage}),
            ),
        ] {
            let id = format!("{role}{i}");
            let line = json!({"type": role, "uuid": id, "parentUuid": parent, "sessionId": "s", "isSidechain": false, "message": message});
            lines.push_str(&format!("{line}\n"));
            parent = json!(id);
        }
    }
    lines.into_bytes()
}

fn report(input: &[u8], config: &str, idle: i64) -> Report {
    Pruner::new(Config::from_json5(config).unwrap())
        .unwrap()
        .at(NOW)
        .last_call(NOW - idle)
        .prune(input)
        .unwrap()
        .report
}

#[test]
fn the_lifetime_is_that_of_the_newest_mark_or_of_the_counts() {
    let (short, long) = (300_000, 3_600_000);
    for (input, ttl) in [
        (body(None, None, None), short),
        (body(Some(false), None, None), short),
        (body(Some(true), None, None), long),
        (body(Some(true), Some(false), None), short),
        (body(Some(true), Some(true), None), long),
        (body(None, Some(false), Some(true)), long),
        (log(&[(10, 0)]), short),
        (log(&[(10, 0), (0, 10)]), long),
        (log(&[(0, 10), (0, 0)]), long),
        // What was written for an hour is still read.
        (log(&[(0, 10), (10, 0)]), long),
        (log(&[(0, 0)]), short),
        (log(&[(0, u64::MAX / 4)]), long),
    ] {
        let shown = String::from_utf8_lossy(&input).into_owned();
        let found = |config: &str| report(&input, config, 0).decision.ttl_ms;
        assert_eq!(found("{}"), ttl, "{shown}");
        assert_eq!(
            found("{contextPruning: {ttl: 'auto', mode: 'cache-ttl'}}"),
            ttl,
            "{shown}"
        );
        assert_eq!(found("{contextPruning: {ttl: '7m'}}"), 420_000);
    }
    // What nobody knows may be promised; what is known counts before a promise.
    assert_eq!(
        report(&body(None, None, None), "{cacheControlTtl: '1h'}", 0)
            .decision
            .ttl_ms,
        long
    );
    assert_eq!(
        report(&body(None, None, None), "{cacheControlTtl: 0}", 0)
            .decision
            .ttl_ms,
        short
    );
    assert_eq!(
        report(&body(None, Some(false), None), "{cacheControlTtl: '1h'}", 0)
            .decision
            .ttl_ms,
        short
    );
}

#[test]
fn the_clock_opens_when_that_lifetime_is_over() {
    for (minutes, ran) in [
        (-5, [false, false]),
        (4, [false, false]),
        (5, [true, false]),
        (59, [true, false]),
        (60, [true, true]),
    ] {
        let found = [false, true].map(|long| {
            report(&body(None, Some(long), None), "{}", minutes * MINUTE)
                .decision
                .ran
        });
        assert_eq!(found, ran, "{minutes} minutes");
    }
}

#[test]
fn a_ttl_that_is_not_the_lifetime_is_a_warning() {
    let marked = |long| body(None, Some(long), None);
    for (input, config, warning) in [
        (
            marked(true),
            "contextPruning: {ttl: '5m'}",
            "ttl is 5 m, and this conversation's prompts are cached for 1 h: it prunes a cache that is warm",
        ),
        (
            marked(false),
            "contextPruning: {ttl: '1h'}",
            "ttl is 1 h, and this conversation's prompts are cached for 5 m: it leaves an expired cache",
        ),
        (
            body(None, None, None),
            "cacheControlTtl: '1h', contextPruning: {ttl: '5m'}",
            "ttl is 5 m, and cacheControlTtl is 1 h: it prunes",
        ),
        (marked(true), "contextPruning: {ttl: '1h'}", ""),
        (marked(true), "contextPruning: {ttl: 'auto'}", ""),
        (
            marked(true),
            "contextPruning: {ttl: '5m', mode: 'adaptive'}",
            "",
        ),
        (body(None, None, None), "contextPruning: {ttl: '5m'}", ""),
    ] {
        let found = report(&input, &format!("{{{config}}}"), 0)
            .warnings
            .iter()
            .map(|w| w.text.clone())
            .collect::<Vec<_>>()
            .join("\n");
        assert_eq!(
            found.contains("contextPruning.ttl"),
            !warning.is_empty(),
            "{config}: {found}"
        );
        assert!(found.contains(warning), "{config}: {found}");
    }
}
