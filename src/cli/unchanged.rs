//! `--out-dir`: skips an input whose output is newer and was made with the same settings, as make
//! does.
//!
//! The stamp of an output folder is a small file in the user's state folder, and never in the
//! output folder. It holds a digest of everything beside the inputs that decides the outputs, and
//! is written when that changes: outputs newer than the stamp were made with these settings. An
//! output gets the time at which its input was opened; one that must be made again in any case gets
//! the time of its input's last change.

use super::*;
use deadhead_core::internal::{prices, session::digest::digest};
use std::{
    collections::BTreeSet,
    fs::DirBuilder,
    os::unix::{
        ffi::OsStrExt,
        fs::{DirBuilderExt, MetadataExt},
    },
    time::{SystemTime, UNIX_EPOCH},
};

/// The precision of file times: two changes within this time may have the same time.
const TICK: Duration = Duration::from_millis(20);
/// The precision of times in a file system that keeps whole seconds.
const COARSE: Duration = Duration::from_secs(2);

/// The stamp of an output folder, as a run found or wrote it.
pub struct Earlier {
    stamp: PathBuf,
    /// The time of the stamp.
    since: SystemTime,
    is_forced: bool,
}

/// The work that was done for an input.
pub enum Work {
    /// It was processed.
    Done,
    /// Its output is as it would be.
    Skipped,
}

impl Earlier {
    /// Reads the stamp of a folder, and writes it if it differs; `None` if nothing can be skipped.
    /// Outputs of runs with a state file depend on more, and so do runs that write a line for each
    /// request: they leave no stamp.
    pub fn new(
        out_dir: &Path,
        args: &PruneArgs,
        job: &Job,
        inputs: &[PathBuf],
        places: &[Option<PathBuf>],
    ) -> Option<Earlier> {
        let stamp = stamp_of(out_dir)?;
        if args.state.is_some()
            || args.sidecar.is_some()
            || args.emit_header.is_some()
            || args.emit_response_fields.is_some()
        {
            if !args.dry_run {
                let _ = fs::remove_file(stamp);
            }
            return None;
        }
        let conditions = conditions(out_dir, args, job, inputs, places);
        let since = conditions.and_then(|conditions| match fs::read(&stamp) {
            Ok(found) if found == conditions.as_bytes() => Ok(Some(modified(&stamp)?)),
            _ if args.dry_run => Ok(None),
            _ => write(&stamp, &conditions).map(Some),
        });
        if let Err(error) = &since
            && !args.quiet
        {
            stderr_line!("deadhead: warning: {error:#}; nothing is skipped");
        }
        Some(Earlier {
            since: since.ok()??,
            stamp,
            // Whether an output was cut is not known without making it.
            is_forced: args.choice.force || args.exit_code,
        })
    }

    /// Skips an input, or has `process` make its output.
    ///
    /// # Errors
    /// Those of `process`.
    pub fn skip_or(
        &self,
        input: &Path,
        place: &Path,
        note: &mut dyn FnMut(Note),
        process: impl FnOnce(&mut dyn FnMut(Note)) -> Result<Option<File>>,
    ) -> Result<Work> {
        let found = fs::metadata(input)
            .ok()
            .filter(|found| found.is_file() && !is_dash(input));
        let Some(changed) = found.map(|found| changed(&found)) else {
            return process(note).map(|_| Work::Done);
        };
        let made = fs::symlink_metadata(place)
            .ok()
            .filter(Metadata::is_file)
            .and_then(|found| found.modified().ok());
        if !self.is_forced && made.is_some_and(|made| made > self.since && rests(changed, made)) {
            return Ok(Work::Skipped);
        }
        // A change from now on must show.
        if !rests(changed, SystemTime::now()) && rests(changed, SystemTime::now() + TICK) {
            std::thread::sleep(TICK);
        }
        let (begun, mut is_final) = (SystemTime::now(), true);
        let output = process(&mut |found| {
            // Time alone may change the cuts, and a warning must be repeated.
            is_final &= match &found {
                Note::Report(report, _) => !report.decision.is_timed,
                Note::Passed(..) => false,
                _ => true,
            };
            note(found);
        })?;
        if let Some(output) = output {
            // Another run may have begun with other settings.
            let is_ours = modified(&self.stamp).is_ok_and(|time| time == self.since);
            let _ = output.set_modified(if is_final && is_ours { begun } else { changed });
        }
        Ok(Work::Done)
    }
}

/// Returns the digest of everything beside the inputs that decides the outputs, with the folders of
/// the inputs. Prices change by the day.
fn conditions(
    out_dir: &Path,
    args: &PruneArgs,
    job: &Job,
    inputs: &[PathBuf],
    places: &[Option<PathBuf>],
) -> Result<String> {
    let setup = job.pruner.setup();
    let below = places
        .iter()
        .flatten()
        .filter_map(|place| place.strip_prefix(out_dir).ok());
    let folders: BTreeSet<PathBuf> = inputs
        .iter()
        .zip(below)
        .filter_map(|(input, below)| folder_of(input, below))
        .collect();
    let all = format!(
        "{}\n{}\n{:?}\n{:?}\n{:?}\n{}\n{:?}\n{}\n{:?}\n{:?}\n{:?}\n{folders:?}",
        env!("CARGO_PKG_VERSION"),
        serde_json::to_string(&setup.settings)?,
        setup.settings.select,
        setup.settings.replay.table,
        setup.clock.last_call,
        setup.clock.assume_cold,
        setup.caller,
        setup.strict_input,
        args.input.format,
        args.now,
        prices::next_change(setup.clock.now, &setup.settings.replay),
    );
    Ok(format!("{:032x}\n", digest(all.as_bytes())))
}

/// Returns the folder below which an input has the path of its output; the input itself if it has
/// another path.
fn folder_of(input: &Path, below: &Path) -> Option<PathBuf> {
    let whole = absolute(input).ok()?;
    let parts = if whole.ends_with(below) {
        below.components().count()
    } else {
        0
    };
    whole.ancestors().nth(parts).map(Path::to_owned)
}

/// The stamp of an output folder, if there is a state folder. A relative path is ignored, as the
/// XDG base directory specification requires.
fn stamp_of(out_dir: &Path) -> Option<PathBuf> {
    let named = |name| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let state = named("XDG_STATE_HOME").or_else(|| Some(named("HOME")?.join(".local/state")))?;
    let out_dir = fs::canonicalize(out_dir).ok()?;
    Some(state.join(format!(
        "deadhead/out-dir-{:032x}",
        digest(out_dir.as_os_str().as_bytes())
    )))
}

/// Writes a stamp, and its folder for its owner alone; returns its time.
fn write(stamp: &Path, conditions: &str) -> Result<SystemTime> {
    if let Some(folder) = stamp.parent() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .with_context(|| format!("{}: cannot make it", folder.display()))?;
    }
    let mut file = AtomicFile::new(stamp, WriteOptions::of_report(ReadFiles::default()))?;
    file.sink.write_all(conditions.as_bytes())?;
    let now = SystemTime::now();
    match file.place()? {
        Some(file) => file.set_modified(now)?,
        None => anyhow::bail!("{}: is no file", stamp.display()),
    }
    Ok(modified(stamp)?)
}

/// The time of the last change of a file's bytes.
pub fn modified(path: &Path) -> io::Result<SystemTime> {
    fs::metadata(path)?.modified()
}

/// The time of the last change of a file's bytes, name, owner or mode, which nobody can set back.
fn changed(found: &Metadata) -> SystemTime {
    let seconds = u32::try_from(found.ctime()).unwrap_or(u32::MAX);
    UNIX_EPOCH + Duration::new(seconds.into(), found.ctime_nsec().try_into().unwrap_or(0))
}

/// Whether a file that changed then gets other times by every change from `now` on.
fn rests(changed: SystemTime, now: SystemTime) -> bool {
    let is_whole = changed
        .duration_since(UNIX_EPOCH)
        .is_ok_and(|since| since.subsec_nanos() == 0);
    changed + if is_whole { COARSE } else { TICK } <= now
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_rests_when_its_next_change_would_show() {
        let at = |ms: u64| UNIX_EPOCH + Duration::from_millis(ms);
        for (changed, now, want) in [
            (5, 25, true),
            (5, 24, false),
            // Whole seconds: the file system keeps no more.
            (3_000, 4_999, false),
            (3_000, 5_000, true),
            // The clock was set back.
            (3_001, 2_000, false),
        ] {
            assert_eq!(rests(at(changed), at(now)), want, "{changed} {now}");
        }
    }

    #[test]
    fn the_folder_of_an_input_is_where_its_output_has_the_same_path() {
        for (input, below, want) in [
            ("/in/a.jsonl", "a.jsonl", "/in"),
            ("/in/b/c.jsonl", "b/c.jsonl", "/in"),
            ("/in/b/c.jsonl", "c.jsonl", "/in/b"),
            ("/dev/fd/3", "stdin", "/dev/fd/3"),
        ] {
            assert_eq!(
                folder_of(Path::new(input), Path::new(below)).unwrap(),
                Path::new(want)
            );
        }
    }
}
