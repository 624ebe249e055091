//! The tokens of one prompt, as the log counts them with an answer.

use super::{READERS, RowKind, State, Usage, claude_code, count, members, openclaw};
use crate::json::{Cursor, Kind, ScanError};

/// Reads the usage out of a message; none where it has none.
type ReadUsage = fn(&mut Cursor<'_>) -> Result<Option<Usage>, ScanError>;

/// Formats in whose logs an answer carries its usage.
const WITHIN: [(&str, ReadUsage); 4] =
    [("openclaw", openclaw::of_message), ("claude-code", claude_code::of_message), ("gemini-cli", gemini_cli), ("opencode", opencode)];
/// Formats that count in records of their own, after the answer.
const APART: [&str; 1] = ["codex"];

/// Whether logs of this format count prompts.
pub fn counts_prompts(format: &str) -> bool {
    WITHIN.iter().any(|(name, _)| *name == format) || counts_apart(format)
}

/// Whether they do so in records of their own.
pub fn counts_apart(format: &str) -> bool {
    APART.contains(&format)
}

/// The tokens of the prompt that `bytes` counts: a message, or where the count is apart the lines from its record on.
pub fn prompt(format: &str, bytes: &[u8]) -> Option<u64> {
    let usage = match WITHIN.iter().find(|(name, _)| *name == format) {
        Some((_, read)) => read(&mut Cursor::new(bytes)).ok().flatten(),
        None => first_count(format, bytes),
    };
    usage.map(|usage| usage.prompt()).filter(|&prompt| prompt > 0)
}

/// The first count among the lines of `bytes`.
fn first_count(format: &str, bytes: &[u8]) -> Option<Usage> {
    let (_, read) = READERS.iter().find(|(name, _)| *name == format)?;
    let mut state = State::default();
    bytes.split(|&byte| byte == b'\n').find_map(|line| {
        let mut row = super::Row::default();
        read(&mut Cursor::new(line), &mut state, &mut row).ok()?;
        row.usage.filter(|_| row.kind == RowKind::Count)
    })
}

/// Gemini CLI: `tokens` beside the content; the input includes what was cached.
fn gemini_cli(cursor: &mut Cursor<'_>) -> Result<Option<Usage>, ScanError> {
    let mut found = None;
    members(cursor, |key, cursor| {
        let is_tokens = key == b"tokens" && cursor.kind()? == Kind::Object;
        if is_tokens {
            let usage = found.insert(Usage::default());
            counts(cursor, &mut [(b"input", &mut usage.input), (b"cached", &mut usage.cache_read), (b"output", &mut usage.output)])?;
            usage.input = usage.input.saturating_sub(usage.cache_read);
        }
        Ok(is_tokens)
    })?;
    Ok(found)
}

/// OpenCode: `info.tokens`, with what was cached apart from the input.
fn opencode(cursor: &mut Cursor<'_>) -> Result<Option<Usage>, ScanError> {
    let mut found = None;
    members(cursor, |key, cursor| {
        let is_info = key == b"info";
        if is_info {
            members(cursor, |key, cursor| {
                let is_tokens = key == b"tokens" && cursor.kind()? == Kind::Object;
                if is_tokens {
                    let usage = found.insert(Usage::default());
                    members(cursor, |key, cursor| {
                        match key {
                            b"input" => usage.input = count(cursor)?,
                            b"output" => usage.output = count(cursor)?,
                            b"cache" => counts(cursor, &mut [(b"read", &mut usage.cache_read), (b"write", &mut usage.cache_write5m)])?,
                            _ => return Ok(false),
                        }
                        Ok(true)
                    })?;
                }
                Ok(is_tokens)
            })?;
        }
        Ok(is_info)
    })?;
    Ok(found)
}

/// Reads the counts of these names.
fn counts(cursor: &mut Cursor<'_>, wanted: &mut [(&[u8], &mut u64)]) -> Result<(), ScanError> {
    members(cursor, |key, cursor| match wanted.iter_mut().find(|(name, _)| *name == key) {
        Some((_, place)) => count(cursor).map(|n| {
            **place = n;
            true
        }),
        None => Ok(false),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_of_every_log_that_counts_them() {
        for (format, text, want) in [
            (
                "claude-code",
                r#"{"id":"m","usage":{"input_tokens":1,"cache_creation_input_tokens":30,"cache_read_input_tokens":4}}"#,
                Some(35),
            ),
            ("claude-code", r#"{"id":"m","usage":{"input_tokens":0,"output_tokens":3}}"#, None),
            ("claude-code", r#"{"id":"m","content":[]}"#, None),
            ("openclaw", r#"{"role":"assistant","usage":{"input":5,"output":2,"cacheRead":7,"cacheWrite":1}}"#, Some(13)),
            ("gemini-cli", r#"{"id":"g","tokens":{"input":10342,"output":182,"cached":8192,"total":10760}}"#, Some(10342)),
            ("opencode", r#"{"info":{"tokens":{"input":1,"output":2,"cache":{"read":3,"write":4}}},"parts":[]}"#, Some(8)),
            (
                "codex",
                concat!(
                    "{\"type\":\"response_item\",\"payload\":{\"type\":\"message\"}}\n{torn\n",
                    "{\"type\":\"event_msg\",\"payload\":{\"type\":\"token_count\",\"info\":{\"last_token_usage\":{\"input_tokens\":100,\"cached_input_tokens\":64}}}}\n"
                ),
                Some(100),
            ),
            ("codex", "{\"type\":\"response_item\",\"payload\":{\"type\":\"message\"}}\n", None),
        ] {
            assert_eq!(prompt(format, text.as_bytes()), want, "{format} {text}");
        }
        assert!(counts_prompts("codex") && !counts_prompts("anthropic"));
    }
}
