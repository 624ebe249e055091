//! Rows of the report for retrieved chunks.

use schemars::JsonSchema;
use serde::Serialize;

/// A list of chunks that rag-rerank ranked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reranked {
    /// Message, from 1, as in the input; 0 where it is outside the messages.
    pub message: u32,
    /// Part of the message, from 0.
    pub part: u32,
    /// Index of the block in the transcript, if it is in one.
    #[serde(skip)]
    pub block: Option<u32>,
    /// The layout of the chunks.
    pub layout: String,
    /// Chunks that stay.
    pub kept: u64,
    /// Chunks that go.
    pub dropped: u64,
    /// Every chunk, in the order of the input.
    pub chunks: Vec<ChunkRow>,
}

/// One chunk and its score.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChunkRow {
    /// Its place in the input's list, from 1.
    #[schemars(range(min = 1))]
    pub from: u32,
    /// Its place in the output's list, from 1; null where it is removed.
    #[schemars(range(min = 1))]
    pub to: Option<u32>,
    /// The number that it carries.
    pub number: Option<u32>,
    /// Its id, source, address or title.
    pub name: Option<String>,
    /// Its score from 0 to 1, the best chunk of the list having 1: what the threshold is compared with.
    #[schemars(range(min = 0, max = 1))]
    pub score: f64,
    /// The cosine of chunk and question behind the score.
    #[schemars(range(min = 0, max = 1))]
    pub cosine: f64,
    /// UTF-16 units.
    pub chars: u64,
    /// Whether an assistant's message cites it, so that it stays.
    pub cited: bool,
}
