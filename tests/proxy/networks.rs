//! Bad networks between the proxy and a provider: many streams at once, readers that stall, a connection that is dead without a word, and
//! connections that end. Nobody waits for another one.

use crate::bodies::claude;
use crate::client::{connect, post, raw, read, request};
use crate::process::Proxy;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

/// A provider that treats each connection, with its number, by `serve`; and a proxy in front of it.
pub fn between(serve: impl Fn(usize, TcpStream) + Send + Sync + 'static) -> Proxy {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let serve = Arc::new(serve);
    thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let serve = Arc::clone(&serve);
            thread::spawn(move || serve(number, stream.unwrap()));
        }
    });
    Proxy::start(&["--upstream", &url])
}

/// Reads a request; returns its head, empty where the connection has ended.
pub fn asked(stream: &mut TcpStream) -> String {
    let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.split("content-length: ").nth(1);
            let length = length.map_or(0, |rest| rest.lines().next().unwrap().parse().unwrap());
            if body.len() >= length {
                return head.to_owned();
            }
        }
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return String::new(),
            Ok(read) => bytes.extend_from_slice(&piece[..read]),
        }
    }
}

/// Over one connection of HTTP/2 the 101st waits until another one ends.
#[test]
fn a_hundred_and_fifty_streams_are_under_way_at_once() {
    let all = Arc::new(Barrier::new(150));
    let proxy = between(move |_, mut stream| {
        if !asked(&mut stream).is_empty() {
            all.wait();
            stream.write_all(ANSWER).unwrap();
        }
    });
    let body = claude(1, 10, "a");
    thread::scope(|scope| {
        let ask = || post(&proxy.url, "/v1/messages", &[], &body).status;
        let all: Vec<_> = (0..150).map(|_| scope.spawn(ask)).collect();
        for one in all {
            assert_eq!(one.join().unwrap(), 200);
        }
    });
}

#[test]
fn readers_that_stall_stop_nobody() {
    let proxy = between(|_, mut stream| {
        if asked(&mut stream).contains("x-long") {
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n";
            stream.write_all(head.as_bytes()).unwrap();
            while stream.write_all(&[b' '; 1 << 16]).is_ok() {}
        } else {
            stream.write_all(ANSWER).unwrap();
        }
    });
    let body = claude(1, 10, "a");
    let stalled: Vec<TcpStream> = (0..8)
        .map(|_| {
            let mut client = connect(&proxy.url);
            let sent = request("POST", "/v1/messages", &[("x-long", "1")], &body);
            client.write_all(&sent).unwrap();
            client.read_exact(&mut [0; 1000]).unwrap();
            client
        })
        .collect();
    for _ in 0..20 {
        assert_eq!(post(&proxy.url, "/v1/messages", &[], &body).status, 200);
    }
    drop(stalled);
}

/// A connection that is dead without a word costs one try, not each.
#[test]
fn a_dead_connection_is_not_used_again() {
    let proxy = between(|number, mut stream| {
        let mut count = 0;
        while !asked(&mut stream).is_empty() {
            count += 1;
            if number > 0 || count == 1 {
                stream.write_all(ANSWER).unwrap();
            }
        }
    });
    let sent = request("POST", "/v1/messages", &[], &claude(1, 10, "a"));
    assert_eq!(read(&raw(&proxy.url, &sent)).status, 200);
    let mut client = connect(&proxy.url);
    client
        .set_read_timeout(Some(Duration::from_millis(300)))
        .unwrap();
    client.write_all(&sent).unwrap();
    assert!(client.read(&mut [0]).is_err());
    drop(client);
    for _ in 0..5 {
        assert_eq!(read(&raw(&proxy.url, &sent)).status, 200);
    }
}

/// A provider may end a connection after any answer, if it says so: each request is sent once, and answered.
#[test]
fn connections_that_end_lose_nothing() {
    let proxy = between(|_, mut stream| {
        for _ in 0..5 {
            if asked(&mut stream).is_empty() {
                return;
            }
            stream.write_all(ANSWER).unwrap();
        }
        if !asked(&mut stream).is_empty() {
            let last = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}";
            stream.write_all(last).unwrap();
        }
    });
    let body = claude(1, 10, "a");
    for _ in 0..100 {
        assert_eq!(post(&proxy.url, "/v1/messages", &[], &body).status, 200);
    }
}

/// What is offered to a provider in the first message of TLS.
#[test]
fn http_2_is_not_offered() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let proxy = Proxy::start(&["--upstream", &url]);
    let hello = thread::spawn(move || {
        let mut hello = vec![0; 4096];
        let read = listener.accept().unwrap().0.read(&mut hello).unwrap();
        hello.truncate(read);
        hello
    });
    let answer = post(&proxy.url, "/v1/messages", &[], &claude(1, 10, "a"));
    assert_eq!(answer.status, 502);
    let hello = String::from_utf8_lossy(&hello.join().unwrap()).into_owned();
    assert!(!hello.contains("\u{2}h2"), "{hello:?}");
}
