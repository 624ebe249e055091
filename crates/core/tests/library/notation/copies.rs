//! Conversations as logs that repeat results: beside them, for the screen, for hooks, or in a record of their own.

use super::{Answer, Conversation, EVERY, Spoken, Turn};
use serde_json::{Value, json};

/// The ways in which a format says a result more than once, beside what it does by its name alone.
const WAYS: [&str; 5] = [
    "cline, session",
    "gemini-cli, twins",
    "gemini-cli, patched",
    "gemini-cli, strings",
    "opencode, stream",
];

/// The conversation in each format that has ids, with all copies that its logs have of results: the way, and its bytes.
pub fn copied(said: &Conversation) -> Vec<(&'static str, &'static Spoken, Vec<u8>)> {
    let all = EVERY.iter().map(|spoken| spoken.name).chain(WAYS);
    let spoken = |way: &str| {
        let exact = EVERY.iter().find(|spoken| spoken.name == way);
        exact
            .or_else(|| {
                EVERY
                    .iter()
                    .find(|spoken| spoken.name == way.split(", ").next().unwrap())
            })
            .unwrap()
    };
    let of_ids = all
        .map(|way| (way, spoken(way)))
        .filter(|(_, spoken)| spoken.id("a").is_some());
    of_ids
        .map(|(way, spoken)| (way, spoken, render(said, way, spoken)))
        .collect()
}

fn render(said: &Conversation, way: &str, spoken: &Spoken) -> Vec<u8> {
    let alone;
    let said = if way == "claude-code" {
        // A record has one copy, so that each result has a record.
        alone = Conversation {
            turns: said.turns.iter().flat_map(each_result).collect(),
        };
        &alone
    } else {
        said
    };
    let bytes = spoken.render(said);
    if spoken.is_body() {
        return bytes;
    }
    let records: Vec<Value> = serde_json::Deserializer::from_slice(&bytes)
        .into_iter()
        .map(Result::unwrap)
        .collect();
    let is_result = |record: &Value| record["type"] == "tool.execution_complete";
    let together = records.chunk_by(|a, b| is_result(a) && is_result(b));
    let written = together.flat_map(|records| {
        // What hooks received comes before the results, of parallel calls in any order.
        let hooks = records
            .iter()
            .filter(|record| is_result(record))
            .map(|record| hook(record, said));
        hooks
            .chain(
                records
                    .iter()
                    .flat_map(|record| with_copies(record.clone(), way)),
            )
            .collect::<Vec<_>>()
    });
    written
        .map(|record| format!("{record}\n"))
        .collect::<String>()
        .into_bytes()
}

fn each_result(turn: &Turn) -> Vec<Turn> {
    match turn {
        Turn::Results(answers) => answers
            .iter()
            .map(|answer| Turn::Results(vec![answer.clone()]))
            .collect(),
        other => vec![other.clone()],
    }
}

fn hook(result: &Value, said: &Conversation) -> Value {
    let answer: &Answer = said
        .answers()
        .find(|answer| result["data"]["toolCallId"] == answer.call)
        .unwrap();
    let reported = json!({"textResultForLlm": answer.text(), "resultType": "success", "sessionLog": answer.text()});
    json!({"type": "hook.start", "data": {"hookType": "postToolUse", "input": {"toolName": answer.tool, "toolResult": reported}}})
}

/// A record with the copies that it has of its results, or with the records that have them.
fn with_copies(mut record: Value, way: &str) -> Vec<Value> {
    match way {
        "openclaw" if record["message"]["role"] == "toolResult" => {
            let text = record["message"]["content"][0]["text"].clone();
            record["message"]["details"] = json!({"fullOutput": text});
        }
        "claude-code" if record["message"]["content"][0]["type"] == "tool_result" => {
            let text = record["message"]["content"][0]["content"].clone();
            record["toolUseResult"] = json!({"stdout": text, "stderr": "", "interrupted": false});
        }
        "qwen-code" if record["type"] == "tool_result" => {
            let response = &record["message"]["parts"][0]["functionResponse"]["response"];
            let text = response.get("output").or(response.get("error")).cloned();
            record["toolCallResult"] =
                json!({"callId": "c", "resultDisplay": {"type": "shell_result", "output": text}});
        }
        "codex" if record["payload"]["type"] == "function_call_output" => {
            let (id, text) = (&record["payload"]["call_id"], &record["payload"]["output"]);
            let end = json!({"type": "exec_command_end", "call_id": id, "aggregated_output": text, "exit_code": 0});
            return vec![
                json!({"timestamp": record["timestamp"], "type": "event_msg", "payload": end}),
                record,
            ];
        }
        "copilot-cli" if record["data"]["result"].is_object() => {
            let text = record["data"]["result"]["content"].clone();
            record["data"]["result"]["detailedContent"] = text;
        }
        "cline, session" => {
            return vec![json!({"version": 1, "sessionId": "s", "messages": record})];
        }
        "opencode" | "opencode, stream" => {
            for part in record["messages"]
                .as_array_mut()
                .unwrap()
                .iter_mut()
                .flat_map(|m| m["parts"].as_array_mut().unwrap())
            {
                let said = ["output", "error"]
                    .iter()
                    .find_map(|key| part["state"].get(*key))
                    .cloned();
                said.into_iter()
                    .for_each(|said| part["state"]["metadata"] = json!({"output": said}));
            }
            if way == "opencode, stream" {
                return record["messages"].as_array().unwrap().clone();
            }
        }
        _ if way.starts_with("gemini-cli") && record["toolCalls"].is_array() => {
            return gemini_cli(record, way);
        }
        _ => {}
    }
    vec![record]
}

/// A message is written again when its calls have their results.
fn gemini_cli(mut record: Value, way: &str) -> Vec<Value> {
    let mut early = record.clone();
    early.as_object_mut().unwrap().remove("toolCalls");
    let user = |content: &[Value]| json!({"id": format!("r{}", record["id"]), "type": "user", "timestamp": record["timestamp"], "content": content});
    let calls = record["toolCalls"].as_array().unwrap().clone();
    let answered: Vec<Value> = calls.iter().map(|call| call["result"][0].clone()).collect();
    let (twin, id) = (user(&answered), record["id"].clone());
    let before: Vec<Value> = calls
        .iter()
        .map(|call| json!({"functionResponse": {"id": call["id"], "name": call["name"], "response": {"output": "before"}}}))
        .collect();
    let old_twin = user(&before);
    for (i, call) in record["toolCalls"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .enumerate()
    {
        let said = &answered[i]["functionResponse"]["response"];
        let text = said.get("output").or(said.get("error")).unwrap().clone();
        match way {
            "gemini-cli, strings" => call["result"] = text.clone(),
            "gemini-cli, patched" => call["result"] = json!([before[i]]),
            _ => {}
        }
        call["resultDisplay"] = text;
    }
    match way {
        "gemini-cli, twins" => vec![early, record, twin],
        "gemini-cli, patched" => {
            let results: Vec<Value> = calls
                .iter()
                .map(|call| json!({"id": call["id"], "result": call["result"]}))
                .collect();
            let updates =
                json!([{"id": twin["id"], "content": answered}, {"id": id, "toolCalls": results}]);
            vec![
                early,
                record,
                old_twin,
                json!({"$patch": {"updates": updates}}),
            ]
        }
        _ => vec![early, record],
    }
}
