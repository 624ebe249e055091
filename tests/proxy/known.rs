//! Cuts that were made are made again whatever fails, unless pruning is turned off; and what would have been cut is told in the shadow.

use crate::bodies::claude;
use crate::client::post;
use crate::forwarding::CUTS;
use crate::process::{Proxy, program};
use crate::provider::Provider;
use rustix::process::{Pid, Signal, kill_process};
use std::process::Stdio;

const CLEARED: &str = "[Old tool result content cleared]";

fn cleared(body: &[u8]) -> usize {
    String::from_utf8_lossy(body).matches(CLEARED).count()
}

/// Another process holds the state file.
#[test]
fn a_locked_state_leaves_known_cuts() {
    let (provider, home) = (Provider::start(), tempfile::tempdir().unwrap());
    let state = home.path().join("state.db");
    let flags = [
        "--upstream",
        &provider.url,
        "--state",
        state.to_str().unwrap(),
    ];
    let more = ["--set", "state.timeout=50ms"];
    let proxy = Proxy::start(&[&flags[..], &more, &CUTS].concat());
    post(&proxy.url, "/v1/messages", &[], &claude(12, 3000, "a"));
    let before = cleared(&provider.last().body);
    assert!(before > 3);
    let held = rusqlite::Connection::open(&state).unwrap();
    held.execute_batch("BEGIN EXCLUSIVE").unwrap();
    post(&proxy.url, "/v1/messages", &[], &claude(14, 3000, "a"));
    let during = cleared(&provider.last().body);
    assert!(during > before);
    proxy.lines.wait("what is cut is not stored: ");
    // A conversation of which nothing is known passes as it came.
    let other = claude(12, 3000, "b");
    post(&proxy.url, "/v1/messages", &[], &other);
    assert_eq!(provider.last().body, other);
    held.execute_batch("ROLLBACK").unwrap();
    post(&proxy.url, "/v1/messages", &[], &claude(14, 3000, "a"));
    assert_eq!(cleared(&provider.last().body), during);
}

/// A request that is late waits for as long as it takes, if its conversation was cut before.
#[test]
fn a_late_request_has_its_known_cuts() {
    let (provider, home) = (Provider::start(), tempfile::tempdir().unwrap());
    let state = home.path().join("state.db");
    let flags = [
        "--upstream",
        &provider.url,
        "--state",
        state.to_str().unwrap(),
    ];
    let first = Proxy::start(&[&flags[..], &CUTS].concat());
    post(&first.url, "/v1/messages", &[], &claude(12, 300_000, "a"));
    let before = cleared(&provider.last().body);
    drop(first);
    let late = Proxy::exactly(&[&["--max-wait", "0"], &flags[..], &CUTS].concat());
    post(&late.url, "/v1/messages", &[], &claude(13, 300_000, "a"));
    assert!(before > 3 && cleared(&provider.last().body) >= before);
    // So large that it takes longer than the proxy looks whether anything of it was cut.
    let other = claude(12, 1_500_000, "b");
    post(&late.url, "/v1/messages", &[], &other);
    assert_eq!(provider.last().body, other);
}

/// In the shadow requests go out as they came, byte for byte, and what would have been cut is counted.
#[test]
fn a_shadow_cuts_nothing() {
    let provider = Provider::start();
    let mut proxy = Proxy::start(&[&["--upstream", &provider.url, "--shadow"], &CUTS[..]].concat());
    for turns in [12, 13] {
        let sent = claude(turns, 3000, "a");
        let answer = post(&proxy.url, "/v1/messages", &[], &sent);
        assert_eq!(provider.last().body, sent);
        let report = answer.header("x-deadhead-report").unwrap().to_owned();
        assert!(
            report.starts_with("outcome=shadow-pruned; tokens-before="),
            "{report}"
        );
    }
    let metrics = proxy.metrics();
    assert_eq!(metrics["deadhead_cuts"], 0.0);
    assert_eq!(metrics["deadhead_requests_total{outcome=\"pruned\"}"], 2.0);
    let pid = Pid::from_raw(proxy.child.id() as i32).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    proxy.child.wait().unwrap();
    proxy
        .lines
        .wait("2 requests, 2 would have been pruned; nothing was");
    proxy.lines.wait(" would have gone out with ");
}

/// Turned off, by its environment or a signal, the proxy passes everything; turned on, it prunes.
#[test]
fn a_proxy_can_be_turned_off() {
    let provider = Provider::start();
    let proxy = Proxy::start(&[&["--upstream", &provider.url], &CUTS[..]].concat());
    let sent = claude(12, 3000, "a");
    let pid = Pid::from_raw(proxy.child.id() as i32).unwrap();
    for (signal, said) in [
        (Signal::USR1, "nothing is pruned from now on"),
        (Signal::USR2, "requests are pruned from now on"),
    ] {
        kill_process(pid, signal).unwrap();
        proxy.lines.wait(said);
        post(&proxy.url, "/v1/messages", &[], &sent);
        let is_off = signal == Signal::USR1;
        assert_eq!(provider.last().body == sent, is_off);
        assert_eq!(
            proxy.metrics()["deadhead_cuts"],
            f64::from(u8::from(!is_off))
        );
    }
    assert_eq!(
        proxy.metrics()["deadhead_requests_total{outcome=\"passed\",reason=\"off\"}"],
        1.0
    );
    let home = tempfile::tempdir().unwrap();
    for (value, is_off) in [("1", true), ("0", false)] {
        let output = program(home.path())
            .args(["run", "--", "env"])
            .env("DEADHEAD_OFF", value)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(said.contains("DEADHEAD_OFF"), is_off, "{said}");
    }
}
