//! Builds the report of a run from the cuts that were made.

use crate::Error;
use crate::cache_policy::CachePolicy;
use crate::diagnostics::{
    ContextWindow, CutRow, FirstChange, Input, Output, PassTotal, Size, Tool,
};
use crate::edit::{Action, Cut, Edits, OuterTextCut, View};
use crate::json::text;
use crate::outcome::Report;
use crate::read_at::LineCounter;
use crate::recorded::{Recorded, recorded};
use crate::transcript::{Block, Span};

/// The level of detail of the report on cuts. A large log has a hundred thousand of them, and ids must be read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Nothing is cut: the parts that could be are listed.
    Parts,
    /// Totals only.
    Totals,
    /// A row for each cut, without the id of its call.
    Rows,
    /// Everything.
    Full,
}

/// The report of what `view` holds; `passes` are those that were on, with how much each left.
///
/// # Errors
/// The input cannot be read any more.
pub fn build(
    view: &View<'_>,
    edits: &Edits,
    policy: CachePolicy,
    window: ContextWindow,
    passes: Vec<(&'static str, u64)>,
    detail: Detail,
) -> Result<Report, Error> {
    let transcript = view.transcript;
    let size_in = view.texts.size();
    let recorded = recorded(view)?;
    let outside = Some(0).filter(|_| !view.outside().is_empty());
    let first = outside.or_else(|| {
        view.cuts()
            .next()
            .map(|cut| transcript.messages[cut.message as usize].number)
    });
    let rows = if detail <= Detail::Totals {
        Vec::new()
    } else {
        let outside = view.outside().iter().map(|cut| Ok(outside_row(view, cut)));
        let mut lines = LineCounter::new(view.texts);
        outside
            .chain(view.cuts().map(|cut| row(view, cut, detail, &mut lines)))
            .collect::<Result<_, Error>>()?
    };
    Ok(Report {
        schema: 1,
        tool: Tool::default(),
        input: Input {
            path: String::new(),
            format: transcript.format.to_owned(),
            bytes: size_in,
            records: transcript.records,
        },
        output: Output {
            path: None,
            planned: None,
            bytes: size_in.saturating_add_signed(edits.growth()),
        },
        decision: policy.decision,
        window,
        before: size(view, view.chars_before(), recorded),
        after: size(view, view.chars(), recorded),
        tokens_source: if recorded.is_some() {
            "recorded"
        } else {
            "chars"
        },
        passes: passes
            .into_iter()
            .map(|(name, skipped)| total(view, name, skipped))
            .collect(),
        cuts: rows,
        mirrors: edits.mirrors(),
        first_change: first
            .zip(edits.first())
            .map(|(message, byte)| FirstChange { message, byte }),
        ..Report::default()
    })
}

/// A size of so many chars, of which as many were removed as are missing; messages that go are found when the output is read
/// again.
fn size(view: &View<'_>, chars: u64, recorded: Option<Recorded>) -> Size {
    let messages = view.transcript.messages.len() as u64;
    let ratio = crate::edit::ratio(chars, view.window_chars);
    let tokens = match recorded {
        Some(Recorded { tokens, rate }) => {
            (tokens as f64 - (view.chars_before() as f64 - chars as f64) / rate).max(0.0) as u64
        }
        None => chars / crate::estimate::CHARS_PER_TOKEN,
    };
    Size {
        messages,
        chars,
        tokens,
        ratio: (ratio * 1e6).round() / 1e6,
    }
}

fn total(view: &View<'_>, name: &str, skipped: u64) -> PassTotal {
    let mut total = PassTotal {
        name: name.to_owned(),
        cuts: 0,
        chars_removed: 0,
        skipped,
    };
    total.cuts += view.outside().iter().filter(|cut| cut.pass == name).count() as u64;
    for cut in view.cuts().filter(|cut| cut.pass == name) {
        total.cuts += 1;
        total.chars_removed += cut.chars_before.cast_signed() - cut.chars_after.cast_signed();
    }
    total
}

/// The row of a change outside the messages, which count no chars.
fn outside_row(view: &View<'_>, cut: &OuterTextCut) -> CutRow {
    CutRow {
        pass: cut.pass,
        action: "rerank",
        part: cut.place,
        line: view
            .transcript
            .messages
            .first()
            .map_or(1, |message| message.line),
        reason: cut.reason.to_string(),
        ..CutRow::default()
    }
}

fn row(
    view: &View<'_>,
    cut: &Cut,
    detail: Detail,
    lines: &mut LineCounter<'_>,
) -> Result<CutRow, Error> {
    let message = &view.transcript.messages[cut.message as usize];
    // A message that is removed as a whole is reported without a part.
    let block = view
        .transcript
        .blocks
        .get(cut.block as usize)
        .filter(|_| cut.action != Action::DropMessage);
    let linked = block.filter(|b| b.is_linked());
    Ok(CutRow {
        pass: cut.pass,
        action: cut.action.name(),
        message: message.number,
        part: block.map_or(0, |b| b.part.into()),
        line: view.line_of(cut.message as usize, block, lines)?,
        tool: linked
            .map(|b| view.transcript.tool_of(b).to_owned())
            .unwrap_or_default(),
        call_id: match linked {
            Some(block) if detail == Detail::Full => call_id(view, message.record, block)?,
            _ => None,
        },
        chars_before: cut.chars_before,
        chars_after: cut.chars_after,
        linked: cut.linked,
        reason: cut.reason.to_string(),
    })
}

/// The id of a result's call, read again: the transcript does not keep ids as text.
fn call_id(view: &View<'_>, record: u64, block: &Block) -> Result<Option<String>, Error> {
    let link = view.transcript.link(block);
    // A pair that is one by its place has no id to tell.
    if link.call.is_none() || link.id == Span::default() {
        return Ok(None);
    }
    let raw = view.texts.read(
        record + u64::from(link.id.start),
        record + u64::from(link.id.end),
    )?;
    Ok(Some(text::lossy(&raw)))
}
