//! What passes: bytes, headers, targets, methods, encodings.

use crate::bodies::claude;
use crate::client::{Answer, get, post, raw, read, request};
use crate::process::{Proxy, pruned};
use crate::provider::{Provider, packed};

pub const CUTS: [&str; 2] = ["--preset", "clawdbot-aggressive"];

/// A proxy that cuts all old results, in front of a provider.
pub fn both() -> (Provider, Proxy) {
    let provider = Provider::start();
    let proxy = Proxy::start(&[&["--upstream", &provider.url], &CUTS[..]].concat());
    (provider, proxy)
}

/// Headers pass as they came, in their order (headroom #1058, #1808: headers that double, and leak from one session into another).
#[test]
fn a_request_and_its_answer_pass_as_they_are() {
    let (provider, proxy) = both();
    let body = b"{\"model\":\"claude-sonnet-4-5\", \"max_tokens\":1,\"messages\":[{\"role\":\"user\",\"content\":\"\\u0068i\"}]}";
    let headers = [
        ("X-Api-Key", "k"),
        ("anthropic-BETA", "a,b"),
        ("X-Two", "1"),
        ("User-Agent", "test"),
        ("x-two", "2"),
        ("Accept-Encoding", "br"),
    ];
    let sent = request("POST", "/v1/messages?beta=true&x=%2F", &headers, body);
    let (direct, through) = (
        read(&raw(&provider.url, &sent)),
        read(&raw(&proxy.url, &sent)),
    );
    assert_eq!(
        (direct.status, &direct.body),
        (through.status, &through.body)
    );
    let lines = |answer: &Answer| {
        let own = |line: &&str| {
            !line.starts_with("x-deadhead-report: ")
                && !line.to_ascii_lowercase().starts_with("connection: ")
        };
        answer
            .head
            .lines()
            .filter(own)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(&direct), lines(&through));
    assert_eq!(
        through
            .header("x-deadhead-report")
            .unwrap()
            .split("; ")
            .next(),
        Some("outcome=unchanged")
    );
    let [first, second] = &provider.seen(2)[..] else {
        panic!("two requests")
    };
    assert_eq!((&first.line, &first.body), (&second.line, &second.body));
    let others = |headers: &[(String, String)]| {
        let passed = |(name, _): &&(String, String)| {
            !["host", "connection"].contains(&&*name.to_ascii_lowercase())
        };
        headers.iter().filter(passed).cloned().collect::<Vec<_>>()
    };
    // Those of one name are beside each other, which means the same.
    let mut came = others(&first.headers);
    let two = came.remove(4);
    came.insert(3, two);
    assert_eq!(came, others(&second.headers));
    assert_eq!(second.header("host"), provider.url.strip_prefix("http://"));
}

/// What goes out is what the command makes of the body, with the length right.
#[test]
fn a_body_is_pruned_as_by_the_command() {
    let (provider, proxy) = both();
    let body = claude(12, 3000, "a");
    let answer = post(&proxy.url, "/v1/messages", &[], &body);
    let seen = provider.last();
    assert!(seen.body.len() * 2 < body.len());
    assert_eq!(seen.body, pruned(&body, &CUTS));
    assert_eq!(
        seen.header("content-length"),
        Some(&*seen.body.len().to_string())
    );
    let report = answer.header("x-deadhead-report").unwrap();
    assert!(
        report.starts_with("outcome=pruned; tokens-before=") && report.contains("; cuts=9; "),
        "{report}"
    );
    let metrics = proxy.metrics();
    assert_eq!(metrics["deadhead_requests_total{outcome=\"pruned\"}"], 1.0);
    assert!(
        metrics["deadhead_prompt_tokens_total{side=\"after\"}"]
            < metrics["deadhead_prompt_tokens_total{side=\"before\"}"]
    );
    assert_eq!(metrics["deadhead_prune_seconds_count"], 1.0);
}

#[test]
fn other_requests_pass() {
    let (provider, proxy) = both();
    for method in [
        "GET", "HEAD", "DELETE", "OPTIONS", "PUT", "TRACE", "PROPFIND", "PATCH", "LINK",
    ] {
        for path in [
            "/v1/models",
            "/v1/files/a%2Fb//c/?q=1",
            "/",
            "/v1/messages/msg_1",
        ] {
            let answer = read(&raw(&proxy.url, &request(method, path, &[], b"")));
            assert_eq!(answer.status, 200, "{method} {path}");
            assert_eq!(provider.last().line, format!("{method} {path} HTTP/1.1"));
        }
    }
    // A body in pieces.
    let mut sent = b"PUT /v1/files HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    sent.extend_from_slice(
        format!("11170\r\n{}\r\n1\r\ny\r\n0\r\n\r\n", "x".repeat(70_000)).as_bytes(),
    );
    assert_eq!(read(&raw(&proxy.url, &sent)).status, 200);
    assert_eq!(provider.last().body, ("x".repeat(70_000) + "y").as_bytes());
}

/// A transcript in pieces is pruned too, and has a length then.
#[test]
fn a_transcript_in_pieces_is_pruned() {
    let (provider, proxy) = both();
    let body = claude(12, 3000, "a");
    let mut sent = b"POST /v1/messages HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    for piece in body.chunks(5000) {
        sent.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
        sent.extend_from_slice(piece);
        sent.extend_from_slice(b"\r\n");
    }
    sent.extend_from_slice(b"0\r\n\r\n");
    assert_eq!(read(&raw(&proxy.url, &sent)).status, 200);
    let seen = provider.last();
    assert_eq!(seen.body, pruned(&body, &CUTS));
    assert_eq!(seen.header("transfer-encoding"), None);
}

#[test]
fn the_upstream_may_have_a_path() {
    let provider = Provider::start();
    let proxy = Proxy::start(&["--upstream", &format!("{}/api/anthropic/", provider.url)]);
    get(&proxy.url, "/v1/models");
    assert_eq!(
        provider.last().line,
        "GET /api/anthropic/v1/models HTTP/1.1"
    );
}

#[test]
fn a_target_is_passed_in_the_clients_spelling() {
    let (provider, proxy) = both();
    for target in [
        "/v1/a|b\"c",
        "/v1/%7e%2e%2E/../x?q={a}`",
        "//v1///y;p=1",
        "/v1/%zz",
    ] {
        assert_eq!(get(&proxy.url, target).status, 200, "{target}");
        assert_eq!(provider.last().line, format!("GET {target} HTTP/1.1"));
    }
}

/// Bodies that clients compress are read: Codex with a login of ChatGPT sends zstd. What goes out is not compressed, unless it is what came.
#[test]
fn compressed_bodies_are_read() {
    let (provider, proxy) = both();
    let (long, short) = (claude(12, 3000, "a"), claude(1, 10, "b"));
    for encoding in ["gzip", "zstd"] {
        let header = [("Content-Encoding", encoding)];
        post(
            &proxy.url,
            "/v1/messages",
            &header,
            &packed(encoding, &long),
        );
        assert_eq!(provider.last().body, pruned(&long, &CUTS), "{encoding}");
        assert_eq!(provider.last().header("content-encoding"), None);
        let came = packed(encoding, &short);
        post(&proxy.url, "/v1/messages", &header, &came);
        assert_eq!(provider.last().body, came);
        assert_eq!(provider.last().header("content-encoding"), Some(encoding));
    }
    // What is not read passes, and is counted: another encoding, no such bytes, signed bodies.
    post(
        &proxy.url,
        "/v1/messages",
        &[("Content-Encoding", "br")],
        &long,
    );
    assert_eq!(provider.last().body, long);
    post(
        &proxy.url,
        "/v1/messages",
        &[("Content-Encoding", "gzip")],
        &long,
    );
    assert_eq!(provider.last().body, long);
    post(
        &proxy.url,
        "/model/m/invoke",
        &[("Authorization", "AWS4-HMAC-SHA256 Credential=x")],
        &long,
    );
    assert_eq!(provider.last().body, long);
    let metrics = proxy.metrics();
    for why in ["encoding", "failed", "signed"] {
        assert_eq!(
            metrics[&format!("deadhead_requests_total{{outcome=\"passed\",reason=\"{why}\"}}")],
            1.0,
            "{why}"
        );
    }
    proxy
        .lines
        .wait("a request is sent unpruned: its encoding is br");
}

/// The counts of the provider are read out of answers in any of these encodings.
#[test]
fn the_providers_counts_are_read_as_they_pass_by() {
    let (_provider, proxy) = both();
    let body = claude(1, 10, "a");
    for how in ["", "gzip", "zstd", "sse"] {
        post(&proxy.url, "/v1/messages", &[("x-test", how)], &body);
    }
    let metrics = proxy.metrics();
    assert_eq!(
        metrics["deadhead_provider_tokens_total{kind=\"cache_read\"}"],
        930.0
    );
    assert_eq!(
        metrics["deadhead_provider_tokens_total{kind=\"cache_write\"}"],
        50.0
    );
    assert_eq!(
        metrics["deadhead_provider_tokens_total{kind=\"input\"}"],
        16.0
    );
}

#[test]
fn headers_for_one_connection_stay_there() {
    let (provider, proxy) = both();
    let body = claude(1, 10, "a");
    let mut sent = b"POST /v1/messages HTTP/1.1\r\nHost: x\r\nX-Test: odd\r\nConnection: X-Own\r\nConnection: close, X-Two\r\nX-Own: 1\r\n".to_vec();
    sent.extend_from_slice(b"X-Two: 2\r\nTE: trailers\r\nProxy-Authorization: Basic x\r\nProxy-Connection: close\r\nX-Kept: 1\r\n");
    sent.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
    sent.extend_from_slice(&body);
    let names = |lines: Vec<&str>| {
        let mut names: Vec<String> = lines
            .iter()
            .map(|line| line.split(':').next().unwrap().to_ascii_lowercase())
            .collect();
        names.sort();
        names
    };
    let answer = read(&raw(&proxy.url, &sent));
    assert_eq!(
        names(answer.head.lines().collect()),
        [
            "connection",
            "content-length",
            "content-type",
            "request-id",
            "x-deadhead-report"
        ]
    );
    let seen = provider.last();
    let lines = seen.headers.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names(lines), ["content-length", "host", "x-kept", "x-test"]);
}

/// A client that waits for 100 Continue gets it, and the provider is not asked again.
#[test]
fn a_body_is_asked_for() {
    use std::io::{Read, Write};
    let (provider, proxy) = both();
    let body = claude(12, 3000, "a");
    for path in ["/v1/messages", "/v1/files"] {
        let mut stream = crate::client::connect(&proxy.url);
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut said = [0; 25];
        stream.read_exact(&mut said).unwrap();
        assert_eq!(&said, b"HTTP/1.1 100 Continue\r\n\r\n");
        stream.write_all(&body).unwrap();
        assert_eq!(read(&crate::client::rest(&mut stream)).status, 200);
        assert_eq!(provider.last().header("expect"), None);
    }
    assert_eq!(provider.last().body, body);
}

/// At 426 Codex continues by HTTP at once; after 404 it tries seven times.
#[test]
fn a_websocket_is_refused_plainly() {
    let (provider, proxy) = both();
    let headers = [
        ("Connection", "Upgrade, close"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];
    let mut sent = "GET /v1/responses HTTP/1.1\r\nHost: x\r\n".to_owned();
    for (name, value) in headers {
        sent += &format!("{name}: {value}\r\n");
    }
    let mut stream = crate::client::connect(&proxy.url);
    std::io::Write::write_all(&mut stream, format!("{sent}\r\n").as_bytes()).unwrap();
    let answer = read(&crate::client::rest(&mut stream));
    assert_eq!(
        (answer.status, answer.header("upgrade")),
        (426, Some("HTTP/1.1"))
    );
    assert!(String::from_utf8_lossy(&answer.body).contains("WebSockets are not passed on"));
    assert_eq!(provider.count(), 0);
}

/// What is written into a body needs a beta: it is added to those that the client names, once.
#[test]
fn a_member_that_is_written_has_its_beta() {
    let provider = Provider::start();
    let emit = [
        "--preset",
        "anthropic-clear-tool-uses",
        "--context-management",
        "emit",
    ];
    let proxy = Proxy::start(&[&["--upstream", &provider.url], &emit[..]].concat());
    let beta = "context-management-2025-06-27";
    let both = format!("a-2026-01-01,{beta}");
    for (own, want) in [("", beta), ("a-2026-01-01", &both), (beta, beta)] {
        let headers = [("anthropic-beta", own)];
        let headers = if own.is_empty() { &[] } else { &headers[..] };
        post(&proxy.url, "/v1/messages", headers, &claude(3, 3000, own));
        let seen = provider.last();
        assert!(String::from_utf8_lossy(&seen.body).contains("\"context_management\":{\"edits\":"));
        assert_eq!(seen.header("anthropic-beta"), Some(want));
    }
    let (provider, proxy) = crate::forwarding::both();
    post(&proxy.url, "/v1/messages", &[], &claude(1, 10, "b"));
    assert_eq!(provider.last().header("anthropic-beta"), None);
}
