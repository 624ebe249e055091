//! Logs whose next request the agents themselves have shown (`tests/agents`): `emit` makes it, of the log and of its copies, so that
//! neither `slim` nor `fork` loses a word that is sent.

use crate::support::{Place, deadhead};
use serde_json::Value;
use std::{fs, path::Path};

/// The texts, calls and results of a request, as `tests/agents/README.md` has them.
pub fn flat(body: &Value) -> Vec<String> {
    let text = |content: &Value| match content {
        Value::String(text) => text.trim().to_owned(),
        parts => {
            let texts = parts.as_array().into_iter().flatten();
            let texts = texts.filter_map(|part| part["text"].as_str());
            texts.collect::<String>().trim().to_owned()
        }
    };
    let string = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut found = Vec::new();
    let members = ["messages", "input", "contents"];
    let messages = members.iter().find_map(|name| body.get(name)).unwrap();
    for message in messages.as_array().unwrap() {
        let role = string(&message["role"]);
        let parts = message["parts"].as_array().into_iter().flatten();
        found.extend(parts.map(
            |part| match (&part["functionCall"], &part["functionResponse"]) {
                (Value::Null, Value::Null) => format!("{role} {}", string(&part["text"]).trim()),
                (Value::Null, result) => {
                    let said = &result["response"];
                    let said = said.get("output").or(said.get("error")).unwrap_or(said);
                    format!("result {} {}", string(&result["id"]), text(said))
                }
                (call, _) => format!("call {} {}", string(&call["name"]), string(&call["id"])),
            },
        ));
        match (&*role, message["type"].as_str()) {
            ("system" | "developer", _) | (_, Some("reasoning")) => continue,
            (_, Some("function_call")) => found.push(format!(
                "call {} {}",
                string(&message["name"]),
                string(&message["call_id"])
            )),
            (_, Some("function_call_output")) => found.push(format!(
                "result {} {}",
                string(&message["call_id"]),
                text(&message["output"])
            )),
            ("tool", _) => found.push(format!(
                "result {} {}",
                string(&message["tool_call_id"]),
                text(&message["content"])
            )),
            _ => match &message["content"] {
                Value::Array(parts) => found.extend(parts.iter().map(|part| match &part["type"] {
                    Value::String(kind) if kind == "tool_use" => {
                        format!("call {} {}", string(&part["name"]), string(&part["id"]))
                    }
                    Value::String(kind) if kind == "tool_result" => format!(
                        "result {} {}",
                        string(&part["tool_use_id"]),
                        text(&part["content"])
                    ),
                    _ => format!("{role} {}", string(&part["text"]).trim()),
                })),
                Value::Null => {}
                content => found.push(format!("{role} {}", text(content))),
            },
        }
        let calls = message["tool_calls"].as_array().into_iter().flatten();
        found.extend(calls.map(|call| {
            format!(
                "call {} {}",
                string(&call["function"]["name"]),
                string(&call["id"])
            )
        }));
    }
    found
}

/// What `emit` makes of a log, without the stand-in for the next prompt.
fn emitted(log: &Path) -> Vec<String> {
    let made = deadhead().arg("emit").arg(log).output().unwrap();
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let mut found = flat(&serde_json::from_slice(&made.stdout).unwrap());
    if found.last().is_some_and(|last| last == "user Go on.") {
        found.pop();
    }
    found
}

#[test]
fn emit_slim_and_fork_have_what_the_agents_send() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents");
    let mut compared = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let log = entry.unwrap().path();
        let Ok(sent) = fs::read_to_string(log.with_extension("sent")) else {
            continue;
        };
        if log.extension().is_none_or(|end| end != "jsonl") {
            continue;
        }
        let mut sent: Vec<String> = sent
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        if sent.last().is_some_and(|last| last.ends_with("Go on")) {
            sent.pop();
        }
        let name = log.file_name().unwrap();
        assert_eq!(emitted(&log), sent, "{name:?}");
        let place = Place::new();
        // A rollout may begin with bytes of another one.
        for other in fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            if other.to_string_lossy().contains("rollout-") && other != log {
                fs::copy(&other, place.path(other.file_name().unwrap())).unwrap();
            }
        }
        let slim = place.path(name);
        deadhead()
            .args(["slim", "-q", "-o"])
            .arg(&slim)
            .arg(&log)
            .assert()
            .success();
        assert_eq!(emitted(&slim), sent, "{name:?}, slimmed");
        let fork = place.path("forked.jsonl");
        deadhead()
            .args(["fork", "-q", "-o"])
            .arg(&fork)
            .arg(&log)
            .assert()
            .success();
        assert_eq!(emitted(&fork), sent, "{name:?}, forked");
        compared += 1;
    }
    assert!(compared >= 16, "{compared}");
}
