//! The kinds of settings that are maps, by the names of tools, models, providers or workloads, and
//! `preset`.

use super::{
    keys::{Act, Canary, Floor, ModelWindow, Rate, StatefulTool, Workload},
    kinds::{Choice, Kind, List, Nullable, Text, Tokens, kind, trim},
};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

kind!(
    /// `resources.stateful`: `{TOOL: ARGUMENT}`, where the argument may be `{path, act, partial}`,
    /// and null for none.
    Stateful = Vec<StatefulTool>,
    "a map {TOOL: ARGUMENT} such as {\"Read\": \"file_path\"}, with {path, act, partial} or null in the place of ARGUMENT",
    {"type": "object", "additionalProperties": {"anyOf": [{"type": "string"}, {
        "type": "object",
        "additionalProperties": false,
        "required": ["path"],
        "properties": {
            "path": {"anyOf": [{"type": "string"}, List::schema()]},
            "act": Choice::<Act>::schema(),
            "partial": List::schema(),
        },
    }, {"type": "null"}]}},
    |value| value.as_object()?.iter().map(stateful).collect(),
    |rows| rows.iter().map(|row| (row.tool.clone(), argument(row))).collect()
);

/// Returns the row of a tool and the value that is given for it.
fn stateful((tool, given): (&String, &Value)) -> Option<StatefulTool> {
    let one = |value: &Value| Text::read(value).map(|path| vec![path]);
    let mut row = StatefulTool {
        tool: trim(tool).to_owned(),
        paths: Vec::new(),
        act: None,
        partial: Vec::new(),
    };
    match given {
        Value::Null => {}
        Value::Object(members) => {
            for (name, value) in members {
                match name.as_str() {
                    "path" => row.paths = one(value).or_else(|| List::read(value))?,
                    "act" => row.act = Some(Choice::<Act>::read(value)?),
                    "partial" => row.partial = List::read(value)?,
                    _ => return None,
                }
            }
            if row.paths.is_empty() {
                return None;
            }
        }
        given => row.paths = one(given)?,
    }
    (!row.tool.is_empty()).then_some(row)
}

/// Returns the value that is given for the tool of a row.
fn argument(row: &StatefulTool) -> Value {
    let (paths, partial) = (&row.paths, &row.partial);
    match (&paths[..], row.act) {
        ([], _) => Value::Null,
        ([path], None) if partial.is_empty() => json!(path),
        (_, act) => {
            let mut members = json!({ "path": paths });
            if let Some(act) = act {
                members["act"] = json!(act);
            }
            if !partial.is_empty() {
                members["partial"] = json!(partial);
            }
            members
        }
    }
}

kind!(
    /// `workloads`: `{NAME: {…any setting…, canary: {floor, minSamples, window}}}`. The settings
    /// are checked as a layer of their own.
    Workloads = BTreeMap<String, Workload>,
    "a map {NAME: {SETTINGS, canary: {floor, minSamples, window}}} with a floor such as 0.9 or \"95%\" and counts from 1",
    {"type": "object", "additionalProperties": {"type": "object", "properties": {"canary": Canary::schema()}}},
    |value| {
        let workload = |(name, value): (&String, &Value)| {
            let mut settings = value.as_object()?.clone();
            let canary = settings
                .shift_remove("canary")
                .map_or_else(|| Some(Canary::default()), |value| Canary::read(&value))?;
            Some((name.clone(), Workload { settings, canary }))
        };
        value.as_object()?.iter().map(workload).collect()
    },
    |workloads| {
        let each = workloads.iter().map(|(name, workload)| {
            let mut value = json!(workload.settings);
            if workload.canary != Canary::default() {
                value["canary"] = json!(workload.canary);
            }
            (name.clone(), value)
        });
        each.collect()
    }
);

kind!(
    /// A mean, or a share of the control's as `"95%"`.
    MeanOrShare = Floor, "a number such as 0.9, or a share such as \"95%\"",
    {"type": ["number", "string"], "pattern": r"^\s*[0-9.]+\s*%\s*$"},
    |value| match value {
        Value::Number(number) => number.as_f64().map(Floor::Absolute),
        Value::String(text) => {
            let share: f64 = text.trim().strip_suffix('%')?.trim().parse().ok()?;
            share.is_finite().then_some(Floor::OfControl(share / 100.0))
        }
        _ => None,
    },
    |floor| match floor {
        Floor::Absolute(floor) => json!(floor),
        Floor::OfControl(share) => json!(format!("{}%", (share * 1e12).round() / 1e10)),
    }
);

kind!(
    /// `replay.rates`: `{MODEL: {input, output, cacheRead, cacheWrite, cacheWriteLong, lifetime,
    /// minPrefix}}`.
    Rates = Vec<Rate>,
    "a map {MODEL: {input, output, cacheRead, cacheWrite, cacheWriteLong, lifetime, minPrefix}}",
    {"type": "object", "additionalProperties": Rate::schema()},
    |value| {
        let rate = |(family, entry): (&String, &Value)| {
            let family = trim(family).to_lowercase();
            Some(Rate { family, ..Rate::read(entry)? })
        };
        value.as_object()?.iter().map(rate).collect()
    },
    |rows| rows.iter().map(|rate| (rate.family.clone(), json!(rate))).collect()
);

kind!(
    /// `models.providers`: `{NAME: {models: [{id, contextWindow, contextTokens?}]}}`, where
    /// `contextTokens` is the smaller window that the user allows. Models without either, and all
    /// other members, are ignored.
    Windows = Vec<ModelWindow>, "a map {NAME: {models: [{id, contextWindow}]}} with windows in tokens from 1",
    {"type": "object", "additionalProperties": {"type": "object", "properties": {"models": {
        "type": ["array", "null"],
        "items": {"type": "object", "properties": {
            "id": {"type": "string"},
            "contextWindow": Nullable::<Tokens>::schema(),
            "contextTokens": Nullable::<Tokens>::schema(),
        }},
    }}}},
    |value| {
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
    },
    |rows| {
        let mut providers: Map<String, Value> = Map::new();
        for row in rows {
            let entry = providers.entry(row.provider.clone()).or_insert_with(|| json!({"models": []}));
            if let Some(models) = entry["models"].as_array_mut() {
                models.push(json!({"id": row.model, "contextWindow": row.tokens}));
            }
        }
        providers.into()
    }
);

/// A preset by its name, and the options of its program that are set.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// Its name.
    pub name: String,
    /// Options of the program that it is named after, by their own names.
    pub options: Map<String, Value>,
}

impl Chosen {
    /// A preset with the defaults of its program.
    pub fn plain(name: &str) -> Chosen {
        Chosen {
            name: name.to_owned(),
            options: Map::new(),
        }
    }
}

kind!(
    /// The kind of `preset`.
    Presets = Vec<Chosen>, "a name, {name, options}, or a list of these",
    {"anyOf": [Text::schema(), full(), {"type": "array", "items": {"anyOf": [Text::schema(), full()]}}]},
    |value| match value {
        Value::Array(list) => list.iter().map(one).collect(),
        Value::String(names) => names.split(',').map(|name| one(&json!(name))).collect(),
        value => one(value).map(|one| vec![one]),
    },
    |list| {
        let one = |chosen: &Chosen| match chosen.options.is_empty() {
            true => json!(chosen.name),
            false => json!({"name": chosen.name, "options": chosen.options}),
        };
        match &list[..] {
            [chosen] => one(chosen),
            list => list.iter().map(one).collect(),
        }
    }
);

/// The schema of a preset with options.
fn full() -> Value {
    let members = json!({"name": Text::schema(), "options": {"type": "object"}});
    json!({"type": "object", "properties": members, "required": ["name"], "additionalProperties": false})
}

fn one(value: &Value) -> Option<Chosen> {
    let Value::Object(members) = value else {
        return Text::read(value).map(|name| Chosen::plain(&name));
    };
    let mut members = members.clone();
    let name = Text::read(&members.shift_remove("name")?)?;
    let options = match members.shift_remove("options") {
        Some(options) => options.as_object()?.clone(),
        None => Map::new(),
    };
    members.is_empty().then_some(Chosen { name, options })
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
