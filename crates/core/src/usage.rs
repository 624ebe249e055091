//! What the records of a log tell of calls: when, on which model, and what the provider counted.
//!
//! The readers of `format` keep what pruning needs; this second, light walk over the same records keeps the rest. Each
//! format has a function that fills a [`Row`] from one record. A record that is damaged has none, as it has no message.

mod claude_code;
mod codex;
mod copilot_cli;
mod openclaw;
mod prompt;

pub use prompt::{counts_apart, counts_prompts, prompt};

use crate::json::{Cursor, Kind, ScanError};
use crate::transcript::Names;

/// Tokens of one request as its provider counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Input that was neither read from a cache nor written to one.
    pub input: u64,
    /// Input read from the cache.
    pub cache_read: u64,
    /// Input written to a cache of five minutes, or of a lifetime that is not told.
    pub cache_write5m: u64,
    /// Input written to a cache of an hour.
    pub cache_write1h: u64,
    /// Output.
    pub output: u64,
}

impl Usage {
    /// Tokens of the whole prompt.
    pub fn prompt(&self) -> u64 {
        self.input + self.cache_read + self.writes()
    }

    /// Tokens written to a cache.
    pub fn writes(&self) -> u64 {
        self.cache_write5m + self.cache_write1h
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Usage) {
        self.input += other.input;
        self.cache_read += other.cache_read;
        self.cache_write5m += other.cache_write5m;
        self.cache_write1h += other.cache_write1h;
        self.output += other.output;
    }
}

/// What one record tells.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row {
    /// Byte of the input at which it begins.
    pub record: u64,
    /// What it is.
    pub kind: RowKind,
    /// When it was written, in milliseconds since 1970.
    pub time: Option<i64>,
    /// When the request was sent, where that is told apart.
    pub sent: Option<i64>,
    /// What the provider counted.
    pub usage: Option<Usage>,
    /// Output tokens, where nothing else was counted.
    pub output: u64,
    /// What the log says the request cost, in dollars.
    pub usd: Option<f64>,
    /// Model, as an index of [`Log::names`]; 0 for none.
    pub model: u32,
    /// Provider, likewise.
    pub provider: u32,
    /// Chars that are sent and that the estimator counts at a flat size: summaries and the like.
    pub hidden: u32,
}

/// What a record is to a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowKind {
    /// Anything else.
    #[default]
    Other,
    /// An answer of the provider's, or a piece of one.
    Answer,
    /// A count of the tokens of the request before it (Codex).
    Count,
}

/// All rows of a log.
#[derive(Debug, Default)]
pub struct Log {
    /// Rows that tell something, in file order.
    pub rows: Vec<Row>,
    /// Names of models and providers.
    pub names: Vec<String>,
    /// The folder in which the agent worked.
    pub project: Option<String>,
}

/// What is kept while records are read.
#[derive(Debug, Default)]
struct State {
    names: Names,
    /// The folder of the earliest record that names one, and its time.
    project: Option<(String, Option<i64>)>,
    /// The folder that this record names; none where it is that one.
    folder: Option<Option<String>>,
    /// Model in force, for formats that do not name it in each answer.
    model: u32,
    provider: u32,
    /// Total of the newest count, to know one that is told twice.
    counted: Option<u64>,
}

type ReadRow = fn(&mut Cursor<'_>, &mut State, &mut Row) -> Result<(), ScanError>;

/// The formats whose logs have calls.
const READERS: [(&str, ReadRow); 4] =
    [("openclaw", openclaw::row), ("claude-code", claude_code::row), ("codex", codex::row), ("copilot-cli", copilot_cli::row)];

/// Whether logs of this format can be replayed.
pub fn is_known(format: &str) -> bool {
    known().any(|name| name == format)
}

/// The names of the formats whose logs can be replayed.
pub fn known() -> impl Iterator<Item = &'static str> {
    READERS.iter().map(|(name, _)| *name)
}

/// Reads all records of a log.
pub fn read(bytes: &[u8], format: &str) -> Log {
    let Some((_, read)) = READERS.iter().find(|(name, _)| *name == format) else { return Log::default() };
    let mut state = State::default();
    let mut rows = Vec::new();
    let mut line = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    while line < bytes.len() {
        let mut cursor = Cursor::lines(bytes, line);
        let before = rows.len();
        while !cursor.at_end() {
            let mut row = Row { record: cursor.at() as u64, ..Row::default() };
            if read(&mut cursor, &mut state, &mut row).is_err() {
                // As in the reader, the whole line goes.
                rows.truncate(before);
                break;
            }
            state.keep_folder(row.time.or(row.sent));
            if row.kind != RowKind::Other || row.time.is_some() || row.hidden > 0 {
                rows.push(row);
            }
        }
        let from = cursor.at().clamp(line, bytes.len());
        line = memchr::memchr(b'\n', &bytes[from..]).map_or(bytes.len(), |i| from + i + 1);
    }
    Log { rows, names: state.names.into_list(), project: state.project.map(|(folder, _)| folder) }
}

/// Reads the members of the object that comes next; skips any other value.
fn members<'a>(
    cursor: &mut Cursor<'a>,
    mut member: impl FnMut(&[u8], &mut Cursor<'a>) -> Result<bool, ScanError>,
) -> Result<(), ScanError> {
    if cursor.kind()? != Kind::Object {
        return cursor.skip().map(|_| ());
    }
    let mut members = cursor.enter_object()?;
    while let Some(key) = cursor.key(&mut members)? {
        if !member(&key, cursor)? {
            cursor.skip()?;
        }
    }
    Ok(())
}

/// A number, if one comes next.
fn number(cursor: &mut Cursor<'_>) -> Result<Option<f64>, ScanError> {
    cursor.peek();
    let from = cursor.at();
    let kind = cursor.skip()?;
    let text = std::str::from_utf8(&cursor.bytes()[from..cursor.at()]).unwrap_or_default();
    Ok(if kind == Kind::Number { text.trim().parse().ok() } else { None })
}

/// A count, if a number comes next; 0 for anything else.
fn count(cursor: &mut Cursor<'_>) -> Result<u64, ScanError> {
    Ok(number(cursor)?.filter(|n| n.is_finite() && *n > 0.0).map_or(0, |n| n as u64))
}

/// A time, as RFC 3339 or in milliseconds since 1970.
fn time(cursor: &mut Cursor<'_>) -> Result<Option<i64>, ScanError> {
    if cursor.kind()? == Kind::String {
        let text = cursor.string_or_skip()?.unwrap_or_default();
        return Ok(text.parse::<jiff::Timestamp>().ok().map(|t| t.as_millisecond()));
    }
    Ok(number(cursor)?.map(|n| n as i64))
}

/// The number of a name that comes next, 0 for anything else.
fn name(cursor: &mut Cursor<'_>, names: &mut Names) -> Result<u32, ScanError> {
    Ok(cursor.string_or_skip()?.map_or(0, |text| names.intern(&text)))
}

/// UTF-16 units of the text that comes next: a string, or the `text` members of an array's objects.
fn units(cursor: &mut Cursor<'_>) -> Result<u32, ScanError> {
    match cursor.kind()? {
        Kind::String => Ok(cursor.text()?.units as u32),
        Kind::Array => {
            let (mut sum, mut elements) = (0u32, cursor.enter_array()?);
            while cursor.element(&mut elements)? {
                members(cursor, |key, cursor| {
                    let is_text = key == b"text" && cursor.kind()? == Kind::String;
                    if is_text {
                        sum = sum.saturating_add(cursor.text()?.units as u32);
                    }
                    Ok(is_text)
                })?;
            }
            Ok(sum)
        }
        _ => cursor.skip().map(|_| 0),
    }
}

/// Notes the folder that a record names.
fn project(cursor: &mut Cursor<'_>, state: &mut State) -> Result<(), ScanError> {
    let found = cursor.string_or_skip()?;
    let is_known = |folder: &str| state.project.as_ref().is_some_and(|(known, _)| known == folder);
    state.folder = found.map(|folder| if is_known(&folder) { None } else { Some(folder.into_owned()) });
    Ok(())
}

impl State {
    /// Keeps the folder that a record of this time named, if there is none of an earlier time. Records come in any order.
    fn keep_folder(&mut self, time: Option<i64>) {
        let Some(folder) = self.folder.take() else { return };
        let is_earlier = self.project.as_ref().is_none_or(|(_, known)| time.zip(*known).is_some_and(|(time, known)| time < known));
        if is_earlier {
            let known = self.project.take().map(|(known, _)| known);
            self.project = folder.or(known).map(|folder| (folder, time));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_line_has_no_row() {
        let log = concat!(
            "{\"type\":\"message\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"message\":{\"role\":\"assistant\",\"usage\":{\"input\":5,\"output\":2}}}\n",
            "{\"type\":\"message\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"message\":{\"role\":\n",
            "\n{\"type\":\"message\",\"timestamp\":\"2026-01-01T00:00:01Z\",\"message\":{\"role\":\"user\"}}",
        );
        let rows = read(log.as_bytes(), "openclaw").rows;
        assert_eq!(rows.iter().map(|r| r.time).collect::<Vec<_>>(), [Some(1_767_225_600_000), Some(1_767_225_601_000)]);
        assert_eq!(rows[0].usage.map(|u| (u.prompt(), u.output)), Some((5, 2)));
        assert!(read(log.as_bytes(), "gemini-cli").rows.is_empty());
    }

    #[test]
    fn claude_code_tells_both_lifetimes_once_a_message() {
        let line = r#"{"type":"assistant","timestamp":"2026-01-01T00:00:00Z","cwd":"/w","message":{"id":"m","model":"claude-x","usage":{"input_tokens":1,"cache_creation_input_tokens":30,"cache_read_input_tokens":4,"cache_creation":{"ephemeral_5m_input_tokens":10,"ephemeral_1h_input_tokens":20},"output_tokens":7}}}"#;
        let log = read(line.as_bytes(), "claude-code");
        let want = Usage { input: 1, cache_read: 4, cache_write5m: 10, cache_write1h: 20, output: 7 };
        assert_eq!((log.rows[0].usage, log.rows[0].kind, log.project.as_deref()), (Some(want), RowKind::Answer, Some("/w")));
        let synthetic = line.replace("claude-x", "<synthetic>");
        assert_eq!(read(synthetic.as_bytes(), "claude-code").rows[0].kind, RowKind::Other);
    }

    #[test]
    fn codex_counts_are_taken_once() {
        let count = |total: u64| {
            format!(
                "{{\"timestamp\":\"2026-01-01T00:00:00Z\",\"type\":\"event_msg\",\"payload\":{{\"type\":\"token_count\",\"info\":{{\"total_token_usage\":{{\"total_tokens\":{total}}},\"last_token_usage\":{{\"input_tokens\":100,\"cached_input_tokens\":64,\"output_tokens\":3}}}}}}}}\n"
            )
        };
        let empty = r#"{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{"type":"token_count","info":null}}"#;
        let text = [count(103), count(103), count(206), empty.to_owned()].concat();
        let counts: Vec<Row> = read(text.as_bytes(), "codex").rows.into_iter().filter(|r| r.kind == RowKind::Count).collect();
        assert_eq!(counts.len(), 2);
        assert_eq!(counts[0].usage, Some(Usage { input: 36, cache_read: 64, output: 3, ..Usage::default() }));
    }
}
