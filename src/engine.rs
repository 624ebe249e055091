//! One engine for real runs, dry runs and previews: from a transcript to edits, checked, with the account.
//!
//! The order is that of the diagram in the crate's documentation: gate, passes, splices, and then what would come out is
//! read again and checked. Nothing here writes.

use crate::Error;
use crate::account::{Detail, account};
use crate::cap::Cap;
use crate::check::{Defect, changed_thinking, check, lost_reasoning, new_defects, repair::changes, thinking_warning};
use crate::compose::Caller;
use crate::config::settings::{Mode, Settings};
use crate::config::window;
use crate::format::sheet::Sheet;
use crate::format::{Detected, Format, by_name, transcript, wrapper};
use crate::gate::{Clock, LastCall, decide};
use crate::input::Source;
use crate::json::Cursor;
use crate::listing::listing;
use crate::pass::pins::guard;
use crate::pass::{PASSES, rag_rerank, thinking};
use crate::plan::{Proposal, Texts, View};
use crate::reader::{self, again};
use crate::report::{CacheCost, Integrity, Report, Warning};
use crate::reread::{compare, reread};
use crate::splice::{Edited, Edits};
use crate::state::prefix::Prefix;
use crate::state::{Learned, Remembered, marker, sticky};
use crate::transcript::{Flags, Rules, Transcript};
use crate::values;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{self, IoSlice};
use std::sync::Arc;

/// What a run came to.
#[derive(Debug)]
pub struct Pruned {
    /// The account; the caller adds paths.
    pub report: Report,
    /// What changes.
    pub edits: Edits,
    /// The output, where it was rendered to be read again; else it is the input with the edits.
    pub output: Option<Vec<u8>>,
    /// What the session's next run should know, where there is a memory.
    pub learned: Option<Learned>,
}

impl Pruned {
    /// What comes out of the body `bytes`, in pieces of the input and of new text: a large body is not put together for it.
    ///
    /// # Errors
    /// `bytes` are not what was pruned.
    pub fn slices<'a>(&'a self, bytes: &'a [u8]) -> io::Result<Vec<IoSlice<'a>>> {
        self.edits.slices_or(self.output.as_deref(), bytes)
    }
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
    /// How much the account says.
    pub detail: Detail,
    /// What the caller says of itself.
    pub caller: Caller,
    /// What is known of the session from earlier runs, where there is a memory.
    pub memory: Option<Arc<Remembered>>,
    /// Why nothing may be cut, whatever the settings say.
    pub rest: Option<String>,
}

/// What is done with a body: [`body`] or [`repair`].
pub type Work = fn(&[u8], u64, Detected, &Setup) -> Result<Pruned, Error>;

/// Prunes one body. `bytes` is the input from the body's first byte on, `line` its line.
///
/// # Errors
/// The body is no JSON, or the result would be broken.
pub fn body(bytes: &[u8], line: u64, found: Detected, setup: &Setup) -> Result<Pruned, Error> {
    let before = read_body(bytes, line, found, setup)?;
    let whole = RefCell::new(None);
    let mut pruned = run(&before, &bytes, setup, |view, edits, defects| {
        // New contents are read again where they stand. With defects before, which of them are left is told from the whole.
        let quick = if defects.is_empty() && !view.is_structural() { Some(contents_again(view, edits, defects)?) } else { None };
        // Builds with debug assertions hold the quick look against the whole one.
        if let Some(defects) = quick.clone().filter(|_| cfg!(not(debug_assertions)) && setup.memory.is_none()) {
            return Ok((defects, None));
        }
        let output = edits.render(&bytes, 0, bytes.len() as u64)?;
        let after = read_body(&output, line, found, setup).map_err(|error| Error::Mismatch { message: 0, what: error.to_string() })?;
        let mut defects = check(&after, |_, block| block.flags.has(Flags::BLANK));
        lost_reasoning(&before, &after, &mut defects);
        changed_thinking(&before, &after, &mut defects);
        compare(view, &after)?;
        whole.replace(setup.memory.as_ref().map(|_| Prefix::of_body(&after, &output)));
        match quick {
            Some(quick) if quick != defects => {
                Err(Error::Mismatch { message: 0, what: format!("{} defects instead of {}", quick.len(), defects.len()) })
            }
            Some(_) => Ok((defects, None)),
            None => Ok((defects, Some(output))),
        }
    })?;
    if setup.memory.is_some() {
        let prefix = match (whole.take(), &pruned.output) {
            (Some(prefix), Some(_)) => prefix,
            (whole, None) => {
                let prefix = Prefix::of_edited(&before, &bytes, &pruned.edits)?;
                debug_assert!(pruned.edits.is_empty() || whole.is_none_or(|whole| whole == prefix), "both looks see one output");
                prefix
            }
            (None, Some(_)) => Prefix::of_edited(&before, &bytes, &pruned.edits)?,
        };
        remember(&mut pruned, prefix, setup);
    }
    pruned.report.input.bytes = bytes.len() as u64;
    Ok(pruned)
}

/// How often an input is mended and read again at most: for every kind of mend, a few times.
const ROUNDS: usize = 64;

/// Mends one body where it can be mended, and nothing else in it: what is left to be told is in the report's integrity.
///
/// # Errors
/// The body is no JSON, or it does not read any more when it is mended.
pub fn repair(bytes: &[u8], line: u64, found: Detected, setup: &Setup) -> Result<Pruned, Error> {
    let mut pruned = body(bytes, line, found, &off(setup))?;
    mend(read_body(bytes, line, found, setup)?, bytes, &mut pruned, |now| read_body(now, line, found, setup))?;
    Ok(pruned)
}

/// Mends a history as [`repair`] does a body. It is held once where it has defects.
///
/// # Errors
/// The input cannot be read any more, or it does not read when it is mended.
pub fn repair_history(before: Transcript, source: &Source, format: &'static Format, setup: &Setup) -> Result<Pruned, Error> {
    let mut pruned = history(&before, source, &off(setup))?;
    if pruned.report.integrity.before.is_empty() {
        return Ok(pruned);
    }
    let settings = &setup.settings;
    let bytes = Texts::read(source, 0, source.size())?;
    let spread = before.spread;
    mend(before, &bytes, &mut pruned, |now| {
        if spread {
            return values::history(now, format, settings.context_pruning.estimator, settings.scope);
        }
        let source = Source::Memory(now.to_vec());
        reader::history(&source, format, settings.context_pruning.estimator, settings.scope, 1, &|_| {})
    })?;
    Ok(pruned)
}

/// A setup that prunes nothing.
fn off(setup: &Setup) -> Setup {
    let mut off = setup.clone();
    off.settings.context_pruning.mode = Mode::Off;
    off
}

/// Mends kind after kind, and reads again between them.
fn mend(mut read: Transcript, bytes: &[u8], pruned: &mut Pruned, again: impl Fn(&[u8]) -> Result<Transcript, Error>) -> Result<(), Error> {
    let mut mended: Option<Vec<u8>> = None;
    let model = read.model.clone();
    for round in 0..=ROUNDS {
        let now = mended.as_deref().unwrap_or(bytes);
        let defects = check(&read, |_, block| block.flags.has(Flags::BLANK));
        let edits = Edits::of_changes(&now, &changes(&read, now, &defects))?;
        pruned.report.integrity.after = defects.into_iter().map(|d| d.row).collect();
        if edits.is_empty() || round == ROUNDS {
            break;
        }
        if let Some(first) = edits.first().filter(|_| mended.is_none()) {
            let message = read.messages.partition_point(|m| m.record + u64::from(m.span.end) <= first);
            let warning = thinking_warning(&read, model.as_deref(), message as u32);
            pruned.report.warnings.extend(warning.filter(|_| read.rules != Rules::History).map(Warning::new));
        }
        let next = edits.render(&now, 0, now.len() as u64)?;
        read = again(&next).map_err(|error| Error::Mismatch { message: 0, what: error.to_string() })?;
        mended = Some(next);
    }
    if let Some(mended) = &mended {
        pruned.report.output.bytes = mended.len() as u64;
    }
    pruned.output = mended;
    Ok(())
}

/// Prunes a history whose context was read.
///
/// # Errors
/// The input cannot be read any more, or the result would be broken.
pub fn history(before: &Transcript, texts: &dyn Texts, setup: &Setup) -> Result<Pruned, Error> {
    let prefix = RefCell::new(None);
    let mut pruned = run(before, texts, setup, |view, edits, defects| {
        if setup.memory.is_some() {
            prefix.replace(Some(Prefix::of_history(before, texts, edits, |i| view.is_gone(i))?));
        }
        if view.is_structural() {
            let format = by_name(before.format).ok_or(Error::UnknownFormat)?;
            let after = match before.spread {
                true => values::history(&edits.render(texts, 0, texts.size())?, format, view.estimator, setup.settings.scope)?,
                false => again(&Edited::new(edits, texts), format, view.estimator, setup.settings.scope)?,
            };
            compare(view, &after)?;
            return Ok((check(&after, |_, block| block.flags.has(Flags::BLANK)), None));
        }
        Ok((contents_again(view, edits, defects)?, None))
    })?;
    if setup.memory.is_some() {
        let prefix = match prefix.take().filter(|_| !pruned.edits.is_empty()) {
            Some(prefix) => prefix,
            None => Prefix::of_history(before, texts, &pruned.edits, |_| false)?,
        };
        remember(&mut pruned, prefix, setup);
    }
    Ok(pruned)
}

/// Adds the prefix of what comes out to what was learned, compared with that of the last run.
fn remember(pruned: &mut Pruned, prefix: Prefix, setup: &Setup) {
    let Some(learned) = &mut pruned.learned else { return };
    learned.stable = setup.memory.as_ref().and_then(|memory| memory.prefix.as_ref()).map(|last| prefix.shared(last));
    learned.prefix = prefix;
}

/// Reads the contents that the cuts change as they would come out, and nothing else; the defects of the whole, which had
/// those of `before`.
fn contents_again(view: &View<'_>, edits: &Edits, before: &[Defect]) -> Result<Vec<Defect>, Error> {
    let blank = reread(view, edits)?;
    // New contents can make a defect in this way only.
    if blank.iter().all(|(index, blank)| view.transcript.blocks[*index as usize].flags.has(Flags::BLANK) == *blank) {
        return Ok(before.to_vec());
    }
    Ok(check(view.transcript, |index, block| blank.get(&index).copied().unwrap_or(block.flags.has(Flags::BLANK))))
}

/// Bytes that a message of a body has at least, mostly.
const BYTES_OF_A_MESSAGE: usize = 2048;

fn read_body(bytes: &[u8], line: u64, found: Detected, setup: &Setup) -> Result<Transcript, Error> {
    if bytes.len() > u32::MAX as usize {
        return Err(Error::TooLong);
    }
    let mut sheet = Sheet::new(setup.settings.context_pruning.estimator);
    sheet.reserve(bytes.len() / BYTES_OF_A_MESSAGE);
    let mut cursor = Cursor::new(bytes);
    if bytes.starts_with(b"\xef\xbb\xbf") {
        cursor.go_to(3);
    }
    wrapper::read(&mut cursor, found, line, &mut sheet).map_err(|error| Error::json(bytes, error))?;
    if !cursor.at_end() {
        let error = crate::json::ScanError { at: cursor.at(), expected: "the end of the body", open: false };
        return Err(Error::json(bytes, error));
    }
    let mut read = transcript(found.format, sheet, setup.settings.scope).map_err(|_| Error::Changed)?;
    if let Some(rival) = found.rival {
        read.rules = read.rules.stricter(rival.rules);
        read.warnings.push(Warning::new(format!("it could be {} as well: the stricter rules of both apply", rival.name)));
    }
    Ok(read)
}

type Checked = Result<(Vec<Defect>, Option<Vec<u8>>), Error>;

/// Gate, passes, splices, check, account. `again` reads what would come out and returns its defects, told those before. A pass
/// that rather rests than breaks a transcript is left out where it would; the report says so.
fn run(
    before: &Transcript,
    texts: &dyn Texts,
    setup: &Setup,
    again: impl Fn(&View<'_>, &Edits, &[Defect]) -> Checked,
) -> Result<Pruned, Error> {
    let mut resting = Vec::new();
    let error = match attempt(before, texts, setup, &again, &mut resting) {
        Err(error @ (Error::Broken(_) | Error::Mismatch { .. } | Error::Fixed { .. })) if !resting.is_empty() => error,
        other => return other,
    };
    let mut pruned = attempt(before, texts, setup, &again, &mut resting)?;
    pruned.report.warnings.push(Warning::new(format!("{} rests: {error}", resting.join(" and "))));
    Ok(pruned)
}

/// One run without the passes in `resting`. Where the result would be broken, those are added to it that rather rest and did
/// cut.
fn attempt(
    before: &Transcript,
    texts: &dyn Texts,
    setup: &Setup,
    again: &impl Fn(&View<'_>, &Edits, &[Defect]) -> Checked,
    resting: &mut Vec<&'static str>,
) -> Result<Pruned, Error> {
    let settings = &setup.settings;
    let model = settings.model.as_deref().or(before.model.as_deref());
    let provider = settings.provider.as_deref().or(before.provider.as_deref());
    let window = window(settings, model, provider);
    let mut gate = decide(before, settings, &clock(setup));
    let mut view = View::new(before, texts, settings, window.tokens);
    let (mut passes, mut skipped, mut reranked, mut warnings) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let list = setup.detail == Detail::Parts;
    let parts = if list { listing(&view, settings)? } else { Vec::new() };
    let mut notes: Vec<(String, String)> = Vec::new();
    let (mut known, mut gone) = (Vec::new(), Vec::new());
    if let Some(why) = &setup.rest {
        (gate.open, gate.decision.ran) = (false, false);
        gate.decision.why.clone_from(why);
    } else if let Some(memory) = &setup.memory {
        known = sticky::known(before, texts, memory.is_structural())?;
        let (proposal, changed) = sticky::replay(&view, &known, memory)?;
        gone = changed;
        skipped.extend(proposal.skipped.iter().cloned());
        passes.push((sticky::NAME, proposal.skipped.len() as u64));
        view.settle(proposal);
    }
    // An agent's own notes serve until there is a memory.
    let first_run = setup.memory.as_ref().is_none_or(|memory| memory.prefix.is_none());
    if setup.rest.is_none() && first_run && !before.projections.is_empty() {
        let proposal = marker::replay(&view)?;
        notes.extend(proposal.note.as_ref().map(|note| (marker::NAME.to_owned(), note.clone())));
        passes.push((marker::NAME, 0));
        view.settle(proposal);
    }
    let mut cap = Cap::default();
    for pass in PASSES.iter().filter(|p| setup.rest.is_none() && p.is_on(settings) && !list) {
        let proposal = if resting.contains(&pass.name) {
            Proposal { note: Some("what it would cut breaks the transcript".to_owned()), ..Proposal::default() }
        } else if let Some(note) = cap.rests(&view, pass, setup)? {
            Proposal { note: Some(note), ..Proposal::default() }
        } else if gate.open || !pass.gated {
            let mut proposal = (pass.plan)(&view, settings, gate.mode)?;
            guard(&view, settings, pass.name, &mut proposal)?;
            proposal
        } else {
            Proposal::default()
        };
        cap.note(pass, &proposal);
        if let Some(note) = proposal.note.as_ref().filter(|_| gate.open || !pass.gated) {
            // A reason that several passes have is said once.
            match notes.iter_mut().find(|(_, said)| said == note) {
                Some((names, _)) => *names = format!("{names}, {}", pass.name),
                None => notes.push((pass.name.to_owned(), note.clone())),
            }
        }
        reranked.extend(proposal.reranked.iter().cloned());
        skipped.extend(proposal.skipped.iter().cloned());
        warnings.extend(proposal.warnings.iter().cloned().map(Warning::new));
        passes.push((pass.name, proposal.skipped.len() as u64));
        view.accept(proposal);
    }
    let told = thinking::settle(&mut view, settings.thinking, model)?;
    if view.cuts().any(|cut| cut.pass == thinking::NAME) {
        passes.push((thinking::NAME, 0));
    }
    let cut: BTreeSet<&'static str> =
        view.cuts().map(|cut| cut.pass).filter(|name| PASSES.iter().any(|pass| pass.name == *name && pass.rather_rests())).collect();
    let edits = Edits::of(&view).inspect_err(|_| resting.extend(&cut))?;
    let defects = check(before, |_, block| block.flags.has(Flags::BLANK));
    let (after, output) = if edits.is_empty() && !view.is_structural() {
        (defects.clone(), None)
    } else {
        again(&view, &edits, &defects).inspect_err(|_| resting.extend(&cut))?
    };
    let new = new_defects(&defects, &after);
    if !new.is_empty() {
        resting.extend(&cut);
        return Err(Error::Broken(new.into_iter().map(|d| d.row.clone()).collect()));
    }
    let first = view.cuts().next().map(|cut| cut.message);
    let learned = setup.memory.as_ref().map(|_| sticky::learn(&view, known, gone, setup.clock.now)).transpose()?;
    let mut report = account(&view, &edits, gate, window, passes, setup.detail)?;
    report.cache = CacheCost::new(&view, model, report.decision.idle_ms, settings);
    report.model = model.map(str::to_owned);
    report.provider = provider.map(str::to_owned);
    report.skipped = skipped;
    report.parts = parts;
    // A later pass may have cut what was ranked.
    reranked.retain(|list| view.cut(list.block).is_none_or(|cut| cut.pass == rag_rerank::PASS.name));
    report.reranked = reranked;
    cap.tell(&view, setup, &mut report);
    if first.is_none() {
        let notes = notes.iter().map(|(names, note)| format!("; {names}: {note}"));
        report.decision.why = notes.fold(report.decision.why, |why, note| why + &note);
    }
    report.integrity =
        Integrity { before: defects.into_iter().map(|d| d.row).collect(), after: after.into_iter().map(|d| d.row).collect() };
    report.warnings = [setup.warnings.clone(), before.warnings.clone(), warnings].concat();
    report.warnings.extend(told.into_iter().map(Warning::new));
    Ok(Pruned { report, edits, output, learned })
}

/// The clock, with the last call that the memory knows of where none was named.
fn clock(setup: &Setup) -> Clock {
    let stored = setup.memory.as_ref().and_then(|memory| memory.last_call).map(LastCall::Stored);
    Clock { last_call: setup.clock.last_call.or(stored), ..setup.clock }
}
