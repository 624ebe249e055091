//! Reads the output of a run again before it is written, and finds the defects that the cuts
//! caused.

use super::*;
use crate::{
    check::{Defect, changed_thinking, check, check_all, check_by, lost_reasoning, new_defects},
    diagnostics::{DefectRow, Integrity},
    dialect::{accept::accept, by_name, unknown_format},
    edit::Edited,
    reread::{compare, reread},
    session::prefix::Prefix,
    values,
};

/// Checks the input and the output.
///
/// # Errors
/// The output has a defect that the input has not, or differs from what the cuts say.
pub fn read_again(run: &mut Run<'_>, origin: Origin) -> Result<()> {
    let view = &run.view;
    let before = match run.setup.task {
        Task::Prune => check(view.transcript, view.texts),
        _ => check_all(view.transcript, view.texts),
    };
    let after = if run.edits.is_empty() && !view.is_structural() {
        before.clone()
    } else {
        after(run, origin, &before)?
    };
    let new: Vec<DefectRow> = new_defects(&before, &after)
        .into_iter()
        .map(|defect| defect.row.clone())
        .collect();
    if !new.is_empty() {
        return Err(Error::Broken(new));
    }
    let [before, after] =
        [before, after].map(|all| all.into_iter().map(|defect| defect.row).collect());
    run.report.integrity = Integrity { before, after };
    Ok(())
}

/// Returns the defects of the output, given those of the input in `before`. If only contents
/// change, only these are read again, as they are in the output. All of it is read if a content is
/// now empty, which a provider may refuse, and if a body had defects, to see which are left.
fn after(run: &mut Run<'_>, origin: Origin, before: &[Defect]) -> Result<Vec<Defect>> {
    let is_body = matches!(origin, Origin::Body { .. });
    let quick = if run.view.is_structural() || is_body && !before.is_empty() {
        None
    } else {
        let filled = reread(&run.view, &run.edits)?;
        filled.map(|filled| match filled.is_empty() {
            // New contents can cause no other defect.
            true => before.to_vec(),
            false => {
                let view = &run.view;
                check_by(view.transcript, view.rules, view.texts, &filled)
            }
        })
    };
    match quick {
        None => of_all(run, origin),
        // With debug assertions or a memory, the partial reading of a body is compared with the
        // full one.
        Some(quick) if is_body && (cfg!(debug_assertions) || run.setup.memory.is_some()) => {
            let all = of_all(run, origin)?;
            run.output = None;
            run.messages = None;
            if quick != all {
                let what = format!("{} defects instead of {}", quick.len(), all.len());
                return Err(Error::Mismatch { message: 0, what });
            }
            Ok(all)
        }
        Some(quick) => Ok(quick),
    }
}

/// Reads the whole output again, compares it with the cuts, and returns its defects.
fn of_all(run: &mut Run<'_>, origin: Origin) -> Result<Vec<Defect>> {
    let view = &run.view;
    let edits = &run.edits;
    let setup = run.setup;
    let before = view.transcript;
    let texts = view.texts;
    let (after, defects) = match origin {
        Origin::Body { line, found } => {
            let output = edits.render(texts, 0, texts.size())?;
            let mismatch = |error: Error| Error::Mismatch {
                message: 0,
                what: error.to_string(),
            };
            let after = read_body(&output, line, found, setup).map_err(mismatch)?;
            accept(&after, found).map_err(mismatch)?;
            let mut defects = check(&after, &&output[..]);
            lost_reasoning(before, &after, &mut defects);
            changed_thinking(before, &after, &mut defects);
            if setup.memory.is_some() {
                run.prefix = Some(Prefix::of_body(&after, &&output[..])?);
            }
            run.output = Some(output);
            (after, defects)
        }
        Origin::History => {
            let format = by_name(before.format).ok_or_else(|| unknown_format(String::new()))?;
            let reading = Reading::new(format, view.estimator, setup.settings.scope);
            let edited = Edited::new(edits, texts);
            let after = values::log_again(&edited, &reading, before.multiline_records)?;
            let defects = check(&after, texts);
            (after, defects)
        }
    };
    compare(view, &after)?;
    run.messages = Some(after.messages.len());
    Ok(defects)
}

/// Returns the prefix of the output. With a memory, a body that was changed has been read again as
/// a whole.
///
/// # Errors
/// The input cannot be read any more.
pub fn prefix(run: &mut Run<'_>, origin: Origin) -> Result<Prefix> {
    let view = &run.view;
    let whole = run.prefix.take();
    let before = view.transcript;
    let texts = view.texts;
    Ok(match (origin, whole) {
        (Origin::History, _) => Prefix::of_history(before, texts, &run.edits, |i| view.is_gone(i))?,
        (Origin::Body { .. }, Some(whole)) => whole,
        (Origin::Body { .. }, None) => Prefix::of_body(before, texts)?,
    })
}
