//! Finds the logs that a replay reads, by name, by pattern and in folders, and the requests that count.

use super::inputs::{Inputs, archived, listed, with_archived};
use super::progress::Progress;
use super::{job, stderr_line, streams, times};
use anyhow::{Context, Result, bail};
use deadhead_core::Error;
use deadhead_core::input::{MaxInput, Source};
use deadhead_core::internal::dialect::accept::accept;
use deadhead_core::internal::dialect::usage;
use deadhead_core::internal::dialect::{self, Dialect, Layout};
use deadhead_core::internal::input_kind::{Beginning, InputKind, input_kind};
use deadhead_core::internal::json::IdSet;
use deadhead_core::internal::read_at::ReadAt;
use deadhead_core::stream::threads;
use deadhead_replay::report::{Counts, Range};
use deadhead_replay::session::Session;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The options for reading logs.
pub struct Reading<'a> {
    /// The format that the user named.
    pub format: Option<&'static Dialect>,
    pub most: MaxInput,
    /// Whether files were met on a walk, so that some are no logs.
    pub walked: bool,
    /// Whether a log of which a part is missing is refused.
    pub strict: bool,
    pub range: Range,
    pub jobs: usize,
    pub progress: &'a Progress,
}

impl Reading<'_> {
    /// Reads logs and makes something `of` each, on all threads; `found` takes it in the order of the inputs, and nothing of what was only
    /// met on a walk and cannot be replayed. A request that several inputs have counts in the first of them. Returns what was left out.
    pub fn each<T: Send>(
        &self,
        inputs: &[PathBuf],
        of: impl Fn(&Session, &str, &Counts) -> Result<T> + Sync,
        mut found: impl FnMut(&Path, Result<Option<T>>) -> Result<()>,
    ) -> Result<Uncounted> {
        let mut uncounted = Uncounted::default();
        let count = threads(self.jobs, inputs.len());
        let pool = job::pool(count)?;
        let mut seen = IdSet::default();
        let sized: Vec<_> = inputs.iter().zip(sizes(inputs)).collect();
        for batch in sized.chunks(count * 4) {
            let read: Vec<Result<Option<Session>>> = pool.install(|| batch.par_iter().map(|(path, _)| self.read(path)).collect());
            let read: Vec<_> = read.into_iter().map(|read| read.map(|s| s.map(|s| (self.range.counts(&s, &mut seen), s)))).collect();
            let made: Vec<Result<Option<T>>> = pool.install(|| {
                let each = batch.par_iter().zip(read).map(|((path, size), read)| {
                    let path = path.display().to_string();
                    let made = read.and_then(|read| read.map(|(counts, session)| of(&session, &path, &counts)).transpose());
                    self.progress.part(*size, *size).finish();
                    made
                });
                each.collect()
            });
            for ((path, _), made) in batch.iter().zip(made) {
                let made = if self.walked { uncounted.leave_out(made) } else { made };
                if made.is_err() {
                    self.progress.clear();
                }
                found(path, made)?;
            }
        }
        Ok(uncounted)
    }

    fn read(&self, path: &Path) -> Result<Option<Session>> {
        read(path, self.most, self.format, self.walked, self.strict)
    }
}

/// Logs that were met on a walk and record no token counts, by their format.
#[derive(Default)]
pub struct Uncounted(BTreeMap<&'static str, u64>);

impl Uncounted {
    /// Leaves out a log that records no token counts.
    fn leave_out<T>(&mut self, made: Result<Option<T>>) -> Result<Option<T>> {
        match made.as_ref().err().and_then(|error| error.downcast_ref()) {
            Some(Error::NoCalls { format, .. }) => *self.0.entry(format).or_default() += 1,
            _ => return made,
        }
        Ok(None)
    }

    /// Returns the sentence about them; `None` if there are none.
    pub fn said(&self) -> Option<String> {
        let of = |(format, count): (&&str, &u64)| format!("{count} of {format}");
        let all = self.0.iter().map(of).collect::<Vec<_>>().join(", ");
        (!all.is_empty()).then(|| format!("logs that record no token counts were left out: {all}"))
    }
}

/// Bytes of each input.
pub fn sizes(inputs: &[PathBuf]) -> Vec<u64> {
    inputs.iter().map(|path| std::fs::metadata(path).map_or(0, |found| found.len())).collect()
}

/// Returns the time of `--since` or `--until` in milliseconds since 1970.
pub fn limit(text: &Option<String>, flag: &str) -> Result<Option<i64>> {
    let Some(text) = text else { return Ok(None) };
    match day_or_time(text) {
        Some(time) => Ok(Some(time)),
        None => bail!("{flag} {text}: expected a day such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z"),
    }
}

/// The format that `--format` names.
pub fn named_format(name: &str) -> Result<&'static Dialect> {
    match dialect::by_name(name).filter(|format| format.calls.can_be_replayed()) {
        Some(format) => Ok(format),
        None => bail!("--format {name}: a replay reads {}", usage::replayed()),
    }
}

/// Reads one input; none where it was only met on a walk and is no log.
fn read(path: &Path, most: MaxInput, format: Option<&'static Dialect>, walked: bool, strict: bool) -> Result<Option<Session>> {
    let file = if path == Path::new("-") { streams::stdin_file()? } else { File::open(path)? };
    let source = Source::from_file(file, most).map_err(Error::Io)?;
    if source.size() > u64::from(u32::MAX) {
        bail!("is larger than 4 GiB, and a replay holds a log in memory");
    }
    let bytes = match source {
        Source::Memory(bytes) => bytes,
        file => {
            let (read_buffer, size) = file.into_memory()?;
            read_buffer[..size].to_vec()
        }
    };
    let found = match input_kind(&bytes, true, format) {
        Ok(Beginning::Kind(InputKind::Log(found) | InputKind::Document(found))) if found.format.layout == Layout::History => found,
        _ if walked => return Ok(None),
        Ok(Beginning::Kind(InputKind::Empty)) => bail!("the input is empty"),
        Ok(_) => bail!("is no history: a replay needs the log of an agent"),
        Err(error) => return Err(error.into()),
    };
    let session = Session::read(bytes, found.format)?;
    accept(&session.transcript, found)?;
    if let Some(missing) = session.transcript.missing.as_ref().filter(|_| strict) {
        return Err(Error::Missing(missing.clone()).into());
    }
    Ok(Some(session))
}

/// The inputs: folders are walked, patterns that no shell has expanded are; and whether any was only met on the way.
pub fn inputs(files: &[PathBuf]) -> Result<(Inputs, bool)> {
    let (mut named, mut matching, mut walked) = (Vec::new(), Inputs::default(), false);
    for path in files {
        let text = path.to_string_lossy();
        if path.exists() || !text.contains(['*', '?', '[']) {
            walked |= path.is_dir();
            named.push(path.clone());
            continue;
        }
        walked = true;
        let pattern = globset::GlobBuilder::new(&text).literal_separator(true).build().with_context(|| text.to_string())?.compile_matcher();
        let base: PathBuf = path.components().take_while(|c| !c.as_os_str().to_string_lossy().contains(['*', '?', '['])).collect();
        let base = if base.as_os_str().is_empty() { PathBuf::from(".") } else { base };
        matching.walk(&base, None, |file| pattern.is_match(file.strip_prefix("./").unwrap_or(file)) || pattern.is_match(file));
        named.append(&mut matching.files);
    }
    let mut found = match named.is_empty() && !files.is_empty() {
        false => with_archived(&named)?,
        true if matching.unreadable.is_empty() => bail!("nothing matches {}", listed(files)),
        true => Inputs::default(),
    };
    found.unreadable.append(&mut matching.unreadable);
    let aside = if walked { archived(&found.files) } else { 0 };
    if aside > 0 {
        stderr_line!("deadhead: note: {aside} logs that were reset, deleted or backed up are read as well; copies count once");
    }
    Ok((found, walked))
}

/// A time, or a day, which begins at midnight UTC.
fn day_or_time(text: &str) -> Option<i64> {
    times::time(text).filter(|_| text.len() > 8).or_else(|| times::time(&format!("{text}T00:00:00Z")))
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
