//! OpenClaw's releases beside what they cut: the providers for which each of them prunes by the clock, and the edits that 2026.9 sends.

use crate::support::{Place, deadhead};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

const RELEASES: [&str; 5] = [
    "openclaw-2026.1",
    "openclaw-2026.4",
    "openclaw-2026.7",
    "openclaw-2026.8",
    "openclaw-2026.9",
];

/// A provider, a model, the API in its log, and the releases that prune then, by their months.
const PROVIDERS: &[(&str, &str, &str, &str)] = &[
    (
        "anthropic",
        "claude-sonnet-4-5",
        "anthropic-messages",
        "14789",
    ),
    ("Anthropic ", "claude-sonnet-4-5", "", "14789"),
    ("", "", "", "14789"),
    (
        "openrouter",
        "anthropic/claude-sonnet-4.5",
        "openai-completions",
        "14789",
    ),
    (
        "openrouter",
        "moonshotai/kimi-k2",
        "openai-completions",
        "4789",
    ),
    ("openrouter", "zai/glm-4.6", "openai-completions", "4789"),
    (
        "openrouter",
        "deepseek/deepseek-v3",
        "openai-completions",
        "9",
    ),
    ("openrouter", "openai/gpt-5", "openai-completions", ""),
    // Its own rule comes first.
    ("openrouter", "openai/gpt-5", "anthropic-messages", ""),
    (
        "anthropic-vertex",
        "claude-sonnet-4-5",
        "anthropic-vertex",
        "4789",
    ),
    (
        "amazon-bedrock",
        "us.anthropic.claude-opus-4-5-v1:0",
        "bedrock-converse-stream",
        "4789",
    ),
    (
        "amazon-bedrock",
        "amazon.nova-pro-v1:0",
        "bedrock-converse-stream",
        "",
    ),
    (
        "amazon-bedrock",
        "arn:aws:bedrock:us-east-1:1:application-inference-profile/my-claude",
        "",
        "4789",
    ),
    (
        "amazon-bedrock",
        "arn:aws:bedrock:us-east-1:1:application-inference-profile/claude/x",
        "",
        "",
    ),
    ("zai", "glm-4.6", "openai-completions", "4789"),
    ("minimax", "MiniMax-M2", "anthropic-messages", "4789"),
    ("my-gateway", "some-model", "anthropic-messages", "4789"),
    ("my-gateway", "some-model", "openai-completions", ""),
    ("moonshot", "kimi-k2", "openai-completions", ""),
    (
        "kilocode",
        "anthropic/claude-opus-4.5",
        "openai-completions",
        "4789",
    ),
    ("kilocode", "openai/gpt-5", "openai-completions", ""),
    ("google", "gemini-3-pro", "google-generative-ai", "4789"),
    (
        "my-google",
        "gemini-2.5-flash",
        "google-generative-ai",
        "4789",
    ),
    ("google", "gemini-live-2.5", "google-generative-ai", ""),
    ("google-vertex", "gemini-3-pro", "google-vertex", ""),
    ("openai", "gpt-5.1", "openai-responses", "9"),
    (
        "openai-codex",
        "gpt-5.1-codex",
        "openai-codex-responses",
        "9",
    ),
    ("ollama", "qwen3", "openai-completions", ""),
];

type Names = &'static [&'static str];
type Sent = (Names, Names, u64, Names, u64, u64, Names);

/// Tools that are allowed and denied, the window in tokens, tools of the body beside those that it calls, and what 2026.9 asks for: from
/// how many tokens on, how many must go, and which tools stay.
const SENT: &[Sent] = &[
    (&[], &[], 200_000, &[], 60_000, 12_500, &[]),
    (&[], &[], 100_000, &[], 50_000, 12_500, &[]),
    (&[], &[], 1_000_000, &[], 300_000, 50_000, &[]),
    (&[], &[], 333_333, &[], 99_999, 16_666, &[]),
    (&[], &["read"], 200_000, &[], 60_000, 12_500, &["read"]),
    (
        &[],
        &["write", "nobody"],
        200_000,
        &["write"],
        60_000,
        12_500,
        &["nobody", "write"],
    ),
    (
        &[],
        &["*re*"],
        200_000,
        &["Reload", "exec"],
        60_000,
        12_500,
        &["Reload", "read"],
    ),
    (
        &["exec"],
        &[],
        200_000,
        &["exec"],
        60_000,
        12_500,
        &["read"],
    ),
    (
        &["*"],
        &["*"],
        200_000,
        &["exec"],
        60_000,
        12_500,
        &["exec", "read"],
    ),
];

pub fn trials() -> Vec<Trial> {
    let providers = PROVIDERS.iter().map(|row| {
        Trial::test(
            format!("openclaw {} {} {}", row.0, row.1, row.2),
            move || eligible(*row),
        )
    });
    providers
        .chain([
            Trial::test("openclaw-2026.7 full width", full_width),
            Trial::test("openclaw-2026.9 context_management", sent),
        ])
        .collect()
}

/// A log of that provider, in which an old result is large.
fn eligible((provider, model, api, releases): (&str, &str, &str, &str)) -> Result<(), Failed> {
    let mut lines = vec![
        json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/"}),
    ];
    let mut push = |message: Value| {
        let parent = if lines.len() > 1 {
            json!(format!("e{}", lines.len() - 1))
        } else {
            Value::Null
        };
        let id = format!("e{}", lines.len());
        lines.push(json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2026-01-01T00:00:00.000Z", "message": message}));
    };
    push(json!({"role": "user", "content": "go", "timestamp": 1}));
    for i in 0..5 {
        let call =
            json!({"type": "toolCall", "id": format!("t{i}"), "name": "read", "arguments": {}});
        let mut answer = json!({"role": "assistant", "content": [call], "timestamp": 1000 + i});
        for (key, value) in [("provider", provider), ("model", model), ("api", api)]
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
        {
            answer[key] = json!(value);
        }
        push(answer);
        let text = json!([{"type": "text", "text": "0123456789".repeat(800)}]);
        push(
            json!({"role": "toolResult", "toolCallId": format!("t{i}"), "toolName": "read", "content": text, "timestamp": 2000 + i}),
        );
    }
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    for release in RELEASES {
        let mut command = deadhead();
        command.args([
            "prune",
            "-q",
            "--preset",
            release,
            "--context-window=20000",
            "--now=2026-01-02T00:00:00Z",
        ]);
        let output = command.write_stdin(input.clone()).output().unwrap();
        let is_cut = String::from_utf8_lossy(&output.stdout)
            .contains("[Tool result trimmed: kept first 1500");
        let month = &release["openclaw-2026.".len()..];
        if !output.status.success() || is_cut != releases.contains(month) {
            return Err(format!(
                "{release}: {}",
                if is_cut {
                    "it prunes"
                } else {
                    "it does not prune"
                }
            )
            .into());
        }
    }
    Ok(())
}

/// Full-width letters and signs weigh as much as Chinese in 2026.7, and as little as Latin letters in 2026.4.
fn full_width() -> Result<(), Failed> {
    for (text, releases) in [
        ("a", ""),
        ("字", "4789"),
        ("Ａ", "789"),
        ("￥", "789"),
        ("：", "789"),
    ] {
        let call = json!({"type": "tool_use", "id": "t", "name": "read", "input": {}});
        let result =
            json!({"type": "tool_result", "tool_use_id": "t", "content": "x".repeat(5000)});
        let mut messages = vec![
            json!({"role": "user", "content": text.repeat(3000)}),
            json!({"role": "assistant", "content": [call]}),
            json!({"role": "user", "content": [result]}),
        ];
        messages.extend((0..3).map(|_| json!({"role": "assistant", "content": "ok"})));
        let body = json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": messages});
        for release in &RELEASES[1..] {
            let mut command = deadhead();
            command.args(["prune", "-q", "--assume-cold", "--context-window=10000"]);
            command.args(["--preset", release]);
            let output = command.write_stdin(body.to_string()).output().unwrap();
            let is_cut = String::from_utf8_lossy(&output.stdout).contains("[Tool result trimmed");
            if is_cut != releases.contains(&release["openclaw-2026.".len()..]) {
                return Err(format!("{release} {text}: {is_cut}").into());
            }
        }
    }
    Ok(())
}

/// With a key of Anthropic's the client cuts nothing, and asks the server to.
fn sent() -> Result<(), Failed> {
    for (allow, deny, window, tools, trigger, least, excluded) in SENT {
        let mut messages = vec![json!({"role": "user", "content": "go"})];
        for i in 0..5 {
            let call =
                json!({"type": "tool_use", "id": format!("t{i}"), "name": "read", "input": {}});
            messages.push(json!({"role": "assistant", "content": [call]}));
            let result = json!({"type": "tool_result", "tool_use_id": format!("t{i}"), "content": "0123456789".repeat(80_000)});
            messages.push(json!({"role": "user", "content": [result]}));
        }
        let tools: Vec<Value> = tools
            .iter()
            .map(|name| json!({"name": name, "input_schema": {"type": "object"}}))
            .collect();
        let mut body = json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "tools": tools, "messages": messages});
        let place = Place::new();
        let tools = json!({"contextPruning": {"tools": {"allow": allow, "deny": deny}}});
        let config = place.file("c.json", tools.to_string());
        let mut command = deadhead();
        command
            .args([
                "prune",
                "-q",
                "--preset=openclaw-2026.9",
                "--assume-cold",
                "--context-management=emit",
                "--config",
            ])
            .arg(config);
        command.arg(format!("--context-window={window}"));
        let output = command.write_stdin(body.to_string()).output().unwrap();
        body["context_management"] = json!({"edits": [{
            "type": "clear_tool_uses_20250919",
            "trigger": {"type": "input_tokens", "value": trigger},
            "keep": {"type": "tool_uses", "value": 3},
            "clear_at_least": {"type": "input_tokens", "value": least},
            "exclude_tools": excluded,
            "clear_tool_inputs": false,
        }]});
        let found: Value =
            serde_json::from_slice(&output.stdout).map_err(|e| format!("{e}: {output:?}"))?;
        if found != body {
            return Err(format!(
                "window {window}: {}, wanted {}",
                found["context_management"], body["context_management"]
            )
            .into());
        }
    }
    Ok(())
}
