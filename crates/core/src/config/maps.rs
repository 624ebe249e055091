//! Reads settings that are maps, by the names of tools, models, providers or workloads, and writes them back.
//!
//! Each reader gives `None` for a value of the wrong shape; the caller says what was expected.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::settings::{Act, Canary, Floor, ModelWindow, Rate, StatefulTool, Workload};
use super::values::{choice, duration, integer, list, text, tokens, trim};
use super::words::Word;

/// `resources.stateful`: `{TOOL: ARGUMENT}`, where the argument may be `{path, act, partial}`, and null for none.
pub(super) fn stateful(value: &Value) -> Option<Vec<StatefulTool>> {
    let mut rows = Vec::new();
    for (tool, given) in value.as_object()? {
        let mut row = StatefulTool { tool: trim(tool).to_string(), paths: Vec::new(), act: None, partial: Vec::new() };
        let one_or_more = |value: &Value| text(value).map(|path| vec![path]).or_else(|| list(value)).filter(|list| !list.is_empty());
        match given {
            Value::Null => {}
            Value::Object(members) => {
                row.paths = one_or_more(members.get("path")?)?;
                for (name, value) in members {
                    match name.as_str() {
                        "path" => {}
                        "act" => row.act = Some(choice::<Act>(value)?),
                        "partial" => row.partial = list(value)?,
                        _ => return None,
                    }
                }
            }
            given => row.paths = vec![text(given)?],
        }
        if row.tool.is_empty() {
            return None;
        }
        rows.push(row);
    }
    Some(rows)
}

/// The map that [`stateful`] reads back to these rows.
pub(super) fn stateful_as_json(rows: &[StatefulTool]) -> Value {
    let row = |row: &StatefulTool| match (&row.paths[..], row.act, row.partial.is_empty()) {
        ([], ..) => Value::Null,
        ([path], None, true) => json!(path),
        (paths, act, _) => {
            let mut members = serde_json::Map::from_iter([("path".to_string(), json!(paths))]);
            members.extend(act.map(|act| ("act".to_string(), json!(act.word()))));
            members.extend((!row.partial.is_empty()).then(|| ("partial".to_string(), json!(row.partial))));
            Value::Object(members)
        }
    };
    Value::Object(rows.iter().map(|r| (r.tool.clone(), row(r))).collect())
}

/// `workloads`: `{NAME: {…any setting…, canary: {floor, minSamples, window}}}`. What the settings may be is told later.
pub(super) fn workloads(value: &Value) -> Option<BTreeMap<String, Workload>> {
    value.as_object()?.iter().map(|(name, value)| Some((name.clone(), workload(value)?))).collect()
}

fn workload(value: &Value) -> Option<Workload> {
    let mut settings = value.as_object()?.clone();
    let canary = settings.remove("canary").map_or(Some(Canary::default()), |value| canary(&value))?;
    Some(Workload { settings, canary })
}

fn canary(value: &Value) -> Option<Canary> {
    let mut canary = Canary::default();
    for (name, value) in value.as_object()? {
        match name.as_str() {
            "floor" => canary.floor = floor(value)?,
            "minSamples" => canary.min_samples = integer(value).filter(|n| *n > 0)?,
            "window" => canary.window = integer(value).filter(|n| *n > 0)?,
            _ => return None,
        }
    }
    Some(canary)
}

/// A mean, or a share of the control's as `"95%"`.
fn floor(value: &Value) -> Option<Floor> {
    match value {
        Value::Number(number) => number.as_f64().map(Floor::Absolute),
        Value::String(text) => {
            let share: f64 = text.trim().strip_suffix('%')?.trim().parse().ok()?;
            share.is_finite().then_some(Floor::OfControl(share / 100.0))
        }
        _ => None,
    }
}

/// The map that [`workloads`] reads back.
pub(super) fn workloads_as_json(workloads: &BTreeMap<String, Workload>) -> Value {
    let each = workloads.iter().map(|(name, workload)| {
        let mut value = workload.settings.clone();
        let Canary { floor, min_samples, window } = workload.canary;
        let floor = match floor {
            Floor::Absolute(floor) => json!(floor),
            Floor::OfControl(share) => json!(format!("{}%", (share * 1e12).round() / 1e10)),
        };
        if workload.canary != Canary::default() {
            value.insert("canary".to_owned(), json!({"floor": floor, "minSamples": min_samples, "window": window}));
        }
        (name.clone(), Value::Object(value))
    });
    Value::Object(each.collect())
}

/// `replay.rates`: `{MODEL: {input, output, cacheRead, cacheWrite, cacheWriteLong, lifetime, minPrefix}}`.
pub(super) fn rates(value: &Value) -> Option<Vec<Rate>> {
    let price = |value: &Value| value.as_f64().filter(|price| price.is_finite() && *price >= 0.0);
    let mut rows = Vec::new();
    for (family, entry) in value.as_object()? {
        let mut rate = Rate { family: trim(family).to_lowercase(), ..Rate::default() };
        for (name, value) in entry.as_object()? {
            match name.as_str() {
                "input" => rate.input = Some(price(value)?),
                "output" => rate.output = Some(price(value)?),
                "cacheRead" => rate.cache_read = Some(price(value)?),
                "cacheWrite" => rate.cache_write = Some(price(value)?),
                "cacheWriteLong" => rate.cache_write_long = Some(price(value)?),
                "lifetime" => rate.lifetime_ms = Some(duration(value)?),
                "minPrefix" => rate.min_prefix = Some(integer(value)?),
                _ => return None,
            }
        }
        rows.push(rate);
    }
    Some(rows)
}

/// The map that [`rates`] reads back to these rows.
pub(super) fn rates_as_json(rows: &[Rate]) -> Value {
    let entry = |rate: &Rate| {
        let members = [
            ("input", rate.input.map(Value::from)),
            ("output", rate.output.map(Value::from)),
            ("cacheRead", rate.cache_read.map(Value::from)),
            ("cacheWrite", rate.cache_write.map(Value::from)),
            ("cacheWriteLong", rate.cache_write_long.map(Value::from)),
            ("lifetime", rate.lifetime_ms.map(|ms| Value::from(super::format_duration(ms)))),
            ("minPrefix", rate.min_prefix.map(Value::from)),
        ];
        members.into_iter().filter_map(|(name, value)| Some((name.to_string(), value?))).collect::<serde_json::Map<_, _>>()
    };
    rows.iter().map(|rate| (rate.family.clone(), Value::Object(entry(rate)))).collect::<serde_json::Map<_, _>>().into()
}

/// `models.providers`: `{NAME: {models: [{id, contextWindow, contextTokens?}]}}`, where `contextTokens` is the smaller
/// window that the user allows. Models without either, and all other members, are of no interest here.
pub(super) fn windows(value: &Value) -> Option<Vec<ModelWindow>> {
    let mut rows = Vec::new();
    for (provider, entry) in value.as_object()? {
        let models = match entry.as_object()?.get("models") {
            None | Some(Value::Null) => continue,
            Some(models) => models.as_array()?,
        };
        for model in models {
            let (id, model) = (model.get("id").and_then(Value::as_str), model.as_object()?);
            let stated = |key| model.get(key).map_or(Some(None), tokens);
            let (window, allowed) = (stated("contextWindow")?, stated("contextTokens")?);
            if let (Some(id), Some(tokens)) = (id, allowed.or(window)) {
                rows.push(ModelWindow { provider: provider.clone(), model: id.to_string(), tokens });
            }
        }
    }
    Some(rows)
}

/// The map that [`windows`] reads back to these rows.
pub(super) fn windows_as_json(rows: &[ModelWindow]) -> Value {
    let mut providers = serde_json::Map::new();
    for row in rows {
        let entry = providers.entry(row.provider.clone()).or_insert_with(|| json!({"models": []}));
        if let Some(models) = entry["models"].as_array_mut() {
            models.push(json!({"id": row.model, "contextWindow": row.tokens}));
        }
    }
    Value::Object(providers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stateful_tools_round_trip() {
        let value = json!({"Read": "file_path", "mcp__*": {"path": ["uri"], "act": "edit", "partial": ["page"]}, "LS": null});
        let rows = stateful(&value).expect("readable");
        assert_eq!((rows[0].paths.len(), rows[1].act, rows[2].paths.len()), (1, Some(Act::Edit), 0));
        assert_eq!(stateful_as_json(&rows), value);
        for bad in
            [json!([]), json!({"a": 1}), json!({"a": {}}), json!({"a": ""}), json!({"": "x"}), json!({"a": {"path": "p", "act": "eat"}})]
        {
            assert_eq!(stateful(&bad), None, "{bad}");
        }
    }

    #[test]
    fn workloads_round_trip() {
        let value = json!({"chat": {"contextPruning": {"mode": "off"}, "canary": {"floor": "92.5%", "minSamples": 5}}, "b": {}});
        let read = workloads(&value).expect("readable");
        assert_eq!(read["chat"].canary, Canary { floor: Floor::OfControl(0.925), min_samples: 5, window: 100 });
        assert_eq!(read["b"].canary, Canary::default());
        assert_eq!(workloads(&workloads_as_json(&read)), Some(read));
        for bad in [
            json!({"a": 1}),
            json!([]),
            json!({"a": {"canary": 1}}),
            json!({"a": {"canary": {"floor": "high"}}}),
            json!({"a": {"canary": {"minSamples": 0}}}),
            json!({"a": {"canary": {"flor": 1}}}),
        ] {
            assert_eq!(workloads(&bad), None, "{bad}");
        }
    }

    #[test]
    fn model_windows_round_trip() {
        let value = json!({"a": {"baseUrl": "…", "models": [{"id": "x", "contextWindow": 50000}, {"id": "y", "contextWindow": 9, "contextTokens": 8}, {"id": "z"}]}, "b": {}});
        let rows = windows(&value).expect("readable");
        assert_eq!(rows.iter().map(|row| (row.model.as_str(), row.tokens)).collect::<Vec<_>>(), [("x", 50000), ("y", 8)]);
        assert_eq!(windows(&windows_as_json(&rows)), Some(rows));
        for bad in [json!([]), json!({"a": 1}), json!({"a": {"models": {}}}), json!({"a": {"models": [{"id": "x", "contextWindow": "5"}]}})]
        {
            assert_eq!(windows(&bad), None, "{bad}");
        }
    }
}
