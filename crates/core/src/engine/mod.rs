//! The engine of real runs, dry runs and previews: makes edits from a transcript, checks the
//! output, and builds the report.
//!
//! The order is that of the diagram in the crate's documentation: cache policy, passes, edits; then
//! the output is read again and checked. Nothing is written here.

mod cache_state;
mod composition;
mod context_management;
mod output;
mod passes;
mod record;
mod repair_run;
mod run;
mod server;
mod timed;

pub use cache_state::{KnownRequests, asks_cache, keeps_ledger, known_cache, with_request};
pub use record::{Record, Task};
pub use repair_run::{mend, mend_history};
pub use run::cut;

use crate::{
    Error, Result,
    cache_policy::{CachePolicy, Clock, provider_and_model},
    check::is_defective,
    compose::Caller,
    diagnostics::Warning,
    dialect::{
        Detected,
        accept::{accept, accept_pairs},
        builder::TranscriptBuilder,
        name_missing, stricter, transcript, wrapper,
    },
    edit::{Edits, Proposal, View},
    json::{Cursor, ScanError},
    naming::{self, Naming},
    outcome::Report,
    pass::{PASSES, Pass, may_remove},
    prices::{Row, row_at, usual},
    read_at::ReadAt,
    reader::Reading,
    report::Detail,
    session::{NewState, Session},
    settings::{Mode, Settings},
    transcript::Transcript,
};
use run::{Origin, Run, run};
use std::{
    io::{self, IoSlice},
    sync::Arc,
};

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
    /// Returns the output for the body `bytes`, in pieces of the input and of new text, so that a
    /// large body is not copied.
    ///
    /// # Errors
    /// `bytes` are not the input that was pruned.
    pub fn slices<'a>(&'a self, bytes: &'a [u8]) -> io::Result<Vec<IoSlice<'a>>> {
        self.edits.slices(self.output.as_deref(), bytes)
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
    /// Whether the request asks for a summary, for which nothing new is cut.
    pub summarizes: bool,
    /// Whether the caller sends a body to Anthropic, with the headers that it needs.
    pub sends_headers: bool,
    /// The version of the API that the request's header names.
    pub api_version: Option<String>,
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
            passes: &PASSES,
            task: Task::Prune,
            warnings: Vec::new(),
            caller: Caller::default(),
            naming: naming::plain,
            memory: None,
            rest: None,
            summarizes: false,
            sends_headers: false,
            api_version: None,
            strict_input: false,
        }
    }

    /// Returns the parameters for reading a history of this format.
    pub fn reading(&self, format: &'static crate::dialect::Dialect) -> Reading {
        let estimator = self.settings.context_pruning.estimator;
        Reading {
            table: self.task == Task::Prune && may_remove(self.passes, &self.settings),
            ..Reading::new(format, estimator, self.settings.scope)
        }
    }

    /// Returns the prices of the model of a transcript at the time of the run, and whether it has
    /// any. Without, they are the usual ones of its provider.
    fn price(&self, transcript: &Transcript) -> (Row, bool) {
        let configured = &self.settings.replay;
        let (provider, model) = provider_and_model(transcript, &self.settings);
        let (mut row, priced) =
            match row_at(model.unwrap_or_default(), Some(self.clock.now), configured) {
                (_, false) => (usual(provider.unwrap_or_default(), configured), false),
                found => found,
            };
        if let Some(life) = transcript.request.cache_life {
            (row.cache.lifetime, row.cache.lifetime_long) = (life, life);
        }
        (row, priced)
    }

    /// Refuses an incomplete history if the user asked for that.
    fn whole(&self, read: &Transcript) -> Result<()> {
        let missing = read.missing.clone().filter(|_| self.strict_input);
        missing.map_or(Ok(()), |missing| Err(Error::Missing(missing)))
    }
}

/// Prunes one body. `bytes` is the input from the body's first byte on, `line` its line.
///
/// # Errors
/// The body is no JSON, or the result would be broken.
pub fn body(bytes: &[u8], line: u64, found: Detected, setup: &Setup) -> Result<Pruned> {
    let before = read_body(bytes, line, found, setup)?;
    // What every host refuses is a defect to report.
    let is_defective = setup.task != Task::Prune && is_defective(&before, found.certain);
    if !is_defective {
        accept(&before, found)?;
    }
    let pruned = run(&before, &bytes, setup, Origin::Body { line, found })?;
    if !is_defective {
        accept_pairs(&before, found, &pruned.report)?;
    }
    Ok(pruned)
}

/// Prunes a history whose context was read.
///
/// # Errors
/// The input cannot be read any more, or the result would be broken.
pub fn history(before: &Transcript, texts: &dyn ReadAt, setup: &Setup) -> Result<Pruned> {
    setup.whole(before)?;
    run(before, texts, setup, Origin::History)
}

/// A typical lower bound for the size of a message in a body.
const BYTES_OF_A_MESSAGE: usize = 2048;

fn read_body(bytes: &[u8], line: u64, found: Detected, setup: &Setup) -> Result<Transcript> {
    if bytes.len() > u32::MAX as usize {
        return Err(Error::TooLong);
    }
    let mut builder = TranscriptBuilder::new(setup.settings.context_pruning.estimator);
    builder.reserve(bytes.len() / BYTES_OF_A_MESSAGE);
    let mut cursor = Cursor::document(bytes);
    wrapper::read(&mut cursor, found, line, &mut builder)
        .map_err(|error| Error::json(bytes, error))?;
    if !cursor.at_end() {
        let error = ScanError {
            at: cursor.at(),
            expected: "the end of the body",
            open: false,
        };
        return Err(Error::json(bytes, error));
    }
    let mut read =
        transcript(found.format, builder, setup.settings.scope).map_err(|_| Error::Changed)?;
    read.request.api_version.clone_from(&setup.api_version);
    read.model = setup.settings.model.clone().or(read.model);
    read.service = setup.settings.provider.clone().or(read.service);
    name_missing(&bytes, found.format, &mut read)?;
    setup.whole(&read)?;
    if let Some(rival) = found.rival {
        read.provider = stricter(read.provider, rival.provider).for_messages(&read.messages);
        read.warnings.push(Warning::new(format!(
            "it could be {} as well: the stricter rules of both apply",
            rival.name
        )));
    }
    Ok(read)
}
