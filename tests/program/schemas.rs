//! Documents that the output of `config schema` accepts and refuses: each has one change, and configurations are compared with what
//! the program itself accepts. The schemas are committed in `docs/schema.json` (`generated.rs`).

use crate::support::{Place, deadhead};
use regex::Regex;
use serde_json::{Value, json};

/// Configurations, whether the schema accepts them, and whether the program does: it clamps numbers that the schema refuses, and it
/// knows which texts are globs and expressions.
const CONFIGURATIONS: &[(&str, bool, bool)] = &[
    (r#"{}"#, true, true),
    (
        r#"{"$schema": "https://example.org/s.json", "contextPruning": {"mode": "off", "ttl": "1h30m", "tools": {"deny": ["web_*"]}}}"#,
        true,
        true,
    ),
    (
        r#"{"edits": [{"type": "clear_thinking", "keep": {"thinking_turns": "all"}}, {"type": "dedupe"}]}"#,
        true,
        true,
    ),
    (
        r#"{"edits": [{"type": "truncate_tool_results", "over": {"lines": 9}, "head": {"lines": 3}}]}"#,
        true,
        true,
    ),
    (
        r#"{"edits": [{"type": "drop_tool_calls", "until": "all"}]}"#,
        false,
        false,
    ),
    (
        r#"{"edits": [{"type": "clear_thinking", "tools": ["a"]}]}"#,
        false,
        false,
    ),
    (r#"{"contextPruning": {"mode": "smart"}}"#, false, false),
    (r#"{"contextPruning": {"mode": null}}"#, false, false),
    (
        r#"{"contextPruning": {"mode": {"off": null}}}"#,
        false,
        false,
    ),
    (
        r#"{"contextPruning": {"softTrimRatoi": 0.2}}"#,
        false,
        false,
    ),
    (r#"{"contextPruning": []}"#, false, false),
    (r#"{"contextPruning": {"ttl": 5}}"#, true, true),
    (r#"{"contextPruning": {"ttl": "soon"}}"#, false, false),
    (r#"{"contextPruning": {"ttl": null}}"#, false, false),
    (r#"{"contextPruning": {"softTrimRatio": 7}}"#, false, false),
    (
        r#"{"contextPruning": {"keepLastAssistants": -1}}"#,
        false,
        true,
    ),
    (
        r#"{"contextPruning": {"keepLastAssistants": 2.5}}"#,
        false,
        true,
    ),
    (
        r#"{"contextPruning": {"keepLastAssistants": "3"}}"#,
        false,
        false,
    ),
    (
        r#"{"contextPruning": {"hardClear": {"enabled": 1}}}"#,
        false,
        false,
    ),
    (
        r#"{"contextPruning": {"hardClear": {"placeholder": ""}}}"#,
        true,
        true,
    ),
    (
        r#"{"ephemeral": {"compat": null, "tools": []}}"#,
        true,
        true,
    ),
    (r#"{"ephemeral": {"compat": "other"}}"#, false, false),
    (
        r#"{"protect": {"files": ["src/**"], "patterns": ["(?i)x"]}}"#,
        true,
        true,
    ),
    (r#"{"protect": {"files": ["["]}}"#, true, false),
    (r#"{"protect": {"patterns": ["("]}}"#, true, false),
    (r#"{"protect": {"tools": "exec"}}"#, false, false),
    (r#"{"ragRerank": {"threshold": 1.5}}"#, false, false),
    (
        r#"{"ragRerank": {"threshold": null, "maxChunks": null, "maxChars": 1}}"#,
        true,
        true,
    ),
    (r#"{"ragRerank": {"maxChunks": 0}}"#, false, false),
    (
        r#"{"model": "m", "provider": null, "contextWindow": 1}"#,
        true,
        true,
    ),
    (r#"{"model": " "}"#, false, false),
    (r#"{"contextWindow": 0}"#, false, false),
    (
        r#"{"heartbeat": {"every": null}, "cacheControlTtl": "1h"}"#,
        true,
        true,
    ),
    (r#"{"state": {"timeout": null}}"#, false, false),
    (
        r#"{"resources": {"stateful": {"Read": "file_path", "a": {"path": ["u"], "act": "edit", "partial": []}, "LS": null}}}"#,
        true,
        true,
    ),
    (
        r#"{"resources": {"stateful": {"a": {"act": "edit"}}}}"#,
        false,
        false,
    ),
    (
        r#"{"resources": {"stateful": {"a": {"path": "p", "act": "eat"}}}}"#,
        false,
        false,
    ),
    (
        r#"{"workloads": {"a": {"contextPruning": {"mode": "off"}, "canary": {"floor": "95%", "minSamples": 1}}}}"#,
        true,
        true,
    ),
    (
        r#"{"workloads": {"a": {"canary": {"floor": "high"}}}}"#,
        false,
        false,
    ),
    (
        r#"{"workloads": {"a": {"canary": {"window": 0}}}}"#,
        false,
        false,
    ),
    (
        r#"{"workloads": {"a": {"canary": {"flor": 1}}}}"#,
        false,
        false,
    ),
    (
        r#"{"workloads": {"a": {"contextPruning": {"mode": "smart"}}}}"#,
        true,
        false,
    ),
    (
        r#"{"replay": {"rates": {"m": {"input": 1, "cacheWriteLong": 0.5, "lifetime": "5m", "minPrefix": 0}}}}"#,
        true,
        true,
    ),
    (
        r#"{"replay": {"rates": {"m": {"input": -1}}}}"#,
        false,
        false,
    ),
    (
        r#"{"replay": {"rates": {"m": {"input": null}}}}"#,
        false,
        false,
    ),
    (
        r#"{"replay": {"rates": {"m": {"price": 1}}}}"#,
        false,
        false,
    ),
    (
        r#"{"models": {"mode": "merge", "providers": {"a": {"baseUrl": "", "models": [{"id": "x", "contextWindow": 5}]}}}}"#,
        true,
        true,
    ),
    (
        r#"{"models": {"providers": {"a": {"models": [{"id": "x", "contextWindow": "5"}]}}}}"#,
        false,
        false,
    ),
    (
        r#"{"agents": {"list": [], "defaults": {"model": {}, "contextTokens": 5, "contextPruning": {"mode": "off"}}}}"#,
        true,
        true,
    ),
    (
        r#"{"agents": {"defaults": {"contextPruning": {"ttll": 1}}}}"#,
        false,
        false,
    ),
    (
        r#"{"agent": {"x": 1, "contextPruning": {"mode": "adaptive"}}}"#,
        true,
        true,
    ),
    (r#"{"wizard": {}}"#, false, true),
    (r#"{"ttl": "5m"}"#, false, false),
];

/// Changes of a report: a pointer, the value to put there (nothing takes it out), and whether the schema accepts that.
const REPORTS: &[(&str, &str, bool)] = &[
    ("/schema", "2", false),
    ("/nope", "1", false),
    ("/tool", "", false),
    ("/model", "", false),
    ("/model", "null", true),
    ("/input/bytes", "-1", false),
    ("/output/path", "null", true),
    ("/decision/mode", "\"sometimes\"", false),
    ("/decision/lastCall", "\"2026-01-01T00:00:00Z\"", true),
    ("/decision/lastCallSource", "\"flag\"", true),
    ("/decision/lastCallSource", "\"guess\"", false),
    ("/decision/idleMs", "-5", true),
    ("/decision/ttlMs", "1.5", false),
    ("/window/source", "\"models.providers\"", true),
    ("/window/source", "null", false),
    ("/before/ratio", "-0.5", false),
    ("/tokensSource", "\"guess\"", false),
    ("/passes/0/charsRemoved", "-1", true),
    ("/passes/0/cuts", "-1", false),
    ("/cuts/0/action", "\"burn\"", false),
    ("/cuts/0/line", "0", false),
    ("/cuts/0/message", "0", true),
    ("/cuts/0/callId", "null", true),
    ("/cuts/0/linked", "1", false),
    (
        "/skipped",
        r#"[{"pass": "p", "message": 0, "part": 0, "why": "w"}]"#,
        true,
    ),
    (
        "/skipped",
        r#"[{"pass": "p", "message": 0, "part": 0}]"#,
        false,
    ),
    (
        "/reranked",
        r#"[{"message": 1, "part": 0, "layout": "l", "kept": 1, "dropped": 0, "chunks": [{"from": 1, "to": null, "number": null, "name": null, "score": 1, "cosine": 0.5, "chars": 1, "cited": true}]}]"#,
        true,
    ),
    (
        "/reranked",
        r#"[{"message": 1, "part": 0, "layout": "l", "kept": 1, "dropped": 0, "chunks": [{"from": 1, "to": null, "number": null, "name": null, "score": 2, "cosine": 0.5, "chars": 1, "cited": true}]}]"#,
        false,
    ),
    (
        "/reranked",
        r#"[{"message": 1, "part": 0, "block": 0, "layout": "l", "kept": 1, "dropped": 0, "chunks": []}]"#,
        false,
    ),
    (
        "/workload",
        r#"{"name": "w", "stack": null, "state": "retired"}"#,
        true,
    ),
    (
        "/workload",
        r#"{"name": "w", "stack": null, "state": "gone"}"#,
        false,
    ),
    (
        "/session",
        r#"{"name": "s", "source": "metadata.user_id", "kept": 0, "added": 0, "dropped": 0}"#,
        true,
    ),
    (
        "/session",
        r#"{"name": "s", "source": "name", "kept": 0, "added": 0, "dropped": 0}"#,
        false,
    ),
    ("/prefixStable", r#"{"bytes": 0, "messages": 0}"#, true),
    ("/composition/applied", "\"context-prune\"", true),
    ("/composition/applied", "\"other\"", false),
    ("/mirrors/bytesRemoved", "-3", true),
    ("/firstChange", "null", true),
    (
        "/integrity/before",
        r#"[{"code": "E01", "message": 1, "detail": "d"}]"#,
        true,
    ),
    (
        "/integrity/before",
        r#"[{"code": "W1", "message": 1, "detail": "d"}]"#,
        false,
    ),
    (
        "/integrity/before",
        r#"[{"code": "E01", "message": 0, "detail": "d"}]"#,
        false,
    ),
    ("/cache/usdBefore", "-0.1", false),
    ("/cache/usdBefore", "null", true),
    (
        "/warnings",
        r#"[{"line": null, "text": "t"}, {"line": 1, "text": "t"}]"#,
        true,
    ),
    ("/warnings", r#"[{"line": 0, "text": "t"}]"#, false),
];

/// Changes of a replay.
const REPLAYS: &[(&str, &str, bool)] = &[
    ("/kind", "\"report\"", false),
    ("/nope", "1", false),
    ("/truth", "", false),
    ("/from", "null", true),
    ("/tokens/error", "null", true),
    ("/tokens/overhead", "1.5", false),
    ("/tokens/charsPerToken", "3.25", true),
    ("/baseline/misses", "{}", true),
    (
        "/baseline/misses",
        r#"{"expired": {"calls": 1, "tokens": 2, "usd": 0.5}}"#,
        true,
    ),
    (
        "/baseline/misses",
        r#"{"other": {"calls": 1, "tokens": 2}}"#,
        false,
    ),
    ("/baseline/prompt", "-1", false),
    ("/transient", "null", true),
    ("/transient", "{}", false),
    ("/pruned", "null", false),
    ("/policies/0/manner", "\"lasting\"", false),
    ("/policies/0/usd", "", false),
    ("/policies/0/nope", "1", false),
    ("/policies/0/pareto", "null", false),
    (
        "/policies/0/regret/passes",
        r#"{"soft-trim": [1, 2]}"#,
        true,
    ),
    ("/policies/0/regret/passes", r#"{"soft-trim": [1]}"#, false),
    (
        "/policies/0/regret/passes",
        r#"{"soft-trim": [1, 2, 3]}"#,
        false,
    ),
    (
        "/policies/0/regret/examples",
        r#"[{"path": "p", "line": 1, "tool": "t", "pass": "p", "why": "quoted", "by": 2, "what": "w"}]"#,
        true,
    ),
    (
        "/policies/0/regret/examples",
        r#"[{"path": "p", "line": 1, "tool": "t", "pass": "p", "why": "Quoted", "by": 2, "what": "w"}]"#,
        false,
    ),
    ("/timeline/0/miss", "null", true),
    ("/timeline/0/miss", "\"first\"", true),
    ("/timeline/0/miss", "\"first call\"", false),
    ("/timeline/0/at", "-1", true),
    ("/warnings", "[1]", false),
];

#[test]
fn configurations() {
    let schema = &schemas()["configuration"];
    let place = Place::new();
    for (text, accepted, read) in CONFIGURATIONS {
        let document: Value = serde_json::from_str(text).unwrap();
        assert_eq!(accepts(schema, schema, &document), *accepted, "{text}");
        let output = deadhead()
            .args(["config", "show", "-c"])
            .arg(place.file("c.json5", text))
            .output()
            .unwrap();
        assert_eq!(output.status.success(), *read, "{text}");
    }
}

#[test]
fn reports() {
    let now = [
        "--now",
        "2025-11-21T00:47:00Z",
        "--context-window",
        "44000",
        "-n",
        "--report-format",
        "json",
    ];
    let pruned = |flags: &[&str]| {
        printed(
            &[
                &["prune"][..],
                &now,
                flags,
                &["tests/samples/demo-session.jsonl"],
            ]
            .concat(),
        )
    };
    changed("report", pruned(&[]), REPORTS);
    let schema = &schemas()["report"];
    for mode in ["off", "cache-ttl", "adaptive", "aggressive", "break-even"] {
        let report = pruned(&["--mode", mode]);
        assert_eq!(report["decision"]["mode"], mode);
        assert!(accepts(schema, schema, &report), "{mode}");
    }
}

#[test]
fn replays() {
    changed(
        "replay",
        printed(&[
            "replay",
            "--report-format",
            "json",
            "tests/samples/demo-session.jsonl",
        ]),
        REPLAYS,
    );
}

fn changed(name: &str, document: Value, changes: &[(&str, &str, bool)]) {
    let schema = &schemas()[name];
    assert!(accepts(schema, schema, &document), "{document}");
    for (pointer, value, accepted) in changes {
        let mut changed = document.clone();
        let (holder, member) = pointer.rsplit_once('/').unwrap();
        let holder = changed
            .pointer_mut(holder)
            .unwrap_or_else(|| panic!("{pointer}"))
            .as_object_mut()
            .unwrap();
        match *value {
            "" => drop(holder.shift_remove(member).unwrap()),
            value => drop(holder.insert(member.to_owned(), serde_json::from_str(value).unwrap())),
        }
        assert_eq!(
            accepts(schema, schema, &changed),
            *accepted,
            "{pointer} {value}"
        );
    }
}

fn schemas() -> Value {
    printed(&["config", "schema"])
}

fn printed(args: &[&str]) -> Value {
    let output = deadhead()
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(args)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Whether a schema accepts a value. It knows the keywords that the schemas use, and fails on any other.
fn accepts(root: &Value, schema: &Value, value: &Value) -> bool {
    let Some(keywords) = schema.as_object() else {
        return schema == &json!(true);
    };
    keywords
        .iter()
        .all(|(keyword, rule)| match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "default" | "format" => true,
            "$ref" => accepts(
                root,
                root.pointer(rule.as_str().unwrap().trim_start_matches('#'))
                    .unwrap(),
                value,
            ),
            "type" => rule.as_array().map_or_else(
                || is(rule, value),
                |kinds| kinds.iter().any(|kind| is(kind, value)),
            ),
            "const" => rule == value,
            "enum" => rule.as_array().unwrap().contains(value),
            "anyOf" => rule
                .as_array()
                .unwrap()
                .iter()
                .any(|schema| accepts(root, schema, value)),
            "minimum" => value
                .as_f64()
                .is_none_or(|number| number >= rule.as_f64().unwrap()),
            "maximum" => value
                .as_f64()
                .is_none_or(|number| number <= rule.as_f64().unwrap()),
            "pattern" => value
                .as_str()
                .is_none_or(|text| Regex::new(rule.as_str().unwrap()).unwrap().is_match(text)),
            "minItems" => value
                .as_array()
                .is_none_or(|list| list.len() as u64 >= rule.as_u64().unwrap()),
            "maxItems" => value
                .as_array()
                .is_none_or(|list| list.len() as u64 <= rule.as_u64().unwrap()),
            "items" => value
                .as_array()
                .is_none_or(|list| list.iter().all(|item| accepts(root, rule, item))),
            "prefixItems" => value.as_array().is_none_or(|list| {
                list.iter()
                    .zip(rule.as_array().unwrap())
                    .all(|(item, rule)| accepts(root, rule, item))
            }),
            "required" => {
                !value.is_object()
                    || rule
                        .as_array()
                        .unwrap()
                        .iter()
                        .all(|name| value.get(name.as_str().unwrap()).is_some())
            }
            "properties" => rule.as_object().unwrap().iter().all(|(name, rule)| {
                value
                    .get(name)
                    .is_none_or(|member| accepts(root, rule, member))
            }),
            "propertyNames" => value
                .as_object()
                .is_none_or(|members| members.keys().all(|name| accepts(root, rule, &json!(name)))),
            "additionalProperties" => {
                let known = |name: &str| schema["properties"].get(name).is_some();
                value.as_object().is_none_or(|members| {
                    members
                        .iter()
                        .all(|(name, member)| known(name) || accepts(root, rule, member))
                })
            }
            other => panic!("the keyword {other} has no meaning here"),
        })
}

fn is(kind: &Value, value: &Value) -> bool {
    match kind.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("no such type: {other}"),
    }
}
