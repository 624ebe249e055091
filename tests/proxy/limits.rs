//! What is held, unpacked and waited for has limits, and nobody waits for what meets them.

use crate::bodies::claude;
use crate::client::{connect, get, post, raw, read, request, rest};
use crate::forwarding::both;
use crate::networks::{asked, between};
use crate::process::{Proxy, program};
use crate::provider::{Provider, packed};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Of many large bodies at once two are held. The others pass as they came, and so does none once there is room again.
#[test]
fn bodies_are_held_up_to_a_limit_together() {
    let provider = Provider::start();
    let body = claude(12, 80_000, "a");
    let most = (body.len() + 1).to_string();
    let proxy = Proxy::start(&[
        "--upstream",
        &provider.url,
        "--max-body",
        &most,
        "--preset",
        "clawdbot-aggressive",
    ]);
    let sent = request("POST", "/v1/messages", &[], &body);
    let (half, end) = sent.split_at(sent.len() - 1);
    let clients: Vec<_> = (0..6)
        .map(|_| {
            let mut stream = connect(&proxy.url);
            stream.write_all(half).unwrap();
            stream
        })
        .collect();
    // Those that are passed on as they come are there but for their end.
    let large = "deadhead_requests_total{outcome=\"passed\",reason=\"large\"}";
    let begun = Instant::now();
    while proxy.metrics()[large] < 4.0 {
        assert!(begun.elapsed() < crate::provider::PATIENCE);
    }
    for mut stream in clients {
        stream.write_all(end).unwrap();
        assert_eq!(read(&rest(&mut stream)).status, 200);
    }
    // Those that came at once may have taken room from each other: each that had none passed as it came.
    let whole = |seen: &&crate::provider::Seen| seen.body == body;
    let passed = provider.seen(6).iter().filter(whole).count();
    assert_eq!(proxy.metrics()[large], passed as f64);
    assert!((4..=6).contains(&passed), "{passed}");
    for _ in 0..3 {
        assert_eq!(post(&proxy.url, "/v1/messages", &[], &body).status, 200);
        assert!(provider.last().body.len() < body.len());
    }
    assert_eq!(proxy.metrics()[large], passed as f64);
}

/// Chunks say where an answer ends, whatever its length is said to be (RFC 9112, 6.3).
#[test]
fn an_answer_in_chunks_with_a_length_is_whole() {
    for length in ["2", "5", "50"] {
        let proxy = between(move |_, mut stream| {
            asked(&mut stream);
            let head = format!(
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {length}\r\nTransfer-Encoding: chunked\r\n\r\n"
            );
            stream.write_all(head.as_bytes()).unwrap();
            stream.write_all(b"5\r\nhello\r\n0\r\n\r\n").unwrap();
        });
        for path in ["/v1/messages", "/v1/files"] {
            let answer = post(&proxy.url, path, &[], &claude(1, 10, "a"));
            assert_eq!(answer.header("content-length"), None, "{length}");
            assert_eq!((&answer.body[..], answer.is_whole), (&b"hello"[..], true));
        }
    }
}

/// Few bytes of an answer that unpack to many pass as they are, nobody waits for them, and no more of them than a limit are read.
#[test]
fn a_large_answer_in_few_bytes_stops_nobody() {
    let usage = "{\"usage\":{\"input_tokens\":7}}";
    let counted = "deadhead_provider_tokens_total{kind=\"input\"}";
    for (encoding, spaces, want) in [("gzip", 1, 7.0), ("gzip", 65, 0.0), ("zstd", 65, 0.0)] {
        let mut text = vec![b' '; spaces << 20];
        text.extend_from_slice(usage.as_bytes());
        let body = packed(encoding, &text);
        let own = body.clone();
        let proxy = between(move |_, mut stream| {
            // A connection that was opened ahead ends without a request.
            if asked(&mut stream).is_empty() {
                return;
            }
            let head = format!(
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Encoding: {encoding}\r\nContent-Length: {}\r\n\r\n",
                own.len()
            );
            stream.write_all(head.as_bytes()).unwrap();
            stream.write_all(&own).unwrap();
        });
        let url = proxy.url.clone();
        std::thread::scope(|scope| {
            let ask = || {
                raw(
                    &url,
                    &request("POST", "/v1/messages", &[], &claude(1, 10, "a")),
                )
            };
            let asking: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
            while asking.iter().any(|one| !one.is_finished()) {
                let begun = Instant::now();
                assert_eq!(get(&url, "/healthz").status, 200);
                assert!(begun.elapsed() < Duration::from_secs(5));
            }
            for one in asking {
                assert_eq!(read(&one.join().unwrap()).body, body);
            }
        });
        assert_eq!(proxy.metrics()[counted], 8.0 * want, "{encoding} {spaces}");
    }
}

/// Lines that nobody reads hold no request up, and no end.
#[test]
fn stderr_need_not_be_read() {
    let provider = Provider::start();
    let home = tempfile::tempdir().unwrap();
    let mut child = program(home.path())
        .args([
            "proxy",
            "--listen",
            "127.0.0.1:0",
            "--upstream",
            &provider.url,
        ])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    let (_, url) = line.trim().split_once("listening on ").unwrap();
    for i in 0..1500 {
        let answer = post(url, "/v1/messages", &[], b"{no json");
        assert_eq!(answer.status, 200, "{i}");
    }
    let pid = Pid::from_raw(child.id() as i32).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// Half a request whose client is silent does not keep a proxy that was told to end.
#[test]
fn half_a_request_does_not_hold_the_end() {
    let (_provider, mut proxy) = both();
    let body = claude(1, 10, "a");
    let halves: Vec<_> = ["/v1/messages", "/v1/files"]
        .into_iter()
        .flat_map(|path| {
            let sent = request("POST", path, &[], &body);
            [20, sent.len() - 1].map(|size| {
                let mut stream = connect(&proxy.url);
                stream.write_all(&sent[..size]).unwrap();
                stream
            })
        })
        .collect();
    assert_eq!(post(&proxy.url, "/v1/messages", &[], &body).status, 200);
    let pid = Pid::from_raw(proxy.child.id() as i32).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    let begun = Instant::now();
    while proxy.child.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < crate::provider::PATIENCE);
        std::thread::sleep(Duration::from_millis(50));
    }
    drop(halves);
}
