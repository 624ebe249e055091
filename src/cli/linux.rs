//! Operations that only Linux supports. On other systems each does nothing or returns that it is
//! not possible, and its caller does without.

use std::{ffi::OsStr, fs::File, io, os::fd::OwnedFd};
pub use system::{FOLDER, is_in_proc, link_open, unnamed, widen};

#[cfg(all(target_os = "linux", not(portable)))]
mod system {
    use super::*;
    use rustix::{
        fs::{AtFlags, CWD, Mode, OFlags, PROC_SUPER_MAGIC, fstat, fstatfs, linkat, openat, stat},
        pipe::fcntl_setpipe_size,
    };
    use std::os::fd::AsRawFd;

    /// The flags that open a folder to walk on from it. The folder need not be readable.
    pub const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

    /// Whether links of a folder lead to open files and not to what their text names.
    pub fn is_in_proc(folder: &OwnedFd) -> bool {
        fstatfs(folder).is_ok_and(|system| system.f_type == PROC_SUPER_MAGIC)
    }

    /// Creates a file without a name in a folder, for its owner alone: however the process ends,
    /// nothing is left of it. `None` if the file system does not support that, or could not name it
    /// later.
    pub fn unnamed(folder: &OwnedFd) -> Option<File> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let file = openat(folder, ".", flags, Mode::RUSR | Mode::WUSR).ok()?;
        let (open, named) = (fstat(&file).ok()?, stat(name_of(&file)).ok()?);
        ((open.st_dev, open.st_ino) == (named.st_dev, named.st_ino)).then(|| file.into())
    }

    /// Gives an open file a name in a folder, where nothing may be of that name.
    pub fn link_open(file: &File, folder: &OwnedFd, name: &OsStr) -> io::Result<()> {
        Ok(linkat(
            CWD,
            name_of(file),
            folder,
            name,
            AtFlags::SYMLINK_FOLLOW,
        )?)
    }

    /// The name of an open file while it is open.
    fn name_of(file: &impl AsRawFd) -> String {
        format!("/proc/self/fd/{}", file.as_raw_fd())
    }

    /// Gives a pipe a buffer of a mebibyte, so that both ends switch less often. Other files are
    /// left alone.
    pub fn widen(file: &File) {
        let _ = fcntl_setpipe_size(file, 1 << 20);
    }
}

#[cfg(not(all(target_os = "linux", not(portable))))]
mod system {
    use super::*;
    use rustix::fs::OFlags;

    pub const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

    pub fn is_in_proc(_: &OwnedFd) -> bool {
        false
    }

    pub fn unnamed(_: &OwnedFd) -> Option<File> {
        None
    }

    pub fn link_open(_: &File, _: &OwnedFd, _: &OsStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn widen(_: &File) {}
}
