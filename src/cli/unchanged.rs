//! `--out-dir`: skips inputs whose output is there and would come out the same.
//!
//! An input is skipped if it, its output, the settings and the program are those of the run that made the output, and if the clock
//! cannot have changed what is cut. What depends on more than these is never skipped: runs with a state file, and runs that
//! write a line for each request.

use super::folder::{self, MissingFolders, PathTarget};
use super::job::Job;
use super::manifest::{Entry, Manifest, Name, Version};
use super::{PruneArgs, stderr_line};
use anyhow::Result;
use deadhead_core::internal::session::digest::Digests;
use deadhead_core::stream::Note;
use std::fs::Metadata;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The precision of file times: two changes within this time may have the same time.
const TICK: Duration = Duration::from_millis(20);
/// The same of a file system that keeps whole seconds.
const COARSE: Duration = Duration::from_secs(2);

/// The data about earlier runs into the same folder.
pub struct Earlier {
    manifest: Manifest,
    settings: String,
    now: i64,
    is_forced: bool,
    has_warned: AtomicBool,
    quiet: bool,
}

/// The parts of the notes about an input that concern its decision.
#[derive(Clone, Copy, Default)]
pub struct Decided {
    until: Option<i64>,
    is_cut: bool,
    /// A request came out as it came, with a warning that must come again.
    has_passed: bool,
}

impl Decided {
    /// Takes a note in.
    pub fn note(&mut self, note: &Note) {
        match note {
            Note::Report(report, _) => {
                self.until = self.until.into_iter().chain(report.decision.until).min();
                self.is_cut |= report.is_cut();
            }
            Note::Passed(..) => self.has_passed = true,
            _ => {}
        }
    }
}

/// An output in its place, and the input that it was made from, as both were then.
pub struct Made {
    pub input: Metadata,
    pub output: Metadata,
}

/// The work that was done for an input.
pub enum Work {
    /// It was processed.
    Done,
    /// Its output is as it would be; whether something was cut.
    Skipped { is_cut: bool },
}

/// Whether a run may skip anything: its outputs are all that it leaves, and depend on nothing else.
fn may_skip(args: &PruneArgs) -> bool {
    args.out_dir.is_some() && args.state.is_none() && args.emit_header.is_none() && args.emit_response_fields.is_none()
}

/// The manifest of the output folder, where it is there and may be used. One that cannot be used is a warning.
pub fn manifest(args: &PruneArgs) -> Option<Manifest> {
    let out_dir = args.out_dir.as_ref().filter(|dir| may_skip(args) && dir.is_dir())?;
    let found = if args.dry_run { Manifest::read(out_dir) } else { Manifest::open(out_dir) };
    match found {
        Ok(manifest) => manifest,
        Err(error) => {
            warn(args.quiet, &format!("{error:#}; nothing is skipped"));
            None
        }
    }
}

/// Removes from the inputs what earlier runs wrote into the output folder.
pub fn without_own(manifest: &Manifest, args: &PruneArgs, files: &mut Vec<PathBuf>, folders: &mut Vec<Option<PathBuf>>) {
    let made: std::collections::HashMap<u64, Version> =
        manifest.entries().map(|entry| (entry.output_version.inode, entry.output_version)).collect();
    if made.is_empty() {
        return;
    }
    let is_own = |path: &PathBuf| {
        let found = std::fs::metadata(path).ok().filter(|_| path != Path::new("-")).map(|found| Version::of(&found));
        found.is_some_and(|found| made.get(&found.inode) == Some(&found))
    };
    let before = files.len();
    let kept: Vec<bool> = files.iter().map(|path| !is_own(path)).collect();
    let mut keep = kept.iter();
    files.retain(|_| *keep.next().unwrap_or(&true));
    let mut keep = kept.iter();
    folders.retain(|_| *keep.next().unwrap_or(&true));
    let own = before - files.len();
    if own > 0 {
        warn(args.quiet, &format!("{own} of the inputs are outputs of earlier runs in the output directory, and not read"));
    }
}

impl Earlier {
    /// Creates the data for a run with the settings of `job`.
    pub fn new(manifest: Manifest, args: &PruneArgs, job: &Job) -> Result<Earlier> {
        let setup = job.pruner.setup();
        let settings = serde_json::to_string(&setup.settings)?;
        // All that decides what comes out, but for the input and the time.
        let all = format!(
            "{}\n{settings}\n{:?}\n{:?}\n{}\n{:?}\n{}\n{:?}",
            env!("CARGO_PKG_VERSION"),
            setup.settings.select,
            setup.clock.last_call,
            setup.clock.assume_cold,
            setup.caller,
            setup.strict_input,
            args.format
        );
        let settings = format!("{:032x}", Digests::Today.digest(all.as_bytes()));
        Ok(Earlier {
            manifest,
            settings,
            now: setup.clock.now,
            is_forced: args.choice.force,
            has_warned: AtomicBool::new(false),
            quiet: args.quiet,
        })
    }

    /// Skips an input, or has `process` make its output and notes that.
    ///
    /// # Errors
    /// Those of `process`.
    pub fn skip_or(
        &self,
        (input, place): (&Path, &Path),
        out_dir: &(PathBuf, OwnedFd),
        note: &mut dyn FnMut(Note),
        process: impl FnOnce(&mut dyn FnMut(Note)) -> Result<Option<Made>>,
    ) -> Result<Work> {
        if let Some(is_cut) = self.skips(input, out_dir, place) {
            return Ok(Work::Skipped { is_cut });
        }
        let (begun, mut decided) = (wait_for(input), Decided::default());
        let made = process(&mut |found| {
            decided.note(&found);
            note(found);
        })?;
        if let Some(made) = made.filter(|_| !decided.has_passed) {
            self.add(input, out_dir, place, &made, decided, begun);
        }
        Ok(Work::Done)
    }

    /// Whether an input can be skipped; then, whether something was cut from it.
    fn skips(&self, input: &Path, (dir, folder): &(PathBuf, OwnedFd), place: &Path) -> Option<bool> {
        let below = place.strip_prefix(dir).ok().filter(|_| !self.is_forced)?;
        let entry = self.manifest.entry(&Name::from(below))?;
        let is_current = entry.settings == self.settings
            && entry.input == name_of(input)?
            && entry.at <= self.now
            && entry.until.is_none_or(|until| self.now < until);
        let found = std::fs::metadata(input).ok().filter(|_| is_current)?;
        let Ok(PathTarget::Place(output)) = folder::find_below(folder, below, MissingFolders::Fail) else { return None };
        let output = Version::of_stat(&output.metadata().ok()??);
        (entry.input_version == Version::of(&found) && entry.output_version == output).then_some(entry.is_cut)
    }

    /// Notes what an input came to. A file that changed within a tick before it was read could change again and look the same.
    fn add(&self, input: &Path, (dir, _): &(PathBuf, OwnedFd), place: &Path, made: &Made, decided: Decided, begun: SystemTime) {
        let input_version = Version::of(&made.input);
        let (Some(name), Ok(below)) = (name_of(input), place.strip_prefix(dir)) else { return };
        if !made.input.is_file() || !made.output.is_file() || !rests(input_version, begun) {
            return;
        }
        let entry = Entry {
            output: Name::from(below),
            input: name,
            output_version: Version::of(&made.output),
            input_version,
            settings: self.settings.clone(),
            at: self.now,
            until: decided.until,
            is_cut: decided.is_cut,
        };
        if let Err(error) = self.manifest.add(&entry)
            && !self.has_warned.swap(true, Ordering::Relaxed)
        {
            warn(
                self.quiet,
                &format!("the manifest of {} cannot be written: {error}; its inputs are not skipped next time", dir.display()),
            );
        }
    }
}

/// Waits until a file that has just been written would show its next change, and returns the time. One that changes all the time is not
/// waited for twice.
fn wait_for(input: &Path) -> SystemTime {
    let now = SystemTime::now();
    let is_new = |found: Metadata| found.is_file() && !rests(Version::of(&found), now) && rests(Version::of(&found), now + TICK);
    if input == Path::new("-") || !std::fs::metadata(input).is_ok_and(is_new) {
        return now;
    }
    std::thread::sleep(TICK);
    SystemTime::now()
}

/// Whether a file changed so long ago that a change from now on gives it other times.
fn rests(version: Version, now: SystemTime) -> bool {
    let tick = if version.changed % 1_000_000_000 == 0 { COARSE } else { TICK };
    let now = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    i128::from(version.changed) + tick.as_nanos() as i128 <= now as i128
}

fn name_of(input: &Path) -> Option<Name> {
    let is_file = input != Path::new("-");
    std::path::absolute(input).ok().filter(|_| is_file).map(|path| Name::from(&*path))
}

fn warn(is_quiet: bool, text: &str) {
    if !is_quiet {
        stderr_line!("deadhead: warning: {text}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_rests_when_its_next_change_would_show() {
        let at = |ms: u64| UNIX_EPOCH + Duration::from_millis(ms);
        for (changed, now, want) in [
            (5_000_000, 25, true),
            (5_000_000, 24, false),
            // Whole seconds: the file system keeps no more.
            (3_000_000_000, 4_999, false),
            (3_000_000_000, 5_000, true),
            // The clock was set back.
            (3_000_000_001, 2_000, false),
        ] {
            assert_eq!(rests(Version { inode: 1, size: 1, modified: 0, changed }, at(now)), want, "{changed} {now}");
        }
    }
}
