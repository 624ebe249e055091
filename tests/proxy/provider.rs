//! A provider on this machine, which speaks HTTP by sockets, so that nothing is between a test and the wire.
//!
//! The header x-test asks for an answer: `sse`, `gated` (a stream whose end waits for [`Provider::open`]), `late` (an
//! answer that waits for it), `fail`, `cut` (within the answer),
//! `cut-sse` (within a stream), `drop` (without one), `odd` (with headers for this connection alone), `early` (before the body was read),
//! `hang` (never), `gzip`, `zstd`.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

/// Longer than anything here takes: who waits so long has failed.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The events of a stream, with the odd spellings that are allowed. The second one counts the prompt.
pub const EVENTS: [&str; 4] = [
    "event: message_start\r\ndata: {\"a\":  1}\r\n\r\n",
    "data: {\"message\":{\"usage\":{\"input_tokens\":7,\"cache_read_input_tokens\":900,\"cache_creation_input_tokens\":50}}}\n\n",
    ": ping\n\ndata: {\"delta\":\"\u{e9}\"}\n\n",
    "data: [DONE]\n\n",
];

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Seen {
    pub line: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| &**value)
    }
}

/// What the connections share.
#[derive(Default)]
struct State {
    seen: Vec<Seen>,
    /// Clients that left while they waited.
    left: usize,
    is_open: bool,
}

#[derive(Clone)]
pub struct Provider {
    pub url: String,
    shared: Arc<(Mutex<State>, Condvar)>,
}

impl Provider {
    pub fn start() -> Provider {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let provider = Provider {
            url: format!("http://{}", listener.local_addr().unwrap()),
            shared: Arc::default(),
        };
        let own = provider.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let own = own.clone();
                let serve = move || drop(own.serve(&stream));
                thread::Builder::new()
                    .stack_size(256 << 10)
                    .spawn(serve)
                    .unwrap();
            }
        });
        provider
    }

    /// Waits until something holds.
    fn until<T>(&self, mut holds: impl FnMut(&mut State) -> Option<T>) -> T {
        let (state, changed) = &*self.shared;
        let mut state = state.lock().unwrap();
        loop {
            if let Some(found) = holds(&mut state) {
                return found;
            }
            let (next, waited) = changed.wait_timeout(state, PATIENCE).unwrap();
            assert!(!waited.timed_out(), "it never came");
            state = next;
        }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.shared.0.lock().unwrap());
        self.shared.1.notify_all();
    }

    /// All requests, once there are `count`.
    pub fn seen(&self, count: usize) -> Vec<Seen> {
        self.until(|state| (state.seen.len() >= count).then(|| state.seen.clone()))
    }

    /// The newest request.
    pub fn last(&self) -> Seen {
        self.seen(1).pop().unwrap()
    }

    /// How many requests there were so far.
    pub fn count(&self) -> usize {
        self.shared.0.lock().unwrap().seen.len()
    }

    /// Waits until so many clients left.
    pub fn left(&self, count: usize) {
        self.until(|state| (state.left >= count).then_some(()));
    }

    /// Lets the streams end that wait for it.
    pub fn open(&self) {
        self.change(|state| state.is_open = true);
    }

    fn serve(&self, mut stream: &TcpStream) -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        while reader.read_line(&mut line)? > 0 {
            let (mut headers, mut header) = (Vec::new(), String::new());
            while reader.read_line(&mut header)? > 2 {
                let (name, value) = header.trim_end().split_once(':').unwrap();
                headers.push((name.to_owned(), value.trim().to_owned()));
                header.clear();
            }
            let find = |name: &str| {
                let found = headers
                    .iter()
                    .find(|(known, _)| known.eq_ignore_ascii_case(name));
                found.map(|(_, value)| value.clone()).unwrap_or_default()
            };
            let how = find("x-test");
            let mut body = Vec::new();
            if how != "early" {
                read_body(
                    &mut reader,
                    &find("transfer-encoding"),
                    &find("content-length"),
                    &mut body,
                )?;
            }
            let seen = Seen {
                line: std::mem::take(&mut line).trim().to_owned(),
                headers: headers.clone(),
                body,
            };
            self.change(|state| state.seen.push(seen.clone()));
            if how == "early" {
                stream.write_all(b"HTTP/1.1 413 Too Large\r\nContent-Length: 5\r\nConnection: close\r\n\r\nlarge")?;
                stream.shutdown(std::net::Shutdown::Write)?;
                // What comes yet is read, else the system takes the answer back.
                return std::io::copy(&mut reader, &mut std::io::sink()).map(drop);
            }
            if how == "hang" {
                // Until the other side closes.
                let _ = reader.read(&mut [0]);
                self.change(|state| state.left += 1);
                return Ok(());
            }
            if !self.answer(stream, &seen, &how)? || find("connection").contains("close") {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Answers; false where the connection ends with it.
    fn answer(&self, mut stream: &TcpStream, seen: &Seen, how: &str) -> std::io::Result<bool> {
        match how {
            "drop" => return Ok(false),
            "late" => self.until(|state| state.is_open.then_some(())),
            "sse" | "gated" | "cut-sse" => {
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nX-Odd: a\r\nX-Odd: b\r\n\r\n")?;
                for (i, event) in EVENTS.iter().enumerate() {
                    if how == "gated" && i + 1 == EVENTS.len() {
                        self.until(|state| state.is_open.then_some(()));
                    }
                    write!(stream, "{:x}\r\n{event}\r\n", event.len())?;
                }
                if how == "cut-sse" {
                    return Ok(false);
                }
                stream.write_all(b"0\r\n\r\n")?;
                return Ok(true);
            }
            _ => {}
        }
        let text = format!(
            "{{\"length\":{},\"id\":\"{}\",\"usage\":{{\"input_tokens\":3,\"cache_read_input_tokens\":10}}}}",
            seen.body.len(),
            seen.header("x-id").unwrap_or_default()
        );
        let body = match how {
            "gzip" => packed("gzip", text.as_bytes()),
            "zstd" => packed("zstd", text.as_bytes()),
            _ => text.into_bytes(),
        };
        let status = if how == "fail" {
            "529 Overloaded"
        } else {
            "200 OK"
        };
        let promised = body.len() + if how == "cut" { 50 } else { 0 };
        let mut head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {promised}\r\nRequest-Id: r1\r\n"
        );
        if matches!(how, "gzip" | "zstd") {
            head += &format!("Content-Encoding: {how}\r\n");
        }
        if how == "odd" {
            head += "Connection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=9\r\n";
        }
        stream.write_all(format!("{head}\r\n").as_bytes())?;
        if !seen.line.starts_with("HEAD ") {
            stream.write_all(&body)?;
        }
        Ok(how != "cut")
    }
}

fn read_body(
    reader: &mut BufReader<&TcpStream>,
    encoding: &str,
    length: &str,
    body: &mut Vec<u8>,
) -> std::io::Result<()> {
    if !encoding.contains("chunked") {
        let length: u64 = length.parse().unwrap_or(0);
        if reader.take(length).read_to_end(body)? as u64 != length {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        return Ok(());
    }
    let mut line = String::new();
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Ok(size) = u64::from_str_radix(line.trim(), 16) else {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        };
        reader.take(size).read_to_end(body)?;
        reader.read_line(&mut line)?;
        if size == 0 {
            return Ok(());
        }
    }
}

/// Bytes in an encoding.
pub fn packed(encoding: &str, bytes: &[u8]) -> Vec<u8> {
    if encoding == "zstd" {
        return zstd::encode_all(bytes, 1).unwrap();
    }
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The lines of metrics by their name with its labels.
pub fn metrics(text: &str) -> HashMap<String, f64> {
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|line| {
        let (name, value) = line.rsplit_once(' ')?;
        Some((name.to_owned(), value.parse().ok()?))
    })
    .collect()
}
