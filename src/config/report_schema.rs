//! The JSON Schema of the report, schema 1, by hand: a report is an interface, so that a change of its struct has to be
//! a change here too. A test holds both together.

use serde_json::{Value, json};

use super::schema::DIALECT;
use super::shapes::{count, from_1, list, nullable, object, or_null, text, time, words};

/// The schema of one report.
pub(super) fn report() -> Value {
    let mut schema = object(&[
        ("schema", json!({"const": 1})),
        ("tool", object(&[("name", text()), ("version", text())])),
        ("input", object(&[("path", text()), ("format", text()), ("bytes", count()), ("records", count())])),
        ("output", object(&[("path", nullable("string")), ("bytes", count())])),
        ("decision", decision()),
        ("window", object(&[("tokens", count()), ("source", words(&WINDOW_SOURCES))])),
        ("model", nullable("string")),
        ("provider", nullable("string")),
        ("before", size()),
        ("after", size()),
        ("tokensSource", words(&["recorded", "chars"])),
        ("passes", list(pass())),
        ("cuts", list(cut())),
        ("skipped", list(object(&[("pass", text()), ("message", count()), ("part", count()), ("why", text())]))),
        ("reranked", list(reranked())),
        ("workload", or_null(object(&[("name", text()), ("stack", nullable("string")), ("state", words(&["active", "retired"]))]))),
        ("session", or_null(session())),
        ("prefixStable", or_null(object(&[("bytes", count()), ("messages", count())]))),
        ("prune", prune()),
        ("composition", composition()),
        ("mirrors", object(&[("cuts", count()), ("bytesRemoved", json!({"type": "integer"})), ("left", count())])),
        ("firstChange", or_null(object(&[("message", count()), ("byte", count())]))),
        ("integrity", object(&[("before", list(defect())), ("after", list(defect()))])),
        ("cache", cache()),
        ("warnings", list(object(&[("line", or_null(from_1())), ("text", text())]))),
    ]);
    schema["$schema"] = json!(DIALECT);
    schema["title"] = json!("deadhead: report, schema 1");
    schema
}

const WINDOW_SOURCES: [&str; 5] = ["flag", "registry", "models.providers", "agents.defaults.contextTokens", "default"];

fn decision() -> Value {
    object(&[
        ("mode", words(&["off", "cache-ttl", "adaptive", "aggressive"])),
        ("ran", json!({"type": "boolean"})),
        ("why", text()),
        ("lastCall", or_null(time())),
        ("lastCallSource", or_null(words(&["flag", "state", "marker", "assistant"]))),
        ("ttlMs", count()),
        ("now", time()),
        ("idleMs", nullable("integer")),
    ])
}

fn size() -> Value {
    let ratio = json!({"type": "number", "minimum": 0});
    object(&[("messages", count()), ("chars", count()), ("tokens", count()), ("ratio", ratio)])
}

fn pass() -> Value {
    let signed = json!({"type": "integer"});
    object(&[("name", text()), ("cuts", count()), ("charsRemoved", signed), ("skipped", count())])
}

fn cut() -> Value {
    object(&[
        ("pass", text()),
        ("action", words(&["trim", "clear", "drop", "rerank"])),
        ("message", count()),
        ("part", count()),
        ("line", from_1()),
        ("tool", text()),
        ("callId", nullable("string")),
        ("charsBefore", count()),
        ("charsAfter", count()),
        ("linked", json!({"type": "boolean"})),
        ("reason", text()),
    ])
}

fn reranked() -> Value {
    let share = || json!({"type": "number", "minimum": 0, "maximum": 1});
    let chunk = object(&[
        ("from", from_1()),
        ("to", or_null(from_1())),
        ("number", nullable("integer")),
        ("name", nullable("string")),
        ("score", share()),
        ("cosine", share()),
        ("chars", count()),
        ("cited", json!({"type": "boolean"})),
    ]);
    let chunks = list(chunk);
    object(&[("message", count()), ("part", count()), ("layout", text()), ("kept", count()), ("dropped", count()), ("chunks", chunks)])
}

fn session() -> Value {
    let source = words(&["flag", "history", "metadata.user_id", "prompt_cache_key", "content"]);
    object(&[("name", text()), ("source", source), ("kept", count()), ("added", count()), ("dropped", count())])
}

fn prune() -> Value {
    let counts = ["turnsRemoved", "ragKept", "ragDropped", "messagesBefore", "messagesAfter"];
    let mut members: Vec<(&str, Value)> = counts.iter().map(|name| (*name, count())).collect();
    members.push(("header", text()));
    object(&members)
}

fn composition() -> Value {
    let boolean = || json!({"type": "boolean"});
    object(&[
        ("applied", or_null(words(&["context-prune"]))),
        ("mutatingCandidatePresent", boolean()),
        ("contentMutationApplied", boolean()),
        ("forcedOff", list(text())),
        ("shortCircuited", list(text())),
        ("why", text()),
    ])
}

fn cache() -> Value {
    let dollars = || json!({"type": ["number", "null"], "minimum": 0});
    object(&[
        ("writeTokensBefore", count()),
        ("writeTokensAfter", count()),
        ("usdBefore", dollars()),
        ("usdAfter", dollars()),
        ("priceSource", nullable("string")),
    ])
}

fn defect() -> Value {
    let code = json!({"type": "string", "pattern": "^E[0-9]{2}$"});
    object(&[("code", code), ("message", from_1()), ("detail", text())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use deadhead_core::compose::Composition;
    use deadhead_core::diagnostics::*;
    use deadhead_core::outcome::Report;

    /// A report with every member filled.
    fn full() -> Report {
        let size = Size { messages: 2, chars: 9, tokens: 2, ratio: 0.5 };
        let defect = || vec![DefectRow { code: "E01", message: 1, detail: "d".into(), ..DefectRow::default() }];
        Report {
            schema: 1,
            tool: Tool { name: "deadhead", version: "0" },
            input: Input { path: "-".into(), format: "openclaw".into(), bytes: 1, records: 1 },
            output: Output { path: Some("o".into()), bytes: 1 },
            decision: Decision {
                mode: "cache-ttl".into(),
                ran: true,
                why: "w".into(),
                last_call: Some("2026-01-01T00:00:00Z".into()),
                last_call_source: Some("marker".into()),
                ttl_ms: 1,
                now: "2026-01-01T00:00:00Z".into(),
                idle_ms: Some(-1),
            },
            window: ContextWindow { tokens: 1, source: "flag".into() },
            model: Some("m".into()),
            provider: Some("p".into()),
            before: size,
            tokens_source: "chars",
            after: size,
            passes: vec![PassTotal { name: "soft-trim".into(), cuts: 1, chars_removed: -1, skipped: 0 }],
            cuts: vec![CutRow {
                pass: "soft-trim",
                action: "trim",
                message: 1,
                part: 0,
                line: 1,
                tool: "exec".into(),
                call_id: Some("c".into()),
                chars_before: 2,
                chars_after: 1,
                linked: false,
                reason: "r".into(),
            }],
            skipped: vec![Skip { pass: "soft-trim", message: 1, part: 0, why: "w".into() }],
            reranked: vec![Reranked {
                message: 1,
                part: 0,
                block: Some(0),
                layout: "l".into(),
                kept: 1,
                dropped: 0,
                chunks: vec![ChunkRow {
                    from: 1,
                    to: Some(1),
                    number: Some(1),
                    name: Some("n".into()),
                    score: 0.5,
                    cosine: 0.25,
                    chars: 1,
                    cited: true,
                }],
            }],
            workload: Some(WorkloadState { name: "w".into(), stack: Some("s".into()), state: "active" }),
            session: Some(Session { name: "s".into(), source: "flag", kept: 0, added: 0, dropped: 0 }),
            prefix_stable: Some(PrefixStable { bytes: 0, messages: 0 }),
            prune: Prune::default(),
            composition: Composition {
                applied: Some("context-prune"),
                forced_off: vec!["a".into()],
                short_circuited: vec!["b".into()],
                ..Composition::default()
            },
            mirrors: MirrorTotal { cuts: 1, bytes_removed: -1, left: 1 },
            first_change: Some(FirstChange { message: 1, byte: 0 }),
            integrity: Integrity { before: defect(), after: defect() },
            cache: CacheCost { usd_before: Some(0.25), usd_after: Some(0.5), price_source: Some("p".into()), ..CacheCost::default() },
            warnings: vec![Warning::at(1, "w")],
            parts: Vec::new(),
        }
    }

    /// Whether a value has exactly the shape of a schema, as far as this file uses JSON Schema.
    fn check(value: &Value, schema: &Value, path: &str) {
        if let Some(any) = schema.get("anyOf") {
            return match value.is_null() {
                true => (),
                false => check(value, &any[0], path),
            };
        }
        if let Some(words) = schema.get("enum") {
            return assert!(words.as_array().is_some_and(|words| words.contains(value)), "{path}: {value}");
        }
        if let Some(only) = schema.get("const") {
            return assert_eq!(value, only, "{path}");
        }
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        let allowed = &schema["type"];
        assert!(allowed == kind || allowed.as_array().is_some_and(|kinds| kinds.contains(&json!(kind))), "{path}: {kind}");
        match value {
            Value::Object(members) => {
                let names: Vec<Value> = members.keys().map(|name| json!(name)).collect();
                assert_eq!(&json!(names), &schema["required"], "{path}");
                assert_eq!(schema["additionalProperties"], json!(false), "{path}");
                for (name, value) in members {
                    check(value, &schema["properties"][name], &format!("{path}.{name}"));
                }
            }
            Value::Array(items) => {
                assert!(!items.is_empty(), "{path}: nothing to check");
                items.iter().for_each(|item| check(item, &schema["items"], path));
            }
            _ => {}
        }
    }

    #[test]
    fn a_report_has_exactly_the_members_of_the_schema() {
        let value = serde_json::to_value(full()).expect("serialises");
        check(&value, &report(), "report");
    }
}
