//! Finds the logs that a replay reads, by name, by pattern and in folders, and the requests that
//! count.

use super::{progress::Progress, *};
use deadhead_core::internal::{
    dialect::{self, Layout, accept::accept, usage},
    input_kind::{Beginning, InputKind, input_kind},
    json::IdSet,
};
use deadhead_replay::{
    advice::mixed,
    report::{Counts, Range},
    session::Session,
};
use rayon::{ThreadPoolBuilder, prelude::*};

/// The seed of samples, constant so that the same logs give the same one.
const SEED: u64 = 20_261_123;

/// What the bar says.
const READING: &str = "reading logs ";

/// The logs of a run, and how they are read.
pub struct Reading<'a> {
    args: &'a LogArgs,
    /// The format that the user named.
    format: Option<&'static Dialect>,
    range: Range,
    pub inputs: Inputs,
    progress: Progress,
    /// The options for what is written about the logs.
    pub terms: WriteOptions,
}

/// How the reading of logs ended.
#[derive(Default)]
pub struct ReadLogs {
    pub failed: u64,
    pub verdict: Verdict,
    /// Returns a sentence about the logs that were found on a walk and record no token counts, if
    /// there are any.
    pub left_out: Option<String>,
}

impl ReadLogs {
    /// Says which logs were left out.
    pub fn say_left_out(&self) {
        if let Some(said) = &self.left_out {
            stderr_line!("deadhead: note: {said}");
        }
    }

    /// Returns which logs were left out, to follow an error.
    pub fn and_left_out(&self) -> String {
        self.left_out
            .as_ref()
            .map(|said| format!("; {said}"))
            .unwrap_or_default()
    }

    fn fail(&mut self, path: &Path, error: &anyhow::Error) {
        self.failed += 1;
        self.verdict.raise(reporter::report_error(path, error));
    }
}

impl Reading<'_> {
    /// Finds the logs that are named.
    pub fn new<'a>(args: &'a LogArgs, named: &[PathBuf], read: &[PathBuf]) -> Result<Reading<'a>> {
        let format = args.input.format.as_deref().map(named_format).transpose()?;
        let range = Range {
            since: limit(&args.since, "--since")?,
            until: limit(&args.until, "--until")?,
        };
        let inputs = inputs(named, None)?;
        if inputs.walked
            && let aside @ 1.. = inputs::archived(&inputs.files)
        {
            stderr_line!(
                "deadhead: note: {aside} logs that were reset, deleted or backed up are read as well; copies count once"
            );
        }
        let size = inputs.files.iter().map(size).sum();
        let progress = Progress::new(args.running.progress, size, READING);
        let reads = ReadFiles::new(&inputs.files, read);
        streams::refuse(&reads, args.report.as_deref().is_none_or(is_dash))?;
        let terms = WriteOptions::of_report(reads);
        Ok(Reading {
            args,
            format,
            range,
            inputs,
            progress,
            terms,
        })
    }

    /// Reduces more than `most` inputs to a sample: one from each of `most` groups that follow each
    /// other in time. Returns the number of all inputs, if the sample is smaller.
    pub fn sample(&mut self, most: usize) -> Option<u64> {
        let count = self.inputs.files.len();
        if count <= most {
            return None;
        }
        let files = &self.inputs.files;
        let sizes: Vec<u64> = files.iter().map(size).collect();
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_cached_key(|&i| (unchanged::modified(&files[i]).ok(), files[i].clone()));
        let of_group = |group: usize| {
            let members = &order[group * count / most..(group + 1) * count / most];
            let all: u64 = members.iter().map(|&i| sizes[i]).sum();
            let mut drawn = mixed(SEED, group as u64) % all.max(1);
            let is_drawn = |&&i: &&usize| {
                let is_before = sizes[i] <= drawn;
                drawn = drawn.saturating_sub(sizes[i]);
                !is_before
            };
            members.iter().find(is_drawn).or(members.first()).copied()
        };
        let mut chosen: Vec<usize> = (0..most).filter_map(of_group).collect();
        chosen.sort_unstable();
        let folders = &self.inputs.folders;
        let chosen = chosen.into_iter();
        (self.inputs.files, self.inputs.folders) = chosen
            .map(|i| (files[i].clone(), folders[i].clone()))
            .unzip();
        let size = self.inputs.files.iter().map(size).sum();
        self.progress = Progress::new(self.args.running.progress, size, READING);
        Some(count as u64)
    }

    /// Reads the logs and calls `of` for each, on all threads; `found` takes the results in the
    /// order of the inputs, without those of files that were only found on a walk and cannot be
    /// replayed. A request that several inputs have counts in the first of them.
    pub fn each<T: Send>(
        &self,
        of: impl Fn(&Session, &str, &Counts) -> Result<T> + Sync,
        mut found: impl FnMut(&Path, T) -> Result<()>,
    ) -> Result<ReadLogs> {
        let mut ended = ReadLogs::default();
        for (path, error) in &self.inputs.unreadable {
            ended.fail(path, &anyhow!("{error}"));
        }
        let mut uncounted: BTreeMap<&str, u64> = BTreeMap::new();
        let inputs = &self.inputs.files;
        let count = threads(self.args.running.jobs, inputs.len());
        // On this thread alone if the system has no more threads.
        let pool = ThreadPoolBuilder::new()
            .num_threads(count)
            .build()
            .or_else(|_| {
                ThreadPoolBuilder::new()
                    .num_threads(1)
                    .use_current_thread()
                    .build()
            })?;
        let mut seen = IdSet::default();
        for batch in inputs.chunks(count * 4) {
            let read: Vec<Result<Option<Session>>> =
                pool.install(|| batch.par_iter().map(|path| self.read(path)).collect());
            let mut counted = |session: Session| (self.range.counts(&session, &mut seen), session);
            let read: Vec<_> = read
                .into_iter()
                .map(|read| anyhow::Ok(read?.map(&mut counted)))
                .collect();
            let made: Vec<Result<Option<T>>> = pool.install(|| {
                let each = batch.par_iter().zip(read).map(|(path, read)| {
                    let name = path.display().to_string();
                    let make = |(counts, session)| of(&session, &name, &counts);
                    let made = read.and_then(|read: Option<_>| read.map(make).transpose());
                    self.progress.add(size(path));
                    made
                });
                each.collect()
            });
            for (path, made) in batch.iter().zip(made) {
                match made {
                    Ok(made) => made.map_or(Ok(()), |made| found(path, made))?,
                    Err(error) => match error.downcast_ref() {
                        Some(Error::NoCalls { format, .. }) if self.inputs.walked => {
                            *uncounted.entry(format).or_default() += 1
                        }
                        _ => {
                            self.progress.clear();
                            ended.fail(path, &error);
                        }
                    },
                }
            }
        }
        self.progress.clear();
        if !uncounted.is_empty() {
            let all = uncounted
                .iter()
                .map(|(format, count)| format!("{count} of {format}"));
            let all = joined(all, ", ");
            ended.left_out = Some(format!(
                "logs that record no token counts were left out: {all}"
            ));
        }
        Ok(ended)
    }

    /// Reads one input; `None` if it was only found on a walk and is not a log.
    fn read(&self, path: &Path) -> Result<Option<Session>> {
        let bytes = in_memory(path, self.args.input.max_input.unwrap_or_default())?;
        let found = match input_kind(&bytes, true, self.format) {
            Ok(Beginning::Kind(InputKind::Log(found) | InputKind::Document(found)))
                if found.format.layout == Layout::History =>
            {
                found
            }
            _ if self.inputs.walked => return Ok(None),
            Ok(Beginning::Kind(InputKind::Empty)) => bail!("the input is empty"),
            Ok(_) => bail!("is no history: a replay needs the log of an agent"),
            Err(error) => return Err(error.into()),
        };
        let session = Session::read(bytes, found.format)?;
        accept(&session.transcript, found)?;
        if let Some(missing) = session
            .transcript
            .missing
            .as_ref()
            .filter(|_| self.args.input.strict_input)
        {
            return Err(Error::Missing(missing.clone()).into());
        }
        Ok(Some(session))
    }
}

/// Returns the bytes of a log.
pub fn in_memory(path: &Path, most: MaxInput) -> Result<Vec<u8>> {
    let source = Source::from_file(open_input(path)?, most).map_err(Error::Io)?;
    if source.size() > u64::from(u32::MAX) {
        bail!("is larger than 4 GiB, and such a log is held in memory");
    }
    Ok(match source {
        Source::Memory(bytes) => bytes,
        file => file.into_memory()?.to_vec(),
    })
}

/// Bytes of an input.
fn size(path: &PathBuf) -> u64 {
    fs::metadata(path).map_or(0, |found| found.len())
}

/// Returns the time of `--since` or `--until` in milliseconds since 1970.
fn limit(text: &Option<String>, flag: &str) -> Result<Option<i64>> {
    let Some(text) = text else { return Ok(None) };
    day_or_time(text).map(Some).with_context(|| {
        format!("{flag} {text}: expected a day such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z")
    })
}

/// The format that `--format` names.
fn named_format(name: &str) -> Result<&'static Dialect> {
    let format = dialect::named(name)?;
    if !format.calls.can_be_replayed() {
        bail!("--format {name}: a replay reads {}", usage::replayed());
    }
    Ok(format)
}

/// A time, or a day, which begins at midnight UTC.
fn day_or_time(text: &str) -> Option<i64> {
    times::time(text)
        .filter(|_| text.len() > 8)
        .or_else(|| times::time(&format!("{text}T00:00:00Z")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_times() {
        assert_eq!(day_or_time("2026-01-01"), Some(1_767_225_600_000));
        assert_eq!(day_or_time("2026-01-01T01:00:00Z"), Some(1_767_229_200_000));
        assert_eq!(day_or_time("yesterday"), None);
    }
}
