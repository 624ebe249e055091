//! Thinking that is bound to what stands before it: a tool loop of 200 calls through the proxy and `run`, at a provider that refuses what
//! Anthropic's refuses. Results have 12 sizes and are of 5 tools, edits among them, and one holds a prompt that was queued while the model
//! worked.

use crate::bound_provider::{Bound, ask, cleared, serve};
use crate::process::{Proxy, program};
use serde_json::{Value, json};

const CALLS: usize = 200;
/// Chars of the results, by turns.
const SIZES: [usize; 12] = [
    20, 400, 3_000, 30, 1_500, 6_000, 46, 1_200, 8_000, 47, 2_500, 4_000,
];
const TOOLS: [&str; 5] = ["Read", "Bash", "Grep", "Edit", "WebFetch"];
/// The call whose result holds a prompt of the user.
const QUEUED: usize = 190;
const PROMPT: &str = "Never touch the legacy folder";
const POLICY: [&str; 4] = [
    "--preset",
    "break-even",
    "--set",
    "breakEven.minTokens={search:300,shell:300,read:300,edit:null,task:300,other:300}",
];
/// What the provider counts of prompts.
const COUNTS: [&str; 3] = ["tokens", "read", "written"];
/// The test that is the provider, if it is started as one.
const SERVES: &str = "bound::the_provider_clears_by_the_rule";
/// The test that is the agent.
const ASKS: &str = "bound::an_agent_behind_run_is_pruned";

/// The call that the model makes after so many.
fn next(calls: usize) -> Value {
    let name = TOOLS[calls * 7 % TOOLS.len()];
    json!({"type": "tool_use", "id": format!("toolu_{calls:03}"), "name": name, "input": {"file_path": format!("/src/{calls}.rs")}})
}

fn result(call: usize) -> Value {
    let mut text: String = format!("{call} fn main() {{ a line of output }}\n")
        .chars()
        .cycle()
        .take(SIZES[call % SIZES.len()])
        .collect();
    if call == QUEUED {
        text += &format!(
            "\n\n<system-reminder>\nThe user sent a new message while you were working:\n{PROMPT}\n</system-reminder>"
        );
    }
    json!({"type": "tool_result", "tool_use_id": format!("toolu_{call:03}"), "content": text})
}

/// The loop as an agent runs it: the last body, and the status of each answer. `own` is whether it sends an edit of its own.
fn talk(url: &str, own: bool) -> (Value, Vec<u16>) {
    let mut statuses = Vec::new();
    let body = talk_with(url, own, |status, _| statuses.push(status));
    (body, statuses)
}

/// Runs the loop, and shows each answer. Returns the last body.
fn talk_with(url: &str, own: bool, mut answered: impl FnMut(u16, &Value)) -> Value {
    let mark = json!({"type": "ephemeral"});
    let tools: Vec<Value> = TOOLS
        .iter()
        .map(|name| json!({"name": name, "input_schema": {"type": "object"}}))
        .collect();
    let system =
        json!([{"type": "text", "text": "You are an agent. ".repeat(600), "cache_control": mark}]);
    let mut body = json!({"model": "claude-opus-5-5", "max_tokens": 100, "thinking": {"type": "adaptive"}, "tools": tools,
        "system": system, "messages": [{"role": "user", "content": [{"type": "text", "text": "Look at everything"}]}]});
    if own {
        body["context_management"] =
            json!({"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]});
    }
    for call in 0..=CALLS {
        let mut sent = body.clone();
        let last = sent["messages"].as_array_mut().unwrap().last_mut().unwrap();
        last["content"].as_array_mut().unwrap().last_mut().unwrap()["cache_control"] = mark.clone();
        let (status, answer) = ask(url, &sent);
        answered(status, &answer);
        if status != 200 || call == CALLS {
            break;
        }
        let messages = body["messages"].as_array_mut().unwrap();
        messages.push(json!({"role": "assistant", "content": answer["content"]}));
        messages.push(json!({"role": "user", "content": [result(call)]}));
    }
    body
}

/// The session as Claude Code logs it: the messages of the last body, and the answers with what the provider counted.
fn log(body: &Value, answers: &[Value]) -> String {
    let asked = body["messages"].as_array().unwrap().iter().step_by(2);
    let messages = asked
        .zip(answers)
        .flat_map(|(asked, answer)| [asked, answer]);
    let mut lines = String::new();
    for (n, message) in messages.enumerate() {
        let (answered, mut message) = (n % 2 == 1, message.clone());
        if answered {
            message["id"] = json!(format!("msg_{n}"));
        }
        // A call takes ten seconds.
        let time = format!(
            "2026-11-20T{:02}:{:02}:{:02}.000Z",
            n / 720,
            n / 12 % 60,
            n % 12 * 5
        );
        let parent = n.checked_sub(1).map(|n| format!("u{n}"));
        lines += &json!({"type": message["role"], "uuid": format!("u{n}"), "parentUuid": parent, "sessionId": "s", "timestamp": time,
            "requestId": answered.then(|| format!("req_{n}")), "message": message})
        .to_string();
        lines.push('\n');
    }
    lines
}

/// Tokens of a session's prompts, and what they cost in tokens of input that is not cached: a token that is read from the cache costs a
/// tenth of one, a token that is written for five minutes a quarter more.
fn costs(totals: &Value, [all, read, written]: [&str; 3]) -> [f64; 2] {
    let [all, read, written] = [all, read, written].map(|name| totals[name].as_f64().unwrap());
    [all, all - 0.9 * read + 0.25 * written]
}

/// What a replay promises of the session: tokens and cost, whole and pruned.
fn promised() -> [[f64; 2]; 2] {
    let (provider, home) = (Bound::start(SERVES, "binds"), tempfile::tempdir().unwrap());
    let mut answers = Vec::new();
    let body = talk_with(&provider.url, false, |_, answer| {
        answers.push(answer.clone())
    });
    std::fs::write(home.path().join("s.jsonl"), log(&body, &answers)).unwrap();
    let output = program(home.path())
        .args(["replay", "--report-format", "json", "s.jsonl"])
        .args(POLICY)
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let [before, after] = ["baseline", "pruned"]
        .map(|name| costs(&report[name], ["prompt", "cacheRead", "cacheWrite"]));
    // The log is the session: without pruning, its prompts are those that the provider counted.
    assert_eq!(before, costs(&provider.totals(), COUNTS));
    [before, after]
}

/// What the provider counted of the loop through a proxy with these flags.
fn looped(words: &str, flags: &[&str], own: bool) -> (Value, Proxy) {
    let provider = Bound::start(SERVES, words);
    let proxy = Proxy::start(&[&["--upstream", &provider.url], flags].concat());
    let (_, statuses) = talk(&proxy.url, own);
    assert_eq!(statuses, [200; CALLS + 1], "{flags:?}");
    (provider.totals(), proxy)
}

/// The made provider clears by the rule that Anthropic's server has, and binds thinking.
#[test]
fn the_provider_clears_by_the_rule() {
    if let Ok(words) = std::env::var("MADE_PROVIDER") {
        return serve(&words, next);
    }
    let provider = Bound::start(SERVES, "binds");
    let (mut body, statuses) = talk(&provider.url, false);
    assert_eq!(statuses, [200; CALLS + 1]);
    body["context_management"] = json!({"edits": [{"type": "clear_tool_uses_20250919",
        "trigger": {"type": "tool_uses", "value": 1}, "keep": {"type": "tool_uses", "value": 100}, "exclude_tools": ["Edit"]}]});
    // Of 200 results 40 are of edits, and of the others 42 have up to 46 bytes.
    assert_eq!(cleared(&body, 0).len(), 18);
    assert_eq!(ask(&provider.url, &body).0, 200);
    body["messages"][2]["content"][0]["content"] = json!("changed");
    assert_eq!(ask(&provider.url, &body).0, 400);
}

/// Through the proxy no request is refused, the run of cleared results only grows, the prompt of the user stays, and as many tokens go as
/// if results were cut here at a provider that does not bind thinking. A replay of the session promises no more than that, and not much less.
#[test]
fn a_bound_loop_is_cleared_by_the_server() {
    let flags = |how: &'static str| [&POLICY[..], &["--thinking", how]].concat();
    let (here, _) = looped("", &flags("keep"), false);
    let [whole, left] = promised();
    for own in [false, true] {
        let (served, _) = looped("binds", &flags("server"), own);
        let counts: Vec<u64> = serde_json::from_value(served["cleared"].clone()).unwrap();
        assert!(
            counts.is_sorted() && *counts.last().unwrap() > 90,
            "{counts:?}"
        );
        for totals in [&served, &here] {
            // A user's words are never cut, wherever they stand.
            let last = totals["last"].as_str().unwrap();
            assert!(last.contains(PROMPT));
        }
        let [tokens, cut] = [&served, &here].map(|totals| totals["tokens"].as_f64().unwrap());
        assert!((tokens / cut - 1.0).abs() < 0.05, "{tokens} {cut}");
        for (i, delivered) in costs(&served, COUNTS).into_iter().enumerate() {
            let (promise, saved) = (whole[i] - left[i], whole[i] - delivered);
            assert!(
                promise <= saved && promise > 0.8 * saved,
                "{i}: {promise} {saved}"
            );
        }
    }
}

/// A server that clears one result more than it was asked to is noticed, and asked no more in that session.
#[test]
fn a_server_that_counts_otherwise_is_asked_no_more() {
    let flags = [&POLICY[..], &["--thinking", "server"]].concat();
    let (served, proxy) = looped("binds more", &flags, true);
    let counts: Vec<u64> = serde_json::from_value(served["cleared"].clone()).unwrap();
    assert_eq!(
        counts.iter().filter(|cleared| **cleared > 0).count(),
        1,
        "{counts:?}"
    );
    proxy.lines.wait("it is not asked again in this session");
}

/// An agent under `run` is pruned likewise, with and without an edit of its own; at an upstream that is not Anthropic's only if that is asked for, and the last line says so.
#[test]
fn an_agent_behind_run_is_pruned() {
    if let Ok(url) = std::env::var("ANTHROPIC_BASE_URL") {
        let own = std::env::var("OWN_EDIT").is_ok_and(|own| own == "true");
        let (_, statuses) = talk(url.trim_end_matches('/'), own);
        assert_eq!(statuses, [200; CALLS + 1]);
        return;
    }
    for (how, own) in [("server", true), ("server", false), ("auto", true)] {
        let (provider, home) = (Bound::start(SERVES, "binds"), tempfile::tempdir().unwrap());
        let output = program(home.path())
            .arg("run")
            .args(POLICY)
            .args(["--thinking", how, "--max-wait", "60000", "--"])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", ASKS])
            .env("ANTHROPIC_BASE_URL", &provider.url)
            .env("OWN_EDIT", own.to_string())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said} {printed}");
        let last = provider.totals()["cleared"]
            .as_array()
            .unwrap()
            .last()
            .cloned();
        if how == "server" {
            assert!(last.unwrap().as_u64() > Some(90), "{said}");
        } else {
            assert_eq!(last.unwrap(), 0);
            assert!(
                said.contains("left alone, as reasoning is bound to what would be cut"),
                "{said}"
            );
        }
    }
}
