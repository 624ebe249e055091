//! The schemas: their descriptions, and the values that they accept and refuse.

use super::*;
use deadhead_core::diagnostics::*;
use deadhead_core::internal::compose::Composition;
use deadhead_core::settings::keys;

#[test]
fn every_key_is_described_with_its_default() {
    let schema = schema();
    let configuration = &schema["configuration"];
    for key in keys() {
        let pointer = match key.path.strip_prefix("contextPruning.") {
            Some(rest) => format!(
                "/$defs/contextPruning/properties/{}",
                rest.replace('.', "/properties/")
            ),
            None => format!("/properties/{}", key.path.replace('.', "/properties/")),
        };
        let found = configuration
            .pointer(&pointer)
            .unwrap_or_else(|| panic!("{pointer}"));
        assert_eq!(found["description"], key.doc());
        assert_eq!(found["default"], key.default);
    }
}

#[test]
fn ours_is_closed_and_foreign_parts_are_open() {
    let schema = schema();
    let at = |pointer: &str| schema["configuration"].pointer(pointer).cloned();
    assert_eq!(at("/additionalProperties"), Some(json!(false)));
    assert_eq!(
        at("/$defs/contextPruning/properties/softTrim/additionalProperties"),
        Some(json!(false))
    );
    assert_eq!(at("/properties/agents/additionalProperties"), None);
    assert_eq!(
        at("/properties/agents/properties/defaults/additionalProperties"),
        None
    );
    assert_eq!(
        at("/properties/agents/properties/defaults/properties/contextPruning/$ref"),
        Some(json!("#/$defs/contextPruning"))
    );
    assert_eq!(at("/$schema"), Some(json!(DIALECT)));
}

/// A report with every member filled.
fn full() -> Report {
    let defect = || {
        vec![row!(DefectRow {
            code: "E01",
            message: 1,
            detail: "d".into()
        })]
    };
    row!(Report {
        passes: vec![row!(PassTotal {
            name: "soft-trim".into(),
            cuts: 1,
            chars_removed: -1,
            skipped: 0
        })],
        cuts: vec![cut()],
        skipped: vec![row!(Skip {
            pass: "soft-trim",
            message: 1,
            part: 0,
            why: "w".into()
        })],
        reranked: vec![reranked()],
        workload: Some(row!(WorkloadState {
            name: "w".into(),
            stack: Some("s".into()),
            state: "active"
        })),
        session: Some(row!(Session {
            name: "s".into(),
            source: "flag",
            kept: 0,
            added: 0,
            dropped: 0
        })),
        prefix_stable: Some(row!(PrefixStable {
            bytes: 0,
            messages: 0
        })),
        prune: Prune::default(),
        composition: row!(Composition {
            applied: Some("context-prune"),
            forced_off: vec!["a".into()],
            short_circuited: vec!["b".into()]
        }),
        copies: row!(CopyTotal {
            cuts: 1,
            bytes_removed: -1,
            left: 1
        }),
        context_management: None,
        first_change: Some(row!(FirstChange {
            message: 1,
            byte: 0
        })),
        integrity: row!(Integrity {
            before: defect(),
            after: defect()
        }),
        cache: row!(CacheCost {
            usd_before: Some(0.25),
            usd_after: Some(0.5),
            price_source: Some("p".into())
        }),
        warnings: vec![Warning::at(1, "w")],
        parts: Vec::new(),
        ..heading()
    })
}

/// A report of nothing but its input, its output and their sizes.
fn heading() -> Report {
    let size = row!(Size {
        messages: 2,
        chars: 9,
        tokens: 2,
        ratio: 0.5
    });
    row!(Report {
        schema: 1,
        tool: row!(Tool {
            name: "deadhead",
            version: "0"
        }),
        input: row!(Input {
            path: "-".into(),
            format: "openclaw".into(),
            bytes: 1,
            records: 1
        }),
        output: row!(Output {
            path: Some("o".into()),
            bytes: 1
        }),
        decision: decision(),
        window: row!(ContextWindow {
            tokens: 1,
            source: "flag".into()
        }),
        model: Some("m".into()),
        provider: Some("p".into()),
        before: size,
        tokens_source: "chars",
        after: size,
    })
}

fn decision() -> Decision {
    row!(Decision {
        mode: "cache-ttl".into(),
        ran: true,
        why: "w".into(),
        last_call: Some("2026-01-01T00:00:00Z".into()),
        last_call_source: Some("marker".into()),
        ttl_ms: 1,
        now: "2026-01-01T00:00:00Z".into(),
        idle_ms: Some(-1),
    })
}

fn cut() -> CutRow {
    row!(CutRow {
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
    })
}

fn reranked() -> Reranked {
    row!(Reranked {
        message: 1,
        part: 0,
        block: Some(0),
        layout: "l".into(),
        kept: 1,
        dropped: 0,
        chunks: vec![row!(ChunkRow {
            from: 1,
            to: Some(1),
            number: Some(1),
            name: Some("n".into()),
            score: 0.5,
            cosine: 0.25,
            chars: 1,
            cited: true,
        })],
    })
}

/// Whether a value has exactly the shape of a schema, as far as this file uses JSON Schema.
fn check(value: &Value, schema: &Value, path: &str) {
    assert!(!value.is_null(), "{path}: the sample does not fill it");
    if let Some(any) = schema.get("anyOf") {
        return check(value, &any[0], path);
    }
    if let Some(words) = schema.get("enum") {
        return assert!(
            words.as_array().is_some_and(|words| words.contains(value)),
            "{path}: {value}"
        );
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
    assert!(
        allowed == kind
            || allowed
                .as_array()
                .is_some_and(|kinds| kinds.contains(&json!(kind))),
        "{path}: {kind}"
    );
    match value {
        Value::Object(members) => {
            let names: Vec<Value> = members.keys().map(|name| json!(name)).collect();
            assert_eq!(&json!(names), &schema["required"], "{path}");
            assert_eq!(schema["additionalProperties"], json!(false), "{path}");
            for (name, value) in members {
                check(
                    value,
                    &schema["properties"][name],
                    &format!("{path}.{name}"),
                );
            }
        }
        Value::Array(items) => {
            assert!(!items.is_empty(), "{path}: nothing to check");
            items
                .iter()
                .for_each(|item| check(item, &schema["items"], path));
        }
        _ => {}
    }
}

#[test]
fn a_report_has_exactly_the_members_of_the_schema() {
    let value = serde_json::to_value(full()).expect("serialises");
    check(&value, &schema()["report"], "report");
}
