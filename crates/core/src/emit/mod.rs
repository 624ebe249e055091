//! The next request of a log as a body of the provider that it was for.
//!
//! The values are copied from the log: texts, arguments, thinking with its signature. What the log
//! does not hold is left out, and [`Emitted`] names it. A log that ends with an answer has no next
//! request yet: that begins with the next prompt. A stand-in for it may be given; without one the
//! request that was answered last is made.

mod body;
mod pieces;
mod reminders;

use crate::{
    Result,
    dialect::{Dialect, Form, by_name},
    json::{Cursor, bom},
    read_at::ReadAt,
    reader::Reading,
    settings::{Estimator, Scope},
    transcript::{Role, Transcript},
    values,
};
use body::MAX_TOKENS;
use pieces::{Piece, Turn};
use std::{collections::BTreeMap, io};

/// What stands for the next prompt, where the log has none yet.
pub const PROMPT: &str = "Go on.";

/// A body, and what it does not have.
#[derive(Debug)]
pub struct Emitted {
    /// The body.
    pub body: Vec<u8>,
    /// The format of the body.
    pub format: &'static Dialect,
    /// For each part of its messages, the byte of the log from which it is.
    pub sources: Vec<u64>,
    /// Whether it has a system prompt.
    pub has_system: bool,
    /// The tools that were called. They are declared without their parameters.
    pub tools: Vec<String>,
    /// The limit of the answer, where the provider wants one.
    pub max_tokens: Option<u64>,
    /// Whether it ends with the stand-in for a prompt.
    pub is_prompted: bool,
    /// What of the log is not in the body, each with its number.
    pub left_out: BTreeMap<&'static str, usize>,
}

/// Reads the context of a log that is in memory.
///
/// # Errors
/// Those of [`crate::reader::log`].
pub fn context(log: &[u8], format: &'static Dialect) -> Result<Transcript> {
    let (estimator, scope) = (Estimator::Utf16, Scope::Context);
    let mut first = Cursor::new_at(log, bom(log));
    // A document over several lines is one value.
    let line = crate::json::find(b'\n', log).unwrap_or(log.len());
    let multiline = first.skip().is_ok() && first.at() > line;
    values::log_again(&log, &Reading::new(format, estimator, scope), multiline)
}

/// Makes the next request of the log of which `found` is the context, with `prompt` behind an
/// answer at its end; none if it has none, or if the API that was called has no form here.
///
/// # Errors
/// The log cannot be read any more.
pub fn request(
    found: &Transcript,
    texts: &dyn ReadAt,
    prompt: Option<&str>,
) -> io::Result<Option<Emitted>> {
    let format = by_name(found.format);
    let Some((format, form)) = format.and_then(|of| Some((of, (of.request)(found)?))) else {
        return Ok(None);
    };
    let apart = matches!(form, Form::Items { own: true });
    let apart = apart.then(|| Transcript {
        messages: found.items.clone(),
        ..found.clone()
    });
    let found = apart.as_ref().unwrap_or(found);
    let all = found.messages.len();
    let asked = found
        .messages
        .iter()
        .rposition(|message| !matches!(message.role, Role::Assistant | Role::System))
        .map_or(0, |last| last + 1);
    let mut left_out = BTreeMap::new();
    if asked == 0 {
        return Ok(None);
    }
    let prompt = prompt.filter(|_| asked < all);
    let end = if prompt.is_some() { all } else { asked };
    if end < all {
        left_out.insert("later answer", all - end);
    }
    let sent = found.messages[..end].iter();
    let sent = sent.filter_map(|sent| (!sent.quoted).then_some(sent.record));
    let first = sent.min().unwrap_or(0);
    let log = texts.read(first, texts.size())?;
    let mut turns = pieces::turns(
        found,
        end,
        &form,
        format,
        (&log, first),
        texts,
        &mut left_out,
    )?;
    let beside = (format.beside)(found, texts)?;
    for lost in &beside.lost {
        *left_out.entry(*lost).or_default() += 1;
    }
    reminders::place(&mut turns, &beside.reminders);
    if let Some(first) = &beside.first {
        turns.insert(
            0,
            Turn {
                role: Role::System,
                pieces: vec![(Piece::Own(first.clone(), None), 0)],
                ..Turn::of_user("")
            },
        );
    }
    let mut has_system =
        beside.system.is_some() || beside.first.is_some() || beside.tools.is_some();
    if matches!(form, Form::Chat) {
        // Where a log has the system prompt among the messages, it is sent first.
        turns.sort_by_key(|turn| turn.role != Role::System);
        has_system |= turns.first().is_some_and(|turn| turn.role == Role::System);
    }
    turns.extend(prompt.map(Turn::of_user));
    let (body, tools, sources) = body::write(&turns, &form, found.model.as_deref(), &beside);
    Ok(Some(Emitted {
        body,
        format: form.dialect(),
        has_system,
        sources,
        tools,
        is_prompted: prompt.is_some(),
        max_tokens: matches!(form, Form::Blocks { .. }).then_some(MAX_TOKENS),
        left_out,
    }))
}
