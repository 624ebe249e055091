//! The engine of real runs, dry runs and previews: makes edits from a transcript, checks the output, and builds the report.
//!
//! The order is that of the diagram in the crate's documentation: cache policy, passes, edits; then the output is read again and checked.
//! Nothing is written here.

mod attempt;
mod cache_state;
mod composition;
mod context_management;
mod record;
mod repair_run;
mod timed;

pub use attempt::cut;
pub use cache_state::{asks_cache, keeps_ledger, known_cache, with_request};
pub use record::{Record, Task};
pub use repair_run::{check_body, check_history, repair, repair_history};

use crate::Error;
use crate::cache_policy::Clock;
use crate::check::{Defect, changed_thinking, check, lost_reasoning};
use crate::compose::Caller;
use crate::diagnostics::Warning;
use crate::dialect::accept::{accept, accept_pairs};
use crate::dialect::builder::TranscriptBuilder;
use crate::dialect::{
    Detected, by_name, name_missing, stricter, transcript, unknown_format, wrapper,
};
use crate::edit::{Edited, Edits, View};
use crate::json::Cursor;
use crate::naming::{self, Naming};
use crate::outcome::Report;
use crate::pass::{PASSES, Pass, may_remove};
use crate::read_at::ReadAt;
use crate::reader::{Reading, reread_lines};
use crate::report::Detail;
use crate::reread::{compare, reread};
use crate::session::prefix::Prefix;
use crate::session::{NewState, Session, ends_with};
use crate::settings::Settings;
use crate::transcript::{Flags, Transcript};
use crate::values;
use attempt::{RereadOutput, run};
use std::cell::RefCell;
use std::io::{self, IoSlice};
use std::sync::Arc;

/// The result of a run.
#[derive(Debug)]
pub struct Pruned {
    /// The report; the caller adds paths.
    pub report: Report,
    /// The changes to the input.
    pub edits: Edits,
    /// The output, if it was rendered to be read again; else it is the input with the edits.
    pub output: Option<Vec<u8>>,
    /// The state for the session's next run; `None` without a memory.
    pub learned: Option<NewState>,
}

impl Pruned {
    /// Returns the output for the body `bytes`, in pieces of the input and of new text, so that a large body is not copied.
    ///
    /// # Errors
    /// `bytes` are not the input that was pruned.
    pub fn slices<'a>(&'a self, bytes: &'a [u8]) -> io::Result<Vec<IoSlice<'a>>> {
        self.edits.slices_or(self.output.as_deref(), bytes)
    }
}

/// The setup of a run.
#[derive(Clone, Debug)]
pub struct Setup {
    /// All settings.
    pub settings: Settings,
    /// The time of the run and of the last call.
    pub clock: Clock,
    /// The warnings for the user about the configuration.
    pub warnings: Vec<Warning>,
    /// The amount of detail in the report.
    pub detail: Detail,
    /// The passes in order: those of the table, or others in a test.
    pub passes: &'static [Pass],
    /// The task: to prune, to check or to repair.
    pub task: Task,
    /// What the caller said about itself.
    pub caller: Caller,
    /// Returns the name of a setting for texts.
    pub naming: Naming,
    /// The state of the session from earlier runs; `None` without a memory.
    pub memory: Option<Arc<Session>>,
    /// A reason to cut nothing, whatever the settings are.
    pub rest: Option<String>,
    /// Whether an incomplete history is refused.
    pub strict_input: bool,
}

impl Setup {
    /// Creates the setup of a run without a memory.
    pub fn new(settings: Settings, clock: Clock, detail: Detail) -> Setup {
        Setup {
            settings,
            clock,
            detail,
            passes: PASSES,
            task: Task::Prune,
            warnings: Vec::new(),
            caller: Caller::default(),
            naming: naming::plain,
            memory: None,
            rest: None,
            strict_input: false,
        }
    }

    /// Returns the parameters for reading a history of this format.
    pub fn reading(&self, format: &'static crate::dialect::Dialect) -> Reading {
        let table = self.task == Task::Prune && may_remove(&self.settings);
        Reading {
            table,
            ..Reading::new(
                format,
                self.settings.context_pruning.estimator,
                self.settings.scope,
            )
        }
    }

    /// Refuses an incomplete history if the user asked for that.
    fn whole(&self, read: &Transcript) -> Result<(), Error> {
        let missing = read.missing.clone().filter(|_| self.strict_input);
        missing.map_or(Ok(()), |missing| Err(Error::Missing(missing)))
    }
}

/// Prunes one body. `bytes` is the input from the body's first byte on, `line` its line.
///
/// # Errors
/// The body is no JSON, or the result would be broken.
pub fn body(bytes: &[u8], line: u64, found: Detected, setup: &Setup) -> Result<Pruned, Error> {
    let before = read_body(bytes, line, found, setup)?;
    accept(&before, found)?;
    let whole = RefCell::new(None);
    let mut pruned = run(&before, &bytes, setup, |view, edits, defects| {
        // Reads only the changed contents again. If the input had defects, the whole output is read to see which are left.
        let quick = if defects.is_empty() && !view.is_structural() {
            contents_again(view, edits, defects)?
        } else {
            None
        };
        // With debug assertions, the partial reading is compared with the full one.
        if let Some(defects) = quick
            .clone()
            .filter(|_| cfg!(not(debug_assertions)) && setup.memory.is_none())
        {
            return Ok(RereadOutput {
                defects,
                output: None,
                messages: None,
            });
        }
        let output = edits.render(&bytes, 0, bytes.len() as u64)?;
        let after = read_body(&output, line, found, setup).map_err(|error| Error::Mismatch {
            message: 0,
            what: error.to_string(),
        })?;
        let mut defects = check(&after, &&output[..], |_, block| {
            block.flags.has(Flags::BLANK)
        });
        lost_reasoning(&before, &after, &mut defects);
        changed_thinking(&before, &after, &mut defects);
        compare(view, &after)?;
        whole.replace(
            setup
                .memory
                .as_ref()
                .map(|_| Prefix::of_body(&after, &output)),
        );
        match quick {
            Some(quick) if quick != defects => Err(Error::Mismatch {
                message: 0,
                what: format!("{} defects instead of {}", quick.len(), defects.len()),
            }),
            Some(_) => Ok(RereadOutput {
                defects,
                output: None,
                messages: None,
            }),
            None => Ok(RereadOutput {
                defects,
                output: Some(output),
                messages: Some(after.messages.len()),
            }),
        }
    })?;
    accept_pairs(&before, found, &pruned.report)?;
    if setup.memory.is_some() {
        let prefix = match (whole.take(), &pruned.output) {
            (Some(prefix), Some(_)) => prefix,
            (whole, None) => {
                let prefix = Prefix::of_edited(&before, &bytes, &pruned.edits)?;
                debug_assert!(
                    pruned.edits.is_empty() || whole.is_none_or(|whole| whole == prefix),
                    "both looks see one output"
                );
                prefix
            }
            (None, Some(_)) => Prefix::of_edited(&before, &bytes, &pruned.edits)?,
        };
        remember(&mut pruned, prefix, setup);
    }
    pruned.report.input.bytes = bytes.len() as u64;
    Ok(pruned)
}

/// Prunes a history whose context was read.
///
/// # Errors
/// The input cannot be read any more, or the result would be broken.
pub fn history(before: &Transcript, texts: &dyn ReadAt, setup: &Setup) -> Result<Pruned, Error> {
    setup.whole(before)?;
    let prefix = RefCell::new(None);
    let mut pruned = run(before, texts, setup, |view, edits, defects| {
        if setup.memory.is_some() {
            let is_gone = |i| view.is_gone(i);
            prefix.replace(Some(Prefix::of_history(before, texts, edits, is_gone)?));
        }
        let quick = if view.is_structural() {
            None
        } else {
            contents_again(view, edits, defects)?
        };
        let Some(defects) = quick else {
            let format = by_name(before.format).ok_or_else(|| unknown_format(String::new()))?;
            let after = match before.multiline_records {
                true => values::history(
                    &edits.render(texts, 0, texts.size())?,
                    format,
                    view.estimator,
                    setup.settings.scope,
                )?,
                false => reread_lines(
                    &Edited::new(edits, texts),
                    format,
                    view.estimator,
                    setup.settings.scope,
                )?,
            };
            compare(view, &after)?;
            let defects = check(&after, texts, |_, block| block.flags.has(Flags::BLANK));
            return Ok(RereadOutput {
                defects,
                output: None,
                messages: Some(after.messages.len()),
            });
        };
        Ok(RereadOutput {
            defects,
            output: None,
            messages: None,
        })
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

/// Adds the prefix of the output to the new state, compared with that of the last run.
fn remember(pruned: &mut Pruned, prefix: Prefix, setup: &Setup) {
    let Some(learned) = &mut pruned.learned else {
        return;
    };
    let memory = setup.memory.as_ref();
    learned.stable = memory
        .and_then(|memory| memory.prefix.as_ref())
        .map(|last| prefix.shared(last));
    let report = &pruned.report;
    // If no message is removed, the numbers of messages are those of the input.
    if let (Some(memory), Some(stable)) = (
        memory,
        learned
            .stable
            .filter(|_| report.before.messages == report.after.messages),
    ) {
        learned.ends = ends_with(
            &memory.ends,
            stable.messages as u32,
            report.before.messages as u32,
            setup.clock.now,
        );
    }
    learned.prefix = prefix;
}

/// Reads only the contents that the cuts change, as they are in the output, and returns the defects of the whole output, given those of the
/// input in `before`. Returns `None` if a content is now empty, which a provider may refuse: then the whole output must be read.
fn contents_again(
    view: &View<'_>,
    edits: &Edits,
    before: &[Defect],
) -> Result<Option<Vec<Defect>>, Error> {
    let blank = reread(view, edits)?;
    if blank.values().any(|is_blank| *is_blank) {
        return Ok(None);
    }
    // New contents can cause no other defect.
    if blank.is_empty() {
        return Ok(Some(before.to_vec()));
    }
    Ok(Some(check(view.transcript, view.texts, |index, block| {
        blank
            .get(&index)
            .copied()
            .unwrap_or(block.flags.has(Flags::BLANK))
    })))
}

/// A typical lower bound for the size of a message in a body.
const BYTES_OF_A_MESSAGE: usize = 2048;

fn read_body(bytes: &[u8], line: u64, found: Detected, setup: &Setup) -> Result<Transcript, Error> {
    if bytes.len() > u32::MAX as usize {
        return Err(Error::TooLong);
    }
    let mut builder = TranscriptBuilder::new(setup.settings.context_pruning.estimator);
    builder.reserve(bytes.len() / BYTES_OF_A_MESSAGE);
    let mut cursor = Cursor::document(bytes);
    wrapper::read(&mut cursor, found, line, &mut builder)
        .map_err(|error| Error::json(bytes, error))?;
    if !cursor.at_end() {
        let error = crate::json::ScanError {
            at: cursor.at(),
            expected: "the end of the body",
            open: false,
        };
        return Err(Error::json(bytes, error));
    }
    let mut read =
        transcript(found.format, builder, setup.settings.scope).map_err(|_| Error::Changed)?;
    read.model = setup.settings.model.clone().or(read.model);
    read.service.clone_from(&setup.settings.provider);
    name_missing(&bytes, found.format, &mut read)?;
    setup.whole(&read)?;
    if let Some(rival) = found.rival {
        read.interface = stricter(read.interface, rival.interface).for_messages(&read.messages);
        read.warnings.push(Warning::new(format!(
            "it could be {} as well: the stricter rules of both apply",
            rival.name
        )));
    }
    Ok(read)
}
