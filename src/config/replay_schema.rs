//! The JSON Schema of a replay, schema 1, by hand as that of a report is.

use serde_json::{Map, Value, json};

use super::schema::DIALECT;
use super::shapes::{count, from_1, list, nullable, object, or_null, text, time, words};

/// Why a prompt was not found in the cache.
const CAUSES: [&str; 5] = ["first", "expired", "prune", "compaction", "agent"];

/// The schema of a replay.
pub(super) fn replay() -> Value {
    let totals = object(&totals());
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
        ("tokens", tokens()),
        ("cache", object(&[("lifetime", count()), ("source", text()), ("date", text())])),
        ("requests", count()),
        ("unpriced", count()),
        ("truth", truth()),
        ("baseline", totals.clone()),
        ("transient", or_null(totals.clone())),
        ("pruned", totals),
        ("policies", list(policy())),
        ("days", group()),
        ("models", group()),
        ("projects", group()),
        ("tools", list(object(&[("name", text()), ("results", count()), ("tokens", count()), ("cut", count())]))),
        ("timeline", list(moment())),
        ("warnings", list(text())),
    ]);
    schema["$schema"] = json!(DIALECT);
    schema["title"] = json!("deadhead: replay, schema 1");
    schema
}

fn totals() -> [(&'static str, Value); 9] {
    let misses = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": CAUSES.map(|cause| (cause.to_owned(), object(&[("calls", count()), ("tokens", count())]))).into_iter().collect::<Map<_, _>>(),
    });
    [
        ("usd", number()),
        ("prompt", count()),
        ("cacheRead", count()),
        ("cacheWrite", count()),
        ("uncached", count()),
        ("output", count()),
        ("peak", count()),
        ("aboveTier", count()),
        ("misses", misses),
    ]
}

fn tokens() -> Value {
    object(&[
        ("charsPerToken", number()),
        ("error", nullable("number")),
        ("saidAgain", number()),
        ("overhead", count()),
        ("requests", count()),
        ("residual", count()),
    ])
}

fn truth() -> Value {
    let names = ["input", "cacheRead", "cacheWrite5m", "cacheWrite1h", "output"];
    let simulated = || object(&[("usd", number()), ("error", nullable("number")), ("prompt", count()), ("cacheRead", count())]);
    object(&[
        ("requests", count()),
        ("recorded", object(&names.map(|name| (name, count())))),
        ("recordedUsd", number()),
        ("logUsd", nullable("number")),
        ("simulated", simulated()),
        ("rules", simulated()),
        ("promptError", number()),
        ("lost", count()),
        ("kept", count()),
        ("warm", count()),
    ])
}

fn policy() -> Value {
    let of_policy = [("cuts", count()), ("tokensCut", count()), ("regret", regret()), ("pareto", json!({"type": "boolean"}))];
    object(&[&[("name", text()), ("manner", words(&["transient", "sticky"]))][..], &totals(), &of_policy].concat())
}

fn regret() -> Value {
    let cuts = json!({"type": "array", "items": count(), "minItems": 2, "maxItems": 2});
    let by_name = json!({"type": "object", "additionalProperties": cuts});
    let example = object(&[
        ("path", text()),
        ("line", from_1()),
        ("tool", text()),
        ("pass", text()),
        ("why", words(&["readAgain", "quoted"])),
        ("by", from_1()),
        ("what", text()),
    ]);
    object(&[
        ("cuts", count()),
        ("rate", number()),
        ("readAgain", count()),
        ("quoted", count()),
        ("passes", by_name.clone()),
        ("tools", by_name),
        ("examples", list(example)),
    ])
}

fn group() -> Value {
    let numbers = [("requests", count()), ("baseline", number()), ("pruned", number()), ("tokens", count())];
    list(object(&[&[("name", text())][..], &numbers].concat()))
}

fn moment() -> Value {
    object(&[
        ("at", nullable("integer")),
        ("prompt", count()),
        ("pruned", count()),
        ("cuts", count()),
        ("miss", json!({"enum": CAUSES.iter().map(|c| json!(c)).chain([Value::Null]).collect::<Vec<_>>()})),
    ])
}

fn number() -> Value {
    json!({"type": "number"})
}
