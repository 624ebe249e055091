//! Which routes are pruned, and where requests without a fixed upstream go.

use crate::bodies::{body, chat, claude, converse, gemini, hosted, responses};
use crate::client::{get, post};
use crate::forwarding::both;
use crate::process::Proxy;

/// Each route that agents use, with its body; those of agents.md that one version or another of a proxy passed unpruned and uncounted are
/// among them.
#[test]
fn every_route_is_pruned() {
    let (provider, proxy) = both();
    let (turns, size) = (12, 3000);
    let anthropic = claude(turns, size, "a");
    let [chat, responses] = [chat(turns, size), responses(turns, size)].map(|made| body(&made));
    let gemini = gemini(turns, size);
    let [converse, hosted] = [converse(turns, size), hosted(turns, size)].map(|made| body(&made));
    let wrapped = body(
        &serde_json::json!({"model": "gemini-2.5-pro", "project": "p", "user_prompt_id": "u", "request": gemini}),
    );
    let gemini = body(&gemini);
    let rows: [(&str, &[u8]); 21] = [
        ("/v1/messages?beta=true", &anthropic),
        ("/v1/messages/", &anthropic),
        ("/s/team/v1/messages", &anthropic),
        ("/v1/messages/count_tokens", &anthropic),
        ("/v1/chat/completions", &chat),
        ("/v1/chat/completions/", &chat),
        ("/api/v1/chat/completions", &chat),
        ("/v1/responses", &responses),
        ("/responses", &responses),
        ("/backend-api/codex/responses", &responses),
        ("/v1beta/models/gemini-2.5-pro:generateContent", &gemini),
        (
            "/v1/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
            &gemini,
        ),
        (
            "/v1beta1/publishers/google/models/gemini-2.5-pro:streamGenerateContent",
            &gemini,
        ),
        ("/v1internal:streamGenerateContent", &wrapped),
        (
            "/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse",
            &converse,
        ),
        (
            "/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream",
            &converse,
        ),
        (
            "/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke",
            &hosted,
        ),
        (
            "/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream",
            &hosted,
        ),
        ("/v2/chat", &chat),
        (
            "/v1/projects/p/locations/l/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict",
            &hosted,
        ),
        (
            "/v1/projects/p/locations/l/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict",
            &hosted,
        ),
    ];
    for (path, sent) in rows {
        let answer = post(&proxy.url, path, &[], sent);
        let seen = provider.last();
        assert!(
            seen.body.len() * 2 < sent.len(),
            "{path}: {:?}",
            answer.header("x-deadhead-report")
        );
        assert_eq!(
            seen.line.split(' ').nth(1).unwrap(),
            path.strip_prefix("/s/team").unwrap_or(path)
        );
    }
    let metrics = proxy.metrics();
    assert_eq!(
        metrics["deadhead_requests_total{outcome=\"pruned\"}"],
        rows.len() as f64
    );
}

/// A batch has several bodies.
#[test]
fn a_batch_is_pruned() {
    let (provider, proxy) = both();
    let anthropic = claude(12, 3000, "a");
    let batch = body(&serde_json::json!({"requests": [
        {"custom_id": "1", "params": serde_json::from_slice::<serde_json::Value>(&anthropic).unwrap()},
        {"custom_id": "2", "params": {"model": "claude-sonnet-4-5", "max_tokens": 1, "messages": [{"role": "user", "content": "hi"}]}}]}));
    post(&proxy.url, "/v1/messages/batches", &[], &batch);
    assert!(provider.last().body.len() * 2 < batch.len());
}

/// A compaction that is asked for by its path needs the whole context: nothing new is cut, and what was cut stays.
#[test]
fn what_is_to_be_summed_up_has_no_new_cut() {
    let (provider, proxy) = both();
    let sent = |path: &str, turns: usize| {
        let sent = body(&responses(turns, 3000));
        post(&proxy.url, path, &[], &sent);
        let seen = String::from_utf8(provider.last().body).unwrap();
        (
            seen.matches("[Old tool result").count(),
            seen.len() == sent.len(),
        )
    };
    assert_eq!(sent("/v1/responses/compact", 12), (0, true));
    let (cuts, _) = sent("/v1/responses", 12);
    assert!(cuts > 5, "{cuts}");
    assert_eq!(sent("/v1/responses/compact", 14).0, cuts);
    assert!(sent("/v1/responses", 14).0 > cuts);
}

/// The model of a path is that of its price: one that has none is an outcome of its own.
#[test]
fn a_model_that_is_not_known_is_counted() {
    let (_provider, proxy) = both();
    let sent = body(&gemini(1, 10));
    post(
        &proxy.url,
        "/v1beta/models/gemini-2.5-pro:generateContent",
        &[],
        &sent,
    );
    post(
        &proxy.url,
        "/v1beta/models/prod-alias:generateContent",
        &[],
        &sent,
    );
    let metrics = proxy.metrics();
    assert_eq!(
        metrics["deadhead_requests_total{outcome=\"unchanged\"}"],
        1.0
    );
    assert_eq!(
        metrics["deadhead_requests_total{outcome=\"unknown-model\"}"],
        1.0
    );
}

/// Without --upstream, a path that no provider is known for is refused; no host that the client names is asked.
#[test]
fn a_path_that_nobody_knows_is_refused() {
    let proxy = Proxy::start(&[]);
    for path in ["/", "/v9/x", "//127.0.0.1:9/v1/messages"] {
        let answer = get(&proxy.url, path);
        assert_eq!(answer.status, 404, "{path}");
        assert!(
            String::from_utf8_lossy(&answer.body).contains("no provider is known for this path")
        );
    }
    let answer = get(&proxy.url, "/healthz");
    assert_eq!((answer.status, &answer.body[..]), (200, &b"ok\n"[..]));
}
