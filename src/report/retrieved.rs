//! What the report says of retrieved chunks, and the summary that stands in a response's header.

use serde::Serialize;

/// What was taken away, summed up (`spec/tessera-m7.md` section 5).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Prune {
    /// Messages that turn-drop took away.
    pub turns_removed: u64,
    /// Chunks that stay in the lists that were ranked.
    pub rag_kept: u64,
    /// Chunks that go.
    pub rag_dropped: u64,
    /// Messages before.
    pub messages_before: u64,
    /// Messages after.
    pub messages_after: u64,
    /// All of it as a header line.
    pub header: String,
}

/// Name of the header.
pub const HEADER: &str = "x-deadhead-context-pruned";

impl Prune {
    /// The summary of these numbers.
    pub fn new(turns_removed: u64, reranked: &[Reranked], messages_before: u64, messages_after: u64) -> Prune {
        let rag_kept = reranked.iter().map(|list| list.kept).sum();
        let rag_dropped = reranked.iter().map(|list| list.dropped).sum();
        let header = format!("{HEADER}: turns_removed={turns_removed},rag_kept={rag_kept}");
        Prune { turns_removed, rag_kept, rag_dropped, messages_before, messages_after, header }
    }
}

/// A list of chunks that rag-rerank ranked.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reranked {
    /// Message, from 1, as in the input.
    pub message: u32,
    /// Part of the message, from 0.
    pub part: u32,
    /// Index of the block in the transcript.
    #[serde(skip)]
    pub block: u32,
    /// How the chunks are laid out.
    pub layout: String,
    /// Chunks that stay.
    pub kept: u64,
    /// Chunks that go.
    pub dropped: u64,
    /// Every chunk, in the order of the input.
    pub chunks: Vec<ChunkRow>,
}

/// One chunk and its score.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChunkRow {
    /// Its place in the input's list, from 1.
    pub from: u32,
    /// Its place in the output's list, from 1; null where it goes.
    pub to: Option<u32>,
    /// The number that it carries.
    pub number: Option<u32>,
    /// Its id, source, address or title.
    pub name: Option<String>,
    /// Its score from 0 to 1, the best chunk of the list having 1: what the threshold is compared with.
    pub score: f64,
    /// The cosine of chunk and question behind the score.
    pub cosine: f64,
    /// UTF-16 units.
    pub chars: u64,
    /// Whether an assistant's message cites it, so that it stays.
    pub cited: bool,
}
