//! A provider that binds thinking to what stands before it, as Anthropic's does since Claude 5.1, in a process of its own: the test binary
//! itself, started again with `MADE_PROVIDER` in its environment.
//!
//! It refuses a body whose thinking was made for another prefix, and members without their header (400). It clears results as the edits
//! of a body ask: excluded tools are taken out before `keep`, and results of up to 46 bytes count for nothing. Its cache has an entry at
//! each mark, which a later request finds up to 20 blocks before a mark of its own. `MADE_PROVIDER` is a list of words: `binds`, and
//! `more`, for a provider that clears one result more than it was asked to.

use crate::client::{post, read, request};
use crate::provider::Seen;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

/// The blocks before a mark that are looked at for an entry.
const BACK: usize = 20;
/// The headers that members need.
const BETAS: [(&str, &str); 2] = [
    ("/context_management", "context-management-2025-06-27"),
    (
        "/thinking/block_binding",
        "thinking-binding-controls-2026-08-01",
    ),
];

/// What the provider has seen, and its cache.
#[derive(Default)]
pub struct Model {
    pub binds: bool,
    pub clears_more: bool,
    cache: HashSet<u64>,
    pub requests: u64,
    pub refused: u64,
    /// Tokens of the prompts, after what was cleared.
    pub tokens: u64,
    pub read: u64,
    pub written: u64,
    /// How many results each request had cleared.
    pub cleared: Vec<usize>,
    /// The newest prompt, as the model reads it: JSON of its blocks without what was cleared.
    last: String,
}

/// Hashes a value without its cache marks, which bind nothing; returns about how many chars it has.
fn feed(value: &Value, hasher: &mut DefaultHasher) -> u64 {
    match value {
        Value::Array(list) => list.iter().map(|value| feed(value, hasher)).sum(),
        Value::Object(members) => {
            let own = members.iter().filter(|(name, _)| *name != "cache_control");
            own.map(|(name, value)| {
                name.hash(hasher);
                name.len() as u64 + 4 + feed(value, hasher)
            })
            .sum()
        }
        Value::String(text) => {
            text.hash(hasher);
            text.len() as u64
        }
        other => {
            other.to_string().hash(hasher);
            4
        }
    }
}

/// The hash of a value and of what came before it, and its chars.
fn hash(value: &Value, before: u64) -> (u64, u64) {
    let mut hasher = DefaultHasher::new();
    before.hash(&mut hasher);
    let chars = feed(value, &mut hasher);
    (hasher.finish(), chars)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The calls whose results the edits of a body clear.
pub fn cleared(body: &Value, more: usize) -> Vec<String> {
    let blocks = || {
        list(&body["messages"])
            .iter()
            .flat_map(|m| list(&m["content"]))
    };
    let is_long = |id: &Value| {
        let mut results = blocks().filter(|block| block["tool_use_id"] == *id);
        results.any(|block| block["content"].as_str().unwrap_or_default().len() > 46)
    };
    let mut gone = Vec::new();
    for edit in list(&body["context_management"]["edits"]) {
        if edit["type"] != "clear_tool_uses_20250919" {
            continue;
        }
        let excluded = list(&edit["exclude_tools"]);
        let uses: Vec<&Value> = blocks()
            .filter(|block| block["type"] == "tool_use" && !excluded.contains(&block["name"]))
            .map(|block| &block["id"])
            .filter(|id| is_long(id))
            .collect();
        let limit = &edit["trigger"];
        assert_eq!(limit["type"], "tool_uses");
        if uses.len() as u64 > limit["value"].as_u64().unwrap() {
            let keep = edit["keep"]["value"].as_u64().unwrap() as usize;
            let number = uses.len().saturating_sub(keep.saturating_sub(more));
            gone.extend(
                uses[..number]
                    .iter()
                    .map(|id| id.as_str().unwrap().to_owned()),
            );
        }
    }
    gone
}

impl Model {
    /// Answers a request: a status and a body. `next` is what the model says.
    pub fn answer(&mut self, seen: &Seen, next: impl Fn(usize) -> Value) -> (u16, Value) {
        self.requests += 1;
        let body: Value = serde_json::from_slice(&seen.body).unwrap();
        let mut refuse = |why: &str| {
            self.refused += 1;
            let error = json!({"type": "invalid_request_error", "message": why});
            (400, json!({"type": "error", "error": error}))
        };
        let betas = seen.header("anthropic-beta").unwrap_or_default();
        for (member, beta) in BETAS {
            if body.pointer(member).is_some() && !betas.split(',').any(|name| name.trim() == beta) {
                return refuse(&format!("{member}: Extra inputs are not permitted"));
            }
        }
        let edits = list(&body["context_management"]["edits"]);
        if edits
            .iter()
            .skip(1)
            .any(|edit| edit["type"] == "clear_thinking_20251015")
        {
            return refuse("clear_thinking must be first");
        }
        // A signature is that of what stood before it.
        let mut prefix = hash(&body["system"], 0).0;
        for message in list(&body["messages"]) {
            let thinking = list(&message["content"])
                .iter()
                .filter(|b| b["type"] == "thinking");
            if self.binds
                && thinking
                    .clone()
                    .any(|b| b["signature"] != format!("{prefix:x}"))
            {
                return refuse("thinking is bound to a different conversation");
            }
            prefix = hash(message, prefix).0;
        }
        let gone = cleared(&body, usize::from(self.clears_more));
        self.cleared.push(gone.len());
        let usage = self.cached(&body, &gone);
        let calls = list(&body["messages"])
            .iter()
            .filter(|m| m["role"] == "assistant")
            .count();
        let thinking =
            json!({"type": "thinking", "thinking": "", "signature": format!("{prefix:x}")});
        let mut answer = json!({"type": "message", "role": "assistant", "model": body["model"], "usage": usage,
            "stop_reason": "tool_use", "content": [thinking, next(calls)]});
        if !edits.is_empty() {
            let applied = json!({"type": "clear_tool_uses_20250919", "cleared_tool_uses": gone.len(), "cleared_input_tokens": 0});
            let applied: Vec<Value> = (!gone.is_empty()).then_some(applied).into_iter().collect();
            answer["context_management"] = json!({"applied_edits": applied});
        }
        (200, answer)
    }

    /// The usage of a prompt, after what is cleared.
    fn cached(&mut self, body: &Value, gone: &[String]) -> Value {
        let mut blocks: Vec<(u64, u64, bool)> = Vec::new();
        self.last.clear();
        let own = [&body["system"]].into_iter().flat_map(list);
        let messages = list(&body["messages"])
            .iter()
            .flat_map(|m| list(&m["content"]));
        for block in own.chain(messages) {
            let is_gone = gone.iter().any(|id| block["tool_use_id"] == **id);
            let before = blocks.last().map_or(0, |block| block.0);
            let (hash, chars) = match is_gone {
                true => hash(&json!("[Cleared by context management]"), before),
                false => {
                    self.last += &block.to_string();
                    hash(block, before)
                }
            };
            blocks.push((hash, chars / 4, block.get("cache_control").is_some()));
        }
        let sum =
            |from: usize, to: usize| blocks[from..to].iter().map(|block| block.1).sum::<u64>();
        let marks: Vec<usize> = (0..blocks.len()).filter(|i| blocks[*i].2).collect();
        let entry = |mark: &usize| {
            (mark.saturating_sub(BACK)..=*mark)
                .rev()
                .find(|i| self.cache.contains(&blocks[*i].0))
        };
        let read = marks
            .iter()
            .rev()
            .find_map(entry)
            .map_or(0, |last| last + 1);
        let end = marks.last().map_or(0, |last| last + 1).max(read);
        self.cache.extend(marks.iter().map(|mark| blocks[*mark].0));
        self.tokens += sum(0, blocks.len());
        self.read += sum(0, read);
        self.written += sum(read, end);
        json!({"input_tokens": sum(end, blocks.len()), "cache_read_input_tokens": sum(0, read),
            "cache_creation_input_tokens": sum(read, end), "output_tokens": 30})
    }

    fn totals(&self) -> Value {
        json!({"requests": self.requests, "refused": self.refused, "tokens": self.tokens, "read": self.read,
            "written": self.written, "cleared": self.cleared, "last": self.last})
    }
}

/// Serves until the process is ended. The first line on stdout is its address.
pub fn serve(words: &str, next: impl Fn(usize) -> Value + Copy) {
    let mut model = Model {
        binds: words.contains("binds"),
        clears_more: words.contains("more"),
        ..Model::default()
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    println!("\nhttp://{}", listener.local_addr().unwrap());
    for stream in listener.incoming().flatten() {
        let _ = one(&stream, &mut model, next);
    }
}

/// Reads one request, answers it, and closes the connection.
fn one(
    mut stream: &TcpStream,
    model: &mut Model,
    next: impl Fn(usize) -> Value,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut headers, mut header) = (String::new(), Vec::new(), String::new());
    reader.read_line(&mut line)?;
    while reader.read_line(&mut header)? > 2 {
        let (name, value) = header.trim_end().split_once(':').unwrap();
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        header.clear();
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    std::io::Read::read_exact(&mut reader, &mut body)?;
    let (status, answer) = if line.starts_with("GET") {
        (200, model.totals())
    } else {
        let line = line.clone();
        model.answer(
            &Seen {
                line,
                headers,
                body,
            },
            next,
        )
    };
    let answer = answer.to_string();
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        answer.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(answer.as_bytes())
}

/// A made provider as a process.
pub struct Bound {
    pub url: String,
    child: Child,
    /// Open for as long as it runs: the test binary writes lines of its own.
    _lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Bound {
    /// Starts it: `test` is the test that serves if `MADE_PROVIDER` is set.
    pub fn start(test: &str, words: &str) -> Bound {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .env("MADE_PROVIDER", words)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut all = lines.by_ref().map_while(Result::ok);
        let url = all.find(|line| line.starts_with("http")).unwrap();
        Bound {
            url,
            child,
            _lines: lines,
        }
    }

    /// What it has counted.
    pub fn totals(&self) -> Value {
        let answer = read(&crate::client::raw(
            &self.url,
            &request("GET", "/totals", &[], b""),
        ));
        serde_json::from_slice(&answer.body).unwrap()
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks, and returns the status and the answer. The address may have a path.
pub fn ask(url: &str, body: &Value) -> (u16, Value) {
    let beta = [("anthropic-beta", "context-management-2025-06-27")];
    let betas = match body["context_management"].is_null() {
        true => &[][..],
        false => &beta,
    };
    let host = url.strip_prefix("http://").unwrap();
    let (host, path) = host.split_once('/').unwrap_or((host, ""));
    let path = format!("/{path}/v1/messages").replace("//", "/");
    let bytes = serde_json::to_vec(body).unwrap();
    let answer = post(&format!("http://{host}"), &path, betas, &bytes);
    let said = serde_json::from_slice(&answer.body).unwrap_or_default();
    (answer.status, said)
}
