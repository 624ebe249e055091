//! One engine for real runs, dry runs and previews: from a transcript to edits, checked, with the account.
//!
//! The order is that of the diagram in the crate's documentation: gate, passes, splices, and then what would come out is
//! read again and checked. Nothing here writes.

use crate::Error;
use crate::check::{Defect, check, new_defects, thinking_warning};
use crate::config::{Settings, window};
use crate::format::sheet::Sheet;
use crate::format::{Format, blocks, transcript};
use crate::gate::{Clock, decide};
use crate::json::{Cursor, text};
use crate::pass::PASSES;
use crate::plan::{Action, Cut, Proposal, Texts, View};
use crate::report::{CutRow, FirstChange, Input, Integrity, Output, PassTotal, Report, Size, Tool, Warning};
use crate::splice::Edits;
use crate::transcript::{Block, BlockKind, Transcript};
use std::collections::HashMap;

/// What a run came to.
#[derive(Debug)]
pub struct Pruned {
    /// The account; the caller adds paths.
    pub report: Report,
    /// What changes.
    pub edits: Edits,
    /// The output, where it was rendered to be read again: a body that changes.
    pub output: Option<Vec<u8>>,
}

/// How a run is set up.
#[derive(Clone, Debug)]
pub struct Setup {
    /// All settings.
    pub settings: Settings,
    /// The time.
    pub clock: Clock,
    /// What the user should know about the configuration.
    pub warnings: Vec<Warning>,
}

/// Prunes one body. `bytes` is the input from the body's first byte on, `line` its line.
///
/// # Errors
/// The body is no JSON, or the result would be broken.
pub fn body(bytes: &[u8], line: u64, format: &'static Format, setup: &Setup) -> Result<Pruned, Error> {
    let before = read_body(bytes, line, format, setup)?;
    let mut pruned = run(&before, &bytes, setup, |view, edits| {
        let output = edits.render(&bytes, 0, bytes.len() as u64)?;
        let after = read_body(&output, line, format, setup).map_err(|error| Error::Mismatch { message: 0, what: error.to_string() })?;
        let defects = check(&after, |_, block| block.flags.has(crate::transcript::Flags::BLANK));
        compare(view, &after)?;
        Ok((defects, Some(output)))
    })?;
    pruned.report.input.bytes = bytes.len() as u64;
    Ok(pruned)
}

/// Prunes a history whose context was read.
///
/// # Errors
/// The input cannot be read any more, or the result would be broken.
pub fn history(before: &Transcript, texts: &dyn Texts, setup: &Setup) -> Result<Pruned, Error> {
    run(before, texts, setup, |view, edits| {
        let blank = reread(view, edits)?;
        Ok((check(before, |index, block| blank.get(&index).copied().unwrap_or(block.flags.has(crate::transcript::Flags::BLANK))), None))
    })
}

fn read_body(bytes: &[u8], line: u64, format: &'static Format, setup: &Setup) -> Result<Transcript, Error> {
    if bytes.len() > u32::MAX as usize {
        return Err(Error::TooLong);
    }
    let mut sheet = Sheet::new(setup.settings.context_pruning.estimator);
    let mut cursor = Cursor::new(bytes);
    if bytes.starts_with(b"\xef\xbb\xbf") {
        cursor.go_to(3);
    }
    // Spans count from the value on, not from white space or a mark before it.
    cursor.peek();
    sheet.begin(cursor.at() as u64, line);
    (format.read)(&mut cursor, &mut sheet).map_err(|error| Error::json(bytes, error))?;
    if !cursor.at_end() {
        let error = crate::json::ScanError { at: cursor.at(), expected: "the end of the body", open: false };
        return Err(Error::json(bytes, error));
    }
    transcript(format, sheet, setup.settings.scope).map_err(|_| Error::Changed)
}

type Checked = Result<(Vec<Defect>, Option<Vec<u8>>), Error>;

/// Gate, passes, splices, check, account. `again` reads what would come out and returns its defects.
fn run(before: &Transcript, texts: &dyn Texts, setup: &Setup, again: impl Fn(&View<'_>, &Edits) -> Checked) -> Result<Pruned, Error> {
    let settings = &setup.settings;
    let model = settings.model.as_deref().or(before.model.as_deref());
    let provider = settings.provider.as_deref().or(before.provider.as_deref());
    let window = window(settings, model, provider);
    let gate = decide(before, settings, &setup.clock);
    let mut view = View::new(before, texts, settings, window.tokens);
    let (mut passes, mut skipped, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for pass in PASSES.iter().filter(|p| p.is_on(settings)) {
        let proposal = if gate.open || !pass.gated { (pass.plan)(&view, settings, gate.mode)? } else { Proposal::default() };
        notes.extend(proposal.note.as_ref().map(|note| format!("{}: {note}", pass.name)));
        skipped.extend(proposal.skipped.iter().cloned());
        passes.push(PassTotal { name: pass.name.to_owned(), cuts: 0, chars_removed: 0, skipped: proposal.skipped.len() as u64 });
        view.accept(proposal);
    }
    let edits = Edits::of(&view)?;
    let defects = check(before, |_, block| block.flags.has(crate::transcript::Flags::BLANK));
    let (after, output) = if edits.is_empty() { (defects.clone(), None) } else { again(&view, &edits)? };
    let new = new_defects(&defects, &after);
    if !new.is_empty() {
        return Err(Error::Broken(new.into_iter().map(|d| d.row.clone()).collect()));
    }
    let mut warnings = [setup.warnings.clone(), before.warnings.clone()].concat();
    let cuts = rows(&view)?;
    for cut in &cuts {
        if let Some(pass) = passes.iter_mut().find(|p| p.name == cut.pass) {
            pass.cuts += 1;
            pass.chars_removed += cut.chars_before.cast_signed() - cut.chars_after.cast_signed();
        }
    }
    let first = view.cuts().next().map(|cut| cut.message);
    warnings.extend(first.and_then(|first| thinking_warning(before, model, first)).map(Warning::new));
    let mut decision = gate.decision;
    if gate.open && cuts.is_empty() && !notes.is_empty() {
        decision.why = format!("{}; {}", decision.why, notes.join("; "));
    }
    let report = Report {
        schema: 1,
        tool: Tool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") },
        input: Input { path: String::new(), format: before.format.to_owned(), bytes: texts.size(), records: before.records },
        output: Output { path: None, bytes: texts.size().saturating_add_signed(edits.growth()) },
        decision,
        before: size(before, view.chars_before(), &view),
        after: size(before, view.chars(), &view),
        model: model.map(str::to_owned),
        provider: provider.map(str::to_owned),
        window,
        passes,
        cuts,
        skipped,
        first_change: first.zip(edits.first()).map(|(m, byte)| FirstChange { message: before.messages[m as usize].number, byte }),
        integrity: Integrity { before: defects.into_iter().map(|d| d.row).collect(), after: after.into_iter().map(|d| d.row).collect() },
        warnings,
    };
    Ok(Pruned { report, edits, output })
}

fn size(transcript: &Transcript, chars: u64, view: &View<'_>) -> Size {
    let ratio = crate::plan::ratio(chars, view.window_chars);
    Size {
        messages: transcript.messages.len() as u64,
        chars,
        tokens: chars / crate::estimate::CHARS_PER_TOKEN,
        ratio: (ratio * 1e6).round() / 1e6,
    }
}

/// The cuts as the report has them.
fn rows(view: &View<'_>) -> Result<Vec<CutRow>, Error> {
    view.cuts().map(|cut| row(view, cut)).collect()
}

fn row(view: &View<'_>, cut: &Cut) -> Result<CutRow, Error> {
    let message = &view.transcript.messages[cut.message as usize];
    let block = &view.transcript.blocks[cut.block as usize];
    Ok(CutRow {
        pass: cut.pass,
        action: cut.action.name(),
        message: message.number,
        part: block.part.into(),
        line: message.line,
        tool: view.transcript.tool_of(block).to_owned(),
        call_id: call_id(view, message.record, block)?,
        chars_before: view.chars_of_result_before(cut.block),
        chars_after: cut.chars_after,
        linked: false,
        reason: cut.reason.clone(),
    })
}

/// The id of a result's call, read again: the transcript keeps hashes.
fn call_id(view: &View<'_>, record: u64, block: &Block) -> Result<Option<String>, Error> {
    let link = view.transcript.link(block);
    let (from, to) = (record + u64::from(block.span.start), record + u64::from(block.span.end));
    // The id stands before or after the content, which need not be read.
    let inside =
        if link.content.is_empty() { (to, to) } else { (record + u64::from(link.content.start), record + u64::from(link.content.end)) };
    let mut bytes = view.texts.read(from, inside.0)?.into_owned();
    if inside.0 < to {
        bytes.extend_from_slice(b"null");
        bytes.extend_from_slice(&view.texts.read(inside.1, to)?);
    }
    let mut cursor = Cursor::new(&bytes);
    let mut found = None;
    let mut members = cursor.enter_object().map_err(|e| Error::json(&bytes, e))?;
    while let Some(key) = cursor.key(&mut members).map_err(|e| Error::json(&bytes, e))? {
        match &*key {
            b"tool_use_id" | b"tool_call_id" | b"toolCallId" => {
                found = cursor.string_or_skip().map_err(|e| Error::json(&bytes, e))?.map(|id| id.into_owned())
            }
            _ => {
                cursor.skip().map_err(|e| Error::json(&bytes, e))?;
            }
        }
    }
    Ok(found)
}

/// Compares what was read again with what the plan said: every message is there, every result has its size.
fn compare(view: &View<'_>, after: &Transcript) -> Result<(), Error> {
    if view.cuts().any(|cut| cut.action == Action::Drop) {
        return Ok(());
    }
    let before = view.transcript;
    if after.messages.len() != before.messages.len() {
        return Err(Error::Mismatch {
            message: 0,
            what: format!("{} messages instead of {}", after.messages.len(), before.messages.len()),
        });
    }
    for (i, message) in before.messages.iter().enumerate() {
        let planned: u64 = crate::estimate::message(before, i, view.estimator).saturating_add_signed(
            view.cuts()
                .filter(|cut| cut.message == i as u32)
                .map(|cut| cut.chars_after.cast_signed() - view.chars_of_result_before(cut.block).cast_signed())
                .sum(),
        );
        let found = crate::estimate::message(after, i, view.estimator);
        if found != planned {
            return Err(Error::Mismatch { message: message.number, what: format!("{found} chars instead of {planned}") });
        }
    }
    Ok(())
}

/// Reads the content of every result that a cut changes, as it would come out; returns whether its text is blank.
fn reread(view: &View<'_>, edits: &Edits) -> Result<HashMap<u32, bool>, Error> {
    let mut blank = HashMap::new();
    let mut sheet = Sheet::new(view.estimator);
    for cut in view.cuts() {
        let message = &view.transcript.messages[cut.message as usize];
        let content = view.transcript.link(&view.transcript.blocks[cut.block as usize]).content;
        let region = match view.children(cut.block) {
            [one] if one.kind == BlockKind::Text => one.span,
            _ => content,
        };
        let bytes = edits.render(view.texts, message.record + u64::from(region.start), message.record + u64::from(region.end))?;
        let mismatch = |what: String| Error::Mismatch { message: message.number, what };
        let mark = sheet.mark();
        let mut cursor = Cursor::new(&bytes);
        blocks::content(&mut cursor, 0, &mut sheet).map_err(|error| mismatch(error.to_string()))?;
        if !cursor.at_end() {
            return Err(mismatch("bytes after the content".to_owned()));
        }
        let found = &sheet.blocks[sheet.blocks.len().min(mark.blocks())..];
        let chars: u64 = found.iter().map(|b| crate::estimate::block(b, crate::transcript::Role::Tool, view.estimator)).sum();
        if chars != cut.chars_after {
            return Err(mismatch(format!("{chars} chars instead of {}", cut.chars_after)));
        }
        blank.insert(cut.block + 1, text::is_blank(bytes.strip_prefix(b"\"").and_then(|b| b.strip_suffix(b"\"")).unwrap_or(&bytes)));
        sheet.rollback(mark);
    }
    Ok(blank)
}
