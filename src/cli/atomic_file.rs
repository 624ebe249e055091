//! Writes files atomically: the whole file appears, or nothing.
//!
//! A file is written beside its place under a temporary name, synced and renamed. The folder is
//! opened once, so that what is compared with the inputs is what is replaced, whatever happens to
//! the path meanwhile.

use super::{
    folder::{MissingFolders, PathTarget, Place},
    *,
};
use rustix::fs::{Mode, OFlags, openat};
use std::{
    fs::Permissions,
    io::{BufWriter, Read},
    os::unix::fs::{FileExt, PermissionsExt},
};

/// The options of an output, beside its place.
#[derive(Clone)]
pub struct WriteOptions {
    /// The files that must not be overwritten.
    pub reads: Arc<ReadFiles>,
    /// The input that it is made from, as it was opened.
    pub input: Option<Identity>,
    /// The permissions of the files from which it is made, which limit its readers.
    pub privacy: Privacy,
    /// The kind of the output.
    pub kind: Kind,
}

/// Kinds of outputs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A copy of one input with cuts.
    Copy,
    /// Such a copy, which is left alone if it has the same bytes already.
    SteadyCopy,
    /// Something about one or many inputs.
    Report,
    /// A report for a place where no file may exist.
    NewReport,
}

/// A file that is not there yet, or a device or pipe that is written to directly.
pub struct AtomicFile {
    /// The sink to write to.
    pub sink: Sink,
    unplaced: Option<PendingFile>,
    path: PathBuf,
}

struct PendingFile {
    temporary: temporary::Temporary,
    place: Place,
    terms: WriteOptions,
}

impl AtomicFile {
    /// Prepares to write to a path; its name says whether it is packed. A link is followed: what it
    /// names is replaced. Folders that are missing on the way are made for a steady copy.
    pub fn new(path: &Path, terms: WriteOptions) -> Result<AtomicFile> {
        let failed = || cannot_write(path);
        if let Some(stream) = standard(path).with_context(failed)? {
            return AtomicFile::stream(path, stream, &terms);
        }
        let missing = match terms.kind {
            Kind::SteadyCopy => MissingFolders::Make,
            _ => MissingFolders::Fail,
        };
        // A file has no slash at its end.
        let is_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        let target = (!is_folder).then(|| folder::find(path, missing));
        let place = match target.transpose().with_context(failed)? {
            Some(PathTarget::Place(place)) => place,
            Some(PathTarget::Stream(stream)) => {
                return AtomicFile::stream(path, stream.open().with_context(failed)?, &terms);
            }
            Some(PathTarget::Folder) | None => bail!(
                "{}: is a directory; --out-dir writes into one",
                path.display()
            ),
        };
        terms.refuse(path, &place)?;
        let temporary = temporary::Temporary::new(&place.folder).with_context(failed)?;
        // The target of a link decides how it is written.
        let sink = Sink::new(temporary.file.try_clone()?, Path::new(&place.name))?;
        Ok(AtomicFile {
            sink,
            unplaced: Some(PendingFile {
                temporary,
                place,
                terms,
            }),
            path: path.to_owned(),
        })
    }

    fn stream(path: &Path, file: File, terms: &WriteOptions) -> Result<AtomicFile> {
        let found = file.metadata()?;
        if found.is_file() {
            terms.reads.refuse(path, Identity::of(&found))?;
        }
        Ok(AtomicFile {
            sink: Sink::new(file, path)?,
            unplaced: None,
            path: path.to_owned(),
        })
    }

    /// Whether written bytes are visible at once, as in a pipe.
    pub fn is_stream(&self) -> bool {
        self.unplaced.is_none()
    }

    /// Stdout, or what takes its place.
    pub fn stdout(sink: Sink) -> AtomicFile {
        AtomicFile {
            sink,
            unplaced: None,
            path: "stdout".into(),
        }
    }

    /// Stdout, stderr or a page, for a report.
    pub fn printing(to: impl Write + 'static) -> AtomicFile {
        AtomicFile::stdout(Sink::Stream(Box::new(BufWriter::new(to))))
    }

    /// Writes to the sink. An error names the output.
    pub fn write<T>(&mut self, write: impl FnOnce(&mut Sink) -> io::Result<T>) -> Result<T> {
        write(&mut self.sink).or_else(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => Err(Error::Changed.into()),
            _ => Err(error).with_context(|| cannot_write(&self.path)),
        })
    }

    /// Puts the file in its place.
    pub fn finish(self) -> Result<()> {
        self.place().map(drop)
    }

    /// Puts the file in its place; returns the file that is there then, unless it is a stream.
    pub fn place(self) -> Result<Option<File>> {
        let AtomicFile {
            mut sink,
            unplaced,
            path,
        } = self;
        let failed = || cannot_write(&path);
        sink.finish().with_context(failed)?;
        unplaced.map(|unplaced| unplaced.finish(&path)).transpose()
    }
}

impl PendingFile {
    fn finish(self, path: &Path) -> Result<File> {
        // A file that was put into the place meanwhile may be an input as well.
        let old = self.terms.refuse(path, &self.place)?;
        // It has 16 bits on macOS.
        #[allow(clippy::useless_conversion)]
        self.put(old.map(|old| old.st_mode.into()))
            .with_context(|| cannot_write(path))
    }

    fn put(self, old_mode: Option<u32>) -> io::Result<File> {
        let PendingFile {
            temporary,
            place,
            terms,
        } = self;
        let group = rustix::fs::fstat(&temporary.file)?.st_gid;
        let mode = match terms.kind {
            Kind::Report | Kind::NewReport => terms.privacy.of_report(old_mode, group),
            Kind::Copy | Kind::SteadyCopy => terms.privacy.of_copy(old_mode, group),
        };
        let is_as_wanted = old_mode.is_some_and(|old| old & 0o7777 == mode);
        if terms.kind == Kind::SteadyCopy
            && is_as_wanted
            && let Ok(Some(same)) = same(&place, &temporary.file)
        {
            return Ok(same);
        }
        temporary
            .file
            .set_permissions(Permissions::from_mode(mode))?;
        temporary.file.sync_all()?;
        let file = temporary.place(&place.name, terms.kind == Kind::NewReport)?;
        if let Ok(folder) = openat(
            &place.folder,
            ".",
            OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        ) {
            let _ = rustix::fs::fsync(folder);
        }
        Ok(file)
    }
}

impl WriteOptions {
    /// Refuses a place that holds an input; returns the metadata of what is there.
    fn refuse(&self, path: &Path, place: &Place) -> Result<Option<rustix::fs::Stat>> {
        let found = place.metadata().with_context(|| cannot_write(path))?;
        if let Some(found) = &found {
            let identity = Identity::of_stat(found);
            self.reads.refuse(path, identity)?;
            if self.kind == Kind::NewReport {
                bail!("{}: is there already; --force replaces it", path.display());
            }
            if self.input == Some(identity) {
                return Err(identity::is_input(path));
            }
        }
        Ok(found)
    }
}

/// The beginning of an error of writing a file.
pub fn cannot_write(path: &Path) -> String {
    format!("{}: cannot write", path.display())
}

/// Stdout and stderr by their names, which need no /dev.
fn standard(path: &Path) -> io::Result<Option<File>> {
    match path.to_str() {
        Some("/dev/stdout") => file_of(stdout()?).map(Some),
        Some("/dev/stderr") => file_of(io::stderr()).map(Some),
        _ => Ok(None),
    }
}

/// Returns the file in the place if it is an ordinary file with the same bytes as `new`.
fn same(place: &Place, new: &File) -> io::Result<Option<File>> {
    let mut old = File::from(place.open(OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK)?);
    let (found, made) = (old.metadata()?, new.metadata()?);
    if !found.is_file() || found.len() != made.len() {
        return Ok(None);
    }
    let (mut ours, mut theirs, mut at) = (vec![0; 64 << 10], vec![0; 64 << 10], 0);
    loop {
        let n = old.read(&mut theirs)?;
        if n == 0 {
            return Ok((at == made.len()).then_some(old));
        }
        new.read_exact_at(&mut ours[..n], at)?;
        if ours[..n] != theirs[..n] {
            return Ok(None);
        }
        at += n as u64;
    }
}

/// Whether two outputs are one file, whether it is there already or not.
pub fn is_same_place(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| {
        fs::canonicalize(path).or_else(|_| {
            let folder = fs::canonicalize(folder::above(path))?;
            Ok::<_, io::Error>(folder.join(path.file_name().unwrap_or_default()))
        })
    };
    matches!((real(a), real(b)), (Ok(a), Ok(b)) if a == b)
}
