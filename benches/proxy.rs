//! What `deadhead proxy` costs: the latency that it adds to a direct connection, its processor time for a request, its memory with a
//! thousand open streams. Provider and clients are threads of this program, so that they share the processors with the proxy.
//!
//!     rustc -O --edition 2024 benches/proxy.rs -o target/proxy-bench && target/proxy-bench
//!
//! The proxy is target/release/deadhead, or what DEADHEAD names. PROVIDER names the address of the provider, and PEER the address and the
//! process of another proxy that passes `/v1/messages` on to it: `PROVIDER=127.0.0.1:4801 PEER=127.0.0.1:4802,$PID`. It is asked by one
//! client, a tenth as often.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::fs::read_to_string;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Barrier};
use std::thread::{self, Builder, spawn};
use std::time::{Duration, Instant};

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 95\r\n\r\n{\"id\":\"m\",\"type\":\"message\",\"content\":[],\"usage\":{\"input_tokens\":7,\"cache_read_input_tokens\":9}}";
const EVENT: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n10\r\ndata: {\"a\":  1}\n\r\n";
const STREAMS: usize = 1000;
const ROUNDS: usize = 5;
/// Requests of each client that are not timed.
const WARM: usize = 3;
/// Ticks of the processor's clock in a second, in /proc.
const TICKS: f64 = 100.0;

/// A connection, as client or as provider.
struct Connection {
    reader: BufReader<TcpStream>,
    body: Vec<u8>,
}

impl Connection {
    fn to(address: &str) -> Connection {
        Connection::of(TcpStream::connect(address).unwrap())
    }

    fn of(stream: TcpStream) -> Connection {
        stream.set_nodelay(true).unwrap();
        let reader = BufReader::with_capacity(1 << 16, stream);
        Connection {
            reader,
            body: Vec::new(),
        }
    }

    /// Reads a message with a length; returns its first line, and whether it is a stream.
    fn read(&mut self) -> Option<(String, bool)> {
        let (mut first, mut line, mut length, mut is_stream) =
            (String::new(), String::new(), 0, false);
        self.reader
            .read_line(&mut first)
            .ok()
            .filter(|read| *read > 0)?;
        while self.reader.read_line(&mut line).ok()? > 2 {
            let lower = line.to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
            is_stream |= lower.starts_with("x-stream") || lower.starts_with("transfer-encoding");
            line.clear();
        }
        self.body.resize(length, 0);
        self.reader.read_exact(&mut self.body).ok()?;
        Some((first, is_stream))
    }

    fn send(&mut self, bytes: &[u8]) {
        self.reader.get_mut().write_all(bytes).unwrap();
    }

    fn ask(&mut self, request: &[u8]) -> Duration {
        let begun = Instant::now();
        self.send(request);
        let (first, _) = self.read().unwrap();
        assert!(first.starts_with("HTTP/1.1 200"), "{first}");
        begun.elapsed()
    }
}

/// A provider, which answers at once. A stream begins, and does not end.
fn provider() -> String {
    let named = std::env::var("PROVIDER").unwrap_or("127.0.0.1:0".to_owned());
    let listener = TcpListener::bind(named).unwrap();
    let address = listener.local_addr().unwrap().to_string();
    spawn(move || {
        for stream in listener.incoming().flatten() {
            let serve = move || {
                let mut connection = Connection::of(stream);
                while let Some((_, is_stream)) = connection.read() {
                    connection.send(if is_stream { EVENT } else { ANSWER });
                }
            };
            Builder::new().stack_size(128 << 10).spawn(serve).unwrap();
        }
    });
    address
}

/// The proxy, and its address.
fn proxy(provider: &str) -> (Child, String) {
    let program = std::env::var("DEADHEAD").unwrap_or("target/release/deadhead".to_owned());
    let mut command = Command::new(program);
    command.args(["proxy", "--listen", "127.0.0.1:0", "--upstream"]);
    command
        .arg(format!("http://{provider}"))
        .env("HOME", "/nonexistent");
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let line = lines.next().unwrap().unwrap();
    spawn(move || lines.for_each(drop));
    (child, line.rsplit_once('/').unwrap().1.to_owned())
}

/// A request of Claude Code's shape with about so many bytes, in results of 18 KB or, where it is smaller, in one of half of it.
fn request(size: usize, session: &str, more: &str) -> Vec<u8> {
    let mut body = format!(
        r#"{{"model":"claude-sonnet-4-5","max_tokens":9,"metadata":{{"user_id":"{session}"}},"messages":[{{"role":"user","content":"{session}"}}"#
    );
    let lines = (size / 68).min(600);
    for turn in 0.. {
        let text = format!("line of the output of turn {turn}\\n").repeat(lines);
        let _ = write!(
            body,
            r#",{{"role":"assistant","content":[{{"type":"tool_use","id":"t{turn}","name":"Read","input":{{"file_path":"/app/{turn}"}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{turn}","content":"{text}"}}]}}"#
        );
        if body.len() + 21_000 > size {
            break;
        }
    }
    body += "]}";
    let head = format!(
        "POST /v1/messages HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n{more}Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body.as_bytes()].concat()
}

/// The times of `count` requests of each of `clients`, sorted, in milliseconds.
fn times(address: &str, size: usize, clients: usize, count: usize) -> Vec<f64> {
    let barrier = Arc::new(Barrier::new(clients));
    let client = |i: usize| {
        let (address, barrier) = (address.to_owned(), Arc::clone(&barrier));
        spawn(move || {
            let request = request(size, &format!("client {i}"), "");
            let mut connection = Connection::to(&address);
            for _ in 0..WARM {
                connection.ask(&request);
            }
            barrier.wait();
            let asked = (0..count).map(|_| connection.ask(&request).as_secs_f64() * 1e3);
            asked.collect::<Vec<f64>>()
        })
    };
    let threads: Vec<_> = (0..clients).map(client).collect();
    let mut all: Vec<f64> = threads
        .into_iter()
        .flat_map(|thread| thread.join().unwrap())
        .collect();
    all.sort_by(f64::total_cmp);
    all
}

fn percentile(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share) as usize]
}

/// Seconds of processor time that a process has used.
fn processor(process: u32) -> f64 {
    let stat = read_to_string(format!("/proc/{process}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split(' ').collect();
    let ticks = |i: usize| fields[i].parse::<f64>().unwrap();
    (ticks(12) + ticks(13)) / TICKS
}

/// The memory of a process in MiB.
fn memory(child: &Child) -> f64 {
    let status = read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS"))
        .unwrap();
    line.split_whitespace()
        .nth(1)
        .unwrap()
        .parse::<f64>()
        .unwrap()
        / 1024.0
}

/// What is measured of a way to the provider.
#[derive(Default)]
struct Way {
    times: Vec<f64>,
    /// Processor time in seconds, of these many requests.
    used: f64,
    requests: usize,
}

impl Way {
    /// Sends `count` requests of each of `clients`.
    fn go(&mut self, address: &str, size: usize, clients: usize, count: usize, process: u32) {
        let before = processor(process);
        self.times.extend(times(address, size, clients, count));
        self.used += processor(process) - before;
        self.requests += (count + WARM) * clients;
    }

    fn print(&mut self, name: &str, direct: &[f64], passed: &str) {
        self.times.sort_by(f64::total_cmp);
        let [d50, d99] = [0.5, 0.99].map(|share| percentile(direct, share));
        let [t50, t99] = [0.5, 0.99].map(|share| percentile(&self.times, share));
        let requests = self.requests as f64;
        println!(
            "| {name} | {d50:.2}, {d99:.2} ms | {t50:.2}, {t99:.2} ms | {:.2}, {:.2} ms | {:.0} | {:.3} | {passed} |",
            t50 - d50,
            t99 - d99,
            requests / self.used,
            self.used * 1e3 / requests
        );
    }
}

fn main() {
    let provider = provider();
    let peer = std::env::var("PEER").ok();
    let peer = peer.as_ref().map(|peer| {
        let (address, process) = peer.split_once(',').unwrap();
        (address, process.parse::<u32>().unwrap())
    });
    println!(
        "| body | clients | direct p50, p99 | through the proxy p50, p99 | added p50, p99 | requests for a second of the proxy's processor time | ms of it for one | sent unpruned |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    for (size, name) in [(1_000, "1 KB"), (100_000, "100 KB"), (1_000_000, "1 MB")] {
        for clients in [1, 64] {
            let (mut child, address) = proxy(&provider);
            let count = 2000 / clients / if size > 500_000 { 4 } else { 1 };
            let (mut direct, mut through, mut other) = (Vec::new(), Way::default(), Way::default());
            // In turns, so that other work on the machine meets all.
            for _ in 0..ROUNDS {
                direct.extend(times(&provider, size, clients, count));
                through.go(&address, size, clients, count, child.id());
                if let Some((address, process)) = peer.filter(|_| clients == 1) {
                    other.go(address, size, clients, count / 10, process);
                }
            }
            direct.sort_by(f64::total_cmp);
            let mut metrics = Connection::to(&address);
            metrics.send(b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
            metrics.read();
            let text = String::from_utf8_lossy(&metrics.body);
            let passed = text
                .lines()
                .filter(|line| line.contains("passed") && !line.starts_with('#'));
            let passed: f64 = passed
                .filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok())
                .sum();
            let passed = format!("{passed} of {}", through.requests);
            through.print(&format!("{name} | {clients}"), &direct, &passed);
            if other.requests > 0 {
                other.print(&format!("{name}, the other | {clients}"), &direct, "–");
            }
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
    let (mut child, address) = proxy(&provider);
    let idle = memory(&child);
    let open: Vec<Connection> = (0..STREAMS)
        .map(|i| {
            let mut connection = Connection::to(&address);
            connection.send(&request(100_000, &format!("stream {i}"), "X-Stream: 1\r\n"));
            connection.read().unwrap();
            connection
        })
        .collect();
    thread::sleep(Duration::from_secs(1));
    println!(
        "\n{STREAMS} open streams, each of a session of its own after a body of 100 KB: {idle:.1} MiB before, {:.1} MiB with them",
        memory(&child)
    );
    drop(open);
    child.kill().unwrap();
    child.wait().unwrap();
}
