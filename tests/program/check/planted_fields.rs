//! Planted defects of ids, names and fields, and of blocks in places where the provider does not accept them.

use super::planted::{
    Planted, anthropic, assistant, call, calls, chat, of_model, result, text, tool, user,
};
use serde_json::{Value, json};

/// Ids, names and fields that are not spelled as the provider wants them.
pub fn spelling() -> Vec<Planted> {
    let long = "call_".repeat(9);
    let named = |name: &str| json!({"type": "tool_use", "id": "a", "name": name, "input": {}});
    let pair = |call: Value, id: &str| {
        anthropic(json!([
            user("x"),
            assistant(json!([call])),
            user(json!([result(id)]))
        ]))
    };
    let mut declared = anthropic(json!([
        user("x"),
        assistant(json!([named("a.b/c")])),
        user(json!([result("a")]))
    ]));
    declared["tools"] = json!([{"name": "a.b/c", "input_schema": {}}, {"name": "d"}]);
    declared["tool_choice"] = json!({"type": "tool", "name": "a.b/c"});
    let mut only_declared = anthropic(json!([user("x")]));
    only_declared["tools"] = json!([{"name": "a b", "input_schema": {}}]);
    let mut twice = anthropic(json!([user("x")]));
    twice["tools"] = json!([{"name": "f"}, {"name": "f"}]);
    let odd = json!({"type": "tool_use", "id": "a", "name": "f", "input": [1]});
    let server = json!([
        {"type": "server_tool_use", "id": "toolu_1", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "toolu_1", "content": []},
        {"type": "text", "text": "y"}
    ]);
    let mut spelled = chat(json!([user("x"), calls(&["a"]), tool("a")]));
    spelled["messages"][1]["tool_calls"][0]["function"]["name"] = json!("a.b");
    spelled["tools"] = json!([{"type": "function", "function": {"name": "a.b"}}, {"type": "function", "function": {"name": "a_b"}}]);
    let mut object = chat(json!([user("x"), calls(&["a"]), tool("a")]));
    object["messages"][1]["tool_calls"][0]["function"]["arguments"] = json!({});
    let mut silent = chat(json!([user("x"), calls(&["a"]), tool("a")]));
    silent["messages"][2]["content"] = Value::Null;
    let gemini = |name: &str, args: Value| {
        json!({"contents": [
            {"role": "user", "parts": [{"text": "x"}]},
            {"role": "model", "parts": [{"functionCall": {"name": name, "args": args}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": name, "response": {"output": "y"}}}]}
        ], "tools": [{"functionDeclarations": [{"name": name}]}]})
    };
    let mut same = gemini("f", json!({}));
    same["tools"] = json!([{"functionDeclarations": [{"name": "f"}, {"name": "f"}]}]);
    let mut role = gemini("f", json!({}));
    role["contents"][1]["role"] = json!("assistant");
    let converse = |id: &str, name: &str, input: Value| {
        json!({"toolConfig": {"tools": [{"toolSpec": {"name": name, "inputSchema": {"json": {}}}}]}, "messages": [
            {"role": "user", "content": [{"text": "x"}]},
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": id, "name": name, "input": input}}]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": id, "content": [{"text": "y"}]}}]}
        ]})
    };
    let item = |more: Value| json!({"model": "gpt-5", "store": false, "input": more});
    let of_user = json!({"role": "user", "content": "x"});
    let call_of = |call: &str, id: &str| json!({"type": "function_call", "id": id, "call_id": call, "name": "f", "arguments": "{}"});
    let output =
        |call: &str| json!({"type": "function_call_output", "call_id": call, "output": "y"});
    let mut dotted = call_of("a", "fc_1");
    dotted["name"] = json!("a.b");
    let mut loose = call_of("a", "fc_1");
    loose["arguments"] = json!({});
    let reasoning = |id: &str| json!({"type": "reasoning", "id": id, "summary": [], "encrypted_content": "gAAA"});
    let bare = json!({"type": "reasoning", "id": "rs_1", "summary": []});
    let said = json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "y"}]});
    let asked = json!({"role": "assistant", "content": [{"type": "input_text", "text": "y"}]});
    vec![
        ("E24", true, pair(call("a.b"), "a.b")),
        ("E24", true, pair(call(""), "")),
        (
            "E24",
            true,
            anthropic(json!([user("x"), assistant(server), user("z")])),
        ),
        (
            "E24",
            true,
            chat(json!([user("x"), calls(&[&long]), tool(&long)])),
        ),
        (
            "E24",
            true,
            of_model(
                "mistral-large-latest",
                json!([
                    user("x"),
                    calls(&["call_1", "abcdefgh1"]),
                    tool("call_1"),
                    tool("abcdefgh1")
                ]),
            ),
        ),
        ("E24", true, converse("a/b", "f", json!({}))),
        (
            "E24",
            true,
            item(json!([
                of_user,
                call_of(&"c".repeat(65), "fc_1"),
                output(&"c".repeat(65))
            ])),
        ),
        (
            "E25",
            true,
            item(json!([of_user, call_of("a", "call_1"), output("a")])),
        ),
        (
            "E25",
            true,
            item(
                json!([of_user, {"type": "message", "id": "chatcmpl-1", "role": "assistant", "content": "y"}, of_user]),
            ),
        ),
        (
            "E26",
            true,
            item(json!([
                of_user,
                call_of("a", "fc_1"),
                call_of("b", "fc_1"),
                output("a"),
                output("b")
            ])),
        ),
        (
            "E26",
            true,
            item(json!([
                of_user,
                reasoning("rs_1"),
                call_of("a", "fc_1"),
                output("a"),
                reasoning("rs_1"),
                call_of("b", "fc_2"),
                output("b")
            ])),
        ),
        ("E27", true, declared),
        ("E27", true, only_declared),
        ("E27", true, spelled),
        ("E27", true, gemini("1 b", json!({}))),
        ("E27", true, converse("a", "f.g", json!({}))),
        ("E27", true, item(json!([of_user, dotted, output("a")]))),
        ("E28", false, twice),
        ("E28", false, same),
        ("E29", false, pair(odd, "a")),
        ("E29", true, object),
        ("E29", false, gemini("f", json!("x"))),
        ("E29", false, converse("a", "f", json!("{}"))),
        ("E29", true, item(json!([of_user, loose, output("a")]))),
        ("E08", true, silent),
        (
            "E30",
            false,
            anthropic(json!([user(json!([{"text": "x"}]))])),
        ),
        ("E30", false, chat(json!([user(json!([{"text": "x"}]))]))),
        ("E30", false, role),
        ("E30", true, item(json!([of_user, asked, of_user]))),
        (
            "E17",
            true,
            stored(item(json!([of_user, reasoning("rs_1"), said, of_user]))),
        ),
        (
            "E37",
            true,
            item(json!([of_user, bare, call_of("a", "fc_1"), output("a")])),
        ),
        (
            "E37",
            true,
            item(
                json!([of_user, {"type": "item_reference", "id": "rs_2"}, call_of("a", "fc_1"), output("a")]),
            ),
        ),
    ]
}

/// The body as one that the provider stores.
fn stored(mut body: Value) -> Value {
    body["store"] = json!(true);
    body
}

/// Blocks and messages that are where the provider does not take them.
pub fn places() -> Vec<Planted> {
    let thinking = |signed: bool| {
        let mut block = json!({"type": "thinking", "thinking": "hm"});
        if signed {
            block["signature"] = json!("c2ln");
        }
        block
    };
    let mut marked = thinking(true);
    marked["cache_control"] = json!({"type": "ephemeral"});
    let server =
        json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}});
    let found =
        json!({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []});
    let system = |messages: Value| {
        let mut body = anthropic(messages);
        (body["model"], body["system"]) = (json!("claude-opus-4-8"), json!("s"));
        body
    };
    let inside = json!({"role": "system", "content": "s"});
    let converse = |messages: Value| json!({"modelId": "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "toolConfig": {"tools": [{"toolSpec": {"name": "f"}}]}, "messages": messages});
    let (x, y) = (
        json!({"role": "user", "content": [{"text": "x"}]}),
        json!({"role": "user", "content": [{"text": "y"}]}),
    );
    let thought = json!({"reasoningContent": {"reasoningText": {"text": "hm"}}});
    let use_of = json!({"toolUse": {"toolUseId": "a", "name": "f", "input": {}}});
    let result_of = json!({"toolResult": {"toolUseId": "a", "content": [{"text": "z"}]}});
    let mut llama = converse(
        json!([x, {"role": "assistant", "content": [use_of]}, {"role": "user", "content": [result_of, {"text": "and?"}]}]),
    );
    llama["modelId"] = json!("meta.llama3-3-70b-instruct-v1:0");
    let contents = json!({"contents": [
        {"role": "user", "parts": [{"text": "x"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}, {"functionResponse": {"name": "f", "response": {"output": "y"}}}]},
        {"role": "user", "parts": [{"text": "z"}]}
    ]});
    vec![
        (
            "E31",
            true,
            anthropic(json!([user("x"), assistant("y"), user(json!([call("a")]))])),
        ),
        (
            "E31",
            true,
            anthropic(json!([
                user("x"),
                assistant(json!([call("a")])),
                assistant(json!([result("a")])),
                user("y")
            ])),
        ),
        ("E31", false, llama),
        ("E31", true, contents),
        (
            "E32",
            true,
            anthropic(json!([
                user("x"),
                assistant(json!([call("a"), text("y")])),
                user(json!([result("a")]))
            ])),
        ),
        (
            "E32",
            true,
            anthropic(json!([
                user("x"),
                assistant(json!([call("a"), server, found])),
                user(json!([result("a")]))
            ])),
        ),
        (
            "E32",
            true,
            anthropic(json!([
                user("x"),
                assistant(json!([call("a")])),
                assistant("y"),
                user(json!([result("a")]))
            ])),
        ),
        (
            "E33",
            true,
            anthropic(json!([
                user("x"),
                assistant(json!([thinking(false), text("y")])),
                user("z")
            ])),
        ),
        (
            "E33",
            true,
            converse(json!([x, {"role": "assistant", "content": [thought, {"text": "z"}]}, y])),
        ),
        (
            "E34",
            true,
            anthropic(json!([
                user("x"),
                assistant(json!([text("y"), thinking(true)])),
                user("z")
            ])),
        ),
        (
            "E35",
            true,
            anthropic(json!([
                user("x"),
                assistant(json!([marked, text("y")])),
                user("z")
            ])),
        ),
        ("E36", false, system(json!([user("x"), inside, user("y")]))),
        (
            "E36",
            false,
            system(json!([user("x"), assistant("y"), inside, user("z")])),
        ),
        (
            "E36",
            false,
            system(json!([user("x"), assistant("y"), inside])),
        ),
    ]
}
