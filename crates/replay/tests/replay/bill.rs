//! The bill: each request counts once, at its own price, in the log that made it.

use crate::data::samples;
use deadhead_core::internal::dialect::by_name;
use deadhead_core::internal::json::IdSet;
use deadhead_replay::report::{Range, build};
use deadhead_replay::session::Session;
use deadhead_replay::summary::Replay;
use serde_json::{Value, json};

/// Replays the logs of a folder in their order, without a policy.
fn replays(format: &str, logs: &[String]) -> Vec<Replay> {
    let mut seen = IdSet::default();
    let replay = |log: &String| {
        let bytes = log.clone().into_bytes();
        let session = Session::read(bytes, by_name(format).unwrap()).unwrap();
        let counts = Range::default().counts(&session, &mut seen);
        build(&session, "log", &[], &counts).unwrap()
    };
    logs.iter().map(replay).collect()
}

/// The requests of a folder, and their dollars.
fn bill(format: &str, logs: &[String]) -> (u64, f64) {
    let found = replays(format, logs);
    let usd: f64 = found.iter().map(|one| one.sums.baseline.usd).sum();
    let recorded: f64 = found
        .iter()
        .map(|one| one.sums.calibration.recorded_usd)
        .sum();
    assert!(
        (usd - recorded).abs() < 0.01 * usd.max(1e-9) || recorded == 0.0,
        "{usd} {recorded}"
    );
    (found.iter().map(|one| one.sums.requests).sum(), usd)
}

fn values(log: &str) -> Vec<Value> {
    log.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

fn text(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

/// A fork of a rollout that has made no request: the head of its own, then all lines, stamped with the time of the copy or their own.
fn fork(log: &str, is_stamped: bool, has_head: bool) -> String {
    let mut lines = values(log);
    let last = lines
        .iter()
        .filter_map(|line| line["timestamp"].as_str())
        .max()
        .unwrap_or_default();
    let at = format!("{}T23:59:59.100Z", &last[..10]);
    let mut head = lines[0].clone();
    head["timestamp"] = json!(at);
    head["payload"]["id"] = json!("another");
    head["payload"]["forked_from_id"] = lines[0]["payload"]["id"].clone();
    if !has_head {
        head["payload"]
            .as_object_mut()
            .unwrap()
            .remove("forked_from_id");
    }
    if is_stamped {
        lines
            .iter_mut()
            .for_each(|line| line["timestamp"] = json!(at));
    }
    text(&[vec![head], lines].concat())
}

#[test]
fn a_copy_that_made_no_request_changes_no_bill() {
    let mut tried = 0;
    for sample in samples() {
        let Some(format) = by_name(sample.folder()).filter(|format| format.calls.row.is_some())
        else {
            continue;
        };
        let Ok(log) = String::from_utf8(sample.bytes.clone()) else {
            continue;
        };
        if Session::read(sample.bytes.clone(), format).is_err() || values(&log).len() < 2 {
            continue;
        }
        let whole = bill(format.name, std::slice::from_ref(&log));
        let renamed = {
            let mut lines = values(&log);
            for line in &mut lines {
                if line.get("sessionId").is_some() {
                    line["sessionId"] = json!("another");
                }
            }
            text(&lines)
        };
        let mut copies = vec![log.clone(), renamed];
        if format.name == "codex" && values(&log)[0]["type"] == "session_meta" {
            for (is_stamped, has_head) in
                [(true, true), (true, false), (false, true), (false, false)]
            {
                let fork = fork(&log, is_stamped, has_head);
                assert_eq!(
                    bill("codex", std::slice::from_ref(&fork)),
                    (0, 0.0),
                    "{} alone",
                    sample.name
                );
                copies.push(fork);
            }
        }
        for copy in copies {
            for folder in [[log.clone(), copy.clone()], [copy.clone(), log.clone()]] {
                let found = bill(format.name, &folder);
                assert_eq!(found.0, whole.0, "{}", sample.name);
                assert!(
                    (found.1 - whole.1).abs() < 1e-9,
                    "{}: {found:?} {whole:?}",
                    sample.name
                );
            }
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried}");
}

/// A rollout: its lines, ten seconds apart from `at` on, or at once.
fn rollout(lines: &[Value], step: usize, at: usize) -> Vec<Value> {
    let time = |i: usize| {
        let seconds = at + i * step;
        format!(
            "2026-09-10T{:02}:{:02}:{:02}.500Z",
            8 + seconds / 3600,
            seconds / 60 % 60,
            seconds % 60
        )
    };
    let stamped = |(i, line): (usize, &Value)| {
        let mut line = line.clone();
        line["timestamp"] = json!(time(i));
        line
    };
    lines.iter().enumerate().map(stamped).collect()
}

fn meta(id: &str, more: Value) -> Value {
    let mut payload = json!({"id": id, "cwd": "/w", "model_provider": "openai"});
    payload
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    json!({"type": "session_meta", "payload": payload})
}

fn turn(text: &str) -> [Value; 3] {
    let said = |role: &str, kind: &str| json!({"type": "response_item", "payload": {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}});
    [
        json!({"type": "turn_context", "payload": {"cwd": "/w", "model": "gpt-5.4"}}),
        said("user", "input_text"),
        said("assistant", "output_text"),
    ]
}

fn counted(tokens: u64, cached: u64, total: u64) -> Value {
    json!({"type": "event_msg", "payload": {"type": "token_count", "info": {"total_token_usage": {"total_tokens": total},
        "last_token_usage": {"input_tokens": tokens, "cached_input_tokens": cached, "output_tokens": 10}}}})
}

fn record(thread: &str, id: &str, tokens: u64) -> Value {
    json!({"type": "token_usage_record", "payload": {"thread_id": thread, "response_id": id,
        "usage": {"input_tokens": tokens, "cached_input_tokens": 0, "cache_write_input_tokens": 0, "output_tokens": 10}}})
}

/// ccusage #1370, #1371, #897; CodexBar #3524.
#[test]
fn a_fork_pays_for_its_own_requests() {
    let history: Vec<Value> = [
        turn("a").to_vec(),
        vec![counted(10_000, 0, 10_010)],
        turn("b").to_vec(),
        vec![counted(12_000, 10_000, 22_020)],
    ]
    .concat();
    let own: Vec<Value> = [turn("c").to_vec(), vec![counted(13_000, 12_000, 35_030)]].concat();
    let forked = meta("b", json!({"forked_from_id": "a"}));
    let spawned = meta(
        "b",
        json!({"source": {"subagent": {"thread_spawn": {"parent_thread_id": "a"}}}}),
    );
    let parent = meta("a", json!({}));
    let at_once = |heads: &[Value]| {
        [
            rollout(&[heads, &history].concat(), 0, 60),
            rollout(&own, 5, 70),
        ]
        .concat()
    };
    let in_their_time = |head: &Value| {
        [
            rollout(std::slice::from_ref(head), 0, 60),
            rollout(&history, 1, 0),
            rollout(&own, 5, 70),
        ]
        .concat()
    };
    for log in [
        at_once(&[forked.clone(), parent.clone()]),
        at_once(std::slice::from_ref(&forked)),
        at_once(&[spawned.clone(), parent.clone()]),
        in_their_time(&spawned),
        in_their_time(&forked),
    ] {
        let found = replays("codex", &[text(&log)]);
        assert_eq!(found[0].sums.requests, 1, "{log:?}");
        // 1,000 of $2.50, 12,000 of $0.25 and 10 of $15 a million.
        assert!(
            (found[0].sums.baseline.usd - 0.00565).abs() < 1e-6,
            "{}",
            found[0].sums.baseline.usd
        );
        // The history is in the context.
        assert!(found[0].sums.baseline.prompt == 13_000.0);
        assert!(
            found[0]
                .warnings
                .iter()
                .any(|line| line.contains("2 requests are a copy of another session's history")),
            "{:?}",
            found[0].warnings
        );
    }
    // A file that continues another one has no copy, and a sub-agent with a history of its own none either.
    let continued = meta(
        "b",
        json!({"forked_from_id": "a", "history_base": {"thread_id": "a", "end_byte_offset": 9}}),
    );
    for head in [continued, spawned] {
        let log = rollout(&[std::slice::from_ref(&head), &own].concat(), 0, 60);
        assert_eq!(bill("codex", &[text(&log)]).0, 1);
    }
    // The record of a request names the session that made it.
    let mut log = vec![forked];
    log.extend([record("a", "r1", 10_000)]);
    log.extend(history[..4].to_vec());
    log.extend(own[..3].to_vec());
    log.extend([record("b", "r2", 13_000), counted(13_000, 0, 30_000)]);
    assert_eq!(bill("codex", &[text(&rollout(&log, 0, 60))]).0, 1);
}

/// Codex 0.171 counts the request that compacts a context in its record alone; pi 1.6 in the entry of the compaction, as it does for what
/// keeps a cache warm.
#[test]
fn requests_beside_the_conversation_count() {
    let log = [
        vec![meta("a", json!({}))],
        turn("a").to_vec(),
        vec![
            record("a", "r1", 10_000),
            counted(10_000, 0, 10_010),
            record("a", "r2", 20_000),
        ],
        vec![
            json!({"type": "compacted", "payload": {"message": "", "replacement_history": []}}),
            counted(0, 0, 10_010),
        ],
        turn("b").to_vec(),
        vec![record("a", "r3", 4_000), counted(4_000, 0, 14_020)],
    ]
    .concat();
    let log = text(&rollout(&log, 5, 0));
    let found = &replays("codex", &[log.clone(), log])[..];
    let [first, copy] = found else { panic!() };
    assert_eq!(
        (
            first.sums.requests,
            first.sums.beside.requests,
            copy.sums.beside.requests
        ),
        (2, 1, 0)
    );
    assert!(
        (first.sums.beside.usd - 0.05015).abs() < 1e-6,
        "{}",
        first.sums.beside.usd
    );
    assert!(
        (first.sums.baseline.usd - (0.05015 + 0.0353)).abs() < 1e-6,
        "{}",
        first.sums.baseline.usd
    );
    let answer = |usage: Value| {
        json!({"type": "message", "id": "m", "parentId": null, "timestamp": "2026-11-10T08:00:02Z", "message": {"role": "assistant",
        "content": [{"type": "text", "text": "so"}], "provider": "anthropic", "model": "claude-sonnet-4-6", "usage": usage}})
    };
    let compaction = json!({"type": "compaction", "id": "c", "parentId": "m", "timestamp": "2026-11-10T08:01:02Z", "summary": "s", "firstKeptEntryId": "m",
        "tokensBefore": 9, "usage": {"input": 1000, "output": 100, "cacheRead": 0, "cacheWrite": 0}});
    let warmed = json!({"type": "usage", "id": "w", "parentId": "c", "timestamp": "2026-11-10T08:02:02Z", "kind": "cache_warm", "provider": "anthropic",
        "model": "claude-haiku-4-5", "usage": {"input": 0, "output": 0, "cacheRead": 1000, "cacheWrite": 0}});
    let written = |more: Value| {
        let mut usage = json!({"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 100_000});
        usage
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        answer(usage)
    };
    for (more, usd) in [
        (json!({}), 0.375),
        (json!({"cacheWrite1h": 100_000}), 0.6),
        (json!({"cacheWrite1h": 40_000}), 0.465),
        (
            json!({"cttl": {"ephemeral5m": 0, "ephemeral1h": 100_000}}),
            0.6,
        ),
    ] {
        let log = text(&[written(more.clone()), compaction.clone(), warmed.clone()]);
        let found = bill("openclaw", &[log]);
        assert_eq!(found.0, 1);
        // The compaction ran on the model of the answer, the warming on its own.
        assert!(
            (found.1 - (usd + 0.0045 + 0.0001)).abs() < 1e-9,
            "{more}: {found:?}"
        );
    }
}

/// ccusage #1115: what an advisor counts is not in the counts beside it. Two steps: the last one had the context.
#[test]
fn an_advisor_has_a_price_of_its_own() {
    let step = |kind: &str, read: u64, written: u64, output: u64| {
        json!({"type": kind, "input_tokens": 1, "output_tokens": output, "cache_read_input_tokens": read,
        "cache_creation_input_tokens": written, "cache_creation": {"ephemeral_5m_input_tokens": written, "ephemeral_1h_input_tokens": 0}})
    };
    let mut advice = step("advisor_message", 0, 0, 8000);
    (advice["input_tokens"], advice["model"]) = (json!(160_000), json!("claude-opus-4-7"));
    let line = |parent: Value, n: usize| {
        json!({"type": "assistant", "uuid": format!("u{n}"), "parentUuid": parent, "sessionId": "s", "timestamp": "2026-09-10T08:00:10Z",
        "message": {"id": "m", "role": "assistant", "model": "claude-sonnet-4-6", "content": [{"type": "text", "text": "hi"}],
        "usage": {"input_tokens": 2, "output_tokens": 500, "cache_read_input_tokens": 100_000, "cache_creation_input_tokens": 8000,
        "cache_creation": {"ephemeral_5m_input_tokens": 8000, "ephemeral_1h_input_tokens": 0},
        "iterations": [step("message", 46_000, 4_000, 50), advice.clone(), step("message", 54_000, 4_000, 450)]}}})
    };
    // The same message in two pieces.
    let log = text(&[line(json!(null), 0), line(json!("u0"), 1)]);
    let found = &replays("claude-code", &[log])[0].sums;
    assert_eq!((found.requests, found.beside.requests), (1, 1));
    assert!(
        (found.beside.usd - 1.0).abs() < 1e-9,
        "{}",
        found.beside.usd
    );
    assert!(
        (found.baseline.usd - 1.067_506).abs() < 1e-9,
        "{}",
        found.baseline.usd
    );
    assert_eq!(found.baseline.peak, 58_001.0);
}

/// Whatever the provider says of a miss comes first; else the log shows the cause, or nothing does.
#[test]
fn a_miss_has_its_cause() {
    let mut lines: Vec<Value> =
        vec![json!({"type": "user", "message": {"role": "user", "content": "go"}})];
    let mut ask = |model: &str,
                   [read, written]: [u64; 2],
                   minutes: usize,
                   blocks: usize,
                   said: Value| {
        let n = lines.len();
        lines[n - 1]["minutes"] = json!(minutes);
        let content: Vec<Value> = (0..blocks)
            .map(|i| json!({"type": "text", "text": format!("{n} {i}")}))
            .collect();
        lines.push(json!({"type": "assistant", "message": {"id": format!("m{n}"), "role": "assistant", "model": model, "content": [{"type": "text", "text": "so"}],
            "usage": {"input_tokens": 1, "output_tokens": 9, "cache_read_input_tokens": read, "cache_creation_input_tokens": written}, "diagnostics": {"cache_miss_reason": said}}}));
        lines.push(json!({"type": "user", "message": {"role": "user", "content": content}}));
    };
    let (opus, sonnet) = ("claude-opus-4-8", "claude-sonnet-4-5");
    let said = |what: &str| json!({"type": what, "cache_missed_input_tokens": 9});
    ask(opus, [0, 20_000], 1, 1, json!(null));
    ask(opus, [20_000, 1_000], 1, 1, json!(null));
    ask(opus, [8_000, 14_000], 1, 1, said("tools_changed"));
    ask(opus, [0, 23_000], 90, 1, said("unavailable"));
    ask(opus, [0, 24_000], 1, 1, said("previous_message_not_found"));
    ask(sonnet, [0, 25_000], 1, 25, json!(null));
    ask(sonnet, [0, 26_000], 1, 1, json!(null));
    ask(sonnet, [0, 27_000], 1, 1, json!(null));
    ask(sonnet, [27_000, 1_000], 1, 1, said("something_new"));
    let mut minutes = 0;
    for (n, line) in lines.iter_mut().enumerate() {
        minutes += line
            .as_object_mut()
            .unwrap()
            .remove("minutes")
            .map_or(0, |minutes| minutes.as_u64().unwrap());
        line["uuid"] = json!(format!("u{n}"));
        line["parentUuid"] = n
            .checked_sub(1)
            .map_or(json!(null), |n| json!(format!("u{n}")));
        line["sessionId"] = json!("s");
        line["timestamp"] = json!(format!(
            "2026-11-01T{:02}:{:02}:00Z",
            minutes / 60,
            minutes % 60
        ));
    }
    let found = &replays("claude-code", &[text(&lines)])[0];
    let missed: Vec<(u32, &str)> = found
        .timeline
        .iter()
        .filter_map(|call| Some((call.line, call.miss?.name())))
        .collect();
    assert_eq!(
        missed,
        [
            (2, "first call"),
            (6, "tools changed"),
            (8, "expired"),
            (10, "previous message not found"),
            (12, "model changed"),
            (14, "out of the mark's reach"),
            (16, "agent"),
        ]
    );
    // What was not read is written again, and could have been read.
    let tools = &found.timeline[2];
    assert_eq!(tools.lost, 13_001.0);
    assert!(
        (tools.lost_usd - 13_001.0 * (6.25 - 0.5) / 1e6).abs() < 1e-6,
        "{}",
        tools.lost_usd
    );
}
