//! Operations that only Linux supports. Elsewhere each does nothing or returns that it cannot be done, and its caller does without.

pub use system::{FOLDER, is_in_proc, lend, widen};

#[cfg(target_os = "linux")]
mod system {
    use rustix::fs::{OFlags, PROC_SUPER_MAGIC, fstatfs};
    use rustix::io::Errno;
    use rustix::pipe::{SpliceFlags, fcntl_setpipe_size, splice};
    use std::fs::File;
    use std::io;
    use std::os::fd::OwnedFd;

    /// The flags that open a folder to walk on from it. The folder need not be readable.
    pub const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

    /// Whether links of a folder lead to open files and not to what their text names.
    pub fn is_in_proc(folder: &OwnedFd) -> bool {
        fstatfs(folder).is_ok_and(|system| system.f_type == PROC_SUPER_MAGIC)
    }

    /// Gives a pipe a buffer of a mebibyte, so that both ends switch less often. What is no pipe is left.
    pub fn widen(file: &File) {
        let _ = fcntl_setpipe_size(file, 1 << 20);
    }

    /// Lends up to so many bytes of a file, from `at` on, to a pipe; moves `at`. None if `to` is no pipe.
    pub fn lend(file: &File, at: &mut u64, to: &File, most: usize) -> io::Result<Option<usize>> {
        loop {
            match splice(file, Some(at), to, None, most, SpliceFlags::MORE) {
                Ok(n) => return Ok(Some(n)),
                Err(Errno::INTR) => {}
                Err(Errno::INVAL) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use rustix::fs::OFlags;
    use std::fs::File;
    use std::io;
    use std::os::fd::OwnedFd;

    pub const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

    pub fn is_in_proc(_: &OwnedFd) -> bool {
        false
    }

    pub fn widen(_: &File) {}

    pub fn lend(_: &File, _: &mut u64, _: &File, _: usize) -> io::Result<Option<usize>> {
        Ok(None)
    }
}
