//! The library's entry point: validates settings once and applies them to bodies and logs.

use crate::{
    Error, Result,
    cache_policy::{Clock, LastCall},
    compose::Caller,
    diagnostics::{DefectRow, Warning},
    dialect::{Dialect, Layout, accept::accept, named},
    engine::{Pruned, Record, Setup, Task, mend_history},
    input::Source,
    input_kind::{Beginning, InputKind, body_format, input_kind},
    json::find,
    outcome::Report,
    pass::{PASSES, Pass, check_names},
    reader,
    report::Detail,
    session::{Session, SessionName},
    settings::{Resolved, Settings, file, resolve, workloads},
};
use std::{
    borrow::Cow,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

/// Settings, as a configuration file states them; by default those that are built in.
#[derive(Clone, Debug, Default)]
pub struct Config {
    settings: Settings,
    warnings: Vec<Warning>,
}

impl Config {
    /// Reads a configuration in JSON5. An OpenClaw configuration can be used unchanged.
    ///
    /// # Errors
    /// It is not JSON5, or a key or a value is unknown.
    pub fn from_json5(text: &str) -> Result<Config> {
        let read = || {
            let layers = [file("configuration", text)?];
            workloads(&layers)?;
            resolve(&layers)
        };
        read().map(Config::from).map_err(Error::Config)
    }
}

impl From<Resolved> for Config {
    fn from(resolved: Resolved) -> Config {
        Config {
            settings: resolved.settings,
            warnings: resolved.warnings,
        }
    }
}

impl From<Settings> for Config {
    fn from(settings: Settings) -> Config {
        Config {
            settings,
            warnings: Vec::new(),
        }
    }
}

/// Prunes bodies and logs by one configuration.
///
/// It is `Send` and `Sync`, and cheap to clone.
#[derive(Clone, Debug)]
pub struct Pruner {
    pub(crate) setup: Arc<Setup>,
    pub(crate) format: Option<&'static Dialect>,
    /// Whether each call uses the time of the system's clock.
    is_live: bool,
}

/// A pruned, or repaired, body or log.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome<'a> {
    /// The output; the input itself if nothing is cut.
    pub bytes: Cow<'a, [u8]>,
    /// The report on the cuts and their reasons: report schema 1.
    pub report: Report,
}

impl Pruner {
    /// Validates the configuration.
    ///
    /// # Errors
    /// It names a pass that does not exist.
    pub fn new(config: Config) -> Result<Pruner> {
        Pruner::with_passes(config, &PASSES)
    }

    /// Validates the configuration, with these passes.
    ///
    /// # Errors
    /// The configuration names another one.
    #[doc(hidden)]
    pub fn with_passes(config: Config, passes: &'static [Pass]) -> Result<Pruner> {
        let Config { settings, warnings } = config;
        check_names(
            passes,
            settings.passes.on.iter().chain(&settings.passes.off),
        )?;
        let clock = Clock {
            now: 0,
            last_call: None,
            assume_cold: false,
        };
        let setup = Setup {
            warnings,
            passes,
            ..Setup::new(settings, clock, Detail::Full)
        };
        Ok(Pruner {
            setup: Arc::new(setup),
            format: None,
            is_live: true,
        })
    }

    /// Takes this time as now, in milliseconds since 1970, instead of the system's clock.
    #[must_use]
    pub fn at(&self, now: i64) -> Pruner {
        Pruner {
            is_live: false,
            ..self.with(|setup| setup.clock.now = now)
        }
    }

    /// Takes this time as that of the last call, in milliseconds since 1970.
    #[must_use]
    pub fn last_call(&self, then: i64) -> Pruner {
        self.with(|setup| setup.clock.last_call = Some(LastCall::At(then)))
    }

    /// Takes every input as one of this format, instead of detecting it.
    ///
    /// # Errors
    /// There is no such format.
    pub fn format(&self, name: &str) -> Result<Pruner> {
        Ok(Pruner {
            format: Some(named(name)?),
            ..self.clone()
        })
    }

    /// Takes what the caller says of the other mechanics that change its requests.
    #[must_use]
    pub fn caller(&self, caller: Caller) -> Pruner {
        self.with(|setup| setup.caller = caller)
    }

    /// Prunes with the state of a session, which then records the cuts.
    pub fn session<'s>(&self, session: &'s mut Session) -> InSession<'s> {
        InSession {
            pruner: self.clone(),
            session,
        }
    }

    /// Prunes a body, or a log that is in memory.
    ///
    /// # Errors
    /// It is not understood, has several bodies ([`Pruner::prune_log`] takes them), or the result
    /// would be broken.
    pub fn prune<'a>(&self, input: &'a [u8]) -> Result<Outcome<'a>> {
        self.one(input, None)
    }

    /// Runs `run` on an input that is one body; returns `None` for any other input.
    ///
    /// # Errors
    /// It is not understood, or those of `run`.
    #[doc(hidden)]
    pub fn body<'a>(
        &self,
        input: &'a [u8],
        run: impl FnOnce(&Record<'_>, &Setup) -> Result<Pruned>,
    ) -> Result<Option<Outcome<'a>>> {
        let ends_there = || find(b'\n', input).is_none_or(|end| end + 1 == input.len());
        let found = match input_kind(input, true, self.format)? {
            Beginning::Kind(InputKind::Document(found)) if found.format.layout == Layout::Body => {
                found
            }
            Beginning::Kind(InputKind::Bodies(Some((_, found)))) if ends_there() => found,
            _ => return Ok(None),
        };
        if found.batch {
            return Ok(None);
        }
        let record = Record::Body {
            bytes: input,
            line: 1,
            found,
        };
        Outcome::of(run(&record, &self.setup())?, input).map(Some)
    }

    /// Lists what a provider would refuse of a body, or of a log that is in memory.
    ///
    /// # Errors
    /// Those of [`Pruner::prune`].
    pub fn check(&self, input: &[u8]) -> Result<Vec<DefectRow>> {
        Ok(self
            .to(Task::Check)
            .one(input, None)?
            .report
            .integrity
            .before)
    }

    /// Repairs what a provider would refuse of a body, or of a log that is in memory. What is left
    /// is in the report's `integrity.after`.
    ///
    /// # Errors
    /// Those of [`Pruner::prune`].
    pub fn repair<'a>(&self, input: &'a [u8]) -> Result<Outcome<'a>> {
        self.to(Task::Repair).one(input, None)
    }

    /// Returns a pruner of this configuration that does another task.
    #[doc(hidden)]
    #[must_use]
    pub fn to(&self, task: Task) -> Pruner {
        self.with(|setup| setup.task = task)
    }

    /// Returns a pruner of this configuration whose setup is changed.
    #[doc(hidden)]
    #[must_use]
    pub fn with(&self, change: impl FnOnce(&mut Setup)) -> Pruner {
        let mut pruner = self.clone();
        change(Arc::make_mut(&mut pruner.setup));
        pruner
    }

    /// The setup of a call that is made now.
    #[doc(hidden)]
    pub fn setup(&self) -> Cow<'_, Setup> {
        if !self.is_live {
            return Cow::Borrowed(&self.setup);
        }
        let mut setup = Setup::clone(&self.setup);
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_millis());
        setup.clock.now = i64::try_from(since).unwrap_or(i64::MAX);
        Cow::Owned(setup)
    }

    /// Performs the task on an input that is one transcript.
    fn one<'a>(&self, input: &'a [u8], session: Option<&mut Session>) -> Result<Outcome<'a>> {
        let setup = &*self.setup();
        let kind = input_kind(input, true, self.format)?;
        let pruned = if let Beginning::Kind(InputKind::Log(found)) = kind {
            let source = &Source::Memory(input.to_vec());
            let read = reader::log(source, &setup.reading(found.format), 1, &|_| {})?;
            accept(&read, found)?;
            let log = Record::Log {
                read: &read,
                source,
                found,
            };
            match setup.task {
                Task::Prune => run_in_session(&log, session, setup),
                _ => mend_history(read, source, found, setup),
            }
        } else {
            let in_lines = matches!(kind, Beginning::Kind(InputKind::Bodies(_)));
            if in_lines && has_more_lines(input) {
                return Err(Error::SeveralBodies);
            }
            let found = body_format(input, self.format)?;
            if found.format.layout == Layout::Body && found.batch {
                return Err(Error::SeveralBodies);
            }
            let body = Record::Body {
                bytes: input,
                line: 1,
                found,
            };
            run_in_session(&body, session, setup)
        };
        Outcome::of(pruned?, input)
    }
}

/// Whether something follows the first line.
fn has_more_lines(input: &[u8]) -> bool {
    let input = input.trim_ascii_start();
    find(b'\n', input).is_some_and(|end| !input[end..].trim_ascii().is_empty())
}

/// Prunes a record with the state of its session, and updates that state.
fn run_in_session(
    record: &Record<'_>,
    session: Option<&mut Session>,
    setup: &Setup,
) -> Result<Pruned> {
    let Some(session) = session else {
        return record.run(setup);
    };
    let mut pruned = record.run_in(session.clone(), setup)?;
    let name = match &session.name {
        Some(name) => SessionName::new(name, "flag"),
        None => record.session_name()?,
    };
    pruned.name_session(&name);
    if let Some(new) = pruned.learned.take() {
        session.add(new, setup.clock.now);
    }
    Ok(pruned)
}

impl<'a> Outcome<'a> {
    fn of(pruned: Pruned, input: &'a [u8]) -> Result<Outcome<'a>> {
        let edits = pruned.edits;
        let bytes = match pruned.output {
            Some(output) => output.into(),
            None if edits.is_empty() => input.into(),
            None => edits.render(&input, 0, input.len() as u64)?.into(),
        };
        Ok(Outcome {
            bytes,
            report: pruned.report,
        })
    }
}

/// A [`Pruner`] for one session.
#[derive(Debug)]
pub struct InSession<'s> {
    pruner: Pruner,
    session: &'s mut Session,
}

impl InSession<'_> {
    /// [`Pruner::prune`], where earlier cuts are reproduced byte for byte and new ones wait until
    /// the cache has expired. The session is changed only if that succeeds.
    ///
    /// # Errors
    /// Those of [`Pruner::prune`].
    pub fn prune<'a>(self, input: &'a [u8]) -> Result<Outcome<'a>> {
        self.pruner.one(input, Some(self.session))
    }
}

/// Lists what a provider would refuse of a body, or of a log that is in memory.
///
/// # Errors
/// Those of [`Pruner::prune`].
pub fn check(input: &[u8]) -> Result<Vec<DefectRow>> {
    Pruner::new(Config::default())?.check(input)
}

/// Repairs what a provider would refuse of a body, or of a log that is in memory.
///
/// # Errors
/// Those of [`Pruner::prune`].
pub fn repair(input: &[u8]) -> Result<Outcome<'_>> {
    Pruner::new(Config::default())?.repair(input)
}
