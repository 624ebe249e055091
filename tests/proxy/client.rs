//! A client that speaks HTTP by sockets.

use crate::provider::PATIENCE;
use std::io::{Read, Write};
use std::net::TcpStream;

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    /// The head as it came, without the status line.
    pub head: String,
    pub body: Vec<u8>,
    /// Whether the body is as long as it was said to be.
    pub is_whole: bool,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }
}

pub fn connect(url: &str) -> TcpStream {
    let stream = TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_nodelay(true).unwrap();
    stream
}

/// What comes back over the wire until the connection ends.
pub fn raw(url: &str, request: &[u8]) -> Vec<u8> {
    let mut stream = connect(url);
    // A server that has answered already may have closed.
    let _ = stream.write_all(request);
    rest(&mut stream)
}

/// What comes yet.
pub fn rest(stream: &mut TcpStream) -> Vec<u8> {
    let (mut answer, mut piece) = (Vec::new(), [0; 65536]);
    while let Ok(n @ 1..) = stream.read(&mut piece) {
        answer.extend_from_slice(&piece[..n]);
    }
    answer
}

/// The text of a request with a body.
pub fn request(method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut text = format!("{method} {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n");
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    if !body.is_empty() || method == "POST" {
        text += &format!("Content-Length: {}\r\n", body.len());
    }
    let mut bytes = (text + "\r\n").into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

pub fn post(url: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
    read(&raw(url, &request("POST", path, headers, body)))
}

pub fn get(url: &str, path: &str) -> Answer {
    read(&raw(url, &request("GET", path, &[], b"")))
}

/// Reads an answer.
pub fn read(bytes: &[u8]) -> Answer {
    let at = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let Some(at) = at else {
        return Answer {
            status: 0,
            head: String::new(),
            body: bytes.to_vec(),
            is_whole: false,
        };
    };
    let head = String::from_utf8_lossy(&bytes[..at]).into_owned();
    let (line, head) = head.split_once("\r\n").unwrap_or((&head, ""));
    let mut answer = Answer {
        status: line
            .split(' ')
            .nth(1)
            .and_then(|code| code.parse().ok())
            .unwrap_or(0),
        head: head.to_owned(),
        body: bytes[at + 4..].to_vec(),
        is_whole: true,
    };
    if let Some(length) = answer
        .header("content-length")
        .and_then(|length| length.parse::<usize>().ok())
    {
        answer.is_whole = answer.body.len() == length;
    } else if answer.header("transfer-encoding").is_some() {
        (answer.body, answer.is_whole) = chunks(&answer.body);
    }
    answer
}

/// The bytes of a body in chunks, and whether its end is there.
fn chunks(mut bytes: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    loop {
        let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") else {
            return (body, false);
        };
        let size = std::str::from_utf8(&bytes[..end])
            .ok()
            .and_then(|size| usize::from_str_radix(size, 16).ok());
        let Some(size) = size.filter(|size| bytes.len() >= end + 4 + size) else {
            return (body, false);
        };
        if size == 0 {
            return (body, true);
        }
        body.extend_from_slice(&bytes[end + 2..end + 2 + size]);
        bytes = &bytes[end + 4 + size..];
    }
}
