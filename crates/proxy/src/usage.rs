//! The tokens of a prompt as the provider counted them, read out of an answer as it passes by:
//! JSON, or events with JSON in them. At most one object is held.

use crate::counts::Provider;
use memchr::memmem::find;
use serde_json::{Deserializer, Value};
use std::io;

/// How the members that hold the counts begin: `usage`, and `usageMetadata` of Gemini. In a string
/// they are escaped.
const MEMBER: &[u8] = b"\"usage";
/// The member that lists what the server cleared.
const APPLIED: &[u8] = b"\"applied_edits";
/// The number of bytes of an object up to which it is read.
const LONGEST: usize = 16 << 10;
/// The number of bytes of an answer, without its compression, up to which it is read: no more is
/// unpacked.
const MOST: usize = 64 << 20;

/// The members that state them: tokens neither read from the cache nor written to it (or the whole
/// input, if the others are stated within it); tokens of the whole prompt; tokens that were read,
/// beside the input; tokens that were read, within the input; tokens that were written, likewise.
const COUNTS: [&[&str]; 6] = [
    &["/input_tokens", "/inputTokens"],
    &["/prompt_tokens", "/promptTokenCount"],
    &["/cache_read_input_tokens", "/cacheReadInputTokens"],
    &[
        "/prompt_tokens_details/cached_tokens",
        "/input_tokens_details/cached_tokens",
        "/cachedContentTokenCount",
    ],
    &["/cache_creation_input_tokens", "/cacheWriteInputTokens"],
    &[
        "/prompt_tokens_details/cache_write_tokens",
        "/input_tokens_details/cache_write_tokens",
    ],
];

/// Reads an answer.
#[derive(Default)]
pub struct Usage {
    /// The text that may begin an object with counts.
    held: Vec<u8>,
    /// The last of each of [`COUNTS`].
    counts: [Option<u64>; COUNTS.len()],
    /// The number of results that the server cleared.
    cleared: Option<u64>,
    /// The id of the answer, by which a later request may continue from it.
    id: Option<String>,
    /// The number of bytes that came.
    read: usize,
}

/// Returns the first id of an answer of Anthropic's messages or OpenAI's responses.
fn id(bytes: &[u8]) -> Option<String> {
    let from = ["\"msg_", "\"resp_"]
        .iter()
        .filter_map(|start| find(bytes, start.as_bytes()));
    let text = &bytes[from.min()? + 1..];
    let end = memchr::memchr(b'"', text)?;
    Some(String::from_utf8_lossy(&text[..end]).into_owned())
}

/// The value of a member that may count.
enum Counted {
    /// The value, and the number of bytes to its end.
    Whole(Value, usize),
    Torn,
    Not,
}

impl Usage {
    /// Returns the counts, if there are any. The last of several counts in an answer applies.
    pub fn counted(&self) -> Option<Provider> {
        let [input, all, read, read_within, written, written_within] = self.counts;
        let sum = |counts: [Option<u64>; 2]| counts.into_iter().flatten().sum::<u64>();
        let [read, written] = [read.or(read_within), written.or(written_within)];
        let within = match all {
            Some(_) => [read, written],
            None => [read_within, written_within],
        };
        Some(Provider {
            input: all.or(input)?.saturating_sub(sum(within)),
            read: read.unwrap_or_default(),
            written: written.unwrap_or_default(),
        })
    }
}

impl Usage {
    /// The id of the answer, if it has one of those by which requests continue.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The number of results that the server says that it cleared.
    pub fn cleared(&self) -> Option<u64> {
        self.cleared
    }
}

impl io::Write for Usage {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.read += bytes.len();
        if self.read > MOST {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.id = self.id.take().or_else(|| id(bytes));
        self.held.extend_from_slice(bytes);
        let mut at = 0;
        while let Some((found, name)) = [MEMBER, APPLIED]
            .iter()
            .filter_map(|name| Some((find(&self.held[at..], name)?, name.len())))
            .min()
        {
            let from = at + found;
            let rest = &self.held[from + name..];
            match object(rest) {
                Counted::Whole(Value::Array(edits), end) if name == APPLIED.len() => {
                    let uses = edits
                        .iter()
                        .filter_map(|edit| edit["cleared_tool_uses"].as_u64());
                    self.cleared = Some(uses.sum());
                    at = from + name + end;
                }
                Counted::Whole(object, end) => {
                    for (count, places) in self.counts.iter_mut().zip(COUNTS) {
                        *count = places
                            .iter()
                            .find_map(|place| object.pointer(place)?.as_u64())
                            .or(*count);
                    }
                    at = from + name + end;
                }
                Counted::Torn if rest.len() < LONGEST => {
                    self.held.drain(..from);
                    return Ok(bytes.len());
                }
                _ => at = from + name,
            }
        }
        let kept = (self.held.len() - at).min(APPLIED.len() - 1);
        self.held.drain(..self.held.len() - kept);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The object or list that is the value of the member whose name goes on with `rest`.
fn object(rest: &[u8]) -> Counted {
    let mut left = rest.strip_prefix(b"Metadata").unwrap_or(rest);
    for wanted in [b'"', b':'] {
        match left.split_first() {
            Some((byte, after)) if *byte == wanted => left = after.trim_ascii_start(),
            Some(_) if !b"Metadata".starts_with(rest) => return Counted::Not,
            _ => return Counted::Torn,
        }
    }
    if left.first().is_some_and(|byte| !b"{[".contains(byte)) {
        return Counted::Not;
    }
    let start = rest.len() - left.len();
    let mut values = Deserializer::from_slice(left).into_iter();
    match values.next() {
        Some(Ok(object)) => Counted::Whole(object, start + values.byte_offset()),
        Some(Err(error)) if !error.is_eof() => Counted::Not,
        _ => Counted::Torn,
    }
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
        let chat_written = "{\"usage\":{\"prompt_tokens\":1892,\"prompt_tokens_details\":{\"cached_tokens\":0,\"cache_write_tokens\":1889}}}";
        let responses_written = "{\"usage\":{\"input_tokens\":1892,\"input_tokens_details\":{\"cached_tokens\":1,\"cache_write_tokens\":1889}}}";
        // LiteLLM's, of Anthropic's: what was read and written is part of the prompt.
        let litellm = "{\"usage\":{\"prompt_tokens\":123,\"cache_read_input_tokens\":100,\"cache_creation_input_tokens\":20,\"prompt_tokens_details\":{\"cached_tokens\":100}}}";
        let gemini = "[{\"usageMetadata\" : {\"promptTokenCount\":1}},{\"usageMetadata\":{\"promptTokenCount\":7,\"cachedContentTokenCount\":2}}]";
        let converse = "\0\0{\"usage\":{\"inputTokens\":4,\"cacheReadInputTokens\":5,\"cacheWriteInputTokens\":6}}";
        for (answer, want) in [
            (claude, Some((3, 100, 20))),
            (chat, Some((10, 40, 0))),
            (responses, Some((42, 8, 0))),
            (chat_written, Some((3, 0, 1889))),
            (responses_written, Some((2, 1, 1889))),
            (litellm, Some((3, 100, 20))),
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
                assert!(usage.held.len() < APPLIED.len() || want.is_none());
            }
        }
        // Reading and unpacking have a limit.
        let mut usage = Usage::default();
        for _ in 0..64 {
            usage.write_all(&[b' '; 1 << 20]).expect("under the limit");
        }
        assert!(usage.write_all(b" ").is_err());
        let mut usage = Usage::default();
        usage.write_all(b"\"usage\":{").expect("memory");
        for _ in 0..100 {
            usage.write_all(&[b' '; 1 << 10]).expect("memory");
            assert!(usage.held.len() <= LONGEST + 2048);
        }
    }
}
