//! What cannot be pruned passes as it came; what fails at the provider is the provider's own failure; who leaves takes the request back.

use crate::bodies::claude;
use crate::client::{connect, post, raw, read, request, rest};
use crate::forwarding::both;
use crate::process::Proxy;
use crate::provider::Provider;
use std::io::Write;
use std::net::Shutdown;
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn what_cannot_be_pruned_passes_and_is_counted() {
    let (provider, proxy) = both();
    let bodies: [&[u8]; 6] = [
        b"{no json",
        b"",
        b"\xff\xfe",
        b"{\"messages\":7}",
        b"[]",
        b"{\"messages\":[{\"role\":\"user\"",
    ];
    for body in bodies {
        assert_eq!(post(&proxy.url, "/v1/messages", &[], body).status, 200);
        assert_eq!(provider.last().body, body);
    }
    let metrics = proxy.metrics();
    assert_eq!(
        metrics["deadhead_requests_total{outcome=\"passed\",reason=\"failed\"}"],
        bodies.len() as f64
    );
    proxy.lines.wait("a request is sent unpruned: ");
}

/// 60 MB pass, as what they are: a transcript under the limit, one over it, and no transcript.
#[test]
fn large_bodies_pass() {
    let (provider, proxy) = both();
    let long = claude(12, 5_000_000, "a");
    assert!(long.len() > 60_000_000);
    assert_eq!(post(&proxy.url, "/v1/messages", &[], &long).status, 200);
    assert!(provider.last().body.len() < 30_000_000);
    assert_eq!(post(&proxy.url, "/v1/files", &[], &long).status, 200);
    assert_eq!(provider.last().body, long);
    let small = Proxy::start(&[
        "--upstream",
        &provider.url,
        "--max-body",
        "100000",
        "--preset",
        "clawdbot-aggressive",
    ]);
    assert_eq!(post(&small.url, "/v1/messages", &[], &long).status, 200);
    assert_eq!(provider.last().body, long);
    // Its length is not known before all of it is there.
    let medium = claude(12, 10_000, "a");
    let mut sent = b"POST /v1/messages HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    sent.extend_from_slice(format!("{:x}\r\n", medium.len()).as_bytes());
    sent.extend_from_slice(&medium);
    sent.extend_from_slice(b"\r\n0\r\n\r\n");
    assert_eq!(read(&raw(&small.url, &sent)).status, 200);
    assert_eq!(provider.last().body, medium);
    // A small body that unpacks to a large one.
    let bomb = crate::provider::packed("zstd", &medium);
    post(
        &small.url,
        "/v1/messages",
        &[("content-encoding", "zstd")],
        &bomb,
    );
    assert_eq!(provider.last().body, bomb);
    let metrics = small.metrics();
    assert_eq!(
        metrics["deadhead_requests_total{outcome=\"passed\",reason=\"large\"}"],
        2.0
    );
    assert_eq!(
        metrics["deadhead_requests_total{outcome=\"passed\",reason=\"failed\"}"],
        1.0
    );
}

/// A request waits only so long.
#[test]
fn a_body_that_takes_too_long_passes() {
    let provider = Provider::start();
    let proxy = Proxy::exactly(&[
        "--max-wait",
        "0",
        "--upstream",
        &provider.url,
        "--preset",
        "clawdbot-aggressive",
    ]);
    let long = claude(12, 1_000_000, "a");
    let answer = post(&proxy.url, "/v1/messages", &[], &long);
    assert_eq!(answer.header("x-deadhead-report"), Some("outcome=passed"));
    assert_eq!(provider.last().body, long);
    assert_eq!(
        proxy.metrics()["deadhead_requests_total{outcome=\"passed\",reason=\"slow\"}"],
        1.0
    );
    proxy
        .lines
        .wait("a request is sent unpruned: it takes longer than 0 ms");
}

/// A failure after the request left is the provider's own, and nothing is sent twice (headroom #1806, #2340: 502 after a completed and paid
/// answer, the request sent again).
#[test]
fn an_upstream_that_fails_is_not_hidden() {
    let (provider, proxy) = both();
    let body = claude(1, 10, "a");
    let answer = post(&proxy.url, "/v1/messages", &[("x-test", "fail")], &body);
    assert_eq!((answer.status, answer.is_whole), (529, true));
    // What broke off at the provider breaks off here: it is never completed.
    let answer = post(&proxy.url, "/v1/messages", &[("x-test", "cut")], &body);
    assert_eq!((answer.status, answer.is_whole), (200, false));
    let answer = post(&proxy.url, "/v1/messages", &[("x-test", "cut-sse")], &body);
    assert_eq!((answer.status, answer.is_whole), (200, false));
    let answer = post(&proxy.url, "/v1/messages", &[("x-test", "drop")], &body);
    assert_eq!((answer.status, answer.is_whole), (502, true));
    assert_eq!(provider.count(), 4, "nothing is sent twice");
    assert_eq!(proxy.metrics()["deadhead_upstream_errors_total"], 3.0);
    let nowhere = Proxy::start(&["--upstream", "http://127.0.0.1:9"]);
    let answer = post(&nowhere.url, "/v1/messages", &[], &body);
    assert_eq!(answer.status, 502);
    assert!(String::from_utf8_lossy(&answer.body).contains("upstream_unreachable"));
}

/// A provider that refuses before it has read the body is heard, not reported as broken.
#[test]
fn an_answer_may_come_before_the_body_is_read() {
    let (_provider, proxy) = both();
    let body = claude(12, 16_000, "a");
    for path in ["/v1/messages", "/v1/files"] {
        let answer = post(&proxy.url, path, &[("x-test", "early")], &body);
        assert_eq!(
            (answer.status, &answer.body[..]),
            (413, &b"large"[..]),
            "{path}"
        );
    }
}

/// The provider need not work, and be paid, for nobody.
#[test]
fn a_client_that_leaves_takes_its_request_back() {
    let (provider, proxy) = both();
    let body = claude(1, 10, "a");
    for (i, path) in ["/v1/messages", "/v1/files"].into_iter().enumerate() {
        let mut stream = connect(&proxy.url);
        stream
            .write_all(&request("POST", path, &[("x-test", "hang")], &body))
            .unwrap();
        let before = provider.seen(2 * i + 1).len();
        drop(stream);
        provider.left(i + 1);
        // In the middle of its own body: nothing of it is answered, and nothing is left over.
        let mut stream = connect(&proxy.url);
        stream
            .write_all(
                format!("POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 99999\r\n\r\n{{")
                    .as_bytes(),
            )
            .unwrap();
        drop(stream);
        assert_eq!(post(&proxy.url, path, &[], &body).status, 200);
        assert_eq!(provider.last().body, body);
        assert!(provider.count() <= before + 2);
    }
    assert_eq!(proxy.metrics()["deadhead_upstream_errors_total"], 0.0);
}

/// A client may end what it sends, and then read its answer (RFC 9112, 9.6; `nc -N` does so), however long the provider thinks.
#[test]
fn a_client_that_sends_no_more_is_answered() {
    let (provider, proxy) = both();
    let body = claude(12, 3000, "a");
    for (path, how) in [
        ("/v1/messages", "plain"),
        ("/v1/files", "plain"),
        ("/v1/messages", "late"),
    ] {
        let mut stream = connect(&proxy.url);
        stream
            .write_all(&request("POST", path, &[("x-test", how)], &body))
            .unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        if how == "late" {
            // Longer than a request may take to be read to its end: only its answer keeps the connection now.
            thread::sleep(Duration::from_millis(500));
            provider.open();
        }
        let answer = read(&rest(&mut stream));
        assert_eq!(
            (answer.status, answer.is_whole),
            (200, true),
            "{path} {how}"
        );
    }
}

/// A connection ends with its client, where nothing is under way at the provider: not ten seconds later.
#[test]
fn an_answer_of_the_proxy_keeps_no_connection() {
    let (_provider, proxy) = both();
    let nowhere = Proxy::start(&["--upstream", "http://127.0.0.1:9"]);
    let asked = |url: &str, request: &str| {
        let mut stream = connect(url);
        stream.write_all(request.as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let begun = Instant::now();
        let answer = read(&rest(&mut stream));
        assert!(begun.elapsed() < Duration::from_secs(5), "{request}");
        answer.status
    };
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_eq!(asked(&proxy.url, &get("/healthz")), 200);
    assert_eq!(asked(&nowhere.url, &get("/v1/models")), 502);
    let post = "POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n[]";
    assert_eq!(asked(&nowhere.url, post), 502);
    assert_eq!(asked(&proxy.url, post), 200);
}

/// Half a request holds nobody up.
#[test]
fn half_a_request_holds_nobody_up() {
    let (provider, proxy) = both();
    let body = claude(12, 3000, "a");
    let whole = request("POST", "/v1/messages", &[], &body);
    let halves: Vec<_> = (0..40)
        .map(|i| {
            let mut stream = connect(&proxy.url);
            stream.write_all(&whole[..whole.len() * i / 40]).unwrap();
            stream
        })
        .collect();
    assert_eq!(post(&proxy.url, "/v1/messages", &[], &body).status, 200);
    assert_eq!(provider.count(), 1);
    // Each of them can still be completed.
    for (i, mut stream) in halves.into_iter().enumerate() {
        stream.write_all(&whole[whole.len() * i / 40..]).unwrap();
        assert_eq!(read(&rest(&mut stream)).status, 200, "{i}");
    }
}
