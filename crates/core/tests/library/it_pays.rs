//! `onlyIf`: passes that cut only where the cut pays for the cache that it invalidates.

use crate::dice::Dice;
use deadhead_core::{Config, Outcome, Pruner, Report};
use serde_json::{Value, json};

const HOUR: i64 = 3_600_000;
const NOW: i64 = 1_800_000_000_000;

/// A body in which `Read` reads each file, or `exec` prints, so many chars.
fn body(steps: &[(&str, &str, usize)]) -> Vec<u8> {
    let mut messages = vec![json!({"role": "user", "content": "begin"})];
    for (i, (tool, path, chars)) in steps.iter().enumerate() {
        let id = format!("t{i}");
        messages.push(
            json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": tool, "input": {"file_path": path, "n": i}}]}),
        );
        let text = format!("{i} {}", "word ".repeat(chars / 5));
        messages.push(json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]}));
    }
    let tools: Vec<Value> = ["Read", "exec", "grep"]
        .iter()
        .map(|name| json!({"name": name, "input_schema": {"type": "object"}}))
        .collect();
    messages.push(json!({"role": "assistant", "content": "so"}));
    messages.push(json!({"role": "user", "content": "go on"}));
    json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "tools": tools, "messages": messages})
        .to_string()
        .into_bytes()
}

/// Prunes with a configuration, at so many milliseconds after the last call, where one is known.
fn prune<'a>(input: &'a [u8], config: &str, idle: Option<i64>) -> Outcome<'a> {
    let pruner = Pruner::new(Config::from_json5(config).unwrap())
        .unwrap()
        .at(NOW);
    let pruner = idle.map_or(pruner.clone(), |idle| pruner.last_call(NOW - idle));
    pruner.prune(input).unwrap()
}

fn cut_messages(report: &Report) -> Vec<u32> {
    report.cuts.iter().map(|cut| cut.message).collect()
}

/// One file that is read twice, and a large result behind the first reading.
const TWICE: &[(&str, &str, usize)] = &[
    ("Read", "a", 2000),
    ("exec", "", 80_000),
    ("Read", "a", 2000),
];

#[test]
fn changes_of_old_content_wait_for_a_cold_cache() {
    const DEDUPE: &str = "passes: {on: ['dedupe'], off: ['soft-trim', 'hard-clear', 'break-even']}, contextPruning: {keepLastAssistants: 0";
    const TTL: &str = ", ttl: '1m'";
    const MINUTES: Option<i64> = Some(2 * 60_000);
    for (more, only_if, idle, is_cut) in [
        // A clock that is not there says nothing; two minutes are less than the cache's lifetime, two hours are more.
        ("", "auto", None, true),
        (TTL, "auto", MINUTES, false),
        (TTL, "auto", Some(2 * HOUR), true),
        // The clock went backwards.
        (", mode: 'break-even'", "auto", Some(-HOUR), false),
        (", mode: 'break-even'", "auto", MINUTES, false),
        // Who asks for no clock, or for the cut, gets it.
        (", mode: 'off'", "auto", MINUTES, true),
        (", mode: 'adaptive'", "auto", MINUTES, true),
        (TTL, "always", MINUTES, true),
        // It was asked for: what nobody knows is taken as warm.
        ("", "it-pays", None, false),
        (", mode: 'adaptive'", "it-pays", MINUTES, false),
        (", mode: 'adaptive'", "it-pays", Some(2 * HOUR), true),
    ] {
        let config = format!("{{onlyIf: '{only_if}', {DEDUPE}{more}}}}}");
        let input = body(TWICE);
        let report = prune(&input, &config, idle).report;
        assert_eq!(
            cut_messages(&report),
            if is_cut { vec![3] } else { vec![] },
            "{config} {idle:?}: {}",
            report.decision.why
        );
        if !is_cut {
            assert!(
                report
                    .decision
                    .why
                    .contains("dedupe: the cache is warm: no cut pays in 5 requests"),
                "{}",
                report.decision.why
            );
            assert!(
                report
                    .skipped
                    .iter()
                    .any(|skip| skip.pass == "dedupe" && skip.message == 3),
                "{:?}",
                report.skipped
            );
        }
    }
}

#[test]
fn calls_stay_with_their_results_where_only_later_ones_pay() {
    // The oldest step is small and lies before a large text that stays.
    let steps: Vec<(&str, &str, usize)> = [("exec", "", 500), ("Read", "kept", 60_000)]
        .into_iter()
        .chain([("exec", "", 40_000); 6])
        .collect();
    let input = body(&steps);
    let config = |only_if: &str| {
        format!(
            "{{onlyIf: '{only_if}', ephemeral: {{enabled: true, keepTurns: 1}}, contextPruning: {{mode: 'off'}}}}"
        )
    };
    let all = prune(&input, &config("always"), Some(60_000)).report;
    let some = prune(&input, &config("it-pays"), Some(60_000)).report;
    assert_eq!(
        cut_messages(&all),
        [2, 3].into_iter().chain(6..18).collect::<Vec<_>>()
    );
    assert_eq!(
        cut_messages(&some),
        (6..18).collect::<Vec<_>>(),
        "{}",
        some.decision.why
    );
    let left: Vec<_> = some
        .skipped
        .iter()
        .map(|skip| (skip.message, skip.why.as_str()))
        .collect();
    assert!(
        left.contains(&(
            2,
            "it would cost more than it saves while the cache is warm"
        )),
        "{left:?}"
    );
    assert_eq!(some.integrity.after.len(), 0);
}

#[test]
fn turns_go_all_or_not_at_all() {
    let messages: Vec<Value> = (0..40)
        .map(|i| json!({"role": if i % 2 == 0 { "user" } else { "assistant" }, "content": "word ".repeat(if i < 4 { 10 } else { 400 })}))
        .collect();
    let input = json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": messages[..39]})
        .to_string()
        .into_bytes();
    let config = |only_if: &str, more: &str| {
        format!(
            "{{onlyIf: '{only_if}', turnDrop: {{enabled: true}}, contextPruning: {{mode: 'off'}}, breakEven: {{{more}}}}}"
        )
    };
    let all = cut_messages(&prune(&input, &config("always", ""), Some(60_000)).report);
    assert!(all.len() > 20);
    for (more, count) in [("expectRequests: 80", all.len()), ("caution: 1000", 0)] {
        let report = prune(&input, &config("it-pays", more), Some(60_000)).report;
        assert_eq!(report.cuts.len(), count, "{more}: {}", report.decision.why);
        assert_eq!(report.prune.turns_removed > 0, count > 0);
    }
}

/// Of what a pass cuts without the condition it cuts with it what comes from some message on, and no pair is broken.
#[test]
fn only_later_cuts_are_made_of_those_without_the_condition() {
    let mut partly = 0;
    for seed in 0..400 {
        let mut dice = Dice(seed);
        let steps: Vec<_> = (0..2 + dice.below(12))
            .map(|_| {
                (
                    dice.pick(&["exec", "Read", "grep"]),
                    dice.pick(&["a", "b", "c"]),
                    dice.pick(&[10, 3000, 30_000, 90_000]),
                )
            })
            .collect();
        let input = body(&steps);
        let policy = dice.pick(&[
            "contextPruning: {mode: 'aggressive', keepLastAssistants: 1}",
            "contextPruning: {mode: 'adaptive', keepLastAssistants: 1, softTrimRatio: 0, hardClear: {enabled: false}}",
            "contextPruning: {mode: 'off', keepLastAssistants: 0}, passes: {on: ['dedupe']}",
            "contextPruning: {mode: 'off'}, ephemeral: {enabled: true, keepTurns: 1}",
            "contextPruning: {mode: 'off'}, resources: {enabled: true}",
        ]);
        let hostile = dice.pick(&[
            "",
            "expectRequests: 0",
            "caution: 0",
            "expectFactor: 1e300, caution: 1e300",
            "budget: 0",
            "expectRequests: 40",
        ]);
        let run = |only_if: &str| {
            let config = format!("{{onlyIf: '{only_if}', {policy}, breakEven: {{{hostile}}}}}");
            prune(&input, &config, Some(60_000)).report
        };
        let (all, some) = (run("always"), run("it-pays"));
        let (every, kept) = (cut_messages(&all), cut_messages(&some));
        let from = kept.first().copied().unwrap_or(u32::MAX);
        let later: Vec<u32> = every
            .iter()
            .copied()
            .filter(|message| *message >= from)
            .collect();
        assert_eq!(kept, later, "seed {seed}: {policy} {hostile} {steps:?}");
        assert_eq!(some.integrity.after, all.integrity.after, "seed {seed}");
        partly += usize::from(!kept.is_empty() && kept.len() < every.len());
    }
    assert!(partly > 10, "{partly}");
}

/// A body whose last message has a cache mark, with so many small and then large results of `exec`. `more` marks are in the system prompt.
fn marked(small: usize, large: usize, ttl: Option<&str>, more: usize) -> Vec<u8> {
    let steps: Vec<_> = (0..small + large)
        .map(|i| ("exec", "", if i < small { 100 } else { 20_000 }))
        .collect();
    let mut body: Value = serde_json::from_slice(&body(&steps)).unwrap();
    let mut mark = json!({"type": "ephemeral"});
    if let Some(ttl) = ttl {
        mark["ttl"] = json!(ttl);
    }
    let system = vec![json!({"type": "text", "text": "s", "cache_control": mark}); more];
    body["system"] = json!(system);
    let messages = body["messages"].as_array_mut().unwrap();
    messages.truncate(messages.len() - 2);
    messages.last_mut().unwrap()["content"][0]["cache_control"] = mark;
    body.to_string().into_bytes()
}

#[test]
fn a_cut_in_a_warm_cache_marks_the_end_of_the_prompt_before_it() {
    const MODE: &str = "contextPruning: {mode: 'break-even'}";
    let marks = |input: &[u8], config: &str, idle| {
        let outcome = prune(input, &format!("{{{MODE}{config}}}"), Some(idle));
        let marked = outcome.report.cache.marked;
        let output: Value = serde_json::from_slice(&outcome.bytes).unwrap();
        let found: Vec<String> = output["messages"].as_array().unwrap()[..40]
            .iter()
            .filter_map(|message| message["content"].as_array()?.last()?.get("cache_control"))
            .map(Value::to_string)
            .collect();
        (marked, found)
    };
    let (short, long) = (
        r#"{"type":"ephemeral"}"#,
        r#"{"type":"ephemeral","ttl":"1h"}"#,
    );
    for (ttl, more, mark) in [
        (None, 0, Some(short)),
        (None, 2, Some(short)),
        (Some("1h"), 1, Some(long)),
        // A request may have four marks.
        (None, 3, None),
    ] {
        let (marked, found) = marks(&marked(12, 12, ttl, more), "", 10_000);
        assert_eq!(marked, mark.map(|_| 25), "{ttl:?} {more}");
        assert_eq!(found, Vec::from_iter(mark), "{ttl:?} {more}");
    }
    let plain = marked(12, 12, None, 1);
    assert_eq!(
        marks(&plain, ", breakEven: {ownMarks: false}", 10_000).0,
        None
    );
    // The cache has expired.
    assert_eq!(marks(&plain, "", 2 * HOUR).0, None);
}

/// GPT-6.2 drops reasoning behind a change without an error, and does it again.
#[test]
fn a_pass_weighs_the_reasoning_that_is_done_again() {
    let body = |model: &str, reasoning: usize| {
        let mut input = vec![json!({"role": "user", "content": "go"})];
        for i in 0..6 {
            let id = format!("call_{i}");
            input.push(json!({"type": "reasoning", "id": format!("rs_{i}"), "encrypted_content": "a".repeat(reasoning),
                "summary": [{"type": "summary_text", "text": "b".repeat(reasoning)}]}));
            input.push(
                json!({"type": "function_call", "call_id": id, "name": "exec", "arguments": "{}"}),
            );
            input.push(json!({"type": "function_call_output", "call_id": id, "output": "word ".repeat(4000)}));
        }
        input.push(json!({"role": "assistant", "content": "so"}));
        input.push(json!({"role": "user", "content": "on"}));
        json!({"model": model, "store": false, "input": input}).to_string()
    };
    for (model, reasoning, thinking, idle, is_cut) in [
        ("gpt-6.2-sol", 40, "auto", None, true),
        ("gpt-6.2-sol", 40_000, "auto", None, false),
        ("gpt-6.2-sol", 40_000, "auto", Some(48 * HOUR), false),
        ("gpt-6.2-sol", 40_000, "drop-block", None, true),
        ("gpt-6.1-sol", 40_000, "auto", None, true),
    ] {
        let input = body(model, reasoning).into_bytes();
        let config = format!(
            "{{thinking: '{thinking}', contextPruning: {{mode: 'aggressive', keepLastAssistants: 1}}}}"
        );
        let report = prune(&input, &config, idle).report;
        let why = (model, reasoning, &report.decision.why, &report.warnings);
        assert_eq!(!report.cuts.is_empty(), is_cut, "{why:?}");
        let warns = report
            .warnings
            .iter()
            .any(|warning| warning.to_string().contains("reasoning"));
        assert_eq!(warns, is_cut && model == "gpt-6.2-sol", "{why:?}");
    }
}
