//! Conversations with mirrors, written in each format.

use super::{Call, Turn};
use serde_json::{Value, json};

/// The formats, some of them in more than one dress.
pub const DRESSES: [&str; 17] = [
    "openclaw",
    "claude-code",
    "cline",
    "codex",
    "copilot-cli",
    "gemini-cli",
    "gemini-cli twins",
    "gemini-cli patched",
    "gemini-cli strings",
    "opencode",
    "opencode stream",
    "messages",
    "anthropic",
    "openai-chat",
    "openai-responses",
    "gemini",
    "bedrock-converse",
];

const TIME: &str = "2026-01-01T00:00:00.000Z";

/// A conversation as a format has it: the records of a history, or a body.
pub fn dressed(turns: &[Turn], dress: &str) -> String {
    let mut records: Vec<Value> = Vec::new();
    let mut n = 0;
    for turn in turns {
        n += 1;
        match turn {
            Turn::User(text) => records.extend(user(text, n, dress)),
            Turn::Assistant(text, calls) => records.extend(assistant(text, calls, n, dress)),
        }
    }
    let line = |records: Vec<Value>| records.iter().map(|r| format!("{r}\n")).collect::<String>();
    match dress {
        "openclaw" => {
            let head = json!({"type": "session", "version": 3, "id": "s", "timestamp": TIME, "cwd": "/"});
            let mut entries = vec![head];
            for (i, message) in records.into_iter().enumerate() {
                let parent = if i == 0 { Value::Null } else { json!(format!("e{}", i - 1)) };
                entries.push(json!({"type": "message", "id": format!("e{i}"), "parentId": parent, "timestamp": TIME, "message": message}));
            }
            line(entries)
        }
        "claude-code" => {
            let mut entries = Vec::new();
            for (i, mut record) in records.into_iter().enumerate() {
                record["uuid"] = json!(format!("e{i}"));
                record["parentUuid"] = if i == 0 { Value::Null } else { json!(format!("e{}", i - 1)) };
                entries.push(record);
            }
            line(entries)
        }
        "cline" => json!({"version": 1, "sessionId": "s", "messages": records}).to_string(),
        "opencode" => serde_json::to_string_pretty(&json!({"info": {"id": "ses"}, "messages": records})).unwrap(),
        "anthropic" => json!({"model": "claude-test", "max_tokens": 9, "messages": records}).to_string(),
        "openai-chat" => json!({"model": "gpt-test", "messages": records}).to_string(),
        "openai-responses" => json!({"model": "gpt-test", "input": records}).to_string(),
        "gemini" => json!({"contents": records}).to_string(),
        "bedrock-converse" => json!({"modelId": "m", "messages": records}).to_string(),
        _ => line(records),
    }
}

fn user(text: &str, n: usize, dress: &str) -> Vec<Value> {
    vec![match dress {
        "claude-code" => json!({"type": "user", "sessionId": "s", "timestamp": TIME, "message": {"role": "user", "content": text}}),
        "codex" => {
            json!({"timestamp": TIME, "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}})
        }
        "copilot-cli" => json!({"type": "user.message", "data": {"content": text}, "timestamp": TIME}),
        "openai-responses" => json!({"role": "user", "content": text}),
        "gemini" => json!({"role": "user", "parts": [{"text": text}]}),
        "bedrock-converse" => json!({"role": "user", "content": [{"text": text}]}),
        _ if dress.starts_with("gemini-cli") => {
            json!({"id": format!("m{n}"), "timestamp": TIME, "type": "user", "content": [{"text": text}]})
        }
        _ if dress.starts_with("opencode") => {
            json!({"info": {"id": format!("m{n}"), "role": "user"}, "parts": [{"type": "text", "text": text}]})
        }
        _ => json!({"role": "user", "content": text}),
    }]
}

/// A message of the assistant and what its calls came to.
fn assistant(text: &str, calls: &[Call], n: usize, dress: &str) -> Vec<Value> {
    let each = |of: &dyn Fn(&Call) -> Value| calls.iter().map(of).collect::<Vec<Value>>();
    let with = |first: Vec<Value>, then: Vec<Value>| [first, then].concat();
    let item = |payload: Value| json!({"timestamp": TIME, "type": "response_item", "payload": payload});
    let answered = |c: &Call| json!({"functionResponse": {"id": c.id, "name": c.tool, "response": {if c.error { "error" } else { "output" }: c.says}}});
    match dress {
        "openclaw" => {
            let calls_made = each(&|c| json!({"type": "toolCall", "id": c.id, "name": c.tool, "arguments": {}}));
            with(
                vec![
                    json!({"role": "assistant", "provider": "anthropic", "content": with(vec![json!({"type": "text", "text": text})], calls_made)}),
                ],
                each(
                    &|c| json!({"role": "toolResult", "toolCallId": c.id, "toolName": c.tool, "content": [{"type": "text", "text": c.says}], "details": {"fullOutput": c.says}, "isError": c.error}),
                ),
            )
        }
        "claude-code" | "cline" | "anthropic" => {
            let calls_made = each(&|c| json!({"type": "tool_use", "id": c.id, "name": c.tool, "input": {}}));
            let message = json!({"role": "assistant", "content": with(vec![json!({"type": "text", "text": text})], calls_made)});
            let results = each(
                &|c| json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": c.id, "content": c.says, "is_error": c.error}]}),
            );
            if dress != "claude-code" {
                return with(vec![message], results);
            }
            let envelope = |kind: &str, message: Value, more: Value| json!({"type": kind, "sessionId": "s", "timestamp": TIME, "message": message, "toolUseResult": more});
            let shown = calls.iter().map(|c| json!({"stdout": c.says, "stderr": "", "interrupted": false}));
            with(
                vec![envelope("assistant", message, Value::Null)],
                results.into_iter().zip(shown).map(|(r, s)| envelope("user", r, s)).collect(),
            )
        }
        "codex" => {
            let mut items = vec![item(json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}))];
            items.extend(each(&|c| item(json!({"type": "function_call", "call_id": c.id, "name": c.tool, "arguments": "{}"}))));
            for c in calls {
                items.push(json!({"timestamp": TIME, "type": "event_msg", "payload": {"type": "exec_command_end", "call_id": c.id, "aggregated_output": c.says, "exit_code": 0}}));
                items.push(item(json!({"type": "function_call_output", "call_id": c.id, "output": c.says})));
            }
            items
        }
        "copilot-cli" => with(
            vec![
                json!({"type": "assistant.message", "timestamp": TIME, "data": {"content": text, "toolRequests": each(&|c| json!({"toolCallId": c.id, "name": c.tool, "arguments": {}}))}}),
            ],
            // What hooks received comes before the results, of parallel calls in any order.
            with(
                each(&|c| {
                    let reported = json!({"textResultForLlm": c.says, "resultType": "success", "sessionLog": c.says});
                    json!({"type": "hook.start", "data": {"hookType": "postToolUse", "input": {"toolName": c.tool, "toolResult": reported}}})
                }),
                each(&|c| {
                    let said = if c.error { json!({"message": c.says}) } else { json!({"content": c.says, "detailedContent": c.says}) };
                    json!({"type": "tool.execution_complete", "data": {"toolCallId": c.id, "success": !c.error, if c.error { "error" } else { "result" }: said}})
                }),
            ),
        ),
        "gemini" => with(
            vec![
                json!({"role": "model", "parts": with(vec![json!({"text": text})], each(&|c| json!({"functionCall": {"id": c.id, "name": c.tool, "args": {}}})))}),
            ],
            if calls.is_empty() { vec![] } else { vec![json!({"role": "user", "parts": each(&answered)})] },
        ),
        "openai-responses" => with(
            with(
                vec![json!({"role": "assistant", "content": text})],
                each(&|c| json!({"type": "function_call", "call_id": c.id, "name": c.tool, "arguments": "{}"})),
            ),
            each(&|c| json!({"type": "function_call_output", "call_id": c.id, "output": c.says})),
        ),
        "bedrock-converse" => with(
            vec![
                json!({"role": "assistant", "content": with(vec![json!({"text": text})], each(&|c| json!({"toolUse": {"toolUseId": c.id, "name": c.tool, "input": {}}})))}),
            ],
            if calls.is_empty() {
                vec![]
            } else {
                vec![
                    json!({"role": "user", "content": each(&|c| json!({"toolResult": {"toolUseId": c.id, "content": [{"text": c.says}], "status": if c.error { "error" } else { "success" }}}))}),
                ]
            },
        ),
        "messages" | "openai-chat" => {
            let mut message = json!({"role": "assistant", "content": text});
            if !calls.is_empty() {
                message["tool_calls"] =
                    each(&|c| json!({"id": c.id, "type": "function", "function": {"name": c.tool, "arguments": "{}"}})).into();
            }
            with(vec![message], each(&|c| json!({"role": "tool", "tool_call_id": c.id, "content": c.says})))
        }
        _ if dress.starts_with("opencode") => {
            let tools = each(&|c| {
                let (status, member) = if c.error { ("error", "error") } else { ("completed", "output") };
                json!({"type": "tool", "callID": c.id, "tool": c.tool, "state": {"status": status, "input": {}, member: c.says, "metadata": {"output": c.says}}})
            });
            vec![
                json!({"info": {"id": format!("m{n}"), "role": "assistant"}, "parts": with(vec![json!({"type": "step-start"}), json!({"type": "text", "text": text})], tools)}),
            ]
        }
        _ => {
            let whole = dress != "gemini-cli strings";
            let patched = dress == "gemini-cli patched";
            let before = |c: &Call| json!({"functionResponse": {"id": c.id, "name": c.tool, "response": {"output": "before"}}});
            let said = |c: &Call| match (whole, patched) {
                (true, true) => json!([before(c)]),
                (true, false) => json!([answered(c)]),
                _ => json!(c.says),
            };
            let mut message = json!({"id": format!("m{n}"), "timestamp": TIME, "type": "gemini", "content": text});
            let mut records = vec![message.clone()];
            if !calls.is_empty() {
                message["toolCalls"] = each(
                    &|c| json!({"id": c.id, "name": c.tool, "args": {}, "result": said(c), "status": "success", "resultDisplay": c.says}),
                )
                .into();
                records.push(message);
                if dress == "gemini-cli twins" {
                    records.push(json!({"id": format!("r{n}"), "timestamp": TIME, "type": "user", "content": each(&answered)}));
                }
                if patched {
                    records.push(json!({"id": format!("r{n}"), "timestamp": TIME, "type": "user", "content": each(&before)}));
                    let results = json!({"id": format!("m{n}"), "toolCalls": each(&|c| json!({"id": c.id, "result": [answered(c)]}))});
                    let content = json!({"id": format!("r{n}"), "content": each(&answered)});
                    records.push(json!({"$patch": {"updates": [content, results]}}));
                }
            }
            records
        }
    }
}
