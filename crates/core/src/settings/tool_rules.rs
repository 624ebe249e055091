//! Rules about calls of tools, as `pruneMessages` of the AI SDK states them, as steps of ours.

use super::steps::StepError;
use serde_json::{Value, json};

/// The values of a rule's scope, for error texts.
const TYPES: &str = "\"all\", \"none\", \"before-last-message\", \"before-last-N-messages\" or a list of {type, tools}";

/// The steps that a rule, or a list of rules, is; each is `step` with its own keep and tools.
///
/// # Errors
/// A rule is not of its kind.
pub fn steps(rules: &Value, step: &Value) -> Result<Vec<Value>, StepError> {
    match rules {
        Value::String(kind) if kind == "none" => Ok(Vec::new()),
        Value::String(kind) => Ok(vec![rule(kind, None, step).ok_or_else(|| StepError::bad("", TYPES, rules))?]),
        Value::Array(list) => {
            let each = list.iter().enumerate().map(|(i, stated)| {
                let tools = Some(&stated["tools"]).filter(|tools| !tools.is_null());
                let is_list = tools.is_none_or(|tools| tools.as_array().is_some_and(|list| list.iter().all(Value::is_string)));
                let kind = stated["type"].as_str().filter(|_| is_list);
                // A rule about no tool does nothing.
                let about_none = tools.is_some_and(|tools| tools.as_array().is_some_and(Vec::is_empty));
                let found = kind.and_then(|kind| rule(kind, tools, step));
                found.map(|step| (!about_none).then_some(step)).ok_or_else(|| StepError::bad(&format!("[{i}]"), TYPES, stated))
            });
            each.filter_map(Result::transpose).collect()
        }
        _ => Err(StepError::bad("", TYPES, rules)),
    }
}

fn rule(kind: &str, tools: Option<&Value>, step: &Value) -> Option<Value> {
    let number = |kind: &str| kind.strip_prefix("before-last-")?.strip_suffix("-messages")?.parse::<u64>().ok();
    let kept = match kind {
        "all" => 0,
        "before-last-message" => 1,
        _ => number(kind)?,
    };
    let mut step = step.clone();
    step["keep"] = json!({ "all_messages": kept });
    if let Some(tools) = tools {
        step["tools"] = tools.clone();
    }
    Some(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_steps() {
        let step = json!({"type": "drop_tool_calls", "keep": {"all_messages": "all"}});
        let of = |rules: Value| steps(&rules, &step).map_err(|wrong| wrong.error("preset x", "toolCalls").to_string());
        let keeping = |number: u64| json!({"type": "drop_tool_calls", "keep": {"all_messages": number}});
        assert_eq!(of(json!("none")), Ok(vec![]));
        assert_eq!(of(json!("all")), Ok(vec![keeping(0)]));
        assert_eq!(of(json!("before-last-message")), Ok(vec![keeping(1)]));
        assert_eq!(of(json!("before-last-12-messages")), Ok(vec![keeping(12)]));
        let mut read = keeping(2);
        read["tools"] = json!(["read"]);
        assert_eq!(of(json!([{"type": "all", "tools": []}, {"type": "before-last-2-messages", "tools": ["read"]}])), Ok(vec![read]));
        for bad in
            [json!("last"), json!(3), json!(["all"]), json!([{"type": "before-last--1-messages"}]), json!([{"type": "all", "tools": "x"}])]
        {
            let why = of(bad.clone()).expect_err("it is no rule");
            assert!(why.contains("toolCalls") && why.contains("before-last-message"), "{bad}: {why}");
        }
    }
}
