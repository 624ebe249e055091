//! Builds the report of a run from the cuts that were made.

use crate::{
    Result,
    diagnostics::{CutRow, FirstChange, Size},
    edit::{Action, Cut, Edits, OuterTextCut, View, region},
    json::text,
    listing,
    outcome::Report,
    pass::select::id_of,
    read_at::LineCounter,
    resource,
    settings::{RatioBy, Resources},
    transcript::BlockKind,
};

/// The level of detail of the report on cuts: a large log has a hundred thousand of them, and their
/// ids are read from the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Nothing is cut: the parts that could be cut are listed.
    Parts,
    /// Totals only.
    Totals,
    /// A row for each cut, without the id of its call.
    Rows,
    /// Everything that a report in JSON has.
    Full,
    /// What people are shown, too: the names in calls, and the beginning of the removed text.
    Shown,
    /// The texts before and after, too.
    Texts,
}

/// The number of chars of the removed text that are shown.
const SHOWN: usize = 80;

/// Completes the report of a run from `view`.
///
/// # Errors
/// The input cannot be read any more.
pub fn complete(
    report: &mut Report,
    view: &View<'_>,
    edits: &Edits,
    (detail, resources): (Detail, &Resources),
) -> Result<()> {
    let transcript = view.transcript;
    let bytes = view.texts.size();
    report.schema = 1;
    report.input.format = transcript.format.to_owned();
    report.input.bytes = bytes;
    report.input.records = transcript.records;
    report.output.bytes = bytes.saturating_add_signed(edits.growth());
    report.before = size(view, view.chars_before());
    report.after = size(view, view.chars());
    report.tokens_source = view.size.source;
    report.ratio_by =
        (view.ratio_by == RatioBy::Chars && view.size.source != "chars").then_some("chars");
    report.copies = edits.copies();
    let first = match view.outside() {
        [] => view
            .cuts()
            .find(|cut| cut.action.by_server().is_none())
            .map(|cut| transcript.messages[cut.message as usize].number),
        _ => Some(0),
    };
    report.first_change = first
        .zip(edits.first())
        .map(|(message, byte)| FirstChange { message, byte });
    for total in &mut report.passes {
        total.cuts = view
            .outside()
            .iter()
            .filter(|cut| cut.pass == total.name)
            .count() as u64;
        for cut in view.cuts().filter(|cut| cut.pass == total.name) {
            total.cuts += 1;
            total.chars_removed += cut.chars_before.cast_signed() - cut.chars_after.cast_signed();
        }
    }
    if detail > Detail::Totals {
        let outside = view.outside().iter().map(|cut| Ok(outside_row(view, cut)));
        let mut lines = LineCounter::new(view.texts);
        report.cuts = outside
            .chain(view.cuts().map(|cut| row(view, cut, detail, &mut lines)))
            .collect::<Result<_>>()?;
        for (cut, row) in view
            .cuts()
            .filter(|_| detail >= Detail::Shown)
            .zip(&mut report.cuts[view.outside().len()..])
        {
            show(view, cut, edits, resources, row)?;
            row.texts.take_if(|_| detail < Detail::Texts);
        }
    }
    Ok(())
}

/// Completes the row of a cut with texts of the input.
fn show(
    view: &View<'_>,
    cut: &Cut,
    edits: &Edits,
    resources: &Resources,
    row: &mut CutRow,
) -> Result<()> {
    let message = &view.transcript.messages[cut.message as usize];
    let block = view.transcript.blocks.get(cut.block as usize);
    let call = match block.map(|block| block.kind) {
        Some(BlockKind::Result) => view.paired_with(cut.block).first().copied(),
        Some(BlockKind::Call) => Some(cut.block),
        _ => None,
    };
    if let Some(call) = call {
        let i = view.transcript.message_of(call);
        row.names = match resource::accesses(view, i, call, resources)?
            .into_iter()
            .next()
        {
            Some(access) => access.path,
            None => listing::begins(view, i, call)?,
        };
    }
    let place = match &cut.action {
        Action::Rewrite(rewrite) | Action::ClearInput(rewrite) => rewrite.span,
        Action::DropMessage if view.parts(cut.message as usize).nth(1).is_some() => message.span,
        _ => match block.filter(|block| block.kind == BlockKind::Result) {
            Some(_) => region(view, cut.block).0,
            None => block.map_or(message.span, |block| block.span),
        },
    };
    let place = message.range(place);
    let before = view.texts.read(place.start, place.end)?;
    let after = match cut.action {
        Action::Server(_) | Action::Drop | Action::DropMessage => Vec::new(),
        _ => edits.render(view.texts, place.start, place.end)?,
    };
    // What a format writes around a single text is not part of it.
    let template = view.transcript.template;
    let open = block.map_or("", |block| template.open_for(block));
    let [before, after] = [&before[..], &after].map(|raw| {
        let inner = raw
            .strip_prefix(open.as_bytes())
            .and_then(|raw| raw.strip_suffix(template.close.as_bytes()));
        let string = raw
            .strip_suffix(b"\"")
            .map(|raw| raw.strip_prefix(b"\"").unwrap_or(raw));
        text::lossy(inner.filter(|_| !open.is_empty()).or(string).unwrap_or(raw))
    });
    let same: usize = before
        .chars()
        .zip(after.chars())
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum();
    row.gone = listing::line(&before[same..], SHOWN);
    row.texts = Some((before, after));
    Ok(())
}

/// Returns a size in chars; the number of messages is known when the output has been read again.
fn size(view: &View<'_>, chars: u64) -> Size {
    Size {
        messages: view.transcript.messages.len() as u64,
        chars,
        tokens: view.tokens(chars) as u64,
        ratio: (view.share(chars) * 1e6).round() / 1e6,
    }
}

/// Returns the row of a change outside the messages, where no chars are counted.
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

fn row(view: &View<'_>, cut: &Cut, detail: Detail, lines: &mut LineCounter<'_>) -> Result<CutRow> {
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
        by: cut.action.by_server().map(|_| "server"),
        message: message.number,
        part: block.map_or(0, |b| b.part.into()),
        line: view.line_of(cut.message as usize, block, lines)?,
        tool: linked
            .map(|b| view.transcript.tool_of(b).to_owned())
            .unwrap_or_default(),
        call_id: match linked {
            Some(_) if detail >= Detail::Full => id_of(view, (cut.message, cut.block))?,
            _ => None,
        },
        chars_before: cut.chars_before,
        chars_after: cut.chars_after,
        linked: cut.linked,
        reason: cut.reason.to_string(),
        ..CutRow::default()
    })
}
