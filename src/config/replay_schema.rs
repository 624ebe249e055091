//! The JSON Schema of a replay, schema 1, by hand as that of a report is.

use serde_json::{Map, Value, json};

use super::schema::DIALECT;
use super::shapes::{count, from_1, list, nullable, object, or_null, text, time, words};

/// The schema of a replay.
pub(super) fn replay() -> Value {
    let number = || json!({"type": "number"});
    let cuts = || json!({"type": "array", "items": count(), "minItems": 2, "maxItems": 2});
    let by_name = |value: Value| json!({"type": "object", "additionalProperties": value});
    let causes = ["first", "expired", "prune", "compaction", "agent"];
    let misses = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": causes.map(|cause| (cause.to_owned(), object(&[("calls", count()), ("tokens", count())]))).into_iter().collect::<Map<_, _>>(),
    });
    let totals = [
        ("usd", number()),
        ("prompt", count()),
        ("cacheRead", count()),
        ("cacheWrite", count()),
        ("uncached", count()),
        ("output", count()),
        ("peak", count()),
        ("aboveTier", count()),
        ("misses", misses),
    ];
    let names = ["input", "cacheRead", "cacheWrite5m", "cacheWrite1h", "output"];
    let usage = object(&names.map(|name| (name, count())));
    let simulated = || object(&[("usd", number()), ("error", nullable("number")), ("prompt", count()), ("cacheRead", count())]);
    let example = object(&[
        ("path", text()),
        ("line", from_1()),
        ("tool", text()),
        ("pass", text()),
        ("why", words(&["readAgain", "quoted"])),
        ("by", from_1()),
        ("what", text()),
    ]);
    let regret = object(&[
        ("cuts", count()),
        ("rate", number()),
        ("readAgain", count()),
        ("quoted", count()),
        ("passes", by_name(cuts())),
        ("tools", by_name(cuts())),
        ("examples", list(example)),
    ]);
    let policy = [
        &[("name", text()), ("manner", words(&["transient", "sticky"]))][..],
        &totals,
        &[("cuts", count()), ("tokensCut", count()), ("regret", regret), ("pareto", json!({"type": "boolean"}))],
    ]
    .concat();
    let group = || {
        let numbers = [("requests", count()), ("baseline", number()), ("pruned", number()), ("tokens", count())];
        list(object(&[&[("name", text())][..], &numbers].concat()))
    };
    let truth = object(&[
        ("requests", count()),
        ("recorded", usage),
        ("recordedUsd", number()),
        ("logUsd", nullable("number")),
        ("simulated", simulated()),
        ("rules", simulated()),
        ("promptError", number()),
        ("lost", count()),
        ("kept", count()),
        ("warm", count()),
    ]);
    let tokens = object(&[
        ("charsPerToken", number()),
        ("error", nullable("number")),
        ("saidAgain", number()),
        ("overhead", count()),
        ("requests", count()),
        ("residual", count()),
    ]);
    let moment = object(&[
        ("at", nullable("integer")),
        ("prompt", count()),
        ("pruned", count()),
        ("cuts", count()),
        ("miss", json!({"enum": causes.iter().map(|c| json!(c)).chain([Value::Null]).collect::<Vec<_>>()})),
    ]);
    let mut schema = object(&[
        ("schema", json!({"const": 1})),
        ("kind", json!({"const": "replay"})),
        ("tool", object(&[("name", text()), ("version", text())])),
        ("input", object(&[("path", text()), ("format", text()), ("bytes", count())])),
        ("project", nullable("string")),
        ("model", nullable("string")),
        ("from", or_null(time())),
        ("to", or_null(time())),
        ("unanswered", count()),
        ("tokens", tokens),
        ("cache", object(&[("lifetime", count()), ("source", text()), ("date", text())])),
        ("requests", count()),
        ("unpriced", count()),
        ("truth", truth),
        ("baseline", object(&totals)),
        ("transient", or_null(object(&totals))),
        ("pruned", object(&totals)),
        ("policies", list(object(&policy))),
        ("days", group()),
        ("models", group()),
        ("projects", group()),
        ("tools", list(object(&[("name", text()), ("results", count()), ("tokens", count()), ("cut", count())]))),
        ("timeline", list(moment)),
        ("warnings", list(text())),
    ]);
    schema["$schema"] = json!(DIALECT);
    schema["title"] = json!("deadhead: replay, schema 1");
    schema
}
