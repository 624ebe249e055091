//! `context_management` of a body: left to its server, applied here for any provider, or written by a policy.

use crate::notation::{Conversation, EVERY, results};
use deadhead_core::settings::{Layer, Mode, Settings, resolve};
use serde_json::{Value, json};

/// A body of eight calls that asks its server to clear what is older than three.
fn asking() -> Value {
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    for i in 0..8 {
        messages.push(
            json!({"role": "assistant", "content": [{"type": "tool_use", "id": format!("t{i}"), "name": "read", "input": {"n": i}}]}),
        );
        messages.push(
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": format!("t{i}"), "content": "x".repeat(4000)}]}),
        );
    }
    let edit =
        json!({"type": "clear_tool_uses_20250919", "trigger": {"type": "tool_uses", "value": 4}});
    json!({"model": "claude-sonnet-4-5", "max_tokens": 10, "context_management": {"edits": [edit]}, "messages": messages})
}

fn managed(body: &Value, how: &str, edits: Value) -> (Value, Value) {
    let mut layer = Layer::new("test");
    layer
        .put("contextManagement", "contextManagement", &json!(how))
        .unwrap();
    layer
        .put(
            "contextPruning.mode",
            "contextPruning.mode",
            &json!("adaptive"),
        )
        .unwrap();
    layer.put("edits", "edits", &edits).unwrap();
    let bytes = body.to_string();
    let (output, pruned) =
        crate::runs::prune(bytes.as_bytes(), &resolve(&[layer]).unwrap().settings).unwrap();
    (
        serde_json::from_slice(&output)
            .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output))),
        json!(pruned.report),
    )
}

#[test]
fn context_management_is_left_or_applied() {
    let body = asking();
    let (left, report) = managed(&body, "leave", json!([]));
    assert_eq!(left, body);
    assert!(
        report["warnings"]
            .to_string()
            .contains("context_management is left to its server"),
        "{}",
        report["warnings"]
    );
    assert!(report.get("contextManagement").is_none());

    let (applied, report) = managed(&body, "apply", json!([]));
    assert!(applied.get("context_management").is_none());
    let kept = applied["messages"]
        .to_string()
        .matches(&"x".repeat(4000))
        .count();
    let want = json!([{"type": "clear_tool_uses_20250919", "cleared_tool_uses": 5, "cleared_input_tokens": 5 * (4000 - 31) / 4}]);
    assert_eq!(
        (kept, &report["contextManagement"]["applied_edits"]),
        (3, &want)
    );

    // What there is no step for stays, and a field of another kind is refused.
    let mut more = body.clone();
    more["context_management"]["edits"]
        .as_array_mut()
        .unwrap()
        .push(json!({"type": "compact_20260112"}));
    let (applied, _) = managed(&more, "apply", json!([]));
    assert_eq!(
        applied["context_management"],
        json!({"edits": [{"type": "compact_20260112"}]})
    );
    let mut wrong = body.clone();
    wrong["context_management"]["edits"][0]["keep"] = json!(3);
    let error = crate::runs::prune(wrong.to_string().as_bytes(), &applying())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains(
            "the body: context_management.edits[0].keep must be {type: \"tool_uses\", value}, not 3"
        ),
        "{error}"
    );
}

#[test]
fn context_management_is_emitted() {
    let body = asking();
    let mut plain = body.clone();
    plain
        .as_object_mut()
        .unwrap()
        .shift_remove("context_management");
    plain["thinking"] = json!({"type": "adaptive"});
    let steps = json!([
        {"type": "clear_tool_results", "trigger": {"input_tokens": 50000}, "keep": {"tool_uses": 3}, "exclude_tools": ["b", "a"]},
        {"type": "truncate_tool_results", "over": {"chars": 10}, "head": {"chars": 5}},
        {"type": "clear_thinking", "keep": {"thinking_turns": 2}},
    ]);
    let (written, report) = managed(&plain, "emit", steps.clone());
    let mut off = plain.clone();
    off["thinking"] = json!({"type": "disabled"});
    // The server refuses to clear thinking where none is on.
    let (without, _) = managed(&off, "emit", steps);
    assert_eq!(
        without["context_management"]["edits"][0],
        written["context_management"]["edits"][1]
    );
    let want = json!([
        {"type": "clear_thinking_20251015", "keep": {"type": "thinking_turns", "value": 2}},
        {
            "type": "clear_tool_uses_20250919",
            "trigger": {"type": "input_tokens", "value": 50000},
            "keep": {"type": "tool_uses", "value": 3},
            "exclude_tools": ["a", "b"],
        },
    ]);
    assert_eq!(written["context_management"]["edits"], want);
    assert_eq!(written["messages"], plain["messages"]);
    assert!(
        report["warnings"]
            .to_string()
            .contains("edits[1] cannot be written as context_management"),
        "{}",
        report["warnings"]
    );
    // Without steps it is what OpenClaw asks for.
    let want = json!([{
        "type": "clear_tool_uses_20250919",
        "trigger": {"type": "input_tokens", "value": 60000},
        "keep": {"type": "tool_uses", "value": 3},
        "clear_at_least": {"type": "input_tokens", "value": 12500},
        "exclude_tools": [],
        "clear_tool_inputs": false,
    }]);
    assert_eq!(
        managed(&plain, "emit", json!([])).0["context_management"]["edits"],
        want
    );
    // A body that has one keeps it.
    assert_eq!(
        managed(&body, "emit", json!([{"type": "clear_tool_results"}])).0,
        body
    );
}

/// Settings that apply what a body asks for, and nothing else.
fn applying() -> Settings {
    let mut settings = Settings {
        context_management: deadhead_core::settings::ContextManagement::Apply,
        ..Settings::default()
    };
    settings.context_pruning.mode = Mode::Off;
    settings
}

/// The number of results that are kept, the edits of the answer, and the rest of the member; or the error.
type Outcome = Result<(usize, Value, Value), &'static str>;

/// Nothing is left of the member.
const GONE: Value = Value::Null;

/// The member with one edit: tool uses are cleared above two of them, and this besides.
fn uses(more: Value) -> Value {
    let mut edit =
        json!({"type": "clear_tool_uses_20250919", "trigger": {"type": "tool_uses", "value": 2}});
    edit.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    json!({ "edits": [edit] })
}

fn number(unit: &str, value: Value) -> Value {
    json!({"type": unit, "value": value})
}

fn cleared(uses: u64, tokens: u64) -> Value {
    json!([{"type": "clear_tool_uses_20250919", "cleared_tool_uses": uses, "cleared_input_tokens": tokens}])
}

/// `context_management` of the body of [`asking`], and what comes of it: how many of its eight results stay, what the answer has of
/// the edits, and what is left of the member; or the error.
fn outcomes() -> Vec<(Value, Outcome)> {
    [
        kept(),
        triggered(),
        of_tools(),
        in_batches(),
        in_order(),
        otherwise(),
    ]
    .concat()
}

/// What `keep` leaves.
fn kept() -> Vec<(Value, Outcome)> {
    let keep = |value: Value| uses(json!({"keep": number("tool_uses", value)}));
    let bad_keep = "edits[0].keep must be {type: \"tool_uses\", value}";
    vec![
        (uses(json!({})), Ok((3, cleared(5, 4961), GONE))),
        // The newest result stays whatever is kept, and more than there is keeps all.
        (keep(json!(0)), Ok((1, cleared(7, 6946), GONE))),
        (keep(json!(8)), Ok((8, json!([]), GONE))),
        (keep(json!(u64::MAX)), Ok((8, json!([]), GONE))),
        (keep(json!(1e30)), Err(bad_keep)),
        (keep(json!(-1)), Err(bad_keep)),
        (keep(json!(1.5)), Err(bad_keep)),
        (keep(json!("3")), Err(bad_keep)),
        (keep(json!(true)), Err(bad_keep)),
        (uses(json!({"keep": 3})), Err(bad_keep)),
        (uses(json!({"keep": {"type": "tool_uses"}})), Err(bad_keep)),
        (
            uses(json!({"keep": number("input_tokens", json!(3))})),
            Err(bad_keep),
        ),
        (
            uses(json!({"keep": null, "exclude_tools": null})),
            Ok((3, cleared(5, 4961), GONE)),
        ),
    ]
}

/// What `trigger` lets be.
fn triggered() -> Vec<(Value, Outcome)> {
    let bad_trigger = "edits[0].trigger must be {type: \"input_tokens\" or \"tool_uses\", value}";
    vec![
        // It fires above its value; uses that are left alone do not count.
        (
            uses(json!({"trigger": number("tool_uses", json!(8))})),
            Ok((8, json!([]), GONE)),
        ),
        (
            uses(json!({"trigger": number("tool_uses", json!(7))})),
            Ok((3, cleared(5, 4961), GONE)),
        ),
        (
            uses(json!({"trigger": number("input_tokens", json!(100))})),
            Ok((3, cleared(5, 4961), GONE)),
        ),
        (
            uses(json!({"trigger": number("input_tokens", json!(100_000))})),
            Ok((8, json!([]), GONE)),
        ),
        (
            uses(json!({"trigger": number("tool_uses", json!(-4))})),
            Err(bad_trigger),
        ),
        (
            uses(json!({"trigger": number("input_tokens", json!(1e40))})),
            Err(bad_trigger),
        ),
        (
            uses(json!({"trigger": number("tokens", json!(4))})),
            Err(bad_trigger),
        ),
        (uses(json!({"trigger": []})), Err(bad_trigger)),
    ]
}

/// What names of tools and their inputs do.
fn of_tools() -> Vec<(Value, Outcome)> {
    vec![
        // Names are compared letter by letter, and nothing is a pattern.
        (
            uses(json!({"exclude_tools": ["read"]})),
            Ok((8, json!([]), GONE)),
        ),
        (
            uses(json!({"exclude_tools": ["*", "re*", "READ", ""]})),
            Ok((3, cleared(5, 4961), GONE)),
        ),
        (
            uses(json!({"exclude_tools": "read"})),
            Err("edits[0].exclude_tools must be a list of names"),
        ),
        (
            uses(json!({"exclude_tools": ["read", 1]})),
            Err("edits[0].exclude_tools must be a list of names"),
        ),
        (
            uses(json!({"exclude_tools": {"0": "read"}})),
            Err("edits[0].exclude_tools must be a list of names"),
        ),
        (
            uses(json!({"clear_tool_inputs": true})),
            Ok((3, cleared(5, 4968), GONE)),
        ),
        (
            uses(json!({"clear_tool_inputs": ["read"]})),
            Ok((3, cleared(5, 4968), GONE)),
        ),
        (
            uses(json!({"clear_tool_inputs": ["Read"]})),
            Ok((3, cleared(5, 4961), GONE)),
        ),
        (
            uses(json!({"clear_tool_inputs": 1})),
            Err("edits[0].clear_tool_inputs must be true, false or a list of names"),
        ),
    ]
}

/// What `clear_at_least` does, and a key that is none.
fn in_batches() -> Vec<(Value, Outcome)> {
    let least = |value: Value| uses(json!({"clear_at_least": number("input_tokens", value)}));
    vec![
        // In batches that free so much: two results here, of which two pairs go.
        (least(json!(1500)), Ok((4, cleared(4, 3969), GONE))),
        (least(json!(0)), Ok((3, cleared(5, 4961), GONE))),
        (least(json!(5000)), Ok((8, json!([]), GONE))),
        (
            least(json!(-5)),
            Err("edits[0].clear_at_least must be {type: \"input_tokens\", value}"),
        ),
        (
            uses(json!({"clear_at_least": number("tool_uses", json!(2))})),
            Err("edits[0].clear_at_least must be"),
        ),
        (
            uses(json!({"triger": 1})),
            Err(
                "unknown key context_management.edits[0].triger, did you mean context_management.edits[0].trigger?",
            ),
        ),
    ]
}

/// Several edits.
fn in_order() -> Vec<(Value, Outcome)> {
    let thinking = json!({"type": "clear_thinking_20251015"});
    vec![
        // Edits in their order; reasoning comes first.
        (
            json!({"edits": [thinking, uses(json!({}))["edits"][0]]}),
            Ok((3, cleared(5, 4961), GONE)),
        ),
        (
            json!({"edits": [uses(json!({}))["edits"][0], thinking]}),
            Err("edits[1].type must be the first edit if it is"),
        ),
        (
            json!({"edits": [uses(json!({}))["edits"][0], uses(json!({"keep": number("tool_uses", json!(2))}))["edits"][0]]}),
            Ok((2, json!([cleared(5, 4961)[0], cleared(1, 992)[0]]), GONE)),
        ),
        (
            json!({"edits": [{"type": "clear_thinking_20251015", "keep": {"type": "thinking_turns", "value": 0}}]}),
            Err("edits[0].keep must be"),
        ),
        (
            json!({"edits": [{"type": "clear_thinking_20251015", "keep": "none"}]}),
            Err("edits[0].keep must be"),
        ),
    ]
}

/// Members of another kind.
fn otherwise() -> Vec<(Value, Outcome)> {
    vec![
        // What is not performed here stays.
        (
            json!({"edits": [{"type": "compact_20260112", "x": [1]}, {}, {"type": 3}]}),
            Ok((
                8,
                json!([]),
                json!({"edits": [{"type": "compact_20260112", "x": [1]}, {}, {"type": 3}]}),
            )),
        ),
        (
            json!({"a": 1, "edits": uses(json!({}))["edits"]}),
            Ok((3, cleared(5, 4961), json!({"a": 1}))),
        ),
        (json!({"edits": []}), Ok((8, json!([]), GONE))),
        (json!({"edits": null}), Ok((8, json!([]), GONE))),
        (json!({}), Ok((8, json!([]), GONE))),
        (
            json!([{"type": "compaction", "compact_threshold": 5}]),
            Ok((
                8,
                Value::Null,
                json!([{"type": "compaction", "compact_threshold": 5}]),
            )),
        ),
        (
            json!({"edits": "x"}),
            Err("context_management.edits must be a list of edits"),
        ),
        (
            json!({"edits": [3]}),
            Err("edits[0] must be an object with type, not 3"),
        ),
    ]
}

#[test]
fn what_a_body_asks_for_is_done_as_its_server_would() {
    for (member, want) in outcomes() {
        let mut body = asking();
        body["context_management"] = member.clone();
        let found = crate::runs::prune(body.to_string().as_bytes(), &applying());
        match (found, want) {
            (Ok((output, pruned)), Ok((left, applied, rest))) => {
                let after: Value = serde_json::from_slice(&output).unwrap();
                assert_eq!(
                    results(&output)
                        .iter()
                        .filter(|text| text.len() == 4000)
                        .count(),
                    left,
                    "{member}"
                );
                assert_eq!(
                    json!(pruned.report)["contextManagement"]["applied_edits"],
                    applied,
                    "{member}"
                );
                assert_eq!(
                    after.get("context_management").cloned().unwrap_or_default(),
                    rest,
                    "{member}"
                );
                // Nothing is done twice.
                let (again, _) = crate::runs::prune(&output, &applying()).unwrap();
                assert_eq!(again, output, "{member}");
            }
            (Err(error), Err(want)) => {
                assert!(error.to_string().contains(want), "{member}: {error}")
            }
            (Ok(_), Err(want)) => panic!("{member}: it is accepted, wanted {want}"),
            (Err(error), Ok(_)) => panic!("{member}: {error}"),
        }
    }
}

#[test]
fn a_doubled_member_is_removed_wholly() {
    let plain = asking().to_string();
    let empty = r#""context_management":{"edits":[]}"#;
    let escaped = plain.replacen("context_management", "context\\u005fmanagement", 1);
    let doubled = format!("{},{empty}}}", &plain[..plain.len() - 1]);
    let front = format!("{{{empty},{}", &plain[1..]);
    // The last of its name counts.
    for (body, left) in [(&plain, 3), (&escaped, 3), (&doubled, 8), (&front, 3)] {
        let (output, _) = crate::runs::prune(body.as_bytes(), &applying()).unwrap();
        let after: Value = serde_json::from_slice(&output)
            .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output)));
        assert!(after.get("context_management").is_none());
        assert_eq!(
            results(&output)
                .iter()
                .filter(|text| text.len() == 4000)
                .count(),
            left
        );
    }
}

#[test]
fn bodies_of_every_provider_are_edited() {
    let talk = Conversation::parse(
        "user   go
         call   a read {\"path\":\"x\"}
         result a first <0123456789*20>
         call   b read {\"path\":\"y\"}
         result b second <0123456789*20>
         call   c read {\"path\":\"z\"}
         result c third <0123456789*20>",
    );
    let edit = json!({"type": "clear_tool_uses_20250919", "trigger": {"type": "tool_uses", "value": 2}, "keep": {"type": "tool_uses", "value": 1}});
    let mut formats = Vec::new();
    for spoken in EVERY.iter().filter(|spoken| spoken.can_say(&talk)) {
        let Ok(Value::Object(mut body)) = serde_json::from_slice::<Value>(&spoken.render(&talk))
        else {
            continue;
        };
        let is_body = ["messages", "input", "contents"]
            .iter()
            .any(|list| body.contains_key(*list))
            && !body.contains_key("info");
        if !is_body {
            continue;
        }
        body.insert("context_management".to_owned(), json!({ "edits": [edit] }));
        let (output, pruned) =
            crate::runs::prune(Value::Object(body).to_string().as_bytes(), &applying()).unwrap();
        let texts: Vec<String> = results(&output)
            .iter()
            .map(|text| text[..5].to_owned())
            .collect();
        assert_eq!(texts, ["[Clea", "[Clea", "third"], "{}", spoken.name);
        assert!(
            !String::from_utf8_lossy(&output).contains("context_management"),
            "{}",
            spoken.name
        );
        assert_eq!(
            json!(pruned.report)["contextManagement"]["applied_edits"][0]["cleared_tool_uses"],
            2,
            "{}",
            spoken.name
        );
        formats.push(spoken.format);
    }
    for format in [
        "anthropic",
        "openai-chat",
        "openai-responses",
        "gemini",
        "bedrock-converse",
        "ollama",
    ] {
        assert!(formats.contains(&format), "{formats:?}");
    }
}

#[test]
fn how_much_reasoning_stays_depends_on_the_model() {
    for (model, left) in [
        ("claude-sonnet-4-5", 1),
        ("claude-sonnet-4-6", 3),
        ("claude-opus-4-1", 1),
        ("claude-opus-4-5-20251101", 3),
        ("claude-haiku-4-5", 1),
        ("claude-haiku-5", 1),
        ("claude-3-7-sonnet-20250219", 1),
        ("claude-opus-5-1", 3),
        ("claude-fable-5-1", 3),
        ("qwen3", 1),
    ] {
        let mut messages = Vec::new();
        for i in 0..3 {
            messages.push(json!({"role": "user", "content": format!("task {i}")}));
            let reasoning =
                json!({"type": "thinking", "thinking": format!("so {i}"), "signature": "s"});
            messages.push(json!({"role": "assistant", "content": [reasoning, {"type": "text", "text": "done"}]}));
        }
        messages.push(json!({"role": "user", "content": "thanks"}));
        let edits = json!({"edits": [{"type": "clear_thinking_20251015"}]});
        let mode = json!({"type": "adaptive"});
        let body = json!({"model": model, "max_tokens": 9, "thinking": mode, "messages": messages, "context_management": edits});
        let (output, _) = crate::runs::prune(body.to_string().as_bytes(), &applying()).unwrap();
        assert_eq!(
            String::from_utf8_lossy(&output).matches("\"so ").count(),
            left,
            "{model}"
        );
    }
}

#[test]
fn steps_that_the_server_does_not_know_are_not_written() {
    let mut plain = asking();
    plain
        .as_object_mut()
        .unwrap()
        .shift_remove("context_management");
    plain["tools"] =
        json!([{"name": "read", "input_schema": {}}, {"name": "Reload", "input_schema": {}}]);
    let step = |more: Value| {
        let mut step = json!({"type": "clear_tool_results", "keep": {"tool_uses": 3}});
        step.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        step
    };
    for (more, why) in [
        (json!({"tools": ["read"]}), "tools"),
        (json!({"errors": "keep"}), "errors"),
        (json!({"empty": "keep"}), "empty"),
        (json!({"over": {"chars": 10}}), "over"),
        (json!({"over": {"bytes": 1000}}), "over"),
        (json!({"spare": {"user_turns": 1}}), "spare"),
        (json!({"duplicates": "same_call"}), "duplicates"),
        (json!({"until": {"freed": {"input_tokens": 1}}}), "until"),
        (json!({"polling": 5}), "polling"),
        (json!({"candidates_hold": {"tokens": 5}}), "candidates_hold"),
        (json!({"keep": {"user_turns": 2}}), "user_turns"),
        (json!({"trigger": {"idle": "1h"}}), "trigger idle"),
        (
            json!({"keep": {"tool_uses": 3, "counted": "before_exclusions"}, "exclude_tools": ["read"]}),
            "before_exclusions",
        ),
    ] {
        let (written, report) = managed(&plain, "emit", json!([step(more)]));
        assert_eq!(written, plain, "{why}");
        assert!(
            report["warnings"].to_string().contains(why),
            "{why}: {}",
            report["warnings"]
        );
    }
    let more = json!({"trigger": {"tool_uses": 3}, "exclude_tools": ["re*", "Other"], "over": {"bytes": 46}});
    let want = json!([{
        "type": "clear_tool_uses_20250919",
        "trigger": {"type": "tool_uses", "value": 3},
        "keep": {"type": "tool_uses", "value": 3},
        "exclude_tools": ["Other", "Reload", "read"],
    }]);
    assert_eq!(
        managed(&plain, "emit", json!([step(more)])).0["context_management"]["edits"],
        want
    );
}
