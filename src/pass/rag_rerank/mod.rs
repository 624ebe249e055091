//! rag-rerank: retrieved chunks are ranked by the question, and the last of them go.
//!
//! **What.** Lists of chunks in a user's text, as blocks beside it, or as all of a tool's answer (`crate::chunks` says how
//! they are told) are scored against the question, put in the order of their scores (`order: "rank"`) or left in their own
//! (`"keep"`), and lose what scores less than `threshold`, then what exceeds `maxChunks` and `maxChars`. `minKeep` stay.
//! A score is the cosine of chunk and question (`crate::rerank`) as a share of the best one's.
//!
//! **Why.** A retriever hands over more than a question needs, in an order that is not that of use.
//!
//! **Safety.** A chunk stays or goes whole, with its tags, number and names, in the bytes it came in; the fence around the
//! chunks and the question stay. What is not clearly a list, is cached or signed, or has no question is left with a reason.
//! Chunks that an assistant's message cites stay. Scores depend on the chunks that are there, so that a second run may drop
//! more: it ranks what the first one left, by the same question, against a new best.
//!
//! ```text
//! before  <documents><document>of the sea</document><document>of the moon</document>…</documents> What moves the moon?
//! after   <documents><document>of the moon</document></documents> What moves the moon?
//! ```

mod ask;
mod choose;
mod pins;
mod places;
mod rows;

use super::Pass;
use crate::config::settings::{Mode, RagRerank, Settings};
use crate::json::{Cursor, stringify, text};
use crate::plan::{Action, Cut, Piece, Proposal, Reason, Rewrite, View};
use crate::report::{ChunkRow, Reranked, Skip};
use crate::transcript::{BlockKind, Role, Span};
use crate::{estimate, rerank};
use choose::choose;
use pins::Cited;
use places::{List, Measure, Own, Place};

/// The table's row.
pub const PASS: Pass = Pass {
    name: "rag-rerank",
    about: "rank retrieved chunks by the question and drop the last of them",
    on: |settings| settings.rag_rerank.enabled,
    gated: false,
    size: Some(|settings| settings.rag_rerank.size),
    plan,
};

fn plan(view: &View<'_>, settings: &Settings, _: Mode) -> Result<Proposal, crate::Error> {
    let settings = &settings.rag_rerank;
    let (places, own) = places::find(view)?;
    if places.is_empty() {
        let why = "there is no list of retrieved chunks".to_owned();
        let latest = view.transcript.messages.iter().rfind(|message| message.role == Role::User);
        let skipped = latest.map(|message| Skip { pass: PASS.name, message: message.number, part: 0, why: why.clone() });
        return Ok(Proposal { note: Some(why), skipped: skipped.into_iter().collect(), ..Proposal::default() });
    }
    let cited = Cited::read(view, &places)?;
    let asked = ask::questions(own);
    let mut proposal = Proposal::default();
    for place in &places {
        let done = Done::of(view, place, &asked, &cited, settings)?;
        let message = view.transcript.messages[place.message].number;
        let part = view.transcript.blocks[place.block as usize].part.into();
        proposal.skipped.extend(done.skipped.iter().map(|why| Skip { pass: PASS.name, message, part, why: why.clone() }));
        proposal.cuts.extend(cut(view, place, &done)?);
        proposal.reranked.extend(done.rows);
    }
    if proposal.cuts.is_empty() {
        proposal.note = Some(match proposal.reranked.len() {
            0 => "no list of retrieved chunks can be ranked".to_owned(),
            _ => "the chunks are in order, and all of them score enough".to_owned(),
        });
    }
    Ok(proposal)
}

/// What comes of the lists of a place.
#[derive(Default)]
struct Done {
    /// The spans of a list's chunks, and the order in which they come out.
    orders: Vec<(Vec<Span>, Vec<usize>)>,
    rows: Vec<Reranked>,
    skipped: Vec<String>,
}

impl Done {
    fn of(view: &View<'_>, place: &Place, asked: &[Own], cited: &Cited, settings: &RagRerank) -> Result<Done, crate::Error> {
        let mut done = Done::default();
        for list in &place.lists {
            match list.as_ref().map_err(Clone::clone).and_then(|list| ranked(view, place, list, asked, cited, settings)) {
                Ok((order, row)) => {
                    done.orders.push((list.as_ref().map(|list| list.spans.clone()).unwrap_or_default(), order));
                    done.rows.push(row);
                }
                Err(why) => done.skipped.push(why),
            }
        }
        Ok(done)
    }

    /// Whether a list loses a chunk or changes its order.
    fn changes(&self) -> bool {
        self.orders.iter().any(|(spans, order)| order.len() < spans.len() || !order.is_sorted())
    }
}

/// Ranks a list: the order in which its chunks come out, and the row that tells of it; or why it is left.
fn ranked(
    view: &View<'_>,
    place: &Place,
    list: &List,
    asked: &[Own],
    cited: &Cited,
    settings: &RagRerank,
) -> Result<(Vec<usize>, Reranked), String> {
    let n = list.spans.len();
    if n < settings.min_chunks {
        let chunks = if n == 1 { "chunk" } else { "chunks" };
        return Err(format!("{}: {n} {chunks}, fewer than minChunks {}", list.layout, settings.min_chunks));
    }
    let question = ask::question(view, asked, place.message).ok_or_else(|| format!("{}: nobody asks a question", list.layout))?;
    let pins = cited.pins(list, place.message, matches!(place.measure, Measure::Blocks(_)))?;
    let texts: Vec<&str> = list.texts.iter().map(String::as_str).collect();
    let cosines = rerank::scores(question, &texts);
    let chars: Vec<u64> = texts.iter().map(|text| units(text)).collect();
    let choice =
        choose(&cosines, &chars, &pins, settings).ok_or_else(|| format!("{}: no chunk has a word of the question", list.layout))?;
    let mut places = vec![None; n];
    choice.order.iter().zip(1u32..).for_each(|(&at, place)| places[at] = Some(place));
    let chunk = |at: usize| ChunkRow {
        from: at as u32 + 1,
        to: places[at],
        number: list.numbers[at],
        name: list.names[at].first().cloned(),
        score: round(choice.scores[at]),
        cosine: round(cosines[at]),
        chars: chars[at],
        cited: pins[at],
    };
    let row = Reranked {
        message: view.transcript.messages[place.message].number,
        part: view.transcript.blocks[place.block as usize].part.into(),
        block: place.block,
        layout: list.layout.clone(),
        kept: choice.order.len() as u64,
        dropped: (n - choice.order.len()) as u64,
        chunks: (0..n).map(chunk).collect(),
    };
    Ok((choice.order, row))
}

/// UTF-16 units of a text.
fn units(text: &str) -> u64 {
    if text.is_ascii() { text.len() as u64 } else { text.encode_utf16().count() as u64 }
}

fn round(score: f64) -> f64 {
    (score * 1e4).round() / 1e4
}

/// The cut of a place, if something in it changes.
fn cut(view: &View<'_>, place: &Place, done: &Done) -> Result<Option<Cut>, crate::Error> {
    let ends = done.orders.first().and_then(|(spans, _)| spans.first()).zip(done.orders.last().and_then(|(spans, _)| spans.last()));
    let Some((first, last)) = ends.filter(|_| done.changes()) else { return Ok(None) };
    let span = Span { start: first.start, end: last.end };
    let pieces = pieces(&done.orders, span);
    let dropped: usize = done.orders.iter().map(|(spans, order)| spans.len() - order.len()).sum();
    let kept: usize = done.orders.iter().map(|(_, order)| order.len()).sum();
    let (chars_before, chars_after) = match &place.measure {
        Measure::Blocks(chars) => {
            let stays: u64 = done.orders.iter().flat_map(|(_, order)| order.iter().map(|&at| chars[at])).sum();
            let before = chars.iter().sum::<u64>();
            let whole = view.chars_of_block_before(place.message, place.block).max(before);
            let result = view.transcript.blocks[place.block as usize].kind == BlockKind::Result;
            if result { (whole, whole - before + stays) } else { (before, stays) }
        }
        Measure::Text(inner) | Measure::Json(inner) => {
            let before = view.chars_of_block_before(place.message, place.block);
            (before, chars(view, place, *inner, span, &pieces)?)
        }
    };
    let reason = match dropped {
        0 => format!("{kept} chunks in the order of their scores"),
        _ => format!("{kept} of {} chunks stay", kept + dropped),
    };
    Ok(Some(Cut {
        pass: PASS.name,
        message: place.message as u32,
        block: place.block,
        action: Action::Rewrite(Rewrite { span, pieces: pieces.into_iter().map(Piece::Source).collect() }),
        chars_before,
        chars_after,
        linked: false,
        reason: Reason::Shared(reason.into()),
    }))
}

/// What comes in the place of `span`: chunks in their new order, what stands between them where it stood. What stood
/// between chunks that are not there any more goes with them.
fn pieces(orders: &[(Vec<Span>, Vec<usize>)], span: Span) -> Vec<Span> {
    let mut pieces: Vec<Span> = Vec::new();
    let mut push = |piece: Span| match pieces.last_mut() {
        Some(last) if last.end == piece.start => last.end = piece.end,
        _ if piece.is_empty() => {}
        _ => pieces.push(piece),
    };
    let mut at = span.start;
    for (spans, order) in orders {
        push(Span { start: at, end: spans[0].start });
        for (place, &chunk) in order.iter().enumerate() {
            if place > 0 {
                push(Span { start: spans[place - 1].end, end: spans[place].start });
            }
            push(spans[chunk]);
        }
        at = spans[spans.len() - 1].end;
    }
    push(Span { start: at, end: span.end });
    pieces
}

/// Chars of what `inner` becomes when `pieces` come in the place of `span`.
fn chars(view: &View<'_>, place: &Place, inner: Span, span: Span, pieces: &[Span]) -> Result<u64, crate::Error> {
    let ends = [Span { start: inner.start, end: span.start }, Span { start: span.end, end: inner.end }];
    let mut new = Vec::new();
    for piece in std::iter::once(&ends[0]).chain(pieces).chain([&ends[1]]) {
        new.extend_from_slice(&places::bytes(view, place.message, *piece)?);
    }
    if matches!(place.measure, Measure::Json(_)) {
        let length = stringify::length(&mut Cursor::new(&new)).map_err(|error| crate::Error::json(&new, error))?;
        return Ok(length as u64);
    }
    Ok((text::units(&new, 0) + estimate::extra_of(&new, view.estimator)) as u64)
}
