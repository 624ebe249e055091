//! The kinds of settings that are maps, by the names of tools, models, providers or workloads.

use super::keys::{Act, Canary, Floor, ModelWindow, Rate, StatefulTool, Workload};
use super::kinds::{Choice, Kind, List, Nullable, Text, Tokens, trim};
use crate::schema::of_input;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// `resources.stateful`: `{TOOL: ARGUMENT}`, where the argument may be `{path, act, partial}`, and null for none.
pub struct Stateful;

impl Kind for Stateful {
    type Value = Vec<StatefulTool>;

    fn expected() -> String {
        "a map {TOOL: ARGUMENT} such as {\"Read\": \"file_path\"}, with {path, act, partial} or null in the place of ARGUMENT".to_owned()
    }

    fn read(value: &Value) -> Option<Vec<StatefulTool>> {
        let one_or_more = |value: &Value| {
            Text::read(value)
                .map(|path| vec![path])
                .or_else(|| List::read(value))
                .filter(|list| !list.is_empty())
        };
        let row = |(tool, given): (&String, &Value)| {
            let mut row = StatefulTool {
                tool: trim(tool).to_owned(),
                paths: Vec::new(),
                act: None,
                partial: Vec::new(),
            };
            match given {
                Value::Null => {}
                Value::Object(members) => {
                    row.paths = one_or_more(members.get("path")?)?;
                    for (name, value) in members {
                        match name.as_str() {
                            "path" => {}
                            "act" => row.act = Some(Choice::<Act>::read(value)?),
                            "partial" => row.partial = List::read(value)?,
                            _ => return None,
                        }
                    }
                }
                given => row.paths = vec![Text::read(given)?],
            }
            (!row.tool.is_empty()).then_some(row)
        };
        value.as_object()?.iter().map(row).collect()
    }

    fn write(rows: &Vec<StatefulTool>) -> Value {
        let row = |row: &StatefulTool| match (&row.paths[..], row.act, row.partial.is_empty()) {
            ([], ..) => Value::Null,
            ([path], None, true) => json!(path),
            (paths, act, _) => {
                let mut members = Map::from_iter([("path".to_owned(), json!(paths))]);
                members.extend(act.map(|act| ("act".to_owned(), json!(act))));
                members.extend(
                    (!row.partial.is_empty()).then(|| ("partial".to_owned(), json!(row.partial))),
                );
                Value::Object(members)
            }
        };
        rows.iter().map(|r| (r.tool.clone(), row(r))).collect()
    }

    fn schema() -> Value {
        let row = json!({"type": "object", "additionalProperties": false, "required": ["path"], "properties": {
            "path": {"anyOf": [{"type": "string"}, List::schema()]},
            "act": Choice::<Act>::schema(),
            "partial": List::schema(),
        }});
        json!({"type": "object", "additionalProperties": {"anyOf": [{"type": "string"}, row, {"type": "null"}]}})
    }
}

/// `workloads`: `{NAME: {…any setting…, canary: {floor, minSamples, window}}}`. The settings are checked as a layer of their own.
pub struct Workloads;

impl Kind for Workloads {
    type Value = BTreeMap<String, Workload>;

    fn expected() -> String {
        "a map {NAME: {SETTINGS, canary: {floor, minSamples, window}}} with a floor such as 0.9 or \"95%\" and counts from 1".to_owned()
    }

    fn read(value: &Value) -> Option<BTreeMap<String, Workload>> {
        let workload = |value: &Value| {
            let mut settings = value.as_object()?.clone();
            let canary = settings
                .remove("canary")
                .map_or(Some(Canary::default()), |value| {
                    value.as_object()?;
                    Canary::deserialize(value).ok()
                })?;
            Some(Workload { settings, canary })
        };
        value
            .as_object()?
            .iter()
            .map(|(name, value)| Some((name.clone(), workload(value)?)))
            .collect()
    }

    fn write(workloads: &BTreeMap<String, Workload>) -> Value {
        let each = workloads.iter().map(|(name, workload)| {
            let mut value = workload.settings.clone();
            if workload.canary != Canary::default() {
                value.insert("canary".to_owned(), json!(workload.canary));
            }
            (name.clone(), Value::Object(value))
        });
        each.collect()
    }

    fn schema() -> Value {
        let workload = json!({"type": "object", "properties": {"canary": of_input::<Canary>()}});
        json!({"type": "object", "additionalProperties": workload})
    }
}

/// A mean, or a share of the control's as `"95%"`.
pub struct MeanOrShare;

impl Kind for MeanOrShare {
    type Value = Floor;

    fn expected() -> String {
        "a number such as 0.9, or a share such as \"95%\"".to_owned()
    }

    fn read(value: &Value) -> Option<Floor> {
        match value {
            Value::Number(number) => number.as_f64().map(Floor::Absolute),
            Value::String(text) => {
                let share: f64 = text.trim().strip_suffix('%')?.trim().parse().ok()?;
                share.is_finite().then_some(Floor::OfControl(share / 100.0))
            }
            _ => None,
        }
    }

    fn write(floor: &Floor) -> Value {
        match floor {
            Floor::Absolute(floor) => json!(floor),
            Floor::OfControl(share) => json!(format!("{}%", (share * 1e12).round() / 1e10)),
        }
    }

    fn schema() -> Value {
        json!({"type": ["number", "string"], "pattern": r"^\s*[0-9.]+\s*%\s*$"})
    }
}

/// `replay.rates`: `{MODEL: {input, output, cacheRead, cacheWrite, cacheWriteLong, lifetime, minPrefix}}`.
pub struct Rates;

impl Kind for Rates {
    type Value = Vec<Rate>;

    fn expected() -> String {
        "a map {MODEL: {input, output, cacheRead, cacheWrite, cacheWriteLong, lifetime, minPrefix}}"
            .to_owned()
    }

    fn read(value: &Value) -> Option<Vec<Rate>> {
        let rate = |(family, entry): (&String, &Value)| {
            entry.as_object()?;
            Some(Rate {
                family: trim(family).to_lowercase(),
                ..Rate::deserialize(entry).ok()?
            })
        };
        value.as_object()?.iter().map(rate).collect()
    }

    fn write(rows: &Vec<Rate>) -> Value {
        rows.iter()
            .map(|rate| (rate.family.clone(), json!(rate)))
            .collect()
    }

    fn schema() -> Value {
        json!({"type": "object", "additionalProperties": of_input::<Rate>()})
    }
}

/// `models.providers`: `{NAME: {models: [{id, contextWindow, contextTokens?}]}}`, where `contextTokens` is the smaller
/// window that the user allows. Models without either, and all other members, are of no interest here.
pub struct Windows;

impl Kind for Windows {
    type Value = Vec<ModelWindow>;

    fn expected() -> String {
        "a map {NAME: {models: [{id, contextWindow}]}} with windows in tokens from 1".to_owned()
    }

    fn read(value: &Value) -> Option<Vec<ModelWindow>> {
        let mut rows = Vec::new();
        for (provider, entry) in value.as_object()? {
            let models = match entry.as_object()?.get("models") {
                None | Some(Value::Null) => continue,
                Some(models) => models.as_array()?,
            };
            for model in models {
                let (id, model) = (model.get("id").and_then(Value::as_str), model.as_object()?);
                let stated = |key| model.get(key).map_or(Some(None), Nullable::<Tokens>::read);
                let (window, allowed) = (stated("contextWindow")?, stated("contextTokens")?);
                if let (Some(id), Some(tokens)) = (id, allowed.or(window)) {
                    rows.push(ModelWindow {
                        provider: provider.clone(),
                        model: id.to_owned(),
                        tokens,
                    });
                }
            }
        }
        Some(rows)
    }

    fn write(rows: &Vec<ModelWindow>) -> Value {
        let mut providers = Map::new();
        for row in rows {
            let entry = providers
                .entry(row.provider.clone())
                .or_insert_with(|| json!({"models": []}));
            if let Some(models) = entry["models"].as_array_mut() {
                models.push(json!({"id": row.model, "contextWindow": row.tokens}));
            }
        }
        Value::Object(providers)
    }

    fn schema() -> Value {
        let tokens = Nullable::<Tokens>::schema();
        let model = json!({"type": "object", "properties": {"id": {"type": "string"}, "contextWindow": tokens, "contextTokens": tokens}});
        let provider = json!({"type": "object", "properties": {"models": {"type": ["array", "null"], "items": model}}});
        json!({"type": "object", "additionalProperties": provider})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stateful_tools_round_trip() {
        let value = json!({"Read": "file_path", "mcp__*": {"path": ["uri"], "act": "edit", "partial": ["page"]}, "LS": null});
        let rows = Stateful::read(&value).expect("readable");
        assert_eq!(
            (rows[0].paths.len(), rows[1].act, rows[2].paths.len()),
            (1, Some(Act::Edit), 0)
        );
        assert_eq!(Stateful::write(&rows), value);
        for bad in [
            json!([]),
            json!({"a": 1}),
            json!({"a": {}}),
            json!({"a": ""}),
            json!({"": "x"}),
            json!({"a": {"path": "p", "act": "eat"}}),
        ] {
            assert_eq!(Stateful::read(&bad), None, "{bad}");
        }
    }

    #[test]
    fn workloads_round_trip() {
        let value = json!({"chat": {"contextPruning": {"mode": "off"}, "canary": {"floor": "92.5%", "minSamples": 5}}, "b": {}});
        let read = Workloads::read(&value).expect("readable");
        assert_eq!(
            read["chat"].canary,
            Canary {
                floor: Floor::OfControl(0.925),
                min_samples: 5,
                window: 100
            }
        );
        assert_eq!(read["b"].canary, Canary::default());
        assert_eq!(Workloads::read(&Workloads::write(&read)), Some(read));
        for bad in [
            json!({"a": 1}),
            json!([]),
            json!({"a": {"canary": 1}}),
            json!({"a": {"canary": ["90%", 1, 1]}}),
            json!({"a": {"canary": {"floor": "high"}}}),
            json!({"a": {"canary": {"minSamples": 0}}}),
            json!({"a": {"canary": {"flor": 1}}}),
        ] {
            assert_eq!(Workloads::read(&bad), None, "{bad}");
        }
    }

    #[test]
    fn rates_round_trip() {
        let value = json!({"claude-x": {"input": 1.5, "cacheWriteLong": 0.0, "lifetime": "5m", "minPrefix": 1024}, "b": {}});
        let rows = Rates::read(&value).expect("readable");
        assert_eq!(
            (rows[0].input, rows[0].output, rows[0].lifetime_ms),
            (Some(1.5), None, Some(300_000))
        );
        assert_eq!(Rates::write(&rows), value);
        for bad in [
            json!([]),
            json!({"a": 1}),
            json!({"a": []}),
            json!({"a": {"input": null}}),
            json!({"a": {"input": -1}}),
            json!({"a": {"in": 1}}),
        ] {
            assert_eq!(Rates::read(&bad), None, "{bad}");
        }
    }

    #[test]
    fn model_windows_round_trip() {
        let value = json!({"a": {"baseUrl": "…", "models": [{"id": "x", "contextWindow": 50000}, {"id": "y", "contextWindow": 9, "contextTokens": 8}, {"id": "z"}]}, "b": {}});
        let rows = Windows::read(&value).expect("readable");
        assert_eq!(
            rows.iter()
                .map(|row| (row.model.as_str(), row.tokens))
                .collect::<Vec<_>>(),
            [("x", 50000), ("y", 8)]
        );
        assert_eq!(Windows::read(&Windows::write(&rows)), Some(rows));
        for bad in [
            json!([]),
            json!({"a": 1}),
            json!({"a": {"models": {}}}),
            json!({"a": {"models": [{"id": "x", "contextWindow": "5"}]}}),
        ] {
            assert_eq!(Windows::read(&bad), None, "{bad}");
        }
    }
}
