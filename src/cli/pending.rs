//! Files that appear whole or not at all.
//!
//! A file is written beside its place under a temporary name, synced and renamed. Interrupted, the program takes its
//! temporary files with it.

use super::output::{Packed, Plain, Sink};
use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A file that is not there yet, or a device or pipe that is written as it stands.
pub struct Pending {
    /// What to write to.
    pub sink: Sink,
    temporary: Option<tempfile::NamedTempFile>,
    place: PathBuf,
}

impl Pending {
    /// Prepares to write `place`; its name says whether it is packed. A link is followed: what it names is replaced.
    pub fn new(place: &Path) -> Result<Pending> {
        if place.is_dir() {
            bail!("{}: is a directory; --out-dir writes into one", place.display());
        }
        let name = place.to_owned();
        if let Some(file) = special(place).with_context(|| format!("{}: cannot write", place.display()))? {
            return Ok(Pending { sink: sink(file, &name)?, temporary: None, place: name });
        }
        let place = fs::canonicalize(place).unwrap_or(name);
        let folder = place.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        clean_up_when_interrupted();
        let temporary = tempfile::Builder::new()
            .prefix(".deadhead-")
            .tempfile_in(folder)
            .with_context(|| format!("{}: cannot write there", folder.display()))?;
        ours().push(temporary.path().to_owned());
        let mode = fs::metadata(&place).map_or_else(|_| 0o666 & !umask(), |m| m.mode() & 0o7777);
        temporary.as_file().set_permissions(fs::Permissions::from_mode(mode))?;
        let file = temporary.as_file().try_clone()?;
        Ok(Pending { sink: sink(file, &place)?, temporary: Some(temporary), place })
    }

    /// Puts the file in its place.
    pub fn finish(self) -> Result<()> {
        let Pending { mut sink, temporary, place } = self;
        let failed = || format!("{}: cannot write", place.display());
        sink.flush().with_context(failed)?;
        if let Sink::Packed(packed) = sink {
            packed.finish().with_context(failed)?;
        }
        let Some(temporary) = temporary else { return Ok(()) };
        temporary.as_file().sync_all().with_context(failed)?;
        let path = temporary.path().to_owned();
        temporary.persist(&place).map_err(|e| e.error).with_context(failed)?;
        ours().retain(|p| *p != path);
        if let Some(folder) = place.parent().and_then(|p| File::open(p).ok()) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

/// A device, a pipe or an open descriptor: nothing can be put in its place, so it is written to.
fn special(place: &Path) -> io::Result<Option<File>> {
    match place.to_str() {
        Some("/dev/stdout") => return Ok(Some(File::from(io::stdout().as_fd().try_clone_to_owned()?))),
        Some("/dev/stderr") => return Ok(Some(File::from(io::stderr().as_fd().try_clone_to_owned()?))),
        _ => {}
    }
    let other = fs::metadata(place).is_ok_and(|m| !m.is_file());
    if other { fs::OpenOptions::new().write(true).open(place).map(Some) } else { Ok(None) }
}

fn sink(file: File, place: &Path) -> io::Result<Sink> {
    Ok(match place.extension().and_then(|e| e.to_str()) {
        Some("gz") => Sink::Packed(Packed::Gzip(Box::new(flate2::write::GzEncoder::new(file, flate2::Compression::default())))),
        Some("zst") => Sink::Packed(Packed::Zstd(Box::new(zstd::stream::write::Encoder::new(file, 3)?))),
        _ => Sink::Plain(Plain::new(file)),
    })
}

/// The permissions that new files go without.
fn umask() -> u32 {
    let mask = rustix::process::umask(rustix::fs::Mode::empty());
    rustix::process::umask(mask);
    mask.bits()
}

/// Temporary files of this process.
fn ours() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    static OURS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    OURS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files on SIGINT, SIGTERM and SIGHUP, and then dies of the signal as usual.
fn clean_up_when_interrupted() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]) else { return };
        std::thread::spawn(move || {
            if let Some(signal) = signals.forever().next() {
                ours().iter().for_each(|path| drop(fs::remove_file(path)));
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        });
    });
}

/// Whether writing to `place` would write to one of `inputs`, by name or by link.
pub fn is_input(place: &Path, inputs: &[PathBuf]) -> bool {
    let Ok(place) = fs::metadata(place) else { return false };
    inputs.iter().filter_map(|input| file_of(input)).any(|input| (input.dev(), input.ino()) == (place.dev(), place.ino()))
}

/// What an input is; of stdin, where it is a plain file.
fn file_of(input: &Path) -> Option<fs::Metadata> {
    if input == Path::new("-") {
        return fs::metadata("/dev/stdin").ok().filter(fs::Metadata::is_file);
    }
    fs::metadata(input).ok()
}

/// Whether two outputs are one file, whether it is there already or not.
pub fn is_same(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::canonicalize(path).or_else(|_| Ok::<_, io::Error>(fs::canonicalize(folder)?.join(path.file_name().unwrap_or_default())))
    };
    matches!((real(a), real(b)), (Ok(a), Ok(b)) if a == b)
}
