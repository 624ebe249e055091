//! Computes the tokens of a context from the usage that the log recorded for its last call.
//!
//! The provider counted the whole prompt: system prompt, tools and the messages before the answer. Messages that came since, and
//! cuts, are measured in chars by this program. Two recorded prompts give the number of chars per token; without two that differ
//! enough it is four.

use crate::Error;
use crate::dialect::by_name;
use crate::dialect::usage::{self, Calls, Prompts, Row, State, Usage};
use crate::edit::View;
use crate::estimate::{self, CHARS_PER_TOKEN};
use crate::json::Cursor;
use crate::json::locate::value_at;
use crate::message_tokens::CountedRequest;
use crate::read_at::Window;
use crate::transcript::{Message, NoteKind, Role, Span};

/// Recorded prompts that differ by less do not say how many chars make a token.
const ENOUGH: u64 = 2_000;
/// Chars that a token of any script and any kind of text has, at least and at most.
const LIKELY: std::ops::RangeInclusive<f64> = 1.0..=8.0;
/// Answers that are looked at from either end for one with a count.
const LOOKED_AT: usize = 8;
/// Bytes after an answer in which its count is looked for, where the log counts in a record of its own.
const NEAR: u64 = 1 << 20;

/// Tokens as the log recorded them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recorded {
    /// Of the whole context: the last recorded prompt, and what came since.
    pub tokens: u64,
    /// Chars that make a token.
    pub rate: f64,
}

/// Returns the tokens that the log recorded of the context of `view`; `None` for a body and for a log without counts.
///
/// # Errors
/// The input cannot be read any more.
pub fn recorded(view: &View<'_>) -> Result<Option<Recorded>, Error> {
    let transcript = view.transcript;
    let Some(calls) = by_name(transcript.format)
        .map(|format| &format.calls)
        .filter(|calls| !matches!(calls.prompts, Prompts::Uncounted))
    else {
        return Ok(None);
    };
    let answers: Vec<usize> = (0..transcript.messages.len())
        .filter(|&i| transcript.messages[i].role == Role::Assistant)
        .collect();
    let Some((last, newest)) = first_counted(view, calls, answers.iter().rev())? else {
        return Ok(None);
    };
    let prompt = newest.prompt();
    let chars = |range: std::ops::Range<usize>| {
        range
            .map(|i| estimate::message(transcript, i, view.estimator))
            .sum::<u64>()
    };
    if (prompt as f64) < chars(0..last) as f64 / LIKELY.end() {
        // It is not a count of these messages.
        return Ok(None);
    }
    let mut rate = CHARS_PER_TOKEN as f64;
    if let Some((first, least)) = first_counted(view, calls, answers.iter())?
        && first < last
        && prompt >= least.prompt() + ENOUGH
    {
        let measured = chars(first..last) as f64 / (prompt - least.prompt()) as f64;
        rate = if LIKELY.contains(&measured) {
            measured
        } else {
            rate
        };
    }
    let since = (chars(last..transcript.messages.len()) as f64 / rate).round() as u64;
    Ok(Some(Recorded {
        tokens: prompt + since,
        rate,
    }))
}

/// Each answer whose call was counted: where its message begins, and what was counted.
///
/// # Errors
/// The input cannot be read any more.
pub fn counted(view: &View<'_>) -> Result<Vec<CountedRequest>, Error> {
    let Some(calls) = by_name(view.transcript.format).map(|format| &format.calls) else {
        return Ok(Vec::new());
    };
    if matches!(calls.prompts, Prompts::Uncounted) {
        return Ok(Vec::new());
    }
    let mut found: Vec<CountedRequest> = Vec::new();
    for (i, message) in view
        .transcript
        .messages
        .iter()
        .enumerate()
        .filter(|(_, message)| message.role == Role::Assistant)
    {
        let Some(usage) = usage_of(view, calls, i)? else {
            continue;
        };
        match found.last_mut().filter(|_| message.continues) {
            // An answer in pieces is counted to the end of each.
            Some(whole) => whole.usage.output = whole.usage.output.max(usage.output),
            None => found.push(CountedRequest {
                length: i,
                usage,
                sent: None,
                answered: None,
            }),
        }
    }
    Ok(found)
}

/// Returns requests with their times, as far as the log states them.
///
/// # Errors
/// The input cannot be read any more.
pub fn timed(
    view: &View<'_>,
    mut requests: Vec<CountedRequest>,
) -> Result<Vec<CountedRequest>, Error> {
    let Some(read) = by_name(view.transcript.format).and_then(|format| format.calls.row) else {
        return Ok(requests);
    };
    let mut window = Window::new(view.texts);
    let mut row = |i: usize| -> Result<Row, Error> {
        let start = view.transcript.messages[i].record;
        let end = value_at(&mut window, start)?.end;
        let (mut state, mut row) = (State::default(), Row::default());
        let is_read = read(
            &mut Cursor::new(&view.texts.read(start, end)?),
            &mut state,
            &mut row,
        )
        .is_ok();
        Ok(if is_read { row } else { Row::default() })
    };
    for request in &mut requests {
        let answer = row(request.length)?;
        request.answered = answer.time.or(answer.sent);
        let before = request
            .length
            .checked_sub(1)
            .map(&mut row)
            .transpose()?
            .and_then(|before| before.time);
        request.sent = answer
            .sent
            .or(before.filter(|before| request.answered.is_none_or(|at| *before <= at)))
            .or(request.answered);
    }
    Ok(requests)
}

/// Whether a message begins an answer.
pub fn is_answer(message: &Message) -> bool {
    message.role == Role::Assistant && !message.continues
}

/// Whether the prompts of the conversation are cached for an hour, as its newest cache mark or the counts of what was written to a cache
/// show.
///
/// # Errors
/// The input cannot be read any more.
pub fn is_cached_long(view: &View<'_>) -> Result<Option<bool>, Error> {
    let transcript = view.transcript;
    let request = &transcript.request;
    let inside = transcript.notes.iter().rev().find_map(|note| {
        if let NoteKind::Mark { long } = note.kind {
            Some(long)
        } else {
            None
        }
    });
    let marked = request
        .automatic_mark
        .or(inside)
        .or(request.system_marks.last().copied())
        .or(request.tool_marks.last().copied());
    let calls = by_name(transcript.format)
        .map(|format| &format.calls)
        .filter(|calls| calls.has_lifetime);
    let (None, Some(calls)) = (marked, calls) else {
        return Ok(marked);
    };
    let answers = (0..transcript.messages.len())
        .rev()
        .filter(|&i| is_answer(&transcript.messages[i]));
    let mut error = None;
    let counted = answers
        .map_while(|i| {
            usage_of(view, calls, i)
                .map_err(|found| error = Some(found))
                .ok()
        })
        .flatten();
    let long = usage::is_cached_long(counted);
    error.map_or(Ok(long), Err)
}

/// The first of `answers` whose call was counted: where its message begins, and what was counted.
fn first_counted<'a>(
    view: &View<'_>,
    calls: &Calls,
    answers: impl Iterator<Item = &'a usize>,
) -> Result<Option<(usize, Usage)>, Error> {
    for &i in answers.take(LOOKED_AT) {
        if let Some(usage) = usage_of(view, calls, i)? {
            return Ok(Some((view.transcript.begin_of(i), usage)));
        }
    }
    Ok(None)
}

/// Returns the usage that the log recorded of the call that message `i` answers.
fn usage_of(view: &View<'_>, calls: &Calls, i: usize) -> Result<Option<Usage>, Error> {
    let message = &view.transcript.messages[i];
    let Span { start, end } = message.span;
    let (from, to) = match calls.prompts {
        Prompts::Apart => (
            message.record,
            (message.record + NEAR).min(view.texts.size()),
        ),
        _ => (
            message.record + u64::from(start),
            message.record + u64::from(end),
        ),
    };
    let part = view
        .transcript
        .blocks_of(i)
        .first()
        .map_or(0, |block| u32::from(block.part));
    Ok(calls.usage(&view.texts.read(from, to)?, part))
}
