//! Every kind of block of Anthropic Messages is known and counted, and only the text of a result is cut.

use crate::notation::{EVERY, setup};
use deadhead_core::outcome::Report;
use deadhead_core::settings::{Mode, Settings};
use serde_json::{Value, json};

/// A placeholder's chars.
const PLACEHOLDER: u64 = 33;

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// A body: a question, `said` by the assistant and what `answers` it, two results, and two answers more.
fn body(said: &Value, answers: &Value) -> Value {
    json!({
        "model": "claude-opus-4-8", "max_tokens": 1,
        "tools": [{"name": "f", "input_schema": {}}],
        "context_management": {"edits": [{"type": "clear_tool_uses_20250919", "trigger": {"type": "input_tokens", "value": 1}}]},
        "container": "container_1",
        "mcp_servers": [{"type": "url", "url": "u", "name": "m"}],
        "messages": [
            {"role": "user", "content": "do it"},
            {"role": "assistant", "content": said},
            {"role": "user", "content": answers},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "z", "name": "f", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "z", "content": "a result that goes"}]},
            {"role": "assistant", "content": [text("so")]},
            {"role": "user", "content": [text("thanks")]}
        ]
    })
}

/// Runs a body with the mode off or aggressive.
fn run(body: &Value, mode: Mode) -> (Value, Report) {
    let mut settings = Settings::default();
    (
        settings.context_pruning.mode,
        settings.context_pruning.keep_last_assistants,
    ) = (mode, 1);
    settings.context_pruning.hard_clear.skip_shorter = false;
    let bytes = serde_json::to_vec_pretty(body).unwrap();
    let (output, mut report) = EVERY[0]
        .run(&bytes, &setup(settings))
        .unwrap_or_else(|e| panic!("{e}: {body:#}"));
    // The bodies ask the server for an edit, which the report says; there is no other reason to warn.
    let own = report
        .warnings
        .iter()
        .position(|warning| {
            warning
                .text
                .starts_with("the body's own context_management is left")
        })
        .unwrap();
    report.warnings.remove(own);
    assert!(mode != Mode::Off || output == bytes);
    (serde_json::from_slice(&output).unwrap(), report)
}

const SEALED: &str = "EqgfCioIARgBIiQ3YTAwMjY1Mi1mZjM5LTQ1NGUtODgxNC1kNjNjNTk1ZWI3Y";

/// Blocks of the assistant's message that stand alone.
fn of_the_model() -> Vec<Value> {
    vec![
        json!({"type": "text", "text": "so", "citations": [{"type": "web_search_result_location", "url": "u", "encrypted_index": SEALED}], "cache_control": {"type": "ephemeral"}}),
        json!({"type": "thinking", "thinking": "hm", "signature": SEALED}),
        json!({"type": "redacted_thinking", "data": SEALED}),
        json!({"type": "mcp_tool_listing", "mcp_server_name": "m", "tools": []}),
        json!({"type": "compaction", "content": "what was said before", "encrypted_content": SEALED, "signature": SEALED, "cache_control": {"type": "ephemeral", "ttl": "1h"}}),
        json!({"type": "compaction", "content": null}),
        json!({"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}, "trigger": {"type": "overloaded"}}),
    ]
}

/// Calls of the server's tools, each with its result.
fn of_servers() -> Vec<(Value, Value)> {
    let server = |name: &str| json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": name, "input": {"query": "q"}});
    let result = |kind: &str, content: Value| json!({"type": kind, "tool_use_id": "srvtoolu_1", "content": content});
    vec![
        (
            server("web_search"),
            result(
                "web_search_tool_result",
                json!([{"type": "web_search_result", "url": "u", "title": "t", "encrypted_content": SEALED, "page_age": null}]),
            ),
        ),
        (
            server("web_search"),
            result(
                "web_search_tool_result",
                json!({"type": "web_search_tool_result_error", "error_code": "unavailable"}),
            ),
        ),
        (
            server("web_fetch"),
            result(
                "web_fetch_tool_result",
                json!({"type": "web_fetch_result", "url": "u", "content": {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "d"}}, "retrieved_at": "t"}),
            ),
        ),
        (
            server("code_execution"),
            result(
                "code_execution_tool_result",
                json!({"type": "code_execution_result", "stdout": "a result inside", "stderr": "", "return_code": 0, "content": []}),
            ),
        ),
        (
            server("code_execution"),
            result(
                "code_execution_tool_result",
                json!({"type": "encrypted_code_execution_result", "encrypted_stdout": SEALED, "return_code": 0, "content": []}),
            ),
        ),
        (
            server("bash_code_execution"),
            result(
                "bash_code_execution_tool_result",
                json!({"type": "bash_code_execution_result", "stdout": "o", "content": []}),
            ),
        ),
        (
            server("text_editor_code_execution"),
            result(
                "text_editor_code_execution_tool_result",
                json!({"type": "text_editor_code_execution_view_result", "content": "c"}),
            ),
        ),
        (
            server("tool_search_tool_regex"),
            result(
                "tool_search_tool_result",
                json!({"tool_references": [{"type": "tool_reference", "tool_name": "f"}]}),
            ),
        ),
        (
            server("advisor"),
            result("advisor_tool_result", json!([text("a piece of advice")])),
        ),
        (
            json!({"type": "mcp_tool_use", "id": "srvtoolu_1", "name": "n", "server_name": "m", "input": {}}),
            json!({"type": "mcp_tool_result", "tool_use_id": "srvtoolu_1", "content": [text("what the server said")], "is_error": false}),
        ),
    ]
}

/// Blocks of the assistant's message, each with the block it needs before it.
fn of_the_assistant() -> Vec<(Option<Value>, Value)> {
    let alone = of_the_model().into_iter().map(|block| (None, block));
    let pairs = of_servers().into_iter();
    alone
        .chain(pairs.map(|(call, result)| (Some(call), result)))
        .collect()
}

#[test]
fn assistant_blocks_are_known_and_kept() {
    for (before, block) in of_the_assistant() {
        let said: Vec<Value> = before
            .into_iter()
            .chain([block.clone(), text("end")])
            .collect();
        let whole = body(&json!(said), &json!("go on"));
        let (_, off) = run(&whole, Mode::Off);
        assert!(off.warnings.is_empty(), "{block}: {:?}", off.warnings);
        assert!(
            off.integrity.before.is_empty(),
            "{block}: {:?}",
            off.integrity.before
        );
        let without = run(&body(&json!([text("end")]), &json!("go on")), Mode::Off)
            .1
            .before
            .chars;
        // What is redacted counts as signatures do.
        assert!(
            off.before.chars > without || block["type"] == "redacted_thinking",
            "{block} counts"
        );
        let (output, _) = run(&whole, Mode::Aggressive);
        let mut want = whole.clone();
        want["messages"][4]["content"][0]["content"] = json!("[Old tool result content cleared]");
        assert_eq!(output, want, "{block}");
    }
}

#[test]
fn signatures_count_where_the_release_counts_them() {
    let said = json!([{"type": "thinking", "thinking": "hm", "signature": "0123456789"}, {"type": "redacted_thinking", "data": "01234"}]);
    let mut settings = Settings::default();
    settings.context_pruning.mode = Mode::Off;
    let chars = |settings: &Settings| {
        let bytes = body(&said, &json!("go on")).to_string().into_bytes();
        EVERY[0]
            .run(&bytes, &setup(settings.clone()))
            .unwrap()
            .1
            .before
            .chars
    };
    let old = chars(&settings);
    settings.context_pruning.estimator = deadhead_core::settings::Estimator::CjkV2;
    assert_eq!(chars(&settings), old + 15);
}

#[test]
fn user_blocks_are_known_and_kept() {
    let mark = json!({"type": "ephemeral", "ttl": "5m"});
    for block in [
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}, "cache_control": mark}),
        json!({"type": "image", "source": {"type": "file", "file_id": "file_1"}}),
        json!({"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "aGk="}, "title": "t", "context": "c", "citations": {"enabled": true}, "cache_control": mark}),
        json!({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "plain"}}),
        json!({"type": "document", "source": {"type": "content", "content": [text("a text of its own"), {"type": "image", "source": {"type": "url", "url": "u"}}]}}),
        json!({"type": "document", "source": {"type": "url", "url": "u"}}),
        json!({"type": "search_result", "source": "s", "title": "t", "content": [text("found")], "citations": {"enabled": true}, "cache_control": mark}),
        json!({"type": "container_upload", "file_id": "file_1", "cache_control": mark}),
    ] {
        let whole = body(&json!("ok"), &json!([block, text("see")]));
        let (_, off) = run(&whole, Mode::Off);
        assert!(
            off.warnings.is_empty() && off.integrity.before.is_empty(),
            "{block}: {:?} {:?}",
            off.warnings,
            off.integrity.before
        );
        assert!(
            off.before.chars
                > run(&body(&json!("ok"), &json!([text("see")])), Mode::Off)
                    .1
                    .before
                    .chars,
            "{block} counts"
        );
        let (output, _) = run(&whole, Mode::Aggressive);
        assert_eq!(output["messages"][2], whole["messages"][2], "{block}");
    }
}

#[test]
fn results_with_more_than_text_are_cleared_as_a_whole() {
    let call = json!([{"type": "tool_use", "id": "a", "name": "f", "input": {}, "caller": {"type": "direct"}, "cache_control": {"type": "ephemeral"}}]);
    let answers = |content: &Value| json!([{"type": "tool_result", "tool_use_id": "a", "content": content, "is_error": false}]);
    for (content, cut, known) in [
        (json!("plain"), true, true),
        (json!([text("one"), text("two")]), true, true),
        (
            json!([text("one"), {"type": "image", "source": {"type": "url", "url": "u"}}]),
            false,
            true,
        ),
        (
            json!([{"type": "search_result", "source": "s", "title": "t", "content": [text("found")]}]),
            true,
            true,
        ),
        (
            json!([text("one"), {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "d"}}]),
            true,
            true,
        ),
        (
            json!([{"type": "tool_reference", "tool_name": "f"}]),
            false,
            true,
        ),
        (json!([{"type": "browser_state", "url": "u"}]), true, true),
        (
            json!([text("one"), {"type": "hologram", "encrypted_content": "zzz"}]),
            true,
            false,
        ),
    ] {
        let whole = body(&call, &answers(&content));
        let (output, report) = run(&whole, Mode::Aggressive);
        assert_eq!(
            output["messages"][2] != whole["messages"][2],
            cut,
            "{content}"
        );
        assert_eq!(
            report.warnings.is_empty(),
            known,
            "{content}: {:?}",
            report.warnings
        );
        assert!(
            report.integrity.after.is_empty(),
            "{content}: {:?}",
            report.integrity.after
        );
        let cleared = report
            .cuts
            .iter()
            .filter(|cut| cut.chars_after == PLACEHOLDER)
            .count();
        assert_eq!(cleared, usize::from(cut) + 1, "{content}");
    }
    // A result without a content is one, and stays.
    let (output, report) = run(
        &body(&call, &json!([{"type": "tool_result", "tool_use_id": "a"}])),
        Mode::Aggressive,
    );
    assert!(
        output["messages"][2]["content"][0].get("content").is_none()
            && report.integrity.after.is_empty()
    );
}

#[test]
fn unknown_blocks_count_and_are_kept() {
    let block = json!({"type": "hologram", "data": "zzz", "content": [text("a text in it")]});
    let whole = body(&json!([block, text("x")]), &json!("go on"));
    let (output, report) = run(&whole, Mode::Aggressive);
    assert_eq!(output["messages"][1], whole["messages"][1]);
    assert_eq!(
        report
            .warnings
            .iter()
            .map(|w| w.text.as_str())
            .collect::<Vec<_>>(),
        ["1 × block of type hologram: unknown, passed through"]
    );
    assert!(
        report.before.chars
            > run(&body(&json!([text("x")]), &json!("go on")), Mode::Off)
                .1
                .before
                .chars
    );
}

#[test]
fn system_messages_in_the_conversation_are_outside_the_count() {
    let mut whole = body(&json!("ok"), &json!("go on"));
    let chars = run(&whole, Mode::Off).1.before.chars;
    let system = json!({"role": "system", "content": [{"type": "text", "text": "from now on", "cache_control": {"type": "ephemeral"}}, {"type": "tool_addition", "tool": {"name": "g"}}, {"type": "tool_removal", "tool": "f"}]});
    whole["messages"]
        .as_array_mut()
        .unwrap()
        .insert(5, system.clone());
    whole["messages"][0]["content"] =
        json!([{"type": "mid_conv_system", "content": [text("s")]}, text("do it")]);
    let (output, report) = run(&whole, Mode::Aggressive);
    assert_eq!(output["messages"][5], system);
    assert_ne!(
        output["messages"][4], whole["messages"][4],
        "the result before it is cut"
    );
    assert!(
        report.warnings.is_empty() && report.integrity.after.is_empty(),
        "{:?} {:?}",
        report.warnings,
        report.integrity.after
    );
    let block = r#"{"content":[{"text":"s","type":"text"}],"type":"mid_conv_system"}"#.len() as u64;
    assert!(
        report.before.chars >= chars + block,
        "the block counts, the message does not"
    );
}

#[test]
fn cache_marks_count_wherever_they_are() {
    let mark = || json!({"type": "ephemeral"});
    let mut whole = body(
        &json!([{"type": "tool_use", "id": "a", "name": "f", "input": {}, "cache_control": mark()}]),
        &json!([{"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "x", "cache_control": mark()}]}]),
    );
    whole["tools"][0]["cache_control"] = mark();
    whole["system"] = json!([{"type": "text", "text": "s", "cache_control": mark()}]);
    let codes = |body: &Value| {
        run(body, Mode::Off)
            .1
            .integrity
            .before
            .iter()
            .map(|d| d.code)
            .collect::<Vec<_>>()
    };
    assert_eq!(codes(&whole), [""; 0]);
    let mut more = whole.clone();
    more["messages"][6]["content"][0]["cache_control"] = mark();
    assert_eq!(codes(&more), ["E14"]);
    whole["cache_control"] = mark();
    assert_eq!(codes(&whole), ["E14"], "the automatic one counts");
}

#[test]
fn bodies_of_clouds_name_no_model() {
    for version in ["vertex-2023-10-16", "bedrock-2023-05-31"] {
        let mut whole = body(&json!("ok"), &json!("go on"));
        whole.as_object_mut().unwrap().remove("model");
        whole["anthropic_version"] = json!(version);
        let (output, report) = run(&whole, Mode::Aggressive);
        assert_ne!(output, whole);
        assert!(
            report.model.is_none() && report.integrity.after.is_empty(),
            "{version}"
        );
    }
}
