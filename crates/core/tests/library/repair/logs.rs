//! Conversations as logs of each agent, for the tests of repair.

use super::bodies::{Spelling, anthropic_messages, gemini, items, lines, said, typed};
use super::conversation::{Ids, Message, Outcome, Part};
use serde_json::{Value, json};
use std::collections::HashMap;

pub const LOGS: [Spelling; 12] = [
    Spelling {
        name: "openclaw",
        ids: Ids::Named,
        write: openclaw,
    },
    Spelling {
        name: "claude-code",
        ids: Ids::Named,
        write: |m| claude_code(m, false),
    },
    Spelling {
        name: "claude-code/pieces",
        ids: Ids::Named,
        write: |m| claude_code(m, true),
    },
    Spelling {
        name: "codex",
        ids: Ids::Named,
        write: codex,
    },
    Spelling {
        name: "copilot-cli",
        ids: Ids::Named,
        write: copilot_cli,
    },
    Spelling {
        name: "cline",
        ids: Ids::Named,
        write: cline,
    },
    Spelling {
        name: "gemini-cli",
        ids: Ids::Named,
        write: |m| lines(std::iter::once(gemini_head()).chain(gemini_cli(m))),
    },
    Spelling {
        name: "gemini-cli/document",
        ids: Ids::Named,
        write: gemini_document,
    },
    Spelling {
        name: "gemini-cli/parts",
        ids: Ids::Named,
        write: gemini_parts,
    },
    Spelling {
        name: "qwen-code",
        ids: Ids::Named,
        write: qwen_code,
    },
    Spelling {
        name: "opencode",
        ids: Ids::Named,
        write: |m| json!({"info": {"id": "ses_1"}, "messages": opencode(m)}).to_string(),
    },
    Spelling {
        name: "opencode/stream",
        ids: Ids::Named,
        write: |m| opencode(m).iter().map(|v| format!("{v:#}\n")).collect(),
    },
];

/// Members by which the lines of a log name each other, for each format that has them: the id, and those that name one.
pub const LINKS: [(&str, &str, &[&str]); 4] = [
    (
        "openclaw",
        "id",
        &[
            "parentId",
            "targetId",
            "fromId",
            "appendParentId",
            "firstKeptEntryId",
        ],
    ),
    (
        "claude-code",
        "uuid",
        &[
            "parentUuid",
            "logicalParentUuid",
            "leafUuid",
            "sourceToolAssistantUUID",
            "messageId",
        ],
    ),
    ("copilot-cli", "id", &["parentId"]),
    ("qwen-code", "uuid", &["parentUuid"]),
];

/// Messages as an agent has them that gives each result a message of its own, without server tools.
fn single(messages: &[Message]) -> Vec<Message> {
    let mut out = Vec::new();
    for message in messages {
        let (results, rest): (Vec<Part>, Vec<Part>) = message
            .parts
            .iter()
            .cloned()
            .partition(|part| matches!(part, Part::Result(_)));
        let (calls, rest): (Vec<Part>, Vec<Part>) = rest
            .into_iter()
            .partition(|part| matches!(part, Part::Call(_)));
        let texts: Vec<Part> = rest
            .into_iter()
            .filter(|part| matches!(part, Part::Text(_)))
            .collect();
        let model = message.model;
        if model || calls.is_empty() {
            out.extend(
                Some(Message {
                    model,
                    parts: [texts, calls].concat(),
                })
                .filter(|m| !m.parts.is_empty()),
            );
        } else {
            out.extend(
                Some(Message {
                    model: false,
                    parts: texts,
                })
                .filter(|m| !m.parts.is_empty()),
            );
            out.push(Message {
                model: true,
                parts: calls,
            });
        }
        out.extend(results.into_iter().map(|result| Message {
            model: false,
            parts: vec![result],
        }));
    }
    out
}

fn openclaw(messages: &[Message]) -> String {
    let head = json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/w"});
    let part = |part: &Part| match part {
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Call(call) => {
            let mut written =
                json!({"type": "toolCall", "name": call.tool, "arguments": {"n": call.n}});
            written["id"] = json!(call.id);
            written
        }
        _ => json!({"type": "text", "text": "?"}),
    };
    let (mut out, mut parent) = (vec![head], Value::Null);
    for (i, message) in single(messages).iter().enumerate() {
        let written = match &message.parts[..] {
            [Part::Result(outcome)] => {
                let content = match typed(outcome) {
                    Value::String(text) => json!([{"type": "text", "text": text}]),
                    content => content,
                };
                let mut result = json!({"role": "toolResult", "toolName": outcome.to.tool, "content": content, "isError": false});
                result["toolCallId"] = json!(outcome.to.id);
                result
            }
            // A user's text may be a string.
            [Part::Text(text)] if !message.model && i % 2 == 0 => {
                json!({"role": "user", "content": text})
            }
            [said @ Part::Text(_)] if message.model => {
                json!({"role": "assistant", "content": [part(said)], "stopReason": "stop"})
            }
            parts => {
                json!({"role": if message.model { "assistant" } else { "user" }, "content": parts.iter().map(part).collect::<Vec<_>>()})
            }
        };
        let id = format!("{i:08x}");
        out.push(json!({"type": "message", "id": id, "parentId": parent, "timestamp": "t", "message": written}));
        parent = json!(id);
        // What names lines: a label, a note in the chain, a branch.
        let own = format!("{:08x}", 0x1000 + i);
        match i % 5 {
            1 => out.push(json!({"type": "label", "id": own, "parentId": parent, "timestamp": "t", "targetId": id, "label": "x"})),
            2 => out.push(json!({"type": "custom", "id": own, "parentId": parent, "timestamp": "t", "customType": "note", "data": {}})),
            3 => {
                out.push(json!({"type": "branch_summary", "id": own, "parentId": parent, "timestamp": "t", "fromId": id, "appendParentId": id, "summary": ""}));
            }
            _ => continue,
        }
        parent = json!(own);
    }
    lines(out)
}

/// With `pieces`, each part of a message has a line of its own, and results hang on the piece of their call.
fn claude_code(messages: &[Message], pieces: bool) -> String {
    let uuid = |i: usize| format!("{i:08x}-0000-4000-8000-000000000000");
    let (mut out, mut parent, mut made) = (Vec::new(), Value::Null, HashMap::new());
    for (m, message) in messages.iter().enumerate() {
        let apart = pieces
            && message.parts.iter().all(|part| {
                if message.model {
                    !matches!(part, Part::Result(_))
                } else {
                    matches!(part, Part::Result(_))
                }
            });
        let groups: Vec<Vec<Part>> = if apart {
            message
                .parts
                .iter()
                .map(|part| vec![part.clone()])
                .collect()
        } else {
            vec![message.parts.clone()]
        };
        for parts in groups {
            let parts: Vec<Part> = parts
                .into_iter()
                .filter(|part| !matches!(part, Part::Server(_) | Part::Served(_)))
                .collect();
            if parts.is_empty() {
                continue;
            }
            let Some(mut written) = anthropic_messages(&[Message {
                parts: parts.clone(),
                ..*message
            }])
            .pop() else {
                continue;
            };
            if message.model {
                written["id"] = json!(format!("msg_{m}"));
                written["type"] = json!("message");
            }
            let id = uuid(out.len());
            let mut line = json!({"parentUuid": parent, "isSidechain": false, "userType": "external", "cwd": "/w", "sessionId": "s", "version": "2.1.0", "type": written["role"], "message": written, "uuid": id, "timestamp": "t"});
            for part in &parts {
                match part {
                    Part::Call(call) => drop(made.insert(call.id.clone(), id.clone())),
                    Part::Result(outcome) => {
                        line["toolUseResult"] = json!({"stdout": "x"});
                        if let Some(assistant) = made.get(&outcome.to.id) {
                            line["sourceToolAssistantUUID"] = json!(assistant);
                            if apart && parent != Value::Null {
                                line["parentUuid"] = json!(assistant);
                            }
                        }
                    }
                    _ => {}
                }
            }
            out.push(line);
            parent = json!(id);
        }
        let own = uuid(out.len());
        match m % 4 {
            1 => {
                out.push(json!({"parentUuid": parent, "isSidechain": false, "type": "attachment", "attachment": {}, "uuid": own, "timestamp": "t", "sessionId": "s"}));
                parent = json!(own);
            }
            2 => out.push(
                json!({"type": "file-history-snapshot", "messageId": parent, "snapshot": {"messageId": parent}, "isSnapshotUpdate": false}),
            ),
            3 => out.push(json!({"type": "last-prompt", "leafUuid": parent, "lastPrompt": "x", "sessionId": "s"})),
            _ => {}
        }
    }
    lines(out)
}

fn codex(messages: &[Message]) -> String {
    let meta = json!({"timestamp": "t", "type": "session_meta", "payload": {"id": "s"}});
    let item = |item| json!({"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": item});
    let items = items(messages)
        .into_iter()
        .filter(|item| item["type"] != "web_search_call");
    lines(std::iter::once(meta).chain(items.map(item)))
}

fn copilot_cli(messages: &[Message]) -> String {
    let (mut out, mut parent) = (Vec::new(), Value::Null);
    for (i, message) in single(messages).iter().enumerate() {
        let texts = message.texts();
        let (kind, data) = match &message.parts[..] {
            [Part::Result(outcome)] => (
                "tool.execution_complete",
                json!({"toolCallId": outcome.to.id, "success": true, "result": {"content": said(outcome)}}),
            ),
            parts if message.model => {
                let call = |part: &Part| match part {
                    Part::Call(call) => Some(
                        json!({"toolCallId": call.id, "name": call.tool, "arguments": {"n": call.n}}),
                    ),
                    _ => None,
                };
                (
                    "assistant.message",
                    json!({"content": texts.join("\n"), "toolRequests": parts.iter().filter_map(call).collect::<Vec<_>>()}),
                )
            }
            _ => ("user.message", json!({"content": texts.join("\n")})),
        };
        let id = format!("e{i}");
        out.push(
            json!({"type": kind, "data": data, "id": id, "timestamp": "t", "parentId": parent}),
        );
        parent = json!(id);
    }
    lines(out)
}

fn cline(messages: &[Message]) -> String {
    let mut written: Vec<Value> = anthropic_messages(messages);
    for (i, message) in written.iter_mut().enumerate() {
        message["ts"] = json!(i);
        let parts = message["content"].as_array_mut();
        parts.into_iter().for_each(|parts| {
            parts.retain(|part| {
                !matches!(
                    part["type"].as_str(),
                    Some("server_tool_use" | "web_search_tool_result")
                )
            })
        });
    }
    written.retain(|message| {
        message["content"]
            .as_array()
            .is_none_or(|parts| !parts.is_empty())
    });
    format!(
        "{:#}",
        json!({"version": 1, "sessionId": "s", "messages": written})
    )
}

/// For logs in which a call holds its result: the result of each call, by its number.
fn outcomes(messages: &[Message]) -> HashMap<usize, &Outcome> {
    let mut outcomes: HashMap<usize, &Outcome> = HashMap::new();
    for part in messages.iter().flat_map(|m| &m.parts) {
        if let Part::Result(outcome) = part
            && outcomes
                .get(&outcome.to.n)
                .is_none_or(|known| known.copy == usize::MAX)
        {
            outcomes.insert(outcome.to.n, outcome);
        }
    }
    outcomes
}

fn gemini_head() -> Value {
    json!({"sessionId": "s", "projectHash": "p", "startTime": "2026-01-01T00:00:00Z"})
}

fn gemini_cli(messages: &[Message]) -> Vec<Value> {
    let outcomes = outcomes(messages);
    let mut out = Vec::new();
    for (i, message) in messages.iter().enumerate() {
        let texts = message.texts();
        let mut calls = Vec::new();
        for part in &message.parts {
            let Part::Call(call) = part else { continue };
            let mut run = json!({"id": call.id, "name": call.tool, "args": {"n": call.n}, "status": "executing"});
            if let Some(outcome) = outcomes.get(&call.n) {
                run["status"] = json!("success");
                run["result"] = json!([{"functionResponse": {"id": call.id, "name": call.tool, "response": {"output": said(outcome)}}}]);
            }
            calls.push(run);
        }
        let line = |n: usize, kind: &str, content: Value| json!({"id": format!("g{i}-{n}"), "timestamp": "t", "type": kind, "content": content});
        if !texts.is_empty() {
            // A user's text may be a list of parts.
            let content = match texts[..] {
                [text] if !message.model && i % 2 == 0 => json!([{"text": text}]),
                _ => json!(texts.join("\n")),
            };
            out.push(line(
                0,
                if message.model { "gemini" } else { "user" },
                content,
            ));
        }
        if !calls.is_empty() {
            let mut made = line(1, "gemini", json!(""));
            made["toolCalls"] = calls.into();
            out.push(made);
        }
    }
    out
}

fn gemini_document(messages: &[Message]) -> String {
    let mut session = gemini_head();
    session["messages"] = gemini_cli(messages).into();
    format!("{session:#}\n")
}

fn gemini_parts(messages: &[Message]) -> String {
    let message = |(i, content): (usize, Value)| {
        let kind = if content["role"] == "user" {
            "user"
        } else {
            "gemini"
        };
        json!({"id": format!("g{i}"), "timestamp": "t", "type": kind, "content": content["parts"]})
    };
    lines(
        std::iter::once(gemini_head()).chain(gemini(messages).into_iter().enumerate().map(message)),
    )
}

fn qwen_code(messages: &[Message]) -> String {
    let (mut out, mut parent) = (Vec::new(), Value::Null);
    let mut push = |mut record: Value| {
        let uuid = format!("{:08x}-0000-4000-8000-000000000000", out.len());
        record["uuid"] = json!(uuid);
        record["parentUuid"] = std::mem::replace(&mut parent, json!(uuid));
        record["sessionId"] = json!("s");
        record["timestamp"] = json!("t");
        out.push(record);
    };
    for (i, content) in gemini(messages).into_iter().enumerate() {
        let kind = match &content["parts"][0] {
            _ if content["role"] == "model" => "assistant",
            part if part["functionResponse"].is_object() => "tool_result",
            _ => "user",
        };
        push(json!({"type": kind, "message": content}));
        if i % 3 == 1 {
            push(
                json!({"type": "system", "subtype": "ui_telemetry", "systemPayload": {"uiEvent": {}}}),
            );
        }
    }
    lines(out)
}

fn opencode(messages: &[Message]) -> Vec<Value> {
    let outcomes = outcomes(messages);
    let mut out = Vec::new();
    for (i, message) in messages.iter().enumerate() {
        let part = |part: &Part| match part {
            Part::Text(text) => Some(json!({"type": "text", "text": text})),
            Part::Call(call) => {
                let state = match outcomes.get(&call.n) {
                    Some(outcome) => {
                        json!({"status": "completed", "input": {}, "output": said(outcome), "title": "t", "metadata": {}, "time": {"start": 1, "end": 2}})
                    }
                    None if call.n % 2 == 0 => json!({"status": "pending", "input": {}, "raw": ""}),
                    None => json!({"status": "running", "input": {}, "time": {"start": 1}}),
                };
                Some(json!({"type": "tool", "callID": call.id, "tool": call.tool, "state": state}))
            }
            _ => None,
        };
        let parts: Vec<Value> = message.parts.iter().filter_map(part).collect();
        let calls = message
            .parts
            .iter()
            .any(|part| matches!(part, Part::Call(_)));
        let role = if message.model || calls {
            "assistant"
        } else {
            "user"
        };
        if !parts.is_empty() {
            out.push(json!({"info": {"id": format!("msg_{i}"), "role": role, "time": {"created": 7}}, "parts": parts}));
        }
    }
    out
}
