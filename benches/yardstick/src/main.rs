//! A baseline: the two ordinary ways to process session lines with serde_json.
//!
//! `typed` reads each line into structs that borrow their strings, counts the characters of tool results and writes
//! the original line; it keeps every byte but can edit none. `value` reads each line into a `Value` and writes that
//! back; it could edit anything but keeps no bytes. Neither prunes, so both do less than deadhead does.
//!
//! `text` is the least that a reader of JSON lines does: it checks that the file is UTF-8, and counts its lines.
//!
//!     yardstick typed|value|text FILE > OUT

#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::process::ExitCode;

use serde::Deserialize;
use serde_json::Value;

const BUFFER: usize = 1 << 20;

// `Cow` fields are never optional: serde borrows into `Cow<str>`, but copies into `Option<Cow<str>>`.

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(borrow)]
    message: Option<Message<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
    #[serde(borrow, default, rename = "toolName")]
    tool_name: Cow<'a, str>,
    #[serde(borrow, default)]
    content: Content<'a>,
}

#[derive(Deserialize, Default)]
struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    text: Cow<'a, str>,
}

/// The content of a message: a string, or blocks. Written out by hand, since serde's untagged enums buffer what they
/// read and could borrow nothing.
#[derive(Default)]
struct Content<'a>(Vec<Block<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Content<'de>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string or blocks")
            }
            fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
                Ok(Content::default())
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(
                self,
                mut seq: A,
            ) -> Result<Self::Value, A::Error> {
                let mut blocks = Vec::new();
                while let Some(block) = seq.next_element()? {
                    blocks.push(block);
                }
                Ok(Content(blocks))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

#[derive(Default)]
struct Totals {
    n_lines: u64,
    n_results: u64,
    n_named: u64,
    n_chars: u64,
}

/// Reads a line as structs and counts; the line itself is removed out as it came.
fn typed(line: &[u8], totals: &mut Totals, out: &mut impl Write) -> io::Result<()> {
    if let Ok(Entry {
        message: Some(message),
    }) = serde_json::from_slice::<Entry>(line)
        && message.role == "toolResult"
    {
        totals.n_results += 1;
        totals.n_named += u64::from(!message.tool_name.is_empty());
        let texts = message
            .content
            .0
            .iter()
            .filter(|block| block.kind == "text");
        totals.n_chars += texts
            .map(|block| block.text.chars().count() as u64)
            .sum::<u64>();
    }
    out.write_all(line)
}

/// Reads a line as a tree and writes the tree.
fn value(line: &[u8], out: &mut impl Write) -> io::Result<()> {
    match serde_json::from_slice::<Value>(line) {
        Ok(value) => {
            serde_json::to_writer(&mut *out, &value)?;
            out.write_all(b"\n")
        }
        Err(_) => out.write_all(line),
    }
}

/// Checks that a file is UTF-8, and counts its lines.
fn text(path: &str) -> io::Result<Totals> {
    let mut file = File::open(path)?;
    let (mut buffer, mut held, mut n_lines) = (vec![0; BUFFER], 0, 0);
    loop {
        let read = file.read(&mut buffer[held..])?;
        let end = held + read;
        let whole = match std::str::from_utf8(&buffer[..end]) {
            Ok(text) => text.len(),
            // The rest of a character is yet to be read.
            Err(error) if error.error_len().is_none() && read > 0 => error.valid_up_to(),
            Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        };
        n_lines += buffer[..whole].iter().filter(|b| **b == b'\n').count() as u64;
        buffer.copy_within(whole..end, 0);
        held = end - whole;
        if read == 0 {
            return Ok(Totals {
                n_lines,
                ..Totals::default()
            });
        }
    }
}

fn run(mode: &str, path: &str) -> io::Result<Totals> {
    if mode == "text" {
        return text(path);
    }
    let mut input = BufReader::with_capacity(BUFFER, File::open(path)?);
    let mut out = BufWriter::with_capacity(BUFFER, io::stdout().lock());
    let mut totals = Totals::default();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        totals.n_lines += 1;
        match mode {
            "typed" => typed(&line, &mut totals, &mut out)?,
            _ => value(&line, &mut out)?,
        }
        line.clear();
    }
    out.flush()?;
    Ok(totals)
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [mode, path] = args.as_slice() else {
        eprintln!("usage: yardstick typed|value|text FILE");
        return ExitCode::from(2);
    };
    if !["typed", "value", "text"].contains(&mode.as_str()) {
        eprintln!("yardstick: no such mode: {mode}");
        return ExitCode::from(2);
    }
    match run(mode, path) {
        Ok(totals) => {
            if std::env::var_os("YARDSTICK_TOTALS").is_some() {
                let Totals {
                    n_lines,
                    n_results,
                    n_named,
                    n_chars,
                } = totals;
                eprintln!(
                    "{n_lines} lines, {n_results} tool results ({n_named} named), {n_chars} chars in them"
                );
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("yardstick: {path}: {error}");
            ExitCode::from(2)
        }
    }
}
