//! A state file of version 0.1.0 keeps its meaning: the cuts in it are made again, byte for byte.
//!
//! `state/0.1.0.db.zst` was written by that version from the bodies below: five of eight results of each were cleared. The
//! three differ in how a result is known: by the id that it spells, by its call's id, and by what its call says.

use crate::support::{Place, deadhead};
use serde_json::{Value, json};

const STATE: &[u8] = include_bytes!("../state/0.1.0.db.zst");
const CLEARED: &str = "[Old tool result content cleared]";

fn result(i: usize) -> String {
    format!("RESULT-{i} {}", "word ".repeat(600))
}

fn anthropic() -> Value {
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    for i in 0..8 {
        let id = format!("toolu_{}{i}", if i % 2 == 1 { "é" } else { "" });
        messages.push(json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "Read", "input": {"p": i}}]}));
        messages.push(json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": result(i)}]}));
    }
    let tools = json!([{"name": "Read", "input_schema": {"type": "object"}}]);
    json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "tools": tools, "messages": messages})
}

fn gemini() -> Value {
    let mut contents = vec![json!({"role": "user", "parts": [{"text": "go"}]})];
    for i in 0..8 {
        contents.push(json!({"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"n": i}}}]}));
        let answer = json!({"name": "f", "response": {"output": result(i)}});
        contents.push(json!({"role": "user", "parts": [{"functionResponse": answer}]}));
    }
    json!({"model": "models/gemini-2.5-flash", "contents": contents})
}

fn responses() -> Value {
    let mut input = vec![json!({"role": "user", "content": "go"})];
    for i in 0..8 {
        let action = json!({"type": "exec", "command": ["ls"], "env": {}});
        let (id, call) = (format!("ls_{i}"), format!("call_{i}"));
        input.push(json!({"type": "local_shell_call", "id": id, "call_id": call, "status": "completed", "action": action}));
        input.push(json!({"type": "local_shell_call_output", "id": id, "output": result(i)}));
    }
    json!({"model": "codex-mini-latest", "input": input})
}

#[test]
fn its_cuts_are_made_again() {
    for (session, body) in [("anthropic", anthropic()), ("gemini", gemini()), ("responses", responses())] {
        let place = Place::new();
        place.file("s.db", zstd::decode_all(STATE).unwrap());
        // The last call was a minute ago: no pass runs, and what is cut was cut before.
        let flags = ["-q", "--state=s.db", "--now=2026-01-01T00:11:00Z", "--context-window=2000", "--set=contextPruning.providers=all"];
        let report = ["--session", session, "--report=r.json", "--report-format=json"];
        let mut command = deadhead();
        command.current_dir(place.root()).arg("prune").args(flags).args(report).write_stdin(body.to_string());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{session}: {}", String::from_utf8_lossy(&output.stderr));
        let report: Value = serde_json::from_slice(&std::fs::read(place.path("r.json")).unwrap()).unwrap();
        let report = report.get(0).unwrap_or(&report);
        assert_eq!(report["session"], json!({"name": session, "source": "flag", "kept": 5, "added": 0, "dropped": 0}));
        assert_eq!(report["decision"]["ran"], false, "{session}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.matches(CLEARED).count(), 5, "{session}");
        assert!((0..8).all(|i| text.contains(&format!("RESULT-{i} ")) == (i > 4)), "{session}: {}", &text[..400]);
    }
}
