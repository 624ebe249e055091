//! Appends lines to a file that other processes may append to as well.

use super::folder::{MissingFolders, PathTarget, Place};
use super::*;
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

/// The flags with which the file is opened.
const FLAGS: OFlags = OFlags::WRONLY
    .union(OFlags::APPEND)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NOCTTY);

/// An open log, or a place for one: the first line makes it.
pub struct Log {
    path: PathBuf,
    /// The open file, or the place for it.
    target: Result<File, Place>,
    terms: WriteOptions,
}

impl Log {
    /// Opens a log that is there, so that one that cannot be written ends a run before it begins.
    pub fn new(path: &Path, terms: &WriteOptions) -> Result<Log> {
        let failed = || cannot_write(path);
        folder::refuse_planted(path).with_context(failed)?;
        let target = match folder::find(path, MissingFolders::Fail).with_context(failed)? {
            PathTarget::Folder(_) => bail!("{}: is a directory", path.display()),
            PathTarget::Stream(stream) => Ok(stream.open().with_context(failed)?),
            PathTarget::Place(place) => match place.metadata().with_context(failed)? {
                Some(_) => Ok(opened(path, &place, FLAGS, terms)?),
                None => Err(place),
            },
        };
        Ok(Log {
            path: path.to_owned(),
            target,
            terms: terms.clone(),
        })
    }

    /// Adds a line by one write: lines of several processes do not mix.
    pub fn append(&mut self, line: &str) -> Result<()> {
        if let Err(place) = &self.target {
            self.target = Ok(made(&self.path, place, &self.terms)?);
        }
        let written = match &mut self.target {
            Ok(file) => file.write_all(line.as_bytes()),
            Err(_) => Ok(()),
        };
        written.with_context(|| cannot_write(&self.path))
    }
}

/// Makes the log, unless another process was faster.
fn made(path: &Path, place: &Place, terms: &WriteOptions) -> Result<File> {
    let new = FLAGS | OFlags::CREATE | OFlags::EXCL;
    match opened(path, place, new, terms) {
        Err(error) if error.downcast_ref() == Some(&Errno::EXIST) => {
            opened(path, place, FLAGS, terms)
        }
        made => {
            let file = made?;
            let mode = terms.privacy.of_report(None, file.metadata()?.gid());
            file.set_permissions(Permissions::from_mode(mode))?;
            Ok(file)
        }
    }
}

/// Opens a log, unless it is an input.
fn opened(path: &Path, place: &Place, flags: OFlags, terms: &WriteOptions) -> Result<File> {
    let file = place.open(flags).with_context(|| cannot_write(path))?;
    let file = File::from(file);
    let found = file.metadata()?;
    if found.is_file() {
        terms.reads.refuse(path, Identity::of(&found))?;
    }
    Ok(file)
}
