//! Requests that try to be two, to go elsewhere, or to get in.

use crate::bodies::claude;
use crate::client::{get, post, raw, read, request};
use crate::forwarding::both;
use crate::process::{Proxy, program};
use crate::provider::Provider;

/// Lengths that contradict each other: refused, or one request at the provider with one length.
#[test]
fn requests_are_not_smuggled() {
    let (provider, proxy) = both();
    let hidden = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n";
    for path in ["/v1/messages", "/v1/files"] {
        let head = format!("POST {path} HTTP/1.1\r\nHost: x\r\n");
        for (lengths, body) in [
            (
                "Content-Length: 5\r\nContent-Length: 6\r\n",
                format!("{{}}   {hidden}"),
            ),
            ("Content-Length: 5, 6\r\n", format!("{{}}   {hidden}")),
            ("Content-Length: +5\r\n", format!("{{}}   {hidden}")),
            (
                "Transfer-Encoding: xchunked\r\n",
                format!("0\r\n\r\n{hidden}"),
            ),
            (
                "Transfer-Encoding: chunked, identity\r\n",
                format!("0\r\n\r\n{hidden}"),
            ),
            (
                "Transfer-Encoding: chunked\r\n",
                format!("5;\nx\r\n{{}}   \r\n0\r\n\r\n{hidden}"),
            ),
        ] {
            let answer = read(&raw(
                &proxy.url,
                format!("{head}{lengths}\r\n{body}").as_bytes(),
            ));
            // A body that breaks off ends the connection.
            assert!(
                matches!(answer.status, 0 | 400),
                "{lengths:?} {path}: {}",
                answer.status
            );
        }
        // A length beside chunks means nothing (RFC 9112, 6.3): it does not reach the provider.
        for lengths in [
            "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
        ] {
            let before = provider.count();
            raw(
                &proxy.url,
                format!("{head}Connection: close\r\n{lengths}\r\n5\r\n{{}}   \r\n0\r\n\r\n")
                    .as_bytes(),
            );
            for seen in &provider.seen(before)[before..] {
                assert_eq!(seen.body, b"{}   ");
                let lengths = [
                    seen.header("content-length"),
                    seen.header("transfer-encoding"),
                ];
                assert!(
                    matches!(lengths, [Some("5"), None] | [None, Some("chunked")]),
                    "{lengths:?}"
                );
            }
        }
    }
    let lines: Vec<String> = provider.seen(0).into_iter().map(|seen| seen.line).collect();
    assert!(
        lines.iter().all(|line| !line.contains("hidden")),
        "{lines:?}"
    );
}

/// The upstream is the proxy's choice: what a client says of a host is not looked at.
#[test]
fn a_client_chooses_no_host() {
    let (provider, proxy) = both();
    let other = Provider::start();
    let evil = other.url.strip_prefix("http://").unwrap();
    let body = claude(12, 3000, "a");
    for target in [
        format!("{}/v1/messages", other.url),
        format!("//{evil}/v1/messages"),
        "/v1/messages".to_owned(),
    ] {
        for host in [evil, "x/v1/messages?", ""] {
            let sent = format!(
                "POST {target} HTTP/1.1\r\nHost: {host}\r\nX-Forwarded-Host: {evil}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            let before = provider.count();
            let answer = read(&raw(&proxy.url, &[sent.as_bytes(), &body].concat()));
            if answer.status != 200 {
                assert_eq!(
                    (answer.status, provider.count()),
                    (400, before),
                    "{target} {host}"
                );
            } else {
                assert_eq!(
                    provider.last().header("host"),
                    provider.url.strip_prefix("http://")
                );
            }
        }
    }
    for target in [evil.to_owned(), "*".to_owned()] {
        let method = if target == "*" { "OPTIONS" } else { "CONNECT" };
        let answer = read(&raw(&proxy.url, &request(method, &target, &[], b"")));
        assert!(
            matches!(answer.status, 200 | 400),
            "{method} {target}: {}",
            answer.status
        );
    }
    assert_eq!(other.count(), 0);
}

/// A page of a site whose name was made to mean this machine reaches nothing; names of this machine and of its neighbours do.
#[test]
fn a_name_of_the_net_is_refused() {
    let (provider, proxy) = both();
    let body = claude(1, 10, "a");
    for (host, origin, want) in [
        ("127.0.0.1:8484", "", 200),
        ("[::1]:8484", "http://[::1]:3000", 200),
        ("localhost", "http://app.localhost:3000", 200),
        ("gateway", "vscode-webview://a.b", 200),
        ("localhost", "null", 200),
        ("evil.example:8484", "", 403),
        ("EVIL.example", "http://127.0.0.1", 403),
        ("127.0.0.1", "https://evil.example", 403),
        ("127.0.0.1.evil.example", "", 403),
    ] {
        for path in ["/v1/messages", "/metrics"] {
            let method = if path == "/metrics" { "GET" } else { "POST" };
            let sent = request(method, path, &[("Origin", origin)], &body);
            let sent = String::from_utf8(sent)
                .unwrap()
                .replace("Host: x", &format!("Host: {host}"));
            let before = provider.count();
            let answer = read(&raw(&proxy.url, sent.as_bytes()));
            assert_eq!(answer.status, want, "{host} {origin} {path}");
            assert!(want == 200 || provider.count() == before);
        }
    }
}

/// Whoever reaches the proxy could use the provider through it.
#[test]
fn an_address_for_others_needs_a_token() {
    let home = tempfile::tempdir().unwrap();
    let refused = program(home.path())
        .args([
            "proxy",
            "--listen",
            "0.0.0.0:0",
            "--upstream",
            "http://127.0.0.1:9",
        ])
        .output()
        .unwrap();
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(
        said,
        "deadhead: 0.0.0.0:0: it is no loopback address: name a file with a token, --token-file\n"
    );

    let provider = Provider::start();
    let file = home.path().join("token");
    std::fs::write(&file, "secret\n").unwrap();
    let proxy = Proxy::start(&[
        "--listen",
        "0.0.0.0:0",
        "--upstream",
        &provider.url,
        "--token-file",
        file.to_str().unwrap(),
    ]);
    let url = proxy.url.replace("0.0.0.0", "127.0.0.1");
    for path in ["/v1/models", "/metrics"] {
        for headers in [
            &[][..],
            &[("x-deadhead-token", "secre")],
            &[("x-deadhead-token", "secreT")],
        ] {
            let answer = read(&raw(&url, &request("GET", path, headers, b"")));
            assert_eq!(answer.status, 401);
        }
        let answer = read(&raw(
            &url,
            &request("GET", path, &[("x-deadhead-token", "secret")], b""),
        ));
        assert_eq!(answer.status, 200);
    }
    assert_eq!(get(&url, "/healthz").status, 200);
    assert_eq!(provider.count(), 1);
    assert_eq!(provider.last().header("x-deadhead-token"), None);
}

#[test]
fn flags_that_cannot_be_used_are_refused_in_a_line() {
    let home = tempfile::tempdir().unwrap();
    let upstream =
        "the upstream must be an address such as https://api.anthropic.com, without a login, not";
    for (flags, says) in [
        (&["--upstream", "api.anthropic.com"][..], upstream),
        (&["--upstream", ""], upstream),
        (&["--upstream", "ftp://x"], upstream),
        (&["--upstream", "http://x:port"], upstream),
        (&["--upstream", "http://u:secret@x"], upstream),
        (&["--upstream", "http://x/?key=secret"], upstream),
        (&["--preset", "nope"], "unknown preset nope"),
        (&["--config", "absent"], "absent: No such file or directory"),
        (
            &["--state", "/dev/null/state"],
            "/dev/null/state: cannot be opened",
        ),
        (&["--workload", "chat"], "unknown workload chat"),
        (&["--listen", "127.0.0.1"], "127.0.0.1: "),
        (
            &["--token-file", "absent"],
            "absent: No such file or directory",
        ),
        (&["--session-header", "a b"], "is no name of a header"),
    ] {
        let made = program(home.path())
            .arg("proxy")
            .args(flags)
            .output()
            .unwrap();
        let said = String::from_utf8(made.stderr).unwrap();
        assert_eq!(made.status.code(), Some(2), "{flags:?}");
        let errors = said.lines().filter(|line| !line.starts_with("hint: "));
        assert!(
            said.starts_with("deadhead: ")
                && said.contains(says)
                && errors.count() == 1
                && !said.contains("secret"),
            "{flags:?}: {said}"
        );
    }
}

/// A header of a strange name or value is no reason to refuse.
#[test]
fn strange_sessions_pass() {
    let provider = Provider::start();
    let proxy = Proxy::start(&[
        "--upstream",
        &provider.url,
        "--session-header",
        "x-session",
        "--preset",
        "clawdbot-aggressive",
    ]);
    let body = claude(12, 3000, "a");
    for session in ["", "  ", "a/b", "\u{e9}", "%00"] {
        assert_eq!(
            post(&proxy.url, "/v1/messages", &[("x-session", session)], &body).status,
            200
        );
        assert!(provider.last().body.len() < body.len());
    }
}
