//! Planted defects: for every code and every provider that has it a body, and whether it is repaired.

use serde_json::{Value, json};

/// A code, whether it is repaired, and a body that has this defect.
pub type Planted = (&'static str, bool, Value);

/// All of them.
pub fn planted() -> Vec<Planted> {
    [messages(), converse(), gemini(), responses()].concat()
}

/// A body of Anthropic's with these messages.
pub fn anthropic(messages: Value) -> Value {
    json!({"model": "claude-a", "max_tokens": 1, "tools": [{"name": "f", "input_schema": {}}], "messages": messages})
}

/// A chat body with these messages.
pub fn chat(messages: Value) -> Value {
    json!({"model": "gpt-5", "messages": messages})
}

/// A chat body for this model.
pub fn of_model(model: &str, messages: Value) -> Value {
    json!({"model": model, "messages": messages})
}

pub fn user(content: impl Into<Value>) -> Value {
    json!({"role": "user", "content": content.into()})
}

pub fn assistant(content: impl Into<Value>) -> Value {
    json!({"role": "assistant", "content": content.into()})
}

pub fn call(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "f", "input": {}})
}

pub fn result(id: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": format!("of {id}")})
}

pub fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

pub fn marked(ttl: &str) -> Value {
    json!({"type": "text", "text": "x", "cache_control": {"type": "ephemeral", "ttl": ttl}})
}

pub fn calls(ids: &[&str]) -> Value {
    let calls: Vec<Value> =
        ids.iter().map(|id| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}})).collect();
    json!({"role": "assistant", "content": null, "tool_calls": calls})
}

pub fn thoughtful(id: &str) -> Value {
    let mut message = calls(&[id]);
    message["reasoning_content"] = json!("hm");
    message
}

pub fn tool(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": format!("of {id}")})
}

/// A code, whether it is repaired, and a body that has this defect: Anthropic's and OpenAI's chat.
fn messages() -> Vec<(&'static str, bool, Value)> {
    let server =
        json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}});
    let found =
        json!({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []});
    let mut by_code = call("a");
    by_code["caller"] = json!({"type": "code_execution_20250825", "tool_id": "srvtoolu_9"});
    let mut undeclared = anthropic(json!([
        user("x"),
        assistant(json!([call("a")])),
        user(json!([result("a")]))
    ]));
    undeclared.as_object_mut().unwrap().remove("tools");
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "c2ln"});
    let mut unthought = anthropic(json!([
        user("x"),
        assistant(json!([call("a")])),
        user(json!([result("a")]))
    ]));
    unthought["thinking"] = json!({"type": "enabled", "budget_tokens": 1024});
    let begun = anthropic(json!([user("x"), assistant(json!([thinking, text("y")]))]));
    let mut prefill = anthropic(json!([user("x"), assistant("y")]));
    prefill["model"] = json!("claude-opus-4-6");
    let mut error = result("a");
    error["is_error"] = json!(true);
    error["content"] =
        json!([text("bad"), {"type": "image", "source": {"type": "url", "url": "u"}}]);
    let mut silent = result("a");
    silent["is_error"] = json!(true);
    silent["content"] = json!("");
    vec![
        (
            "E01",
            true,
            anthropic(json!([user("x"), assistant(json!([call("a")])), user("y")])),
        ),
        (
            "E01",
            true,
            anthropic(json!([
                user("x"),
                assistant(json!([call("a"), call("b")])),
                user(json!([result("a"), text("y")]))
            ])),
        ),
        (
            "E01",
            true,
            anthropic(json!([user("x"), assistant(json!([call("a")]))])),
        ),
        (
            "E01",
            true,
            anthropic(json!([
                user("x"),
                assistant(json!([call("a"), call("b")])),
                assistant("z"),
                user("y")
            ])),
        ),
        (
            "E01",
            true,
            chat(json!([user("x"), calls(&["a"]), user("y")])),
        ),
        (
            "E01",
            true,
            chat(json!([
                user("x"),
                calls(&["a", "b", "c"]),
                tool("b"),
                user("y")
            ])),
        ),
        (
            "E02",
            true,
            anthropic(json!([
                user("x"),
                assistant("z"),
                user(json!([result("q")]))
            ])),
        ),
        (
            "E02",
            true,
            anthropic(json!([
                user("x"),
                assistant("z"),
                user(json!([result("q"), result("r"), text("y")]))
            ])),
        ),
        (
            "E02",
            true,
            anthropic(json!([
                user(json!([result("q")])),
                assistant("z"),
                user("y")
            ])),
        ),
        (
            "E02",
            true,
            chat(json!([user("x"), tool("q"), tool("r"), assistant("y")])),
        ),
        (
            "E03",
            true,
            anthropic(json!([
                user("x"),
                assistant(json!([call("a")])),
                user("y"),
                assistant("z"),
                user(json!([result("a")]))
            ])),
        ),
        (
            "E03",
            true,
            anthropic(json!([
                user("x"),
                assistant(json!([call("a"), call("b")])),
                user(json!([text("y")])),
                assistant(json!([call("c")])),
                user(json!([result("a"), result("c"), result("b"), text("z")]))
            ])),
        ),
        (
            "E03",
            true,
            chat(json!([
                user("x"),
                calls(&["a", "b"]),
                tool("a"),
                user("y"),
                tool("b")
            ])),
        ),
        (
            "E04",
            true,
            anthropic(json!([
                user("x"),
                assistant(json!([call("a")])),
                user(json!([text("y"), result("a"), text("z")]))
            ])),
        ),
        (
            "E04",
            true,
            anthropic(json!([
                user("x"),
                assistant(json!([call("a")])),
                user("y"),
                user(json!([result("a")]))
            ])),
        ),
        (
            "E05",
            true,
            anthropic(json!([
                user("x"),
                assistant(json!([call("a")])),
                user(json!([result("a"), result("a")]))
            ])),
        ),
        (
            "E05",
            true,
            chat(json!([user("x"), calls(&["a"]), tool("a"), tool("a")])),
        ),
        (
            "E06",
            true,
            anthropic(json!([
                user("x"),
                assistant(json!([call("a"), call("a"), call("a")])),
                user(json!([result("a"), result("a"), result("a")]))
            ])),
        ),
        (
            "E06",
            true,
            chat(json!([user("x"), calls(&["a", "a"]), tool("a"), tool("a")])),
        ),
        (
            "E08",
            true,
            anthropic(json!([
                user("x"),
                assistant(json!([text(""), call("a")])),
                user(json!([result("a")]))
            ])),
        ),
        (
            "E08",
            true,
            anthropic(json!([
                user("x"),
                assistant(json!([text(""), text("y")])),
                user("z")
            ])),
        ),
        (
            "E08",
            true,
            anthropic(json!([
                user("x"),
                assistant(json!([call("a")])),
                user(json!([silent]))
            ])),
        ),
        (
            "E08",
            true,
            anthropic(json!([user("x"), assistant(json!([])), user("z")])),
        ),
        (
            "E08",
            true,
            anthropic(json!([user(""), assistant("y"), user(json!([text("")]))])),
        ),
        (
            "E08",
            true,
            chat(json!([user("x"), {"role": "assistant", "content": null}, user("y")])),
        ),
        (
            "E08",
            true,
            chat(
                json!([user(json!([])), assistant("y"), {"role": "assistant", "reasoning_content": "hm"}]),
            ),
        ),
        (
            "E09",
            true,
            chat(
                json!([user("x"), {"role": "assistant", "content": null, "tool_calls": []}, user("y")]),
            ),
        ),
        (
            "E09",
            true,
            chat(json!([user("x"), {"role": "assistant", "content": "y", "tool_calls": []}])),
        ),
        (
            "E09",
            true,
            chat(json!([user("x"), {"tool_calls": [], "role": "assistant", "content": "y"}])),
        ),
        (
            "E10",
            true,
            of_model("deepseek-reasoner", json!([assistant("x"), user("y")])),
        ),
        (
            "E11",
            true,
            of_model(
                "deepseek-reasoner",
                json!([user("x"), user("y"), assistant("z"), user("w")]),
            ),
        ),
        (
            "E12",
            false,
            of_model("sonar-pro", json!([user("x"), assistant("y")])),
        ),
        (
            "E11",
            true,
            of_model(
                "sonar-pro",
                json!([
                    user("x"),
                    user("y"),
                    assistant("z"),
                    assistant(json!([text("w")])),
                    user("v")
                ]),
            ),
        ),
        ("E12", false, prefill),
        ("E15", false, unthought),
        ("E15", false, begun),
        (
            "E13",
            true,
            anthropic(json!([user("x"), assistant("{ \n")])),
        ),
        (
            "E13",
            true,
            anthropic(json!([user("x"), assistant(json!([text("\\n \t\n")]))])),
        ),
        (
            "E14",
            true,
            anthropic(json!([
                user(json!([marked("5m"), marked("5m"), marked("5m")])),
                assistant("y"),
                user(json!([marked("5m"), marked("5m")]))
            ])),
        ),
        (
            "E14",
            true,
            anthropic(json!([user(json!([marked("5m"), marked("1h")]))])),
        ),
        ("E19", false, undeclared),
        (
            "E20",
            true,
            anthropic(json!([
                user("x"),
                assistant(json!([found, text("y")])),
                user("z")
            ])),
        ),
        (
            "E20",
            true,
            anthropic(json!([
                user("x"),
                assistant(json!([server, text("y")])),
                user("z")
            ])),
        ),
        (
            "E21",
            true,
            anthropic(json!([
                user("x"),
                assistant(json!([by_code])),
                user(json!([result("a")]))
            ])),
        ),
        (
            "E22",
            true,
            anthropic(json!([
                user("x"),
                assistant(json!([call("a")])),
                user(json!([error]))
            ])),
        ),
        (
            "E23",
            false,
            of_model(
                "deepseek-v4-pro",
                json!([
                    user("x"),
                    thoughtful("a"),
                    tool("a"),
                    calls(&["b"]),
                    tool("b")
                ]),
            ),
        ),
        (
            "E23",
            false,
            of_model(
                "MiniMax-M2",
                json!([
                    user("x"),
                    calls(&["a"]),
                    tool("a"),
                    thoughtful("b"),
                    tool("b")
                ]),
            ),
        ),
        (
            "E23",
            false,
            of_model("kimi-k2.6", json!([user("x"), calls(&["a"]), tool("a")])),
        ),
        (
            "E23",
            false,
            of_model(
                "deepseek-reasoner",
                json!([user("x"), calls(&["a"]), tool("a")]),
            ),
        ),
        (
            "E23",
            false,
            of_model(
                "kimi-k2-thinking",
                json!([
                    user("w"),
                    calls(&["a"]),
                    tool("a"),
                    user("x"),
                    calls(&["b"]),
                    tool("b")
                ]),
            ),
        ),
    ]
}

fn turn(role: &str, content: Value) -> Value {
    json!({"role": role, "content": content})
}

/// Bedrock's.
fn converse() -> Vec<Planted> {
    let body = |messages: Value| json!({"modelId": "anthropic.claude-3-haiku", "toolConfig": {"tools": [{"toolSpec": {"name": "f"}}]}, "messages": messages});
    // Claude merges neighbours of one role.
    let other = |messages: Value| {
        let mut body = body(messages);
        body["modelId"] = "mistral.mistral-large-2407-v1:0".into();
        body
    };
    let (user, assistant) = (
        |content: Value| turn("user", content),
        |content: Value| turn("assistant", content),
    );
    let text = |text: &str| json!({"text": text});
    let call = |id: &str| json!({"toolUse": {"toolUseId": id, "name": "f", "input": {}}});
    let result = |id: &str| json!({"toolResult": {"toolUseId": id, "content": [{"text": format!("of {id}")}]}});
    let failed = json!({"toolResult": {"toolUseId": "a", "status": "error", "content": []}});
    let point = json!({"cachePoint": {"type": "default"}});
    let hour = json!({"cachePoint": {"type": "default", "ttl": "1h"}});
    let (x, y) = (user(json!([text("x")])), user(json!([text("y")])));
    let (a, of_a) = (assistant(json!([call("a")])), user(json!([result("a")])));
    let mut bare = body(json!([x, a, of_a]));
    bare.as_object_mut().unwrap().remove("toolConfig");
    let mut prefill = body(json!([x, assistant(json!([text("y")]))]));
    prefill["modelId"] = json!("us.anthropic.claude-opus-4-6-v1:0");
    vec![
        ("E01", true, body(json!([x, a]))),
        ("E01", true, body(json!([x, a, y]))),
        (
            "E01",
            true,
            body(json!([
                x,
                assistant(json!([call("a"), call("b")])),
                user(json!([result("b"), text("y")]))
            ])),
        ),
        (
            "E02",
            true,
            body(json!([
                x,
                assistant(json!([text("z")])),
                user(json!([result("q"), text("y")]))
            ])),
        ),
        (
            "E02",
            true,
            body(json!([
                x,
                assistant(json!([text("z")])),
                of_a,
                assistant(json!([text("w")])),
                y
            ])),
        ),
        (
            "E03",
            true,
            body(json!([
                x,
                a,
                y,
                assistant(json!([text("z")])),
                user(json!([text("v"), result("a")]))
            ])),
        ),
        (
            "E05",
            true,
            body(json!([x, a, user(json!([result("a"), result("a")]))])),
        ),
        ("E06", true, body(json!([x, a, of_a, a, of_a]))),
        (
            "E07",
            true,
            body(json!([x, a, user(json!([result("a"), result("b")]))])),
        ),
        (
            "E07",
            true,
            body(json!([x, assistant(json!([call("a"), call("b")])), of_a])),
        ),
        (
            "E08",
            true,
            body(json!([x, assistant(json!([text(""), text("z")])), y])),
        ),
        (
            "E08",
            true,
            body(json!([x, assistant(json!([text(" "), call("a")])), of_a])),
        ),
        ("E08", true, body(json!([x, assistant(json!([])), y]))),
        ("E08", true, body(json!([x, a, user(json!([failed]))]))),
        ("E11", true, other(json!([x, y]))),
        (
            "E11",
            true,
            other(json!([
                x,
                user("y".into()),
                assistant("z".into()),
                assistant(json!([call("a")])),
                of_a,
                y,
                y
            ])),
        ),
        (
            "E11",
            true,
            other(json!([
                x,
                turn("system", json!([text("s")])),
                y,
                user(json!([]))
            ])),
        ),
        ("E12", false, prefill),
        (
            "E14",
            true,
            body(json!([user(json!([
                text("1"),
                point,
                text("2"),
                point,
                text("3"),
                point,
                text("4"),
                point,
                text("5"),
                point
            ]))])),
        ),
        (
            "E14",
            true,
            body(json!([user(json!([text("1"), point, text("2"), hour]))])),
        ),
        ("E19", false, bare),
    ]
}

/// Gemini's.
fn gemini() -> Vec<Planted> {
    let body = |contents: Value| json!({"contents": contents, "generationConfig": {}});
    let content = |role: &str, parts: Value| json!({"role": role, "parts": parts});
    let (user, model) = (
        |parts: Value| content("user", parts),
        |parts: Value| content("model", parts),
    );
    let text = |text: &str| json!({"text": text});
    let call = |name: &str| json!({"functionCall": {"name": name, "args": {}}});
    let with_id = |id: &str| json!({"functionCall": {"id": id, "name": "f", "args": {}}});
    let signed = json!({"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "c2ln"});
    let answer = |name: &str| json!({"functionResponse": {"name": name, "response": {"output": format!("of {name}")}}});
    let answer_id = |id: &str| json!({"functionResponse": {"id": id, "name": "f", "response": {"output": "x"}}});
    let snake = json!({"function_call": {"name": "f", "args": {}}});
    let (x, y) = (user(json!([text("x")])), user(json!([text("y")])));
    let mut third = body(json!([
        x,
        model(json!([signed])),
        user(json!([answer("f")])),
        model(json!([call("f")])),
        user(json!([answer("f")]))
    ]));
    third["model"] = json!("gemini-3-pro-preview");
    vec![
        ("E01", true, body(json!([x, model(json!([call("f")])), y]))),
        ("E01", true, body(json!([x, model(json!([snake]))]))),
        (
            "E01",
            true,
            body(json!([
                x,
                model(json!([with_id("a"), with_id("b")])),
                user(json!([answer_id("b")]))
            ])),
        ),
        (
            "E01",
            true,
            body(json!([
                x,
                model(json!([call("f"), call("g")])),
                user(json!([answer("f"), answer("f")]))
            ])),
        ),
        (
            "E01",
            true,
            json!({"contents": [{"role": "user", "parts": {"text": "x"}}, {"role": "model", "parts": call("f")}]}),
        ),
        (
            "E02",
            true,
            body(json!([
                x,
                model(json!([text("z")])),
                user(json!([answer("f"), text("y")]))
            ])),
        ),
        (
            "E02",
            true,
            body(json!([
                x,
                model(json!([text("z")])),
                content("function", json!([answer("f")]))
            ])),
        ),
        (
            "E03",
            true,
            body(json!([
                x,
                model(json!([call("f")])),
                y,
                user(json!([answer("f")]))
            ])),
        ),
        (
            "E03",
            true,
            body(json!([
                x,
                model(json!([with_id("a")])),
                y,
                model(json!([text("z")])),
                user(json!([answer_id("a")]))
            ])),
        ),
        (
            "E31",
            true,
            body(json!([x, model(json!([with_id("a"), answer_id("a")])), y])),
        ),
        (
            "E05",
            true,
            body(json!([
                x,
                model(json!([with_id("a")])),
                user(json!([answer_id("a"), answer_id("a")]))
            ])),
        ),
        (
            "E06",
            true,
            body(json!([
                x,
                model(json!([with_id("a"), with_id("a")])),
                user(json!([answer_id("a"), answer_id("a")]))
            ])),
        ),
        (
            "E07",
            true,
            body(json!([
                x,
                model(json!([call("f"), call("g")])),
                user(json!([answer("f")]))
            ])),
        ),
        (
            "E07",
            true,
            body(json!([
                x,
                model(json!([call("f")])),
                user(json!([answer("f"), answer("f")]))
            ])),
        ),
        ("E08", true, body(json!([x, model(json!([])), y]))),
        (
            "E08",
            true,
            body(
                json!([{"role": "user"}, model(json!([text("z")])), {"role": "user", "parts": []}]),
            ),
        ),
        (
            "E08",
            true,
            body(json!([x, model(json!([{}, text("z")])), y])),
        ),
        ("E10", true, body(json!([model(json!([text("z")])), y]))),
        ("E12", false, body(json!([x, model(json!([text("z")]))]))),
        ("E18", false, third),
    ]
}

/// OpenAI's Responses.
fn responses() -> Vec<Planted> {
    let body = |input: Value| json!({"model": "gpt-5", "input": input, "store": false});
    let x = json!({"role": "user", "content": "x"});
    let call =
        |id: &str| json!({"type": "function_call", "call_id": id, "name": "f", "arguments": "{}"});
    let output = |id: &str| json!({"type": "function_call_output", "call_id": id, "output": format!("of {id}")});
    let typed = |kind: &str| json!({"type": kind, "id": "i", "call_id": "a", "action": {}, "name": "f", "input": ""});
    let reasoning = json!({"type": "reasoning", "id": "rs_1", "summary": []});
    let mut made = call("a");
    made["caller"] = json!({"type": "program", "caller_id": "p"});
    vec![
        ("E01", true, body(json!([x, call("a")]))),
        (
            "E01",
            true,
            body(json!([x, call("a"), call("b"), output("b"), x])),
        ),
        ("E01", true, body(json!([x, typed("custom_tool_call"), x]))),
        ("E01", true, body(json!([x, typed("local_shell_call"), x]))),
        ("E01", true, body(json!([x, typed("shell_call"), x]))),
        ("E01", true, body(json!([x, typed("apply_patch_call"), x]))),
        ("E01", true, body(json!([x, typed("tool_search_call"), x]))),
        ("E01", false, body(json!([x, typed("computer_call"), x]))),
        ("E02", true, body(json!([x, output("q")]))),
        (
            "E02",
            true,
            body(json!([x, output("q"), call("a"), output("r"), output("a")])),
        ),
        (
            "E05",
            true,
            body(json!([x, call("a"), output("a"), x, output("a")])),
        ),
        (
            "E06",
            true,
            body(json!([x, call("a"), call("a"), output("a"), output("a")])),
        ),
        ("E17", true, body(json!([x, reasoning]))),
        (
            "E17",
            true,
            body(json!([x, call("a"), reasoning, reasoning, output("a")])),
        ),
        (
            "E17",
            true,
            body(json!([x, reasoning, {"role": "user", "content": "y"}, call("a"), output("a")])),
        ),
        ("E21", true, body(json!([x, made, output("a")]))),
    ]
}
