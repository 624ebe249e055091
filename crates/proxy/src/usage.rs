//! The tokens of a prompt as the provider counted them, read out of an answer as it passes by: JSON, or events with JSON in them. At most
//! one object is held.

use crate::counts::Provider;
use memchr::memmem::find;
use serde_json::Value;
use std::io;

/// How the members that hold the counts begin: `usage`, and `usageMetadata` of Gemini. In a string they are escaped.
const MEMBER: &[u8] = b"\"usage";
/// The number of bytes of an object up to which it is read.
const LONGEST: usize = 16 << 10;

/// Tokens that were neither read from the cache nor written to it, unless what was read is stated within them.
const INPUT: [&str; 4] = [
    "/input_tokens",
    "/prompt_tokens",
    "/promptTokenCount",
    "/inputTokens",
];
/// Tokens that were read from the cache, beside the input.
const READ: [&str; 2] = ["/cache_read_input_tokens", "/cacheReadInputTokens"];
/// The same within the input.
const READ_WITHIN: [&str; 3] = [
    "/prompt_tokens_details/cached_tokens",
    "/input_tokens_details/cached_tokens",
    "/cachedContentTokenCount",
];
/// Tokens that were written to the cache.
const WRITTEN: [&str; 3] = [
    "/cache_creation_input_tokens",
    "/cacheWriteInputTokens",
    "/prompt_tokens_details/cache_write_tokens",
];

/// Reads an answer.
#[derive(Default)]
pub struct Usage {
    /// What may be the beginning of an object that counts.
    held: Vec<u8>,
    input: Option<u64>,
    read: Option<u64>,
    read_within: Option<u64>,
    written: Option<u64>,
}

/// An object at the beginning of bytes.
enum Object {
    Whole(usize, usize),
    Torn,
    Not,
}

impl Usage {
    /// What was counted, if anything was. Of several counts in an answer the last one holds.
    pub fn counted(&self) -> Option<Provider> {
        let input = self.input?;
        let within = self.read_within.unwrap_or_default();
        Some(Provider {
            input: input.saturating_sub(within),
            read: self.read.unwrap_or(within),
            written: self.written.unwrap_or_default(),
        })
    }

    fn add(&mut self, object: &[u8]) {
        let Ok(counts) = serde_json::from_slice::<Value>(object) else {
            return;
        };
        let put = |slot: &mut Option<u64>, places: &[&str]| {
            let stated = places
                .iter()
                .find_map(|place| counts.pointer(place)?.as_u64());
            *slot = stated.or(*slot);
        };
        put(&mut self.input, &INPUT);
        put(&mut self.read, &READ);
        put(&mut self.read_within, &READ_WITHIN);
        put(&mut self.written, &WRITTEN);
    }
}

impl io::Write for Usage {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        let mut at = 0;
        while let Some(found) = find(&self.held[at..], MEMBER) {
            let from = at + found;
            let rest = &self.held[from + MEMBER.len()..];
            match object(rest) {
                Object::Whole(start, end) => {
                    let counts = rest[start..end].to_vec();
                    self.add(&counts);
                    at = from + MEMBER.len() + end;
                }
                Object::Torn if rest.len() < LONGEST => {
                    self.held.drain(..from);
                    return Ok(bytes.len());
                }
                _ => at = from + MEMBER.len(),
            }
        }
        let kept = (self.held.len() - at).min(MEMBER.len() - 1);
        self.held.drain(..self.held.len() - kept);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The object that is the value of the member whose name goes on with `rest`.
fn object(rest: &[u8]) -> Object {
    let mut at = rest
        .strip_prefix(b"Metadata")
        .map_or(0, |_| b"Metadata".len());
    for wanted in [b'"', b':', b'{'] {
        at += rest[at..]
            .iter()
            .take_while(|byte| wanted != b'"' && byte.is_ascii_whitespace())
            .count();
        match rest.get(at) {
            Some(byte) if *byte == wanted => at += 1,
            Some(_) if !b"Metadata".starts_with(rest) => return Object::Not,
            _ => return Object::Torn,
        }
    }
    let (start, mut depth, mut is_text, mut is_escaped) = (at - 1, 1, false, false);
    for (i, byte) in rest.iter().enumerate().skip(at) {
        match (is_text, byte) {
            (true, _) if is_escaped => is_escaped = false,
            (true, b'\\') => is_escaped = true,
            (_, b'"') => is_text = !is_text,
            (false, b'{') => depth += 1,
            (false, b'}') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Object::Whole(start, i + 1);
        }
    }
    Object::Torn
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// The counts of each provider, the answer cut anywhere.
    #[test]
    fn counts_are_read_as_they_pass_by() {
        let claude = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":3,\"cache_creation_input_tokens\":20,\
                      \"cache_read_input_tokens\":100,\"cache_creation\":{\"ephemeral_5m_input_tokens\":20}}}}\n\ndata: {\"type\":\"content_block_delta\",\
                      \"delta\":{\"text\":\"{\\\"usage\\\":{\\\"input_tokens\\\":9}}\"}}\n\ndata: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":5}}\n\n";
        let chat = "data: {\"usage\":null}\n\ndata: {\"choices\":[],\"usage\": {\"prompt_tokens\":50,\"prompt_tokens_details\":{\"cached_tokens\":40}}}\n\n";
        let responses = "{\"response\":{\"usage\":{\"input_tokens\":50,\"input_tokens_details\":{\"cached_tokens\":8},\"output_tokens\":1}}}";
        let gemini = "[{\"usageMetadata\" : {\"promptTokenCount\":1}},{\"usageMetadata\":{\"promptTokenCount\":7,\"cachedContentTokenCount\":2}}]";
        let converse = "\0\0{\"usage\":{\"inputTokens\":4,\"cacheReadInputTokens\":5,\"cacheWriteInputTokens\":6}}";
        for (answer, want) in [
            (claude, Some((3, 100, 20))),
            (chat, Some((10, 40, 0))),
            (responses, Some((42, 8, 0))),
            (gemini, Some((5, 2, 0))),
            (converse, Some((4, 5, 6))),
            ("{\"usage\":{}}", None),
            ("\"usage", None),
            ("", None),
        ] {
            for size in 1..=answer.len().max(1) {
                let mut usage = Usage::default();
                for piece in answer.as_bytes().chunks(size) {
                    usage.write_all(piece).expect("memory");
                }
                let found = usage.counted().map(|c| (c.input, c.read, c.written));
                assert_eq!(found, want, "{answer} in pieces of {size}");
                assert!(usage.held.len() < MEMBER.len() || want.is_none());
            }
        }
        let mut usage = Usage::default();
        usage.write_all(b"\"usage\":{").expect("memory");
        for _ in 0..100 {
            usage.write_all(&[b' '; 1 << 10]).expect("memory");
            assert!(usage.held.len() <= LONGEST + 2048);
        }
    }
}
