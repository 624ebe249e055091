//! Finds the tokens that a log recorded of its calls, and with them those of its context
//! ([`ContextTokens`]).
//!
//! The provider counted the whole prompt: system prompt, tools and the messages before the answer.
//! Messages that came since, and cuts, are measured in chars by this program. Two recorded prompts
//! give the number of chars per token; without two that differ enough it is four.

use crate::{
    Result,
    diagnostics::Warning,
    dialect::{
        by_name,
        usage::{self, Prompts, Row, State, Usage},
    },
    edit::View,
    estimate,
    json::{Cursor, locate::value_at, text},
    message_tokens::{ContextTokens, CountedRequest, LIKELY_RATES, PrefixSums},
    read_at::{ReadAt, Window},
    transcript::{BlockKind, Flags, Message, NoteKind, Role, Transcript},
};

/// The number of answers, from either end, that are searched for one with a count.
const LOOKED_AT: usize = 8;
/// Chars that the values in a note have at most, where it has any.
const VALUES: usize = 64;
/// Bytes after an answer in which its count is looked for, where the log counts in a record of its
/// own.
const NEAR: u64 = 1 << 20;

/// Returns the tokens of the context of `view` as it came: those that the log recorded or, if an
/// earlier run cut messages before the last answer, fitted to these; else estimated. `notes` are
/// what such a run leaves.
///
/// # Errors
/// The input cannot be read any more.
pub fn context_tokens(view: &View<'_>, notes: &[String]) -> Result<ContextTokens> {
    let transcript = view.transcript;
    let estimated = ContextTokens::estimated(view.chars_before());
    let answers: Vec<usize> = (0..transcript.messages.len())
        .filter(|&i| transcript.is_answer(i))
        .collect();
    let Some(last) = first_counted(view, answers.iter().rev())? else {
        return Ok(estimated);
    };
    let (mut chars, mut shortened) = (PrefixSums::default(), PrefixSums::default());
    for i in 0..transcript.messages.len() {
        chars.push(estimate::message(transcript, i, view.estimator));
        if i < last.length {
            let is_shortened = is_shortened(transcript, view.texts, i, notes)?;
            shortened.push(u32::from(is_shortened));
        }
    }
    let requests = if shortened.all() > 0 {
        counted(view)?
    } else {
        let first = first_counted(view, answers.iter())?;
        first
            .filter(|first| first.length < last.length)
            .into_iter()
            .chain([last])
            .collect()
    };
    let found = ContextTokens::of(&chars, &requests, &shortened);
    Ok(found.unwrap_or(estimated))
}

/// Whether message `i` has a result of which an earlier run left a note: one of `notes`, or that of
/// a trim.
///
/// # Errors
/// The input cannot be read any more.
pub fn is_shortened(
    transcript: &Transcript,
    texts: &dyn ReadAt,
    i: usize,
    notes: &[String],
) -> Result<bool> {
    let message = &transcript.messages[i];
    for (index, _) in transcript
        .parts(i)
        .filter(|(_, block)| block.kind == BlockKind::Result)
    {
        let children = transcript.inside(index);
        if children
            .last()
            .is_some_and(|child| child.flags.has(Flags::TRIMMED))
        {
            return Ok(true);
        }
        let [child] = children else { continue };
        for note in notes {
            let (head, units) = (note.split('{').next().unwrap_or(note), child.chars as usize);
            let may_be = if head == note {
                units == note.encode_utf16().count()
            } else {
                !head.is_empty() && units < note.len() + VALUES
            };
            if child.kind == BlockKind::Text && may_be {
                let raw = message.bytes(texts, child.span.inside())?;
                if text::lossy(&raw).starts_with(head) {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

/// Each answer whose call was counted: where its message begins, and what was counted.
///
/// # Errors
/// The input cannot be read any more.
pub fn counted(view: &View<'_>) -> Result<Vec<CountedRequest>> {
    let mut found: Vec<CountedRequest> = Vec::new();
    for (i, message) in view.transcript.messages.iter().enumerate() {
        let Some(usage) = usage_of(view, i)? else {
            continue;
        };
        match found.last_mut().filter(|_| message.continues) {
            // An answer in pieces is counted to the end of each.
            Some(whole) => whole.usage.output = whole.usage.output.max(usage.output),
            None => found.push(request(i, usage)),
        }
    }
    Ok(found)
}

/// Returns when the request was sent that message `i` answers, and when it was answered, as far as
/// the log states them.
///
/// # Errors
/// The input cannot be read any more.
pub fn times(view: &View<'_>, i: usize) -> Result<[Option<i64>; 2]> {
    let format = by_name(view.transcript.format).filter(|format| format.calls.row.is_some());
    let Some(format) = format else {
        return Ok([None; 2]);
    };
    let mut window = Window::new(view.texts);
    let mut row = |i: usize| -> Result<Row> {
        let start = view.transcript.messages[i].record;
        let end = value_at(&mut window, start)?.end;
        let row = format.row(
            &mut Cursor::new(window.get(start, end)?),
            &mut State::default(),
        );
        Ok(row.unwrap_or_default())
    };
    let answer = row(i)?;
    let answered = answer.time.or(answer.sent);
    let before = i
        .checked_sub(1)
        .map(row)
        .transpose()?
        .and_then(|before| before.time);
    let before = before.filter(|before| answered.is_none_or(|at| *before <= at));
    Ok([answer.sent.or(before).or(answered), answered])
}

/// The most tokens of a system prompt and tools that are considered possible.
const OVERHEAD: u64 = 100_000;

/// Compares the first recorded prompt behind a boundary with the context up to there. Returns a
/// warning where they cannot be of one request, whatever the script of the texts: the prompt has
/// less than the texts have at least, or more than these and a large system prompt have at most.
/// `notes` are what an earlier run leaves.
///
/// # Errors
/// The input cannot be read any more.
pub fn disagreement(view: &View<'_>, notes: &[String]) -> Result<Option<Warning>> {
    let transcript = view.transcript;
    let Some(boundary) = transcript.boundary else {
        return Ok(None);
    };
    let answers = (0..transcript.messages.len())
        .filter(|&i| transcript.is_answer(i) && !is_sent_again(view, i));
    let Some(first) = first_counted(view, answers.collect::<Vec<_>>().iter())? else {
        return Ok(None);
    };
    let (mut chars, mut is_whole) = (0, true);
    for i in 0..first.length {
        is_whole &= !is_shortened(transcript, view.texts, i, notes)?
            && !transcript.has(i, BlockKind::Image);
        chars += estimate::message(transcript, i, view.estimator);
    }
    let prompt = first.usage.prompt();
    let least = (chars as f64 / LIKELY_RATES.end()) as u64;
    if prompt >= least && (!is_whole || prompt <= chars + OVERHEAD) {
        return Ok(None);
    }
    let text = format!(
        "the provider counted {prompt} tokens in the first prompt behind the boundary in line {boundary}, and the context up to there has \
        {chars} chars here: what is sent next may be another context"
    );
    let line = transcript.messages[first.length].line;
    Ok(Some(Warning::at(u64::from(line), text)))
}

/// Whether a message comes from before the boundary at which the context begins.
fn is_sent_again(view: &View<'_>, i: usize) -> bool {
    let line = view.transcript.messages[i].line;
    !view.transcript.out_of_order && view.transcript.boundary.is_some_and(|at| line < at)
}

/// Whether a message begins an answer.
pub fn is_answer(message: &Message) -> bool {
    message.role == Role::Assistant && !message.continues
}

/// Whether the prompts of the conversation are cached for an hour, as its newest cache mark or the
/// counts of what was written to a cache show.
///
/// # Errors
/// The input cannot be read any more.
pub fn is_cached_long(view: &View<'_>) -> Result<Option<bool>> {
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
    let has_lifetime = by_name(transcript.format).is_some_and(|format| format.calls.has_lifetime);
    if marked.is_some() || !has_lifetime {
        return Ok(marked);
    }
    let answers = (0..transcript.messages.len())
        .rev()
        .filter(|&i| is_answer(&transcript.messages[i]));
    let mut error = None;
    let counted = answers.map_while(|i| {
        let usage = usage_of(view, i);
        usage.map_err(|found| error = Some(found)).ok()
    });
    let long = usage::is_cached_long(counted.flatten());
    error.map_or(Ok(long), Err)
}

/// The first of `answers` whose call was counted.
fn first_counted<'a>(
    view: &View<'_>,
    answers: impl Iterator<Item = &'a usize>,
) -> Result<Option<CountedRequest>> {
    for &i in answers.take(LOOKED_AT) {
        if let Some(usage) = usage_of(view, i)? {
            return Ok(Some(request(view.transcript.begin_of(i), usage)));
        }
    }
    Ok(None)
}

fn request(length: usize, usage: Usage) -> CountedRequest {
    CountedRequest {
        length,
        usage,
        sent: None,
        answered: None,
    }
}

/// Returns the usage that the log recorded of the call that message `i` answers; `None` if it is no
/// answer.
fn usage_of(view: &View<'_>, i: usize) -> Result<Option<Usage>> {
    let (message, texts) = (&view.transcript.messages[i], view.texts);
    // Its prompt was that of the context before the boundary.
    if is_sent_again(view, i) {
        return Ok(None);
    }
    let format = by_name(view.transcript.format).filter(|_| message.role == Role::Assistant);
    let Some(format) = format else {
        return Ok(None);
    };
    let bytes = match format.calls.prompts {
        Prompts::Uncounted => return Ok(None),
        Prompts::Record | Prompts::Apart => {
            // The count is before the next answer.
            let next = view.transcript.messages[i + 1..]
                .iter()
                .find(|m| is_answer(m));
            let end = next.map_or(u64::MAX, |next| next.record.max(message.record));
            texts.read(
                message.record,
                end.min(message.record + NEAR).min(texts.size()),
            )?
        }
        Prompts::Within | Prompts::Rows(_) => message.bytes(texts, message.span)?,
    };
    let first = view.transcript.blocks_of(i).first();
    Ok(format.usage(&bytes, first.map_or(0, |block| block.part.into())))
}
