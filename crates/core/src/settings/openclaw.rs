//! The parts of an OpenClaw configuration that this program uses.
//!
//! The way Anthropic is paid is read from the file alone. OpenClaw would go on to ask the
//! environment for keys; this program never does, so that the same input and configuration give the
//! same bytes on any machine.

use super::{
    error::{ConfigError, nearest},
    keys::{Auth, RatioBy},
    layer::Layer,
};
use serde_json::{Map, Value, json};

/// Top-level keys by which an OpenClaw configuration is known.
const KNOWN_BY: &str = "
    agent agents models gateway channels session messages commands tools skills plugins hooks cron browser logging wizard
    meta bindings routing bridge discovery canvasHost talk web ui update env memory approvals broadcast identity whatsapp
    telegram discord slack signal imessage";

/// Whether this is an OpenClaw configuration. `auth` is OpenClaw's as an object, ours as a word.
pub fn is_openclaw(root: &Map<String, Value>) -> bool {
    KNOWN_BY
        .split_whitespace()
        .any(|name| root.contains_key(name))
        || root.get("auth").is_some_and(Value::is_object)
}

/// Whether a top-level key is read by [`read`].
pub(super) fn owns(name: &str, value: &Value) -> bool {
    matches!(name, "agent" | "agents" | "models") || (name == "auth" && value.is_object())
}

/// States the values in OpenClaw's places, the old place first. Ratios are those of OpenClaw.
pub(super) fn read(layer: &mut Layer, root: &Map<String, Value>) -> Result<(), ConfigError> {
    let counted = json!(RatioBy::Chars);
    layer.put("contextPruning.ratioBy", "contextPruning.ratioBy", &counted)?;
    let defaults = root.get("agents").map(|agents| &agents["defaults"]);
    for (place, holder) in [("agent", root.get("agent")), ("agents.defaults", defaults)] {
        let Some(holder) = holder.and_then(Value::as_object) else {
            continue;
        };
        let meant = |name: &&String| {
            *name != "contextPruning"
                && nearest(name, ["contextPruning", "contextTokens"]).as_deref()
                    == Some("contextPruning")
        };
        for name in holder.keys().filter(meant) {
            layer.ignore(&format!("key {place}.{name}, did you mean contextPruning?"));
        }
        for (name, key) in [
            ("contextPruning", "contextPruning"),
            ("contextTokens", "agents.defaults.contextTokens"),
        ] {
            if let Some(value) = holder.get(name) {
                layer.put(key, &format!("{place}.{name}"), value)?;
            }
        }
        let heartbeat = holder.get("heartbeat");
        if let Some(value) = heartbeat.and_then(|heartbeat| heartbeat.get("every")) {
            let shown = format!("{place}.heartbeat.every");
            let alone = Layer::of("", "heartbeat.every", value)?;
            if value.is_null() || alone.check().is_err() {
                layer.ignore(&format!("{shown}, which is not a duration"));
            } else {
                layer.put("heartbeat.every", &shown, value)?;
            }
        }
    }
    let models = root.get("models");
    if let Some(value) = models.and_then(|models| models.get("providers")) {
        layer.put("models.providers", "models.providers", value)?;
    }
    let paid = root.get("auth").and_then(auth);
    match paid.filter(|_| defaults.is_some_and(Value::is_object)) {
        Some(auth) => layer.put("auth", "auth", &json!(auth)),
        None => Ok(()),
    }
}

/// Returns the way Anthropic is paid: that of the first usable profile of `order.anthropic`, else
/// the one that all of Anthropic's profiles have in common.
fn auth(auth: &Value) -> Option<Auth> {
    let profiles = auth.get("profiles")?.as_object()?;
    let order = auth["order"]["anthropic"].as_array().into_iter().flatten();
    let mut in_order = order.filter_map(|name| payment(profiles.get(name.as_str()?)?));
    if let Some(first) = in_order.next() {
        return Some(first);
    }
    let mut all = profiles.values().filter_map(payment);
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// Returns the payment of a profile; `None` if it is not one of Anthropic's or not usable.
fn payment(profile: &Value) -> Option<Auth> {
    let text = |name| Some(profile[name].as_str()?.trim().to_ascii_lowercase());
    if text("provider")? != "anthropic" {
        return None;
    }
    match text("mode")?.as_str() {
        "api_key" => Some(Auth::ApiKey),
        "oauth" | "token" => Some(Auth::Oauth),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(root: Value) -> Vec<String> {
        let root = root.as_object().expect("an object");
        assert!(is_openclaw(root));
        let mut layer = Layer::new("openclaw.json");
        read(&mut layer, root).expect("valid");
        layer
            .iter()
            .map(|(shown, value)| format!("{shown} = {value}"))
            .collect()
    }

    #[test]
    fn the_places_that_matter() {
        let got = found(json!({
            "agent": {"contextPruning": {"mode": "off"}, "contextTokens": 1},
            "agents": {"defaults": {"contextPruning": {"mode": "cache-ttl"}, "contextTokens": 2, "heartbeat": {"every": "30m"}, "model": {}}, "list": []},
            "models": {"mode": "merge", "providers": {"a": {}}},
            "gateway": {"port": 1},
        }));
        assert_eq!(
            got,
            [
                "agent.contextPruning.mode = \"off\"",
                "agents.defaults.contextPruning.mode = \"cache-ttl\"",
                "contextPruning.ratioBy = \"chars\"",
                "models.providers = {\"a\":{}}",
                "agent.contextTokens = 1",
                "agents.defaults.contextTokens = 2",
                "agents.defaults.heartbeat.every = \"30m\"",
            ]
        );
    }

    #[test]
    fn anthropic_payment_is_detected() {
        let key = json!({"provider": "anthropic", "mode": "api_key"});
        let token = json!({"provider": " Anthropic ", "mode": "token"});
        let other = json!({"provider": "openai", "mode": "oauth"});
        for (order, profiles, want) in [
            (
                json!(["b", "a"]),
                json!({"a": key, "b": token}),
                Some(Auth::Oauth),
            ),
            (
                json!(["gone", "c", "a"]),
                json!({"a": key, "b": token, "c": other}),
                Some(Auth::ApiKey),
            ),
            (json!([]), json!({"a": key, "c": other}), Some(Auth::ApiKey)),
            (json!(null), json!({"b": token}), Some(Auth::Oauth)),
            (json!(null), json!({"a": key, "b": token}), None),
            (json!(null), json!({"c": other}), None),
            (
                json!(null),
                json!({"d": {"provider": "anthropic", "mode": "?"}}),
                None,
            ),
            (json!([1, null]), json!({}), None),
        ] {
            let value = json!({"order": {"anthropic": order}, "profiles": profiles});
            assert_eq!(auth(&value), want, "{value}");
        }
    }

    #[test]
    fn auth_counts_only_beside_agents_defaults() {
        let paid = json!({"profiles": {"a": {"provider": "anthropic", "mode": "oauth"}}});
        let by = "contextPruning.ratioBy = \"chars\"";
        assert_eq!(found(json!({"auth": paid})), [by]);
        assert_eq!(
            found(json!({"auth": paid, "agents": {"defaults": {}}})),
            [by, "auth = \"oauth\""]
        );
    }

    #[test]
    fn odd_shapes_are_passed_over() {
        assert!(
            found(json!({"agent": 1, "agents": [], "models": "x", "auth": {"profiles": 3}})).len()
                == 1
        );
        let root = json!({"agent": {"heartbeat": {"every": "soon"}}});
        let mut layer = Layer::new("c");
        read(&mut layer, root.as_object().expect("an object")).expect("valid");
        assert_eq!(layer.iter().count(), 1);
        assert_eq!(
            layer.warnings[0].text,
            "c: ignored agent.heartbeat.every, which is not a duration"
        );
    }
}
