//! Reads the output of a run again before it is written, and finds the defects that the cuts caused.

use super::Task;
use super::read_body;
use super::run::{Origin, Run};
use crate::Error;
use crate::check::{
    Defect, changed_thinking, check, check_all, check_by, lost_reasoning, new_defects,
};
use crate::diagnostics::DefectRow;
use crate::dialect::{by_name, unknown_format};
use crate::edit::Edited;
use crate::reader::reread_lines;
use crate::reread::{compare, reread};
use crate::session::prefix::Prefix;
use crate::transcript::{Block, Flags};
use crate::values;

/// Checks the input and the output.
///
/// # Errors
/// The output has a defect that the input has not, or differs from what the cuts say.
pub fn read_again(run: &mut Run<'_>, origin: Origin) -> Result<(), Error> {
    let view = &run.view;
    let whole = view.texts.in_memory();
    let before = match whole.filter(|_| run.setup.task != Task::Prune) {
        Some(bytes) => check_all(view.transcript, bytes),
        None => check_by(view.transcript, view.rules, view.texts, is_blank),
    };
    let is_same = run.edits.is_empty() && !view.is_structural();
    let rows = |defects: &[&Defect]| -> Vec<DefectRow> {
        defects.iter().map(|defect| defect.row.clone()).collect()
    };
    let after = match is_same {
        true => None,
        false => Some(after(run, origin, &before)?),
    };
    let new = after
        .as_ref()
        .map(|after| rows(&new_defects(&before, after)));
    if let Some(new) = new.filter(|new| !new.is_empty()) {
        return Err(Error::Broken(new));
    }
    let rows = |defects: Vec<Defect>| defects.into_iter().map(|defect| defect.row).collect();
    let integrity = &mut run.report.integrity;
    integrity.before = rows(before);
    integrity.after = after.map_or_else(|| integrity.before.clone(), rows);
    Ok(())
}

/// Returns the defects of the output. If only contents change, only these are read again; if a body had defects, all of it is read to see
/// which are left.
fn after(run: &mut Run<'_>, origin: Origin, before: &[Defect]) -> Result<Vec<Defect>, Error> {
    let is_body = matches!(origin, Origin::Body { .. });
    let quick = if run.view.is_structural() || is_body && !before.is_empty() {
        None
    } else {
        of_contents(run, before)?
    };
    match quick {
        None => of_all(run, origin),
        // With debug assertions or a memory, the partial reading of a body is compared with the full one.
        Some(quick) if is_body && (cfg!(debug_assertions) || run.setup.memory.is_some()) => {
            let all = of_all(run, origin)?;
            (run.output, run.messages) = (None, None);
            if quick != all {
                let what = format!("{} defects instead of {}", quick.len(), all.len());
                return Err(Error::Mismatch { message: 0, what });
            }
            Ok(all)
        }
        Some(quick) => Ok(quick),
    }
}

/// Reads only the contents that the cuts change, as they are in the output, and returns the defects of the whole output, given those of the
/// input in `before`. Returns `None` if a content is now empty, which a provider may refuse: then the whole output must be read.
fn of_contents(run: &Run<'_>, before: &[Defect]) -> Result<Option<Vec<Defect>>, Error> {
    let view = &run.view;
    let blank = reread(view, &run.edits)?;
    if blank.values().any(|is_blank| *is_blank) {
        return Ok(None);
    }
    // New contents can cause no other defect.
    if blank.is_empty() {
        return Ok(Some(before.to_vec()));
    }
    Ok(Some(check(view.transcript, view.texts, |index, block| {
        let again = blank.get(&index).copied();
        again.unwrap_or_else(|| is_blank(index, block))
    })))
}

/// Reads the whole output again, compares it with the cuts, and returns its defects.
fn of_all(run: &mut Run<'_>, origin: Origin) -> Result<Vec<Defect>, Error> {
    let (view, edits, setup) = (&run.view, &run.edits, run.setup);
    let (before, texts, scope) = (view.transcript, view.texts, setup.settings.scope);
    let render = || edits.render(texts, 0, texts.size());
    let (after, defects) = match origin {
        Origin::Body { line, found } => {
            let output = render()?;
            let after = read_body(&output, line, found, setup).map_err(|error| {
                let what = error.to_string();
                Error::Mismatch { message: 0, what }
            })?;
            let mut defects = check(&after, &&output[..], is_blank);
            lost_reasoning(before, &after, &mut defects);
            changed_thinking(before, &after, &mut defects);
            let memory = setup.memory.as_ref();
            run.prefix = memory.map(|_| Prefix::of_body(&after, &output));
            run.output = Some(output);
            (after, defects)
        }
        Origin::History => {
            let format = by_name(before.format).ok_or_else(|| unknown_format(String::new()))?;
            let after = match before.multiline_records {
                true => values::history(&render()?, format, view.estimator, scope)?,
                false => reread_lines(&Edited::new(edits, texts), format, view.estimator, scope)?,
            };
            let defects = check(&after, texts, is_blank);
            (after, defects)
        }
    };
    compare(view, &after)?;
    run.messages = Some(after.messages.len());
    Ok(defects)
}

fn is_blank(_: u32, block: &Block) -> bool {
    block.flags.has(Flags::BLANK)
}

/// Returns the prefix of the output.
///
/// # Errors
/// The input cannot be read any more.
pub fn prefix(run: &mut Run<'_>, origin: Origin) -> Result<Prefix, Error> {
    let (view, edits) = (&run.view, &run.edits);
    let (before, texts) = (view.transcript, view.texts);
    if matches!(origin, Origin::History) {
        return Prefix::of_history(before, texts, edits, |i| view.is_gone(i));
    }
    let whole = run.prefix.take();
    if let (Some(whole), Some(_)) = (&whole, &run.output) {
        return Ok(whole.clone());
    }
    let prefix = Prefix::of_edited(before, texts, edits)?;
    debug_assert!(
        edits.is_empty() || whole.is_none_or(|whole| whole == prefix),
        "both looks see one output"
    );
    Ok(prefix)
}
