//! rag-rerank: ranks retrieved chunks by the question, and removes the last ones.
//!
//! **What.** Lists of chunks in a prompt of the user or the system, as blocks beside it, in the
//! result of a search, or as a request's documents (found by [`crate::chunks`]) are scored against
//! the question and put in the order of their scores (`order: "rank"`) or left in their own
//! (`"keep"`). Chunks that score less than `threshold` are removed, then those that exceed
//! `maxChunks` and `maxChars`; `minKeep` chunks are kept, all with `keepAll`. A score is the cosine
//! of chunk and question ([`crate::score`]) as a share of the best one's; without a `threshold` it
//! is chosen from the distribution of the scores.
//!
//! **Why.** A retriever returns more than a question needs, and not in the order of usefulness.
//!
//! **Safety.** A chunk is kept or removed as a whole, with its tags, number and names, byte for
//! byte; the fence around the chunks and the question are kept. Text that is not clearly a list of
//! retrieved texts, is cached or signed, or has no question is left alone with a reason. A chunk
//! that may have other text behind it stays where it is, and chunks that an assistant's message
//! cites are kept. Scores depend on the chunks in the list, so a second run may remove more: it
//! ranks the chunks that the first one left, by the same question, against a new best score.
//!
//! ```text
//! before  <documents><document>of the sea</document><document>of the moon</document>…</documents> What moves the moon?
//! after   <documents><document>of the moon</document></documents> What moves the moon?
//! ```

mod blocks;
mod choose;
mod citations;
mod places;
mod query;
mod tools;

use crate::{
    chunks::{Chunk, List, other_kind},
    score::scores,
};
use deadhead_core::{
    Error, Result,
    diagnostics::{ChunkRow, Reranked, Skip},
    internal::{
        edit::{Action, Cut, OuterTextCut, Proposal, Reason, Rewrite, Segment, View},
        estimate,
        json::{Cursor, stringify, text},
        pass::{Pass, Rest},
        transcript::{BlockKind, Role, Span},
    },
    settings::{Mode, RagRerank, Settings},
};

use choose::choose;
use citations::Citations;
use places::{At, MessageText, Place};
use std::borrow::Cow;

/// The table's row.
pub const PASS: Pass = Pass {
    name: "rag-rerank",
    about: "rank retrieved chunks by the question and remove the last ones",
    on: |settings| settings.rag_rerank.enabled,
    size: Some(|settings| settings.rag_rerank.size()),
    plan,
    ..Pass::REST
};

fn plan(view: &View<'_>, settings: &Settings, _: Mode) -> Result<Proposal, Rest> {
    let settings = &settings.rag_rerank;
    let (places, own) = places::find(view)?;
    let skip = |message, part, why| Skip {
        pass: PASS.name,
        message,
        part,
        why,
    };
    if places.is_empty() {
        let why = "there is no list of retrieved chunks".to_owned();
        let mut messages = view.transcript.messages.iter();
        let latest = messages.rfind(|message| message.role == Role::User);
        let skipped = latest.map(|message| skip(message.number, 0, why.clone()));
        return Ok(Proposal {
            note: Some(why),
            skipped: skipped.into_iter().collect(),
            ..Proposal::default()
        });
    }
    let cited = Citations::read(view, &places)?;
    let asked = query::questions(own);
    let mut proposal = Proposal::default();
    for place in &places {
        let (message, part) = place.at.numbers(view);
        let mut done: Vec<Ranked<'_>> = Vec::new();
        for list in &place.lists {
            let ranked = list.as_ref().map_err(Clone::clone).and_then(|list| {
                let ranked = ranked(view, place, list, &asked, &cited, settings);
                ranked.map_err(|why| format!("{}: {why}", list.layout))
            });
            match ranked {
                Ok(ranked) => done.push(ranked),
                Err(why) => proposal.skipped.push(skip(message, part, why)),
            }
        }
        if let Some(rewrite) = rewrite(&done) {
            match place.at.message {
                None => proposal.outside.push(OuterTextCut {
                    pass: PASS.name,
                    place: place.at.index,
                    rewrite,
                    reason: reason(&done, true),
                }),
                Some(message) => {
                    let cut = cut(view, place.at, message, rewrite, &done)?;
                    proposal.cuts.push(cut);
                }
            }
        }
        let rows = done.into_iter().map(|ranked| ranked.row);
        proposal.reranked.extend(rows);
    }
    if proposal.cuts.is_empty() && proposal.outside.is_empty() {
        proposal.note = Some(match proposal.reranked.len() {
            0 => "no list of retrieved chunks can be ranked".to_owned(),
            _ => "the chunks are in order, and all of them score enough".to_owned(),
        });
    }
    Ok(proposal)
}

/// A ranked list.
struct Ranked<'a> {
    chunks: &'a [Chunk],
    /// The chunks that stay, in the order in which they come out.
    order: Vec<usize>,
    row: Reranked,
}

/// The rewrite of the lists of a place, `None` if no list loses a chunk or changes its order: the
/// chunks in their new order, and between them what was at that place before. If chunks are
/// removed, the last of the gaps between them are removed too.
fn rewrite(done: &[Ranked<'_>]) -> Option<Rewrite> {
    let start = done.first()?.chunks.first()?.span.start;
    let mut segments = Vec::new();
    let mut at = start;
    for Ranked { chunks, order, .. } in done {
        for (place, &chunk) in chunks.iter().zip(order) {
            let chunk = &chunks[chunk].span;
            segments.extend([span(at, place.span.start), span(chunk.start, chunk.end)]);
            at = place.span.end;
        }
        at = chunks.last()?.span.end;
    }
    let filled = segments.into_iter().filter(|segment| !segment.is_empty());
    let changes = |list: &Ranked<'_>| list.row.dropped > 0 || !list.order.is_sorted();
    done.iter().any(changes).then(|| Rewrite {
        span: span(start, at),
        segments: filled.map(Segment::Source).collect(),
    })
}

fn span(start: usize, end: usize) -> Span {
    Span {
        start: start as u32,
        end: end as u32,
    }
}

/// Why; `chars` says how many go where the account does not.
fn reason(done: &[Ranked<'_>], chars: bool) -> Reason {
    let rows = || done.iter().flat_map(|list| &list.row.chunks);
    let gone = rows().filter(|chunk| chunk.to.is_none());
    let gone: Vec<u64> = gone.map(|chunk| chunk.chars).collect();
    let all = rows().count();
    let kept = all - gone.len();
    let reason = match gone.len() {
        0 => format!("{kept} chunks in the order of their scores"),
        _ if chars => format!(
            "{kept} of {all} chunks stay; {} chars outside the count go",
            gone.iter().sum::<u64>()
        ),
        _ => format!("{kept} of {all} chunks stay"),
    };
    reason.into()
}

/// Ranks a list, or says why it is left.
fn ranked<'a>(
    view: &View<'_>,
    place: &Place,
    list: &'a List,
    asked: &[MessageText],
    cited: &Citations,
    settings: &RagRerank,
) -> Result<Ranked<'a>, Cow<'static, str>> {
    let n = list.chunks.len();
    if n < settings.min_chunks {
        let chunks = if n == 1 { "chunk" } else { "chunks" };
        return Err(format!("{n} {chunks}, fewer than minChunks {}", settings.min_chunks).into());
    }
    let texts: Vec<&str> = list.chunks.iter().map(|chunk| &*chunk.text).collect();
    if let Some(why) = other_kind(&texts) {
        return Err(why.into());
    }
    let question = query::question(view, asked, place.at).unwrap_or_default();
    let question = format!("{}\n{question}", place.query);
    if question.trim().is_empty() {
        return Err("nobody asks a question".into());
    }
    let is_cited = cited.cited_chunks(list, place.at.message)?;
    let cosines = scores(&question, &texts);
    let chars = texts.iter().map(|text| text.encode_utf16().count() as u64);
    let chars: Vec<u64> = chars.collect();
    let choice = choose(&cosines, &chars, (&is_cited, &list.chunks), settings)
        .ok_or("no chunk has a word of the question")?;
    let mut places = vec![None; n];
    for (&at, place) in choice.order.iter().zip(1u32..) {
        places[at] = Some(place);
    }
    let chunk = |at: usize| ChunkRow {
        from: at as u32 + 1,
        to: places[at],
        number: list.chunks[at].number,
        name: list.chunks[at].names.first().cloned(),
        score: round(choice.scores[at]),
        cosine: round(cosines[at]),
        chars: chars[at],
        cited: is_cited[at],
    };
    let (message, part) = place.at.numbers(view);
    let row = Reranked {
        message,
        part,
        block: place.at.message.map(|_| place.at.index),
        layout: list.layout.clone(),
        kept: choice.order.len() as u64,
        dropped: (n - choice.order.len()) as u64,
        chunks: (0..n).map(chunk).collect(),
    };
    Ok(Ranked {
        chunks: &list.chunks,
        order: choice.order,
        row,
    })
}

fn round(score: f64) -> f64 {
    (score * 1e4).round() / 1e4
}

/// The cut of the place at `at` in message `message`.
fn cut(
    view: &View<'_>,
    at: At,
    message: usize,
    rewrite: Rewrite,
    done: &[Ranked<'_>],
) -> Result<Cut> {
    let block = at.index;
    let own = &view.transcript.blocks[block as usize];
    let kind = match view.children(block) {
        [] => own.kind,
        [child] => child.kind,
        _ => BlockKind::Other,
    };
    // Chunks that are blocks: nothing between them counts, and beside a text the first one has the
    // cut of all.
    let are_blocks =
        kind == BlockKind::Other && view.transcript.messages[message].role != Role::Assistant;
    let size = |from: usize, to: usize, is_gap: bool| -> Result<u64> {
        let raw = places::bytes(view, at.record(view), span(from, to))?;
        Ok(match kind {
            BlockKind::Text => text::units(&raw, 0) + estimate::extra_of(&raw, view.estimator),
            BlockKind::Other => raw.len() * usize::from(!(are_blocks && is_gap)),
            // A comma.
            _ if is_gap => 1,
            _ => stringify::length(&mut Cursor::new(&raw))
                .map_err(|error| Error::json(&raw, error))?,
        } as u64)
    };
    let (mut all, mut gone) = (0, 0);
    for list in done {
        for (chunk, row) in list.chunks.iter().zip(&list.row.chunks) {
            let chars = size(chunk.span.start, chunk.span.end, false)?;
            all += chars;
            gone += if row.to.is_some() { 0 } else { chars };
        }
        for pair in list.chunks[list.order.len() - 1..].windows(2) {
            gone += size(pair[0].span.end, pair[1].span.start, true)?;
        }
    }
    let chars_before = if are_blocks && own.kind != BlockKind::Result {
        all
    } else {
        view.chars_of_block_before(message, block)
    };
    Ok(Cut {
        pass: PASS.name,
        message: message as u32,
        block,
        action: Action::Rewrite(rewrite),
        chars_before,
        chars_after: chars_before.saturating_sub(gone),
        linked: false,
        reason: reason(done, chars_before == 0),
    })
}
