//! Appends lines to a file that other processes may append to as well.

use super::atomic_file::WriteOptions;
use super::folder::{self, MissingFolders, PathTarget, Place};
use super::identity::Identity;
use anyhow::{Context, Result, bail};
use rustix::fs::{Mode, OFlags, openat};
use rustix::io::Errno;
use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The flags with which the file is opened.
const FLAGS: OFlags = OFlags::WRONLY
    .union(OFlags::APPEND)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

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
        let failed = || format!("{}: cannot write", path.display());
        folder::refuse_planted(path).with_context(failed)?;
        let target = match folder::find(path, MissingFolders::Fail).with_context(failed)? {
            PathTarget::Folder(_) => bail!("{}: is a directory", path.display()),
            PathTarget::Stream(stream) => Ok(stream.open().with_context(failed)?),
            PathTarget::Place(place) => match place.metadata().with_context(failed)? {
                Some(_) => Ok(checked(
                    path,
                    openat(&place.folder, &place.name, FLAGS, Mode::empty()),
                    terms,
                )?),
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
        let written = self
            .target
            .as_mut()
            .map_or(Ok(()), |file| file.write_all(line.as_bytes()));
        written.with_context(|| format!("{}: cannot write", self.path.display()))
    }
}

/// Makes the log, unless another process was faster.
fn made(path: &Path, place: &Place, terms: &WriteOptions) -> Result<File> {
    match openat(
        &place.folder,
        &place.name,
        FLAGS | OFlags::CREATE | OFlags::EXCL,
        Mode::RUSR | Mode::WUSR,
    ) {
        Err(Errno::EXIST) => checked(
            path,
            openat(&place.folder, &place.name, FLAGS, Mode::empty()),
            terms,
        ),
        opened => {
            let file = checked(path, opened, terms)?;
            let mode = terms.privacy.of_report(None, file.metadata()?.gid());
            file.set_permissions(Permissions::from_mode(mode))?;
            Ok(file)
        }
    }
}

/// An opened log, unless it is an input.
fn checked(
    path: &Path,
    opened: rustix::io::Result<std::os::fd::OwnedFd>,
    terms: &WriteOptions,
) -> Result<File> {
    let file = File::from(
        opened
            .map_err(io::Error::from)
            .with_context(|| format!("{}: cannot write", path.display()))?,
    );
    let found = file.metadata()?;
    if found.is_file() {
        terms.reads.refuse(path, Identity::of(&found))?;
    }
    Ok(file)
}
