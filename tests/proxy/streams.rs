//! Streams flow, and the end of the proxy waits for them.

use crate::bodies::claude;
use crate::client::{connect, read, request, rest};
use crate::forwarding::both;
use crate::provider::EVENTS;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{Read, Write};
use std::net::TcpStream;

/// Reads until a text has come.
fn until(stream: &mut TcpStream, text: &str) -> Vec<u8> {
    let (mut came, mut piece) = (Vec::new(), [0; 4096]);
    while !came
        .windows(text.len())
        .any(|found| found == text.as_bytes())
    {
        let n = stream.read(&mut piece).unwrap();
        assert!(n > 0, "{}", String::from_utf8_lossy(&came));
        came.extend_from_slice(&piece[..n]);
    }
    came
}

/// Answers are bytes: neither parsed to be sent nor held back (headroom #2438, #3040, #1810: rebuilt streams, empty answers, searches that
/// hang). The first events are there before the last one is sent.
#[test]
fn a_stream_comes_as_it_is_sent() {
    let (provider, proxy) = both();
    let mut stream = connect(&proxy.url);
    stream
        .write_all(&request(
            "POST",
            "/v1/messages",
            &[("x-test", "gated")],
            &claude(12, 3000, "a"),
        ))
        .unwrap();
    let mut came = until(&mut stream, EVENTS[2]);
    assert!(!String::from_utf8_lossy(&came).contains("[DONE]"));
    provider.open();
    came.extend(rest(&mut stream));
    let answer = read(&came);
    assert!(answer.is_whole);
    assert_eq!(answer.body, EVENTS.concat().as_bytes());
    assert_eq!(answer.head.matches("X-Odd: ").count(), 2);
}

/// SIGTERM ends the proxy after what it has begun.
#[test]
fn the_end_waits_for_what_runs() {
    let (provider, mut proxy) = both();
    let mut stream = connect(&proxy.url);
    stream
        .write_all(&request(
            "POST",
            "/v1/messages",
            &[("x-test", "gated")],
            &claude(1, 10, "a"),
        ))
        .unwrap();
    let mut came = until(&mut stream, EVENTS[0]);
    let pid = Pid::from_raw(proxy.child.id() as i32).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    // It takes no more connections from some moment on.
    let address = proxy.url.strip_prefix("http://").unwrap().to_owned();
    while TcpStream::connect(&address).is_ok() {}
    provider.open();
    came.extend(rest(&mut stream));
    assert!(read(&came).is_whole);
    assert_eq!(proxy.child.wait().unwrap().code(), Some(0));
}

/// Told twice, it ends at once.
#[test]
fn a_second_signal_ends_it_at_once() {
    let (_provider, mut proxy) = both();
    let mut stream = connect(&proxy.url);
    stream
        .write_all(&request(
            "POST",
            "/v1/messages",
            &[("x-test", "gated")],
            &claude(1, 10, "a"),
        ))
        .unwrap();
    until(&mut stream, EVENTS[0]);
    let pid = Pid::from_raw(proxy.child.id() as i32).unwrap();
    let address = proxy.url.strip_prefix("http://").unwrap().to_owned();
    kill_process(pid, Signal::TERM).unwrap();
    while TcpStream::connect(&address).is_ok() {}
    kill_process(pid, Signal::INT).unwrap();
    assert_eq!(proxy.child.wait().unwrap().code(), Some(0));
}
