//! Sessions: what was cut stays cut, byte for byte; conversations do not mix; state and workloads.

use crate::bodies::claude;
use crate::client::post;
use crate::process::{Proxy, program};
use crate::provider::Provider;

/// A session of Claude Code's shape, with marks on the system prompt and the newest block, is cut by the policy that is the default
/// (headroom #3561: nothing was compressed on that shape; #327, #2438, #2671: the cache's reads collapsed, and sessions cost 2 to 7 times
/// as much). It is never dearer than the policy's budget, by the simulator of the cache; and a retry sends the same bytes.
#[test]
fn a_growing_session_is_cut_and_never_dearer() {
    let provider = Provider::start();
    let proxy = Proxy::start(&["--upstream", &provider.url]);
    let (mut last, mut least) = (Vec::new(), 0.0_f64);
    for turns in 1..=40 {
        let body = claude(turns, 18_000, "a");
        for _ in 0..2 {
            post(&proxy.url, "/v1/messages?beta=true", &[], &body);
        }
        let seen = provider.seen(2 * turns);
        let [first, again] = &seen[seen.len() - 2..] else {
            panic!("two requests")
        };
        assert_eq!(first.body, again.body, "{turns}");
        least = least.min(proxy.metrics()["deadhead_saved_dollars"]);
        last = again.body.clone();
    }
    assert!(
        last.len() * 5 < claude(40, 18_000, "a").len(),
        "{}",
        last.len()
    );
    let saved = proxy.metrics()["deadhead_saved_dollars"];
    assert!(saved > 0.05 && least > -0.001, "{saved} {least}");
}

/// A result that was cut and that the agent asks for again is counted once, when it asks.
#[test]
fn what_is_needed_again_is_counted() {
    let provider = Provider::start();
    let proxy = Proxy::start(&["--upstream", &provider.url]);
    for turns in 1..=24 {
        post(&proxy.url, "/v1/messages", &[], &claude(turns, 18_000, "a"));
    }
    assert_eq!(proxy.metrics()["deadhead_needed_again_total"], 0.0);
    let mut body: serde_json::Value = serde_json::from_slice(&claude(24, 18_000, "a")).unwrap();
    let call = serde_json::json!({"type": "tool_use", "id": "toolu_again", "name": "Read", "input": {"file_path": "/app/0.txt"}});
    let result = serde_json::json!({"type": "tool_result", "tool_use_id": "toolu_again", "content": "short"});
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(serde_json::json!({"role": "assistant", "content": [call]}));
    messages.push(serde_json::json!({"role": "user", "content": [result]}));
    for _ in 0..2 {
        post(
            &proxy.url,
            "/v1/messages",
            &[],
            &serde_json::to_vec(&body).unwrap(),
        );
        assert_eq!(proxy.metrics()["deadhead_needed_again_total"], 1.0);
    }
}

/// Conversations of one session, as those of an agent and its subagents, have a state each: none makes another dearer.
#[test]
fn conversations_do_not_mix() {
    let provider = Provider::start();
    let proxy = Proxy::start(&["--upstream", &provider.url]);
    let session = [("X-Claude-Code-Session-Id", "one")];
    let alone = |name: &str| {
        let (provider, mut sizes) = (Provider::start(), Vec::new());
        let proxy = Proxy::start(&["--upstream", &provider.url]);
        for turns in 1..=24 {
            let body = claude(turns, 18_000, name);
            post(&proxy.url, "/v1/messages", &session, &body);
            sizes.push(provider.last().body.len());
        }
        sizes
    };
    let want = alone("a");
    let title = serde_json::json!({"model": "claude-haiku-4-5", "max_tokens": 9, "messages": [{"role": "user", "content": "a title"}]});
    let mut sizes = Vec::new();
    for turns in 1..=24 {
        post(
            &proxy.url,
            "/v1/messages",
            &session,
            &serde_json::to_vec(&title).unwrap(),
        );
        post(
            &proxy.url,
            "/v1/messages",
            &session,
            &claude(turns, 18_000, "a"),
        );
        sizes.push(provider.last().body.len());
    }
    assert_eq!(sizes, want);
    assert!(*want.last().unwrap() < 60_000);
}

/// A request that continues from an answer reads the cache of that answer's conversation: the whole conversation, sent again
/// after it, is warm (anthropic 2.14.0, message threads; openai 3.57.0, `previous_response_id`).
#[test]
fn a_thread_keeps_the_clock_of_its_conversation() {
    let continued = |id: &str| {
        [
            serde_json::json!({"model": "claude-opus-4-8", "max_tokens": 9, "thread": {"type": "continue", "previous_message_id": id},
                "messages": [{"role": "user", "content": "on"}]}),
            serde_json::json!({"model": "gpt-5.5", "previous_response_id": id, "input": "on"}),
        ]
    };
    for (kind, first) in ["msg_1", "resp_1"].into_iter().enumerate() {
        for is_named in [true, false] {
            let provider = Provider::start();
            let proxy = Proxy::start(&[
                "--upstream",
                &provider.url,
                "--mode",
                "cache-ttl",
                "--ttl",
                "2s",
                "--context-window",
                "20000",
                "--set",
                "contextPruning.keepLastAssistants=1",
            ]);
            let whole = claude(24, 18_000, "a");
            post(&proxy.url, "/v1/messages", &[("x-id", first)], &whole);
            for step in ["1", "2"] {
                std::thread::sleep(std::time::Duration::from_millis(1300));
                let before = if step == "1" { first } else { "msg_2" };
                let before = if is_named { before } else { "msg_other" };
                let body = serde_json::to_vec(&continued(before)[kind]).unwrap();
                let path = ["/v1/messages", "/v1/responses"][kind];
                post(&proxy.url, path, &[("x-id", "msg_2")], &body);
            }
            post(&proxy.url, "/v1/messages", &[], &whole);
            assert_eq!(
                provider.last().body == whole,
                is_named,
                "{first} {is_named}"
            );
        }
    }
}

/// A count of tokens is pruned as its request would be, and the session does not learn of it.
#[test]
fn a_count_leaves_no_trace() {
    let provider = Provider::start();
    let proxy = Proxy::start(&["--upstream", &provider.url, "--state", "state.db"]);
    let body = claude(40, 18_000, "a");
    post(&proxy.url, "/v1/messages/count_tokens", &[], &body);
    let listed = || {
        let shown = program(proxy.home.path())
            .args(["state", "show", "--state", "state.db", "--json"])
            .output()
            .unwrap();
        assert!(shown.status.success());
        let shown: serde_json::Value = serde_json::from_slice(&shown.stdout).unwrap();
        shown["sessions"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(listed(), 0);
    post(&proxy.url, "/v1/messages", &[], &body);
    assert_eq!(listed(), 1);
    assert!(proxy.metrics()["deadhead_prompt_tokens_total{side=\"before\"}"] > 100_000.0);
}

/// Names of sessions, the surest first: the path, the header that the user names, those of agents.
#[test]
fn a_session_has_the_name_that_is_given() {
    let provider = Provider::start();
    let proxy = Proxy::start(&[
        "--upstream",
        &provider.url,
        "--state",
        "state.db",
        "--session-header",
        "x-session",
    ]);
    let body = claude(2, 100, "of-the-body");
    let all = [
        ("x-session", "of-the-user"),
        ("X-Claude-Code-Session-Id", "of-the-agent"),
        ("session_id", "weaker"),
    ];
    post(&proxy.url, "/s/of-the-path/v1/messages", &all, &body);
    post(&proxy.url, "/v1/messages", &all, &body);
    assert_eq!(provider.last().header("x-session"), None);
    assert_eq!(provider.last().header("session_id"), Some("weaker"));
    post(&proxy.url, "/v1/messages", &all[1..], &body);
    post(&proxy.url, "/v1/messages", &[], &body);
    let shown = program(proxy.home.path())
        .args(["state", "show", "--state", "state.db"])
        .output()
        .unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    for name in [
        "of-the-path/",
        "of-the-user/",
        "of-the-agent/",
        "of-the-body",
    ] {
        assert_eq!(
            shown.lines().filter(|line| line.contains(name)).count(),
            1,
            "{name}: {shown}"
        );
    }
    assert!(!shown.contains("weaker"));
}

/// Requests of workloads have their settings, and are listed for auditors.
#[test]
fn workloads_have_their_settings() {
    let provider = Provider::start();
    let config = tempfile::NamedTempFile::new().unwrap();
    let text = "{contextPruning: {mode: 'off'}, workloads: {chat: {contextPruning: {mode: 'aggressive'}}, batch: {}}}";
    std::fs::write(config.path(), text).unwrap();
    let path = config.path().to_str().unwrap();
    let proxy = Proxy::start(&[
        "--upstream",
        &provider.url,
        "--config",
        path,
        "--state",
        "state.db",
        "--workload",
        "chat",
        "--workload-header",
        "x-workload",
    ]);
    let body = claude(12, 3000, "a");
    let mut sizes = Vec::new();
    for (i, named) in ["", "batch", "chap"].into_iter().enumerate() {
        post(
            &proxy.url,
            &format!("/s/{i}/v1/messages"),
            &[("x-workload", named)],
            &body,
        );
        sizes.push(provider.last().body.len() < body.len());
    }
    assert_eq!(sizes, [true, false, true]);
    proxy
        .lines
        .wait("unknown workload \"chap\": the proxy's own settings are used");
    let audited = |workload: &str| {
        let audit = [
            "state",
            "audit",
            "--state",
            "state.db",
            "--format",
            "jsonl",
            "--workload",
            workload,
        ];
        let listed = program(proxy.home.path()).args(audit).output().unwrap();
        String::from_utf8(listed.stdout).unwrap().lines().count()
    };
    assert_eq!((audited("chat"), audited("batch")), (2, 1));
}
